//! What the conformance suites share: runners to test, started and asked as the orchestrator does.
//!
//! A suite takes a list of [`Subject`]s, each a runner's program over one payload, and drives it over the contract; nothing in
//! a suite depends on the language of a runner. [`rust`] composes Rust's, [`folders`] has the bundled ones in
//! other languages.
//!
//! Limits: a runner that dies, stays silent or panics makes the test panic; this is a library for tests.

pub mod folders;
pub mod foreign;
mod lent;
mod loaded;
pub mod memory;
pub mod payloads;
mod runner;
pub mod rust;
mod source;
mod subject;

pub use lent::Lent;
pub use loaded::Loaded;
pub use runner::{LIMIT, Runner};
pub use source::{Source, SourceError};
pub use subject::Subject;

/// Whether the suites run in full: `WIREDYNO_TEST_FULL` is set.
pub fn full() -> bool {
    std::env::var_os("WIREDYNO_TEST_FULL").is_some()
}
