//! Did the messages arrive?

use wiredyno_model::summary::Summary;

use super::{chart, measured_cells};
use crate::caution::observed_against_model;
use crate::document::{Block, Section};
use crate::sentence::Sentence;
use crate::tables;

/// What became of the messages.
pub(super) fn section(summary: &Summary) -> Section {
    let mut delivery = Vec::new();
    if measured_cells(summary).any(|cell| cell.delivery.sent > 0) {
        delivery.push(chart(
            "delivery",
            "What became of the messages",
            "Shares of all messages sent in the complete trials of a combination; the lost share has its 95 % interval. Late: delivered \
             after the deadline.",
        ));
        let model = observed_against_model(summary);
        delivery.extend((!model.is_empty()).then_some(Block::List(model)));
        delivery
            .push(Block::fold("Every message accounted for", vec![Block::Table(tables::delivery(summary))]));
    }
    Section {
        id: "delivery",
        title: "Delivery",
        question: "Did the messages arrive?",
        lead: Sentence::plain("sent = delivered + lost + superseded; late ones are among the delivered."),
        blocks: delivery,
    }
}
