//! Runners over the contract, compared with the documentation and with publications.

#![allow(clippy::unwrap_used, reason = "tests may panic, their functions beside #[test] too")]

mod contract;
mod golden;
mod operations;
mod sizes;
