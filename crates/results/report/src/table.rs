//! A table without a format: what stands in it, how it sorts. HTML, Markdown and terminal draw it.

use crate::sentence::Sentence;

/// A table.
#[derive(Debug, Clone, Default)]
pub struct Table {
    /// Its id on the page; empty where nothing refers to it.
    pub id: &'static str,
    /// What it shows, how many, what the intervals are.
    pub caption: Sentence,
    /// Its columns.
    pub columns: Vec<Column>,
    /// Its rows.
    pub rows: Vec<Row>,
}

/// A column.
#[derive(Debug, Clone)]
pub struct Column {
    /// Its heading.
    pub title: String,
    /// Whether it holds numbers, which stand to the right.
    pub numeric: bool,
    /// The payload that the column is of, so that the page can filter it.
    pub payload: Option<String>,
    /// Whether rows with the same value in it stand together.
    pub groups: Option<Groups>,
}

/// How a column keeps rows together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Groups {
    /// Sorting never mixes its values: they can't be compared.
    Apart,
    /// Sorting keeps rows of a value together unless the reader says otherwise.
    Together,
}

impl Column {
    /// A column of words.
    pub fn words(title: impl Into<String>) -> Self {
        Column { title: title.into(), numeric: false, payload: None, groups: None }
    }

    /// A column of words by which rows are grouped.
    pub fn group(title: impl Into<String>, groups: Groups) -> Self {
        Column { groups: Some(groups), ..Column::words(title) }
    }

    /// A column of numbers.
    pub fn numbers(title: impl Into<String>) -> Self {
        Column { title: title.into(), numeric: true, payload: None, groups: None }
    }
}

/// What a row is about, by its place in the summary, so that the page can filter it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum About {
    /// `cells[n]`.
    Cell(usize),
    /// `codecs[n]`.
    Codec(usize),
    /// A codec of any payload, of which `codecs[n]` is one.
    AnyPayload(usize),
    /// Neither.
    Other,
}

/// A row.
#[derive(Debug, Clone)]
pub struct Row {
    /// What it is about.
    pub about: About,
    /// Its values, one a column.
    pub values: Vec<Value>,
}

/// A value in a table.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Value {
    /// As people read it; empty where there is none.
    pub text: String,
    /// What stands below it in small letters: the interval.
    pub detail: Option<String>,
    /// What it sorts by, where that is not the text.
    pub sort: Option<f64>,
    /// How far it is from the best of its kind, 0..1, drawn as the strength of a colour.
    pub heat: Option<f64>,
    /// Whether it is the best of its kind, or can't be told from it: it stands in bold.
    pub best: bool,
    /// What it leads to: an address relative to the page.
    pub link: Option<String>,
    /// Whether it only repeats what the row above says, where rows are grouped.
    pub repeats: bool,
}

impl Value {
    /// Words.
    pub fn text(text: impl ToString) -> Self {
        Value { text: text.to_string(), ..Value::default() }
    }

    /// A number as people read it and what it sorts by.
    pub fn number(text: impl Into<String>, sort: f64) -> Self {
        Value { text: text.into(), sort: Some(sort), ..Value::default() }
    }

    /// The same in bold, or not.
    pub fn marked(self, best: bool) -> Self {
        Value { best, ..self }
    }

    /// Nothing was measured.
    pub fn none() -> Self {
        Value { text: "\u{2013}".to_owned(), ..Value::default() }
    }
}
