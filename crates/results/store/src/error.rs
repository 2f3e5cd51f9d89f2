//! Why a run folder can't be read or written.

use std::io;
use std::path::{Path, PathBuf};

use parquet::errors::ParquetError;

/// Errors about a run folder.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A file or folder can't be read or written.
    #[error("{path}: {source}")]
    Io {
        /// The file or folder that could not be used.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The folder exists and is not empty.
    #[error(
        "{path} exists already: give another folder with --out, or move it away; runs are never overwritten"
    )]
    Exists {
        /// The folder that is not empty.
        path: PathBuf,
    },
    /// The content of a file does not match its name.
    #[error("{path} can't be read as part of a run: {problem}; did another version write it?")]
    Content {
        /// The file that could not be read.
        path: PathBuf,
        /// What is wrong with it, in words.
        problem: String,
    },
    /// A Parquet file can't be read or written.
    #[error("{path}: {source}")]
    Parquet {
        /// The Parquet file.
        path: PathBuf,
        /// The library's error.
        source: ParquetError,
    },
    /// There is no run in that folder.
    #[error("{path} holds no run: there is no summary.json; name the folder that `wiredyno run` printed")]
    NoRun {
        /// The folder without a summary.
        path: PathBuf,
    },
    /// The run in that folder was interrupted before it had a summary.
    #[error(
        "{path} holds an interrupted run without a summary: `wiredyno report {path}` makes one of the trials that are there"
    )]
    NoSummary {
        /// The folder, which has parts of trials.
        path: PathBuf,
    },
    /// A run to be resumed has nothing to start from.
    #[error(
        "{path} holds no interrupted run: there is no {missing} in it; name the folder that `wiredyno run` made, or start \
         again if it stopped before its first trial"
    )]
    NotBegun {
        /// The folder without a begun run.
        path: PathBuf,
        /// The file or folder that it lacks.
        missing: &'static str,
    },
    /// A run to be resumed has all of its trials.
    #[error("{path} already has all its trials; `wiredyno report` writes its report again")]
    Whole {
        /// The folder of the complete run.
        path: PathBuf,
    },
    /// Another process is writing the folder.
    #[error("{path} is being written by another `wiredyno run`: wait for it to end, or stop it")]
    Held {
        /// The folder in use.
        path: PathBuf,
    },
}

impl StoreError {
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> StoreError + use<> {
        let path = path.to_owned();
        move |source| StoreError::Io { path, source }
    }

    pub(crate) fn parquet(path: &Path) -> impl FnOnce(ParquetError) -> StoreError + use<> {
        let path = path.to_owned();
        move |source| StoreError::Parquet { path, source }
    }

    pub(crate) fn content(path: &Path, problem: impl ToString) -> StoreError {
        StoreError::Content { path: path.to_owned(), problem: problem.to_string() }
    }
}
