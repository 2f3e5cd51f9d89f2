//! How do all combinations compare?

use std::collections::BTreeSet;

use wiredyno_contract::PayloadId;
use wiredyno_model::axis::TABLE;
use wiredyno_model::summary::{CellSummary, Summary};
use wiredyno_model::{AxisInfo, Part};

use super::{chart, measured_cells, measured_codecs};
use crate::document::{Block, Section};
use crate::finding::{Condition, Finding};
use crate::sentence::Sentence;
use crate::{heat, ranking};

/// Heat maps that are open; others are folded.
const MAPS: usize = 2;

/// Every combination in one picture: as a factor of the best, and two metrics against each other.
pub(super) fn picture(summary: &Summary, best: &Section) -> Option<Section> {
    let mut maps = heat::maps(summary).into_iter();
    let mut blocks: Vec<Block> = maps.by_ref().take(MAPS).map(Block::Heat).collect();
    let others: Vec<Block> = maps.map(Block::Heat).collect();
    if blocks.is_empty() && measured_codecs(summary).count() <= 2 {
        return None;
    }
    let lead = if blocks.is_empty() {
        ""
    } else {
        "Each mean as a multiple of the best under the same condition, which lost no message if any did not. In bold, on the page hatched: \
         the data can't distinguish it from the best."
    };
    if !others.is_empty() {
        blocks.push(Block::fold("Heat maps of other metrics", others));
    }
    if are_several_comparable(summary) {
        blocks.push(chart(
            "scatter",
            "Two metrics against each other",
            "Each mark is the mean of a combination over its trials; lines are 95 % intervals, where there are any. The stepped line \
             joins the combinations that no other beats in both metrics. Tail latency against losses shows what a guarantee costs.",
        ));
    }
    if has_numbers(summary) {
        blocks.push(chart(
            "along",
            "Along a number",
            "Mean over trials along an axis of numbers (share lost, size, subscribers, messages), with its 95 % interval: a curve for each \
             codec and mode.",
        ));
    }
    let mut words = vec![Block::List(vec![best.lead.clone()])];
    words.extend(best.blocks.iter().cloned());
    blocks.push(Block::fold("The best at each metric, in words", words));
    Some(Section {
        id: "picture",
        title: "Combinations",
        question: "How do all combinations compare?",
        lead: Sentence::plain(lead),
        blocks,
    })
}

/// Whether there are two to compare: under a condition, or for a payload if no messages were sent.
fn are_several_comparable(summary: &Summary) -> bool {
    if summary.cells.is_empty() {
        let of = |payload: &&PayloadId| {
            measured_codecs(summary).filter(|codec| codec.axes.payload == **payload).count()
        };
        return ranking::payloads(summary).iter().any(|payload| of(payload) > 1);
    }
    let measured =
        |condition: &Condition| condition.cells(summary).filter(|cell| cell.valid_trials > 0).count();
    Condition::all(summary).iter().any(|condition| measured(condition) > 1)
}

/// Whether cells differ in a number that a sender can't choose: on an axis of numbers except the rate, which has its own chart, or in the
/// size that is part of a payload's name.
fn has_numbers(summary: &Summary) -> bool {
    let differ = |of: &dyn Fn(&CellSummary) -> Option<String>| {
        let values: BTreeSet<String> = measured_cells(summary).filter_map(of).collect();
        values.len() > 1
    };
    let given = |axis: &&AxisInfo| axis.part == Part::Condition && axis.is_number() && axis.name != "rate";
    let on_axis = |axis: &AxisInfo| differ(&|cell| cell.axes.value(axis.name));
    let of_payload = |cell: &CellSummary| cell.axes.payload.size_bytes.map(|size| size.to_string());
    TABLE.iter().filter(given).any(on_axis) || differ(&of_payload)
}

pub(super) fn best(all: &[Finding]) -> Section {
    let first: Vec<Finding> = all.iter().filter(|finding| finding.metric.first_screen).cloned().collect();
    Section {
        id: "best",
        title: "What is best",
        question: "What is best at each metric?",
        lead: if first.is_empty() {
            Sentence::default()
        } else {
            Sentence::plain(
                "Each metric has a winner of its own; there is no overall one. Brackets are 95 % intervals over trials. A tie does \
                 not differ significantly from the best (paired by repeat).",
            )
        },
        blocks: vec![if first.is_empty() {
            Block::List(vec![Sentence::plain(
                "Nothing was measured: what was left out, and why, is listed below.",
            )])
        } else {
            Block::Findings(first)
        }],
    }
}
