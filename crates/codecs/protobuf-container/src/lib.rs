//! The car-middleware study's header around Protobuf: a container with type and times, as the middleware sent it.
//!
//! Layout: two bytes of magic, u32 length of what follows (little-endian), then the container as a Protobuf message: 1 data type
//! (uint32), 2 the message (bytes), 3 and 4 times of sending and receipt ({1 seconds, 2 microseconds}, int32). The study
//! (V. Borosean, S. Eidukas, A. Dang, University of Gothenburg, 2015) prints the fields and their widths, but neither the magic's
//! value nor the container's field numbers: those are ours. It also draws keys of 32 bits; real ones are varints, as here.
//!
//! The variant `container-alone` has the same bytes, around a message that is bytes already: see [`wiredyno_codec::container`].

pub mod declared;
pub mod layout;

use prost::Message as _;
use wiredyno_contract::DeclaredCodec;

use layout::{BEFORE, END, MAGIC};
use wiredyno_codec::codec::{Codec, CodecFor, DecodeError, EncodeError, Reason};
use wiredyno_codec::container::{self, Opened};
use wiredyno_codec::convert::{Lift, Lower};
use wiredyno_codec::payload::PayloadTypes;
use wiredyno_codec::touch::digest_of;

/// Implements `protobuf/prost:container`, declared as [`declared::PROST_CONTAINER`].
#[derive(Debug, Default)]
pub struct ProstContainer;

/// Implements `protobuf/prost:container-alone`, declared as [`declared::PROST_CONTAINER_ALONE`].
#[derive(Debug, Default)]
pub struct ProstContainerAlone;

/// Magic and length, before the container.
const HEADER_BYTES: usize = 6;

/// A time of the container.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct Time {
    /// Seconds since 1970.
    #[prost(int32, tag = "1")]
    pub seconds: i32,
    /// Microseconds within the second.
    #[prost(int32, tag = "2")]
    pub microseconds: i32,
}

/// The container as a message; readers take any order of fields, and skip unknown ones.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Container {
    /// What kind of message it holds.
    #[prost(uint32, tag = "1")]
    pub data_type: u32,
    /// The message.
    #[prost(bytes = "vec", optional, tag = "2")]
    pub data: Option<Vec<u8>>,
    /// When it was sent.
    #[prost(message, required, tag = "3")]
    pub sent: Time,
    /// When it was received.
    #[prost(message, required, tag = "4")]
    pub received: Time,
}

impl Container {
    /// Around a message, with the data type and times of all.
    fn around(message: Vec<u8>) -> Container {
        let container::Time { seconds, microseconds } = container::TIME;
        let time = Time { seconds, microseconds };
        Container { data_type: container::DATA_TYPE, data: Some(message), sent: time, received: time }
    }
}

impl Codec for ProstContainer {
    fn declared(&self) -> &'static DeclaredCodec {
        &declared::PROST_CONTAINER
    }
}

impl Codec for ProstContainerAlone {
    fn declared(&self) -> &'static DeclaredCodec {
        &declared::PROST_CONTAINER_ALONE
    }
}

/// Appends the header of a container of so many bytes, and makes room for it.
#[inline(always)]
fn header(codec: &impl Codec, container: usize, out: &mut Vec<u8>) -> Result<(), EncodeError> {
    let Ok(counted) = u32::try_from(container) else {
        return Err(codec.encode_error(&format_args!("a container of {container} bytes is too long")));
    };
    out.reserve(HEADER_BYTES + container);
    out.extend_from_slice(&MAGIC);
    out.extend_from_slice(&counted.to_le_bytes());
    Ok(())
}

/// Reads header and container; the message stays bytes.
#[inline(always)]
fn open(codec: &impl Codec, bytes: &[u8]) -> Result<Opened<Vec<u8>>, DecodeError> {
    let Some((header, container)) = bytes.split_first_chunk::<HEADER_BYTES>() else {
        return Err(codec.decode_error(&"the header is incomplete"));
    };
    let [first, second, length @ ..] = *header;
    if [first, second] != MAGIC || u32::from_le_bytes(length) as usize != container.len() {
        return Err(codec.decode_error(&"the magic number or the length is wrong"));
    }
    let container = Container::decode(container).map_err(|error| codec.decode_error(&error))?;
    let Some(message) = container.data else {
        return Err(codec.decode_error(&"the container holds no message"));
    };
    let time = |time: Time| container::Time { seconds: time.seconds, microseconds: time.microseconds };
    let (sent, received) = (time(container.sent), time(container.received));
    Ok(Opened { data_type: container.data_type, message, sent, received })
}

impl<P: PayloadTypes<Message: Send>> CodecFor<P> for ProstContainerAlone {
    type State = ();
    /// It holds the bytes of the message.
    type Object = Container;
    type Decoded<'a> = Opened<Vec<u8>>;

    fn state(&self) -> Result<(), Reason> {
        Ok(())
    }

    fn build(&self, (): &(), value: &P::Domain) -> Container {
        let object: P::Message = value.lower();
        Container::around(object.encode_to_vec())
    }

    fn encode(&self, (): &mut (), object: &Container, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        header(self, object.encoded_len(), out)?;
        object.encode(out).map_err(|error| self.encode_error(&error))
    }

    fn decode(&self, (): &(), bytes: &[u8]) -> Result<Opened<Vec<u8>>, DecodeError> {
        open(self, bytes)
    }

    fn read(&self, decoded: &Opened<Vec<u8>>) -> Result<u64, DecodeError> {
        let message = decoded.message().map_err(|fault| self.decode_error(&fault))?;
        let object = P::Message::decode(message).map_err(|error| self.decode_error(&error))?;
        Ok(digest_of(&object))
    }

    fn lift(&self, decoded: Opened<Vec<u8>>) -> Result<P::Domain, DecodeError> {
        let message = decoded.message().map_err(|fault| self.decode_error(&fault))?;
        let object = P::Message::decode(message).map_err(|error| self.decode_error(&error))?;
        object.lift().map_err(|error| self.decode_error(&error))
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
        header(self, BEFORE.len() + prost::length_delimiter_len(length) + length + end.len(), out)?;
        out.extend_from_slice(&BEFORE);
        object.encode_length_delimited(out).map_err(|error| self.encode_error(&error))?;
        out.extend_from_slice(end);
        Ok(())
    }

    fn decode(&self, _: &Vec<u8>, bytes: &[u8]) -> Result<P::Message, DecodeError> {
        let opened = open(self, bytes)?;
        let message = opened.message().map_err(|fault| self.decode_error(&fault))?;
        P::Message::decode(message).map_err(|error| self.decode_error(&error))
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
        let container = Container::around(vec![7, 8]);
        assert_eq!(container.encode_to_vec(), [&BEFORE[..], &[2, 7, 8], &END].concat());
    }
}
