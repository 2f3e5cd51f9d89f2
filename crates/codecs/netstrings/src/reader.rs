//! The reader of both forms: every field is looked up by its id, in any order.
//!
//! One file because it is one `Reader` with one state: a list of cases, one for each kind of value.

use std::collections::BTreeMap;

use super::{NameIds, field_size, name_id, size};
use wiredyno_codec::container::{Opened, Time};
use wiredyno_codec::cursor::{Cursor, utf8};
use wiredyno_codec::record::{
    Choice, Depth, Enumeration, Fault, Field, FieldInfo, Key, MAX_EMPTY_ELEMENTS, MemberInfo, MessageInfo,
    Problem, Reader, Record, Value, check, narrow,
};

/// The input of a message. `VARINT` is the later form; `STRAIGHT` accepts messages of a fixed size (in the form of
/// 2015) only as the writer lays them out, every field in the definition's order.
pub(super) struct Input<'a, const VARINT: bool, const STRAIGHT: bool> {
    cursor: Cursor<'a>,
    depth: Depth,
    names: Option<&'a NameIds>,
}

/// A message that occupies the whole input.
#[inline(always)]
pub(super) fn message_of<M: Record, const VARINT: bool, const STRAIGHT: bool>(
    input: &mut Input<'_, VARINT, STRAIGHT>,
) -> Result<M, Fault> {
    let message = if STRAIGHT { input.straight()? } else { input.whole()? };
    input.cursor.finish()?;
    Ok(message)
}

/// A container, whose fields come in any order; unknown ones are skipped.
pub(super) fn container(bytes: &[u8]) -> Result<Opened<&[u8]>, Fault> {
    let zero = Time { seconds: 0, microseconds: 0 };
    let (mut data_type, mut message, mut sent, mut received) = (0, None, zero, zero);
    each_field(bytes, |id, mut value| {
        match id {
            1 => data_type = u32::from_be_bytes(value.array()?),
            2 => {
                let length = u32::from_be_bytes(value.array()?);
                message = Some(value.take(length as usize)?);
            }
            3 => sent = time(value.take(value.left_bytes())?)?,
            4 => received = time(value.take(value.left_bytes())?)?,
            _ => return Ok(()),
        }
        value.finish()
    })?;
    match message {
        Some(message) => Ok(Opened { data_type, message, sent, received }),
        None => Err(Fault::other("the container holds no message")),
    }
}

fn time(bytes: &[u8]) -> Result<Time, Fault> {
    let mut time = Time { seconds: 0, microseconds: 0 };
    each_field(bytes, |id, mut value| {
        match id {
            1 => time.seconds = i32::from_be_bytes(value.array()?),
            2 => time.microseconds = i32::from_be_bytes(value.array()?),
            _ => return Ok(()),
        }
        value.finish()
    })?;
    Ok(time)
}

/// Reads a whole message of the 2015 form, field by field.
#[inline(always)]
fn each_field<'a>(
    bytes: &'a [u8],
    mut read: impl FnMut(u32, Cursor<'a>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let mut input = Input::<false, false>::new(bytes, None);
    let mut fields = Cursor::new(input.payload()?);
    input.cursor.finish()?;
    while fields.left_bytes() > 0 {
        let (id, size) = (u32::from_be_bytes(fields.array()?), u32::from_be_bytes(fields.array()?));
        read(id, Cursor::new(fields.take(size as usize)?))?;
    }
    Ok(())
}

/// The size of a whole message that can be read straight through; that of an empty one where the size is not fixed.
const fn whole_size(message: &MessageInfo) -> u32 {
    match size(message) {
        Some(size) => size as u32,
        None => 7,
    }
}

/// The same for a field's value.
const fn straight_size(field: &FieldInfo) -> u32 {
    match field_size(field) {
        Some(size) => size as u32,
        None => 0,
    }
}

/// Something is at another place; never visible outside, because reading then starts over.
#[cold]
#[inline(never)]
fn crooked() -> Fault {
    Fault::new(Problem::Missing)
}

/// Whether a message has a oneof that is never empty, whose presence must be checked.
const fn has_required_choice(message: &MessageInfo) -> bool {
    let mut at = 0;
    while at < message.members.len() {
        if let MemberInfo::Choice(choice) = &message.members[at]
            && choice.required
        {
            return true;
        }
        at += 1;
    }
    false
}

/// Refuses a message that lacks an alternative of a oneof that is never empty.
#[inline(never)]
fn check_choices(message: &'static MessageInfo, seen: &[u32]) -> Result<(), Fault> {
    for member in message.members {
        if let MemberInfo::Choice(choice) = member
            && choice.required
            && !choice.alternatives.iter().any(|field| seen.contains(&field.number))
        {
            return Err(Fault::in_field(Problem::Missing, choice.name));
        }
    }
    Ok(())
}

impl<'a, const VARINT: bool, const STRAIGHT: bool> Input<'a, VARINT, STRAIGHT> {
    pub fn new(bytes: &'a [u8], names: Option<&'a NameIds>) -> Self {
        Input { cursor: Cursor::new(bytes), depth: Depth::default(), names }
    }

