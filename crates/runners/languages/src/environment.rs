//! Prepares a folder for use: writes its files to disk, creates its environment, and gives the command that starts it.
//!
//! One file because preparing, listing and deleting an environment share its layout on disk.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use nix::fcntl::{Flock, FlockArg};
use wiredyno_build::{Bench, BuildError, BuildStep, Cache, CachedRunner, Workshop};
use wiredyno_contract::Span;
use wiredyno_payloads::Payload;

use crate::build_order::Building;
use crate::command::Task;
use crate::folder::RunnerFolder;
use crate::places;
use crate::set_up_error::{SetUpError, at};

/// Where environments are kept, below the cache.
const LANGUAGES: &str = "languages";

/// The marker file of a complete environment.
const WHOLE: &str = "whole";

/// A runner that is ready to start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadyRunner {
    /// The name of its folder.
    pub runner: String,
    /// Program and arguments.
    pub start: Vec<String>,
    /// The version of its language.
    pub language_version: String,
    /// Digest that identifies it, its language and what was built.
    pub key: String,
    /// What was built for the definition, held in the cache; `None` where nothing is built.
    pub kept: Option<CachedRunner>,
}

impl ReadyRunner {
    /// The command that starts it.
    pub fn command(&self) -> Command {
        let mut words = self.start.iter();
        let mut command = Command::new(words.next().map_or("", String::as_str));
        command.args(words);
        command
    }
}

/// A prepared environment, with the files of the folder that it belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptEnvironment {
    /// The runner's name.
    pub runner: String,
    /// Size of all its files, in bytes.
    pub bytes: u64,
    /// Whether the runner found under that name now, with the version of its language, would use it.
    pub is_current: bool,
    home: PathBuf,
}

impl KeptEnvironment {
    /// All environments in a cache, sorted by name.
    ///
    /// # Errors
    /// When a folder can't be read, or a runner's folder is broken.
    pub fn all(cache: &Cache) -> Result<Vec<Self>, SetUpError> {
        let mut current = Vec::new();
        for folder in crate::all()? {
            // Without its language none of its environments can be used, but the language may come back.
            let key = folder.language_version().and_then(|version| folder.key(&version));
            current.push(folder.home(cache, &key.unwrap_or_default()).path);
        }
        let languages = cache.path().join(LANGUAGES);
        let entries = match fs::read_dir(&languages) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(at(&languages))?,
        };
        let mut all = Vec::new();
        for home in entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()) {
            let name = home.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let Some((runner, _)) = name.rsplit_once('-') else { continue };
            let is_current = current.iter().any(|other| {
                *other == home || other.to_string_lossy() == format!("{}-", languages.join(runner).display())
            });
            all.push(KeptEnvironment {
                runner: runner.to_owned(),
                bytes: size(&home).map_err(at(&home))?,
                is_current,
                home,
            });
        }
        all.sort_by(|a, b| a.home.cmp(&b.home));
        Ok(all)
    }

    /// Deletes it. Only for an environment that no runner uses any more.
    ///
    /// # Errors
    /// When a file can't be deleted.
    pub fn delete(&self) -> Result<(), SetUpError> {
        remove(&self.home)?;
        match fs::remove_file(self.home.with_extension("lock")) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(at(&self.home)(error)),
            _ => Ok(()),
        }
    }
}

/// Bytes of all files below a folder; targets of links are not counted.
fn size(folder: &Path) -> io::Result<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let data = entry.path().symlink_metadata()?;
        bytes += if data.is_dir() { size(&entry.path())? } else { data.len() };
    }
    Ok(bytes)
}

/// Where a runner's files and its environment are. The environment is never moved once created: it may contain its own path.
struct Home {
    path: PathBuf,
    folder: PathBuf,
}

impl Home {
    fn environment(&self) -> PathBuf {
        self.path.join("environment")
    }

    /// What the placeholders in commands stand for.
    fn values(&self) -> Vec<(&'static str, String)> {
        vec![
            (places::FOLDER, self.folder.display().to_string()),
            (places::ENVIRONMENT, self.environment().display().to_string()),
        ]
    }
}

impl RunnerFolder {
    /// Whether nothing is left to prepare before it can start for a payload.
    ///
    /// # Errors
    /// When its language is missing, it can't be built for the payload's definition, or the cache can't be read.
    pub fn is_ready(&self, cache: &Cache, payload: &Payload) -> Result<bool, SetUpError> {
        match Building::new(self, payload)? {
            None => self.has_environment(cache),
            Some(building) => {
                let version = self.language_version()?;
                let ordered = building.ordered(&self.key(&version)?, &version);
                let there = cache.find_by_key(&ordered.key).map_err(BuildError::from)?.is_some();
                Ok(there && (!self.starts_in_environment() || self.has_environment(cache)?))
            }
        }
    }

