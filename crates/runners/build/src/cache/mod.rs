//! Where runners are kept: a folder of the user, below `XDG_CACHE_HOME` or `~/.cache`.
//!
//! | below `wiredyno/` | holds |
//! |---|---|
//! | `runners/<key>/` | a runner: `runner`, its program, or the folder of what was built for one of another language, and `runner.json`, whose time is that of the last use |
//! | `answers/` | what programs of this machine printed about themselves |
//! | `names/<payload>` | the folder that a payload's name stands for, where `wiredyno build` was given it |
//! | `workspace/`, `target/` | what cargo compiles, the program's parts and generated crates, and cargo's own folder; for a program that was built in a checkout both are in the checkout's `target/` |
//! | `cargo.log` | cargo's last output |
//! | `times.json` | how long the last builds took, to estimate the next |
//! | `lock` | held by a process that builds or deletes |
//!
//! A runner is complete or absent: it is built in a temporary sibling, then renamed. A process that has found one holds a shared
//! lock on its record (`flock(2)`, which ends with the process whatever happens to it), and a locked runner is not deleted. By
//! hand everything here can be deleted at any time, except what a run in progress would start next.
//!
//! Limits: a file system without locks, as some network mounts are, does not protect runners in use.
//!
//! One file because finding, keeping and deleting runners must follow the same order of locks and renames.

mod names;

use crate::cache_error::{CacheError, at};
use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use nix::fcntl::{Flock, FlockArg};
use serde::{Deserialize, Serialize};

use crate::answers::Answers;
use crate::composition::Composition;
use crate::pack::Pack;
use crate::{parts, tools, user_folder};

/// How names of folders in preparation begin.
pub(crate) const IN_MAKING: &str = ".making-";

/// What a runner was composed of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Composed {
    /// The key that it is kept under, 32 hexadecimal digits.
    pub key: String,
    /// The payload that it was first built for; others with an equal definition share it.
    pub payload: String,
    /// Digest of the definition, 32 hexadecimal digits.
    pub definition: String,
    /// Ids of its codecs, sorted.
    pub codecs: Vec<String>,
    /// Packages of its transports, sorted.
    pub transports: Vec<String>,
    /// Packages of those compiled with TLS.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub encrypted: Vec<String>,
    /// The runner's name; absent for the composed one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runner: Option<String>,
    /// Whether it reads records from a database.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub records: bool,
    /// The project's crates in it, with digests of their sources.
    pub parts: BTreeMap<String, String>,
    /// Digest of the code that wrote its generated crates.
    pub generator: String,
    /// The compiler, as it prints its version, and the tools of codecs in C and C++.
    pub compiler: String,
    /// Version of the program that built it.
    pub version: String,
    /// Length of its program in bytes: a shorter one was truncated.
    pub bytes: u64,
}

impl Composed {
    pub(crate) fn of(composition: &Composition, compiler: &str) -> Self {
        Composed {
            key: composition.key(compiler),
            payload: composition.payload().to_owned(),
            definition: composition.definition().to_owned(),
            codecs: composition.codecs().map(str::to_owned).collect(),
            transports: composition.transports().map(str::to_owned).collect(),
            encrypted: composition.with_tls().map(str::to_owned).collect(),
            runner: None,
            records: composition.reads_records(),
            parts: composition.parts(),
            generator: parts::GENERATOR.to_owned(),
            compiler: composition.compiler_of(compiler),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            bytes: 0,
        }
    }

    /// Whether it has what a composition asks for, or more, and is built as it would be built now.
    fn serves(&self, composition: &Composition, compiler: &str) -> bool {
        let has = |all: &[String], one: &str| all.iter().any(|known| known == one);
        self.runner.is_none()
            && self.definition == composition.definition()
            && tools::has_all(&self.compiler, &composition.compiler_of(compiler))
            && self.generator == parts::GENERATOR
            && composition.codecs().all(|codec| has(&self.codecs, codec))
            && composition.transports().all(|transport| has(&self.transports, transport))
            && composition.with_tls().all(|transport| has(&self.encrypted, transport))
            && (self.records || !composition.reads_records())
            && self.is_current()
    }

    /// Whether the program still has the sources that it was built from. For one of another language only its folder can tell.
    pub fn is_current(&self) -> bool {
        self.runner.is_some()
            || self.generator == parts::GENERATOR
                && self.parts.iter().all(|(package, digest)| parts::digest(package) == digest)
    }
}

