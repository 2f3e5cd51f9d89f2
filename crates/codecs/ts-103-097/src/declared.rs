//! What is known about this codec without compiling it.

use wiredyno_contract::{Capability, DeclaredCodec};

/// Every codec of this crate, for the registry.
pub static CODECS: &[&DeclaredCodec] = &[&TS103097];

/// Declares `ts-103-097/wiredyno`, which the type `Ts103097` implements.
pub static TS103097: DeclaredCodec = DeclaredCodec::new("ts-103-097/wiredyno", "wiredyno-codec-ts-103-097", "Ts103097")
    .about("The rules of version 1.1.1; nothing is signed or checked cryptographically. Build clones the value; encode \
         writes and fills in lengths; decode checks lengths, types and UTF-8; read walks structs.")
    .capabilities(&[
        Capability::SchemaDriven,
        Capability::ValidatesUtf8,
        Capability::ReusesBuffers,
        Capability::Canonical,
    ])
    .size_known();
