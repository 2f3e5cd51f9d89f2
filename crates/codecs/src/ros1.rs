//! ROS 1 messages as roscpp serializes them: little-endian, fields side by side without tags or padding.
//!
//! Source: the ROS wiki's pages "msg" (field types) and "roscpp/Overview/MessagesSerializationAndAdaptingTypes";
//! the bytes are not yet compared with ROS's own code. Integers are the narrowest type that holds the definition's range;
//! strings and arrays of unknown length carry their number as u32, fixed arrays do not.
//!
//! Stand-ins: an optional field is an array of at most one element; so is each alternative of a oneof; a map
//! is an array of {key, value}; an enum is the narrowest integer that holds its numbers; a string of fixed
//! length is an ordinary string. A fixed-length bytes field is `uint8[N]`.

use std::collections::BTreeMap;

use wiredyno_model::Capability;

use crate::codec::Codec;
use crate::cursor::{Cursor, utf8};
use crate::record::{
    Choice, Depth, Enumeration, Fault, Field, Integer, Key, Length, Problem, Reader, Record, RecordFormat,
    Value, Writer,
};

/// `ros1/wiredyno`.
#[derive(Debug, Default)]
pub struct Ros1;

impl Codec for Ros1 {
    fn id(&self) -> &'static str {
        "ros1/wiredyno"
    }

    fn library(&self) -> (&'static str, &'static str) {
        ("wiredyno", env!("CARGO_PKG_VERSION"))
    }

    fn about(&self) -> &'static str {
        "The body alone, as roscpp lays it out. Build clones the value; encode writes; decode checks lengths and \
         UTF-8 and allocates every string; read walks structs."
    }

    fn capabilities(&self) -> &'static [Capability] {
        &[
            Capability::SchemaDriven,
            Capability::ValidatesUtf8,
            Capability::ReusesBuffers,
            Capability::Canonical,
        ]
    }
}

impl RecordFormat for Ros1 {
    type State = ();

    fn state<M: Record>(&self) -> Result<(), Fault> {
        Ok(())
    }

    fn write<M: Record>(&self, (): &mut (), message: &M, out: &mut Vec<u8>) -> Result<(), Fault> {
        message.write(&mut Body { out })
    }

    fn read<M: Record>(&self, (): &(), bytes: &[u8]) -> Result<M, Fault> {
        let mut input = Input { cursor: Cursor::new(bytes), depth: Depth::default() };
        let message = M::read(&mut input)?;
        input.cursor.finish()?;
        Ok(message)
    }
}

/// Where a message is written to.
struct Body<'o> {
    out: &'o mut Vec<u8>,
}

impl Body<'_> {
    /// The number of elements or bytes, where the definition does not fix it.
    #[inline]
    fn count<F: Field>(&mut self, allowed: Length, count: usize) -> Result<(), Fault> {
        if !allowed.allows(count) {
            return Err(Fault::in_field(Problem::Length(count as u64), F::INFO.name));
        }
        if allowed.fixed.is_some() { Ok(()) } else { self.length(count) }
    }

    #[inline]
    fn length(&mut self, length: usize) -> Result<(), Fault> {
        let length = u32::try_from(length).map_err(|_| Fault::new(Problem::Length(length as u64)))?;
        self.out.extend_from_slice(&length.to_le_bytes());
        Ok(())
    }

    /// The low bytes of a number.
    #[inline]
    fn integer<F: Field>(&mut self, value: i64) {
        self.out.extend_from_slice(&value.to_le_bytes()[..const { integer_of::<F>().bytes() }]);
    }
}

/// The type of an integer or enum field.
const fn integer_of<F: Field>() -> Integer {
    match F::INFO.integer() {
        Some(integer) => integer,
        None => panic!("no integer"),
    }
}

/// Refuses a number outside the definition's range.
#[inline]
fn check<F: Field>(value: i64) -> Result<(), Fault> {
    match const { F::INFO.range } {
        Some((min, max)) if value < min || value > max => {
            Err(Fault::in_field(Problem::OutOfRange(value.into()), F::INFO.name))
        }
        _ => Ok(()),
    }
}

