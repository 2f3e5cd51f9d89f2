//! Blocks of a body (RFC 7959, section 2.2): which part a Block option names, and reassembly.

use std::ops::Range;

pub use crate::declared::{LARGEST_SZX, size_bytes};

/// The largest body that is reassembled: limits memory, and is far below the 2^20 blocks of the option.
pub const BODY_LIMIT_BYTES: usize = 64 << 20;

/// The value of a Block1 or Block2 option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Block {
    /// Counted from 0 in units of this block's size; below 2^20.
    pub number: u32,
    /// Whether this is not the last block.
    pub more: bool,
    /// Size exponent: the block has 2^(szx + 4) bytes.
    pub szx: u8,
}

impl Block {
    /// Parses the option's value; `None` for the reserved size exponent 7 and values of more than 24 bits.
    pub fn from_value(value: u32) -> Option<Block> {
        let szx = (value & 7) as u8;
        (szx <= LARGEST_SZX && value < 1 << 24).then_some(Block {
            number: value >> 4,
            more: value & 8 != 0,
            szx,
        })
    }

    /// The value of the option, 24 bits.
    pub fn value(self) -> u32 {
        self.number << 4 | u32::from(self.more) << 3 | u32::from(self.szx)
    }

    /// Where in the body the block begins.
    pub fn offset_bytes(self) -> usize {
        self.number as usize * size_bytes(self.szx)
    }

    /// The block of a body of `body_bytes` that begins at `offset_bytes` (a multiple of its size), and its range.
    pub fn at(offset_bytes: usize, body_bytes: usize, szx: u8) -> (Block, Range<usize>) {
        let end = (offset_bytes + size_bytes(szx)).min(body_bytes);
        let block = Block { number: (offset_bytes / size_bytes(szx)) as u32, more: end < body_bytes, szx };
        (block, offset_bytes.min(end)..end)
    }
}

/// A body that arrives in blocks.
#[derive(Debug, Default)]
pub struct Assembly {
    bytes: Vec<u8>,
}

/// Why a block can't be added: it is not the one requested.
#[derive(Debug, PartialEq, Eq)]
pub enum Misfit {
    /// It does not begin where the last one ended.
    Gap,
    /// The body exceeds [`BODY_LIMIT_BYTES`], or a block before the last is not full.
    Size,
}

impl Assembly {
    /// Length of what has arrived so far.
    pub fn len_bytes(&self) -> usize {
        self.bytes.len()
    }

    /// Adds the next block; returns `true` when the body is complete.
    pub fn push(&mut self, block: Block, payload: &[u8]) -> Result<bool, Misfit> {
        if block.offset_bytes() != self.bytes.len() {
            return Err(Misfit::Gap);
        }
        let full = payload.len() == size_bytes(block.szx);
        let fits = full || (!block.more && payload.len() < size_bytes(block.szx));
        if !fits || self.bytes.len() + payload.len() > BODY_LIMIT_BYTES {
            return Err(Misfit::Size);
        }
        self.bytes.extend_from_slice(payload);
        Ok(!block.more)
    }

    /// The body, complete or not.
    pub fn into_body(self) -> Vec<u8> {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_back_and_reserved_ones_are_refused() {
        for value in [0, 0x0e, 0x16, 0xff_fff6, 0x8] {
            assert_eq!(Block::from_value(value).unwrap().value(), value);
        }
        assert_eq!(Block::from_value(7), None);
        assert_eq!(Block::from_value(1 << 24), None);
    }

    #[test]
    fn a_body_cut_into_blocks_is_put_together_again() {
        for szx in [0, 3, 6] {
            for length in [0, 1, 15, 16, 17, 1023, 1024, 1025, 2048, 20_000] {
                let body: Vec<u8> = (0..length).map(|i| (i * 7) as u8).collect();
                let mut assembly = Assembly::default();
                loop {
                    let (block, range) = Block::at(assembly.len_bytes(), body.len(), szx);
                    if assembly.push(block, &body[range]).unwrap() {
                        break;
                    }
                }
                assert_eq!(assembly.into_body(), body);
            }
        }
    }

    #[test]
    fn gaps_repetitions_and_wrong_sizes_are_refused() {
        let block = |number, more| Block { number, more, szx: 0 };
        let mut assembly = Assembly::default();
        assert_eq!(assembly.push(block(1, true), &[0; 16]), Err(Misfit::Gap));
        assert_eq!(assembly.push(block(0, true), &[0; 15]), Err(Misfit::Size));
        assert_eq!(assembly.push(block(0, true), &[0; 16]), Ok(false));
        assert_eq!(assembly.push(block(0, true), &[0; 16]), Err(Misfit::Gap));
        assert_eq!(assembly.push(block(1, false), &[0; 17]), Err(Misfit::Size));
        assert_eq!(assembly.push(block(1, false), &[0; 3]), Ok(true));
    }
}
