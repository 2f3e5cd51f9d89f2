//! What is known of these codecs without compiling them.

use wiredyno_contract::{Capability, DeclaredCodec, OWN_LIBRARY, Objects};

/// Every codec of this crate.
pub static CODECS: &[&DeclaredCodec] =
    &[&STRICT, &DEFAULT_FIDELITY, &STRICT_MERGED, &DEFAULT_FIDELITY_MERGED];

const CAPABILITIES: &[Capability] =
    &[Capability::SchemaDriven, Capability::ValidatesUtf8, Capability::ReusesBuffers, Capability::Canonical];

/// `exi/wiredyno:strict`.
pub static STRICT: DeclaredCodec = DeclaredCodec {
    id: "exi/wiredyno:strict",
    package: "wiredyno-codec-exi",
    type_name: "Strict",
    library: OWN_LIBRARY,
    about: "Schema-informed, bit-packed, no cookie, no options in the header, strict, over the plain schema. Build clones \
         the value; encode writes and fills string tables; decode checks ranges and characters and allocates every \
         string; read walks structs.",
    capabilities: CAPABILITIES,
    objects: Objects::None,
    size_known: true,
};

/// `exi/wiredyno:default`.
pub static DEFAULT_FIDELITY: DeclaredCodec = DeclaredCodec {
    id: "exi/wiredyno:default",
    package: "wiredyno-codec-exi",
    type_name: "DefaultFidelity",
    library: OWN_LIBRARY,
    about: "Schema-informed, bit-packed, no cookie, no options in the header, default fidelity, over the plain schema. \
         Build clones the value; encode writes and fills string tables; decode checks ranges and characters and \
         allocates every string; read walks structs.",
    capabilities: CAPABILITIES,
    objects: Objects::None,
    size_known: true,
};

/// `exi/wiredyno:strict-merged`.
pub static STRICT_MERGED: DeclaredCodec = DeclaredCodec {
    id: "exi/wiredyno:strict-merged",
    package: "wiredyno-codec-exi",
    type_name: "StrictMerged",
    library: OWN_LIBRARY,
    about: "Schema-informed, bit-packed, no cookie, no options in the header, strict, over the schema with required nested \
         messages merged into their parents. Build clones the value; encode writes and fills string tables; decode \
         checks ranges and characters and allocates every string; read walks structs.",
    capabilities: CAPABILITIES,
    objects: Objects::None,
    size_known: true,
};

/// `exi/wiredyno:default-merged`.
pub static DEFAULT_FIDELITY_MERGED: DeclaredCodec = DeclaredCodec {
    id: "exi/wiredyno:default-merged",
    package: "wiredyno-codec-exi",
    type_name: "DefaultFidelityMerged",
    library: OWN_LIBRARY,
    about: "Schema-informed, bit-packed, no cookie, no options in the header, default fidelity, over the schema with \
         required nested messages merged into their parents. Build clones the value; encode writes and fills string \
         tables; decode checks ranges and characters and allocates every string; read walks structs.",
    capabilities: CAPABILITIES,
    objects: Objects::None,
    size_known: true,
};
