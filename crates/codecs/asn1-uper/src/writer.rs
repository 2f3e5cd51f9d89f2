//! Messages to bits.

use std::collections::BTreeMap;

use super::{
    Count, FRAGMENT, MAX_FRAGMENTS, Number, choice_width, count_of, index_width, number_of, preamble_of,
};
use wiredyno_codec::asn1;
use wiredyno_codec::bits::BitWriter;
use wiredyno_codec::record::{
    Choice, Enumeration, Fault, Field, Key, Length, Problem, Record, Value, Writer, out_of_range,
};

/// The output of a message.
pub struct Body<'o> {
    /// The output, bit by bit.
    pub bits: BitWriter<'o>,
    /// The length of the output before the message.
    start: usize,
}

impl<'o> Body<'o> {
    /// Starts a message at the end of `out`.
    pub fn new(out: &'o mut Vec<u8>) -> Body<'o> {
        let start = out.len();
        Body { bits: BitWriter::new(out), start }
    }

    /// Fills the last byte with zeros. The complete encoding has at least one octet (X.691, 11.1.3).
    pub fn finish(self) {
        let out = self.bits.finish();
        if out.len() == self.start {
            out.push(0);
        }
    }

    /// A number within its constraint, or in as many octets as it needs.
    #[inline(always)]
    fn signed<F: Field>(&mut self, value: i64) -> Result<(), Fault> {
        match const { number_of(F::INFO) } {
            Number::Offset { min, span, width } => {
                let offset = value.wrapping_sub(min).cast_unsigned();
                if value < min || offset > span {
                    return Err(out_of_range(value.into(), F::INFO.name));
                }
                self.bits.put(offset, width);
                Ok(())
            }
            Number::Unsigned if value < 0 => Err(out_of_range(value.into(), F::INFO.name)),
            Number::Unsigned => {
                self.octets(value.cast_unsigned(), unsigned_octets(value.cast_unsigned()));
                Ok(())
            }
            Number::Signed => {
                self.octets(value.cast_unsigned(), signed_octets(value));
                Ok(())
            }
        }
    }

    /// The lowest octets of a number, preceded by their count.
    #[inline(never)]
    pub fn octets(&mut self, value: u64, count: u32) {
        self.bits.put(u64::from(count), 8);
        let mask = u64::MAX >> (u64::BITS - 8 * count);
        self.bits.put(value & mask, 8 * count);
    }

    /// How many elements follow now: all, or one fragment of a long list (11.9.3.5 to 11.9.3.8).
    #[inline]
    pub fn run(&mut self, left: usize) -> usize {
        match left {
            0..128 => self.bits.put(left as u64, 8),
            128..FRAGMENT => self.bits.put(0x8000 | left as u64, 16),
            _ => {
                let units = (left / FRAGMENT).min(MAX_FRAGMENTS);
                self.bits.put(0xc0 | units as u64, 8);
                return units * FRAGMENT;
            }
        }
        left
    }

    /// Writes the count if the constraint bounds it; returns `false` where runs must be written.
    #[inline]
    pub fn counted(
        &mut self,
        how: Count,
        allowed: Length,
        count: usize,
        field: &'static str,
    ) -> Result<bool, Fault> {
        if !allowed.allows(count) {
            return Err(Fault::in_field(Problem::Length(count as u64), field));
        }
        match how {
            Count::Fixed(_) => Ok(true),
            Count::Within { width, .. } => {
                self.bits.put(count as u64, width);
                Ok(true)
            }
            Count::Any => Ok(false),
        }
    }

    /// Bytes whose number is not constrained.
    #[inline(never)]
    pub fn runs_of_bytes(&mut self, mut bytes: &[u8]) {
        loop {
            let run = self.run(bytes.len());
            let (now, rest) = bytes.split_at(run);
            self.bits.put_bytes(now);
            if run < FRAGMENT {
                return;
            }
            bytes = rest;
        }
    }
}

/// The fewest octets for an unsigned number.
pub fn unsigned_octets(value: u64) -> u32 {
    (u64::BITS - value.leading_zeros()).div_ceil(8).max(1)
}

/// The fewest octets for a two's complement number.
pub fn signed_octets(value: i64) -> u32 {
    // All bits that differ from the sign, and one for the sign.
    (u64::BITS - (value ^ (value >> 63)).leading_zeros() + 1).div_ceil(8)
}

impl Writer for Body<'_> {
    type Frame<M: Record> = ();

