//! CBOR (RFC 8949) with ciborium.
//!
//! Maps with field names, absent fields left out, enums as their names, bytes as byte strings. ciborium
//! shortens floats where that loses nothing, as RFC 8949's preferred serialization does.

use wiredyno_model::Capability;

use crate::codec::Codec;
use crate::named::{Types, serde_codec};

/// Nesting of the input is refused past this depth; each level costs stack.
const MAX_DEPTH: usize = 128;

/// `cbor/ciborium`.
#[derive(Debug, Default)]
pub struct Ciborium;

impl Codec for Ciborium {
    fn id(&self) -> &'static str {
        "cbor/ciborium"
    }

    fn library(&self) -> (&'static str, &'static str) {
        ("ciborium", env!("WIREDYNO_VERSION_CIBORIUM"))
    }

    fn about(&self) -> &'static str {
        "Maps with field names, absent fields left out, floats in the shortest exact width. Build clones into \
         serde structs; encode writes; decode validates UTF-8 and types and allocates every string; read walks structs."
    }

    fn capabilities(&self) -> &'static [Capability] {
        &[
            Capability::SelfDescribing,
            Capability::ValidatesUtf8,
            Capability::ReusesBuffers,
            Capability::Canonical,
        ]
    }
}

serde_codec!(
    Ciborium, Types, Omitting,
    write: |object, out: &mut Vec<u8>| ciborium::into_writer(object, out),
    read: |bytes| ciborium::de::from_reader_with_recursion_limit(bytes, MAX_DEPTH)
);
