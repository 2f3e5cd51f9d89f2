//! The best cell by one metric, and the cells that can't be distinguished from it.
//!
//! Every pair of cells is compared, and Holm's correction spans all pairs: the best is selected by the data, so correcting only for the
//! comparisons with it would too often find it better than its equals. A cell ties with the best if the difference, at Holm's corrected
//! rate, can't be distinguished from 0. There is no overall winner: call this once per metric.
//!
//! If every value of every judged cell is above 0, logarithms are tested: latencies, sizes and CPU times differ by factors from repeat to
//! repeat, so that the difference of two cells grows with the level of the repeat, while their ratio does not. Geometric means are then
//! compared (J. M. Bland and D. G. Altman, "The use of transformation when comparing two means", BMJ 312, 1996). One scale holds for all
//! pairs of a call.
//!
//! Limits: "ties" means "not distinguished by these trials", not "equal". The intervals are those of each pair's verdict (so that overlap
//! with 0 and verdict agree), not a simultaneous confidence region. One file because the verdicts on all pairs come from one pass over them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::correction;
use crate::interval::{Interval, MIN_TRIALS_FOR_INTERVAL};
use crate::parameter::Level;
use crate::sample::{Sample, SampleError};
use crate::t_test::{self, TTest};

/// The direction in which a metric is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// Less is better: latency, bytes, loss.
    LowerIsBetter,
    /// More is better: throughput, ratio delivered.
    HigherIsBetter,
}

impl Direction {
    /// Whether `a` is strictly better than `b`.
    pub fn prefers(self, a: f64, b: f64) -> bool {
        match self {
            Self::LowerIsBetter => a < b,
            Self::HigherIsBetter => a > b,
        }
    }
}

/// Whether trials of the same repeat belong together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pairing {
    /// Trials share nothing: Welch's t is used.
    Independent,
    /// Trials of one repeat share their link's delays and trace: t of the differences within repeats,
    /// wherever two cells share at least [`MIN_TRIALS_FOR_INTERVAL`] valid repeats, else Welch's t.
    ByRepeat,
}

/// The quantity that the tests compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scale {
    /// Values: tests compare differences of means.
    Values,
    /// Natural logarithms: tests compare ratios of geometric means.
    Logarithms,
}

impl Scale {
    /// Logarithms if every value is above 0.
    fn of(judged: &[Judged<'_>]) -> Self {
        let positive = |cell: &Judged<'_>| cell.sample.values().iter().all(|&value| value > 0.0);
        if judged.iter().all(positive) { Self::Logarithms } else { Self::Values }
    }

    pub(crate) fn on(self, value: f64) -> f64 {
        match self {
            Self::Values => value,
            Self::Logarithms => value.ln(),
        }
    }
}

/// A cell with its metric in every valid trial.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CellValues {
    /// The cell's name in the report; different for each.
    pub label: String,
    /// One value per valid trial, by number of the repeat.
    pub by_repeat: BTreeMap<u32, f64>,
    /// The mean that orders cells, if it is not that of the values: for a ratio of sums, whose values are those that its logarithm is tested
    /// by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean: Option<f64>,
}

impl CellValues {
    /// Values of repeats 0, 1, 2 and so on.
    pub fn numbered(label: impl Into<String>, values: &[f64]) -> Self {
        Self { label: label.into(), by_repeat: (0..).zip(values.iter().copied()).collect(), mean: None }
    }
}

/// A cell compared with the best one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BesideBest {
    /// Label of the cell, as in [`CellValues`].
    pub label: String,
    /// Its mean over trials, not transformed.
    pub mean: f64,
    /// Its mean less the best cell's, on the report's scale: of logarithms it is the logarithm of the ratio of
    /// geometric means. Paired comparisons take the repeats that both have, so it can differ a little from the
    /// difference of the means.
    pub difference: f64,
    /// Interval of the difference at Holm's rate for this pair, on the report's scale.
    pub interval: Interval,
    /// p-value after Holm's correction, 0..1.
    pub adjusted_p_value: f64,
    /// Whether it is not shown to be worse than the best.
    pub ties: bool,
}

