//! Compares one number with another, both by repeat: their ratio with its intervals.
//!
//! Trials of one repeat had the same conditions, so repeats are compared one by one if at least five are shared: with a t interval of the mean
//! logarithm of the ratio, otherwise Welch's of the two means of logarithms. Sizes that are the same in every trial are known exactly.

use std::collections::BTreeMap;

use serde::Serialize;
use wiredyno_stats::t_test::{self, TTest};
use wiredyno_stats::{Interval, Level, MIN_TRIALS_FOR_INTERVAL, Sample};

use crate::measured::Measured;

/// The scale of an estimate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scale {
    /// One divided by the other: 1 if equal.
    Ratio,
    /// One minus the other, in their unit: if one of them is 0.
    Difference,
    /// A single figure, in its unit, without a second.
    Value,
}

impl Scale {
    /// Its value if the two are equal.
    pub const fn equal(self) -> f64 {
        match self {
            Scale::Ratio => 1.0,
            Scale::Difference | Scale::Value => 0.0,
        }
    }
}

/// The numbers that levels are divided by, so that "at least k of n comparisons hold" is wrong at most as often as one comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Corrections {
    /// For showing that one holds: n - k + 1. All of n need none (R. L. Berger, Technometrics 24, 1982).
    pub holding: usize,
    /// For showing that one fails: k. Any of n is Bonferroni's n.
    pub failing: usize,
}

impl Corrections {
    /// For a claim that at least `needed` of `comparisons` hold: both are partial conjunctions, each with Bonferroni's combination (Y. Benjamini
    /// and R. Heller, "Screening for Partial Conjunction Hypotheses", Biometrics 64, 2008).
    pub(crate) fn of(needed: usize, comparisons: usize) -> Self {
        Corrections { holding: (comparisons + 1).saturating_sub(needed).max(1), failing: needed.max(1) }
    }
}

/// The estimated relation of two figures.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Estimate {
    /// The scale of the numbers.
    pub scale: Scale,
    /// The estimate, on its scale.
    pub value: f64,
    /// Its 95 % interval, not corrected.
    pub interval_95: [f64; 2],
    /// Its interval at the level that shows that the claim holds here.
    pub interval_holding: [f64; 2],
    /// Its interval at the level that shows that the claim fails here.
    pub interval_failing: [f64; 2],
    /// The trials behind it: pairs, or the smaller of two numbers.
    pub trials: usize,
    /// Standard deviation of a pair's value, of the logarithm for a ratio; 0 if nothing varied.
    pub deviation: f64,
    /// Whether nothing varied: the intervals have no width.
    pub exact: bool,
}

/// Compares two sets of trials.
///
/// # Errors
/// With the reason why nothing can be concluded, a sentence.
pub(crate) fn compare(
    left: &BTreeMap<u32, f64>,
    right: &BTreeMap<u32, f64>,
    deterministic: bool,
    corrections: Corrections,
) -> Result<Estimate, String> {
    if deterministic
        && let (Some(left), Some(right)) = (constant(left), constant(right))
        && right > 0.0
    {
        let value = left / right;
        let interval = [value, value];
        return Ok(Estimate {
            scale: Scale::Ratio,
            value,
            interval_95: interval,
            interval_holding: interval,
            interval_failing: interval,
            trials: 0,
            deviation: 0.0,
            exact: true,
        });
    }
    let positive = left.values().chain(right.values()).all(|&value| value > 0.0);
    let scale = if positive { Scale::Ratio } else { Scale::Difference };
    let on = |value: f64| if positive { value.ln() } else { value };
    let back = |value: f64| if positive { value.exp() } else { value };
    let (test, trials) = difference(left, right, on)?;
    let at = |interval: Interval| [back(interval.low), back(interval.high)];
    let corrected = |by| level(by).map(|level| at(test.at_level(level).interval));
    Ok(Estimate {
        scale,
        value: back(test.difference),
        interval_95: at(test.interval),
        interval_holding: corrected(corrections.holding)?,
        interval_failing: corrected(corrections.failing)?,
        trials,
        deviation: test.standard_error * (trials as f64).sqrt(),
        exact: test.standard_error == 0.0,
    })
}

/// A figure in its unit with the interval of its mean over trials; if the run gives one, too (for a share, which has an upper end even if
/// nothing was lost), the interval spans both.
///
/// # Errors
/// With the reason why nothing can be concluded, a sentence.
pub(crate) fn in_its_unit(measured: &Measured, corrections: Corrections) -> Result<Estimate, String> {
    let known = measured.interval_95.unwrap_or([f64::INFINITY, f64::NEG_INFINITY]);
    let with_known = |interval: Interval| [interval.low.min(known[0]), interval.high.max(known[1])];
    let sample = Sample::new(measured.by_repeat.values().copied().collect::<Vec<_>>());
    let sample = sample.map_err(|error| error.to_string())?;
    let interval = |level| {
        let interval = wiredyno_stats::mean_interval(&sample, level).map(with_known);
        interval.map_err(|_| too_few(sample.count()))
    };
    let interval_95 = interval(Level::P95)?;
    Ok(Estimate {
        scale: Scale::Value,
        value: sample.mean(),
        interval_95,
        interval_holding: interval(level(corrections.holding)?)?,
        interval_failing: interval(level(corrections.failing)?)?,
        trials: sample.count(),
        deviation: sample.variance().unwrap_or(0.0).sqrt(),
        exact: interval_95[0] == interval_95[1],
    })
}

