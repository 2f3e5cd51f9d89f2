//! The writer of both forms: sizes are filled in after the value is written.

use std::collections::BTreeMap;

use super::{name_id, value_size};
use wiredyno_codec::container::{DATA_TYPE, TIME};
use wiredyno_codec::record::{Choice, Enumeration, Fault, Field, Key, Problem, Record, Value, Writer, check};
use wiredyno_codec::sink::Sink;

/// The output of a message; `VARINT` is the later form.
pub struct Body<'o, const VARINT: bool, S = Vec<u8>> {
    /// The output, which messages are appended to.
    pub out: &'o mut S,
    /// Whether ids are pseudo-CRCs of the names.
    pub by_name: bool,
}

/// What is around a message in a container: magic, length and comma; data type, string, and two times, each with id and size.
pub(super) const CONTAINER_BYTES: usize = 7 + 12 + 12 + 2 * (8 + 7 + 2 * 12);

/// Appends a varint: seven bits per byte, lowest first.
#[inline]
pub fn varint(mut value: u64, out: &mut impl Sink) {
    while value >= 0x80 {
        out.append(&[value as u8 | 0x80]);
        value >>= 7;
    }
    out.append(&[value as u8]);
}

/// Maps signed numbers near zero to small unsigned ones.
#[inline]
pub fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)).cast_unsigned()
}

/// Inserts the number of bytes after `start` before them as a varint; one byte was reserved for it.
#[inline(never)]
fn fill_varint(out: &mut impl Sink, start: usize) {
    let length = out.length() - start;
    if length < 0x80 {
        out.written()[start - 1] = length as u8;
        return;
    }
    let (mut bytes, mut count, mut rest) = ([0_u8; 10], 0, length as u64);
    while rest >= 0x80 {
        bytes[count] = rest as u8 | 0x80;
        rest >>= 7;
        count += 1;
    }
    bytes[count] = rest as u8;
    out.grow(count);
    let out = out.written();
    out.copy_within(start..start + length, start + count);
    out[start - 1..start + count].copy_from_slice(&bytes[..=count]);
}

