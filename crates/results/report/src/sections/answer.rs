//! What a report begins with: the answer, its certainty, and one picture.

use wiredyno_answers::opening::Opening;
use wiredyno_model::summary::Summary;

use crate::document::{Block, Section};
use crate::first_screen::{answer, badge};
use crate::sentence::Sentence;

/// The section that begins a report.
pub fn section(summary: &Summary, opening: Opening) -> Section {
    let mut blocks = vec![Block::Answer(answer(summary, &opening)), Block::Badge(badge(summary, &opening))];
    blocks.extend(opening.picture.map(Block::Bars));
    Section { id: "answer", title: "The answer", question: "The answer", lead: Sentence::default(), blocks }
}
