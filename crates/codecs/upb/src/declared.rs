//! What is known of this codec without compiling it.

use wiredyno_contract::{Capability, DeclaredCodec, Objects};

/// Every codec of this crate.
pub static CODECS: &[&DeclaredCodec] = &[&UPB];

/// `protobuf/upb`.
pub static UPB: DeclaredCodec = DeclaredCodec::new("protobuf/upb", "wiredyno-codec-upb", "Upb")
    .library("protobuf")
    .about("Google's C runtime. Build copies field by field into an arena; encode serializes into a buffer of the \
         library's own and copies it out; decode parses into an arena, validating UTF-8; read goes through the \
         library's accessors.")
    .capabilities(&[Capability::SchemaDriven, Capability::ValidatesUtf8])
    .objects(Objects::Upb)
    .size_known();
