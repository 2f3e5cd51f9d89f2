//! How much later than planned packets were delivered, in nanoseconds, with three significant digits up to a
//! minute.

use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};

const HIGHEST_NS: u64 = 60_000_000_000;

/// The histogram while packets are being recorded.
#[derive(Debug)]
pub struct Lateness(Option<Histogram<u64>>);

impl Default for Lateness {
    fn default() -> Self {
        // The bounds are constants that the constructor accepts; without a histogram nothing is recorded.
        Self(Histogram::new_with_bounds(1, HIGHEST_NS, 3).ok())
    }
}

/// A lateness histogram as stored with a trial.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct LatenessSummary {
    /// How many packets were delivered.
    pub packets: u64,
    /// Mean lateness of all packets.
    pub mean_ns: f64,
    /// Median lateness of all packets.
    pub median_ns: u64,
    /// 99 in 100 packets were at most this late.
    pub p99_ns: u64,
    /// 999 in 1000 packets were at most this late.
    pub p999_ns: u64,
    /// The largest lateness of any packet.
    pub max_ns: u64,
    /// Counts per power of two, without empty ones.
    pub buckets: Vec<LatenessBucket>,
}

/// Packets whose lateness is above the previous bucket's end and at most this one's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LatenessBucket {
    /// Largest lateness in this bucket.
    pub up_to_ns: u64,
    /// How many packets it counts.
    pub packets: u64,
}

impl Lateness {
    /// Records a packet that was delivered this late.
    pub fn record(&mut self, late_ns: u64) {
        if let Some(histogram) = &mut self.0 {
            histogram.saturating_record(late_ns);
        }
    }

    /// Summarises what has been recorded so far.
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
