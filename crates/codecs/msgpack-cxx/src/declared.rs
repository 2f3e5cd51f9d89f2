//! What is known about this codec without compiling it.

use wiredyno_contract::{Capability, DeclaredCodec, Native, Need};

/// Every codec of this crate, for the registry.
pub static CODECS: &[&DeclaredCodec] = &[&MSGPACK_CXX];

/// The smallest of its headers: Debian's package has no file for pkg-config. Version 4 needs Boost's headers.
const HEADER: Need = Need::header("msgpack/version_master.hpp")
    .macros(&["MSGPACK_VERSION_MAJOR", "MSGPACK_VERSION_MINOR", "MSGPACK_VERSION_REVISION"])
    .debian(&["libmsgpack-cxx-dev", "libboost-dev"]);
const COMPILER: Need = Need::program("c++").debian(&["g++"]);

static NATIVE: Native = Native::cpp("msgpack-cxx.hpp").version(&HEADER);

/// Declares `messagepack/msgpack-cxx`, whose struct is `MsgpackCxx`.
pub static MSGPACK_CXX: DeclaredCodec =
    DeclaredCodec::new("messagepack/msgpack-cxx", "wiredyno-codec-msgpack-cxx", "MsgpackCxx")
        .library("msgpack-cxx")
        .about("Maps with field names, absent fields left out; numbers without a fraction as integers, also of float fields. The packer takes \
             the application's structs as they are, so build does nothing; encode packs into an sbuffer; decode unpacks into a tree that \
             refers to the bytes and converts that into structs, by adaptors of our own that search members in their order; read walks structs.")
        .capabilities(&[Capability::SelfDescribing, Capability::ReusesBuffers, Capability::Canonical])
        .native(&NATIVE)
        .needs(&[HEADER, COMPILER]);