    #[inline]
    fn varint(&mut self) -> Result<u64, Fault> {
        let first = self.cursor.byte()?;
        if first < 0x80 { Ok(first.into()) } else { self.long_varint(first) }
    }

    #[inline(never)]
    fn long_varint(&mut self, first: u8) -> Result<u64, Fault> {
        let (mut value, mut shift) = (u64::from(first & 0x7f), 7);
        loop {
            let byte = self.cursor.byte()?;
            if shift == 63 && byte > 1 {
                return Err(Fault::other("a varint takes more than 64 bits"));
            }
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
            shift += 7;
        }
    }

    #[inline]
    fn zigzag(&mut self) -> Result<i64, Fault> {
        let value = self.varint()?;
        Ok((value >> 1).cast_signed() ^ -((value & 1).cast_signed()))
    }

    #[inline]
    fn length(&mut self) -> Result<usize, Fault> {
        if !VARINT {
            return Ok(u32::from_be_bytes(self.cursor.array()?) as usize);
        }
        let length = self.varint()?;
        usize::try_from(length).map_err(|_| Fault::new(Problem::Length(length)))
    }

    /// The bytes between a message's header and its comma.
    #[inline]
    fn payload(&mut self) -> Result<&'a [u8], Fault> {
        let magic = if VARINT { [0xab, 0xcf] } else { [0xaa, 0xcf] };
        let found = self.cursor.array::<2>()?;
        if found != magic {
            return Err(Fault::other(format_args!("{found:02x?} is not the magic {magic:02x?}")));
        }
        let length = self.length()?;
        let payload = self.cursor.take(length)?;
        match self.cursor.byte()? {
            b',' => Ok(payload),
            other => Err(Fault::other(format_args!("{other:02x} is where the comma must be"))),
        }
    }

    /// The next bytes, which must equal these.
    #[inline(always)]
    fn expect<const N: usize>(&mut self, bytes: [u8; N]) -> Result<(), Fault> {
        if self.cursor.array::<N>()? == bytes { Ok(()) } else { Err(crooked()) }
    }

    /// A whole message in which every place is known.
    #[inline(always)]
    fn straight<M: Record>(&mut self) -> Result<M, Fault> {
        // The bytes between header and comma.
        let payload = const { whole_size(M::INFO) - 7 };
        self.expect([0xaa, 0xcf])?;
        self.expect(payload.to_be_bytes())?;
        let message = M::read(self)?;
        self.expect([b','])?;
        Ok(message)
    }

    /// A whole message with fields in any order.
    #[inline]
    fn whole<M: Record>(&mut self) -> Result<M, Fault> {
        self.depth.enter()?;
        let payload = self.payload()?;
        let around = std::mem::replace(&mut self.cursor, Cursor::new(payload));
        let mut message = M::empty();
        let mut seen = Vec::new();
        while self.cursor.left_bytes() > 0 {
            let number = self.number::<M>()?;
            let size = self.length()?;
            let value = self.cursor.take(size)?;
            let rest = std::mem::replace(&mut self.cursor, Cursor::new(value));
            if message.read_numbered(self, &mut (), number)? {
                self.cursor.finish()?;
            }
            self.cursor = rest;
            if const { has_required_choice(M::INFO) } {
                seen.push(number);
            }
        }
        if const { has_required_choice(M::INFO) } {
            check_choices(M::INFO, &seen)?;
        }
        self.cursor = around;
        self.depth.leave();
        Ok(message)
    }

    /// The number of the next field; 0, which no field has, if it is unknown.
    #[inline]
    fn number<M: Record>(&mut self) -> Result<u32, Fault> {
        if VARINT {
            return Ok(u32::try_from(self.varint()?).unwrap_or(0));
        }
        let id = u32::from_be_bytes(self.cursor.array()?);
        Ok(self.names.map_or(id, |names| names.number(M::INFO, id)))
    }

    #[inline]
    fn count<F: Field>(&mut self) -> Result<usize, Fault> {
        let allowed = const { F::INFO.list_length() };
        let count = match allowed.fixed {
            Some(fixed) => return Ok(fixed as usize),
            None => self.length()?,
        };
        if !allowed.allows(count) || count > self.cursor.left_bytes().max(MAX_EMPTY_ELEMENTS) {
            return Err(Fault::in_field(Problem::Count(count as u64), F::INFO.name));
        }
        Ok(count)
    }

    #[inline]
    fn string<F: Field>(&mut self) -> Result<&'a [u8], Fault> {
        let length = self.length()?;
        if !const { F::INFO.value_length() }.allows(length) {
            return Err(Fault::in_field(Problem::Length(length as u64), F::INFO.name));
        }
        self.cursor.take(length)
    }
}

