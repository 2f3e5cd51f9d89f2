//! Runners over the contract, beside what the documentation and publications say.

#![allow(clippy::unwrap_used, reason = "tests may panic, their functions beside #[test] too")]

mod contract;
mod golden;
mod operations;
mod sizes;
