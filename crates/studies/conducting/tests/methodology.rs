//! docs/METHODOLOGY.md has a row for every number, which says how the number is obtained and what could mislead: for each
//! number of the published schema of `summary.json`, and for each metric. The metrics' tables are generated from the table in the
//! model; set `WIREDYNO_UPDATE_SNAPSHOTS` to write them again.

#![allow(clippy::unwrap_used, reason = "tests may panic, and so may their helper functions")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde_json::Value;
use wiredyno_model::{MetricInfo, Scope, metric};

const PAGE: &str = include_str!("../../../../docs/METHODOLOGY.md");
const SCHEMA: &str = include_str!("../../../../docs/summary.schema.json");
const BEGIN: &str = "<!-- metrics:begin ";
const END: &str = "<!-- metrics:end -->";

/// The numbers that have rows, by the word in parentheses at the end of their heading.
fn rows() -> BTreeMap<String, BTreeSet<String>> {
    let mut rows: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut of = None;
    for line in PAGE.lines() {
        if line.starts_with('#') {
            of = line
                .strip_suffix(')')
                .and_then(|line| line.rsplit_once('('))
                .map(|(_, word)| word.to_owned());
        }
        let (Some(of), Some(cells)) = (&of, line.strip_prefix("| `")) else { continue };
        let cells: Vec<&str> = cells.trim_end_matches('|').split(" | ").collect();
        let whole = cells.len() == 3 && cells.iter().all(|cell| cell.trim().len() > 2);
        assert!(whole, "a row is number, how it comes about, what could mislead: {line}");
        let names = cells[0].split('`').step_by(2).map(str::to_owned);
        rows.entry(of.clone()).or_default().extend(names);
    }
    rows
}

fn assert_rows(of: &str, names: impl Iterator<Item = String>) {
    let rows = rows();
    let known = rows.get(of).cloned().unwrap_or_default();
    let missing: Vec<String> = names.filter(|name| !known.contains(name)).collect();
    assert!(
        missing.is_empty(),
        "docs/METHODOLOGY.md: no row under a heading that ends in ({of}) for {missing:?}"
    );
}

/// The anchor of a heading, as GitHub makes it.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

/// The table of some metrics. Those with the same text share a row, like the loops of a codec.
fn table(metrics: &[MetricInfo]) -> String {
    let mut out =
        "\n| metric | how it comes about, what is in it | what could mislead |\n|---|---|---|\n".to_owned();
    let said = |metric: &MetricInfo| (metric.meaning.clone(), metric.misleads.clone());
    for (place, metric) in metrics.iter().enumerate() {
        if metrics[..place].iter().any(|before| said(before) == said(metric)) {
            continue;
        }
        let alike = metrics.iter().filter(|other| said(other) == said(metric));
        let names: Vec<String> = alike.map(|other| format!("`{}`", other.name)).collect();
        let more = metric.see.map(|heading| {
            let there = PAGE.lines().any(|line| line.trim_start_matches('#').trim() == heading);
            assert!(there, "{} refers to a heading that is not there: {heading}", metric.name);
            format!(" See [{heading}](#{}).", anchor(heading))
        });
        let more = more.unwrap_or_default();
        writeln!(out, "| {} | {}{more} | {} |", names.join(", "), metric.meaning, metric.misleads).unwrap();
    }
    out + "\n"
}

/// The page with newly generated tables of metrics. A table is between two comments, of which the first names scope and
/// sections: `<!-- metrics:begin message latency -->`.
fn written_anew() -> String {
    let mut waiting: Vec<MetricInfo> = metric::all(Scope::Message).chain(metric::all(Scope::Codec)).collect();
    let mut parts = PAGE.split(BEGIN);
    let mut page = parts.next().unwrap().to_owned();
    for part in parts {
        let (which, rest) = part.split_once(" -->\n").unwrap();
        let (_, after) = rest.split_once(END).unwrap();
        let (scope, sections) = which.split_once(' ').unwrap();
        let scope = if scope == "codec" { Scope::Codec } else { Scope::Message };
        let here =
            |metric: &MetricInfo| metric.scope == scope && sections.split(' ').any(|s| s == metric.section);
        let (of, others): (Vec<_>, Vec<_>) = waiting.into_iter().partition(here);
        waiting = others;
        page += &format!("{BEGIN}{which} -->\n{}{END}{after}", table(&of));
    }
    assert!(waiting.is_empty(), "docs/METHODOLOGY.md: no table is of {waiting:?}");
    page
}

#[test]
fn the_tables_of_metrics_say_what_the_model_says() {
    let page = written_anew();
    if std::env::var_os("WIREDYNO_UPDATE_SNAPSHOTS").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/METHODOLOGY.md");
        std::fs::write(path, page).unwrap();
        return;
    }
    let differs = PAGE.lines().zip(page.lines()).find(|(old, new)| old != new);
    assert!(
        page == PAGE,
        "docs/METHODOLOGY.md is not what crates/base/model/src/metric/table.rs says: run with WIREDYNO_UPDATE_SNAPSHOTS=1\n{differs:#?}"
    );
}

/// Whether values of this schema are numbers, lists of them or maps of them.
fn is_number(schema: &Value) -> bool {
    let named = |name: &str| {
        schema["type"] == name || schema["type"].as_array().is_some_and(|t| t.contains(&name.into()))
    };
    named("integer")
        || named("number")
        || (named("array") && is_number(&schema["items"]))
        || (named("object") && is_number(&schema["additionalProperties"]))
}

/// The names of the types that a schema refers to.
fn referred(schema: &Value, into: &mut BTreeSet<String>) {
    match schema {
        Value::Object(fields) => {
            for (name, value) in fields {
                match value.as_str().filter(|_| name == "$ref") {
                    Some(path) => drop(into.insert(path.rsplit('/').next().unwrap().to_owned())),
                    None => referred(value, into),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| referred(item, into)),
        _ => {}
    }
}

#[test]
fn every_number_of_the_published_schema_has_its_row() {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    let mut waiting = vec![("Summary".to_owned(), schema.clone())];
    let mut seen = BTreeSet::new();
    let mut numbers = 0;
    while let Some((of, described)) = waiting.pop() {
        let Some(properties) = described["properties"].as_object() else { continue };
        // The study's settings are its own, and described in FORMAT.md.
        let properties = properties.iter().filter(|(name, _)| *name != "study");
        let mut named = Vec::new();
        for (name, property) in properties {
            if is_number(property) {
                named.push(name.clone());
            }
            let mut types = BTreeSet::new();
            referred(property, &mut types);
            for one in types.difference(&seen.clone()) {
                seen.insert(one.clone());
                waiting.push((one.clone(), schema["$defs"][one].clone()));
            }
        }
        numbers += named.len();
        assert_rows(&of, named.into_iter());
    }
    assert!(numbers > 40 && seen.contains("WireCount") && seen.contains("Metric"), "{numbers} of {seen:?}");
}
