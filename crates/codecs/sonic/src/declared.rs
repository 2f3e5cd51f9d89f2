//! What is known about this codec without compiling it.

use wiredyno_contract::{Capability, DeclaredCodec, Objects, SerdeStyle};

/// Every codec of this crate, for the registry.
pub static CODECS: &[&DeclaredCodec] = &[&SONIC];

/// Declares `json/sonic-rs`, which the type `Sonic` implements.
pub static SONIC: DeclaredCodec = DeclaredCodec::new("json/sonic-rs", "wiredyno-codec-sonic", "Sonic")
    .library("sonic-rs")
    .about("Compact JSON, numbers as numbers, bytes as base64. Build clones into serde structs; encode is \
         to_writer/to_vec; decode parses, validates UTF-8 and types, and allocates every string; read walks structs.")
    .capabilities(&[
        Capability::SelfDescribing,
        Capability::ValidatesUtf8,
        Capability::ReusesBuffers,
        Capability::Canonical,
        Capability::HumanReadable,
        Capability::BytesAsBase64,
    ])
    .objects(Objects::Serde(SerdeStyle::Omitting))
    .size_known();
