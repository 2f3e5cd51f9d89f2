//! JSON (RFC 8259) as people write it, with serde_json.
//!
//! Compact, field names as in message.proto, numbers as numbers (64-bit ones too), enums as their names,
//! bytes as base64 text, map keys as text, absent optional fields left out, all others written.
//! NaN and infinities have no JSON form: serde_json writes null, which the round trip then refuses.

use wiredyno_model::Capability;

use crate::codec::Codec;
use crate::named::{Types, serde_codec};

/// `json/serde-json`.
#[derive(Debug, Default)]
pub struct SerdeJson;

impl Codec for SerdeJson {
    fn id(&self) -> &'static str {
        "json/serde-json"
    }

    fn library(&self) -> (&'static str, &'static str) {
        ("serde_json", env!("WIREDYNO_VERSION_SERDE_JSON"))
    }

    fn about(&self) -> &'static str {
        "Compact JSON, numbers as numbers, bytes as base64. Build clones into serde structs; encode is \
         to_writer/to_vec; decode parses, validates UTF-8 and types, and allocates every string; read walks structs."
    }

    fn capabilities(&self) -> &'static [Capability] {
        &[
            Capability::SelfDescribing,
            Capability::HumanReadable,
            Capability::BytesAsBase64,
            Capability::ValidatesUtf8,
            Capability::ReusesBuffers,
            Capability::Canonical,
        ]
    }
}

serde_codec!(
    SerdeJson, Types, Omitting,
    write: |object, out: &mut Vec<u8>| serde_json::to_writer(out, object),
    read: serde_json::from_slice,
    fresh: serde_json::to_vec
);
