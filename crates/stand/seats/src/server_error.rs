//! Why a server can't be started.

use wiredyno_brokers::StartError;

use crate::runner_error::RunnerError;

/// What can go wrong when a server is started.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// The broker did not start.
    #[error(transparent)]
    Broker(#[from] StartError),
    /// The runner did not start, or refused to serve.
    #[error(transparent)]
    Runner(#[from] RunnerError),
    /// It could not be started on an agent's machine.
    #[error("the broker {broker} on the agent {agent}: {problem}")]
    Away {
        /// The id of the broker.
        broker: String,
        /// The agent's name.
        agent: String,
        /// Why, in words.
        problem: String,
    },
    /// A file or port that it needs is not available.
    #[error("{0}")]
    Place(std::io::Error),
}
