//! Uploaded messages: sized without being kept, or kept as payloads that studies can name.
//!
//! An upload is text. `wiredyno new` reads it in a process of its own with limits, and generates a definition from
//! what it understood: message, enum and field names, types and options with numbers, never a piece of the text. Comments become comments
//! again. A definition can import only the files that come with the program, because its folder holds nothing else. What is compiled
//! later is generated from that definition.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::error::{ApiError, ApiResult};
use crate::helper::Helper;
use crate::study::is_id;

/// The longest definition or samples, in bytes.
pub const UPLOAD_BYTES: usize = 4 << 20;
/// Most samples that are sized.
const SAMPLES: usize = 2_000;
/// The longest id of a payload, in characters.
const NAME: usize = 40;
/// Most uploaded payloads that are kept.
const PAYLOADS: usize = 500;
/// Most fields of a kept definition: code for many more takes too long to compile.
pub(crate) const FIELDS: u64 = 1_000;
/// The longest kept definition, in bytes.
pub(crate) const DEFINITION_BYTES: u64 = 128 * 1024;
/// Most compressions that a message is sized with.
const COMPRESSIONS: usize = 8;
/// Most remarks that an answer lists.
const REMARKS: usize = 10;
/// The id of a message that is only sized.
const DRAFT: &str = "draft";

/// The language of an uploaded text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TextKind {
    /// JSON documents, one per line or several.
    Samples,
    /// A .proto file without imports.
    Proto,
    /// An Avro schema (.avsc).
    Avsc,
    /// A JSON Schema that describes one message.
    JsonSchema,
}

impl TextKind {
    fn file(self, text: &str) -> &'static str {
        match self {
            TextKind::Samples if is_lines(text) => "samples.jsonl",
            TextKind::Samples => "samples.json",
            TextKind::Proto => "definition.proto",
            TextKind::Avsc => "definition.avsc",
            TextKind::JsonSchema => "definition.schema.json",
        }
    }
}

/// A message to size without keeping it.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Brought {
    /// The language of `text`.
    pub kind: TextKind,
    /// The definition, or the samples.
    pub text: String,
    /// Samples for a definition: JSON, one document per line or several; without them, values are invented.
    #[serde(default)]
    pub samples: Option<String>,
    /// The message's name, if a .proto file has several.
    #[serde(default)]
    pub message: Option<String>,
    /// Compressions to apply, at most 8; `gzip:6`, `zstd:3` and `lz4` when left out.
    #[serde(default)]
    #[schemars(length(max = 8))]
    pub compressions: Vec<String>,
}

/// A message to keep as a payload.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewPayload {
    /// Its id: lower-case letters, digits and hyphens.
    pub id: String,
    /// The language of `text`.
    pub kind: TextKind,
    /// The definition, or the samples.
    pub text: String,
    /// Samples for a definition, as JSON documents; without them, values are invented.
    #[serde(default)]
    pub samples: Option<String>,
    /// The message's name, if a .proto file has several.
    #[serde(default)]
    pub message: Option<String>,
}

/// A message as it was understood, and its size in every format.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Weighed {
    /// The definition that was generated from it.
    pub definition: String,
    /// What the definition can't express.
    pub remarks: Vec<String>,
    /// Its sizes, as from `wiredyno size --json`.
    pub sizes: Value,
}

/// The uploaded payloads, below the server's folder.
pub struct Payloads {
    folder: PathBuf,
    scratch: PathBuf,
    helper: Arc<Helper>,
}

impl Payloads {
    /// The payloads below the server's folder `data`.
    pub fn new(data: &Path, helper: Arc<Helper>) -> Self {
        Payloads { folder: data.join("payloads"), scratch: data.join("scratch"), helper }
    }

