//! From figures to answers: what one choice does in place of another, how two runs differ, what to choose, whether thresholds
//! hold. Each says how sure it is, in the same words everywhere.
//!
//! A [`wiredyno_model::summary::Summary`] goes in. No I/O; whatever is random takes its seed as an argument.

pub mod compare;
mod conclusion;
pub mod effects;
mod fields;
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
pub use things::value_name;
use wiredyno_model::summary::Summary;

/// A run with what an older version may have concluded from it concluded anew: knees, and thresholds but for those against stored runs, which
/// are elsewhere.
pub fn concluded_anew(summary: &Summary) -> Summary {
    let mut anew = summary.clone();
    anew.knees = knees(summary);
    anew.thresholds = threshold::judged_anew(summary);
    anew
}
