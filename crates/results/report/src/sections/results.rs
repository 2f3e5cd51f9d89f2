//! What was measured for each combination?

use wiredyno_model::summary::Summary;

use super::folded;
use crate::document::{Block, Section};
use crate::sentence::Sentence;
use crate::tables;

/// Every figure of every combination, and its trials.
pub(super) fn section(summary: &Summary) -> Section {
    let trials = tables::every_trial(summary).map(|trials| {
        let fold = Block::fold("Its trials", vec![Block::Table(trials)]);
        Block::OnPage(Box::new(fold))
    });
    let results = std::iter::once(Block::Table(tables::results(summary))).chain(trials).collect();
    Section {
        id: "results",
        title: "Results",
        question: "What was measured for each combination?",
        lead: Sentence::plain("Every figure of every combination that ran, and its trials."),
        blocks: folded("Every figure of every combination", results),
    }
}
