//! The exchanges with one machine over one path, and the offset at any moment. The crate's text has the method.

use serde::{Deserialize, Serialize};

use crate::exchange::{Exchange, ExchangeError};
use crate::polygon::{Constraint, Interval, Left, left};

const SECOND_NS: f64 = 1e9;

/// How many of one side's exchanges have a tangent of their own.
const TANGENTS: usize = 8;

/// What is assumed of the two clocks, see the crate's text.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Assumptions {
    /// How fast the offset may change, in seconds per second.
    pub rate: f64,
    /// How much that speed may change in a second.
    pub wander_per_s: f64,
    /// Exchanges further than this from the one next to a moment don't count for it, in nanoseconds.
    pub horizon_ns: i64,
    /// The steps in which the clocks count, in nanoseconds.
    pub resolution_ns: i64,
}

impl Default for Assumptions {
    /// The kernel corrects a clock by at most 500 ppm (adjtimex(2), `freq`), so two differ by at most 1,000 ppm, oscillators included unless one is broken. An
    /// oscillator's speed changes with temperature, by around 1 ppm or less for a degree: 1 ppm in a second is more than a machine under load does. After 20 s that
    /// amounts to 200 us, so that older exchanges hardly narrow anything. CLOCK_MONOTONIC counts nanoseconds (clock_getres(2)).
    fn default() -> Self {
        Assumptions { rate: 1e-3, wander_per_s: 1e-6, horizon_ns: 20_000_000_000, resolution_ns: 1 }
    }
}

/// The offset of the other clock from ours at a moment.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The moment, by our clock.
    pub at_ns: i64,
    /// How far the other clock is ahead of ours; negative if it is behind.
    pub offset_ns: i64,
    /// How wrong that may be, either way.
    pub bound_ns: u64,
    /// How fast the offset changes at that moment, in parts per billion: nanoseconds per second.
    pub drift_ppb: f64,
    /// How wrong that may be, either way, unless there is a break within the horizon.
    pub drift_bound_ppb: f64,
    /// Whether the exchanges around that moment show a break: a step of the offset or of its speed.
    pub broken: bool,
}

impl Estimate {
    /// The smallest and the largest offset that is possible.
    pub fn ends_ns(&self) -> [i64; 2] {
        let bound_ns = i64::try_from(self.bound_ns).unwrap_or(i64::MAX);
        [self.offset_ns.saturating_sub(bound_ns), self.offset_ns.saturating_add(bound_ns)]
    }
}

/// Two paths that say contradictory things about one clock.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error(
    "two paths contradict each other: by one its clock is {} ns ahead, give or take {} ns, by the other {} ns, give or take {} ns: its stamps are wrong on one of them, or its clock was set",
    .0.offset_ns, .0.bound_ns, .1.offset_ns, .1.bound_ns
)]
pub struct Contradiction(pub Estimate, pub Estimate);

/// Of two paths' estimates for one moment, the narrower.
///
/// # Errors
/// When no offset is in both.
pub fn narrower(one: Estimate, other: Estimate) -> Result<Estimate, Contradiction> {
    let [[low, high], [other_low, other_high]] = [one.ends_ns(), other.ends_ns()];
    if low > other_high || other_low > high {
        return Err(Contradiction(one, other));
    }
    Ok(if other.bound_ns < one.bound_ns { other } else { one })
}

/// A step of the offset, or of its speed, that exchanges show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Break {
    /// The last moment, by our clock, that belongs to what came before.
    pub after_ns: i64,
    /// The first moment, by our clock, that belongs to what came after.
    pub before_ns: i64,
}

/// The exchanges with one machine over one path.
#[derive(Debug, Clone, Default)]
pub struct Track {
    assumed: Assumptions,
    /// By their middles.
    exchanges: Vec<Exchange>,
}

impl Track {
    /// A track without exchanges.
    pub fn new(assumed: Assumptions) -> Self {
        Track { assumed, exchanges: Vec::new() }
    }

