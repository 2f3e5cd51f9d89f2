//! What is wrong with a runner's folder.

use std::io;
use std::path::PathBuf;

use wiredyno_contract::RUST;
use wiredyno_model::{FileError, Lack, Remedy};

use crate::DECLARATION;

/// Why a folder is no runner, or its language can't be had.
#[derive(Debug, thiserror::Error)]
pub enum RunnerFolderError {
    /// A file can't be read.
    #[error("{path}: {reason}")]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        reason: io::Error,
    },
    /// Its runner.toml.
    #[error(transparent)]
    Declaration(#[from] FileError),
    /// There is none of that name.
    #[error("there is no runner `{name}`; `wiredyno list runners` shows what there is")]
    Unknown {
        /// What was asked for.
        name: String,
    },
    /// The name of the composed runner.
    #[error("{path}: `{RUST}` is the composed runner; rename the folder")]
    Name {
        /// The folder.
        path: PathBuf,
    },
    /// The language's program is not there.
    #[error("{}", self.lack())]
    Missing {
        /// The runner.
        runner: String,
        /// The program.
        program: String,
        /// The line that installs it.
        install: String,
    },
    /// It is too old.
    #[error("{}", self.lack())]
    TooOld {
        /// The runner.
        runner: String,
        /// The language.
        language: String,
        /// The oldest that will do.
        least: String,
        /// What there is.
        found: String,
        /// The line that installs it.
        install: String,
    },
    /// It says no version.
    #[error(
        "the runner `{runner}`: `{command}` prints {said:?} instead of a version; fix `version.ask` in its {DECLARATION}"
    )]
    NoVersion {
        /// The runner.
        runner: String,
        /// What was asked.
        command: String,
        /// What it said.
        said: String,
    },
}

impl RunnerFolderError {
    /// What is missing here, with the command that installs it where one is declared.
    pub fn lack(&self) -> Lack {
        match self {
            RunnerFolderError::Missing { runner, program, install } => Lack {
                reason: format!("the runner `{runner}` needs `{program}`"),
                remedy: Some(Remedy::command(install)),
            },
            RunnerFolderError::TooOld { runner, language, least, found, install } => Lack {
                reason: format!("the runner `{runner}` needs {language} {least} or newer, this is {found}"),
                remedy: Some(Remedy::command(install)),
            },
            other => Lack::of(other.to_string()),
        }
    }
}
