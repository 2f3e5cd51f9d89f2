//! Whether runners understand each other: each codec writes a payload's samples, every other codec of its format reads them.

mod differ;

use std::collections::BTreeMap;

use prost_reflect::DynamicMessage;
use wiredyno_answers::interoperability::{Exchange, How, Interoperability, LeftOut, Misread};
use wiredyno_contract::{CodecId, CompressionId, Operation, Success};
use wiredyno_payloads::{Payload, PayloadError};
use wiredyno_planning::ready::Ready;
use wiredyno_schema::canonical_bytes;
use wiredyno_seats::runner::PATIENCE;
use wiredyno_seats::runner_error::RunnerError;

/// A started runner with the codecs that it has for a payload.
pub struct Speaker {
    /// The runner, which was given the payload.
    pub ready: Ready,
    /// Its codecs that carry the payload, in the order of its list.
    pub codecs: Vec<CodecId>,
}

/// Why nothing is known.
#[derive(Debug, thiserror::Error)]
pub enum InteroperabilityError {
    /// The payload has no valid samples.
    #[error(transparent)]
    Payload(#[from] PayloadError),
    /// A runner ended, or did not keep the contract.
    #[error(transparent)]
    Runner(#[from] RunnerError),
}

/// The bytes of each sample in hexadecimal, by the codec that wrote them.
type Written = BTreeMap<CodecId, Vec<String>>;

/// What these runners write and read of each other, of at most so many samples; added to `found`.
///
/// # Errors
/// When the payload has no valid samples, or a runner ends or breaks the contract. A codec that refuses something is a finding.
pub fn exchange(
    payload: &Payload,
    samples: u32,
    speakers: &mut [Speaker],
    found: &mut Interoperability,
) -> Result<(), InteroperabilityError> {
    let values = payload.samples(Some(samples as usize))?;
    let values: Vec<DynamicMessage> = values.collect::<Result<_, _>>().map_err(PayloadError::from)?;
    let mut written = Written::new();
    for speaker in &mut *speakers {
        for codec in &speaker.codecs {
            match bodies(&mut speaker.ready, codec, values.len() as u32) {
                Ok(bodies) => {
                    written.insert(codec.clone(), bodies);
                }
                Err(RunnerError::Refused { failure, .. }) => {
                    let what = format!("{codec} over {}", payload.id());
                    found.left_out.push(LeftOut { what, why: failure.to_string() });
                }
                Err(error) => return Err(error.into()),
            }
        }
    }
    for speaker in &mut *speakers {
        for reader in speaker.codecs.iter().filter(|codec| written.contains_key(codec)) {
            load(&mut speaker.ready, reader, values.len() as u32)?;
            for (writer, bodies) in written.iter().filter(|(writer, _)| writer.format == reader.format) {
                let (understood, first) = read(&mut speaker.ready, payload, bodies, &values)?;
                found.exchanges.push(Exchange {
                    payload: payload.id().clone(),
                    writer: writer.clone(),
                    reader: reader.clone(),
                    samples: values.len() as u32,
                    understood,
                    first,
                });
            }
        }
    }
    Ok(())
}

fn load(ready: &mut Ready, codec: &CodecId, samples: u32) -> Result<(), RunnerError> {
    let load = Operation::Load {
        payload: ready.source.clone(),
        codec: codec.clone(),
        compression: CompressionId::none(),
        samples: Some(samples),
    };
    ready.process.loaded(load, PATIENCE).map(|_| ())
}

fn bodies(ready: &mut Ready, codec: &CodecId, samples: u32) -> Result<Vec<String>, RunnerError> {
    load(ready, codec, samples)?;
    let encoded = |sample| {
        let encode = Operation::Encode { sample: Some(sample), value: None };
        match ready.process.ask(encode, PATIENCE)? {
            Success::Encoded { body } => Ok(body),
            other => Err(ready.process.unexpected("encode", &other)),
        }
    };
    (0..samples).map(encoded).collect()
}

/// How many bodies come out as the values that they are of, and what became of the first that does not.
fn read(
    ready: &mut Ready,
    payload: &Payload,
    bodies: &[String],
    values: &[DynamicMessage],
) -> Result<(u32, Option<Misread>), RunnerError> {
    let (mut understood, mut first) = (0, None);
    for (sample, (body, value)) in (0..).zip(bodies.iter().zip(values)) {
        let how = match ready.process.ask(Operation::Decode { body: body.clone() }, PATIENCE) {
            Ok(Success::Decoded { value: read }) => difference(payload, value, &read),
            Ok(other) => return Err(ready.process.unexpected("decode", &other)),
            Err(RunnerError::Refused { failure, .. }) => Some(How::Refused { reason: failure.to_string() }),
            Err(error) => return Err(error),
        };
        match how {
            None => understood += 1,
            Some(how) => {
                first.get_or_insert(Misread { sample, how });
            }
        }
    }
    Ok((understood, first))
}

/// How a value that was read, as Protobuf bytes in hexadecimal, differs from the one that was written.
fn difference(payload: &Payload, value: &DynamicMessage, read: &str) -> Option<How> {
    if hex::encode(canonical_bytes(value)) == read {
        return None;
    }
    let bytes = hex::decode(read).unwrap_or_default();
    let other = match DynamicMessage::decode(payload.descriptor().clone(), bytes.as_slice()) {
        Ok(other) => other,
        Err(error) => {
            return Some(How::Refused { reason: format!("the value that it read is not one: {error}") });
        }
    };
    let (field, written, read) = differ::first(value, &other)?;
    Some(How::Different { field, written, read })
}
