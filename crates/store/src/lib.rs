//! Run folders: the trials of a run as parts, compacted into Parquet files when it ends, and its summary.
//!
//! A part is written under a hidden name and renamed into place, so that a run killed at any moment leaves
//! only whole trials. Limits: one process writes a run folder at a time.

mod folder;
mod table;
mod trials;

pub use folder::{RunFolder, StoreError};
pub use trials::{MessageTrial, RunTrials};
