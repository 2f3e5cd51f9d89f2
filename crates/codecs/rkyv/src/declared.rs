//! What is known about this codec without compiling it.

use wiredyno_contract::{Capability, DeclaredCodec, Objects};

/// Every codec of this crate, for the registry.
pub static CODECS: &[&DeclaredCodec] = &[&RKYV];

/// Declares `rkyv/rkyv`, which the type `Rkyv` implements.
pub static RKYV: DeclaredCodec = DeclaredCodec::new("rkyv/rkyv", "wiredyno-codec-rkyv", "Rkyv")
    .library("rkyv")
    .about("Little-endian, 32-bit pointers, unaligned. Build clones the value; encode writes its archive into the output; \
         decode validates the archive and copies nothing; read walks it where it lies.")
    .capabilities(&[
        Capability::ZeroCopy,
        Capability::SchemaDriven,
        Capability::ValidatesUtf8,
        Capability::ReusesBuffers,
        Capability::Canonical,
    ])
    .objects(Objects::Rkyv)
    .size_known();
