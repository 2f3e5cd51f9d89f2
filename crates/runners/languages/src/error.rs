//! Errors in a runner's folder.

use std::io;
use std::path::PathBuf;

use wiredyno_contract::RUST;
use wiredyno_model::{FileError, Lack, Remedy};

use crate::DECLARATION;

/// Why a folder is not a usable runner.
#[derive(Debug, thiserror::Error)]
pub enum RunnerFolderError {
    /// A file or folder can't be read.
    #[error("{path}: {reason}")]
    Read {
        /// The file or folder that could not be read or written.
        path: PathBuf,
        /// The error that the system reported.
        reason: io::Error,
    },
    /// Its runner.toml is wrong.
    #[error(transparent)]
    Declaration(#[from] FileError),
    /// There is no runner of that name.
    #[error("there is no runner `{name}`; `wiredyno list runners` shows what there is")]
    Unknown {
        /// The name that was requested.
        name: String,
    },
    /// It has the name of the composed runner.
    #[error("{path}: `{RUST}` is the composed runner; rename the folder")]
    Name {
        /// The folder concerned.
        path: PathBuf,
    },
    /// The language's program, or a tool, is missing.
    #[error("{}", self.lack())]
    Missing {
        /// The runner's name.
        runner: String,
        /// The missing program.
        program: String,
        /// The command that installs it.
        install: String,
    },
    /// The language is older than the runner needs.
    #[error("{}", self.lack())]
    TooOld {
        /// The runner's name.
        runner: String,
        /// The language's name.
        language: String,
        /// The oldest accepted version.
        least: String,
        /// The version that is installed.
        found: String,
        /// The command that installs it.
        install: String,
    },
    /// The program does not print a version.
    #[error(
        "the runner `{runner}`: `{command}` prints {said:?} instead of a version; fix `version.ask` in its {DECLARATION}"
    )]
    NoVersion {
        /// The runner's name.
        runner: String,
        /// The command that asks for the version.
        command: String,
        /// The program's output instead of a version.
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
