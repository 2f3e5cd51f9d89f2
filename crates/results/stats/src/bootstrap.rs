//! Seeded bootstrap intervals that draw whole trials.
//!
//! Trials are drawn with replacement and each keeps all its messages: with two levels of data this reproduces
//! the variance better than drawing messages again within the drawn trials (A. C. Davison and D. V. Hinkley,
//! "Bootstrap Methods and their Application", 1997, section 3.8). A value per trial is the case of one
//! message.
//!
//! Intervals are bias-corrected and accelerated (BCa): B. Efron, "Better Bootstrap Confidence Intervals",
//! JASA 82 (1987); Efron and Tibshirani, "An Introduction to the Bootstrap", 1993, chapter 14; the
//! acceleration of several samples as in Davison and Hinkley, section 5.3. Where BCa is not defined (all
//! resamples on one side of the estimate), the interval is the percentile one, and its `method` says so.
//!
//! Limits: with few trials every bootstrap interval is too narrow (5 trials have only 126 different
//! resamples, and no resample leaves the observed range), the more so for high quantiles. The t interval does
//! not have that defect; the report shows both.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::distribution;
use crate::draw::Draws;
use crate::interval::{Interval, Method, NoInterval, enough_trials};
use crate::parameter::{Level, Quantile};
use crate::pool::Pool;
use crate::quantile;
use crate::sample::Sample;
use crate::statistic::Statistic;
use crate::tally::Tally;

/// Resamples by default: the end of a 95 % interval then moves by a few percent of its width from seed to
/// seed.
pub const DEFAULT_RESAMPLES: u32 = 2_000;

/// Settings of resampling. The same settings and data give the same interval, on every machine.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Bootstrap {
    /// Number of resamples, at least 1. [`DEFAULT_RESAMPLES`] is enough for 95 %.
    pub resamples: u32,
    /// Seed of the draws of trials.
    pub seed: u64,
    /// Confidence level of the interval.
    pub level: Level,
    /// Whether to correct for bias and acceleration (BCa), or to use plain percentiles.
    pub corrected: bool,
}

impl Bootstrap {
    /// BCa with [`DEFAULT_RESAMPLES`] at 95 %.
    pub fn seeded(seed: u64) -> Self {
        Self { resamples: DEFAULT_RESAMPLES, seed, level: Level::P95, corrected: true }
    }

    /// Interval of a statistic of values, one per trial.
    ///
    /// # Errors
    /// [`NoInterval::TooFewTrials`] with fewer than [`crate::MIN_TRIALS_FOR_INTERVAL`] values.
    pub fn values(&self, values: &Sample, statistic: Statistic) -> Result<Interval, NoInterval> {
        let pool = Pool::of_values(values);
        self.interval(&[pool.trials()], |drawn| pool.statistic(drawn[0], statistic))
    }

    /// Interval of a statistic of all messages of all trials, one sample per trial.
    ///
    /// # Errors
    /// [`NoInterval::TooFewTrials`] with fewer than [`crate::MIN_TRIALS_FOR_INTERVAL`] trials.
    pub fn messages(&self, trials: &[Sample], statistic: Statistic) -> Result<Interval, NoInterval> {
        let pool = Pool::of_trials(trials);
        self.interval(&[pool.trials()], |drawn| pool.statistic(drawn[0], statistic))
    }

    /// As [`Self::messages`], for trials with any number of messages: one tally per trial.
    ///
    /// # Errors
    /// [`NoInterval::TooFewTrials`] with fewer than [`crate::MIN_TRIALS_FOR_INTERVAL`] trials.
    pub fn tallies(&self, trials: &[Tally], statistic: Statistic) -> Result<Interval, NoInterval> {
        let pool = Pool::of_tallies(trials);
        self.interval(&[pool.trials()], |drawn| pool.statistic(drawn[0], statistic))
    }

