//! Where runners are kept: a folder of the user's, below `XDG_CACHE_HOME` or `~/.cache`.
//!
//! | below `wiredyno/` | holds |
//! |---|---|
//! | `builds/<digest>/` | a runner: `runner`, `build.json` |
//! | `names/<payload>.json` | which build a payload's name means now, and the folder it was made of |
//! | `sources/<digest>/` | the program's sources, unpacked |
//! | `target/` | cargo's own: libraries are compiled once for all payloads |
//! | `logs/<payload>.log` | what cargo said last |
//!
//! A build is whole or not there: it is made beside and renamed. Everything here can be deleted at any time.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use wiredyno_runner_wire::PayloadDescription;

use crate::folder::{FolderError, PayloadFolder};
use crate::sources;

/// Begins the names of folders that are being made.
pub(crate) const IN_MAKING: &str = ".making-";

/// Why the cache can't be used.
#[derive(Debug, thiserror::Error)]
pub enum CacheError {
    /// Nobody says where it is.
    #[error("neither XDG_CACHE_HOME nor HOME is set: set one of them, runners are kept below it")]
    Nowhere,
    /// A file or folder.
    #[error("{path}: {reason}; nothing there is needed, it can be deleted and built again")]
    Io {
        /// Which.
        path: PathBuf,
        /// What the system said.
        reason: io::Error,
    },
}

/// A runner that was built, and of what.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Build {
    /// The digest it is kept under.
    pub digest: String,
    /// Digests of the folder's files when it was built.
    pub files: BTreeMap<String, String>,
    /// Digest of the program's sources that it was built of.
    pub sources: String,
    /// Version of the program.
    pub version: String,
    /// The payload, as its runner describes it.
    pub description: PayloadDescription,
}

/// What a name means.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Named {
    digest: String,
    folder: PathBuf,
}

/// How a build stands to the folder it was made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// It is what a build now would give.
    Current,
    /// The folder has gone, or is no payload's any more; the build is used as it is.
    Orphaned,
    /// Something has changed since: what, in words.
    Stale(String),
}

/// A payload's name with the build that it means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedBuild {
    /// The build.
    pub build: Build,
    /// The folder, absolute.
    pub folder: PathBuf,
    /// The runner's program.
    pub runner: PathBuf,
}

impl NamedBuild {
    /// How it stands to its folder now.
    ///
    /// # Errors
    /// When the folder is there and can't be read.
    pub fn state(&self) -> Result<State, FolderError> {
        if self.build.sources != sources::DIGEST {
            return Ok(State::Stale(format!("it was built by another wiredyno, {}", self.build.version)));
        }
        let folder = match PayloadFolder::read(&self.folder) {
            Ok(folder) => folder,
            Err(error @ FolderError::Read { .. }) => return Err(error),
            Err(_) => return Ok(State::Orphaned),
        };
        let now = folder.digests();
        let differs = |file: &&String| now.get(*file) != self.build.files.get(*file);
        let mut changed: Vec<&str> =
            now.keys().chain(self.build.files.keys()).filter(differs).map(String::as_str).collect();
        changed.sort_unstable();
        changed.dedup();
        if changed.is_empty() {
            return Ok(State::Current);
        }
        Ok(State::Stale(format!("{} changed since", changed.join(" and "))))
    }
}

/// The place where runners are kept.
#[derive(Debug, Clone)]
pub struct Cache {
    root: PathBuf,
}

impl Cache {
    /// The user's.
    ///
    /// # Errors
    /// When the environment does not say where that is.
    pub fn of_user() -> Result<Self, CacheError> {
        // The XDG Base Directory Specification: relative paths are to be ignored.
        let absolute = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let base = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")));
        Ok(Cache { root: base.ok_or(CacheError::Nowhere)?.join("wiredyno") })
    }

    /// One below another folder.
    pub fn at(root: PathBuf) -> Self {
        Cache { root }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.root
    }

    /// A folder of it, made where it is missing.
    pub(crate) fn folder(&self, name: &str) -> Result<PathBuf, CacheError> {
        let path = self.root.join(name);
        std::fs::create_dir_all(&path).map_err(at(&path))?;
        Ok(path)
    }

