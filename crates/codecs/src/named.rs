//! The object types that serde's self-describing codecs share, and the marker that decides how absent
//! optional fields are written.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::convert::{Lift, Lower};
use crate::payload::PayloadTypes;
use crate::touch::Touch;

/// How absent optional fields are written.
pub trait Style: Send + 'static {
    /// Whether they are left out; else they are written as null.
    const OMIT_ABSENT: bool;
}

/// Absent optional fields are left out: for formats with field names in the bytes.
#[derive(Debug, Clone)]
pub struct Omitting;

impl Style for Omitting {
    const OMIT_ABSENT: bool = true;
}

/// Every field is written, absent ones as null: for formats where the place tells the field.
#[derive(Debug, Clone)]
pub struct Complete;

impl Style for Complete {
    const OMIT_ABSENT: bool = false;
}

/// A generated object for serde.
pub trait Object<D>: Serialize + DeserializeOwned + Touch + Lift<D> + Send {}

impl<T: Serialize + DeserializeOwned + Touch + Lift<D> + Send, D> Object<D> for T {}

/// A payload whose types serde can write.
pub trait Types: PayloadTypes<Domain: Lower<Self::Omitting> + Lower<Self::Complete>> {
    /// With absent fields left out.
    type Omitting: Object<Self::Domain>;
    /// With all fields written.
    type Complete: Object<Self::Domain>;
}
