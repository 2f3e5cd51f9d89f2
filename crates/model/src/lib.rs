//! The words of Wiredyno as types: ids, units, study, cell, trial, record, summary.
//!
//! No I/O and no async. Files are parsed from text that the caller has read, so that every error can name
//! the file, the line and the nearest known key.

pub mod axis;
pub mod capability;
pub mod cell_figure;
pub mod declared;
pub mod declared_option;
pub mod family;
pub mod figure;
pub mod file;
pub mod id;
pub mod known;
pub mod limits;
pub mod load;
pub mod metric;
pub mod option;
pub mod option_axis;
pub mod outcome;
pub mod progress;
pub mod security;
pub mod selection;
pub mod study;
pub mod summary;
pub mod threshold;
pub mod trial;
pub mod unit;

pub use axis::{AXES, Axes, Axis, AxisInfo, AxisKind, Cell, CodecCell, Part, Pattern, axis};
pub use capability::{
    BodyLimit, Capability, CodecDescription, CompressionDescription, RUST, TransportDescription,
    TransportSetting, WireFormat,
};
pub use declared::{Addresses, DeclaredCodec, OWN_LIBRARY, Objects, Scheme, SerdeStyle, SystemLibrary};
pub use declared_option::{Brings, DeclaredOption, TransportOptions, Words};
pub use family::Family;
pub use figure::{Figure, FigureError, Statistic};
pub use file::{FileError, nearest, parse_toml};
pub use id::{BrokerId, CodecId, CompressionId, IdError, LinkId, ModeId, PayloadId, TransportId};
pub use known::{Known, PayloadDescription};
pub use limits::{Limit, Limits};
pub use load::{Arrivals, Clients, Load, LoadKind};
pub use metric::{Better, MetricInfo, Range, Scope, Unit};
pub use option::{OptionError, OptionKind, OptionTable, OptionValue, TransportOption, resolve};
pub use option_axis::option_of_axis;
pub use outcome::{Outcome, Role};
pub use security::{Security, SecuritySettings, UnknownSecurity};
pub use selection::{Selection, SelectionError};
pub use study::{CodecTrials, Host, Hosts, Lanes, Lifetime, Records, Study, Trials, Until, Way};
pub use threshold::Threshold;
pub use unit::{BitRate, Factor, MessageRate, QuantityError, Ratio, Span};
