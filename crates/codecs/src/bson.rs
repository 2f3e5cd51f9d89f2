//! BSON 1.1 (bsonspec.org) with MongoDB's library.
//!
//! A document with the field names of message.proto, absent optional fields left out, enums as their names, bytes
//! as binary of the generic subtype. BSON has no unsigned integers, no single-precision floats, and only text keys:
//! unsigned 32-bit integers are int64, unsigned 64-bit ones int64 with their bits kept, floats double, and map keys
//! their text in decimal digits.
//!
//! The library checks every length against the document that it stands in, and knows no limit for nesting: decoding
//! recurses as deep as the message definition does, and definitions that contain themselves are stopped at
//! 128 levels by `named::nested`.

use wiredyno_model::Capability;

use crate::codec::Codec;
use crate::named::{Types, serde_codec};

/// `bson/bson`.
#[derive(Debug, Default)]
pub struct Bson;

impl Codec for Bson {
    fn id(&self) -> &'static str {
        "bson/bson"
    }

    fn library(&self) -> (&'static str, &'static str) {
        ("bson", env!("WIREDYNO_VERSION_BSON"))
    }

    fn about(&self) -> &'static str {
        "Documents with field names, absent fields left out. Build clones into serde structs; encode writes; decode \
         validates UTF-8 and types and allocates every string; read walks structs."
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
    Bson, Types, Signed,
    write: |object, out: &mut Vec<u8>| bson::serialize_to_buffer(object, out),
    read: bson::deserialize_from_slice
);