    /// Interval of a statistic of `numerator` over the same of `denominator`, for independent sets of trials,
    /// one sample of messages (or of one value) per trial.
    ///
    /// # Errors
    /// [`NoInterval::TooFewTrials`] when either has fewer than [`crate::MIN_TRIALS_FOR_INTERVAL`] trials,
    /// [`NoInterval::NotFinite`] when a resampled denominator is 0.
    pub fn ratio(
        &self,
        numerator: &[Sample],
        denominator: &[Sample],
        statistic: Statistic,
    ) -> Result<Interval, NoInterval> {
        let (over, under) = (Pool::of_trials(numerator), Pool::of_trials(denominator));
        self.interval(&[over.trials(), under.trials()], |drawn| {
            over.statistic(drawn[0], statistic) / under.statistic(drawn[1], statistic)
        })
    }

    /// The interval of a statistic that `evaluate` computes from how often each trial of each group was
    /// drawn.
    fn interval(
        &self,
        group_sizes: &[usize],
        evaluate: impl Fn(&[&[u32]]) -> f64,
    ) -> Result<Interval, NoInterval> {
        for &size in group_sizes {
            enough_trials(size)?;
        }
        let evaluate_flat = |drawn: &[u32]| {
            let mut rest = drawn;
            let mut groups = Vec::with_capacity(group_sizes.len());
            for &size in group_sizes {
                let (group, after) = rest.split_at(size);
                groups.push(group);
                rest = after;
            }
            evaluate(&groups)
        };
        let estimate = evaluate_flat(&vec![1; group_sizes.iter().sum()]);
        let resampled = self.resampled(group_sizes, evaluate_flat);
        if !estimate.is_finite() || resampled.iter().any(|value| !value.is_finite()) {
            return Err(NoInterval::NotFinite);
        }
        let tail = self.level.error_rate() / 2.0;
        let adjusted = if self.corrected {
            corrected_tails(estimate, &resampled, acceleration(group_sizes, evaluate_flat), tail)
        } else {
            None
        };
        let method = if adjusted.is_some() { Method::BootstrapBca } else { Method::BootstrapPercentile };
        let (low, high) = adjusted.unwrap_or((tail, 1.0 - tail));
        let end = |fraction: f64| {
            let fraction = Quantile::new(fraction).map_err(|_| NoInterval::NotFinite)?;
            quantile::of_sorted(&resampled, fraction).ok_or(NoInterval::NotFinite)
        };
        Ok(Interval { low: end(low)?, high: end(high)?, level: self.level, method })
    }

    /// The statistic of every resample, ascending. Few trials repeat the same counts: each is evaluated once.
    fn resampled(&self, group_sizes: &[usize], evaluate: impl Fn(&[u32]) -> f64) -> Vec<f64> {
        let mut draws = Draws::seeded(self.seed);
        let mut known: HashMap<Vec<u32>, f64> = HashMap::new();
        let mut values: Vec<f64> = (0..self.resamples.max(1))
            .map(|_| {
                let mut drawn = vec![0_u32; group_sizes.iter().sum()];
                let mut start = 0;
                for &size in group_sizes {
                    for _ in 0..size {
                        drawn[start + draws.index(size)] += 1;
                    }
                    start += size;
                }
                if let Some(&value) = known.get(&drawn) {
                    return value;
                }
                let value = evaluate(&drawn);
                known.insert(drawn, value);
                value
            })
            .collect();
        values.sort_by(f64::total_cmp);
        values
    }
}

/// Acceleration by the jackknife over trials: a sixth of the skewness of the influence values, 0 when leaving
/// out any trial changes nothing.
fn acceleration(group_sizes: &[usize], evaluate: impl Fn(&[u32]) -> f64) -> f64 {
    let mut all = vec![1_u32; group_sizes.iter().sum()];
    let (mut cubes, mut squares, mut start) = (0.0, 0.0, 0);
    for &size in group_sizes {
        let without: Vec<f64> = (start..start + size)
            .map(|left_out| {
                all[left_out] = 0;
                let value = evaluate(&all);
                all[left_out] = 1;
                value
            })
            .collect();
        start += size;
        let count = size as f64;
        let mean = without.iter().sum::<f64>() / count;
        for value in without {
            let influence = (count - 1.0) * (mean - value);
            cubes += influence.powi(3) / count.powi(3);
            squares += influence.powi(2) / count.powi(2);
        }
    }
    let acceleration = cubes / (6.0 * squares.powf(1.5));
    if acceleration.is_finite() { acceleration } else { 0.0 }
}

