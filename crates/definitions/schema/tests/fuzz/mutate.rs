//! Damages good files as people and broken programs do: bits, bytes, pieces moved, duplicated or taken from
//! other files, words replaced by others, and nesting.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// Longer inputs take longer without revealing more.
const LONGEST_BYTES: usize = 8 * 1024;

/// The maximum nesting that is created.
const DEEPEST: u64 = 400;

/// Keywords of the languages, and extreme values.
const WORDS: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    "<",
    ">",
    "\"",
    "'",
    ",",
    ":",
    ";",
    "=",
    "//",
    "/*",
    "*/",
    "null",
    "true",
    "-1",
    "0",
    "1e400",
    "-0.0",
    "18446744073709551616",
    "-9223372036854775809",
    "536870912",
    "19000",
    "\\ud800",
    "\\u0000",
    "\u{feff}",
    "\u{1f600}",
    "message",
    "enum",
    "oneof",
    "optional",
    "required",
    "repeated",
    "reserved",
    "extend",
    "group",
    "import",
    "package",
    "option",
    "map<string, string>",
    "syntax = \"proto3\";",
    "\"type\"",
    "\"$ref\"",
    "\"#\"",
    "\"#/$defs/line\"",
    "\"record\"",
    "\"union\"",
    "\"items\"",
    "\"properties\"",
    "\"allOf\"",
    "\"oneOf\"",
    "\"enum\"",
    "\"name\"",
    "\"Trip\"",
    "\"Kind\"",
    "\"fixed\"",
    "\"size\"",
    "\"long\"",
    "\"object\"",
    "\"array\"",
    "\"symbols\"",
    "{}",
    "[]",
    "\n",
];

/// Opening brackets with their closing ones.
const NESTS: &[(&str, &str)] = &[
    ("[", "]"),
    ("{\"a\":", "}"),
    ("{\"type\":\"array\",\"items\":", "}"),
    ("message M {", "}"),
    ("(", ")"),
    ("[", ""),
    ("{", ""),
];

/// A damaged text, the same for the same corpus and seed.
pub fn mutated(corpus: &[String], seed: u64) -> String {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut bytes = corpus[below(&mut random, corpus.len())].clone().into_bytes();
    // Most files are damaged in one or two places: with more, the first would hide the others.
    let most = 1 + below(&mut random, 4);
    for _ in 0..=below(&mut random, most) {
        damage(&mut bytes, corpus, &mut random);
        bytes.truncate(LONGEST_BYTES);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn below(random: &mut ChaCha8Rng, limit: usize) -> usize {
    (random.next_u64() % limit.max(1) as u64) as usize
}

fn damage(bytes: &mut Vec<u8>, corpus: &[String], random: &mut ChaCha8Rng) {
    let at = below(random, bytes.len());
    match below(random, 8) {
        0 if !bytes.is_empty() => bytes[at] ^= 1 << below(random, 8),
        1 if !bytes.is_empty() => bytes[at] = random.next_u32() as u8,
        2 => drop(bytes.splice(piece(bytes, random), [])),
        3 => {
            let doubled = bytes[piece(bytes, random)].to_vec();
            insert(bytes, at, &doubled);
        }
        4 => {
            let other = corpus[below(random, corpus.len())].as_bytes();
            insert(bytes, at, &other[piece(other, random)]);
        }
        5 => {
            let (from, to) = (word(bytes, random), word(bytes, random));
            let taken = bytes[from].to_vec();
            drop(bytes.splice(to, taken));
        }
        6 => {
            let place = word(bytes, random);
            drop(bytes.splice(place, WORDS[below(random, WORDS.len())].bytes()));
        }
        _ => {
            let (open, close) = NESTS[below(random, NESTS.len())];
            let depth = 1 + (random.next_u64() % DEEPEST) as usize;
            let place = word(bytes, random);
            let inner = bytes[place.clone()].to_vec();
            let nested = [open.repeat(depth).as_bytes(), &inner, close.repeat(depth).as_bytes()].concat();
            drop(bytes.splice(place, nested));
        }
    }
}

fn insert(bytes: &mut Vec<u8>, at: usize, piece: &[u8]) {
    drop(bytes.splice(at..at, piece.iter().copied()));
}

/// A random range of at most a few hundred bytes.
fn piece(bytes: &[u8], random: &mut ChaCha8Rng) -> std::ops::Range<usize> {
    let start = below(random, bytes.len());
    let length = 1 + below(random, 300);
    start..bytes.len().min(start + length)
}

/// The word, number or punctuation at a random position.
fn word(bytes: &[u8], random: &mut ChaCha8Rng) -> std::ops::Range<usize> {
    if bytes.is_empty() {
        return 0..0;
    }
    let at = below(random, bytes.len());
    let joins = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.-$".contains(byte);
    if !joins(&bytes[at]) {
        return at..at + 1;
    }
    let before = bytes[..at].iter().rev().take_while(|byte| joins(byte)).count();
    let after = bytes[at..].iter().take_while(|byte| joins(byte)).count();
    at - before..at + after
}
