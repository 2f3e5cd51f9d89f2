//! Links of users' own: by their numbers, or with an uploaded trace of rates. Kept as files in the server's folder, where the program looks
//! for links by their ids.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::{ApiError, ApiResult};
use crate::helper::Helper;
use crate::study::is_id;

/// The longest id of a link, in characters.
const NAME: usize = 40;
/// Most links that are kept.
const LINKS: usize = 200;
/// The longest trace, in bytes: a day of seconds.
const TRACE_BYTES: usize = 1 << 20;
/// The longest number with its unit, in bytes.
const NUMBER: usize = 40;
/// The longest description, in bytes.
const ABOUT: usize = 500;

/// A link to keep.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewLink {
    /// Its id: lower-case letters, digits and hyphens.
    pub id: String,
    /// What it is like, in a sentence.
    #[serde(default)]
    pub about: Option<String>,
    /// From the publisher's host to the other.
    pub up: LinkWay,
    /// From there to the publisher's host.
    pub down: LinkWay,
}

/// One direction of a link.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinkWay {
    /// Delay: `"25ms"`; none when left out.
    #[serde(default)]
    pub delay: Option<String>,
    /// Standard deviation of the delay: `"2ms"`.
    #[serde(default)]
    pub jitter: Option<String>,
    /// Bits per second: `"5mbit"`; unlimited when left out.
    #[serde(default)]
    pub rate: Option<String>,
    /// Share of the packets that are lost, 0..1.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub loss: Option<f64>,
    /// Rates in place of `rate`: whole bits per second, a line per second.
    #[serde(default)]
    pub trace: Option<String>,
}

/// A link that was kept or removed.
#[derive(Debug, Serialize, JsonSchema)]
pub struct KeptLink {
    /// The link's id.
    pub id: String,
}

/// The links below the server's folder.
pub struct Links {
    folder: PathBuf,
    scratch: PathBuf,
    helper: Arc<Helper>,
    /// Held while a link takes its place.
    keeping: Mutex<()>,
}

impl Links {
    /// The links below the server's folder `data`.
    pub fn new(data: &Path, helper: Arc<Helper>) -> Self {
        Links { folder: data.join("links"), scratch: data.join("scratch"), helper, keeping: Mutex::default() }
    }

    /// Whether there is a link of a user with this id.
    pub fn has(&self, id: &str) -> bool {
        is_id(id, NAME) && self.folder.join(format!("{id}.toml")).is_file()
    }

    /// Keeps a link.
    ///
    /// # Errors
    /// If a number is none, the trace can't be read, or the id is taken.
    pub async fn keep(&self, new: &NewLink) -> ApiResult<()> {
        let id = &new.id;
        if !is_id(id, NAME) {
            let message = format!(
                "a link's id has at most {NAME} lower-case letters, digits and hyphens, and begins with a letter"
            );
            return Err(ApiError::text("id", message, None));
        }
        if std::fs::read_dir(&self.folder).map_err(ApiError::internal)?.count() >= 3 * LINKS {
            return Err(ApiError::conflict(format!("at most {LINKS} links are kept: remove some first")));
        }
        let desk =
            tempfile::Builder::new().prefix("link-").tempdir_in(&self.scratch).map_err(ApiError::internal)?;
        let links = desk.path().join("links");
        std::fs::create_dir(&links).map_err(ApiError::internal)?;
        let mut written = Vec::new();
        let mut write = |name: String, text: &str| {
            std::fs::write(links.join(&name), text).map_err(ApiError::internal)?;
            written.push(name);
            Ok::<_, ApiError>(())
        };
        for (direction, way) in [("up", &new.up), ("down", &new.down)] {
            if let Some(trace) = &way.trace {
                if trace.len() > TRACE_BYTES {
                    let message = format!(
                        "{direction}: a trace of {} bytes, but at most {TRACE_BYTES} are allowed",
                        trace.len()
                    );
                    return Err(ApiError::text("link", message, None));
                }
                write(trace_name(id, direction), trace)?;
            }
        }
        let file = format!("{id}.toml");
        write(file.clone(), &text_of(new)?)?;
        // The program says what it does not understand. Its lines are those of the trace, or of a text that the user has not seen.
        let traces = [trace_name(id, "up"), trace_name(id, "down")];
        let about = [traces[0].as_str(), traces[1].as_str()];
        self.helper.read_in(desk.path(), &["list", "links", "--json"]).await?.about("link", &about)?;
        // Two users may have chosen the same id meanwhile.
        let _alone = self.keeping.lock().unwrap_or_else(PoisonError::into_inner);
        if self.has(id) {
            return Err(ApiError::conflict(format!("there is already a link `{id}`: choose another id")));
        }
        // The link itself last: until then nothing names its traces.
        for name in written {
            std::fs::rename(links.join(&name), self.folder.join(&name)).map_err(ApiError::internal)?;
        }
        Ok(())
    }

