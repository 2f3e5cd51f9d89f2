//! What is known of this codec without compiling it.

use wiredyno_contract::{Capability, DeclaredCodec, OWN_LIBRARY, Objects};

/// Every codec of this crate.
pub static CODECS: &[&DeclaredCodec] = &[&TS103097];

/// `ts-103-097/wiredyno`.
pub static TS103097: DeclaredCodec = DeclaredCodec {
    id: "ts-103-097/wiredyno",
    package: "wiredyno-codec-ts-103-097",
    type_name: "Ts103097",
    library: OWN_LIBRARY,
    about: "The rules of version 1.1.1; nothing is signed or checked cryptographically. Build clones the value; encode \
         writes and fills lengths in; decode checks lengths, types and UTF-8; read walks structs.",
    capabilities: &[
        Capability::SchemaDriven,
        Capability::ValidatesUtf8,
        Capability::ReusesBuffers,
        Capability::Canonical,
    ],
    objects: Objects::None,
    size_known: true,
};
