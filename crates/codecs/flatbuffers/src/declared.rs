//! What is known about this codec without compiling it.

use wiredyno_contract::{Capability, DeclaredCodec, Objects};

/// Every codec of this crate, for the registry.
pub static CODECS: &[&DeclaredCodec] = &[&PLANUS];

/// Declares `flatbuffers/planus`, which the type `Planus` implements.
pub static PLANUS: DeclaredCodec = DeclaredCodec::new("flatbuffers/planus", "wiredyno-codec-flatbuffers", "Planus")
    .library("planus")
    .about("Tables, optional scalars as null, no file identifier. Build clones into planus' owned tables; encode fills a \
         builder and copies out; decode finds the root without verifying; read walks the buffer, checking bounds and \
         UTF-8 at each access.")
    .capabilities(&[
        Capability::ZeroCopy,
        Capability::SchemaDriven,
        Capability::ValidatesUtf8,
        Capability::ReusesBuffers,
        Capability::Canonical,
    ])
    .objects(Objects::FlatBuffers)
    .size_known();
