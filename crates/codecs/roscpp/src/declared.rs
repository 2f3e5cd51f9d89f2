//! What is known about this codec without compiling it.

use wiredyno_contract::{Capability, DeclaredCodec, Native, NativeObjects, Need};

/// Every codec of this crate, for the registry.
pub static CODECS: &[&DeclaredCodec] = &[&ROSCPP];

const LIBRARY: Need = Need::library("roscpp_serialization", "0.7").debian(&["libroscpp-core-dev"]);
/// Generates the structs, with the Python that Debian installs it for.
const GENERATOR: Need = Need::library("gencpp", "0.6").debian(&["python3-gencpp"]);
const PYTHON: Need = Need::program("/usr/bin/python3").debian(&["python3"]);
const COMPILER: Need = Need::program("c++").debian(&["g++"]);

static NATIVE: Native = Native::cpp("roscpp.hpp").version(&LIBRARY).objects(NativeObjects::Ros1);

/// Declares `ros1/roscpp`, whose struct is `Roscpp`.
pub static ROSCPP: DeclaredCodec = DeclaredCodec::new("ros1/roscpp", "wiredyno-codec-roscpp", "Roscpp")
    .library("roscpp_serialization")
    .about("roscpp's streams over the structs that gencpp writes; the body alone, the same bytes as ros1/wiredyno. Build fills a struct; \
         encode asks for the length and streams; decode checks counts where the definition has lists or optional fields (roscpp does not), then \
         streams, and allocates long strings; read walks the struct. Unlike ros1/wiredyno, decode checks no UTF-8, enums or ranges.")
    .capabilities(&[Capability::SchemaDriven, Capability::ReusesBuffers, Capability::Canonical])
    .native(&NATIVE)
    .needs(&[LIBRARY, GENERATOR, PYTHON, COMPILER]);
