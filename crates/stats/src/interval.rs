//! Intervals: what they are, when there is none, and the t interval of a mean over trials.

use serde::{Deserialize, Serialize};

use crate::distribution;
use crate::parameter::Level;
use crate::sample::Sample;

/// Fewest valid trials that an interval is given for; with fewer the report says "no interval". With 5 values
/// the t factor is 2.8, already 40 % above the normal one; with 3 it is 4.3 and says more about the factor
/// than about the data.
pub const MIN_TRIALS_FOR_INTERVAL: usize = 5;

/// How an interval was computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Mean and Student's t over trials.
    StudentT,
    /// Difference of means and Student's t with Welch's degrees of freedom.
    WelchT,
    /// Mean of paired differences and Student's t.
    PairedT,
    /// Ratio of means by Fieller's theorem.
    Fieller,
    /// Bootstrap, bias-corrected and accelerated.
    BootstrapBca,
    /// Bootstrap, quantiles of the resampled statistic.
    BootstrapPercentile,
    /// Wilson's score interval of a proportion.
    Wilson,
    /// Clopper and Pearson's exact interval of a proportion.
    ClopperPearson,
}

/// A two-sided confidence interval, in the unit of what it is about; both ends belong to it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Confidence level.
    pub level: Level,
    /// How it was computed.
    pub method: Method,
}

impl Interval {
    /// Whether `value` lies inside or on an end.
    pub fn contains(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }

    /// Half of its width.
    pub fn half_width(&self) -> f64 {
        (self.high - self.low) / 2.0
    }
}

/// Why there is no interval.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum NoInterval {
    /// Fewer trials than an interval needs.
    #[error("no interval from {have} trials: run at least {need}")]
    TooFewTrials {
        /// Valid trials there are.
        have: usize,
        /// Valid trials it takes.
        need: usize,
    },
    /// A ratio whose denominator can't be told from zero.
    #[error(
        "no interval for the ratio: the denominator may be zero; report the difference, or run more trials"
    )]
    DenominatorNearZero,
    /// The statistic came out as NaN or infinite in a resample.
    #[error("no interval: the statistic is not finite in a resample; check for zero denominators")]
    NotFinite,
}

/// Refuses fewer than [`MIN_TRIALS_FOR_INTERVAL`] trials.
pub(crate) fn enough_trials(have: usize) -> Result<(), NoInterval> {
    if have < MIN_TRIALS_FOR_INTERVAL {
        return Err(NoInterval::TooFewTrials { have, need: MIN_TRIALS_FOR_INTERVAL });
    }
    Ok(())
}

/// Interval around `centre` of `t(freedom)` times `standard_error` to each side.
pub(crate) fn around(
    centre: f64,
    standard_error: f64,
    freedom: f64,
    level: Level,
    method: Method,
) -> Interval {
    // An error of 0 has no width, whatever the (then undefined) degrees of freedom.
    let half = if standard_error == 0.0 {
        0.0
    } else {
        distribution::student_t_quantile(freedom, 1.0 - level.error_rate() / 2.0) * standard_error
    };
    Interval { low: centre - half, high: centre + half, level, method }
}

/// Two-sided t interval of the mean over trials, one value per trial: mean +- t(n - 1) s / sqrt(n).
/// Source: Student (W. S. Gosset), "The Probable Error of a Mean", Biometrika 6 (1908).
///
/// Assumes independent trials and a roughly normal mean. Skewed values with few trials cover less than the
/// level says; see [`crate::bootstrap`] for another view.
///
/// # Errors
/// [`NoInterval::TooFewTrials`] with fewer than [`MIN_TRIALS_FOR_INTERVAL`] values.
pub fn mean_interval(trials: &Sample, level: Level) -> Result<Interval, NoInterval> {
    enough_trials(trials.count())?;
    Ok(mean_interval_unchecked(trials, level, Method::StudentT))
}

/// [`mean_interval`] without the rule of at least five; the caller has applied it. One value has no width.
pub(crate) fn mean_interval_unchecked(trials: &Sample, level: Level, method: Method) -> Interval {
    let count = trials.count() as f64;
    let standard_error = (trials.variance().unwrap_or(0.0) / count).sqrt();
    around(trials.mean(), standard_error, count - 1.0, level, method)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_trials_have_no_interval_and_five_have() {
        let four = Sample::new(vec![1.0, 2.0, 3.0, 4.0]).unwrap();
        assert_eq!(
            mean_interval(&four, Level::P95).unwrap_err().to_string(),
            "no interval from 4 trials: run at least 5"
        );
        let five = Sample::new(vec![1.0, 2.0, 3.0, 4.0, 5.0]).unwrap();
        let interval = mean_interval(&five, Level::P95).unwrap();
        // 3 +- 2.776445 * sqrt(2.5 / 5)
        assert!((interval.half_width() - 1.963_243).abs() < 1e-6, "{interval:?}");
        assert!(interval.contains(3.0) && !interval.contains(5.0));
    }

    #[test]
    fn equal_trials_have_an_interval_without_width() {
        let same = Sample::new(vec![27.0; 5]).unwrap();
        let interval = mean_interval(&same, Level::P95).unwrap();
        assert_eq!((interval.low, interval.high), (27.0, 27.0));
    }
}
