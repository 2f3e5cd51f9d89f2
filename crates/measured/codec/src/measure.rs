//! The one timed loop.
//!
//! Inside the clock: the calls of one phase, the drop of what each call made (except the last one's), and the step to the
//! next sample. Outside: everything else, including the check that the last product of a batch is right, and the readings
//! of CPU time and instructions. Batches are calibrated to a minimum time, which two readings must confirm, all of equal
//! length; raw times are kept, with the measured cost of the clock itself subtracted once per batch. Whether a batch
//! waited for a CPU is determined from its CPU time, which is stored with its time.
//!
//! Heap and stack of one call are counted in a separate pass, on a thread with a painted stack, after a round that warms
//! caches and buffers. Only in that pass are calls of `malloc` watched: the clock sees none of it.
//!
//! One file because calibration, the loop and the subtraction of its costs must agree on what is inside the clock.

use std::hint::black_box;
use std::time::Instant;

use crate::alloc::{self, Allocated, Watch};
use crate::codec::{DecodeError, EncodeError, Reason};
use crate::counters::{self, Counters, Passed};
use crate::stack;

pub use wiredyno_contract::{Allocations, Batch, Buffer, Missing, Phase, PhaseMeasurement};

/// How long to measure, and where to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MeasureSettings {
    /// The minimum duration of a batch.
    pub batch_ns: u64,
    /// How many batches to time.
    pub batches: u32,
    /// Where encoding writes; irrelevant to the other phases.
    pub buffer: Buffer,
    /// Of a thousand calls, this many are made twice and counted once: a deliberate difference, for a self-test that
    /// checks whether it is found. 0 everywhere else.
    pub burden_per_mille: u32,
}

impl Default for MeasureSettings {
    fn default() -> Self {
        MeasureSettings { batch_ns: 5_000_000, batches: 20, buffer: Buffer::Reused, burden_per_mille: 0 }
    }
}

/// What a batch produced; checked outside the clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BatchOutcome {
    /// The batch's times, iterations and instructions.
    pub batch: Batch,
    /// Digest of the last product: of its bytes for build and encode, of its values for decode and read.
    pub digest: u64,
}

/// The sizes of the encoded samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EncodedSizes {
    /// How many samples there are.
    pub samples: u64,
    /// Their sum; the mean is `total_bytes / samples`.
    pub total_bytes: u64,
    /// Size of the smallest sample.
    pub min_bytes: u64,
    /// Size of the largest sample.
    pub max_bytes: u64,
}

/// A measured phase, with the digest that proves its result.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// Times, heap and stack of the phase.
    pub measurement: PhaseMeasurement,
    /// Digest of the product of the last sample, produced once more after the batches; the same for every
    /// measurement of one phase and the same samples.
    pub digest: u64,
}

/// Why a phase could not be measured.
#[derive(Debug, thiserror::Error)]
pub enum MeasureError {
    /// No samples are loaded yet: a phase needs some.
    #[error("nothing to measure: load samples first")]
    NoSamples,
    /// A phase of the codec was requested of a compression, or vice versa.
    #[error("{what} has no phase {}: ask for one of its own", phase.name())]
    NoPhase {
        /// The codec's or compression's id.
        what: String,
        /// The phase that was requested.
        phase: Phase,
    },
    /// A sample could not be encoded.
    #[error(transparent)]
    Encode(#[from] EncodeError),
    /// A sample could not be decoded.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// A sample could not be compressed or decompressed.
    #[error("{0}")]
    Compression(String),
    /// The loop produced a wrong result: a failed measurement, never a fast one.
    #[error("{codec}: {phase:?} of sample {sample} gave a different result inside the loop than outside")]
    Wrong {
        /// Id of the codec or compression.
        codec: String,
        /// The phase that was measured.
        phase: Phase,
        /// Index of the sample, from 0.
        sample: usize,
    },
}

/// Runs a batch of one phase: `(iterations, first sample)`.
pub type RunBatch<'a> = dyn FnMut(u64, usize) -> Result<BatchOutcome, MeasureError> + 'a;

/// Uses the batches of a phase.
pub type UseBatches<'a> = dyn FnMut(&mut RunBatch<'_>) -> Result<(), MeasureError> + 'a;

