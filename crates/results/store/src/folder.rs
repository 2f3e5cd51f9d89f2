//! The folder of one run: its files, and the lock on them. One file because each file's name, writer and reader belong together.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::fcntl::{Flock, FlockArg};
use serde::Serialize;
use serde::de::DeserializeOwned;
use wiredyno_model::study::Study;
use wiredyno_model::summary::{Environment, SUMMARY_SCHEMA, Summary};

use crate::cells;
use crate::error::StoreError;

/// How long to wait for a folder in use: if its owner was killed while it started a process, that process holds the lock for a moment.
const WAIT: Duration = Duration::from_secs(1);

/// The folder of one run, without the lock on it.
#[derive(Debug, Clone)]
pub struct RunFolder {
    path: PathBuf,
}

/// The right to write a run folder; released when dropped, and by the system when the process ends in any way.
#[derive(Debug)]
pub struct Hold {
    _folder: Flock<File>,
}

const CAPTURES: &str = "captures";

/// The file with the request of a run, besides its study.
const REQUEST: &str = "request.json";
const STUDY: &str = "study.toml";
const ENVIRONMENT: &str = "environment.json";

/// The folder of the trials that a run has made so far.
pub(crate) const PARTS: &str = "trials";

/// The file that replaces a run's parts when it is compacted.
pub(crate) const TRIALS: &str = "trials.parquet";

/// Suffix of a capture's name.
const PACKETS: &str = "pcapng";

/// Most bytes of a capture's name that describe its trial: file systems accept names of up to 255.
const CAPTURE_OF_BYTES: usize = 150;

/// The file of a trial's packets: its number, and its cell in characters that every file system and shell accepts.
fn capture_name(trial: u32, of: &str) -> String {
    let mut name = format!("{CAPTURES}/{trial:05}-");
    for c in of.chars() {
        match c {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '.' | '@' | '+' | '=' | '_' => name.push(c),
            _ if name.ends_with('-') => {}
            _ => name.push('-'),
        }
        if name.len() > CAPTURE_OF_BYTES {
            break;
        }
    }
    format!("{}.{PACKETS}", name.trim_end_matches('-'))
}

/// The number of the trial of a capture, from the file's name.
fn trial_of_capture(name: &str) -> Option<u32> {
    name.split(['-', '.']).next()?.parse().ok()
}

