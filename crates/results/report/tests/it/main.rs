//! Reports of made-up runs.

#![allow(clippy::unwrap_used, reason = "tests may panic, their functions beside #[test] too")]

#[path = "../../../answers/tests/made_up/mod.rs"]
mod answered;
mod axes;
mod codecs;
mod forms;
mod languages;
mod loss;
#[path = "../made_up/mod.rs"]
mod made_up;
mod on_page;
mod published;
mod report;
mod shapes;