/// The two fractions of the resamples between which BCa's interval lies; `None` where it is not defined.
fn corrected_tails(estimate: f64, resampled: &[f64], acceleration: f64, tail: f64) -> Option<(f64, f64)> {
    let below = resampled.partition_point(|&value| value < estimate);
    let up_to = resampled.partition_point(|&value| value <= estimate);
    // Resamples that equal the estimate count half on each side: statistics of few trials tie often.
    let bias = distribution::normal_quantile((below + up_to) as f64 / (2 * resampled.len()) as f64);
    if !bias.is_finite() {
        return None;
    }
    let corrected = |fraction: f64| {
        let shifted = bias + distribution::normal_quantile(fraction);
        distribution::normal(bias + shifted / (1.0 - acceleration * shifted)).lower
    };
    let (low, high) = (corrected(tail), corrected(1.0 - tail));
    (low < high).then_some((low, high))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn skewed(draws: &mut Draws, count: usize) -> Vec<f64> {
        (0..count).map(|_| -(1.0 - draws.index(1_000_000) as f64 / 1e6).ln()).collect()
    }

    #[test]
    fn the_seed_fixes_the_interval() {
        let values = Sample::new(skewed(&mut Draws::seeded(1), 12)).unwrap();
        let interval = |seed| Bootstrap::seeded(seed).values(&values, Statistic::Mean).unwrap();
        assert_eq!(interval(5), interval(5));
        assert_ne!(interval(5), interval(6));
    }

    #[test]
    fn trials_that_are_all_equal_give_an_interval_without_width() {
        let values = Sample::new(vec![33.0; 6]).unwrap();
        let interval = Bootstrap::seeded(1).values(&values, Statistic::Mean).unwrap();
        assert_eq!((interval.low, interval.high), (33.0, 33.0));
    }

    /// If trials differ and the messages of a trial hardly do, a thousand messages are no better than one.
    #[test]
    fn messages_of_a_trial_do_not_pass_for_independent_ones() {
        let levels = [10.0, 12.0, 9.0, 14.0, 11.0, 13.0];
        let trials: Vec<Sample> = levels
            .iter()
            .map(|level| {
                Sample::new((0..999).map(|index| level + f64::from(index) * 1e-6).collect::<Vec<_>>())
                    .unwrap()
            })
            .collect();
        let bootstrap = Bootstrap::seeded(2);
        let of_messages = bootstrap.messages(&trials, Statistic::Mean).unwrap();
        let of_trials = bootstrap.values(&Sample::new(levels.to_vec()).unwrap(), Statistic::Mean).unwrap();
        assert!((of_messages.half_width() / of_trials.half_width() - 1.0).abs() < 0.01);
    }

    #[test]
    fn ratios_need_enough_trials_and_a_denominator() {
        let ones: Vec<Sample> = (1..=5).map(|value| Sample::new(vec![f64::from(value)]).unwrap()).collect();
        let zeros: Vec<Sample> = (0..5).map(|_| Sample::new(vec![0.0]).unwrap()).collect();
        let bootstrap = Bootstrap::seeded(3);
        assert_eq!(bootstrap.ratio(&ones, &zeros, Statistic::Mean), Err(NoInterval::NotFinite));
        assert!(matches!(
            bootstrap.ratio(&ones, &ones[..4], Statistic::Mean),
            Err(NoInterval::TooFewTrials { have: 4, need: 5 })
        ));
        assert!(bootstrap.ratio(&ones, &ones, Statistic::Mean).unwrap().contains(1.0));
    }

    /// Coverage over 400 skewed samples of 30; a binomial with 0.95 has 4 standard deviations at 0.906.
    #[test]
    fn the_mean_of_skewed_values_is_covered_about_as_often_as_promised() {
        let mut draws = Draws::seeded(21);
        let covered = (0..400)
            .filter(|&round| {
                let values = Sample::new(skewed(&mut draws, 30)).unwrap();
                let bootstrap = Bootstrap { resamples: 1000, ..Bootstrap::seeded(round) };
                bootstrap.values(&values, Statistic::Mean).unwrap().contains(1.0)
            })
            .count();
        assert!((363..=398).contains(&covered), "{covered} of 400");
    }
}
