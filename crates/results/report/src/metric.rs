//! Metrics in reports: their order, their headings, and a description for names that are not in the table of metrics, such
//! as those of a summary of another version.

use wiredyno_model::metric;
pub use wiredyno_model::metric::{Better, MetricInfo, Scope};
use wiredyno_model::{About, Range, Unit};

use Scope::{Codec, Message};

/// Metrics with a column in the tables, in the order of the columns, with a heading if the title is too long for one. A
/// column is shown if some row has its metric; other metrics appear in charts and `summary.json`.
const COLUMNS: &[(Scope, &str, &str)] = &[
    (Message, "body", "body"),
    (Message, "wire_per_message", "wire per message"),
    (Message, "publisher_cpu_per_message", "publisher CPU per message"),
    (Message, "subscriber_cpu_per_delivery", "subscriber CPU per delivery"),
    (Codec, "body", "body"),
    (Codec, "body_uncompressed", "uncompressed"),
    (Codec, "total", "all phases"),
    (Codec, "build", "build"),
    (Codec, "encode", "encode"),
    (Codec, "encode_fresh", "encode, fresh buffer"),
    (Codec, "compress", "compress"),
    (Codec, "decompress", "decompress"),
    (Codec, "decode", "decode"),
    (Codec, "read", "read"),
    (Codec, "encode_peak", "heap to encode"),
    (Codec, "encode_stack", "stack to encode"),
    (Codec, "decode_peak", "heap to decode"),
    (Codec, "decode_stack", "stack to decode"),
    (Codec, "encode_allocations", "allocations to encode"),
    (Codec, "decode_allocations", "allocations to decode"),
    (Codec, "disturbed_batches", "disturbed batches"),
];

/// A metric with a column of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MetricColumn {
    /// Its name in the summary.
    pub name: &'static str,
    /// The column's heading, in lower case.
    pub heading: &'static str,
}

/// The columns of a scope for metrics that exist.
pub fn columns(scope: Scope, has: impl Fn(&str) -> bool) -> Vec<MetricColumn> {
    let wanted = COLUMNS.iter().filter(|(of, name, _)| *of == scope && has(name));
    wanted.map(|&(_, name, heading)| MetricColumn { name, heading }).collect()
}

/// The description of a metric; unknown names get one that says so.
pub fn describe(scope: Scope, name: &str) -> MetricInfo {
    metric::find(scope, name).unwrap_or_else(|| MetricInfo {
        name: name.to_owned(),
        scope,
        unit: Unit::Count,
        about: About::Count,
        range: Range::Signed,
        better: Better::Neither,
        exact: false,
        mean_only: false,
        without_messages: false,
        of_arrived: false,
        only_where_shown: false,
        best: None,
        first_screen: false,
        section: if scope == Codec { "codecs" } else { "results" },
        title: capitalised(&name.replace('_', " ")),
        meaning: "This version of the report has no description of this metric.".to_owned(),
        misleads: String::new(),
        see: None,
    })
}

/// A text of the table of metrics without the marks around names.
pub fn words(text: &str) -> String {
    text.replace('`', "")
}

/// The metrics of the first screen, those of messages first.
pub fn first_screen() -> impl Iterator<Item = MetricInfo> {
    metric::all(Message).chain(metric::all(Codec)).filter(|metric| metric.first_screen)
}

/// The metrics of a scope whose best candidates are named, in the table's order.
pub fn ranked(scope: Scope) -> impl Iterator<Item = MetricInfo> {
    metric::all(scope).filter(|metric| metric.best.is_some())
}

/// The given names: those of the table first and in its order, then the others by name.
pub fn ordered<'a>(scope: Scope, names: impl Iterator<Item = &'a String>) -> Vec<MetricInfo> {
    let mut names: Vec<&String> = names.collect();
    names.sort_by(|a, b| metric::place(scope, a).cmp(&metric::place(scope, b)).then_with(|| a.cmp(b)));
    names.dedup();
    names.into_iter().map(|name| describe(scope, name)).collect()
}

/// The text with a capital first letter.
pub fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    match characters.next() {
        Some(first) => first.to_uppercase().chain(characters).collect(),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_names_still_have_a_title() {
        assert_eq!(describe(Message, "queue_depth").title, "Queue depth");
        assert_eq!(describe(Codec, "decode_allocations").title, "Decode, allocations");
    }

    #[test]
    fn known_metrics_come_first_and_in_order() {
        let names = ["zeal", "latency", "abc", "lost"].map(str::to_owned);
        let titles: Vec<String> = ordered(Message, names.iter()).into_iter().map(|info| info.name).collect();
        assert_eq!(titles, ["lost", "latency", "abc", "zeal"]);
    }
}
