//! Claims of publications, judged over made-up and bundled figures.

#![allow(clippy::unwrap_used, reason = "tests may panic, their functions beside #[test] too")]

mod bundled;
mod relations;
mod verdicts;
