//! What is known of these codecs without compiling them.

use wiredyno_contract::{Capability, DeclaredCodec};

/// Every codec of this crate.
pub static CODECS: &[&DeclaredCodec] = &[&ROS1, &ROS1_UDP];

const CAPABILITIES: &[Capability] =
    &[Capability::SchemaDriven, Capability::ValidatesUtf8, Capability::ReusesBuffers, Capability::Canonical];

/// `ros1/wiredyno`.
pub static ROS1: DeclaredCodec = DeclaredCodec::new("ros1/wiredyno", "wiredyno-codec-ros1", "Ros1")
    .about("The body alone, as roscpp lays it out. Build clones the value; encode writes; decode checks lengths and UTF-8 \
         and allocates every string; read walks structs.")
    .capabilities(CAPABILITIES)
    .size_known();

/// `ros1/wiredyno:udp`.
pub static ROS1_UDP: DeclaredCodec = DeclaredCodec::new("ros1/wiredyno:udp", "wiredyno-codec-ros1", "Ros1Udp")
    .about("As ros1/wiredyno, behind the header of a UDPROS datagram (connection 0, opcode DATA0, message 0, one block) \
         and the          body's length.")
    .capabilities(CAPABILITIES)
    .size_known();
