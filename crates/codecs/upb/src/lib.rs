//! Protobuf with Google's own runtime: upb, a C library, under the official Rust API.
//!
//! The crate compiles upb with the machine's C compiler; protoc of the same version generates the API's side of a message.
//! A payload has this codec where that protoc is found.
//!
//! Objects live in arenas: building copies every field through the C API, decoding fills tables and points into a copy of
//! nothing but texts and byte strings, dropping frees the arena at once. Maps are hash tables, so that their entries come
//! in any order: reading sorts them, inside its clock, to touch them in the order of the others. An entry is written whole,
//! also where prost leaves a default out.
//!
//! The library refuses nesting past 100 levels and texts that are no UTF-8; what it allocates is bounded by the input.

pub mod declared;

use ::protobuf::{Parse, ProtoStr, Serialize};
use wiredyno_contract::DeclaredCodec;

use wiredyno_codec::codec::{Codec, CodecFor, DecodeError, EncodeError, Reason};
use wiredyno_codec::payload::PayloadTypes;
use wiredyno_codec::touch::Digest;

/// A payload as upb takes it.
pub trait Types: PayloadTypes {
    /// A message in its arena.
    type Object: Send;
    /// `build`.
    fn object(value: &Self::Domain) -> Self::Object;
    /// `encode`.
    fn encode(object: &Self::Object) -> Result<Vec<u8>, Reason>;
    /// `decode`.
    fn decode(bytes: &[u8]) -> Result<Self::Object, Reason>;
    /// `read`.
    fn touch(object: &Self::Object, digest: &mut Digest);
    /// Back to the domain.
    fn domain(object: &Self::Object) -> Result<Self::Domain, Reason>;
}

/// For generated code.
#[inline]
pub fn encode(message: &impl Serialize) -> Result<Vec<u8>, Reason> {
    message.serialize().map_err(|error| Reason(error.to_string()))
}

/// For generated code.
#[inline]
pub fn decode<M: Parse>(bytes: &[u8]) -> Result<M, Reason> {
    M::parse(bytes).map_err(|error| Reason(error.to_string()))
}

/// For generated code: the library has validated it.
pub fn text(text: &ProtoStr) -> String {
    String::from_utf8_lossy(text.as_bytes()).into_owned()
}

/// `protobuf/upb`.
#[derive(Debug, Default)]
pub struct Upb;

impl Codec for Upb {
    fn declared(&self) -> &'static DeclaredCodec {
        &declared::UPB
    }
}

impl<P: Types> CodecFor<P> for Upb {
    type State = ();
    type Object = P::Object;
    type Decoded<'a> = P::Object;

    fn state(&self) -> Result<(), Reason> {
        Ok(())
    }

    fn build(&self, (): &(), value: &P::Domain) -> P::Object {
        P::object(value)
    }

    fn encode(&self, (): &mut (), object: &P::Object, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        let bytes = P::encode(object).map_err(|reason| self.encode_error(&reason))?;
        out.extend_from_slice(&bytes);
        Ok(())
    }

    fn encode_fresh(&self, (): &mut (), object: &P::Object) -> Result<Vec<u8>, EncodeError> {
        P::encode(object).map_err(|reason| self.encode_error(&reason))
    }

    fn decode(&self, (): &(), bytes: &[u8]) -> Result<P::Object, DecodeError> {
        P::decode(bytes).map_err(|reason| self.decode_error(&reason))
    }

    fn read(&self, decoded: &P::Object) -> Result<u64, DecodeError> {
        let mut digest = Digest::default();
        P::touch(decoded, &mut digest);
        Ok(digest.value())
    }

    fn lift(&self, decoded: P::Object) -> Result<P::Domain, DecodeError> {
        P::domain(&decoded).map_err(|reason| self.decode_error(&reason))
    }
}