/// The level whose error rate is 5 % divided by this.
pub(crate) fn level(by: usize) -> Result<Level, String> {
    Level::new(1.0 - Level::P95.error_rate() / by.max(1) as f64).map_err(|error| error.to_string())
}

fn too_few(trials: usize) -> String {
    let plural = if trials == 1 { "" } else { "s" };
    format!(
        "only {trials} valid trial{plural} to compare: run at least {MIN_TRIALS_FOR_INTERVAL} repeats for an interval"
    )
}

/// The value that all trials share, if they do.
fn constant(by_repeat: &BTreeMap<u32, f64>) -> Option<f64> {
    let mut values = by_repeat.values();
    let first = *values.next()?;
    values.all(|&value| value == first).then_some(first)
}

fn difference(
    left: &BTreeMap<u32, f64>,
    right: &BTreeMap<u32, f64>,
    on: impl Fn(f64) -> f64,
) -> Result<(TTest, usize), String> {
    let too_few = || too_few(left.len().min(right.len()));
    let shared = left.iter().filter_map(|(repeat, &value)| Some(on(value) - on(*right.get(repeat)?)));
    let shared: Vec<f64> = shared.collect();
    if shared.len() >= MIN_TRIALS_FOR_INTERVAL {
        let sample = Sample::new(shared).map_err(|error| error.to_string())?;
        let pairs = sample.count();
        return t_test::paired(&sample, Level::P95).map(|test| (test, pairs)).map_err(|_| too_few());
    }
    let sample =
        |values: &BTreeMap<u32, f64>| Sample::new(values.values().map(|&v| on(v)).collect::<Vec<_>>());
    match (sample(left), sample(right)) {
        (Ok(left), Ok(right)) => {
            let trials = left.count().min(right.count());
            t_test::welch(&left, &right, Level::P95).map(|test| (test, trials)).map_err(|_| too_few())
        }
        _ => Err(too_few()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trials(values: &[f64]) -> BTreeMap<u32, f64> {
        (0..).zip(values.iter().copied()).collect()
    }

    #[test]
    fn what_repeats_share_does_not_widen_the_interval() {
        let left = trials(&[200.0, 280.0, 180.0, 240.0, 322.0]);
        let right = trials(&[100.0, 140.0, 90.0, 120.0, 160.0]);
        let estimate = compare(&left, &right, false, Corrections::of(4, 4)).unwrap();
        assert!((estimate.value - 2.0).abs() < 0.01, "{estimate:?}");
        assert!(estimate.interval_95[0] > 1.99 && estimate.interval_95[1] < 2.02, "{estimate:?}");
        assert!(estimate.interval_failing[0] < estimate.interval_95[0]);
    }

    #[test]
    fn a_share_of_comparisons_is_corrected_in_both_directions() {
        let both = |needed, comparisons| {
            let Corrections { holding, failing } = Corrections::of(needed, comparisons);
            (holding, failing)
        };
        assert_eq!(both(1, 1), (1, 1));
        // All must hold: no correction to hold, Bonferroni to fail.
        assert_eq!(both(30, 30), (1, 30));
        // One of thirty: the other way round.
        assert_eq!(both(1, 30), (30, 1));
        assert_eq!(both(24, 30), (7, 24));
    }

    #[test]
    fn sizes_need_no_repeats_and_times_do() {
        let (left, right) = (trials(&[165.0]), trials(&[41.0]));
        let estimate = compare(&left, &right, true, Corrections::of(1, 1)).unwrap();
        assert_eq!((estimate.value, estimate.exact), (165.0 / 41.0, true));
        let error = compare(&left, &right, false, Corrections::of(1, 1)).unwrap_err();
        assert!(error.contains("only 1 valid trial to compare"), "{error}");
    }

    #[test]
    fn without_shared_repeats_the_trials_are_independent() {
        let left = trials(&[2.0, 2.1, 1.9, 2.0, 2.05]);
        let right: BTreeMap<u32, f64> = (10..15).zip([1.0, 1.05, 0.95, 1.0, 1.02]).collect();
        let estimate = compare(&left, &right, false, Corrections::of(1, 1)).unwrap();
        assert!(estimate.interval_95[0] > 1.8 && estimate.interval_95[1] < 2.2, "{estimate:?}");
    }

    #[test]
    fn what_can_be_zero_is_compared_by_its_difference() {
        let estimate =
            compare(&trials(&[0.0; 5]), &trials(&[66.0; 5]), false, Corrections::of(1, 1)).unwrap();
        assert_eq!((estimate.scale, estimate.value, estimate.exact), (Scale::Difference, -66.0, true));
    }
}
