//! Bits, most significant first, and the numbers of sections 7.1.1 (binary), 7.1.5 (integer) and 7.1.6 (unsigned
//! integer) of EXI 1.0, in the bit-packed alignment.

use crate::record::{Fault, Problem};

/// Where bits are written to. Whole words go to the buffer; up to 31 bits wait.
pub struct BitWriter<'o> {
    out: &'o mut Vec<u8>,
    waiting: u64,
    count: u32,
}

impl<'o> BitWriter<'o> {
    /// Appends to `out`.
    pub fn new(out: &'o mut Vec<u8>) -> BitWriter<'o> {
        BitWriter { out, waiting: 0, count: 0 }
    }

    /// The low `width` bits, at most 32, of a value that has no others.
    #[inline(always)]
    pub fn put(&mut self, value: u32, width: u32) {
        self.waiting = (self.waiting << width) | u64::from(value);
        self.count += width;
        if self.count >= 32 {
            self.count -= 32;
            self.out.extend_from_slice(&((self.waiting >> self.count) as u32).to_be_bytes());
        }
    }

    /// Groups of seven bits, the least significant first, each after a bit that says whether more follow.
    #[inline]
    pub fn put_unsigned(&mut self, value: u64) {
        match value {
            0..0x80 => self.put(value as u32, 8),
            0x80..0x4000 => {
                let value = value as u32;
                self.put((0x80 | (value & 0x7f)) << 8 | value >> 7, 16);
            }
            _ => self.put_groups(value),
        }
    }

    #[inline(never)]
    fn put_groups(&mut self, mut value: u64) {
        while value >= 1 << 21 {
            let [a, b, c] = [value as u32 & 0x7f, (value >> 7) as u32 & 0x7f, (value >> 14) as u32 & 0x7f];
            self.put(0x80_8080 | a << 16 | b << 8 | c, 24);
            value >>= 21;
        }
        while value >= 0x80 {
            self.put(0x80 | (value as u32 & 0x7f), 8);
            value >>= 7;
        }
        self.put(value as u32, 8);
    }

    /// A sign bit, then the value, or -(value + 1) below zero.
    #[inline]
    pub fn put_signed(&mut self, value: i64) {
        self.put(u32::from(value < 0), 1);
        self.put_unsigned((value ^ (value >> 63)).cast_unsigned());
    }

    /// Bytes, wherever the bits stand.
    #[inline(never)]
    pub fn put_bytes(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        if !words.is_empty() {
            while self.count >= 8 {
                self.count -= 8;
                self.out.push((self.waiting >> self.count) as u8);
            }
            let start = self.out.len();
            self.out.resize(start + words.len() * 8, 0);
            let (places, _) = self.out[start..].as_chunks_mut::<8>();
            let count = self.count;
            let mut before = self.waiting;
            for (place, word) in places.iter_mut().zip(words) {
                let word = u64::from_be_bytes(*word);
                // Two shifts, because none may be as wide as the word.
                *place = ((before << 1 << (63 - count)) | (word >> count)).to_be_bytes();
                before = word;
            }
            self.waiting = before;
        }
        for byte in rest {
            self.put(u32::from(*byte), 8);
        }
    }

    /// Fills the last byte with zeros.
    #[inline]
    pub fn finish(mut self) {
        let fill = self.count.wrapping_neg() & 7;
        self.put(0, fill);
        while self.count > 0 {
            self.count -= 8;
            self.out.push((self.waiting >> self.count) as u8);
        }
    }
}

/// Where bits are read from.
#[derive(Debug, Clone, Copy)]
pub(super) struct BitReader<'a> {
    bytes: &'a [u8],
    /// The first byte that is not counted in `count`.
    next: usize,
    /// The bits to come, from the most significant on. Behind the first `count` there are zeros, or bits of the
    /// input in their places.
    word: u64,
    count: u32,
}

impl<'a> BitReader<'a> {
    /// At the first bit.
    pub fn new(bytes: &'a [u8]) -> BitReader<'a> {
        BitReader { bytes, next: 0, word: 0, count: 0 }
    }

    /// How many bits lie before the next one.
    #[inline]
    pub fn position(&self) -> usize {
        self.next * 8 - self.count as usize
    }

    /// The same input from another bit on.
    pub fn at_position(self, at: usize) -> Result<BitReader<'a>, Fault> {
        let mut reader = BitReader { next: at / 8, word: 0, count: 0, ..self };
        reader.get(at as u32 % 8)?;
        Ok(reader)
    }

    /// The bytes of the whole input.
    pub fn input_bytes(&self) -> usize {
        self.bytes.len()
    }

    /// Whole bytes that are left.
    #[inline]
    pub fn left_bytes(&self) -> usize {
        self.bytes.len() - self.next.min(self.bytes.len()) + self.count as usize / 8
    }

    /// At least 56 bits in the word, or all that are left.
    #[inline]
    fn fill(&mut self) {
        if let Some((bytes, _)) = self.bytes.get(self.next..).and_then(<[u8]>::split_first_chunk) {
            self.word |= u64::from_be_bytes(*bytes) >> self.count;
            let whole = (63 - self.count) / 8;
            self.next += whole as usize;
            self.count += whole * 8;
        } else {
            self.fill_from_last();
        }
    }

    /// Where less than eight bytes are left.
    #[inline(never)]
    fn fill_from_last(&mut self) {
        let left = self.bytes.len().saturating_sub(self.next);
        let last = match self.bytes.last_chunk() {
            Some(last) => *last,
            None => {
                let mut last = [0; 8];
                last[8 - self.bytes.len()..].copy_from_slice(self.bytes);
                last
            }
        };
        let word = u64::from_be_bytes(last).checked_shl(64 - 8 * left as u32).unwrap_or(0);
        self.word |= word >> self.count;
        let whole = left.min((63 - self.count as usize) / 8);
        self.next += whole;
        self.count += 8 * whole as u32;
    }

