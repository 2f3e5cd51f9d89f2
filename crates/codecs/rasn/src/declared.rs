//! What is known of these codecs without compiling them.

use wiredyno_contract::{Capability, DeclaredCodec, Objects};

/// Every codec of this crate.
pub static CODECS: &[&DeclaredCodec] = &[&UPER, &APER, &OER, &COER, &DER];

/// `asn1-uper/rasn`.
pub static UPER: DeclaredCodec = DeclaredCodec {
    id: "asn1-uper/rasn",
    package: "wiredyno-codec-rasn",
    type_name: "Uper",
    library: "rasn",
    about: "Unaligned PER of the generated ASN.1 module, canonical. Build clones the value; encode checks ranges and \
         writes; decode checks ranges and UTF-8 and allocates every string; read walks structs.",
    capabilities: &[
        Capability::SchemaDriven,
        Capability::ValidatesUtf8,
        Capability::ReusesBuffers,
        Capability::Canonical,
    ],
    objects: Objects::None,
    size_known: true,
};

/// `asn1-aper/rasn`.
pub static APER: DeclaredCodec = DeclaredCodec {
    id: "asn1-aper/rasn",
    package: "wiredyno-codec-rasn",
    type_name: "Aper",
    library: "rasn",
    about: "Aligned PER of the generated ASN.1 module, canonical. Build clones the value; encode checks ranges and writes; \
         decode checks ranges and UTF-8 and allocates every string; read walks structs.",
    capabilities: &[
        Capability::SchemaDriven,
        Capability::ValidatesUtf8,
        Capability::ReusesBuffers,
        Capability::Canonical,
    ],
    objects: Objects::None,
    size_known: true,
};

/// `asn1-oer/rasn`.
pub static OER: DeclaredCodec = DeclaredCodec {
    id: "asn1-oer/rasn",
    package: "wiredyno-codec-rasn",
    type_name: "Oer",
    library: "rasn",
    about: "Basic OER of the generated ASN.1 module. Build clones the value; encode checks ranges and writes; decode \
         checks ranges and UTF-8 and allocates every string; read walks structs.",
    capabilities: &[Capability::SchemaDriven, Capability::ValidatesUtf8, Capability::ReusesBuffers],
    objects: Objects::None,
    size_known: true,
};

/// `asn1-oer/rasn:canonical`.
pub static COER: DeclaredCodec = DeclaredCodec {
    id: "asn1-oer/rasn:canonical",
    package: "wiredyno-codec-rasn",
    type_name: "Coer",
    library: "rasn",
    about: "Canonical OER of the generated ASN.1 module. Build clones the value; encode checks ranges and writes; decode \
         checks ranges and UTF-8 and allocates every string; read walks structs.",
    capabilities: &[
        Capability::SchemaDriven,
        Capability::ValidatesUtf8,
        Capability::ReusesBuffers,
        Capability::Canonical,
    ],
    objects: Objects::None,
    size_known: true,
};

/// `asn1-der/rasn`.
pub static DER: DeclaredCodec = DeclaredCodec {
    id: "asn1-der/rasn",
    package: "wiredyno-codec-rasn",
    type_name: "Der",
    library: "rasn",
    about: "DER of the generated ASN.1 module with automatic tags. Build clones the value; encode checks ranges and \
         writes; decode checks ranges and UTF-8 and allocates every string; read walks structs.",
    capabilities: &[
        Capability::SchemaDriven,
        Capability::ValidatesUtf8,
        Capability::ReusesBuffers,
        Capability::Canonical,
    ],
    objects: Objects::None,
    size_known: true,
};
