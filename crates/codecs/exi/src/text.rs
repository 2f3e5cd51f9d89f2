//! Strings and the tables of earlier ones (sections 7.1.10 and 7.3.3): a string that the same element had is
//! written as its number among that element's strings, one that another element had as its number among all,
//! any other as its characters. Empty strings are never in a table. Tables are unbounded, as in the default options.

use std::collections::HashMap;

use xxhash_rust::xxh3::xxh3_64;

use super::bits::{BitReader, PutIntegers};
use super::grammar::bits;
use wiredyno_codec::bits::BitWriter;
use wiredyno_codec::record::{Fault, Problem};

/// Codes before a string: for the element's table, for the table of all, else its length plus these two.
const LOCAL: u32 = 0;
const GLOBAL: u32 = 1;
const LITERAL: u64 = 2;

/// How many strings each element's table has, by the element's key.
#[derive(Debug, Default)]
struct Partitions(Vec<(u64, u32)>);

impl Partitions {
    fn count(&self, key: u64) -> u32 {
        self.0.iter().find(|(known, _)| *known == key).map_or(0, |(_, count)| *count)
    }

    /// Counts one more; returns how many there were before.
    fn add(&mut self, key: u64) -> u32 {
        match self.0.iter_mut().find(|(known, _)| *known == key) {
            Some((_, count)) => {
                *count += 1;
                *count - 1
            }
            None => {
                self.0.push((key, 1));
                0
            }
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct Written {
    start: usize,
    end: usize,
    key: u64,
    local: u32,
}

/// The strings of the document being written. Kept between documents only for its memory.
#[derive(Debug, Default)]
pub struct Strings {
    text: Vec<u8>,
    entries: Vec<Written>,
    partitions: Partitions,
    /// Open addressing by hash: an entry's index plus one, or 0. Empty while there are few entries.
    index: Vec<u32>,
}

/// Up to this many entries, a linear search is faster than an index.
const FEW: usize = 16;

impl Strings {
    /// Forgets the strings of the last document.
    pub fn clear(&mut self) {
        self.text.clear();
        self.entries.clear();
        self.partitions.0.clear();
        self.index.clear();
    }

    #[inline]
    fn text_of(&self, entry: &Written) -> &[u8] {
        &self.text[entry.start..entry.end]
    }

    /// The slot of the text in the index, or the free slot where it would be.
    fn place(&self, text: &[u8]) -> usize {
        let mask = self.index.len() - 1;
        let mut at = xxh3_64(text) as usize & mask;
        while self.index[at] != 0 && self.text_of(&self.entries[self.index[at] as usize - 1]) != text {
            at = (at + 1) & mask;
        }
        at
    }

    fn find(&self, text: &[u8]) -> Option<usize> {
        match self.index.is_empty() {
            true => self.entries.iter().position(|entry| self.text_of(entry) == text),
            false => (self.index[self.place(text)] as usize).checked_sub(1),
        }
    }

    fn add(&mut self, text: &[u8], key: u64) {
        let start = self.text.len();
        self.text.extend_from_slice(text);
        let local = self.partitions.add(key);
        self.entries.push(Written { start, end: self.text.len(), key, local });
        let count = self.entries.len();
        // At most half full.
        if count > FEW && count * 2 > self.index.len() {
            self.index.clear();
            self.index.resize((count * 4).next_power_of_two(), 0);
            (0..count).for_each(|entry| self.enter(entry));
        } else if count > FEW {
            self.enter(count - 1);
        }
    }

    fn enter(&mut self, entry: usize) {
        let Written { start, end, .. } = self.entries[entry];
        let place = self.place(&self.text[start..end]);
        self.index[place] = entry as u32 + 1;
    }

    /// Writes a string of the element with this key.
    #[inline(never)]
    pub fn write(&mut self, out: &mut BitWriter<'_>, text: &str, key: u64) {
        if text.is_empty() {
            return out.put_unsigned(LITERAL);
        }
        match self.find(text.as_bytes()) {
            Some(place) if self.entries[place].key == key => {
                out.put(LOCAL.into(), 8);
                out.put(self.entries[place].local.into(), bits(self.partitions.count(key)));
            }
            Some(place) => {
                out.put(GLOBAL.into(), 8);
                out.put(place as u64, bits(self.entries.len() as u32));
            }
            None => {
                literal(out, text);
                self.add(text.as_bytes(), key);
            }
        }
    }
}

/// The number of characters plus two, then each character's number.
fn literal(out: &mut BitWriter<'_>, text: &str) {
    if text.is_ascii() {
        // A character below 128 takes one group, equal to its byte in UTF-8.
        out.put_unsigned(text.len() as u64 + LITERAL);
        return out.put_bytes(text.as_bytes());
    }
    out.put_unsigned(text.chars().count() as u64 + LITERAL);
    text.chars().for_each(|character| out.put_unsigned(u32::from(character).into()));
}

/// A string that was read: the place of its characters, so that nothing is copied before it is needed again.
#[derive(Debug, Clone, Copy)]
struct Known {
    at: usize,
    characters: usize,
    key: u64,
}

/// The entries of each element's table.
type Lists = HashMap<u64, Vec<u32>>;

/// The strings of the document that is being read.
#[derive(Debug, Default)]
pub(super) struct KnownStrings {
    entries: Vec<Known>,
    /// Built when a string of an element's table is first needed.
    lists: Option<Lists>,
    /// How many characters have come from tables so far.
    repeated: usize,
}

/// The most characters that may come from tables, in addition to [`REPEATED_PER_INPUT_BYTE`]: a few bits can name a
/// long string.
const REPEATED: usize = 4 << 20;
/// This many more for each byte of the input.
const REPEATED_PER_INPUT_BYTE: usize = 32;

impl KnownStrings {
    /// Reads a string of the element with this key.
    #[inline(never)]
    pub(super) fn read(&mut self, input: &mut BitReader<'_>, key: u64) -> Result<String, Fault> {
        let none = || Fault::other("a string of a table that has none");
        match input.unsigned()? {
            0 => {
                let list = self.lists().get(&key).ok_or_else(none)?;
                let number = input.get(bits(list.len() as u32))? as usize;
                let entry = *list.get(number).ok_or_else(none)?;
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
                // A character takes at least a byte.
                let characters = match usize::try_from(length - LITERAL) {
                    Ok(characters) if characters <= input.left_bytes() => characters,
                    _ => return Err(Fault::new(Problem::Truncated)),
                };
                let at = input.position();
                let text = characters_of(input, characters)?;
                if let Some(lists) = &mut self.lists {
                    lists.entry(key).or_default().push(self.entries.len() as u32);
                }
                self.entries.push(Known { at, characters, key });
                Ok(text)
            }
        }
    }

    fn lists(&mut self) -> &Lists {
        self.lists.get_or_insert_with(|| {
            let mut lists = Lists::new();
            for (place, entry) in (0..).zip(&self.entries) {
                lists.entry(entry.key).or_default().push(place);
            }
            lists
        })
    }

    fn repeat(&mut self, input: &BitReader<'_>, entry: usize) -> Result<String, Fault> {
        let Known { at, characters, .. } = self.entries[entry];
        self.repeated += characters;
        if self.repeated > REPEATED + REPEATED_PER_INPUT_BYTE * input.input_bytes() {
            return Err(Fault::other("repeated strings have too many characters for so short a document"));
        }
        characters_of(&mut input.at_position(at)?, characters)
    }
}

fn characters_of(input: &mut BitReader<'_>, count: usize) -> Result<String, Fault> {
    let start = *input;
    let bytes = input.bytes(count)?;
    if bytes.is_ascii() {
        // Already checked; this can't fail.
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
            bits.put(LOCAL.into(), 8);
        }
        bits.finish();
        let mut known = KnownStrings::default();
        let mut input = BitReader::new(&out);
        assert!((0..10_000).any(|_| known.read(&mut input, 1).is_err()));
    }
}
