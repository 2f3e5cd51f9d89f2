//! How much CPU and memory did it take?

use wiredyno_model::summary::Summary;

use super::{chart_of, folded, is_measured, more};
use crate::document::{Block, Section};
use crate::finding::Finding;
use crate::sentence::Sentence;

/// CPU time and memory of each role.
pub(super) fn section(summary: &Summary, all: &[Finding]) -> Section {
    let of_role = |metrics: &[&str]| metrics.iter().any(|metric| is_measured(summary, metric));
    let cpu = chart_of(
        of_role(&["publisher_cpu_per_message", "subscriber_cpu_per_delivery", "broker_cpu_per_message"]),
        "cpu",
        "CPU time per message and delivery",
        "Mean over trials with its 95 % interval; user and system time of each role's process. Bars start at zero.",
    );
    let memory = chart_of(
        of_role(&["publisher_memory", "subscriber_memory", "broker_memory"]),
        "memory",
        "Peak memory",
        "Mean over trials of the largest resident set of each role's process. Bars start at zero.",
    );
    let mut resources: Vec<Block> = cpu.into_iter().chain(memory).collect();
    resources.extend(more(all, "resources"));
    Section {
        id: "resources",
        title: "CPU, memory",
        question: "How much CPU and memory did it take?",
        lead: Sentence::plain(
            "For publisher, subscriber and broker separately, during the measured part of each trial.",
        ),
        blocks: folded("CPU and memory of each role", resources),
    }
}
