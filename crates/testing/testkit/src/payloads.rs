//! The payloads that the suites use, and their values.

use std::path::Path;

use prost_reflect::DynamicMessage;
use wiredyno_contract::PayloadId;
use wiredyno_payloads::{Payload, PayloadError, PayloadFolder};
use wiredyno_schema::generator::Generator;

/// Payloads that only tests use; together they have every construct.
pub const OWN: [&str; 3] = ["kitchen-sink", "kitchen-flat", "nested-bounds"];

/// The seed of invented values, printed by every failing comparison: fixed, unless `WIREDYNO_SEED` sets another.
pub fn seed() -> u64 {
    let other = std::env::var("WIREDYNO_SEED").ok();
    other.map_or(20_261_121, |seed| {
        seed.parse().unwrap_or_else(|_| panic!("WIREDYNO_SEED is not a number: {seed}"))
    })
}

/// The payload with this id: one of the tests' own or a bundled one; panics on any other id.
pub fn find(id: &str) -> Payload {
    open(id).unwrap_or_else(|error| panic!("{id}: {error}"))
}

fn open(id: &str) -> Result<Payload, PayloadError> {
    if OWN.contains(&id) {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("payloads").join(id);
        return Payload::open(PayloadFolder::read(&folder)?, None);
    }
    let unknown = || PayloadError::Unknown { id: id.to_owned(), hint: "it is not bundled".to_owned() };
    let id: PayloadId = id.parse().map_err(|_| unknown())?;
    Payload::open(PayloadFolder::bundled(&id.name).ok_or_else(unknown)?, id.size_bytes)
}

/// The first `limit` of a payload's own samples.
pub fn samples(payload: &Payload, limit: usize) -> Vec<DynamicMessage> {
    let samples = payload.samples(Some(limit)).and_then(|samples| Ok(samples.collect::<Result<_, _>>()?));
    samples.unwrap_or_else(|error| panic!("{}: {error}", payload.id()))
}

/// Invented values of a payload's message, from [`seed`].
pub fn invented(payload: &Payload, count: usize) -> Vec<DynamicMessage> {
    Generator::invented(payload.descriptor(), seed()).take(count).collect()
}
