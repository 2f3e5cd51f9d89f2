//! Measures how many bytes samples take in every format, plain and with each message compressed separately.
//!
//! Samples are streamed: memory holds only a few batches at a time, whatever their number. Each thread encodes whole batches
//! and keeps sum, minimum and maximum, which are independent of the order; so the result depends only on the samples.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use prost_reflect::DynamicMessage;
use serde::Serialize;
use wiredyno_compression::{self as compression, BoundCompression, CompressionError};
use wiredyno_contract::CompressionId;
use wiredyno_schema::import::ImportError;
use wiredyno_schema::{SampleError, Wide, read_value};

use crate::described::Described;
use crate::registry::{ENCODERS, Encoder};
use crate::value::ValueError;

/// The most samples of a batch.
const BATCH_SAMPLES: usize = 64;
/// A batch also ends once its lines have this many bytes.
const BATCH_BYTES: usize = 1 << 20;

/// A sample in one of the forms in which callers have it.
pub enum Sample {
    /// The number of the sample's line, from 1, and the line in the proto3 JSON mapping.
    Line(usize, String),
    /// The sample's number, from 1, and its value.
    Value(usize, DynamicMessage),
    /// A sample converted from a JSON document, with the original document.
    Document {
        /// The sample's number, from 1.
        number: usize,
        /// The converted document, in the proto3 JSON mapping.
        line: String,
        /// The original document, without white space between tokens.
        came: String,
    },
}

impl Sample {
    fn number(&self) -> usize {
        match self {
            Sample::Line(number, _) | Sample::Value(number, _) | Sample::Document { number, .. } => *number,
        }
    }

    /// The sample's line, and the document that it was converted from.
    fn texts(&self) -> (Option<&str>, Option<&str>) {
        match self {
            Sample::Value(..) => (None, None),
            Sample::Line(_, line) => (Some(line), None),
            Sample::Document { line, came, .. } => (Some(line), Some(came)),
        }
    }
}

/// Why sizes can't be determined.
#[derive(Debug, thiserror::Error)]
pub enum SizeError {
    /// Reading the samples failed.
    #[error("{file}:{number}: {reason}")]
    Read {
        /// The file with the samples.
        file: String,
        /// The line that failed, from 1.
        number: usize,
        /// The operating system's error.
        reason: std::io::Error,
    },
    /// A line is not a value of the message type.
    #[error(transparent)]
    Sample(#[from] SampleError),
    /// A document can't be converted to a sample.
    #[error(transparent)]
    Document(#[from] ImportError),
    /// A document is not one of the payload's.
    #[error("{0}")]
    Given(String),
    /// A value does not comply with the definition.
    #[error("{file}:{number}: {reason}")]
    Value {
        /// The file with the samples, or the generator's.
        file: String,
        /// The line or sample that failed, from 1.
        number: usize,
        /// What is wrong with the value, and what to do.
        reason: ValueError,
    },
    /// The compression is unknown, or it failed.
    #[error(transparent)]
    Compression(#[from] CompressionError),
    /// The compression needs a dictionary, which `size` does not train.
    #[error(
        "{id} needs a dictionary, which is trained for one codec; leave `:dictionary` out here, or measure it in a study"
    )]
    Dictionary {
        /// The id of the compression.
        id: CompressionId,
    },
    /// There are no samples to measure.
    #[error("{file} contains no sample: write at least one JSON object into it")]
    NoSample {
        /// The file that should have samples.
        file: String,
    },
}

impl SizeError {
    /// Whether the requested compression is unknown, or needs a codec's dictionary.
    pub fn names_no_compression(&self) -> bool {
        matches!(
            self,
            SizeError::Dictionary { .. } | SizeError::Compression(CompressionError::Unknown { .. })
        )
    }
}

/// The sizes of all samples in one form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spread {
    /// The number of samples measured.
    pub samples: u64,
    /// The total size, in bytes.
    pub sum_bytes: u64,
    /// The size of the smallest sample, in bytes; `u64::MAX` without samples.
    pub min_bytes: u64,
    /// The size of the largest sample, in bytes; 0 without samples.
    pub max_bytes: u64,
}

