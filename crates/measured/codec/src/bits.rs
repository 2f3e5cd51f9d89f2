//! Packs bits into bytes, most significant first, through one 64-bit word: shared by writers of packed formats.
//!
//! The word stays in registers where the walk is inlined: nothing on the path of numbers takes `self` out of line.

/// `word << by` for 1 to 64.
#[inline(always)]
pub const fn left(word: u64, by: u32) -> u64 {
    (word << (by - 1)) << 1
}

/// The bits that don't fill a byte yet: the lowest `filled` of the word; those above are already written.
#[derive(Debug, Clone, Copy)]
pub struct Waiting {
    word: u64,
    filled: u32,
}

/// Appends bits to a vector of bytes.
pub struct BitWriter<'o> {
    out: &'o mut Vec<u8>,
    /// The lowest `filled` bits are pending; those above are already written.
    word: u64,
    filled: u32,
}

impl<'o> BitWriter<'o> {
    /// Appends after the current content of `out`.
    pub fn new(out: &'o mut Vec<u8>) -> BitWriter<'o> {
        BitWriter { out, word: 0, filled: 0 }
    }

    /// Writes the low `width` bits of a number that has no others; 0 to 64.
    #[inline(always)]
    pub fn put(&mut self, value: u64, width: u32) {
        let free = u64::BITS - self.filled;
        if width < free {
            self.word = (self.word << width) | value;
            self.filled += width;
        } else {
            let over = width - free;
            let full = left(self.word, free) | (value >> over);
            self.out.extend_from_slice(&full.to_be_bytes());
            self.word = value;
            self.filled = over;
        }
    }

    /// The output and the pending bits, to pass to a function that is called: values stay in registers, whereas a writer that
    /// such a function could change would be kept in memory before and after the call.
    #[inline(always)]
    pub fn apart(&mut self) -> (&mut Vec<u8>, Waiting) {
        (self.out, Waiting { word: self.word, filled: self.filled })
    }

    /// A writer from an output and its pending bits.
    #[inline(always)]
    pub fn together(out: &'o mut Vec<u8>, Waiting { word, filled }: Waiting) -> BitWriter<'o> {
        BitWriter { out, word, filled }
    }

    /// Continues with the pending bits that the called function returns.
    #[inline(always)]
    pub fn resume(&mut self, Waiting { word, filled }: Waiting) {
        (self.word, self.filled) = (word, filled);
    }

    /// Writes whole bytes, starting at any bit.
    #[inline(never)]
    pub fn put_bytes(&mut self, bytes: &[u8]) {
        if self.filled.is_multiple_of(8) {
            self.flush();
            self.out.extend_from_slice(bytes);
            return;
        }
        self.out.reserve(bytes.len() + 8);
        let (words, rest) = bytes.as_chunks::<8>();
        let filled = self.filled;
        for word in words {
            let next = u64::from_be_bytes(*word);
            let full = left(self.word, u64::BITS - filled) | (next >> filled);
            self.out.extend_from_slice(&full.to_be_bytes());
            self.word = next;
        }
        for byte in rest {
            self.put(u64::from(*byte), 8);
        }
    }

    /// Writes the pending bits; the last byte is filled up with zeros.
    fn flush(&mut self) {
        if self.filled > 0 {
            let word = left(self.word, u64::BITS - self.filled).to_be_bytes();
            self.out.extend_from_slice(&word[..self.filled.div_ceil(8) as usize]);
            self.filled = 0;
        }
    }

    /// Writes the last bits; returns the output.
    pub fn finish(mut self) -> &'o mut Vec<u8> {
        self.flush();
        self.out
    }
}
