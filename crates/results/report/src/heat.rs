//! Heat maps: each combination of a codec and a mode as a factor of the best, marked where the data can't distinguish it from the best. The best
//! under a condition is one that lost no message, if there is one.

use wiredyno_model::summary::{CellSummary, Summary};

use crate::finding::Condition;
use crate::metric::{Better, MetricInfo, Scope, first_screen};
use crate::quantity;
use crate::ranking::{delivered, message_candidates, rank};

/// The legend of a heat map.
pub const HOW_TO_READ: &str = "Framed: the best under its condition. Stronger colour: further from it, on one scale for all. Hatched: can't \
                               be distinguished from it. Grey: messages were lost.";

/// A metric under every condition.
#[derive(Debug, Clone)]
pub struct HeatMap {
    pub metric: MetricInfo,
    /// One for each condition; conditions with a single line each share one.
    pub matrices: Vec<Matrix>,
}

/// Codecs by modes under one condition, or conditions by the modes of one codec (or the codecs of one mode). Factors are relative to the best under
/// the same condition.
#[derive(Debug, Clone)]
pub struct Matrix {
    /// The condition; for several, what they share: the codec or the mode.
    pub condition: String,
    /// Headings of columns, mostly the modes.
    pub columns: Vec<String>,
    /// Mostly the codecs or the conditions, with the values under each column; `None` if nothing was measured.
    pub rows: Vec<(String, Vec<Option<Spot>>)>,
}

/// One combination in a matrix.
#[derive(Debug, Clone)]
pub struct Spot {
    /// Index in [`Summary::cells`].
    pub cell: usize,
    /// Its mean as a factor of the best.
    pub text: String,
    /// Its mean in its unit.
    pub figure: String,
    /// Its mean divided by the best one's, or the inverse if more is better: below 1 only if it lost messages.
    pub times: f64,
    /// Its distance from the best under its condition, 0 to 1, on a logarithmic scale; one scale for all matrices of the metric.
    pub heat: f64,
    /// Whether it is the best under its condition.
    pub wins: bool,
    /// Whether the data can't distinguish it from the best, which includes the best itself.
    pub ties: bool,
    /// Whether it lost messages, so that its figure covers only the others.
    pub lossy: bool,
}

/// If the worst is closer to the best than this factor, the colours don't reach full strength.
const COOL: f64 = 2.0;

/// The heat maps of a run; none if there is only one codec or one mode, or the best figure is 0.
pub fn maps(summary: &Summary) -> Vec<HeatMap> {
    let metrics = first_screen().filter(|metric| {
        metric.scope == Scope::Message && metric.better != Better::Neither && metric.name != "lost"
    });
    let map = |metric: MetricInfo| {
        let conditions = Condition::of_rankings(summary);
        let mut matrices: Vec<Matrix> =
            conditions.iter().filter_map(|condition| matrix(summary, condition, &metric)).collect();
        heat(&mut matrices);
        HeatMap { metric, matrices: joined(matrices) }
    };
    metrics.map(map).filter(|map| !map.matrices.is_empty()).collect()
}

/// Colours all matrices of a metric on one scale.
fn heat(matrices: &mut [Matrix]) {
    let rows = |matrix: &Matrix| {
        matrix.rows.iter().flat_map(|(_, spots)| spots).flatten().map(|spot| spot.times).fold(COOL, f64::max)
    };
    let hottest = matrices.iter().map(rows).fold(COOL, f64::max).ln();
    let spots =
        matrices.iter_mut().flat_map(|matrix| &mut matrix.rows).flat_map(|(_, spots)| spots).flatten();
    for spot in spots {
        spot.heat = (spot.times.max(1.0).ln() / hottest).clamp(0.0, 1.0);
    }
}

/// Joins conditions of one line each, of one codec or of one mode, into one table, with the conditions on its longer side.
fn joined(matrices: Vec<Matrix>) -> Vec<Matrix> {
    let is_column = |matrix: &Matrix| matrix.columns.len() == 1 && matrix.columns == matrices[0].columns;
    let matrices: Vec<Matrix> = if matrices.len() > 1 && matrices.iter().all(is_column) {
        matrices.iter().map(Matrix::turned).collect()
    } else {
        matrices
    };
    if matrices.iter().filter(|matrix| matrix.rows.len() == 1).count() < 2 {
        let stands = |matrix: Matrix| if matrix.rows.len() == 1 { matrix.turned() } else { matrix };
        return matrices.into_iter().map(stands).collect();
    }
    let (lines, rest): (Vec<Matrix>, Vec<Matrix>) =
        matrices.into_iter().partition(|matrix| matrix.rows.len() == 1);
    std::iter::once(table_of(&lines)).chain(rest).collect()
}

