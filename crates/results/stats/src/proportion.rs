//! Proportions (loss, lateness) with Clopper and Pearson's, and Korn and Graubard's intervals.
//!
//! The first two assume independent messages with one probability. If a link loses in bursts, or trials differ, they are too narrow: then
//! [`Proportion::over_trials`] uses the variation between trials.

use serde::{Deserialize, Serialize};

use crate::distribution;
use crate::interval::{Interval, MIN_TRIALS_FOR_INTERVAL, Method};
use crate::parameter::{Level, OutOfRange};

/// A count out of a total: `hits` of `total`, with `total` at least 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Counts", into = "Counts")]
pub struct Proportion {
    hits: u64,
    total: u64,
}

/// A proportion as stored in a file.
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

    /// Number of cases with the event.
    pub fn hits(self) -> u64 {
        self.hits
    }

    /// Number of all cases, at least 1.
    pub fn total(self) -> u64 {
        self.total
    }

    /// Hits divided by total, 0..1.
    pub fn ratio(self) -> f64 {
        self.hits as f64 / self.total as f64
    }

    /// Clopper and Pearson's interval: its coverage is never below the level, and mostly above. Source: C. J. Clopper and E. S. Pearson,
    /// "The Use of Confidence or Fiducial Limits", Biometrika 26 (1934), in the form with beta quantiles.
    pub fn clopper_pearson(self, level: Level) -> Interval {
        exact(self.hits as f64, self.total as f64, level, Method::ClopperPearson)
    }

    /// The interval of this share minus another, independent one's, from Clopper and Pearson's of each. Source: R. G. Newcombe, "Interval
    /// Estimation for the Difference between Independent Proportions", Statistics in Medicine 17 (1998), method 10, which squares and adds
    /// the distances of the ends; with exact ends instead of Wilson's it is wider.
    pub fn difference(self, other: Self, level: Level) -> [f64; 2] {
        let (own, others) = (self.clopper_pearson(level), other.clopper_pearson(level));
        let (one, two) = (self.ratio(), other.ratio());
        let difference = one - two;
        [
            difference - (one - own.low).hypot(others.high - two),
            difference + (own.high - one).hypot(two - others.low),
        ]
    }

    /// All hits of all trials.
    fn sum(trials: &[Proportion]) -> Option<Proportion> {
        let sum = |of: fn(&Proportion) -> u64| trials.iter().map(of).sum();
        Self::new(sum(|trial| trial.hits), sum(|trial| trial.total)).ok()
    }

    /// The share over all trials with an interval that is valid if messages of a trial are not independent: Clopper and Pearson's, for as
    /// many independent messages as would vary like the trials do. Source: E. L. Korn and B. I. Graubard, "Confidence Intervals for
    /// Proportions with Small Expected Number of Positive Counts Estimated from Survey Data", Survey Methodology 24 (1998), with the trial
    /// as the cluster: n* = p (1 - p) / v, times (t(n - 1) / t(k - 1)) squared for the few trials that v is estimated from, and at most n.
    /// v is the variance of a ratio of sums over k trials, k / (k - 1) sum (h - p m)^2 / n^2 with h hits of m in a trial.
    ///
    /// With fewer than [`MIN_TRIALS_FOR_INTERVAL`] trials, and if all trials have the same share (none lost), nothing shows how they vary:
    /// then it is Clopper and Pearson's for the messages. `None` without trials.
    pub fn over_trials(trials: &[Proportion], level: Level) -> Option<(Proportion, Interval)> {
        let all = Self::sum(trials)?;
        let (count, total, ratio) = (trials.len() as f64, all.total as f64, all.ratio());
        let off = |trial: &Proportion| (trial.hits as f64 - ratio * trial.total as f64).powi(2);
        let squares: f64 = trials.iter().map(off).sum();
        let variance = count / (count - 1.0) * squares / (total * total);
        if trials.len() < MIN_TRIALS_FOR_INTERVAL || variance <= 0.0 {
            return Some((all, all.clopper_pearson(level)));
        }
        let t = |freedom| distribution::student_t_quantile(freedom, 1.0 - level.error_rate() / 2.0);
        let fewer = (t(total - 1.0) / t(count - 1.0)).powi(2);
        let effective = (ratio * (1.0 - ratio) / variance * fewer).min(total);
        Some((all, exact(ratio * effective, effective, level, Method::KornGraubard)))
    }
}

