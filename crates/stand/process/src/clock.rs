//! The clock that all measurements of this crate use.

/// CLOCK_MONOTONIC in nanoseconds; it does not jump when the wall clock is set.
pub fn monotonic_ns() -> i64 {
    // The call fails only for a clock that does not exist, and Linux always has this one.
    let now = nix::time::clock_gettime(nix::time::ClockId::CLOCK_MONOTONIC);
    now.map_or(0, |time| time.tv_sec() * 1_000_000_000 + time.tv_nsec())
}
