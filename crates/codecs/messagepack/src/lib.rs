//! MessagePack (specification of 2013, with str, bin and ext) with rmp-serde.
//!
//! The canonical form is maps with field names, as other languages write them; the variant `positional` writes
//! arrays, rmp-serde's own default, with nil for absent fields. Enums are their names, bytes are bin.

pub mod declared;

use serde::{Deserialize, Serialize};
use wiredyno_contract::DeclaredCodec;

use wiredyno_codec::codec::Codec;
use wiredyno_codec::serde_codec;

/// Deeper nesting of the input is refused; each level costs stack.
const MAX_DEPTH: usize = 128;

/// Implements `messagepack/rmp-serde`, declared as [`declared::NAMED`].
#[derive(Debug, Default)]
pub struct Named;

/// Implements `messagepack/rmp-serde:positional`, declared as [`declared::POSITIONAL`].
#[derive(Debug, Default)]
pub struct Positional;

impl Codec for Named {
    fn declared(&self) -> &'static DeclaredCodec {
        &declared::NAMED
    }
}

impl Codec for Positional {
    fn declared(&self) -> &'static DeclaredCodec {
        &declared::POSITIONAL
    }
}

fn from_slice<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T, rmp_serde::decode::Error> {
    let mut input = rmp_serde::Deserializer::from_read_ref(bytes);
    input.set_max_depth(MAX_DEPTH);
    T::deserialize(&mut input)
}

serde_codec!(
    Named,
    write: |object: &P::Object, out| object.serialize(&mut rmp_serde::Serializer::new(out).with_struct_map()),
    read: from_slice
);
serde_codec!(
    Positional,
    write: |object: &P::Object, out| object.serialize(&mut rmp_serde::Serializer::new(out)),
    read: from_slice
);