    #[inline]
    fn begin<M: Record>(&mut self, message: &M) -> Result<(), Fault> {
        let width = const { preamble_of(M::INFO) };
        if width == 0 {
            return Ok(());
        }
        let presence = message.presence();
        let flags = presence.as_ref();
        if width <= 64 {
            // The extension bit is the highest and zero.
            self.bits.put(flags.iter().fold(0, |bits, flag| bits << 1 | u64::from(*flag)), width);
            return Ok(());
        }
        if const { M::INFO.extensible } {
            self.bits.put(0, 1);
        }
        for flags in flags.chunks(64) {
            let bits = flags.iter().fold(0, |bits, flag| bits << 1 | u64::from(*flag));
            self.bits.put(bits, flags.len() as u32);
        }
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
            Some(value) => value.write::<F, _>(self),
            None => Ok(()),
        }
    }

    #[inline]
    fn list<M: Record, F: Field, V: Value>(&mut self, (): &mut (), values: &[V]) -> Result<(), Fault> {
        let allowed = const { F::INFO.list_length() };
        if self.counted(const { count_of(F::INFO.list_length()) }, allowed, values.len(), F::INFO.name)? {
            return V::write_list::<F, _>(values, self);
        }
        let mut rest = values;
        loop {
            let run = self.run(rest.len());
            let (now, later) = rest.split_at(run);
            V::write_list::<F, _>(now, self)?;
            if run < FRAGMENT {
                return Ok(());
            }
            rest = later;
        }
    }

    fn map<M: Record, F: Field, K: Value + Ord, V: Value>(
        &mut self,
        (): &mut (),
        entries: &BTreeMap<K, V>,
    ) -> Result<(), Fault> {
        let allowed = const { F::INFO.list_length() };
        let how = const { count_of(F::INFO.list_length()) };
        let bounded = self.counted(how, allowed, entries.len(), F::INFO.name)?;
        let mut run = 0;
        for (at, (key, value)) in entries.iter().enumerate() {
            if !bounded && run == 0 {
                run = self.run(entries.len() - at);
            }
            run = run.saturating_sub(1);
            key.write::<Key<F>, _>(self)?;
            value.write::<F, _>(self)?;
        }
        // A list of whole fragments ends with an empty one, and so does an empty list.
        if !bounded && entries.len().is_multiple_of(FRAGMENT) {
            self.run(0);
        }
        Ok(())
    }

    #[inline]
    fn choice<M: Record, C: Choice>(&mut self, frame: &mut (), choice: &C) -> Result<(), Fault> {
        let width = const { choice_width(C::INFO) + C::INFO.extensible as u32 };
        self.bits.put(choice.ordinal() as u64, width);
        choice.write::<_, M>(self, frame)
    }

    #[inline]
    fn optional_choice<M: Record, C: Choice>(
        &mut self,
        frame: &mut (),
        choice: Option<&C>,
    ) -> Result<(), Fault> {
        match choice {
            Some(choice) => self.choice::<M, C>(frame, choice),
            None => Ok(()),
        }
    }

    #[inline]
    fn boolean<F: Field>(&mut self, value: bool) -> Result<(), Fault> {
        self.bits.put(u64::from(value), 1);
        Ok(())
    }

    #[inline]
    fn i32<F: Field>(&mut self, value: i32) -> Result<(), Fault> {
        self.signed::<F>(value.into())
    }

    #[inline]
    fn i64<F: Field>(&mut self, value: i64) -> Result<(), Fault> {
        self.signed::<F>(value)
    }

    #[inline]
    fn u32<F: Field>(&mut self, value: u32) -> Result<(), Fault> {
        self.signed::<F>(value.into())
    }

    #[inline]
    fn u64<F: Field>(&mut self, value: u64) -> Result<(), Fault> {
        if let Number::Unsigned = const { number_of(F::INFO) } {
            self.octets(value, unsigned_octets(value));
            return Ok(());
        }
        match i64::try_from(value) {
            Ok(value) => self.signed::<F>(value),
            Err(_) => Err(out_of_range(value.into(), F::INFO.name)),
        }
    }

    #[inline]
    fn f32<F: Field>(&mut self, value: f32) -> Result<(), Fault> {
        self.bits.put(value.to_bits().into(), 32);
        Ok(())
    }

    #[inline]
    fn f64<F: Field>(&mut self, value: f64) -> Result<(), Fault> {
        self.bits.put(value.to_bits(), 64);
        Ok(())
    }

    #[inline]
    fn text<F: Field>(&mut self, value: &str) -> Result<(), Fault> {
        self.runs_of_bytes(value.as_bytes());
        Ok(())
    }

    #[inline]
    fn bytes<F: Field>(&mut self, value: &[u8]) -> Result<(), Fault> {
        let how = const { count_of(asn1::size(F::INFO)) };
        match self.counted(how, const { asn1::size(F::INFO) }, value.len(), F::INFO.name)? {
            true => self.bits.put_bytes(value),
            false => self.runs_of_bytes(value),
        }
        Ok(())
    }

    #[inline]
    fn enumeration<F: Field, E: Enumeration>(&mut self, value: E) -> Result<(), Fault> {
        let width = const { index_width(E::INFO) + E::INFO.extensible as u32 };
        self.bits.put(value.ordinal() as u64, width);
        Ok(())
    }

    #[inline]
    fn message<F: Field, M: Record>(&mut self, value: &M) -> Result<(), Fault> {
        value.write(self)
    }
}
