//! What is known of these codecs without compiling them.

use wiredyno_contract::{Capability, DeclaredCodec, Objects};

/// Every codec of this crate.
pub static CODECS: &[&DeclaredCodec] = &[&COMPACT, &BINARY];

const CAPABILITIES: &[Capability] =
    &[Capability::SchemaDriven, Capability::ValidatesUtf8, Capability::ReusesBuffers, Capability::Canonical];

/// `thrift/apache-thrift`.
pub static COMPACT: DeclaredCodec = DeclaredCodec {
    id: "thrift/apache-thrift",
    package: "wiredyno-codec-thrift",
    type_name: "Compact",
    library: "thrift",
    about: "Compact protocol, a struct without message header. Build clones the value; encode walks it into the library's \
         protocol; decode takes fields by number, validates UTF-8 and allocates every string; read walks structs.",
    capabilities: CAPABILITIES,
    objects: Objects::None,
    size_known: true,
};

/// `thrift/apache-thrift:binary`.
pub static BINARY: DeclaredCodec = DeclaredCodec {
    id: "thrift/apache-thrift:binary",
    package: "wiredyno-codec-thrift",
    type_name: "Binary",
    library: "thrift",
    about: "Binary protocol, a struct without message header. Build clones the value; encode walks it into the library's \
         protocol; decode takes fields by number, validates UTF-8 and allocates every string; read walks structs.",
    capabilities: CAPABILITIES,
    objects: Objects::None,
    size_known: true,
};
