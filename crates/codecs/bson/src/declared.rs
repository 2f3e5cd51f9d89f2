//! What is known about this codec without compiling it.

use wiredyno_contract::{Capability, DeclaredCodec, Objects, SerdeStyle};

/// Every codec of this crate, for the registry.
pub static CODECS: &[&DeclaredCodec] = &[&BSON];

/// Declares `bson/bson`, which the type `Bson` implements.
pub static BSON: DeclaredCodec = DeclaredCodec::new("bson/bson", "wiredyno-codec-bson", "Bson")
    .library("bson")
    .about("Documents with field names, absent fields left out. Build clones into serde structs; encode writes; decode \
         goes through the library's deserializer, validates UTF-8 and types and allocates every string; read walks structs.")
    .capabilities(&[
        Capability::SelfDescribing,
        Capability::ValidatesUtf8,
        Capability::ReusesBuffers,
        Capability::Canonical,
    ])
    .objects(Objects::Serde(SerdeStyle::Signed))
    .size_known();
