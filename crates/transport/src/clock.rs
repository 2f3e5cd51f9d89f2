//! The one clock of all stamps.

use nix::time::{ClockId, clock_gettime};

/// CLOCK_MONOTONIC in nanoseconds, the same for all processes of a machine.
#[inline]
pub fn now_ns() -> i64 {
    // The call can fail only for a clock that does not exist, and Linux always has this one.
    clock_gettime(ClockId::CLOCK_MONOTONIC).map_or(0, |time| time.tv_sec() * 1_000_000_000 + time.tv_nsec())
}
