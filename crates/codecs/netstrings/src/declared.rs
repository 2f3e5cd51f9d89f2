//! What is known of these codecs without compiling them.

use wiredyno_contract::{Capability, DeclaredCodec, OWN_LIBRARY, Objects};

/// Every codec of this crate.
pub static CODECS: &[&DeclaredCodec] =
    &[&NETSTRINGS, &NETSTRINGS_CRC, &NETSTRINGS_VARINT, &NETSTRINGS_CONTAINER];

const CAPABILITIES: &[Capability] =
    &[Capability::SchemaDriven, Capability::ValidatesUtf8, Capability::ReusesBuffers, Capability::Canonical];

/// `netstrings/wiredyno`.
pub static NETSTRINGS: DeclaredCodec = DeclaredCodec {
    id: "netstrings/wiredyno",
    package: "wiredyno-codec-netstrings",
    type_name: "Netstrings",
    library: OWN_LIBRARY,
    about: "The form of 2015 (AA CF), ids are field numbers. Build clones the value; encode writes and fills lengths in; \
         decode looks each id up, checks sizes and UTF-8 and allocates every string; read walks structs.",
    capabilities: CAPABILITIES,
    objects: Objects::None,
    size_known: true,
};

/// `netstrings/wiredyno:crc`.
pub static NETSTRINGS_CRC: DeclaredCodec = DeclaredCodec {
    id: "netstrings/wiredyno:crc",
    package: "wiredyno-codec-netstrings",
    type_name: "NetstringsCrc",
    library: OWN_LIBRARY,
    about: "As netstrings/wiredyno, ids are the pseudo-CRC of the field's name, as for fields without a number of their \
         own.",
    capabilities: CAPABILITIES,
    objects: Objects::None,
    size_known: true,
};

/// `netstrings/wiredyno:varint`.
pub static NETSTRINGS_VARINT: DeclaredCodec = DeclaredCodec {
    id: "netstrings/wiredyno:varint",
    package: "wiredyno-codec-netstrings",
    type_name: "NetstringsVarint",
    library: OWN_LIBRARY,
    about: "The later form (AB CF): ids, lengths and integers are varints, signed ones zigzag; else as \
         netstrings/wiredyno.",
    capabilities: CAPABILITIES,
    objects: Objects::None,
    size_known: true,
};

/// `netstrings/wiredyno:container`.
pub static NETSTRINGS_CONTAINER: DeclaredCodec = DeclaredCodec {
    id: "netstrings/wiredyno:container",
    package: "wiredyno-codec-netstrings",
    type_name: "NetstringsContainer",
    library: OWN_LIBRARY,
    about: "As netstrings/wiredyno, inside of the middleware's container: data type, the message as a string, sent and \
         received times (fixed values here).",
    capabilities: CAPABILITIES,
    objects: Objects::None,
    size_known: true,
};
