//! The program as a user starts it.

#![allow(clippy::unwrap_used, reason = "tests may panic, their functions beside #[test] too")]

mod agents;
mod answers;
mod awkward;
mod brokers;
mod build;
mod claims;
mod coding;
mod commands;
mod compiled;
#[path = "../../../../definitions/schema/tests/documents/mod.rs"]
mod documents;
mod encrypted;
mod interoperability;
mod languages;
mod live;
mod load;
mod loopback;
mod new;
mod outcomes;
mod pack;
mod plans;
mod published;
mod resume;
mod runners;
mod schema;
mod secured;
mod size;
#[path = "../stand/mod.rs"]
mod stand;
mod tutorials;
mod well_known;
