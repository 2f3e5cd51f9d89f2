//! What is known of this codec without compiling it.

use wiredyno_contract::{Capability, DeclaredCodec, OWN_LIBRARY, Objects};

/// Every codec of this crate.
pub static CODECS: &[&DeclaredCodec] = &[&UPER];

/// `asn1-uper/wiredyno`.
pub static UPER: DeclaredCodec = DeclaredCodec {
    id: "asn1-uper/wiredyno",
    package: "wiredyno-codec-asn1-uper",
    type_name: "Uper",
    library: OWN_LIBRARY,
    about: "Unaligned PER of the generated ASN.1 module, canonical. Build clones the value; encode checks ranges and \
         writes; decode checks ranges, UTF-8 and padding and allocates every string; read walks structs.",
    capabilities: &[
        Capability::SchemaDriven,
        Capability::ValidatesUtf8,
        Capability::ReusesBuffers,
        Capability::Canonical,
    ],
    objects: Objects::None,
    size_known: true,
};
