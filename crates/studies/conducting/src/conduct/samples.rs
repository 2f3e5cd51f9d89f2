//! How many different samples and records the messages of a trial have.

use wiredyno_model::{Cell, Load, Records};

/// The most samples that a publisher loads, because it holds them all.
const LOADED: u32 = 10_000;

/// The most that one loads whose measured messages are records, which are read one by one: only warm-up uses them.
const WARMING: u32 = 100;

/// How many different samples the messages of a trial have at most, if the payload has that many: loaded ones, or records.
pub fn samples_of(load: &Load) -> u32 {
    load.messages.saturating_add(load.warmup).clamp(1, load.samples)
}

/// How many samples the publisher loads under a load, if the payload has that many; `reads`: whether its measured messages are records and
/// numbers distinguish them, so that there may be more records than samples.
pub fn loaded_of(load: &Load, reads: bool) -> u32 {
    samples_of(load).min(if reads { WARMING } else { LOADED })
}

/// How many different samples or records the messages of a trial have at most.
pub fn distinct_of(load: &Load, reads: bool) -> u32 {
    if reads { samples_of(load) } else { loaded_of(load, false) }
}

/// Whether the measured messages of a cell are records, of which there may be more than samples, because numbers distinguish them.
pub fn reads_more(cell: &Cell, has_number: bool) -> bool {
    has_number && cell.records == Some(Records::Postgresql)
}
