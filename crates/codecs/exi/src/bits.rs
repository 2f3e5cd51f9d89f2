//! Bits, most significant first, and the numbers of sections 7.1.1 (binary), 7.1.5 (integer) and 7.1.6 (unsigned
//! integer) of EXI 1.0, in the bit-packed alignment.

use wiredyno_codec::bits::{BitWriter, Waiting};
use wiredyno_codec::record::{Fault, Problem};

/// In each byte, the mark of a seven-bit group that more groups follow.
const MARKS: u64 = 0x8080_8080_8080_8080;
/// The first number that does not fit into seven groups.
pub(super) const SEVEN_GROUPS: u64 = 1 << 49;

/// The seven-bit groups of a number below 2^56 as bytes, least significant group first, without marks, and their
/// number, at least one.
#[inline(always)]
fn groups(value: u64) -> (u64, u32) {
    let count = (u64::BITS - (value | 1).leading_zeros()).div_ceil(7);
    // Halves, quarters and eighths move apart by what their groups lack for whole bytes.
    let value = (value & 0x0fff_ffff) | (value & 0x00ff_ffff_f000_0000) << 4;
    let value = (value & 0x0000_3fff_0000_3fff) | (value & 0x0fff_c000_0fff_c000) << 2;
    let value = (value & 0x007f_007f_007f_007f) | (value & 0x3f80_3f80_3f80_3f80) << 1;
    (value, count)
}

/// The number in the first `width` bits, which are groups as written, at most seven.
#[inline(always)]
fn ungrouped(word: u64, width: u32) -> u64 {
    let groups = (word >> (u64::BITS - width) << (u64::BITS - width)).swap_bytes();
    let value = (groups & 0x007f_007f_007f_007f) | (groups & 0x7f00_7f00_7f00_7f00) >> 1;
    let value = (value & 0x0000_3fff_0000_3fff) | (value & 0x3fff_0000_3fff_0000) >> 2;
    (value & 0x0fff_ffff) | (value & 0x0fff_ffff_0000_0000) >> 4
}

/// An unsigned integer below 2^56 as written, in groups of seven bits, least significant first, each after a bit that
/// says whether more follow, and the number of bits.
#[inline(always)]
fn marked(value: u64) -> (u64, u32) {
    let (groups, count) = groups(value);
    let marked = groups | MARKS & !(MARKS << (8 * (count - 1)));
    (marked.swap_bytes() >> (u64::BITS - 8 * count), 8 * count)
}

/// The first seven groups of a longer unsigned integer: 56 bits.
#[inline(never)]
fn first_seven(value: u64) -> u64 {
    let (groups, _) = groups(value & (SEVEN_GROUPS - 1));
    (groups | MARKS).swap_bytes() >> 8
}

/// An unsigned integer below 2^56 as written, and the number of bits.
#[inline(always)]
fn unsigned(value: u64) -> (u64, u32) {
    if value < 0x80 { (value, 8) } else { marked(value) }
}

/// As [`unsigned`], for a number that is at most `most`, a constant at the call, less than 2^56.
#[inline(always)]
pub(super) fn unsigned_up_to(value: u64, most: u64) -> (u64, u32) {
    match most {
        ..0x80 => (value, 8),
        0x80..0x4000 if value < 0x80 => (value, 8),
        0x80..0x4000 => ((0x80 | (value & 0x7f)) << 8 | value >> 7, 16),
        _ => unsigned(value),
    }
}

/// [`BitWriter::put_unsigned_behind`], not inlined.
#[inline(never)]
fn called_unsigned(out: &mut Vec<u8>, waiting: Waiting, zeros: u32, value: u64) -> Waiting {
    let mut bits = BitWriter::together(out, waiting);
    bits.put_unsigned_behind(zeros, value);
    bits.apart().1
}

/// [`BitWriter::put_signed_behind`], not inlined.
#[inline(never)]
fn called_signed(out: &mut Vec<u8>, waiting: Waiting, zeros: u32, value: i64) -> Waiting {
    let mut bits = BitWriter::together(out, waiting);
    bits.put_signed_behind(zeros, value);
    bits.apart().1
}

/// What follows the sign of EXI's integer: the value, or -(value + 1) if negative.
#[inline(always)]
fn magnitude(value: i64) -> u64 {
    (value ^ (value >> 63)).cast_unsigned()
}

/// EXI's integers, for the bit writer that several formats share.
pub trait PutIntegers {
    /// EXI's unsigned integer, preceded by at most eight zeros.
    fn put_unsigned_behind(&mut self, zeros: u32, value: u64);

    /// EXI's integer, preceded by at most eight zeros: sign and magnitude, in one step where they fit.
    fn put_signed_behind(&mut self, zeros: u32, value: i64);

    /// [`Self::put_unsigned_behind`], not inlined, where it would be most of a field's code.
    fn call_unsigned_behind(&mut self, zeros: u32, value: u64);

    /// [`Self::put_signed_behind`], not inlined.
    fn call_signed_behind(&mut self, zeros: u32, value: i64);

    /// EXI's unsigned integer, 7.1.6.
    fn put_unsigned(&mut self, value: u64);

