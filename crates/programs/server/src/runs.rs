//! The run folders: their list, their files and the list entries of their summaries, which are read once. The database has nothing about a run
//! that its folder lacks.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use rusqlite::params;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wiredyno_model::summary::Summary;
use wiredyno_store::RunFolder;

use crate::clock::now_ms;
use crate::database::Database;
use crate::error::{ApiError, ApiResult};
use crate::study::is_run_id;
use crate::work::blocking;

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
    /// The answer that its report begins with.
    pub answer: String,
    /// Whether the stand was fit for it: `sound`, `with care` or `not sound`.
    pub fitness: String,
    /// How sure the answer is, in a line.
    pub sure: String,
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
    /// Whether it is kept until somebody takes the pin away.
    #[serde(default)]
    pub pinned: bool,
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

/// The runs in a folder, with a cache of list entries that the database keeps over restarts.
pub struct Runs {
    folder: PathBuf,
    entries: Mutex<HashMap<String, (SystemTime, RunEntry)>>,
    database: Option<Arc<Database>>,
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
        Runs { folder: folder.to_owned(), entries: Mutex::default(), database: None }
    }

    /// The same with the entries that a database kept. Those that it can't give are read again.
    pub fn with(folder: &Path, database: Arc<Database>) -> Self {
        let kept = kept(&database).unwrap_or_default();
        Runs { entries: Mutex::new(kept), database: Some(database), ..Runs::new(folder) }
    }

    /// The runs that there are, with the times of their summaries.
    ///
    /// # Errors
    /// When the folder can't be read.
    pub async fn there(&self) -> ApiResult<Vec<(String, SystemTime)>> {
        let folder = self.folder.clone();
        blocking(move || there(&folder)).await
    }

    /// The ids of those whose entries are not cached.
    pub fn unknown(&self, there: &[(String, SystemTime)]) -> Vec<String> {
        there.iter().filter(|run| self.known(run).is_none()).map(|(id, _)| id.clone()).collect()
    }

    /// Caches entries that were read from the summaries of these runs.
    pub fn learn(&self, there: &[(String, SystemTime)], read: Vec<RunEntry>) {
        let known: HashMap<&String, SystemTime> = there.iter().map(|(id, at)| (id, *at)).collect();
        let read = read.into_iter().filter_map(|entry| Some((*known.get(&entry.id)?, entry)));
        let read: Vec<(SystemTime, RunEntry)> = read.collect();
        if let Some(database) = &self.database
            && let Err(error) = keep(database, &read)
        {
            eprintln!("wiredyno-server: the list of runs can't be kept: {error}");
        }
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        entries.extend(read.into_iter().map(|(written, entry)| (entry.id.clone(), (written, entry))));
    }

    /// The cached entries of these runs, newest first. Unreadable summaries have none: they are reported when they are requested by id.
    ///
    /// # Errors
    /// When the database can't be read.
    pub fn listed(&self, there: &[(String, SystemTime)]) -> ApiResult<Vec<RunEntry>> {
        let mut entries: Vec<RunEntry> = there.iter().filter_map(|run| self.known(run)).collect();
        entries.sort_by(|a, b| (&b.started, &b.id).cmp(&(&a.started, &a.id)));
        if let Some(database) = &self.database {
            let pinned = pinned(database)?;
            entries.iter_mut().for_each(|run| run.pinned = pinned.contains(&run.id));
        }
        Ok(entries)
    }

    /// Pins a run, or takes the pin away.
    ///
    /// # Errors
    /// When there is no such run, or the database can't be written.
    pub fn pin(&self, id: &str, pin: bool, who: Option<&str>) -> ApiResult<()> {
        self.folder(id)?;
        let Some(database) = &self.database else { return Ok(()) };
        let connection = database.get();
        match pin {
            true => connection.execute(
                "insert into pins (run, by_whom, at_ms) values (?1, ?2, ?3) on conflict do nothing",
                params![id, who, now_ms()],
            ),
            false => connection.execute("delete from pins where run = ?1", [id]),
        }?;
        Ok(())
    }

    /// Deletes a run. `scratch` is on the same file system: the folder is there in one step, and then deleted at leisure.
    ///
    /// # Errors
    /// When there is no such run, or it is pinned.
    pub fn delete(&self, id: &str, scratch: &Path) -> ApiResult<()> {
        let folder = self.folder(id)?;
        if let Some(database) = &self.database {
            if pinned(database)?.contains(id) {
                return Err(ApiError::conflict(format!("the run `{id}` is pinned: take the pin away first")));
            }
            database.get().execute("delete from entries where run = ?1", [id])?;
        }
        let away =
            tempfile::Builder::new().prefix("deleted-").tempdir_in(scratch).map_err(ApiError::internal)?;
        fs::rename(&folder, away.path().join(id)).map_err(ApiError::internal)?;
        self.entries.lock().unwrap_or_else(PoisonError::into_inner).remove(id);
        std::thread::spawn(move || drop(away));
        Ok(())
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

/// The runs in a folder that have a summary, with the times at which it was written.
fn there(folder: &Path) -> ApiResult<Vec<(String, SystemTime)>> {
    let mut there = Vec::new();
    for entry in fs::read_dir(folder).map_err(ApiError::internal)? {
        let entry = entry.map_err(ApiError::internal)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if !is_run_id(&name) || !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            continue;
        }
        let written =
            fs::metadata(folder.join(&name).join("summary.json")).and_then(|about| about.modified());
        there.extend(written.ok().map(|written| (name, written)));
    }
    Ok(there)
}

