//! What an error means for who asked, beside its words: a program's exit code depends on it.

use wiredyno_build::{BuildError, CargoError};
use wiredyno_languages::SetUpError;
use wiredyno_seats::runner::RunnerError;

use crate::stock::VerifyError;

/// An error of an operation that is carried out for somebody.
pub trait Meaning {
    /// Whether it says no more than that the user wanted it to end.
    fn is_interruption(&self) -> bool {
        false
    }

    /// Whether what was written on the command line is wrong, whatever files hold.
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

impl Meaning for VerifyError {
    fn is_interruption(&self) -> bool {
        matches!(self, VerifyError::Interrupted)
    }
}
