//! Why the runner itself refuses an operation, and how any error becomes a reply.

use std::io;

use wiredyno_contract::bulk::BulkError;
use wiredyno_contract::live::LiveError;
use wiredyno_contract::{Failure, Share, TransportId};

/// Why the runner itself refuses an operation.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    #[error("not a request: {0}; send one JSON object per line with `id` and `op`, see docs/RUNNER.md")]
    Request(serde_json::Error),
    #[error("nothing is loaded: `load` a payload and a codec first")]
    NotLoaded,
    #[error("this runner is {0} already: `finish` that first")]
    Busy(&'static str),
    #[error("this runner is not a {0}: `{1}` first")]
    NotInRole(&'static str, &'static str),
    #[error("no transport `{0}` here: `describe` lists them")]
    Transport(TransportId),
    #[error("`{0}` is not an IP address: resolve the host name first")]
    Address(String),
    #[error("the password can't be read from {path}: {source}; name a file that this user may read")]
    Password { path: String, source: io::Error },
    #[error(
        "share {} of {} of {clients} clients: the first, from 0, must be less than the second, which must divide the third",
        share.number,
        share.of
    )]
    Share { share: Share, clients: u32 },
    #[error("the key can't be read from {path}: {source}; name a file that this user may read")]
    Key { path: String, source: io::Error },
    #[error("{path} contains no key: write its bytes in hexadecimal and nothing else")]
    NoKey { path: String },
    #[error("the connection is lost: {0}")]
    Broken(String),
    #[error(
        "only {sent} of {messages} warm-up messages were sent within a minute: the link or the broker is too slow, send fewer"
    )]
    SlowWarmUp { sent: u64, messages: u32 },
    #[error("messages are still being sent: `await-sent` first")]
    StillSending,
    #[error("{path} contains no records of a publisher: {source}; name a file that `write-sent` wrote")]
    Sent { path: String, source: BulkError },
    #[error("the records can't be written to {path}: {source}; name a file in a folder that exists")]
    Records { path: String, source: io::Error },
    #[error(
        "can't create the file for the records in the temporary folder: {source}; make room there, or name another in TMPDIR"
    )]
    NoFile { source: io::Error },
    #[error(
        "the records could not be stored while messages arrived: {source}; is the disk of the temporary folder full?"
    )]
    OwnRecords { source: BulkError },
    #[error(
        "this runner was composed without a reader of records: leave `read-records` out, or compose it with one"
    )]
    NoRecords,
    #[error("no records: {0}")]
    Unread(String),
    #[error("the live counters in {path} can't be used: {source}; leave `count-live` out")]
    Live { path: String, source: LiveError },
    #[error("the runner panicked at this operation: {0}; please report this")]
    Panicked(String),
}

/// Turns any error, with its causes, into a reply.
pub fn failure(error: impl std::error::Error) -> Failure {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let inner_text = inner.to_string();
        if !text.contains(&inner_text) {
            text = format!("{text}: {inner_text}");
        }
        cause = inner.source();
    }
    Failure { error: text }
}
