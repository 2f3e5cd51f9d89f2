//! What is known about this codec without compiling it.

use wiredyno_contract::{Capability, DeclaredCodec, Objects};

/// Every codec of this crate, for the registry.
pub static CODECS: &[&DeclaredCodec] = &[&PROST_CONTAINER];

/// Declares `protobuf/prost:container`, which the type `ProstContainer` implements.
pub static PROST_CONTAINER: DeclaredCodec = DeclaredCodec::new("protobuf/prost:container", "wiredyno-codec-protobuf-container", "ProstContainer")
    .library("prost")
    .about("As protobuf/prost, inside the car middleware's container: data type, the message as bytes, sent and \
         received times (fixed values here), preceded by a magic number and a length; decode copies the message out of it \
         first.")
    .capabilities(&[
        Capability::SchemaDriven,
        Capability::ValidatesUtf8,
        Capability::ReusesBuffers,
        Capability::Canonical,
    ])
    .objects(Objects::Protobuf)
    .size_known();
