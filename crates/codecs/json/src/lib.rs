//! JSON (RFC 8259) as people write it, with serde_json.
//!
//! Compact, field names as in message.proto, numbers as numbers (64-bit ones too), enums as their names, bytes as base64 text, map keys as
//! text, absent optional fields left out, all others written. NaN and infinities have no JSON form: serde_json writes null, which the round
//! trip then refuses. Well-known types are as in proto3's JSON mapping.
//!
//! The variant `proto3` has that mapping's numbers too: 64-bit integers as text, NaN and infinities as `NaN`, `Infinity` and `-Infinity`.
//! It keeps the names of message.proto and writes fields that have their default, as Google's printers do on request (in Python
//! `preserving_proto_field_name` and `always_print_fields_with_no_presence`).
//!
//! The variant `confluent` has the framing of a schema registry before it ([`wiredyno_codec::confluent`]).

pub mod declared;

use wiredyno_contract::DeclaredCodec;

use wiredyno_codec::codec::Codec;
use wiredyno_codec::confluent::Framing;
use wiredyno_codec::{confluent_codec, serde_codec};

/// Implements `json/serde-json`, declared as [`declared::SERDE_JSON`].
#[derive(Debug, Default)]
pub struct SerdeJson;

/// Implements `json/serde-json:proto3`, declared as [`declared::PROTO3`].
#[derive(Debug, Default)]
pub struct Proto3;

/// Implements `json/serde-json:confluent`, declared as [`declared::CONFLUENT`].
#[derive(Debug, Default)]
pub struct Confluent;

impl Codec for Confluent {
    fn declared(&self) -> &'static DeclaredCodec {
        &declared::CONFLUENT
    }
}

impl Codec for Proto3 {
    fn declared(&self) -> &'static DeclaredCodec {
        &declared::PROTO3
    }
}

impl Codec for SerdeJson {
    fn declared(&self) -> &'static DeclaredCodec {
        &declared::SERDE_JSON
    }
}

serde_codec!(
    Proto3,
    write: |object, out: &mut Vec<u8>| serde_json::to_writer(out, object),
    read: serde_json::from_slice,
    fresh: serde_json::to_vec
);
serde_codec!(
    SerdeJson,
    write: |object, out: &mut Vec<u8>| serde_json::to_writer(out, object),
    read: serde_json::from_slice,
    fresh: serde_json::to_vec
);
confluent_codec!(Confluent, SerdeJson, |_| Framing::new());