    /// Sizes a message without keeping it.
    ///
    /// # Errors
    /// With the line, if the text can't be read.
    pub async fn weigh(&self, brought: &Brought) -> ApiResult<Weighed> {
        let desk = self.desk()?;
        let text = Text {
            kind: brought.kind,
            text: &brought.text,
            samples: brought.samples.as_deref(),
            message: brought.message.as_deref(),
        };
        let Made { folder, remarks, .. } = self.make(desk.path(), DRAFT, &text).await?;
        let mut arguments = vec!["size".to_owned(), folder.display().to_string(), "--json".to_owned()];
        if brought.compressions.len() > COMPRESSIONS {
            let number = brought.compressions.len();
            return Err(ApiError::bad(format!(
                "{number} compressions, but at most {COMPRESSIONS} are allowed"
            )));
        }
        for compression in &brought.compressions {
            if compression.starts_with('-') || compression.len() > 40 {
                return Err(ApiError::bad("compressions are ids, such as `zstd:3`"));
            }
            arguments.extend(["--compression".to_owned(), compression.clone()]);
        }
        let output = self.helper.ask(&arguments).await?.about("definition", &["message.proto"])?;
        let mut sizes: Value = serde_json::from_str(&output).map_err(ApiError::internal)?;
        sizes["payload"] = json!(DRAFT);
        sizes["samples"]["from"] = json!("the upload");
        let definition = std::fs::read_to_string(folder.join("message.proto")).map_err(ApiError::internal)?;
        Ok(Weighed { definition, remarks, sizes })
    }

    /// Keeps a message as a payload.
    ///
    /// # Errors
    /// With the line, if the text can't be read; if the id is taken.
    pub async fn keep(&self, new: &NewPayload) -> ApiResult<()> {
        let id = &new.id;
        if !is_id(id, NAME) || id == DRAFT {
            let message = format!(
                "a payload's id has at most {NAME} lower-case letters, digits and hyphens, and begins with a letter"
            );
            return Err(ApiError::text("id", message, None));
        }
        if std::fs::read_dir(&self.folder).map_err(ApiError::internal)?.count() >= PAYLOADS {
            return Err(ApiError::conflict(format!(
                "at most {PAYLOADS} payloads are kept: remove some first"
            )));
        }
        let taken = || ApiError::conflict(format!("there is already a payload `{id}`: choose another id"));
        if self.folder.join(id).exists() {
            return Err(taken());
        }
        let desk = self.desk()?;
        let text = Text {
            kind: new.kind,
            text: &new.text,
            samples: new.samples.as_deref(),
            message: new.message.as_deref(),
        };
        let made = self.make(desk.path(), id, &text).await?;
        let length = std::fs::metadata(made.folder.join("message.proto")).map_err(ApiError::internal)?.len();
        if made.fields > FIELDS || length > DEFINITION_BYTES {
            let message = format!(
                "the definition has {} fields and {length} bytes, but at most {FIELDS} fields and {DEFINITION_BYTES} bytes \
                 are allowed",
                made.fields
            );
            return Err(ApiError::text("limit", message, None));
        }
        std::fs::rename(&made.folder, self.folder.join(id)).map_err(|error| match error.kind() {
            std::io::ErrorKind::AlreadyExists | std::io::ErrorKind::DirectoryNotEmpty => taken(),
            _ => ApiError::internal(error),
        })
    }

    /// Removes an uploaded payload, unless `is_used` says that a test needs it. It is asked after the payload is out of reach, so that a test
    /// submitted meanwhile either is seen here or does not find the payload.
    ///
    /// # Errors
    /// When there is no such payload, or it is used.
    pub fn take_away(&self, id: &str, is_used: impl Fn() -> ApiResult<bool>) -> ApiResult<()> {
        let folder = self.folder.join(id);
        if !is_id(id, NAME) || !folder.is_dir() || folder.is_symlink() {
            return Err(ApiError::not_found("there is no such uploaded payload"));
        }
        let desk = self.desk()?;
        let away = desk.path().join(id);
        std::fs::rename(&folder, &away).map_err(ApiError::internal)?;
        let used = is_used();
        if !matches!(used, Ok(false)) {
            std::fs::rename(&away, &folder).map_err(ApiError::internal)?;
            used?;
            return Err(ApiError::conflict(
                "a waiting or running test uses it: wait for its end or cancel it",
            ));
        }
        Ok(())
    }

    /// Whether there is an uploaded payload with this id.
    pub fn has(&self, id: &str) -> bool {
        is_id(id, NAME) && self.folder.join(id).is_dir()
    }

