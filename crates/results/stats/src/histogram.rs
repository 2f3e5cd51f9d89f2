//! High dynamic range histograms of signed nanoseconds that merge exactly.
//!
//! For more messages than are worth storing. Buckets are those of HdrHistogram (G. Tene) at three significant
//! digits, negative values in a mirrored histogram of their own. Merging adds counts, so that merging the
//! histograms of all trials gives the histogram of all messages, bucket for bucket, in any order.
//!
//! Quantiles here are nearest-rank (the least bucket that holds at least p of the values), given as the
//! middle of the bucket and never outside [min, max]: type 7 has no meaning if neighbours are unknown. A
//! returned value differs from the recorded one by at most 1 in 1,024, and not at all below 2,048.

use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};

use crate::parameter::Quantile;

/// Significant decimal digits that buckets distinguish.
pub const SIGNIFICANT_DIGITS: u8 = 3;

/// Why a histogram can't be created or filled.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum HistogramError {
    /// The histogram rejected a value.
    #[error("the histogram refuses {value} ({reason}): check the unit, values are nanoseconds")]
    Refused {
        /// The value, in nanoseconds.
        value: i64,
        /// The library's message about it.
        reason: String,
    },
    /// The histogram can't be created or merged.
    #[error("the histogram can't be made ({reason}): free memory, or record fewer distinct magnitudes")]
    Unavailable {
        /// The library's message about it.
        reason: String,
    },
    /// Stored buckets contradict the stored extremes.
    #[error(
        "stored histogram has buckets outside its own minimum {min} and maximum {max}: the file is damaged"
    )]
    Contradiction {
        /// Stored minimum, in nanoseconds.
        min: i64,
        /// Stored maximum, in nanoseconds.
        max: i64,
    },
}

/// One bucket with values in it: from `low` to `high`, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bucket {
    /// Least value of the bucket.
    pub low: i64,
    /// Greatest value of the bucket.
    pub high: i64,
    /// Number of values recorded in it.
    pub count: u64,
}

/// A histogram as stored in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredHistogram {
    /// Least recorded value, exact; `None` when empty.
    pub min: Option<i64>,
    /// Greatest recorded value, exact; `None` when empty.
    pub max: Option<i64>,
    /// The buckets that are not empty, ascending.
    pub buckets: Vec<Bucket>,
}

/// A histogram of any `i64`.
#[derive(Debug, Clone, PartialEq)]
pub struct SignedHistogram {
    below_zero: Histogram<u64>,
    from_zero: Histogram<u64>,
    extremes: Option<(i64, i64)>,
}

impl SignedHistogram {
    /// An empty histogram; it grows with the recorded values.
    ///
    /// # Errors
    /// [`HistogramError::Unavailable`] when the library can't create it.
    pub fn new() -> Result<Self, HistogramError> {
        let empty = || {
            Histogram::<u64>::new(SIGNIFICANT_DIGITS)
                .map_err(|error| HistogramError::Unavailable { reason: error.to_string() })
        };
        Ok(Self { below_zero: empty()?, from_zero: empty()?, extremes: None })
    }

    /// Records a value.
    ///
    /// # Errors
    /// [`HistogramError::Refused`] when the library can't grow to hold it.
    pub fn record(&mut self, value_ns: i64) -> Result<(), HistogramError> {
        self.record_many(value_ns, 1)
    }

    /// Records a value `count` times.
    ///
    /// # Errors
    /// As [`Self::record`].
    pub fn record_many(&mut self, value_ns: i64, count: u64) -> Result<(), HistogramError> {
        if count == 0 {
            return Ok(());
        }
        let side = if value_ns < 0 { &mut self.below_zero } else { &mut self.from_zero };
        side.record_n(value_ns.unsigned_abs(), count)
            .map_err(|error| HistogramError::Refused { value: value_ns, reason: error.to_string() })?;
        self.widen(value_ns, value_ns);
        Ok(())
    }

    /// Adds all values that `other` has recorded.
    ///
    /// # Errors
    /// [`HistogramError::Unavailable`] when the library can't grow.
    pub fn merge(&mut self, other: &Self) -> Result<(), HistogramError> {
        let unavailable =
            |error: hdrhistogram::AdditionError| HistogramError::Unavailable { reason: error.to_string() };
        self.below_zero.add(&other.below_zero).map_err(unavailable)?;
        self.from_zero.add(&other.from_zero).map_err(unavailable)?;
        if let Some((min, max)) = other.extremes {
            self.widen(min, max);
        }
        Ok(())
    }

    fn widen(&mut self, min: i64, max: i64) {
        let (old_min, old_max) = self.extremes.unwrap_or((min, max));
        self.extremes = Some((old_min.min(min), old_max.max(max)));
    }

    /// Number of recorded values, of both signs.
    pub fn count(&self) -> u64 {
        self.below_zero.len() + self.from_zero.len()
    }

    /// Least recorded value, exact; `None` when empty.
    pub fn min(&self) -> Option<i64> {
        self.extremes.map(|(min, _)| min)
    }

    /// Greatest recorded value, exact; `None` when empty.
    pub fn max(&self) -> Option<i64> {
        self.extremes.map(|(_, max)| max)
    }