/// The entries that a database kept, by run, with the times at which their summaries were written.
fn kept(database: &Database) -> rusqlite::Result<HashMap<String, (SystemTime, RunEntry)>> {
    let connection = database.get();
    let mut statement = connection.prepare_cached("select run, written_ns, entry from entries")?;
    let rows = statement.query_map([], |row| {
        Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?, row.get::<_, String>(2)?))
    })?;
    let mut kept = HashMap::new();
    for row in rows {
        let (run, written_ns, text) = row?;
        // An entry of another version is read again.
        if let Ok(entry) = serde_json::from_str(&text) {
            let written = SystemTime::UNIX_EPOCH + Duration::from_nanos(written_ns.unsigned_abs());
            kept.insert(run, (written, entry));
        }
    }
    Ok(kept)
}

fn keep(database: &Database, read: &[(SystemTime, RunEntry)]) -> rusqlite::Result<()> {
    let mut connection = database.get();
    let transaction = connection.transaction()?;
    for (written, entry) in read {
        let since = written.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let written_ns = i64::try_from(since.as_nanos()).unwrap_or_default();
        transaction.execute(
            "insert into entries (run, written_ns, entry) values (?1, ?2, ?3)
             on conflict (run) do update set written_ns = excluded.written_ns, entry = excluded.entry",
            params![entry.id, written_ns, serde_json::to_string(entry).unwrap_or_default()],
        )?;
    }
    transaction.commit()
}

fn pinned(database: &Database) -> rusqlite::Result<HashSet<String>> {
    let connection = database.get();
    let mut statement = connection.prepare_cached("select run from pins")?;
    statement.query_map([], |row| row.get(0))?.collect()
}

/// The beginning of a user's text, for quoting: 80 characters without control characters.
pub fn shown(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(80).collect()
}

impl RunEntry {
    /// The list entry of a run, without its test.
    pub fn of(id: &str, summary: &Summary) -> Self {
        let environment = &summary.environment;
        let brief = wiredyno_report::brief(summary);
        RunEntry {
            id: id.to_owned(),
            study: summary.study.name.clone(),
            why: summary.study.why.clone(),
            started: summary.run.started.clone(),
            duration_ns: summary.run.duration_ns,
            complete: summary.run.complete,
            answer: brief.answer,
            fitness: brief.fitness.to_owned(),
            sure: brief.sure,
            version: summary.run.version.clone(),
            cells: summary.cells.len() as u64,
            codecs: summary.codecs.len() as u64,
            commit: environment.commit.clone(),
            machine: format!("{}, {} CPUs", environment.cpu, environment.cpus),
            steal: summary.run.steal,
            utilisation: summary.run.utilisation,
            sleep_lateness_p99_ns: environment.sleep_lateness_p99_ns,
            test: None,
            pinned: false,
        }
    }

    /// Whether a lower-case text is in its id, study, question, version or machine.
    pub fn has(&self, text: &str) -> bool {
        let of = [&self.id, &self.study, &self.why, &self.version, &self.machine, &self.commit];
        of.iter().any(|one| one.to_lowercase().contains(text))
    }
}
