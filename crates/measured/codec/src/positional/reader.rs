//! The reader of positional formats.

use std::collections::BTreeMap;
use std::marker::PhantomData;

use super::{Layout, integer, is_plain, reversed};
use crate::cursor::{Cursor, utf8};
use crate::record::{
    Choice, Depth, Enumeration, Fault, Field, Key, Length, MAX_EMPTY_ELEMENTS, Problem, Reader, Record,
    Value, check, choice_of_lists, collect,
};

/// The input of a message.
///
/// Aligned layouts use the position, and their cursor stays at the message's start; others move the cursor, and their
/// position stays 0. The number of bytes left after each padding would be a chain of differences, over which LLVM's
/// constraint elimination takes time that grows with the square of a message's fields.
pub(super) struct Input<'a, L> {
    cursor: Cursor<'a>,
    at: usize,
    depth: Depth,
    layout: PhantomData<L>,
}

impl<'a, L: Layout> Input<'a, L> {
    pub fn new(bytes: &'a [u8]) -> Input<'a, L> {
        Input { cursor: Cursor::new(bytes), at: 0, depth: Depth::default(), layout: PhantomData }
    }

    /// Refuses bytes after the message.
    pub fn finish(mut self) -> Result<(), Fault> {
        self.cursor.take(self.at)?;
        self.cursor.finish()
    }

    /// The next `count` bytes, unchanged.
    #[inline(always)]
    fn take(&mut self, count: usize) -> Result<&'a [u8], Fault> {
        if !L::ALIGNED {
            return self.cursor.take(count);
        }
        let mut ahead = self.cursor;
        ahead.take(self.at)?;
        let taken = ahead.take(count)?;
        self.at += count;
        Ok(taken)
    }

    /// The next `N` bytes, unchanged.
    #[inline(always)]
    fn array<const N: usize>(&mut self) -> Result<[u8; N], Fault> {
        if !L::ALIGNED {
            return self.cursor.array();
        }
        let mut ahead = self.cursor;
        ahead.take(self.at)?;
        self.at = self.at.wrapping_add(N);
        ahead.array()
    }

    #[inline]
    fn length(&mut self) -> Result<usize, Fault> {
        Ok(u32::from_le_bytes(self.number()?) as usize)
    }

    /// The bytes of a number, least significant first.
    #[inline]
    fn number<const N: usize>(&mut self) -> Result<[u8; N], Fault> {
        self.align(N);
        let bytes = self.array::<N>()?;
        Ok(if L::BIG_ENDIAN { reversed(bytes) } else { bytes })
    }

    /// Skips padding without checking its content; whether it is complete shows in the read after it.
    #[inline(always)]
    fn align(&mut self, to_bytes: usize) {
        if L::ALIGNED && to_bytes > 1 {
            self.at = self.at.wrapping_add(to_bytes - 1) & !(to_bytes - 1);
        }
    }

    /// Consecutive numbers, each made from its bytes, least significant first.
    #[inline]
    fn numbers<T, const N: usize>(
        &mut self,
        count: usize,
        value: impl Fn([u8; N]) -> T,
    ) -> Result<Vec<T>, Fault> {
        if count == 0 {
            return Ok(Vec::new());
        }
        self.align(N);
        let bytes = self.take(count.saturating_mul(N))?;
        let numbers = bytes
            .as_chunks::<N>()
            .0
            .iter()
            .map(|bytes| value(if L::BIG_ENDIAN { reversed(*bytes) } else { *bytes }));
        Ok(numbers.collect())
    }

    #[inline]
    fn count<F: Field>(&mut self, allowed: Length) -> Result<usize, Fault> {
        let count = match allowed.fixed {
            Some(fixed) => return Ok(fixed as usize),
            None => self.length()?,
        };
        if !allowed.allows(count) || count > self.left_bytes().max(MAX_EMPTY_ELEMENTS) {
            return Err(Fault::in_field(Problem::Count(count as u64), F::INFO.name));
        }
        Ok(count)
    }

    /// Whether the list that stands for an optional value has its element.
    #[inline]
    fn present(&mut self, field: &'static str) -> Result<bool, Fault> {
        match self.length()? {
            0 => Ok(false),
            1 => Ok(true),
            more => Err(Fault::in_field(Problem::Count(more as u64), field)),
        }
    }

    #[inline]
    fn integer<F: Field>(&mut self) -> Result<i64, Fault> {
        let signed = const { integer::<F, L>().signed };
        let value = if const { integer::<F, L>().bits == 8 } {
            let value = u8::from_le_bytes(self.number()?);
            if signed { value.cast_signed().into() } else { value.into() }
        } else if const { integer::<F, L>().bits == 16 } {
            let value = u16::from_le_bytes(self.number()?);
            if signed { value.cast_signed().into() } else { value.into() }
        } else if const { integer::<F, L>().bits == 32 } {
            let value = u32::from_le_bytes(self.number()?);
            if signed { value.cast_signed().into() } else { value.into() }
        } else {
            i64::from_le_bytes(self.number()?)
        };
        check::<F>(value)?;
        Ok(value)
    }
}