impl<const VARINT: bool, S: Sink> Body<'_, VARINT, S> {
    /// A whole message: magic, length, payload, comma.
    #[inline(always)]
    pub fn whole<M: Record>(&mut self, message: &M) -> Result<(), Fault> {
        let start = self.open_message();
        message.write(self)?;
        self.close_message(start)
    }

    /// Magic and space for the length; returns where the payload begins.
    #[inline(always)]
    pub fn open_message(&mut self) -> usize {
        self.out.append(if VARINT { &[0xab, 0xcf] } else { &[0xaa, 0xcf] });
        self.open()
    }

    /// Fills in the length of the payload that begins at `start`, and ends the message.
    ///
    /// # Errors
    /// When it does not fit 32 bits.
    #[inline(always)]
    pub fn close_message(&mut self, start: usize) -> Result<(), Fault> {
        self.close(start)?;
        self.out.append(b",");
        Ok(())
    }

    /// Reserves space for a length; returns where its bytes begin.
    #[inline(always)]
    pub fn open(&mut self) -> usize {
        self.out.append(if VARINT { &[0] } else { &[0; 4] });
        self.out.length()
    }

    /// Fills in the length of everything after `start`.
    ///
    /// # Errors
    /// When it does not fit 32 bits.
    #[inline(always)]
    pub fn close(&mut self, start: usize) -> Result<(), Fault> {
        if VARINT {
            fill_varint(self.out, start);
            return Ok(());
        }
        let length = self.out.length() - start;
        let length = u32::try_from(length).map_err(|_| Fault::new(Problem::Length(length as u64)))?;
        self.out.written()[start - 4..start].copy_from_slice(&length.to_be_bytes());
        Ok(())
    }

    /// The id of this field.
    #[inline(always)]
    fn id<F: Field>(&self) -> u32 {
        let by_name = !VARINT && self.by_name;
        if by_name { const { name_id(F::INFO.name) } } else { F::INFO.number }
    }

    /// Writes the id of a field.
    #[inline]
    pub fn put_id(&mut self, id: u32) {
        if VARINT {
            varint(u64::from(id), self.out);
        } else {
            self.out.append(&id.to_be_bytes());
        }
    }

    /// One field: id, size, and what `write` writes.
    #[inline]
    fn field<F: Field>(&mut self, write: impl FnOnce(&mut Self) -> Result<(), Fault>) -> Result<(), Fault> {
        self.put_id(self.id::<F>());
        let start = self.open();
        write(self)?;
        self.close(start)
    }

    /// A number of elements or bytes.
    ///
    /// # Errors
    /// When it does not fit 32 bits.
    #[inline]
    pub fn length(&mut self, length: usize) -> Result<(), Fault> {
        if VARINT {
            varint(length as u64, self.out);
            return Ok(());
        }
        let length = u32::try_from(length).map_err(|_| Fault::new(Problem::Length(length as u64)))?;
        self.out.append(&length.to_be_bytes());
        Ok(())
    }

    fn count<F: Field>(&mut self, count: usize) -> Result<(), Fault> {
        let allowed = const { F::INFO.list_length() };
        if !allowed.allows(count) {
            return Err(Fault::in_field(Problem::Length(count as u64), F::INFO.name));
        }
        if allowed.fixed.is_some() { Ok(()) } else { self.length(count) }
    }

    #[inline]
    fn string<F: Field>(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        if !const { F::INFO.value_length() }.allows(bytes.len()) {
            return Err(Fault::in_field(Problem::Length(bytes.len() as u64), F::INFO.name));
        }
        self.length(bytes.len())?;
        self.out.append(bytes);
        Ok(())
    }

    /// The container up to the message; returns where the lengths that [`Self::container_end`] fills in are.
    pub fn container_start(&mut self) -> [usize; 3] {
        self.out.append(&[0xaa, 0xcf]);
        let whole = self.open();
        for word in [1, 4, DATA_TYPE, 2] {
            self.out.append(&word.to_be_bytes());
        }
        let field = self.open();
        [whole, field, self.open()]
    }

    /// The rest of the container.
    ///
    /// # Errors
    /// When a length does not fit 32 bits.
    pub fn container_end(&mut self, [whole, field, string]: [usize; 3]) -> Result<(), Fault> {
        self.close(string)?;
        self.close(field)?;
        for id in [3_u32, 4] {
            self.out.append(&id.to_be_bytes());
            let size = self.open();
            self.out.append(&[0xaa, 0xcf]);
            let time = self.open();
            for (id, part) in [(1_u32, TIME.seconds), (2, TIME.microseconds)] {
                self.out.append(&id.to_be_bytes());
                self.out.append(&4_u32.to_be_bytes());
                self.out.append(&part.to_be_bytes());
            }
            self.close(time)?;
            self.out.append(b",");
            self.close(size)?;
        }
        self.close(whole)?;
        self.out.append(b",");
        Ok(())
    }
}

