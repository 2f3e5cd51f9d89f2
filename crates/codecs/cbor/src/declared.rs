//! What is known about this codec without compiling it.

use wiredyno_contract::{Capability, DeclaredCodec, Objects, SerdeStyle};

/// Every codec of this crate, for the registry.
pub static CODECS: &[&DeclaredCodec] = &[&CIBORIUM];

/// Declares `cbor/ciborium`, which the type `Ciborium` implements.
pub static CIBORIUM: DeclaredCodec = DeclaredCodec::new("cbor/ciborium", "wiredyno-codec-cbor", "Ciborium")
    .library("ciborium")
    .about("Maps with field names, absent fields left out, floats in the shortest exact width. Build clones into serde \
         structs; encode writes; decode validates UTF-8 and types and allocates every string; read walks structs.")
    .capabilities(&[
        Capability::SelfDescribing,
        Capability::ValidatesUtf8,
        Capability::ReusesBuffers,
        Capability::Canonical,
    ])
    .objects(Objects::Serde(SerdeStyle::Tagged))
    .size_known();
