//! docs/METHODOLOGY.md has a row for every number: for each metric that the code can write, and for each number of the
//! published schema of `summary.json`. A row says how the number comes about and what could mislead.

#![allow(clippy::unwrap_used, reason = "tests may panic, their functions beside #[test] too")]

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use wiredyno_model::{Scope, metric};

const PAGE: &str = include_str!("../../../docs/METHODOLOGY.md");
const SCHEMA: &str = include_str!("../../../docs/summary.schema.json");

/// What numbers have rows, by the word in parentheses at the end of their heading.
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

fn names(scope: Scope) -> impl Iterator<Item = String> {
    metric::all(scope).map(|metric| metric.name)
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

#[test]
fn every_metric_that_the_code_writes_has_its_row() {
    assert_rows("message metrics", names(Scope::Message));
    assert_rows("codec metrics", names(Scope::Codec));
    let all: BTreeSet<String> = names(Scope::Message).chain(names(Scope::Codec)).collect();
    for of in ["message metrics", "codec metrics"] {
        let gone: Vec<String> = rows()[of].difference(&all).cloned().collect();
        assert!(gone.is_empty(), "docs/METHODOLOGY.md describes what nothing writes any more: {gone:?}");
    }
}

/// Whether values of this are numbers, lists of them or maps of them.
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
        // What the study says is its own, and described in FORMAT.md.
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
