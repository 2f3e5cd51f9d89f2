//! The kind of an error, apart from its words: a program's exit code depends on it.

use wiredyno_build::{BuildError, CargoError};
use wiredyno_languages::SetUpError;
use wiredyno_seats::runner_error::RunnerError;

/// An error of an operation that a user started.
pub trait Meaning {
    /// Whether it only means that the user interrupted the operation.
    fn is_interruption(&self) -> bool {
        false
    }

    /// Whether the command line itself is wrong, independent of any file's contents.
    fn is_refusal(&self) -> bool {
        false
    }
}

impl Meaning for RunnerError {
    fn is_interruption(&self) -> bool {
        matches!(self, RunnerError::Interrupted)
    }
}

impl Meaning for BuildError {
    fn is_interruption(&self) -> bool {
        matches!(self, BuildError::Cargo(CargoError::Interrupted))
    }
}

impl Meaning for SetUpError {
    fn is_interruption(&self) -> bool {
        matches!(self, SetUpError::Interrupted)
    }
}
