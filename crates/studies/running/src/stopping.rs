//! Sequential stopping: more trials of a cell until the interval of a metric is narrow enough, with a limit.
//!
//! The trials of all cells that want more are run round by round, shuffled within a round like the first ones, so
//! that drift continues to affect all alike. A cell is only checked between rounds. The rule itself, and the cost of
//! checking, is in [`wiredyno_stats::sequential`].

use std::collections::{BTreeMap, BTreeSet};

use wiredyno_model::Trials;
use wiredyno_model::summary::{StopReason, Stopped};
use wiredyno_stats::{Decision, Level, Sample, StoppingRule, mean_interval};

/// The stopping rule of a study.
#[derive(Debug, Clone)]
pub struct Stopping {
    /// The metric whose interval decides.
    pub metric: String,
    rule: StoppingRule,
    repeats: u32,
    at_most: u32,
}

impl Stopping {
    /// The rule of a study; `None` if it has none, or one that its own check refuses.
    pub fn of(trials: &Trials) -> Option<Self> {
        let until = trials.until.as_ref()?;
        let rule = StoppingRule::new(trials.repeats, until.at_most, until.within.get(), Level::P95).ok()?;
        let (repeats, at_most) = (trials.repeats, until.at_most);
        Some(Stopping { metric: until.metric.clone(), rule, repeats, at_most })
    }

    /// Whether a cell with these values, one for each valid trial, wants another trial. Without values there is nothing to
    /// wait for: the cell lacks the metric, or its trials are all invalid.
    pub fn wants_more(&self, values: &[f64]) -> bool {
        !values.is_empty() && matches!(self.rule.decide(values), Ok(Decision::Continue { .. }))
    }

    /// Why a cell has its number of trials, from its values; `None` if it wanted more and the run was not
    /// `complete`.
    pub fn outcome(&self, values: &[f64], complete: bool) -> Option<Stopped> {
        let why = match self.rule.decide(values) {
            _ if values.is_empty() => StopReason::NotMeasured,
            Ok(Decision::Enough { .. }) => StopReason::Reached,
            Ok(Decision::LimitReached { .. }) => StopReason::Limit,
            // Trials that stayed invalid used up its repeats.
            Ok(Decision::Continue { .. }) | Err(_) if complete => StopReason::Limit,
            Ok(Decision::Continue { .. }) | Err(_) => return None,
        };
        let within = Sample::new(values).ok().and_then(|sample| {
            let half = mean_interval(&sample, Level::P95).ok()?.half_width();
            Some(half / sample.mean().abs()).filter(|ratio| ratio.is_finite())
        });
        Some(Stopped { why, within })
    }
}

/// Decides which cells of a kind get trials in which repeat.
#[derive(Debug)]
pub struct Rounds<K> {
    stopping: Option<Stopping>,
    values: BTreeMap<K, Vec<f64>>,
    /// The repeat of the next round.
    next: u32,
}

impl<K: Ord + Clone> Rounds<K> {
    /// Starts after the first `repeats` rounds, which every cell gets.
    pub fn after_first(stopping: Option<Stopping>) -> Self {
        let next = stopping.as_ref().map_or(0, |stopping| stopping.repeats);
        Rounds { stopping, values: BTreeMap::new(), next }
    }

    /// The metric that the rule checks, if there is a rule.
    pub fn metric(&self) -> Option<&str> {
        self.stopping.as_ref().map(|stopping| stopping.metric.as_str())
    }

    /// Adds the value of a valid trial of a cell.
    pub fn add(&mut self, cell: K, value: f64) {
        self.values.entry(cell).or_default().push(value);
    }

    /// Continues at this repeat: rounds before it have been run.
    pub fn go_on_at(&mut self, repeat: u32) {
        self.next = self.next.max(repeat);
    }

    /// The next repeat and the cells that get a trial of it; `None` when no cell wants more.
    pub fn next_round(&mut self) -> Option<(u32, BTreeSet<K>)> {
        let stopping = self.stopping.as_ref().filter(|stopping| self.next < stopping.at_most)?;
        let open = self.values.iter().filter(|(_, values)| stopping.wants_more(values));
        let open: BTreeSet<K> = open.map(|(cell, _)| cell.clone()).collect();
        if open.is_empty() {
            return None;
        }
        let repeat = self.next;
        self.next += 1;
        Some((repeat, open))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wiredyno_contract::Ratio;
    use wiredyno_model::Until;

    fn stopping() -> Stopping {
        let until = Until { metric: "latency".into(), within: Ratio::from_percent(5), at_most: 7 };
        Stopping::of(&Trials { until: Some(until), ..Trials::default() }).unwrap()
    }

    #[test]
    fn a_study_without_the_rule_has_no_further_round() {
        assert!(Stopping::of(&Trials::default()).is_none());
        let mut rounds = Rounds::after_first(None);
        rounds.add(0, 1.0);
        assert_eq!((rounds.next_round(), rounds.metric()), (None, None));
    }

    #[test]
    fn cells_get_rounds_until_they_are_known_or_the_limit_is_there() {
        let mut rounds = Rounds::after_first(Some(stopping()));
        for value in [10.0, 10.1, 9.9, 10.0, 10.0] {
            rounds.add("quiet", value);
        }
        for value in [10.0, 20.0, 5.0, 12.0] {
            rounds.add("noisy", value);
        }
        assert_eq!(rounds.next_round(), Some((5, BTreeSet::from(["noisy"]))));
        rounds.add("noisy", 30.0);
        assert_eq!(rounds.next_round(), Some((6, BTreeSet::from(["noisy"]))));
        // Its trial of repeat 6 stayed invalid; there is no eighth repeat.
        assert_eq!(rounds.next_round(), None);
    }

    #[test]
    fn a_cell_says_how_it_stopped() {
        let rule = stopping();
        let why = |values: &[f64], complete| rule.outcome(values, complete).map(|stopped| stopped.why);
        assert_eq!(why(&[10.0, 10.1, 9.9, 10.0, 10.0], true), Some(StopReason::Reached));
        assert_eq!(why(&[10.0, 20.0, 5.0, 12.0, 30.0, 8.0, 9.0], true), Some(StopReason::Limit));
        assert_eq!(why(&[10.0, 20.0, 5.0], true), Some(StopReason::Limit), "the others stayed invalid");
        assert_eq!(why(&[10.0, 20.0, 5.0], false), None);
        assert_eq!(why(&[], true), Some(StopReason::NotMeasured));
        let reached = rule.outcome(&[10.0, 10.1, 9.9, 10.0, 10.0], true).unwrap();
        // s = 0.0707, t(4) = 2.776: 2.776 * 0.0707 / sqrt(5) / 10.
        assert!((reached.within.unwrap() - 0.008779).abs() < 1e-5, "{reached:?}");
        assert_eq!(rule.outcome(&[0.0; 5], true).unwrap().within, None);
    }
}
