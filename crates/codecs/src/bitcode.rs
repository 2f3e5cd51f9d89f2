//! bitcode 0.6, for reference: columns of all values of a field, packed as narrow as they allow. The format is not
//! specified and changes between minor versions of the library.
//!
//! Used through serde, over the objects that the other serde codecs use: the library's own derive macros are faster
//! for large arrays of structs and were left out for what they cost to compile. Members of a oneof are optional fields.
//!
//! The library checks that lengths fit the input before it allocates, and knows no limit for nesting: definitions
//! that contain themselves are stopped at 128 levels by `named::nested`, and lists of messages without fields, whose
//! elements take no bytes, at 65,536 elements.

use wiredyno_model::Capability;

use crate::codec::Codec;
use crate::named::{Types, serde_codec};

/// `bitcode/bitcode`.
#[derive(Debug, Default)]
pub struct Bitcode;

impl Codec for Bitcode {
    fn id(&self) -> &'static str {
        "bitcode/bitcode"
    }

    fn library(&self) -> (&'static str, &'static str) {
        ("bitcode", env!("WIREDYNO_VERSION_BITCODE"))
    }

    fn about(&self) -> &'static str {
        "Through serde. Build clones into serde structs; encode fills columns, packs and copies them out; decode \
         unpacks, validates UTF-8 and allocates every string; read walks structs."
    }

    fn capabilities(&self) -> &'static [Capability] {
        &[Capability::SchemaDriven, Capability::ValidatesUtf8, Capability::Canonical]
    }
}

serde_codec!(
    Bitcode, Types, Complete,
    write: |object, out: &mut Vec<u8>| bitcode::serialize(object).map(|bytes| out.extend_from_slice(&bytes)),
    read: bitcode::deserialize,
    fresh: bitcode::serialize
);
