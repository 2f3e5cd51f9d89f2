//! The one rule that every answer follows.
//!
//! There are four outcomes: a difference is shown; it is shown that none matters; the data leave it open, and more of them would
//! decide; or there are no comparable data. Missing data is never a pass, a metric without a better direction is never worse, and the
//! conclusion over many is the gravest of them: over none it is "can't tell".

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wiredyno_model::metric::Better;
use wiredyno_model::summary::{EffectVerdict, ThresholdVerdict};

/// The conclusion of an answer, the gravest last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Conclusion {
    /// Shown: no difference matters, or the limit is kept.
    NoDifference,
    /// The data leave it open: more repeats or messages would decide.
    NotDecided,
    /// There are no data, or they can't be compared.
    CantTell,
    /// Shown: something differs, or the limit is not kept.
    Difference,
}

impl Conclusion {
    /// The position of an interval relative to what is allowed, a region that is open to one side.
    pub fn of(interval: [f64; 2], is_allowed: impl Fn(f64) -> bool) -> Self {
        match interval.map(is_allowed) {
            [true, true] => Conclusion::NoDifference,
            [false, false] => Conclusion::Difference,
            _ => Conclusion::NotDecided,
        }
    }

    /// The conclusion over many: the gravest; "can't tell" over none.
    pub fn over(all: impl IntoIterator<Item = Conclusion>) -> Self {
        all.into_iter().max().unwrap_or(Conclusion::CantTell)
    }

    /// The words for it in reports.
    pub const fn word(self) -> &'static str {
        match self {
            Conclusion::NoDifference => "no difference",
            Conclusion::NotDecided => "not decided",
            Conclusion::CantTell => "can't tell",
            Conclusion::Difference => "a difference",
        }
    }
}

/// The verdict on a metric that is shown to have gone up or down.
pub(crate) const fn shown(better: Better, is_more: bool) -> EffectVerdict {
    match (better, is_more) {
        (Better::Neither, _) => EffectVerdict::Different,
        (Better::Higher, true) | (Better::Lower, false) => EffectVerdict::Better,
        (Better::Higher, false) | (Better::Lower, true) => EffectVerdict::Worse,
    }
}

impl From<EffectVerdict> for Conclusion {
    fn from(verdict: EffectVerdict) -> Self {
        match verdict {
            EffectVerdict::Better | EffectVerdict::Worse | EffectVerdict::Different => Conclusion::Difference,
            EffectVerdict::NoDifference => Conclusion::NoDifference,
            EffectVerdict::Undecided | EffectVerdict::NoInterval => Conclusion::NotDecided,
        }
    }
}

impl From<Conclusion> for ThresholdVerdict {
    fn from(conclusion: Conclusion) -> Self {
        match conclusion {
            Conclusion::NoDifference => ThresholdVerdict::Pass,
            Conclusion::NotDecided => ThresholdVerdict::NotDecided,
            Conclusion::CantTell => ThresholdVerdict::CantTell,
            Conclusion::Difference => ThresholdVerdict::Fail,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_decides_where_all_of_it_lies_on_one_side() {
        let below = |interval| Conclusion::of(interval, |end| end <= 2.0);
        assert_eq!(below([0.0, 2.0]), Conclusion::NoDifference);
        assert_eq!(below([1.0, 3.0]), Conclusion::NotDecided);
        assert_eq!(below([2.1, 3.0]), Conclusion::Difference);
    }

    #[test]
    fn the_gravest_counts_and_nothing_tells_nothing() {
        use Conclusion::{CantTell, Difference, NoDifference, NotDecided};
        assert_eq!(Conclusion::over([]), CantTell);
        assert_eq!(Conclusion::over([NoDifference, NotDecided]), NotDecided);
        assert_eq!(Conclusion::over([CantTell, NotDecided]), CantTell);
        assert_eq!(Conclusion::over([CantTell, Difference]), Difference);
    }

    #[test]
    fn what_has_no_good_direction_is_never_better_or_worse() {
        assert_eq!([true, false].map(|more| shown(Better::Neither, more)), [EffectVerdict::Different; 2]);
        assert_eq!(shown(Better::Higher, false), EffectVerdict::Worse);
        assert_eq!(shown(Better::Lower, false), EffectVerdict::Better);
    }
}