    /// Whether what is prepared once for all definitions exists, or nothing is needed.
    ///
    /// # Errors
    /// When its language is missing.
    pub fn has_environment(&self, cache: &Cache) -> Result<bool, SetUpError> {
        let key = self.key(&self.language_version()?)?;
        Ok(self.declared.environment.is_none() || self.home(cache, &key).path.join(WHOLE).is_file())
    }

    /// Whether something is built for each definition.
    pub fn is_built(&self) -> bool {
        self.declared.definition.is_some()
    }

    /// Whether what is built for a definition is enough to start it, so that it can run where its language is not installed.
    pub fn stands_alone(&self) -> bool {
        let program = self.declared.start.first().is_some_and(|word| word.starts_with(places::BUILT));
        self.is_built() && program && !self.starts_in_environment()
    }

    fn starts_in_environment(&self) -> bool {
        places::names(&self.declared.start, places::ENVIRONMENT)
    }

    fn home(&self, cache: &Cache, key: &str) -> Home {
        let path = cache.path().join(LANGUAGES).join(format!("{}-{key}", self.name));
        Home { folder: self.path.clone().unwrap_or_else(|| path.join("folder")), path }
    }

    /// Prepares it for a payload where necessary: writes the files of a bundled runner, creates the environment, and builds for the
    /// definition. `prepare` makes sure that started processes end with this program; `tell` receives progress messages.
    ///
    /// # Errors
    /// When the language is missing, a command fails, or the user cancels. Incomplete results are removed.
    pub fn make_ready(
        &self,
        payload: &Payload,
        cache: &Cache,
        prepare: &dyn Fn(&mut Command),
        interrupted: &dyn Fn() -> bool,
        tell: &mut dyn FnMut(BuildStep),
    ) -> Result<ReadyRunner, SetUpError> {
        self.provide(payload, &Workshop { cache, prepare, interrupted }, false, tell)
    }

    /// As [`RunnerFolder::make_ready`], but rebuilds for the definition even if the result exists.
    ///
    /// # Errors
    /// As there.
    pub fn build_again(
        &self,
        payload: &Payload,
        workshop: &Workshop<'_>,
        tell: &mut dyn FnMut(BuildStep),
    ) -> Result<ReadyRunner, SetUpError> {
        self.provide(payload, workshop, true, tell)
    }

    fn provide(
        &self,
        payload: &Payload,
        workshop: &Workshop<'_>,
        again: bool,
        tell: &mut dyn FnMut(BuildStep),
    ) -> Result<ReadyRunner, SetUpError> {
        let language_version = self.language_version()?;
        let key = self.key(&language_version)?;
        let home = self.home(workshop.cache, &key);
        let mut values = home.values();
        let ready = |key: String, values: &[(&str, String)], kept: Option<CachedRunner>| ReadyRunner {
            runner: self.name.clone(),
            start: places::filled(&self.declared.start, values),
            language_version: language_version.clone(),
            key,
            kept,
        };
        let Some(building) = Building::new(self, payload)? else {
            self.make_environment(&home, workshop, tell)?;
            return Ok(ready(key, &values, None));
        };
        let ordered = building.ordered(&key, &language_version);
        let found = workshop.cache.find_by_key(&ordered.key).map_err(BuildError::from)?;
        let kept = match found.filter(|_| !again) {
            Some(kept) => {
                workshop.cache.touch(&kept);
                if self.starts_in_environment() {
                    self.make_environment(&home, workshop, tell)?;
                } else if self.path.is_none() && places::names(&self.declared.start, places::FOLDER) {
                    self.write(&home.folder)?;
                }
                kept
            }
            None => {
                self.make_environment(&home, workshop, tell)?;
                let fill = |bench: &Bench, tell: &mut dyn FnMut(BuildStep)| {
                    building.fill(bench, home.values(), self.task(workshop), tell)
                };
                workshop.make::<SetUpError>(&ordered, again, tell, fill)?
            }
        };
        values.push((places::BUILT, kept.program.display().to_string()));
        Ok(ready(ordered.key, &values, Some(kept)))
    }

    /// Creates the environment if it does not exist.
    fn make_environment(
        &self,
        home: &Home,
        workshop: &Workshop<'_>,
        tell: &mut dyn FnMut(BuildStep),
    ) -> Result<(), SetUpError> {
        fs::create_dir_all(&home.path).map_err(at(&home.path))?;
        // A second process waits until the first is done, and finds it complete.
        let lock = home.path.with_extension("lock");
        let file = File::create(&lock).map_err(at(&lock))?;
        let _lock = Flock::lock(file, FlockArg::LockExclusive)
            .map_err(|(_, errno)| SetUpError::Io { path: lock, reason: errno.into() })?;
        let whole = home.path.join(WHOLE).is_file();
        // It may have been created for the same files in a folder of the user's, which stayed there.
        if self.path.is_none() && (!whole || !home.folder.is_dir()) {
            self.write(&home.folder)?;
        }
        if whole {
            return Ok(());
        }
        // Left behind by an earlier attempt that was killed.
        let environment = home.environment();
        remove(&environment)?;
        let task = self.task(workshop);
        for command in self.declared.environment.iter().flat_map(|made| &made.make) {
            let command = places::filled(command, &home.values());
            tell(BuildStep::Said(command.join(" ")));
            if let Err(error) = task.run(&command) {
                remove(&environment)?;
                return Err(error);
            }
        }
        fs::write(home.path.join(WHOLE), "").map_err(at(&home.path))
    }