impl RunFolder {
    /// Refuses a folder for a new run if it is not empty.
    ///
    /// # Errors
    /// When it exists with something in it.
    pub fn check_free(path: &Path) -> Result<(), StoreError> {
        let entries = fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path());
        let entries: Vec<PathBuf> = entries.collect();
        let is_of = |entry: &PathBuf, name| *entry == path.join(name) || *entry == hidden(&path.join(name));
        // A run that was interrupted before it began has measured nothing. Its request is written first; a user's own study is not part of
        // that.
        let begun = |entry: &PathBuf| [REQUEST, STUDY, ENVIRONMENT].iter().any(|name| is_of(entry, *name));
        let cut_off = entries.iter().any(|entry| is_of(entry, REQUEST)) && entries.iter().all(begun);
        if entries.is_empty() || cut_off {
            return Ok(());
        }
        Err(StoreError::Exists { path: path.to_owned() })
    }

    /// Creates a run folder with its study, environment and request, and returns it with the right to write it. It is a run as soon as it
    /// has a folder for trials.
    ///
    /// # Errors
    /// When the folder is not empty, another process writes it, or it can't be written.
    pub fn create(
        path: &Path,
        study: &Study,
        environment: &Environment,
        request: &impl Serialize,
    ) -> Result<(Self, Hold), StoreError> {
        RunFolder::check_free(path)?;
        fs::create_dir_all(path).map_err(StoreError::io(path))?;
        let run = RunFolder { path: path.to_owned() };
        let hold = run.hold()?;
        // Until then, another process may have begun a run there.
        RunFolder::check_free(path)?;
        run.write_request(request)?;
        let study_file = path.join(STUDY);
        let text = toml::to_string(study).map_err(|error| StoreError::content(&study_file, error))?;
        run.put(&study_file, text.as_bytes())?;
        let environment_file = path.join(ENVIRONMENT);
        let text = serde_json::to_string_pretty(environment)
            .map_err(|error| StoreError::content(&environment_file, error))?;
        run.put(&environment_file, text.as_bytes())?;
        let parts = path.join(PARTS);
        fs::create_dir(&parts).map_err(StoreError::io(&parts))?;
        sync_folder_of(&parts)?;
        sync_folder_of(path)?;
        Ok((run, hold))
    }

    /// Opens the folder of a run that was interrupted before it had all of its trials.
    ///
    /// # Errors
    /// When it holds no such run, or all trials are there.
    pub fn reopen(path: &Path) -> Result<Self, StoreError> {
        if path.join(TRIALS).is_file() {
            return Err(StoreError::Whole { path: path.to_owned() });
        }
        for missing in [REQUEST, STUDY, ENVIRONMENT, PARTS] {
            if !path.join(missing).exists() {
                return Err(StoreError::NotBegun { path: path.to_owned(), missing });
            }
        }
        Ok(RunFolder { path: path.to_owned() })
    }

    /// Takes the right to write the folder.
    ///
    /// # Errors
    /// When another process keeps it for longer than a moment.
    pub fn hold(&self) -> Result<Hold, StoreError> {
        let mut folder = File::open(&self.path).map_err(StoreError::io(&self.path))?;
        let until = Instant::now() + WAIT;
        loop {
            folder = match Flock::lock(folder, FlockArg::LockExclusiveNonblock) {
                Ok(folder) => return Ok(Hold { _folder: folder }),
                Err((folder, Errno::EWOULDBLOCK)) if Instant::now() < until => folder,
                Err((_, Errno::EWOULDBLOCK)) => return Err(StoreError::Held { path: self.path.clone() }),
                Err((_, errno)) => {
                    return Err(StoreError::Io { path: self.path.clone(), source: errno.into() });
                }
            };
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Writes the request of the run.
    ///
    /// # Errors
    /// When the file can't be written.
    pub fn write_request(&self, request: &impl Serialize) -> Result<(), StoreError> {
        let path = self.path.join(REQUEST);
        let text =
            serde_json::to_string_pretty(request).map_err(|error| StoreError::content(&path, error))?;
        self.put(&path, text.as_bytes())
    }

    /// Reads the request of the run.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn read_request<T: DeserializeOwned>(&self) -> Result<T, StoreError> {
        self.read_json(REQUEST)
    }

    /// Reads the state of the machine when the run began.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn read_environment(&self) -> Result<Environment, StoreError> {
        self.read_json(ENVIRONMENT)
    }

    /// The file with the study, after `--set`.
    pub fn study_file(&self) -> PathBuf {
        self.path.join(STUDY)
    }

    fn read_json<T: DeserializeOwned>(&self, name: &str) -> Result<T, StoreError> {
        let path = self.path.join(name);
        let text = fs::read_to_string(&path).map_err(StoreError::io(&path))?;
        serde_json::from_str(&text).map_err(|error| StoreError::content(&path, error))
    }

    /// Opens the folder of a run that has a summary.
    ///
    /// # Errors
    /// When it has no summary.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        if path.join("summary.json").is_file() {
            return Ok(RunFolder { path: path.to_owned() });
        }
        match RunFolder::reopen(path) {
            Ok(_) => Err(StoreError::NoSummary { path: path.to_owned() }),
            Err(_) => Err(StoreError::NoRun { path: path.to_owned() }),
        }
    }

    /// The folder's path, as given.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its name, which is the run's id.
    pub fn id(&self) -> String {
        let name = self.path.canonicalize().unwrap_or_else(|_| self.path.clone());
        name.file_name().map_or_else(|| "run".to_owned(), |name| name.to_string_lossy().into_owned())
    }

    /// The capture file of a trial, named after its cell, in a folder that is created with the first.
    ///
    /// # Errors
    /// When the folder can't be created.
    pub fn capture(&self, trial: u32, of: &str) -> Result<PathBuf, StoreError> {
        let path = self.path.join(capture_name(trial, of));
        let folder = self.path.join(CAPTURES);
        fs::create_dir_all(&folder).map_err(StoreError::io(&folder))?;
        Ok(path)
    }

    /// Deletes the captures of trials that are not among these, and other files next to them: they belong to interrupted trials, which are
    /// recorded nowhere.
    ///
    /// # Errors
    /// When the folder can't be read or a file can't be deleted.
    pub fn keep_captures_of(&self, trials: &BTreeSet<u32>) -> Result<(), StoreError> {
        let folder = self.path.join(CAPTURES);
        for entry in fs::read_dir(&folder).into_iter().flatten() {
            let entry = entry.map_err(StoreError::io(&folder))?;
            let trial = trial_of_capture(&entry.file_name().to_string_lossy());
            if !trial.is_some_and(|trial| trials.contains(&trial)) {
                let path = entry.path();
                fs::remove_file(&path).map_err(StoreError::io(&path))?;
            }
        }
        Ok(())
    }

    /// The capture files of trials by number, relative to the folder; only trials whose packets were kept.
    pub fn captures(&self) -> BTreeMap<u32, String> {
        let entries = fs::read_dir(self.path.join(CAPTURES)).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        names.filter_map(|name| Some((trial_of_capture(&name)?, format!("{CAPTURES}/{name}")))).collect()
    }

    /// The path of a report of this file name.
    pub fn report(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Writes the summary, and its figures as a table.
    ///
    /// # Errors
    /// When a file can't be written.
    pub fn write_summary(&self, summary: &Summary) -> Result<(), StoreError> {
        let figures = cells::table_of(summary).map_err(|error| StoreError::content(&self.path, error))?;
        let (table, about) = figures.map_or((None, Vec::new()), |(table, about)| (Some(table), about));
        self.write_table("cells.parquet", &about, table.map(Ok))?;
        let path = self.path.join("summary.json");
        let text =
            serde_json::to_string_pretty(summary).map_err(|error| StoreError::content(&path, error))?;
        self.put(&path, text.as_bytes())
    }

    /// Reads the summary, of this layout or an older one ([`Summary::from_layout_1`]).
    ///
    /// # Errors
    /// When the file can't be read, or was written by another version.
    pub fn read_summary(&self) -> Result<Summary, StoreError> {
        /// The part that every layout has.
        #[derive(serde::Deserialize)]
        struct Layout {
            schema: u32,
            #[serde(default)]
            run: Option<Version>,
        }
        #[derive(serde::Deserialize)]
        struct Version {
            version: String,
        }
        let path = self.path.join("summary.json");
        let text = fs::read_to_string(&path).map_err(StoreError::io(&path))?;
        let content = |error| StoreError::content(&path, error);
        let Layout { schema, run } = serde_json::from_str(&text).map_err(content)?;
        if schema > SUMMARY_SCHEMA {
            let by = run.map_or_else(|| "of a later version".to_owned(), |run| run.version);
            let problem = format!(
                "its layout is {schema}, and this version reads layouts up to {SUMMARY_SCHEMA}: use Wiredyno {by}, which wrote \
                 it, or newer"
            );
            return Err(StoreError::content(&path, problem));
        }
        let summary: Summary = serde_json::from_str(&text).map_err(content)?;
        Ok(if schema < SUMMARY_SCHEMA { summary.from_layout_1() } else { summary })
    }

    /// Writes a whole file: under a hidden name first, then renamed into place; it survives a loss of power.
    ///
    /// # Errors
    /// When the file can't be written; then nothing of it remains.
    pub fn put(&self, path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
        let part = hidden(path);
        let written = File::create(&part).and_then(|mut file| file.write_all(bytes));
        written.map_err(|source| {
            let _ = fs::remove_file(&part);
            StoreError::Io { path: path.to_owned(), source }
        })?;
        place(&part, path).inspect_err(|_| {
            let _ = fs::remove_file(&part);
        })
    }
}

