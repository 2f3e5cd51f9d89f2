//! The loaded payload and codec: load, encode, decode, measure.

use std::time::{Duration, Instant};

use wiredyno_codecs::compression::{self, BoundCompression, dictionary};
use wiredyno_codecs::measure::{self, Measured};
use wiredyno_codecs::payload::Samples;
use wiredyno_codecs::{Bound, Buffer, MeasureSettings, Payload, PayloadEntry, Phase};
use wiredyno_model::trial::FirstCalls;
use wiredyno_model::{CodecId, CompressionId, PayloadId};
use wiredyno_runner_wire::{Failure, Outcome};

use crate::refusal::failure;

/// Longest batch that may be asked for: a reply has to come some day.
const LONGEST_BATCH: Duration = Duration::from_secs(60);

/// What was loaded.
pub struct Loaded {
    pub payload: Payload,
    pub bound: Box<dyn Bound>,
    /// What is done to the encoded bytes; `None` for nothing.
    pub compression: Option<Box<dyn BoundCompression>>,
    /// The bytes before compression, used again for every message.
    plain: Vec<u8>,
}

/// Why an operation on the loaded payload is refused.
#[derive(Debug, thiserror::Error)]
enum CodecRefusal {
    #[error("no sample {sample}: {samples} are loaded, counted from 0")]
    NoSample { sample: u32, samples: usize },
    #[error("give either `sample` or `value`")]
    Ambiguous,
    #[error("the body is not hexadecimal: {0}")]
    Hex(hex::FromHexError),
    #[error("the phase `{phase}` needs a compression: name one in `load`")]
    NothingCompressed { phase: &'static str },
    #[error("this is measured in a fresh process: this one has loaded a codec before")]
    NotFirst,
    #[error("measure at least one batch, each of at most {LONGEST_BATCH:?}")]
    Batches,
}

/// Makes the samples, binds the codec and verifies that every sample comes back equal, through the compression too.
pub fn load(
    payloads: &'static [PayloadEntry],
    id: &PayloadId,
    codec: &CodecId,
    compression: &CompressionId,
    samples: Option<u32>,
) -> Result<(Loaded, Outcome), Failure> {
    let payload = Payload::find(payloads, id).map_err(failure)?;
    let mut bound = payload.bind(codec).map_err(failure)?;
    let limit = samples.map(|limit| limit as usize);
    let (values, training) = if compression.dictionary {
        payload.can_train().map_err(failure)?;
        payload.samples_apart(limit, dictionary::MOST_SAMPLES).map_err(failure)?
    } else {
        (payload.samples(limit).map_err(failure)?, Box::new(std::iter::empty()) as Samples<'_>)
    };
    let values = values.collect::<Result<Vec<_>, _>>().map_err(failure)?;
    let training = encoded(bound.as_mut(), training)?;
    bound.load(&mut values.into_iter()).map_err(failure)?;
    bound.verify_round_trips().map_err(failure)?;
    let bodies = || (0..bound.sample_count()).filter_map(|sample| bound.encoded_sample(sample));
    let lengths: Vec<u32> = bodies().map(|body| body.len() as u32).collect();
    let mut compression = compression::bind(compression, &training).map_err(failure)?;
    let (body_bytes, uncompressed_bytes) = match &mut compression {
        None => (lengths, Vec::new()),
        Some(compression) => (compression.load(&mut bodies()).map_err(failure)?, lengths),
    };
    let outcome = Outcome::Loaded {
        samples: body_bytes.len() as u32,
        body_bytes,
        uncompressed_bytes,
        dictionary: compression.as_ref().and_then(|compression| compression.dictionary()),
    };
    Ok((Loaded { payload, bound, compression, plain: Vec::new() }, outcome))
}

/// The bytes of samples to train on, until they are enough.
fn encoded(bound: &mut dyn Bound, samples: Samples<'_>) -> Result<Vec<Vec<u8>>, Failure> {
    let mut bodies = Vec::new();
    let mut total_bytes = 0;
    for value in samples {
        let mut body = Vec::new();
        bound.encode_value(&value.map_err(failure)?, &mut body).map_err(failure)?;
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
    payloads: &'static [PayloadEntry],
    id: &PayloadId,
    codec: &CodecId,
    fresh: bool,
) -> Result<Outcome, Failure> {
    if !fresh {
        return Err(failure(CodecRefusal::NotFirst));
    }
    let payload = Payload::find(payloads, id).map_err(failure)?;
    let mut samples = payload.samples(Some(1)).map_err(failure)?;
    let Some(value) = samples.next().transpose().map_err(failure)? else {
        return Err(failure(CodecRefusal::NoSample { sample: 0, samples: 0 }));
    };
    let start = Instant::now();
    let mut bound = payload.bind(codec).map_err(failure)?;
    let setup = start.elapsed();
    let first = bound.first_calls(&value).map_err(failure)?;
    let calls = FirstCalls {
        setup_ns: setup.as_nanos() as u64,
        encode_ns: first.encode_ns,
        decode_ns: first.decode_ns,
    };
    Ok(Outcome::CalledFirst { calls })
}

/// Encodes each of at most so many samples into one buffer, and nothing else.
pub fn encode_samples(
    payloads: &'static [PayloadEntry],
    id: &PayloadId,
    codec: &CodecId,
    samples: u32,
    give: bool,
    fresh: bool,
) -> Result<Outcome, Failure> {
    if !fresh && !give {
        return Err(failure(CodecRefusal::NotFirst));
    }
    let payload = Payload::find(payloads, id).map_err(failure)?;
    let mut bound = payload.bind(codec).map_err(failure)?;
    let (mut body, mut bodies) = (Vec::new(), Vec::new());
    for value in payload.samples(Some(samples as usize)).map_err(failure)? {
        body.clear();
        bound.encode_value(&value.map_err(failure)?, &mut body).map_err(failure)?;
        if give {
            bodies.push(hex::encode(&body));
        }
    }
    Ok(Outcome::EncodedSamples { bodies })
}

/// Decodes and reads each body, and nothing else.
pub fn decode_samples(
    payloads: &'static [PayloadEntry],
    id: &PayloadId,
    codec: &CodecId,
    bodies: &[String],
    fresh: bool,
) -> Result<Outcome, Failure> {
    if !fresh {
        return Err(failure(CodecRefusal::NotFirst));
    }
    let payload = Payload::find(payloads, id).map_err(failure)?;
    let bound = payload.bind(codec).map_err(failure)?;
    for body in bodies {
        let bytes = hex::decode(body).map_err(|error| failure(CodecRefusal::Hex(error)))?;
        bound.receive(&bytes, &mut || {}).map_err(failure)?;
    }
    Ok(Outcome::Done)
}

impl Loaded {
    /// The `encode` phase of the built message with the compression behind it, into the emptied `body`.
    pub fn encode_message(&mut self, body: &mut Vec<u8>) -> Result<(), Failure> {
        let Some(compression) = &mut self.compression else {
            return self.bound.encode(body).map_err(failure);
        };
        self.bound.encode(&mut self.plain).map_err(failure)?;
        compression.compress(&self.plain, body).map_err(failure)
    }

    /// The receiver's phases: decompression where there is one, `decode`, then a call of `decoded`, then `read`.
    pub fn receive(&mut self, body: &[u8], decoded: &mut dyn FnMut()) -> Result<u64, Failure> {
        let Some(compression) = &mut self.compression else {
            return self.bound.receive(body, decoded).map_err(failure);
        };
        compression.decompress(body, &mut self.plain).map_err(failure)?;
        self.bound.receive(&self.plain, decoded).map_err(failure)
    }

    /// A sample as it stands, or a value; compressed where there is a compression.
    pub fn encode(&mut self, sample: Option<u32>, value: Option<&str>) -> Result<Outcome, Failure> {
        let mut plain = Vec::new();
        match (sample, value) {
            (Some(sample), None) => {
                let body = self.bound.encoded_sample(sample as usize).ok_or_else(|| {
                    failure(CodecRefusal::NoSample { sample, samples: self.bound.sample_count() })
                })?;
                plain.extend_from_slice(body);
            }
            (None, Some(text)) => {
                let descriptor = self.payload.descriptor();
                let value = wiredyno_schema::read_value(text, descriptor, "value", 1).map_err(failure)?;
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
        Ok(Outcome::Encoded { body: hex::encode(body) })
    }

    /// The value of bytes in hexadecimal.
    pub fn decode(&mut self, body: &str) -> Result<Outcome, Failure> {
        let mut bytes = hex::decode(body).map_err(|error| failure(CodecRefusal::Hex(error)))?;
        if let Some(compression) = &mut self.compression {
            let mut plain = Vec::new();
            compression.decompress(&bytes, &mut plain).map_err(failure)?;
            bytes = plain;
        }
        let value = self.bound.decode_value(&bytes).map_err(failure)?;
        let value = wiredyno_schema::write_value(&value).map_err(failure)?;
        Ok(Outcome::Decoded { value })
    }

    /// One phase, timed and counted.
    pub fn measure(
        &mut self,
        phase: Phase,
        batch_ns: u64,
        batches: u32,
        buffer: Buffer,
    ) -> Result<Outcome, Failure> {
        if batches == 0 || u128::from(batch_ns) > LONGEST_BATCH.as_nanos() {
            return Err(failure(CodecRefusal::Batches));
        }
        let settings = MeasureSettings { batch_ns, batches, buffer };
        let measured = if Phase::COMPRESSION.contains(&phase) {
            let compression = self.compression.as_deref_mut();
            let compression = compression
                .ok_or_else(|| failure(CodecRefusal::NothingCompressed { phase: phase.name() }))?;
            measure::measure(compression, phase, &settings)
        } else {
            self.bound.measure(phase, &settings)
        };
        let Measured { measurement, digest } = measured.map_err(failure)?;
        Ok(Outcome::Measured { digest: format!("{digest:016x}"), measurement })
    }
}