    fn task<'a>(&'a self, workshop: &Workshop<'a>) -> Task<'a> {
        let made = self.declared.environment.as_ref();
        Task {
            runner: &self.name,
            missing: made.map_or("", |made| &made.missing),
            limit: made.map_or(Span { ns: u64::MAX }, |made| made.limit),
            temporary: None,
            prepare: workshop.prepare,
            interrupted: workshop.interrupted,
        }
    }

    fn write(&self, folder: &Path) -> Result<(), SetUpError> {
        self.write_to(folder).map_err(at(folder))
    }
}

fn remove(folder: &Path) -> Result<(), SetUpError> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(at(folder)(error)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use wiredyno_payloads::PayloadFolder;

    use super::*;

    /// A runner whose environment is created by these shell lines.
    fn made_by(lines: &[&str]) -> (tempfile::TempDir, RunnerFolder) {
        let desk = tempfile::tempdir().unwrap();
        let make: Vec<String> = lines.iter().map(|line| format!("[\"sh\", \"-c\", {line:?}]")).collect();
        let text = format!(
            "language = \"Shell\"\nabout = \"x\"\nstart = [\"sh\", \"{{folder}}/run\", \"{{environment}}\"]\n\
             [version]\nask = [\"sh\", \"-c\", \"echo 1.0\"]\nleast = \"1\"\ninstall = \"x\"\n\
             [environment]\nmake = [{}]\nmissing = \"get it\"\n\
             [[codec]]\nid = \"json/shell\"\nlibrary = \"sh\"\nversion = \"1\"\nabout = \"y\"\ncapabilities = []\n",
            make.join(", ")
        );
        let folder = desk.path().join("shell");
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("runner.toml"), text).unwrap();
        let read = RunnerFolder::read(&folder).unwrap();
        (desk, read)
    }

    fn person() -> Payload {
        Payload::open(PayloadFolder::bundled("person").unwrap(), None).unwrap()
    }

    fn ready(folder: &RunnerFolder, desk: &Path) -> Result<ReadyRunner, SetUpError> {
        folder.make_ready(&person(), &Cache::at(desk.join("cache")), &|_| {}, &|| false, &mut |_| {})
    }

    #[test]
    fn an_environment_is_made_once() {
        let (desk, folder) = made_by(&["mkdir {environment}", "echo made >> {environment}/../times"]);
        assert!(!folder.is_ready(&Cache::at(desk.path().join("cache")), &person()).unwrap());
        let (first, second) = (ready(&folder, desk.path()).unwrap(), ready(&folder, desk.path()).unwrap());
        assert_eq!(first, second);
        assert!(folder.is_ready(&Cache::at(desk.path().join("cache")), &person()).unwrap());
        let environment = Path::new(&first.start[2]);
        assert_eq!(fs::read_to_string(environment.with_file_name("times")).unwrap(), "made\n");
    }

    #[test]
    fn environments_are_listed_and_those_that_no_runner_takes_can_be_deleted() {
        let (desk, folder) = made_by(&["mkdir {environment}; echo 12345 > {environment}/file"]);
        ready(&folder, desk.path()).unwrap();
        let cache = Cache::at(desk.path().join("cache"));
        let all = KeptEnvironment::all(&cache).unwrap();
        // The folder is where no runner is searched for.
        let [one] = &all[..] else { panic!("{all:?}") };
        assert_eq!((one.runner.as_str(), one.bytes, one.is_current), ("shell", 6, false));
        one.delete().unwrap();
        assert_eq!(KeptEnvironment::all(&cache).unwrap(), []);
        assert_eq!(fs::read_dir(cache.path().join(LANGUAGES)).unwrap().count(), 0);
    }

    #[test]
    fn what_failed_is_told_and_leaves_nothing() {
        let (desk, folder) = made_by(&["mkdir {environment}", "echo no such library >&2; exit 3"]);
        for _ in 0..2 {
            let error = ready(&folder, desk.path()).unwrap_err().to_string();
            let whole = ["`shell`", "exit status: 3", "no such library", "get it"];
            assert!(whole.iter().all(|part| error.contains(part)), "{error}");
        }
        let left = fs::read_dir(desk.path().join("cache/languages")).unwrap();
        assert!(left.flatten().all(|entry| !entry.path().join("environment").exists()));
    }

    #[test]
    fn an_interruption_ends_what_was_started() {
        let (desk, folder) = made_by(&["sleep 100 & echo $! > {environment}.pid; wait"]);
        let cache = Cache::at(desk.path().join("cache"));
        let begun = std::time::Instant::now();
        let interrupted = || begun.elapsed() > Duration::from_millis(300);
        let ended = folder.make_ready(&person(), &cache, &|_| {}, &interrupted, &mut |_| {});
        assert!(matches!(ended, Err(SetUpError::Interrupted)));
        assert!(begun.elapsed() < Duration::from_secs(50));
    }

    /// A runner that is built for each definition by these shell lines, with `{built}` as `$0` and `{schemas}` as `$1`, each within a
    /// limit.
    fn built_by(limit: &str, lines: &[&str]) -> (tempfile::TempDir, RunnerFolder) {
        let (desk, _) = made_by(&["mkdir {environment}"]);
        let path = desk.path().join("shell/runner.toml");
        let make: Vec<String> = lines
            .iter()
            .map(|line| format!("[\"sh\", \"-c\", {line:?}, \"{{built}}\", \"{{schemas}}\"]"))
            .collect();
        let build = format!(
            "[definition]\nschemas = [\"avsc\", \"proto\"]\nmake = [{}]\nmissing = \"get a compiler\"\nlimit = \"{limit}\"\n[[codec]]",
            make.join(", ")
        );
        let text = fs::read_to_string(&path).unwrap();
        let text =
            text.replace("{folder}/run\", \"{environment}", "{built}/run").replace("[[codec]]", &build);
        fs::write(&path, text).unwrap();
        let folder = RunnerFolder::read(&desk.path().join("shell")).unwrap();
        (desk, folder)
    }

    fn left_in_making(desk: &Path) -> Vec<String> {
        let entries = fs::read_dir(desk.join("cache/runners")).into_iter().flatten().flatten();
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn what_is_built_for_a_definition_is_built_once_and_held() {
        let times = "echo built >> \"$0\"/../../../times";
        let copied = "cp \"$1\"/avsc/message.avsc \"$1\"/proto/message.proto \"$1\"/definition.binpb \"$0\"";
        let (desk, folder) = built_by("10min", &[times, copied]);
        let cache = Cache::at(desk.path().join("cache"));
        assert!(!folder.is_ready(&cache, &person()).unwrap());
        let first = ready(&folder, desk.path()).unwrap();
        assert!(folder.is_ready(&cache, &person()).unwrap());
        assert_eq!(ready(&folder, desk.path()).unwrap(), first);
        assert_eq!(fs::read_to_string(desk.path().join("cache/times")).unwrap(), "built\n");
        let built = Path::new(&first.start[1]).parent().unwrap();
        for file in ["message.avsc", "message.proto", "definition.binpb"] {
            assert!(built.join(file).is_file(), "{file}");
        }
        assert!(!built.with_file_name("scratch").exists());
        // It is in use, so it can't be deleted.
        assert_eq!(cache.limit(0).unwrap().len(), 0);
        drop(first);
        assert_eq!(cache.limit(0).unwrap().len(), 1);
        assert!(!folder.is_ready(&cache, &person()).unwrap());
        assert!(folder.has_environment(&cache).unwrap());
    }

    #[test]
    fn a_build_that_fails_takes_too_long_or_is_ended_leaves_nothing() {
        let (desk, folder) = built_by("10min", &["echo half > \"$0\"/run; echo no header >&2; exit 3"]);
        let error = ready(&folder, desk.path()).unwrap_err().to_string();
        assert!(
            ["`shell`", "no header", "get a compiler"].iter().all(|part| error.contains(part)),
            "{error}"
        );
        assert_eq!(left_in_making(desk.path()), [] as [String; 0]);
        let (desk, folder) = built_by("2s", &["sleep 1000 & wait"]);
        let error = ready(&folder, desk.path()).unwrap_err().to_string();
        assert!(error.contains("took longer than 2s, which `limit` allows"), "{error}");
        assert_eq!(left_in_making(desk.path()), [] as [String; 0]);
        let (desk, folder) = built_by("10min", &["echo $$ > \"$0\"/../../../pid; sleep 1000 & wait"]);
        let pid = desk.path().join("cache/pid");
        let cache = Cache::at(desk.path().join("cache"));
        let interrupted = || pid.is_file();
        let ended = folder.make_ready(&person(), &cache, &|_| {}, &interrupted, &mut |_| {});
        assert!(matches!(ended, Err(SetUpError::Interrupted)), "{ended:?}");
        assert_eq!(left_in_making(desk.path()), [] as [String; 0]);
    }
}
