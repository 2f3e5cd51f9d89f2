//! What is known about these codecs without compiling them.

use wiredyno_contract::{Capability, DeclaredCodec, Native, NativeObjects, Need};

/// Every codec of this crate, for the registry.
pub static CODECS: &[&DeclaredCodec] = &[&COMPACT, &BINARY];

const LIBRARY: Need = Need::library("thrift", "0.14").debian(&["libthrift-dev", "libboost-dev"]);
/// Generates the classes. Of the library's version.
const GENERATOR: Need = Need::program("thrift").debian(&["thrift-compiler"]);
const COMPILER: Need = Need::program("c++").debian(&["g++"]);

static NATIVE: Native =
    Native::cpp("thrift.hpp").libraries(&["thrift"]).version(&LIBRARY).objects(NativeObjects::Thrift);

/// The fairness labels that both codecs have.
const CAPABILITIES: &[Capability] =
    &[Capability::SchemaDriven, Capability::ReusesBuffers, Capability::Canonical];

/// Declares `thrift/apache-thrift-cpp`, whose struct is `ThriftCompact`.
pub static COMPACT: DeclaredCodec =
    DeclaredCodec::new("thrift/apache-thrift-cpp", "wiredyno-codec-thrift-cpp", "ThriftCompact")
        .library("thrift")
        .about("Compact protocol over the classes of Thrift's compiler. Build sets members; encode writes to a memory buffer through the \
             protocol's virtual functions, as generated code does by default; decode makes a protocol over a kept buffer, reads, and \
             allocates long strings; read walks members. Nothing checks UTF-8, and enums and ranges are not checked in decode.")
        .capabilities(CAPABILITIES)
        .native(&NATIVE)
        .needs(&[LIBRARY, GENERATOR, COMPILER]);

/// Declares `thrift/apache-thrift-cpp:binary`, whose struct is `ThriftBinary`.
pub static BINARY: DeclaredCodec =
    DeclaredCodec::new("thrift/apache-thrift-cpp:binary", "wiredyno-codec-thrift-cpp", "ThriftBinary")
        .library("thrift")
        .about("Binary protocol; else as thrift/apache-thrift-cpp.")
        .capabilities(CAPABILITIES)
        .native(&NATIVE)
        .needs(&[LIBRARY, GENERATOR, COMPILER]);
