//! What the benches share: the table that they print, and the machine's state before they start.
//!
//! Only benches use this. A bench measures each value several times ([`repeats`]), its rows interleaved, so that
//! drift affects all alike. Limits: figures hold for a quiet machine; [`MachineState`] reports how quiet it was at the
//! start, and nothing does for the time after.

mod machine;
mod table;

pub use machine::MachineState;
pub use table::{Beside, Table, Value};

/// The result of a bench: an error is printed and ends it.
pub type Done<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// How often each value is measured: `WIREDYNO_BENCH_REPEATS`, or `default` if that is not set.
///
/// # Errors
/// When the variable is not a number from 1.
pub fn repeats(default: u32) -> Done<u32> {
    match std::env::var("WIREDYNO_BENCH_REPEATS") {
        Err(_) => Ok(default),
        Ok(text) => match text.parse() {
            Ok(repeats @ 1..) => Ok(repeats),
            _ => {
                Err(format!("WIREDYNO_BENCH_REPEATS is `{text}`: set it to a number from 1, or unset it")
                    .into())
            }
        },
    }
}

/// The words that a bench was called with, which select rows whose name contains one of them; options such as the
/// `--bench` that cargo adds are left out.
pub fn words() -> Vec<String> {
    std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect()
}

/// Whether a row is selected; without words, every row is.
pub fn keeps(words: &[String], row: &str) -> bool {
    words.is_empty() || words.iter().any(|word| row.contains(word.as_str()))
}
