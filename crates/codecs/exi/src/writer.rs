//! Writes a document: event codes between values.
//!
//! One file because it is one `Writer` with one state: a list of cases, one for each kind of value.

use std::collections::BTreeMap;

use super::HEADER;
use super::bits::{PutIntegers, SEVEN_GROUPS, unsigned_up_to};
use super::float;
use super::grammar::{
    Integers, Next, UNDECLARED_BITS, UNDECLARED_END, alternatives, bits, has_subtypes, integers,
    merged_message, most_elements, name_key, next, path_key,
};
use super::text::Strings;
use wiredyno_codec::bits::BitWriter;
use wiredyno_codec::record::{
    Choice, Enumeration, Fault, Field, FieldInfo, Key, Length, Problem, Record, Value, Writer, check,
};

/// A document being written; the constants select the grammars.
pub struct Document<'s, 'o, const STRICT: bool, const MERGED: bool> {
    /// The output, except for the pending zeros.
    bits: BitWriter<'o>,
    /// How many zeros are pending: events that are the first of their productions. They are written together with what
    /// follows them, which is one step instead of two or three. Not where grammars are strict: there such events mostly
    /// take no bits.
    zeros: u32,
    /// The strings that came before.
    strings: &'s mut Strings,
    /// The place that a merged message takes over from its parent, and returns.
    handed: Option<Place>,
    /// The key of the path that the names of merged messages begin with.
    pub path: u64,
}

/// A place in the content of a message.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    /// How many bits the next event code takes.
    pub width: u32,
    /// The productions of members that were skipped since the last event.
    pub passed: u32,
    /// The productions for what follows the message: its EE, or those of the parent where it is merged.
    pub follow: u32,
    /// The key of the path of its names.
    pub path: u64,
    /// Whether it is merged into its parent.
    pub merged: bool,
}

impl<'s, 'o, const STRICT: bool, const MERGED: bool> Document<'s, 'o, STRICT, MERGED> {
    /// Appends to `out`, beginning with header and root.
    pub fn new(strings: &'s mut Strings, out: &'o mut Vec<u8>) -> Self {
        strings.clear();
        let mut bits = BitWriter::new(out);
        bits.put(HEADER.into(), 8);
        // The root, where any other element could come too.
        bits.put(0, 1);
        Document { bits, zeros: 0, strings, handed: None, path: 0 }
    }

    /// Writes pending zeros and fills the last byte.
    pub fn finish(mut self) {
        self.settle();
        self.bits.finish();
    }

    /// Writes the pending zeros, then the low `width` bits of a number that has no others, at most 57.
    #[inline(always)]
    pub fn put(&mut self, value: u64, width: u32) {
        let zeros = self.taken_zeros();
        self.bits.put(value, zeros + width);
    }

    /// Adds to the pending zeros.
    #[inline(always)]
    pub fn zeros(&mut self, count: u32) {
        if !STRICT {
            self.zeros += count;
        } else if count > 0 {
            self.bits.put(0, count);
        }
    }

    /// Takes the pending zeros, for a caller that writes them now.
    #[inline(always)]
    fn taken_zeros(&mut self) -> u32 {
        if STRICT { 0 } else { std::mem::take(&mut self.zeros) }
    }

    #[inline(always)]
    fn settle(&mut self) {
        if !STRICT {
            self.put(0, 0);
        }
    }

