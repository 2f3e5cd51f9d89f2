//! Bits to messages.

use std::collections::BTreeMap;

use super::bits::BitReader;
use super::{
    Count, FRAGMENT, MAX_FRAGMENTS, Number, choice_width, count_of, index_width, number_of, preamble_of,
};
use wiredyno_codec::asn1;
use wiredyno_codec::record::{
    Choice, Depth, Enumeration, Fault, Field, Key, MAX_EMPTY_ELEMENTS, Presence, Problem, Reader, Record,
    Value, narrow, out_of_range,
};

/// The input of a message.
pub(super) struct Input<'a> {
    bits: BitReader<'a>,
    depth: Depth,
}

/// The contents of a message's preamble.
pub(super) struct Preamble<M: Record> {
    presence: M::Presence,
    extended: bool,
}

impl<'a> Input<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Input<'a> {
        Input { bits: BitReader::new(bytes), depth: Depth::default() }
    }

    pub(super) fn finish(self) -> Result<(), Fault> {
        self.bits.finish()
    }

    /// A number with a constant width, which may be 0.
    #[inline(always)]
    fn take(&mut self, width: u32) -> Result<u64, Fault> {
        if width == 0 { Ok(0) } else { self.bits.take(width) }
    }

    #[inline(always)]
    fn signed<F: Field>(&mut self) -> Result<i64, Fault> {
        match const { number_of(F::INFO) } {
            Number::Offset { min, span, width } => {
                let offset = self.take(width)?;
                if offset > span {
                    return Err(out_of_range(i128::from(min) + i128::from(offset), F::INFO.name));
                }
                Ok(min.wrapping_add_unsigned(offset))
            }
            Number::Unsigned => {
                let value = self.unsigned_octets(F::INFO.name)?;
                narrow::<F, _, _>(value)
            }
            Number::Signed => self.signed_octets(F::INFO.name),
        }
    }

    #[inline(never)]
    fn signed_octets(&mut self, field: &'static str) -> Result<i64, Fault> {
        match self.bits.take(8)? as u32 {
            count @ 1..=8 => {
                let unused = u64::BITS - 8 * count;
                Ok((self.bits.take(8 * count)? << unused).cast_signed() >> unused)
            }
            count => Err(Fault::in_field(Problem::Length(count.into()), field)),
        }
    }

    #[inline(never)]
    fn unsigned_octets(&mut self, field: &'static str) -> Result<u64, Fault> {
        match self.bits.take(8)? as u32 {
            count @ 1..=8 => self.bits.take(8 * count),
            count => Err(Fault::in_field(Problem::Length(count.into()), field)),
        }
    }

    /// How many elements follow now, and whether more come after them.
    #[inline]
    fn run(&mut self) -> Result<(usize, bool), Fault> {
        let first = self.bits.take(8)? as usize;
        match first {
            0..0x80 => Ok((first, false)),
            0x80..0xc0 => Ok(((first & 0x3f) << 8 | self.bits.take(8)? as usize, false)),
            _ => match first & 0x3f {
                units @ 1..=MAX_FRAGMENTS => Ok((units * FRAGMENT, true)),
                other => Err(Fault::new(Problem::Length(other as u64))),
            },
        }
    }

    /// The count, if the constraint bounds it.
    #[inline]
    fn counted(&mut self, how: Count, field: &'static str) -> Result<Option<usize>, Fault> {
        match how {
            Count::Fixed(count) => Ok(Some(count)),
            Count::Within { max, width } => match self.take(width)? as usize {
                count if count <= max => Ok(Some(count)),
                count => Err(Fault::in_field(Problem::Length(count as u64), field)),
            },
            Count::Any => Ok(None),
        }
    }

    /// Refuses a number of further elements that can't fit in the bits that are left.
    #[inline]
    fn plausible(&self, known: usize, more: usize, field: &'static str) -> Result<(), Fault> {
        if more > self.bits.left_bits() && known + more > MAX_EMPTY_ELEMENTS {
            return Err(Fault::in_field(Problem::Count((known + more) as u64), field));
        }
        Ok(())
    }

    #[inline(never)]
    fn runs_of_bytes(&mut self, onto: &mut Vec<u8>) -> Result<(), Fault> {
        loop {
            let (run, more) = self.run()?;
            self.bits.take_bytes(run, onto)?;
            if !more {
                return Ok(());
            }
        }
    }

    /// Skips the additions of a newer definition (19.7 to 19.9): their number, a flag for each, and open types.
    #[cold]
    #[inline(never)]
    fn skip_additions(&mut self) -> Result<(), Fault> {
        // A normally small length (11.9.3.4): almost always up to 64 in six bits.
        let count = match self.bits.take(1)? {
            0 => self.bits.take(6)? as usize + 1,
            _ => match self.run()? {
                (count, false) => count,
                (count, true) => return Err(Fault::new(Problem::Count(count as u64))),
            },
        };
        let mut present = 0;
        for _ in 0..count {
            present += self.bits.take(1)?;
        }
        let mut skipped = Vec::new();
        for _ in 0..present {
            skipped.clear();
            self.runs_of_bytes(&mut skipped)?;
        }
        Ok(())
    }
}