/// Matrices of one row each as the rows of one matrix.
fn table_of(lines: &[Matrix]) -> Matrix {
    let of = |matrix: &Matrix| matrix.rows[0].0.clone();
    let is_one = lines.iter().all(|matrix| of(matrix) == of(&lines[0]));
    let mut columns: Vec<String> = Vec::new();
    for column in lines.iter().flat_map(|matrix| &matrix.columns) {
        if !columns.contains(column) {
            columns.push(column.clone());
        }
    }
    let spot = |matrix: &Matrix, column: &String| {
        let place = matrix.columns.iter().position(|other| other == column)?;
        matrix.rows[0].1[place].clone()
    };
    let name = |matrix: &Matrix| match is_one {
        true => matrix.condition.clone(),
        false => format!("{}, {}", of(matrix), matrix.condition),
    };
    let row = |matrix: &Matrix| (name(matrix), columns.iter().map(|column| spot(matrix, column)).collect());
    let rows: Vec<(String, Vec<Option<Spot>>)> = lines.iter().map(row).collect();
    let condition = if is_one { of(&lines[0]) } else { format!("{} conditions", lines.len()) };
    let all = Matrix { condition, columns, rows };
    if all.rows.len() < all.columns.len() { all.turned() } else { all }
}

impl Matrix {
    fn turned(&self) -> Matrix {
        let row = |(place, name): (usize, &String)| {
            (name.clone(), self.rows.iter().map(|(_, spots)| spots[place].clone()).collect())
        };
        Matrix {
            condition: self.condition.clone(),
            columns: self.rows.iter().map(|(name, _)| name.clone()).collect(),
            rows: self.columns.iter().enumerate().map(row).collect(),
        }
    }
}

fn matrix(summary: &Summary, condition: &Condition, metric: &MetricInfo) -> Option<Matrix> {
    let fits = |(_, cell): &(usize, &CellSummary)| condition.has(cell) && cell.valid_trials > 0;
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
    let ranked = |lossy: bool| {
        let of = cells.iter().map(|(_, cell)| *cell).filter(|cell| lossy || delivered(cell));
        rank(message_candidates(of, &metric.name), metric.better)
    };
    let ranking = ranked(false).or_else(|| ranked(true))?;
    let best = ranking.best.metric.mean;
    if cells.iter().filter(|(_, cell)| cell.metrics.contains_key(&metric.name)).count() < 2 || best <= 0.0 {
        return None;
    }
    let winner = (ranking.best.codec.clone(), ranking.best.mode.clone());
    let factor = |mean: f64| if metric.better == Better::Higher { best / mean } else { mean / best };
    let untold = std::iter::once(&ranking.best).chain(&ranking.ties).chain(&ranking.untested);
    let untold: Vec<(String, Option<String>)> =
        untold.map(|candidate| (candidate.codec.clone(), candidate.mode.clone())).collect();
    let spot = |coding: &String, mode: &String| {
        let of = |(_, cell): &&(usize, &CellSummary)| {
            cell.axes.coding() == *coding && cell.axes.sending() == *mode
        };
        let (place, cell) = cells.iter().find(of)?;
        let figures = cell.metrics.get(&metric.name)?;
        let times = factor(figures.mean);
        let named = (coding.clone(), Some(mode.clone()));
        let wins = named == winner;
        Some(Spot {
            cell: *place,
            text: if wins { "best".to_owned() } else { times_text(times) },
            figure: quantity::mean(figures),
            times,
            heat: 0.0,
            wins,
            ties: untold.contains(&named),
            lossy: cell.delivery.delivered < cell.delivery.sent,
        })
    };
    let row = |coding: String| {
        let spots = columns.iter().map(|mode| spot(&coding, mode)).collect();
        (coding, spots)
    };
    let rows = codings.into_iter().map(row).collect();
    Some(Matrix { condition: condition.name(), columns, rows })
}

/// A factor: `× 1.04`, `× 57`.
fn times_text(times: f64) -> String {
    match times {
        times if times < 9.95 => format!("× {times:.2}"),
        times => format!("× {times:.0}"),
    }
}
