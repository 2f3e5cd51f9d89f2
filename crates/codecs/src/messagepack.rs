//! MessagePack (specification of 2013, with str, bin and ext) with rmp-serde.
//!
//! Canonical are maps with field names, as other languages write them; the variant `positional` writes
//! arrays, rmp-serde's own default, with nil for absent fields. Enums are their names, bytes are bin.

use serde::{Deserialize, Serialize};
use wiredyno_model::Capability;

use crate::codec::Codec;
use crate::named::{Types, serde_codec};

/// Nesting of the input is refused past this depth; each level costs stack.
const MAX_DEPTH: usize = 128;

const LIBRARY: (&str, &str) = ("rmp-serde", env!("WIREDYNO_VERSION_RMP_SERDE"));

/// `messagepack/rmp-serde`.
#[derive(Debug, Default)]
pub struct Named;

/// `messagepack/rmp-serde:positional`.
#[derive(Debug, Default)]
pub struct Positional;

impl Codec for Named {
    fn id(&self) -> &'static str {
        "messagepack/rmp-serde"
    }

    fn library(&self) -> (&'static str, &'static str) {
        LIBRARY
    }

    fn about(&self) -> &'static str {
        "Maps with field names, absent fields left out. Build clones into serde structs; encode writes; \
         decode validates UTF-8 and types and allocates every string; read walks structs."
    }

    fn capabilities(&self) -> &'static [Capability] {
        &[
            Capability::SelfDescribing,
            Capability::ValidatesUtf8,
            Capability::ReusesBuffers,
            Capability::Canonical,
        ]
    }
}

impl Codec for Positional {
    fn id(&self) -> &'static str {
        "messagepack/rmp-serde:positional"
    }

    fn library(&self) -> (&'static str, &'static str) {
        LIBRARY
    }

    fn about(&self) -> &'static str {
        "Arrays in field order, nil for absent fields. Build clones into serde structs; encode writes; \
         decode validates UTF-8 and types and allocates every string; read walks structs."
    }

    fn capabilities(&self) -> &'static [Capability] {
        &[
            Capability::SchemaDriven,
            Capability::ValidatesUtf8,
            Capability::ReusesBuffers,
            Capability::Canonical,
        ]
    }
}

fn from_slice<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T, rmp_serde::decode::Error> {
    let mut input = rmp_serde::Deserializer::from_read_ref(bytes);
    input.set_max_depth(MAX_DEPTH);
    T::deserialize(&mut input)
}

serde_codec!(
    Named, Types, Omitting,
    write: |object: &P::Omitting, out| object.serialize(&mut rmp_serde::Serializer::new(out).with_struct_map()),
    read: from_slice
);
serde_codec!(
    Positional, Types, Complete,
    write: |object: &P::Complete, out| object.serialize(&mut rmp_serde::Serializer::new(out)),
    read: from_slice
);