impl Writer for Body<'_> {
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
        value.map_or(Ok(()), |value| value.write::<F, _>(self))
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
        self.out.push(u8::from(value));
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
        // A range ends at the largest i64, so that larger values are outside of every one.
        check::<F>(i64::try_from(value).unwrap_or(i64::MAX))?;
        self.integer::<F>(value.cast_signed());
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
        self.length(value.len())?;
        self.out.extend_from_slice(value.as_bytes());
        Ok(())
    }

    #[inline]
    fn bytes<F: Field>(&mut self, value: &[u8]) -> Result<(), Fault> {
        self.count::<F>(const { F::INFO.value_length() }, value.len())?;
        self.out.extend_from_slice(value);
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
}

/// Where a message is read from.
struct Input<'a> {
    cursor: Cursor<'a>,
    depth: Depth,
}

/// The most elements of a list whose elements take no bytes, which only their count bounds.
const MAX_EMPTY_ELEMENTS: usize = 1 << 16;

impl Input<'_> {
    #[inline]
    fn length(&mut self) -> Result<usize, Fault> {
        Ok(u32::from_le_bytes(self.cursor.array()?) as usize)
    }

    #[inline]
    fn count<F: Field>(&mut self, allowed: Length) -> Result<usize, Fault> {
        let count = match allowed.fixed {
            Some(fixed) => return Ok(fixed as usize),
            None => self.length()?,
        };
        if !allowed.allows(count) || count > self.cursor.left_bytes().max(MAX_EMPTY_ELEMENTS) {
            return Err(Fault::in_field(Problem::Count(count as u64), F::INFO.name));
        }
        Ok(count)
    }

    /// Whether the array that stands for an optional value has its element.
    #[inline]
    fn present<F: Field>(&mut self) -> Result<bool, Fault> {
        match self.length()? {
            0 => Ok(false),
            1 => Ok(true),
            more => Err(Fault::in_field(Problem::Count(more as u64), F::INFO.name)),
        }
    }

    #[inline]
    fn integer<F: Field>(&mut self) -> Result<i64, Fault> {
        let value = match const { integer_of::<F>() } {
            Integer { bits: 8, signed: false } => self.cursor.byte()?.into(),
            Integer { bits: 8, signed: true } => i8::from_le_bytes(self.cursor.array()?).into(),
            Integer { bits: 16, signed: false } => u16::from_le_bytes(self.cursor.array()?).into(),
            Integer { bits: 16, signed: true } => i16::from_le_bytes(self.cursor.array()?).into(),
            Integer { bits: 32, signed: false } => u32::from_le_bytes(self.cursor.array()?).into(),
            Integer { bits: 32, signed: true } => i32::from_le_bytes(self.cursor.array()?).into(),
            _ => i64::from_le_bytes(self.cursor.array()?),
        };
        check::<F>(value)?;
        Ok(value)
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
        let mut chosen = None;
        for ordinal in 0..const { C::INFO.alternatives.len() } {
            match (self.length()?, &chosen) {
                (0, _) => {}
                (1, None) => chosen = Some(C::read::<_, M>(ordinal, self, frame)?),
                _ => {
                    return Err(Fault::other(format_args!(
                        "more than one alternative of `{}`",
                        C::INFO.name
                    )));
                }
            }
        }
        Ok(chosen)
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
        Ok(self.integer::<F>()? as i32)
    }

    #[inline]
    fn i64<F: Field>(&mut self) -> Result<i64, Fault> {
        self.integer::<F>()
    }

    #[inline]
    fn u32<F: Field>(&mut self) -> Result<u32, Fault> {
        Ok(self.integer::<F>()? as u32)
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
        let length = self.length()?;
        utf8(self.cursor.take(length)?)
    }

    #[inline]
    fn bytes<F: Field>(&mut self) -> Result<Vec<u8>, Fault> {
        let length = self.count::<F>(const { F::INFO.value_length() })?;
        self.cursor.take(length).map(<[u8]>::to_vec)
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
        self.cursor.left_bytes()
    }
}
