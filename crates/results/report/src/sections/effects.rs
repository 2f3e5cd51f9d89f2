//! What each choice changes: one value of an axis instead of another, axis by axis.

use wiredyno_answers::effects as answers;
use wiredyno_model::summary::{Effect, Summary};

use crate::document::{Block, Section};
use crate::effects::tables;
use crate::sentence::Sentence;

/// Text leaves out more sentences than these: a reader looks that many up instead of reading them.
const MANY: usize = 12;
/// On the page, more rows and more words than these are folded.
const MOST_ROWS: usize = 8;
const MOST_WORDS: usize = 200;

/// The section; `None` if no two values were measured.
pub fn section(summary: &Summary, effects: &[Effect]) -> Option<Section> {
    let tables = tables(summary, effects);
    if tables.is_empty() {
        return None;
    }
    let mut blocks = Vec::new();
    let mut words = 0;
    let (first, rest): (Vec<Sentence>, Vec<Sentence>) =
        answers::headlines(effects).into_iter().partition(|headline| {
            words += headline.to_plain().split_whitespace().count();
            words <= MOST_WORDS
        });
    blocks.push(Block::OnPage(Box::new(Block::List(first))));
    if !rest.is_empty() {
        let more = Block::fold(format!("{} more comparisons in words", rest.len()), vec![Block::List(rest)]);
        blocks.push(Block::OnPage(Box::new(more)));
    }
    let mut open = 0;
    for table in tables {
        let count = table.rows.iter().filter(|row| !row.repeats).count();
        let comparisons = if count == 1 { "comparison" } else { "comparisons" };
        let title = format!("{}: {count} {comparisons}", table.title);
        open += table.rows.len();
        let block = Block::Effects(table);
        let block = if open > MOST_ROWS { Block::fold(title, vec![block]) } else { block };
        blocks.push(Block::OnPage(Box::new(block)));
    }
    let mut list = answers::sentences(effects);
    if list.len() > MANY {
        let more = list.len() - MANY;
        list.truncate(MANY);
        list.push(Sentence::plain(format!("{more} more are in report.html and summary.json.")));
    }
    blocks.push(Block::InText(Box::new(Block::List(list))));
    let method = answers::method(effects)
        .map(|method| Block::fold("How these are found", vec![Block::List(vec![method])]));
    blocks.extend(method);
    Some(Section {
        id: "effects",
        title: "Effects",
        question: "What does each choice change?",
        lead: Sentence::plain(
            "One value instead of another, everything else equal. × 0.70: seven tenths of what it was.",
        ),
        blocks,
    })
}
