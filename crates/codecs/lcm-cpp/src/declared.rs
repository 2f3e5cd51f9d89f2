//! What is known about this codec without compiling it.

use wiredyno_contract::{Capability, DeclaredCodec, Native, NativeObjects, Need};

/// Every codec of this crate, for the registry.
pub static CODECS: &[&DeclaredCodec] = &[&LCM_GEN];

/// pkg-config knows it too, but only together with GLib's headers, which its classes don't need.
const HEADER: Need = Need::header("lcm/lcm.h")
    .macros(&["LCM_MAJOR_VERSION", "LCM_MINOR_VERSION", "LCM_MICRO_VERSION"])
    .debian(&["liblcm-dev"]);
/// Generates the classes. Of the library's version.
const GENERATOR: Need = Need::program("lcm-gen").debian(&["liblcm-bin"]);
const COMPILER: Need = Need::program("c++").debian(&["g++"]);

static NATIVE: Native = Native::cpp("lcm.hpp").version(&HEADER).objects(NativeObjects::Lcm);

/// Declares `lcm/lcm-gen`, whose struct is `LcmGen`.
pub static LCM_GEN: DeclaredCodec = DeclaredCodec::new("lcm/lcm-gen", "wiredyno-codec-lcm-cpp", "LcmGen")
    .library("lcm")
    .about("The classes that lcm-gen writes for C++; the same bytes as lcm/wiredyno. Build fills a class; encode asks for the size and \
         encodes; decode checks counts and texts' ends where the definition has lists, optional fields or texts (lcm-gen's code does not), then \
         decodes, and allocates long strings; read walks the class. Unlike lcm/wiredyno, decode checks no UTF-8, enums or ranges.")
    .capabilities(&[Capability::SchemaDriven, Capability::ReusesBuffers, Capability::Canonical])
    .native(&NATIVE)
    .needs(&[HEADER, GENERATOR, COMPILER]);