impl Spread {
    const NONE: Spread = Spread { samples: 0, sum_bytes: 0, min_bytes: u64::MAX, max_bytes: 0 };

    fn add(&mut self, bytes: usize) {
        let bytes = bytes as u64;
        self.merge(Spread { samples: 1, sum_bytes: bytes, min_bytes: bytes, max_bytes: bytes });
    }

    fn merge(&mut self, other: Spread) {
        self.samples += other.samples;
        self.sum_bytes += other.sum_bytes;
        self.min_bytes = self.min_bytes.min(other.min_bytes);
        self.max_bytes = self.max_bytes.max(other.max_bytes);
    }

    /// The average size of a sample, in bytes.
    pub fn mean_bytes(&self) -> f64 {
        self.sum_bytes as f64 / self.samples.max(1) as f64
    }
}

impl Serialize for Spread {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct as _;
        let mut object = serializer.serialize_struct("Spread", 3)?;
        object.serialize_field("mean_bytes", &self.mean_bytes())?;
        object.serialize_field("min_bytes", &self.min_bytes)?;
        object.serialize_field("max_bytes", &self.max_bytes)?;
        object.end()
    }
}

/// How well a codec carries the samples.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fit {
    /// It carries all samples.
    Carried {
        /// Sizes as the codec writes them.
        plain: Spread,
        /// Sizes by compression, in the requested order.
        compressed: Vec<Spread>,
    },
    /// It can't carry the message type.
    Refused {
        /// Why it can't, in the codec's words.
        reason: String,
    },
    /// It can carry the type, but not all samples.
    Partly {
        /// How many samples it can't carry.
        samples: u64,
        /// The number of the first of them, from 1: a line of the file.
        number: usize,
        /// Why it can't carry that one.
        reason: String,
    },
}

/// The sizes that one codec produces.
#[derive(Debug, Clone)]
pub struct Row {
    /// The id of the codec.
    pub codec: &'static str,
    /// An earlier codec of the list that writes the same bytes, so that this one was not measured again.
    pub same_as: Option<&'static str>,
    /// Sizes, or why there are none.
    pub outcome: Fit,
}

/// The sizes of all samples in all formats.
#[derive(Debug, Clone)]
pub struct Sizes {
    /// How many samples there were.
    pub samples: u64,
    /// Sizes of the original JSON documents, plain and by compression, if all samples were converted from some.
    pub came: Option<(Spread, Vec<Spread>)>,
    /// Samples with an integer beyond ±2^53, which doubles may not hold.
    pub beyond_doubles: Rare,
    /// Samples with an integer beyond 2^63 - 1, which signed 64-bit integers don't hold.
    pub beyond_signed: Rare,
    /// One row for each encoder, in the order of [`ENCODERS`].
    pub rows: Vec<Row>,
}

/// The number of samples with a rare property, and the first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Rare {
    /// How many samples have it.
    pub samples: u64,
    /// The number of the first of them, from 1; 0 if there is none.
    pub first: usize,
}

impl Rare {
    fn add(&mut self, number: usize) {
        self.merge(Rare { samples: 1, first: number });
    }

    fn merge(&mut self, other: Rare) {
        self.samples += other.samples;
        self.first = match (self.first, other.first) {
            (0, first) | (first, 0) => first,
            (a, b) => a.min(b),
        };
    }
}

impl Sizes {
    /// Refuses the codecs that can't be compiled for the definition, each with the reason.
    pub fn leave_out(&mut self, codecs: &[(&'static str, String)]) {
        for (codec, reason) in codecs {
            let outcome = Fit::Refused { reason: reason.clone() };
            for row in self.rows.iter_mut().filter(|row| row.same_as == Some(*codec)) {
                row.same_as = None;
            }
            match self.rows.iter_mut().find(|row| row.codec == *codec) {
                Some(row) => row.outcome = outcome,
                None => self.rows.push(Row { codec, same_as: None, outcome }),
            }
        }
    }
}

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

type Read = Result<Sample, SizeError>;

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
