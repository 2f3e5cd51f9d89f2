//! What a terminal gets that a pipe does not: colour, a bar, lines that fit. And what `--quiet` takes away.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::ColorChoice;
use console::Style;

/// Whether nothing is told of how far things are.
static QUIET: AtomicBool = AtomicBool::new(false);

/// Options of every command.
#[derive(clap::Args)]
pub struct Options {
    /// When to use colour: where it is a terminal, and NO_COLOR is not set; or always, or never
    #[arg(long, global = true, value_name = "WHEN", default_value_t = ColorChoice::Auto)]
    color: ColorChoice,
    /// Tell nothing of how far things are; errors and results alone
    #[arg(short, long, global = true)]
    quiet: bool,
}

impl Options {
    /// Makes them hold for the whole program.
    pub fn apply(&self) {
        QUIET.store(self.quiet, Ordering::Relaxed);
        // What the library finds by itself: a terminal that is not dumb, NO_COLOR (https://no-color.org), CLICOLOR.
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

/// Whether nothing is told of how far things are.
pub fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// Whether a line can be drawn over on standard error.
pub fn has_bar() -> bool {
    std::io::stderr().is_terminal() && std::env::var_os("TERM").is_none_or(|name| name != "dumb")
}

/// Columns of lines where nothing says how many there are, as in a pipe.
const USUAL_COLUMNS: usize = 100;

/// Columns that a table takes at least.
const FEWEST_COLUMNS: usize = 40;

/// Columns of the terminal; through a pipe, those of `COLUMNS` where it is set.
pub fn columns() -> Option<usize> {
    if let Some((_, columns)) = console::Term::stdout().size_checked() {
        return Some(usize::from(columns));
    }
    let named = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    named.filter(|&columns| columns > 0)
}

/// How many columns lines may take that are broken anyway: the terminal's, or as many as are usual.
pub fn width() -> usize {
    columns().unwrap_or(USUAL_COLUMNS).max(FEWEST_COLUMNS)
}

/// Of something that is here, that is done.
pub fn good(text: &str) -> String {
    Style::new().green().apply_to(text).to_string()
}

/// Of something that is missing, or not run.
pub fn lacking(text: &str) -> String {
    Style::new().yellow().apply_to(text).to_string()
}

/// Of an error, on standard error.
pub fn wrong(text: &str) -> String {
    Style::new().for_stderr().red().bold().apply_to(text).to_string()
}
