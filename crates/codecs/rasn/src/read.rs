//! Domain values from rasn's decoders.

use std::collections::BTreeMap;
use std::marker::PhantomData;

use rasn::de::Error as _;
use rasn::types::{Constraints, DecodeChoice, Tag};
use rasn::{AsnType, Codec, Decode, Decoder};

use super::info::{
    Entry, Given, Item, KEY, Leaf, Members, Picked, Unnamed, VALUE, constraints_of, size_constraints, tag_of,
    value_constraints,
};
use wiredyno_codec::record::{
    Choice, Counted, Enumeration, Fault, Field, FieldInfo, FieldType, Key, MAX_EMPTY_ELEMENTS, Problem,
    Reader, Record, Value,
};

/// A walk that calls a decoder for every value.
struct Walk<'w, D> {
    decoder: &'w mut D,
    /// Tag of the next value.
    tag: Tag,
    /// Constraints of the next value, unless it is a message.
    constraints: &'w Constraints,
}

fn fault<T>(result: Result<T, impl std::fmt::Display>) -> Result<T, Fault> {
    result.map_err(Fault::other)
}

/// Reads a value with a separate walk.
fn walk<D: Decoder, T>(
    decoder: &mut D,
    tag: Tag,
    constraints: &Constraints,
    read: impl FnOnce(&mut Walk<'_, D>) -> Result<T, Fault>,
) -> Result<T, D::Error> {
    let codec = decoder.codec();
    read(&mut Walk { decoder, tag, constraints }).map_err(|fault| D::Error::custom(fault, codec))
}

/// How many elements are reserved before any is read.
const RESERVED_ELEMENTS: u64 = 64;

/// The quantity before OER's elements is an `INTEGER (0..MAX)` (X.696, 17.2).
const QUANTITY: Constraints = value_constraints(&FieldInfo::plain("quantity", FieldType::U64));

/// A SEQUENCE OF. rasn 0.30's OER reserves memory for as many elements as the input claims, which can abort a program;
/// for OER the quantity is therefore read as a plain number, and the elements one by one.
fn elements<D: Decoder, E: Decode>(
    decoder: &mut D,
    tag: Tag,
    constraints: &Constraints,
) -> Result<Vec<E>, Fault> {
    if !matches!(decoder.codec(), Codec::Oer | Codec::Coer) {
        return fault(decoder.decode_sequence_of(tag, constraints));
    }
    let count: u64 = fault(decoder.decode_integer(Tag::INTEGER, &QUANTITY))?;
    if std::mem::size_of::<E>() == 0 && count > MAX_EMPTY_ELEMENTS as u64 {
        return Err(Fault::new(Problem::Count(count)));
    }
    let mut elements = Vec::with_capacity(count.min(RESERVED_ELEMENTS) as usize);
    for _ in 0..count {
        elements.push(fault(E::decode(decoder))?);
    }
    Ok(elements)
}

/// A message's SEQUENCE; rasn needs its number of members as a constant.
struct Sequence<'w, D, M> {
    walk: Walk<'w, D>,
    marker: PhantomData<M>,
}

impl<D: Decoder, M: Record> Counted for Sequence<'_, D, M> {
    type Output = Result<M, D::Error>;

    fn call<const MEMBERS: usize>(self) -> Result<M, D::Error> {
        let read = |decoder: &mut D::AnyDecoder<MEMBERS, 0>| {
            walk(decoder, Tag::EOC, &Constraints::NONE, |walk| M::read(walk)).map(Members)
        };
        // Called where the message has no members at all, or only optional ones and no content.
        let empty = || Members(M::empty());
        let decoder = self.walk.decoder;
        decoder
            .decode_sequence::<MEMBERS, 0, Members<M>, _, _>(self.walk.tag, Some(empty), read)
            .map(Members::into_message)
    }
}

impl<M: Record> Decode for Members<M> {
    fn decode_with_tag_and_constraints<D: Decoder>(
        decoder: &mut D,
        tag: Tag,
        _: &Constraints,
    ) -> Result<Self, D::Error> {
        let walk = Walk { decoder, tag, constraints: &Constraints::NONE };
        M::counted(Sequence { walk, marker: PhantomData::<M> }).map(Members)
    }
}

