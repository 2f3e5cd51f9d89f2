//! The memory of another process, as Linux counts it, to bound what damaged input makes a decoder allocate.
//!
//! It reads the address space, not the memory touched: a decoder that trusts a length reserves room and may never
//! write to it. With [`EXACT`] the system's allocator maps every larger piece from the kernel and returns it at once, so
//! the figures are the codec's to within some hundred kilobytes.
//!
//! Limits: Linux with glibc. A runner in a language with its own heap needs its own bound.

use crate::Runner;

/// An environment variable that gives glibc's allocator one arena: a thread that a virtual machine starts at any moment reserves 64 MiB
/// for one of its own.
pub const ONE_ARENA: &[(&str, &str)] = &[("MALLOC_ARENA_MAX", "1")];

/// Environment variables that give glibc's allocator one arena and make it map pieces from 64 KiB on (mallopt(3)).
pub const EXACT: &[(&str, &str)] = &[("MALLOC_ARENA_MAX", "1"), ("MALLOC_MMAP_THRESHOLD_", "65536")];

/// The address space of a process, in bytes.
#[derive(Debug, Clone, Copy)]
pub struct AddressSpace {
    /// The current size (VmSize).
    pub bytes: u64,
    /// The largest size since the process began (VmPeak).
    pub peak_bytes: u64,
}

/// The address space of a runner, from `/proc/<pid>/status` (proc(5)).
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
