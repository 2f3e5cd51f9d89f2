//! The object types that serde's codecs share, the markers that decide what formats want differently, and the limits
//! that not every library has.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::marker::PhantomData;
use std::str::FromStr;

use serde::de::{DeserializeOwned, DeserializeSeed, Error as _, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::convert::{Lift, LiftError, Lower};
use crate::payload::PayloadTypes;
use crate::record::Depth;
use crate::touch::{Digest, Touch};

/// Makes a [`CodecFor`](crate::CodecFor) of a unit struct from the two functions of its serde library:
/// `write(&object, &mut Vec<u8>)` and `read(&[u8])`, both giving `Result<_, impl Display>`. The object is
/// one of the associated types of a `Types` trait. With `fresh`, a function that gives a buffer of its own.
macro_rules! serde_codec {
    ($codec:ty, $types:path, $object:ident, write: $write:expr, read: $read:expr $(, fresh: $fresh:expr)?) => {
        impl<P: $types> crate::codec::CodecFor<P> for $codec {
            type State = ();
            type Object = P::$object;
            type Decoded<'a> = P::$object;

            fn state(&self) -> Result<(), crate::codec::Reason> {
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

/// What serde's formats want differently.
pub trait Style: Send + 'static {
    /// Whether a message is the sequence of its fields' values; else every value stands behind its name.
    const BY_PLACE: bool;
    /// Whether absent optional fields are left out; else they are written as null.
    const OMIT_ABSENT: bool;
    /// Whether keys of maps are written as text, for formats that know no others.
    const TEXT_KEYS: bool;
    /// Unsigned 64-bit integers.
    type Unsigned: Serialize + DeserializeOwned + Default + Touch + Lift<u64> + Send;
}

/// Absent optional fields are left out: for formats with field names in the bytes.
#[derive(Debug, Clone)]
pub struct Omitting;

impl Style for Omitting {
    const BY_PLACE: bool = false;
    const OMIT_ABSENT: bool = true;
    const TEXT_KEYS: bool = false;
    type Unsigned = u64;
}

/// Every field is written, absent ones as null: for formats where the place tells the field.
#[derive(Debug, Clone)]
pub struct Complete;

impl Style for Complete {
    const BY_PLACE: bool = true;
    const OMIT_ABSENT: bool = false;
    const TEXT_KEYS: bool = false;
    type Unsigned = u64;
}

/// As [`Omitting`], for formats without unsigned integers and with text keys only.
#[derive(Debug, Clone)]
pub struct Signed;

impl Style for Signed {
    const BY_PLACE: bool = false;
    const OMIT_ABSENT: bool = true;
    const TEXT_KEYS: bool = true;
    type Unsigned = KeptBits;
}

/// A generated message's fields as serde reads them.
///
/// Serde's derive makes code for both ways of every message, of which each format uses one.
pub trait Fields<'de>: Sized {
    /// The message's name.
    const NAME: &'static str;
    /// The fields' names.
    const FIELDS: &'static [&'static str];
    /// A bit for each field that must come, 64 to a word.
    const REQUIRED: &'static [u64];

    /// The place of a field; past the end if there is none of that name.
    fn place(name: &str) -> usize;

    /// Reads names and values; what is unknown is passed over.
    ///
    /// # Errors
    /// When a field comes twice or is missing, or what the input says.
    fn by_name<A: MapAccess<'de>>(input: A) -> Result<Self, A::Error>;

    /// Reads the values in the order of the fields.
    ///
    /// # Errors
    /// When there are too few, or what the input says.
    fn by_place<A: SeqAccess<'de>>(input: A) -> Result<Self, A::Error>;
}

/// Reads a message of a style. Generated code names it.
///
/// # Errors
/// When the input is none, or what the library says.
pub fn message<'de, S: Style, T: Fields<'de>, D: Deserializer<'de>>(input: D) -> Result<T, D::Error> {
    // A condition that is constant by itself: what it rules out is not compiled.
    if const { S::BY_PLACE } {
        input.deserialize_struct(T::NAME, T::FIELDS, ByPlace(PhantomData))
    } else {
        input.deserialize_struct(T::NAME, T::FIELDS, ByName(PhantomData))
    }
}

struct ByName<T>(PhantomData<T>);

impl<'de, T: Fields<'de>> Visitor<'de> for ByName<T> {
    type Value = T;

    fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "struct {}", T::NAME)
    }

    #[inline]
    fn visit_map<A: MapAccess<'de>>(self, input: A) -> Result<T, A::Error> {
        T::by_name(input)
    }
}

