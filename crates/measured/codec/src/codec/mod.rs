//! What a codec is at compile time: four phases over the types that were generated for a payload.

pub mod call;

use wiredyno_contract::{CodecDescription, DeclaredCodec, IdError};

use crate::convert::LiftError;
use crate::payload::PayloadTypes;

/// Why a codec can't carry a payload, as `list` reports it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Reason(pub String);

/// What a codec's library reported. Boxed, so that results are one word when nothing fails.
#[derive(Debug)]
struct Refusal {
    codec: String,
    reason: String,
}

impl Refusal {
    #[cold]
    #[inline(never)]
    fn boxed(codec: &str, reason: &dyn std::fmt::Display) -> Box<Refusal> {
        Box::new(Refusal { codec: codec.to_owned(), reason: reason.to_string() })
    }
}

/// A value could not be encoded.
#[derive(Debug, thiserror::Error)]
#[error("{} can't encode this value: {}", .0.codec, .0.reason)]
pub struct EncodeError(Box<Refusal>);

impl EncodeError {
    /// From the codec with this id.
    pub(crate) fn new(codec: &str, reason: &dyn std::fmt::Display) -> EncodeError {
        EncodeError(Refusal::boxed(codec, reason))
    }
}

/// Bytes could not be decoded. Damaged input always ends here, never in a panic.
#[derive(Debug, thiserror::Error)]
#[error("{} can't decode these bytes: {}", .0.codec, .0.reason)]
pub struct DecodeError(Box<Refusal>);

/// Why samples could not be loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The payload has no samples.
    #[error("{payload} has no samples: add at least one line to its samples.jsonl, or a generator.toml")]
    Empty {
        /// The name of the payload, as in `payloads/`.
        payload: String,
    },
    /// A sample is not a value of the generated types.
    #[error("sample {sample} of {payload} can't be used: {reason}")]
    Value {
        /// The name of the payload, as in `payloads/`.
        payload: String,
        /// Index of the sample, from 0.
        sample: usize,
        /// Why it is not a value of the types.
        reason: String,
    },
    /// The codec can't encode a sample.
    #[error("sample {sample} of {payload}: {source}")]
    Encode {
        /// The name of the payload, as in `payloads/`.
        payload: String,
        /// Index of the sample, from 0.
        sample: usize,
        /// The encoding error of the codec.
        source: EncodeError,
    },
}

/// Why a value did not come back equal.
#[derive(Debug, thiserror::Error)]
pub enum RoundTripError {
    /// It came back different: the format loses information, or the codec is wrong.
    #[error("{codec} returns a different value for sample {sample} of {payload}: {difference}")]
    Different {
        /// `format/implementation`, or `format/implementation:variant`.
        codec: String,
        /// The name of the payload, as in `payloads/`.
        payload: String,
        /// Index of the sample, from 0.
        sample: usize,
        /// The field's path and both values.
        difference: String,
    },
    /// Walking the decoded object did not visit the same values as walking the domain value.
    #[error("{codec} reads values that differ from those sent for sample {sample} of {payload}")]
    Misread {
        /// `format/implementation`, or `format/implementation:variant`.
        codec: String,
        /// The name of the payload, as in `payloads/`.
        payload: String,
        /// Index of the sample, from 0.
        sample: usize,
    },
    /// A sample can't be encoded.
    #[error("sample {sample} of {payload}: {source}")]
    Encode {
        /// The name of the payload, as in `payloads/`.
        payload: String,
        /// Index of the sample, from 0.
        sample: usize,
        /// The encoding error of the codec.
        source: EncodeError,
    },
    /// The codec's own bytes can't be decoded.
    #[error("sample {sample} of {payload}: {source}")]
    Decode {
        /// The name of the payload, as in `payloads/`.
        payload: String,
        /// Index of the sample, from 0.
        sample: usize,
        /// The decoding error of the codec.
        source: DecodeError,
    },
}

/// How a codec describes itself.
pub trait Codec: Sync {
    /// What is known about it without compiling it.
    fn declared(&self) -> &'static DeclaredCodec;

    /// The declared id: `format/implementation`, or `format/implementation:variant`.
    fn id(&self) -> &'static str {
        self.declared().id
    }

    /// Whether heap and stack of one call can be measured: a codec that works in another thread or process says why not.
    ///
    /// # Errors
    /// With the reason.
    fn one_call(&self) -> Result<(), Reason> {
        Ok(())
    }

    /// The full description as the runner reports it, with the library's version from Cargo.lock.
    ///
    /// # Errors
    /// When its id is invalid.
    fn description(&self) -> Result<CodecDescription, IdError> {
        let declared = self.declared();
        declared.describe(wiredyno_versions::of(declared.package, declared.library).unwrap_or_default())
    }

    /// An encoding error of this codec.
    fn encode_error(&self, reason: &dyn std::fmt::Display) -> EncodeError {
        EncodeError::new(self.id(), reason)
    }

    /// A decoding error of this codec.
    fn decode_error(&self, reason: &dyn std::fmt::Display) -> DecodeError {
        DecodeError(Refusal::boxed(self.id(), reason))
    }
}

/// A codec for one payload's generated types.
///
/// The associated functions are the four phases; nothing else of a codec is ever inside a clock. Dropping what
/// a phase made is inside the clock of that phase, except for the last product of a batch.
pub trait CodecFor<P: PayloadTypes>: Codec + Sized + Send + 'static {
    /// What lives as long as the binding: a parsed schema, a reused builder.
    type State: Send;
    /// The codec's own object, owned.
    type Object: Send;
    /// The result of decoding; may borrow from the bytes.
    type Decoded<'a>;

    /// Whether the format can express the payload.
    fn carries(&self) -> Result<(), Reason> {
        Ok(())
    }

    /// Creates what lives as long as the binding, outside every clock.
    ///
    /// # Errors
    /// When the library refuses the generated schema.
    fn state(&self) -> Result<Self::State, Reason>;

    /// `build`: domain value to object.
    fn build(&self, state: &Self::State, value: &P::Domain) -> Self::Object;

    /// `encode` into a buffer that the caller has cleared and reuses.
    fn encode(
        &self,
        state: &mut Self::State,
        object: &Self::Object,
        out: &mut Vec<u8>,
    ) -> Result<(), EncodeError>;

    /// `encode` into a new buffer, as users of the library do it.
    fn encode_fresh(&self, state: &mut Self::State, object: &Self::Object) -> Result<Vec<u8>, EncodeError> {
        let mut out = Vec::new();
        call::encode::<Self, P>(self, state, object, &mut out)?;
        Ok(out)
    }

    /// `decode`: bytes to object, with whatever validation the library itself does.
    fn decode<'a>(&self, state: &Self::State, bytes: &'a [u8]) -> Result<Self::Decoded<'a>, DecodeError>;

    /// `read`: touches every field; the digest equals that of the domain value.
    fn read(&self, decoded: &Self::Decoded<'_>) -> Result<u64, DecodeError>;

    /// Object to domain value, outside every clock.
    fn lift(&self, decoded: Self::Decoded<'_>) -> Result<P::Domain, DecodeError>;
}

impl From<LiftError> for Reason {
    fn from(error: LiftError) -> Reason {
        Reason(error.to_string())
    }
}
