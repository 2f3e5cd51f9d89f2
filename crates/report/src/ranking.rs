//! Who is best at one metric, and who can't be told apart from the best.
//!
//! The rule is simple and leans to the safe side: a candidate ties with the best where their 95 % intervals
//! overlap. Two independent means of like spread whose intervals just fail to overlap differ at about the 0.6 %
//! level, which leaves room for the comparisons made at once. Without an interval nothing is claimed.

use wiredyno_model::summary::{CellSummary, CodecSummary, Metric};

/// What is compared: a codec, over a mode where messages were sent.
#[derive(Debug, Clone)]
pub struct Candidate<'a> {
    /// The codec's id.
    pub codec: String,
    /// The mode's id; absent in codec trials.
    pub mode: Option<String>,
    /// The metric's figures.
    pub metric: &'a Metric,
    /// The cell, where messages were sent.
    pub cell: Option<&'a CellSummary>,
}

impl Candidate<'_> {
    /// `protobuf/prost over mqtt:qos1`, or the codec alone.
    pub fn name(&self) -> String {
        match &self.mode {
            Some(mode) => format!("{} over {mode}", self.codec),
            None => self.codec.clone(),
        }
    }

    /// Whether every message that its trials sent arrived.
    pub fn delivered_everything(&self) -> bool {
        self.cell.is_none_or(|cell| {
            let delivery = &cell.delivery;
            delivery.sent > 0 && delivery.delivered == delivery.sent
        })
    }
}

/// Candidates in order.
#[derive(Debug, Clone)]
pub struct Ranking<'a> {
    /// The one with the lowest mean.
    pub best: Candidate<'a>,
    /// Those whose interval overlaps with the best's, in order of their means.
    pub ties: Vec<Candidate<'a>>,
    /// The others with an interval, in order of their means.
    pub behind: Vec<Candidate<'a>>,
    /// Those without an interval that measured lower than the best's upper end: not to be told apart.
    pub untested: Vec<Candidate<'a>>,
}

impl Ranking<'_> {
    /// How many candidates there are.
    pub fn len(&self) -> usize {
        1 + self.ties.len() + self.behind.len() + self.untested.len()
    }
}

/// Ranks by mean, lower being better. Candidates with an interval go before those without; `None` without
/// candidates.
pub fn rank(mut candidates: Vec<Candidate<'_>>) -> Option<Ranking<'_>> {
    candidates.retain(|candidate| candidate.metric.mean.is_finite());
    candidates.sort_by(|a, b| {
        let order = |c: &Candidate| (c.metric.interval_95.is_none(), c.metric.mean);
        let ((a_none, a_mean), (b_none, b_mean)) = (order(a), order(b));
        a_none.cmp(&b_none).then(a_mean.total_cmp(&b_mean))
    });
    let mut rest = candidates.into_iter();
    let best = rest.next()?;
    let mut ranking = Ranking { best, ties: Vec::new(), behind: Vec::new(), untested: Vec::new() };
    let upper = ranking.best.metric.interval_95.map(|[_, high]| high);
    for candidate in rest {
        match (upper, candidate.metric.interval_95) {
            (Some(upper), Some([low, _])) if low <= upper => ranking.ties.push(candidate),
            (Some(_), Some(_)) => ranking.behind.push(candidate),
            (Some(upper), None) if candidate.metric.mean > upper => ranking.behind.push(candidate),
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
            codec: cell.axes.codec.to_string(),
            mode: Some(cell.axes.mode.to_string()),
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
            codec: codec.axes.codec.to_string(),
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

    fn metric(mean: f64, interval_95: Option<[f64; 2]>) -> Metric {
        Metric {
            unit: "ns".into(),
            count: 5,
            mean,
            interval_95,
            median: mean,
            median_interval_95: None,
            p90: mean,
            p99: mean,
            min: mean,
            max: mean,
        }
    }

    fn names(candidates: &[Candidate]) -> Vec<String> {
        candidates.iter().map(Candidate::name).collect()
    }

    fn candidate<'a>(codec: &str, metric: &'a Metric) -> Candidate<'a> {
        Candidate { codec: codec.into(), mode: None, metric, cell: None }
    }

    #[test]
    fn overlapping_intervals_tie_and_missing_ones_claim_nothing() {
        let figures = [
            metric(10.0, Some([9.0, 11.0])),
            metric(11.5, Some([10.9, 12.1])),
            metric(20.0, Some([19.0, 21.0])),
            metric(8.0, None),
            metric(30.0, None),
        ];
        let all = ["a", "b", "c", "d", "e"].iter().zip(&figures);
        let ranking = rank(all.map(|(name, figure)| candidate(name, figure)).collect()).unwrap();
        assert_eq!(ranking.best.codec, "a");
        assert_eq!(names(&ranking.ties), ["b"]);
        assert_eq!(names(&ranking.behind), ["c", "e"]);
        assert_eq!(names(&ranking.untested), ["d"]);
        assert_eq!(ranking.len(), 5);
    }

    #[test]
    fn without_any_interval_everything_is_untested() {
        let figures = [metric(10.0, None), metric(9.0, None)];
        let all = ["a", "b"].iter().zip(&figures);
        let ranking = rank(all.map(|(name, figure)| candidate(name, figure)).collect()).unwrap();
        assert_eq!(ranking.best.codec, "b");
        assert_eq!(names(&ranking.untested), ["a"]);
        assert!(rank(Vec::new()).is_none());
    }
}
