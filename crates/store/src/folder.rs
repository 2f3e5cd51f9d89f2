//! The folder of one run.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use parquet::errors::ParquetError;
use wiredyno_model::study::Study;
use wiredyno_model::summary::{Environment, Summary};

/// What can go wrong with a run folder.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A file or folder refused to be read or written.
    #[error("{path}: {source}")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The folder exists and is not empty.
    #[error(
        "{path} exists already: give another folder with --out, or move it away; runs are never overwritten"
    )]
    Exists {
        /// The folder.
        path: PathBuf,
    },
    /// A file does not hold what its name says.
    #[error("{path} cannot be read as a part of a run: {problem}; was it written by another version?")]
    Content {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// A Parquet file refused to be read or written.
    #[error("{path}: {source}")]
    Parquet {
        /// The file.
        path: PathBuf,
        /// What the library said.
        source: ParquetError,
    },
    /// There is no run in that folder.
    #[error("{path} holds no run: there is no summary.json; name the folder that `wiredyno run` printed")]
    NoRun {
        /// The folder.
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

/// The folder of one run.
#[derive(Debug, Clone)]
pub struct RunFolder {
    path: PathBuf,
}

impl RunFolder {
    /// Makes a new run folder with its study and environment.
    ///
    /// # Errors
    /// When the folder exists with something in it, or can't be written.
    pub fn create(path: &Path, study: &Study, environment: &Environment) -> Result<Self, StoreError> {
        if fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_some()) {
            return Err(StoreError::Exists { path: path.to_owned() });
        }
        let parts = path.join("trials");
        fs::create_dir_all(&parts).map_err(StoreError::io(&parts))?;
        let run = RunFolder { path: path.to_owned() };
        let study_file = path.join("study.toml");
        let text = toml::to_string(study).map_err(|error| StoreError::content(&study_file, error))?;
        run.put(&study_file, text.as_bytes())?;
        let environment_file = path.join("environment.json");
        let text = serde_json::to_string_pretty(environment)
            .map_err(|error| StoreError::content(&environment_file, error))?;
        run.put(&environment_file, text.as_bytes())?;
        Ok(run)
    }

    /// Opens the folder of a run that has a summary.
    ///
    /// # Errors
    /// When there is none.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        if path.join("summary.json").is_file() {
            return Ok(RunFolder { path: path.to_owned() });
        }
        Err(StoreError::NoRun { path: path.to_owned() })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its name, which is the run's id.
    pub fn id(&self) -> String {
        let name = self.path.canonicalize().unwrap_or_else(|_| self.path.clone());
        name.file_name().map_or_else(|| "run".to_owned(), |name| name.to_string_lossy().into_owned())
    }

    /// The capture file of a trial, in a folder that is made with the first.
    ///
    /// # Errors
    /// When the folder can't be made.
    pub fn capture(&self, trial: u32) -> Result<PathBuf, StoreError> {
        let folder = self.path.join("captures");
        fs::create_dir_all(&folder).map_err(StoreError::io(&folder))?;
        Ok(folder.join(format!("{trial:05}.pcapng")))
    }

    /// Where a report of this file name stands.
    pub fn report(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Writes the summary.
    ///
    /// # Errors
    /// When the file can't be written.
    pub fn write_summary(&self, summary: &Summary) -> Result<(), StoreError> {
        let path = self.path.join("summary.json");
        let text =
            serde_json::to_string_pretty(summary).map_err(|error| StoreError::content(&path, error))?;
        self.put(&path, text.as_bytes())
    }

    /// Reads the summary.
    ///
    /// # Errors
    /// When the file can't be read, or was written by another version.
    pub fn read_summary(&self) -> Result<Summary, StoreError> {
        let path = self.path.join("summary.json");
        let text = fs::read_to_string(&path).map_err(StoreError::io(&path))?;
        serde_json::from_str(&text).map_err(|error| StoreError::content(&path, error))
    }

    /// Writes a file whole: under a hidden name first, then renamed into place.
    ///
    /// # Errors
    /// When the file can't be written.
    pub fn put(&self, path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
        let part = hidden(path);
        fs::write(&part, bytes).map_err(StoreError::io(&part))?;
        fs::rename(&part, path).map_err(StoreError::io(path))
    }
}

/// The name under which a file is written before it is whole.
pub(crate) fn hidden(path: &Path) -> PathBuf {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    path.with_file_name(format!(".{name}.part"))
}