/// The interval by beta quantiles; `hits` and `total` need not be whole.
fn exact(hits: f64, total: f64, level: Level, method: Method) -> Interval {
    let (tail, misses) = (level.error_rate() / 2.0, total - hits);
    let low = if hits <= 0.0 { 0.0 } else { distribution::beta_quantile(hits, misses + 1.0, tail) };
    let high = if misses <= 0.0 { 1.0 } else { distribution::beta_quantile(hits + 1.0, misses, 1.0 - tail) };
    Interval { low, high, level, method }
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
    use crate::draw::Draws;

    /// Newcombe's table 2, row (a): 56 of 70 minus 48 of 80 is [0.0524, 0.3339] by Wilson's ends; exact ends lie slightly further out.
    #[test]
    fn the_difference_of_two_shares_is_as_wide_as_both_are_uncertain() {
        let share = |hits, total| Proportion::new(hits, total).unwrap();
        let [low, high] = share(56, 70).difference(share(48, 80), Level::P95);
        assert!((0.03..0.0524).contains(&low) && (0.3339..0.36).contains(&high), "{low} {high}");
        let [low, high] = share(5, 50).difference(share(5, 50), Level::P95);
        assert!(low < -0.1 && (low + high).abs() < 1e-12, "{low} {high}");
        let none = share(0, 100).clopper_pearson(Level::P95).high;
        assert_eq!(share(0, 100).difference(share(0, 100), Level::P95), [-none, none]);
    }

    /// No loss in n messages: the exact upper limit solves (1 - p)^n = 0.025.
    #[test]
    fn nothing_lost_still_has_an_upper_limit() {
        let none = Proportion::new(0, 400).unwrap();
        let exact = none.clopper_pearson(Level::P95);
        assert_eq!(exact.low, 0.0);
        assert!((exact.high - (1.0 - 0.025_f64.powf(1.0 / 400.0))).abs() < 1e-13);
    }

    #[test]
    fn hits_and_misses_mirror_each_other() {
        for hits in 0..=20 {
            let (one, other) = (Proportion::new(hits, 20).unwrap(), Proportion::new(20 - hits, 20).unwrap());
            let (a, b) = (one.clopper_pearson(Level::P95), other.clopper_pearson(Level::P95));
            assert!((a.low - (1.0 - b.high)).abs() < 1e-14 && (a.high - (1.0 - b.low)).abs() < 1e-14);
            assert!(a.contains(one.ratio()), "{a:?}");
        }
    }

    /// The promised coverage is checked by summing binomial probabilities exactly.
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

    fn of(trials: &[(u64, u64)]) -> Vec<Proportion> {
        trials.iter().map(|&(hits, total)| Proportion::new(hits, total).unwrap()).collect()
    }

    #[test]
    fn trials_that_differ_widen_the_interval_and_no_loss_still_has_an_upper_limit() {
        let level = Level::P95;
        let bursts = of(&[(0, 100), (40, 100), (0, 100), (0, 100), (10, 100)]);
        let (all, interval) = Proportion::over_trials(&bursts, level).unwrap();
        let independent = all.clopper_pearson(level);
        assert_eq!((all.hits(), all.total(), interval.method), (50, 500, Method::KornGraubard));
        assert!(
            interval.high > 2.0 * independent.high && interval.low < independent.low / 2.0,
            "{interval:?}"
        );
        assert!(interval.contains(all.ratio()) && interval.low >= 0.0 && interval.high <= 1.0);
        // Nothing shows how they vary: the messages decide.
        for same in [of(&[(0, 80); 5]), of(&[(3, 80); 5]), of(&[(80, 80); 5]), of(&[(0, 80), (3, 80)])] {
            let (all, interval) = Proportion::over_trials(&same, level).unwrap();
            assert_eq!(interval, all.clopper_pearson(level));
            assert!(interval.low < interval.high);
        }
        assert_eq!(Proportion::over_trials(&[], level), None);
    }

    /// 1,000 simulated runs of 10 trials with 100 messages and a share of 10 % on average; a binomial with 0.95 has four
    /// standard deviations at 922. In the second half each trial loses 2 % or 18 %.
    #[test]
    fn a_share_that_differs_from_trial_to_trial_is_covered_as_promised() {
        let seed = 41;
        let mut draws = Draws::seeded(seed);
        let mut covered = |shares: [f64; 2]| {
            let mut counts = [0; 2];
            for _ in 0..1_000 {
                let trials = (0..10).map(|_| {
                    let share = shares[draws.index(2)];
                    let lost =
                        (0..100).filter(|_| (draws.index(1 << 20) as f64) < share * f64::from(1 << 20));
                    Proportion::new(lost.count() as u64, 100).unwrap()
                });
                let trials: Vec<Proportion> = trials.collect();
                let (all, by_trials) = Proportion::over_trials(&trials, Level::P95).unwrap();
                for (count, interval) in counts.iter_mut().zip([all.clopper_pearson(Level::P95), by_trials]) {
                    *count += usize::from(interval.contains(0.1));
                }
            }
            counts
        };
        let [by_messages, by_trials] = covered([0.1, 0.1]);
        assert!(by_messages >= 922 && by_trials >= 922, "seed {seed}: {by_messages} and {by_trials}");
        let [by_messages, by_trials] = covered([0.02, 0.18]);
        assert!(by_messages < 850 && by_trials >= 922, "seed {seed}: {by_messages} and {by_trials}");
    }

    #[test]
    fn impossible_counts_are_refused() {
        assert!(Proportion::new(0, 0).is_err());
        assert!(Proportion::new(3, 2).is_err());
    }
}