impl<V: Value> Decode for Given<V> {
    fn decode_with_tag_and_constraints<D: Decoder>(
        decoder: &mut D,
        tag: Tag,
        constraints: &Constraints,
    ) -> Result<Self, D::Error> {
        walk(decoder, tag, constraints, |walk| V::read::<Unnamed, _>(walk)).map(Given)
    }
}

impl<F: Field, V: Value> Decode for Leaf<F, V> {
    fn decode_with_tag_and_constraints<D: Decoder>(
        decoder: &mut D,
        tag: Tag,
        constraints: &Constraints,
    ) -> Result<Self, D::Error> {
        let Given(value) = Given::<V>::decode_with_tag_and_constraints(decoder, tag, constraints)?;
        match value.check::<F>() {
            Ok(()) => Ok(Leaf::new(value)),
            Err(fault) => Err(D::Error::custom(fault, decoder.codec())),
        }
    }
}

impl<F: Field, K: Value, V: Value> Decode for Entry<F, K, V> {
    fn decode_with_tag_and_constraints<D: Decoder>(
        decoder: &mut D,
        tag: Tag,
        _: &Constraints,
    ) -> Result<Self, D::Error> {
        let read = |decoder: &mut D::AnyDecoder<2, 0>| {
            walk(decoder, KEY, const { &constraints_of(Key::<F>::INFO) }, |walk| {
                let key = K::read::<Key<F>, _>(walk)?;
                walk.tag = VALUE;
                walk.constraints = const { &constraints_of(F::INFO) };
                let value = V::read::<F, _>(walk)?;
                value.check::<F>()?;
                Ok(Entry(key, value, PhantomData))
            })
        };
        decoder.decode_sequence::<2, 0, Self, fn() -> Self, _>(tag, None, read)
    }
}

impl<M: Record, C: Choice> Decode for Picked<M, C> {
    fn decode<D: Decoder>(decoder: &mut D) -> Result<Self, D::Error> {
        decoder.decode_choice(&Self::CONSTRAINTS)
    }

    fn decode_with_tag_and_constraints<D: Decoder>(
        decoder: &mut D,
        tag: Tag,
        _: &Constraints,
    ) -> Result<Self, D::Error> {
        decoder.decode_explicit_prefix(tag)
    }
}

impl<M: Record, C: Choice> DecodeChoice for Picked<M, C> {
    fn from_tag<D: Decoder>(decoder: &mut D, tag: Tag) -> Result<Self, D::Error> {
        let ordinal = match (0..C::INFO.alternatives.len()).find(|at| Tag::new_context(*at as u32) == tag) {
            Some(ordinal) => ordinal,
            None => return Err(D::Error::no_valid_choice(C::INFO.name, decoder.codec())),
        };
        walk(decoder, tag, &Constraints::NONE, |walk| C::read::<_, M>(ordinal, walk, &mut ()))
            .map(Picked::new)
    }
}

impl<D: Decoder> Walk<'_, D> {
    /// The octets that represent a float.
    fn octets<F: Field, const N: usize>(&mut self) -> Result<[u8; N], Fault> {
        let bytes: Vec<u8> = fault(self.decoder.decode_octet_string(self.tag, self.constraints))?;
        let length = bytes.len() as u64;
        bytes.try_into().map_err(|_| Fault::in_field(Problem::Length(length), F::INFO.name))
    }
}

