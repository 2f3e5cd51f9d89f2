//! The web platform with real trials: end to end, attacked, killed and restarted.

#![allow(clippy::unwrap_used, reason = "tests may panic, their functions beside #[test] too")]

#[path = "../../../../results/answers/tests/made_up/mod.rs"]
mod answered;
mod attacks;
mod fleets;
#[path = "../../../../results/report/tests/made_up/mod.rs"]
mod made_up;
mod openapi;
mod orders;
mod restart;
mod said;
mod slice;
#[path = "../stand/mod.rs"]
mod stand;
