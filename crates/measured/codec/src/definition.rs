//! What a runner is composed of: a definition and the codecs for its types.

use crate::bind::{Binding, BoundCodec};
use crate::codec::{Codec, CodecFor, Reason};
use crate::payload::PayloadTypes;

/// A composition's entry for one codec and one definition.
#[derive(Clone, Copy)]
pub struct TableEntry {
    /// The codec, for its description.
    pub codec: &'static dyn Codec,
    /// Whether it can carry the definition; `Err` says why not.
    pub carries: fn() -> Result<(), Reason>,
    /// Binds the two, for a payload of this name; or the reason why the library refuses the schema.
    pub bind: fn(&str) -> Result<Box<dyn BoundCodec>, Reason>,
}

impl TableEntry {
    /// The entry of a codec for a definition's types.
    pub const fn of<C: CodecFor<P> + Default, P: PayloadTypes>(codec: &'static C) -> TableEntry {
        TableEntry { codec, carries: || C::default().carries(), bind: bind::<C, P> }
    }
}

fn bind<C: CodecFor<P> + Default, P: PayloadTypes>(payload: &str) -> Result<Box<dyn BoundCodec>, Reason> {
    Ok(Box::new(Binding::<C, P>::new(C::default(), payload)?))
}

/// The definition that a runner was compiled for.
#[derive(Clone, Copy)]
pub struct Definition {
    /// Digest of the descriptor set, 32 hexadecimal digits (XXH3-128). Comments are not included.
    pub digest: &'static str,
    /// The full name of the message.
    pub message: &'static str,
    /// The codecs for its types.
    pub codecs: &'static [TableEntry],
}
