//! The run folders: their list, their files and the list entries of their summaries, which are read once. The database has nothing about a run
//! that its folder lacks.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wiredyno_model::summary::Summary;
use wiredyno_store::RunFolder;

use crate::error::{ApiError, ApiResult};
use crate::reader::{Question, Reader};
use crate::study::is_run_id;

/// Runs per question when a list is read, so that no question exceeds its time limit.
const AT_ONCE: usize = 40;

/// A run, as lists show it.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct RunEntry {
    /// The run's id: the name of its folder.
    pub id: String,
    /// The `name` of its study.
    pub study: String,
    /// The `why` of its study: the question that it answers.
    pub why: String,
    /// When the run began, as RFC 3339.
    pub started: String,
    /// Duration of the run, in nanoseconds.
    pub duration_ns: u64,
    /// Whether the run has all of its trials.
    pub complete: bool,
    /// Wiredyno's version, such as `0.1.0`.
    pub version: String,
    /// How many cells have message trials.
    pub cells: u64,
    /// How many cells have codec trials.
    pub codecs: u64,
    /// Commit of the measured source, if it was known.
    pub commit: String,
    /// The machine: CPU model and number of CPUs.
    pub machine: String,
    /// Share of CPU time that a hypervisor took, 0..1.
    pub steal: f64,
    /// Share of the time of all CPUs that was used, 0..1.
    pub utilisation: f64,
    /// How late a sleep of one millisecond ended, in nanoseconds (99th percentile).
    pub sleep_lateness_p99_ns: u64,
    /// The number of the test that it belongs to, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<i64>,
}

/// A file of a run.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct RunFile {
    /// Path relative to the run's folder.
    pub path: String,
    /// Length of the file, in bytes.
    pub bytes: u64,
    /// Its kind, by its extension.
    pub kind: String,
}

/// The runs in a folder, with a cache of list entries.
pub struct Runs {
    folder: PathBuf,
    entries: Mutex<HashMap<String, (SystemTime, RunEntry)>>,
}

/// Kinds of files by their extensions; other files are not shown.
const KINDS: [(&str, &str); 7] = [
    (".parquet", "parquet"),
    (".pcapng", "pcapng"),
    (".json", "json"),
    (".toml", "toml"),
    (".html", "html"),
    (".csv", "csv"),
    (".md", "md"),
];

impl Runs {
    /// The runs in a folder, with nothing cached yet.
    pub fn new(folder: &Path) -> Self {
        Runs { folder: folder.to_owned(), entries: Mutex::default() }
    }

    /// All runs that have a summary, newest first. The reader reads the summaries that are not cached.
    ///
    /// # Errors
    /// When the folder can't be read.
    pub async fn list(&self, reader: &Reader) -> ApiResult<Vec<RunEntry>> {
        let mut there = Vec::new();
        for entry in fs::read_dir(&self.folder).map_err(ApiError::internal)? {
            let name = entry.map_err(ApiError::internal)?.file_name().to_string_lossy().into_owned();
            let written = is_run_id(&name).then(|| self.written(&name).ok()).flatten();
            there.extend(written.map(|written| (name, written)));
        }
        let unknown: Vec<String> =
            there.iter().filter(|run| self.known(run).is_none()).map(|(id, _)| id.clone()).collect();
        for ids in unknown.chunks(AT_ONCE) {
            let answer = reader.answer(self, &Question::Entries { ids: ids.to_vec() }).await?;
            let read: Vec<RunEntry> = serde_json::from_str(&answer).map_err(ApiError::internal)?;
            let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
            for entry in read {
                if let Some((id, written)) = there.iter().find(|(id, _)| *id == entry.id) {
                    entries.insert(id.clone(), (*written, entry));
                }
            }
        }
        // An unreadable summary is reported when it is requested by id.
        let mut entries: Vec<RunEntry> = there.iter().filter_map(|run| self.known(run)).collect();
        entries.sort_by(|a, b| (&b.started, &b.id).cmp(&(&a.started, &a.id)));
        Ok(entries)
    }

    fn known(&self, (id, written): &(String, SystemTime)) -> Option<RunEntry> {
        let entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        entries.get(id).filter(|(at, _)| at == written).map(|(_, entry)| entry.clone())
    }

    /// The folder of a run.
    ///
    /// # Errors
    /// When the id is malformed or there is no such run.
    pub fn folder(&self, id: &str) -> ApiResult<PathBuf> {
        let folder = self.folder.join(id);
        if !is_run_id(id) || !folder.is_dir() || folder.is_symlink() {
            return Err(ApiError::not_found(format!("there is no run `{}`", shown(id))));
        }
        Ok(folder)
    }

    /// The run's folder, opened with its summary.
    ///
    /// # Errors
    /// When there is no such run or no summary yet.
    pub fn open(&self, id: &str) -> ApiResult<RunFolder> {
        let folder = self.folder(id)?;
        RunFolder::open(&folder).map_err(|_| ApiError::conflict(format!("the run `{id}` has no summary yet")))
    }

    /// When the summary of a run was last written.
    ///
    /// # Errors
    /// When there is no such run, or no summary yet.
    pub fn written(&self, id: &str) -> ApiResult<SystemTime> {
        let folder = self.open(id)?;
        let about = fs::metadata(folder.path().join("summary.json"));
        about.and_then(|about| about.modified()).map_err(ApiError::internal)
    }

    /// The text of a run's summary.json.
    ///
    /// # Errors
    /// As [`Runs::written`], or when the file can't be read.
    pub fn summary(&self, id: &str) -> ApiResult<String> {
        let folder = self.open(id)?;
        fs::read_to_string(folder.path().join("summary.json")).map_err(ApiError::internal)
    }

    /// The files of a run that may be fetched.
    ///
    /// # Errors
    /// When there is no such run or its folder can't be read.
    pub fn files(&self, id: &str) -> ApiResult<Vec<RunFile>> {
        let folder = self.folder(id)?;
        let mut files = Vec::new();
        for below in ["", "captures"] {
            let Ok(entries) = fs::read_dir(folder.join(below)) else { continue };
            for entry in entries {
                let entry = entry.map_err(ApiError::internal)?;
                let name = entry.file_name().to_string_lossy().into_owned();
                let about = entry.metadata().map_err(ApiError::internal)?;
                let kind = KINDS.iter().find(|(ending, _)| name.ends_with(ending));
                let Some((_, kind)) = kind.filter(|_| about.is_file() && !name.starts_with('.')) else {
                    continue;
                };
                let path = if below.is_empty() { name } else { format!("{below}/{name}") };
                files.push(RunFile { path, bytes: about.len(), kind: (*kind).to_owned() });
            }
        }
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(files)
    }
}

/// The beginning of a user's text, for quoting: 80 characters without control characters.
pub fn shown(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(80).collect()
}

impl RunEntry {
    /// The list entry of a run, without its test.
    pub fn of(id: &str, summary: &Summary) -> Self {
        let environment = &summary.environment;
        RunEntry {
            id: id.to_owned(),
            study: summary.study.name.clone(),
            why: summary.study.why.clone(),
            started: summary.run.started.clone(),
            duration_ns: summary.run.duration_ns,
            complete: summary.run.complete,
            version: summary.run.version.clone(),
            cells: summary.cells.len() as u64,
            codecs: summary.codecs.len() as u64,
            commit: environment.commit.clone(),
            machine: format!("{}, {} CPUs", environment.cpu, environment.cpus),
            steal: summary.run.steal,
            utilisation: summary.run.utilisation,
            sleep_lateness_p99_ns: environment.sleep_lateness_p99_ns,
            test: None,
        }
    }
}
