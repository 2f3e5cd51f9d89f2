//! Where an estimate lies relative to the bounds of its condition: as claimed, against it, equal, or not shown; how far from the nearest bound; and how
//! many repeats would show it.
//!
//! A figure that is claimed to be less than another may also be shown to be equal: the interval at the level of refutation lies within 1 /
//! (1 + tie) and 1 + tie, which is equivalence by two one-sided tests (D. J. Schuirmann, J. Pharmacokinet. Biopharm. 15, 1987). That is neither for
//! the claim nor against it, and only a difference beyond it is against. Bytes that never vary are equal only if they are the same.

use wiredyno_stats::power;

use crate::compare::{Corrections, Estimate, Scale, level};
use crate::expand::{Asked, Question};
use crate::verdict::{MOST_REPEATS, Standing};

/// The probability with which the repeats that are named decide.
const POWER: f64 = 0.8;

/// A condition with the tie that it allows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    asked: Asked,
    /// How far two figures may differ and still be equal; 0 where only the same is equal.
    tie: f64,
}

/// Gives a question's bounds.
pub(crate) trait Bounded {
    fn bounds(&self, tie: f64) -> Bounds;
}

impl Bounded for Question {
    /// Trends add up from value to value: they have no tie.
    fn bounds(&self, tie: f64) -> Bounds {
        Bounds { asked: self.asked, tie: if self.is_of_figures() { tie } else { 0.0 } }
    }
}

impl Bounds {
    /// The tie on the scale of an estimate: from and to.
    fn tie(&self, estimate: &Estimate) -> [f64; 2] {
        match estimate.scale {
            Scale::Ratio if !estimate.exact => [1.0 / (1.0 + self.tie), 1.0 + self.tie],
            scale => [scale.equal(); 2],
        }
    }

    /// The result that an estimate shows; `None` if a ratio is needed and there is none.
    pub(crate) fn outcome(&self, estimate: &Estimate) -> Option<Standing> {
        let [_, highest_holding] = estimate.interval_holding;
        let [lowest, highest] = estimate.interval_failing;
        let (holds, fails, tie) = match (self.asked, estimate.scale) {
            (Asked::Less, scale) => {
                let [from, to] = self.tie(estimate);
                let tie = lowest >= from && highest <= to;
                (highest_holding < scale.equal(), lowest >= to && !tie, tie)
            }
            (Asked::Within(least, most), Scale::Ratio | Scale::Value) => {
                let [low, high] = estimate.interval_holding;
                (low >= least && high <= most, lowest > most || highest < least, false)
            }
            (Asked::Within(..), Scale::Difference) => return None,
        };
        Some(match (tie, holds, fails) {
            (true, ..) => Standing::Tie,
            (_, true, _) => Standing::Holds,
            (_, _, true) => Standing::Fails,
            _ => Standing::Open,
        })
    }

    /// On a scale on which distances add up: logarithms of ratios.
    fn on_scale(estimate: &Estimate, value: f64) -> f64 {
        if estimate.scale == Scale::Ratio { value.ln() } else { value }
    }

    /// The bounds between which it holds, on that scale.
    fn ends(&self, estimate: &Estimate) -> [f64; 2] {
        match self.asked {
            Asked::Less => [f64::NEG_INFINITY, Self::on_scale(estimate, estimate.scale.equal())],
            Asked::Within(least, most) => [least, most].map(|end| Self::on_scale(estimate, end)),
        }
    }

    /// The distance of the estimate from the nearest bound.
    pub(crate) fn distance(&self, estimate: &Estimate) -> f64 {
        let value = Self::on_scale(estimate, estimate.value);
        self.ends(estimate).map(|end| (value - end).abs()).into_iter().fold(f64::INFINITY, f64::min)
    }

