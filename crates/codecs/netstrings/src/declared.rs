//! What is known about these codecs without compiling them.

use wiredyno_contract::{Capability, DeclaredCodec};

/// Every codec of this crate, for the registry.
pub static CODECS: &[&DeclaredCodec] =
    &[&NETSTRINGS, &NETSTRINGS_CRC, &NETSTRINGS_VARINT, &NETSTRINGS_CONTAINER, &NETSTRINGS_CONTAINER_ALONE];

const CAPABILITIES: &[Capability] =
    &[Capability::SchemaDriven, Capability::ValidatesUtf8, Capability::ReusesBuffers, Capability::Canonical];

/// Declares `netstrings/wiredyno`, which the type `Netstrings` implements.
pub static NETSTRINGS: DeclaredCodec = DeclaredCodec::new("netstrings/wiredyno", "wiredyno-codec-netstrings", "Netstrings")
    .about("The form of 2015 (AA CF), ids are field numbers. Build clones the value; encode writes and fills in lengths; \
         decode looks up each id, checks sizes and UTF-8 and allocates every string; read walks structs.")
    .capabilities(CAPABILITIES)
    .size_known();

/// Declares `netstrings/wiredyno:crc`, which the type `NetstringsCrc` implements.
pub static NETSTRINGS_CRC: DeclaredCodec = DeclaredCodec::new("netstrings/wiredyno:crc", "wiredyno-codec-netstrings", "NetstringsCrc")
    .about("As netstrings/wiredyno, ids are the pseudo-CRC of the field's name, as for fields without a number of their \
         own.")
    .capabilities(CAPABILITIES)
    .size_known();

/// Declares `netstrings/wiredyno:varint`, which the type `NetstringsVarint` implements.
pub static NETSTRINGS_VARINT: DeclaredCodec =
    DeclaredCodec::new("netstrings/wiredyno:varint", "wiredyno-codec-netstrings", "NetstringsVarint")
        .about(
            "The later form (AB CF): ids, lengths and integers are varints, signed ones zigzag; else as \
         netstrings/wiredyno.",
        )
        .capabilities(CAPABILITIES)
        .size_known();

/// Declares `netstrings/wiredyno:container`, which the type `NetstringsContainer` implements.
pub static NETSTRINGS_CONTAINER: DeclaredCodec = DeclaredCodec::new(
    "netstrings/wiredyno:container",
    "wiredyno-codec-netstrings",
    "NetstringsContainer",
)
.about(
    "As netstrings/wiredyno, inside the middleware's container: data type, the message as a string, sent and \
         received times (fixed values here).",
)
.capabilities(CAPABILITIES)
.size_known();

/// Declares `netstrings/wiredyno:container-alone`, which the type `NetstringsContainerAlone` implements.
pub static NETSTRINGS_CONTAINER_ALONE: DeclaredCodec = DeclaredCodec::new(
    "netstrings/wiredyno:container-alone",
    "wiredyno-codec-netstrings",
    "NetstringsContainerAlone",
)
.about(
    "As netstrings/wiredyno:container, whose clocks see the container alone: build serializes the message, encode writes the \
         container around its bytes, decode copies them out, read reads the message and walks it.",
)
.capabilities(CAPABILITIES)
.size_known();
