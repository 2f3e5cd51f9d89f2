//! A sample of finite values, and the numbers that summarise it.
//!
//! Nothing is trimmed and nothing is dropped: zero and negative values (clock offsets make negative
//! latencies) count like any other. A [`Sample`] is never empty and never contains NaN, so every statistic
//! of it exists.

use serde::{Deserialize, Serialize};

use crate::parameter::Quantile;
use crate::quantile;

/// Why values do not form a sample.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SampleError {
    /// There are no values to summarise.
    #[error("the sample has no values: report the metric as not measured, or run more valid trials")]
    Empty,
    /// A value is NaN or infinite.
    #[error("value {index} of the sample is {value}: pass finite numbers, and count failures apart")]
    NotFinite {
        /// Its position, from 0.
        index: usize,
        /// The value at that position.
        value: f64,
    },
}

/// Finite values, at least one; in the order given, and sorted.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    values: Vec<f64>,
    sorted: Vec<f64>,
}

impl Sample {
    /// # Errors
    /// [`SampleError::Empty`] without values, [`SampleError::NotFinite`] when one is NaN or infinite.
    pub fn new(values: impl Into<Vec<f64>>) -> Result<Self, SampleError> {
        let values = values.into();
        if values.is_empty() {
            return Err(SampleError::Empty);
        }
        if let Some((index, &value)) = values.iter().enumerate().find(|(_, value)| !value.is_finite()) {
            return Err(SampleError::NotFinite { index, value });
        }
        let mut sorted = values.clone();
        sorted.sort_by(f64::total_cmp);
        Ok(Self { values, sorted })
    }

    /// From signed nanoseconds (or any signed integers), exact up to 2^53.
    ///
    /// # Errors
    /// [`SampleError::Empty`] without values.
    pub fn from_signed(values: &[i64]) -> Result<Self, SampleError> {
        Self::new(values.iter().map(|&value| value as f64).collect::<Vec<_>>())
    }

    /// From nanoseconds, bytes or counts, exact up to 2^53.
    ///
    /// # Errors
    /// [`SampleError::Empty`] without values.
    pub fn from_unsigned(values: &[u64]) -> Result<Self, SampleError> {
        Self::new(values.iter().map(|&value| value as f64).collect::<Vec<_>>())
    }

    /// The values in the order given.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The values in ascending order.
    pub fn sorted(&self) -> &[f64] {
        &self.sorted
    }

    /// Number of values, at least 1.
    pub fn count(&self) -> usize {
        self.sorted.len()
    }

    /// The least value, always finite.
    pub fn min(&self) -> f64 {
        self.sorted[0]
    }

    /// The greatest value, always finite.
    pub fn max(&self) -> f64 {
        self.sorted[self.sorted.len() - 1]
    }

    /// Arithmetic mean, by compensated summation, within the range of the values.
    pub fn mean(&self) -> f64 {
        (compensated_sum(self.sorted.iter().copied()) / self.count() as f64).clamp(self.min(), self.max())
    }

    /// Sample variance with divisor n - 1 (two passes, so that a large mean costs no digits); `None` for one
    /// value.
    pub fn variance(&self) -> Option<f64> {
        if self.count() < 2 {
            return None;
        }
        let mean = self.mean();
        let squares = compensated_sum(self.sorted.iter().map(|value| (value - mean).powi(2)));
        Some(squares / (self.count() - 1) as f64)
    }

    /// Sample standard deviation, the root of [`Self::variance`].
    pub fn standard_deviation(&self) -> Option<f64> {
        self.variance().map(f64::sqrt)
    }

    /// Type 7 quantile, see [`crate::quantile`].
    pub fn quantile(&self, quantile: Quantile) -> f64 {
        quantile::of_sorted(&self.sorted, quantile).unwrap_or_else(|| self.min())
    }

    /// All summary statistics at once.
    pub fn summary(&self) -> Summary {
        Summary {
            count: self.count() as u64,
            mean: self.mean(),
            standard_deviation: self.standard_deviation(),
            min: self.min(),
            max: self.max(),
            median: self.quantile(Quantile::MEDIAN),
            p90: self.quantile(Quantile::P90),
            p99: self.quantile(Quantile::P99),
        }
    }
}

/// Sum with Neumaier's correction (A. Neumaier, ZAMM 54, 1974): the error does not grow with the count.
pub(crate) fn compensated_sum(values: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut lost) = (0.0_f64, 0.0_f64);
    for value in values {
        let next = sum + value;
        lost += if sum.abs() >= value.abs() { (sum - next) + value } else { (value - next) + sum };
        sum = next;
    }
    sum + lost
}

/// Descriptive statistics of a sample, in the unit of its values. For the uncertainty of a mean see
/// [`crate::interval`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Number of values, at least 1.
    pub count: u64,
    /// Arithmetic mean, by compensated summation.
    pub mean: f64,
    /// Sample standard deviation (divisor n - 1); `None` for one value.
    pub standard_deviation: Option<f64>,
    /// Least value of the sample.
    pub min: f64,
    /// Greatest value of the sample.
    pub max: f64,
    /// Median, type 7.
    pub median: f64,
    /// 90th percentile, type 7.
    pub p90: f64,
    /// 99th percentile, type 7.
    pub p99: f64,
}

/// Summarises values: `Sample::new(values)?.summary()`.
///
/// # Errors
/// As [`Sample::new`].
pub fn summary(values: &[f64]) -> Result<Summary, SampleError> {
    Ok(Sample::new(values)?.summary())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn negative_latencies_are_kept() {
        let sample = Sample::from_signed(&[-5, 0, 5, 10]).unwrap();
        assert_eq!((sample.min(), sample.mean(), sample.count()), (-5.0, 2.5, 4));
    }

    #[test]
    fn a_large_mean_costs_no_digits_of_the_deviation() {
        let values: Vec<u64> = (0..1000).map(|index| 1_700_000_000_000_000 + index % 2).collect();
        let sample = Sample::from_unsigned(&values).unwrap();
        assert_eq!(sample.mean(), 1_700_000_000_000_000.5);
        assert!((sample.variance().unwrap() - 250.0 / 999.0).abs() < 1e-12);
    }

    #[test]
    fn nothing_and_nan_are_refused_with_a_remedy() {
        assert_eq!(Sample::new(vec![]), Err(SampleError::Empty));
        let error = Sample::new(vec![1.0, f64::INFINITY]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "value 1 of the sample is inf: pass finite numbers, and count failures apart"
        );
        assert_eq!(summary(&[3.0]).unwrap().standard_deviation, None);
    }
}
