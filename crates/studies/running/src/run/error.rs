//! Why a run can't be prepared or carried out.

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
use wiredyno_seats::runner::RunnerError;
use wiredyno_store::StoreError;

use super::clients::DescriptorsError;
use crate::room::Full;

/// Why a run can't be prepared.
#[derive(Debug, thiserror::Error)]
pub enum PrepareError {
    /// What was written on the command line.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// What stands in the study.
    #[error(transparent)]
    Study(#[from] FileError),
    /// What it names of payloads, codecs and runners.
    #[error(transparent)]
    Stock(#[from] StockError),
    /// The samples of a payload.
    #[error(transparent)]
    Payload(#[from] PayloadError),
    /// The file of a link can't be read.
    #[error(transparent)]
    Catalogue(#[from] CatalogueError),
    /// What stands in it.
    #[error(transparent)]
    Link(#[from] LinkFileError),
    /// A broker.
    #[error(transparent)]
    Broker(#[from] BrokerFolderError),
    /// The cache of runners.
    #[error(transparent)]
    Cache(#[from] CacheError),
    /// More clients than this machine lets connect.
    #[error(transparent)]
    Descriptors(#[from] DescriptorsError),
    /// A run that a threshold names.
    #[error("the run that a threshold of `{study}` names: {source}")]
    Base {
        /// The study.
        study: String,
        /// What is wrong with it.
        source: StoreError,
    },
    /// Where its folder shall be is not known.
    #[error("{folder}: {source}")]
    Place {
        /// As it was asked for.
        folder: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl Meaning for PrepareError {
    fn is_refusal(&self) -> bool {
        matches!(self, PrepareError::Refused(_))
    }
}

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
