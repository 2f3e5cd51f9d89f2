//! What a terminal gets and a pipe does not: colour, a bar, lines that fit; and what `--quiet` suppresses.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::ColorChoice;
use console::Style;

/// Whether progress is suppressed (`--quiet`).
static QUIET: AtomicBool = AtomicBool::new(false);

/// The global options, which every command takes.
#[derive(clap::Args)]
pub struct Options {
    /// When to use colour; auto: on a terminal, unless NO_COLOR is set
    #[arg(long, global = true, value_name = "WHEN", default_value_t = ColorChoice::Auto)]
    color: ColorChoice,
    /// Print no progress, only errors and results
    #[arg(short, long, global = true)]
    quiet: bool,
}

impl Options {
    /// Applies them to the whole program.
    pub fn apply(&self) {
        QUIET.store(self.quiet, Ordering::Relaxed);
        // The library itself checks for a terminal that is not dumb, NO_COLOR (https://no-color.org) and CLICOLOR.
        let unset = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        let (out, err) = match self.color {
            ColorChoice::Auto => {
                (unset && console::colors_enabled(), unset && console::colors_enabled_stderr())
            }
            ColorChoice::Always => (true, true),
            ColorChoice::Never => (false, false),
        };
        console::set_colors_enabled(out);
        console::set_colors_enabled_stderr(err);
    }
}

/// Whether progress is suppressed (`--quiet`).
pub fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// Whether standard error can redraw a line.
pub fn has_bar() -> bool {
    std::io::stderr().is_terminal() && std::env::var_os("TERM").is_none_or(|name| name != "dumb")
}

/// Line width if none is known, as in a pipe.
const USUAL_COLUMNS: usize = 100;

/// The least width of a table.
const FEWEST_COLUMNS: usize = 40;

/// Columns of the terminal; in a pipe, those of `COLUMNS` if it is set.
pub fn columns() -> Option<usize> {
    if let Some((_, columns)) = console::Term::stdout().size_checked() {
        return Some(usize::from(columns));
    }
    let named = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    named.filter(|&columns| columns > 0)
}

/// The width at which text is wrapped: the terminal's or the usual one.
pub fn width() -> usize {
    columns().unwrap_or(USUAL_COLUMNS).max(FEWEST_COLUMNS)
}

/// Green on standard output: something that is available.
pub fn good(text: &str) -> String {
    Style::new().green().apply_to(text).to_string()
}

/// Yellow on standard output: something that is missing or not run.
pub fn lacking(text: &str) -> String {
    Style::new().yellow().apply_to(text).to_string()
}

/// Bold red on standard error: an error.
pub fn wrong(text: &str) -> String {
    Style::new().for_stderr().red().bold().apply_to(text).to_string()
}
