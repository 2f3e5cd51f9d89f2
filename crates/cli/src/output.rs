//! Standard output. A reader that has gone, as in `wiredyno list | head`, got what it wanted: the program ends
//! without complaint, where the standard library's own macros would panic.

use std::fmt::Arguments;
use std::io::{ErrorKind, Write};

use serde::Serialize;
use wiredyno_report::Answer;

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

/// How an answer is printed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Shape {
    /// For a terminal
    #[default]
    Text,
    /// GitHub-flavoured Markdown
    Md,
    /// Everything, for programs
    Json,
}

/// Prints an answer; `whole` is what it was made of.
pub fn print_answer(answer: &Answer, whole: &impl Serialize, shape: Shape) -> anyhow::Result<()> {
    match shape {
        Shape::Text => out!("{}", answer.to_terminal()),
        Shape::Md => out!("{}", answer.to_markdown()),
        Shape::Json => outln!("{}", serde_json::to_string_pretty(whole)?),
    }
    Ok(())
}