impl<'a, const VARINT: bool, const STRAIGHT: bool> Reader<'a> for Input<'a, VARINT, STRAIGHT> {
    type Frame<M: Record> = ();

    #[inline]
    fn begin<M: Record>(&mut self) -> Result<(), Fault> {
        Ok(())
    }

    #[inline]
    fn end<M: Record>(&mut self, (): ()) -> Result<(), Fault> {
        Ok(())
    }

    #[inline(always)]
    fn one<M: Record, F: Field, V: Value>(&mut self, (): &mut ()) -> Result<V, Fault> {
        if STRAIGHT {
            let by_name = self.names.is_some();
            let id = if by_name { const { name_id(F::INFO.name) } } else { F::INFO.number };
            self.expect(id.to_be_bytes())?;
            self.expect(const { straight_size(F::INFO) }.to_be_bytes())?;
        }
        V::read::<F, _>(self)
    }

    /// Fields are read by number, so the value is always present.
    #[inline]
    fn optional<M: Record, F: Field, V: Value>(&mut self, (): &mut ()) -> Result<Option<V>, Fault> {
        V::read::<F, _>(self).map(Some)
    }

    #[inline]
    fn list<M: Record, F: Field, V: Value>(&mut self, (): &mut ()) -> Result<Vec<V>, Fault> {
        let count = self.count::<F>()?;
        V::read_list::<F, _>(self, count)
    }

    fn map<M: Record, F: Field, K: Value + Ord, V: Value>(
        &mut self,
        (): &mut (),
    ) -> Result<BTreeMap<K, V>, Fault> {
        let count = self.count::<F>()?;
        (0..count).map(|_| Ok((K::read::<Key<F>, _>(self)?, V::read::<F, _>(self)?))).collect()
    }

    /// Alternatives are read by number; a oneof as a whole never is.
    fn choice<M: Record, C: Choice>(&mut self, _: &mut ()) -> Result<C, Fault> {
        Err(Fault::in_field(Problem::Missing, C::INFO.name))
    }

    fn optional_choice<M: Record, C: Choice>(&mut self, _: &mut ()) -> Result<Option<C>, Fault> {
        Ok(None)
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
        let value = match VARINT {
            true => narrow::<F, _, i32>(self.zigzag()?)?,
            false => i32::from_be_bytes(self.cursor.array()?),
        };
        check::<F>(value.into())?;
        Ok(value)
    }

    #[inline]
    fn i64<F: Field>(&mut self) -> Result<i64, Fault> {
        let value = if VARINT { self.zigzag()? } else { i64::from_be_bytes(self.cursor.array()?) };
        check::<F>(value)?;
        Ok(value)
    }

    #[inline]
    fn u32<F: Field>(&mut self) -> Result<u32, Fault> {
        let value = match VARINT {
            true => narrow::<F, _, u32>(self.varint()?)?,
            false => u32::from_be_bytes(self.cursor.array()?),
        };
        check::<F>(value.into())?;
        Ok(value)
    }

    #[inline]
    fn u64<F: Field>(&mut self) -> Result<u64, Fault> {
        let value = if VARINT { self.varint()? } else { u64::from_be_bytes(self.cursor.array()?) };
        check::<F>(i64::try_from(value).unwrap_or(i64::MAX))?;
        Ok(value)
    }

    #[inline]
    fn f32<F: Field>(&mut self) -> Result<f32, Fault> {
        self.cursor.array().map(f32::from_be_bytes)
    }

    #[inline]
    fn f64<F: Field>(&mut self) -> Result<f64, Fault> {
        self.cursor.array().map(f64::from_be_bytes)
    }

    #[inline]
    fn text<F: Field>(&mut self) -> Result<String, Fault> {
        utf8(self.string::<F>()?)
    }

    #[inline]
    fn bytes<F: Field>(&mut self) -> Result<Vec<u8>, Fault> {
        self.string::<F>().map(<[u8]>::to_vec)
    }

    #[inline]
    fn enumeration<F: Field, E: Enumeration>(&mut self) -> Result<E, Fault> {
        let number = match VARINT {
            true => narrow::<F, _, i32>(self.zigzag()?)?,
            false => i32::from_be_bytes(self.cursor.array()?),
        };
        E::from_number(number)
    }

    #[inline(always)]
    fn message<F: Field, M: Record>(&mut self) -> Result<M, Fault> {
        if STRAIGHT { self.straight() } else { self.whole() }
    }

    #[inline]
    fn left_bytes(&self) -> usize {
        self.cursor.left_bytes()
    }

    #[inline]
    fn f32_elements<F: Field>(&mut self, count: usize) -> Result<Vec<f32>, Fault> {
        let bytes = self.cursor.take(count.saturating_mul(4))?;
        Ok(bytes.as_chunks().0.iter().map(|bytes| f32::from_be_bytes(*bytes)).collect())
    }

    #[inline]
    fn f64_elements<F: Field>(&mut self, count: usize) -> Result<Vec<f64>, Fault> {
        let bytes = self.cursor.take(count.saturating_mul(8))?;
        Ok(bytes.as_chunks().0.iter().map(|bytes| f64::from_be_bytes(*bytes)).collect())
    }
}
