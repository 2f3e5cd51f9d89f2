//! Measures how many bytes samples take in every format, plain and with each message compressed separately.
//!
//! Samples are streamed: memory holds only a few batches at a time, whatever their number. Each thread encodes whole batches
//! and keeps sum, minimum and maximum, which are independent of the order; so the result depends only on the samples.

mod measure;

use prost_reflect::DynamicMessage;
use serde::Serialize;
use wiredyno_compression::CompressionError;
use wiredyno_contract::CompressionId;
use wiredyno_schema::SampleError;
use wiredyno_schema::import::ImportError;

use crate::value::ValueError;

pub use self::measure::measure;

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
