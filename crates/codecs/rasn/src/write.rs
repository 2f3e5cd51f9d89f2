//! Domain values into rasn's encoders.

use std::collections::BTreeMap;
use std::marker::PhantomData;

use rasn::enc::Error as _;
use rasn::types::{Constraints, Identifier, Tag};
use rasn::{AsnType, Encode, Encoder};

use super::info::{
    Entry, Given, Item, KEY, Leaf, Members, Picked, Unnamed, VALUE, constraints_of, size_constraints, tag_of,
};
use wiredyno_codec::record::{Choice, Counted, Enumeration, Fault, Field, Key, Record, Value, Writer};

/// A walk that calls an encoder for every value.
struct Walk<'w, 'b, E> {
    encoder: &'w mut E,
    /// Tag of the next value.
    tag: Tag,
    /// Constraints of the next value, unless it is a message.
    constraints: &'w Constraints,
    marker: PhantomData<&'b ()>,
}

impl<'w, 'b, E: Encoder<'b>> Walk<'w, 'b, E> {
    fn new(encoder: &'w mut E, tag: Tag, constraints: &'w Constraints) -> Self {
        Walk { encoder, tag, constraints, marker: PhantomData }
    }

    /// Sets tag and constraints before a value of this field.
    #[inline(always)]
    fn expect<F: Field>(&mut self) {
        self.tag = const { tag_of::<F>() };
        self.constraints = const { &constraints_of(F::INFO) };
    }
}

fn fault<T>(result: Result<T, impl std::fmt::Display>) -> Result<(), Fault> {
    match result {
        Ok(_) => Ok(()),
        Err(error) => Err(Fault::other(error)),
    }
}

/// Writes a value with a separate walk.
fn walk<'b, E: Encoder<'b>>(
    encoder: &mut E,
    tag: Tag,
    constraints: &Constraints,
    write: impl FnOnce(&mut Walk<'_, 'b, E>) -> Result<(), Fault>,
) -> Result<(), E::Error> {
    let codec = encoder.codec();
    write(&mut Walk::new(encoder, tag, constraints)).map_err(|fault| E::Error::custom(fault, codec))
}

/// A message's SEQUENCE; rasn needs its number of members as a constant.
struct Sequence<'w, 'b, E, M> {
    walk: Walk<'w, 'b, E>,
    message: &'w M,
}

impl<'b, E: Encoder<'b>, M: Record> Counted for Sequence<'_, 'b, E, M> {
    type Output = Result<(), Fault>;

    fn call<const MEMBERS: usize>(self) -> Result<(), Fault> {
        let message = self.message;
        fault(self.walk.encoder.encode_sequence::<MEMBERS, 0, Members<M>, _>(
            self.walk.tag,
            |encoder| walk(encoder, Tag::EOC, &Constraints::NONE, |walk| message.write(walk)),
            Identifier::SEQUENCE,
        ))
    }
}

impl<M: Record> Encode for Members<M> {
    fn encode_with_tag_and_constraints<'b, E: Encoder<'b>>(
        &self,
        encoder: &mut E,
        tag: Tag,
        _: &Constraints,
        _: Identifier,
    ) -> Result<(), E::Error> {
        let codec = encoder.codec();
        M::counted(Sequence { walk: Walk::new(encoder, tag, &Constraints::NONE), message: &self.0 })
            .map_err(|fault| E::Error::custom(fault, codec))
    }
}

impl<V: Value> Encode for Given<V> {
    fn encode_with_tag_and_constraints<'b, E: Encoder<'b>>(
        &self,
        encoder: &mut E,
        tag: Tag,
        constraints: &Constraints,
        _: Identifier,
    ) -> Result<(), E::Error> {
        walk(encoder, tag, constraints, |walk| self.0.write::<Unnamed, _>(walk))
    }
}

impl<F: Field, V: Value> Encode for Leaf<F, V> {
    fn encode_with_tag_and_constraints<'b, E: Encoder<'b>>(
        &self,
        encoder: &mut E,
        tag: Tag,
        constraints: &Constraints,
        identifier: Identifier,
    ) -> Result<(), E::Error> {
        Given::of(&self.0).encode_with_tag_and_constraints(encoder, tag, constraints, identifier)
    }
}

impl<F: Field, K: Value, V: Value> Encode for Entry<F, &K, &V> {
    fn encode_with_tag_and_constraints<'b, E: Encoder<'b>>(
        &self,
        encoder: &mut E,
        tag: Tag,
        _: &Constraints,
        identifier: Identifier,
    ) -> Result<(), E::Error> {
        let scope = |encoder: &mut E::AnyEncoder<'_, 2, 0>| {
            walk(encoder, KEY, const { &constraints_of(Key::<F>::INFO) }, |walk| {
                self.0.write::<Key<F>, _>(walk)?;
                walk.tag = VALUE;
                walk.constraints = const { &constraints_of(F::INFO) };
                self.1.write::<F, _>(walk)
            })
        };
        encoder.encode_sequence::<2, 0, Self, _>(tag, scope, identifier).map(drop)
    }
}

impl<M: Record, C: Choice> Encode for Picked<M, C> {
    fn encode<'b, E: Encoder<'b>>(&self, encoder: &mut E) -> Result<(), E::Error> {
        let tag = Tag::new_context(self.0.ordinal() as u32);
        let write = |encoder: &mut E| {
            walk(encoder, tag, &Constraints::NONE, |walk| self.0.write::<_, M>(walk, &mut ()))?;
            Ok(tag)
        };
        encoder.encode_choice::<Self>(&Self::CONSTRAINTS, tag, write, Identifier::CHOICE).map(drop)
    }

