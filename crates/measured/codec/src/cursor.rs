//! A position in a byte string that only moves forward: shared by readers of byte-aligned formats.

use crate::record::{Fault, Problem};

/// The bytes that are not read yet.
#[derive(Debug, Clone, Copy)]
pub struct Cursor<'a> {
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    /// Starts at the first byte.
    pub fn new(bytes: &'a [u8]) -> Cursor<'a> {
        Cursor { rest: bytes }
    }

    /// How many bytes are left.
    #[inline]
    pub fn left_bytes(&self) -> usize {
        self.rest.len()
    }

    /// Takes the next `count` bytes; [`Problem::Truncated`] if fewer are left.
    #[inline(always)]
    pub fn take(&mut self, count: usize) -> Result<&'a [u8], Fault> {
        match self.rest.split_at_checked(count) {
            Some((taken, rest)) => {
                self.rest = rest;
                Ok(taken)
            }
            None => Err(Fault::new(Problem::Truncated)),
        }
    }

    /// Takes the next `N` bytes; [`Problem::Truncated`] if fewer are left.
    #[inline(always)]
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], Fault> {
        match self.rest.split_first_chunk() {
            Some((taken, rest)) => {
                self.rest = rest;
                Ok(*taken)
            }
            None => Err(Fault::new(Problem::Truncated)),
        }
    }

    /// Takes one byte; [`Problem::Truncated`] at the end.
    #[inline(always)]
    pub fn byte(&mut self) -> Result<u8, Fault> {
        self.array::<1>().map(|[byte]| byte)
    }

    /// Refuses bytes after the end of the message.
    #[inline]
    pub fn finish(self) -> Result<(), Fault> {
        match self.rest.len() {
            0 => Ok(()),
            left => Err(Fault::other(format_args!("{left} bytes are left after the message"))),
        }
    }
}

/// Text from bytes of the input, which must be UTF-8.
#[inline]
pub fn utf8(bytes: &[u8]) -> Result<String, Fault> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text.to_owned()),
        Err(_) => Err(Fault::new(Problem::Text)),
    }
}