struct ByPlace<T>(PhantomData<T>);

impl<'de, T: Fields<'de>> Visitor<'de> for ByPlace<T> {
    type Value = T;

    fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "struct {} with {} elements", T::NAME, T::FIELDS.len())
    }

    #[inline]
    fn visit_seq<A: SeqAccess<'de>>(self, input: A) -> Result<T, A::Error> {
        T::by_place(input)
    }
}

/// The place of the field whose name comes next, past the end if the name is unknown; `seen` has a bit for each field that
/// came. Generated code names it.
///
/// # Errors
/// When what comes is no name, or the field came before.
#[inline]
pub fn next_place<'de, T: Fields<'de>, A: MapAccess<'de>>(
    input: &mut A,
    seen: &mut [u64],
) -> Result<Option<usize>, A::Error> {
    let place = input.next_key_seed(Name(T::place))?;
    if let Some(place) = place
        && place < T::FIELDS.len()
    {
        let bit = 1 << (place % 64);
        if seen[place / 64] & bit != 0 {
            return Err(A::Error::duplicate_field(T::FIELDS[place]));
        }
        seen[place / 64] |= bit;
    }
    Ok(place)
}

/// Refuses a message in which a field is missing. Generated code names it.
///
/// # Errors
/// The first such field.
#[inline]
pub fn complete<'de, T: Fields<'de>, E: serde::de::Error>(seen: &[u64]) -> Result<(), E> {
    match first_missing(T::REQUIRED, seen) {
        None => Ok(()),
        Some(place) => Err(E::missing_field(T::FIELDS[place])),
    }
}

fn first_missing(required: &[u64], seen: &[u64]) -> Option<usize> {
    let missing = |(required, seen): (&u64, &u64)| required & !seen;
    let words = required.iter().zip(seen).map(missing).enumerate();
    words
        .filter(|(_, missing)| *missing != 0)
        .map(|(at, missing)| at * 64 + missing.trailing_zeros() as usize)
        .next()
}

/// The value behind the name. Generated code names it.
///
/// # Errors
/// What the input says.
#[inline]
pub fn value<'de, A: MapAccess<'de>, V: Deserialize<'de>>(input: &mut A) -> Result<V, A::Error> {
    input.next_value()
}

/// [`value`], compiled once for each type of the fields of a large message, though the library would have it merged into each of
/// them. Generated code names it.
///
/// # Errors
/// What the input says.
#[inline(never)]
pub fn called_value<'de, A: MapAccess<'de>, V: Deserialize<'de>>(input: &mut A) -> Result<V, A::Error> {
    input.next_value()
}

/// The value of the field at this place, as the next element. Generated code names it.
///
/// # Errors
/// When there is none, or what the input says.
pub fn element<'de, T: Fields<'de>, A: SeqAccess<'de>, V: Deserialize<'de>>(
    input: &mut A,
    place: usize,
) -> Result<V, A::Error> {
    match input.next_element()? {
        Some(value) => Ok(value),
        None => Err(A::Error::invalid_length(place, &ByPlace::<T>(PhantomData))),
    }
}

/// A field's name, of which the function tells the place: one type for all messages, so that libraries compile how they
/// read names once.
struct Name(fn(&str) -> usize);

impl<'de> DeserializeSeed<'de> for Name {
    type Value = usize;

    #[inline]
    fn deserialize<D: Deserializer<'de>>(self, input: D) -> Result<usize, D::Error> {
        input.deserialize_identifier(self)
    }
}

