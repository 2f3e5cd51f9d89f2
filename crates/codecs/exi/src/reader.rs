//! Reads a document; the counterpart of the writer, method by method.
//!
//! One file because it is one `Reader` with one state: a list of cases, one for each kind of value.

use std::collections::BTreeMap;

use super::HEADER;
use super::bits::BitReader;
use super::float;
use super::grammar::{
    Integers, Next, UNDECLARED_BITS, UNDECLARED_END, alternatives, bits, has_subtypes, integers,
    merged_message, most_elements, name_key, next, path_key,
};
use super::text::KnownStrings;
use wiredyno_codec::record::{
    Choice, Depth, Enumeration, Fault, Field, Key, Length, Problem, Reader, Record, Value, check, narrow,
};

/// A document being read; the constants select the grammars.
pub(super) struct Input<'a, const STRICT: bool, const MERGED: bool> {
    bits: BitReader<'a>,
    strings: KnownStrings,
    depth: Depth,
    /// The place that a merged message takes over from its parent, and returns.
    handed: Option<Place>,
    /// The key of the path that the names of merged messages begin with.
    path: u64,
}

/// A place in the content of a message.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// The event that was read, counted from the productions of the next member; [`Place::UNREAD`] if none was.
    event: u32,
    /// The productions for what follows the message: its EE, or those of the parent where it is merged.
    follow: u32,
    path: u64,
    merged: bool,
}

impl Place {
    const UNREAD: u32 = u32::MAX;
}

impl<'a, const STRICT: bool, const MERGED: bool> Input<'a, STRICT, MERGED> {
    #[inline(always)]
    pub fn new(bytes: &'a [u8]) -> Self {
        let bits = BitReader::new(bytes);
        Input { bits, strings: KnownStrings::default(), depth: Depth::default(), handed: None, path: 0 }
    }

    /// Reads what precedes the root's content.
    #[inline(always)]
    pub fn header(&mut self) -> Result<(), Fault> {
        if self.bits.get(8)? != HEADER {
            return Err(Fault::other("this is not an EXI 1.0 header without cookie and options"));
        }
        match self.bits.get(1)? {
            0 => Ok(()),
            _ => Err(Fault::other("the root element has another name")),
        }
    }

    pub fn finish(&self) -> Result<(), Fault> {
        self.bits.finish()
    }

    /// The bits of an event code among this many productions.
    #[inline(always)]
    fn width(productions: u32) -> u32 {
        bits(productions + if STRICT { 0 } else { 1 })
    }

    /// Reads the next event, unless the last one was that of a member still to come.
    #[inline(always)]
    fn event(&mut self, place: &mut Place, next: Next) -> Result<(), Fault> {
        if place.event == Place::UNREAD {
            let productions = next.productions(place.follow);
            place.event = self.bits.get(Self::width(productions))?;
            if place.event >= productions {
                return Err(undeclared());
            }
        }
        if MERGED {
            self.path = place.path;
        }
        Ok(())
    }

    /// Reads an event that must be the first of one production.
    #[inline(always)]
    fn only(&mut self) -> Result<(), Fault> {
        match self.bits.get(Self::width(1))? {
            0 => Ok(()),
            _ => Err(undeclared()),
        }
    }

    /// The number of bits of the event before a simple value.
    #[inline(always)]
    fn characters_width<F: Field>() -> u32 {
        if STRICT { const { has_subtypes(F::INFO) as u32 } } else { 1 }
    }

    /// Reads the event before a simple value, of this many bits.
    #[inline(always)]
    fn characters(&mut self, width: u32) -> Result<(), Fault> {
        match self.bits.get(width)? {
            0 => Ok(()),
            _ => Err(undeclared()),
        }
    }

