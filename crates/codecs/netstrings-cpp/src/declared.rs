//! What is known about this codec without compiling it.

use wiredyno_contract::{Capability, DeclaredCodec, Native, Need};

/// Every codec of this crate, for the registry.
pub static CODECS: &[&DeclaredCodec] = &[&NETSTRINGS_CPP];

const COMPILER: Need = Need::program("c++").debian(&["g++"]);

static NATIVE: Native = Native::cpp("netstrings.hpp");

/// Declares `netstrings/wiredyno-cpp`, whose struct is `NetstringsCpp`.
pub static NETSTRINGS_CPP: DeclaredCodec =
    DeclaredCodec::new("netstrings/wiredyno-cpp", "wiredyno-codec-netstrings-cpp", "NetstringsCpp")
        .about("The form of 2015, the same bytes as netstrings/wiredyno, by visitors over string streams as the study describes them. The \
             serializer visits the application's structs as they are, so build does nothing; encode puts each message into a stream of its \
             own; decode takes each message's fields into a stream and a map of their places, and visits them by id; read walks structs.")
        .capabilities(&[Capability::SchemaDriven, Capability::Canonical])
        .native(&NATIVE)
        .needs(&[COMPILER]);
