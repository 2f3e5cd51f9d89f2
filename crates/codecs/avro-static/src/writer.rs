//! Writes a message as Avro's binary encoding.

use std::collections::BTreeMap;

use wiredyno_codec::record::{Choice, Enumeration, Fault, Field, Key, Record, Value, Writer, check};

pub(super) struct Datum<'o> {
    pub(super) out: &'o mut Vec<u8>,
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