    /// For callers that write bits themselves.
    #[inline(always)]
    pub fn bits(&mut self) -> &mut BitWriter<'o> {
        self.settle();
        &mut self.bits
    }

    /// A string of the element with this key.
    #[inline(always)]
    pub fn string(&mut self, text: &str, key: u64) {
        self.settle();
        self.strings.write(&mut self.bits, text, key);
    }

    /// An unsigned integer, after pending zeros.
    #[inline(always)]
    pub fn unsigned(&mut self, value: u64) {
        let zeros = self.taken_zeros();
        self.bits.put_unsigned_behind(zeros, value);
    }

    /// An integer, after pending zeros.
    #[inline(always)]
    pub fn signed(&mut self, value: i64) {
        let zeros = self.taken_zeros();
        self.bits.put_signed_behind(zeros, value);
    }

    /// The bits of an event code among this many productions: default grammars have one code more, the escape.
    #[inline(always)]
    pub fn width(productions: u32) -> u32 {
        bits(productions + if STRICT { 0 } else { 1 })
    }

    /// After an event, sets up the place for what comes next.
    #[inline(always)]
    pub fn arrive(place: &mut Place, next: Next) {
        place.passed = 0;
        place.width = Self::width(next.productions(place.follow));
    }

    /// The start of an element, the `ordinal`-th of its member.
    #[inline(always)]
    pub fn start(&mut self, place: &Place, ordinal: u32) {
        self.put((place.passed + ordinal).into(), place.width);
        if MERGED {
            self.path = place.path;
        }
    }

    /// Writes an event that is the first of one production.
    #[inline(always)]
    pub fn only(&mut self) {
        self.zeros(Self::width(1));
    }

    /// The number of bits of the event before a simple value: zeros.
    #[inline(always)]
    fn characters<F: Field>() -> u32 {
        if STRICT { const { has_subtypes(F::INFO) as u32 } } else { 1 }
    }

    /// A simple value of this many bits, between its events; at most 56.
    #[inline(always)]
    fn value<F: Field>(&mut self, value: u64, width: u32) {
        self.put(value, Self::characters::<F>() + width);
        self.only();
    }

    /// A simple value that is an unsigned integer, between its events. Inlined where the definition bounds it.
    #[inline(always)]
    fn unsigned_value<F: Field>(&mut self, value: u64) {
        let zeros = self.taken_zeros() + Self::characters::<F>();
        if const { F::INFO.range.is_some() } {
            self.bits.put_unsigned_behind(zeros, value);
        } else {
            self.bits.call_unsigned_behind(zeros, value);
        }
        self.only();
    }

    /// A simple value that is an integer, between its events.
    #[inline(always)]
    fn signed_value<F: Field>(&mut self, value: i64) {
        let zeros = self.taken_zeros() + Self::characters::<F>();
        if const { F::INFO.range.is_some() } {
            self.bits.put_signed_behind(zeros, value);
        } else {
            self.bits.call_signed_behind(zeros, value);
        }
        self.only();
    }

    /// Ends a text or byte string that is empty: where the grammars have an escape, an element without characters
    /// ends with it. Strict ones have only the value of no characters.
    #[inline(always)]
    pub fn nothing(&mut self, empty: bool) -> bool {
        if !STRICT && empty {
            self.put(1 << UNDECLARED_BITS | u64::from(UNDECLARED_END), 1 + UNDECLARED_BITS);
        }
        !STRICT && empty
    }

    #[inline(always)]
    fn integer<F: Field>(&mut self, value: i64) -> Result<(), Fault> {
        check::<F>(value)?;
        if const { integers(F::INFO).is_bits() } {
            let (min, width) = const { integers(F::INFO).min_and_width() };
            self.value::<F>(value.wrapping_sub(min).cast_unsigned(), width);
        } else if const { integers(F::INFO).is_unsigned() && largest(F::INFO) < SEVEN_GROUPS } {
            let (groups, width) = unsigned_up_to(value.cast_unsigned(), const { largest(F::INFO) });
            self.value::<F>(groups, width);
        } else if const { integers(F::INFO).is_unsigned() } {
            self.unsigned_value::<F>(value.cast_unsigned());
        } else {
            self.signed_value::<F>(value);
        }
        Ok(())
    }

    /// Elements of a list or map; `content` writes the content of one.
    #[inline(always)]
    fn elements<M: Record, F: Field, E>(
        &mut self,
        place: &mut Place,
        elements: impl ExactSizeIterator<Item = E>,
        mut content: impl FnMut(&mut Self, E) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        length::<F>(const { F::INFO.list_length() }, elements.len())?;
        let most = const { most_elements(F::INFO) };
        let count = elements.len() as u32;
        for (number, element) in (1..).zip(elements) {
            self.start(place, 0);
            let after = match const { F::INFO.fixed_length } {
                Some(fixed) if number < fixed => Next::ONE,
                _ if Some(number) == most => const { next(M::INFO, F::INFO.position + 1, MERGED) },
                _ => const { next(M::INFO, F::INFO.position, MERGED) },
            };
            Self::arrive(place, after);
            content(self, element)?;
        }
        if most.is_none_or(|most| count < most) {
            place.passed += 1;
        }
        Ok(())
    }
}

