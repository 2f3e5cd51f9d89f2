//! What was seen at one path of the samples. Memory depends on the number of different paths, not of samples.

use std::collections::HashMap;

use super::rising::Rising;
use crate::import::draft::integer;
use crate::import::json::{Json, Kind};

/// The most different strings that are remembered; more can't be an enum.
pub const MOST_SYMBOLS: usize = 16;

/// The most different keys, to bound memory: an object with more is a map, and documents with more are refused.
pub const MOST_KEYS: usize = 2_000;

/// An example of a value, for errors.
#[derive(Debug, Clone)]
pub struct Example {
    pub line: usize,
    pub text: String,
}

impl Example {
    fn of(json: &Json) -> Example {
        Example { line: json.line, text: json.shortened() }
    }
}

/// Everything seen at one path.
#[derive(Debug, Clone, Default)]
pub struct Seen {
    pub nulls: u64,
    pub bools: u64,
    pub first_bool: Option<Example>,
    pub integers: Integers,
    pub floats: u64,
    pub first_float: Option<Example>,
    pub texts: Texts,
    pub lists: Lists,
    pub objects: Objects,
}

#[derive(Debug, Clone, Default)]
pub struct Integers {
    pub count: u64,
    pub least: Option<(i128, Example)>,
    pub most: Option<(i128, Example)>,
    /// An integer that exceeds 64 bits.
    pub too_wide: Option<Example>,
    pub rising: Rising,
}

#[derive(Debug, Clone, Default)]
pub struct Texts {
    pub count: u64,
    pub first: Option<Example>,
    /// Different strings in order of first occurrence, with their counts; empty once there were too many.
    pub symbols: Vec<(String, u64)>,
    pub too_many: bool,
    pub shortest_bytes: usize,
    pub longest_bytes: usize,
    pub not_times: bool,
    pub not_base64: bool,
    /// Whether the numbers at the end of the strings count.
    pub rising: Rising,
}

#[derive(Debug, Clone, Default)]
pub struct Lists {
    pub count: u64,
    pub first: Option<Example>,
    pub shortest: usize,
    pub longest: usize,
    pub element: Option<Box<Seen>>,
}

#[derive(Debug, Clone, Default)]
pub struct Objects {
    pub count: u64,
    pub first: Option<Example>,
    /// Keys in order of first occurrence.
    pub keys: Vec<(String, Seen)>,
    index: HashMap<String, usize>,
    /// The total number of keys of all objects.
    pub entries: u64,
    /// Everything seen under any key, once there were too many keys.
    pub collapsed: Option<Box<Seen>>,
}

impl Seen {
    /// The number of values that are not null.
    pub fn values(&self) -> u64 {
        self.bools
            + self.integers.count
            + self.floats
            + self.texts.count
            + self.lists.count
            + self.objects.count
    }

    pub fn add(&mut self, json: &Json) {
        match &json.value {
            Kind::Null => self.nulls += 1,
            Kind::Bool(_) => {
                self.bools += 1;
                self.first_bool.get_or_insert_with(|| Example::of(json));
            }
            Kind::Number(digits) => match integer(digits) {
                Some(number) => self.integers.add(number, json),
                None if digits.bytes().all(|b| b.is_ascii_digit() || b == b'-') && digits != "-0" => {
                    self.integers.count += 1;
                    self.integers.too_wide.get_or_insert_with(|| Example::of(json));
                }
                None => {
                    self.floats += 1;
                    self.first_float.get_or_insert_with(|| Example::of(json));
                }
            },
            Kind::Text(text) => self.texts.add(text, json),
            Kind::List(list) => self.lists.add(list, json),
            Kind::Object(pairs) => self.objects.add(pairs, json),
        }
    }

    /// Adds what was seen at another path, as if it had been this one.
    pub fn merge(&mut self, other: &Seen) {
        self.nulls += other.nulls;
        self.bools += other.bools;
        keep(&mut self.first_bool, &other.first_bool);
        self.integers.merge(&other.integers);
        self.floats += other.floats;
        keep(&mut self.first_float, &other.first_float);
        self.texts.merge(&other.texts);
        self.lists.merge(&other.lists);
        self.objects.merge(&other.objects);
    }
}

fn keep(mine: &mut Option<Example>, theirs: &Option<Example>) {
    if mine.is_none() {
        mine.clone_from(theirs);
    }
}

impl Integers {
    fn add(&mut self, number: i128, json: &Json) {
        self.count += 1;
        if i64::try_from(number).is_err() && u64::try_from(number).is_err() {
            self.too_wide.get_or_insert_with(|| Example::of(json));
        }
        if self.least.as_ref().is_none_or(|(least, _)| number < *least) {
            self.least = Some((number, Example::of(json)));
        }
        if self.most.as_ref().is_none_or(|(most, _)| number > *most) {
            self.most = Some((number, Example::of(json)));
        }
        self.rising.add(Some(number));
    }

    fn merge(&mut self, other: &Integers) {
        self.count += other.count;
        self.rising.give_up();
        keep(&mut self.too_wide, &other.too_wide);
        if let Some((number, example)) = &other.least
            && self.least.as_ref().is_none_or(|(least, _)| number < least)
        {
            self.least = Some((*number, example.clone()));
        }
        if let Some((number, example)) = &other.most
            && self.most.as_ref().is_none_or(|(most, _)| number > most)
        {
            self.most = Some((*number, example.clone()));
        }
    }
}

