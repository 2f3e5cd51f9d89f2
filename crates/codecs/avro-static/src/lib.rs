//! Avro 1.11 binary encoding with static code, for comparison with libraries that walk a schema at run time.
//!
//! Source: the Avro 1.11.1 specification, "Binary Encoding". Schema, stand-ins and bytes are those of
//! `avro/apache-avro` (see `avro`); the schema is known at compile time and nothing in it is looked up. Lists
//! and maps are written as one block without its size in bytes; readers accept several, with or without.
//!
//! Against hostile input: a list claims no more elements than bytes are left (records without fields, which take
//! none, at most 65,536), and records nest at most 128 deep.

pub mod declared;

use std::collections::BTreeMap;

use wiredyno_contract::DeclaredCodec;

use wiredyno_codec::codec::Codec;
use wiredyno_codec::cursor::{Cursor, utf8};
use wiredyno_codec::record::{
    Choice, Depth, Enumeration, Fault, Field, FieldType, Key, MAX_EMPTY_ELEMENTS, MemberInfo, MessageInfo,
    Problem, Reader, Record, RecordFormat, Shape, Value, Writer, check, choice_of_lists,
};

/// Implements `avro/wiredyno`, declared as [`declared::STATIC`].
#[derive(Debug, Default)]
pub struct Static;

impl Codec for Static {
    fn declared(&self) -> &'static DeclaredCodec {
        &declared::STATIC
    }
}

impl RecordFormat for Static {
    type State = ();

    fn state<M: Record>(&self) -> Result<(), Fault> {
        Ok(())
    }

    fn write<M: Record>(&self, (): &mut (), message: &M, out: &mut Vec<u8>) -> Result<(), Fault> {
        message.write(&mut Datum { out })
    }

    fn read<M: Record>(&self, (): &(), bytes: &[u8]) -> Result<M, Fault> {
        let mut input = Input { cursor: Cursor::new(bytes), depth: Depth::default() };
        let message = M::read(&mut input)?;
        input.cursor.finish()?;
        Ok(message)
    }
}

struct Datum<'o> {
    out: &'o mut Vec<u8>,
}

/// The branch of `["null", T]` that a present value takes, zigzag.
const PRESENT: u8 = 2;

impl Datum<'_> {
    /// int and long: zigzag, then seven bits per byte.
    #[inline]
    fn long(&mut self, value: i64) {
        let zigzag = (value << 1 ^ value >> 63).cast_unsigned();
        if zigzag < 0x80 { self.out.push(zigzag as u8) } else { self.long_varint(zigzag) }
    }

    #[inline(never)]
    fn long_varint(&mut self, mut rest: u64) {
        let mut bytes = [0; 10];
        let mut length = 0;
        while rest >= 0x80 {
            bytes[length] = rest as u8 | 0x80;
            rest >>= 7;
            length += 1;
        }
        bytes[length] = rest as u8;
        self.out.extend_from_slice(&bytes[..=length]);
    }

    #[inline(never)]
    fn block(&mut self, bytes: &[u8]) {
        // Lengths of slices fit.
        self.long(bytes.len() as i64);
        self.out.extend_from_slice(bytes);
    }

    #[inline]
    fn integer<F: Field>(&mut self, value: i64) -> Result<(), Fault> {
        check::<F>(value)?;
        self.long(value);
        Ok(())
    }
}

impl Writer for Datum<'_> {
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
        match value {
            Some(value) => {
                self.out.push(PRESENT);
                value.write::<F, _>(self)
            }
            None => {
                self.out.push(0);
                Ok(())
            }
        }
    }

    #[inline]
    fn list<M: Record, F: Field, V: Value>(&mut self, (): &mut (), values: &[V]) -> Result<(), Fault> {
        if !values.is_empty() {
            self.long(values.len() as i64);
            V::write_list::<F, _>(values, self)?;
        }
        self.out.push(0);
        Ok(())
    }

    fn map<M: Record, F: Field, K: Value + Ord, V: Value>(
        &mut self,
        (): &mut (),
        entries: &BTreeMap<K, V>,
    ) -> Result<(), Fault> {
        if !entries.is_empty() {
            self.long(entries.len() as i64);
            for (key, value) in entries {
                key.write::<Key<F>, _>(self)?;
                value.write::<F, _>(self)?;
            }
        }
        self.out.push(0);
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
        let chosen = choice.map(|choice| (choice.ordinal(), choice));
        for ordinal in 0..const { C::INFO.alternatives.len() } {
            match chosen {
                Some((at, choice)) if at == ordinal => {
                    self.out.push(PRESENT);
                    choice.write::<_, M>(self, frame)?;
                }
                _ => self.out.push(0),
            }
        }
        Ok(())
    }

    #[inline]
    fn boolean<F: Field>(&mut self, value: bool) -> Result<(), Fault> {
        self.out.push(u8::from(value));
        Ok(())
    }

    #[inline]
    fn i32<F: Field>(&mut self, value: i32) -> Result<(), Fault> {
        self.integer::<F>(value.into())
    }

    #[inline]
    fn i64<F: Field>(&mut self, value: i64) -> Result<(), Fault> {
        self.integer::<F>(value)
    }

    #[inline]
    fn u32<F: Field>(&mut self, value: u32) -> Result<(), Fault> {
        self.integer::<F>(value.into())
    }

    #[inline]
    fn u64<F: Field>(&mut self, value: u64) -> Result<(), Fault> {
        // Ranges end at the largest i64 at most, so larger values are outside every range.
        check::<F>(i64::try_from(value).unwrap_or(i64::MAX))?;
        self.long(value.cast_signed());
        Ok(())
    }

    #[inline]
    fn f32<F: Field>(&mut self, value: f32) -> Result<(), Fault> {
        self.out.extend_from_slice(&value.to_le_bytes());
        Ok(())
    }

    #[inline]
    fn f64<F: Field>(&mut self, value: f64) -> Result<(), Fault> {
        self.out.extend_from_slice(&value.to_le_bytes());
        Ok(())
    }

    #[inline]
    fn text<F: Field>(&mut self, value: &str) -> Result<(), Fault> {
        self.block(value.as_bytes());
        Ok(())
    }

    #[inline]
    fn bytes<F: Field>(&mut self, value: &[u8]) -> Result<(), Fault> {
        self.block(value);
        Ok(())
    }

    #[inline]
    fn enumeration<F: Field, E: Enumeration>(&mut self, value: E) -> Result<(), Fault> {
        self.long(value.ordinal() as i64);
        Ok(())
    }

    #[inline]
    fn message<F: Field, M: Record>(&mut self, value: &M) -> Result<(), Fault> {
        value.write(self)
    }
}

struct Input<'a> {
    cursor: Cursor<'a>,
    depth: Depth,
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