/// The largest value of a field that has no negative ones.
const fn largest(field: &FieldInfo) -> u64 {
    match field.range {
        Some((_, max)) => max.unsigned_abs(),
        None => u64::MAX,
    }
}

/// Refuses a length that the definition does not allow.
#[inline(always)]
fn length<F: Field>(allowed: Length, length: usize) -> Result<(), Fault> {
    match allowed.allows(length) {
        true => Ok(()),
        false => Err(Fault::in_field(Problem::Length(length as u64), F::INFO.name)),
    }
}

impl<const STRICT: bool, const MERGED: bool> Writer for Document<'_, '_, STRICT, MERGED> {
    type Frame<M: Record> = Place;

    #[inline(always)]
    fn begin<M: Record>(&mut self, _: &M) -> Result<Place, Fault> {
        if MERGED && let Some(place) = self.handed.take() {
            return Ok(place);
        }
        let width = Self::width(const { next(M::INFO, 0, MERGED) }.productions(1));
        Ok(Place { width, passed: 0, follow: 1, path: 0, merged: false })
    }

    #[inline(always)]
    fn end<M: Record>(&mut self, place: Place) -> Result<(), Fault> {
        if MERGED && place.merged {
            self.handed = Some(place);
        } else {
            self.put(place.passed.into(), place.width);
        }
        Ok(())
    }

    #[inline(always)]
    fn one<M: Record, F: Field, V: Value>(&mut self, place: &mut Place, value: &V) -> Result<(), Fault> {
        if F::IN_CHOICE {
            return value.write::<F, _>(self);
        }
        let after = const { next(M::INFO, F::INFO.position + 1, MERGED) };
        if const { merged_message(F::INFO, MERGED).is_some() } {
            let follow = after.productions(place.follow);
            let path = path_key(place.path, const { name_key(F::INFO) });
            self.handed = Some(Place { follow, path, merged: true, ..*place });
            value.write::<F, _>(self)?;
            if let Some(Place { width, passed, .. }) = self.handed.take() {
                (place.width, place.passed) = (width, passed);
            }
            return Ok(());
        }
        self.start(place, 0);
        Self::arrive(place, after);
        value.write::<F, _>(self)
    }

    #[inline(always)]
    fn optional<M: Record, F: Field, V: Value>(
        &mut self,
        place: &mut Place,
        value: Option<&V>,
    ) -> Result<(), Fault> {
        match value {
            Some(value) => {
                self.start(place, 0);
                Self::arrive(place, const { next(M::INFO, F::INFO.position + 1, MERGED) });
                value.write::<F, _>(self)
            }
            None => {
                place.passed += 1;
                Ok(())
            }
        }
    }

    #[inline]
    fn list<M: Record, F: Field, V: Value>(&mut self, place: &mut Place, values: &[V]) -> Result<(), Fault> {
        self.elements::<M, F, _>(place, values.iter(), |this, value| value.write::<F, _>(this))
    }

    fn map<M: Record, F: Field, K: Value + Ord, V: Value>(
        &mut self,
        place: &mut Place,
        entries: &BTreeMap<K, V>,
    ) -> Result<(), Fault> {
        self.elements::<M, F, _>(place, entries.iter(), |this, (key, value)| {
            this.path = 0;
            this.only();
            key.write::<Key<F>, _>(this)?;
            this.only();
            value.write::<F, _>(this)?;
            this.only();
            Ok(())
        })
    }

