//! Standard output. When a reader has closed the pipe, as in `wiredyno list | head`, the program ends
//! silently, where the standard library's macros would panic.

use std::fmt::Arguments;
use std::io::{ErrorKind, Write};
use std::os::fd::AsFd;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use serde::Serialize;
use wiredyno_report::Answer;

use crate::{exit, terminal};

/// Prints to standard output; takes the arguments of `format!`.
macro_rules! out {
    ($($text:tt)*) => { $crate::output::print(format_args!($($text)*)) };
}

/// Prints a line to standard output.
macro_rules! outln {
    ($($text:tt)*) => { $crate::output::print(format_args!("{}\n", format_args!($($text)*))) };
}

/// Prints a line to standard error if there is a reader; nothing waits for one.
macro_rules! errln {
    ($($text:tt)*) => { $crate::output::tell(format_args!("{}\n", format_args!($($text)*))) };
}

pub(crate) use {errln, out, outln};

/// Prints to standard error. A closed pipe, or a full one that is not read, delays nothing: the text is dropped.
pub fn tell(text: Arguments<'_>) {
    let mut output = std::io::stderr().lock();
    // A pipe is ready if it has room for PIPE_BUF bytes (poll(2), pipe(7)), which is more than any line here.
    let mut room = [PollFd::new(output.as_fd(), PollFlags::POLLOUT)];
    if poll(&mut room, PollTimeout::from(FULL_PIPE_MS)).is_ok_and(|ready| ready > 0) {
        let _ = output.write_all(text.to_string().as_bytes());
    }
}

/// How long to wait for room in a full pipe, in milliseconds.
const FULL_PIPE_MS: u8 = 200;

/// Prints to standard output, or ends the program if that fails.
pub fn print(text: Arguments<'_>) {
    match written(text) {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::BrokenPipe => std::process::exit(0),
        Err(error) => {
            eprintln!("wiredyno: standard output: {error}");
            std::process::exit(i32::from(exit::FAILED));
        }
    }
}

/// Prints to standard output.
///
/// # Errors
/// When its reader has gone, or nothing can be written; the caller has something to end first.
pub fn written(text: Arguments<'_>) -> std::io::Result<()> {
    let mut output = std::io::stdout().lock();
    output.write_fmt(text).and_then(|()| output.flush())
}

/// The format of an answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Shape {
    /// Text for a terminal
    #[default]
    Text,
    /// GitHub-flavoured Markdown
    Md,
    /// JSON with everything, for programs
    Json,
}

/// The options for the format of an answer.
#[derive(clap::Args)]
pub struct How {
    /// The format to print
    #[arg(long, value_enum, default_value_t)]
    format: Shape,
    /// Print one JSON object with everything, described by docs/answers.schema.json; the same as --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

impl How {
    /// The format, from either option.
    pub fn shape(&self) -> Shape {
        if self.json { Shape::Json } else { self.format }
    }
}

/// Prints an answer; `whole` is the data behind it, for JSON.
pub fn print_answer(answer: &Answer, whole: &impl Serialize, shape: Shape) -> anyhow::Result<()> {
    match shape {
        Shape::Text => out!("{}", answer.to_terminal(terminal::width())),
        Shape::Md => out!("{}", answer.to_markdown()),
        Shape::Json => outln!("{}", serde_json::to_string_pretty(whole)?),
    }
    Ok(())
}
