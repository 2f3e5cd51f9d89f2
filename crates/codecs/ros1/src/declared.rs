//! What is known about these codecs without compiling them.

use wiredyno_contract::{Capability, DeclaredCodec};

/// Every codec of this crate, for the registry.
pub static CODECS: &[&DeclaredCodec] = &[&ROS1, &ROS1_UDP, &ROS1_CONTAINER, &ROS1_CONTAINER_ALONE];

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
         and the body's length.")
    .capabilities(CAPABILITIES)
    .size_known();

/// Declares `ros1/wiredyno:container`, which the type `Ros1Container` implements.
pub static ROS1_CONTAINER: DeclaredCodec =
    DeclaredCodec::new("ros1/wiredyno:container", "wiredyno-codec-ros1", "Ros1Container")
        .about(
            "As ros1/wiredyno, inside the car middleware's container: data type, the message as bytes, sent and received times \
         (fixed values here), preceded by the header of a UDPROS datagram and the container's length.",
        )
        .capabilities(CAPABILITIES)
        .size_known();

/// Declares `ros1/wiredyno:container-alone`, which the type `Ros1ContainerAlone` implements.
pub static ROS1_CONTAINER_ALONE: DeclaredCodec =
    DeclaredCodec::new("ros1/wiredyno:container-alone", "wiredyno-codec-ros1", "Ros1ContainerAlone")
        .about(
            "As ros1/wiredyno:container, whose clocks see the container alone: build serializes the message, encode writes the \
         container around its bytes, decode copies them out, read reads the message and walks it.",
        )
        .capabilities(CAPABILITIES)
        .size_known();
