//! What is known about these codecs without compiling them.

use wiredyno_contract::{Capability, DeclaredCodec};

/// Every codec of this crate, for the registry.
pub static CODECS: &[&DeclaredCodec] = &[&COMPACT, &BINARY];

const CAPABILITIES: &[Capability] =
    &[Capability::SchemaDriven, Capability::ValidatesUtf8, Capability::ReusesBuffers, Capability::Canonical];

/// Declares `thrift/apache-thrift`, which the type `Compact` implements.
pub static COMPACT: DeclaredCodec = DeclaredCodec::new("thrift/apache-thrift", "wiredyno-codec-thrift", "Compact")
    .library("thrift")
    .about("Compact protocol, a struct without message header. Build clones the value; encode walks it into the library's \
         protocol; decode takes fields by number, validates UTF-8 and allocates every string; read walks structs.")
    .capabilities(CAPABILITIES)
    .size_known();

/// Declares `thrift/apache-thrift:binary`, which the type `Binary` implements.
pub static BINARY: DeclaredCodec = DeclaredCodec::new("thrift/apache-thrift:binary", "wiredyno-codec-thrift", "Binary")
    .library("thrift")
    .about("Binary protocol, a struct without message header. Build clones the value; encode walks it into the library's \
         protocol; decode takes fields by number, validates UTF-8 and allocates every string; read walks structs.")
    .capabilities(CAPABILITIES)
    .size_known();
