//! Protobuf with Google's own runtime: upb, a C library, under the official Rust API.
//!
//! The crate compiles upb with the machine's C compiler; protoc of the same version generates the API's side of a message.
//! A payload has this codec where that protoc is found.
//!
//! Objects live in arenas: building copies every field through the C API, decoding fills tables and points into a copy of
//! texts and byte strings only, dropping frees the arena at once. Maps are hash tables, so their entries come in any order:
//! reading sorts them, inside its clock, to touch them in the same order as other codecs. An entry is written completely,
//! even where prost leaves out a default.
//!
//! The library refuses nesting beyond 100 levels and texts that are not UTF-8; what it allocates is bounded by the input.

pub mod declared;

use ::protobuf::{Parse, ProtoStr, Serialize};
use wiredyno_contract::DeclaredCodec;

use wiredyno_codec::codec::{Codec, CodecFor, DecodeError, EncodeError, Reason};
use wiredyno_codec::payload::PayloadTypes;
use wiredyno_codec::touch::Digest;

/// A payload in the form that upb needs.
pub trait Types: PayloadTypes {
    /// A message in its arena.
    type Object: Send;
    /// The phase `build`: domain value to object.
    fn object(value: &Self::Domain) -> Self::Object;
    /// The phase `encode`: object to bytes.
    fn encode(object: &Self::Object) -> Result<Vec<u8>, Reason>;
    /// The phase `decode`: bytes to object.
    fn decode(bytes: &[u8]) -> Result<Self::Object, Reason>;
    /// The phase `read`: touches every field.
    fn touch(object: &Self::Object, digest: &mut Digest);
    /// Converts back to the domain value.
    fn domain(object: &Self::Object) -> Result<Self::Domain, Reason>;
}

/// Encodes a message; used by generated code.
#[inline]
pub fn encode(message: &impl Serialize) -> Result<Vec<u8>, Reason> {
    message.serialize().map_err(|error| Reason(error.to_string()))
}

/// Decodes a message; used by generated code.
#[inline]
pub fn decode<M: Parse>(bytes: &[u8]) -> Result<M, Reason> {
    M::parse(bytes).map_err(|error| Reason(error.to_string()))
}

/// Copies a text, which the library has validated; used by generated code.
pub fn text(text: &ProtoStr) -> String {
    String::from_utf8_lossy(text.as_bytes()).into_owned()
}

/// Implements `protobuf/upb`, declared as [`declared::UPB`].
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
