//! The web platform with real trials: end to end, attacked, killed and restarted.

#![allow(clippy::unwrap_used, reason = "tests may panic, their functions beside #[test] too")]

mod attacks;
mod openapi;
mod orders;
mod restart;
mod slice;
#[path = "../stand/mod.rs"]
mod stand;