    /// EXI's integer, 7.1.5.
    fn put_signed(&mut self, value: i64);
}

impl PutIntegers for BitWriter<'_> {
    #[inline(always)]
    fn put_unsigned_behind(&mut self, mut zeros: u32, mut value: u64) {
        if value >= SEVEN_GROUPS {
            self.put(first_seven(value), zeros + 56);
            (zeros, value) = (0, value >> 49);
        }
        let (groups, width) = unsigned(value);
        self.put(groups, zeros + width);
    }

    #[inline(always)]
    fn put_signed_behind(&mut self, zeros: u32, value: i64) {
        let (negative, magnitude) = (u64::from(value < 0), magnitude(value));
        if magnitude >= SEVEN_GROUPS {
            self.put(negative, zeros + 1);
            return self.put_unsigned_behind(0, magnitude);
        }
        let (groups, width) = unsigned(magnitude);
        self.put(negative << width | groups, zeros + 1 + width);
    }

    #[inline(always)]
    fn call_unsigned_behind(&mut self, zeros: u32, value: u64) {
        let (out, waiting) = self.apart();
        let waiting = called_unsigned(out, waiting, zeros, value);
        self.resume(waiting);
    }

    #[inline(always)]
    fn call_signed_behind(&mut self, zeros: u32, value: i64) {
        let (out, waiting) = self.apart();
        let waiting = called_signed(out, waiting, zeros, value);
        self.resume(waiting);
    }

    fn put_unsigned(&mut self, value: u64) {
        self.put_unsigned_behind(0, value);
    }

    fn put_signed(&mut self, value: i64) {
        self.put_signed_behind(0, value);
    }
}

/// A word with `count` bits and the bytes after them from `next` on; returns the first byte that did not fit. Not inlined,
/// because it is needed once in seven bytes; takes values, so that the reader itself stays in registers.
#[inline(never)]
fn filled(bytes: &[u8], next: usize, word: u64, count: u32) -> (u64, usize) {
    let room = (63 - count as usize) / 8;
    if let Some((first, _)) = bytes.get(next..).and_then(<[u8]>::split_first_chunk) {
        return (word | u64::from_be_bytes(*first) >> count, next + room);
    }
    let left = bytes.len().saturating_sub(next);
    let last = match bytes.last_chunk() {
        Some(last) => *last,
        None => {
            let mut last = [0; 8];
            last[8 - bytes.len()..].copy_from_slice(bytes);
            last
        }
    };
    let rest = u64::from_be_bytes(last).checked_shl(64 - 8 * left as u32).unwrap_or(0);
    (word | rest >> count, next + left.min(room))
}

/// The input, bit by bit.
#[derive(Debug, Clone, Copy)]
pub(super) struct BitReader<'a> {
    bytes: &'a [u8],
    /// The first byte that is not counted in `count`.
    next: usize,
    /// The bits to come, from the most significant on. After the first `count` there are zeros, or bits of the
    /// input in their places.
    word: u64,
    count: u32,
}

impl<'a> BitReader<'a> {
    /// Starts at the first bit.
    pub fn new(bytes: &'a [u8]) -> BitReader<'a> {
        BitReader { bytes, next: 0, word: 0, count: 0 }
    }

    /// How many bits precede the next one.
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

    /// Loads the word until it has at least 56 bits, or all that are left.
    #[inline(always)]
    fn fill(&mut self) {
        let (word, next) = filled(self.bytes, self.next, self.word, self.count);
        self.count += 8 * (next - self.next) as u32;
        (self.word, self.next) = (word, next);
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

    /// Takes bits that are already in the word.
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

    /// An unsigned integer; refused beyond 64 bits.
    #[inline(always)]
    pub fn unsigned(&mut self) -> Result<u64, Fault> {
        // One group, as in most cases.
        if self.word < 1 << 63 && self.count >= 8 {
            return Ok(self.take(8).into());
        }
        if self.unsigned_width() > self.count {
            self.fill();
        }
        let width = self.unsigned_width();
        if width < 64 && width <= self.count {
            let value = ungrouped(self.word, width);
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

    /// A signed integer; refused beyond 64 bits.
    pub fn signed(&mut self) -> Result<i64, Fault> {
        let negative = self.get(1)? == 1;
        self.magnitude(negative)
    }

    /// A signed integer whose sign was already read.
    #[inline(always)]
    pub fn magnitude(&mut self, negative: bool) -> Result<i64, Fault> {
        let magnitude = self.unsigned()?;
        match i64::try_from(magnitude) {
            Ok(magnitude) => Ok(if negative { !magnitude } else { magnitude }),
            Err(_) => Err(Fault::new(Problem::OutOfRange(i128::from(magnitude)))),
        }
    }

    /// The next `count` bytes, starting at any bit.
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
        // There is one byte more, because the bits begin inside a byte.
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

    /// Refuses whole bytes after the message.
    pub fn finish(self) -> Result<(), Fault> {
        match self.left_bytes() {
            0 => Ok(()),
            left => Err(Fault::other(format_args!("{left} bytes are left after the document"))),
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
