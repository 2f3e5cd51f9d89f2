//! The reader: lists end with the bytes that their length counts.

use std::collections::BTreeMap;

use super::{alternative, width_of};
use wiredyno_codec::cursor::{Cursor, utf8};
use wiredyno_codec::record::{
    Choice, Depth, Enumeration, Fault, Field, Integer, Problem, Reader, Record, Value,
};

pub(super) struct Input<'a> {
    cursor: Cursor<'a>,
    depth: Depth,
}

impl<'a> Input<'a> {
    pub fn new(bytes: &'a [u8]) -> Input<'a> {
        Input { cursor: Cursor::new(bytes), depth: Depth::default() }
    }

    /// Refuses bytes after the message.
    pub fn finish(self) -> Result<(), Fault> {
        self.cursor.finish()
    }

    #[inline]
    fn intx(&mut self) -> Result<u64, Fault> {
        let first = self.cursor.byte()?;
        if first < 0x80 { Ok(first.into()) } else { self.long_intx(first) }
    }

    #[inline(never)]
    fn long_intx(&mut self, first: u8) -> Result<u64, Fault> {
        let further = first.leading_ones();
        if further > 7 {
            return Err(Fault::other("an IntX takes more than eight bytes"));
        }
        let mut value = u64::from(first) & (0xff >> (further + 1));
        for byte in self.cursor.take(further as usize)? {
            value = value << 8 | u64::from(*byte);
        }
        if value >> (7 * further) == 0 {
            return Err(Fault::other("an IntX is longer than its value needs"));
        }
        Ok(value)
    }

    #[inline]
    fn length(&mut self) -> Result<usize, Fault> {
        let length = self.intx()?;
        usize::try_from(length).map_err(|_| Fault::new(Problem::Length(length)))
    }

    /// The bits of an integer, extended to 64 according to its sign.
    #[inline]
    fn integer<F: Field>(&mut self) -> Result<i64, Fault> {
        let value = match const { width_of(F::INFO) } {
            Some(Integer { bits: 8, signed: false }) => self.cursor.byte()?.into(),
            Some(Integer { bits: 8, signed: true }) => i8::from_be_bytes(self.cursor.array()?).into(),
            Some(Integer { bits: 16, signed: false }) => u16::from_be_bytes(self.cursor.array()?).into(),
            Some(Integer { bits: 16, signed: true }) => i16::from_be_bytes(self.cursor.array()?).into(),
            Some(Integer { bits: 32, signed: false }) => u32::from_be_bytes(self.cursor.array()?).into(),
            Some(Integer { bits: 32, signed: true }) => i32::from_be_bytes(self.cursor.array()?).into(),
            Some(_) => i64::from_be_bytes(self.cursor.array()?),
            None => self.intx()?.cast_signed(),
        };
        match const { F::INFO.range } {
            Some((min, max)) if value < min || value > max => {
                Err(Fault::in_field(Problem::OutOfRange(value.into()), F::INFO.name))
            }
            _ => Ok(value),
        }
    }

    #[inline]
    fn opaque<F: Field>(&mut self) -> Result<&'a [u8], Fault> {
        let allowed = const { F::INFO.value_length() };
        let length = match allowed.fixed {
            Some(fixed) => fixed as usize,
            None => self.length()?,
        };
        if !allowed.allows(length) {
            return Err(Fault::in_field(Problem::Length(length as u64), F::INFO.name));
        }
        self.cursor.take(length)
    }
}

/// Never reached: `carries` refuses such definitions.
fn unspeakable<T>(what: &str) -> Result<T, Fault> {
    Err(Fault::other(format_args!("the format has no {what}")))
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

    fn optional<M: Record, F: Field, V: Value>(&mut self, (): &mut ()) -> Result<Option<V>, Fault> {
        unspeakable("fields that may be absent")
    }

    #[inline]
    fn list<M: Record, F: Field, V: Value>(&mut self, (): &mut ()) -> Result<Vec<V>, Fault> {
        let allowed = const { F::INFO.list_length() };
        if let Some(fixed) = allowed.fixed {
            return V::read_list::<F, _>(self, fixed as usize);
        }
        let length = self.length()?;
        let elements = self.cursor.take(length)?;
        let rest = std::mem::replace(&mut self.cursor, Cursor::new(elements));
        let mut list = Vec::new();
        while self.cursor.left_bytes() > 0 {
            list.push(V::read::<F, _>(self)?);
        }
        self.cursor = rest;
        match allowed.allows(list.len()) {
            true => Ok(list),
            false => Err(Fault::in_field(Problem::Length(list.len() as u64), F::INFO.name)),
        }
    }

    fn map<M: Record, F: Field, K: Value + Ord, V: Value>(
        &mut self,
        (): &mut (),
    ) -> Result<BTreeMap<K, V>, Fault> {
        unspeakable("maps")
    }

    #[inline]
    fn choice<M: Record, C: Choice>(&mut self, frame: &mut ()) -> Result<C, Fault> {
        let found = self.cursor.byte()?;
        match alternative(C::INFO, found) {
            Some(ordinal) => C::read::<_, M>(ordinal, self, frame),
            None => Err(Fault::in_field(Problem::UnknownAlternative(found.into()), C::INFO.name)),
        }
    }

    fn optional_choice<M: Record, C: Choice>(&mut self, _: &mut ()) -> Result<Option<C>, Fault> {
        unspeakable("oneofs that may be empty")
    }

    fn boolean<F: Field>(&mut self) -> Result<bool, Fault> {
        unspeakable("booleans")
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

    fn f32<F: Field>(&mut self) -> Result<f32, Fault> {
        unspeakable("floating-point numbers")
    }

    fn f64<F: Field>(&mut self) -> Result<f64, Fault> {
        unspeakable("floating-point numbers")
    }

    #[inline]
    fn text<F: Field>(&mut self) -> Result<String, Fault> {
        utf8(self.opaque::<F>()?)
    }

    #[inline]
    fn bytes<F: Field>(&mut self) -> Result<Vec<u8>, Fault> {
        self.opaque::<F>().map(<[u8]>::to_vec)
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
