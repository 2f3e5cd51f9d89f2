//! The output of probes: a line per call with its kind, the number of the message, and when it began and ended.

use std::path::Path;

/// The environment variable that names the file.
pub const MARKS: &str = "WIREDYNO_MARKS";

/// The least duration of every marked call, except calls that take no time.
pub const LEAST_NS: i64 = 300_000;

/// Kinds of calls that take at least that long.
const CALLS: [&str; 6] = ["number", "build", "encode", "send", "decode", "read"];

/// A marked call; times in nanoseconds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    pub what: String,
    pub number: u64,
    pub begin_ns: i64,
    pub end_ns: i64,
}

/// All marks so far, in order.
pub fn read(path: &Path) -> Vec<Mark> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let marks: Vec<Mark> = text.lines().map(of_line).collect();
    for mark in marks.iter().filter(|mark| CALLS.contains(&mark.what.as_str())) {
        assert!(mark.end_ns - mark.begin_ns >= LEAST_NS, "a probe was faster than it may be: {mark:?}");
    }
    marks
}

fn of_line(line: &str) -> Mark {
    let words: Vec<&str> = line.split(' ').collect();
    let [what, number, begin, end] = words[..] else { panic!("no mark: {line:?}") };
    let time = |word: &str| word.parse().unwrap_or_else(|error| panic!("{line:?}: {error}"));
    let number = number.parse().unwrap_or_else(|error| panic!("{line:?}: {error}"));
    Mark { what: what.to_owned(), number, begin_ns: time(begin), end_ns: time(end) }
}

/// The only mark of a kind for a message.
pub fn one<'a>(marks: &'a [Mark], what: &str, number: u64) -> &'a Mark {
    let found: Vec<&Mark> = marks.iter().filter(|mark| mark.what == what && mark.number == number).collect();
    assert_eq!(found.len(), 1, "message {number} has so many marks `{what}`");
    found[0]
}