    /// The next `width` bits, at most 32.
    #[inline(always)]
    pub fn get(&mut self, width: u32) -> Result<u32, Fault> {
        if self.count < width {
            self.fill();
            if self.count < width {
                return Err(Fault::new(Problem::Truncated));
            }
        }
        Ok(self.take(width))
    }

    /// Bits that are in the word.
    #[inline(always)]
    fn take(&mut self, width: u32) -> u32 {
        // Two shifts, because none may be as wide as the word.
        let value = self.word >> 1 >> (63 - width);
        self.word <<= width;
        self.count -= width;
        value as u32
    }

    /// An unsigned integer; refused past 64 bits.
    #[inline]
    pub fn unsigned(&mut self) -> Result<u64, Fault> {
        if self.count < 56 {
            self.fill();
        }
        // The first byte whose mark says that no more follow.
        let last = (!self.word & 0x8080_8080_8080_8080).leading_zeros() / 8;
        let width = (last + 1) * 8;
        if last == 0 && self.count >= 8 {
            return Ok(self.take(8).into());
        }
        if last < 7 && width <= self.count {
            let value =
                (0..=last).fold(0, |value, at| value | (self.word >> (56 - at * 8) & 0x7f) << (at * 7));
            self.word <<= width;
            self.count -= width;
            return Ok(value);
        }
        self.groups()
    }

    #[inline(never)]
    fn groups(&mut self) -> Result<u64, Fault> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let group = u64::from(self.get(8)?);
            if shift == 63 && group > 1 {
                break;
            }
            value |= (group & 0x7f) << shift;
            if group < 0x80 {
                return Ok(value);
            }
        }
        Err(Fault::other("an integer of more than 64 bits"))
    }

    /// A signed integer; refused past 64 bits.
    #[inline]
    pub fn signed(&mut self) -> Result<i64, Fault> {
        let negative = self.get(1)? == 1;
        let magnitude = self.unsigned()?;
        match i64::try_from(magnitude) {
            Ok(magnitude) => Ok(if negative { !magnitude } else { magnitude }),
            Err(_) => Err(Fault::new(Problem::OutOfRange(i128::from(magnitude)))),
        }
    }

    /// The next `count` bytes, wherever the bits stand.
    #[inline(never)]
    pub fn bytes(&mut self, count: usize) -> Result<Vec<u8>, Fault> {
        if count > self.left_bytes() {
            return Err(Fault::new(Problem::Truncated));
        }
        let (start, bit) = (self.position() / 8, self.position() % 8);
        let after = self.at_position(self.position() + count * 8)?;
        *self = after;
        if bit == 0 {
            return Ok(self.bytes[start..start + count].to_vec());
        }
        // One byte more is there, because the bits begin inside of one.
        let source = &self.bytes[start..=start + count];
        let word = |at: usize| {
            let [a, b, c, d, e, f, g, h, behind] = *source.get(at..)?.first_chunk()?;
            let word = u64::from_be_bytes([a, b, c, d, e, f, g, h]) << bit;
            Some((word | u64::from(behind) >> (8 - bit)).to_be_bytes())
        };
        let mut bytes = Vec::with_capacity(count);
        while let Some(word) = word(bytes.len()) {
            bytes.extend_from_slice(&word);
        }
        let rest = count - bytes.len();
        match count.checked_sub(8).and_then(word) {
            Some(last) => bytes.extend_from_slice(&last[8 - rest..]),
            None => {
                let pairs = source.windows(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]]));
                bytes.extend(pairs.map(|pair| (pair << bit >> 8) as u8));
            }
        }
        Ok(bytes)
    }

    /// Refuses whole bytes behind the message.
    pub fn finish(self) -> Result<(), Fault> {
        match self.left_bytes() {
            0 => Ok(()),
            left => Err(Fault::other(format_args!("{left} bytes are left behind the document"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_comes_back_at_every_alignment() {
        let blob: Vec<u8> = (0..50).collect();
        let numbers = [0, 1, 127, 128, 16_383, 16_384, 2_097_151, 2_097_152, 1 << 62, u64::MAX];
        for shift in 0..32 {
            let mut out = vec![7];
            let mut writer = BitWriter::new(&mut out);
            writer.put(0, shift);
            for number in numbers {
                writer.put_unsigned(number);
                writer.put_signed(number.cast_signed());
            }
            for length in [0, 1, 7, 8, 9, 50] {
                writer.put_bytes(&blob[..length]);
                writer.put(1, 1);
            }
            writer.finish();
            let mut reader = BitReader::new(&out[1..]);
            assert_eq!(reader.get(shift).unwrap(), 0);
            for number in numbers {
                assert_eq!(reader.unsigned().unwrap(), number);
                assert_eq!(reader.signed().unwrap(), number.cast_signed());
            }
            for length in [0, 1, 7, 8, 9, 50] {
                assert_eq!(reader.bytes(length).unwrap(), blob[..length]);
                assert_eq!(reader.get(1).unwrap(), 1);
            }
            reader.finish().unwrap();
            assert!(BitReader::new(&[]).get(1).is_err());
        }
    }

    #[test]
    fn the_specifications_groups() {
        // 300 = 0b10_0101100: the low seven bits first, marked as not the last.
        let mut out = Vec::new();
        let mut writer = BitWriter::new(&mut out);
        writer.put_unsigned(300);
        writer.finish();
        assert_eq!(out, [0xac, 0x02]);
        assert!(BitReader::new(&[0xff; 11]).unsigned().is_err());
    }
}
