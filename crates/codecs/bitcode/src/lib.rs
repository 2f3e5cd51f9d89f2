//! bitcode 0.6, for reference: columns of all values of a field, packed as narrow as they allow. The format is not
//! specified and changes between minor versions of the library.
//!
//! Used through serde, over the objects that the other serde codecs use: the library's own derive macros are faster
//! for large arrays of structs and were left out for what they cost to compile. Members of a oneof are optional fields.
//!
//! The library checks that lengths fit the input before it allocates, and knows no limit for nesting: definitions
//! that contain themselves are stopped at 128 levels by `named::nested`, and lists of messages without fields, whose
//! elements take no bytes, at 65,536 elements.

pub mod declared;

use wiredyno_contract::DeclaredCodec;

use wiredyno_codec::codec::Codec;
use wiredyno_codec::serde_codec;

/// `bitcode/bitcode`.
#[derive(Debug, Default)]
pub struct Bitcode;

impl Codec for Bitcode {
    fn declared(&self) -> &'static DeclaredCodec {
        &declared::BITCODE
    }
}

serde_codec!(
    Bitcode,
    write: |object, out: &mut Vec<u8>| bitcode::serialize(object).map(|bytes| out.extend_from_slice(&bytes)),
    read: bitcode::deserialize,
    fresh: bitcode::serialize
);
