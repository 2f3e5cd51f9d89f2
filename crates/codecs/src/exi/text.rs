//! Strings and the tables of those that came before (sections 7.1.10 and 7.3.3): a string that the same element
//! held is a number among that element's strings, one that another element held a number among all, any other
//! its characters. Empty strings are never in a table. Tables are unbounded, as the default options say.

use xxhash_rust::xxh3::xxh3_64;

use super::bits::{BitReader, BitWriter};
use super::grammar::bits;
use crate::record::{Fault, Problem};

/// Codes before a string: in the element's table, in the table of all, else its length and these two.
const LOCAL: u32 = 0;
const GLOBAL: u32 = 1;
const LITERAL: u64 = 2;

/// How many strings each element's table has, by the element's key.
#[derive(Debug, Default)]
struct Partitions(Vec<(u64, u32)>);

impl Partitions {
    /// Where the element's count is.
    fn find(&self, key: u64) -> Option<usize> {
        self.0.iter().position(|(known, _)| *known == key)
    }

    fn count(&self, key: u64) -> u32 {
        self.find(key).map_or(0, |at| self.0[at].1)
    }

    /// Counts one more; gives the partition and how many there were before.
    fn add(&mut self, key: u64) -> (u32, u32) {
        let at = self.find(key).unwrap_or_else(|| {
            self.0.push((key, 0));
            self.0.len() - 1
        });
        self.0[at].1 += 1;
        (at as u32, self.0[at].1 - 1)
    }
}

#[derive(Debug, Clone, Copy)]
struct Written {
    hash: u64,
    start: usize,
    end: usize,
    key: u64,
    local: u32,
}

/// The strings of the document that is being written. Kept between documents for its memory alone.
#[derive(Debug, Default)]
pub struct Strings {
    text: Vec<u8>,
    entries: Vec<Written>,
    partitions: Partitions,
    /// Open addressing by hash: an entry's place and one, or 0. Empty while there are few entries.
    index: Vec<u32>,
}

/// Entries that are found faster one after the other than by an index.
const FEW: usize = 16;

impl Strings {
    /// Forgets the last document's.
    pub(super) fn clear(&mut self) {
        self.text.clear();
        self.entries.clear();
        self.partitions.0.clear();
        self.index.clear();
    }

    fn matches(&self, entry: &Written, hash: u64, text: &[u8]) -> bool {
        entry.hash == hash && self.text[entry.start..entry.end] == *text
    }

    fn find(&self, hash: u64, text: &[u8]) -> Option<usize> {
        if self.index.is_empty() {
            return self.entries.iter().position(|entry| self.matches(entry, hash, text));
        }
        let mask = self.index.len() - 1;
        let mut at = hash as usize & mask;
        while self.index[at] != 0 {
            let place = self.index[at] as usize - 1;
            if self.matches(&self.entries[place], hash, text) {
                return Some(place);
            }
            at = (at + 1) & mask;
        }
        None
    }

    fn add(&mut self, hash: u64, text: &[u8], key: u64) {
        let start = self.text.len();
        self.text.extend_from_slice(text);
        let (_, local) = self.partitions.add(key);
        self.entries.push(Written { hash, start, end: self.text.len(), key, local });
        let count = self.entries.len();
        if count <= FEW {
            return;
        }
        // At most half full.
        if count * 2 > self.index.len() {
            self.index.clear();
            self.index.resize((count * 4).next_power_of_two(), 0);
            (0..count).for_each(|place| self.enter(place));
        } else {
            self.enter(count - 1);
        }
    }

    fn enter(&mut self, place: usize) {
        let mask = self.index.len() - 1;
        let mut at = self.entries[place].hash as usize & mask;
        while self.index[at] != 0 {
            at = (at + 1) & mask;
        }
        self.index[at] = place as u32 + 1;
    }

    /// Writes a string of the element with this key.
    #[inline(never)]
    pub(super) fn write(&mut self, out: &mut BitWriter<'_>, text: &str, key: u64) {
        if text.is_empty() {
            return out.put_unsigned(LITERAL);
        }
        let hash = xxh3_64(text.as_bytes());
        match self.find(hash, text.as_bytes()) {
            Some(place) if self.entries[place].key == key => {
                out.put(LOCAL, 8);
                out.put(self.entries[place].local, bits(self.partitions.count(key)));
            }
            Some(place) => {
                out.put(GLOBAL, 8);
                out.put(place as u32, bits(self.entries.len() as u32));
            }
            None => {
                literal(out, text);
                self.add(hash, text.as_bytes(), key);
            }
        }
    }
}

/// The number of characters and two, then each one's number.
fn literal(out: &mut BitWriter<'_>, text: &str) {
    if text.is_ascii() {
        // A character below 128 takes one group: the byte that UTF-8 has too.
        out.put_unsigned(text.len() as u64 + LITERAL);
        return out.put_bytes(text.as_bytes());
    }
    out.put_unsigned(text.chars().count() as u64 + LITERAL);
    text.chars().for_each(|character| out.put_unsigned(u32::from(character).into()));
}

