//! The memory of another process, as Linux counts it, for bounds on what damaged input makes a decoder allocate.
//!
//! Address space is looked at, not memory that was touched: a decoder that believes a length reserves room and may never
//! write to it. With [`EXACT`] the system's allocator takes every larger piece from the kernel at once and gives it back, so
//! that the figures are those of the codec to within some hundred kilobytes.
//!
//! Limits: Linux with glibc. A runner of a language with a heap of its own needs a bound of its own.

use crate::Runner;

/// Variables with which glibc's allocator has one arena and maps pieces from 64 KiB on (mallopt(3), environment variables).
pub const EXACT: &[(&str, &str)] = &[("MALLOC_ARENA_MAX", "1"), ("MALLOC_MMAP_THRESHOLD_", "65536")];

/// Address space of a process.
#[derive(Debug, Clone, Copy)]
pub struct AddressSpace {
    /// Now.
    pub bytes: u64,
    /// The most since the process began.
    pub peak_bytes: u64,
}

/// What a runner has reserved, by `/proc/<pid>/status` (proc(5)).
pub fn of(runner: &Runner) -> AddressSpace {
    let path = format!("/proc/{}/status", runner.process());
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let kilobytes = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
        let number = line.split_whitespace().next().and_then(|number| number.parse::<u64>().ok());
        number.unwrap_or_else(|| panic!("{path} has no {name}"))
    };
    AddressSpace { bytes: kilobytes("VmSize:") << 10, peak_bytes: kilobytes("VmPeak:") << 10 }
}
