//! Run folders: the trials of a run as parts, compacted into Parquet files when it ends, and its summary.
//!
//! A part is written under a hidden name and renamed into place, so that a run killed at any moment leaves only whole trials; files
//! and their folders are synced, so that the same holds if the machine loses its power. One process at a time writes a run folder,
//! and holds a lock on it.

mod cells;
mod error;
mod folder;
mod leaves;
mod messages;
mod metadata;
mod records;
mod samples;
mod table;
mod trials;

pub use error::StoreError;
pub use folder::{Hold, RunFolder};
pub use messages::{Messages, MessagesWriter};
pub use records::RunRecords;
pub use trials::{MessageTrial, RunTrials};
