//! How much can it carry?

use std::collections::BTreeMap;

use wiredyno_model::summary::{CellSummary, Summary};

use super::{chart, folded, more};
use crate::document::{Block, Section};
use crate::finding::Finding;
use crate::sentence::{Sentence, listed};
use crate::{quantity, tables};

/// Rates, searches and throughput.
pub(super) fn section(summary: &Summary, all: &[Finding]) -> Section {
    Section {
        id: "load",
        title: "Load and throughput",
        question: "How much can it carry?",
        lead: Sentence::plain("How much a path carries, what that takes, and what it does to latency."),
        blocks: blocks(summary, all),
    }
}

/// Curves over rate if there are rates; other effects of the load, folded.
fn blocks(summary: &Summary, all: &[Finding]) -> Vec<Block> {
    let mut blocks = Vec::new();
    if !summary.knees.is_empty() {
        blocks.push(chart(
            "rates",
            "Latency over rate",
            "Median latency at each requested rate, from the intended send, with its 95 % interval; both scales logarithmic. A \
             filled mark is the knee: the highest rate before latency (its 99th percentile where all have one) more than doubled \
             from the lowest rate, more was lost, or a role could not keep up. Rates without a complete trial have no mark.",
        ));
        let knees: Vec<Sentence> = summary.knees.iter().map(wiredyno_answers::knees::sentence).collect();
        blocks.push(Block::fold("The knees, in words", vec![Block::List(knees)]));
    }
    let searched: Vec<Sentence> = summary.cells.iter().filter_map(searched).collect();
    if !searched.is_empty() {
        blocks.push(Block::List(searched));
    }
    let filled: Vec<Sentence> = summary.cells.iter().filter_map(filled).collect();
    if !filled.is_empty() {
        blocks.push(Block::fold("What held the rate back", vec![Block::List(filled)]));
    }
    let table = tables::load(summary).map(Block::Table).into_iter().chain(more(all, "load"));
    blocks.extend(folded("Throughput, and messages per CPU second", table.collect()));
    blocks
}

/// The result of a cell's searches, in words; `None` if there are none.
fn searched(cell: &CellSummary) -> Option<Sentence> {
    let searched = cell.searched.as_ref()?;
    let start = Sentence::default().strong(cell.axes.to_string());
    let Some(rate) = cell.metrics.get("sustained_rate") else {
        return Some(start.then(" sustained none of the rates tried."));
    };
    let limits = used_up(&searched.limits);
    let start = start
        .then(" sustained ")
        .strong(quantity::with_interval(rate.mean, rate.interval_95, &rate.unit))
        .then(format!("; stopped by {}", limits.unwrap_or_else(|| "nothing".to_owned())));
    Some(match (searched.settled, searched.spread) {
        (true, _) => start.then("."),
        (false, Some(spread)) => {
            start.then(format!(". Not settled: the highest rate found is {spread:.2} times the lowest."))
        }
        (false, None) => start.then(". Not settled."),
    })
}

/// The exhausted resources in words, with their counts if they differ between trials; `None` if nothing is known.
fn used_up(limits: &BTreeMap<String, u32>) -> Option<String> {
    let by = |limit: &str| match limit {
        "waiting" => "no resource that ran out (its parts wait for one another)".to_owned(),
        "stand" => "the limit of the stand (the rate of what was measured lies higher)".to_owned(),
        limit => format!("the {limit}"),
    };
    let limits: Vec<String> = match limits.len() {
        0 => return None,
        1 => limits.keys().map(|limit| by(limit)).collect(),
        _ => limits.iter().map(|(limit, times)| format!("{} ({times})", by(limit))).collect(),
    };
    Some(listed(&limits))
}

/// The exhausted resources of a cell that sent as fast as it could, in words; `None` for other loads.
fn filled(cell: &CellSummary) -> Option<Sentence> {
    let (rate, limits) = (cell.metrics.get("throughput")?, used_up(&cell.full)?);
    let start = Sentence::default().strong(cell.axes.to_string()).then(" carried ");
    Some(
        start
            .strong(quantity::with_interval(rate.mean, rate.interval_95, &rate.unit))
            .then(format!("; held back by {limits}.")),
    )
}
