//! The one timed loop.
//!
//! Inside the clock: the calls of one phase, the drop of what each call made (except the last one's), and
//! the step to the next sample. Outside: everything else, among it the check that the last product of a
//! batch is right. Batches are calibrated to a minimum time, all of equal length; raw times are kept, and
//! the clock's own cost is measured and stated beside them, to be subtracted once per batch.

use std::hint::black_box;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::alloc::{self, Allocations, Window};
use crate::codec::{DecodeError, EncodeError};

pub use wiredyno_model::trial::Phase;

/// Where encoding writes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Buffer {
    /// A buffer of its own for each message, allocated inside the clock.
    Fresh,
    /// One buffer, emptied and used again.
    #[default]
    Reused,
}

/// How long to measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct MeasureSettings {
    /// A batch takes at least so long.
    pub batch_ns: u64,
    /// How many batches are kept.
    pub batches: u32,
    /// Where encoding writes to; the other phases don't care.
    pub buffer: Buffer,
}

impl Default for MeasureSettings {
    fn default() -> Self {
        MeasureSettings { batch_ns: 5_000_000, batches: 20, buffer: Buffer::Reused }
    }
}

/// One batch as it was timed, the clock's cost still inside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Batch {
    /// From before the first call to after the last.
    pub elapsed_ns: u64,
    /// How many calls.
    pub iterations: u64,
}

/// What a batch produced, checked outside the clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BatchOutcome {
    /// The time.
    pub batch: Batch,
    /// Of the last product: of its bytes for build and encode, of its values for decode and read.
    pub digest: u64,
}

/// The sizes of the encoded samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct EncodedSizes {
    /// How many samples.
    pub samples: u64,
    /// Their sum; the mean is `total_bytes / samples`.
    pub total_bytes: u64,
    /// The smallest.
    pub min_bytes: u64,
    /// The largest.
    pub max_bytes: u64,
}

/// Allocations of one call per sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhaseAllocations {
    /// How many calls were counted, one per sample.
    pub calls: u64,
    /// Allocations of all calls.
    pub count: u64,
    /// Bytes of all calls.
    pub bytes: u64,
    /// The highest peak of a single call.
    pub peak_bytes: u64,
}

/// What was measured of one phase.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhaseMeasurement {
    /// Which.
    pub phase: Phase,
    /// Where encoding wrote to.
    pub buffer: Buffer,
    /// The raw times.
    pub batches: Vec<Batch>,
    /// What one reading of the clock costs: to be subtracted once per batch.
    pub timer_overhead_ns: u64,
    /// Counted in a pass of its own; `None` where the counting allocator is not installed.
    pub allocations: Option<PhaseAllocations>,
    /// The sizes of the samples that were rotated through.
    pub encoded: EncodedSizes,
    /// Of the first sample's product, made once more after the batches, each of which was checked too.
    pub digest: u64,
}

impl PhaseMeasurement {
    /// Nanoseconds per call of each batch, the clock's cost subtracted. Not rounded; negative values would
    /// mean a batch shorter than the clock's cost and are kept.
    pub fn ns_per_call(&self) -> impl Iterator<Item = f64> + '_ {
        let overhead = self.timer_overhead_ns as f64;
        self.batches.iter().map(move |b| (b.elapsed_ns as f64 - overhead) / b.iterations as f64)
    }
}

