//! Standard output. A reader that has gone, as in `wiredyno list | head`, got what it wanted: the program ends
//! without complaint, where the standard library's own macros would panic.

use std::fmt::Arguments;
use std::io::{ErrorKind, Write};

use crate::exit;

/// Prints to standard output.
macro_rules! out {
    ($($text:tt)*) => { $crate::output::print(format_args!($($text)*)) };
}

/// Prints a line to standard output.
macro_rules! outln {
    ($($text:tt)*) => { $crate::output::print(format_args!("{}\n", format_args!($($text)*))) };
}

pub(crate) use {out, outln};

/// Prints; ends the program where that is not possible.
pub fn print(text: Arguments<'_>) {
    let mut output = std::io::stdout().lock();
    match output.write_fmt(text).and_then(|()| output.flush()) {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::BrokenPipe => std::process::exit(0),
        Err(error) => {
            eprintln!("wiredyno: standard output: {error}");
            std::process::exit(i32::from(exit::FAILED));
        }
    }
}
