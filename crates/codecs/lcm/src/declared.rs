//! What is known about these codecs without compiling them.

use wiredyno_contract::{Capability, DeclaredCodec};

/// Every codec of this crate, for the registry.
pub static CODECS: &[&DeclaredCodec] =
    &[&LCM, &LCM_UDP, &LCM_CONTAINER, &LCM_CONTAINER_ALONE, &LCM_HASHING, &LCM_CONTAINER_ALONE_HASHING];

const CAPABILITIES: &[Capability] =
    &[Capability::SchemaDriven, Capability::ValidatesUtf8, Capability::ReusesBuffers, Capability::Canonical];

/// Declares `lcm/wiredyno`, which the type `Lcm` implements.
pub static LCM: DeclaredCodec = DeclaredCodec::new("lcm/wiredyno", "wiredyno-codec-lcm", "Lcm")
    .about("Fingerprint and body, as lcm-gen's encode lays them out; no unsigned integers: wider signed ones stand in. \
         Build clones the value; encode writes; decode checks fingerprint, lengths and UTF-8 and allocates every \
         string; read walks structs.")
    .capabilities(CAPABILITIES)
    .size_known();

/// Declares `lcm/wiredyno:udp`, which the type `LcmUdp` implements.
pub static LCM_UDP: DeclaredCodec = DeclaredCodec::new("lcm/wiredyno:udp", "wiredyno-codec-lcm", "LcmUdp")
    .about("As lcm/wiredyno, preceded by the header of an LCM datagram: magic LC02, sequence number (always 0 here), and the \
         message's name as the channel.")
    .capabilities(CAPABILITIES)
    .size_known();

/// Declares `lcm/wiredyno:container`, which the type `LcmContainer` implements.
pub static LCM_CONTAINER: DeclaredCodec =
    DeclaredCodec::new("lcm/wiredyno:container", "wiredyno-codec-lcm", "LcmContainer")
        .about(
            "As lcm/wiredyno, inside the car middleware's container, a struct with a fingerprint of its own: data type, the \
         message as bytes, sent and received times (fixed values here), preceded by the header of an LCM datagram.",
        )
        .capabilities(CAPABILITIES)
        .size_known();

/// Declares `lcm/wiredyno:container-alone`, which the type `LcmContainerAlone` implements.
pub static LCM_CONTAINER_ALONE: DeclaredCodec =
    DeclaredCodec::new("lcm/wiredyno:container-alone", "wiredyno-codec-lcm", "LcmContainerAlone")
        .about(
            "As lcm/wiredyno:container, whose clocks see the container alone: build serializes the message, encode writes the \
         container around its bytes, decode copies them out, read reads the message and walks it.",
        )
        .capabilities(CAPABILITIES)
        .size_known();

/// Declares `lcm/wiredyno:hashing`, which the type `LcmHashing` implements.
pub static LCM_HASHING: DeclaredCodec =
    DeclaredCodec::new("lcm/wiredyno:hashing", "wiredyno-codec-lcm", "LcmHashing")
        .about(
            "As lcm/wiredyno, but encode computes the fingerprint from names and types for each message, and decode skips it, as \
         the car study's serializer did; lcm-gen's code computes it once.",
        )
        .capabilities(CAPABILITIES)
        .size_known();

/// Declares `lcm/wiredyno:container-alone-hashing`, which the type `LcmContainerAloneHashing` implements.
pub static LCM_CONTAINER_ALONE_HASHING: DeclaredCodec = DeclaredCodec::new(
    "lcm/wiredyno:container-alone-hashing",
    "wiredyno-codec-lcm",
    "LcmContainerAloneHashing",
)
.about(
    "As lcm/wiredyno:container-alone, but encode computes the container's fingerprint from names and types for each; \
         decode compares it with a constant.",
)
.capabilities(CAPABILITIES)
.size_known();
