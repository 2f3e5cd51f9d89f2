//! The loaded payload and codec: load, encode, decode, measure.

use std::time::Duration;

use wiredyno_codecs::measure::{Batch, PhaseAllocations};
use wiredyno_codecs::{Bound, Buffer, MeasureSettings, Payload, PhaseMeasurement};
use wiredyno_model::trial::{self, Allocations};
use wiredyno_model::{CodecId, PayloadId};
use wiredyno_runner_wire::{Failure, Outcome};

use crate::refusal::failure;

/// Longest batch that may be asked for: a reply has to come some day.
const LONGEST_BATCH: Duration = Duration::from_secs(60);

/// What was loaded.
pub struct Loaded {
    pub payload: Payload,
    pub bound: Box<dyn Bound>,
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
    #[error(
        "this runner does not count allocations: its program has to install \
         wiredyno_codecs::alloc::CountingAllocator as the global allocator"
    )]
    NoCounter,
    #[error("measure at least one batch, each of at most {LONGEST_BATCH:?}")]
    Batches,
}

/// Makes the samples, binds the codec and verifies that every sample comes back equal.
pub fn load(id: &PayloadId, codec: &CodecId, samples: Option<u32>) -> Result<(Loaded, Outcome), Failure> {
    let payload = wiredyno_payloads::find(id).map_err(failure)?;
    let mut bound = payload.bind(codec).map_err(failure)?;
    let limit = samples.map(|limit| limit as usize);
    let values = payload.samples(limit).map_err(failure)?.collect::<Result<Vec<_>, _>>().map_err(failure)?;
    bound.load(&mut values.into_iter()).map_err(failure)?;
    bound.verify_round_trips().map_err(failure)?;
    let body_bytes: Vec<u32> = (0..bound.sample_count())
        .filter_map(|sample| bound.encoded_sample(sample))
        .map(|body| body.len() as u32)
        .collect();
    let outcome = Outcome::Loaded { samples: body_bytes.len() as u32, body_bytes };
    Ok((Loaded { payload, bound }, outcome))
}

impl Loaded {
    /// A sample as it stands, or a value.
    pub fn encode(&mut self, sample: Option<u32>, value: Option<&str>) -> Result<Outcome, Failure> {
        let body = match (sample, value) {
            (Some(sample), None) => {
                let body = self.bound.encoded_sample(sample as usize).ok_or_else(|| {
                    failure(CodecRefusal::NoSample { sample, samples: self.bound.sample_count() })
                })?;
                hex::encode(body)
            }
            (None, Some(text)) => {
                let descriptor = self.payload.descriptor();
                let value = wiredyno_schema::read_value(text, descriptor, "value", 1).map_err(failure)?;
                let mut body = Vec::new();
                self.bound.encode_value(&value, &mut body).map_err(failure)?;
                hex::encode(body)
            }
            _ => return Err(failure(CodecRefusal::Ambiguous)),
        };
        Ok(Outcome::Encoded { body })
    }

    /// The value of bytes in hexadecimal.
    pub fn decode(&mut self, body: &str) -> Result<Outcome, Failure> {
        let bytes = hex::decode(body).map_err(|error| failure(CodecRefusal::Hex(error)))?;
        let value = self.bound.decode_value(&bytes).map_err(failure)?;
        let value = wiredyno_schema::write_value(&value).map_err(failure)?;
        Ok(Outcome::Decoded { value })
    }

    /// One phase, timed and counted.
    pub fn measure(
        &mut self,
        phase: trial::Phase,
        batch_ns: u64,
        batches: u32,
        reuse_buffer: bool,
    ) -> Result<Outcome, Failure> {
        if batches == 0 || u128::from(batch_ns) > LONGEST_BATCH.as_nanos() {
            return Err(failure(CodecRefusal::Batches));
        }
        let settings = MeasureSettings {
            batch_ns,
            batches,
            buffer: if reuse_buffer { Buffer::Reused } else { Buffer::Fresh },
        };
        let measured = self.bound.measure(phase, &settings).map_err(failure)?;
        Ok(Outcome::Measured {
            digest: format!("{:016x}", measured.digest),
            measurement: to_model(phase, &measured)?,
        })
    }
}

fn to_model(phase: trial::Phase, measured: &PhaseMeasurement) -> Result<trial::PhaseMeasurement, Failure> {
    let counted = measured.allocations.as_ref().ok_or_else(|| failure(CodecRefusal::NoCounter))?;
    let overhead_ns = measured.timer_overhead_ns;
    let batch = |batch: &Batch| trial::Batch {
        elapsed_ns: batch.elapsed_ns.saturating_sub(overhead_ns),
        iterations: batch.iterations,
    };
    Ok(trial::PhaseMeasurement {
        phase,
        batches: measured.batches.iter().map(batch).collect(),
        timer_overhead_ns: overhead_ns as f64,
        allocations: per_call(counted),
    })
}

fn per_call(counted: &PhaseAllocations) -> Allocations {
    let calls = counted.calls.max(1) as f64;
    Allocations {
        count: counted.count as f64 / calls,
        bytes: counted.bytes as f64 / calls,
        peak_bytes: counted.peak_bytes,
    }
}