    /// What it assumes of the clocks.
    pub fn assumed(&self) -> Assumptions {
        self.assumed
    }

    /// Its exchanges, in the order of their middles.
    pub fn exchanges(&self) -> &[Exchange] {
        &self.exchanges
    }

    /// Adds an exchange.
    ///
    /// # Errors
    /// When its stamps contradict each other; it is not added.
    pub fn add(&mut self, exchange: Exchange) -> Result<(), ExchangeError> {
        exchange.check(self.assumed.rate, self.assumed.resolution_ns)?;
        let middle_ns = exchange.middle_ns();
        let place = self.exchanges.partition_point(|one| one.middle_ns() <= middle_ns);
        self.exchanges.insert(place, exchange);
        Ok(())
    }

    /// Forgets exchanges before a moment, but never the last.
    pub fn forget_before(&mut self, at_ns: i64) {
        let place = self.exchanges.partition_point(|one| one.middle_ns() < at_ns);
        self.exchanges.drain(..place.min(self.exchanges.len().saturating_sub(1)));
    }

    /// The smallest round trip; `None` without exchanges.
    pub fn smallest_round_trip_ns(&self) -> Option<i64> {
        self.exchanges.iter().map(Exchange::round_trip_ns).min()
    }

    /// The offset at a moment of our clock; `None` without exchanges.
    pub fn at(&self, at_ns: i64) -> Option<Estimate> {
        let (first, last) = (self.exchanges.first()?, self.exchanges.last()?);
        // One that is on its way at that moment counts on both sides: no break lies within it.
        let mut before: Vec<Exchange> =
            self.exchanges.iter().filter(|one| one.t1_ns <= at_ns).copied().collect();
        let mut after: Vec<Exchange> =
            self.exchanges.iter().filter(|one| one.t4_ns >= at_ns).copied().collect();
        for side in [&mut before, &mut after] {
            side.sort_by_key(|one| (one.middle_ns() - at_ns).abs());
        }
        // Beyond the first and the last a break may lie between them and the others: they stand alone.
        if before.is_empty() {
            before.push(*first);
        }
        if after.is_empty() {
            after.push(*last);
        }
        let base_ns = before[0].t2_ns.saturating_sub(before[0].t1_ns);
        let of = |side: &[Exchange]| self.one_side(side, Moment { at_ns, base_ns });
        let sides = [of(&before)?, of(&after)?];
        let offset = sides[0].offset.cover(sides[1].offset);
        let here = Moment { at_ns, base_ns };
        let constraints = [before, after].map(|side| self.constraints(&side, here, at_ns)).concat();
        let both = left(&constraints, self.assumed.rate);
        let speeds = both.map_or(sides, |both| [both; 2]).map(|side| side.speed);
        let speed = if speeds[0].half() <= speeds[1].half() { speeds[0] } else { speeds[1] };
        let middle_ns = offset.middle().round();
        // Rounding the middle may move it away from one end by half a nanosecond.
        let bound_ns = (offset.half() + 0.5).ceil() as u64;
        Some(Estimate {
            at_ns,
            offset_ns: base_ns.saturating_add(middle_ns as i64),
            bound_ns,
            drift_ppb: speed.middle() * SECOND_NS,
            drift_bound_ppb: speed.half() * SECOND_NS,
            broken: both.is_none(),
        })
    }

    /// The breaks that the exchanges show; those that delays hide are not among them.
    pub fn breaks(&self) -> Vec<Break> {
        let (mut found, mut begin) = (Vec::new(), 0);
        for end in 1..self.exchanges.len() {
            let (last, this) = (self.exchanges[end - 1].middle_ns(), self.exchanges[end].middle_ns());
            let near = self
                .exchanges
                .partition_point(|one| one.middle_ns() < this.saturating_sub(self.assumed.horizon_ns));
            let run: Vec<Exchange> = self.exchanges[near.max(begin)..=end].iter().rev().copied().collect();
            let base_ns = run[0].t2_ns.saturating_sub(run[0].t1_ns);
            let constraints = self.constraints(&run, Moment { at_ns: this, base_ns }, this);
            if left(&constraints, self.assumed.rate).is_none() {
                found.push(Break { after_ns: last, before_ns: this });
                begin = end;
            }
        }
        found
    }