impl<'a> Reader<'a> for Input<'a> {
    type Frame<M: Record> = Preamble<M>;

    #[inline]
    fn begin<M: Record>(&mut self) -> Result<Preamble<M>, Fault> {
        self.depth.enter()?;
        let mut preamble = Preamble::<M> { presence: M::Presence::NONE, extended: false };
        let width = const { preamble_of(M::INFO) };
        let flags = preamble.presence.as_mut();
        if width <= 64 {
            let bits = self.take(width)?;
            let count = flags.len();
            for (at, flag) in flags.iter_mut().enumerate() {
                *flag = bits >> (count - 1 - at) & 1 != 0;
            }
            preamble.extended = const { M::INFO.extensible } && bits >> (width - 1) != 0;
            return Ok(preamble);
        }
        preamble.extended = const { M::INFO.extensible } && self.bits.take(1)? != 0;
        for flags in flags.chunks_mut(64) {
            let bits = self.bits.take(flags.len() as u32)?;
            let count = flags.len();
            for (at, flag) in flags.iter_mut().enumerate() {
                *flag = bits >> (count - 1 - at) & 1 != 0;
            }
        }
        Ok(preamble)
    }

    #[inline]
    fn end<M: Record>(&mut self, preamble: Preamble<M>) -> Result<(), Fault> {
        self.depth.leave();
        if preamble.extended { self.skip_additions() } else { Ok(()) }
    }

    #[inline]
    fn one<M: Record, F: Field, V: Value>(&mut self, _: &mut Preamble<M>) -> Result<V, Fault> {
        V::read::<F, _>(self)
    }

    #[inline]
    fn optional<M: Record, F: Field, V: Value>(
        &mut self,
        preamble: &mut Preamble<M>,
    ) -> Result<Option<V>, Fault> {
        match preamble.presence.as_ref()[const { F::INFO.flag }] {
            true => V::read::<F, _>(self).map(Some),
            false => Ok(None),
        }
    }

    #[inline]
    fn list<M: Record, F: Field, V: Value>(&mut self, _: &mut Preamble<M>) -> Result<Vec<V>, Fault> {
        if let Some(count) = self.counted(const { count_of(F::INFO.list_length()) }, F::INFO.name)? {
            self.plausible(0, count, F::INFO.name)?;
            return V::read_list::<F, _>(self, count);
        }
        let mut list = Vec::new();
        loop {
            let (run, more) = self.run()?;
            self.plausible(list.len(), run, F::INFO.name)?;
            let mut read = V::read_list::<F, _>(self, run)?;
            if list.is_empty() {
                list = read;
            } else {
                list.append(&mut read);
            }
            if !more {
                return match F::INFO.list_length().allows(list.len()) {
                    true => Ok(list),
                    false => Err(Fault::in_field(Problem::Length(list.len() as u64), F::INFO.name)),
                };
            }
        }
    }

    fn map<M: Record, F: Field, K: Value + Ord, V: Value>(
        &mut self,
        _: &mut Preamble<M>,
    ) -> Result<BTreeMap<K, V>, Fault> {
        let bounded = self.counted(const { count_of(F::INFO.list_length()) }, F::INFO.name)?;
        let mut entries = BTreeMap::new();
        let mut known = 0;
        loop {
            let (run, more) = match bounded {
                Some(count) => (count, false),
                None => self.run()?,
            };
            self.plausible(known, run, F::INFO.name)?;
            known += run;
            for _ in 0..run {
                let key = K::read::<Key<F>, _>(self)?;
                entries.insert(key, V::read::<F, _>(self)?);
            }
            if !more {
                return Ok(entries);
            }
        }
    }

    #[inline]
    fn choice<M: Record, C: Choice>(&mut self, preamble: &mut Preamble<M>) -> Result<C, Fault> {
        let index_width = const { choice_width(C::INFO) };
        if const { C::INFO.extensible } && self.bits.take(1)? != 0 {
            return Err(Fault::other(format_args!(
                "`{}` holds an alternative of a newer definition",
                C::INFO.name
            )));
        }
        let ordinal = self.take(index_width)? as usize;
        C::read::<_, M>(ordinal, self, preamble)
    }

    #[inline]
    fn optional_choice<M: Record, C: Choice>(
        &mut self,
        preamble: &mut Preamble<M>,
    ) -> Result<Option<C>, Fault> {
        match preamble.presence.as_ref()[const { C::INFO.flag }] {
            true => self.choice::<M, C>(preamble).map(Some),
            false => Ok(None),
        }
    }

    #[inline]
    fn boolean<F: Field>(&mut self) -> Result<bool, Fault> {
        Ok(self.bits.take(1)? != 0)
    }

    #[inline]
    fn i32<F: Field>(&mut self) -> Result<i32, Fault> {
        Ok(self.signed::<F>()? as i32)
    }

    #[inline]
    fn i64<F: Field>(&mut self) -> Result<i64, Fault> {
        self.signed::<F>()
    }

    #[inline]
    fn u32<F: Field>(&mut self) -> Result<u32, Fault> {
        Ok(self.signed::<F>()? as u32)
    }

    #[inline]
    fn u64<F: Field>(&mut self) -> Result<u64, Fault> {
        if let Number::Unsigned = const { number_of(F::INFO) } {
            return self.unsigned_octets(F::INFO.name);
        }
        Ok(self.signed::<F>()?.cast_unsigned())
    }

    #[inline]
    fn f32<F: Field>(&mut self) -> Result<f32, Fault> {
        Ok(f32::from_bits(self.bits.take(32)? as u32))
    }

    #[inline]
    fn f64<F: Field>(&mut self) -> Result<f64, Fault> {
        self.bits.take(64).map(f64::from_bits)
    }

    #[inline]
    fn text<F: Field>(&mut self) -> Result<String, Fault> {
        let mut bytes = Vec::new();
        self.runs_of_bytes(&mut bytes)?;
        String::from_utf8(bytes).map_err(|_| Fault::in_field(Problem::Text, F::INFO.name))
    }

    #[inline]
    fn bytes<F: Field>(&mut self) -> Result<Vec<u8>, Fault> {
        let mut bytes = Vec::new();
        match self.counted(const { count_of(asn1::size(F::INFO)) }, F::INFO.name)? {
            Some(count) => self.bits.take_bytes(count, &mut bytes)?,
            None => self.runs_of_bytes(&mut bytes)?,
        }
        match const { asn1::size(F::INFO) }.allows(bytes.len()) {
            true => Ok(bytes),
            false => Err(Fault::in_field(Problem::Length(bytes.len() as u64), F::INFO.name)),
        }
    }

    #[inline]
    fn enumeration<F: Field, E: Enumeration>(&mut self) -> Result<E, Fault> {
        if const { E::INFO.extensible } && self.bits.take(1)? != 0 {
            return Err(Fault::other(format_args!("`{}` has a value of a newer definition", F::INFO.name)));
        }
        let ordinal = self.take(const { index_width(E::INFO) })? as usize;
        E::from_ordinal(ordinal)
    }

    #[inline]
    fn message<F: Field, M: Record>(&mut self) -> Result<M, Fault> {
        M::read(self)
    }

    #[inline]
    fn left_bytes(&self) -> usize {
        self.bits.left_bits().div_ceil(8)
    }
}
