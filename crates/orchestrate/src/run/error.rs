//! Why a run can't be carried out.

use std::io;
use std::path::PathBuf;

use wiredyno_contract::ModeId;
use wiredyno_link::lane::LaneError;
use wiredyno_store::StoreError;

use crate::database::DatabaseError;
use crate::observe::ObserveError;
use crate::room::Full;
use crate::runner::RunnerError;

/// What ends a run before its last trial, or keeps it from being gone on with. What goes wrong in a trial is a row in the results.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// Its folder.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// What messages of a trial gave.
    #[error(transparent)]
    Observe(#[from] ObserveError),
    /// The database that records are read from.
    #[error(transparent)]
    Database(#[from] DatabaseError),
    /// What a runner is handed.
    #[error(transparent)]
    Runner(#[from] RunnerError),
    /// The hosts of a lane.
    #[error(transparent)]
    Lane(#[from] LaneError),
    /// The disk.
    #[error(transparent)]
    Full(#[from] Full),
    /// A planned cell can't be run after all.
    #[error("no client or server for `{mode}`; please report this")]
    NoClient {
        /// Its mode.
        mode: ModeId,
    },
    /// A lane's process dies whatever is done.
    #[error("its link's process died {times} times in a row, the last time with: {reason}")]
    LaneLost {
        /// How often, without a trial in between.
        times: u32,
        /// What was known of the last time.
        reason: String,
    },
    /// One lane of several; the others were interrupted.
    #[error("lane {index}: {source}")]
    OnLane {
        /// Which.
        index: u32,
        /// What ended it.
        source: Box<RunError>,
    },
    /// A lane has no thread.
    #[error("lane {index} could not be started: {source}")]
    NoThread {
        /// Which.
        index: u32,
        /// Why.
        source: io::Error,
    },
    /// A panic of a thread, with what it said.
    #[error("a bug in this program, please report it: {0}")]
    Panicked(String),
    /// What the run measures is not what it was.
    #[error(
        "{} can't continue: what it measures has changed, so its trials could not be compared\n  {}\nundo the \
         change, or start a new run",
        folder.display(),
        differences.join("\n  ")
    )]
    Changed {
        /// Its folder.
        folder: PathBuf,
        /// What differs, each in a line.
        differences: Vec<String>,
    },
    /// The study can't be written as it is run.
    #[error("the study as it is run: {0}")]
    Study(#[from] toml::ser::Error),
    /// A threshold, with the reason.
    #[error("{0}")]
    Threshold(String),
}
