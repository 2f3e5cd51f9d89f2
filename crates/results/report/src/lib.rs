//! Tables, charts and sentences from a run, as HTML, Markdown, JSON or CSV.
//!
//! The input is a [`Summary`]. The answers, who is best at what and what to be careful with, are worked out once, in
//! Rust ([`Document`]); HTML, Markdown and terminal only render them. Charts are drawn by the front end in `web/`,
//! whose bundle is part of this crate. Nothing is read or written here, except the bundle at build time.
//!
//! Limit: cells are compared by the means of their trials, which the summary has by repeat; what happens inside a trial
//! is in the charts only.

mod answer;
mod answer_page;
mod caution;
mod choice;
mod codecs;
mod csv;
mod document;
mod dropped;
mod effects;
mod finding;
mod first_screen;
mod heat;
mod html;
mod interoperability;
mod languages;
mod markdown;
pub mod metric;
mod published;
mod ranking;
mod sections;
mod stopping;
mod table;
mod tables;
mod terminal;

use wiredyno_model::summary::Summary;

pub use wiredyno_answers::quantity;
use wiredyno_answers::sentence;

pub use answer::{Answer, comparison, junit, planned, recommendation, thresholds};
pub use answer_page::{Brief, brief, comparison_on_page, recommendation_on_page};
pub use document::Document;
pub use interoperability::{interoperability, interoperability_picture};

/// The format of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// One file that opens offline, with charts.
    Html,
    /// The same sentences and tables without charts.
    Markdown,
    /// The summary itself, valid against its published schema.
    Json,
    /// Its figures as a table: a row for each cell and metric, with its unit.
    Csv,
}

/// Why a report could not be written.
#[derive(Debug, thiserror::Error)]
pub enum RenderError {
    /// The summary holds something that JSON can't express.
    #[error("the summary can't be written as JSON ({0}): this is a defect of Wiredyno, please report it")]
    Json(#[from] serde_json::Error),
    /// A figure is something that CSV can't express.
    #[error("the figures can't be written as CSV ({0}): this is a defect of Wiredyno, please report it")]
    Csv(#[from] ::csv::Error),
}

/// Writes the report of a summary.
///
/// # Errors
/// When the summary can't be written as JSON, which HTML embeds.
pub fn render(summary: &Summary, format: Format) -> Result<String, RenderError> {
    match format {
        Format::Html => {
            let summary = &wiredyno_answers::concluded_anew(summary);
            html::render(&Document::of(summary), summary)
        }
        Format::Markdown => Ok(markdown::render(&Document::of(&wiredyno_answers::concluded_anew(summary)))),
        Format::Json => Ok(serde_json::to_string_pretty(summary)? + "\n"),
        Format::Csv => csv::render(summary),
    }
}

/// The report's parts as JSON, for a page with its own frame and scripts.
///
/// # Errors
/// When the summary can't be written as JSON.
pub fn page(summary: &Summary) -> Result<String, RenderError> {
    let summary = &wiredyno_answers::concluded_anew(summary);
    let document = Document::of(summary);
    Ok(serde_json::to_string(&html::page(&document, summary))?)
}

/// The summary as tables for a terminal of this many columns.
pub fn terminal(summary: &Summary, columns: usize) -> String {
    terminal::render(summary, columns)
}
