//! What is known about this codec without compiling it.

use wiredyno_contract::{Capability, DeclaredCodec, Objects, SerdeStyle};

/// Every codec of this crate, for the registry.
pub static CODECS: &[&DeclaredCodec] = &[&SERDE_JSON, &PROTO3, &CONFLUENT];

/// The fairness labels that all codecs here have.
const CAPABILITIES: &[Capability] = &[
    Capability::SelfDescribing,
    Capability::ValidatesUtf8,
    Capability::ReusesBuffers,
    Capability::Canonical,
    Capability::HumanReadable,
    Capability::BytesAsBase64,
];

/// Declares `json/serde-json`, which the type `SerdeJson` implements.
pub static SERDE_JSON: DeclaredCodec = DeclaredCodec::new("json/serde-json", "wiredyno-codec-json", "SerdeJson")
    .library("serde_json")
    .about("Compact JSON, numbers as numbers, bytes as base64. Build clones into serde structs; encode is \
         to_writer/to_vec; decode parses, validates UTF-8 and types, and allocates every string; read walks structs.")
    .capabilities(CAPABILITIES)
    .objects(Objects::Serde(SerdeStyle::Omitting))
    .size_known();

/// Declares `json/serde-json:proto3`, which the type `Proto3` implements.
pub static PROTO3: DeclaredCodec = DeclaredCodec::new("json/serde-json:proto3", "wiredyno-codec-json", "Proto3")
    .library("serde_json")
    .about("Compact JSON with the numbers of proto3's JSON mapping: 64-bit integers, NaN and infinities as texts; bytes as base64. Build \
         clones into serde structs; encode is to_writer/to_vec; decode parses, validates UTF-8 and types, and allocates every string; \
         read walks structs.")
    .capabilities(CAPABILITIES)
    .objects(Objects::Serde(SerdeStyle::Proto3))
    .size_known();

/// Declares `json/serde-json:confluent`, which the type `Confluent` implements.
pub static CONFLUENT: DeclaredCodec = DeclaredCodec::new("json/serde-json:confluent", "wiredyno-codec-json", "Confluent")
    .library("serde_json")
    .about("As json/serde-json, behind the five bytes of Confluent's schema registry: encode writes a zero and the schema's id, decode looks the id \
         up among known schemas. No registry is asked, and JSON is not validated against the schema.")
    .capabilities(CAPABILITIES)
    .objects(Objects::Serde(SerdeStyle::Omitting))
    .size_known();