    fn name_file(&self, payload: &str) -> PathBuf {
        self.root.join("names").join(format!("{payload}.json"))
    }

    /// The build of a digest; `None` where there is none.
    ///
    /// # Errors
    /// When it is there and can't be read.
    pub fn build(&self, digest: &str) -> Result<Option<Build>, CacheError> {
        read_json(&self.root.join("builds").join(digest).join("build.json"))
    }

    /// The build that a payload's name means; `None` where there is none.
    ///
    /// # Errors
    /// When it is there and can't be read.
    pub fn find(&self, payload: &str) -> Result<Option<NamedBuild>, CacheError> {
        let Some(Named { digest, folder }) = read_json(&self.name_file(payload))? else {
            return Ok(None);
        };
        let runner = self.root.join("builds").join(&digest).join("runner");
        Ok(self.build(&digest)?.map(|build| NamedBuild { build, folder, runner }))
    }

    /// All named builds, by name.
    ///
    /// # Errors
    /// When one can't be read.
    pub fn all(&self) -> Result<Vec<NamedBuild>, CacheError> {
        let mut names = names_in(&self.root.join("names"))?;
        names.sort();
        let payloads = names.iter().filter_map(|name| name.strip_suffix(".json"));
        payloads.filter_map(|payload| self.find(payload).transpose()).collect()
    }

    /// Says what a payload's name means from now on. Returns the folder that it meant before, where that was another.
    ///
    /// # Errors
    /// When that can't be written.
    pub fn name(&self, folder: &PayloadFolder, digest: &str) -> Result<Option<PathBuf>, CacheError> {
        let path = self.name_file(&folder.name);
        let before: Option<Named> = read_json(&path)?;
        let parent = self.folder("names")?;
        write_json(&parent, &path, &Named { digest: digest.to_owned(), folder: folder.path.clone() })?;
        Ok(before.map(|before| before.folder).filter(|before| *before != folder.path))
    }

    /// Forgets a payload: its name and every build of that name. Returns how many builds there were.
    ///
    /// # Errors
    /// When something can't be deleted.
    pub fn remove(&self, payload: &str) -> Result<usize, CacheError> {
        let path = self.name_file(payload);
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(at(&path)(error)),
            _ => {}
        }
        let builds = self.root.join("builds");
        let mut removed = 0;
        for digest in names_in(&builds)? {
            if self.build(&digest)?.is_some_and(|build| build.description.name == payload) {
                let path = builds.join(&digest);
                std::fs::remove_dir_all(&path).map_err(at(&path))?;
                removed += 1;
            }
        }
        Ok(removed)
    }

    /// Takes away what a build that was killed has left. To be called by who holds the lock.
    pub(crate) fn sweep(&self) -> Result<(), CacheError> {
        for folder in ["builds", "sources"].map(|name| self.root.join(name)) {
            for name in names_in(&folder)?.iter().filter(|name| name.starts_with(IN_MAKING)) {
                let path = folder.join(name);
                std::fs::remove_dir_all(&path).map_err(at(&path))?;
            }
        }
        Ok(())
    }

    /// Keeps a build that was made in a folder beside the others. One of the same digest is replaced.
    pub(crate) fn keep(&self, made: &Path, build: &Build) -> Result<(), CacheError> {
        write_json(made, &made.join("build.json"), build)?;
        let path = self.root.join("builds").join(&build.digest);
        if path.exists() {
            std::fs::remove_dir_all(&path).map_err(at(&path))?;
        }
        std::fs::rename(made, &path).map_err(at(&path))
    }
}

/// Attaches the path to a system error.
pub(crate) fn at(path: &Path) -> impl FnOnce(io::Error) -> CacheError {
    let path = path.to_owned();
    move |reason| CacheError::Io { path, reason }
}

