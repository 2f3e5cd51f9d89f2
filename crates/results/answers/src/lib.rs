//! From figures to answers: the effect of one choice instead of another, differences between two runs, what to choose, whether thresholds
//! hold. Each answer states its certainty, in the same words everywhere.
//!
//! The input is a [`wiredyno_model::summary::Summary`]. No I/O; anything random takes its seed as an argument.

pub mod compare;
mod conclusion;
pub mod effects;
mod fields;
pub mod interoperability;
pub mod knees;
mod limit;
pub mod opening;
pub mod quantity;
pub mod recommend;
pub mod sentence;
mod things;
pub mod threshold;

pub use conclusion::Conclusion;
pub use effects::{effects, sentences};
pub use knees::knees;
pub use things::{ACROSS_CLOCKS, value_name};
use wiredyno_model::summary::Summary;

/// Repeats the conclusions that an older version may have drawn from a run: knees, and thresholds except those against stored runs, which are
/// elsewhere.
pub fn concluded_anew(summary: &Summary) -> Summary {
    let mut anew = summary.clone();
    anew.knees = knees(summary);
    anew.thresholds = threshold::judged_anew(summary);
    anew
}