    fn encode_with_tag_and_constraints<'b, E: Encoder<'b>>(
        &self,
        encoder: &mut E,
        tag: Tag,
        _: &Constraints,
        identifier: Identifier,
    ) -> Result<(), E::Error> {
        // A CHOICE has no tag of its own to replace: the member's tag is wrapped around it.
        encoder.encode_explicit_prefix(tag, self, identifier).map(drop)
    }
}

impl<'b, E: Encoder<'b>> Writer for Walk<'_, 'b, E> {
    type Frame<M: Record> = ();

    #[inline]
    fn begin<M: Record>(&mut self, _: &M) -> Result<(), Fault> {
        Ok(())
    }

    #[inline]
    fn end<M: Record>(&mut self, (): ()) -> Result<(), Fault> {
        Ok(())
    }

    #[inline]
    fn one<M: Record, F: Field, V: Value>(&mut self, (): &mut (), value: &V) -> Result<(), Fault> {
        self.expect::<F>();
        value.write::<F, _>(self)
    }

    #[inline]
    fn optional<M: Record, F: Field, V: Value>(
        &mut self,
        (): &mut (),
        value: Option<&V>,
    ) -> Result<(), Fault> {
        let tag = const { tag_of::<F>() };
        fault(match value {
            Some(value) => self.encoder.encode_some_with_tag_and_constraints(
                tag,
                const { &constraints_of(F::INFO) },
                Given::of(value),
                Identifier::EMPTY,
            ),
            None => self.encoder.encode_none_with_tag(tag, Identifier::EMPTY),
        })
    }

    #[inline]
    fn list<M: Record, F: Field, V: Value>(&mut self, (): &mut (), values: &[V]) -> Result<(), Fault> {
        fault(self.encoder.encode_sequence_of(
            const { tag_of::<F>() },
            Leaf::<F, V>::all(values),
            const { &size_constraints(F::INFO.list_length()) },
            Identifier::SEQUENCE_OF,
        ))
    }

    fn map<M: Record, F: Field, K: Value + Ord, V: Value>(
        &mut self,
        (): &mut (),
        entries: &BTreeMap<K, V>,
    ) -> Result<(), Fault> {
        let entries: Vec<Entry<F, &K, &V>> =
            entries.iter().map(|(key, value)| Entry(key, value, PhantomData)).collect();
        fault(self.encoder.encode_sequence_of(
            const { tag_of::<F>() },
            &entries,
            const { &size_constraints(F::INFO.list_length()) },
            Identifier::SEQUENCE_OF,
        ))
    }

    #[inline]
    fn choice<M: Record, C: Choice>(&mut self, (): &mut (), choice: &C) -> Result<(), Fault> {
        let tag = Tag::new_context(const { C::INFO.position as u32 });
        fault(self.encoder.encode_explicit_prefix(tag, Picked::<M, C>::of(choice), Identifier::EMPTY))
    }

    #[inline]
    fn optional_choice<M: Record, C: Choice>(
        &mut self,
        (): &mut (),
        choice: Option<&C>,
    ) -> Result<(), Fault> {
        let tag = Tag::new_context(const { C::INFO.position as u32 });
        fault(match choice {
            Some(choice) => {
                self.encoder.encode_some_with_tag(tag, Picked::<M, C>::of(choice), Identifier::EMPTY)
            }
            None => self.encoder.encode_none_with_tag(tag, Identifier::EMPTY),
        })
    }

    #[inline]
    fn boolean<F: Field>(&mut self, value: bool) -> Result<(), Fault> {
        fault(self.encoder.encode_bool(self.tag, value, Identifier::BOOL))
    }

    #[inline]
    fn i32<F: Field>(&mut self, value: i32) -> Result<(), Fault> {
        fault(self.encoder.encode_integer(self.tag, self.constraints, &value, Identifier::INTEGER))
    }

    #[inline]
    fn i64<F: Field>(&mut self, value: i64) -> Result<(), Fault> {
        fault(self.encoder.encode_integer(self.tag, self.constraints, &value, Identifier::INTEGER))
    }

    #[inline]
    fn u32<F: Field>(&mut self, value: u32) -> Result<(), Fault> {
        fault(self.encoder.encode_integer(self.tag, self.constraints, &value, Identifier::INTEGER))
    }

    #[inline]
    fn u64<F: Field>(&mut self, value: u64) -> Result<(), Fault> {
        fault(self.encoder.encode_integer(self.tag, self.constraints, &value, Identifier::INTEGER))
    }

    #[inline]
    fn f32<F: Field>(&mut self, value: f32) -> Result<(), Fault> {
        self.bytes::<F>(&value.to_be_bytes())
    }

    #[inline]
    fn f64<F: Field>(&mut self, value: f64) -> Result<(), Fault> {
        self.bytes::<F>(&value.to_be_bytes())
    }

    #[inline]
    fn text<F: Field>(&mut self, value: &str) -> Result<(), Fault> {
        fault(self.encoder.encode_utf8_string(self.tag, &Constraints::NONE, value, Identifier::UTF8_STRING))
    }

    #[inline]
    fn bytes<F: Field>(&mut self, value: &[u8]) -> Result<(), Fault> {
        fault(self.encoder.encode_octet_string(self.tag, self.constraints, value, Identifier::OCTET_STRING))
    }

    #[inline]
    fn enumeration<F: Field, T: Enumeration>(&mut self, value: T) -> Result<(), Fault> {
        let item = Item::<T>::new(value.ordinal() as u16);
        fault(self.encoder.encode_enumerated(self.tag, &item, Identifier::ENUMERATED))
    }

    #[inline]
    fn message<F: Field, M: Record>(&mut self, value: &M) -> Result<(), Fault> {
        let walk = Walk::new(&mut *self.encoder, self.tag, self.constraints);
        M::counted(Sequence { walk, message: value })
    }
}
