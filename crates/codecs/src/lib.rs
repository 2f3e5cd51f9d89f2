//! One file a format, one registry.
//!
//! A codec is a unit struct that implements [`Codec`] (what it says about itself) and [`CodecFor`] for every
//! payload whose generated types it can use. [`registry`] lists them once. The loops that are measured are
//! compiled for each codec and payload; from outside a pair of them is a [`Bound`].
//!
//! Generated payload modules implement [`PayloadTypes`] and the `Types` traits of the format files; they
//! need nothing but this crate and the libraries whose derive macros they use.

pub mod alloc;
pub mod bind;
pub mod bits;
pub mod bytes;
pub mod call;
pub mod codec;
pub mod compression;
pub mod convert;
mod counters;
pub mod cursor;
pub mod differ;
pub mod measure;
pub mod payload;
pub mod record;
pub mod registry;
pub mod sequence;
pub mod sink;
pub mod stack;
pub mod touch;

pub mod asn1;
pub mod asn1_uper;
pub mod avro;
pub mod avro_static;
pub mod bitcode;
pub mod bson;
pub mod capnproto;
pub mod cbor;
pub mod exi;
pub mod flatbuffers;
pub mod json;
pub mod messagepack;
pub mod named;
pub mod postcard;
pub mod protobuf;
pub mod rasn;
pub mod raw;
pub mod rkyv;
pub mod ros1;
pub mod xml;

pub mod cdr;
pub mod lcm;
pub mod netstrings;
pub mod positional;
pub mod protobuf_container;
pub mod sonic;
pub mod thrift;
pub mod ts_103_097;
pub mod upb;

pub use bind::{Bound, RoundTrips};
pub use codec::{BindError, Codec, CodecFor, DecodeError, EncodeError, LoadError, Reason, RoundTripError};
pub use compression::BoundCompression;
pub use measure::{Buffer, Measurable, MeasureError, MeasureSettings, Measured, Phase, PhaseMeasurement};
pub use payload::{Domain, Payload, PayloadEntry, PayloadError, PayloadTypes, Samples};
pub use registry::{REGISTRY, find};