    /// A simple value that is an unsigned integer, between its events. Inlined where the definition bounds it.
    #[inline(always)]
    fn unsigned_value<F: Field>(&mut self) -> Result<u64, Fault> {
        let characters = Self::characters_width::<F>();
        if const { F::INFO.range.is_some() } {
            self.unsigned_behind(characters)
        } else {
            self.called_unsigned(characters)
        }
    }

    #[inline(always)]
    fn unsigned_behind(&mut self, characters: u32) -> Result<u64, Fault> {
        self.characters(characters)?;
        let value = self.bits.unsigned()?;
        self.only()?;
        Ok(value)
    }

    /// A simple value that is an integer, between its events.
    #[inline(always)]
    fn signed_value<F: Field>(&mut self) -> Result<i64, Fault> {
        let characters = Self::characters_width::<F>();
        if const { F::INFO.range.is_some() } {
            self.signed_behind(characters)
        } else {
            self.called_signed(characters)
        }
    }

    #[inline(always)]
    fn signed_behind(&mut self, characters: u32) -> Result<i64, Fault> {
        let negative = match self.bits.get(characters + 1)? {
            0 => false,
            1 => true,
            _ => return Err(undeclared()),
        };
        let value = self.bits.magnitude(negative)?;
        self.only()?;
        Ok(value)
    }

    // What follows is not inlined, and gets the bits of the event before the value: inlined it would be most of the code of
    // each field.

    #[inline(never)]
    fn called_unsigned(&mut self, characters: u32) -> Result<u64, Fault> {
        self.unsigned_behind(characters)
    }

    #[inline(never)]
    fn called_signed(&mut self, characters: u32) -> Result<i64, Fault> {
        self.signed_behind(characters)
    }

    #[inline(never)]
    fn f32_value(&mut self, characters: u32) -> Result<f32, Fault> {
        self.characters(characters)?;
        let value = float::read_f32(&mut self.bits)?;
        self.only()?;
        Ok(value)
    }

    #[inline(never)]
    fn f64_value(&mut self, characters: u32) -> Result<f64, Fault> {
        self.characters(characters)?;
        let value = float::read_f64(&mut self.bits)?;
        self.only()?;
        Ok(value)
    }

    #[inline(never)]
    fn text_value(&mut self, characters: u32, key: u64) -> Result<String, Fault> {
        if self.nothing(characters)? {
            return Ok(String::new());
        }
        let value = self.strings.read(&mut self.bits, key)?;
        self.only()?;
        Ok(value)
    }

    #[inline(never)]
    fn bytes_value(&mut self, characters: u32) -> Result<Vec<u8>, Fault> {
        if self.nothing(characters)? {
            return Ok(Vec::new());
        }
        let count = usize::try_from(self.bits.unsigned()?).unwrap_or(usize::MAX);
        let value = self.bits.bytes(count)?;
        self.only()?;
        Ok(value)
    }

    /// A simple value of this many bits, at most 30, read in one step with the events before and after it.
    #[inline(always)]
    fn value<F: Field>(&mut self, width: u32) -> Result<u32, Fault> {
        let after = Self::width(1);
        let bits = self.bits.get(Self::characters_width::<F>() + width + after)?;
        let value = bits >> after;
        if value >> width != 0 || bits & ((1 << after) - 1) != 0 {
            return Err(undeclared());
        }
        Ok(value)
    }

    /// The event before a text or byte string, or the end of an empty one where the grammars have an escape.
    #[inline(always)]
    fn nothing(&mut self, characters: u32) -> Result<bool, Fault> {
        if STRICT {
            return self.characters(characters).map(|()| false);
        }
        if self.bits.get(characters)? == 0 {
            return Ok(false);
        }
        match self.bits.get(UNDECLARED_BITS)? {
            UNDECLARED_END => Ok(true),
            _ => Err(undeclared()),
        }
    }

