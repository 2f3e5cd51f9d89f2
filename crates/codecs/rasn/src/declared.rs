//! What is known about these codecs without compiling them.

use wiredyno_contract::{Capability, DeclaredCodec};

/// Every codec of this crate, for the registry.
pub static CODECS: &[&DeclaredCodec] = &[&UPER, &APER, &OER, &COER, &DER];

/// Declares `asn1-uper/rasn`, which the type `Uper` implements.
pub static UPER: DeclaredCodec = DeclaredCodec::new("asn1-uper/rasn", "wiredyno-codec-rasn", "Uper")
    .library("rasn")
    .about("Unaligned PER of the generated ASN.1 module, canonical. Build clones the value; encode checks ranges and \
         writes; decode checks ranges and UTF-8 and allocates every string; read walks structs.")
    .capabilities(&[
        Capability::SchemaDriven,
        Capability::ValidatesUtf8,
        Capability::ReusesBuffers,
        Capability::Canonical,
    ])
    .size_known();

/// Declares `asn1-aper/rasn`, which the type `Aper` implements.
pub static APER: DeclaredCodec = DeclaredCodec::new("asn1-aper/rasn", "wiredyno-codec-rasn", "Aper")
    .library("rasn")
    .about("Aligned PER of the generated ASN.1 module, canonical. Build clones the value; encode checks ranges and writes; \
         decode checks ranges and UTF-8 and allocates every string; read walks structs.")
    .capabilities(&[
        Capability::SchemaDriven,
        Capability::ValidatesUtf8,
        Capability::ReusesBuffers,
        Capability::Canonical,
    ])
    .size_known();

/// Declares `asn1-oer/rasn`, which the type `Oer` implements.
pub static OER: DeclaredCodec = DeclaredCodec::new("asn1-oer/rasn", "wiredyno-codec-rasn", "Oer")
    .library("rasn")
    .about("Basic OER of the generated ASN.1 module. Build clones the value; encode checks ranges and writes; decode \
         checks ranges and UTF-8 and allocates every string; read walks structs.")
    .capabilities(&[Capability::SchemaDriven, Capability::ValidatesUtf8, Capability::ReusesBuffers])
    .size_known();

/// Declares `asn1-oer/rasn:canonical`, which the type `Coer` implements.
pub static COER: DeclaredCodec = DeclaredCodec::new("asn1-oer/rasn:canonical", "wiredyno-codec-rasn", "Coer")
    .library("rasn")
    .about("Canonical OER of the generated ASN.1 module. Build clones the value; encode checks ranges and writes; decode \
         checks ranges and UTF-8 and allocates every string; read walks structs.")
    .capabilities(&[
        Capability::SchemaDriven,
        Capability::ValidatesUtf8,
        Capability::ReusesBuffers,
        Capability::Canonical,
    ])
    .size_known();

/// Declares `asn1-der/rasn`, which the type `Der` implements.
pub static DER: DeclaredCodec = DeclaredCodec::new("asn1-der/rasn", "wiredyno-codec-rasn", "Der")
    .library("rasn")
    .about("DER of the generated ASN.1 module with automatic tags. Build clones the value; encode checks ranges and \
         writes; decode checks ranges and UTF-8 and allocates every string; read walks structs.")
    .capabilities(&[
        Capability::SchemaDriven,
        Capability::ValidatesUtf8,
        Capability::ReusesBuffers,
        Capability::Canonical,
    ])
    .size_known();