    /// What exchanges, nearest first, say about a moment: those within the horizon of the nearest.
    ///
    /// The line that they bound is the tangent to the offset at the moment `around_ns`: its distance from the offset grows from there.
    fn constraints(&self, nearest_first: &[Exchange], moment: Moment, around_ns: i64) -> Vec<Constraint> {
        let Some(nearest) = nearest_first.first() else { return Vec::new() };
        let here_ns = nearest.middle_ns();
        let within = |one: &&Exchange| (one.middle_ns() - here_ns).abs() <= self.assumed.horizon_ns;
        let constraint = |one: &Exchange| {
            // The middle is rounded down to a whole nanosecond.
            let half_ns = (one.t4_ns - one.t1_ns) as f64 / 2.0 + 0.5;
            let away_ns = (one.middle_ns() - around_ns).abs() as f64 + half_ns;
            let slack =
                self.assumed.resolution_ns as f64 + self.assumed.rate * half_ns + self.bent_ns(away_ns);
            let from_base = |offset_ns: i64| offset_ns.saturating_sub(moment.base_ns) as f64;
            Constraint {
                at: one.middle_ns().saturating_sub(moment.at_ns) as f64,
                low: from_base(one.t3_ns.saturating_sub(one.t4_ns)) - slack,
                high: from_base(one.t2_ns.saturating_sub(one.t1_ns)) + slack,
            }
        };
        nearest_first.iter().filter(within).map(constraint).collect()
    }

    /// How far the offset may be from its tangent, so far from where they touch.
    fn bent_ns(&self, away_ns: f64) -> f64 {
        let away_s = away_ns / SECOND_NS;
        self.assumed.wander_per_s * away_s * away_s / 2.0 * SECOND_NS
    }

    /// What the exchanges on one side leave, as far outwards as they agree: beyond that was a break.
    fn one_side(&self, nearest_first: &[Exchange], moment: Moment) -> Option<Left> {
        let constraints = self.constraints(nearest_first, moment, moment.at_ns);
        let of = |count: usize| left(&constraints[..count], self.assumed.rate);
        let (mut best, mut fit) = match of(constraints.len()) {
            Some(all) => (all, constraints.len()),
            None => (of(1)?, 1),
        };
        let mut unfit = constraints.len();
        while unfit - fit > 1 {
            let count = fit.midpoint(unfit);
            match of(count) {
                Some(more) => (best, fit) = (more, count),
                None => unfit = count,
            }
        }
        // Tangents elsewhere bound the offset too. Far from the moment they fit the exchanges there better.
        for part in 1..=TANGENTS {
            let around_ns = nearest_first[(fit * part / TANGENTS).max(1) - 1].middle_ns();
            let constraints = self.constraints(nearest_first, moment, around_ns);
            let Some(other) = left(&constraints[..fit], self.assumed.rate) else { continue };
            let bent = self.bent_ns((moment.at_ns - around_ns).abs() as f64);
            let offset = Interval { low: other.offset.low - bent, high: other.offset.high + bent };
            best.offset = best.offset.common(offset).unwrap_or(best.offset);
        }
        Some(best)
    }
}

/// A moment, and an offset from which others are counted: differences are exact, and small enough for floating point.
#[derive(Debug, Clone, Copy)]
struct Moment {
    at_ns: i64,
    base_ns: i64,
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: i64 = 1_000_000;

    /// An exchange at a moment with a clock ahead by `offset_ns`, with these delays there and back.
    fn exchange(at_ns: i64, offset_ns: i64, there_ns: i64, back_ns: i64) -> Exchange {
        let t2_ns = at_ns + there_ns + offset_ns;
        Exchange { t1_ns: at_ns, t2_ns, t3_ns: t2_ns, t4_ns: at_ns + there_ns + back_ns }
    }

