//! What is known about this codec without compiling it.

use wiredyno_contract::{Capability, DeclaredCodec, Native, NativeObjects, Need};

/// Every codec of this crate, for the registry.
pub static CODECS: &[&DeclaredCodec] = &[&FLATBUFFERS];

/// The header that has the version. Debian's package without headers has the file for pkg-config, so that one is not asked.
const HEADER: Need = Need::header("flatbuffers/base.h")
    .macros(&["FLATBUFFERS_VERSION_MAJOR", "FLATBUFFERS_VERSION_MINOR", "FLATBUFFERS_VERSION_REVISION"])
    .debian(&["libflatbuffers-dev"]);
/// Generates the classes. Of the library's version.
const FLATC: Need = Need::program("flatc").debian(&["flatbuffers-compiler"]);
const COMPILER: Need = Need::program("c++").debian(&["g++"]);

static NATIVE: Native = Native::cpp("flatbuffers.hpp").version(&HEADER).objects(NativeObjects::FlatBuffers);

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
        .needs(&[HEADER, FLATC, COMPILER]);
