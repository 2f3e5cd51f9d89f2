//! How much later than planned packets were delivered, in nanoseconds: three significant digits up to a
//! minute.

use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};

const HIGHEST_NS: u64 = 60_000_000_000;

/// The histogram while it grows.
#[derive(Debug)]
pub struct Lateness(Option<Histogram<u64>>);

impl Default for Lateness {
    fn default() -> Self {
        // The bounds are constants that the constructor accepts; without a histogram nothing is recorded.
        Self(Histogram::new_with_bounds(1, HIGHEST_NS, 3).ok())
    }
}

/// A lateness histogram as it is kept with a trial.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct LatenessSummary {
    /// Packets delivered.
    pub packets: u64,
    /// Mean.
    pub mean_ns: f64,
    /// Median.
    pub median_ns: u64,
    /// 99 in 100 packets were at most this late.
    pub p99_ns: u64,
    /// 999 in 1000 packets were at most this late.
    pub p999_ns: u64,
    /// The latest.
    pub max_ns: u64,
    /// Counts per power of two, empty ones left out.
    pub buckets: Vec<LatenessBucket>,
}

/// Packets whose lateness lies between the bucket before and this.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LatenessBucket {
    /// Upper end.
    pub up_to_ns: u64,
    /// Packets in it.
    pub packets: u64,
}

impl Lateness {
    /// A packet was delivered this late.
    pub fn record(&mut self, late_ns: u64) {
        if let Some(histogram) = &mut self.0 {
            histogram.saturating_record(late_ns);
        }
    }

    /// The figures so far.
    pub fn summary(&self) -> LatenessSummary {
        let Some(histogram) = &self.0 else {
            return LatenessSummary::default();
        };
        LatenessSummary {
            packets: histogram.len(),
            mean_ns: histogram.mean(),
            median_ns: histogram.value_at_quantile(0.5),
            p99_ns: histogram.value_at_quantile(0.99),
            p999_ns: histogram.value_at_quantile(0.999),
            max_ns: histogram.max(),
            buckets: histogram
                .iter_log(1_024, 2.0)
                .map(|step| LatenessBucket {
                    up_to_ns: step.value_iterated_to(),
                    packets: step.count_since_last_iteration(),
                })
                .filter(|bucket| bucket.packets > 0)
                .collect(),
        }
    }
}
