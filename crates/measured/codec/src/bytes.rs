//! Bytes fields in serde codecs: base64 text in human-readable formats, native bytes in the others.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::de::{self, Deserialize, Deserializer, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};

/// The largest capacity that a length in the input may reserve.
const CAUTIOUS_CAPACITY_BYTES: usize = 4096;

/// The content of a bytes field: standard base64 with padding (RFC 4648, section 4) where the format is
/// human-readable, else a byte string.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Bytes(pub Vec<u8>);

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            serializer.serialize_str(&STANDARD.encode(&self.0))
        } else {
            serializer.serialize_bytes(&self.0)
        }
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Bytes, D::Error> {
        if deserializer.is_human_readable() {
            deserializer.deserialize_str(Base64)
        } else {
            deserializer.deserialize_byte_buf(Native)
        }
    }
}

/// The content of a bytes field in formats that are never text. Some libraries leave
/// serde's default, which claims that they are human-readable.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct NativeBytes(pub Vec<u8>);

impl Serialize for NativeBytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for NativeBytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<NativeBytes, D::Error> {
        deserializer.deserialize_byte_buf(Native).map(|bytes| NativeBytes(bytes.0))
    }
}

struct Base64;

impl Visitor<'_> for Base64 {
    type Value = Bytes;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("bytes as base64 text")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Bytes, E> {
        STANDARD.decode(text).map(Bytes).map_err(E::custom)
    }
}

struct Native;

impl<'de> Visitor<'de> for Native {
    type Value = Bytes;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a byte string")
    }

    fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<Bytes, E> {
        Ok(Bytes(bytes.to_vec()))
    }

    fn visit_byte_buf<E: de::Error>(self, bytes: Vec<u8>) -> Result<Bytes, E> {
        Ok(Bytes(bytes))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Bytes, A::Error> {
        let expected = elements.size_hint().unwrap_or(0).min(CAUTIOUS_CAPACITY_BYTES);
        let mut bytes = Vec::with_capacity(expected);
        while let Some(byte) = elements.next_element()? {
            bytes.push(byte);
        }
        Ok(Bytes(bytes))
    }
}