    /// The uploaded payloads, in the form of [`Options::payloads`](crate::options::Options::payloads).
    ///
    /// # Errors
    /// When the folder can't be read.
    pub fn list(&self) -> ApiResult<Vec<Value>> {
        let mut all = Vec::new();
        for entry in std::fs::read_dir(&self.folder).map_err(ApiError::internal)? {
            let id = entry.map_err(ApiError::internal)?.file_name().to_string_lossy().into_owned();
            let read = |name: &str| std::fs::read_to_string(self.folder.join(&id).join(name));
            if !is_id(&id, NAME) {
                continue;
            }
            let Ok(definition) = read("message.proto") else { continue };
            let samples = read("samples.jsonl").map_or(0, |text| text.lines().count());
            all.push(json!({
                "id": id, "name": id, "sized": false, "uploaded": true, "about": "Uploaded to this server.",
                "definition": definition, "samples": samples, "not_carried": [],
            }));
        }
        all.sort_by_key(|of| of["id"].as_str().map(str::to_owned));
        Ok(all)
    }

    fn desk(&self) -> ApiResult<tempfile::TempDir> {
        tempfile::Builder::new().prefix("new-").tempdir_in(&self.scratch).map_err(ApiError::internal)
    }

    /// Generates a payload's folder inside `desk`.
    async fn make(&self, desk: &Path, id: &str, text: &Text<'_>) -> ApiResult<Made> {
        let limit = |text: &str| {
            let message = format!("{} bytes, but at most {UPLOAD_BYTES} are allowed", text.len());
            let long = || ApiError::new(axum::http::StatusCode::PAYLOAD_TOO_LARGE, "too_large", message);
            if text.len() > UPLOAD_BYTES { Err(long()) } else { Ok(()) }
        };
        limit(text.text)?;
        // The text is alone in its folder, so that it can import nothing else.
        let from = desk.join("brought");
        std::fs::create_dir(&from).map_err(ApiError::internal)?;
        let name = text.kind.file(text.text);
        std::fs::write(from.join(name), text.text).map_err(ApiError::internal)?;
        let made = desk.join(id);
        let mut arguments: Vec<String> = ["new", id, "--json", "--from"].map(str::to_owned).to_vec();
        // Files are passed by bare names, because the output quotes them.
        arguments.extend([name.to_owned(), "--out".to_owned(), format!("../{id}")]);
        if let Some(message) = text.message {
            let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_');
            if message.is_empty() || !message.chars().all(plain) {
                return Err(ApiError::text(
                    "definition",
                    "`message` is the name of a message in the file",
                    None,
                ));
            }
            arguments.extend(["--message".to_owned(), message.to_owned()]);
        }
        let mut samples_file = name;
        if let Some(samples) = text.samples.filter(|samples| !samples.trim().is_empty()) {
            limit(samples)?;
            samples_file = TextKind::Samples.file(samples);
            std::fs::write(from.join(samples_file), samples).map_err(ApiError::internal)?;
            arguments.extend(["--samples".to_owned(), samples_file.to_owned()]);
        }
        let answer = self.helper.read_in(&from, &arguments).await?;
        let told = answer.about("definition", &[name, samples_file])?;
        let Told { fields, mut remarks } = serde_json::from_str(&told).map_err(ApiError::internal)?;
        let more = remarks.len().saturating_sub(REMARKS);
        remarks.truncate(REMARKS);
        remarks.extend((more > 0).then(|| format!("and {more} more")));
        let kept = std::fs::read_to_string(made.join("samples.jsonl")).map_err(ApiError::internal)?;
        if id == DRAFT && kept.lines().count() > SAMPLES {
            let few: String = kept.lines().take(SAMPLES).flat_map(|line| [line, "\n"]).collect();
            std::fs::write(made.join("samples.jsonl"), few).map_err(ApiError::internal)?;
        }
        Ok(Made { folder: made, fields, remarks })
    }
}

/// Whether each line is a JSON document, judged by the first non-empty line.
fn is_lines(text: &str) -> bool {
    let first = text.trim_start_matches('\u{feff}').lines().find(|line| !line.trim().is_empty());
    first.is_some_and(|line| serde_json::from_str::<serde::de::IgnoredAny>(line).is_ok())
}

/// The part of `wiredyno new --json` that is used here.
#[derive(Deserialize)]
struct Told {
    fields: u64,
    remarks: Vec<String>,
}

/// A payload's folder generated from a text.
struct Made {
    folder: PathBuf,
    fields: u64,
    /// What the definition can't express.
    remarks: Vec<String>,
}

struct Text<'a> {
    kind: TextKind,
    text: &'a str,
    samples: Option<&'a str>,
    message: Option<&'a str>,
}
