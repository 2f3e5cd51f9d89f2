//! A table without a format: its content, and how it sorts. HTML, Markdown and terminal render it.

use crate::sentence::Sentence;

#[derive(Debug, Clone, Default)]
pub struct Table {
    /// Its id on the page; empty if nothing refers to it.
    pub id: &'static str,
    /// What it shows, how many values, the kind of intervals.
    pub caption: Sentence,
    pub columns: Vec<Column>,
    pub rows: Vec<Row>,
}

#[derive(Debug, Clone)]
pub struct Column {
    pub title: String,
    /// Whether it holds numbers, which are aligned right.
    pub numeric: bool,
    /// The payload that the column belongs to, so that the page can filter it.
    pub payload: Option<String>,
    /// Whether rows with the same value in it stay together.
    pub groups: Option<Groups>,
}

/// How a column keeps rows together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Groups {
    /// Sorting never mixes its values: they can't be compared.
    Apart,
    /// Sorting keeps rows with the same value together unless the reader chooses otherwise.
    Together,
}

impl Column {
    pub fn words(title: impl Into<String>) -> Self {
        Column { title: title.into(), numeric: false, payload: None, groups: None }
    }

    /// A column of words by which rows are grouped.
    pub fn group(title: impl Into<String>, groups: Groups) -> Self {
        Column { groups: Some(groups), ..Column::words(title) }
    }

    pub fn numbers(title: impl Into<String>) -> Self {
        Column { title: title.into(), numeric: true, payload: None, groups: None }
    }
}

/// The combination that a row is about, by its index in the summary, so that the page can filter
/// it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum About {
    /// A message cell, by its index in `cells`.
    Cell(usize),
    /// A codec cell, by its index in `codecs`.
    Codec(usize),
    /// A codec of any payload, of which `codecs[n]` is one.
    AnyPayload(usize),
    /// No combination of its own.
    Other,
}

#[derive(Debug, Clone)]
pub struct Row {
    /// The combination that the page filters it by.
    pub about: About,
    /// Its values, one for each column.
    pub values: Vec<Value>,
}

/// A value in a table.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Value {
    /// The text shown; empty if there is none.
    pub text: String,
    /// Small text below it: the interval.
    pub detail: Option<String>,
    /// The number to sort by, if that is not the text.
    pub sort: Option<f64>,
    /// Its distance from the best of its kind, 0..1, drawn as the strength of a colour.
    pub heat: Option<f64>,
    /// Whether it is the best of its kind, or can't be distinguished from it: shown in bold.
    pub best: bool,
    /// The target of its link: an address relative to the page.
    pub link: Option<String>,
    /// Whether it only repeats the value of the row above, where rows are grouped.
    pub repeats: bool,
}

impl Value {
    pub fn text(text: impl ToString) -> Self {
        Value { text: text.to_string(), ..Value::default() }
    }

    /// A number with its text and its sort key.
    pub fn number(text: impl Into<String>, sort: f64) -> Self {
        Value { text: text.into(), sort: Some(sort), ..Value::default() }
    }

    /// The value, in bold if it is one of the best.
    pub fn marked(self, best: bool) -> Self {
        Value { best, ..self }
    }

    /// The dash that stands for a value that was not measured.
    pub fn none() -> Self {
        Value { text: "\u{2013}".to_owned(), ..Value::default() }
    }
}
