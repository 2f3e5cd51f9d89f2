//! What is known about this codec without compiling it.

use wiredyno_contract::{Capability, DeclaredCodec, Objects};

/// Every codec of this crate, for the registry.
pub static CODECS: &[&DeclaredCodec] = &[&PROST_CONTAINER, &PROST_CONTAINER_ALONE];

const CAPABILITIES: &[Capability] =
    &[Capability::SchemaDriven, Capability::ValidatesUtf8, Capability::ReusesBuffers, Capability::Canonical];

/// Declares `protobuf/prost:container`, which the type `ProstContainer` implements.
pub static PROST_CONTAINER: DeclaredCodec = DeclaredCodec::new("protobuf/prost:container", "wiredyno-codec-protobuf-container", "ProstContainer")
    .library("prost")
    .about("As protobuf/prost, inside the car middleware's container: data type, the message as bytes, sent and \
         received times (fixed values here), preceded by a magic number and a length; decode copies the message out of it \
         first.")
    .capabilities(CAPABILITIES)
    .objects(Objects::Protobuf)
    .size_known();

/// Declares `protobuf/prost:container-alone`, which the type `ProstContainerAlone` implements.
pub static PROST_CONTAINER_ALONE: DeclaredCodec = DeclaredCodec::new(
    "protobuf/prost:container-alone",
    "wiredyno-codec-protobuf-container",
    "ProstContainerAlone",
)
.library("prost")
.about(
    "As protobuf/prost:container, whose clocks see the container alone: build makes the message's object, serializes it, and puts \
         the bytes into the container's, which encode serializes; decode copies them out, read parses the message and walks it.",
)
.capabilities(CAPABILITIES)
.objects(Objects::Protobuf)
.size_known();
