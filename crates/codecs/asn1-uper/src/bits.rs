//! Reads bits from bytes, most significant first, through one 64-bit word.
//!
//! The word stays in registers where the walk is inlined: nothing on the path of numbers takes `self` out of line.

use wiredyno_codec::bits::left;
use wiredyno_codec::record::{Fault, Problem};

/// Reads bits from a byte string.
pub(super) struct BitReader<'a> {
    rest: &'a [u8],
    /// Its highest `filled` bits are the next ones; the others are zero.
    word: u64,
    filled: u32,
    all_bits: usize,
}

impl<'a> BitReader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> BitReader<'a> {
        BitReader { rest: bytes, word: 0, filled: 0, all_bits: bytes.len() * 8 }
    }

    pub(super) fn left_bits(&self) -> usize {
        self.rest.len() * 8 + self.filled as usize
    }

    /// Takes the next `width` bits as a number; 1 to 64.
    #[inline(always)]
    pub(super) fn take(&mut self, width: u32) -> Result<u64, Fault> {
        let known = self.word >> (u64::BITS - width);
        if width <= self.filled {
            self.word = left(self.word, width);
            self.filled -= width;
            return Ok(known);
        }
        let need = width - self.filled;
        let (next, bits) = match self.rest.split_first_chunk() {
            Some((chunk, rest)) => {
                self.rest = rest;
                (u64::from_be_bytes(*chunk), u64::BITS)
            }
            None => {
                let (next, bits) = last_word(self.rest);
                self.rest = &[];
                (next, bits)
            }
        };
        if need > bits {
            return Err(Fault::new(Problem::Truncated));
        }
        self.word = left(next, need);
        self.filled = bits - need;
        Ok(known | (next >> (u64::BITS - need)))
    }

    /// Takes the next bytes, starting at any bit.
    #[inline(never)]
    pub(super) fn take_bytes(&mut self, count: usize, onto: &mut Vec<u8>) -> Result<(), Fault> {
        if count > self.left_bits() / 8 {
            return Err(Fault::new(Problem::Truncated));
        }
        onto.reserve(count);
        let mut left_over = count;
        // First the word's content, then the input, where the word's odd bits precede every byte.
        while left_over > 0 && self.filled >= 8 {
            onto.push((self.word >> 56) as u8);
            self.word <<= 8;
            self.filled -= 8;
            left_over -= 1;
        }
        if self.filled == 0 {
            let (taken, rest) = self.rest.split_at(left_over);
            onto.extend_from_slice(taken);
            self.rest = rest;
            return Ok(());
        }
        while left_over >= 8
            && let Some((chunk, rest)) = self.rest.split_first_chunk()
        {
            let next = u64::from_be_bytes(*chunk);
            onto.extend_from_slice(&(self.word | (next >> self.filled)).to_be_bytes());
            self.word = next << (u64::BITS - self.filled);
            self.rest = rest;
            left_over -= 8;
        }
        for _ in 0..left_over {
            let byte = self.take(8)? as u8;
            onto.push(byte);
        }
        Ok(())
    }

    /// Refuses data after the message, except zeros that fill the last octet; an encoding without bits is one octet of zeros.
    pub(super) fn finish(mut self) -> Result<(), Fault> {
        let left = self.left_bits();
        let padding = if left == self.all_bits { 8 } else { left };
        if left != padding || left > 8 || (left == 8 && self.all_bits != 8) {
            return Err(Fault::other(format_args!("{} octets are left after the message", left.div_ceil(8))));
        }
        match left {
            0 => Ok(()),
            _ if self.take(left as u32)? == 0 => Ok(()),
            _ => Err(Fault::other("the bits that fill the last octet are not zero")),
        }
    }
}

/// The last bytes, fewer than eight, as a word, and how many bits they have.
#[cold]
#[inline(never)]
fn last_word(rest: &[u8]) -> (u64, u32) {
    let mut word = [0; 8];
    let length = rest.len().min(8);
    word[..length].copy_from_slice(&rest[..length]);
    (u64::from_be_bytes(word), length as u32 * 8)
}
