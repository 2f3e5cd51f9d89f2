//! Encodes samples in threads and adds up their sizes.

use super::{BATCH_BYTES, BATCH_SAMPLES, Fit, Rare, Row, Sample, SizeError, Sizes, Spread};
use crate::described::Described;
use crate::registry::{ENCODERS, Encoder};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use wiredyno_compression::{self as compression, BoundCompression, CompressionError};
use wiredyno_contract::CompressionId;
use wiredyno_schema::{Wide, read_value};

/// One thread's counts for one codec.
struct Tally {
    plain: Spread,
    compressed: Vec<Spread>,
    /// How many samples failed, and the first of them.
    failed: u64,
    first: Option<(usize, String)>,
}

impl Tally {
    fn new(compressions: usize) -> Tally {
        Tally { plain: Spread::NONE, compressed: vec![Spread::NONE; compressions], failed: 0, first: None }
    }

    /// Adds one body, plain and compressed.
    fn add(
        &mut self,
        bytes: &[u8],
        compressions: &mut [Box<dyn BoundCompression>],
        squeezed: &mut Vec<u8>,
    ) -> Result<(), CompressionError> {
        self.plain.add(bytes.len());
        for (compression, spread) in compressions.iter_mut().zip(&mut self.compressed) {
            compression.compress(bytes, squeezed)?;
            spread.add(squeezed.len());
        }
        Ok(())
    }

    fn fail(&mut self, failed: u64, number: usize, reason: String) {
        self.failed += failed;
        if self.first.as_ref().is_none_or(|(first, _)| number < *first) {
            self.first = Some((number, reason));
        }
    }

    fn merge(&mut self, other: Tally) {
        self.plain.merge(other.plain);
        self.compressed.iter_mut().zip(other.compressed).for_each(|(sum, one)| sum.merge(one));
        if let Some((number, reason)) = other.first {
            self.fail(other.failed, number, reason);
        }
    }

    fn outcome(self) -> Fit {
        match self.first {
            Some((number, reason)) => Fit::Partly { samples: self.failed, number, reason },
            None => Fit::Carried { plain: self.plain, compressed: self.compressed },
        }
    }
}

/// The state of one thread.
struct Worker<'p> {
    described: &'p Described,
    file: &'p str,
    encoders: Vec<&'static Encoder>,
    compressions: Vec<Box<dyn BoundCompression>>,
    tallies: Vec<Tally>,
    /// The original documents.
    came: Tally,
    beyond_doubles: Rare,
    beyond_signed: Rare,
    samples: u64,
    bytes: Vec<u8>,
    squeezed: Vec<u8>,
}

impl<'p> Worker<'p> {
    fn new(described: &'p Described, file: &'p str, ids: &[CompressionId]) -> Result<Worker<'p>, SizeError> {
        let carried =
            |encoder: &&Encoder| encoder.same_as().is_none() && encoder.refuses(described).is_none();
        let encoders: Vec<_> = ENCODERS.iter().filter(carried).collect();
        let mut compressions = Vec::new();
        for id in ids {
            compressions.extend(compression::bind(id, &[])?);
        }
        let tallies = encoders.iter().map(|_| Tally::new(compressions.len())).collect();
        let came = Tally::new(compressions.len());
        let (bytes, squeezed) = (Vec::new(), Vec::new());
        let (beyond_doubles, beyond_signed) = (Rare::default(), Rare::default());
        Ok(Worker {
            described,
            file,
            encoders,
            compressions,
            tallies,
            came,
            beyond_doubles,
            beyond_signed,
            samples: 0,
            bytes,
            squeezed,
        })
    }

    fn add(&mut self, sample: &Sample) -> Result<(), SizeError> {
        let number = sample.number();
        let read;
        let value = match (sample, sample.texts().0) {
            (Sample::Value(_, value), _) => value,
            (_, line) => {
                let descriptor = &self.described.definition.descriptor;
                read = read_value(line.unwrap_or_default(), descriptor, self.file, number)?;
                &read
            }
        };
        if let Some(came) = sample.texts().1 {
            self.came.add(came.as_bytes(), &mut self.compressions, &mut self.squeezed)?;
        }
        let wrong = |reason| SizeError::Value { file: self.file.to_owned(), number, reason };
        let record = self.described.value(value).map_err(wrong)?;
        self.samples += 1;
        let wide = Wide::of(value);
        if wide.beyond_doubles {
            self.beyond_doubles.add(number);
        }
        if wide.beyond_signed {
            self.beyond_signed.add(number);
        }
        for (encoder, tally) in self.encoders.iter().zip(&mut self.tallies) {
            self.bytes.clear();
            if let Err(error) = encoder.encode(self.described, &record, &mut self.bytes) {
                tally.fail(1, number, error.reason);
                continue;
            }
            tally.add(&self.bytes, &mut self.compressions, &mut self.squeezed)?;
        }
        Ok(())
    }
}

/// Yields samples one after the other, in batches for the threads.
struct Source<I> {
    samples: I,
    /// Whether the samples ended, or one could not be read.
    ended: bool,
    /// How many samples were handed out.
    dealt: u64,
}

