//! The contract between the orchestrator and its runners.
//!
//! A runner is a program that reads one JSON object a line on its standard input and writes one a line on
//! its standard output; diagnostics go to standard error. [`message`] has the requests and replies,
//! [`bulk`] the binary files for what is too much for a pipe ([`row_file`] while they grow), [`numbering`] the rule by which messages differ.
//! `docs/RUNNER.md` is the same contract in prose for runners in other languages.

pub mod bulk;
pub mod message;
pub mod numbering;
pub mod row_file;
pub mod samples;

pub use message::{
    Answer, CONTRACT, CertificateFiles, Description, DocumentFiles, Endpoint, Failure, LoginFile, Operation,
    PayloadSource, PskFile, RecordSource, Reply, Request, Runner, ServerTlsTerms, Share, Success, TlsTerms,
    topic_of,
};
