//! The writer of positional formats.

use std::collections::BTreeMap;
use std::marker::PhantomData;

use super::{Layout, integer, is_plain, reversed};
use crate::record::{Choice, Enumeration, Fault, Field, Key, Length, Problem, Record, Value, Writer, check};
use crate::sink::Sink;

/// The output of a message.
pub struct Body<'o, L, S> {
    out: &'o mut S,
    base: usize,
    layout: PhantomData<L>,
}

impl<'o, L: Layout, S: Sink> Body<'o, L, S> {
    /// Appends to `out`; alignment counts from its current end.
    #[inline]
    pub fn new(out: &'o mut S) -> Body<'o, L, S> {
        Body { base: out.length(), out, layout: PhantomData }
    }

    /// The number of elements or bytes, unless the definition fixes it.
    #[inline]
    fn count<F: Field>(&mut self, allowed: Length, count: usize) -> Result<(), Fault> {
        if !allowed.allows(count) {
            return Err(Fault::in_field(Problem::Length(count as u64), F::INFO.name));
        }
        if allowed.fixed.is_some() { Ok(()) } else { self.length(count) }
    }

    /// A number of elements or bytes, as u32.
    #[inline]
    pub fn length(&mut self, length: usize) -> Result<(), Fault> {
        let length = u32::try_from(length).map_err(|_| Fault::new(Problem::Length(length as u64)))?;
        self.number(length.to_le_bytes());
        Ok(())
    }

    /// A number, given as bytes, least significant first.
    #[inline]
    pub fn number<const N: usize>(&mut self, bytes: [u8; N]) {
        self.align(N);
        self.out.append(&if L::BIG_ENDIAN { reversed(bytes) } else { bytes });
    }

    /// Bytes, unchanged and without padding.
    #[inline]
    pub fn raw(&mut self, bytes: &[u8]) {
        self.out.append(bytes);
    }

    /// Zeros up to a multiple of a power of two.
    #[inline]
    fn align(&mut self, to_bytes: usize) {
        if L::ALIGNED && to_bytes > 1 {
            let padding = (self.out.length() - self.base).wrapping_neg() & (to_bytes - 1);
            if padding > 0 {
                self.out.pad(padding);
            }
        }
    }

    #[inline]
    fn integer<F: Field>(&mut self, value: i64) {
        if const { integer::<F, L>().bits == 8 } {
            self.number((value as i8).to_le_bytes());
        } else if const { integer::<F, L>().bits == 16 } {
            self.number((value as i16).to_le_bytes());
        } else if const { integer::<F, L>().bits == 32 } {
            self.number((value as i32).to_le_bytes());
        } else {
            self.number(value.to_le_bytes());
        }
    }

    /// Consecutive numbers, each given as bytes, least significant first.
    #[inline]
    fn numbers<T: bytemuck::NoUninit, const N: usize>(
        &mut self,
        values: &[T],
        bytes: impl Fn(&T) -> [u8; N],
    ) {
        if values.is_empty() {
            return;
        }
        self.align(N);
        if cfg!(target_endian = "little") && !L::BIG_ENDIAN {
            self.out.append(bytemuck::cast_slice(values));
            return;
        }
        let places = self.out.grow(values.len() * N);
        for (place, value) in places.as_chunks_mut::<N>().0.iter_mut().zip(values) {
            let bytes = bytes(value);
            *place = if L::BIG_ENDIAN { reversed(bytes) } else { bytes };
        }
    }
}

impl<L: Layout, S: Sink> Writer for Body<'_, L, S> {
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
        value.write::<F, _>(self)
    }

    #[inline]
    fn optional<M: Record, F: Field, V: Value>(
        &mut self,
        (): &mut (),
        value: Option<&V>,
    ) -> Result<(), Fault> {
        self.length(usize::from(value.is_some()))?;
        match value {
            Some(value) => value.write::<F, _>(self),
            None => Ok(()),
        }
    }

    #[inline]
    fn list<M: Record, F: Field, V: Value>(&mut self, (): &mut (), values: &[V]) -> Result<(), Fault> {
        self.count::<F>(const { F::INFO.list_length() }, values.len())?;
        V::write_list::<F, _>(values, self)
    }

    fn map<M: Record, F: Field, K: Value + Ord, V: Value>(
        &mut self,
        (): &mut (),
        entries: &BTreeMap<K, V>,
    ) -> Result<(), Fault> {
        self.count::<F>(const { F::INFO.list_length() }, entries.len())?;
        for (key, value) in entries {
            key.write::<Key<F>, _>(self)?;
            value.write::<F, _>(self)?;
        }
        Ok(())
    }

    fn choice<M: Record, C: Choice>(&mut self, frame: &mut (), choice: &C) -> Result<(), Fault> {
        self.optional_choice::<M, C>(frame, Some(choice))
    }

    fn optional_choice<M: Record, C: Choice>(
        &mut self,
        frame: &mut (),
        choice: Option<&C>,
    ) -> Result<(), Fault> {
        let chosen = choice.map(Choice::ordinal);
        for ordinal in 0..const { C::INFO.alternatives.len() } {
            self.length(usize::from(chosen == Some(ordinal)))?;
            if chosen == Some(ordinal)
                && let Some(choice) = choice
            {
                choice.write::<_, M>(self, frame)?;
            }
        }
        Ok(())
    }

    #[inline]
    fn boolean<F: Field>(&mut self, value: bool) -> Result<(), Fault> {
        self.number([u8::from(value)]);
        Ok(())
    }

    #[inline]
    fn i32<F: Field>(&mut self, value: i32) -> Result<(), Fault> {
        check::<F>(value.into())?;
        self.integer::<F>(value.into());
        Ok(())
    }

    #[inline]
    fn i64<F: Field>(&mut self, value: i64) -> Result<(), Fault> {
        check::<F>(value)?;
        self.integer::<F>(value);
        Ok(())
    }

    #[inline]
    fn u32<F: Field>(&mut self, value: u32) -> Result<(), Fault> {
        check::<F>(value.into())?;
        self.integer::<F>(value.into());
        Ok(())
    }

    #[inline]
    fn u64<F: Field>(&mut self, value: u64) -> Result<(), Fault> {
        // Ranges end at the largest i64 at most, so larger values are outside every range.
        check::<F>(i64::try_from(value).unwrap_or(i64::MAX))?;
        self.integer::<F>(value.cast_signed());
        Ok(())
    }

    #[inline]
    fn f32<F: Field>(&mut self, value: f32) -> Result<(), Fault> {
        self.number(value.to_le_bytes());
        Ok(())
    }

    #[inline]
    fn f64<F: Field>(&mut self, value: f64) -> Result<(), Fault> {
        self.number(value.to_le_bytes());
        Ok(())
    }

    #[inline]
    fn text<F: Field>(&mut self, value: &str) -> Result<(), Fault> {
        if L::NUL {
            if value.as_bytes().contains(&0) {
                return Err(Fault::in_field(Problem::Text, F::INFO.name));
            }
            self.length(value.len() + 1)?;
            self.out.append(value.as_bytes());
            self.out.append(&[0]);
        } else {
            self.length(value.len())?;
            self.out.append(value.as_bytes());
        }
        Ok(())
    }

    #[inline]
    fn bytes<F: Field>(&mut self, value: &[u8]) -> Result<(), Fault> {
        self.count::<F>(const { F::INFO.value_length() }, value.len())?;
        self.out.append(value);
        Ok(())
    }

    #[inline]
    fn enumeration<F: Field, E: Enumeration>(&mut self, value: E) -> Result<(), Fault> {
        self.integer::<F>(value.number().into());
        Ok(())
    }

    #[inline]
    fn message<F: Field, M: Record>(&mut self, value: &M) -> Result<(), Fault> {
        value.write(self)
    }

    #[inline]
    fn f32_elements<F: Field>(&mut self, values: &[f32]) -> Result<(), Fault> {
        self.numbers(values, |value| value.to_le_bytes());
        Ok(())
    }

    #[inline]
    fn f64_elements<F: Field>(&mut self, values: &[f64]) -> Result<(), Fault> {
        self.numbers(values, |value| value.to_le_bytes());
        Ok(())
    }

    #[inline]
    fn i32_elements<F: Field>(&mut self, values: &[i32]) -> Result<(), Fault> {
        if const { is_plain::<F, L>() } {
            self.numbers(values, |value| value.to_le_bytes());
            return Ok(());
        }
        values.iter().try_for_each(|value| self.i32::<F>(*value))
    }

    #[inline]
    fn u32_elements<F: Field>(&mut self, values: &[u32]) -> Result<(), Fault> {
        if const { is_plain::<F, L>() } {
            self.numbers(values, |value| value.to_le_bytes());
            return Ok(());
        }
        values.iter().try_for_each(|value| self.u32::<F>(*value))
    }
}
