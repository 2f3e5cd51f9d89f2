//! What a runner.toml says.

use serde::Deserialize;
use wiredyno_contract::{Capability, CodecDescription, CodecId, Span, TransportDescription};

/// How long a command may take where nothing else is said: far longer than a slow network or machine makes it.
const COMMAND_LIMIT: Span = Span { ns: 30 * 60 * 1_000_000_000 };

/// A runner.toml.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeclaredRunner {
    /// The language, for reports.
    pub language: String,
    /// What it is, in a sentence.
    pub about: String,
    /// Its files, by paths in the folder: see [`crate::taken`]. All where there are none.
    #[serde(default)]
    pub files: Vec<String>,
    /// The command that starts it; see [`crate::places`] for what can stand in it.
    pub start: Vec<String>,
    /// How the language's own program is asked for its version, and what to do without it.
    pub version: Version,
    /// Other programs that make it; what is made is made anew when one of them changes.
    #[serde(rename = "tool", default)]
    pub tools: Vec<Tool>,
    /// What has to be made once before it can be started; nothing where it is absent.
    #[serde(default)]
    pub environment: Option<DeclaredEnvironment>,
    /// What has to be built for each definition; nothing where it is absent.
    #[serde(default)]
    pub definition: Option<DeclaredBuild>,
    /// Its codecs.
    #[serde(rename = "codec")]
    pub codecs: Vec<FolderCodec>,
    /// Its transports, as it describes them; none where it sends nothing.
    #[serde(rename = "transport", default)]
    pub transports: Vec<TransportDescription>,
    /// Whether its publisher can read records from a database.
    #[serde(default)]
    pub reads_records: bool,
}

/// The runner.toml of the runner that is composed for each definition: it has no program, and its codecs are crates.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ComposedRunner {
    /// The language, for reports.
    pub language: String,
    /// What it is, in a sentence.
    pub about: String,
    /// How the language's own program is asked for its version, and what to do without it.
    pub version: Version,
}

/// The language's own program.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Version {
    /// The command that prints its version.
    pub ask: Vec<String>,
    /// The oldest that will do, numbers with points.
    pub least: String,
    /// The line that installs it.
    pub install: String,
}

/// What has to be made once.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeclaredEnvironment {
    /// Commands that fill `{environment}`, in order.
    pub make: Vec<Vec<String>>,
    /// What to do where one of them fails.
    pub missing: String,
    /// The longest that one of them may take.
    #[serde(default = "command_limit")]
    pub limit: Span,
}

/// What has to be built for each definition.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeclaredBuild {
    /// Commands that fill `{built}`, in order.
    pub make: Vec<Vec<String>>,
    /// What to do where one of them fails.
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

/// A program that is needed to make a runner.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tool {
    /// The command that prints its version.
    pub ask: Vec<String>,
    /// The line that installs it.
    pub install: String,
}

/// A codec as a folder declares it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FolderCodec {
    /// Its id.
    pub id: CodecId,
    /// The library that does the work.
    pub library: String,
    /// The library's version; `{version}` where it has that of the language.
    pub version: String,
    /// One sentence: the canonical options, and what lies inside each phase.
    pub about: String,
    /// Its fairness labels, in the order of [`Capability`].
    pub capabilities: Vec<Capability>,
}

impl FolderCodec {
    /// As the runner describes it, with the language at this version.
    pub fn describe(&self, language_version: &str) -> CodecDescription {
        CodecDescription {
            id: self.id.clone(),
            runner: None,
            library: self.library.clone(),
            version: self.version.replace("{version}", language_version),
            about: self.about.clone(),
            capabilities: self.capabilities.clone(),
        }
    }
}
