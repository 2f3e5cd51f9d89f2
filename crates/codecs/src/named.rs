//! The object types that serde's self-describing codecs share, and the marker that decides how absent
//! optional fields are written.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::convert::{Lift, Lower};
use crate::payload::PayloadTypes;
use crate::touch::Touch;

/// Makes a [`CodecFor`](crate::CodecFor) of a unit struct from the two functions of its serde library:
/// `write(&object, &mut Vec<u8>)` and `read(&[u8])`, both giving `Result<_, impl Display>`. The object is
/// one of the associated types of a `Types` trait. With `fresh`, a function that gives a buffer of its own.
macro_rules! serde_codec {
    ($codec:ty, $types:path, $object:ident, write: $write:expr, read: $read:expr $(, fresh: $fresh:expr)?) => {
        impl<P: $types> crate::codec::CodecFor<P> for $codec {
            type State = ();
            type Object = P::$object;
            type Decoded<'a> = P::$object;

            fn state(&self) -> Result<(), crate::codec::BindError> {
                Ok(())
            }

            fn build(&self, (): &(), value: &P::Domain) -> P::$object {
                crate::convert::Lower::lower(value)
            }

            fn encode(
                &self,
                (): &mut (),
                object: &P::$object,
                out: &mut Vec<u8>,
            ) -> Result<(), crate::codec::EncodeError> {
                $write(object, out).map_err(|error| self.encode_error(&error))
            }

            $(fn encode_fresh(
                &self,
                (): &mut (),
                object: &P::$object,
            ) -> Result<Vec<u8>, crate::codec::EncodeError> {
                $fresh(object).map_err(|error| self.encode_error(&error))
            })?

            fn decode(&self, (): &(), bytes: &[u8]) -> Result<P::$object, crate::codec::DecodeError> {
                $read(bytes).map_err(|error| self.decode_error(&error))
            }

            fn read(&self, decoded: &P::$object) -> Result<u64, crate::codec::DecodeError> {
                Ok(crate::touch::digest_of(decoded))
            }

            fn lift(&self, decoded: P::$object) -> Result<P::Domain, crate::codec::DecodeError> {
                crate::convert::Lift::lift(decoded).map_err(|error| self.decode_error(&error))
            }
        }
    };
}
pub(crate) use serde_codec;

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
