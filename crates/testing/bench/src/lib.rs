//! What the benches share: the table that they print, and the state of the machine before they start.
//!
//! Only benches use this. A bench measures each value several times ([`repeats`]), its rows interleaved, so that
//! drift hits all alike. Limits: figures hold for a quiet machine; [`MachineState`] says how quiet it was at the
//! start, nothing says so of the time after.

mod machine;
mod table;

pub use machine::MachineState;
pub use table::{Beside, Table, Value};

/// What goes wrong in a bench is told and ends it.
pub type Done<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// How often each value is measured: `WIREDYNO_BENCH_REPEATS`, or `default` where that is not set.
///
/// # Errors
/// When the variable holds no number from 1.
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

/// The words that a bench was called with, to keep rows whose name contains one of them; options such as the
/// `--bench` that cargo adds are left out.
pub fn words() -> Vec<String> {
    std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect()
}

/// Whether a row is kept: no words keep all.
pub fn keeps(words: &[String], row: &str) -> bool {
    words.is_empty() || words.iter().any(|word| row.contains(word.as_str()))
}
