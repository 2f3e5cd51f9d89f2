//! How far a test is.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The progress of a running test.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
pub struct Progress {
    /// Trials that have ended.
    pub done: u64,
    /// Trials in all, as far as known now.
    pub total: u64,
    /// Estimated remaining time, in nanoseconds.
    pub left_ns: u64,
}
