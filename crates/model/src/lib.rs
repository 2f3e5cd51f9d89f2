//! The words of Wiredyno as types: ids, units, study, cell, trial, record, summary.
//!
//! No I/O and no async. Files are parsed from text that the caller has read, so that every error can name
//! the file, the line and the nearest known key.

pub mod capability;
pub mod id;

pub use capability::{Capability, CodecDescription, TransportDescription, TransportSetting};
pub use id::{CodecId, IdError, LinkId, ModeId, PayloadId, TransportId};
