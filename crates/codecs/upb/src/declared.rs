//! What is known about this codec without compiling it.

use wiredyno_contract::{Capability, DeclaredCodec, Need, Objects};

/// Every codec of this crate, for the registry.
pub static CODECS: &[&DeclaredCodec] = &[&UPB];

/// Generates the code of messages. protoc and runtime must have the same version.
const PROTOC: Need = Need::program_just("protoc", "36.2")
    .maven("com.google.protobuf:protoc:4.36.2:exe")
    .named_by("WIREDYNO_PROTOC");

/// Declares `protobuf/upb`, which the type `Upb` implements.
pub static UPB: DeclaredCodec = DeclaredCodec::new("protobuf/upb", "wiredyno-codec-upb", "Upb")
    .library("protobuf")
    .about("Google's C runtime. Build copies field by field into an arena; encode serializes into a buffer of the \
         library's own and copies it out; decode parses into an arena, validating UTF-8; read goes through the \
         library's accessors.")
    .capabilities(&[Capability::SchemaDriven, Capability::ValidatesUtf8])
    .objects(Objects::Upb)
    .size_known()
    .needs(&[PROTOC]);
