//! What is known about these codecs without compiling them.

use wiredyno_contract::{Capability, DeclaredCodec};

/// Every codec of this crate, for the registry.
pub static CODECS: &[&DeclaredCodec] =
    &[&STRICT, &DEFAULT_FIDELITY, &STRICT_MERGED, &DEFAULT_FIDELITY_MERGED];

const CAPABILITIES: &[Capability] =
    &[Capability::SchemaDriven, Capability::ValidatesUtf8, Capability::ReusesBuffers, Capability::Canonical];

/// Declares `exi/wiredyno:strict`, which the type `Strict` implements.
pub static STRICT: DeclaredCodec = DeclaredCodec::new("exi/wiredyno:strict", "wiredyno-codec-exi", "Strict")
    .about("Schema-informed, bit-packed, no cookie, no options in the header, strict, over the plain schema. Build clones \
         the value; encode writes and fills string tables; decode checks ranges and characters and allocates every \
         string; read walks structs.")
    .capabilities(CAPABILITIES)
    .size_known();

/// Declares `exi/wiredyno:default`, which the type `DefaultFidelity` implements.
pub static DEFAULT_FIDELITY: DeclaredCodec = DeclaredCodec::new("exi/wiredyno:default", "wiredyno-codec-exi", "DefaultFidelity")
    .about("Schema-informed, bit-packed, no cookie, no options in the header, default fidelity, over the plain schema. \
         Build clones the value; encode writes and fills string tables; decode checks ranges and characters and \
         allocates every string; read walks structs.")
    .capabilities(CAPABILITIES)
    .size_known();

/// Declares `exi/wiredyno:strict-merged`, which the type `StrictMerged` implements.
pub static STRICT_MERGED: DeclaredCodec = DeclaredCodec::new("exi/wiredyno:strict-merged", "wiredyno-codec-exi", "StrictMerged")
    .about("Schema-informed, bit-packed, no cookie, no options in the header, strict, over the schema with required nested \
         messages merged into their parents. Build clones the value; encode writes and fills string tables; decode \
         checks ranges and characters and allocates every string; read walks structs.")
    .capabilities(CAPABILITIES)
    .size_known();

/// Declares `exi/wiredyno:default-merged`, which the type `DefaultFidelityMerged` implements.
pub static DEFAULT_FIDELITY_MERGED: DeclaredCodec = DeclaredCodec::new("exi/wiredyno:default-merged", "wiredyno-codec-exi", "DefaultFidelityMerged")
    .about("Schema-informed, bit-packed, no cookie, no options in the header, default fidelity, over the schema with \
         required nested messages merged into their parents. Build clones the value; encode writes and fills string \
         tables; decode checks ranges and characters and allocates every string; read walks structs.")
    .capabilities(CAPABILITIES)
    .size_known();