/// A runner in the cache. One that was found or built is not deleted as long as this, or a copy, exists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CachedRunner {
    /// What it was composed of, from `runner.json`.
    pub composed: Composed,
    /// Path of its program, or of the folder of one of another language.
    pub program: PathBuf,
    /// Size of the program, or of all files of the folder.
    pub bytes: u64,
    /// When it was last used.
    pub used: SystemTime,
    held: Held,
}

/// How much a runner contains: the smallest one that serves is chosen.
fn size(kept: &CachedRunner) -> (usize, usize, usize, bool) {
    let Composed { codecs, transports, encrypted, records, .. } = &kept.composed;
    (codecs.len(), transports.len(), encrypted.len(), *records)
}

/// A shared lock on a runner's record, or none. Ignored in comparisons.
#[derive(Debug, Clone, Default)]
struct Held(#[expect(dead_code, reason = "held until it is dropped")] Option<Arc<Flock<File>>>);

impl PartialEq for Held {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Held {}

/// The folder where runners are kept.
#[derive(Debug, Clone)]
pub struct Cache {
    root: PathBuf,
    /// Where to look for runners in addition.
    pack: Option<&'static Pack>,
    /// How the project's own code in them is compiled.
    level: Level,
}

/// How far the compiler optimises what the project and its generators write; libraries are always fully optimised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Like everything that is measured.
    Full,
    /// Not at all: for test suites that check what runners do, and never how long it takes.
    None,
}

impl Cache {
    /// The user's cache, with the runners of the pack that this program is part of.
    ///
    /// # Errors
    /// When the environment does not say where that is.
    pub fn of_user() -> Result<Self, CacheError> {
        Ok(Cache { root: user_folder::cache()?, pack: Pack::here(), level: Level::Full })
    }

    /// A cache in another folder.
    pub fn at(root: PathBuf) -> Self {
        Cache { root, pack: None, level: Level::Full }
    }

    /// The same place for runners compiled with another level; the two are kept apart.
    #[must_use]
    pub fn with_level(self, level: Level) -> Self {
        Cache { level, ..self }
    }

    pub(crate) fn level(&self) -> Level {
        self.level
    }

    /// The folder of the cache.
    pub fn path(&self) -> &Path {
        &self.root
    }

    /// What programs of this machine printed about themselves.
    pub(crate) fn answers(&self) -> Answers {
        Answers::below(&self.root)
    }

    /// A folder inside it, created if missing.
    pub(crate) fn folder(&self, name: &str) -> Result<PathBuf, CacheError> {
        let path = self.root.join(name);
        std::fs::create_dir_all(&path).map_err(at(&path))?;
        Ok(path)
    }

    /// A runner that has what is requested, held; the smallest where there are several. `None` where none has.
    ///
    /// # Errors
    /// When the folder exists and can't be read, or a runner of a pack is damaged.
    pub fn find(
        &self,
        composition: &Composition,
        compiler: &str,
    ) -> Result<Option<CachedRunner>, CacheError> {
        if composition.is_alone() {
            return self.find_exactly(composition, compiler);
        }
        let mut all = self.all()?;
        all.retain(|kept| kept.composed.serves(composition, compiler));
        all.sort_by_key(size);
        // Another process may be deleting one right now: then the next one.
        match (all.into_iter().find_map(hold), self.pack) {
            (None, Some(pack)) => {
                let packed = names_in(&pack.runners())?.into_iter();
                let packed = packed.filter_map(|key| kept(&pack.runners().join(key)));
                let mut all: Vec<CachedRunner> = packed
                    .filter(|kept| kept.composed.serves(composition, &pack.manifest.compiler))
                    .collect();
                all.sort_by_key(size);
                whole(pack, all.into_iter().next())
            }
            (found, _) => Ok(found),
        }
    }

    /// The runner of exactly this composition, held; `None` where there is none.
    ///
    /// # Errors
    /// When a runner of a pack is damaged. An unreadable runner counts as none.
    pub fn find_exactly(
        &self,
        composition: &Composition,
        compiler: &str,
    ) -> Result<Option<CachedRunner>, CacheError> {
        let found = kept(&self.root.join(RUNNERS).join(composition.key(compiler))).and_then(hold);
        match (found, self.pack) {
            (None, Some(pack)) => {
                whole(pack, kept(&pack.runners().join(composition.key(&pack.manifest.compiler))))
            }
            (found, _) => Ok(found),
        }
    }

    /// Copies a runner into a folder of runners that is not a cache's own, such as a pack's.
    ///
    /// # Errors
    /// When a file can't be written.
    pub fn copy_to(kept: &CachedRunner, runners: &Path) -> Result<(), CacheError> {
        let folder = runners.join(&kept.composed.key);
        std::fs::create_dir_all(&folder).map_err(at(&folder))?;
        let record = folder.join(RECORD);
        std::fs::copy(kept.program.with_file_name(RECORD), &record).map_err(at(&record))?;
        let program = folder.join(PROGRAM);
        copy(&kept.program, &program).map_err(at(&program))
    }

    /// All runners, the last used first, none of them held. Incomplete runners are skipped.
    ///
    /// # Errors
    /// When the folder exists and can't be read.
    pub fn all(&self) -> Result<Vec<CachedRunner>, CacheError> {
        let mut all: Vec<CachedRunner> = self.folders()?.iter().filter_map(|folder| kept(folder)).collect();
        all.sort_by_key(|kept| std::cmp::Reverse(kept.used));
        Ok(all)
    }

    /// Records that a runner is used now.
    pub fn touch(&self, kept: &CachedRunner) {
        let record = kept.program.with_file_name(RECORD);
        // It only determines what is deleted first.
        if let Ok(file) = std::fs::File::options().append(true).open(record) {
            let _ = file.set_modified(SystemTime::now());
        }
    }

    /// The folders of runners, complete or not.
    fn folders(&self) -> Result<Vec<PathBuf>, CacheError> {
        let runners = self.root.join(RUNNERS);
        let names = names_in(&runners)?.into_iter().filter(|name| !name.starts_with(IN_MAKING));
        Ok(names.map(|name| runners.join(name)).collect())
    }

    /// Keeps a program that cargo built, and holds it. A complete one with the same key stays, as it is the same, unless it is to
    /// be replaced: then the new one takes its place in one step.
    pub(crate) fn keep(
        &self,
        program: &Path,
        composed: Composed,
        replace: bool,
    ) -> Result<CachedRunner, CacheError> {
        let runners = self.folder(RUNNERS)?;
        let path = runners.join(&composed.key);
        if let Some(whole) = kept(&path).filter(|_| !replace).and_then(hold) {
            return Ok(whole);
        }
        let made = tempfile::TempDir::with_prefix_in(IN_MAKING, &runners).map_err(at(&runners))?;
        let copy = made.path().join(PROGRAM);
        std::fs::copy(program, &copy).map_err(at(&copy))?;
        self.keep_in(made.path(), composed)
    }

    /// Keeps what is in a folder of runners that is [`IN_MAKING`], replacing what was there, and holds it.
    pub(crate) fn keep_in(&self, made: &Path, composed: Composed) -> Result<CachedRunner, CacheError> {
        let path = self.folder(RUNNERS)?.join(&composed.key);
        let (program, record) = (made.join(PROGRAM), made.join(RECORD));
        let bytes = bytes_of(&program).map_err(at(&program))?;
        let text = serde_json::to_vec_pretty(&Composed { bytes, ..composed })
            .map_err(|error| at(&record)(error.into()))?;
        std::fs::write(&record, text).map_err(at(&record))?;
        // Synced before it gets its name: after a crash, what has the name is complete.
        for file in files_of(&program).map_err(at(&program))?.iter().chain([&record]) {
            File::open(file).and_then(|file| file.sync_all()).map_err(at(file))?;
        }
        let held = hold_record(&record).map_err(at(&record))?;
        exchange(made, &path).map_err(at(&path))?;
        let new = kept(&path).ok_or_else(|| at(&path)(io::ErrorKind::NotFound.into()))?;
        Ok(CachedRunner { held, ..new })
    }

    /// The runner with a key, held, in the cache or the pack; `None` where there is none.
    ///
    /// # Errors
    /// When a runner of a pack is damaged. An unreadable runner counts as none.
    pub fn find_by_key(&self, key: &str) -> Result<Option<CachedRunner>, CacheError> {
        match (kept(&self.root.join(RUNNERS).join(key)).and_then(hold), self.pack) {
            (None, Some(pack)) => whole(pack, kept(&pack.runners().join(key))),
            (found, _) => Ok(found),
        }
    }
}

/// Gives a folder another's name; what had that name gets the first name, if there was anything.
fn exchange(new: &Path, path: &Path) -> io::Result<()> {
    match std::fs::rename(new, path) {
        Err(error) if path.exists() => {
            // The C library's wrapper, which only glibc has in every version.
            #[cfg(target_env = "gnu")]
            if nix::fcntl::renameat2(
                nix::fcntl::AT_FDCWD,
                new,
                nix::fcntl::AT_FDCWD,
                path,
                nix::fcntl::RenameFlags::RENAME_EXCHANGE,
            )
            .is_ok()
            {
                return Ok(());
            }
            // Without that call the runner is absent for a moment, but never incomplete.
            let mut old = new.as_os_str().to_owned();
            old.push("-old");
            std::fs::rename(path, &old).map_err(|_| error)?;
            std::fs::rename(new, path)?;
            std::fs::remove_dir_all(&old)
        }
        renamed => renamed,
    }
}

/// The regular files of a path: the path itself, or all below a folder, sorted. Links are not followed.
pub(crate) fn files_of(path: &Path) -> io::Result<Vec<PathBuf>> {
    let (mut files, mut waiting) = (Vec::new(), vec![path.to_owned()]);
    while let Some(path) = waiting.pop() {
        let kind = path.symlink_metadata()?.file_type();
        if kind.is_dir() {
            for entry in std::fs::read_dir(&path)? {
                waiting.push(entry?.path());
            }
        } else if kind.is_file() {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// Bytes of a file, or of all files below a folder.
fn bytes_of(path: &Path) -> io::Result<u64> {
    files_of(path)?.iter().map(|file| Ok(file.symlink_metadata()?.len())).sum()
}

/// Copies a file, or a folder with its contents; links are replaced by their targets.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    if !from.is_dir() {
        return std::fs::copy(from, to).map(|_| ());
    }
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        copy(&entry.path(), &to.join(entry.file_name()))?;
    }
    Ok(())
}

/// The folder of runners; each has its program and record in a folder of its own.
pub(crate) const RUNNERS: &str = "runners";
pub(crate) const PROGRAM: &str = "runner";
const RECORD: &str = "runner.json";

/// The runner in a folder, if it is complete.
fn kept(folder: &Path) -> Option<CachedRunner> {
    let (program, record) = (folder.join(PROGRAM), folder.join(RECORD));
    let composed: Composed = serde_json::from_slice(&std::fs::read(&record).ok()?).ok()?;
    let used = std::fs::metadata(&record).and_then(|data| data.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
    let bytes = bytes_of(&program).ok()?;
    let whole = folder.file_name()?.to_str()? == composed.key && bytes == composed.bytes;
    whole.then_some(CachedRunner { composed, program, bytes, used, held: Held::default() })
}

/// A runner of a pack, if it is still the one that was packed.
fn whole(pack: &Pack, found: Option<CachedRunner>) -> Result<Option<CachedRunner>, CacheError> {
    match found {
        Some(kept) if !is_whole(pack, &kept.program) => Err(CacheError::Damaged { path: kept.program }),
        found => Ok(found.and_then(hold)),
    }
}

/// Whether a program, or all files of its folder, match what was packed.
fn is_whole(pack: &Pack, program: &Path) -> bool {
    files_of(program).is_ok_and(|files| files.iter().all(|file| pack.is_whole(file)))
}

/// The same runner, held; `None` where it was deleted in the meantime.
fn hold(kept: CachedRunner) -> Option<CachedRunner> {
    let record = kept.program.with_file_name(RECORD);
    Some(CachedRunner { held: hold_record(&record).ok()?, ..kept })
}

/// Takes the shared lock on a record, and checks that the record is still the same file then.
fn hold_record(record: &Path) -> io::Result<Held> {
    let file = File::open(record)?;
    let own = file.metadata()?.ino();
    // Waits at most while another process removes it. Without locks there is nothing to wait for.
    let lock = Flock::lock(file, FlockArg::LockShared).ok();
    if std::fs::metadata(record)?.ino() != own {
        return Err(io::ErrorKind::NotFound.into());
    }
    Ok(Held(lock.map(Arc::new)))
}

/// The names in a folder; empty where the folder does not exist.
pub(crate) fn names_in(folder: &Path) -> Result<Vec<String>, CacheError> {
    match std::fs::read_dir(folder) {
        Ok(entries) => {
            Ok(entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect())
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(at(folder)(error)),
    }
}

#[cfg(test)]
mod tests;
