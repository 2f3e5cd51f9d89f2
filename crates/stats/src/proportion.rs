//! Proportions (loss, lateness) with Wilson's and Clopper and Pearson's intervals.
//!
//! Both assume independent messages with one probability. Where a link loses in bursts, or trials differ,
//! they are too narrow: then use [`crate::Bootstrap::ratio_of_sums`] with (lost, sent) of each trial.

use serde::{Deserialize, Serialize};

use crate::distribution;
use crate::interval::{Interval, Method};
use crate::parameter::{Level, OutOfRange};

/// So many of so many: `hits` of `total`, with `total` at least 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Counts", into = "Counts")]
pub struct Proportion {
    hits: u64,
    total: u64,
}

/// What a proportion looks like in a file.
#[derive(Serialize, Deserialize)]
struct Counts {
    hits: u64,
    total: u64,
}

impl Proportion {
    /// # Errors
    /// [`OutOfRange`] when `total` is 0 or `hits` is more than `total`.
    pub fn new(hits: u64, total: u64) -> Result<Self, OutOfRange> {
        if total == 0 {
            return Err(OutOfRange::new("total of a proportion", total, "at least 1"));
        }
        if hits > total {
            return Err(OutOfRange::new("hits of a proportion", hits, "at most the total"));
        }
        Ok(Self { hits, total })
    }

    /// How many it happened to.
    pub fn hits(self) -> u64 {
        self.hits
    }

    /// Out of how many.
    pub fn total(self) -> u64 {
        self.total
    }

    /// The ratio, 0..1.
    pub fn ratio(self) -> f64 {
        self.hits as f64 / self.total as f64
    }

    /// Wilson's score interval: the probabilities that a normal test would not reject. Its coverage is near
    /// the level on average, at 0 and at all hits too. Source: E. B. Wilson, "Probable Inference, the Law of
    /// Succession, and Statistical Inference", JASA 22 (1927); recommended by Brown, Cai and DasGupta,
    /// "Interval Estimation for a Binomial Proportion", Statistical Science 16 (2001).
    pub fn wilson(self, level: Level) -> Interval {
        let z = distribution::normal_quantile(1.0 - level.error_rate() / 2.0);
        let (count, ratio) = (self.total as f64, self.ratio());
        let shrink = 1.0 + z * z / count;
        let centre = (ratio + z * z / (2.0 * count)) / shrink;
        let half = z / shrink * (ratio * (1.0 - ratio) / count + z * z / (4.0 * count * count)).sqrt();
        // At no hits and at all hits the formula gives 0 and 1 exactly, but for rounding.
        let low = if self.hits == 0 { 0.0 } else { (centre - half).max(0.0) };
        let high = if self.hits == self.total { 1.0 } else { (centre + half).min(1.0) };
        Interval { low, high, level, method: Method::Wilson }
    }

    /// Clopper and Pearson's interval: its coverage is never below the level, and mostly above. Source:
    /// C. J. Clopper and E. S. Pearson, "The Use of Confidence or Fiducial Limits", Biometrika 26 (1934), in
    /// the form with beta quantiles.
    pub fn clopper_pearson(self, level: Level) -> Interval {
        let tail = level.error_rate() / 2.0;
        let (hits, misses) = (self.hits as f64, (self.total - self.hits) as f64);
        let low = if self.hits == 0 { 0.0 } else { distribution::beta_quantile(hits, misses + 1.0, tail) };
        let high = if self.hits == self.total {
            1.0
        } else {
            distribution::beta_quantile(hits + 1.0, misses, 1.0 - tail)
        };
        Interval { low, high, level, method: Method::ClopperPearson }
    }
}

impl TryFrom<Counts> for Proportion {
    type Error = OutOfRange;

    fn try_from(counts: Counts) -> Result<Self, OutOfRange> {
        Self::new(counts.hits, counts.total)
    }
}

impl From<Proportion> for Counts {
    fn from(proportion: Proportion) -> Self {
        Self { hits: proportion.hits, total: proportion.total }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No loss in n messages: the exact upper limit solves (1 - p)^n = 0.025.
    #[test]
    fn nothing_lost_still_has_an_upper_limit() {
        let none = Proportion::new(0, 400).unwrap();
        let exact = none.clopper_pearson(Level::P95);
        assert_eq!(exact.low, 0.0);
        assert!((exact.high - (1.0 - 0.025_f64.powf(1.0 / 400.0))).abs() < 1e-13);
        assert_eq!(none.wilson(Level::P95).low, 0.0);
    }

    #[test]
    fn hits_and_misses_mirror_each_other() {
        for hits in 0..=20 {
            let (one, other) = (Proportion::new(hits, 20).unwrap(), Proportion::new(20 - hits, 20).unwrap());
            for (a, b) in [
                (one.wilson(Level::P95), other.wilson(Level::P95)),
                (one.clopper_pearson(Level::P95), other.clopper_pearson(Level::P95)),
            ] {
                assert!((a.low - (1.0 - b.high)).abs() < 1e-14 && (a.high - (1.0 - b.low)).abs() < 1e-14);
                assert!(a.contains(one.ratio()), "{a:?}");
            }
        }
    }

    /// The coverage promised is checked by summing binomial probabilities exactly.
    #[test]
    fn clopper_pearson_never_covers_less_than_the_level() {
        let total = 40_u64;
        let intervals: Vec<Interval> = (0..=total)
            .map(|hits| Proportion::new(hits, total).unwrap().clopper_pearson(Level::P95))
            .collect();
        for percent in 1..100 {
            let truth = f64::from(percent) / 100.0;
            let mut probability = (1.0 - truth).powi(total as i32);
            let mut covered = 0.0;
            for (hits, interval) in intervals.iter().enumerate() {
                if interval.contains(truth) {
                    covered += probability;
                }
                probability *= (total as f64 - hits as f64) / (hits as f64 + 1.0) * truth / (1.0 - truth);
            }
            assert!(covered >= 0.95, "{truth}: {covered}");
        }
    }

    #[test]
    fn impossible_counts_are_refused() {
        assert!(Proportion::new(0, 0).is_err());
        assert!(Proportion::new(3, 2).is_err());
    }
}