impl<const VARINT: bool, S: Sink> Writer for Body<'_, VARINT, S> {
    type Frame<M: Record> = ();

    #[inline]
    fn begin<M: Record>(&mut self, _: &M) -> Result<(), Fault> {
        Ok(())
    }

    #[inline]
    fn end<M: Record>(&mut self, (): ()) -> Result<(), Fault> {
        Ok(())
    }

    #[inline(always)]
    fn one<M: Record, F: Field, V: Value>(&mut self, (): &mut (), value: &V) -> Result<(), Fault> {
        // A size that the definition fixes is written together with the id.
        if !VARINT && let Some(size) = const { value_size(F::INFO) } {
            self.out.append([self.id::<F>(), size as u32].map(u32::to_be_bytes).as_flattened());
            return value.write::<F, _>(self);
        }
        self.field::<F>(|body| value.write::<F, _>(body))
    }

    #[inline]
    fn optional<M: Record, F: Field, V: Value>(
        &mut self,
        frame: &mut (),
        value: Option<&V>,
    ) -> Result<(), Fault> {
        match value {
            Some(value) => self.one::<M, F, V>(frame, value),
            None => Ok(()),
        }
    }

    #[inline]
    fn list<M: Record, F: Field, V: Value>(&mut self, (): &mut (), values: &[V]) -> Result<(), Fault> {
        self.field::<F>(|body| {
            body.count::<F>(values.len())?;
            V::write_list::<F, _>(values, body)
        })
    }

    fn map<M: Record, F: Field, K: Value + Ord, V: Value>(
        &mut self,
        (): &mut (),
        entries: &BTreeMap<K, V>,
    ) -> Result<(), Fault> {
        self.field::<F>(|body| {
            body.count::<F>(entries.len())?;
            entries.iter().try_for_each(|(key, value)| {
                key.write::<Key<F>, _>(body)?;
                value.write::<F, _>(body)
            })
        })
    }

    fn choice<M: Record, C: Choice>(&mut self, frame: &mut (), choice: &C) -> Result<(), Fault> {
        choice.write::<_, M>(self, frame)
    }

    fn optional_choice<M: Record, C: Choice>(
        &mut self,
        frame: &mut (),
        choice: Option<&C>,
    ) -> Result<(), Fault> {
        match choice {
            Some(choice) => choice.write::<_, M>(self, frame),
            None => Ok(()),
        }
    }

    #[inline]
    fn boolean<F: Field>(&mut self, value: bool) -> Result<(), Fault> {
        self.out.append(&[u8::from(value)]);
        Ok(())
    }

    #[inline]
    fn i32<F: Field>(&mut self, value: i32) -> Result<(), Fault> {
        check::<F>(value.into())?;
        if VARINT {
            varint(zigzag(value.into()), self.out);
        } else {
            self.out.append(&value.to_be_bytes());
        }
        Ok(())
    }

    #[inline]
    fn i64<F: Field>(&mut self, value: i64) -> Result<(), Fault> {
        check::<F>(value)?;
        if VARINT {
            varint(zigzag(value), self.out);
        } else {
            self.out.append(&value.to_be_bytes());
        }
        Ok(())
    }

    #[inline]
    fn u32<F: Field>(&mut self, value: u32) -> Result<(), Fault> {
        check::<F>(value.into())?;
        if VARINT {
            varint(value.into(), self.out);
        } else {
            self.out.append(&value.to_be_bytes());
        }
        Ok(())
    }

    #[inline]
    fn u64<F: Field>(&mut self, value: u64) -> Result<(), Fault> {
        // Ranges end at the largest i64 at most, so larger values are outside every range.
        check::<F>(i64::try_from(value).unwrap_or(i64::MAX))?;
        if VARINT {
            varint(value, self.out);
        } else {
            self.out.append(&value.to_be_bytes());
        }
        Ok(())
    }

    #[inline]
    fn f32<F: Field>(&mut self, value: f32) -> Result<(), Fault> {
        self.out.append(&value.to_be_bytes());
        Ok(())
    }

    #[inline]
    fn f64<F: Field>(&mut self, value: f64) -> Result<(), Fault> {
        self.out.append(&value.to_be_bytes());
        Ok(())
    }

    #[inline]
    fn text<F: Field>(&mut self, value: &str) -> Result<(), Fault> {
        self.string::<F>(value.as_bytes())
    }

    #[inline]
    fn bytes<F: Field>(&mut self, value: &[u8]) -> Result<(), Fault> {
        self.string::<F>(value)
    }

    #[inline]
    fn enumeration<F: Field, E: Enumeration>(&mut self, value: E) -> Result<(), Fault> {
        if VARINT {
            varint(zigzag(value.number().into()), self.out);
        } else {
            self.out.append(&value.number().to_be_bytes());
        }
        Ok(())
    }

    #[inline(always)]
    fn message<F: Field, M: Record>(&mut self, value: &M) -> Result<(), Fault> {
        self.whole(value)
    }

    #[inline]
    fn f32_elements<F: Field>(&mut self, values: &[f32]) -> Result<(), Fault> {
        let places = self.out.grow(values.len() * 4);
        for (place, value) in places.as_chunks_mut().0.iter_mut().zip(values) {
            *place = value.to_be_bytes();
        }
        Ok(())
    }

    #[inline]
    fn f64_elements<F: Field>(&mut self, values: &[f64]) -> Result<(), Fault> {
        let places = self.out.grow(values.len() * 8);
        for (place, value) in places.as_chunks_mut().0.iter_mut().zip(values) {
            *place = value.to_be_bytes();
        }
        Ok(())
    }
}