/// A phase could not be measured.
#[derive(Debug, thiserror::Error)]
pub enum MeasureError {
    /// Nothing was loaded.
    #[error("nothing to measure: load samples first")]
    NoSamples,
    /// A sample could not be encoded.
    #[error(transparent)]
    Encode(#[from] EncodeError),
    /// A sample could not be decoded.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// The loop produced something wrong: a failed measurement, never a fast one.
    #[error("{codec}: {phase:?} of sample {sample} produced something else than outside the loop")]
    Wrong {
        /// The codec's id.
        codec: String,
        /// The phase.
        phase: Phase,
        /// Counted from 0.
        sample: usize,
    },
}

/// A batch of one phase: `(iterations, first sample)`.
pub type RunBatch<'a> = dyn FnMut(u64, usize) -> Result<BatchOutcome, MeasureError> + 'a;

/// Times `iterations` calls, rotating through `samples` from `first` on. Gives the last product and the
/// sample it was made from.
#[inline]
pub(crate) fn timed<T, E>(
    iterations: u64,
    samples: usize,
    first: usize,
    mut call: impl FnMut(usize) -> Result<T, E>,
) -> Result<(Batch, T, usize), E> {
    let mut sample = first % samples;
    let mut left = iterations.max(1);
    let window = Window::open();
    let start = Instant::now();
    // One call site, and no product is kept but the last: what is moved for the next call's sake costs as much
    // as some calls.
    let product = loop {
        let product = black_box(call(sample)?);
        left -= 1;
        if left == 0 {
            break product;
        }
        drop(product);
        sample += 1;
        if sample == samples {
            sample = 0;
        }
    };
    let elapsed = start.elapsed();
    drop(window);
    let batch = Batch { elapsed_ns: elapsed.as_nanos() as u64, iterations: iterations.max(1) };
    Ok((batch, product, sample))
}

/// How many readings of the clock give its cost.
const OVERHEAD_READINGS: usize = 1001;

/// What one pair of clock readings costs: the median of many.
pub fn timer_overhead_ns() -> u64 {
    let mut readings: Vec<u64> = (0..OVERHEAD_READINGS)
        .map(|_| {
            let start = Instant::now();
            black_box(start.elapsed()).as_nanos() as u64
        })
        .collect();
    readings.sort_unstable();
    readings[OVERHEAD_READINGS / 2]
}

/// Calibrates, warms up by that, and measures. The digest is of the first sample, made once more outside the clock: where
/// a round through the samples takes longer than a batch, batches end on samples that depend on the speed, whose
/// digests could not be compared from one measurement to the next.
pub(crate) fn measure(
    settings: &MeasureSettings,
    samples: usize,
    run: &mut RunBatch<'_>,
) -> Result<(Vec<Batch>, u64), MeasureError> {
    let iterations = calibrate(settings.batch_ns, samples, run)?;
    let mut batches = Vec::with_capacity(settings.batches as usize);
    let mut first = 0;
    for _ in 0..settings.batches.max(1) {
        let outcome = run(iterations, first)?;
        first = (first + iterations as usize) % samples;
        batches.push(outcome.batch);
    }
    Ok((batches, run(1, 0)?.digest))
}

/// The number of calls that takes at least `batch_ns`: whole rounds through the samples where it takes more
/// than one round, so that all batches do the same work.
fn calibrate(batch_ns: u64, samples: usize, run: &mut RunBatch<'_>) -> Result<u64, MeasureError> {
    let mut iterations = 1u64;
    loop {
        let elapsed_ns = run(iterations, 0)?.batch.elapsed_ns.max(1);
        if elapsed_ns >= batch_ns {
            break;
        }
        // Ten per cent more than the estimate, but never more than tenfold on one estimate.
        let wanted = iterations.saturating_mul(batch_ns).saturating_mul(11) / (elapsed_ns.saturating_mul(10));
        iterations = wanted.clamp(iterations + 1, iterations.saturating_mul(10));
    }
    let round = samples as u64;
    Ok(if iterations > round { iterations.div_ceil(round) * round } else { iterations })
}

/// Counts the allocations of one call per sample, after a round that has warmed caches and buffers.
pub(crate) fn allocations(
    samples: usize,
    run: &mut RunBatch<'_>,
) -> Result<Option<PhaseAllocations>, MeasureError> {
    if !alloc::is_installed() {
        return Ok(None);
    }
    run(samples as u64, 0)?;
    let mut sum = PhaseAllocations { calls: samples as u64, count: 0, bytes: 0, peak_bytes: 0 };
    for sample in 0..samples {
        let (outcome, counted): (_, Allocations) = alloc::count(|| run(1, sample));
        outcome?;
        sum.count += counted.count;
        sum.bytes += counted.bytes;
        sum.peak_bytes = sum.peak_bytes.max(counted.peak_bytes);
    }
    Ok(Some(sum))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(elapsed_ns: u64, iterations: u64) -> BatchOutcome {
        BatchOutcome { batch: Batch { elapsed_ns, iterations }, digest: 7 }
    }

    #[test]
    fn calibration_reaches_the_wanted_time_in_whole_rounds() {
        let settings = MeasureSettings { batch_ns: 1_000_000, batches: 3, buffer: Buffer::Reused };
        let (batches, digest) = measure(&settings, 7, &mut |n, _| Ok(outcome(100 * n, n))).unwrap();
        assert_eq!((batches.len(), digest), (3, 7));
        for batch in batches {
            assert!(batch.elapsed_ns >= 1_000_000, "{batch:?}");
            assert_eq!(batch.iterations % 7, 0, "whole rounds");
        }
    }

    #[test]
    fn a_slow_call_is_measured_once_per_batch() {
        let settings = MeasureSettings { batch_ns: 1_000, batches: 2, buffer: Buffer::Fresh };
        let mut firsts = Vec::new();
        let (batches, _) = measure(&settings, 5, &mut |n, first| {
            firsts.push(first);
            Ok(outcome(2_000 * n, n))
        })
        .unwrap();
        assert!(batches.iter().all(|batch| batch.iterations == 1));
        assert_eq!(
            firsts,
            [0, 0, 1, 0],
            "calibration, each batch where the last one ended, the first sample's digest"
        );
    }

    #[test]
    fn the_digest_does_not_depend_on_where_the_speed_lets_batches_end() {
        // Each sample has a digest of its own; a round of five takes longer than a batch.
        let digest = |call_ns: u64| {
            let settings = MeasureSettings { batch_ns: 1_000, batches: 3, buffer: Buffer::Reused };
            let mut run = |n: u64, first: usize| {
                let last = (first + n as usize - 1) % 5;
                Ok(BatchOutcome { digest: last as u64, ..outcome(call_ns * n, n) })
            };
            measure(&settings, 5, &mut run).unwrap().1
        };
        assert_eq!([digest(300), digest(400), digest(600), digest(2_000)], [0; 4]);
    }

    #[test]
    fn the_loop_rotates_and_gives_the_last_product() {
        let mut seen = Vec::new();
        let (batch, last, used) = timed(5, 3, 1, |sample| {
            seen.push(sample);
            Ok::<_, ()>(sample * 10)
        })
        .unwrap();
        assert_eq!(seen, [1, 2, 0, 1, 2]);
        assert_eq!((batch.iterations, last, used), (5, 20, 2));
    }

    #[test]
    fn ns_per_call_subtracts_the_clock_once() {
        let measurement = PhaseMeasurement {
            phase: Phase::Encode,
            buffer: Buffer::Reused,
            batches: vec![Batch { elapsed_ns: 1_020, iterations: 10 }],
            timer_overhead_ns: 20,
            allocations: None,
            encoded: EncodedSizes { samples: 1, total_bytes: 1, min_bytes: 1, max_bytes: 1 },
            digest: 0,
        };
        assert_eq!(measurement.ns_per_call().collect::<Vec<_>>(), [100.0]);
    }
}
