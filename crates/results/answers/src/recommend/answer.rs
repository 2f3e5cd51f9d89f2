//! What a recommendation says.

use schemars::JsonSchema;
use serde::Serialize;

use crate::conclusion::Conclusion;

/// The answer of `wiredyno recommend`.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Recommendation {
    /// `difference` if a single choice is shown, `not-decided` if several can't be distinguished or needs are open, `can't-tell` without data.
    /// Never `no-difference`: that nothing meets the needs is a difference, too, with no choice.
    pub conclusion: Conclusion,
    /// The single choice: a test distinguishes every other candidate that meets the needs, or may, from it, and nothing that was measured is
    /// left out. Absent if there is none.
    pub choice: Option<String>,
    /// Candidates that can't be distinguished from the best, best first; just the choice if there is one.
    pub group: Vec<String>,
    /// Repeats with which a run like this one distinguishes the best from the rest of the group in four of five runs; absent if there is
    /// nothing to distinguish, and beyond 10,000.
    pub repeats_needed: Option<u32>,
    /// Repeats that were compared, the fewest of any in the group.
    pub repeats: u32,
    /// The needs in words; first those that are assumed.
    pub needs: Vec<String>,
    /// Candidates that meet all needs, lowest score first.
    pub meet: Vec<Scored>,
    /// Candidates that miss at least one need.
    pub miss: Vec<Missed>,
    /// Candidates with a need that is not decided, with what would decide it.
    pub undecided: Vec<Missed>,
    /// Candidates about which nothing can be said, with the reason: not measured, without a complete trial, one hop among two.
    pub left_out: Vec<Missed>,
    /// The range of each metric's weight, all others kept, in which the best stays the best.
    pub weights: Vec<WeightRange>,
    /// Conditions over which figures are means.
    pub conditions: Vec<String>,
}

/// A candidate that meets all needs.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Scored {
    /// The codec with its compression, over a mode.
    pub candidate: String,
    /// The weighted sum; 0 for a candidate that is best at everything.
    pub score: f64,
    /// For each metric: its ratio to the best, the geometric mean over conditions. For a share lost, how many times as much must be sent.
    pub ratios: Vec<(String, f64)>,
    /// Whether no other candidate is at least as good at everything and better at something.
    pub on_front: bool,
    /// Whether a test distinguishes it from the best.
    pub is_behind: bool,
    /// The corrected interval of its score minus that of the best; absent for the best, and with fewer than five common repeats.
    pub behind_by: Option<[f64; 2]>,
    /// What it is known to keep, with counts and upper bounds.
    pub notes: Vec<String>,
}

/// A candidate that misses a need, or may, or about which nothing can be said.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Missed {
    /// The candidate, or the combination that was not run.
    pub candidate: String,
    /// The need, the condition, and by how much it is missed.
    pub why: Vec<String>,
}

/// The weights of a metric at which the best changes.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct WeightRange {
    /// The metric as the user named it.
    pub name: String,
    /// The weight that was requested or assumed.
    pub weight: f64,
    /// Below this weight another candidate is best, and which; `None` if none is down to 0.
    pub below: Option<(f64, String)>,
    /// Above this weight another candidate is best; `None` if none ever is.
    pub above: Option<(f64, String)>,
}