impl Visitor<'_> for Name {
    type Value = usize;

    fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str("field identifier")
    }

    #[inline]
    fn visit_str<E>(self, name: &str) -> Result<usize, E> {
        Ok((self.0)(name))
    }
}

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

/// A map whose keys are no text, as the style writes it.
#[derive(Debug)]
pub struct Keyed<'m, S, K, V>(&'m BTreeMap<K, V>, PhantomData<S>);

impl<'m, S: Style, K: Serialize + Display, V: Serialize> Keyed<'m, S, K, V> {
    /// Around the map.
    pub fn new(map: &'m BTreeMap<K, V>) -> Keyed<'m, S, K, V> {
        Keyed(map, PhantomData)
    }
}

impl<S: Style, K: Serialize + Display, V: Serialize> Serialize for Keyed<'_, S, K, V> {
    fn serialize<Z: Serializer>(&self, serializer: Z) -> Result<Z::Ok, Z::Error> {
        match S::TEXT_KEYS {
            true => serializer.collect_map(self.0.iter().map(|(key, value)| (key.to_string(), value))),
            false => self.0.serialize(serializer),
        }
    }
}

/// What [`Keyed`] writes, read.
pub struct KeyedMap<S, K, V>(pub BTreeMap<K, V>, PhantomData<S>);

impl<'de, S, K, V> Deserialize<'de> for KeyedMap<S, K, V>
where
    S: Style,
    K: Deserialize<'de> + FromStr<Err: Display> + Ord,
    V: Deserialize<'de>,
{
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        if const { !S::TEXT_KEYS } {
            return Ok(KeyedMap(BTreeMap::deserialize(input)?, PhantomData));
        }
        let entries = BTreeMap::<String, V>::deserialize(input)?.into_iter();
        let map = entries.map(|(key, value)| Ok((key.parse().map_err(D::Error::custom)?, value)));
        Ok(KeyedMap(map.collect::<Result<_, _>>()?, PhantomData))
    }
}

/// What [`nested`] reads.
pub struct Nested<T>(pub T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Nested<T> {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        nested(input).map(Nested)
    }
}

/// What [`empty_elements`] reads.
pub struct EmptyElements<T>(pub Vec<T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for EmptyElements<T> {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        empty_elements(input).map(EmptyElements)
    }
}

thread_local! {
    /// How deep messages that contain themselves nest just now.
    static NESTING: Cell<Depth> = const { Cell::new(Depth::ROOT) };
}

/// Reads a field whose message contains itself, no deeper than [`Depth::MAX`]: not every library has a limit of its
/// own. Generated code names it.
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

/// The most elements of a list whose elements take no bytes in some formats.
const MAX_EMPTY_ELEMENTS: usize = 1 << 16;

/// Reads a list of messages without fields, which only their count bounds: libraries limit what they allocate, not how
/// often they loop. (apache-avro 0.22 was stopped after a minute with seven bytes that claim 2^40 empty records.)
/// Generated code names it.
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

/// A generated object for serde.
pub trait Object<D>: Serialize + DeserializeOwned + Touch + Lift<D> + Send {}

impl<T: Serialize + DeserializeOwned + Touch + Lift<D> + Send, D> Object<D> for T {}

/// A payload whose types serde can write.
pub trait Types:
    PayloadTypes<Domain: Lower<Self::Omitting> + Lower<Self::Complete> + Lower<Self::Signed>>
{
    /// With absent fields left out.
    type Omitting: Object<Self::Domain>;
    /// With all fields written.
    type Complete: Object<Self::Domain>;
    /// With absent fields left out, signed integers and text keys only.
    type Signed: Object<Self::Domain>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_missing_field_is_found_in_any_word() {
        assert_eq!(first_missing(&[0b101, 1], &[0b111, 1]), None);
        assert_eq!(first_missing(&[0b101, 1], &[0b011, 0]), Some(2));
        assert_eq!(first_missing(&[0b101, 0b10], &[0b101, 0]), Some(65));
    }
}
