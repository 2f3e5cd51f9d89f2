//! What is known about this codec without compiling it.

use wiredyno_contract::{Capability, DeclaredCodec};

/// Every codec of this crate, for the registry.
pub static CODECS: &[&DeclaredCodec] = &[&STATIC];

/// Declares `avro/wiredyno`, which the type `Static` implements.
pub static STATIC: DeclaredCodec = DeclaredCodec::new("avro/wiredyno", "wiredyno-codec-avro-static", "Static")
    .about("Plain datum, the schema known at compile time. Build clones the value; encode writes; decode checks lengths \
         and UTF-8 and allocates every string; read walks structs.")
    .capabilities(&[
        Capability::SchemaDriven,
        Capability::ValidatesUtf8,
        Capability::ReusesBuffers,
        Capability::Canonical,
    ])
    .size_known();
