//! The messages of several trials, and statistics of any multiset of the trials without expanding it.

use std::borrow::Cow;

use crate::quantile;
use crate::sample::{Sample, compensated_sum};
use crate::statistic::Statistic;
use crate::tally::Tally;

/// The messages of several trials, prepared for statistics of any multiset of the trials.
pub(crate) struct Pool<'a> {
    trials: Cow<'a, [Tally]>,
    /// Ascending distinct values of all trials.
    distinct: Vec<f64>,
    /// Ascending values of all trials, each with its trial and its count there, if trials have so few that walking through all of
    /// them is faster than searching.
    walk: Option<Vec<(f64, usize, u64)>>,
}

/// Mean number of values per trial up to which all are walked through.
const FEW: usize = 4;

impl<'a> Pool<'a> {
    /// One sample of messages per trial.
    pub(crate) fn of_trials(trials: &[Sample]) -> Self {
        Self::new(Cow::Owned(trials.iter().map(Tally::of).collect()))
    }

    /// One tally of messages per trial.
    pub(crate) fn of_tallies(trials: &'a [Tally]) -> Self {
        Self::new(Cow::Borrowed(trials))
    }

    pub(crate) fn of_values(values: &Sample) -> Self {
        Self::new(Cow::Owned(values.values().iter().filter_map(|&value| Tally::one(value).ok()).collect()))
    }

    fn new(trials: Cow<'a, [Tally]>) -> Self {
        let mut distinct: Vec<f64> =
            trials.iter().flat_map(|trial| trial.steps().iter().map(|(value, _)| *value)).collect();
        distinct.sort_by(f64::total_cmp);
        let walk = (distinct.len() <= FEW * trials.len()).then(|| {
            let of_trial = |(place, trial): (usize, &Tally)| {
                trial.counted().map(|(value, count)| (value, place, count)).collect::<Vec<_>>()
            };
            let mut walk: Vec<_> = trials.iter().enumerate().flat_map(of_trial).collect();
            walk.sort_by(|one, other| one.0.total_cmp(&other.0));
            walk
        });
        distinct.dedup();
        Self { trials, distinct, walk }
    }

    pub(crate) fn trials(&self) -> usize {
        self.trials.len()
    }

    /// The statistic if trial t was drawn `drawn[t]` times; NaN if none was.
    pub(crate) fn statistic(&self, drawn: &[u32], statistic: Statistic) -> f64 {
        let count: u64 =
            self.trials.iter().zip(drawn).map(|(trial, &times)| trial.count() * u64::from(times)).sum();
        if count == 0 {
            return f64::NAN;
        }
        match statistic {
            Statistic::Mean => {
                let terms =
                    self.trials.iter().zip(drawn).map(|(trial, &times)| trial.sum() * f64::from(times));
                compensated_sum(terms) / count as f64
            }
            Statistic::Quantile(fraction) => {
                let count = usize::try_from(count).unwrap_or(usize::MAX);
                let (lower, weight) = quantile::position(count, fraction);
                let low = self.order_statistic(drawn, lower as u64);
                let high =
                    if lower + 1 < count { self.order_statistic(drawn, lower as u64 + 1) } else { low };
                quantile::between(low, high, weight)
            }
        }
    }

    /// The value at `rank` (from 0) of the drawn multiset: the least distinct value that more than `rank` of
    /// it do not exceed. Bisection, because a resample of 2,000 must not walk through every message.
    fn order_statistic(&self, drawn: &[u32], rank: u64) -> f64 {
        if let Some(walk) = &self.walk {
            let mut seen = 0;
            let mut reached = walk.iter().filter(|(_, trial, count)| {
                seen += count * u64::from(drawn[*trial]);
                seen > rank
            });
            return reached.next().map_or(f64::NAN, |(value, _, _)| *value);
        }
        let index = self.distinct.partition_point(|&candidate| {
            let drawn = self.trials.iter().zip(drawn).filter(|&(_, &times)| times > 0);
            drawn.map(|(trial, &times)| trial.at_most(candidate) * u64::from(times)).sum::<u64>() <= rank
        });
        self.distinct.get(index).copied().unwrap_or(f64::NAN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::Draws;
    use crate::parameter::Quantile;

    /// The shortcut over multiplicities must give the same as the expanded resample.
    #[test]
    fn statistics_of_a_multiset_equal_those_of_the_written_out_values() {
        let seed = 11;
        let mut draws = Draws::seeded(seed);
        for round in 0..200 {
            // In the first rounds trials have few values, in the others too many to be walked through.
            let most = if round < 100 { 6 } else { 30 };
            let trials: Vec<Sample> = (0..5)
                .map(|_| {
                    let count = 1 + draws.index(most);
                    Sample::new((0..count).map(|_| draws.index(40) as f64 - 20.0).collect::<Vec<_>>())
                        .unwrap()
                })
                .collect();
            let drawn: Vec<u32> =
                (0..5).map(|trial| if trial == 0 { 1 } else { draws.index(4) as u32 }).collect();
            let written_out: Vec<f64> = trials
                .iter()
                .zip(&drawn)
                .flat_map(|(trial, &times)| trial.values().repeat(times as usize))
                .collect();
            let written_out = Sample::new(written_out).unwrap();
            let pool = Pool::of_trials(&trials);
            for fraction in [0.0, 0.25, 0.5, 0.9, 0.99, 1.0] {
                let statistic = Statistic::Quantile(Quantile::new(fraction).unwrap());
                assert_eq!(
                    pool.statistic(&drawn, statistic),
                    statistic.of(&written_out),
                    "seed {seed} round {round}"
                );
            }
            assert!((pool.statistic(&drawn, Statistic::Mean) - written_out.mean()).abs() < 1e-12);
        }
    }
}
