//! What is known about this codec without compiling it.

use wiredyno_contract::{Capability, DeclaredCodec};

/// Every codec of this crate, for the registry.
pub static CODECS: &[&DeclaredCodec] = &[&UPER];

/// Declares `asn1-uper/wiredyno`, which the type `Uper` implements.
pub static UPER: DeclaredCodec = DeclaredCodec::new("asn1-uper/wiredyno", "wiredyno-codec-asn1-uper", "Uper")
    .about("Unaligned PER of the generated ASN.1 module, canonical. Build clones the value; encode checks ranges and \
         writes; decode checks ranges, UTF-8 and padding and allocates every string; read walks structs.")
    .capabilities(&[
        Capability::SchemaDriven,
        Capability::ValidatesUtf8,
        Capability::ReusesBuffers,
        Capability::Canonical,
    ])
    .size_known();
