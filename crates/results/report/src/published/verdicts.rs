//! Verdicts as a table.

use wiredyno_claims::{Judgement, Verdict};

use crate::sentence::Sentence;
use crate::table::{About, Column, Row, Table, Value};

/// Number of claims with each verdict.
pub fn counted(judgements: &[Judgement]) -> Sentence {
    let mut sentence = Sentence::plain(format!("Of {} published claims: ", judgements.len()));
    for (place, verdict) in Verdict::ALL.into_iter().enumerate() {
        let count = judgements.iter().filter(|judgement| judgement.verdict == verdict).count();
        let separator = if place == 0 { "" } else { ", " };
        sentence = sentence.then(separator).strong(count.to_string()).then(format!(" {}", verdict.word()));
    }
    sentence.then(".")
}

/// Each claim with its verdict.
pub fn table(judgements: &[Judgement]) -> Table {
    let columns = ["claim", "the study says", "verdict", "compared", "because"];
    Table {
        id: "claims-table",
        caption: Sentence::plain(
            "In brackets: the interval that decided, for the ratio of the first to the second. ",
        ),
        columns: columns.into_iter().map(Column::words).collect(),
        rows: judgements.iter().map(row).collect(),
    }
}

fn row(judgement: &Judgement) -> Row {
    let codecs = judgement.codecs.iter().map(ToString::to_string);
    let codecs: Vec<String> = codecs.chain(judgement.modes.iter().map(ToString::to_string)).collect();
    let mut verdict = Value::text(judgement.verdict.word());
    if judgement.other_implementations && judgement.verdict != Verdict::NotComparable {
        verdict.detail = Some("other implementations".to_owned());
    }
    let mut because = Value::text(&judgement.why);
    because.detail = detail(judgement);
    let mut says = Value::text(&judgement.says);
    says.detail = Some(format!("({})", judgement.place));
    let codecs = if codecs.is_empty() { Value::none() } else { Value::text(codecs.join(", ")) };
    Row { about: About::Other, values: vec![Value::text(&judgement.id), says, verdict, codecs, because] }
}

/// The verdicts with other codecs of the formats, and notes.
fn detail(judgement: &Judgement) -> Option<String> {
    let mut parts: Vec<String> = judgement
        .with_others
        .iter()
        .map(|other| format!("With {}: {}.", other.with, other.verdict.word()))
        .collect();
    parts.extend(judgement.note.clone());
    (!parts.is_empty()).then(|| parts.join(" "))
}
