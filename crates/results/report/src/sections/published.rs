//! What a study printed beside what a run of it measured, and a verdict on each of its claims.

use wiredyno_claims::{Published, judge};
use wiredyno_model::summary::Summary;

use crate::document::{Block, Section};
use crate::published::{figures, tables, verdicts};
use crate::sentence::Sentence;

/// The sections for a run whose study repeats a published one; none for other runs.
pub fn sections(summary: &Summary) -> Vec<Section> {
    match wiredyno_claims::for_study(&summary.study.name) {
        None => Vec::new(),
        Some(Ok(published)) => of(&published, summary),
        Some(Err(error)) => vec![section(
            "published",
            ["Published", "What was published?"],
            Sentence::plain(format!("The published figures can't be read: {error}.")),
            Vec::new(),
        )],
    }
}

/// The sections for a study and a run.
fn of(published: &Published, summary: &Summary) -> Vec<Section> {
    let judgements = judge(published, summary);
    let lead = Sentence::plain(format!("{}, ", published.reference()))
        .strong(&published.title)
        .then(format!(" ({}). {} ", published.source, published.setup.trim()))
        .then("Each verdict says which library it is about: the study's own if everything that must be equal is equal, \
            otherwise the libraries measured here, in one language. ")
        .then("A claim fails only with the study's own, and a tie within 5 % is not a failure. ")
        .then("Sizes, orders, ratios and trends along an axis are compared; times on old hardware only where the study \
            states a bound.");
    let mut verdicts = vec![Block::List(vec![verdicts::counted(published, &judgements)])];
    verdicts.push(Block::Drawing(verdicts::picture(&judgements)));
    verdicts.push(Block::Table(verdicts::table(&judgements)));
    let mut printed = vec![Block::List(published.causes.iter().map(Sentence::plain).collect())];
    printed.push(Block::Table(tables::formats(published)));
    printed.extend(tables::protocols(published).map(Block::Table));
    printed
        .extend(published.table.iter().map(|table| Block::Table(tables::table(published, summary, table))));
    printed.extend(tables::numbers(published).map(Block::Table));
    printed.extend(tables::averages(published, summary).map(Block::Table));
    let mut drawn = Vec::new();
    let mut omitted = Vec::new();
    for figure in &published.figure {
        match figures::drawing(published, summary, figure) {
            Ok(drawing) => drawn.push(Block::Drawing(drawing)),
            Err(why) => {
                omitted.push(Sentence::plain(format!("Figure {}, {}: ", figure.id, figure.title)).then(why));
            }
        }
    }
    if !omitted.is_empty() {
        drawn.push(Block::List(omitted));
    }
    let mut sections = vec![
        section("claims", ["Published claims", "Do the published claims hold?"], lead, verdicts),
        section(
            "published",
            ["Published tables", "Published and measured: how do the tables compare?"],
            Sentence::plain(
                "Why our figures may differ, what stands in for the study's formats and protocols, and each of its tables. ",
            ),
            printed,
        ),
    ];
    if !drawn.is_empty() {
        let lead = "Full marks and lines: this run, mean with its 95 % interval. Hollow marks: as printed by the study.";
        sections.push(section(
            "published-figures",
            ["Published figures", "Published and measured: how do the figures compare?"],
            Sentence::plain(lead),
            drawn,
        ));
    }
    sections
}

fn section(
    id: &'static str,
    [title, question]: [&'static str; 2],
    lead: Sentence,
    blocks: Vec<Block>,
) -> Section {
    Section { id, title, question, lead, blocks }
}
