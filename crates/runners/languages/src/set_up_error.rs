//! Why a runner of another language can't be prepared.

use std::io;
use std::path::{Path, PathBuf};

use wiredyno_build::{BuildError, CargoError};
use wiredyno_schema::idl::Refusal;

use crate::error::RunnerFolderError;

/// Why a runner can't start here.
#[derive(Debug, thiserror::Error)]
pub enum SetUpError {
    /// Its folder is broken, or its language is missing.
    #[error(transparent)]
    Folder(#[from] RunnerFolderError),
    /// A file in the cache can't be read or written.
    #[error("{path}: {reason}; is there room, and is it writable?")]
    Io {
        /// The file or folder concerned.
        path: PathBuf,
        /// The error that the system reported.
        reason: io::Error,
    },
    /// A command failed or took too long.
    #[error("the runner `{runner}` can't be prepared: `{command}`{said}\n{missing}")]
    Command {
        /// The runner's name.
        runner: String,
        /// The command line that failed.
        command: String,
        /// How it ended, with the end of its output.
        said: String,
        /// What to do about it, from runner.toml.
        missing: String,
    },
    /// A language that its build needs can't express the definition.
    #[error("the runner `{runner}` can't be built for {payload}: {reason}")]
    Schema {
        /// The runner's name.
        runner: String,
        /// The payload's name.
        payload: String,
        /// What the language can't express.
        reason: Refusal,
    },
    /// Building for a definition, or caching the result, failed.
    #[error(transparent)]
    Build(Box<BuildError>),
    /// The user cancelled.
    #[error("interrupted")]
    Interrupted,
}

impl From<BuildError> for SetUpError {
    fn from(error: BuildError) -> Self {
        match error {
            BuildError::Cargo(CargoError::Interrupted) => SetUpError::Interrupted,
            error => SetUpError::Build(Box::new(error)),
        }
    }
}

/// The error of a file or folder.
pub(crate) fn at(path: &Path) -> impl FnOnce(io::Error) -> SetUpError + use<> {
    let path = path.to_owned();
    move |reason| SetUpError::Io { path, reason }
}