/// A codec or compression whose phases can be run over loaded samples.
pub trait Measurable: Send {
    /// How many samples are loaded.
    fn sample_count(&self) -> usize;

    /// Calls `use_batches` with the batches of one phase; what they need is prepared once, outside the clock.
    ///
    /// # Errors
    /// When nothing is loaded, the phase is not one of its own, or a call fails.
    fn with_batches(
        &mut self,
        phase: Phase,
        buffer: Buffer,
        use_batches: &mut UseBatches<'_>,
    ) -> Result<(), MeasureError>;

    /// Whether heap and stack of one call can be measured; a codec that works in another thread or process says why not.
    fn one_call(&self) -> Result<(), Reason> {
        Ok(())
    }
}

/// A batch in progress: its parameters, and the clock around its calls; in the separate pass, the window of heap and
/// stack instead of the clock.
///
/// Not generic, and its callers are short: there is one for each phase of each codec for each payload.
pub struct Round {
    iterations: u64,
    samples: usize,
    first: usize,
    base: usize,
    before: Counters,
    start: Option<Instant>,
    batch: Batch,
}

impl Round {
    /// At least one call, starting with the sample `first`, modulo their number, which is not 0.
    pub fn new(iterations: u64, samples: usize, first: usize) -> Round {
        let iterations = iterations.max(1);
        let batch = Batch { iterations, ..Batch::default() };
        let first = first % samples;
        Round { iterations, samples, first, base: 0, before: Counters::default(), start: None, batch }
    }

    /// Times the calls; returns the last product, which was made from the sample [`Round::last`].
    #[inline(always)]
    pub fn run<T, E>(&mut self, call: impl FnMut(usize) -> Result<T, E>) -> Result<T, E> {
        self.start(stack::pointer());
        let product = rounds(self.iterations, self.samples, self.first, call);
        self.stop();
        product
    }

    /// Reads everything else first, the clock last.
    #[inline(never)]
    fn start(&mut self, base: usize) {
        if alloc::is_armed() {
            self.base = base;
            stack::begin();
            alloc::open_window();
            return;
        }
        self.before = Counters::read();
        self.start = Some(Instant::now());
    }

    /// Reads the clock first, then everything else.
    #[inline(never)]
    fn stop(&mut self) {
        if alloc::is_armed() {
            alloc::close_window();
            stack::look(self.base);
            return;
        }
        let elapsed = self.start.map(|start| start.elapsed());
        let Passed { cpu_ns, instructions } = Counters::read().since(&self.before);
        let elapsed_ns = elapsed.map_or(0, |elapsed| elapsed.as_nanos() as u64);
        self.batch = Batch { elapsed_ns, cpu_ns, instructions, ..self.batch };
    }

    /// A batch without calls: the cost of the clocks.
    fn empty() -> Batch {
        let mut round = Round::new(1, 1, 0);
        round.start(stack::pointer());
        round.stop();
        round.batch
    }

    /// The batch that was run. The cost of the clocks is still included.
    pub fn batch(&self) -> Batch {
        self.batch
    }

    /// The clocks for a loop in another language, which makes [`Round::iterations`] calls beginning with the sample [`Round::first`].
    /// It must not be used after this round has been moved or dropped.
    pub fn stopwatch(&mut self) -> Stopwatch {
        Stopwatch { round: self, start: start_foreign, stop: stop_foreign }
    }

    /// How many calls it consists of, at least one.
    pub fn iterations(&self) -> u64 {
        self.iterations
    }

    /// The sample of the first call.
    pub fn first(&self) -> usize {
        self.first
    }

    /// The sample of the last call.
    pub fn last(&self) -> usize {
        let samples = self.samples as u64;
        ((self.first as u64 + (self.iterations - 1) % samples) % samples) as usize
    }
}

/// A round's clocks, or its window of heap and stack, for a loop in another language: a pointer to hand back, and what to call
/// immediately before the calls (with the stack pointer that depths are counted from) and immediately after them.
#[repr(C)]
pub struct Stopwatch {
    round: *mut Round,
    start: unsafe extern "C" fn(*mut Round, usize),
    stop: unsafe extern "C" fn(*mut Round),
}

unsafe extern "C" fn start_foreign(round: *mut Round, base: usize) {
    // SAFETY: the pointer is that of `Round::stopwatch`, whose round is still there and otherwise unused.
    unsafe { (*round).start(base) }
}

