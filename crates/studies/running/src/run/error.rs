//! Why a run can't be prepared or executed.

use std::io;
use std::path::PathBuf;

use wiredyno_brokers::BrokerFolderError;
use wiredyno_build::CacheError;
use wiredyno_conducting::observe::ObserveError;
use wiredyno_contract::ModeId;
use wiredyno_link::lane::LaneError;
use wiredyno_link::spec::LinkFileError;
use wiredyno_model::FileError;
use wiredyno_payloads::PayloadError;
use wiredyno_planning::catalogue::CatalogueError;
use wiredyno_planning::meaning::Meaning;
use wiredyno_planning::stock::StockError;
use wiredyno_planning::study::Refused;
use wiredyno_seats::database::DatabaseError;
use wiredyno_seats::runner_error::RunnerError;
use wiredyno_store::StoreError;

use super::clients::DescriptorsError;
use crate::room::Full;

/// Why a run can't be prepared.
#[derive(Debug, thiserror::Error)]
pub enum PrepareError {
    /// The command line is wrong.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// A setting of the study is not valid.
    #[error(transparent)]
    Study(#[from] FileError),
    /// Its payloads, codecs or runners are not available.
    #[error(transparent)]
    Stock(#[from] StockError),
    /// The samples of a payload can't be read.
    #[error(transparent)]
    Payload(#[from] PayloadError),
    /// The file of a link can't be read.
    #[error(transparent)]
    Catalogue(#[from] CatalogueError),
    /// The file of a link is not valid.
    #[error(transparent)]
    Link(#[from] LinkFileError),
    /// A broker is unknown, or its folder is not valid.
    #[error(transparent)]
    Broker(#[from] BrokerFolderError),
    /// The cache of runners can't be used.
    #[error(transparent)]
    Cache(#[from] CacheError),
    /// More clients than this machine can connect.
    #[error(transparent)]
    Descriptors(#[from] DescriptorsError),
    /// The run to which a threshold refers can't be read.
    #[error("the run that a threshold of `{study}` names: {source}")]
    Base {
        /// The study with the threshold.
        study: String,
        /// Why that run can't be read.
        source: StoreError,
    },
    /// The location of its folder can't be determined.
    #[error("{folder}: {source}")]
    Place {
        /// The folder as it was requested.
        folder: PathBuf,
        /// The system's error for this path.
        source: io::Error,
    },
}

impl Meaning for PrepareError {
    fn is_refusal(&self) -> bool {
        matches!(self, PrepareError::Refused(_))
    }
}

/// What ends a run before its last trial, or prevents it from being resumed. A fault within a trial is a row in the results.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// Its folder can't be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The messages of a trial can't be observed.
    #[error(transparent)]
    Observe(#[from] ObserveError),
    /// The database with the records can't be used.
    #[error(transparent)]
    Database(#[from] DatabaseError),
    /// A runner can't be given its files.
    #[error(transparent)]
    Runner(#[from] RunnerError),
    /// The hosts of a lane can't be created.
    #[error(transparent)]
    Lane(#[from] LaneError),
    /// A disk is full.
    #[error(transparent)]
    Full(#[from] Full),
    /// A planned cell can't be run after all.
    #[error("no client or server for `{mode}`; please report this")]
    NoClient {
        /// The mode of the cell.
        mode: ModeId,
    },
    /// A lane's process dies again and again, or an agent does not reconnect.
    #[error("{times} trials in a row lost their link or a machine, the last one because {reason}")]
    LaneLost {
        /// How often, without a completed trial in between.
        times: u32,
        /// The reason of the last time.
        reason: String,
    },
    /// One of several lanes failed; the others were interrupted.
    #[error("lane {index}: {source}")]
    OnLane {
        /// The number of the lane, from 0.
        index: u32,
        /// What ended the lane.
        source: Box<RunError>,
    },
    /// The thread of a lane can't be started.
    #[error("lane {index} could not be started: {source}")]
    NoThread {
        /// The number of the lane, from 0.
        index: u32,
        /// The system's error on starting it.
        source: io::Error,
    },
    /// A thread panicked, with this message.
    #[error("a bug in this program, please report it: {0}")]
    Panicked(String),
    /// What the run measures has changed since it began.
    #[error(
        "{} can't continue: what it measures has changed, so its trials could not be compared\n  {}\nundo the \
         change, or start a new run",
        folder.display(),
        differences.join("\n  ")
    )]
    Changed {
        /// The folder of the run.
        folder: PathBuf,
        /// The differences, one line each.
        differences: Vec<String>,
    },
    /// The study can't be written as it is run.
    #[error("the study as it is run: {0}")]
    Study(#[from] toml::ser::Error),
    /// A threshold can't be judged, with the reason.
    #[error("{0}")]
    Threshold(String),
}

impl Meaning for RunError {
    fn is_interruption(&self) -> bool {
        match self {
            RunError::Runner(error) => error.is_interruption(),
            RunError::Database(error) => matches!(error, DatabaseError::Interrupted),
            RunError::OnLane { source, .. } => source.is_interruption(),
            _ => false,
        }
    }
}
