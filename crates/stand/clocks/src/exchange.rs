//! One exchange of four timestamps.

use serde::{Deserialize, Serialize};

/// An exchange of four timestamps, in nanoseconds: `t1` and `t4` of our clock, `t2` and `t3` of the other's.
///
/// `t1` is read before the request is handed to the system, `t2` after it was received, `t3` before the answer is handed over, `t4` after it was received: whatever happens in between
/// counts as delay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exchange {
    /// When the request left, by our clock.
    pub t1_ns: i64,
    /// When it arrived, by the other clock.
    pub t2_ns: i64,
    /// When the answer left, by the other clock.
    pub t3_ns: i64,
    /// When it arrived, by our clock.
    pub t4_ns: i64,
}

/// Why an exchange can't be what it claims to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ExchangeError {
    /// The answer arrived before the request left.
    #[error("our clock went back by {back_ns} ns during the exchange")]
    WeWentBack {
        /// Nanoseconds by which the clock went back.
        back_ns: i64,
    },
    /// The other side answered before it was asked.
    #[error(
        "its clock went back by {back_ns} ns between a request and the answer: it is set, or its stamps are wrong"
    )]
    ItWentBack {
        /// Nanoseconds by which the clock went back.
        back_ns: i64,
    },
    /// The other side claims to have held the request for longer than the whole exchange took.
    #[error(
        "it claims to have held a request for {held_ns} ns, but the answer was here after {took_ns} ns: its stamps are wrong, or its clock was set meanwhile"
    )]
    Held {
        /// The time between its two stamps.
        held_ns: i64,
        /// Nanoseconds between this side's two stamps.
        took_ns: i64,
    },
    /// Stamps so far apart that their difference is not a time.
    #[error("its stamp {stamp_ns} ns can't come from a clock that counts nanoseconds")]
    Absurd {
        /// The stamp, in nanoseconds.
        stamp_ns: i64,
    },
}

/// The furthest that stamps may be from zero: 146 years. Differences of two differences then fit.
const FURTHEST_NS: i64 = i64::MAX / 2;

impl Exchange {
    /// The time that the packets were on their way: `(t4 − t1) − (t3 − t2)`. Slightly negative if the other clock is faster and the path short.
    pub fn round_trip_ns(&self) -> i64 {
        (self.t4_ns - self.t1_ns) - (self.t3_ns - self.t2_ns)
    }

    /// The middle between request and answer, by our clock.
    pub fn middle_ns(&self) -> i64 {
        self.t1_ns + (self.t4_ns - self.t1_ns) / 2
    }

    /// Checks that the stamps don't contradict each other, if clocks differ in speed by at most `rate`, and each counts in steps of `resolution_ns`.
    ///
    /// # Errors
    /// Why they do.
    pub fn check(&self, rate: f64, resolution_ns: i64) -> Result<(), ExchangeError> {
        for stamp_ns in [self.t1_ns, self.t2_ns, self.t3_ns, self.t4_ns] {
            if stamp_ns.saturating_abs() > FURTHEST_NS / 2 {
                return Err(ExchangeError::Absurd { stamp_ns });
            }
        }
        let (took_ns, held_ns) = (self.t4_ns - self.t1_ns, self.t3_ns - self.t2_ns);
        if took_ns < 0 {
            return Err(ExchangeError::WeWentBack { back_ns: -took_ns });
        }
        if held_ns < 0 {
            return Err(ExchangeError::ItWentBack { back_ns: -held_ns });
        }
        let most_ns = took_ns as f64 * (1.0 + rate) + 2.0 * resolution_ns as f64;
        if held_ns as f64 > most_ns {
            return Err(ExchangeError::Held { held_ns, took_ns });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exchange(stamps: [i64; 4]) -> Exchange {
        let [t1_ns, t2_ns, t3_ns, t4_ns] = stamps;
        Exchange { t1_ns, t2_ns, t3_ns, t4_ns }
    }

    #[test]
    fn stamps_that_contradict_each_other_are_refused_with_the_reason() {
        let of = |stamps| exchange(stamps).check(1e-3, 1);
        assert_eq!(of([0, 900, 950, 100]), Ok(()));
        assert_eq!(of([100, 0, 0, 0]), Err(ExchangeError::WeWentBack { back_ns: 100 }));
        assert_eq!(of([0, 900, 800, 100]), Err(ExchangeError::ItWentBack { back_ns: 100 }));
        assert_eq!(of([0, 0, 5_000, 100]), Err(ExchangeError::Held { held_ns: 5_000, took_ns: 100 }));
        // A faster clock over no distance at all.
        assert_eq!(of([0, 0, 1_000_900, 1_000_000]), Ok(()));
        for stamp_ns in [i64::MIN, i64::MAX] {
            assert_eq!(of([0, stamp_ns, stamp_ns, 100]), Err(ExchangeError::Absurd { stamp_ns }));
        }
    }

    #[test]
    fn round_trip_leaves_out_what_the_other_side_took() {
        let one = exchange([1_000, 51_000, 58_000, 1_000 + 30_000]);
        assert_eq!((one.round_trip_ns(), one.middle_ns()), (23_000, 16_000));
    }
}
