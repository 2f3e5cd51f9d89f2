//! JSON with sonic-rs, which scans text with SIMD instructions (SSE2, AVX2 or NEON, chosen when it is compiled).
//!
//! The same JSON as `json/serde-json` writes: compact, numbers as numbers, bytes as base64 text. Numbers are printed
//! with the fewest digits that read back equal; where both libraries have several spellings for that (the exponent
//! of very large and very small ones), theirs may differ.
//!
//! The library refuses nesting deeper than 255 and trailing text, and validates UTF-8 before it parses.

use wiredyno_model::Capability;

use crate::codec::Codec;
use crate::named::{Types, serde_codec};

/// `json/sonic-rs`.
#[derive(Debug, Default)]
pub struct Sonic;

impl Codec for Sonic {
    fn id(&self) -> &'static str {
        "json/sonic-rs"
    }

    fn library(&self) -> (&'static str, &'static str) {
        ("sonic-rs", env!("WIREDYNO_VERSION_SONIC_RS"))
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
    Sonic, Types, Omitting,
    write: |object, out: &mut Vec<u8>| sonic_rs::to_writer(out, object),
    read: sonic_rs::from_slice,
    fresh: sonic_rs::to_vec
);
