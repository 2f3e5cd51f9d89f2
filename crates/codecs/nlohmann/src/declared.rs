//! What is known about this codec without compiling it.

use wiredyno_contract::{Capability, DeclaredCodec, Native, Need};

/// Every codec of this crate, for the registry.
pub static CODECS: &[&DeclaredCodec] = &[&NLOHMANN];

const LIBRARY: Need = Need::library("nlohmann_json", "3.11").debian(&["nlohmann-json3-dev"]);
const COMPILER: Need = Need::program("c++").debian(&["g++"]);

static NATIVE: Native = Native::cpp("nlohmann.hpp").version(&LIBRARY);

/// Declares `json/nlohmann`, whose struct is `Nlohmann`.
pub static NLOHMANN: DeclaredCodec = DeclaredCodec::new("json/nlohmann", "wiredyno-codec-nlohmann", "Nlohmann")
    .library("nlohmann_json")
    .about("Compact JSON, numbers as numbers, bytes as base64. Build makes the library's tree of values, each object a sorted map; encode \
         is dump, always into a new string; decode is parse into the tree, and validates UTF-8; read finds each member by its name, \
         checks types and ranges, and decodes base64.")
    .capabilities(&[
        Capability::SelfDescribing,
        Capability::ValidatesUtf8,
        Capability::Canonical,
        Capability::HumanReadable,
        Capability::BytesAsBase64,
    ])
    .native(&NATIVE)
    .needs(&[LIBRARY, COMPILER]);
