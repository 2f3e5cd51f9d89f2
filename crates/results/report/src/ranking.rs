//! The best candidate at one metric, and those that can't be distinguished from it.
//!
//! Candidates are compared repeat by repeat, because all cells of a repeat had the same conditions: a candidate ties
//! with the best if a paired t test, with Holm's correction for all pairs compared at once, finds no difference at the
//! 5 % level. If all values are above 0 their logarithms are tested, because figures differ by factors between repeats;
//! the best itself is the one with the lowest mean, or the highest if more is better. With fewer than five trials
//! nothing is claimed.

use crate::metric::Better;
use wiredyno_contract::PayloadId;
use wiredyno_model::summary::{CellSummary, CodecSummary, Metric, Summary};
use wiredyno_stats::{CellValues, Direction, Level, Pairing, best};

/// The payloads whose codecs were measured, in the order of the study: codecs are ranked on one payload.
pub fn payloads(summary: &Summary) -> Vec<&PayloadId> {
    let measured = |payload: &&PayloadId| summary.codecs.iter().any(|codec| codec.axes.payload == **payload);
    summary.study.axes.payload.iter().filter(measured).collect()
}

/// What is compared: a codec, over a mode if messages were sent.
#[derive(Debug, Clone)]
pub struct Candidate<'a> {
    /// The codec's id, with its compression where there is one.
    pub codec: String,
    /// The mode's id; absent in codec trials.
    pub mode: Option<String>,
    pub metric: &'a Metric,
    /// The cell, where messages were sent.
    pub cell: Option<&'a CellSummary>,
}

impl Candidate<'_> {
    /// The name, `protobuf/prost over mqtt:qos1`, or the codec alone.
    pub fn name(&self) -> String {
        match &self.mode {
            Some(mode) => format!("{} over {mode}", self.codec),
            None => self.codec.clone(),
        }
    }

    /// Whether at most 1 % of the messages that its trials sent are missing.
    pub fn delivered(&self) -> bool {
        self.cell.is_none_or(delivered)
    }
}

/// The share of messages that may be missing from the best, which is also the default elsewhere.
const MOST_MISSING: f64 = 0.01;

/// Whether at most 1 % of the messages that a cell sent did not arrive.
pub fn delivered(cell: &CellSummary) -> bool {
    let delivery = &cell.delivery;
    let missing = delivery.sent.saturating_sub(delivery.delivered);
    delivery.sent > 0 && missing as f64 <= MOST_MISSING * delivery.sent as f64
}

/// Candidates, ranked by their means.
#[derive(Debug, Clone)]
pub struct Ranking<'a> {
    pub better: Better,
    /// The candidate with the best mean.
    pub best: Candidate<'a>,
    /// Candidates that can't be distinguished from the best, in order of their means.
    pub ties: Vec<Candidate<'a>>,
    /// The others with an interval, in order of their means.
    pub behind: Vec<Candidate<'a>>,
    /// Candidates without an interval whose mean is better than the worse end of the best one's interval: they can't be
    /// distinguished.
    pub untested: Vec<Candidate<'a>>,
}

impl<'a> Ranking<'a> {
    /// Number of candidates, the best included.
    pub fn len(&self) -> usize {
        self.candidates().count()
    }

    /// All candidates: the best, those that tie with it or may, and those behind.
    pub fn candidates(&self) -> impl Iterator<Item = &Candidate<'a>> {
        std::iter::once(&self.best).chain(&self.ties).chain(&self.untested).chain(&self.behind)
    }
}

/// Ranks by mean. Candidates with enough trials go before those without; `None` without
/// candidates.
pub fn rank(mut candidates: Vec<Candidate<'_>>, better: Better) -> Option<Ranking<'_>> {
    // If higher is better, the mirror image is ranked.
    let sign = if better == Better::Higher { -1.0 } else { 1.0 };
    let direction = match better {
        Better::Higher => Direction::HigherIsBetter,
        Better::Lower | Better::Neither => Direction::LowerIsBetter,
    };
    candidates.retain(|candidate| candidate.metric.mean.is_finite());
    candidates.sort_by(|a, b| {
        let order = |c: &Candidate| (c.metric.interval_95.is_none(), sign * c.metric.mean);
        let ((a_none, a_mean), (b_none, b_mean)) = (order(a), order(b));
        a_none.cmp(&b_none).then(a_mean.total_cmp(&b_mean))
    });
    let values: Vec<CellValues> = candidates
        .iter()
        .enumerate()
        .filter(|(_, candidate)| candidate.metric.interval_95.is_some())
        .map(|(position, candidate)| CellValues {
            label: position.to_string(),
            by_repeat: candidate.metric.by_repeat.clone(),
            mean: Some(candidate.metric.mean),
        })
        .collect();
    let verdict = best(&values, direction, Pairing::ByRepeat, Level::P95).ok();
    let ties_with_best = |position: usize| {
        let label = position.to_string();
        verdict.as_ref().is_some_and(|verdict| verdict.ties().any(|tie| tie.label == label))
    };
    let mut rest = candidates.into_iter().enumerate();
    let (_, first) = rest.next()?;
    let worst_end = first.metric.interval_95.map(|[low, high]| (sign * low).max(sign * high));
    let mut ranking =
        Ranking { better, best: first, ties: Vec::new(), behind: Vec::new(), untested: Vec::new() };
    for (position, candidate) in rest {
        match (worst_end, candidate.metric.interval_95) {
            (Some(_), Some(_)) if ties_with_best(position) => ranking.ties.push(candidate),
            (Some(_), Some(_)) => ranking.behind.push(candidate),
            (Some(end), None) if sign * candidate.metric.mean > end => ranking.behind.push(candidate),
            (_, _) => ranking.untested.push(candidate),
        }
    }
    Some(ranking)
}

/// The candidates of message trials for one metric.
pub fn message_candidates<'a>(
    cells: impl Iterator<Item = &'a CellSummary>,
    metric: &str,
) -> Vec<Candidate<'a>> {
    let candidate = |cell: &'a CellSummary| {
        Some(Candidate {
            codec: cell.axes.coding(),
            mode: Some(cell.axes.sending()),
            metric: cell.metrics.get(metric)?,
            cell: Some(cell),
        })
    };
    cells.filter(|cell| cell.valid_trials > 0).filter_map(candidate).collect()
}

