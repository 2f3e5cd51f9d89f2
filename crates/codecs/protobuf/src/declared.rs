//! What is known about this codec without compiling it.

use wiredyno_contract::{Capability, DeclaredCodec, Objects};

/// Every codec of this crate, for the registry.
pub static CODECS: &[&DeclaredCodec] = &[&PROST, &CONFLUENT];

/// The fairness labels that all codecs here have.
const CAPABILITIES: &[Capability] =
    &[Capability::SchemaDriven, Capability::ValidatesUtf8, Capability::ReusesBuffers, Capability::Canonical];

/// Declares `protobuf/prost`, which the type `Prost` implements.
pub static PROST: DeclaredCodec = DeclaredCodec::new("protobuf/prost", "wiredyno-codec-protobuf", "Prost")
    .library("prost")
    .about("Proto3 wire format. Build clones into prost messages; encode computes the length, then writes; decode \
         validates UTF-8 and allocates every string; read walks structs.")
    .capabilities(CAPABILITIES)
    .objects(Objects::Protobuf)
    .size_known();

/// Declares `protobuf/prost:confluent`, which the type `Confluent` implements.
pub static CONFLUENT: DeclaredCodec = DeclaredCodec::new("protobuf/prost:confluent", "wiredyno-codec-protobuf", "Confluent")
    .library("prost")
    .about("As protobuf/prost, behind the framing of Confluent's schema registry: encode writes a zero, the schema's id and the message's place in its \
         file, decode looks the id up among known schemas. No registry is asked.")
    .capabilities(CAPABILITIES)
    .objects(Objects::Protobuf)
    .size_known();