/// A string that was read: where its characters stand, so that nothing is copied before it is needed again.
#[derive(Debug, Clone, Copy)]
struct Known {
    at: usize,
    characters: u32,
    partition: u32,
}

/// The strings of the document that is being read.
#[derive(Debug, Default)]
pub(super) struct KnownStrings {
    entries: Vec<Known>,
    partitions: Partitions,
    /// The entries of each partition; made when one is first asked for by its number there.
    lists: Option<Vec<Vec<u32>>>,
    /// Characters that tables gave so far.
    repeated: usize,
}

/// The most characters that tables may give, beside [`REPEATED_PER_INPUT_BYTE`]: a few bits can name a long string.
const REPEATED: usize = 4 << 20;
/// As many more for each byte of the input.
const REPEATED_PER_INPUT_BYTE: usize = 32;

impl KnownStrings {
    /// Reads a string of the element with this key.
    #[inline(never)]
    pub(super) fn read(&mut self, input: &mut BitReader<'_>, key: u64) -> Result<String, Fault> {
        let none = || Fault::other("a string of a table that has none");
        match input.unsigned()? {
            0 => {
                let partition = self.partitions.find(key).ok_or_else(none)?;
                let number = input.get(bits(self.partitions.0[partition].1))? as usize;
                let entry = *self.list(partition).get(number).ok_or_else(none)?;
                self.repeat(input, entry as usize)
            }
            1 => {
                let number = input.get(bits(self.entries.len() as u32))? as usize;
                if number >= self.entries.len() {
                    return Err(none());
                }
                self.repeat(input, number)
            }
            LITERAL => Ok(String::new()),
            length => {
                let characters = length - LITERAL;
                if characters > input.left_bytes() as u64 {
                    return Err(Fault::new(Problem::Truncated));
                }
                let at = input.position();
                let text = characters_of(input, characters as usize)?;
                let (partition, _) = self.partitions.add(key);
                if let Some(lists) = &mut self.lists {
                    lists.resize_with(self.partitions.0.len(), Vec::new);
                    lists[partition as usize].push(self.entries.len() as u32);
                }
                self.entries.push(Known { at, characters: characters as u32, partition });
                Ok(text)
            }
        }
    }

    fn list(&mut self, partition: usize) -> &[u32] {
        let lists = self.lists.get_or_insert_with(|| {
            let mut lists = vec![Vec::new(); self.partitions.0.len()];
            for (place, entry) in self.entries.iter().enumerate() {
                lists[entry.partition as usize].push(place as u32);
            }
            lists
        });
        &lists[partition]
    }

    fn repeat(&mut self, input: &BitReader<'_>, entry: usize) -> Result<String, Fault> {
        let Known { at, characters, .. } = self.entries[entry];
        self.repeated += characters as usize;
        let start = input.from_position(0);
        if self.repeated > REPEATED + REPEATED_PER_INPUT_BYTE * start.left_bytes() {
            return Err(Fault::other("repeated strings have too many characters for so short a document"));
        }
        characters_of(&mut input.from_position(at), characters as usize)
    }
}

fn characters_of(input: &mut BitReader<'_>, count: usize) -> Result<String, Fault> {
    let start = *input;
    let bytes = input.bytes(count)?;
    if bytes.is_ascii() {
        // Checked already; this can't fail.
        return String::from_utf8(bytes).map_err(|_| Fault::new(Problem::Text));
    }
    *input = start;
    let mut text = String::with_capacity(count);
    for _ in 0..count {
        let number = u32::try_from(input.unsigned()?).unwrap_or(u32::MAX);
        text.push(char::from_u32(number).ok_or_else(|| Fault::new(Problem::Text))?);
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_strings_come_back_from_their_tables() {
        let texts: Vec<String> = (0..300).map(|n| format!("{}ä", n % 97)).collect();
        let mut strings = Strings::default();
        for _ in 0..2 {
            strings.clear();
            let mut out = Vec::new();
            let mut bits = BitWriter::new(&mut out);
            texts
                .iter()
                .zip([1, 2, 3].into_iter().cycle())
                .for_each(|(t, key)| strings.write(&mut bits, t, key));
            bits.finish();
            let mut known = KnownStrings::default();
            let mut input = BitReader::new(&out);
            for (text, key) in texts.iter().zip([1, 2, 3].into_iter().cycle()) {
                assert_eq!(known.read(&mut input, key).unwrap(), *text);
            }
            input.finish().unwrap();
        }
    }

    #[test]
    fn a_long_string_is_not_repeated_without_end() {
        let mut out = Vec::new();
        let mut bits = BitWriter::new(&mut out);
        literal(&mut bits, &"x".repeat(10_000));
        for _ in 0..10_000 {
            bits.put(LOCAL, 8);
        }
        bits.finish();
        let mut known = KnownStrings::default();
        let mut input = BitReader::new(&out);
        assert!((0..10_000).any(|_| known.read(&mut input, 1).is_err()));
    }
}
