//! A coordinator and its agents, in one process: joining, leases, and what breaks.

#![allow(clippy::unwrap_used, reason = "every function here is a test or a part of one")]

mod cable;
mod faults;
mod joining;
mod stage;
