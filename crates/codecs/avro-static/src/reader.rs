//! Reads a message from Avro's binary encoding.

use std::collections::BTreeMap;

use wiredyno_codec::cursor::{Cursor, utf8};
use wiredyno_codec::record::{
    Choice, Depth, Enumeration, Fault, Field, FieldType, Key, MAX_EMPTY_ELEMENTS, MemberInfo, MessageInfo,
    Problem, Reader, Record, Shape, Value, check, choice_of_lists,
};

pub(super) struct Input<'a> {
    pub(super) cursor: Cursor<'a>,
    pub(super) depth: Depth,
}

/// Whether elements of the field take no bytes: records without members.
const fn has_empty_elements<F: Field>() -> bool {
    match F::INFO.ty {
        FieldType::Message(info) => takes_no_bytes(info, 4),
        _ => false,
    }
}

/// Looks only `levels` deep; what nests deeper is assumed to be empty, which only changes the limit.
const fn takes_no_bytes(info: &MessageInfo, levels: u8) -> bool {
    let mut at = 0;
    while at < info.members.len() && levels > 0 {
        match &info.members[at] {
            MemberInfo::Field(field) => match (field.shape, field.ty) {
                (Shape::One, FieldType::Message(inner)) if takes_no_bytes(inner, levels - 1) => {}
                _ => return false,
            },
            MemberInfo::Choice(_) => return false,
        }
        at += 1;
    }
    true
}

impl Input<'_> {
    #[inline]
    fn long(&mut self) -> Result<i64, Fault> {
        let first = self.cursor.byte()?;
        let zigzag = if first < 0x80 { first.into() } else { self.long_varint(first)? };
        Ok((zigzag >> 1).cast_signed() ^ -(zigzag & 1).cast_signed())
    }

    #[inline(never)]
    fn long_varint(&mut self, first: u8) -> Result<u64, Fault> {
        let mut value = u64::from(first & 0x7f);
        for shift in (7..64).step_by(7) {
            let byte = self.cursor.byte()?;
            // The tenth byte has room for the topmost bit only.
            if shift == 63 && byte > 1 {
                break;
            }
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(Fault::other("an integer takes more than 64 bits"))
    }

    #[inline]
    fn integer<F: Field>(&mut self) -> Result<i64, Fault> {
        let value = self.long()?;
        check::<F>(value)?;
        Ok(value)
    }

    #[inline]
    fn int<F: Field>(&mut self) -> Result<i32, Fault> {
        let value = self.integer::<F>()?;
        i32::try_from(value).map_err(|_| Fault::in_field(Problem::OutOfRange(value.into()), F::INFO.name))
    }

    #[inline(never)]
    fn block(&mut self) -> Result<&[u8], Fault> {
        let length = self.long()?;
        match usize::try_from(length) {
            Ok(length) => self.cursor.take(length),
            Err(_) => Err(Fault::new(Problem::Length(length.cast_unsigned()))),
        }
    }

    /// The number of elements in the next block of a list that has `known` so far; 0 at its end.
    #[inline]
    fn elements<F: Field>(&mut self, known: usize) -> Result<usize, Fault> {
        let mut count = self.long()?;
        if count < 0 {
            // The block's size in bytes follows, for readers that skip it.
            count = count.checked_neg().unwrap_or(i64::MAX);
            self.long()?;
        }
        let most = match const { has_empty_elements::<F>() } {
            true => MAX_EMPTY_ELEMENTS.saturating_sub(known),
            false => self.cursor.left_bytes(),
        };
        match usize::try_from(count) {
            Ok(count) if count <= most => Ok(count),
            _ => Err(Fault::in_field(Problem::Count(count.cast_unsigned()), F::INFO.name)),
        }
    }

    /// Whether a value of the union `["null", T]` is present.
    #[inline]
    fn present<F: Field>(&mut self) -> Result<bool, Fault> {
        match self.long()? {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(Fault::in_field(Problem::OutOfRange(other.into()), F::INFO.name)),
        }
    }
}

impl<'a> Reader<'a> for Input<'a> {
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
        Ok(if self.present::<F>()? { Some(V::read::<F, _>(self)?) } else { None })
    }

    fn list<M: Record, F: Field, V: Value>(&mut self, (): &mut ()) -> Result<Vec<V>, Fault> {
        let mut values = Vec::new();
        loop {
            let count = self.elements::<F>(values.len())?;
            if count == 0 {
                return Ok(values);
            }
            let block = V::read_list::<F, _>(self, count)?;
            if values.is_empty() { values = block } else { values.extend(block) }
        }
    }

    fn map<M: Record, F: Field, K: Value + Ord, V: Value>(
        &mut self,
        (): &mut (),
    ) -> Result<BTreeMap<K, V>, Fault> {
        let mut entries = BTreeMap::new();
        loop {
            // Keys take bytes, so it does not matter whether values do.
            let count = self.elements::<Key<F>>(0)?;
            if count == 0 {
                return Ok(entries);
            }
            for _ in 0..count {
                entries.insert(K::read::<Key<F>, _>(self)?, V::read::<F, _>(self)?);
            }
        }
    }

    fn choice<M: Record, C: Choice>(&mut self, frame: &mut ()) -> Result<C, Fault> {
        self.optional_choice::<M, C>(frame)?.ok_or_else(|| Fault::in_field(Problem::Missing, C::INFO.name))
    }

    fn optional_choice<M: Record, C: Choice>(&mut self, frame: &mut ()) -> Result<Option<C>, Fault> {
        choice_of_lists::<_, M, C>(self, frame, |reader| Ok(reader.long()?.cast_unsigned()))
    }

    #[inline]
    fn boolean<F: Field>(&mut self) -> Result<bool, Fault> {
        match self.cursor.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(Fault::in_field(Problem::OutOfRange(other.into()), F::INFO.name)),
        }
    }

    #[inline]
    fn i32<F: Field>(&mut self) -> Result<i32, Fault> {
        self.int::<F>()
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
        self.cursor.array().map(f32::from_le_bytes)
    }

    #[inline]
    fn f64<F: Field>(&mut self) -> Result<f64, Fault> {
        self.cursor.array().map(f64::from_le_bytes)
    }

    #[inline]
    fn text<F: Field>(&mut self) -> Result<String, Fault> {
        utf8(self.block()?)
    }

    #[inline]
    fn bytes<F: Field>(&mut self) -> Result<Vec<u8>, Fault> {
        self.block().map(<[u8]>::to_vec)
    }

    #[inline]
    fn enumeration<F: Field, E: Enumeration>(&mut self) -> Result<E, Fault> {
        let value = self.long()?;
        // Negative values become indexes that no enum has.
        E::from_ordinal(usize::try_from(value).unwrap_or(usize::MAX))
    }

    #[inline]
    fn message<F: Field, M: Record>(&mut self) -> Result<M, Fault> {
        M::read(self)
    }

    #[inline]
    fn left_bytes(&self) -> usize {
        self.cursor.left_bytes()
    }
}
