//! Encoders that follow a message definition at run time, for payloads whose codecs nobody has compiled yet. No
//! command uses them so far.
//!
//! One file a family of formats, one registry ([`ENCODERS`]). Each encoder stands for a codec, by its id, and gives
//! the same bytes: tests compare them over every payload. They only encode, and nothing of them is ever timed.

mod avro;
mod named;
mod plan;
mod protobuf;

pub use plan::{Message, Plan};

use prost_reflect::DynamicMessage;

/// A value can't be encoded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{codec}: {reason}")]
pub struct EncodeError {
    /// The codec that the encoder stands for.
    pub codec: &'static str,
    /// Why.
    pub reason: String,
}

/// Gives the bytes of a codec without its generated code.
pub trait Encoder: Send {
    /// The id of the codec that it stands for.
    fn codec(&self) -> &'static str;

    /// Appends the bytes of a value of the plan's message type.
    ///
    /// # Errors
    /// When the format can't hold the value.
    fn encode(&self, plan: &Plan, value: &DynamicMessage, out: &mut Vec<u8>) -> Result<(), EncodeError>;

    /// Why the format can't carry the message type; `None` if it can.
    fn refuses(&self, _plan: &Plan) -> Option<String> {
        None
    }
}

/// Every encoder.
pub static ENCODERS: &[&(dyn Encoder + Sync)] =
    &[&named::Json, &named::MessagePack, &named::Positional, &named::Cbor, &avro::Avro, &protobuf::Protobuf];
