//! Timeouts that a jump of the clock can't use up.
//!
//! After a program was stopped, or a machine slept or was migrated, the clock is far ahead, though the other side did not have that time
//! to answer. So each look adds at most [`MOST_PER_LOOK`] to the time waited, and a clock that goes back adds nothing. A wait has to
//! look several times within that span.

use std::time::Duration;

use crate::clock::monotonic_ns;

/// The most that one look adds to the time waited.
pub const MOST_PER_LOOK: Duration = Duration::from_secs(1);

/// A source of time in nanoseconds, with any origin.
pub trait Clock {
    /// The current time, in nanoseconds from the clock's origin.
    fn now_ns(&self) -> i64;
}

/// CLOCK_MONOTONIC, through [`monotonic_ns`].
#[derive(Debug, Clone, Copy, Default)]
pub struct Monotonic;

impl Clock for Monotonic {
    fn now_ns(&self) -> i64 {
        monotonic_ns()
    }
}

/// A limit and what is left of it.
#[derive(Debug, Clone)]
pub struct Patience<C = Monotonic> {
    clock: C,
    limit: Duration,
    waited: Duration,
    looked_ns: i64,
}

impl Patience {
    /// A limit that begins now, by CLOCK_MONOTONIC.
    pub fn of(limit: Duration) -> Self {
        Patience::by(Monotonic, limit)
    }
}

impl<C: Clock> Patience<C> {
    /// A limit that begins now, by another clock.
    pub fn by(clock: C, limit: Duration) -> Self {
        let looked_ns = clock.now_ns();
        Patience { clock, limit, waited: Duration::ZERO, looked_ns }
    }

    /// The limit as it was given.
    pub fn limit(&self) -> Duration {
        self.limit
    }

    /// The time left; zero when the limit is over.
    pub fn left(&mut self) -> Duration {
        let now_ns = self.clock.now_ns();
        let passed = Duration::from_nanos(now_ns.saturating_sub(self.looked_ns).max(0).unsigned_abs());
        self.looked_ns = now_ns;
        self.waited += passed.min(MOST_PER_LOOK);
        self.limit.saturating_sub(self.waited)
    }

    /// Whether the limit is over.
    pub fn is_over(&mut self) -> bool {
        self.left().is_zero()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    impl Clock for &Cell<i64> {
        fn now_ns(&self) -> i64 {
            self.get()
        }
    }

    const SECOND: i64 = 1_000_000_000;

    #[test]
    fn a_clock_that_goes_as_it_should_ends_the_wait_in_time() {
        let clock = Cell::new(7 * SECOND);
        let mut patience = Patience::by(&clock, Duration::from_secs(3));
        for left in [2_500, 2_000, 1_500, 1_000, 500, 0, 0] {
            clock.set(clock.get() + SECOND / 2);
            assert_eq!(patience.left(), Duration::from_millis(left));
        }
        assert!(patience.is_over());
    }

    #[test]
    fn a_jump_ahead_uses_up_no_more_than_a_look_may() {
        let clock = Cell::new(0);
        let mut patience = Patience::by(&clock, Duration::from_secs(60));
        // The machine slept for a night.
        clock.set(8 * 3_600 * SECOND);
        assert_eq!(patience.left(), Duration::from_secs(59));
        clock.set(i64::MAX);
        assert_eq!(patience.left(), Duration::from_secs(58));
    }

    #[test]
    fn a_jump_back_adds_nothing_and_the_wait_ends_all_the_same() {
        let clock = Cell::new(100 * SECOND);
        let mut patience = Patience::by(&clock, Duration::from_secs(2));
        clock.set(i64::MIN);
        assert_eq!(patience.left(), Duration::from_secs(2));
        for _ in 0..4 {
            assert!(!patience.is_over());
            clock.set(clock.get() + SECOND / 2);
        }
        assert!(patience.is_over());
    }
}
