//! JSON (RFC 8259) as people write it, with serde_json.
//!
//! Compact, field names as in message.proto, numbers as numbers (64-bit ones too), enums as their names,
//! bytes as base64 text, map keys as text, absent optional fields left out, all others written.
//! NaN and infinities have no JSON form: serde_json writes null, which the round trip then refuses.

pub mod declared;

use wiredyno_contract::DeclaredCodec;

use wiredyno_codec::codec::Codec;
use wiredyno_codec::serde_codec;

/// `json/serde-json`.
#[derive(Debug, Default)]
pub struct SerdeJson;

impl Codec for SerdeJson {
    fn declared(&self) -> &'static DeclaredCodec {
        &declared::SERDE_JSON
    }
}

serde_codec!(
    SerdeJson,
    write: |object, out: &mut Vec<u8>| serde_json::to_writer(out, object),
    read: serde_json::from_slice,
    fresh: serde_json::to_vec
);
