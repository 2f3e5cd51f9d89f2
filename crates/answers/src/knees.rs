//! How far a rate can be raised before latency turns up: knees of latency over rate.

use wiredyno_contract::MessageRate;
use wiredyno_model::Cell;
use wiredyno_model::summary::{CellSummary, Knee, KneeReason, Summary};

use crate::sentence::Sentence;

/// A latency of more than so many times that at the lowest rate is beyond the knee.
pub const RISE: f64 = 2.0;

/// A share of messages lost whose interval lies above this is beyond the knee, too.
pub const MOST_LOST: f64 = 0.01;

/// The knees of a summary, in the order of its cells: one for everything that was measured at two rates or more.
pub fn knees(summary: &Summary) -> Vec<Knee> {
    let mut curves: Vec<(Cell, Vec<(MessageRate, &CellSummary)>)> = Vec::new();
    for cell in &summary.cells {
        let Some(rate) = cell.axes.rate else { continue };
        let axes = Cell { rate: None, ..cell.axes.clone() };
        match curves.iter_mut().find(|(known, _)| *known == axes) {
            Some((_, points)) => points.push((rate, cell)),
            None => curves.push((axes, vec![(rate, cell)])),
        }
    }
    // Where the stand alone spoilt every trial, nothing is known of a rate.
    curves.iter_mut().for_each(|(_, points)| points.retain(|(_, cell)| is_known(cell)));
    curves.retain(|(_, points)| points.len() > 1);
    curves.into_iter().map(|(axes, points)| knee(axes, points)).collect()
}

fn knee(axes: Cell, mut points: Vec<(MessageRate, &CellSummary)>) -> Knee {
    points.sort_by_key(|(rate, _)| *rate);
    let lowest = points[0].1;
    let tails = points.iter().all(|(_, cell)| tail(cell).is_some() || !is_complete(cell));
    let of = |cell: &CellSummary| if tails { tail(cell) } else { median(cell) };
    let refused = |cell: &CellSummary| {
        if !is_complete(cell) {
            return Some(KneeReason::NotComplete);
        }
        if loses_more(cell, lowest) || loses_much(cell) {
            return Some(KneeReason::Lost);
        }
        let rises = of(cell).zip(of(lowest)).is_some_and(|(here, there)| here > RISE * there);
        rises.then_some(KneeReason::Latency)
    };
    let first = points.iter().position(|(_, cell)| refused(cell).is_some());
    let kept = first.unwrap_or(points.len());
    Knee {
        axes,
        rate: kept.checked_sub(1).map(|place| points[place].0),
        beyond: first.map(|place| points[place].0),
        why: first.and_then(|place| refused(points[place].1)),
    }
}

fn is_complete(cell: &CellSummary) -> bool {
    cell.valid_trials > 0 && cell.outcomes.overloaded == 0 && cell.outcomes.failed == 0
}

fn is_known(cell: &CellSummary) -> bool {
    cell.valid_trials > 0 || cell.outcomes.overloaded + cell.outcomes.failed > 0
}

/// Whether more was lost than where nobody says otherwise may be, or so much that no latency is left.
fn loses_much(cell: &CellSummary) -> bool {
    let is_shown = cell.lost_ratio.as_ref().is_some_and(|lost| lost.interval_95[0] > MOST_LOST);
    is_shown || (cell.delivery.lost > 0 && median(cell).is_none())
}

fn median(cell: &CellSummary) -> Option<f64> {
    Some(cell.told("latency")?.median)
}

fn tail(cell: &CellSummary) -> Option<f64> {
    cell.told("latency")?.p99
}

/// Whether intervals of the shares lost don't overlap.
fn loses_more(here: &CellSummary, there: &CellSummary) -> bool {
    let ratios = here.lost_ratio.as_ref().zip(there.lost_ratio.as_ref());
    ratios.is_some_and(|(here, there)| here.interval_95[0] > there.interval_95[1])
}

/// A knee in words.
pub fn sentence(knee: &Knee) -> Sentence {
    let why = match knee.why {
        Some(KneeReason::NotComplete) => "a role could not keep up or broke",
        Some(KneeReason::Lost) => "more was lost than at the lowest rate, or more than 1 %",
        Some(KneeReason::Latency) | None => "latency was more than twice that at the lowest rate",
    };
    let start = Sentence::default().strong(knee.axes.to_string());
    match (knee.rate, knee.beyond) {
        (Some(rate), None) => {
            start.then(" kept up at every requested rate, up to ").strong(rate.to_string()).then(".")
        }
        (Some(rate), Some(beyond)) => {
            start.then(" kept up at ").strong(rate.to_string()).then(format!("; at {beyond} {why}."))
        }
        (None, _) => start.then(format!(" did not keep up even at the lowest rate: {why}.")),
    }
}
