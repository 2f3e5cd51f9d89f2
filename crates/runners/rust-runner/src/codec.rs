//! The loaded payload and codec: load, encode, decode, measure.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use wiredyno_codec::measure::{self, Measured};
use wiredyno_codec::{BoundCodec, Definition, MeasureSettings, Phase};
use wiredyno_compression::{self as compression, BoundCompression, dictionary};
use wiredyno_contract::samples::Samples;
use wiredyno_contract::{CodecId, CompressionId, Failure, FirstCalls, PayloadSource, Success};

use crate::refusal::failure;

/// Longest batch that may be requested: a reply must come eventually.
const LONGEST_BATCH: Duration = Duration::from_secs(60);

pub struct Loaded {
    pub bound: Box<dyn BoundCodec>,
    /// What compresses the encoded bytes; `None` for no compression.
    pub compression: Option<Box<dyn BoundCompression>>,
    /// The bytes before compression; reused for every message.
    plain: Vec<u8>,
}

/// Why an operation on the loaded payload is refused.
#[derive(Debug, thiserror::Error)]
enum CodecRefusal {
    #[error("no sample {sample}: {samples} are loaded, counted from 0")]
    NoSample { sample: u32, samples: usize },
    #[error("give either `sample` or `value`")]
    Ambiguous,
    #[error("these bytes are not hexadecimal: {0}")]
    Hex(hex::FromHexError),
    #[error("this runner has no codecs: it was composed of transports only")]
    NoDefinition,
    #[error(
        "this runner was compiled for the definition {own}, not for {asked}, that of {payload}: build one for it"
    )]
    OtherDefinition { own: &'static str, asked: String, payload: String },
    #[error("no codec `{codec}` here: `describe` lists them")]
    NoCodec { codec: String },
    #[error("{codec} can't carry {payload}: {reason}")]
    CannotCarry { codec: String, payload: String, reason: String },
    #[error("{codec} refuses the schema of {payload}: {reason}; report this")]
    Schema { codec: String, payload: String, reason: String },
    #[error("{path}: {reason}")]
    Samples { path: PathBuf, reason: std::io::Error },
    #[error("the phase `{phase}` needs a compression: name one in `load`")]
    NothingCompressed { phase: &'static str },
    #[error("this is measured in a fresh process, and this one has already loaded a codec")]
    NotFirst,
    #[error("measure at least one batch, each of at most {LONGEST_BATCH:?}")]
    Batches,
}

/// Binds a codec of this runner to a payload, which must have this runner's definition.
fn bind(
    definition: Option<&Definition>,
    payload: &PayloadSource,
    codec: &CodecId,
) -> Result<Box<dyn BoundCodec>, Failure> {
    let definition = definition.ok_or_else(|| failure(CodecRefusal::NoDefinition))?;
    let name = payload.name.to_string();
    if definition.digest != payload.definition {
        let (own, asked) = (definition.digest, payload.definition.clone());
        return Err(failure(CodecRefusal::OtherDefinition { own, asked, payload: name }));
    }
    let codec = codec.to_string();
    let Some(entry) = definition.codecs.iter().find(|entry| entry.codec.id() == codec) else {
        return Err(failure(CodecRefusal::NoCodec { codec }));
    };
    if let Err(reason) = (entry.carries)() {
        return Err(failure(CodecRefusal::CannotCarry { codec, payload: name, reason: reason.to_string() }));
    }
    (entry.bind)(&name)
        .map_err(|reason| failure(CodecRefusal::Schema { codec, payload: name, reason: reason.to_string() }))
}

/// The first samples of a file, up to a maximum.
fn samples(
    path: &str,
    limit: Option<u32>,
) -> Result<impl Iterator<Item = Result<Vec<u8>, Failure>>, Failure> {
    let path = PathBuf::from(path);
    let opened = Samples::open(&path);
    let at = move |reason| failure(CodecRefusal::Samples { path: path.clone(), reason });
    let samples = opened.map_err(&at)?;
    Ok(samples.take(limit.map_or(usize::MAX, |limit| limit as usize)).map(move |sample| sample.map_err(&at)))
}

/// Reads the samples, binds the codec and verifies that every sample comes back equal, including compression.
pub fn load(
    definition: Option<&Definition>,
    payload: &PayloadSource,
    codec: &CodecId,
    compression: &CompressionId,
    limit: Option<u32>,
) -> Result<(Loaded, Success), Failure> {
    let mut bound = bind(definition, payload, codec)?;
    let values = samples(&payload.samples, limit)?.collect::<Result<Vec<_>, _>>()?;
    let training = match payload.training.as_deref().filter(|_| compression.dictionary) {
        Some(path) => encoded(bound.as_mut(), samples(path, None)?)?,
        None => Vec::new(),
    };
    bound.load(&mut values.iter().map(Vec::as_slice)).map_err(failure)?;
    drop(values);
    bound.verify_round_trips().map_err(failure)?;
    let bodies = || (0..bound.sample_count()).filter_map(|sample| bound.encoded_sample(sample));
    let lengths: Vec<u32> = bodies().map(|body| body.len() as u32).collect();
    let mut compression = compression::bind(compression, &training).map_err(failure)?;
    let (body_bytes, uncompressed_bytes) = match &mut compression {
        None => (lengths, Vec::new()),
        Some(compression) => (compression.load(&mut bodies()).map_err(failure)?, lengths),
    };
    let outcome = Success::Loaded {
        samples: body_bytes.len() as u32,
        body_bytes,
        uncompressed_bytes,
        dictionary: compression.as_ref().and_then(|compression| compression.dictionary()),
    };
    Ok((Loaded { bound, compression, plain: Vec::new() }, outcome))
}

/// The encoded training samples, until they are enough.
fn encoded(
    bound: &mut dyn BoundCodec,
    samples: impl Iterator<Item = Result<Vec<u8>, Failure>>,
) -> Result<Vec<Vec<u8>>, Failure> {
    let mut bodies = Vec::new();
    let mut total_bytes = 0;
    for value in samples {
        let mut body = Vec::new();
        bound.encode_value(&value?, &mut body).map_err(failure)?;
        total_bytes += body.len();
        bodies.push(body);
        if total_bytes >= dictionary::TRAINING_BYTES {
            break;
        }
    }
    Ok(bodies)
}

/// The first calls of a codec in this process, on the payload's first sample.
pub fn call_first(
    definition: Option<&Definition>,
    payload: &PayloadSource,
    codec: &CodecId,
    fresh: bool,
) -> Result<Success, Failure> {
    if !fresh {
        return Err(failure(CodecRefusal::NotFirst));
    }
    let Some(value) = samples(&payload.samples, Some(1))?.next().transpose()? else {
        return Err(failure(CodecRefusal::NoSample { sample: 0, samples: 0 }));
    };
    let start = Instant::now();
    let mut bound = bind(definition, payload, codec)?;
    let setup = start.elapsed();
    let first = bound.first_calls(&value).map_err(failure)?;
    let calls = FirstCalls {
        setup_ns: setup.as_nanos() as u64,
        encode_ns: first.encode_ns,
        decode_ns: first.decode_ns,
    };
    Ok(Success::CalledFirst { calls })
}

/// Encodes the first samples, up to a maximum, into one buffer, and does nothing else.
pub fn encode_samples(
    definition: Option<&Definition>,
    payload: &PayloadSource,
    codec: &CodecId,
    limit: u32,
    give: bool,
    fresh: bool,
) -> Result<Success, Failure> {
    if !fresh && !give {
        return Err(failure(CodecRefusal::NotFirst));
    }
    let mut bound = bind(definition, payload, codec)?;
    let (mut body, mut bodies) = (Vec::new(), Vec::new());
    for value in samples(&payload.samples, Some(limit))? {
        body.clear();
        bound.encode_value(&value?, &mut body).map_err(failure)?;
        if give {
            bodies.push(hex::encode(&body));
        }
    }
    Ok(Success::EncodedSamples { bodies })
}

/// Decodes and reads each body, and does nothing else.
pub fn decode_samples(
    definition: Option<&Definition>,
    payload: &PayloadSource,
    codec: &CodecId,
    bodies: &[String],
    fresh: bool,
) -> Result<Success, Failure> {
    if !fresh {
        return Err(failure(CodecRefusal::NotFirst));
    }
    let bound = bind(definition, payload, codec)?;
    for body in bodies {
        let bytes = hex::decode(body).map_err(|error| failure(CodecRefusal::Hex(error)))?;
        bound.receive(&bytes, &mut || {}).map_err(failure)?;
    }
    Ok(Success::Done)
}

impl Loaded {
    /// The `encode` phase of the built message, followed by compression, into the emptied `body`.
    pub fn encode_message(&mut self, body: &mut Vec<u8>) -> Result<(), Failure> {
        let Some(compression) = &mut self.compression else {
            return self.bound.encode(body).map_err(failure);
        };
        self.bound.encode(&mut self.plain).map_err(failure)?;
        compression.compress(&self.plain, body).map_err(failure)
    }

    /// The receiver's phases: decompression if any, `decode`, then a call of `decoded`, then `read`.
    pub fn receive(&mut self, body: &[u8], decoded: &mut dyn FnMut()) -> Result<u64, Failure> {
        let Some(compression) = &mut self.compression else {
            return self.bound.receive(body, decoded).map_err(failure);
        };
        compression.decompress(body, &mut self.plain).map_err(failure)?;
        self.bound.receive(&self.plain, decoded).map_err(failure)
    }

    /// Encodes a loaded sample unchanged, or a value; compressed if there is a compression.
    pub fn encode(&mut self, sample: Option<u32>, value: Option<&str>) -> Result<Success, Failure> {
        let mut plain = Vec::new();
        match (sample, value) {
            (Some(sample), None) => {
                let body = self.bound.encoded_sample(sample as usize).ok_or_else(|| {
                    failure(CodecRefusal::NoSample { sample, samples: self.bound.sample_count() })
                })?;
                plain.extend_from_slice(body);
            }
            (None, Some(text)) => {
                let value = hex::decode(text).map_err(|error| failure(CodecRefusal::Hex(error)))?;
                self.bound.encode_value(&value, &mut plain).map_err(failure)?;
            }
            _ => return Err(failure(CodecRefusal::Ambiguous)),
        }
        let body = match &mut self.compression {
            None => plain,
            Some(compression) => {
                let mut body = Vec::new();
                compression.compress(&plain, &mut body).map_err(failure)?;
                body
            }
        };
        Ok(Success::Encoded { body: hex::encode(body) })
    }

    /// The value of a body in hexadecimal.
    pub fn decode(&mut self, body: &str) -> Result<Success, Failure> {
        let mut bytes = hex::decode(body).map_err(|error| failure(CodecRefusal::Hex(error)))?;
        if let Some(compression) = &mut self.compression {
            let mut plain = Vec::new();
            compression.decompress(&bytes, &mut plain).map_err(failure)?;
            bytes = plain;
        }
        let value = self.bound.decode_value(&bytes).map_err(failure)?;
        Ok(Success::Decoded { value: hex::encode(value) })
    }

    /// One phase, timed and counted.
    pub fn measure(&mut self, phase: Phase, settings: &MeasureSettings) -> Result<Success, Failure> {
        if settings.batches == 0 || u128::from(settings.batch_ns) > LONGEST_BATCH.as_nanos() {
            return Err(failure(CodecRefusal::Batches));
        }
        let measured = if Phase::COMPRESSION.contains(&phase) {
            let compression = self.compression.as_deref_mut();
            let compression = compression
                .ok_or_else(|| failure(CodecRefusal::NothingCompressed { phase: phase.name() }))?;
            measure::measure(compression, phase, settings)
        } else {
            self.bound.measure(phase, settings)
        };
        let Measured { measurement, digest } = measured.map_err(failure)?;
        Ok(Success::Measured { digest: format!("{digest:016x}"), measurement })
    }
}
