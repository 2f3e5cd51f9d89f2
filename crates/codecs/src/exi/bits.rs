//! Bits, most significant first, and the numbers of sections 7.1.1 (binary), 7.1.5 (integer) and 7.1.6 (unsigned
//! integer) of EXI 1.0, in the bit-packed alignment.

use crate::bits::BitWriter;
use crate::record::{Fault, Problem};

/// The mark of a group behind which more follow, in each byte.
const MARKS: u64 = 0x8080_8080_8080_8080;
/// What fits into eight groups.
const EIGHT_GROUPS: u64 = 1 << 56;

/// The seven-bit groups of a number below 2^56 as bytes, the least significant group first, every one without its
/// mark, and their number, at least one.
#[inline(always)]
fn groups(value: u64) -> (u64, u32) {
    let count = (u64::BITS - (value | 1).leading_zeros()).div_ceil(7);
    // Halves, quarters and eighths move apart by what their groups lack to whole bytes.
    let value = (value & 0x0fff_ffff) | (value & 0x00ff_ffff_f000_0000) << 4;
    let value = (value & 0x0000_3fff_0000_3fff) | (value & 0x0fff_c000_0fff_c000) << 2;
    let value = (value & 0x007f_007f_007f_007f) | (value & 0x3f80_3f80_3f80_3f80) << 1;
    (value, count)
}

/// The number of those groups.
#[inline(always)]
fn ungrouped(groups: u64) -> u64 {
    let value = (groups & 0x007f_007f_007f_007f) | (groups & 0x7f00_7f00_7f00_7f00) >> 1;
    let value = (value & 0x0000_3fff_0000_3fff) | (value & 0x3fff_0000_3fff_0000) >> 2;
    (value & 0x0fff_ffff) | (value & 0x0fff_ffff_0000_0000) >> 4
}

impl BitWriter<'_> {
    /// EXI's unsigned integer: groups of seven bits, the least significant first, each after a bit that says whether more
    /// follow.
    #[inline(always)]
    pub fn put_unsigned(&mut self, mut value: u64) {
        if value >= EIGHT_GROUPS {
            let (first, _) = groups(value & (EIGHT_GROUPS - 1));
            self.put(first.swap_bytes() | MARKS, 64);
            value >>= 56;
        }
        let (groups, count) = groups(value);
        let marked = groups | MARKS & !(MARKS << (8 * (count - 1)));
        self.put(marked.swap_bytes() >> (u64::BITS - 8 * count), 8 * count);
    }

    /// The same of a number that is at most `most`, a constant where this is called.
    #[inline(always)]
    pub fn put_unsigned_up_to(&mut self, value: u64, most: u64) {
        if most < 0x80 {
            self.put(value, 8);
        } else if most < 0x4000 {
            let two = (0x80 | (value & 0x7f)) << 8 | value >> 7;
            let (groups, width) = if value < 0x80 { (value, 8) } else { (two, 16) };
            self.put(groups, width);
        } else {
            self.put_unsigned(value);
        }
    }

    /// EXI's integer: a sign bit, then the value, or -(value + 1) below zero.
    #[inline(always)]
    pub fn put_signed(&mut self, value: i64) {
        self.put(u64::from(value < 0), 1);
        self.put_unsigned((value ^ (value >> 63)).cast_unsigned());
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
            *self = self.filled_from_last();
        }
    }

    /// Where less than eight bytes are left. By value, so that the reader itself stays in registers.
    #[inline(never)]
    fn filled_from_last(mut self) -> BitReader<'a> {
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
        self
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

    /// The bits up to the first byte whose mark says that no more follow.
    #[inline(always)]
    fn unsigned_width(&self) -> u32 {
        ((!self.word & MARKS).leading_zeros() / 8 + 1) * 8
    }

    /// An unsigned integer; refused past 64 bits.
    #[inline(always)]
    pub fn unsigned(&mut self) -> Result<u64, Fault> {
        let mut width = self.unsigned_width();
        if width > self.count {
            self.fill();
            width = self.unsigned_width();
        }
        if width < 64 && width <= self.count {
            let value = ungrouped((self.word >> (u64::BITS - width) << (u64::BITS - width)).swap_bytes());
            self.word <<= width;
            self.count -= width;
            return Ok(value);
        }
        let (value, after) = self.long_unsigned()?;
        *self = after;
        Ok(value)
    }

    /// Group by group. By value, so that the reader itself stays in registers.
    #[inline(never)]
    fn long_unsigned(mut self) -> Result<(u64, BitReader<'a>), Fault> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let group = u64::from(self.get(8)?);
            if shift == 63 && group > 1 {
                break;
            }
            value |= (group & 0x7f) << shift;
            if group < 0x80 {
                return Ok((value, self));
            }
        }
        Err(Fault::other("an integer of more than 64 bits"))
    }

    /// A signed integer; refused past 64 bits.
    #[inline(always)]
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
