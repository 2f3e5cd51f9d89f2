//! Our side: the loop of a codec trial.

use wiredyno_bench::Outcome;
use wiredyno_codecs::MeasureSettings;
use wiredyno_stats::{Quantile, Sample};

use crate::{Operation, SAMPLES};

/// The length and number of batches of a codec trial (`CodecTrials` of `wiredyno-model`).
const BATCH_NS: u64 = 2_000_000;
const BATCHES: u32 = 30;

/// Median over the batches of nanoseconds per call.
pub fn median_ns(payload: &str, codec: &str, operation: Operation) -> Outcome<f64> {
    let payload = wiredyno_payloads::find(&payload.parse()?)?;
    let mut bound = payload.bind(&codec.parse()?)?;
    let values = payload.samples(Some(SAMPLES))?.collect::<Result<Vec<_>, _>>()?;
    bound.load(&mut values.into_iter())?;
    bound.verify_round_trips()?;
    let (phase, buffer) = operation.of_ours();
    let measured = bound.measure(phase, &MeasureSettings { batch_ns: BATCH_NS, batches: BATCHES, buffer })?;
    Ok(Sample::new(measured.ns_per_call().collect::<Vec<_>>())?.quantile(Quantile::MEDIAN))
}
