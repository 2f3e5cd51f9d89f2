//! Our side: the loop of a codec trial.

use wiredyno_bench::Done;
use wiredyno_codec::TableEntry;
use wiredyno_codec::measure::{Batch, MeasureSettings};
use wiredyno_schema::canonical_bytes;
use wiredyno_stats::{Quantile, Sample};

use crate::{Operation, SAMPLES};

/// The length and number of batches of a codec trial (`CodecTrials` of `wiredyno-model`).
const BATCH_NS: u64 = 2_000_000;
const BATCHES: u32 = 30;

/// Median over the batches of nanoseconds per call.
pub fn median_ns(payload: &str, entry: &TableEntry, operation: Operation) -> Done<f64> {
    let mut bound = (entry.bind)(payload)?;
    let payload = wiredyno_payloads::find(&payload.parse()?)?;
    let samples = payload.samples(Some(SAMPLES))?;
    let values = samples.map(|value| Ok(canonical_bytes(&value?))).collect::<Done<Vec<_>>>()?;
    bound.load(&mut values.iter().map(Vec::as_slice))?;
    bound.verify_round_trips()?;
    let (phase, buffer) = operation.of_ours();
    let settings = MeasureSettings { batch_ns: BATCH_NS, batches: BATCHES, buffer, burden_per_mille: 0 };
    let measured = bound.measure(phase, &settings)?.measurement;
    Ok(Sample::new(measured.batches.iter().map(Batch::ns_per_call).collect::<Vec<_>>())?
        .quantile(Quantile::MEDIAN))
}
