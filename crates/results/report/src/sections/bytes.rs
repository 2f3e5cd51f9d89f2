//! What went over the network?

use wiredyno_model::summary::Summary;

use super::{chart_of, folded, is_measured, more};
use crate::document::{Block, Section};
use crate::finding::Finding;
use crate::sentence::Sentence;

/// Bytes on the wire, and their purposes.
pub(super) fn section(summary: &Summary, all: &[Finding]) -> Section {
    let bytes = chart_of(
        is_measured(summary, "wire_per_message"),
        "overhead",
        "Bytes on the wire per published message",
        "Bars start at zero. Body: the message itself on each leg of the link; overhead: everything else, headers, \
         acknowledgements and retransmissions included.",
    );
    let classes = chart_of(
        is_measured(summary, "message_wire"),
        "classes",
        "What the bytes are for",
        "Mean bytes per published message: frames that carry messages, acknowledgements of the protocol and of TCP, keep-alives, \
         set-up, and retransmissions. A packet's headers count towards the frame that it begins with.",
    );
    let mut overhead: Vec<Block> = bytes.into_iter().chain(classes).collect();
    overhead.extend(folded("The least overhead, in words", more(all, "overhead")));
    Section {
        id: "overhead",
        title: "Bytes on the wire",
        question: "What went over the network?",
        lead: Sentence::plain(
            "Counted where packets enter the link, before loss, with 14 bytes of Ethernet header each.",
        ),
        blocks: folded("Bytes on the wire of each combination", overhead),
    }
}
