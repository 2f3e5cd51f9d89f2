//! The car-middleware study's header around Protobuf: a container with type and times, as the middleware sent it.
//!
//! Layout: two bytes of magic, u32 length of what follows (little-endian), then the container as a Protobuf message: 1 data type
//! (uint32), 2 the message (bytes), 3 and 4 times of sending and receipt ({1 seconds, 2 microseconds}, int32). The study
//! (V. Borosean, S. Eidukas, A. Dang, University of Gothenburg, 2015) prints the fields and their widths, but neither the magic's
//! value nor the container's field numbers: those are ours. It also draws keys of 32 bits; real ones are varints, as here.

pub mod declared;
pub mod layout;

use prost::Message as _;
use wiredyno_contract::DeclaredCodec;

use layout::{BEFORE, END, MAGIC};
use wiredyno_codec::codec::{Codec, CodecFor, DecodeError, EncodeError, Reason};
use wiredyno_codec::convert::{Lift, Lower};
use wiredyno_codec::payload::PayloadTypes;
use wiredyno_codec::touch::digest_of;

/// Implements `protobuf/prost:container`, declared as [`declared::PROST_CONTAINER`].
#[derive(Debug, Default)]
pub struct ProstContainer;

/// Magic and length, before the container.
const HEADER_BYTES: usize = 6;

#[derive(Clone, Copy, PartialEq, prost::Message)]
struct Time {
    #[prost(int32, tag = "1")]
    seconds: i32,
    #[prost(int32, tag = "2")]
    microseconds: i32,
}

/// The container as a reader sees it: any order of fields, unknown ones skipped.
#[derive(Clone, PartialEq, prost::Message)]
struct Container {
    #[prost(uint32, tag = "1")]
    data_type: u32,
    #[prost(bytes = "vec", optional, tag = "2")]
    data: Option<Vec<u8>>,
    #[prost(message, required, tag = "3")]
    sent: Time,
    #[prost(message, required, tag = "4")]
    received: Time,
}

impl Codec for ProstContainer {
    fn declared(&self) -> &'static DeclaredCodec {
        &declared::PROST_CONTAINER
    }
}

impl<P: PayloadTypes<Message: Send>> CodecFor<P> for ProstContainer {
    /// The end of the container, which never changes.
    type State = Vec<u8>;
    type Object = P::Message;
    type Decoded<'a> = P::Message;

    fn state(&self) -> Result<Vec<u8>, Reason> {
        Ok(END.to_vec())
    }

    fn build(&self, _: &Vec<u8>, value: &P::Domain) -> P::Message {
        value.lower()
    }

    fn encode(&self, end: &mut Vec<u8>, object: &P::Message, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        let length = object.encoded_len();
        let container = BEFORE.len() + prost::length_delimiter_len(length) + length + end.len();
        let Ok(counted) = u32::try_from(container) else {
            return Err(self.encode_error(&format_args!("a container of {container} bytes is too long")));
        };
        out.reserve(HEADER_BYTES + container);
        out.extend_from_slice(&MAGIC);
        out.extend_from_slice(&counted.to_le_bytes());
        out.extend_from_slice(&BEFORE);
        object.encode_length_delimited(out).map_err(|error| self.encode_error(&error))?;
        out.extend_from_slice(end);
        Ok(())
    }

    fn decode(&self, _: &Vec<u8>, bytes: &[u8]) -> Result<P::Message, DecodeError> {
        let Some((header, container)) = bytes.split_first_chunk::<HEADER_BYTES>() else {
            return Err(self.decode_error(&"the header is incomplete"));
        };
        let [first, second, length @ ..] = *header;
        if [first, second] != MAGIC || u32::from_le_bytes(length) as usize != container.len() {
            return Err(self.decode_error(&"the magic number or the length is wrong"));
        }
        let container = Container::decode(container).map_err(|error| self.decode_error(&error))?;
        let Some(data) = container.data else {
            return Err(self.decode_error(&"the container holds no message"));
        };
        P::Message::decode(data.as_slice()).map_err(|error| self.decode_error(&error))
    }

    fn read(&self, decoded: &P::Message) -> Result<u64, DecodeError> {
        Ok(digest_of(decoded))
    }

    fn lift(&self, decoded: P::Message) -> Result<P::Domain, DecodeError> {
        decoded.lift().map_err(|error| self.decode_error(&error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_constants_are_the_container_around_a_message() {
        let time = Time { seconds: layout::SECONDS, microseconds: layout::MICROSECONDS };
        let container = Container { data_type: 1, data: Some(vec![7, 8]), sent: time, received: time };
        assert_eq!(container.encode_to_vec(), [&BEFORE[..], &[2, 7, 8], &END].concat());
    }
}
