//! A codec in C++ that marks its calls (docs/RUNNER.md, "Probes"), over the payload `opaque`: the same loop, table and interface as every
//! codec in C++ has. The program that uses it defines `wd_probe_now` and `wd_probe_end`, see probe.cpp.
//!
//! Limits: it exists only where a C++ compiler was found when this was compiled.

use wiredyno_contract::{DeclaredCodec, Native};
use wiredyno_cpp::Foreign;
#[cfg(cpp)]
use wiredyno_cpp::Table;

static NATIVE: Native = Native::cpp("probe.hpp");

static DECLARED: DeclaredCodec =
    DeclaredCodec::new("probe/cpp", "wiredyno-cpp-probe", "Probe").about("Marks its calls.").native(&NATIVE);

#[cfg(cpp)]
unsafe extern "C" {
    static wd_probe: Table;
}

#[cfg(cpp)]
// SAFETY: the table was compiled by this package's build script.
static PROBE: Foreign = unsafe { Foreign::new(|| &DECLARED, &raw const wd_probe) };

/// The codec `probe/cpp`; `None` without a C++ compiler.
pub fn probe() -> Option<&'static Foreign> {
    #[cfg(cpp)]
    return Some(&PROBE);
    #[cfg(not(cpp))]
    {
        let _ = &DECLARED;
        None
    }
}
