//! Messages as samples: `struct Body { sequence<octet> bytes; };` in plain CDR, that is the length as u32, aligned to four bytes, and
//! the bytes (CORBA 3.3, part 2, section 9.3.2.5).

use std::convert::Infallible;

use rustdds::RepresentationIdentifier;
use rustdds::bytes::{BufMut, Bytes, BytesMut};
use rustdds::no_key::{Decode, DefaultDecoder, DeserializerAdapter, SerializerAdapter};

const LENGTH_BYTES: usize = 4;

/// A submessage begins at a multiple of this many bytes (RTPS 2.5, section 9.4.1). The library ensures that after whole samples, but not
/// after their last fragment, and Cyclone DDS then rejects the following heartbeat as malformed.
const ALIGNMENT: usize = 4;

/// A serialized sample, without its encapsulation.
pub struct Sample(Bytes);

impl Sample {
    pub fn of(body: &[u8]) -> Self {
        let bytes = LENGTH_BYTES + body.len();
        let padded = bytes.next_multiple_of(ALIGNMENT);
        let mut sample = BytesMut::with_capacity(padded);
        sample.put_u32_le(body.len() as u32);
        sample.put_slice(body);
        sample.put_bytes(0, padded - bytes);
        Sample(sample.freeze())
    }
}

/// Serializes and deserializes samples for the library.
pub struct Octets;

impl SerializerAdapter<Sample> for Octets {
    type Error = Infallible;

    fn output_encoding() -> RepresentationIdentifier {
        RepresentationIdentifier::CDR_LE
    }

    fn to_bytes(sample: &Sample) -> Result<Bytes, Infallible> {
        Ok(sample.0.clone())
    }
}

impl DeserializerAdapter<Vec<u8>> for Octets {
    type Error = Infallible;
    type Decoded = Vec<u8>;

    fn supported_encodings() -> &'static [RepresentationIdentifier] {
        &[RepresentationIdentifier::CDR_LE, RepresentationIdentifier::CDR_BE]
    }

    fn transform_decoded(decoded: Vec<u8>) -> Vec<u8> {
        decoded
    }
}

impl DefaultDecoder<Vec<u8>> for Octets {
    type Decoder = Reader;
    const DECODER: Reader = Reader;
}

/// Extracts the body of a sample.
#[derive(Clone)]
pub struct Reader;

impl Decode<'_, Vec<u8>> for Reader {
    type Error = Infallible;

    /// Other samples are handed over unchanged: they match no message, and are counted as such.
    fn decode_bytes(self, sample: &[u8], encoding: RepresentationIdentifier) -> Result<Vec<u8>, Infallible> {
        let body = sample.split_first_chunk::<LENGTH_BYTES>().and_then(|(length, rest)| {
            let length = match encoding == RepresentationIdentifier::CDR_BE {
                true => u32::from_be_bytes(*length),
                false => u32::from_le_bytes(*length),
            };
            // It may be followed by padding.
            rest.get(..length as usize)
        });
        Ok(body.unwrap_or(sample).to_vec())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(sample: &[u8], encoding: RepresentationIdentifier) -> Vec<u8> {
        Octets::from_bytes(sample, encoding).unwrap()
    }

    #[test]
    fn a_sample_is_a_length_and_the_bytes() {
        let written = Octets::to_bytes(&Sample::of(b"abc")).unwrap();
        assert_eq!(&written[..], b"\x03\0\0\0abc\0");
        assert_eq!(read(b"\x03\0\0\0abc\0", RepresentationIdentifier::CDR_LE), b"abc");
        assert_eq!(read(b"\0\0\0\x02ab", RepresentationIdentifier::CDR_BE), b"ab");
        assert_eq!(read(b"\0\0\0\0", RepresentationIdentifier::CDR_LE), b"");
    }

    #[test]
    fn what_is_no_sample_stays_as_it_is() {
        for strange in [&b""[..], b"abc", b"\xff\xff\xff\xffabc", b"\x04\0\0\0abc"] {
            assert_eq!(read(strange, RepresentationIdentifier::CDR_LE), strange);
        }
    }
}
