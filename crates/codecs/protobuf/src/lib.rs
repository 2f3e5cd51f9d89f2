//! Protocol Buffers with prost.
//!
//! Fields in number order, scalars without presence left out at their default, repeated scalars packed. prost
//! itself refuses nesting deeper than 100 and skips unknown fields.
//!
//! The variant `confluent` has the framing of a schema registry before the message ([`wiredyno_codec::confluent`]).

pub mod declared;

use prost::Message as _;
use wiredyno_contract::DeclaredCodec;

use wiredyno_codec::codec::{Codec, CodecFor, DecodeError, EncodeError, Reason};
use wiredyno_codec::confluent::Framing;
use wiredyno_codec::confluent_codec;
use wiredyno_codec::convert::{Lift, Lower};
use wiredyno_codec::payload::PayloadTypes;
use wiredyno_codec::touch::digest_of;

/// Implements `protobuf/prost`, declared as [`declared::PROST`].
#[derive(Debug, Default)]
pub struct Prost;

impl Codec for Prost {
    fn declared(&self) -> &'static DeclaredCodec {
        &declared::PROST
    }
}

/// Implements `protobuf/prost:confluent`, declared as [`declared::CONFLUENT`].
#[derive(Debug, Default)]
pub struct Confluent;

impl Codec for Confluent {
    fn declared(&self) -> &'static DeclaredCodec {
        &declared::CONFLUENT
    }
}

confluent_codec!(Confluent, Prost, Framing::of_file);

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
