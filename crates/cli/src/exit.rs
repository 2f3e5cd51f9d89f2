//! Exit codes, all in one place.

use std::process::ExitCode;

use wiredyno_build::{BuildError, CargoError};
use wiredyno_orchestrate::runner::RunnerError;

use crate::output::errln;
use crate::terminal::wrong;

/// All is well.
pub const DONE: ExitCode = ExitCode::SUCCESS;
/// The program could not do what was asked.
pub const FAILED: u8 = 1;
/// A run ended, but at least one cell has nothing to show: all of its trials are invalid or failed.
pub const INCOMPLETE: u8 = 3;
/// A difference was found, a threshold is not kept, or nothing meets the needs.
pub const DIFFERENCE: u8 = 10;
/// The data don't tell.
pub const CANT_TELL: u8 = 11;
/// Interrupted by the user: 128 + SIGINT.
pub const INTERRUPTED: u8 = 130;

/// The table for `--help`.
pub const TABLE: &str = "\
Exit codes:
  0    done
  1    could not be done; the reason is on standard error
  2    the command line is wrong
  3    the run ended, but all trials of a cell are invalid or failed;
       of `doctor --self-test`: not all that was made was found
  10   something differs (compare), a threshold is not kept (run), nothing meets the needs (recommend)
  11   the data can't tell: more repeats or messages would
  130  interrupted
Of a run, 130 goes before 10, 10 before 3, and 3 before 11.";

/// Whether an error says no more than that the user wanted it to end.
fn is_interruption(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(BuildError::Cargo(CargoError::Interrupted)))
        || matches!(error.downcast_ref(), Some(RunnerError::Interrupted))
}

/// Says why something could not be done; gives the exit code of that.
pub fn told(error: &anyhow::Error) -> ExitCode {
    if is_interruption(error) {
        return ExitCode::from(INTERRUPTED);
    }
    errln!("{} {error:#}", wrong("wiredyno:"));
    ExitCode::from(FAILED)
}

/// The exit code of another program, passed on.
pub fn code(code: i32) -> ExitCode {
    ExitCode::from(u8::try_from(code).unwrap_or(FAILED))
}
