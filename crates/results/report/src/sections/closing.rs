//! What was left out, where it was measured, and how.

use wiredyno_model::summary::Summary;

use super::{folded, long};
use crate::document::{Block, Section};
use crate::sentence::Sentence;
use crate::{codecs, dropped, stopping, tables};

#[expect(clippy::too_many_lines, reason = "the closing sections in reading order, each with its texts")]
pub(super) fn sections(summary: &Summary) -> Vec<Section> {
    let mut left_out = vec![dropped::table(summary), tables::invalid(summary), tables::not_run(summary)];
    left_out.retain(|table| !table.rows.is_empty());
    let mut left_out: Vec<Block> =
        left_out.into_iter().map(|table| long(summary, Block::Table(table))).collect();
    if codecs::many(summary) && !left_out.is_empty() {
        left_out.push(Block::InText(Box::new(Block::List(vec![Sentence::plain(
            "What, and why, is in report.html and summary.json.",
        )]))));
    }
    let left_out = if left_out.is_empty() {
        vec![Block::List(vec![Sentence::plain("Nothing: every combination ran, and no trial was invalid.")])]
    } else {
        folded("What was left out, and why", left_out)
    };
    let stopping = stopping::table(summary).map(|table| Section {
        id: "stopping",
        title: "How many trials",
        question: "How many trials did it take?",
        lead: Sentence::plain("The study repeats a combination until its figure is precise enough."),
        blocks: vec![Block::Table(table)],
    });
    let unkept = tables::unkept(summary);
    let unkept = (!unkept.rows.is_empty()).then(|| Section {
        id: "unkept",
        title: "Overloaded and failed",
        question: "What was overloaded, and what failed?",
        lead: Sentence::plain(
            "These are results: what could not keep up with the load, and what broke. They are not repeated, and their \
             latency enters no comparison.",
        ),
        blocks: vec![long(summary, Block::Table(unkept))],
    });
    let mut sections: Vec<Section> = stopping.into_iter().chain(unkept).collect();
    sections.extend([
        Section {
            id: "left-out",
            title: "Left out",
            question: "What was left out, and why?",
            lead: Sentence::plain(
                "Invalid trials are the stand's own fault. They are repeated, stay in the run folder and enter no figure.",
            ),
            blocks: left_out,
        },
        Section {
            id: "environment",
            title: "Environment",
            question: "Where was it measured?",
            lead: Sentence::plain("What the numbers were measured on."),
            blocks: folded("Machine, libraries, brokers", vec![
                Block::Table(tables::environment(summary)),
                long(summary, Block::Table(tables::implementations(summary))),
            ]),
        },
        Section {
            id: "method",
            title: "Method",
            question: "How was it measured?",
            lead: Sentence::plain("What each number means, and how combinations are compared."),
            blocks: folded("How figures, intervals and comparisons are computed", vec![
                Block::List(vec![Sentence::plain(
                        "A mean averages the trials' means (in codec trials: each loop's median batch). Medians and percentiles are \
                     over all observations; a 90th percentile needs at least 100, a 99th at least 1,000. Intervals are two-sided 95 \
                     %: Student's t for means, on logarithms for what can't be negative; bootstrap over trials for medians and 99th \
                     percentiles. Fewer than five complete trials give no interval. Shares of lost and late messages always have \
                     one: from the spread between trials (Korn and Graubard), else exact (Clopper and Pearson). Two combinations \
                     are compared by a paired t test over the repeats, which had the same conditions in all cells, with Holm's \
                     correction for all pairs compared at once. They tie where it finds no significant difference at the 5 % level. \
                     The test uses logarithms where all values are above 0, so it compares factors. Intervals of two combinations \
                     can overlap although the paired test finds a difference: they also contain what varies between repeats, such \
                     as the rate of the link.",
                )]),
                long(summary, Block::Table(tables::metrics(summary))),
            ]),
        },
    ]);
    sections
}
