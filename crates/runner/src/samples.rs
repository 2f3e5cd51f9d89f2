//! A payload's samples: how many it has of its own, whether it takes a size, and the samples themselves.

use prost_reflect::DynamicMessage;
use wiredyno_codecs::{Payload, PayloadEntry};
use wiredyno_model::PayloadId;
use wiredyno_runner_wire::Failure;
use wiredyno_schema::generator::Generator;

use crate::refusal::failure;

/// Samples made of a payload that gives any number of them and names none.
const UNNAMED_SAMPLES: u32 = 100;

/// Any size: only whether the rules use it is asked.
const ANY_SIZE_BYTES: u32 = 1024;

/// What a payload's folder gives.
pub struct Supply {
    /// How many samples make the payload's sample set.
    pub samples: u32,
    /// Whether a size has to stand behind its name.
    pub sized: bool,
}

/// Looks at generator.toml, else at samples.jsonl; a payload with neither is filled to its size.
pub fn supply(entry: &'static PayloadEntry) -> Supply {
    let id = PayloadId {
        name: entry.name.to_owned(),
        size_bytes: None,
    };
    let payload = Payload::find(std::slice::from_ref(entry), &id);
    let made = |size_bytes| {
        let descriptor = payload.as_ref().ok()?.descriptor();
        let generator = Generator::from_toml(entry.generator?, entry.name, descriptor, size_bytes);
        Some(generator.ok()?.samples())
    };
    let written = |text: &str| text.lines().filter(|line| !line.trim().is_empty()).count() as u32;
    let (samples, sized) = match (made(None), entry.samples) {
        (Some(samples), _) => (samples, false),
        (None, Some(text)) => (written(text), false),
        (None, None) => (made(Some(ANY_SIZE_BYTES)).unwrap_or(UNNAMED_SAMPLES), true),
    };
    Supply { samples, sized }
}

/// At most `limit` samples: those of generator.toml, else what the payload gives without one.
///
/// # Errors
/// When the folder's files can't be used, or the size is missing or too much.
pub fn samples(payload: &Payload, limit: u32) -> Result<Vec<DynamicMessage>, Failure> {
    match payload.entry().generator {
        Some(text) => {
            let name = format!("payloads/{}/generator.toml", payload.entry().name);
            let size_bytes = payload.id().size_bytes;
            let mut generator =
                Generator::from_toml(text, name, payload.descriptor(), size_bytes).map_err(failure)?;
            Ok((0..limit).map(|_| generator.message()).collect())
        }
        None => {
            let values = payload.samples(Some(limit as usize)).map_err(failure)?;
            values.collect::<Result<_, _>>().map_err(failure)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn person_is_written_and_opaque_takes_a_size() {
        let of = |name| {
            supply(
                wiredyno_payloads::PAYLOADS
                    .iter()
                    .find(|e| e.name == name)
                    .unwrap(),
            )
        };
        assert!(!of("person").sized && of("person").samples >= 1);
        assert!(of("opaque").sized && of("opaque").samples >= 1);
    }
}
