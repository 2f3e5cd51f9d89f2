//! What is known about these codecs without compiling them.

use wiredyno_contract::{Capability, DeclaredCodec};

/// Every codec of this crate, for the registry.
pub static CODECS: &[&DeclaredCodec] = &[&CDR, &BIG_ENDIAN_CDR];

const CAPABILITIES: &[Capability] =
    &[Capability::SchemaDriven, Capability::ValidatesUtf8, Capability::ReusesBuffers, Capability::Canonical];

/// Declares `cdr/wiredyno`, which the type `Cdr` implements.
pub static CDR: DeclaredCodec = DeclaredCodec::new("cdr/wiredyno", "wiredyno-codec-cdr", "Cdr")
    .about("XCDR1, little-endian, final types, preceded by four bytes of encapsulation. Build clones the value; encode \
         writes; decode accepts either byte order, checks lengths and UTF-8 and allocates every string; read walks \
         structs.")
    .capabilities(CAPABILITIES)
    .size_known();

/// Declares `cdr/wiredyno:big-endian`, which the type `BigEndianCdr` implements.
pub static BIG_ENDIAN_CDR: DeclaredCodec =
    DeclaredCodec::new("cdr/wiredyno:big-endian", "wiredyno-codec-cdr", "BigEndianCdr")
        .about("As cdr/wiredyno, with the most significant byte first.")
        .capabilities(CAPABILITIES)
        .size_known();