    /// An integer that fits an i64.
    #[inline(always)]
    fn integer<F: Field>(&mut self) -> Result<i64, Fault> {
        let value = if const { integers(F::INFO).is_bits() } {
            let (min, width) = const { integers(F::INFO).min_and_width() };
            min.wrapping_add(self.value::<F>(width)?.into())
        } else if const { integers(F::INFO).is_unsigned() } {
            narrow::<F, _, _>(self.unsigned_value::<F>()?)?
        } else {
            self.signed_value::<F>()?
        };
        check::<F>(value)?;
        Ok(value)
    }

    /// Elements of a list or map; `content` reads the content of one.
    #[inline(always)]
    fn elements<M: Record, F: Field>(
        &mut self,
        place: &mut Place,
        mut content: impl FnMut(&mut Self) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let most = const { most_elements(F::INFO) };
        let mut number = 0;
        while most != Some(number) {
            let here = match const { F::INFO.fixed_length } {
                Some(_) if number > 0 => Next::ONE,
                _ => const { next(M::INFO, F::INFO.position, MERGED) },
            };
            self.event(place, here)?;
            if place.event > 0 {
                place.event -= 1;
                break;
            }
            place.event = Place::UNREAD;
            number += 1;
            content(self)?;
        }
        length::<F>(const { F::INFO.list_length() }, number as usize)
    }
}

#[cold]
#[inline(never)]
fn undeclared() -> Fault {
    Fault::other("an event that the schema does not have at this place")
}

#[inline(always)]
fn length<F: Field>(allowed: Length, length: usize) -> Result<(), Fault> {
    match allowed.allows(length) {
        true => Ok(()),
        false => Err(Fault::in_field(Problem::Length(length as u64), F::INFO.name)),
    }
}