    #[inline]
    fn choice<M: Record, C: Choice>(&mut self, place: &mut Place, choice: &C) -> Result<(), Fault> {
        self.start(place, choice.ordinal() as u32);
        Self::arrive(place, const { next(M::INFO, C::INFO.position + 1, MERGED) });
        choice.write::<_, M>(self, place)
    }

    #[inline]
    fn optional_choice<M: Record, C: Choice>(
        &mut self,
        place: &mut Place,
        choice: Option<&C>,
    ) -> Result<(), Fault> {
        match choice {
            Some(choice) => self.choice::<M, C>(place, choice),
            None => {
                place.passed += const { alternatives(C::INFO).starts };
                Ok(())
            }
        }
    }

    #[inline(always)]
    fn boolean<F: Field>(&mut self, value: bool) -> Result<(), Fault> {
        self.value::<F>(u64::from(value), 1);
        Ok(())
    }

    #[inline(always)]
    fn i32<F: Field>(&mut self, value: i32) -> Result<(), Fault> {
        self.integer::<F>(value.into())
    }

    #[inline(always)]
    fn i64<F: Field>(&mut self, value: i64) -> Result<(), Fault> {
        self.integer::<F>(value)
    }

    #[inline(always)]
    fn u32<F: Field>(&mut self, value: u32) -> Result<(), Fault> {
        self.integer::<F>(value.into())
    }

    #[inline(always)]
    fn u64<F: Field>(&mut self, value: u64) -> Result<(), Fault> {
        // Ranges end at the largest i64 at most, so larger values are outside every range.
        check::<F>(i64::try_from(value).unwrap_or(i64::MAX))?;
        match const { integers(F::INFO) } {
            Integers::Bits { min, width } => {
                self.value::<F>(value.wrapping_sub(min.cast_unsigned()), width);
            }
            Integers::Unsigned | Integers::Signed => self.unsigned_value::<F>(value),
        }
        Ok(())
    }

    #[inline]
    fn f32<F: Field>(&mut self, value: f32) -> Result<(), Fault> {
        self.zeros(Self::characters::<F>());
        float::write_f32(self.bits(), value);
        self.only();
        Ok(())
    }

    #[inline]
    fn f64<F: Field>(&mut self, value: f64) -> Result<(), Fault> {
        self.zeros(Self::characters::<F>());
        float::write_f64(self.bits(), value);
        self.only();
        Ok(())
    }

    #[inline]
    fn text<F: Field>(&mut self, value: &str) -> Result<(), Fault> {
        length::<F>(const { F::INFO.value_length() }, value.len())?;
        if self.nothing(value.is_empty()) {
            return Ok(());
        }
        let name = const { name_key(F::INFO) };
        let key = if MERGED { path_key(self.path, name) } else { name };
        self.zeros(Self::characters::<F>());
        self.string(value, key);
        self.only();
        Ok(())
    }

    #[inline]
    fn bytes<F: Field>(&mut self, value: &[u8]) -> Result<(), Fault> {
        length::<F>(const { F::INFO.value_length() }, value.len())?;
        if self.nothing(value.is_empty()) {
            return Ok(());
        }
        self.zeros(Self::characters::<F>());
        self.unsigned(value.len() as u64);
        self.bits().put_bytes(value);
        self.only();
        Ok(())
    }

    #[inline(always)]
    fn enumeration<F: Field, E: Enumeration>(&mut self, value: E) -> Result<(), Fault> {
        self.value::<F>(value.ordinal() as u64, const { bits(E::INFO.values.len() as u32) });
        Ok(())
    }

    #[inline]
    fn message<F: Field, M: Record>(&mut self, value: &M) -> Result<(), Fault> {
        value.write(self)
    }
}
