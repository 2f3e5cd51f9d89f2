//! The words of Wiredyno as types: ids, units, study, cell, trial, record, summary.
//!
//! No I/O and no async. Files are parsed from text that the caller has read, so that every error can name
//! the file, the line and the nearest known key.

pub mod capability;
pub mod cell;
pub mod file;
pub mod id;
pub mod limits;
pub mod study;
pub mod summary;
pub mod trial;
pub mod unit;

pub use capability::{
    Capability, CodecDescription, CompressionDescription, TransportDescription, TransportSetting,
};
pub use cell::{Cell, CodecCell};
pub use file::{FileError, nearest, parse_toml};
pub use id::{CodecId, CompressionId, IdError, LinkId, ModeId, PayloadId, TransportId};
pub use limits::Limits;
pub use study::{Arrivals, Axes, CodecTrials, Host, Hosts, Lanes, Load, LoadKind, Study, Trials};
pub use unit::{BitRate, QuantityError, Ratio, Span};
