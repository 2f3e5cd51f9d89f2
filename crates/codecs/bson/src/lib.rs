//! BSON 1.1 (bsonspec.org) with MongoDB's library.
//!
//! A document with the field names of message.proto, absent optional fields left out, enums as their names, bytes
//! as binary of the generic subtype. BSON has no unsigned integers, no single-precision floats, and only text keys:
//! unsigned 32-bit integers are int64, unsigned 64-bit ones int64 with their bits kept, floats double, and map keys
//! text in decimal digits.
//!
//! The library checks every length against the enclosing document, and has no limit for nesting: decoding recurses
//! as deep as the message definition does, and definitions that contain themselves are stopped at 128 levels by
//! `serde_objects::nested`.

pub mod declared;

use wiredyno_contract::DeclaredCodec;

use wiredyno_codec::codec::Codec;
use wiredyno_codec::serde_codec;

/// Implements `bson/bson`, declared as [`declared::BSON`].
#[derive(Debug, Default)]
pub struct Bson;

impl Codec for Bson {
    fn declared(&self) -> &'static DeclaredCodec {
        &declared::BSON
    }
}

serde_codec!(
    Bson,
    write: |object, out: &mut Vec<u8>| bson::serialize_to_buffer(object, out),
    read: bson::deserialize_from_slice,
    fresh: bson::serialize_to_vec
);
