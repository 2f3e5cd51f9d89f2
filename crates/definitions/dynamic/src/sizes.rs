//! How many bytes samples take in every format, plain and compressed message by message.
//!
//! Samples stream: a few batches of them are in memory at a time, whatever their number. Each thread encodes whole batches
//! and keeps sums, least and most, which add up to the same in any order; so the result depends on the samples alone.

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

/// A batch ends with this many samples,
const BATCH_SAMPLES: usize = 64;
/// or once its lines have so many bytes.
const BATCH_BYTES: usize = 1 << 20;

/// One sample.
pub enum Sample {
    /// A line of a file in the proto3 JSON mapping, and its number from 1.
    Line(usize, String),
    /// A value, and its number from 1.
    Value(usize, DynamicMessage),
    /// A line as above of a JSON document, and that document as it came, without white space.
    Document {
        /// Its number from 1.
        number: usize,
        /// What the definition makes of it, in the proto3 JSON mapping.
        line: String,
        /// As it came.
        came: String,
    },
}

impl Sample {
    fn number(&self) -> usize {
        match self {
            Sample::Line(number, _) | Sample::Value(number, _) | Sample::Document { number, .. } => *number,
        }
    }

    /// The line, and the document that it was made of.
    fn texts(&self) -> (Option<&str>, Option<&str>) {
        match self {
            Sample::Value(..) => (None, None),
            Sample::Line(_, line) => (Some(line), None),
            Sample::Document { line, came, .. } => (Some(line), Some(came)),
        }
    }
}

/// Why sizes can't be told.
#[derive(Debug, thiserror::Error)]
pub enum SizeError {
    /// The samples could not be read on.
    #[error("{file}:{number}: {reason}")]
    Read {
        /// Their file.
        file: String,
        /// The line, from 1.
        number: usize,
        /// What the system said.
        reason: std::io::Error,
    },
    /// A line is no value of the message type.
    #[error(transparent)]
    Sample(#[from] SampleError),
    /// A document can't become a sample.
    #[error(transparent)]
    Document(#[from] ImportError),
    /// A document is none of the payload's.
    #[error("{0}")]
    Given(String),
    /// A value does not follow the definition.
    #[error("{file}:{number}: {reason}")]
    Value {
        /// Their file, or what made them.
        file: String,
        /// The line, from 1.
        number: usize,
        /// What is wrong, and what to do.
        reason: ValueError,
    },
    /// There is no such compression, or it failed.
    #[error(transparent)]
    Compression(#[from] CompressionError),
    /// It needs what sizes don't have.
    #[error(
        "{id} needs a dictionary, which is trained for one codec; leave `:dictionary` out here, or measure it in a study"
    )]
    Dictionary {
        /// The compression.
        id: CompressionId,
    },
    /// There is nothing to weigh.
    #[error("{file} contains no sample: write at least one JSON object into it")]
    NoSample {
        /// Where they should be.
        file: String,
    },
}

impl SizeError {
    /// Whether there is no such compression as was asked for, or none without a codec's dictionary.
    pub fn names_no_compression(&self) -> bool {
        matches!(
            self,
            SizeError::Dictionary { .. } | SizeError::Compression(CompressionError::Unknown { .. })
        )
    }
}

/// The bytes of all samples in one form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spread {
    /// How many samples.
    pub samples: u64,
    /// Of all together.
    pub sum_bytes: u64,
    /// Of the shortest.
    pub min_bytes: u64,
    /// Of the longest.
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

    /// Of one sample.
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

/// What a codec does with the samples.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fit {
    /// It carries all of them.
    Carried {
        /// As the codec writes them.
        plain: Spread,
        /// By compression, in the order that was asked for.
        compressed: Vec<Spread>,
    },
    /// It can't carry the message type.
    Refused {
        /// Why.
        reason: String,
    },
    /// It can carry the type, but not all of the samples.
    Partly {
        /// How many it can't carry.
        samples: u64,
        /// The first of them, from 1: a line of the file.
        number: usize,
        /// Why it can't carry that one.
        reason: String,
    },
}

/// The sizes of one codec.
#[derive(Debug, Clone)]
pub struct Row {
    /// Its id.
    pub codec: &'static str,
    /// The codec before it in the list whose bytes these are too, so that nothing was weighed again.
    pub same_as: Option<&'static str>,
    /// What it does with the samples.
    pub outcome: Fit,
}

/// The sizes of all samples.
#[derive(Debug, Clone)]
pub struct Sizes {
    /// How many samples there were.
    pub samples: u64,
    /// Of JSON documents as they came, where all samples were made of some: plain, and by compression.
    pub came: Option<(Spread, Vec<Spread>)>,
    /// Samples with an integer beyond 2^53 either way, and the number of the first.
    pub beyond_doubles: Rare,
    /// Samples with an integer beyond 2^63 - 1.
    pub beyond_signed: Rare,
    /// One for each encoder, in the order of [`ENCODERS`].
    pub rows: Vec<Row>,
}

/// Samples that have something few have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Rare {
    /// How many.
    pub samples: u64,
    /// The first of them, from 1; 0 where there is none.
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
    /// Takes the sizes away of codecs that can't be compiled over the definition, each with the reason.
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

/// What one thread counts for one codec.
struct Tally {
    plain: Spread,
    compressed: Vec<Spread>,
    /// How many failed, and the first of them.
    failed: u64,
    first: Option<(usize, String)>,
}

impl Tally {
    fn new(compressions: usize) -> Tally {
        Tally { plain: Spread::NONE, compressed: vec![Spread::NONE; compressions], failed: 0, first: None }
    }

    /// Takes in one body, plain and compressed.
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

/// One thread's work.
struct Worker<'p> {
    described: &'p Described,
    file: &'p str,
    encoders: Vec<&'static Encoder>,
    compressions: Vec<Box<dyn BoundCompression>>,
    tallies: Vec<Tally>,
    /// Of documents as they came.
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

/// Samples one after the other, in batches for the threads.
struct Source<I> {
    samples: I,
    /// The samples ended, or one could not be read.
    ended: bool,
    /// How many were dealt.
    dealt: u64,
}

type Read = Result<Sample, SizeError>;

impl<I: Iterator<Item = Read>> Source<I> {
    /// The place of the next sample, and a batch from there; an error is its last element, and nothing comes after it.
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

/// Weighs samples on several threads. `file` is what errors call the samples.
///
/// # Errors
/// Of the first sample that can't be read or does not follow the definition; when there is none; when a compression is
/// unknown, wants a dictionary, or fails.
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
    // Batches are dealt in order, and each that was dealt is worked on up to its first error: the least of these
    // is the first of all.
    let (finished, failed): (Vec<_>, Vec<_>) = done.into_iter().partition(|done| done.failed.is_none());
    if let Some((_, error)) = failed.into_iter().filter_map(|done| done.failed).min_by_key(|(at, _)| *at) {
        return Err(error);
    }
    sum(described, file, compressions.len(), finished.into_iter().map(|done| done.worker))
}

/// A thread's end.
struct Done<'p> {
    worker: Worker<'p>,
    /// The place of the sample that could not be weighed, and why.
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
