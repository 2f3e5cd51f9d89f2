//! Whether a mode can carry the bodies of a payload, as far as that is known before they are sent.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use wiredyno_conducting::conduct::loaded_of;
use wiredyno_contract::{CodecId, PayloadId};
use wiredyno_dynamic::{Described, ENCODERS};
use wiredyno_model::{Cell, Known, Load, Study};
use wiredyno_payloads::{Payload, PayloadError};
use wiredyno_planning::left_out::Reason;

/// Up to this limit, that of datagrams, samples are encoded to find out. Beyond it only the size in a payload's id is used.
const LOOKED_AT_BYTES: u64 = u16::MAX as u64;

/// Cells whose bodies are larger than their mode carries, with the reason. The size of bodies is known for codecs that
/// `size` knows, but not with a compression.
///
/// # Errors
/// When the payload's samples are not available.
pub(super) fn too_large(
    study: &Study,
    load: &Load,
    payloads: &[Payload],
    cells: &[Cell],
    known: &Known,
) -> Result<Vec<(Cell, Reason)>, PayloadError> {
    let mut largest: HashMap<(&PayloadId, &CodecId, usize), Option<u64>> = HashMap::new();
    let mut out = Vec::new();
    for cell in cells {
        let Some(transport) = known.client(cell) else { continue };
        let transport = transport.clone().under(&study.options_for(cell));
        let Some(limit) = transport.limit(cell.mode.setting.as_deref()) else { continue };
        let Some(payload) = payloads.iter().find(|payload| *payload.id() == cell.payload) else { continue };
        if !cell.compression.is_none() {
            continue;
        }
        let said = cell.payload.size_bytes.map(u64::from).filter(|bytes| *bytes > limit.bytes);
        let bytes = match said {
            Some(bytes) => Some(bytes),
            None if limit.bytes > LOOKED_AT_BYTES => None,
            None => {
                let samples = loaded_of(&load.of(cell), false) as usize;
                match largest.entry((&cell.payload, &cell.codec, samples)) {
                    Entry::Occupied(known) => *known.get(),
                    Entry::Vacant(place) => *place.insert(largest_body_bytes(payload, &cell.codec, samples)?),
                }
            }
        };
        if let Some(bytes) = bytes.filter(|bytes| *bytes > limit.bytes) {
            let Cell { mode, payload, codec, .. } = cell;
            let why = format!(
                "{mode} carries bodies of up to {} bytes, but `{payload}` has up to {bytes} in {codec}: use a smaller \
                 payload, a more compact format, or another mode",
                limit.bytes
            );
            out.push((cell.clone(), Reason::TooLarge(why)));
        }
    }
    Ok(out)
}

/// The longest body that a codec makes of this many samples, in bytes; `None` if that is not known without compiling it.
fn largest_body_bytes(
    payload: &Payload,
    codec: &CodecId,
    samples: usize,
) -> Result<Option<u64>, PayloadError> {
    Ok(body_bytes(payload, codec, samples)?.and_then(|bytes| bytes.into_iter().max()))
}

/// How long the bodies are that a codec makes of this many samples, in bytes; `None` if that is not known without compiling it. Samples that it can't encode are left
/// out.
pub(super) fn body_bytes(
    payload: &Payload,
    codec: &CodecId,
    samples: usize,
) -> Result<Option<Vec<u64>>, PayloadError> {
    let codec = codec.to_string();
    let Some(encoder) = ENCODERS.iter().find(|encoder| encoder.codec() == codec) else { return Ok(None) };
    let described = Described::new(payload.definition().clone());
    if encoder.refuses(&described).is_some() {
        return Ok(None);
    }
    let (mut bytes, mut body) = (Vec::new(), Vec::new());
    for sample in payload.distinct_samples(samples)? {
        body.clear();
        let Ok(value) = described.value(&sample?) else { continue };
        if encoder.encode(&described, &value, &mut body).is_ok() {
            bytes.push(body.len() as u64);
        }
    }
    Ok(Some(bytes))
}
