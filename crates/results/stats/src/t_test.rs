//! Differences of means: Welch's t for independent trials, the paired t for trials that share a repeat.
//!
//! Sources: B. L. Welch, "The Generalization of Student's Problem when Several Different Population Variances
//! are Involved", Biometrika 34 (1947), with Satterthwaite's degrees of freedom (Biometrics Bulletin 2,
//! 1946).
//!
//! Quantities without any variance (sizes in bytes) are compared exactly: equal gives p = 1, different gives p = 0, and the
//! interval has no width.

use serde::{Deserialize, Serialize};

use crate::distribution;
use crate::interval::{Interval, Method, NoInterval, around, enough_trials};
use crate::parameter::Level;
use crate::sample::Sample;

/// A difference of means, its interval and its two-sided test.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct TTest {
    /// First mean minus second mean, or the mean of the differences.
    pub difference: f64,
    /// Standard error of the difference.
    pub standard_error: f64,
    /// Degrees of freedom; `None` when nothing varies.
    pub freedom: Option<f64>,
    /// Probability of a difference at least as great when there is none.
    pub p_value: f64,
    /// Confidence interval of the difference.
    pub interval: Interval,
}

impl TTest {
    fn new(difference: f64, standard_error: f64, freedom: f64, level: Level, method: Method) -> Self {
        let varies = standard_error > 0.0;
        let p_value = match (varies, difference == 0.0) {
            (true, _) => distribution::student_t_two_sided(freedom, difference / standard_error),
            (false, true) => 1.0,
            (false, false) => 0.0,
        };
        Self {
            difference,
            standard_error,
            freedom: varies.then_some(freedom),
            p_value,
            interval: around(difference, standard_error, freedom, level, method),
        }
    }

    /// The same test with its interval at another level.
    pub fn at_level(&self, level: Level) -> Self {
        let freedom = self.freedom.unwrap_or(f64::INFINITY);
        Self::new(self.difference, self.standard_error, freedom, level, self.interval.method)
    }
}

/// Squared standard error of a mean.
pub(crate) fn squared_error(sample: &Sample) -> f64 {
    sample.variance().unwrap_or(0.0) / sample.count() as f64
}

/// Welch's and Satterthwaite's degrees of freedom of a sum of two independent squared errors.
pub(crate) fn welch_freedom(error_1: f64, count_1: usize, error_2: f64, count_2: usize) -> f64 {
    let part = |error: f64, count: usize| error * error / (count as f64 - 1.0);
    (error_1 + error_2).powi(2) / (part(error_1, count_1) + part(error_2, count_2))
}

/// Rounding in the sums of a mean, in units of its last place: more than any number of repeats adds.
const LAST_PLACES: f64 = 64.0;

/// The difference of two means; 0 if it is no more than rounding. A constant quantity has no scatter that would hide rounding:
/// equal sizes of 19 and of 20 trials would differ.
fn settled(first: f64, second: f64) -> f64 {
    let difference = first - second;
    let rounding = LAST_PLACES * f64::EPSILON * first.abs().max(second.abs());
    if difference.abs() <= rounding { 0.0 } else { difference }
}

/// `first` minus `second`, for independent trials with their own variances.
///
/// # Errors
/// [`NoInterval::TooFewTrials`] when either has fewer than [`crate::MIN_TRIALS_FOR_INTERVAL`] values.
pub fn welch(first: &Sample, second: &Sample, level: Level) -> Result<TTest, NoInterval> {
    enough_trials(first.count().min(second.count()))?;
    let (error_1, error_2) = (squared_error(first), squared_error(second));
    let freedom = welch_freedom(error_1, first.count(), error_2, second.count());
    let difference = settled(first.mean(), second.mean());
    Ok(TTest::new(difference, (error_1 + error_2).sqrt(), freedom, level, Method::WelchT))
}

/// Mean of paired differences, one per repeat.
///
/// # Errors
/// [`NoInterval::TooFewTrials`] with fewer than [`crate::MIN_TRIALS_FOR_INTERVAL`] pairs.
pub fn paired(differences: &Sample, level: Level) -> Result<TTest, NoInterval> {
    enough_trials(differences.count())?;
    let freedom = differences.count() as f64 - 1.0;
    let standard_error = squared_error(differences).sqrt();
    Ok(TTest::new(differences.mean(), standard_error, freedom, level, Method::PairedT))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(values: &[f64]) -> Sample {
        Sample::new(values.to_vec()).unwrap()
    }

    #[test]
    fn sizes_that_never_vary_are_compared_exactly() {
        let (small, large) = (sample(&[29.0; 5]), sample(&[33.0; 5]));
        let different = welch(&large, &small, Level::P95).unwrap();
        assert_eq!((different.difference, different.p_value, different.freedom), (4.0, 0.0, None));
        assert_eq!((different.interval.low, different.interval.high), (4.0, 4.0));
        assert_eq!(welch(&small, &small, Level::P95).unwrap().p_value, 1.0);
    }

    #[test]
    fn rounding_is_no_difference() {
        let (one, other) = (sample(&[0.1 + 0.2; 20]), sample(&[0.3; 19]));
        assert!(one.mean() != other.mean());
        let test = welch(&one, &other, Level::P95).unwrap();
        assert_eq!((test.difference, test.p_value), (0.0, 1.0));
        assert!(welch(&one, &sample(&[0.3 + 1e-12; 19]), Level::P95).unwrap().p_value < 0.001);
    }

    #[test]
    fn the_interval_leaves_out_zero_exactly_when_the_test_rejects() {
        let base = sample(&[10.0, 11.0, 12.0, 13.0, 14.0, 15.0]);
        for shift in 0..60 {
            let other = sample(
                &base.values().iter().map(|value| value + f64::from(shift) / 10.0).collect::<Vec<_>>(),
            );
            let test = welch(&other, &base, Level::P95).unwrap();
            assert_eq!(test.p_value < 0.05, !test.interval.contains(0.0), "{shift}");
            let strict = test.at_level(Level::P99);
            assert_eq!(strict.p_value < 0.01, !strict.interval.contains(0.0), "{shift}");
        }
    }

    #[test]
    fn pairs_see_through_what_their_repeat_shares() {
        let repeats = [100.0, 140.0, 90.0, 120.0, 160.0];
        let a = sample(&repeats);
        let b = sample(&[101.1, 140.9, 91.0, 121.2, 160.8]);
        let differences: Vec<f64> = b.values().iter().zip(a.values()).map(|(b, a)| b - a).collect();
        assert!(welch(&b, &a, Level::P95).unwrap().p_value > 0.9);
        assert!(paired(&sample(&differences), Level::P95).unwrap().p_value < 0.001);
    }
}
