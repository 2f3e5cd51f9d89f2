//! What can go wrong with a runner, whatever its seat.

use std::io;
use std::time::Duration;

use wiredyno_contract::bulk::BulkError;
use wiredyno_contract::{Failure, Operation};

/// What can go wrong between the orchestrator and a runner.
#[derive(Debug, thiserror::Error)]
pub enum RunnerError {
    /// The program could not be started.
    #[error("the runner `{program}` could not be started: {source}; is the file there and executable?")]
    Start {
        /// The path of the program.
        program: String,
        /// The system's error on starting it.
        source: io::Error,
    },
    /// No runner was prepared for a payload.
    #[error("no runner was prepared for the payload `{payload}`; please report this")]
    None {
        /// Id of the payload without runners.
        payload: String,
    },
    /// The runner refused the request.
    #[error("{role}: {failure}")]
    Refused {
        /// Its role: publisher, subscriber, relay, codecs.
        role: &'static str,
        /// The reason that it gave.
        failure: Failure,
    },
    /// The runner ended, or closed its output.
    #[error("the {role} ended before it answered{status}{stderr}")]
    Ended {
        /// The role of the runner, such as publisher.
        role: &'static str,
        /// Exit status in words, with a leading separator; empty when unknown.
        status: String,
        /// Last lines of its standard error, with a leading separator; empty when there are none.
        stderr: String,
    },
    /// It did not answer in time.
    #[error("the {role} did not answer `{operation}` within {} s{stderr}", limit.as_secs())]
    Silent {
        /// The role of the runner, such as publisher.
        role: &'static str,
        /// Name of the operation, as in docs/RUNNER.md.
        operation: String,
        /// The time limit of the operation.
        limit: Duration,
        /// Last lines of its standard error, with a leading separator.
        stderr: String,
    },
    /// It did not read the request in time.
    #[error("the {role} did not read the request `{operation}` within {} s{stderr}", limit.as_secs())]
    Deaf {
        /// The role of the runner, such as publisher.
        role: &'static str,
        /// Name of the operation, as in docs/RUNNER.md.
        operation: String,
        /// How long sending was tried.
        limit: Duration,
        /// Last lines of its standard error, with a leading separator.
        stderr: String,
    },
    /// Its answer is not valid.
    #[error("the {role} broke the contract: {problem}; runner and orchestrator must have the same version")]
    Contract {
        /// The role of the runner, such as publisher.
        role: &'static str,
        /// What was wrong, in words.
        problem: String,
    },
    /// The run was interrupted while it waited for the runner.
    #[error("interrupted")]
    Interrupted,
    /// Reading or writing a pipe failed.
    #[error("the pipe to the {role} failed: {source}")]
    Pipe {
        /// The role of the runner, such as publisher.
        role: &'static str,
        /// The system's error on the pipe.
        source: io::Error,
    },
    /// It can't be started on another machine, or that machine was lost.
    #[error("the {role} on {agent}: {problem}")]
    Away {
        /// The role of the runner, such as publisher.
        role: &'static str,
        /// The name of the agent.
        agent: String,
        /// What went wrong, in words.
        problem: String,
    },
    /// A file could not be transferred to or from its seat.
    #[error("the files of the {role}: {source}")]
    Files {
        /// The role of the runner, such as publisher.
        role: &'static str,
        /// The system's error on the file.
        source: io::Error,
    },
    /// Records that it needs are not valid.
    #[error("the records that the {role} needs: {source}")]
    Records {
        /// The role of the runner, such as publisher.
        role: &'static str,
        /// What is wrong with the records.
        source: BulkError,
    },
}

/// The name of an operation, as in docs/RUNNER.md, for errors.
pub(crate) fn name_of(operation: &Operation) -> String {
    serde_json::to_value(operation)
        .ok()
        .and_then(|value| value.get("op").and_then(|op| op.as_str()).map(str::to_owned))
        .unwrap_or_default()
}
