//! Outputs of writers of byte-aligned formats.
//!
//! A message whose size the definition fixes is written where every offset in it is a constant, so that nothing is checked
//! and nothing grows: a short one into a block that the compiler keeps in registers, a longer one into reserved space in the
//! output. Any other is appended to the output.

/// An output for the bytes of a message.
pub trait Sink {
    /// How many bytes it holds.
    fn length(&self) -> usize;
    /// Appends bytes to the output.
    fn append(&mut self, bytes: &[u8]);
    /// Appends `count` zeros, and returns them to be filled.
    fn grow(&mut self, count: usize) -> &mut [u8];
    /// Appends this many zeros, at most eight.
    #[inline]
    fn pad(&mut self, zeros: usize) {
        self.grow(zeros);
    }
    /// All bytes written so far.
    fn written(&mut self) -> &mut [u8];
}

impl Sink for Vec<u8> {
    #[inline]
    fn length(&self) -> usize {
        self.len()
    }

    #[inline]
    fn append(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }

    #[inline]
    fn grow(&mut self, count: usize) -> &mut [u8] {
        let start = self.len();
        self.resize(start + count, 0);
        &mut self[start..]
    }

    /// Appends eight of them and removes some: one word, whereas a number that is not constant is a call.
    #[inline]
    fn pad(&mut self, zeros: usize) {
        let end = self.len() + zeros;
        self.extend_from_slice(&[0; 8]);
        self.truncate(end);
    }

    #[inline]
    fn written(&mut self) -> &mut [u8] {
        self
    }
}

/// The largest message that is assembled in registers.
pub const MAX_BLOCK_BYTES: usize = 128;
/// The largest message for which clearing its space first pays off.
pub const MAX_ROOM_BYTES: usize = 512;

const ZEROS: [u8; MAX_ROOM_BYTES] = [0; MAX_ROOM_BYTES];

/// Space for a message of known size.
#[derive(Debug)]
pub struct Fixed<B> {
    zeros: B,
    length: usize,
}

/// Assembled before it is appended to the output.
pub type Block = Fixed<[u8; MAX_BLOCK_BYTES]>;
/// Space within the output itself.
pub type Room<'o> = Fixed<&'o mut [u8]>;

impl Block {
    /// A block of zeros with nothing written.
    #[inline(always)]
    pub fn empty() -> Block {
        Fixed { zeros: [0; MAX_BLOCK_BYTES], length: 0 }
    }

    /// The first `size` bytes, written or zero.
    #[inline(always)]
    pub fn bytes(&self, size: usize) -> &[u8] {
        &self.zeros[..size]
    }
}

impl<'o> Room<'o> {
    /// Space after the content of `out`; `size` is at most [`MAX_ROOM_BYTES`].
    #[inline(always)]
    pub fn behind(out: &'o mut Vec<u8>, size: usize) -> Room<'o> {
        let start = out.len();
        out.extend_from_slice(&ZEROS[..size]);
        // Sliced to `size` once more: the compiler can't conclude the length from the lines above.
        Fixed { zeros: &mut out[start..][..size], length: 0 }
    }
}

impl<B: AsMut<[u8]>> Sink for Fixed<B> {
    #[inline(always)]
    fn length(&self) -> usize {
        self.length
    }

    #[inline(always)]
    fn append(&mut self, bytes: &[u8]) {
        self.grow(bytes.len()).copy_from_slice(bytes);
    }

    #[inline(always)]
    fn grow(&mut self, count: usize) -> &mut [u8] {
        let start = self.length;
        self.length += count;
        &mut self.zeros.as_mut()[start..self.length]
    }

    #[inline(always)]
    fn written(&mut self) -> &mut [u8] {
        &mut self.zeros.as_mut()[..self.length]
    }
}
