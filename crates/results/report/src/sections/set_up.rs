//! What does it cost before the first message?

use wiredyno_model::summary::Summary;

use super::{folded, more};
use crate::document::{Block, Section};
use crate::finding::Finding;
use crate::sentence::Sentence;
use crate::tables;

/// Connections, the first message, and starting the broker.
pub(super) fn section(summary: &Summary, all: &[Finding]) -> Section {
    let setup = tables::setup(summary).map(Block::Table).into_iter().chain(more(all, "setup"));
    Section {
        id: "setup",
        title: "Set-up",
        question: "What does it cost before the first message?",
        lead: Sentence::plain("What a connection costs up to and including its first message."),
        blocks: folded("Connections, first message, broker's start", setup.collect()),
    }
}
