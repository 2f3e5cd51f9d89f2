//! Where runners are kept: a folder of the user's, below `XDG_CACHE_HOME` or `~/.cache`.
//!
//! | below `wiredyno/` | holds |
//! |---|---|
//! | `runners/<key>/` | a runner: `runner`, `runner.json`; the time of the latter is that of its last use |
//! | `names/<payload>` | the folder that a payload's name means, where `wiredyno build` was given it |
//! | `workspace/`, `target/` | what cargo compiles, the program's parts and generated crates, and cargo's own folder; of a program that was built in a checkout both are in the checkout's `target/` |
//! | `cargo.log` | what cargo said last |
//!
//! A runner is whole or not there: it is made beside and renamed. Everything here can be deleted at any time.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use crate::composition::Composition;
use crate::parts;

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

/// What a runner was composed of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Composed {
    /// What it is kept under.
    pub key: String,
    /// The payload that it was first built for; others of an equal definition share it.
    pub payload: String,
    /// Digest of the definition.
    pub definition: String,
    /// Ids of its codecs.
    pub codecs: Vec<String>,
    /// Packages of its transports.
    pub transports: Vec<String>,
    /// The project's crates in it, with digests of their sources.
    pub parts: BTreeMap<String, String>,
    /// Digest of what wrote its generated crates.
    pub generator: String,
    /// The compiler, as it says it.
    pub compiler: String,
    /// Version of the program that built it.
    pub version: String,
}

impl Composed {
    pub(crate) fn of(composition: &Composition, compiler: &str) -> Self {
        Composed {
            key: composition.key(compiler),
            payload: composition.payload().to_owned(),
            definition: composition.definition().to_owned(),
            codecs: composition.codecs().map(str::to_owned).collect(),
            transports: composition.transports().map(str::to_owned).collect(),
            parts: composition.parts(),
            generator: parts::GENERATOR.to_owned(),
            compiler: compiler.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }

    /// Whether it is what a composition asks for, or more, built as it would be built now.
    fn serves(&self, composition: &Composition, compiler: &str) -> bool {
        let has = |all: &[String], one: &str| all.iter().any(|known| known == one);
        self.definition == composition.definition()
            && self.compiler == compiler
            && self.generator == parts::GENERATOR
            && composition.codecs().all(|codec| has(&self.codecs, codec))
            && composition.transports().all(|transport| has(&self.transports, transport))
            && self.is_current()
    }

    /// Whether the program still has the sources that it was built of.
    pub fn is_current(&self) -> bool {
        self.generator == parts::GENERATOR
            && self.parts.iter().all(|(package, digest)| parts::digest(package) == digest)
    }
}

/// A runner that is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// What it was composed of.
    pub composed: Composed,
    /// Its program.
    pub program: PathBuf,
    /// The program's size.
    pub bytes: u64,
    /// When it was last used.
    pub used: SystemTime,
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

    /// A runner that has what is asked for; the smallest where there are several. `None` where none has.
    ///
    /// # Errors
    /// When the folder is there and can't be read.
    pub fn find(&self, composition: &Composition, compiler: &str) -> Result<Option<Kept>, CacheError> {
        let mut all = self.all()?;
        all.retain(|kept| kept.composed.serves(composition, compiler));
        Ok(all.into_iter().min_by_key(|kept| (kept.composed.codecs.len(), kept.composed.transports.len())))
    }

    /// The runner of just this composition; `None` where there is none.
    ///
    /// # Errors
    /// When the folder is there and can't be read.
    pub fn find_exactly(
        &self,
        composition: &Composition,
        compiler: &str,
    ) -> Result<Option<Kept>, CacheError> {
        let key = composition.key(compiler);
        Ok(self.all()?.into_iter().find(|kept| kept.composed.key == key))
    }

    /// All runners, the one used last first. What is no whole runner is passed over.
    ///
    /// # Errors
    /// When the folder is there and can't be read.
    pub fn all(&self) -> Result<Vec<Kept>, CacheError> {
        let runners = self.root.join("runners");
        let names = names_in(&runners)?.into_iter().filter(|name| !name.starts_with(IN_MAKING));
        let mut all: Vec<Kept> = names.filter_map(|name| kept(&runners.join(name))).collect();
        all.sort_by_key(|kept| std::cmp::Reverse(kept.used));
        Ok(all)
    }

    /// Says that a runner is used now.
    pub fn touch(&self, kept: &Kept) {
        let record = kept.program.with_file_name(RECORD);
        // Only what is deleted first hangs on it.
        if let Ok(file) = std::fs::File::options().append(true).open(record) {
            let _ = file.set_modified(SystemTime::now());
        }
    }

