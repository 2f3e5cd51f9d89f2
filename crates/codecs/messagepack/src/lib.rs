//! MessagePack (specification of 2013, with str, bin and ext) with rmp-serde.
//!
//! Canonical are maps with field names, as other languages write them; the variant `positional` writes
//! arrays, rmp-serde's own default, with nil for absent fields. Enums are their names, bytes are bin.

pub mod declared;

use serde::{Deserialize, Serialize};
use wiredyno_contract::DeclaredCodec;

use wiredyno_codec::codec::Codec;
use wiredyno_codec::serde_codec;

/// Nesting of the input is refused past this depth; each level costs stack.
const MAX_DEPTH: usize = 128;

/// `messagepack/rmp-serde`.
#[derive(Debug, Default)]
pub struct Named;

/// `messagepack/rmp-serde:positional`.
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
