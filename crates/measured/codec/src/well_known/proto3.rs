//! Numbers as in proto3's JSON mapping (<https://protobuf.dev/programming-guides/json/>): 64-bit integers are text, and so are floats that
//! JSON does not have. A reader accepts an integer as well as its text.

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::convert::{Lift, LiftError, Lower};
use crate::touch::{Digest, Touch};

/// A 64-bit integer, as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Wide<T>(pub T);

/// A float; NaN and infinities as the texts `NaN`, `Infinity`, `-Infinity`.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default)]
pub struct Real<T>(pub T);

/// The text of a float that JSON does not have; `None` for others.
pub fn text_of(number: f64) -> Option<&'static str> {
    match number {
        f64::INFINITY => Some("Infinity"),
        f64::NEG_INFINITY => Some("-Infinity"),
        _ if number.is_nan() => Some("NaN"),
        _ => None,
    }
}

impl<T: fmt::Display> Serialize for Wide<T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(&self.0)
    }
}

impl<T: Copy + Serialize + Into<f64>> Serialize for Real<T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match text_of(self.0.into()) {
            Some(text) => to.serialize_str(text),
            None => self.0.serialize(to),
        }
    }
}

/// Reads an integer, or its text.
struct Integer<T>(PhantomData<T>);

impl<T: FromStr + TryFrom<i64> + TryFrom<u64>> Visitor<'_> for Integer<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a 64-bit integer, or its digits as text")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        text.parse().map_err(|_| E::invalid_value(de::Unexpected::Str(text), &self))
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<T, E> {
        T::try_from(number).map_err(|_| E::invalid_value(de::Unexpected::Signed(number), &self))
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<T, E> {
        T::try_from(number).map_err(|_| E::invalid_value(de::Unexpected::Unsigned(number), &self))
    }
}

impl<'de, T: FromStr + TryFrom<i64> + TryFrom<u64>> Deserialize<'de> for Wide<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Integer(PhantomData)).map(Wide)
    }
}

/// Reads a float, or the text of one that JSON does not have.
struct Float;

impl Visitor<'_> for Float {
    type Value = f64;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a number, or `NaN`, `Infinity` or `-Infinity`")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<f64, E> {
        match text {
            "NaN" => Ok(f64::NAN),
            "Infinity" => Ok(f64::INFINITY),
            "-Infinity" => Ok(f64::NEG_INFINITY),
            _ => Err(E::invalid_value(de::Unexpected::Str(text), &self)),
        }
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<f64, E> {
        Ok(number)
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<f64, E> {
        Ok(number as f64)
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<f64, E> {
        Ok(number as f64)
    }
}

impl<'de> Deserialize<'de> for Real<f64> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Float).map(Real)
    }
}

impl<'de> Deserialize<'de> for Real<f32> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        // Through a double, like serde's own f32.
        from.deserialize_any(Float).map(|number| Real(number as f32))
    }
}

macro_rules! converted {
    ($wrapper:ident: $($ty:ty),*) => {$(
        impl Lower<$wrapper<$ty>> for $ty {
            #[inline]
            fn lower(&self) -> $wrapper<$ty> {
                $wrapper(*self)
            }
        }
        impl Lift<$ty> for $wrapper<$ty> {
            #[inline]
            fn lift(self) -> Result<$ty, LiftError> {
                Ok(self.0)
            }
        }
        impl Touch for $wrapper<$ty> {
            #[inline]
            fn touch(&self, digest: &mut Digest) {
                self.0.touch(digest);
            }
        }
    )*};
}
converted!(Wide: i64, u64);
converted!(Real: f32, f64);
