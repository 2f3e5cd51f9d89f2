//! What a codec is: the contract, and how it is bound to a payload, timed and measured.
//!
//! A codec is a unit struct that implements [`Codec`] (its description) and [`CodecFor`] for every payload whose
//! generated types it can use; each format has a crate of its own below `crates/codecs`. The measured loops are compiled
//! for each codec and payload; from outside such a pair is a [`BoundCodec`].
//!
//! Nothing here knows a library of a format: a runner is composed of this crate and the requested codecs.

pub mod alloc;
pub mod asn1;
pub mod bind;
pub mod bits;
pub mod bytes;
pub mod codec;
pub mod confluent;
pub mod container;
pub mod convert;
mod counters;
pub mod cursor;
pub mod definition;
pub mod differ;
pub mod measure;
pub mod payload;
pub mod positional;
pub mod record;
pub mod sequence;
pub mod serde_objects;
pub mod sink;
pub mod stack;
pub mod touch;
pub mod well_known;

pub use bind::{BoundCodec, RoundTrips};
pub use codec::{Codec, CodecFor, DecodeError, EncodeError, LoadError, Reason, RoundTripError};
pub use definition::{Definition, TableEntry};
pub use measure::{Buffer, Measurable, MeasureError, MeasureSettings, Measured, Phase, PhaseMeasurement};
pub use payload::{Domain, PayloadTypes};