/// Numbers and bytes are passed on as rasn returns them: whether the field allows them is checked where the field is
/// known, since not every set of rules checks the constraints.
impl<'a, D: Decoder> Reader<'a> for Walk<'_, D> {
    type Frame<M: Record> = ();

    #[inline]
    fn begin<M: Record>(&mut self) -> Result<(), Fault> {
        Ok(())
    }

    #[inline]
    fn end<M: Record>(&mut self, (): ()) -> Result<(), Fault> {
        Ok(())
    }

    #[inline]
    fn one<M: Record, F: Field, V: Value>(&mut self, (): &mut ()) -> Result<V, Fault> {
        self.tag = const { tag_of::<F>() };
        self.constraints = const { &constraints_of(F::INFO) };
        let value = V::read::<F, _>(self)?;
        value.check::<F>()?;
        Ok(value)
    }

    #[inline]
    fn optional<M: Record, F: Field, V: Value>(&mut self, (): &mut ()) -> Result<Option<V>, Fault> {
        let given = self.decoder.decode_optional_with_tag_and_constraints::<Given<V>>(
            const { tag_of::<F>() },
            const { &constraints_of(F::INFO) },
        );
        match fault(given)? {
            Some(Given(value)) => value.check::<F>().map(|()| Some(value)),
            None => Ok(None),
        }
    }

    #[inline]
    fn list<M: Record, F: Field, V: Value>(&mut self, (): &mut ()) -> Result<Vec<V>, Fault> {
        let allowed = const { F::INFO.list_length() };
        let constraints = const { &size_constraints(F::INFO.list_length()) };
        let list: Vec<Leaf<F, V>> = elements(self.decoder, const { tag_of::<F>() }, constraints)?;
        // Not every set of rules checks the constraint.
        match allowed.allows(list.len()) {
            true => Ok(list.into_iter().map(|leaf| leaf.0).collect()),
            false => Err(Fault::in_field(Problem::Length(list.len() as u64), F::INFO.name)),
        }
    }

    fn map<M: Record, F: Field, K: Value + Ord, V: Value>(
        &mut self,
        (): &mut (),
    ) -> Result<BTreeMap<K, V>, Fault> {
        let constraints = const { &size_constraints(F::INFO.list_length()) };
        let entries: Vec<Entry<F, K, V>> = elements(self.decoder, const { tag_of::<F>() }, constraints)?;
        Ok(entries.into_iter().map(|Entry(key, value, _)| (key, value)).collect())
    }

    #[inline]
    fn choice<M: Record, C: Choice>(&mut self, (): &mut ()) -> Result<C, Fault> {
        let tag = Tag::new_context(const { C::INFO.position as u32 });
        fault(self.decoder.decode_explicit_prefix::<Picked<M, C>>(tag)).map(|picked| picked.0)
    }

    #[inline]
    fn optional_choice<M: Record, C: Choice>(&mut self, (): &mut ()) -> Result<Option<C>, Fault> {
        let tag = Tag::new_context(const { C::INFO.position as u32 });
        let picked = fault(self.decoder.decode_optional_with_explicit_prefix::<Picked<M, C>>(tag))?;
        Ok(picked.map(|picked| picked.0))
    }

    #[inline]
    fn boolean<F: Field>(&mut self) -> Result<bool, Fault> {
        fault(self.decoder.decode_bool(self.tag))
    }

    #[inline]
    fn i32<F: Field>(&mut self) -> Result<i32, Fault> {
        fault(self.decoder.decode_integer(self.tag, self.constraints))
    }

    #[inline]
    fn i64<F: Field>(&mut self) -> Result<i64, Fault> {
        fault(self.decoder.decode_integer(self.tag, self.constraints))
    }

    #[inline]
    fn u32<F: Field>(&mut self) -> Result<u32, Fault> {
        fault(self.decoder.decode_integer(self.tag, self.constraints))
    }

    #[inline]
    fn u64<F: Field>(&mut self) -> Result<u64, Fault> {
        fault(self.decoder.decode_integer(self.tag, self.constraints))
    }

    #[inline]
    fn f32<F: Field>(&mut self) -> Result<f32, Fault> {
        self.octets::<F, _>().map(f32::from_be_bytes)
    }

    #[inline]
    fn f64<F: Field>(&mut self) -> Result<f64, Fault> {
        self.octets::<F, _>().map(f64::from_be_bytes)
    }

    #[inline]
    fn text<F: Field>(&mut self) -> Result<String, Fault> {
        fault(self.decoder.decode_utf8_string(self.tag, &Constraints::NONE))
    }

    #[inline]
    fn bytes<F: Field>(&mut self) -> Result<Vec<u8>, Fault> {
        fault(self.decoder.decode_octet_string(self.tag, self.constraints))
    }

    #[inline]
    fn enumeration<F: Field, E: Enumeration>(&mut self) -> Result<E, Fault> {
        let item: Item<E> = fault(self.decoder.decode_enumerated(self.tag))?;
        E::from_ordinal(item.ordinal.into())
    }

    #[inline]
    fn message<F: Field, M: Record>(&mut self) -> Result<M, Fault> {
        let walk = Walk { decoder: &mut *self.decoder, tag: self.tag, constraints: self.constraints };
        fault(M::counted(Sequence { walk, marker: PhantomData::<M> }))
    }

    fn left_bytes(&self) -> usize {
        // rasn creates the lists, and does not say.
        0
    }
}