pub(super) type Read = Result<Sample, SizeError>;

impl<I: Iterator<Item = Read>> Source<I> {
    /// The index of the next sample, and a batch from there; an error is its last element, and no batch follows.
    fn batch(&mut self) -> (u64, Vec<Read>) {
        let (mut batch, mut bytes) = (Vec::new(), 0);
        while !self.ended && batch.len() < BATCH_SAMPLES && bytes < BATCH_BYTES {
            let Some(sample) = self.samples.next() else {
                self.ended = true;
                break;
            };
            if let Ok(sample) = &sample {
                bytes += sample.texts().0.map_or(0, str::len);
            }
            self.ended = sample.is_err();
            batch.push(sample);
        }
        let start = self.dealt;
        self.dealt += batch.len() as u64;
        (start, batch)
    }
}

/// Measures samples on several threads. `file` names the samples in errors.
///
/// # Errors
/// For the first sample that can't be read or does not comply with the definition; when there is none; when a compression is
/// unknown, needs a dictionary, or fails.
pub fn measure(
    described: &Described,
    samples: impl Iterator<Item = Read> + Send,
    file: &str,
    compressions: &[CompressionId],
    threads: usize,
) -> Result<Sizes, SizeError> {
    if let Some(id) = compressions.iter().find(|id| id.dictionary) {
        return Err(SizeError::Dictionary { id: id.clone() });
    }
    let source = Mutex::new(Source { samples, ended: false, dealt: 0 });
    let stop = AtomicBool::new(false);
    let workers = (0..threads.max(1)).map(|_| Worker::new(described, file, compressions));
    let workers = workers.collect::<Result<Vec<_>, _>>()?;
    let done: Vec<Done<'_>> = std::thread::scope(|scope| {
        let running: Vec<_> =
            workers.into_iter().map(|worker| scope.spawn(|| work(worker, &source, &stop))).collect();
        running
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    });
    // Batches are handed out in order, and each is processed up to its first error: the least of these
    // is the first of all.
    let (finished, failed): (Vec<_>, Vec<_>) = done.into_iter().partition(|done| done.failed.is_none());
    if let Some((_, error)) = failed.into_iter().filter_map(|done| done.failed).min_by_key(|(at, _)| *at) {
        return Err(error);
    }
    sum(described, file, compressions.len(), finished.into_iter().map(|done| done.worker))
}

/// The result of one thread.
struct Done<'p> {
    worker: Worker<'p>,
    /// The index of the sample that failed, and why.
    failed: Option<(u64, SizeError)>,
}

fn work<'p, I: Iterator<Item = Read>>(
    mut worker: Worker<'p>,
    source: &Mutex<Source<I>>,
    stop: &AtomicBool,
) -> Done<'p> {
    while !stop.load(Ordering::Relaxed) {
        let Ok((start, batch)) = source.lock().map(|mut source| source.batch()) else {
            break;
        };
        if batch.is_empty() {
            break;
        }
        for (at, sample) in (start..).zip(batch) {
            if let Err(error) = sample.and_then(|sample| worker.add(&sample)) {
                stop.store(true, Ordering::Relaxed);
                return Done { worker, failed: Some((at, error)) };
            }
        }
    }
    Done { worker, failed: None }
}

fn sum<'p>(
    described: &Described,
    file: &str,
    compressions: usize,
    workers: impl Iterator<Item = Worker<'p>>,
) -> Result<Sizes, SizeError> {
    let mut totals: Vec<(&'static str, Tally)> = Vec::new();
    let (mut samples, mut came) = (0, Tally::new(compressions));
    let (mut beyond_doubles, mut beyond_signed) = (Rare::default(), Rare::default());
    for worker in workers {
        samples += worker.samples;
        came.merge(worker.came);
        beyond_doubles.merge(worker.beyond_doubles);
        beyond_signed.merge(worker.beyond_signed);
        if totals.is_empty() {
            totals =
                worker.encoders.iter().map(|encoder| (encoder.codec(), Tally::new(compressions))).collect();
        }
        totals.iter_mut().zip(worker.tallies).for_each(|((_, total), tally)| total.merge(tally));
    }
    if samples == 0 {
        return Err(SizeError::NoSample { file: file.to_owned() });
    }
    let outcomes: Vec<(&'static str, Fit)> =
        totals.into_iter().map(|(codec, tally)| (codec, tally.outcome())).collect();
    let row = |encoder: &Encoder| {
        let weighed = encoder.same_as().unwrap_or(encoder.codec());
        let outcome = match encoder.refuses(described) {
            Some(reason) => Fit::Refused { reason },
            None => outcomes.iter().find(|(codec, _)| *codec == weighed)?.1.clone(),
        };
        Some(Row { codec: encoder.codec(), same_as: encoder.same_as(), outcome })
    };
    let came = (came.plain.samples == samples).then_some((came.plain, came.compressed));
    let rows = ENCODERS.iter().filter_map(row).collect();
    Ok(Sizes { samples, came, beyond_doubles, beyond_signed, rows })
}
