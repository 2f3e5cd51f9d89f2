//! A Cap'n Proto message as capnproto-rust 0.27 builds it: segments that objects are appended to, the
//! pointers between them, and both forms of a stream.
//!
//! Source: capnproto.org/encoding.html for pointers, framing and packing. Where the specification leaves a choice, the bytes are
//! those of the library's builder (`private/arena.rs`, `private/layout.rs`, `message.rs`): the length of segments, and that
//! an object that does not fit goes into the first segment with room, behind a landing pad.

use crate::of_codecs::capnproto::Size;

/// The size of a word, and of a pointer, in bytes.
pub const WORD: usize = 8;

/// The size in words of the first segment, and of the next one unless a larger object is added.
const FIRST_WORDS: usize = 1024;

/// The maximum size in words of a segment that is allocated in advance.
const MAX_WORDS: usize = 1 << 29;

/// Pointer kinds, in the lowest bits.
const STRUCT: u32 = 0;
const LIST: u32 = 1;
const FAR: u32 = 2;

/// How a list stores its elements, with the specification's number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Width {
    Bit = 1,
    Byte = 2,
    TwoBytes = 3,
    FourBytes = 4,
    EightBytes = 5,
    Pointer = 6,
}

/// The specification's number for lists of structs.
const COMPOSITE: u32 = 7;

impl Width {
    fn bits(self) -> usize {
        match self {
            Width::Bit => 1,
            Width::Byte => 8,
            Width::TwoBytes => 16,
            Width::FourBytes => 32,
            Width::EightBytes | Width::Pointer => 64,
        }
    }
}

/// The position of a byte.
#[derive(Debug, Clone, Copy)]
pub struct At {
    /// The index of its segment.
    pub segment: usize,
    /// Its offset in bytes from the segment's start.
    pub byte: usize,
}

impl At {
    pub fn plus(self, bytes: usize) -> At {
        At { byte: self.byte + bytes, ..self }
    }
}

#[derive(Debug, Clone, Copy)]
pub struct Structure {
    pub data: At,
    pub pointers: At,
}

impl Structure {
    fn new(data: At, size: Size) -> Structure {
        Structure { data, pointers: data.plus(usize::from(size.data) * WORD) }
    }
}

struct Segment {
    bytes: Vec<u8>,
    /// The segment's capacity in words.
    words: usize,
}

impl Segment {
    /// Reserves zeroed words, if there is room for them.
    fn take(&mut self, words: usize) -> Option<usize> {
        let start = self.bytes.len();
        if words > self.words - start / WORD {
            return None;
        }
        self.bytes.resize(start + words * WORD, 0);
        Some(start)
    }
}

/// The segments of a message.
pub struct Segments {
    all: Vec<Segment>,
    /// The size in words of the next segment, unless a larger object is added.
    next_words: usize,
}

impl Segments {
    /// A message with only the root's pointer, and that pointer's position.
    pub fn new() -> (Segments, At) {
        let first = Segment { bytes: vec![0; WORD], words: FIRST_WORDS };
        (Segments { all: vec![first], next_words: FIRST_WORDS }, At { segment: 0, byte: 0 })
    }

    /// Writes bytes where room was reserved.
    pub fn put(&mut self, at: At, bytes: &[u8]) {
        self.all[at.segment].bytes[at.byte..at.byte + bytes.len()].copy_from_slice(bytes);
    }

    /// Sets the bit at an offset in bits from a position.
    pub fn put_bit(&mut self, at: At, bit: usize) {
        self.all[at.segment].bytes[at.byte + bit / 8] |= 1 << (bit % 8);
    }

    fn put_pointer(&mut self, at: At, low: u32, high: u32) {
        self.put(at, &low.to_le_bytes());
        self.put(at.plus(4), &high.to_le_bytes());
    }

    /// Reserves `words` words for a pointer's target; `high` is the pointer's upper half.
    fn allocate(&mut self, pointer: At, words: usize, kind: u32, high: u32) -> At {
        if words == 0 && kind == STRUCT {
            // An empty struct's pointer refers to itself, so that it is not null.
            self.put_pointer(pointer, u32::MAX << 2, high);
            return pointer;
        }
        if let Some(byte) = self.all[pointer.segment].take(words) {
            let offset = ((byte - pointer.byte) / WORD - 1) as u32;
            self.put_pointer(pointer, offset << 2 | kind, high);
            return At { segment: pointer.segment, byte };
        }
        let pad = self.take_anywhere(words + 1);
        self.put_pointer(pointer, ((pad.byte / WORD) as u32) << 3 | FAR, pad.segment as u32);
        // The target follows the landing pad.
        self.put_pointer(pad, kind, high);
        pad.plus(WORD)
    }

    fn take_anywhere(&mut self, words: usize) -> At {
        let room = self.all.iter_mut().enumerate().find_map(|(at, segment)| Some((at, segment.take(words)?)));
        if let Some((segment, byte)) = room {
            return At { segment, byte };
        }
        let size = words.max(self.next_words);
        self.next_words = (self.next_words + size).min(MAX_WORDS);
        self.all.push(Segment { bytes: vec![0; words * WORD], words: size });
        At { segment: self.all.len() - 1, byte: 0 }
    }

