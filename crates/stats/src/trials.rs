//! The numbers of one metric of one cell, from the messages of each of its trials.
//!
//! Descriptive numbers are of all messages; intervals are over trials. Both stand side by side because they
//! answer different questions: what messages went through, and where another run's figure would lie.

use serde::{Deserialize, Serialize};

use crate::bootstrap::{Bootstrap, Statistic};
use crate::interval::{Interval, MIN_TRIALS_FOR_INTERVAL, mean_interval};
use crate::parameter::Quantile;
use crate::sample::{Sample, SampleError, Summary};

/// A metric over the trials of a cell. All intervals are `None` with fewer than
/// [`MIN_TRIALS_FOR_INTERVAL`] trials: then the report says "no interval".
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrialsSummary {
    /// Trials that had at least one value.
    pub trials: u64,
    /// All values of all trials.
    pub pooled: Summary,
    /// Mean of the trials' means: a trial counts once, however many of its messages arrived. It equals the
    /// pooled mean when all trials have as many values.
    pub mean_of_trials: f64,
    /// t interval around [`Self::mean_of_trials`].
    pub mean_interval: Option<Interval>,
    /// Bootstrap interval of the pooled median.
    pub median_interval: Option<Interval>,
    /// Bootstrap interval of the pooled 90th percentile.
    pub p90_interval: Option<Interval>,
    /// Bootstrap interval of the pooled 99th percentile; from few messages no more than the range of the
    /// maxima.
    pub p99_interval: Option<Interval>,
}

impl TrialsSummary {
    /// Whether there are enough trials for intervals.
    pub fn has_intervals(&self) -> bool {
        self.trials >= MIN_TRIALS_FOR_INTERVAL as u64
    }
}

/// Summarises a metric from the values of each valid trial. A trial that has none (every message lost) takes
/// no part, because what did not arrive has no latency: read it beside the cell's delivery.
///
/// # Errors
/// [`SampleError::Empty`] when there are no trials.
pub fn summarise_trials(trials: &[Sample], bootstrap: &Bootstrap) -> Result<TrialsSummary, SampleError> {
    let pooled: Vec<f64> = trials.iter().flat_map(Sample::values).copied().collect();
    let pooled = Sample::new(pooled)?;
    let means = Sample::new(trials.iter().map(Sample::mean).collect::<Vec<_>>())?;
    let around = |quantile| bootstrap.messages(trials, Statistic::Quantile(quantile)).ok();
    Ok(TrialsSummary {
        trials: trials.len() as u64,
        pooled: pooled.summary(),
        mean_of_trials: means.mean(),
        mean_interval: mean_interval(&means, bootstrap.level).ok(),
        median_interval: around(Quantile::MEDIAN),
        p90_interval: around(Quantile::P90),
        p99_interval: around(Quantile::P99),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trials(count: u32) -> Vec<Sample> {
        (0..count)
            .map(|trial| {
                Sample::new((0..10).map(|index| f64::from(trial + index)).collect::<Vec<_>>()).unwrap()
            })
            .collect()
    }

    #[test]
    fn five_trials_have_all_intervals_and_they_hold_the_estimates() {
        let summary = summarise_trials(&trials(5), &Bootstrap::seeded(1)).unwrap();
        assert_eq!((summary.trials, summary.pooled.count, summary.has_intervals()), (5, 50, true));
        assert_eq!((summary.mean_of_trials, summary.pooled.mean), (6.5, 6.5));
        assert!(summary.mean_interval.unwrap().contains(6.5));
        assert!(summary.median_interval.unwrap().contains(summary.pooled.median));
        assert!(summary.p90_interval.unwrap().contains(summary.pooled.p90));
        assert!(summary.p99_interval.unwrap().contains(summary.pooled.p99));
    }

    #[test]
    fn four_trials_have_numbers_and_no_interval() {
        let summary = summarise_trials(&trials(4), &Bootstrap::seeded(1)).unwrap();
        assert_eq!(summary.pooled.count, 40);
        assert!(!summary.has_intervals());
        let intervals =
            [summary.mean_interval, summary.median_interval, summary.p90_interval, summary.p99_interval];
        assert_eq!(intervals, [None; 4]);
        assert_eq!(summarise_trials(&[], &Bootstrap::seeded(1)), Err(SampleError::Empty));
    }

    /// A trial that lost most of its messages still counts as one trial.
    #[test]
    fn trials_weigh_alike_in_the_mean_of_trials() {
        let uneven = [Sample::new(vec![10.0]).unwrap(), Sample::new(vec![20.0, 20.0, 20.0]).unwrap()];
        let summary = summarise_trials(&uneven, &Bootstrap::seeded(1)).unwrap();
        assert_eq!((summary.mean_of_trials, summary.pooled.mean), (15.0, 17.5));
    }
}
