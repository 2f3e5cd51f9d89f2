//! Verdicts: how many of each, as a picture and in words, and each claim with its own.

use std::collections::BTreeSet;

use wiredyno_claims::{Judgement, Published, Verdict};

use super::figures::{Drawing, Group, Mark};
use crate::sentence::Sentence;
use crate::table::{About, Column, Row, Table, Value};

/// Number of claims with each verdict that any has.
pub fn counted(published: &Published, judgements: &[Judgement]) -> Sentence {
    let statements: BTreeSet<&str> = published.claim.iter().map(|claim| claim.statement()).collect();
    let parts = if statements.len() == judgements.len() {
        String::new()
    } else {
        format!(" ({} with their parts)", judgements.len())
    };
    let mut sentence = Sentence::plain(format!("Of {} published claims{parts}: ", statements.len()));
    for (place, (verdict, of)) in by_verdict(judgements).into_iter().enumerate() {
        let separator = if place == 0 { "" } else { ", " };
        let said = format!(" {}", verdict.said_of(of.len()));
        sentence = sentence.then(separator).strong(of.len().to_string()).then(said);
    }
    sentence.then(".")
}

/// The claims of each verdict that any has.
fn by_verdict(judgements: &[Judgement]) -> Vec<(Verdict, Vec<&Judgement>)> {
    let of = |verdict: Verdict| judgements.iter().filter(move |judgement| judgement.verdict == verdict);
    let all = Verdict::ALL.into_iter().map(|verdict| (verdict, of(verdict).collect::<Vec<_>>()));
    all.filter(|(_, of)| !of.is_empty()).collect()
}

/// The first picture: what holds with the study's own library, what depends on the library, what can't be judged.
pub fn picture(judgements: &[Judgement]) -> Drawing {
    let mark = |(verdict, of): (Verdict, Vec<&Judgement>)| Mark {
        title: verdict.words().to_owned(),
        value: of.len() as f64,
        line: Some([0.0, of.len() as f64]),
        text: of.len().to_string(),
        published: None,
    };
    Drawing {
        title: "Which library the verdicts are about".to_owned(),
        caption: "Number of claims and parts of claims with each verdict.".to_owned(),
        groups: vec![Group {
            title: "claims".to_owned(),
            marks: by_verdict(judgements).into_iter().map(mark).collect(),
        }],
        logarithmic: false,
    }
}

/// Each claim with its verdict.
pub fn table(judgements: &[Judgement]) -> Table {
    let columns = ["claim", "the study says", "it measured", "verdict", "compared", "because"];
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
    let mut because = Value::text(&judgement.why);
    because.detail = detail(judgement);
    let mut says = Value::text(&judgement.says);
    let hedge = judgement.hedge.as_ref().map(|hedge| format!(" Taken as: {hedge}."));
    says.detail = Some(format!("({}){}", judgement.place, hedge.unwrap_or_default()));
    let mut measured = judgement.quantity.as_ref().map_or_else(Value::none, Value::text);
    measured.detail = judgement.held.as_ref().map(|held| format!("held fixed: {held}"));
    let codecs = if codecs.is_empty() { Value::none() } else { Value::text(codecs.join(", ")) };
    let verdict = Value::text(judgement.verdict.words());
    Row {
        about: About::Other,
        values: vec![Value::text(&judgement.id), says, measured, verdict, codecs, because],
    }
}

/// The results with other libraries and under other conditions, and notes.
fn detail(judgement: &Judgement) -> Option<String> {
    let with = judgement
        .differing_choices()
        .iter()
        .map(|one| format!("With {}: {}.", one.with, one.standing.word()));
    let under = judgement.under.iter().map(|one| format!("Under {}: {}.", one.with, one.standing.word()));
    let parts: Vec<String> = with.chain(under).chain(judgement.note.clone()).collect();
    (!parts.is_empty()).then(|| parts.join(" "))
}