    /// The buckets that are not empty, ascending.
    pub fn buckets(&self) -> Vec<Bucket> {
        let magnitudes = |side: &Histogram<u64>| -> Vec<(u64, u64, u64)> {
            side.iter_recorded()
                .map(|step| step.value_iterated_to())
                .map(|value| {
                    (side.lowest_equivalent(value), side.highest_equivalent(value), side.count_at(value))
                })
                .collect()
        };
        let signed = |magnitude: u64| i64::try_from(magnitude).unwrap_or(i64::MAX);
        // Magnitudes go up to 2^63, which exists only below zero.
        let negated = |magnitude: u64| 0_i64.checked_sub_unsigned(magnitude).unwrap_or(i64::MIN);
        let below = magnitudes(&self.below_zero).into_iter().rev().map(|(low, high, count)| Bucket {
            low: negated(high),
            high: negated(low),
            count,
        });
        let from = magnitudes(&self.from_zero).into_iter().map(|(low, high, count)| Bucket {
            low: signed(low),
            high: signed(high),
            count,
        });
        below.chain(from).collect()
    }

    /// Nearest-rank quantile by bucket; `None` when empty.
    pub fn quantile(&self, quantile: Quantile) -> Option<i64> {
        let (min, max) = self.extremes?;
        // 0.07 * 5000 is slightly more than 350 in floats: two roundings must not raise the rank by one.
        let position = quantile.get() * self.count() as f64 * (1.0 - 2.0 * f64::EPSILON);
        let rank = (position.ceil() as u64).clamp(1, self.count());
        let mut seen = 0;
        for bucket in self.buckets() {
            seen += bucket.count;
            if seen >= rank {
                return Some(bucket.low.midpoint(bucket.high).clamp(min, max));
            }
        }
        Some(max)
    }

    /// The content to write to a file.
    pub fn stored(&self) -> StoredHistogram {
        StoredHistogram { min: self.min(), max: self.max(), buckets: self.buckets() }
    }

    /// The histogram that was stored: equal to the original.
    ///
    /// # Errors
    /// [`HistogramError::Contradiction`] when the extremes lie outside the buckets, else as [`Self::record`].
    pub fn from_stored(stored: &StoredHistogram) -> Result<Self, HistogramError> {
        let mut histogram = Self::new()?;
        for bucket in &stored.buckets {
            // The end nearer to zero identifies the bucket on both sides.
            let value = if bucket.low < 0 { bucket.high } else { bucket.low };
            histogram.record_many(value, bucket.count)?;
        }
        histogram.extremes = stored.min.zip(stored.max);
        let inside = |value: i64, bucket: Option<&Bucket>| {
            bucket.is_some_and(|bucket| (bucket.low..=bucket.high).contains(&value))
        };
        match histogram.extremes {
            None if stored.buckets.is_empty() => Ok(histogram),
            Some((min, max)) if inside(min, stored.buckets.first()) && inside(max, stored.buckets.last()) => {
                Ok(histogram)
            }
            other => {
                let (min, max) = other.unwrap_or((0, 0));
                Err(HistogramError::Contradiction { min, max })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::Draws;

    fn of(values: &[i64]) -> SignedHistogram {
        let mut histogram = SignedHistogram::new().unwrap();
        for &value in values {
            histogram.record(value).unwrap();
        }
        histogram
    }

    fn spread(draws: &mut Draws) -> i64 {
        let magnitude = (draws.index(1 << 40) >> draws.index(40)) as i64;
        if draws.index(4) == 0 { -magnitude } else { magnitude }
    }

    #[test]
    fn merging_equals_recording_all_in_any_order() {
        let seed = 9;
        let mut draws = Draws::seeded(seed);
        for round in 0..20 {
            let parts: Vec<Vec<i64>> =
                (0..6).map(|_| (0..draws.index(300)).map(|_| spread(&mut draws)).collect()).collect();
            let all = of(&parts.concat());
            let mut merged = SignedHistogram::new().unwrap();
            for part in parts.iter().rev() {
                merged.merge(&of(part)).unwrap();
            }
            assert_eq!(merged.stored(), all.stored(), "seed {seed} round {round}");
            assert_eq!(merged, all, "seed {seed} round {round}");
        }
    }

    #[test]
    fn quantiles_are_the_nearest_rank_within_the_width_of_a_bucket() {
        let mut draws = Draws::seeded(10);
        let mut values: Vec<i64> = (0..5000).map(|_| spread(&mut draws)).collect();
        let histogram = of(&values);
        values.sort_unstable();
        for percent in 0..=100 {
            let rank = ((percent * values.len()).div_ceil(100)).max(1);
            let exact = values[rank - 1];
            let got = histogram.quantile(Quantile::new(percent as f64 / 100.0).unwrap()).unwrap();
            assert!((got - exact).abs() as f64 <= exact.abs() as f64 / 1024.0, "p{percent}: {got} {exact}");
        }
    }

    #[test]
    fn what_was_stored_comes_back_equal() {
        let mut draws = Draws::seeded(12);
        let values: Vec<i64> =
            (0..2000).map(|_| spread(&mut draws)).chain([0, -1, 1, i64::MIN, i64::MAX]).collect();
        let histogram = of(&values);
        let text = serde_json::to_string(&histogram.stored()).unwrap();
        let back = SignedHistogram::from_stored(&serde_json::from_str(&text).unwrap()).unwrap();
        assert_eq!(back.stored(), histogram.stored());
        assert_eq!((back.min(), back.max(), back.count()), (Some(i64::MIN), Some(i64::MAX), 2005));
    }

    #[test]
    fn empty_and_damaged_histograms_say_so() {
        let empty = SignedHistogram::new().unwrap();
        assert_eq!((empty.quantile(Quantile::MEDIAN), empty.count(), empty.min()), (None, 0, None));
        assert_eq!(SignedHistogram::from_stored(&empty.stored()).unwrap(), empty);
        let mut damaged = of(&[5, 9]).stored();
        damaged.max = Some(1_000_000);
        assert!(matches!(SignedHistogram::from_stored(&damaged), Err(HistogramError::Contradiction { .. })));
    }
}
