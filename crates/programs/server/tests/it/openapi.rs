//! `docs/openapi.json` matches the routes. Set `WIREDYNO_UPDATE_SNAPSHOTS` to rewrite the file, then review the difference: the
//! pages' types are generated from it.

use serde_json::Value;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/openapi.json");

#[test]
fn the_published_document_is_that_of_the_routes() {
    let document = serde_json::to_string_pretty(&wiredyno_server::openapi()).unwrap() + "\n";
    if std::env::var_os("WIREDYNO_UPDATE_SNAPSHOTS").is_some() {
        std::fs::write(FILE, &document).unwrap();
    }
    let published = std::fs::read_to_string(FILE).unwrap_or_default();
    let line = published.lines().zip(document.lines()).position(|(old, new)| old != new);
    assert!(
        published == document,
        "docs/openapi.json differs from the routes, first in line {:?}: if that is meant, run with WIREDYNO_UPDATE_SNAPSHOTS=1",
        line.map(|line| line + 1)
    );
}

#[test]
fn every_reference_of_the_document_leads_somewhere_and_every_object_says_what_it_is() {
    let document = wiredyno_server::openapi();
    let schemas = document["components"]["schemas"].as_object().unwrap();
    let mut references = Vec::new();
    collect(&document, &mut references);
    for reference in references {
        let name = reference.strip_prefix("#/components/schemas/").unwrap();
        assert!(schemas.contains_key(name), "{reference}");
    }
    let silent: Vec<&String> = schemas
        .iter()
        .filter(|(_, of)| of["properties"].is_object() && !of["description"].is_string())
        .map(|(name, _)| name)
        .collect();
    assert!(silent.is_empty(), "without a description: {silent:?}");
}

fn collect<'a>(value: &'a Value, references: &mut Vec<&'a str>) {
    match value {
        Value::Object(object) => {
            references.extend(object.get("$ref").and_then(Value::as_str));
            object.values().for_each(|value| collect(value, references));
        }
        Value::Array(values) => values.iter().for_each(|value| collect(value, references)),
        _ => {}
    }
}
