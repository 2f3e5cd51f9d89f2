//! The sections of codecs.

use wiredyno_model::summary::Summary;

use super::{chart_of, folded, long, measured_codecs, more};
use crate::document::{Block, Section};
use crate::finding::Finding;
use crate::sentence::Sentence;
use crate::{choice, codecs};

#[expect(clippy::too_many_lines, reason = "the sections of codecs in reading order, each with its texts")]
pub(super) fn sections(summary: &Summary, all: &[Finding]) -> Vec<Section> {
    let phases = if codecs::many(summary) {
        "Marks: mean over trials of each phase and of their sum, with the sum's 95 % interval as a line. Logarithmic scale: \
         compare positions, not lengths. Each panel has its own scale."
    } else {
        "Means over trials, stacked: build, encode, decode and read of one message, with compress and decompress \
         where bytes are compressed. Bars start at zero; each panel has its own scale."
    };
    let has = |wanted: &dyn Fn(&str) -> bool| {
        measured_codecs(summary).any(|codec| codec.metrics.keys().any(|name| wanted(name)))
    };
    let times = chart_of(
        has(&|name| ["build", "encode", "decode", "read"].contains(&name)),
        "phases",
        "Time of the phases",
        phases,
    );
    let allocations = chart_of(
        has(&|name| name.ends_with("_allocations")),
        "allocations",
        "Heap allocations of one message",
        "Counted in a separate pass without timing, by phase, stacked. Bars start at zero.",
    );
    let mut alone: Vec<Block> = times.into_iter().chain(allocations).collect();
    alone.extend(more(all, "codecs").into_iter().map(|block| long(summary, block)));
    alone.push(long(summary, Block::Table(codecs::codecs(summary))));
    if codecs::many(summary) {
        alone.push(Block::InText(Box::new(Block::Table(codecs::best_few(summary)))));
    }
    let bodies = chart_of(
        has(&|name| name == "body"),
        "sizes",
        "Body of one message",
        "Bar: mean over the payload's samples; line: smallest to largest sample. Bars start at zero; each panel \
         has its own scale.",
    );
    let mut sizes: Vec<Block> = bodies.into_iter().collect();
    if summary.study.axes.payload.len() > 1 || codecs::many(summary) {
        sizes.insert(0, Block::OnPage(Box::new(Block::Table(codecs::sizes(summary)))));
    }
    let mut worth = vec![Block::List(choice::sentences(summary))];
    worth.extend(choice::table(summary).map(|table| long(summary, Block::Table(table))));
    // If messages were sent, the figures of codecs alone are details of the answer.
    if !summary.cells.is_empty() {
        worth = folded("The Pareto front of codecs", worth);
        sizes = folded("Bodies of the samples", sizes);
        alone = folded("Times and memory of each codec", alone);
    }
    vec![
        Section {
            id: "choice",
            title: "Worth considering",
            question: "Which codecs are worth considering?",
            lead: Sentence::plain(choice::LEAD),
            blocks: worth,
        },
        Section {
            id: "sizes",
            title: "Sizes",
            question: "How large are messages?",
            lead: Sentence::plain(
                "What each codec makes of one message, before any protocol adds its overhead.",
            ),
            blocks: sizes,
        },
        Section {
            id: "codecs",
            title: "Codecs alone",
            question: "What do codecs cost alone?",
            lead: Sentence::plain(
                "Calibrated loops without hosts or link. All phases are shown, because a codec can move work from one to \
             another.",
            ),
            blocks: alone,
        },
    ]
}