impl<'a, L: Layout> Reader<'a> for Input<'a, L> {
    type Frame<M: Record> = ();

    #[inline]
    fn begin<M: Record>(&mut self) -> Result<(), Fault> {
        self.depth.enter()
    }

    #[inline]
    fn end<M: Record>(&mut self, (): ()) -> Result<(), Fault> {
        self.depth.leave();
        Ok(())
    }

    #[inline]
    fn one<M: Record, F: Field, V: Value>(&mut self, (): &mut ()) -> Result<V, Fault> {
        V::read::<F, _>(self)
    }

    #[inline]
    fn optional<M: Record, F: Field, V: Value>(&mut self, (): &mut ()) -> Result<Option<V>, Fault> {
        Ok(if self.present(F::INFO.name)? { Some(V::read::<F, _>(self)?) } else { None })
    }

    #[inline]
    fn list<M: Record, F: Field, V: Value>(&mut self, (): &mut ()) -> Result<Vec<V>, Fault> {
        let count = self.count::<F>(const { F::INFO.list_length() })?;
        V::read_list::<F, _>(self, count)
    }

    fn map<M: Record, F: Field, K: Value + Ord, V: Value>(
        &mut self,
        (): &mut (),
    ) -> Result<BTreeMap<K, V>, Fault> {
        let count = self.count::<F>(const { F::INFO.list_length() })?;
        (0..count).map(|_| Ok((K::read::<Key<F>, _>(self)?, V::read::<F, _>(self)?))).collect()
    }

    fn choice<M: Record, C: Choice>(&mut self, frame: &mut ()) -> Result<C, Fault> {
        self.optional_choice::<M, C>(frame)?.ok_or_else(|| Fault::in_field(Problem::Missing, C::INFO.name))
    }

    fn optional_choice<M: Record, C: Choice>(&mut self, frame: &mut ()) -> Result<Option<C>, Fault> {
        choice_of_lists::<_, M, C>(self, frame, |reader| Ok(reader.length()? as u64))
    }

    #[inline]
    fn boolean<F: Field>(&mut self) -> Result<bool, Fault> {
        match self.array::<1>()?[0] {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(Fault::in_field(Problem::OutOfRange(other.into()), F::INFO.name)),
        }
    }

    #[inline]
    fn i32<F: Field>(&mut self) -> Result<i32, Fault> {
        Ok(self.integer::<F>()? as i32)
    }

    #[inline]
    fn i64<F: Field>(&mut self) -> Result<i64, Fault> {
        self.integer::<F>()
    }

    #[inline]
    fn u32<F: Field>(&mut self) -> Result<u32, Fault> {
        let value = self.integer::<F>()?;
        u32::try_from(value).map_err(|_| Fault::in_field(Problem::OutOfRange(value.into()), F::INFO.name))
    }

    #[inline]
    fn u64<F: Field>(&mut self) -> Result<u64, Fault> {
        Ok(self.integer::<F>()?.cast_unsigned())
    }

    #[inline]
    fn f32<F: Field>(&mut self) -> Result<f32, Fault> {
        self.number().map(f32::from_le_bytes)
    }

    #[inline]
    fn f64<F: Field>(&mut self) -> Result<f64, Fault> {
        self.number().map(f64::from_le_bytes)
    }

    #[inline]
    fn text<F: Field>(&mut self) -> Result<String, Fault> {
        let length = self.length()?;
        let bytes = self.take(length)?;
        if !L::NUL {
            return utf8(bytes);
        }
        match bytes.split_last() {
            Some((0, text)) if !text.contains(&0) => utf8(text),
            _ => Err(Fault::in_field(Problem::Text, F::INFO.name)),
        }
    }

    #[inline]
    fn bytes<F: Field>(&mut self) -> Result<Vec<u8>, Fault> {
        let length = self.count::<F>(const { F::INFO.value_length() })?;
        self.take(length).map(<[u8]>::to_vec)
    }

    #[inline]
    fn enumeration<F: Field, E: Enumeration>(&mut self) -> Result<E, Fault> {
        E::from_number(self.integer::<F>()? as i32)
    }

    #[inline]
    fn message<F: Field, M: Record>(&mut self) -> Result<M, Fault> {
        M::read(self)
    }

    #[inline]
    fn left_bytes(&self) -> usize {
        self.cursor.left_bytes().saturating_sub(self.at)
    }

    #[inline]
    fn f32_elements<F: Field>(&mut self, count: usize) -> Result<Vec<f32>, Fault> {
        self.numbers(count, f32::from_le_bytes)
    }

    #[inline]
    fn f64_elements<F: Field>(&mut self, count: usize) -> Result<Vec<f64>, Fault> {
        self.numbers(count, f64::from_le_bytes)
    }

    #[inline]
    fn i32_elements<F: Field>(&mut self, count: usize) -> Result<Vec<i32>, Fault> {
        if const { is_plain::<F, L>() } {
            return self.numbers(count, i32::from_le_bytes);
        }
        collect(count, self.left_bytes(), || self.i32::<F>())
    }

    #[inline]
    fn u32_elements<F: Field>(&mut self, count: usize) -> Result<Vec<u32>, Fault> {
        if const { is_plain::<F, L>() } {
            return self.numbers(count, u32::from_le_bytes);
        }
        collect(count, self.left_bytes(), || self.u32::<F>())
    }
}