    /// Deletes runners, those not used for longest first, until what is left takes at most so many bytes. Gives those deleted.
    ///
    /// # Errors
    /// When one can't be deleted.
    pub fn limit(&self, most_bytes: u64) -> Result<Vec<Kept>, CacheError> {
        let (mut total, mut deleted) = (0, Vec::new());
        for kept in self.all()? {
            total += kept.bytes;
            if total > most_bytes {
                self.delete(&kept)?;
                deleted.push(kept);
            }
        }
        Ok(deleted)
    }

    /// Deletes a runner.
    ///
    /// # Errors
    /// When that is not possible.
    pub fn delete(&self, kept: &Kept) -> Result<(), CacheError> {
        let folder = self.root.join("runners").join(&kept.composed.key);
        std::fs::remove_dir_all(&folder).map_err(at(&folder))
    }

    /// The folder that a payload's name means, where `wiredyno build` was given it; `None` where there is none.
    ///
    /// # Errors
    /// When it is noted and can't be read.
    pub fn folder_of(&self, payload: &str) -> Result<Option<PathBuf>, CacheError> {
        let path = self.root.join("names").join(payload);
        match std::fs::read_to_string(&path) {
            Ok(text) => Ok(Some(PathBuf::from(text.trim_end_matches('\n')))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(at(&path)(error)),
        }
    }

    /// The payloads whose folders are noted, with these.
    ///
    /// # Errors
    /// When a note can't be read.
    pub fn names(&self) -> Result<Vec<(String, PathBuf)>, CacheError> {
        let mut names = names_in(&self.root.join("names"))?;
        names.retain(|name| !name.starts_with('.'));
        names.sort();
        let noted = |name: String| Ok(self.folder_of(&name)?.map(|folder| (name, folder)));
        names.into_iter().filter_map(|name| noted(name).transpose()).collect()
    }

    /// Notes the folder that a payload's name means from now on. Gives the one that it meant before, where that was another.
    ///
    /// # Errors
    /// When that can't be written.
    pub fn name(&self, payload: &str, folder: &Path) -> Result<Option<PathBuf>, CacheError> {
        let before = self.folder_of(payload)?;
        let names = self.folder("names")?;
        let path = names.join(payload);
        let write = || {
            let mut file = tempfile::NamedTempFile::new_in(&names)?;
            io::Write::write_all(&mut file, format!("{}\n", folder.display()).as_bytes())?;
            file.persist(&path).map_err(|error| error.error)
        };
        write().map_err(at(&path))?;
        Ok(before.filter(|before| before != folder))
    }

    /// Forgets a payload: the note of its folder, and the runners that were built for it. Gives how many those were.
    ///
    /// # Errors
    /// When something can't be deleted.
    pub fn remove(&self, payload: &str) -> Result<usize, CacheError> {
        let path = self.root.join("names").join(payload);
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(at(&path)(error)),
            _ => {}
        }
        let mut all = self.all()?;
        all.retain(|kept| kept.composed.payload == payload);
        all.iter().try_for_each(|kept| self.delete(kept))?;
        Ok(all.len())
    }

    /// Takes away what a build that was killed has left. To be called by who holds the lock.
    pub(crate) fn sweep(&self) -> Result<(), CacheError> {
        let runners = self.root.join("runners");
        for name in names_in(&runners)?.iter().filter(|name| name.starts_with(IN_MAKING)) {
            let path = runners.join(name);
            std::fs::remove_dir_all(&path).map_err(at(&path))?;
        }
        Ok(())
    }

    /// Keeps a program that cargo made. One of the same key is replaced.
    pub(crate) fn keep(&self, program: &Path, composed: Composed) -> Result<Kept, CacheError> {
        let runners = self.folder("runners")?;
        let made = tempfile::TempDir::with_prefix_in(IN_MAKING, &runners).map_err(at(&runners))?;
        let copy = made.path().join(PROGRAM);
        std::fs::copy(program, &copy).map_err(at(&copy))?;
        let record = made.path().join(RECORD);
        let text = serde_json::to_vec_pretty(&composed).map_err(|error| at(&record)(error.into()))?;
        std::fs::write(&record, text).map_err(at(&record))?;
        let path = runners.join(&composed.key);
        if path.exists() {
            std::fs::remove_dir_all(&path).map_err(at(&path))?;
        }
        std::fs::rename(made.path(), &path).map_err(at(&path))?;
        // It is not there any more under its first name.
        let _ = made.keep();
        kept(&path).ok_or_else(|| at(&path)(io::ErrorKind::NotFound.into()))
    }
}

/// A runner's program and record in its folder.
const PROGRAM: &str = "runner";
const RECORD: &str = "runner.json";

