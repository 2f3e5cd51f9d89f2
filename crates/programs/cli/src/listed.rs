//! What `list`, `show` and `doctor` print with `--json`, as types. A test generates the schemas in docs/ from them.

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
    /// A codec, with the payloads that it can't carry.
    Codecs(Box<ListedCodec>),
    /// A compression, by one id of its method.
    Compressions(Box<ListedCompression>),
    /// A client of a protocol, with its modes.
    Protocols(Box<ListedProtocol>),
    /// A broker, installed or not.
    Brokers(Box<ListedBroker>),
    /// A runner, usable or not.
    Runners(ListedRunner),
    /// A payload, bundled or registered by a build.
    Payloads(Box<ListedPayload>),
    /// An interface language of `wiredyno schema`.
    Languages(ListedLanguage),
    /// A link, with the source of its numbers.
    Links(ListedLink),
    /// A study, with the text of its file.
    Studies(Box<ListedStudy>),
}

/// A codec, with the payloads that it can't carry.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ListedCodec {
    /// The description from its runner.
    #[serde(flatten)]
    pub described: CodecDescription,
    /// The family of its format; null if unknown.
    pub family: Option<Family>,
    /// The name of its runner.
    #[serde(rename = "runner")]
    pub of_runner: String,
    /// The payloads that it can't carry.
    pub not_carried: Vec<NotCarried>,
    /// With `--payload`: whether it carries that payload.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub carries: Option<bool>,
    /// With `--payload`: why it can't carry that payload; null if it can.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why_not: Option<Option<String>>,
}

/// A payload that a codec can't carry.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct NotCarried {
    /// The payload's name.
    pub payload: String,
    /// The reason, in a sentence.
    pub why: String,
}

/// A compression by one id of its method.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ListedCompression {
    /// Its id, with the level if the method has levels.
    pub id: String,
    /// The method, with all of its ids.
    #[serde(flatten)]
    pub described: CompressionDescription,
}

/// A client of a protocol.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ListedProtocol {
    /// The description from its runner; `id` of a protocol's first client is the protocol alone.
    #[serde(flatten)]
    pub described: TransportDescription,
    /// The client's id, with its protocol.
    pub transport: TransportId,
    /// Its modes, as studies write them.
    pub modes: Vec<String>,
}

/// A broker, installed or not.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ListedBroker {
    /// The broker's id, as studies name it.
    pub id: String,
    /// What it is; absent for `peer`, which stands for no broker.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// The protocols that it serves.
    pub protocols: Vec<String>,
    /// The numbers of nodes that it can run with.
    pub nodes: Vec<u32>,
    /// How its connections can be secured.
    pub securities: Vec<Security>,
    /// Whether it can require a user and a password.
    pub knows_users: bool,
    /// How long one start of the broker serves; absent for `peer`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lifetime: Option<Lifetime>,
    /// Whether it keeps its data on `disk` or in `memory`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<String>,
    /// Whether the broker is installed.
    pub installed: bool,
    /// Its version; null if it is not installed or reports none.
    pub version: Option<String>,
    /// The command that installs it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub install: Option<String>,
}

/// A runner, usable or not.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ListedRunner {
    /// The runner's name, such as `rust`.
    pub id: String,
    /// The language that it is written in.
    pub language: String,
    /// What it is, in a sentence.
    pub about: String,
    /// How many codecs it has.
    pub codecs: usize,
    /// Whether its language is installed.
    pub here: bool,
    /// The language's version; null if it is not installed.
    pub version: Option<String>,
    /// Why it can't be used; null if it can.
    pub why_not: Option<String>,
    /// Its folder, if it is not part of the program.
    pub folder: Option<PathBuf>,
}

/// A payload, bundled or registered by a build.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ListedPayload {
    /// Its name, with `@SIZE` if it takes a size.
    pub id: String,
    /// Its description, with the codecs that can't carry it.
    #[serde(flatten)]
    pub described: PayloadDescription,
}

/// An interface language of `wiredyno schema`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ListedLanguage {
    /// The language's id, as `--to` takes it.
    pub id: String,
    /// The language's name, for people.
    pub name: String,
    /// The extension of its files, without the dot.
    pub extension: String,
}

/// A link, with the source of its numbers.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ListedLink {
    /// The link's id, as studies name it.
    pub id: String,
    /// What it stands for, in a sentence.
    pub about: String,
    /// Where its numbers come from.
    pub source: String,
    /// Its mean round trip without load, in nanoseconds.
    pub mean_round_trip_ns: u64,
}

/// A study, with the text of its file.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ListedStudy {
    /// The study's id, as `wiredyno run` takes it.
    pub id: String,
    /// The question that it answers.
    pub why: String,
    /// Its axes, with their values.
    pub axes: Axes,
    /// The text of its file.
    pub text: String,
}

/// What `wiredyno show --json` prints.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Shown {
    /// A payload, with the sizes of its samples.
    Payload(Box<ShownPayload>),
    /// A study, as its file has it.
    Study(ShownFile),
    /// A link, as its file has it.
    Link(ShownFile),
}

/// A payload, with the sizes of its samples.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ShownPayload {
    /// The payload's id, with its size if it takes one.
    pub id: String,
    /// What it is, in a sentence.
    pub about: String,
    /// The text of its message.proto.
    pub definition: String,
    /// The sizes of its samples in every codec.
    #[serde(flatten)]
    pub sizes: ShownSizes,
}

/// Sizes of samples, and the codecs that can't carry them.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct ShownSizes {
    /// How many samples were measured.
    pub samples: u64,
    /// The codecs that carry all of them, smallest first.
    pub sizes: Vec<ShownSize>,
    /// The codecs that can't carry them all.
    pub not_carried: Vec<ShownRefusal>,
    /// The codecs whose sizes are known only after a build.
    pub after_build: Vec<String>,
}

/// Bytes of one message in a codec.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ShownSize {
    /// The codec's id.
    pub codec: String,
    /// Mean over the samples, in bytes.
    pub mean_bytes: f64,
    /// Size of the smallest sample, in bytes.
    pub min_bytes: u64,
    /// Size of the largest sample, in bytes.
    pub max_bytes: u64,
}

/// A codec that can't carry a payload.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ShownRefusal {
    /// The codec's id.
    pub codec: String,
    /// The reason, in a sentence.
    pub why: String,
}

/// A file, unchanged.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ShownFile {
    /// The id or path, as given on the command line.
    pub id: String,
    /// The text of the file.
    pub text: String,
}

/// A finding of `wiredyno doctor --json`, which prints an array of them.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Finding {
    /// What was looked for, such as `emulated link`.
    #[serde(rename = "id")]
    pub what: String,
    /// Whether it is available.
    pub here: bool,
    /// What was found, or what is missing and how to install it.
    pub detail: String,
}

#[cfg(test)]
mod tests {
    use schemars::generate::SchemaSettings;

    use super::*;

    /// The schema files in docs/, by name.
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
            ("agents", of::<crate::agents::Shown>("What `wiredyno agents --json` prints")),
        ]
    }

    /// Set `WIREDYNO_UPDATE_SNAPSHOTS` to rewrite the files, then review the difference.
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
