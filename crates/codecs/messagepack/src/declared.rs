//! What is known about these codecs without compiling them.

use wiredyno_contract::{Capability, DeclaredCodec, Objects, SerdeStyle};

/// Every codec of this crate, for the registry.
pub static CODECS: &[&DeclaredCodec] = &[&NAMED, &POSITIONAL];

/// Declares `messagepack/rmp-serde`, which the type `Named` implements.
pub static NAMED: DeclaredCodec = DeclaredCodec::new(
    "messagepack/rmp-serde",
    "wiredyno-codec-messagepack",
    "Named",
)
.library("rmp-serde")
.about(
    "Maps with field names, absent fields left out. Build clones into serde structs; encode writes; decode \
         validates UTF-8 and types and allocates every string; read walks structs.",
)
.capabilities(&[
    Capability::SelfDescribing,
    Capability::ValidatesUtf8,
    Capability::ReusesBuffers,
    Capability::Canonical,
])
.objects(Objects::Serde(SerdeStyle::Extended))
.size_known();

/// Declares `messagepack/rmp-serde:positional`, which the type `Positional` implements.
pub static POSITIONAL: DeclaredCodec = DeclaredCodec::new("messagepack/rmp-serde:positional", "wiredyno-codec-messagepack", "Positional")
    .library("rmp-serde")
    .about("Arrays in field order, nil for absent fields. Build clones into serde structs; encode writes; decode validates \
         UTF-8 and types and allocates every string; read walks structs.")
    .capabilities(&[
        Capability::SchemaDriven,
        Capability::ValidatesUtf8,
        Capability::ReusesBuffers,
        Capability::Canonical,
    ])
    .objects(Objects::Serde(SerdeStyle::Complete))
    .size_known();
