//! Payloads as codecs see them: statically the generated types, dynamically a name with its samples.

use std::collections::HashSet;
use std::fmt::Debug;

use prost::Message as _;
use prost_reflect::{DynamicMessage, MessageDescriptor};
use wiredyno_model::{CodecId, PayloadId};
use wiredyno_schema::generator::{Generator, GeneratorError};
use wiredyno_schema::{DefinitionError, SampleError};
use xxhash_rust::xxh3::xxh3_64;

use crate::bind::Bound;
use crate::codec::{BindError, Reason};
use crate::compression::dictionary;
use crate::convert::{Lift, Lower};
use crate::record::Record;
use crate::registry::{self, TableEntry};
use crate::touch::Touch;

/// A generated domain type: plain Rust, no codec's.
pub trait Domain: Clone + Debug + Touch + Send + 'static {
    /// The path of the first field that differs, with both values; floats compare bitwise, but zeros are equal.
    fn first_difference(&self, other: &Self) -> Option<String>;

    /// Puts the message's own number into the sequence field; nothing where the payload has none.
    fn set_sequence(&mut self, number: u64);

    /// How many different numbers the sequence field of this value can hold; `None` without such a field.
    fn sequence_span(&self) -> Option<u64>;
}

/// The types that were generated for a definition, which several payloads may share. The formats' own types are declared
/// by the `Types` traits of the format files; Protobuf's is here because it is also the bridge to values of unknown type.
pub trait PayloadTypes: Sized + Send + 'static {
    /// The domain value.
    type Domain: Domain + Record + Lower<Self::Message>;
    /// Protobuf's object.
    type Message: prost::Message + Default + Touch + Lift<Self::Domain>;
}

/// Everything the generated code says about a payload.
pub struct PayloadEntry {
    /// The folder's name.
    pub name: &'static str,
    /// The text of message.proto.
    pub proto: &'static str,
    /// The full name of the root message.
    pub root: &'static str,
    /// The encoded `FileDescriptorSet`.
    pub descriptor_set: &'static [u8],
    /// The Avro schema made from message.proto.
    pub avsc: &'static str,
    /// The FlatBuffers schema made from message.proto.
    pub fbs: &'static str,
    /// The field that tells messages apart.
    pub sequence: Option<&'static str>,
    /// The text of samples.jsonl.
    pub samples: Option<&'static str>,
    /// The text of generator.toml.
    pub generator: Option<&'static str>,
    /// The codecs over its definition's types, in the registry's order.
    pub table: &'static [TableEntry],
}

