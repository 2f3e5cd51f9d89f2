//! What is known about these codecs without compiling them.

use wiredyno_contract::{Capability, DeclaredCodec, Native, NativeObjects, Need};

/// Every codec of this crate, for the registry.
pub static CODECS: &[&DeclaredCodec] = &[&LIBPROTOBUF, &ARENA];

const LIBRARY: Need = Need::library("protobuf", "3.12").debian(&["libprotobuf-dev"]);
/// Generates the classes. Of the library's version: their code refuses the headers of another one.
const PROTOC: Need = Need::program("protoc").debian(&["protobuf-compiler"]);
const COMPILER: Need = Need::program("c++").debian(&["g++"]);

static NATIVE: Native = Native::cpp("libprotobuf.hpp")
    .libraries(&["protobuf", "z"])
    .version(&LIBRARY)
    .objects(NativeObjects::Protobuf);

/// The fairness labels that both codecs have. Maps come in hash order, unless the library is asked for another.
const CAPABILITIES: &[Capability] =
    &[Capability::SchemaDriven, Capability::ValidatesUtf8, Capability::ReusesBuffers, Capability::Canonical];

/// Declares `protobuf/libprotobuf`, whose struct is `Libprotobuf`.
pub static LIBPROTOBUF: DeclaredCodec =
    DeclaredCodec::new("protobuf/libprotobuf", "wiredyno-codec-libprotobuf", "Libprotobuf")
        .library("libprotobuf")
        .about("Google's C++ library over protoc's classes. Build sets fields by their setters; encode is SerializeToString (definitions \
             with maps: deterministic); decode is ParseFromArray, validates UTF-8 and allocates long strings; read goes through the \
             accessors.")
        .capabilities(CAPABILITIES)
        .native(&NATIVE)
        .needs(&[LIBRARY, PROTOC, COMPILER]);

/// Declares `protobuf/libprotobuf:arena`, whose struct is `LibprotobufArena`.
pub static ARENA: DeclaredCodec =
    DeclaredCodec::new("protobuf/libprotobuf:arena", "wiredyno-codec-libprotobuf", "LibprotobufArena")
        .library("libprotobuf")
        .about("As protobuf/libprotobuf, with each message in an arena of its own, which build and decode create and which is freed at \
             once, except texts of more than 15 bytes.")
        .capabilities(CAPABILITIES)
        .native(&NATIVE)
        .needs(&[LIBRARY, PROTOC, COMPILER]);
