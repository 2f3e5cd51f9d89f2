//! What is known about this codec without compiling it.

use wiredyno_contract::{Capability, DeclaredCodec, Native, NativeObjects, Need};

/// Every codec of this crate, for the registry.
pub static CODECS: &[&DeclaredCodec] = &[&FLATBUFFERS];

const LIBRARY: Need = Need::library("flatbuffers", "2.0").debian(&["libflatbuffers-dev"]);
/// Generates the classes. Of the library's version.
const FLATC: Need = Need::program("flatc").debian(&["flatbuffers-compiler"]);
const COMPILER: Need = Need::program("c++").debian(&["g++"]);

static NATIVE: Native = Native::cpp("flatbuffers.hpp").version(&LIBRARY).objects(NativeObjects::FlatBuffers);

/// Declares `flatbuffers/flatbuffers`, whose struct is `Flatbuffers`.
pub static FLATBUFFERS: DeclaredCodec =
    DeclaredCodec::new("flatbuffers/flatbuffers", "wiredyno-codec-flatbuffers-cpp", "Flatbuffers")
        .library("flatbuffers")
        .about("Google's C++ library over flatc's classes. The builder takes the application's value as it is, so build does nothing; encode \
             fills a FlatBufferBuilder by the generated Create functions; decode runs the Verifier over the whole buffer and copies nothing; \
             read goes through the accessors.")
        .capabilities(&[
            Capability::ZeroCopy,
            Capability::SchemaDriven,
            Capability::ReusesBuffers,
            Capability::Canonical,
        ])
        .native(&NATIVE)
        .needs(&[LIBRARY, FLATC, COMPILER]);
