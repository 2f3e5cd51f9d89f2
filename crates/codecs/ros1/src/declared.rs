//! What is known about these codecs without compiling them.

use wiredyno_contract::{Capability, DeclaredCodec};

/// Every codec of this crate, for the registry.
pub static CODECS: &[&DeclaredCodec] = &[&ROS1, &ROS1_UDP];

const CAPABILITIES: &[Capability] =
    &[Capability::SchemaDriven, Capability::ValidatesUtf8, Capability::ReusesBuffers, Capability::Canonical];

/// Declares `ros1/wiredyno`, which the type `Ros1` implements.
pub static ROS1: DeclaredCodec = DeclaredCodec::new("ros1/wiredyno", "wiredyno-codec-ros1", "Ros1")
    .about("The body alone, as roscpp lays it out. Build clones the value; encode writes; decode checks lengths and UTF-8 \
         and allocates every string; read walks structs.")
    .capabilities(CAPABILITIES)
    .size_known();

/// Declares `ros1/wiredyno:udp`, which the type `Ros1Udp` implements.
pub static ROS1_UDP: DeclaredCodec = DeclaredCodec::new("ros1/wiredyno:udp", "wiredyno-codec-ros1", "Ros1Udp")
    .about("As ros1/wiredyno, preceded by the header of a UDPROS datagram (connection 0, opcode DATA0, message 0, one block) \
         and the          body's length.")
    .capabilities(CAPABILITIES)
    .size_known();
