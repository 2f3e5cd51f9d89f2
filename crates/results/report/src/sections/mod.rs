//! The sections of a report in reading order, a file for each question that they answer.

mod answer;
mod bytes;
mod closing;
mod codecs;
mod delivery;
mod effects;
mod latency;
mod load;
mod method;
mod picture;
mod published;
mod resources;
mod results;
mod set_up;
mod time_split;

use wiredyno_model::summary::{CellSummary, CodecSummary, Summary};

use crate::caution::cautions;
use crate::document::{Block, Chart, Document, Section};
use crate::finding::{Finding, findings};
use crate::sentence::Sentence;

impl Document {
    /// The report of a summary.
    pub fn of(summary: &Summary) -> Document {
        let all = findings(summary);
        let all_effects = wiredyno_answers::effects(summary);
        let mut sections: Vec<Section> = effects::section(summary, &all_effects).into_iter().collect();
        if !summary.thresholds.is_empty() {
            sections.insert(0, thresholds(summary));
        }
        sections.insert(0, answer::section(summary, wiredyno_answers::opening::opening(summary)));
        let best = picture::best(&all);
        match picture::picture(summary, &best) {
            Some(picture) => sections.push(picture),
            None => sections.push(best),
        }
        sections.push(Section {
            id: "know",
            title: "To know",
            question: "What should you know before trusting this?",
            lead: Sentence::default(),
            blocks: vec![Block::List(or_nothing(cautions(summary)))],
        });
        sections.extend(published::sections(summary));
        if !summary.cells.is_empty() {
            sections.extend(of_messages(summary, &all));
        }
        sections.extend(crate::languages::section(summary));
        if !summary.codecs.is_empty() {
            sections.extend(codecs::sections(summary, &all));
        }
        sections.extend(closing::sections(summary));
        Document {
            title: summary.study.name.clone(),
            question: summary.study.why.clone(),
            analysis: summary.study.analysis.clone(),
            facts: method::facts(summary),
            method: method::method(summary),
            sections,
        }
    }
}

/// The sections of messages in reading order; those without any figure are left out.
fn of_messages(summary: &Summary, all: &[Finding]) -> Vec<Section> {
    let mut sections = vec![
        results::section(summary),
        delivery::section(summary),
        latency::section(summary),
        bytes::section(summary, all),
        time_split::section(summary),
        resources::section(summary, all),
        set_up::section(summary, all),
        load::section(summary, all),
    ];
    sections.retain(|section| !section.blocks.is_empty());
    sections
}

fn or_nothing(list: Vec<Sentence>) -> Vec<Sentence> {
    if list.is_empty() { vec![Sentence::plain("Nothing out of the ordinary.")] } else { list }
}

fn thresholds(summary: &Summary) -> Section {
    let answer = crate::answer::thresholds(&summary.study.name, &summary.thresholds);
    let blocks = answer.parts.into_iter().map(|(_, block)| block).collect();
    Section {
        id: "thresholds",
        title: "Thresholds",
        question: "Are the limits kept?",
        lead: answer.conclusion,
        blocks,
    }
}

const fn chart(name: &'static str, title: &'static str, caption: &'static str) -> Block {
    Block::Chart(Chart { name, title, caption })
}

/// A chart, if it has something to draw.
fn chart_of(has: bool, name: &'static str, title: &'static str, caption: &'static str) -> Option<Block> {
    has.then(|| chart(name, title, caption))
}

fn measured_cells(summary: &Summary) -> impl Iterator<Item = &CellSummary> {
    summary.cells.iter().filter(|cell| cell.valid_trials > 0)
}

fn measured_codecs(summary: &Summary) -> impl Iterator<Item = &CodecSummary> {
    summary.codecs.iter().filter(|codec| codec.valid_trials > 0)
}

/// Whether some combination has a figure of this metric.
fn is_measured(summary: &Summary, metric: &str) -> bool {
    measured_cells(summary).any(|cell| cell.metrics.contains_key(metric))
}

/// The findings of a section that are not on the first screen.
fn more(all: &[Finding], section: &str) -> Vec<Block> {
    let found: Vec<Finding> = all
        .iter()
        .filter(|finding| finding.metric.section == section && !finding.metric.first_screen)
        .cloned()
        .collect();
    if found.is_empty() { Vec::new() } else { vec![Block::Findings(found)] }
}

/// Blocks that open on demand, if there are any.
fn folded(title: &str, blocks: Vec<Block>) -> Vec<Block> {
    if blocks.is_empty() { Vec::new() } else { vec![Block::fold(title, blocks)] }
}

/// A block that is too long for text if there are many codecs.
fn long(summary: &Summary, block: Block) -> Block {
    if crate::codecs::many(summary) { Block::OnPage(Box::new(block)) } else { block }
}
