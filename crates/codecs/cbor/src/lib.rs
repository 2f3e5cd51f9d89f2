//! CBOR (RFC 8949) with ciborium.
//!
//! Maps with field names, absent fields left out, enums as their names, bytes as byte strings. ciborium
//! shortens floats where that loses nothing, as RFC 8949's preferred serialization does.

pub mod declared;

use wiredyno_contract::DeclaredCodec;

use wiredyno_codec::codec::Codec;
use wiredyno_codec::serde_codec;

/// Deeper nesting of the input is refused; each level costs stack.
const MAX_DEPTH: usize = 128;

/// Implements `cbor/ciborium`, declared as [`declared::CIBORIUM`].
#[derive(Debug, Default)]
pub struct Ciborium;

impl Codec for Ciborium {
    fn declared(&self) -> &'static DeclaredCodec {
        &declared::CIBORIUM
    }
}

serde_codec!(
    Ciborium,
    write: |object, out: &mut Vec<u8>| ciborium::into_writer(object, out),
    read: |bytes| ciborium::de::from_reader_with_recursion_limit(bytes, MAX_DEPTH)
);
