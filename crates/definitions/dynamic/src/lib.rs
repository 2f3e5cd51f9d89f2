//! Encoders that follow a message definition at run time, for payloads whose codecs nobody has compiled: `wiredyno size`.
//!
//! One file a family of formats, one registry ([`ENCODERS`]). Each encoder stands for a codec, by its id, and gives
//! the same bytes: tests compare them over every payload. Every one is a walk over a [`Record`], a value in the order of its
//! definition; what a format makes of a field (widths, ranges, places, what it can't carry) are the codec's own functions
//! over [`FieldInfo`](wiredyno_codec::record::FieldInfo). They only encode, and nothing of them is ever timed.
//!
//! No library of a format is compiled here, so that the program needs none: where a codec works through one, its bytes are
//! written from the specification, and compared with the library in `tests`. Whether a codec can carry a definition at all is
//! known of every codec ([`not_carried`]).

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
mod positional;
mod postcard;
mod protobuf;
mod raw;
mod registry;
mod rkyv;
mod rule;
mod shared;
pub mod sizes;
mod thrift;
mod ts_103_097;
mod value;
mod xml;

pub use carrying::not_carried;
pub use described::Described;
pub use registry::{ENCODERS, EncodeError, Encoder};
pub use value::{Datum, Known, Member, Plain, Record, ValueError};
