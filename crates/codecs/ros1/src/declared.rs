//! What is known of these codecs without compiling them.

use wiredyno_contract::{Capability, DeclaredCodec, OWN_LIBRARY, Objects};

/// Every codec of this crate.
pub static CODECS: &[&DeclaredCodec] = &[&ROS1, &ROS1_UDP];

const CAPABILITIES: &[Capability] =
    &[Capability::SchemaDriven, Capability::ValidatesUtf8, Capability::ReusesBuffers, Capability::Canonical];

/// `ros1/wiredyno`.
pub static ROS1: DeclaredCodec = DeclaredCodec {
    id: "ros1/wiredyno",
    package: "wiredyno-codec-ros1",
    type_name: "Ros1",
    library: OWN_LIBRARY,
    about: "The body alone, as roscpp lays it out. Build clones the value; encode writes; decode checks lengths and UTF-8 \
         and allocates every string; read walks structs.",
    capabilities: CAPABILITIES,
    objects: Objects::None,
    size_known: true,
};

/// `ros1/wiredyno:udp`.
pub static ROS1_UDP: DeclaredCodec = DeclaredCodec {
    id: "ros1/wiredyno:udp",
    package: "wiredyno-codec-ros1",
    type_name: "Ros1Udp",
    library: OWN_LIBRARY,
    about: "As ros1/wiredyno, behind the header of a UDPROS datagram (connection 0, opcode DATA0, message 0, one block) \
         and the          body's length.",
    capabilities: CAPABILITIES,
    objects: Objects::None,
    size_known: true,
};
