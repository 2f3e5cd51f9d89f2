//! Statistics compared with SciPy, and the same cell against itself.

#![allow(clippy::unwrap_used, reason = "tests may panic, their functions beside #[test] too")]

mod oracle;
mod recorded_against_itself;
mod same_against_itself;