/// Renames a written file into place, after syncing its bytes, and before syncing the folder.
pub(crate) fn place(part: &Path, path: &Path) -> Result<(), StoreError> {
    File::open(part).and_then(|file| file.sync_all()).map_err(StoreError::io(path))?;
    fs::rename(part, path).map_err(StoreError::io(path))?;
    sync_folder_of(path)
}

/// Syncs the folder of a path: its names.
fn sync_folder_of(path: &Path) -> Result<(), StoreError> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(StoreError::io(folder))
}

/// The name of a file while it is written.
pub(crate) fn hidden(path: &Path) -> PathBuf {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    path.with_file_name(format!(".{name}.part"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_can_not_be_written_is_called_as_the_user_wrote_it() {
        let desk = tempfile::tempdir().unwrap();
        let folder = RunFolder { path: desk.path().to_owned() };
        let path = desk.path().join("nowhere/x.csv");
        let error = folder.put(&path, b"1").unwrap_err().to_string();
        assert!(error.starts_with(&format!("{}: ", path.display())), "{error}");
        // A folder stands there.
        let error = folder.put(desk.path(), b"1").unwrap_err().to_string();
        assert!(!error.contains(".part"), "{error}");
    }

    #[test]
    fn only_who_reads_an_interrupted_run_is_told_to_write_its_report() {
        let desk = tempfile::tempdir().unwrap();
        let error = RunFolder::open(desk.path()).unwrap_err().to_string();
        assert!(error.contains("holds no run") && !error.contains("wiredyno report"), "{error}");
        for name in [REQUEST, STUDY, ENVIRONMENT, PARTS] {
            fs::write(desk.path().join(name), "").unwrap();
        }
        let error = RunFolder::open(desk.path()).unwrap_err().to_string();
        assert!(error.contains(&format!("`wiredyno report {}`", desk.path().display())), "{error}");
    }

    /// A summary with one codec whose metric has these figures.
    fn summary(schema: u32, count: u64) -> String {
        let study =
            "name = \"t\"\nwhy = \"?\"\n[axes]\npayload = [\"small\"]\ncodec = [\"json/serde-json\"]\n";
        let figures = serde_json::json!({
            "unit": "ns", "count": count, "mean": 5.0, "interval_95": [4.0, 6.0], "median": 5.0,
            "median_interval_95": null, "p90": 8.0, "p99": 9.0, "min": 1.0, "max": 10.0, "by_repeat": { "0": 5.0 }
        });
        let text = serde_json::json!({
            "schema": schema,
            "run": {
                "id": "r", "version": "0", "started": "2026-01-01T00:00:00Z", "duration_ns": 1, "lanes": 1,
                "utilisation": 0.0, "complete": true
            },
            "study": Study::parse("t.toml", study).unwrap(),
            "environment": Environment::default(),
            "codecs_described": [], "transports_described": [], "cells": [],
            "codecs": [{
                "axes": { "payload": "small", "codec": "json/serde-json" },
                "trials": 5, "valid_trials": 5, "invalid": [], "metrics": { "encode": figures }
            }],
            "not_run": [], "notes": []
        });
        text.to_string()
    }

    fn read(text: &str) -> Result<Summary, StoreError> {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("summary.json"), text).unwrap();
        RunFolder::open(folder.path()).unwrap().read_summary()
    }

    #[test]
    fn a_run_that_was_cut_off_before_it_had_begun_is_begun_again_and_nothing_else_is_written_over() {
        let desk = tempfile::tempdir().unwrap();
        let path = desk.path().join("r");
        let text =
            "name = \"t\"\nwhy = \"?\"\n[axes]\npayload = [\"small\"]\ncodec = [\"json/serde-json\"]\n";
        let study = Study::parse("t.toml", text).unwrap();
        let create = || RunFolder::create(&path, &study, &Environment::default(), &());
        fs::create_dir(&path).unwrap();
        fs::write(path.join(STUDY), text).unwrap();
        assert!(matches!(create(), Err(StoreError::Exists { .. })), "a study of the user's own");
        // Cut off while the second file was written.
        fs::rename(path.join(STUDY), path.join(format!(".{STUDY}.part"))).unwrap();
        fs::write(path.join(REQUEST), "{}").unwrap();
        assert!(matches!(RunFolder::reopen(&path), Err(StoreError::NotBegun { .. })));
        let (run, hold) = create().unwrap();
        assert!(matches!(run.hold(), Err(StoreError::Held { .. })));
        assert!(matches!(create(), Err(StoreError::Exists { .. })));
        drop(hold);
        assert!(RunFolder::reopen(&path).is_ok() && run.hold().is_ok());
    }

    #[test]
    fn captures_of_trials_that_were_cut_off_go() {
        let desk = tempfile::tempdir().unwrap();
        let run = RunFolder { path: desk.path().to_owned() };
        for trial in [1, 2, 3] {
            let file = run.capture(trial, "small raw/wiredyno mqtt:qos1 lan loss 5%").unwrap();
            assert!(
                file.ends_with(format!(
                    "captures/0000{trial}-small-raw-wiredyno-mqtt-qos1-lan-loss-5.pcapng"
                ))
            );
            fs::write(file, "").unwrap();
        }
        fs::write(desk.path().join("captures/00007.pcapng"), "").unwrap();
        run.keep_captures_of(&[1, 3, 4, 7].into()).unwrap();
        let left = run.captures();
        assert_eq!(left.keys().copied().collect::<Vec<_>>(), [1, 3, 7]);
        assert_eq!(left[&7], "captures/00007.pcapng");
        let long = run.capture(70_000, &"x y".repeat(200)).unwrap();
        let name = long.file_name().unwrap().to_str().unwrap();
        assert!(name.starts_with("70000-x-yx-y") && name.len() < 160, "{name}");
    }

    #[test]
    fn an_older_summary_opens_without_percentiles_of_few_and_a_newer_one_is_refused() {
        for (count, p90, p99) in
            [(99, None, None), (100, Some(8.0), None), (999, Some(8.0), None), (1_000, Some(8.0), Some(9.0))]
        {
            let summary = read(&summary(1, count)).unwrap();
            let encode = &summary.codecs[0].metrics["encode"];
            assert_eq!((encode.p90, encode.p99, encode.max), (p90, p99, 10.0), "{count}");
            assert_eq!(summary.codecs[0].outcomes.complete, 5);
        }
        let error = read(&summary(SUMMARY_SCHEMA + 1, 5)).unwrap_err().to_string();
        assert!(
            error.contains("this version reads layouts up to") && error.contains("another version write it?"),
            "{error}"
        );
    }
}
