//! Protocol Buffers with prost.
//!
//! Fields in number order, scalars without presence left out at their default, repeated scalars packed.
//! prost refuses nesting deeper than 100 by itself and skips unknown fields.

use prost::Message as _;
use wiredyno_model::Capability;

use crate::codec::{Codec, CodecFor, DecodeError, EncodeError, Reason};
use crate::convert::{Lift, Lower};
use crate::payload::PayloadTypes;
use crate::touch::digest_of;

/// `protobuf/prost`.
#[derive(Debug, Default)]
pub struct Prost;

impl Codec for Prost {
    fn id(&self) -> &'static str {
        "protobuf/prost"
    }

    fn library(&self) -> (&'static str, &'static str) {
        ("prost", env!("WIREDYNO_VERSION_PROST"))
    }

    fn about(&self) -> &'static str {
        "Proto3 wire format. Build clones into prost messages; encode computes the length, then writes; \
         decode validates UTF-8 and allocates every string; read walks structs."
    }

    fn capabilities(&self) -> &'static [Capability] {
        &[
            Capability::SchemaDriven,
            Capability::ValidatesUtf8,
            Capability::ReusesBuffers,
            Capability::Canonical,
        ]
    }
}

impl<P: PayloadTypes<Message: Send>> CodecFor<P> for Prost {
    type State = ();
    type Object = P::Message;
    type Decoded<'a> = P::Message;

    fn state(&self) -> Result<(), Reason> {
        Ok(())
    }

    fn build(&self, (): &(), value: &P::Domain) -> P::Message {
        value.lower()
    }

    fn encode(&self, (): &mut (), object: &P::Message, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        object.encode(out).map_err(|error| self.encode_error(&error))
    }

    fn encode_fresh(&self, (): &mut (), object: &P::Message) -> Result<Vec<u8>, EncodeError> {
        Ok(object.encode_to_vec())
    }

    fn decode(&self, (): &(), bytes: &[u8]) -> Result<P::Message, DecodeError> {
        P::Message::decode(bytes).map_err(|error| self.decode_error(&error))
    }

    fn read(&self, decoded: &P::Message) -> Result<u64, DecodeError> {
        Ok(digest_of(decoded))
    }

    fn lift(&self, decoded: P::Message) -> Result<P::Domain, DecodeError> {
        decoded.lift().map_err(|error| self.decode_error(&error))
    }
}