/// A cell with too few valid trials to be judged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unjudged {
    /// Label of the cell, as in [`CellValues`].
    pub label: String,
    /// Its valid trials, fewer than [`MIN_TRIALS_FOR_INTERVAL`].
    pub valid_trials: u64,
}

/// The best cell by one metric, and the others compared with it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BestReport {
    /// Label of the cell with the best mean (of equal ones, the first given).
    pub best: String,
    /// Its mean over trials, not transformed.
    pub mean: f64,
    /// Confidence interval of that mean, not corrected; on logarithms where the tests are.
    pub interval: Interval,
    /// The other judged cells, best mean first.
    pub others: Vec<BesideBest>,
    /// Cells with fewer than [`MIN_TRIALS_FOR_INTERVAL`] valid trials.
    pub unjudged: Vec<Unjudged>,
    /// Scale of the differences.
    pub scale: Scale,
    /// Number of pairs that Holm's correction spans.
    pub comparisons: u64,
    /// Level of the verdicts, over all comparisons together.
    pub level: Level,
}

impl BestReport {
    /// The cells that can't be distinguished from the best, best mean first.
    pub fn ties(&self) -> impl Iterator<Item = &BesideBest> {
        self.others.iter().filter(|other| other.ties)
    }
}

/// Why no cell can be called the best.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum BestError {
    /// No cell has enough valid trials.
    #[error("none of {cells} cells has {need} valid trials: say \"no interval\", or run more repeats")]
    TooFewTrials {
        /// Number of cells that were given.
        cells: usize,
        /// Valid trials that a cell needs.
        need: usize,
    },
    /// Two cells have the same label.
    #[error("two cells are called `{label}`: add the axis in which they differ to their labels")]
    SameLabel {
        /// The label that two cells have.
        label: String,
    },
    /// A value is NaN or infinite.
    #[error("cell `{label}`: {source}")]
    BadValue {
        /// Label of the cell with the value.
        label: String,
        /// The position and the value.
        source: SampleError,
    },
}

/// A cell with enough trials to be judged.
struct Judged<'a> {
    cell: &'a CellValues,
    sample: Sample,
    /// Its values by repeat, and all of them, on the scale of the tests.
    scaled: BTreeMap<u32, f64>,
    scaled_sample: Sample,
}

impl Judged<'_> {
    fn mean(&self) -> f64 {
        self.cell.mean.unwrap_or_else(|| self.sample.mean())
    }

    /// Transforms the values to a scale; all of them have a value there, see [`Scale::of`].
    fn put_on(&mut self, scale: Scale) {
        self.scaled = self.cell.by_repeat.iter().map(|(&repeat, &value)| (repeat, scale.on(value))).collect();
        if let Ok(sample) = Sample::new(self.scaled.values().copied().collect::<Vec<_>>()) {
            self.scaled_sample = sample;
        }
    }
}