impl<'a, const STRICT: bool, const MERGED: bool> Reader<'a> for Input<'a, STRICT, MERGED> {
    type Frame<M: Record> = Place;

    #[inline(always)]
    fn begin<M: Record>(&mut self) -> Result<Place, Fault> {
        if MERGED && let Some(place) = self.handed.take() {
            return Ok(place);
        }
        self.depth.enter()?;
        Ok(Place { event: Place::UNREAD, follow: 1, path: 0, merged: false })
    }

    #[inline(always)]
    fn end<M: Record>(&mut self, mut place: Place) -> Result<(), Fault> {
        if MERGED && place.merged {
            self.handed = Some(place);
            return Ok(());
        }
        self.depth.leave();
        self.event(&mut place, Next::END)?;
        if place.event == 0 { Ok(()) } else { Err(undeclared()) }
    }

    #[inline(always)]
    fn one<M: Record, F: Field, V: Value>(&mut self, place: &mut Place) -> Result<V, Fault> {
        if F::IN_CHOICE {
            return V::read::<F, _>(self);
        }
        if const { merged_message(F::INFO, MERGED).is_some() } {
            let after = const { next(M::INFO, F::INFO.position + 1, MERGED) };
            let follow = after.productions(place.follow);
            let path = path_key(place.path, const { name_key(F::INFO) });
            self.handed = Some(Place { follow, path, merged: true, ..*place });
            let value = V::read::<F, _>(self)?;
            if let Some(inner) = self.handed.take() {
                place.event = inner.event;
            }
            return Ok(value);
        }
        self.event(place, const { next(M::INFO, F::INFO.position, MERGED) })?;
        if place.event != 0 {
            return Err(undeclared());
        }
        place.event = Place::UNREAD;
        V::read::<F, _>(self)
    }

    #[inline(always)]
    fn optional<M: Record, F: Field, V: Value>(&mut self, place: &mut Place) -> Result<Option<V>, Fault> {
        self.event(place, const { next(M::INFO, F::INFO.position, MERGED) })?;
        if place.event > 0 {
            place.event -= 1;
            return Ok(None);
        }
        place.event = Place::UNREAD;
        V::read::<F, _>(self).map(Some)
    }

    #[inline]
    fn list<M: Record, F: Field, V: Value>(&mut self, place: &mut Place) -> Result<Vec<V>, Fault> {
        let mut list = Vec::new();
        self.elements::<M, F>(place, |this| {
            list.push(V::read::<F, _>(this)?);
            Ok(())
        })?;
        Ok(list)
    }

    fn map<M: Record, F: Field, K: Value + Ord, V: Value>(
        &mut self,
        place: &mut Place,
    ) -> Result<BTreeMap<K, V>, Fault> {
        let mut map = BTreeMap::new();
        self.elements::<M, F>(place, |this| {
            this.path = 0;
            this.only()?;
            let key = K::read::<Key<F>, _>(this)?;
            this.only()?;
            map.insert(key, V::read::<F, _>(this)?);
            this.only()
        })?;
        Ok(map)
    }

    fn choice<M: Record, C: Choice>(&mut self, place: &mut Place) -> Result<C, Fault> {
        self.optional_choice::<M, C>(place)?.ok_or_else(|| Fault::in_field(Problem::Missing, C::INFO.name))
    }

    #[inline]
    fn optional_choice<M: Record, C: Choice>(&mut self, place: &mut Place) -> Result<Option<C>, Fault> {
        self.event(place, const { next(M::INFO, C::INFO.position, MERGED) })?;
        let starts = const { alternatives(C::INFO).starts };
        if place.event >= starts {
            place.event -= starts;
            return Ok(None);
        }
        let ordinal = place.event as usize;
        place.event = Place::UNREAD;
        C::read::<_, M>(ordinal, self, place).map(Some)
    }

    #[inline(always)]
    fn boolean<F: Field>(&mut self) -> Result<bool, Fault> {
        Ok(self.value::<F>(1)? == 1)
    }

    #[inline(always)]
    fn i32<F: Field>(&mut self) -> Result<i32, Fault> {
        narrow::<F, _, _>(self.integer::<F>()?)
    }

    #[inline(always)]
    fn i64<F: Field>(&mut self) -> Result<i64, Fault> {
        self.integer::<F>()
    }

    #[inline(always)]
    fn u32<F: Field>(&mut self) -> Result<u32, Fault> {
        narrow::<F, _, _>(self.integer::<F>()?)
    }

    #[inline(always)]
    fn u64<F: Field>(&mut self) -> Result<u64, Fault> {
        if let (Integers::Unsigned, None) = const { (integers(F::INFO), F::INFO.range) } {
            return self.unsigned_value::<F>();
        }
        narrow::<F, _, _>(self.integer::<F>()?)
    }

    #[inline]
    fn f32<F: Field>(&mut self) -> Result<f32, Fault> {
        self.f32_value(Self::characters_width::<F>())
    }

    #[inline]
    fn f64<F: Field>(&mut self) -> Result<f64, Fault> {
        self.f64_value(Self::characters_width::<F>())
    }

    #[inline]
    fn text<F: Field>(&mut self) -> Result<String, Fault> {
        let name = const { name_key(F::INFO) };
        let key = if MERGED { path_key(self.path, name) } else { name };
        let value = self.text_value(Self::characters_width::<F>(), key)?;
        length::<F>(const { F::INFO.value_length() }, value.len())?;
        Ok(value)
    }

    #[inline]
    fn bytes<F: Field>(&mut self) -> Result<Vec<u8>, Fault> {
        let value = self.bytes_value(Self::characters_width::<F>())?;
        length::<F>(const { F::INFO.value_length() }, value.len())?;
        Ok(value)
    }

    #[inline(always)]
    fn enumeration<F: Field, E: Enumeration>(&mut self) -> Result<E, Fault> {
        let width = const { bits(E::INFO.values.len() as u32) };
        E::from_ordinal(self.value::<F>(width)? as usize)
    }

    #[inline]
    fn message<F: Field, M: Record>(&mut self) -> Result<M, Fault> {
        M::read(self)
    }

    #[inline]
    fn left_bytes(&self) -> usize {
        self.bits.left_bytes()
    }
}
