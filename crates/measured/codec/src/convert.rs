//! Conversions between domain values and the object types of codecs.
//!
//! Generated code calls [`Lower::lower`] (the `build` phase) and [`Lift::lift`] (after decoding, outside
//! every clock) field by field; the types on both sides choose the implementation.

use std::collections::BTreeMap;
use std::hash::Hash;

use crate::bytes::{Bytes, NativeBytes};

/// Why a decoded object is not a value of the message type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LiftError {
    /// An enum field holds a number that the definition does not name.
    #[error(
        "the number {number} is not a value of enum `{name}`: the sender has a newer definition or the bytes are damaged"
    )]
    UnknownEnumNumber {
        /// The name of the enum.
        name: &'static str,
        /// The number in the field.
        number: i64,
    },
    /// A required message or oneof is absent.
    #[error("`{name}` is required but absent")]
    Missing {
        /// The name of the field or oneof.
        name: &'static str,
    },
    /// More than one member of a oneof is present.
    #[error("more than one member of oneof `{name}` is present: the bytes are damaged")]
    SeveralOfOneof {
        /// The name of the oneof.
        name: &'static str,
    },
}

/// Domain value to a codec's object: clones, never fails.
pub trait Lower<To> {
    /// The same value as `To`.
    fn lower(&self) -> To;
}

/// A codec's object to a domain value.
pub trait Lift<To> {
    /// The same value as `To`; fails where the object can represent more than the domain.
    fn lift(self) -> Result<To, LiftError>;
}

macro_rules! same {
    ($($ty:ty),*) => {$(
        impl Lower<$ty> for $ty {
            #[inline]
            fn lower(&self) -> $ty { self.clone() }
        }
        impl Lift<$ty> for $ty {
            #[inline]
            fn lift(self) -> Result<$ty, LiftError> { Ok(self) }
        }
    )*};
}
same!(bool, u8, i32, i64, u32, u64, f32, f64, String);

/// Integers without a type in the format are carried in a signed 64-bit one; 64 unsigned bits keep their bits.
macro_rules! widened {
    ($($ty:ty),*) => {$(
        impl Lower<i64> for $ty {
            #[inline]
            fn lower(&self) -> i64 { *self as i64 }
        }
        impl Lift<$ty> for i64 {
            #[inline]
            fn lift(self) -> Result<$ty, LiftError> { Ok(self as $ty) }
        }
    )*};
}
widened!(u32, u64);

macro_rules! byte_strings {
    ($($ty:ident),*) => {$(
        impl Lower<$ty> for Vec<u8> {
            #[inline]
            fn lower(&self) -> $ty { $ty(self.clone()) }
        }
        impl Lift<Vec<u8>> for $ty {
            #[inline]
            fn lift(self) -> Result<Vec<u8>, LiftError> { Ok(self.0) }
        }
    )*};
}
byte_strings!(Bytes, NativeBytes);

impl<T: Lower<U>, U> Lower<Option<U>> for Option<T> {
    #[inline]
    fn lower(&self) -> Option<U> {
        self.as_ref().map(Lower::lower)
    }
}
impl<T: Lift<U>, U> Lift<Option<U>> for Option<T> {
    #[inline]
    fn lift(self) -> Result<Option<U>, LiftError> {
        self.map(Lift::lift).transpose()
    }
}

impl<T: Lower<U>, U> Lower<Box<U>> for Box<T> {
    #[inline]
    fn lower(&self) -> Box<U> {
        Box::new((**self).lower())
    }
}
impl<T: Lift<U>, U> Lift<Box<U>> for Box<T> {
    #[inline]
    fn lift(self) -> Result<Box<U>, LiftError> {
        Ok(Box::new((*self).lift()?))
    }
}

impl<T: Lower<U>, U> Lower<Vec<U>> for Vec<T> {
    #[inline]
    fn lower(&self) -> Vec<U> {
        self.iter().map(Lower::lower).collect()
    }
}
impl<T: Lift<U>, U> Lift<Vec<U>> for Vec<T> {
    #[inline]
    fn lift(self) -> Result<Vec<U>, LiftError> {
        self.into_iter().map(Lift::lift).collect()
    }
}

impl<K, V, K2, V2> Lower<BTreeMap<K2, V2>> for BTreeMap<K, V>
where
    K: Lower<K2>,
    V: Lower<V2>,
    K2: Ord + Hash,
{
    #[inline]
    fn lower(&self) -> BTreeMap<K2, V2> {
        self.iter().map(|(key, value)| (key.lower(), value.lower())).collect()
    }
}
impl<K, V, K2, V2> Lift<BTreeMap<K2, V2>> for BTreeMap<K, V>
where
    K: Lift<K2>,
    V: Lift<V2>,
    K2: Ord + Hash,
{
    #[inline]
    fn lift(self) -> Result<BTreeMap<K2, V2>, LiftError> {
        self.into_iter().map(|(key, value)| Ok((key.lift()?, value.lift()?))).collect()
    }
}

// FlatBuffers tables omit an empty text, byte string or vector, as they omit zero.
impl Lower<Option<String>> for String {
    #[inline]
    fn lower(&self) -> Option<String> {
        (!self.is_empty()).then(|| self.clone())
    }
}
impl Lift<String> for Option<String> {
    #[inline]
    fn lift(self) -> Result<String, LiftError> {
        Ok(self.unwrap_or_default())
    }
}
impl<T: Lower<U>, U> Lower<Option<Vec<U>>> for Vec<T> {
    #[inline]
    fn lower(&self) -> Option<Vec<U>> {
        (!self.is_empty()).then(|| self.lower())
    }
}
impl<T: Lift<U>, U> Lift<Vec<U>> for Option<Vec<T>> {
    #[inline]
    fn lift(self) -> Result<Vec<U>, LiftError> {
        self.map_or_else(|| Ok(Vec::new()), Lift::lift)
    }
}
