//! Conclusions from trials that are made up or recorded.

#![allow(clippy::unwrap_used, reason = "tests may panic, their functions beside #[test] too")]

mod choices;
mod compare;
mod effects;
mod knees;
#[path = "../made_up/mod.rs"]
mod made_up;
mod opening;
mod recommend;
mod resampled;
mod schema;
mod threshold;