/// The runner in a folder, if it is a whole one.
fn kept(folder: &Path) -> Option<Kept> {
    let (program, record) = (folder.join(PROGRAM), folder.join(RECORD));
    let composed: Composed = serde_json::from_slice(&std::fs::read(&record).ok()?).ok()?;
    let used = std::fs::metadata(&record).and_then(|data| data.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
    let bytes = std::fs::metadata(&program).ok()?.len();
    (folder.file_name()?.to_str()? == composed.key).then_some(Kept { composed, program, bytes, used })
}

/// Attaches the path to a system error.
pub(crate) fn at(path: &Path) -> impl FnOnce(io::Error) -> CacheError + use<> {
    let path = path.to_owned();
    move |reason| CacheError::Io { path, reason }
}

/// The names in a folder; none where there is no folder.
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
mod tests {
    use super::*;
    use std::time::Duration;
    use wiredyno_payloads::{Payload, PayloadFolder};

    const RUSTC: &str = "rustc 1";

    fn composition(codecs: &[&str]) -> Composition {
        let payload = Payload::open(PayloadFolder::bundled("person").unwrap(), None).unwrap();
        let codecs = codecs.iter().map(|id| wiredyno_codecs::find(&id.parse().unwrap()).unwrap());
        Composition::new(&payload, codecs, [])
    }

    fn keep(cache: &Cache, composition: &Composition) -> Kept {
        let program = cache.folder("").unwrap().join("program");
        std::fs::write(&program, "0123456789").unwrap();
        cache.keep(&program, Composed::of(composition, RUSTC)).unwrap()
    }

    #[test]
    fn a_runner_serves_who_asks_for_as_much_or_less_of_the_same() {
        let desk = tempfile::tempdir().unwrap();
        let cache = Cache::at(desk.path().into());
        let (one, two) =
            (composition(&["json/serde-json"]), composition(&["json/serde-json", "protobuf/prost"]));
        assert_eq!(cache.find(&one, RUSTC).unwrap(), None);
        let kept = keep(&cache, &two);
        assert_eq!(cache.find(&one, RUSTC).unwrap().unwrap(), kept);
        assert_eq!(cache.find_exactly(&one, RUSTC).unwrap(), None);
        assert_eq!(cache.find(&two, "rustc 2").unwrap(), None);
        let smaller = keep(&cache, &one);
        assert_eq!(cache.find(&one, RUSTC).unwrap().unwrap(), smaller);
        assert_eq!(cache.find(&composition(&["cbor/ciborium"]), RUSTC).unwrap(), None);
        // Of other sources than the program has.
        let mut old = Composed::of(&two, RUSTC);
        old.parts.insert("wiredyno-codec-json".into(), "0".into());
        std::fs::write(kept.program.with_file_name(RECORD), serde_json::to_vec(&old).unwrap()).unwrap();
        assert_eq!(cache.find(&two, RUSTC).unwrap(), None);
    }

    #[test]
    fn what_is_cut_short_is_no_runner() {
        let desk = tempfile::tempdir().unwrap();
        let cache = Cache::at(desk.path().into());
        let one = composition(&["json/serde-json"]);
        let kept = keep(&cache, &one);
        std::fs::write(kept.program.with_file_name(RECORD), "{\"key\":").unwrap();
        assert_eq!(cache.find(&one, RUSTC).unwrap(), None);
        let kept = keep(&cache, &one);
        std::fs::remove_file(&kept.program).unwrap();
        assert_eq!(cache.find(&one, RUSTC).unwrap(), None);
        let left = cache.folder("runners").unwrap().join(".making-7");
        std::fs::create_dir(&left).unwrap();
        cache.sweep().unwrap();
        assert!(!left.exists());
    }

    #[test]
    fn what_was_not_used_for_longest_goes_first() {
        let desk = tempfile::tempdir().unwrap();
        let cache = Cache::at(desk.path().into());
        let all = ["json/serde-json", "cbor/ciborium", "bson/bson"].map(|codec| composition(&[codec]));
        for (age, composition) in all.iter().enumerate() {
            let kept = keep(&cache, composition);
            let record =
                std::fs::File::options().append(true).open(kept.program.with_file_name(RECORD)).unwrap();
            record.set_modified(SystemTime::now() - Duration::from_secs(60 * (age as u64 + 1))).unwrap();
        }
        cache.touch(&cache.find(&all[2], RUSTC).unwrap().unwrap());
        let deleted = cache.limit(25).unwrap();
        assert_eq!(deleted.len(), 1);
        assert_eq!(deleted[0].composed.codecs, ["cbor/ciborium"]);
        assert_eq!(cache.all().unwrap().len(), 2);
    }

    #[test]
    fn a_name_means_the_folder_noted_last_and_can_be_forgotten() {
        let desk = tempfile::tempdir().unwrap();
        let cache = Cache::at(desk.path().into());
        assert_eq!(cache.folder_of("trips").unwrap(), None);
        assert_eq!(cache.name("trips", Path::new("/a/trips")).unwrap(), None);
        assert_eq!(cache.name("trips", Path::new("/b/trips")).unwrap(), Some("/a/trips".into()));
        assert_eq!(cache.names().unwrap(), [("trips".to_owned(), PathBuf::from("/b/trips"))]);
        assert_eq!(cache.remove("trips").unwrap(), 0);
        assert_eq!(cache.names().unwrap(), []);
    }
}
