//! What is known about these codecs without compiling them.

use wiredyno_contract::{Capability, DeclaredCodec, Native, NativeObjects, Need};

/// Every codec of this crate, for the registry.
pub static CODECS: &[&DeclaredCodec] = &[&PLAIN, &PACKED];

const LIBRARY: Need = Need::library("capnp", "0.7").debian(&["libcapnp-dev"]);
/// Generates the classes. Of the library's version.
const GENERATOR: Need = Need::program("capnp").debian(&["capnproto"]);
const COMPILER: Need = Need::program("c++").debian(&["g++"]);

static NATIVE: Native = Native::cpp("capnproto.hpp")
    .libraries(&["capnp", "kj"])
    .version(&LIBRARY)
    .objects(NativeObjects::CapnProto);

/// Declares `capnproto/capnproto-cpp`, whose struct is `CapnprotoPlain`.
pub static PLAIN: DeclaredCodec =
    DeclaredCodec::new("capnproto/capnproto-cpp", "wiredyno-codec-capnproto-cpp", "CapnprotoPlain")
        .library("capnproto")
        .about("Plain stream framing, with the classes of its compiler. The builder takes the application's value as it is, so build does \
             nothing; encode fills a MallocMessageBuilder by setters and copies its segments out; decode checks the table of segments and \
             copies nothing; read makes a reader and goes through getters, which check each pointer.")
        .capabilities(&[Capability::ZeroCopy, Capability::SchemaDriven, Capability::ReusesBuffers])
        .native(&NATIVE)
        .needs(&[LIBRARY, GENERATOR, COMPILER]);

/// Declares `capnproto/capnproto-cpp:packed`, whose struct is `CapnprotoPacked`.
pub static PACKED: DeclaredCodec =
    DeclaredCodec::new("capnproto/capnproto-cpp:packed", "wiredyno-codec-capnproto-cpp", "CapnprotoPacked")
        .library("capnproto")
        .about("Packed stream framing: encode packs the segments into a new buffer, decode unpacks them into new memory; else as capnproto/capnproto-cpp.")
        .capabilities(&[Capability::SchemaDriven])
        .native(&NATIVE)
        .needs(&[LIBRARY, GENERATOR, COMPILER]);