/// Finds the best cell by mean over trials and compares the others with it at `level`, with Holm's correction.
///
/// # Errors
/// [`BestError`] when no cell has enough trials, two share a label, or a value is not finite.
pub fn best(
    cells: &[CellValues],
    direction: Direction,
    pairing: Pairing,
    level: Level,
) -> Result<BestReport, BestError> {
    let (mut judged, unjudged) = judge(cells)?;
    // Stable: of equal means the first given stays first.
    judged.sort_by(|a, b| match direction {
        Direction::LowerIsBetter => a.mean().total_cmp(&b.mean()),
        Direction::HigherIsBetter => b.mean().total_cmp(&a.mean()),
    });
    let too_few = || BestError::TooFewTrials { cells: cells.len(), need: MIN_TRIALS_FOR_INTERVAL };
    let scale = Scale::of(&judged);
    judged.iter_mut().for_each(|cell| cell.put_on(scale));

    // Pairs with the best come first, in the order of `judged[1..]`.
    let mut tests = Vec::new();
    for (index, first) in judged.iter().enumerate() {
        for second in &judged[index + 1..] {
            tests.push(difference(second, first, pairing, level).ok_or_else(too_few)?);
        }
    }
    let p_values: Vec<f64> = tests.iter().map(|test| test.p_value).collect();
    // p-values of finite samples are probabilities, so neither call can fail.
    let adjusted = correction::holm(&p_values).unwrap_or_default();
    let rates = correction::holm_rates(&p_values, level.error_rate()).unwrap_or_default();
    let winner = judged.first().ok_or_else(too_few)?;
    let interval = match scale {
        Scale::Values => crate::mean_interval(&winner.sample, level),
        Scale::Logarithms => crate::positive_mean_interval(&winner.sample, level),
    };
    let interval = interval.map_err(|_| too_few())?;
    let others = judged[1..]
        .iter()
        .zip(tests.iter().zip(adjusted.iter().zip(&rates)))
        .map(|(other, (test, (&adjusted_p_value, &rate)))| BesideBest {
            label: other.cell.label.clone(),
            mean: other.mean(),
            difference: test.difference,
            interval: Level::new(1.0 - rate).map_or(test.interval, |level| test.at_level(level).interval),
            adjusted_p_value,
            // Over the repeats that both have, a cell can even be ahead of the best: it is then not worse.
            ties: test.p_value >= rate || direction.prefers(test.difference, 0.0),
        })
        .collect();
    Ok(BestReport {
        best: winner.cell.label.clone(),
        mean: winner.mean(),
        interval,
        others,
        unjudged,
        scale,
        comparisons: tests.len() as u64,
        level,
    })
}

/// Separates the cells with enough trials from the others.
fn judge(cells: &[CellValues]) -> Result<(Vec<Judged<'_>>, Vec<Unjudged>), BestError> {
    let mut labels = std::collections::BTreeSet::new();
    let (mut judged, mut unjudged) = (Vec::new(), Vec::new());
    for cell in cells {
        if !labels.insert(&cell.label) {
            return Err(BestError::SameLabel { label: cell.label.clone() });
        }
        let values: Vec<f64> = cell.by_repeat.values().copied().collect();
        let valid_trials = values.len();
        match Sample::new(values) {
            Ok(sample) if valid_trials >= MIN_TRIALS_FOR_INTERVAL => {
                let scaled_sample = sample.clone();
                judged.push(Judged { cell, sample, scaled: BTreeMap::new(), scaled_sample });
            }
            Ok(_) | Err(SampleError::Empty) => {
                unjudged.push(Unjudged { label: cell.label.clone(), valid_trials: valid_trials as u64 });
            }
            Err(source) => {
                return Err(BestError::BadValue { label: cell.label.clone(), source });
            }
        }
    }
    Ok((judged, unjudged))
}

/// `first` minus `second` on their scale, paired if requested and possible.
fn difference(first: &Judged<'_>, second: &Judged<'_>, pairing: Pairing, level: Level) -> Option<TTest> {
    if pairing == Pairing::ByRepeat {
        let differences: Vec<f64> = first
            .scaled
            .iter()
            .filter_map(|(repeat, value)| Some(value - second.scaled.get(repeat)?))
            .collect();
        let paired = Sample::new(differences).ok().and_then(|sample| t_test::paired(&sample, level).ok());
        if paired.is_some() {
            return paired;
        }
    }
    t_test::welch(&first.scaled_sample, &second.scaled_sample, level).ok()
}

