//! The cells whose messages can only be counted, because they can't be told apart.

use wiredyno_conducting::contents;
use wiredyno_contract::PayloadId;
use wiredyno_model::{Cell, Load, Records, Study};
use wiredyno_payloads::{Payload, PayloadError};

/// What decides whether messages can be distinguished: the payload, whether a dictionary is trained, and the load, including the axes that change it.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::run) struct Contents {
    payload: PayloadId,
    dictionary: bool,
    records: Option<Records>,
    load: Load,
}

impl Contents {
    pub(super) fn of(cell: &Cell, load: &Load) -> Self {
        Contents {
            payload: cell.payload.clone(),
            dictionary: cell.compression.dictionary,
            records: cell.records,
            load: load.of(cell),
        }
    }
}

/// Why the messages of cells can only be counted.
pub(super) fn counted_only(
    study: &Study,
    payloads: &[Payload],
    cells: &[Cell],
) -> Result<Vec<(Contents, String)>, PayloadError> {
    let Some(load) = &study.load else { return Ok(Vec::new()) };
    let mut kinds: Vec<Contents> = Vec::new();
    for cell in cells {
        let contents = Contents::of(cell, load);
        if !kinds.contains(&contents) {
            kinds.push(contents);
        }
    }
    let mut reasons = Vec::new();
    for contents in kinds {
        let Contents { payload, dictionary, records, load } = &contents;
        let Some(payload) = payloads.iter().find(|known| known.id() == payload) else { continue };
        let reads = *records == Some(Records::Postgresql) && payload.definition().sequence_field().is_some();
        if let Some(why) = contents::counted_only(payload, load, *dictionary, reads)? {
            reasons.push((contents, why));
        }
    }
    Ok(reasons)
}
