//! Numbers, times and spans as people read them.

use std::time::Duration;

/// Nanoseconds, in a unit that keeps the figure short.
pub fn short_time(ns: f64) -> String {
    match ns {
        ns if ns < 1e3 => format!("{ns:.1} ns"),
        ns if ns < 1e6 => format!("{:.2} µs", ns / 1e3),
        ns => format!("{:.2} ms", ns / 1e6),
    }
}

/// A number with its noun: `1 lane`, `2 lanes`.
pub fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// A span in words: `1 h 5 min`, `2 min 3 s`, `9 s`.
pub fn words(span: Duration) -> String {
    match span.as_secs() {
        s if s >= 3600 => format!("{} h {} min", s / 3600, s % 3600 / 60),
        s if s >= 60 => format!("{} min {} s", s / 60, s % 60),
        s => format!("{s} s"),
    }
}
