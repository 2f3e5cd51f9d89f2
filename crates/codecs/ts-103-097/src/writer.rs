//! The writer: lengths in bytes are filled in after their content is written.

use std::collections::BTreeMap;

use super::{tag, width_of};
use wiredyno_codec::record::{Choice, Enumeration, Fault, Field, Integer, Problem, Record, Value, Writer};

/// The output of a message.
pub struct Body<'o> {
    /// The output, which messages are appended to.
    pub out: &'o mut Vec<u8>,
}

/// The bytes of an IntX and their number, for values below 2^56.
#[inline]
fn intx(value: u64) -> Result<([u8; 8], usize), Fault> {
    // Each further byte adds seven bits: one bit per byte is spent on the leading ones.
    let mut count = 1;
    while count < 8 && value >> (7 * count) > 0 {
        count += 1;
    }
    if value >> (7 * count) > 0 {
        return Err(Fault::new(Problem::Length(value)));
    }
    let ones = !(0xff_u64 >> (count - 1)) & 0xff;
    let mut bytes = (value | ones << (8 * (count - 1))).to_be_bytes();
    bytes.rotate_left(8 - count);
    Ok((bytes, count))
}

impl Body<'_> {
    /// An IntX, for values below 2^56.
    ///
    /// # Errors
    /// When the value is 2^56 or more.
    #[inline(never)]
    pub fn put_intx(&mut self, value: u64) -> Result<(), Fault> {
        let (bytes, count) = intx(value)?;
        self.out.extend_from_slice(&bytes[..count]);
        Ok(())
    }

    /// Inserts the number of bytes after `start` before them; one byte was reserved for it.
    #[inline(never)]
    pub fn close(&mut self, start: usize) -> Result<(), Fault> {
        let length = self.out.len() - start;
        let (bytes, count) = intx(length as u64)?;
        if count > 1 {
            self.out.resize(self.out.len() + count - 1, 0);
            self.out.copy_within(start..start + length, start + count - 1);
        }
        self.out[start - 1..start - 1 + count].copy_from_slice(&bytes[..count]);
        Ok(())
    }

    #[inline]
    fn integer<F: Field>(&mut self, value: i64) -> Result<(), Fault> {
        if let Some((min, max)) = const { F::INFO.range }
            && (value < min || value > max)
        {
            return Err(Fault::in_field(Problem::OutOfRange(value.into()), F::INFO.name));
        }
        match const { width_of(F::INFO) } {
            Some(Integer { bits: 8, .. }) => self.out.push(value as u8),
            Some(Integer { bits: 16, .. }) => self.out.extend_from_slice(&(value as u16).to_be_bytes()),
            Some(Integer { bits: 32, .. }) => self.out.extend_from_slice(&(value as u32).to_be_bytes()),
            Some(_) => self.out.extend_from_slice(&value.to_be_bytes()),
            None => self.put_intx(value.cast_unsigned())?,
        }
        Ok(())
    }

    #[inline]
    fn opaque<F: Field>(&mut self, value: &[u8]) -> Result<(), Fault> {
        let allowed = const { F::INFO.value_length() };
        if !allowed.allows(value.len()) {
            return Err(Fault::in_field(Problem::Length(value.len() as u64), F::INFO.name));
        }
        if allowed.fixed.is_none() {
            self.put_intx(value.len() as u64)?;
        }
        self.out.extend_from_slice(value);
        Ok(())
    }
}

/// Never reached: `carries` refuses such definitions.
pub fn unspeakable(what: &str) -> Result<(), Fault> {
    Err(Fault::other(format_args!("the format has no {what}")))
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

    fn optional<M: Record, F: Field, V: Value>(&mut self, (): &mut (), _: Option<&V>) -> Result<(), Fault> {
        unspeakable("fields that may be absent")
    }

    #[inline]
    fn list<M: Record, F: Field, V: Value>(&mut self, (): &mut (), values: &[V]) -> Result<(), Fault> {
        let allowed = const { F::INFO.list_length() };
        if !allowed.allows(values.len()) {
            return Err(Fault::in_field(Problem::Length(values.len() as u64), F::INFO.name));
        }
        if allowed.fixed.is_some() {
            return V::write_list::<F, _>(values, self);
        }
        self.out.push(0);
        let start = self.out.len();
        V::write_list::<F, _>(values, self)?;
        self.close(start)
    }

    fn map<M: Record, F: Field, K: Value + Ord, V: Value>(
        &mut self,
        (): &mut (),
        _: &BTreeMap<K, V>,
    ) -> Result<(), Fault> {
        unspeakable("maps")
    }

    #[inline]
    fn choice<M: Record, C: Choice>(&mut self, frame: &mut (), choice: &C) -> Result<(), Fault> {
        self.out.push(tag(&C::INFO.alternatives[choice.ordinal()]) as u8);
        choice.write::<_, M>(self, frame)
    }

    fn optional_choice<M: Record, C: Choice>(&mut self, _: &mut (), _: Option<&C>) -> Result<(), Fault> {
        unspeakable("oneofs that may be empty")
    }

    fn boolean<F: Field>(&mut self, _: bool) -> Result<(), Fault> {
        unspeakable("booleans")
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
        if const { F::INFO.range.is_some() } && value > i64::MAX.cast_unsigned() {
            return Err(Fault::in_field(Problem::OutOfRange(value.into()), F::INFO.name));
        }
        self.integer::<F>(value.cast_signed())
    }

    fn f32<F: Field>(&mut self, _: f32) -> Result<(), Fault> {
        unspeakable("floating-point numbers")
    }

    fn f64<F: Field>(&mut self, _: f64) -> Result<(), Fault> {
        unspeakable("floating-point numbers")
    }

    #[inline]
    fn text<F: Field>(&mut self, value: &str) -> Result<(), Fault> {
        self.opaque::<F>(value.as_bytes())
    }

    #[inline]
    fn bytes<F: Field>(&mut self, value: &[u8]) -> Result<(), Fault> {
        self.opaque::<F>(value)
    }

    #[inline]
    fn enumeration<F: Field, E: Enumeration>(&mut self, value: E) -> Result<(), Fault> {
        self.integer::<F>(value.number().into())
    }

    #[inline]
    fn message<F: Field, M: Record>(&mut self, value: &M) -> Result<(), Fault> {
        value.write(self)
    }
}

#[cfg(test)]
mod tests {
    use super::intx;

    #[test]
    fn intx_is_as_the_layout_says() {
        let bytes = |value| {
            let (bytes, count) = intx(value).unwrap();
            bytes[..count].to_vec()
        };
        assert_eq!(bytes(0), [0]);
        assert_eq!(bytes(127), [0x7f]);
        assert_eq!(bytes(128), [0x80, 0x80]);
        assert_eq!(bytes(16_383), [0xbf, 0xff]);
        assert_eq!(bytes(16_384), [0xc0, 0x40, 0x00]);
        assert_eq!(bytes((1 << 56) - 1), [&[0xfe][..], &[0xff; 7]].concat());
        assert!(intx(1 << 56).is_err());
    }
}
