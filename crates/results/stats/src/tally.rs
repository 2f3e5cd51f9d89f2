//! Values with their counts: a sample of any size in the memory of its distinct values.
//!
//! Up to a number that the caller sets, values are stored unchanged, and every statistic equals that of a [`Sample`].
//! Beyond it, each goes into a bucket of a [`SignedHistogram`] and is represented by its middle: it differs from the
//! recorded value by at most 1 in 1,024, and not at all below 2,048. Count, mean, least and greatest are exact in either
//! case.

use crate::histogram::{HistogramError, SignedHistogram};
use crate::parameter::Quantile;
use crate::quantile;
use crate::sample::{Sample, SampleError, compensated_sum};

/// At least one value, each with its count.
#[derive(Debug, Clone, PartialEq)]
pub struct Tally {
    /// Ascending distinct values, each with the number of values up to it.
    steps: Vec<(f64, u64)>,
    sum: f64,
}

impl Tally {
    /// A tally of one finite value.
    ///
    /// # Errors
    /// [`SampleError::NotFinite`] when it is NaN or infinite.
    pub fn one(value: f64) -> Result<Self, SampleError> {
        Ok(Self::of(&Sample::new([value])?))
    }

    /// All values of a sample.
    pub fn of(sample: &Sample) -> Self {
        let ones = sample.sorted().iter().map(|&value| (value, 1));
        Self { steps: added_up(ones), sum: compensated_sum(sample.sorted().iter().copied()) }
    }

    /// All values of several tallies; `None` without any.
    pub fn merged<'a>(tallies: impl IntoIterator<Item = &'a Tally>) -> Option<Self> {
        let (mut counted, mut sums) = (Vec::new(), Vec::new());
        for tally in tallies {
            counted.extend(tally.counted());
            sums.push(tally.sum);
        }
        counted.sort_by(|one: &(f64, u64), other| one.0.total_cmp(&other.0));
        let steps = added_up(counted.into_iter());
        (!steps.is_empty()).then(|| Self { steps, sum: compensated_sum(sums.into_iter()) })
    }

    /// Ascending distinct values, each with the number of values up to it.
    pub fn steps(&self) -> &[(f64, u64)] {
        &self.steps
    }

    /// Ascending distinct values, each with its count.
    pub(crate) fn counted(&self) -> impl Iterator<Item = (f64, u64)> + '_ {
        let before = std::iter::once(0).chain(self.steps.iter().map(|(_, up_to)| *up_to));
        self.steps.iter().zip(before).map(|(&(value, up_to), before)| (value, up_to - before))
    }

    /// Sample standard deviation: the divisor is the number of values minus one. `None` for a single value.
    pub fn deviation(&self) -> Option<f64> {
        let mean = self.mean();
        let squares: f64 = self.counted().map(|(value, times)| (value - mean).powi(2) * times as f64).sum();
        (self.count() > 1).then(|| (squares / (self.count() - 1) as f64).sqrt())
    }

    /// Number of values, at least 1.
    pub fn count(&self) -> u64 {
        self.steps.last().map_or(0, |(_, up_to)| *up_to)
    }

    /// The least value, exact.
    pub fn min(&self) -> f64 {
        self.steps.first().map_or(f64::NAN, |(value, _)| *value)
    }

    /// The greatest value, exact.
    pub fn max(&self) -> f64 {
        self.steps.last().map_or(f64::NAN, |(value, _)| *value)
    }

    pub(crate) fn sum(&self) -> f64 {
        self.sum
    }

    /// Arithmetic mean, within the range of the values.
    pub fn mean(&self) -> f64 {
        (self.sum / self.count() as f64).clamp(self.min(), self.max())
    }

    /// Number of values up to this one.
    pub fn at_most(&self, value: f64) -> u64 {
        let above = self.steps.partition_point(|(step, _)| *step <= value);
        above.checked_sub(1).map_or(0, |last| self.steps[last].1)
    }

    /// Number of values below this one.
    pub fn below(&self, value: f64) -> u64 {
        let first = self.steps.partition_point(|(step, _)| *step < value);
        first.checked_sub(1).map_or(0, |last| self.steps[last].1)
    }

    /// The value at a rank, from 0; the greatest if there are fewer.
    fn at(&self, rank: u64) -> f64 {
        let index = self.steps.partition_point(|(_, up_to)| *up_to <= rank);
        self.steps.get(index).map_or(self.max(), |(value, _)| *value)
    }

    /// Type 7 quantile, see [`crate::quantile`].
    pub fn quantile(&self, quantile: Quantile) -> f64 {
        let count = usize::try_from(self.count()).unwrap_or(usize::MAX);
        let (lower, weight) = quantile::position(count, quantile);
        quantile::between(self.at(lower as u64), self.at(lower as u64 + 1), weight)
    }

    /// The least value that at least this share of all values does not exceed.
    pub fn nearest_rank(&self, quantile: Quantile) -> f64 {
        let rank = (quantile.get() * self.count() as f64).ceil() as u64;
        self.at(rank.saturating_sub(1))
    }
}

