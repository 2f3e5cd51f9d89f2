//! `docs/answers.schema.json` is generated from the types of the answers: what `--json` of `compare`, `recommend`, `threshold` and
//! `interoperability` prints. Set `WIREDYNO_UPDATE_SNAPSHOTS` to rewrite the file.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use wiredyno_answers::compare::Comparison;
use wiredyno_answers::interoperability::Interoperability;
use wiredyno_answers::recommend::Recommendation;
use wiredyno_answers::threshold::{Judgement, Planned};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/answers.schema.json");

/// The answers by command.
#[derive(JsonSchema)]
#[allow(dead_code, reason = "only its schema is asked for")]
struct Answers {
    /// `wiredyno compare --json`.
    compare: Comparison,
    /// `wiredyno recommend --json`.
    recommend: Recommendation,
    /// `wiredyno threshold RUN --json`.
    threshold: Judgement,
    /// `wiredyno interoperability --json`.
    interoperability: Interoperability,
    /// `wiredyno threshold --baseline FOLDER --json`, without a run.
    repeats: Vec<Planned>,
}

#[test]
fn the_published_schema_of_answers_is_that_of_the_types() {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let mut schema = settings.into_generator().into_root_schema_for::<Answers>();
    schema.insert("title".into(), "What Wiredyno's answers are as JSON, by command".into());
    let schema = serde_json::to_string_pretty(&schema).unwrap() + "\n";
    if std::env::var_os("WIREDYNO_UPDATE_SNAPSHOTS").is_some() {
        std::fs::write(FILE, &schema).unwrap();
    }
    let published = std::fs::read_to_string(FILE).unwrap_or_default();
    assert!(
        published == schema,
        "docs/answers.schema.json differs from the types: if that is meant, run with WIREDYNO_UPDATE_SNAPSHOTS=1"
    );
}
