//! Where writers of byte-aligned formats put their bytes.
//!
//! A message whose size the definition fixes is written where every place in it is a constant, so that nothing is checked or
//! grows: a short one into a block that the compiler keeps in registers, a longer one into room in the output. Any other is
//! appended to the output.

/// What takes bytes.
pub trait Sink {
    /// How many bytes it holds.
    fn length(&self) -> usize;
    /// Appends bytes.
    fn append(&mut self, bytes: &[u8]);
    /// Appends so many zeros, and gives them to be filled.
    fn grow(&mut self, count: usize) -> &mut [u8];
    /// Appends so many zeros, at most eight.
    #[inline]
    fn pad(&mut self, zeros: usize) {
        self.grow(zeros);
    }
    /// What it holds.
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

    /// Eight of them, and some taken off again: one word, where a number that is not constant is a call.
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

/// The largest message that is kept in registers on its way.
pub const MAX_BLOCK_BYTES: usize = 128;
/// The largest message that is worth clearing its room first.
pub const MAX_ROOM_BYTES: usize = 512;

const ZEROS: [u8; MAX_ROOM_BYTES] = [0; MAX_ROOM_BYTES];

/// A place for a message of a known size.
#[derive(Debug)]
pub struct Fixed<B> {
    zeros: B,
    length: usize,
}

/// Before it is appended to the output.
pub type Block = Fixed<[u8; MAX_BLOCK_BYTES]>;
/// In the output.
pub type Room<'o> = Fixed<&'o mut [u8]>;

impl Block {
    /// Empty.
    #[inline(always)]
    pub fn empty() -> Block {
        Fixed { zeros: [0; MAX_BLOCK_BYTES], length: 0 }
    }

    /// The first `size` bytes.
    #[inline(always)]
    pub fn bytes(&self, size: usize) -> &[u8] {
        &self.zeros[..size]
    }
}

impl<'o> Room<'o> {
    /// Behind what `out` holds; `size` is at most [`MAX_ROOM_BYTES`].
    #[inline(always)]
    pub fn behind(out: &'o mut Vec<u8>, size: usize) -> Room<'o> {
        let start = out.len();
        out.extend_from_slice(&ZEROS[..size]);
        // Cut to `size` once more, which the compiler can't conclude from the lines above.
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
