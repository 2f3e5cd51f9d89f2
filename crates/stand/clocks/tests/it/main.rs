//! The estimator against simulated machines whose true offset is known.

#![allow(clippy::unwrap_used, reason = "these are tests")]

mod forced;
mod simulated;
mod truth;
