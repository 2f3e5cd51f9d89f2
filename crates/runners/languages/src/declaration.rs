//! The contents of a runner.toml.

use serde::Deserialize;
use wiredyno_contract::{Capability, CodecDescription, CodecId, Span, TransportDescription};

/// The default limit of a command: far longer than even a slow network or machine needs.
const COMMAND_LIMIT: Span = Span { ns: 30 * 60 * 1_000_000_000 };

/// The runner.toml of a runner that is a folder.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeclaredRunner {
    /// The language, for reports.
    pub language: String,
    /// What the runner is, in a sentence.
    pub about: String,
    /// Its files, by paths in the folder: see [`crate::taken`]. Empty for all.
    #[serde(default)]
    pub files: Vec<String>,
    /// The command that starts it; see [`crate::places`] for its placeholders.
    pub start: Vec<String>,
    /// How to ask the language's own program for its version, and how to install it.
    pub version: Version,
    /// Other programs used to build it; what they built is rebuilt when one of them changes.
    #[serde(rename = "tool", default)]
    pub tools: Vec<Tool>,
    /// What must be prepared once before it can start; absent for nothing.
    #[serde(default)]
    pub environment: Option<DeclaredEnvironment>,
    /// What must be built for each definition; absent for nothing.
    #[serde(default)]
    pub definition: Option<DeclaredBuild>,
    /// The codecs that it offers.
    #[serde(rename = "codec")]
    pub codecs: Vec<FolderCodec>,
    /// Its transports, as it describes them; empty where it sends nothing.
    #[serde(rename = "transport", default)]
    pub transports: Vec<TransportDescription>,
    /// Whether its publisher can read records from a database.
    #[serde(default)]
    pub reads_records: bool,
}

/// The runner.toml of the runner that is composed for each definition: it has no program of its own, and its codecs are crates.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ComposedRunner {
    /// The language, for reports.
    pub language: String,
    /// What the runner is, in a sentence.
    pub about: String,
    /// How to ask the language's own program for its version, and how to install it.
    pub version: Version,
}

/// How to check and install the language's own program.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Version {
    /// The command that prints its version.
    pub ask: Vec<String>,
    /// The oldest accepted version, numbers with dots.
    pub least: String,
    /// The command that installs it.
    pub install: String,
}

/// What must be prepared once.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeclaredEnvironment {
    /// Commands that fill `{environment}`, in order.
    pub make: Vec<Vec<String>>,
    /// What to do if one of them fails.
    pub missing: String,
    /// The longest that one of them may take.
    #[serde(default = "command_limit")]
    pub limit: Span,
}

/// What must be built for each definition.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeclaredBuild {
    /// Commands that fill `{built}`, in order.
    pub make: Vec<Vec<String>>,
    /// What to do if one of them fails.
    pub missing: String,
    /// The interface languages whose files they read, by id.
    #[serde(default)]
    pub schemas: Vec<String>,
    /// The longest that one of them may take.
    #[serde(default = "command_limit")]
    pub limit: Span,
}

fn command_limit() -> Span {
    COMMAND_LIMIT
}

/// A program that is needed to build a runner.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tool {
    /// The command that prints its version.
    pub ask: Vec<String>,
    /// The command that installs it.
    pub install: String,
}

/// A codec as a folder declares it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FolderCodec {
    /// `format/implementation`, unique among all runners.
    pub id: CodecId,
    /// The library that does the work.
    pub library: String,
    /// The library's version; `{version}` for that of the language.
    pub version: String,
    /// One sentence: the canonical options, and what each phase includes.
    pub about: String,
    /// Its fairness labels, in the order of [`Capability`].
    pub capabilities: Vec<Capability>,
}

impl FolderCodec {
    /// The description that the runner gives, with this version of the language.
    pub fn describe(&self, language_version: &str) -> CodecDescription {
        CodecDescription {
            id: self.id.clone(),
            runner: None,
            language: None,
            compiler: None,
            library: self.library.clone(),
            version: self.version.replace("{version}", language_version),
            about: self.about.clone(),
            capabilities: self.capabilities.clone(),
        }
    }
}
