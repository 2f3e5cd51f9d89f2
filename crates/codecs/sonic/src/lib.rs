//! JSON with sonic-rs, which scans text with SIMD instructions (SSE2, AVX2 or NEON, chosen when it is compiled).
//!
//! The same JSON as `json/serde-json` writes: compact, numbers as numbers, bytes as base64 text. Numbers are printed
//! with the fewest digits that read back equal; where both libraries have several spellings for that (the exponent
//! of very large and very small ones), theirs may differ.
//!
//! The library refuses nesting deeper than 255 and trailing text, and validates UTF-8 before it parses.

pub mod declared;

use wiredyno_contract::DeclaredCodec;

use wiredyno_codec::codec::Codec;
use wiredyno_codec::serde_codec;

/// Implements `json/sonic-rs`, declared as [`declared::SONIC`].
#[derive(Debug, Default)]
pub struct Sonic;

impl Codec for Sonic {
    fn declared(&self) -> &'static DeclaredCodec {
        &declared::SONIC
    }
}

serde_codec!(
    Sonic,
    write: |object, out: &mut Vec<u8>| sonic_rs::to_writer(out, object),
    read: sonic_rs::from_slice,
    fresh: sonic_rs::to_vec
);