    fn track(exchanges: impl IntoIterator<Item = Exchange>) -> Track {
        let mut track = Track::default();
        for one in exchanges {
            track.add(one).unwrap();
        }
        track
    }

    #[test]
    fn one_exchange_bounds_the_offset_by_half_its_round_trip() {
        let track = track([exchange(0, 3_600_000 * MS, MS, 3 * MS)]);
        let at = track.at(2 * MS).unwrap();
        // NTP's offset is wrong by half the asymmetry, the bound is half the round trip, and 2 us for the time that the exchange took.
        assert_eq!(at.offset_ns, 3_600_000 * MS - MS);
        assert!((2 * MS..=2 * MS + 2_100).contains(&(at.bound_ns as i64)), "{at:?}");
        // Ten seconds later it may have drifted by 10 ms more.
        let later = track.at(10_002 * MS).unwrap();
        assert!((12 * MS..=12 * MS + 60_000).contains(&(later.bound_ns as i64)), "{later:?}");
        assert!(Track::default().at(0).is_none());
    }

    #[test]
    fn a_good_exchange_serves_its_neighbours() {
        // Every fifth is quick; the clock drifts by 50 us a second.
        let of = |index: i64| {
            let away_ns = if index % 5 == 2 { MS / 10 } else { 8 * MS };
            exchange(index * 500 * MS, index * 25_000, away_ns, away_ns)
        };
        let track = track((0..60).map(of));
        let at = track.at(15_000 * MS + 8 * MS).unwrap();
        assert!(at.bound_ns < 150_000 && !at.broken, "{at:?}");
        assert!((at.offset_ns - 750_400).abs() < 150_000, "{at:?}");
        assert!((at.drift_ppb - 50_000.0).abs() < at.drift_bound_ppb, "{at:?}");
        assert!(at.drift_bound_ppb < 20_000.0, "{at:?}");
        assert_eq!((track.breaks(), track.smallest_round_trip_ns()), (vec![], Some(MS / 5)));
    }

    #[test]
    fn a_step_is_shown_and_both_sides_keep_their_own_offset() {
        let of =
            |index: i64| exchange(index * 1_000 * MS, if index < 10 { 0 } else { 400 * MS }, MS / 2, MS / 2);
        let track = track((0..20).map(of));
        let found = track.breaks();
        assert_eq!(found.len(), 1);
        assert!(found[0].after_ns < 9_001 * MS && found[0].before_ns > 9_999 * MS, "{found:?}");
        for (at_ns, offset_ns) in [(9_000 * MS + MS / 2, 0), (10_000 * MS + MS / 2, 400 * MS)] {
            let at = track.at(at_ns).unwrap();
            assert!(at.broken && (at.offset_ns - offset_ns).abs() <= at.bound_ns as i64, "{at:?}");
            assert!(at.bound_ns < 600_000, "{at:?}");
        }
        // In between it may have been either.
        let [low, high] = track.at(9_500 * MS).unwrap().ends_ns();
        assert!(low <= 0 && high >= 400 * MS);
    }

    #[test]
    fn of_two_paths_the_narrower_counts_unless_they_contradict_each_other() {
        let of = |offset_ns, away_ns| track([exchange(0, offset_ns, away_ns, away_ns)]).at(away_ns).unwrap();
        let (wide, narrow) = (of(0, 5 * MS), of(2 * MS, MS));
        assert_eq!((narrower(wide, narrow), narrower(narrow, wide)), (Ok(narrow), Ok(narrow)));
        let other = of(40 * MS, MS);
        assert_eq!(narrower(wide, other), Err(Contradiction(wide, other)));
    }

    #[test]
    fn what_is_forgotten_no_longer_counts_but_the_last_stays() {
        let mut track = track((0..5).map(|index| exchange(index * 1_000 * MS, 0, MS, MS)));
        track.forget_before(2_500 * MS);
        assert_eq!(track.exchanges().len(), 2);
        track.forget_before(i64::MAX);
        assert_eq!(track.exchanges().len(), 1);
    }
}