/// The best of values that are known exactly, such as the size of an encoding: the value, and all labels that have it, in the order given.
/// `None` without finite values.
pub fn best_exact<'a>(cells: &[(&'a str, f64)], direction: Direction) -> Option<(f64, Vec<&'a str>)> {
    let finite = || cells.iter().filter(|(_, value)| value.is_finite());
    let best =
        finite().map(|&(_, value)| value).reduce(|a, b| if direction.prefers(b, a) { b } else { a })?;
    Some((best, finite().filter(|&&(_, value)| value == best).map(|&(label, _)| label).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::Draws;

    /// Values with one outlier, whose arithmetic mean is high and whose figure is low.
    #[test]
    fn a_mean_of_its_own_decides_who_is_the_best() {
        let one =
            CellValues { mean: Some(99.0), ..CellValues::numbered("one", &[80.0, 90.0, 95.0, 100.0, 160.0]) };
        let other = CellValues {
            mean: Some(101.0),
            ..CellValues::numbered("other", &[99.0, 100.0, 101.0, 102.0, 103.0])
        };
        let found = best(&[other, one], Direction::LowerIsBetter, Pairing::ByRepeat, Level::P95).unwrap();
        assert_eq!((found.best.as_str(), found.mean), ("one", 99.0));
        assert!(found.ties().any(|tie| tie.label == "other" && tie.mean == 101.0), "{found:?}");
    }

    fn noisy(label: &str, centre: f64, draws: &mut Draws, repeats: usize) -> CellValues {
        let values: Vec<f64> = (0..repeats)
            .map(|_| {
                centre + (0..12).map(|_| draws.index(1 << 20) as f64 / f64::from(1 << 20)).sum::<f64>() - 6.0
            })
            .collect();
        CellValues::numbered(label, &values)
    }

    #[test]
    fn near_cells_tie_and_far_ones_do_not() {
        let mut draws = Draws::seeded(61);
        let cells = [
            noisy("json", 90.0, &mut draws, 8),
            noisy("protobuf", 50.0, &mut draws, 8),
            noisy("avro", 50.1, &mut draws, 8),
            noisy("cbor", 70.0, &mut draws, 4),
        ];
        let report = best(&cells, Direction::LowerIsBetter, Pairing::Independent, Level::P95).unwrap();
        let labels: Vec<&str> = report.ties().map(|tie| tie.label.as_str()).collect();
        let mut leaders = [report.best.as_str(), labels[0]];
        leaders.sort_unstable();
        assert_eq!((leaders, labels.len()), (["avro", "protobuf"], 1));
        assert_eq!((report.others[1].label.as_str(), report.others[1].ties), ("json", false));
        assert_eq!(report.unjudged, [Unjudged { label: "cbor".into(), valid_trials: 4 }]);
        assert_eq!(report.comparisons, 3);
        let highest = best(&cells, Direction::HigherIsBetter, Pairing::Independent, Level::P95).unwrap();
        assert_eq!((highest.best.as_str(), highest.ties().count()), ("json", 0));
    }

    #[test]
    fn verdict_and_interval_agree() {
        let mut draws = Draws::seeded(62);
        for round in 0..100 {
            let cells: Vec<CellValues> =
                (0..6).map(|cell| noisy(&format!("c{cell}"), f64::from(cell) * 0.7, &mut draws, 6)).collect();
            for pairing in [Pairing::Independent, Pairing::ByRepeat] {
                let report = best(&cells, Direction::LowerIsBetter, pairing, Level::P95).unwrap();
                for other in &report.others {
                    assert_eq!(other.ties, other.interval.contains(0.0), "round {round}: {other:?}");
                    assert_eq!(
                        other.ties,
                        other.adjusted_p_value >= 1.0 - report.level.get(),
                        "round {round}"
                    );
                }
            }
        }
    }

    /// Six equal cells, 400 times: at most 5 % of the reports may distinguish any cell from the best. A binomial with 0.05 has 4 standard
    /// deviations at 37.
    #[test]
    fn equals_are_seldom_set_apart() {
        let mut draws = Draws::seeded(63);
        let wrong = (0..400)
            .filter(|_| {
                let cells: Vec<CellValues> =
                    (0..6).map(|cell| noisy(&format!("c{cell}"), 5.0, &mut draws, 6)).collect();
                let report =
                    best(&cells, Direction::LowerIsBetter, Pairing::Independent, Level::P95).unwrap();
                report.ties().count() < report.others.len()
            })
            .count();
        assert!(wrong <= 37, "{wrong} of 400");
    }

    #[test]
    fn pairing_tells_apart_what_the_link_blurs() {
        let links = [60.0, 75.0, 90.0, 66.0, 82.0, 71.0];
        let slower: Vec<f64> =
            links.iter().zip([1.0, 1.2, 0.9, 1.1, 1.0, 0.8]).map(|(link, more)| link + more).collect();
        let cells = [CellValues::numbered("a", &links), CellValues::numbered("b", &slower)];
        let verdict =
            |pairing| best(&cells, Direction::LowerIsBetter, pairing, Level::P95).unwrap().others[0].ties;
        assert!(verdict(Pairing::Independent) && !verdict(Pairing::ByRepeat));
    }

    /// The best mean can come from a repeat that the other cell lacks; where both have values, the other is ahead.
    #[test]
    fn a_cell_that_leads_in_the_shared_repeats_is_not_called_worse() {
        let few = CellValues::numbered("few", &[50.0, 51.0, 49.0, 50.5, 49.5]);
        let shared: Vec<f64> = few.by_repeat.values().map(|value| value + 1.0).collect();
        let most = CellValues::numbered("most", &[shared, vec![10.0]].concat());
        let report = best(&[few, most], Direction::LowerIsBetter, Pairing::ByRepeat, Level::P95).unwrap();
        assert_eq!(report.best, "most");
        assert!(report.others[0].difference < 0.0);
        assert!(report.others[0].ties);
    }

    /// Repeats that differ by factors, as links do: one cell takes 8 % longer in each, plus or minus 2 %.
    #[test]
    fn a_factor_between_repeats_does_not_hide_a_factor_between_cells() {
        let repeats = [70.0, 300.0, 90.0, 1_200.0, 110.0];
        let slower: Vec<f64> =
            repeats.iter().zip([1.08, 1.06, 1.09, 1.1, 1.07]).map(|(level, factor)| level * factor).collect();
        let cells = [CellValues::numbered("a", &repeats), CellValues::numbered("b", &slower)];
        let report = best(&cells, Direction::LowerIsBetter, Pairing::ByRepeat, Level::P95).unwrap();
        assert_eq!((report.scale, report.others[0].ties), (Scale::Logarithms, false));
        let factor = report.others[0].difference.exp();
        assert!((1.07..1.09).contains(&factor), "{factor}");
        // Their plain differences: 5.6, 18, 8.1, 120, 7.7; the interval of their mean includes 0.
        let differences: Vec<f64> = slower.iter().zip(&repeats).map(|(b, a)| b - a).collect();
        let plain = t_test::paired(&Sample::new(differences).unwrap(), Level::P95).unwrap();
        assert!(plain.p_value > 0.05, "{plain:?}");
    }

    #[test]
    fn values_with_a_zero_among_them_are_compared_as_they_stand() {
        let cells =
            [CellValues::numbered("a", &[0.0; 5]), CellValues::numbered("b", &[0.1, 0.2, 0.1, 0.2, 0.15])];
        let report = best(&cells, Direction::LowerIsBetter, Pairing::ByRepeat, Level::P95).unwrap();
        assert_eq!((report.scale, report.others[0].ties), (Scale::Values, false));
        assert!((report.others[0].difference - 0.15).abs() < 1e-12);
    }

    #[test]
    fn what_can_not_be_judged_is_an_error_that_says_why() {
        let few = [CellValues::numbered("a", &[1.0, 2.0])];
        let judge =
            |cells: &[CellValues]| best(cells, Direction::LowerIsBetter, Pairing::Independent, Level::P95);
        assert!(matches!(judge(&few), Err(BestError::TooFewTrials { cells: 1, need: 5 })));
        assert!(matches!(judge(&[]), Err(BestError::TooFewTrials { cells: 0, .. })));
        let twice = [few[0].clone(), few[0].clone()];
        assert!(matches!(judge(&twice), Err(BestError::SameLabel { .. })));
        let nan = CellValues::numbered("n", &[f64::NAN; 5]);
        assert!(matches!(judge(&[nan]), Err(BestError::BadValue { .. })));
    }

    #[test]
    fn exact_values_tie_only_when_equal() {
        let sizes = [("json", 81.0), ("avro", 29.0), ("thrift", 29.0), ("none", f64::NAN)];
        assert_eq!(best_exact(&sizes, Direction::LowerIsBetter), Some((29.0, vec!["avro", "thrift"])));
        assert_eq!(best_exact(&sizes, Direction::HigherIsBetter), Some((81.0, vec!["json"])));
        assert_eq!(best_exact(&[], Direction::LowerIsBetter), None);
    }
}
