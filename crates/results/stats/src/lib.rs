//! Summaries, intervals, comparisons and sequential stopping. Pure functions.
//!
//! The trial is the statistical unit: messages of one trial share a link, a broker and a machine state, so
//! they are not independent. A *value* here is one number per trial, unless a function states that it takes
//! the messages of each trial. No I/O, no clock; anything random takes its seed as an argument.
//!
//! Limits: quantities enter as `f64` or as integer nanoseconds (exact up to 2^53 ns, 104 days). Quantiles are
//! type 7 of Hyndman and Fan everywhere (see [`quantile`]), except in [`histogram`], which says so.
//!
//! ```
//! use wiredyno_stats::{Bootstrap, CellValues, Direction, Level, Pairing, Sample, Statistic};
//! use wiredyno_stats::{best, mean_interval};
//!
//! // The mean latency of each of five trials, in nanoseconds.
//! let json = Sample::from_signed(&[91_200_000, 90_700_000, 92_500_000, 91_900_000, 90_100_000])?;
//! let protobuf = Sample::from_signed(&[74_300_000, 73_900_000, 75_200_000, 74_800_000, 74_000_000])?;
//! assert!(mean_interval(&json, Level::P95)?.contains(91.3e6));
//! assert!(Bootstrap::seeded(1).values(&json, Statistic::MEDIAN)?.contains(91.2e6));
//!
//! let cells = [
//!     CellValues::numbered("json/serde-json", json.values()),
//!     CellValues::numbered("protobuf/prost", protobuf.values()),
//! ];
//! let report = best(&cells, Direction::LowerIsBetter, Pairing::ByRepeat, Level::P95)?;
//! assert_eq!(report.best, "protobuf/prost");
//! assert_eq!(report.ties().count(), 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod best;
pub mod bootstrap;
pub mod box_plot;
pub mod comparison;
pub mod contrast;
pub mod correction;
pub mod dependence;
pub mod distribution;
pub mod draw;
pub mod ecdf;
pub mod effect;
pub mod histogram;
pub mod interval;
pub mod parameter;
pub mod power;
pub mod proportion;
pub mod quantile;
pub mod rank_test;
pub mod ratio;
pub mod sample;
pub mod sequential;
pub mod statistic;
pub mod t_test;
pub mod tally;

mod pool;

pub use best::{
    BesideBest, BestError, BestReport, CellValues, Direction, Pairing, Scale, Unjudged, best, best_exact,
};
pub use bootstrap::Bootstrap;
pub use box_plot::BoxPlot;
pub use comparison::{
    Comparison, FalseDifferences, compare, disjoint_pairs, false_differences, interleaved_pairs,
};
pub use ecdf::{AxisScale, Ecdf, EcdfPoint};
pub use histogram::SignedHistogram;
pub use interval::{
    Interval, MIN_TRIALS_FOR_INTERVAL, Method, NoInterval, mean_interval, positive_mean_interval,
};
pub use parameter::{Level, OutOfRange, Quantile};
pub use proportion::Proportion;
pub use ratio::Ratio;
pub use sample::{Sample, SampleError, Summary, summary};
pub use sequential::{Decision, StoppingRule};
pub use statistic::Statistic;
pub use tally::{Recorder, Tally};