/// Ascending values with counts as steps: equal ones are merged, counts are added up.
fn added_up(counted: impl Iterator<Item = (f64, u64)>) -> Vec<(f64, u64)> {
    let (mut steps, mut up_to): (Vec<(f64, u64)>, u64) = (Vec::new(), 0);
    for (value, count) in counted.filter(|(_, count)| *count > 0) {
        up_to += count;
        match steps.last_mut() {
            Some(last) if last.0 == value => last.1 = up_to,
            _ => steps.push((value, up_to)),
        }
    }
    // Tallies of all trials of a cell are in memory at once.
    steps.shrink_to_fit();
    steps
}

/// Takes values one by one, and stores them or their buckets.
#[derive(Debug)]
pub struct Recorder(Kept);

#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "one of a metric and trial, and mostly the large one")]
enum Kept {
    Values(Vec<f64>),
    Buckets { histogram: SignedHistogram, sum: i128 },
}

impl Recorder {
    /// A recorder that stores values (`exact`), or one that stores buckets.
    ///
    /// # Errors
    /// When there is no memory for a histogram.
    pub fn new(exact: bool) -> Result<Self, HistogramError> {
        Ok(Self(match exact {
            true => Kept::Values(Vec::new()),
            false => Kept::Buckets { histogram: SignedHistogram::new()?, sum: 0 },
        }))
    }

    /// Records a value.
    ///
    /// # Errors
    /// When there is no memory for its bucket.
    pub fn record(&mut self, value: i64) -> Result<(), HistogramError> {
        match &mut self.0 {
            Kept::Values(values) => values.push(value as f64),
            Kept::Buckets { histogram, sum } => {
                histogram.record(value)?;
                *sum += i128::from(value);
            }
        }
        Ok(())
    }

    /// The recorded values; `None` if there are none.
    pub fn tally(self) -> Option<Tally> {
        match self.0 {
            Kept::Values(values) => Sample::new(values).ok().map(|sample| Tally::of(&sample)),
            Kept::Buckets { histogram, sum } => of_buckets(&histogram, sum as f64),
        }
    }
}

