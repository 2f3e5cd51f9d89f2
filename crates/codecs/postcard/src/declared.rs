//! What is known about this codec without compiling it.

use wiredyno_contract::{Capability, DeclaredCodec, Objects, SerdeStyle};

/// Every codec of this crate, for the registry.
pub static CODECS: &[&DeclaredCodec] = &[&POSTCARD];

/// Declares `postcard/postcard`, which the type `Postcard` implements.
pub static POSTCARD: DeclaredCodec = DeclaredCodec::new("postcard/postcard", "wiredyno-codec-postcard", "Postcard")
    .library("postcard")
    .about("Plain postcard without framing. Build clones into serde structs; encode writes through serde; decode validates \
         UTF-8 and allocates every string; read walks structs.")
    .capabilities(&[
        Capability::SchemaDriven,
        Capability::ValidatesUtf8,
        Capability::ReusesBuffers,
        Capability::Canonical,
    ])
    .objects(Objects::Serde(SerdeStyle::Complete))
    .size_known();
