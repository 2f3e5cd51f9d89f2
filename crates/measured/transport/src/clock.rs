//! The clock behind all timestamps, and the clock of a thread's CPU time.

use nix::time::{ClockId, clock_gettime};

/// CLOCK_MONOTONIC in nanoseconds, the same for all processes of a machine.
#[inline]
pub fn now_ns() -> i64 {
    // The call can fail only for a clock that does not exist, and Linux always has this one.
    clock_gettime(ClockId::CLOCK_MONOTONIC).map_or(0, |time| time.tv_sec() * 1_000_000_000 + time.tv_nsec())
}

/// CPU time of the calling thread so far, in nanoseconds (CLOCK_THREAD_CPUTIME_ID).
pub fn thread_cpu_ns() -> u64 {
    let time = clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID);
    time.map_or(0, |time| (time.tv_sec() * 1_000_000_000 + time.tv_nsec()).unsigned_abs())
}
