//! Heat maps: each combination of a codec and a mode as a factor of the best, and where the data can't tell it from the best.

use wiredyno_model::summary::{CellSummary, Summary};

use crate::finding::Condition;
use crate::metric::{Better, MetricInfo, Scope, first_screen};
use crate::quantity;
use crate::ranking::{message_candidates, rank};

/// A metric under every condition.
#[derive(Debug, Clone)]
pub struct HeatMap {
    /// The metric.
    pub metric: MetricInfo,
    /// One a condition; of a single codec, one with all conditions.
    pub matrices: Vec<Matrix>,
}

/// Codecs by modes under one condition, or modes by conditions of one codec. Factors are of the best under the same condition.
#[derive(Debug, Clone)]
pub struct Matrix {
    /// The condition, or the codec.
    pub condition: String,
    /// The modes, or the conditions.
    pub columns: Vec<String>,
    /// The codecs, or the modes, with what stands under each column; `None` where nothing was measured.
    pub rows: Vec<(String, Vec<Option<Spot>>)>,
}

/// A combination.
#[derive(Debug, Clone)]
pub struct Spot {
    /// Its place in [`Summary::cells`].
    pub cell: usize,
    /// Its mean as a factor of the best.
    pub text: String,
    /// Its mean in its unit.
    pub figure: String,
    /// How far it is from the best of the matrix, 0 to 1, on logarithms.
    pub heat: f64,
    /// Whether the data can't tell it from the best; the best itself is.
    pub ties: bool,
    /// Whether it lost messages, so that its figure is of the others only.
    pub lossy: bool,
}

/// A matrix whose worst is nearer to the best than this does not get hotter for it.
const COOL: f64 = 2.0;

/// The heat maps of a run; none where there is but one codec or one mode, or a figure of 0 to be a factor of.
pub fn maps(summary: &Summary) -> Vec<HeatMap> {
    let metrics = first_screen().filter(|metric| {
        metric.scope == Scope::Message && metric.better != Better::Neither && metric.name != "lost"
    });
    let map = |metric: MetricInfo| {
        let conditions = Condition::all(summary);
        let matrices: Vec<Matrix> =
            conditions.iter().filter_map(|condition| matrix(summary, condition, &metric)).collect();
        let matrices = of_one_codec(&matrices).map(|all| vec![all]).unwrap_or(matrices);
        HeatMap { metric, matrices }
    };
    metrics.map(map).filter(|map| !map.matrices.is_empty()).collect()
}

/// Several conditions of one codec: a line for each mode, in place of a table of one line for each condition.
fn of_one_codec(matrices: &[Matrix]) -> Option<Matrix> {
    let [first, _, ..] = matrices else { return None };
    let [(codec, _)] = first.rows.as_slice() else { return None };
    let is_alike = |matrix: &Matrix| matches!(matrix.rows.as_slice(), [(other, _)] if other == codec);
    if !matrices.iter().all(is_alike) {
        return None;
    }
    let mut modes: Vec<&String> = Vec::new();
    for mode in matrices.iter().flat_map(|matrix| &matrix.columns) {
        if !modes.contains(&mode) {
            modes.push(mode);
        }
    }
    let spot = |matrix: &Matrix, mode: &String| {
        let column = matrix.columns.iter().position(|column| column == mode)?;
        matrix.rows.first()?.1.get(column)?.clone()
    };
    let row = |mode: &String| (mode.clone(), matrices.iter().map(|matrix| spot(matrix, mode)).collect());
    Some(Matrix {
        condition: codec.clone(),
        columns: matrices.iter().map(|matrix| matrix.condition.clone()).collect(),
        rows: modes.into_iter().map(row).collect(),
    })
}

fn matrix(summary: &Summary, condition: &Condition, metric: &MetricInfo) -> Option<Matrix> {
    let fits = |(_, cell): &(usize, &CellSummary)| Condition::of(cell) == *condition && cell.valid_trials > 0;
    let cells: Vec<(usize, &CellSummary)> = summary.cells.iter().enumerate().filter(fits).collect();
    let (mut columns, mut codings) = (Vec::<String>::new(), Vec::<String>::new());
    for (_, cell) in &cells {
        let (mode, coding) = (cell.axes.sending(), cell.axes.coding());
        if !columns.contains(&mode) {
            columns.push(mode);
        }
        if !codings.contains(&coding) {
            codings.push(coding);
        }
    }
    let ranking = rank(message_candidates(cells.iter().map(|(_, cell)| *cell), &metric.name), metric.better)?;
    let best = ranking.best.metric.mean;
    if ranking.len() < 2 || best <= 0.0 {
        return None;
    }
    let factor = |mean: f64| if metric.better == Better::Higher { best / mean } else { mean / best };
    let untold = std::iter::once(&ranking.best).chain(&ranking.ties).chain(&ranking.untested);
    let untold: Vec<(String, Option<String>)> =
        untold.map(|candidate| (candidate.codec.clone(), candidate.mode.clone())).collect();
    let factors = cells.iter().filter_map(|(_, cell)| Some(factor(cell.metrics.get(&metric.name)?.mean)));
    let hottest = factors.fold(COOL, f64::max).ln();
    let spot = |coding: &String, mode: &String| {
        let of = |(_, cell): &&(usize, &CellSummary)| {
            cell.axes.coding() == *coding && cell.axes.sending() == *mode
        };
        let (place, cell) = cells.iter().find(of)?;
        let figures = cell.metrics.get(&metric.name)?;
        let times = factor(figures.mean);
        Some(Spot {
            cell: *place,
            text: times_text(times),
            figure: quantity::mean(figures),
            heat: (times.max(1.0).ln() / hottest).clamp(0.0, 1.0),
            ties: untold.contains(&(coding.clone(), Some(mode.clone()))),
            lossy: cell.delivery.lost > 0,
        })
    };
    let row = |coding: String| {
        let spots = columns.iter().map(|mode| spot(&coding, mode)).collect();
        (coding, spots)
    };
    let rows = codings.into_iter().map(row).collect();
    Some(Matrix { condition: condition.name(), columns, rows })
}

/// `best`, `× 1.04`, `× 57`.
fn times_text(times: f64) -> String {
    match times {
        times if times <= 1.0 => "best".to_owned(),
        times if times < 9.95 => format!("× {times:.2}"),
        times => format!("× {times:.0}"),
    }
}
