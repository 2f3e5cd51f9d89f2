//! Shows the progress of building runners on standard error.

use std::cell::Cell;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use wiredyno_build::BuildStep;

use crate::output::errln;
use crate::terminal;

/// How often a line is printed without a terminal.
const PLAIN_EVERY: Duration = Duration::from_secs(5);

/// Shows the steps of a build, as a bar or as lines.
pub struct Building {
    bar: ProgressBar,
    /// When lines are printed instead of a bar: the time of the last one.
    plain: Option<Cell<Instant>>,
    /// Compiled things, their total, and when the first count was seen.
    counted: Cell<Option<(u64, u64, Instant)>>,
}

impl Building {
    /// The display of a build that has not begun.
    pub fn new() -> Self {
        let counted = Cell::new(None);
        if terminal::is_quiet() || !terminal::has_bar() {
            let plain = (!terminal::is_quiet()).then(|| Cell::new(Instant::now()));
            return Building { bar: ProgressBar::hidden(), plain, counted };
        }
        let bar = ProgressBar::no_length();
        let template = "{bar:30} {pos} of {len} compiled, {elapsed}, about {eta} left\n  {wide_msg}";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_secs(1));
        Building { bar, plain: None, counted }
    }

    /// Updates the bar, or prints a line: a wait at once, anything else at most every [`PLAIN_EVERY`].
    pub fn show(&self, step: BuildStep) {
        let waits = step == BuildStep::Waiting;
        let line = match step {
            BuildStep::Waiting => "waiting for another build to finish".to_owned(),
            BuildStep::Compiling { done, total, now } => {
                self.bar.set_length(total);
                self.bar.set_position(done);
                let first = self.counted.get().map_or_else(Instant::now, |(_, _, first)| first);
                self.counted.set(Some((done, total, first)));
                now
            }
            BuildStep::Said(line) => line,
        };
        if let Some(last) = self.plain.as_ref().filter(|last| waits || last.get().elapsed() >= PLAIN_EVERY) {
            match self.counted.get() {
                Some((done, total, first)) => {
                    let left =
                        first.elapsed().as_secs_f64() * (total - done.min(total)) as f64 / done.max(1) as f64;
                    errln!("{done} of {total} compiled, about {left:.0} s left: {line}");
                }
                None => errln!("{line}"),
            }
            last.set(Instant::now());
        }
        self.bar.set_message(line);
    }

    /// Removes the bar.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
