//! Reads message definitions, generates and reads samples, generates types for every codec.
//!
//! A payload's `message.proto` (proto3, with the options of `wiredyno/options.proto`) is read by
//! [`Definition::from_source`] into a neutral model that all generators walk. Samples are
//! [`prost_reflect::DynamicMessage`] values, equal exactly if their [`canonical_bytes`] are. [`codegen`] writes the
//! crates that Rust's codecs need.
//!
//! Limits: proto3 only; one file, whose only import is the options; well-known types only as in [`model::WellKnown`] and as messages that stand for values.

pub mod canonical;
pub mod codegen;
pub mod definition;
pub mod expressiveness;
pub mod generator;
pub mod idl;
pub mod import;
mod lines;
pub mod members;
pub mod model;
mod plain_value;
pub mod samples;
mod times;
mod wide;

pub use canonical::canonical_bytes;
pub use definition::{DefinitionError, OPTIONS_PROTO, descriptor};
pub use model::{
    Cardinality, Definition, Enum, EnumValue, Field, FieldOptions, Invented, Message, Oneof, Type, WellKnown,
};
pub use samples::{SampleError, read_samples, read_value, write_value};
pub use wide::Wide;
