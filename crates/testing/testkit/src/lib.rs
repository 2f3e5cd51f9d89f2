//! What the conformance suites share: runners to test, started and asked as the orchestrator does it.
//!
//! A suite takes a list of [`Subject`]s, each a runner's program over one payload, and asks it over the contract; nothing in
//! a suite knows the language of a runner. [`rust`] composes Rust's, [`folders`] has those of other languages that
//! come with the program.
//!
//! Limits: a runner that dies, stays silent or panics ends the test by a panic; this is a library for tests.

pub mod folders;
pub mod foreign;
mod loaded;
pub mod memory;
pub mod payloads;
mod runner;
pub mod rust;
mod source;
mod subject;

pub use loaded::Loaded;
pub use runner::{LIMIT, Runner};
pub use source::{Source, SourceError};
pub use subject::Subject;

/// Whether the slow form of the suites is wanted: `WIREDYNO_TEST_FULL`.
pub fn full() -> bool {
    std::env::var_os("WIREDYNO_TEST_FULL").is_some()
}
