//! Payloads as codecs see them: statically the generated types, dynamically a name with its samples.

use std::fmt::Debug;

use prost_reflect::{DynamicMessage, MessageDescriptor};
use wiredyno_model::{CodecId, PayloadId};
use wiredyno_schema::{DefinitionError, SampleError};

use crate::bind::Bound;
use crate::codec::{BindError, Reason};
use crate::convert::{Lift, Lower};
use crate::filler;
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

/// The types that were generated for a payload. The formats' own types are declared by the `Types` traits
/// of the format files; Protobuf's is here because it is also the bridge to values of unknown type.
pub trait PayloadTypes: Sized + Send + 'static {
    /// The payload's name.
    const NAME: &'static str;
    /// The domain value.
    type Domain: Domain + Lower<Self::Message>;
    /// Protobuf's object.
    type Message: prost::Message + Default + Touch + Lift<Self::Domain>;
}

/// Everything a generated module says about its payload.
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
    /// The codecs over this payload's types, in the registry's order.
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
    /// The stored descriptor is broken.
    #[error(transparent)]
    Definition(#[from] DefinitionError),
    /// A sample is broken.
    #[error(transparent)]
    Sample(#[from] SampleError),
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
        let entry = entries
            .iter()
            .find(|entry| entry.name == id.name)
            .ok_or_else(|| {
                let names = entries.iter().map(|entry| entry.name);
                PayloadError::Unknown {
                    id: id.to_string(),
                    hint: registry::hint(&id.name, names, "payloads"),
                }
            })?;
        let descriptor = wiredyno_schema::descriptor(entry.descriptor_set, entry.root)?;
        Ok(Payload {
            id: id.clone(),
            entry,
            descriptor,
        })
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
        (entry.bind)(self.descriptor.clone())
    }

    fn cannot(&self, codec: &CodecId, reason: Reason) -> BindError {
        BindError::CannotCarry {
            codec: codec.to_string(),
            payload: self.id.to_string(),
            reason,
        }
    }

    fn table_entry(&self, codec: &CodecId) -> Result<&'static TableEntry, BindError> {
        let wanted = codec.to_string();
        let position = registry::REGISTRY.iter().position(|codec| codec.id() == wanted);
        position
            .and_then(|position| self.entry.table.get(position))
            .ok_or_else(|| BindError::UnknownCodec {
                hint: registry::hint(
                    &wanted,
                    registry::REGISTRY.iter().map(|codec| codec.id()),
                    "codecs",
                ),
                codec: wanted,
            })
    }

    /// The payload's samples in order: those of generator.toml (endless), else those of samples.jsonl.
    /// With a limit, at most so many.
    pub fn samples(&self, limit: Option<usize>) -> Result<Samples<'_>, PayloadError> {
        let limit = limit.unwrap_or(usize::MAX);
        let sized = |problem: &str| PayloadError::Size {
            id: self.id.to_string(),
            problem: problem.to_owned(),
        };
        match (self.entry.samples, self.id.size_bytes) {
            (Some(_), Some(_)) => Err(sized("takes no size: leave out what stands behind `@`")),
            (Some(text), None) => {
                let lines = wiredyno_schema::read_samples(text, &self.descriptor, "samples.jsonl");
                Ok(Box::new(lines.take(limit)))
            }
            (None, None) => Err(sized("takes a size: write for example `@1024` behind its name")),
            (None, Some(size_bytes)) => {
                let made = filler::samples(&self.descriptor, size_bytes);
                let made = made.ok_or_else(|| PayloadError::NoSamples {
                    id: self.id.to_string(),
                })?;
                Ok(Box::new(made.map(Ok).take(limit)))
            }
        }
    }
}

/// Samples one after the other; a broken one is an error when its turn comes.
pub type Samples<'a> = Box<dyn Iterator<Item = Result<DynamicMessage, SampleError>> + 'a>;
