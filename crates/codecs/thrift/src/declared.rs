//! What is known of these codecs without compiling them.

use wiredyno_contract::{Capability, DeclaredCodec};

/// Every codec of this crate.
pub static CODECS: &[&DeclaredCodec] = &[&COMPACT, &BINARY];

const CAPABILITIES: &[Capability] =
    &[Capability::SchemaDriven, Capability::ValidatesUtf8, Capability::ReusesBuffers, Capability::Canonical];

/// `thrift/apache-thrift`.
pub static COMPACT: DeclaredCodec = DeclaredCodec::new("thrift/apache-thrift", "wiredyno-codec-thrift", "Compact")
    .library("thrift")
    .about("Compact protocol, a struct without message header. Build clones the value; encode walks it into the library's \
         protocol; decode takes fields by number, validates UTF-8 and allocates every string; read walks structs.")
    .capabilities(CAPABILITIES)
    .size_known();

/// `thrift/apache-thrift:binary`.
pub static BINARY: DeclaredCodec = DeclaredCodec::new("thrift/apache-thrift:binary", "wiredyno-codec-thrift", "Binary")
    .library("thrift")
    .about("Binary protocol, a struct without message header. Build clones the value; encode walks it into the library's \
         protocol; decode takes fields by number, validates UTF-8 and allocates every string; read walks structs.")
    .capabilities(CAPABILITIES)
    .size_known();