/// Why a payload can't be had.
#[derive(Debug, thiserror::Error)]
pub enum PayloadError {
    /// There is none of that name.
    #[error("no payload `{id}`; {hint}")]
    Unknown {
        /// What was asked for.
        id: String,
        /// Near names, or how to list them.
        hint: String,
    },
    /// A size where there must be none, or none where there must be one.
    #[error("payload `{id}` {problem}")]
    Size {
        /// What was asked for.
        id: String,
        /// What to write instead.
        problem: String,
    },
    /// The folder gives no samples.
    #[error("payload `{id}` has neither samples.jsonl nor generator.toml: add one of them")]
    NoSamples {
        /// What was asked for.
        id: String,
    },
    /// A dictionary needs more.
    #[error(
        "payload `{id}` has {samples} samples: a dictionary is trained on other samples than those measured and needs \
         {needed} of them in all; add samples, or a generator.toml"
    )]
    TooFewToTrain {
        /// What was asked for.
        id: String,
        /// How many there are.
        samples: usize,
        /// How many are needed.
        needed: usize,
    },
    /// The stored descriptor is broken.
    #[error(transparent)]
    Definition(#[from] DefinitionError),
    /// A sample is broken.
    #[error(transparent)]
    Sample(#[from] SampleError),
    /// The rules by which samples are made are broken.
    #[error(transparent)]
    Generator(#[from] GeneratorError),
}

/// A payload at a size: what the runner loads.
pub struct Payload {
    id: PayloadId,
    entry: &'static PayloadEntry,
    descriptor: MessageDescriptor,
}

impl Payload {
    /// Finds a payload among those of a crate of payloads.
    pub fn find(entries: &'static [PayloadEntry], id: &PayloadId) -> Result<Payload, PayloadError> {
        let entry = entries.iter().find(|entry| entry.name == id.name).ok_or_else(|| {
            let names = entries.iter().map(|entry| entry.name);
            PayloadError::Unknown { id: id.to_string(), hint: registry::hint(&id.name, names, "payloads") }
        })?;
        let descriptor = wiredyno_schema::descriptor(entry.descriptor_set, entry.root)?;
        Ok(Payload { id: id.clone(), entry, descriptor })
    }

    /// The id with its size.
    pub fn id(&self) -> &PayloadId {
        &self.id
    }

    /// What the generated module says.
    pub fn entry(&self) -> &'static PayloadEntry {
        self.entry
    }

    /// The message type of its samples.
    pub fn descriptor(&self) -> &MessageDescriptor {
        &self.descriptor
    }

    /// Whether a codec can carry it; `Err` says why not.
    pub fn carried_by(&self, codec: &CodecId) -> Result<(), BindError> {
        let entry = self.table_entry(codec)?;
        (entry.carries)().map_err(|reason| self.cannot(codec, reason))
    }

    /// Brings a codec and this payload together; samples are to be loaded next.
    pub fn bind(&self, codec: &CodecId) -> Result<Box<dyn Bound>, BindError> {
        let entry = self.table_entry(codec)?;
        (entry.carries)().map_err(|reason| self.cannot(codec, reason))?;
        (entry.bind)(self.entry.name, &self.descriptor).map_err(|reason| BindError::Schema {
            codec: codec.to_string(),
            payload: self.id.to_string(),
            reason: reason.to_string(),
        })
    }

    fn cannot(&self, codec: &CodecId, reason: Reason) -> BindError {
        BindError::CannotCarry { codec: codec.to_string(), payload: self.id.to_string(), reason }
    }

    fn table_entry(&self, codec: &CodecId) -> Result<&'static TableEntry, BindError> {
        let wanted = codec.to_string();
        let position = registry::REGISTRY.iter().position(|codec| codec.id() == wanted);
        position.and_then(|position| self.entry.table.get(position)).ok_or_else(|| BindError::UnknownCodec {
            hint: registry::hint(&wanted, registry::REGISTRY.iter().map(|codec| codec.id()), "codecs"),
            codec: wanted,
        })
    }

    /// The payload's samples in order: those of generator.toml (endless), else those of samples.jsonl.
    /// With a limit, at most so many.
    pub fn samples(&self, limit: Option<usize>) -> Result<Samples<'_>, PayloadError> {
        let limit = limit.unwrap_or(usize::MAX);
        match (self.entry.generator, self.entry.samples) {
            (Some(rules), _) => {
                let generator = self.generator(rules, self.id.size_bytes)?;
                let limit = limit.min(generator.samples() as usize);
                Ok(Box::new(generator.map(Ok).take(limit)))
            }
            (None, Some(_)) if self.id.size_bytes.is_some() => Err(PayloadError::Size {
                id: self.id.to_string(),
                problem: "takes no size: leave out what stands behind `@`".to_owned(),
            }),
            (None, Some(text)) => {
                let lines = wiredyno_schema::read_samples(text, &self.descriptor, "samples.jsonl");
                Ok(Box::new(lines.take(limit)))
            }
            (None, None) => Err(PayloadError::NoSamples { id: self.id.to_string() }),
        }
    }

    /// The samples to measure, at most `limit`, and others to train a dictionary on, at most `training`. What is
    /// dealt to which side does not depend on the limits. Of a generator, the first [`Payload::sample_count`] are
    /// measured and those behind them train; of a file with samples, every second one trains and the others are
    /// measured. A sample that equals one of those to measure, whether within the limit or not, never trains.
    ///
    /// # Errors
    /// When samples are broken or there are none.
    pub fn samples_apart(
        &self,
        limit: Option<usize>,
        training: usize,
    ) -> Result<(Samples<'_>, Samples<'_>), PayloadError> {
        let limit = limit.unwrap_or(usize::MAX);
        // Not Protobuf's bytes: those of equal values differ in the order of their maps' entries.
        let hash = |value: &DynamicMessage| match wiredyno_schema::write_value(value) {
            Ok(text) => xxh3_64(text.as_bytes()),
            Err(_) => xxh3_64(&value.encode_to_vec()),
        };
        if let Some(rules) = self.entry.generator {
            let generator = self.generator(rules, self.id.size_bytes)?;
            let own = generator.samples() as usize;
            let mut others = generator.clone();
            let known: HashSet<u64> = others.by_ref().take(own).map(|value| hash(&value)).collect();
            // Where few values are possible, most of what follows is known: the search has an end.
            let others = others.take(training * 4).filter(move |value| !known.contains(&hash(value)));
            let measured = generator.take(own.min(limit));
            return Ok((Box::new(measured.map(Ok)), Box::new(others.take(training).map(Ok))));
        }
        let measured = || self.samples(None).map(|samples| samples.step_by(2));
        let known: HashSet<u64> = measured()?.filter_map(|value| Some(hash(&value.ok()?))).collect();
        let others = self.samples(None)?.skip(1).step_by(2);
        let unknown = others.filter(move |value| value.as_ref().map_or(true, |v| !known.contains(&hash(v))));
        Ok((Box::new(measured()?.take(limit)), Box::new(unknown.take(training))))
    }

    /// Whether it has samples enough to train a dictionary on beside those that are measured.
    ///
    /// # Errors
    /// With what to add when it has not.
    pub fn can_train(&self) -> Result<(), PayloadError> {
        let needed = 2 * dictionary::LEAST_SAMPLES;
        let samples = self.sample_count()? as usize;
        if self.entry.generator.is_some() || samples >= needed {
            return Ok(());
        }
        Err(PayloadError::TooFewToTrain { id: self.id.to_string(), samples, needed })
    }

    fn generator(&self, rules: &str, size_bytes: Option<u32>) -> Result<Generator, GeneratorError> {
        let file = format!("payloads/{}/generator.toml", self.entry.name);
        Generator::from_toml(rules, file, &self.descriptor, size_bytes)
    }

    /// Whether it takes a size behind an at sign.
    pub fn is_sized(&self) -> bool {
        let refused = self.entry.generator.map(|rules| self.generator(rules, None));
        matches!(refused, Some(Err(GeneratorError::SizeMissing { .. })))
    }

    /// How many samples it comes with.
    ///
    /// # Errors
    /// When the rules by which they are made are broken.
    pub fn sample_count(&self) -> Result<u32, PayloadError> {
        match (self.entry.generator, self.entry.samples) {
            (Some(rules), _) => {
                // A size does not change the number; any will do where one is asked for.
                let size = self.id.size_bytes.or(self.is_sized().then_some(1));
                Ok(self.generator(rules, size)?.samples())
            }
            (None, Some(text)) => {
                let lines = text.lines().filter(|line| !line.trim().is_empty()).count();
                Ok(u32::try_from(lines).unwrap_or(u32::MAX))
            }
            (None, None) => Ok(0),
        }
    }
}

/// Samples one after the other; a broken one is an error when its turn comes.
pub type Samples<'a> = Box<dyn Iterator<Item = Result<DynamicMessage, SampleError>> + 'a>;
