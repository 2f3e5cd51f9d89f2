//! How long did messages take?

use wiredyno_model::summary::Summary;

use super::{chart_of, folded, is_measured, measured_cells};
use crate::document::{Block, Section};
use crate::sentence::Sentence;

/// Latency: its means, and how single messages are distributed.
pub(super) fn section(summary: &Summary) -> Section {
    Section {
        id: "latency",
        title: "Latency",
        question: "How long did messages take?",
        lead: Sentence::plain(
            "From the intended send to the receipt. Only delivered messages have a latency: read it beside Delivery.",
        ),
        blocks: charts(summary),
    }
}

fn charts(summary: &Summary) -> Vec<Block> {
    let means = chart_of(
        is_measured(summary, "latency"),
        "latency",
        "Mean latency with its 95 % interval",
        "Mark: mean of the trials' means; line: 95 % t interval on logarithms over trials; hollow: no interval. A cross beside \
         it: messages were lost. Panels of one payload share their scale.",
    );
    let curves = chart_of(
        measured_cells(summary).any(|cell| !cell.latency_ecdf.is_empty()),
        "ecdf",
        "Latency of all messages sent",
        "Share of the messages sent that arrived within this time: a curve ends at the share that arrived at all. \
         Logarithmic time.",
    );
    let boxes = chart_of(
        measured_cells(summary).any(|cell| cell.latency_box.is_some()),
        "box",
        "Spread of single messages",
        "Box: quartiles and median; whiskers: the last message within Tukey's fences; rings: messages outside, of more than 40 \
         some.",
    );
    let single = folded("How single messages are distributed", curves.into_iter().chain(boxes).collect());
    means.into_iter().chain(single).collect()
}
