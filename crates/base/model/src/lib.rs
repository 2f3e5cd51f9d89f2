//! Wiredyno's terms as types: study, cell, trial, record, metric, summary. The terms that runners share are in `crates/base/contract`.
//!
//! No I/O and no async. Files are parsed from text that the caller has read, so that every error can name
//! the file, the line and the nearest known key.

pub mod axis;
pub mod cell_figure;
pub mod family;
pub mod figure;

pub mod known;
pub mod lack;
pub mod limits;
pub mod live;
pub mod load;
pub mod metric;
pub mod outcome;
pub mod place;
pub mod progress;
pub mod security;
pub mod selection;
pub mod study;
pub mod summary;
pub mod threshold;
pub mod told;
pub mod toml_text;
pub mod trial;

pub use axis::{
    AXES, Axes, Axis, AxisInfo, AxisKind, Cell, CodecCell, Part, Pattern, Records, Way, axis, option_of_axis,
};
pub use family::Family;
pub use figure::{Figure, FigureError, Statistic};
pub use known::{Known, PayloadDescription};
pub use lack::{Lack, Remedy};
pub use limits::{Limit, Limits};
pub use load::Load;
pub use metric::{About, Better, MetricInfo, Range, Scope, Unit};
pub use outcome::{Outcome, Role};
pub use place::{Place, Refusal};
pub use security::SecuritySettings;
pub use selection::{Selection, SelectionError};
pub use study::{CodecTrials, Host, Hosts, Lanes, Lifetime, Study, Trials, Until};
pub use threshold::Threshold;
pub use toml_text::{FileError, TomlText, parse_toml};
