//! Payloads as codecs see them: the types generated for a definition.

use std::fmt::Debug;

use crate::convert::{Lift, Lower};
use crate::record::Record;
use crate::touch::Touch;

/// A generated domain type: plain Rust, independent of any codec.
pub trait Domain: Clone + Debug + Touch + Send + 'static {
    /// The path of the first field that differs, with both values; floats compare bitwise, except that the two zeros are equal.
    fn first_difference(&self, other: &Self) -> Option<String>;

    /// Sets the sequence field to the message's own number; does nothing where the payload has none.
    fn set_sequence(&mut self, number: u64);

    /// How many different numbers the sequence field of this value can hold; `None` without such a field.
    fn sequence_span(&self) -> Option<u64>;
}

/// The types generated for a definition, which several payloads may share. The formats' own types are declared by the
/// `Types` traits of the format crates; Protobuf's is here because it is also the bridge to values of unknown type.
pub trait PayloadTypes: Sized + Send + 'static {
    /// The domain value, which every codec starts from.
    type Domain: Domain + Record + Lower<Self::Message>;
    /// Protobuf's object, for conversion from and to files.
    type Message: prost::Message + Default + Touch + Lift<Self::Domain>;

    /// The index of the message among those of its file, from 0; of a nested one that of its outermost message first.
    const INDEXES: &'static [u32];

    /// Decodes a value from Protobuf bytes. Compiled once for a definition, in the crate of its types, and called by every
    /// codec's crate.
    ///
    /// # Errors
    /// With the reason, when the bytes are not a value of it.
    fn from_protobuf(bytes: &[u8]) -> Result<Self::Domain, String>;

    /// The Protobuf bytes of a value; compiled once, likewise.
    fn to_protobuf(value: &Self::Domain) -> Vec<u8>;
}
