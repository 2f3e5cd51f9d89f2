//! Where did the time go?

use wiredyno_model::summary::Summary;

use super::{chart_of, folded, is_measured};
use crate::document::Section;
use crate::sentence::Sentence;

/// The parts of the time of a message.
pub(super) fn section(summary: &Summary) -> Section {
    let parts = chart_of(
        is_measured(summary, "broker_time"),
        "parts",
        "Mean time of each part",
        "Where packets on the link separate network from broker, and each part is known of at least 95 % of the messages. The parts \
         add up to the time from the first call of the codec to the decoded message.",
    );
    let phases = chart_of(
        ["build_time", "encode_time", "send_time", "decode_time"]
            .iter()
            .any(|metric| is_measured(summary, metric)),
        "split",
        "Median time of each phase",
        "Logarithmic scale, because encoding takes microseconds and the link milliseconds: compare positions, not lengths.",
    );
    Section {
        id: "split",
        title: "Time split",
        question: "Where did the time go?",
        lead: Sentence::plain(
            "Stamps inside the message trials: medians of each phase, not added up to the latency's median.",
        ),
        blocks: folded("Where a message spends its time", parts.into_iter().chain(phases).collect()),
    }
}
