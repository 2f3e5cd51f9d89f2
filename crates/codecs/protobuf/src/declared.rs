//! What is known about this codec without compiling it.

use wiredyno_contract::{Capability, DeclaredCodec, Objects};

/// Every codec of this crate, for the registry.
pub static CODECS: &[&DeclaredCodec] = &[&PROST];

/// Declares `protobuf/prost`, which the type `Prost` implements.
pub static PROST: DeclaredCodec = DeclaredCodec::new("protobuf/prost", "wiredyno-codec-protobuf", "Prost")
    .library("prost")
    .about("Proto3 wire format. Build clones into prost messages; encode computes the length, then writes; decode \
         validates UTF-8 and allocates every string; read walks structs.")
    .capabilities(&[
        Capability::SchemaDriven,
        Capability::ValidatesUtf8,
        Capability::ReusesBuffers,
        Capability::Canonical,
    ])
    .objects(Objects::Protobuf)
    .size_known();
