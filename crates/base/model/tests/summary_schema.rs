//! `docs/summary.schema.json` is generated from the types of this crate. Set `WIREDYNO_UPDATE_SNAPSHOTS` to
//! rewrite the file, then review the difference: a field that is removed or changes its type needs a new
//! `SUMMARY_SCHEMA`.

#![allow(clippy::unwrap_used, reason = "tests may panic, their functions beside #[test] too")]

use schemars::generate::SchemaSettings;
use wiredyno_model::summary::{SUMMARY_SCHEMA, Summary};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/summary.schema.json");

/// The schema of what is written: fields that are always present are required.
fn schema() -> String {
    let mut settings = SchemaSettings::draft2020_12().for_serialize();
    settings.inline_subschemas = false;
    let mut schema = settings.into_generator().into_root_schema_for::<Summary>();
    schema.insert("title".into(), format!("summary.json of a Wiredyno run, layout {SUMMARY_SCHEMA}").into());
    serde_json::to_string_pretty(&schema).unwrap() + "\n"
}

#[test]
fn the_published_schema_of_the_summary_is_that_of_the_types() {
    let schema = schema();
    if std::env::var_os("WIREDYNO_UPDATE_SNAPSHOTS").is_some() {
        std::fs::write(FILE, &schema).unwrap();
    }
    let published = std::fs::read_to_string(FILE).unwrap_or_default();
    let line = published.lines().zip(schema.lines()).position(|(old, new)| old != new);
    assert!(
        published == schema,
        "docs/summary.schema.json differs from the types, first in line {:?}: if that is meant, run with \
         WIREDYNO_UPDATE_SNAPSHOTS=1",
        line.map(|line| line + 1)
    );
}

#[test]
fn every_object_of_the_schema_says_what_it_is() {
    let schema: serde_json::Value = serde_json::from_str(&schema()).unwrap();
    let silent: Vec<&String> = schema["$defs"]
        .as_object()
        .unwrap()
        .iter()
        .filter(|(_, of)| of["properties"].is_object() && !of["description"].is_string())
        .map(|(name, _)| name)
        .collect();
    assert!(silent.is_empty(), "without a description: {silent:?}");
}