    /// Reserves a struct, and sets its pointer.
    pub fn structure(&mut self, pointer: At, size: Size) -> Structure {
        let high = u32::from(size.pointers) << 16 | u32::from(size.data);
        Structure::new(self.allocate(pointer, size.words() as usize, STRUCT, high), size)
    }

    /// Reserves a list of `count` elements, below 2^29.
    pub fn list(&mut self, pointer: At, count: u32, width: Width) -> At {
        let words = (count as usize * width.bits()).div_ceil(WORD * 8);
        self.allocate(pointer, words, LIST, count << 3 | width as u32)
    }

    /// Reserves a list of `count` structs, with less than 2^29 words in total.
    pub fn structures(
        &mut self,
        pointer: At,
        count: u32,
        size: Size,
    ) -> impl Iterator<Item = Structure> + use<> {
        let words = count * size.words();
        let tag = self.allocate(pointer, words as usize + 1, LIST, words << 3 | COMPOSITE);
        self.put_pointer(tag, count << 2 | STRUCT, u32::from(size.pointers) << 16 | u32::from(size.data));
        let first = tag.plus(WORD);
        let step = size.words() as usize * WORD;
        (0..count as usize).map(move |at| Structure::new(first.plus(at * step), size))
    }

    /// The segment table: the number of segments minus one, the words of each, and padding to whole words. In two parts, as the
    /// library passes them on, because packing restarts with each.
    fn table(&self) -> (Vec<u8>, Vec<u8>) {
        let words = |segment: &Segment| ((segment.bytes.len() / WORD) as u32).to_le_bytes();
        let mut first = ((self.all.len() - 1) as u32).to_le_bytes().to_vec();
        first.extend(words(&self.all[0]));
        let mut rest: Vec<u8> = self.all[1..].iter().flat_map(words).collect();
        rest.resize(rest.len().next_multiple_of(WORD), 0);
        (first, rest)
    }

    pub fn write(&self, out: &mut Vec<u8>) {
        let (first, rest) = self.table();
        out.extend(first);
        out.extend(rest);
        self.all.iter().for_each(|segment| out.extend_from_slice(&segment.bytes));
    }

    pub fn write_packed(&self, out: &mut Vec<u8>) {
        let (first, rest) = self.table();
        pack(&first, out);
        pack(&rest, out);
        self.all.iter().for_each(|segment| pack(&segment.bytes, out));
    }
}

/// Packs whole words: a byte that flags the bytes that are not zero, then those bytes. After a zero word follows the number of
/// further zero words; after a word without zeros, the number of words copied unpacked, which are those with at most one zero.
fn pack(bytes: &[u8], out: &mut Vec<u8>) {
    /// The maximum of these numbers.
    const MAX_RUN: usize = 255;
    let zeros = |word: &[u8]| word.iter().filter(|byte| **byte == 0).count();
    let mut rest = bytes;
    while let Some((word, behind)) = rest.split_at_checked(WORD) {
        rest = behind;
        let tag = word.iter().rev().fold(0, |tag: u8, byte| tag << 1 | u8::from(*byte != 0));
        out.push(tag);
        out.extend(word.iter().filter(|byte| **byte != 0));
        let follows = |word: &&[u8]| match tag {
            0 => zeros(word) == WORD,
            _ => zeros(word) < 2,
        };
        if tag != 0 && tag != u8::MAX {
            continue;
        }
        let run = rest.chunks_exact(WORD).take(MAX_RUN).take_while(follows).count();
        out.push(run as u8);
        let (following, behind) = rest.split_at(run * WORD);
        if tag != 0 {
            out.extend_from_slice(following);
        }
        rest = behind;
    }
}

#[cfg(test)]
mod tests {
    use super::pack;

    fn packed(bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        pack(bytes, &mut out);
        out
    }

    #[test]
    fn words_are_packed_as_the_library_packs_them() {
        assert!(packed(&[]).is_empty());
        assert_eq!(packed(&[0; 8]), [0, 0]);
        assert_eq!(packed(&[0; 258 * 8]), [0, 255, 0, 1]);
        assert_eq!(packed(&[0, 0, 12, 0, 0, 34, 0, 0]), [0x24, 12, 34]);
        // The cases of the library's tests.
        let words = [
            1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8, 6, 2, 4, 3, 9, 0, 5, 1, 1, 2, 3, 4, 5, 6, 7, 8,
            0, 2, 4, 0, 9, 0, 5, 1,
        ];
        let wanted = [
            0xff, 1, 2, 3, 4, 5, 6, 7, 8, 3, 1, 2, 3, 4, 5, 6, 7, 8, 6, 2, 4, 3, 9, 0, 5, 1, 1, 2, 3, 4, 5,
            6, 7, 8, 0xd6, 2, 4, 9, 5, 1,
        ];
        assert_eq!(packed(&words), wanted);
    }
}