/// The names in a folder; none where there is no folder.
fn names_in(folder: &Path) -> Result<Vec<String>, CacheError> {
    match std::fs::read_dir(folder) {
        Ok(entries) => {
            Ok(entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect())
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(at(folder)(error)),
    }
}

fn read_json<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, CacheError> {
    match std::fs::read(path) {
        Ok(bytes) => serde_json::from_slice(&bytes).map(Some).map_err(|error| at(path)(error.into())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(at(path)(error)),
    }
}

/// Written beside and renamed, so that nobody reads a half of it.
fn write_json(folder: &Path, path: &Path, value: &impl Serialize) -> Result<(), CacheError> {
    let write = || {
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        serde_json::to_writer_pretty(&mut file, value)?;
        file.persist(path).map_err(|error| error.error)
    };
    write().map(|_| ()).map_err(at(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cache with a build of a folder `trips` beside it, without a program in it.
    fn built() -> (tempfile::TempDir, Cache, PayloadFolder) {
        let desk = tempfile::tempdir().unwrap();
        let path = desk.path().join("trips");
        std::fs::create_dir(&path).unwrap();
        std::fs::write(path.join("message.proto"), "syntax = \"proto3\"; message A { uint32 x = 1; }")
            .unwrap();
        std::fs::write(path.join("samples.jsonl"), "{\"x\":1}\n").unwrap();
        let folder = PayloadFolder::read(&path).unwrap();
        let cache = Cache::at(desk.path().join("cache"));
        keep(&cache, &folder);
        (desk, cache, folder)
    }

    fn keep(cache: &Cache, folder: &PayloadFolder) {
        let made = cache.folder("builds").unwrap().join(".making-1");
        std::fs::create_dir(&made).unwrap();
        let description = PayloadDescription {
            name: folder.name.clone(),
            sized: false,
            about: String::new(),
            definition: folder.definition(),
            samples: 1,
            not_carried: Vec::new(),
            no_dictionary: None,
        };
        let digest = folder.build_digest();
        let sources = sources::DIGEST.to_owned();
        let build = Build { digest, files: folder.digests(), sources, version: "0".into(), description };
        cache.keep(&made, &build).unwrap();
        cache.name(folder, &build.digest).unwrap();
    }

    #[test]
    fn a_build_is_current_until_its_folder_or_the_program_changes() {
        let (_desk, cache, folder) = built();
        let named = cache.find("trips").unwrap().unwrap();
        assert_eq!(named.state().unwrap(), State::Current);
        std::fs::write(folder.path.join("README.md"), "words").unwrap();
        assert_eq!(named.state().unwrap(), State::Current);
        std::fs::write(folder.path.join("generator.toml"), "seed = 1").unwrap();
        std::fs::write(folder.path.join("samples.jsonl"), "{\"x\":2}\n").unwrap();
        let State::Stale(why) = named.state().unwrap() else { panic!() };
        assert_eq!(why, "generator.toml and samples.jsonl changed since");
        std::fs::remove_dir_all(&folder.path).unwrap();
        assert_eq!(named.state().unwrap(), State::Orphaned);
        let mut other = named;
        other.build.sources = "0".into();
        assert!(matches!(other.state().unwrap(), State::Stale(why) if why.contains("another wiredyno")));
    }

    #[test]
    fn a_name_means_the_folder_built_last_and_can_be_forgotten() {
        let (desk, cache, folder) = built();
        assert!(cache.find("trip").unwrap().is_none());
        let elsewhere = desk.path().join("elsewhere/trips");
        folder.copy_to(&elsewhere).unwrap();
        let elsewhere = PayloadFolder::read(&elsewhere).unwrap();
        assert_eq!(elsewhere.build_digest(), folder.build_digest());
        assert_eq!(cache.name(&elsewhere, &elsewhere.build_digest()).unwrap(), Some(folder.path));
        assert_eq!(cache.all().unwrap().len(), 1);
        assert_eq!(cache.remove("trips").unwrap(), 1);
        assert_eq!((cache.all().unwrap().len(), cache.remove("trips").unwrap()), (0, 0));
    }

    #[test]
    fn what_a_killed_build_left_is_swept_and_nothing_else() {
        let (_desk, cache, _folder) = built();
        let left = cache.folder("builds").unwrap().join(".making-7");
        std::fs::create_dir(&left).unwrap();
        cache.sweep().unwrap();
        assert!(!left.exists());
        assert!(cache.find("trips").unwrap().is_some());
    }
}