/// Buckets as their middles; the least and the greatest value, which are known, represent themselves.
fn of_buckets(histogram: &SignedHistogram, sum: f64) -> Option<Tally> {
    let (min, max) = (histogram.min()?, histogram.max()?);
    let mut counted = vec![(min, 1)];
    counted.extend(
        histogram
            .buckets()
            .into_iter()
            .map(|bucket| (bucket.low.midpoint(bucket.high).clamp(min, max), bucket.count)),
    );
    // Those two are counted separately.
    counted[1].1 -= 1;
    if histogram.count() > 1 {
        if let Some(last) = counted.last_mut() {
            last.1 -= 1;
        }
        counted.push((max, 1));
    }
    let steps = added_up(counted.into_iter().map(|(value, count)| (value as f64, count)));
    Some(Tally { steps, sum })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::Draws;

    fn recorded(values: &[i64], exact: bool) -> Tally {
        let mut recorder = Recorder::new(exact).unwrap();
        values.iter().for_each(|&value| recorder.record(value).unwrap());
        recorder.tally().unwrap()
    }

    /// Over ten orders of magnitude, both signs.
    fn spread(draws: &mut Draws, count: usize) -> Vec<i64> {
        let magnitude = |draws: &mut Draws| (draws.index(1 << 40) >> draws.index(40)) as i64;
        (0..count).map(|_| if draws.index(4) == 0 { -magnitude(draws) } else { magnitude(draws) }).collect()
    }

    #[test]
    fn a_tally_gives_the_numbers_of_its_sample() {
        let seed = 21;
        let mut draws = Draws::seeded(seed);
        for round in 0..100 {
            let count = 1 + draws.index(50);
            let values: Vec<f64> = (0..count).map(|_| draws.index(20) as f64 - 10.0).collect();
            let sample = Sample::new(values).unwrap();
            let tally = Tally::of(&sample);
            assert_eq!(tally.count(), sample.count() as u64);
            let deviation = tally.deviation().unwrap_or(0.0);
            let expected = if sample.count() > 1 { sample.standard_deviation().unwrap() } else { 0.0 };
            assert!((deviation - expected).abs() < 1e-9, "{deviation} {expected}");
            assert_eq!((tally.min(), tally.mean(), tally.max()), (sample.min(), sample.mean(), sample.max()));
            for percent in 0..=100 {
                let quantile = Quantile::new(f64::from(percent) / 100.0).unwrap();
                assert_eq!(tally.quantile(quantile), sample.quantile(quantile), "seed {seed} round {round}");
            }
        }
    }

    #[test]
    fn merging_is_tallying_all() {
        let mut draws = Draws::seeded(22);
        let parts: Vec<Vec<i64>> = (0..5).map(|_| spread(&mut draws, 200)).collect();
        for exact in [true, false] {
            let tallies: Vec<Tally> = parts.iter().map(|part| recorded(part, exact)).collect();
            let merged = Tally::merged(&tallies).unwrap();
            let all = recorded(&parts.concat(), true);
            assert_eq!((merged.count(), merged.min(), merged.max()), (all.count(), all.min(), all.max()));
            assert!((merged.mean() - all.mean()).abs() <= all.mean().abs() * 1e-12);
            assert!(!exact || merged.steps() == all.steps());
        }
        assert_eq!(Tally::merged(&[]), None);
    }

    /// The documented bound, checked against stored values.
    #[test]
    fn percentiles_of_buckets_are_within_a_thousandth() {
        for seed in [31, 32, 33] {
            let mut draws = Draws::seeded(seed);
            let mut values = spread(&mut draws, 20_000);
            values.iter_mut().for_each(|value| *value = value.abs());
            let (exact, buckets) = (recorded(&values, true), recorded(&values, false));
            assert!(buckets.steps().len() < exact.steps().len());
            for permille in 0..=1_000 {
                let quantile = Quantile::new(f64::from(permille) / 1_000.0).unwrap();
                for of in [Tally::quantile, Tally::nearest_rank] {
                    let (got, expected) = (of(&buckets, quantile), of(&exact, quantile));
                    assert!(
                        (got - expected).abs() <= expected.abs() / 1_024.0,
                        "seed {seed} {permille}: {got} {expected}"
                    );
                }
            }
            assert_eq!((buckets.min(), buckets.max()), (exact.min(), exact.max()));
            assert!((buckets.mean() - exact.mean()).abs() <= exact.mean() * 1e-12);
        }
    }

    #[test]
    fn small_numbers_are_exact_in_buckets_too_and_one_value_is_all_of_them() {
        let values: Vec<i64> = (-2_047..2_048).collect();
        assert_eq!(recorded(&values, false), recorded(&values, true));
        assert_eq!(recorded(&[5_000_001], false).quantile(Quantile::MEDIAN), 5_000_001.0);
        assert!(Recorder::new(false).unwrap().tally().is_none());
        assert!(Tally::one(f64::NAN).is_err());
    }
}
