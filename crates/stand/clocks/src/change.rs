//! How much the offset changed between two moments, where what a path always adds cancels.

use serde::{Deserialize, Serialize};

use crate::track::{Estimate, Track};

/// How many of the smallest round trips show where the smallest possible lies.
const SMALLEST: usize = 16;

/// How far below the smallest round trip seen the smallest possible one is taken to be, in distances from the smallest to the [`SMALLEST`]th.
///
/// If the share of round trips within `x` of the smallest possible grows like `x` to the power of `b`, as many being seen, the smallest possible is lower with
/// probability `(1 − (k / (1 + k))^b)^(SMALLEST − 1)`. With `b = 2`, which are exponential delays on both ways, that is 0.05 %; with `b = 1`, far less.
const BELOW: f64 = 1.72;

/// The change of the offset from one moment to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// The first moment, by our clock.
    pub from_ns: i64,
    /// The second moment, by our clock.
    pub to_ns: i64,
    /// The offset at the second less that at the first.
    pub change_ns: i64,
    /// How wrong that may be, either way.
    pub bound_ns: u64,
    /// Whether the path's own delay has cancelled. Else the bound is that of both offsets together: there are too few exchanges, or the path changed.
    pub cancelled: bool,
}

impl Track {
    /// The smallest round trip that the path is taken to allow; `None` with fewer than 16 exchanges.
    pub fn floor_ns(&self) -> Option<i64> {
        let rate = self.assumed().rate;
        let quickest = |one: &crate::Exchange| {
            // The other clock's speed is part of the time that it held the request.
            one.round_trip_ns() - (rate * (one.t3_ns - one.t2_ns) as f64).ceil() as i64
        };
        let mut all: Vec<i64> = self.exchanges().iter().map(quickest).collect();
        if all.len() < SMALLEST {
            return None;
        }
        all.sort_unstable();
        let spread = (all[SMALLEST - 1] - all[0]) as f64;
        Some((all[0] - (BELOW * spread).ceil() as i64).max(0))
    }

    /// The change of the offset between two moments; `None` without exchanges.
    ///
    /// Let every packet there take at least `u` and every one back at least `v`, whose sum is at least the [floor](Self::floor_ns) `f`. The upper end of an estimate is then the true offset
    /// plus `u` and something between 0 and `e`, its width less `f`; the lower end is the true offset less `v` and something
    /// between 0 and `e`. In differences of upper ends `u` cancels, in those of lower ends `v`:
    ///
    /// ```text
    /// max(ΔU − e2, ΔL − e1)  ≤  change  ≤  min(ΔU + e1, ΔL + e2)
    /// ```
    ///
    /// That is false if a route becomes shorter one way and longer the other between the two moments. Where no change is left, it is known to be false, and the
    /// bound is that of both offsets together.
    pub fn change(&self, from_ns: i64, to_ns: i64) -> Option<Change> {
        let (one, other) = (self.at(from_ns)?, self.at(to_ns)?);
        let [[low, high], [other_low, other_high]] = [one, other].map(|at| at.ends_ns().map(i128::from));
        // Whatever the path does.
        let mut ends = [other_low - high, other_high - low];
        let mut cancelled = false;
        if let Some(floor_ns) = self.floor_ns() {
            let beyond = |of: Estimate| (2 * i128::from(of.bound_ns) - i128::from(floor_ns)).max(0);
            let [of_one, of_other] = [one, other].map(beyond);
            let (upper, lower) = (other_high - high, other_low - low);
            let least = (upper - of_other).max(lower - of_one).max(ends[0]);
            let most = (upper + of_one).min(lower + of_other).min(ends[1]);
            if least <= most {
                (ends, cancelled) = ([least, most], true);
            }
        }
        let change = (ends[0] + ends[1]).div_euclid(2);
        let bound = (ends[1] - change).max(change - ends[0]);
        Some(Change {
            from_ns,
            to_ns,
            change_ns: i64::try_from(change).unwrap_or(i64::MAX),
            bound_ns: u64::try_from(bound).unwrap_or(u64::MAX),
            cancelled,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Exchange;

    const MS: i64 = 1_000_000;

    fn exchange(at_ns: i64, offset_ns: i64, there_ns: i64, back_ns: i64) -> Exchange {
        let t2_ns = at_ns + there_ns + offset_ns;
        Exchange { t1_ns: at_ns, t2_ns, t3_ns: t2_ns, t4_ns: at_ns + there_ns + back_ns }
    }

    #[test]
    fn what_a_path_always_adds_cancels() {
        // 1 ms there and 9 ms back: an offset is known to 5 ms, a change to the little by which round trips differ.
        let mut track = Track::default();
        for index in 0..40 {
            let offset_ns = 7_000 * MS + index * 10_000;
            track.add(exchange(index * 1_000 * MS, offset_ns, MS + index % 3 * 1_000, 9 * MS)).unwrap();
        }
        let change = track.change(2_005 * MS, 32_005 * MS).unwrap();
        assert!(change.cancelled);
        assert!((change.change_ns - 300_000).unsigned_abs() <= change.bound_ns, "{change:?}");
        assert!(change.bound_ns < 40_000, "{change:?}");
        assert!(track.at(2_000 * MS).unwrap().bound_ns > 5_000_000);
        assert!(track.floor_ns().unwrap() <= 10 * MS);
    }

    #[test]
    fn with_few_exchanges_or_another_route_both_bounds_count() {
        let mut few = Track::default();
        few.add(exchange(0, 0, MS, MS)).unwrap();
        few.add(exchange(1_000 * MS, 0, MS, MS)).unwrap();
        let change = few.change(MS, 1_001 * MS).unwrap();
        assert!(!change.cancelled && change.bound_ns >= 2_000_000, "{change:?}");
        // From 1 ms there and 9 ms back to the reverse, while the offset stays.
        let mut turned = Track::default();
        for index in 0..80 {
            let (there_ns, back_ns) = if index < 40 { (MS, 9 * MS) } else { (9 * MS, MS) };
            turned.add(exchange(index * 1_000 * MS, 0, there_ns, back_ns)).unwrap();
        }
        let change = turned.change(0, 70_000 * MS).unwrap();
        // This is the case that the method can't detect, as its description says. The offsets' own bounds hold.
        for at_ns in [5 * MS, 70_005 * MS] {
            let at = turned.at(at_ns).unwrap();
            assert!(at.offset_ns.unsigned_abs() <= at.bound_ns, "{at:?}");
        }
        assert!(change.bound_ns <= 10_100_000, "{change:?}");
    }
}