unsafe extern "C" fn stop_foreign(round: *mut Round) {
    // SAFETY: as above.
    unsafe { (*round).stop() }
}

/// The calls of a batch. Never inlined into its caller: its frame, and that of the call inlined into it, must lie
/// below the stack pointer that depths are counted from.
#[inline(never)]
fn rounds<T, E>(
    iterations: u64,
    samples: usize,
    first: usize,
    mut call: impl FnMut(usize) -> Result<T, E>,
) -> Result<T, E> {
    let mut sample = first;
    let mut left = iterations;
    // One call site, and no product is moved or kept except the last: a move costs as much as some calls.
    loop {
        let product = call(sample);
        black_box(&product);
        left -= 1;
        if left == 0 || product.is_err() {
            return product;
        }
        drop(product);
        sample += 1;
        if sample == samples {
            sample = 0;
        }
    }
}

/// How many readings of the clocks determine their cost.
const OVERHEAD_READINGS: usize = 1001;

/// The cost of one pair of readings, each the median of many.
#[derive(Debug, Clone, Copy)]
struct Overhead {
    elapsed_ns: u64,
    passed: Passed,
}

impl Overhead {
    fn measure() -> Overhead {
        let empty: Vec<Batch> = (0..OVERHEAD_READINGS).map(|_| Round::empty()).collect();
        let median = |of: fn(&Batch) -> Option<u64>| {
            let mut readings: Vec<u64> = empty.iter().filter_map(of).collect();
            readings.sort_unstable();
            readings.get(readings.len() / 2).copied()
        };
        Overhead {
            elapsed_ns: median(|batch| Some(batch.elapsed_ns)).unwrap_or(0),
            passed: Passed { cpu_ns: median(|b| b.cpu_ns), instructions: median(|b| b.instructions) },
        }
    }

    fn taken_off(&self, batch: Batch) -> Batch {
        let less = |raw: Option<u64>, cost: Option<u64>| raw.map(|raw| raw.saturating_sub(cost.unwrap_or(0)));
        Batch {
            elapsed_ns: batch.elapsed_ns.saturating_sub(self.elapsed_ns),
            cpu_ns: less(batch.cpu_ns, self.passed.cpu_ns),
            instructions: less(batch.instructions, self.passed.instructions),
            ..batch
        }
    }
}

/// Measures one phase: times first, then heap and stack of one call in a separate pass.
///
/// # Errors
/// When nothing is loaded, a call fails, or a batch produces something wrong.
pub fn measure(
    subject: &mut dyn Measurable,
    phase: Phase,
    settings: &MeasureSettings,
) -> Result<Measured, MeasureError> {
    let samples = subject.sample_count();
    let mut missing = counters::open();
    let overhead = Overhead::measure();
    let mut timing = None;
    subject.with_batches(phase, settings.buffer, &mut |run| {
        timing = Some(time(settings, samples, run)?);
        Ok(())
    })?;
    let (batches, digest) = timing.ok_or(MeasureError::NoSamples)?;
    let mut batches: Vec<Batch> = batches.into_iter().map(|batch| overhead.taken_off(batch)).collect();
    if let Err(reason) = subject.one_call() {
        // Its work is done elsewhere: the measuring thread's CPU time is not the codec's, and less than the wall time.
        batches.iter_mut().for_each(|batch| batch.cpu_ns = None);
        missing.retain(|known| known.what != "cpu");
        missing.push(OneCall::lacks("cpu", reason.0));
    }
    let one = one_call(subject, phase, settings.buffer)?;
    missing.extend(one.missing);
    let measurement = PhaseMeasurement {
        phase,
        buffer: settings.buffer,
        batches,
        timer_overhead_ns: overhead.elapsed_ns as f64,
        allocations: one.allocations,
        stack_bytes: one.stack_bytes,
        missing,
        settling: None,
    };
    Ok(Measured { measurement, digest })
}