/// The candidates of codec trials for one metric.
pub fn codec_candidates<'a>(
    codecs: impl Iterator<Item = &'a CodecSummary>,
    metric: &str,
) -> Vec<Candidate<'a>> {
    let candidate = |codec: &'a CodecSummary| {
        Some(Candidate {
            codec: codec.axes.coding(),
            mode: None,
            metric: codec.metrics.get(metric)?,
            cell: None,
        })
    };
    codecs.filter(|codec| codec.valid_trials > 0).filter_map(candidate).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A metric whose repeats share a drift, so that alone their intervals overlap widely; `wobble` is what a
    /// cell adds of its own, up and down.
    fn metric(mean: f64, wobble: f64, trials: u32) -> Metric {
        let by_repeat = (0..trials).map(|repeat| {
            let drift = f64::from(repeat) * 10.0 - 20.0;
            let own = [1.0, -1.0, 0.0, 1.0, -1.0][repeat as usize];
            (repeat, mean + drift + wobble * own)
        });
        let enough = trials >= 5;
        Metric {
            unit: "ns".into(),
            count: 5,
            mean,
            interval_95: enough.then_some([mean - 20.0, mean + 20.0]),
            median: mean,
            median_interval_95: None,
            p90: None,
            p99: None,
            p90_interval_95: None,
            p99_interval_95: None,
            coverage: None,
            min: mean,
            max: mean,
            by_repeat: by_repeat.collect(),
            median_by_repeat: Default::default(),
            p99_by_repeat: Default::default(),
        }
    }

    fn names(candidates: &[Candidate]) -> Vec<String> {
        candidates.iter().map(Candidate::name).collect()
    }

    fn candidate<'a>(codec: &str, metric: &'a Metric) -> Candidate<'a> {
        Candidate { codec: codec.into(), mode: None, metric, cell: None }
    }

    #[test]
    fn candidates_are_told_apart_repeat_by_repeat_and_missing_intervals_claim_nothing() {
        let figures = [
            metric(10.0, 0.1, 5),
            metric(10.05, -0.2, 5),
            metric(20.0, 0.3, 5),
            metric(8.0, 0.0, 4),
            metric(90.0, 0.0, 4),
        ];
        let all = ["a", "b", "c", "d", "e"].iter().zip(&figures);
        let ranking =
            rank(all.map(|(name, figure)| candidate(name, figure)).collect(), Better::Lower).unwrap();
        assert_eq!(ranking.best.codec, "a");
        assert_eq!(names(&ranking.ties), ["b"]);
        assert_eq!(names(&ranking.behind), ["c", "e"]);
        assert_eq!(names(&ranking.untested), ["d"]);
        assert_eq!(ranking.len(), 5);
    }

    #[test]
    fn where_more_is_better_the_highest_is_best() {
        let figures =
            [metric(100.0, 0.1, 5), metric(100.05, -0.2, 5), metric(90.0, 0.3, 5), metric(130.0, 0.0, 4)];
        let all = ["a", "b", "c", "d"].iter().zip(&figures);
        let candidates = all.map(|(name, figure)| candidate(name, figure)).collect();
        let ranking = rank(candidates, Better::Higher).unwrap();
        assert_eq!(ranking.best.codec, "b");
        assert_eq!(
            (names(&ranking.ties), names(&ranking.behind)),
            (vec!["a".to_owned()], vec!["c".to_owned()])
        );
        assert_eq!(names(&ranking.untested), ["d"]);
    }

    #[test]
    fn without_any_interval_everything_is_untested() {
        let figures = [metric(10.0, 0.0, 4), metric(9.0, 0.0, 4)];
        let all = ["a", "b"].iter().zip(&figures);
        let ranking =
            rank(all.map(|(name, figure)| candidate(name, figure)).collect(), Better::Lower).unwrap();
        assert_eq!(ranking.best.codec, "b");
        assert_eq!(names(&ranking.untested), ["a"]);
        assert!(rank(Vec::new(), Better::Lower).is_none());
    }
}
