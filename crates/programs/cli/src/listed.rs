//! What `list`, `show` and `doctor` print with `--json`, as types: docs has their schemas, which a test makes from them.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;
use wiredyno_contract::{
    CodecDescription, CompressionDescription, Security, TransportDescription, TransportId,
};
use wiredyno_model::{Axes, Family, Lifetime, PayloadDescription};

/// An entry of `wiredyno list --json`, which prints an array of them.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Listed {
    /// A codec.
    Codecs(Box<ListedCodec>),
    /// A compression.
    Compressions(Box<ListedCompression>),
    /// A client of a protocol.
    Protocols(Box<ListedProtocol>),
    /// A broker.
    Brokers(Box<ListedBroker>),
    /// A runner.
    Runners(ListedRunner),
    /// A payload.
    Payloads(Box<ListedPayload>),
    /// An interface language.
    Languages(ListedLanguage),
    /// A link.
    Links(ListedLink),
    /// A study.
    Studies(Box<ListedStudy>),
}

/// A codec, and whom it carries.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ListedCodec {
    /// What its runner says of it.
    #[serde(flatten)]
    pub described: CodecDescription,
    /// The family of its format.
    pub family: Option<Family>,
    /// The name of the runner that has it.
    #[serde(rename = "runner")]
    pub of_runner: String,
    /// The payloads that it can't carry.
    pub not_carried: Vec<NotCarried>,
    /// With `--payload`: whether it carries that one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub carries: Option<bool>,
    /// With `--payload`: why it does not; null where it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why_not: Option<Option<String>>,
}

/// A payload that a codec can't carry.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct NotCarried {
    /// The payload's name.
    pub payload: String,
    /// Why.
    pub why: String,
}

/// A compression by one id of its method.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ListedCompression {
    /// Its id, with a level where it has levels.
    pub id: String,
    /// The method.
    #[serde(flatten)]
    pub described: CompressionDescription,
}

/// A client of a protocol.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ListedProtocol {
    /// What its runner says of it; `id` is the protocol alone of its first client.
    #[serde(flatten)]
    pub described: TransportDescription,
    /// The client's id.
    pub transport: TransportId,
    /// Its modes, as studies write them.
    pub modes: Vec<String>,
}

/// A broker.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ListedBroker {
    /// Its id.
    pub id: String,
    /// What it is; absent of `peer`, which stands for none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// The protocols that it serves.
    pub protocols: Vec<String>,
    /// The numbers of nodes that it can be asked for.
    pub nodes: Vec<u32>,
    /// How its connections can be secured.
    pub securities: Vec<Security>,
    /// Whether it can ask for a user and a password.
    pub knows_users: bool,
    /// How long one start of it serves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lifetime: Option<Lifetime>,
    /// Whether its data lie on a `disk` or in `memory`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<String>,
    /// Whether it is here.
    pub installed: bool,
    /// Its version; null where it is not here, or says none.
    pub version: Option<String>,
    /// What installs it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub install: Option<String>,
}

/// A runner.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ListedRunner {
    /// Its name.
    pub id: String,
    /// Its language.
    pub language: String,
    /// What it is.
    pub about: String,
    /// How many codecs it has.
    pub codecs: usize,
    /// Whether its language is here.
    pub here: bool,
    /// The language's version; null where it is not here.
    pub version: Option<String>,
    /// Why it is not here; null where it is.
    pub why_not: Option<String>,
    /// Its folder, of one that is no part of the program.
    pub folder: Option<PathBuf>,
}

/// A payload.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ListedPayload {
    /// Its name, with `@SIZE` where it takes one.
    pub id: String,
    /// What it is.
    #[serde(flatten)]
    pub described: PayloadDescription,
}

/// An interface language.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ListedLanguage {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// What its files end in.
    pub extension: String,
}

/// A link.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ListedLink {
    /// Its id.
    pub id: String,
    /// What it stands for.
    pub about: String,
    /// Where its numbers come from.
    pub source: String,
    /// Its mean round trip without load, in nanoseconds.
    pub mean_round_trip_ns: u64,
}

/// A study.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ListedStudy {
    /// Its id.
    pub id: String,
    /// What it asks.
    pub why: String,
    /// Its axes.
    pub axes: Axes,
    /// Its file.
    pub text: String,
}

/// What `wiredyno show --json` prints.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Shown {
    /// A payload.
    Payload(Box<ShownPayload>),
    /// A study.
    Study(ShownFile),
    /// A link.
    Link(ShownFile),
}

/// A payload, with the sizes of its samples.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ShownPayload {
    /// Its id.
    pub id: String,
    /// What it is, in a sentence.
    pub about: String,
    /// The text of its message.proto.
    pub definition: String,
    /// Its samples in every codec.
    #[serde(flatten)]
    pub sizes: ShownSizes,
}

/// Bytes of samples, and who can't carry them.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct ShownSizes {
    /// How many samples were weighed.
    pub samples: u64,
    /// The codecs that carry all of them, smallest first.
    pub sizes: Vec<ShownSize>,
    /// The codecs that can't carry them all.
    pub not_carried: Vec<ShownRefusal>,
    /// The codecs whose bytes only their compiled code gives.
    pub after_build: Vec<String>,
}

/// Bytes of one message in a codec.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ShownSize {
    /// The codec.
    pub codec: String,
    /// The mean over the samples.
    pub mean_bytes: f64,
    /// The shortest.
    pub min_bytes: u64,
    /// The longest.
    pub max_bytes: u64,
}

/// A codec that can't carry a payload.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ShownRefusal {
    /// The codec.
    pub codec: String,
    /// Why.
    pub why: String,
}

/// A file as it stands.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ShownFile {
    /// Its id, or the path as it was written.
    pub id: String,
    /// Its text.
    pub text: String,
}

/// A line of `wiredyno doctor --json`, which prints an array of them.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Finding {
    /// What was looked for.
    #[serde(rename = "id")]
    pub what: String,
    /// Whether it is here.
    pub here: bool,
    /// What is here, or what is missing and how to get it.
    pub detail: String,
}

#[cfg(test)]
mod tests {
    use schemars::generate::SchemaSettings;

    use super::*;

    /// Each file of docs with what it is the schema of.
    fn schemas() -> Vec<(&'static str, String)> {
        fn of<T: JsonSchema>(title: &str) -> String {
            let mut schema =
                SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<T>();
            schema.insert("title".into(), title.into());
            serde_json::to_string_pretty(&schema).unwrap() + "\n"
        }
        vec![
            ("list", of::<Vec<Listed>>("What `wiredyno list --json` prints")),
            ("show", of::<Shown>("What `wiredyno show --json` prints")),
            ("doctor", of::<Vec<Finding>>("What `wiredyno doctor --json` prints")),
        ]
    }

    /// Set `WIREDYNO_UPDATE_SNAPSHOTS` to write the files anew, then look at the difference.
    #[test]
    fn the_published_schemas_are_those_of_the_types() {
        for (name, schema) in schemas() {
            let path = format!("{}/../../../docs/{name}.schema.json", env!("CARGO_MANIFEST_DIR"));
            if std::env::var_os("WIREDYNO_UPDATE_SNAPSHOTS").is_some() {
                std::fs::write(&path, &schema).unwrap();
            }
            let published = std::fs::read_to_string(&path).unwrap_or_default();
            let line = published.lines().zip(schema.lines()).position(|(old, new)| old != new);
            assert!(
                published == schema,
                "docs/{name}.schema.json differs from the types, first in line {:?}: if that is meant, run with \
                 WIREDYNO_UPDATE_SNAPSHOTS=1",
                line.map(|line| line + 1)
            );
        }
    }
}