    /// Removes a link, unless `is_used` says that a test needs it; asked as [`crate::payloads::Payloads::take_away`] does.
    ///
    /// # Errors
    /// When there is no such link, or it is used.
    pub fn take_away(&self, id: &str, is_used: impl Fn() -> ApiResult<bool>) -> ApiResult<()> {
        if !self.has(id) {
            return Err(ApiError::not_found("there is no such link of a user"));
        }
        let desk =
            tempfile::Builder::new().prefix("link-").tempdir_in(&self.scratch).map_err(ApiError::internal)?;
        let (file, away) = (self.folder.join(format!("{id}.toml")), desk.path().join("link.toml"));
        std::fs::rename(&file, &away).map_err(ApiError::internal)?;
        let used = is_used();
        if !matches!(used, Ok(false)) {
            std::fs::rename(&away, &file).map_err(ApiError::internal)?;
            used?;
            return Err(ApiError::conflict(
                "a waiting or running test uses it: wait for its end or cancel it",
            ));
        }
        for direction in ["up", "down"] {
            let _ = std::fs::remove_file(self.folder.join(trace_name(id, direction)));
        }
        Ok(())
    }
}

fn trace_name(id: &str, direction: &str) -> String {
    format!("{id}.{direction}.csv")
}

/// The link as a file.
fn text_of(new: &NewLink) -> ApiResult<String> {
    let plain = |text: &str| text.chars().filter(|c| !c.is_control()).take(ABOUT).collect::<String>();
    // Strings of JSON are strings of TOML (TOML 1.0.0, String; RFC 8259, section 7).
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let about = new.about.as_deref().map(plain).filter(|about| !about.is_empty());
    let about = about.unwrap_or_else(|| "Of a user of this server.".to_owned());
    // Writing to a string does not fail.
    let mut text = format!(
        "about = {}\nsource = \"The numbers are those that a user of the server entered.\"\n",
        quoted(&about)
    );
    for (direction, way) in [("up", &new.up), ("down", &new.down)] {
        let _ = writeln!(text, "\n[{direction}]");
        for (name, number) in [("delay", &way.delay), ("jitter", &way.jitter), ("rate", &way.rate)] {
            let Some(number) = number.as_deref().filter(|number| !number.is_empty()) else { continue };
            if number.len() > NUMBER {
                return Err(ApiError::text(
                    "link",
                    format!("{direction}: {name} is too long for a number"),
                    None,
                ));
            }
            if name != "rate" || way.trace.is_none() {
                let _ = writeln!(text, "{name} = {}", quoted(number));
            }
        }
        if let Some(loss) = way.loss.filter(|loss| *loss != 0.0) {
            let _ = writeln!(text, "loss = {loss:?}");
        }
        if way.trace.is_some() {
            let _ = writeln!(text, "trace = {{ file = {} }}", quoted(&trace_name(&new.id, direction)));
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_link_is_written_as_the_program_reads_it() {
        let new: NewLink = serde_json::from_value(serde_json::json!({
            "id": "mine", "about": "a \"quoted\"\none",
            "up": { "delay": "25ms", "jitter": "2ms", "rate": "5mbit", "loss": 0.01 },
            "down": { "delay": "10ms", "trace": "1000000\n2000000\n" },
        }))
        .unwrap();
        let text = text_of(&new).unwrap();
        assert_eq!(
            text,
            "about = \"a \\\"quoted\\\"one\"\nsource = \"The numbers are those that a user of the server entered.\"\n\
             \n[up]\ndelay = \"25ms\"\njitter = \"2ms\"\nrate = \"5mbit\"\nloss = 0.01\n\
             \n[down]\ndelay = \"10ms\"\ntrace = { file = \"mine.down.csv\" }\n"
        );
        for id in ["../x", "", "a/b", "A", "-a", "a-", "a.toml"] {
            assert!(!is_id(id, NAME), "{id}");
        }
    }
}
