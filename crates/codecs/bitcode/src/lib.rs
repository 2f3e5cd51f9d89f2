//! bitcode 0.6, for reference: columns of all values of a field, packed as narrowly as they allow. The format is not
//! specified and changes between minor versions of the library.
//!
//! Used through serde, with the same objects as the other serde codecs: the library's own derive macros are faster for
//! large arrays of structs, but were left out because of their compile time. Members of a oneof are optional fields.
//!
//! The library checks that lengths fit the input before it allocates, and has no limit for nesting: definitions that
//! contain themselves are stopped at 128 levels by `serde_objects::nested`, and lists of messages without fields, whose
//! elements take no bytes, at 65,536 elements.

pub mod declared;

use wiredyno_contract::DeclaredCodec;

use wiredyno_codec::codec::Codec;
use wiredyno_codec::serde_codec;

/// Implements `bitcode/bitcode`, declared as [`declared::BITCODE`].
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
