//! Why a broker did not start.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use wiredyno_contract::Endpoint;
use wiredyno_process::step::StepError;

/// Why a broker did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// One of its files or folders could not be written.
    #[error("the broker `{broker}`: {path}: {source}")]
    File {
        /// Id of the broker, its folder's name.
        broker: String,
        /// The file or folder that was to be written.
        path: PathBuf,
        /// The system's error for this path.
        source: io::Error,
    },
    /// There is no free port at its address.
    #[error("the broker `{broker}` has no free port at {address}: {source}")]
    Port {
        /// Id of the broker, its folder's name.
        broker: String,
        /// The IPv4 address to listen on.
        address: String,
        /// The system's error on looking for one.
        source: io::Error,
    },
    /// A preparing step failed.
    #[error("the broker `{broker}` could not be prepared by `{command}`: {source}")]
    Prepare {
        /// Id of the broker, its folder's name.
        broker: String,
        /// The step's program, without its arguments.
        command: String,
        /// How it failed, with the end of its output.
        source: StepError,
    },
    /// A process could not be started, or an earlier one not be killed.
    #[error("the broker `{broker}` did not start: {source}; {hint}")]
    Start {
        /// Id of the broker, its folder's name.
        broker: String,
        /// The system's error on starting it.
        source: io::Error,
        /// The command that installs it, or what to do instead.
        hint: String,
    },
    /// It ended before it was ready.
    #[error("the broker `{broker}` ended before it was ready ({status}){log}")]
    Ended {
        /// Id of the broker, its folder's name.
        broker: String,
        /// Its exit status or signal.
        status: String,
        /// The last lines of its output, with a leading separator; empty if it printed nothing.
        log: String,
    },
    /// A node did not listen on its ports in time.
    #[error("the broker `{broker}` did not accept connections on {endpoint} within {} s{log}", limit.as_secs())]
    NotReady {
        /// Id of the broker, its folder's name.
        broker: String,
        /// The address and port that clients would use.
        endpoint: Endpoint,
        /// The limit of its definition.
        limit: Duration,
        /// The last lines of its output, with a leading separator; empty if it printed nothing.
        log: String,
    },
    /// The user interrupted the start.
    #[error("interrupted")]
    Interrupted,
}
