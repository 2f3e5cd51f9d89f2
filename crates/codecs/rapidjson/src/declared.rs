//! What is known about this codec without compiling it.

use wiredyno_contract::{Capability, DeclaredCodec, Native, Need};

/// Every codec of this crate, for the registry.
pub static CODECS: &[&DeclaredCodec] = &[&RAPIDJSON];

const LIBRARY: Need = Need::library("RapidJSON", "1.1").debian(&["rapidjson-dev"]);
const COMPILER: Need = Need::program("c++").debian(&["g++"]);

static NATIVE: Native = Native::cpp("rapidjson.hpp").version(&LIBRARY);

/// Declares `json/rapidjson`, whose struct is `Rapidjson`.
pub static RAPIDJSON: DeclaredCodec = DeclaredCodec::new("json/rapidjson", "wiredyno-codec-rapidjson", "Rapidjson")
    .library("RapidJSON")
    .about("Compact JSON, numbers as numbers, bytes as base64. Build makes a Document with a pool of its own, and copies texts into it; \
         encode is a Writer into a StringBuffer; decode parses into a Document, with full precision, and validates UTF-8; read finds each \
         member by its name, one after the other, checks types and ranges, and decodes base64.")
    .capabilities(&[
        Capability::SelfDescribing,
        Capability::ValidatesUtf8,
        Capability::ReusesBuffers,
        Capability::Canonical,
        Capability::HumanReadable,
        Capability::BytesAsBase64,
    ])
    .native(&NATIVE)
    .needs(&[LIBRARY, COMPILER]);
