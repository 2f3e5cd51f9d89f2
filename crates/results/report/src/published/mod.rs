//! "Published and measured": what a study printed beside what this run measured, and a verdict on each of its claims.
//!
//! Tables show every printed number beside the measured one. Sizes are compared directly; times only relative to
//! another format on the same machine. Figures are redrawn from this run, with the published values only where they
//! were printed.

pub mod figures;
pub mod tables;
pub mod verdicts;

use wiredyno_claims::judge;
use wiredyno_model::summary::Summary;

use crate::sentence::Sentence;

pub use figures::Drawing;
use verdicts::counted;

/// The verdicts on the claims of the study that a run repeats; none for other runs.
pub fn answer(summary: &Summary) -> Option<Sentence> {
    let published = wiredyno_claims::for_study(&summary.study.name)?.ok()?;
    Some(counted(&published, &judge(&published, summary)))
}