    /// For an estimate that shows nothing: the fewest repeats with which it would, and what it would show.
    pub(crate) fn decides(
        &self,
        estimate: &Estimate,
        corrections: Corrections,
    ) -> (Option<usize>, Option<Standing>) {
        let value = Self::on_scale(estimate, estimate.value);
        let [least, most] = self.ends(estimate);
        let [tie_from, tie_to] = self.tie(estimate).map(|end| Self::on_scale(estimate, end));
        let is_less = self.asked == Asked::Less;
        let inside = (value - least).min(most - value);
        // What it could show, with the distance to the bound that its interval must clear.
        let mut showable = Vec::new();
        if inside > 0.0 {
            showable.push((Standing::Holds, inside, corrections.holding));
        }
        if is_less && value > tie_from && value < tie_to {
            showable.push((Standing::Tie, (value - tie_from).min(tie_to - value), corrections.failing));
        }
        let outside = if is_less { value - tie_to } else { (least - value).max(value - most) };
        if outside > 0.0 {
            showable.push((Standing::Fails, outside, corrections.failing));
        }
        let repeats = |distance: f64, by: usize| {
            let level = level(by).ok()?;
            power::pairs_needed(distance, estimate.deviation, level, POWER, MOST_REPEATS)
        };
        let fewest = showable
            .into_iter()
            .filter_map(|(standing, distance, by)| Some((repeats(distance, by)?, standing)))
            .min_by_key(|(repeats, _)| *repeats);
        match fewest {
            // An estimate that shows nothing with as many repeats as would probably do: it needs more than it has.
            Some((repeats, standing)) => (Some(repeats.max(estimate.trials + 1)), Some(standing)),
            None => (None, None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate(value: f64, half: f64) -> Estimate {
        let interval = [value * (1.0 - half), value * (1.0 + half)];
        Estimate {
            scale: Scale::Ratio,
            value,
            interval_95: interval,
            interval_holding: interval,
            interval_failing: interval,
            trials: 10,
            deviation: half,
            exact: half == 0.0,
        }
    }

    const LESS: Bounds = Bounds { asked: Asked::Less, tie: 0.05 };

    /// The cases of a claim that one is less than another, at every place of the estimate.
    #[test]
    fn a_tie_is_no_refutation_and_only_a_difference_beyond_it_is() {
        for (value, half, outcome) in [
            (0.5, 0.1, Standing::Holds),
            (0.96, 0.03, Standing::Holds),
            // Shown to be less, by less than a tie: nobody would choose by it.
            (0.99, 0.002, Standing::Tie),
            (1.002, 0.01, Standing::Tie),
            (0.999, 0.01, Standing::Tie),
            // Shown to be more, but it may be a tie.
            (1.04, 0.02, Standing::Open),
            (1.06, 0.02, Standing::Open),
            (1.06, 0.005, Standing::Fails),
            (0.98, 0.1, Standing::Open),
            (1.5, 0.1, Standing::Fails),
            // Bytes are known exactly: one byte of a thousand counts, and the same number is a tie.
            (0.999, 0.0, Standing::Holds),
            (1.0, 0.0, Standing::Tie),
            (1.001, 0.0, Standing::Fails),
        ] {
            assert_eq!(LESS.outcome(&estimate(value, half)), Some(outcome), "{value} {half}");
        }
    }

    /// Whatever the interval, exactly one thing is shown, and swapping the sides never makes both hold.
    #[test]
    fn no_two_opposite_claims_both_hold_or_both_fail() {
        for value in [0.3, 0.8, 0.94, 0.97, 0.999, 1.0, 1.001, 1.03, 1.07, 1.2, 3.0] {
            for half in [0.0, 0.001, 0.01, 0.04, 0.2] {
                let one = estimate(value, half);
                let [low, high] = one.interval_95;
                let other = Estimate {
                    value: 1.0 / value,
                    interval_95: [1.0 / high, 1.0 / low],
                    interval_holding: [1.0 / high, 1.0 / low],
                    interval_failing: [1.0 / high, 1.0 / low],
                    ..one
                };
                let both = [LESS.outcome(&one).unwrap(), LESS.outcome(&other).unwrap()];
                assert_ne!(both, [Standing::Holds; 2], "{value} {half}");
                assert_ne!(both, [Standing::Fails; 2], "{value} {half}");
                let ties = both.iter().filter(|standing| **standing == Standing::Tie).count();
                assert!(ties != 1, "a tie is one from both sides: {value} {half} {both:?}");
            }
        }
    }

    #[test]
    fn the_distance_is_from_the_nearest_bound_not_from_one() {
        let within = Bounds { asked: Asked::Within(4.0, 6.0), tie: 0.05 };
        let near = within.distance(&estimate(4.1, 0.01));
        let far = within.distance(&estimate(4.9, 0.01));
        assert!(near < far, "{near} {far}");
        assert!((LESS.distance(&estimate(0.5, 0.01)) - 2f64.ln()).abs() < 1e-12);
        let at_least = Bounds { asked: Asked::Within(2.0, f64::INFINITY), tie: 0.0 };
        assert!((at_least.distance(&estimate(4.0, 0.01)) - 2f64.ln()).abs() < 1e-12);
    }

    #[test]
    fn repeats_that_decide_grow_as_the_bound_comes_near_and_are_not_named_on_it() {
        let one = Corrections::of(1, 1);
        let repeats = |value: f64| LESS.decides(&estimate(value, 0.2), one);
        let (Some(far), Some(Standing::Holds)) = repeats(0.8) else { panic!() };
        let (Some(near), Some(Standing::Holds)) = repeats(0.92) else { panic!() };
        assert!(far < near, "{far} {near}");
        assert_eq!(repeats(1.3).1, Some(Standing::Fails));
        // Equal figures are shown to be equal.
        assert_eq!(repeats(1.0).1, Some(Standing::Tie));
        let within = Bounds { asked: Asked::Within(2.0, 3.0), tie: 0.0 };
        assert_eq!(within.decides(&estimate(2.000_1, 0.2), one), (None, None));
    }
}
