//! The machine's clocks, in nanoseconds.

use nix::time::{ClockId, clock_gettime};

fn read(clock: ClockId) -> u64 {
    // These clocks exist on every Linux and never fail with a valid id; a 0 would be obvious.
    clock_gettime(clock).map_or(0, |t| t.tv_sec() as u64 * 1_000_000_000 + t.tv_nsec() as u64)
}

/// CLOCK_MONOTONIC: the clock of anchors, marks and deliveries.
pub fn monotonic_ns() -> u64 {
    read(ClockId::CLOCK_MONOTONIC)
}

/// CLOCK_REALTIME, in nanoseconds since 1970.
pub fn unix_ns() -> u64 {
    read(ClockId::CLOCK_REALTIME)
}

/// CPU time of this process, user and system.
pub(crate) fn process_cpu_ns() -> u64 {
    read(ClockId::CLOCK_PROCESS_CPUTIME_ID)
}
