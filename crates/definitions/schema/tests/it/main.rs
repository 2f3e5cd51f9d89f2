//! Definitions: read, imported, translated.

#![allow(clippy::unwrap_used, reason = "tests may panic, their functions beside #[test] too")]

mod awkward;
mod brought;
mod definition;
#[path = "../documents/mod.rs"]
mod documents;
mod idl;
mod import;
mod lowerings;
