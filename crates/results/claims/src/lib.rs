//! What studies published, and a run's verdicts on it.
//!
//! A file in `studies/published/` holds the tables, figures and claims of one study in machine-checkable form ([`Published`], described
//! in `docs/FORMAT.md`); [`judge`] compares its claims with the summary of a run and gives a verdict on each, with the comparisons
//! behind it. Pure: text and a summary in, values out.
//!
//! Limits: sizes, orders, ratios, shares and trends along an axis are compared; a time or a memory figure is compared with one from
//! other hardware or other code only if the publication itself states a bound.

mod bounds;
mod check;
mod compare;
mod conclude;
#[cfg(test)]
mod either_way;
mod equal;
mod expand;
mod foreseen;
mod judge;
mod measured;
mod published;
mod run;
mod stand_ins;
mod trend;
mod verdict;

use wiredyno_model::FileError;

pub use check::against;
pub use compare::{Estimate, Scale};
pub use expand::combinations;
pub use foreseen::{Foreseen, foresee};
pub use judge::{judge, unjudged};
pub use measured::{Kind, Lack, Measured, Of, averaged, kind, measured, metric_words};
pub use published::{
    Along, Average, Bounds, Claim, Equal, Extreme, Figure, Format, LIBRARY, Measure, Message, Must, Number,
    Own, Pair, PrintedAs, Protocol, Published, Range, Row, Shows, Side, Similar, Slope, Steady, Table,
    Values, Without,
};
pub use verdict::{Comparison, Judgement, MOST_REPEATS, Standing, Verdict, With};

include!(concat!(env!("OUT_DIR"), "/bundled.rs"));

/// The files that come with the program: name in the project and text.
pub fn bundled() -> impl Iterator<Item = (&'static str, &'static str)> {
    BUNDLED.iter().copied()
}

/// What was published about the questions of a study, by the study's id; `None` where nothing is bundled.
///
/// # Errors
/// When the bundled file is refused, which its tests rule out.
pub fn for_study(study: &str) -> Option<Result<Published, FileError>> {
    let name = format!("studies/published/{study}.toml");
    let (name, text) = bundled().find(|(bundled, _)| *bundled == name)?;
    Some(Published::parse(name, text))
}