impl Texts {
    fn add(&mut self, text: &str, json: &Json) {
        self.count += 1;
        self.first.get_or_insert_with(|| Example::of(json));
        self.shortest_bytes = if self.count == 1 { text.len() } else { self.shortest_bytes.min(text.len()) };
        self.longest_bytes = self.longest_bytes.max(text.len());
        self.not_times |= !is_time(text);
        self.not_base64 |= !is_base64(text);
        self.rising.add(trailing_number(text).filter(|_| !is_uuid(text)));
        self.symbol(text, 1);
    }

    fn symbol(&mut self, text: &str, times: u64) {
        if self.too_many {
            return;
        }
        if let Some((_, count)) = self.symbols.iter_mut().find(|(known, _)| known == text) {
            *count += times;
        } else if self.symbols.len() == MOST_SYMBOLS {
            self.too_many = true;
            self.symbols.clear();
        } else {
            self.symbols.push((text.to_owned(), times));
        }
    }

    fn merge(&mut self, other: &Texts) {
        if other.count == 0 {
            return;
        }
        self.shortest_bytes = if self.count == 0 {
            other.shortest_bytes
        } else {
            self.shortest_bytes.min(other.shortest_bytes)
        };
        self.longest_bytes = self.longest_bytes.max(other.longest_bytes);
        self.count += other.count;
        self.not_times |= other.not_times;
        self.not_base64 |= other.not_base64;
        self.rising.give_up();
        keep(&mut self.first, &other.first);
        if other.too_many {
            self.too_many = true;
            self.symbols.clear();
        }
        other.symbols.iter().for_each(|(text, times)| self.symbol(text, *times));
    }
}

impl Lists {
    fn add(&mut self, list: &[Json], json: &Json) {
        self.count += 1;
        self.first.get_or_insert_with(|| Example::of(json));
        self.shortest = if self.count == 1 { list.len() } else { self.shortest.min(list.len()) };
        self.longest = self.longest.max(list.len());
        for value in list {
            self.element.get_or_insert_default().add(value);
        }
    }

    fn merge(&mut self, other: &Lists) {
        if other.count == 0 {
            return;
        }
        self.shortest = if self.count == 0 { other.shortest } else { self.shortest.min(other.shortest) };
        self.longest = self.longest.max(other.longest);
        self.count += other.count;
        keep(&mut self.first, &other.first);
        if let Some(element) = &other.element {
            self.element.get_or_insert_default().merge(element);
        }
    }
}

impl Objects {
    fn add(&mut self, pairs: &[(String, Json)], json: &Json) {
        self.count += 1;
        self.first.get_or_insert_with(|| Example::of(json));
        self.entries += pairs.len() as u64;
        for (key, value) in pairs {
            match &mut self.collapsed {
                Some(all) => all.add(value),
                None => self.key(key).add(value),
            }
        }
        if self.keys.len() > MOST_KEYS {
            self.collapsed = Some(Box::new(self.all()));
            self.keys.clear();
            self.index.clear();
        }
    }

    fn key(&mut self, key: &str) -> &mut Seen {
        let at = match self.index.get(key) {
            Some(at) => *at,
            None => {
                self.keys.push((key.to_owned(), Seen::default()));
                self.index.insert(key.to_owned(), self.keys.len() - 1);
                self.keys.len() - 1
            }
        };
        &mut self.keys[at].1
    }

    /// Everything seen under any key.
    pub fn all(&self) -> Seen {
        let mut all = self.collapsed.as_deref().cloned().unwrap_or_default();
        self.keys.iter().for_each(|(_, seen)| all.merge(seen));
        all
    }

    fn merge(&mut self, other: &Objects) {
        self.count += other.count;
        self.entries += other.entries;
        keep(&mut self.first, &other.first);
        for (key, seen) in &other.keys {
            match &mut self.collapsed {
                Some(all) => all.merge(seen),
                None => self.key(key).merge(seen),
            }
        }
        if let Some(collapsed) = &other.collapsed {
            let mut all = self.all();
            all.merge(collapsed);
            self.collapsed = Some(Box::new(all));
            self.keys.clear();
            self.index.clear();
        }
    }
}

/// Whether it is like `2026-11-21T03:30:00Z` (RFC 3339, section 5.6).
fn is_time(text: &str) -> bool {
    let bytes = text.as_bytes();
    let shape = b"dddd-dd-ddTdd:dd:dd";
    bytes.len() > shape.len()
        && shape.iter().zip(bytes).all(|(wanted, byte)| match wanted {
            b'd' => byte.is_ascii_digit(),
            b'T' => matches!(byte, b'T' | b't' | b' '),
            wanted => wanted == byte,
        })
        && (text.ends_with(['Z', 'z']) || bytes.iter().rev().take(6).any(|byte| matches!(byte, b'+' | b'-')))
}

/// Whether it is standard base64 with padding, and too long to be a word.
fn is_base64(text: &str) -> bool {
    text.len() >= 16
        && text.len().is_multiple_of(4)
        && text.trim_end_matches('=').bytes().all(|b| b.is_ascii_alphanumeric() || b == b'+' || b == b'/')
        && text.bytes().any(|b| b.is_ascii_digit() || b == b'+' || b == b'/')
        && text.bytes().any(|b| b.is_ascii_uppercase())
        && text.bytes().any(|b| b.is_ascii_lowercase())
}

/// Whether it is like `0b1c8d2e-5a7f-4222-8333-0123456789ab` (RFC 9562, section 4): random, whatever digits it ends in.
fn is_uuid(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let lengths = [8, 4, 4, 4, 12];
    parts.len() == lengths.len()
        && parts.iter().zip(lengths).all(|(part, length)| part.len() == length)
        && parts.concat().bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn trailing_number(text: &str) -> Option<i128> {
    let digits = text.len() - text.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    text[text.len() - digits..].parse::<u64>().ok().map(i128::from)
}
