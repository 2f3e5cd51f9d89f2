//! What the objects of serde's codecs share: the macro that turns a serde library into a codec, and items besides serde
//! that their derives name, including limits that not every library has.

use std::cell::Cell;
use std::marker::PhantomData;

use serde::de::{DeserializeOwned, Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::convert::{Lift, LiftError, Lower};
use crate::payload::PayloadTypes;
use crate::record::{Depth, MAX_EMPTY_ELEMENTS};
use crate::touch::{Digest, Touch};

/// Implements [`CodecFor`](crate::CodecFor) for a unit struct with the two functions of its serde library:
/// `write(&object, &mut Vec<u8>)` and `read(&[u8])`, both returning `Result<_, impl Display>`. With `fresh`, a function
/// that returns a new buffer.
#[macro_export]
macro_rules! serde_codec {
    ($codec:ty, write: $write:expr, read: $read:expr $(, fresh: $fresh:expr)?) => {
        impl<P: $crate::serde_objects::Types> $crate::CodecFor<P> for $codec {
            type State = ();
            type Object = P::Object;
            type Decoded<'a> = P::Object;

            fn state(&self) -> Result<(), $crate::Reason> {
                Ok(())
            }

            fn build(&self, (): &(), value: &P::Domain) -> P::Object {
                $crate::convert::Lower::lower(value)
            }

            fn encode(&self, (): &mut (), object: &P::Object, out: &mut Vec<u8>) -> Result<(), $crate::EncodeError> {
                $write(object, out).map_err(|error| $crate::Codec::encode_error(self, &error))
            }

            $(fn encode_fresh(&self, (): &mut (), object: &P::Object) -> Result<Vec<u8>, $crate::EncodeError> {
                $fresh(object).map_err(|error| $crate::Codec::encode_error(self, &error))
            })?

            fn decode(&self, (): &(), bytes: &[u8]) -> Result<P::Object, $crate::DecodeError> {
                $read(bytes).map_err(|error| $crate::Codec::decode_error(self, &error))
            }

            fn read(&self, decoded: &P::Object) -> Result<u64, $crate::DecodeError> {
                Ok($crate::touch::digest_of(decoded))
            }

            fn lift(&self, decoded: P::Object) -> Result<P::Domain, $crate::DecodeError> {
                $crate::convert::Lift::lift(decoded).map_err(|error| $crate::Codec::decode_error(self, &error))
            }
        }
    };
}

/// A payload whose types serde can write, in the style that the codec declares.
pub trait Types: PayloadTypes<Domain: Lower<Self::Object>> {
    /// The object generated in that style.
    type Object: Object<Self::Domain>;
}

/// A generated object for serde.
pub trait Object<D>: Serialize + DeserializeOwned + Touch + Lift<D> + Send {}

impl<T: Serialize + DeserializeOwned + Touch + Lift<D> + Send, D> Object<D> for T {}

/// An unsigned 64-bit integer that is written as the signed one with the same bits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct KeptBits(u64);

impl Serialize for KeptBits {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_i64(self.0.cast_signed())
    }
}

impl<'de> Deserialize<'de> for KeptBits {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<KeptBits, D::Error> {
        i64::deserialize(deserializer).map(|value| KeptBits(value.cast_unsigned()))
    }
}

impl Touch for KeptBits {
    #[inline]
    fn touch(&self, digest: &mut Digest) {
        self.0.touch(digest);
    }
}

impl Lower<KeptBits> for u64 {
    #[inline]
    fn lower(&self) -> KeptBits {
        KeptBits(*self)
    }
}

impl Lift<u64> for KeptBits {
    #[inline]
    fn lift(self) -> Result<u64, LiftError> {
        Ok(self.0)
    }
}

/// Maps whose keys are not text, in formats that have only text keys: as decimal digits, `true` and `false`. For
/// `#[serde(with)]`.
pub mod text_keys {
    use std::collections::BTreeMap;
    use std::fmt::Display;
    use std::str::FromStr;

    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    /// Writes the map, with its keys as text.
    ///
    /// # Errors
    /// When the library fails.
    pub fn serialize<K: Display, V: Serialize, S: Serializer>(
        map: &BTreeMap<K, V>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_map(map.iter().map(|(key, value)| (key.to_string(), value)))
    }

    /// Reads the map, with its keys as text.
    ///
    /// # Errors
    /// When a key is not of the type, or the library fails.
    pub fn deserialize<'de, K, V, D>(input: D) -> Result<BTreeMap<K, V>, D::Error>
    where
        K: FromStr<Err: Display> + Ord,
        V: Deserialize<'de>,
        D: Deserializer<'de>,
    {
        let entries = BTreeMap::<String, V>::deserialize(input)?.into_iter();
        entries.map(|(key, value)| Ok((key.parse().map_err(D::Error::custom)?, value))).collect()
    }
}

thread_local! {
    /// The current nesting of messages that contain themselves.
    static NESTING: Cell<Depth> = const { Cell::new(Depth::ROOT) };
}

/// Reads a field whose message contains itself, no deeper than [`Depth::MAX`]: not every library has a limit of its
/// own. Used by generated code.
pub fn nested<'de, D: Deserializer<'de>, T: Deserialize<'de>>(input: D) -> Result<T, D::Error> {
    struct Above(Depth);

    impl Drop for Above {
        fn drop(&mut self) {
            NESTING.set(self.0);
        }
    }

    let above = Above(NESTING.get());
    let mut here = above.0;
    here.enter().map_err(D::Error::custom)?;
    NESTING.set(here);
    T::deserialize(input)
}

/// Reads a list of messages without fields, where only the count limits them: libraries limit what they allocate, not
/// how often they loop. (apache-avro 0.22 was stopped after a minute with seven bytes that claim 2^40 empty records.)
/// Used by generated code.
pub fn empty_elements<'de, D: Deserializer<'de>, T: Deserialize<'de>>(input: D) -> Result<Vec<T>, D::Error> {
    struct Bounded<T>(PhantomData<T>);

    impl<'de, T: Deserialize<'de>> Visitor<'de> for Bounded<T> {
        type Value = Vec<T>;

        fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
            write!(f, "at most {MAX_EMPTY_ELEMENTS} messages without fields")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Vec<T>, A::Error> {
            let mut list = Vec::new();
            while let Some(element) = elements.next_element()? {
                if list.len() == MAX_EMPTY_ELEMENTS {
                    return Err(A::Error::invalid_length(list.len() + 1, &self));
                }
                list.push(element);
            }
            Ok(list)
        }
    }

    input.deserialize_seq(Bounded(PhantomData))
}