/// Calibrates, which also warms up, and times. The digest is that of the last sample, produced once more outside the
/// clock: where a round through the samples takes longer than a batch, batches end on samples that depend on the speed,
/// whose digests could not be compared between measurements.
fn time(
    settings: &MeasureSettings,
    samples: usize,
    run: &mut RunBatch<'_>,
) -> Result<(Vec<Batch>, u64), MeasureError> {
    let iterations = calibrate(settings.batch_ns, samples, run)?;
    let calls = iterations + iterations.saturating_mul(u64::from(settings.burden_per_mille)) / 1_000;
    let mut batches = Vec::with_capacity(settings.batches as usize);
    let mut first = 0;
    for _ in 0..settings.batches.max(1) {
        let outcome = run(calls, first)?;
        first = (first + calls as usize) % samples;
        batches.push(Batch { iterations, ..outcome.batch });
    }
    // Always of the same sample, wherever the batches ended: measurements of a phase must agree.
    let last = run(1, samples.saturating_sub(1))?;
    Ok((batches, last.digest))
}

/// The number of calls that takes at least `batch_ns`: whole rounds through the samples where it takes more than one
/// round, so that all batches do the same work.
///
/// A reading in which the thread waited for a CPU is too long, and would make batches too short: a number that seems
/// sufficient is measured once more, and the shorter of the two readings counts.
fn calibrate(batch_ns: u64, samples: usize, run: &mut RunBatch<'_>) -> Result<u64, MeasureError> {
    let mut iterations = 1u64;
    loop {
        let mut read = || Ok::<_, MeasureError>(run(iterations, 0)?.batch.elapsed_ns.max(1));
        let mut elapsed_ns = read()?;
        if elapsed_ns >= batch_ns {
            elapsed_ns = elapsed_ns.min(read()?);
        }
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

/// Heap and stack of one call, the largest over the samples.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OneCall {
    /// Heap use; `None` with a reason in `missing`.
    pub allocations: Option<Allocations>,
    /// Deepest byte written on the stack, the largest of the samples; `None` with a reason in `missing`.
    pub stack_bytes: Option<u64>,
    /// What could not be measured, and why.
    pub missing: Vec<Missing>,
}

impl OneCall {
    fn lacks(what: &str, why: impl ToString) -> Missing {
        Missing { what: what.to_owned(), why: why.to_string() }
    }

    fn nothing(why: impl ToString + Copy) -> OneCall {
        let missing = vec![Self::lacks("heap", why), Self::lacks("stack", why)];
        OneCall { missing, ..OneCall::default() }
    }
}

/// Counts heap and stack of one call per sample, after a warm-up round, on a thread with a painted stack. The same
/// build and samples give the same figures.
///
/// # Errors
/// When nothing is loaded, or a call fails or produces something wrong.
pub fn one_call(subject: &mut dyn Measurable, phase: Phase, buffer: Buffer) -> Result<OneCall, MeasureError> {
    if let Err(reason) = subject.one_call() {
        return Ok(OneCall::nothing(&reason.0));
    }
    let heap = match Watch::open() {
        Ok(heap) => heap,
        Err(unwatched) => return Ok(OneCall::nothing(&unwatched.to_string())),
    };
    let samples = subject.sample_count();
    let counted = stack::on_painted(|| {
        let mut counted = None;
        subject.with_batches(phase, buffer, &mut |run| {
            counted = Some(count_calls(&heap, samples, run)?);
            Ok(())
        })?;
        counted.ok_or(MeasureError::NoSamples)
    });
    match counted {
        Ok(counted) => counted,
        Err(no_stack) => Ok(OneCall::nothing(&no_stack.to_string())),
    }
}

fn count_calls(heap: &Watch, samples: usize, run: &mut RunBatch<'_>) -> Result<OneCall, MeasureError> {
    // Two rounds: the first finds how deep the calls go, the second also warms what the first one touched.
    run(samples as u64, 0)?;
    stack::settle();
    for sample in 0..samples {
        run(1, sample)?;
    }
    let (mut count, mut bytes, mut peak_bytes) = (0.0, 0.0, 0);
    let mut deepest = 0;
    for sample in 0..samples {
        let (outcome, counted): (_, Allocated) = heap.count(|| run(1, sample));
        outcome?;
        count += counted.count as f64;
        bytes += counted.bytes as f64;
        peak_bytes = counted.peak_bytes.max(peak_bytes);
        deepest = deepest.max(stack::depth());
    }
    let calls = samples.max(1) as f64;
    let allocations = Allocations { count: Some(count / calls), bytes: Some(bytes / calls), peak_bytes };
    let mut one = OneCall { allocations: Some(allocations), ..OneCall::default() };
    if stack::stayed_inside() {
        one.stack_bytes = Some(deepest);
    } else {
        one.missing.push(OneCall::lacks("stack", "a call went much deeper than all calls of the warm-up"));
    }
    Ok(one)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(batch_ns: u64, batches: u32, buffer: Buffer) -> MeasureSettings {
        MeasureSettings { batch_ns, batches, buffer, ..MeasureSettings::default() }
    }

    fn batch(elapsed_ns: u64, iterations: u64) -> Batch {
        Batch { elapsed_ns, iterations, ..Batch::default() }
    }

    fn outcome(elapsed_ns: u64, iterations: u64) -> BatchOutcome {
        BatchOutcome { batch: batch(elapsed_ns, iterations), digest: 7 }
    }

    #[test]
    fn calibration_reaches_the_wanted_time_in_whole_rounds() {
        let settings = settings(1_000_000, 3, Buffer::Reused);
        let (batches, digest) = time(&settings, 7, &mut |n, _| Ok(outcome(100 * n, n))).unwrap();
        assert_eq!((batches.len(), digest), (3, 7));
        for batch in batches {
            assert!(batch.elapsed_ns >= 1_000_000, "{batch:?}");
            assert_eq!(batch.iterations % 7, 0, "whole rounds");
        }
    }

    #[test]
    fn a_slow_call_is_measured_once_per_batch() {
        let settings = settings(1_000, 2, Buffer::Fresh);
        let mut firsts = Vec::new();
        let (batches, _) = time(&settings, 5, &mut |n, first| {
            firsts.push(first);
            Ok(outcome(2_000 * n, n))
        })
        .unwrap();
        assert!(batches.iter().all(|batch| batch.iterations == 1));
        assert_eq!(
            firsts,
            [0, 0, 0, 1, 4],
            "calibration twice, each batch where the last one ended, the last sample"
        );
    }

    #[test]
    fn a_burden_is_work_that_is_done_and_not_counted() {
        let mut calls = Vec::new();
        let settings = MeasureSettings { burden_per_mille: 50, ..settings(1_000_000, 3, Buffer::Reused) };
        let (batches, _) = time(&settings, 1, &mut |n, _| {
            calls.push(n);
            Ok(outcome(100 * n, n))
        })
        .unwrap();
        assert_eq!(calls[calls.len() - 2], batches[2].iterations * 105 / 100);
        assert!((batches[2].ns_per_call() - 105.0).abs() < 0.1, "{batches:?}");
    }

    /// A simulated clock: 100 ns a call, and another thread for 5 ms in the readings with the given numbers.
    fn interrupted_at(readings: &[usize]) -> impl FnMut(u64, usize) -> Result<BatchOutcome, MeasureError> {
        let readings = readings.to_vec();
        let mut reading = 0;
        move |n, _| {
            let waited_ns = if readings.contains(&reading) { 5_000_000 } else { 0 };
            reading += 1;
            let batch = Batch { cpu_ns: Some(100 * n), ..batch(100 * n + waited_ns, n) };
            Ok(BatchOutcome { batch, digest: 7 })
        }
    }

    #[test]
    fn a_calibration_that_was_interrupted_does_not_make_batches_too_short() {
        let settings = settings(1_000_000, 3, Buffer::Reused);
        let undisturbed = time(&settings, 7, &mut interrupted_at(&[])).unwrap().0;
        // Each reading in turn, and two in a row that have different numbers of calls.
        for readings in [vec![0], vec![1], vec![2], vec![3], vec![4], vec![5], vec![0, 2], vec![1, 3, 5]] {
            let batches = time(&settings, 7, &mut interrupted_at(&readings)).unwrap().0;
            let least_ns = batches.iter().filter_map(|batch| batch.cpu_ns).min().unwrap();
            assert!(least_ns >= 1_000_000, "interrupted at {readings:?}: {batches:?}");
            assert!(batches[0].iterations <= 2 * undisturbed[0].iterations, "{readings:?}: {batches:?}");
        }
    }

    #[test]
    fn the_digest_does_not_depend_on_where_the_speed_lets_batches_end() {
        // Each sample has its own digest; a round of five takes longer than a batch.
        let digest = |call_ns: u64| {
            let settings = settings(1_000, 3, Buffer::Reused);
            let mut run = |n: u64, first: usize| {
                let last = (first + n as usize - 1) % 5;
                Ok(BatchOutcome { digest: last as u64, ..outcome(call_ns * n, n) })
            };
            time(&settings, 5, &mut run).unwrap().1
        };
        assert_eq!([digest(300), digest(400), digest(600), digest(2_000)], [4; 4]);
    }

    #[test]
    fn the_loop_rotates_and_gives_the_last_product() {
        let mut seen = Vec::new();
        let mut round = Round::new(5, 3, 4);
        let last = round.run(|sample| {
            seen.push(sample);
            Ok::<_, ()>(sample * 10)
        });
        assert_eq!(seen, [1, 2, 0, 1, 2]);
        assert_eq!((round.batch().iterations, last, round.last()), (5, Ok(20), 2));
    }

    #[test]
    fn the_cost_of_reading_the_clocks_is_taken_off_once() {
        let passed = Passed { cpu_ns: Some(300), instructions: None };
        let overhead = Overhead { elapsed_ns: 20, passed };
        let raw = Batch { cpu_ns: Some(1_290), instructions: Some(70), ..batch(1_020, 10) };
        let net = overhead.taken_off(raw);
        assert_eq!((net.elapsed_ns, net.cpu_ns, net.instructions), (1_000, Some(990), Some(70)));
        assert_eq!(net.ns_per_call(), 100.0);
        let real = Overhead::measure();
        assert!(real.elapsed_ns < 1_000_000 && real.passed.cpu_ns.is_some(), "{real:?}");
    }

    /// A subject that allocates, and uses stack, as requested.
    struct Known(Result<(), Reason>);

    impl Measurable for Known {
        fn sample_count(&self) -> usize {
            3
        }

        fn with_batches(
            &mut self,
            _: Phase,
            _: Buffer,
            use_batches: &mut UseBatches<'_>,
        ) -> Result<(), MeasureError> {
            use_batches(&mut |iterations, first| {
                let mut round = Round::new(iterations, 3, first);
                let kept = round.run(|sample| {
                    let mut room = [0u8; 20_000];
                    black_box(&mut room).fill(1);
                    Ok::<_, MeasureError>(black_box(vec![room[sample]; 100 * (sample + 1)]))
                })?;
                Ok(BatchOutcome { batch: round.batch(), digest: kept.len() as u64 })
            })
        }

        fn one_call(&self) -> Result<(), Reason> {
            self.0.clone()
        }
    }

    #[test]
    fn a_codec_that_works_elsewhere_has_no_cpu_time_and_says_so() {
        let settings = settings(1, 2, Buffer::Reused);
        let measured = |subject| measure(&mut Known(subject), Phase::Encode, &settings).unwrap().measurement;
        let here = measured(Ok(()));
        assert!(here.batches.iter().all(|batch| batch.cpu_ns.is_some()) && here.disturbed_share().is_some());
        let elsewhere = measured(Err(Reason("it works in another process".into())));
        assert!(elsewhere.batches.iter().all(|batch| batch.cpu_ns.is_none()));
        assert_eq!(elsewhere.disturbed_share(), None);
        let cpu: Vec<&Missing> = elsewhere.missing.iter().filter(|missing| missing.what == "cpu").collect();
        assert!(cpu.len() == 1 && cpu[0].why.contains("another process"), "{cpu:?}");
    }

    #[test]
    fn heap_and_stack_of_one_call_are_exact_and_ten_repeats_agree() {
        let one = || one_call(&mut Known(Ok(())), Phase::Encode, Buffer::Fresh).unwrap();
        let first = one();
        let expected = Allocations { count: Some(1.0), bytes: Some(200.0), peak_bytes: 300 };
        assert_eq!(first.allocations, Some(expected));
        let depth = first.stack_bytes.unwrap();
        assert!((20_000..20_000 + stack::BLIND_BYTES).contains(&depth), "{depth}");
        assert!((0..10).all(|_| one() == first));
        let cannot = one_call(
            &mut Known(Err(Reason("it works in another process".into()))),
            Phase::Encode,
            Buffer::Fresh,
        );
        let cannot = cannot.unwrap();
        assert!(cannot.allocations.is_none() && cannot.missing.len() == 2);
        assert!(cannot.missing.iter().all(|missing| missing.why.contains("another process")));
    }
}
