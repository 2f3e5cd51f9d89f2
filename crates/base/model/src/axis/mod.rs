//! Axes: what varies in a study, its values, and the cells that they make.
//!
//! [`TABLE`] has one row for each. What concerns all of them (cells, selections, forms, effects, findings, tables, charts) reads
//! it there, so that another axis is one row, and where it acts.

pub mod cell;
mod option;
mod table;
pub mod value;
mod words;

pub use cell::{Cell, CodecCell};
pub use option::option_of_axis;
pub(crate) use option::read_axes;
pub use table::{AXES, Axes, AxisInfo, AxisKind, ColumnShown, FurtherColumns, Part, TABLE, axis};
pub use value::{Axis, NothingMatches, Pattern};
pub use words::{Records, Way};
