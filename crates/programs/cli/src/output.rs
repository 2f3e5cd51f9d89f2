//! Standard output. A reader that has gone, as in `wiredyno list | head`, got what it wanted: the program ends
//! without complaint, where the standard library's own macros would panic.

use std::fmt::Arguments;
use std::io::{ErrorKind, Write};
use std::os::fd::AsFd;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use serde::Serialize;
use wiredyno_report::Answer;

use crate::{exit, terminal};

/// Prints to standard output.
macro_rules! out {
    ($($text:tt)*) => { $crate::output::print(format_args!($($text)*)) };
}

/// Prints a line to standard output.
macro_rules! outln {
    ($($text:tt)*) => { $crate::output::print(format_args!("{}\n", format_args!($($text)*))) };
}

/// Prints a line to standard error, where there is somebody who reads it: what goes on does not depend on that.
macro_rules! errln {
    ($($text:tt)*) => { $crate::output::tell(format_args!("{}\n", format_args!($($text)*))) };
}

pub(crate) use {errln, out, outln};

/// Prints to standard error. A pipe that is closed, or full because nobody reads it, holds nothing up: such a text is left out.
pub fn tell(text: Arguments<'_>) {
    let mut output = std::io::stderr().lock();
    // A pipe is ready where it has room for PIPE_BUF bytes (poll(2), pipe(7)), which is more than any line here has.
    let mut room = [PollFd::new(output.as_fd(), PollFlags::POLLOUT)];
    if poll(&mut room, PollTimeout::from(FULL_PIPE_MS)).is_ok_and(|ready| ready > 0) {
        let _ = output.write_all(text.to_string().as_bytes());
    }
}

/// How long a reader of standard error may take until there is room again, in milliseconds.
const FULL_PIPE_MS: u8 = 200;

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
    /// JSON with everything, for programs
    Json,
}

/// How an answer is asked for.
#[derive(clap::Args)]
pub struct How {
    /// How to print it
    #[arg(long, value_enum, default_value_t)]
    format: Shape,
    /// Print one JSON object with everything, as docs/answers.schema.json says: the same as --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

impl How {
    /// The shape.
    pub fn shape(&self) -> Shape {
        if self.json { Shape::Json } else { self.format }
    }
}

/// Prints an answer; `whole` is what it was made of.
pub fn print_answer(answer: &Answer, whole: &impl Serialize, shape: Shape) -> anyhow::Result<()> {
    match shape {
        Shape::Text => out!("{}", answer.to_terminal(terminal::width())),
        Shape::Md => out!("{}", answer.to_markdown()),
        Shape::Json => outln!("{}", serde_json::to_string_pretty(whole)?),
    }
    Ok(())
}
