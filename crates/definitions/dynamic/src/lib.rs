//! Encoders that interpret a message definition at run time, for payloads whose codecs are not compiled: `wiredyno size`.
//!
//! One file per family of formats, one registry ([`ENCODERS`]). Each encoder stands for the codec of the same id, and produces
//! the same bytes: tests compare them over every payload. Each walks a [`Record`], a value in its definition's order;
//! how a format represents a field (widths, ranges, positions, what it can't carry) is determined by the codec's own functions
//! over [`FieldInfo`](wiredyno_codec::record::FieldInfo). They only encode, and are never timed.
//!
//! No format's library is compiled here, so that the program needs none: if a codec uses one, the encoder here writes its bytes
//! from the specification, and `tests` compares them with the library. For every codec, [`not_carried`] reports
//! whether it can carry a definition at all.

mod asn1;
mod avro;
mod bson;
mod capnproto;
mod carrying;
mod cbor;
mod described;
mod exi;
mod flatbuffers;
mod info;
mod json;
mod messagepack;
mod netstrings;
mod objects;
mod of_codecs;
mod positional;
mod postcard;
mod protobuf;
mod raw;
mod registry;
mod rkyv;
mod rule;
pub mod sizes;
mod thrift;
mod ts_103_097;
mod value;
mod xml;

pub use carrying::not_carried;
pub use described::Described;
pub use registry::{ENCODERS, EncodeError, Encoder};
pub use value::{Datum, Known, Member, Plain, Record, ValueError};
