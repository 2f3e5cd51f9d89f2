//! A folder made ready: its files on disk, its environment made, the command that starts it.

use std::fs::{self, File};
use std::io::{self, Read, Seek};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use nix::fcntl::{Flock, FlockArg};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use wiredyno_build::Cache;

use crate::folder::{RunnerFolder, RunnerFolderError};

/// How often a wait looks whether it is still wanted.
const LOOK_AROUND: Duration = Duration::from_millis(50);

/// So much of what a failed command said is told, from its end.
const TOLD_BYTES: usize = 1_500;

/// Where environments are kept, below the cache.
const LANGUAGES: &str = "languages";

/// The file that says that an environment is whole.
const WHOLE: &str = "whole";

/// Why a runner can't be started here.
#[derive(Debug, thiserror::Error)]
pub enum SetUpError {
    /// Its folder or its language.
    #[error(transparent)]
    Folder(#[from] RunnerFolderError),
    /// A file in the cache.
    #[error("{path}: {reason}; is there room, and is it writable?")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        reason: io::Error,
    },
    /// A command failed.
    #[error("the runner `{runner}` can't be prepared: `{command}`{said}\n{missing}")]
    Command {
        /// The runner.
        runner: String,
        /// What was run.
        command: String,
        /// What it said at the end.
        said: String,
        /// What to do.
        missing: String,
    },
    /// The user wants it to end.
    #[error("interrupted")]
    Interrupted,
}

/// A runner that can be started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadyRunner {
    /// The runner's name.
    pub runner: String,
    /// Program and arguments.
    pub start: Vec<String>,
    /// The language's version.
    pub language_version: String,
    /// What tells it from every other.
    pub key: String,
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

/// An environment that was made, with the files of the folder that it is of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptEnvironment {
    /// The name of the runner.
    pub runner: String,
    /// Its size.
    pub bytes: u64,
    /// Whether the runner that is found by that name now, with the version of its language, would take it.
    pub is_current: bool,
    home: PathBuf,
}

impl KeptEnvironment {
    /// All of a cache, in the order of their names.
    ///
    /// # Errors
    /// When a folder can't be read, or that of a runner is broken.
    pub fn all(cache: &Cache) -> Result<Vec<Self>, SetUpError> {
        let mut current = Vec::new();
        for folder in crate::all()? {
            // Without its language none of its environments can be taken, but it may come back.
            match folder.language_version() {
                Ok(version) => current.push(folder.home(cache, &folder.key(&version))),
                Err(_) => current.push(folder.home(cache, "")),
            }
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

    /// Deletes it. To be done with one that no runner takes any more.
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

/// Bytes of all files below a folder; what a link points at is not counted.
fn size(folder: &Path) -> io::Result<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let data = entry.path().symlink_metadata()?;
        bytes += if data.is_dir() { size(&entry.path())? } else { data.len() };
    }
    Ok(bytes)
}

impl RunnerFolder {
    /// Whether its environment was made before.
    ///
    /// # Errors
    /// When its language is not here.
    pub fn is_ready(&self, cache: &Cache) -> Result<bool, RunnerFolderError> {
        let key = self.key(&self.language_version()?);
        Ok(self.declared.environment.is_none() || self.home(cache, &key).join(WHOLE).is_file())
    }

    /// Where its files and its environment are kept. The environment does not move once it is made: it may hold its own path.
    fn home(&self, cache: &Cache, key: &str) -> PathBuf {
        cache.path().join(LANGUAGES).join(format!("{}-{key}", self.name))
    }

    /// Makes it ready where it is not: writes the files of one that comes with the program, and makes the environment.
    /// `prepare` sees to it that what is started ends with this program; `tell` is told what is being done.
    ///
    /// # Errors
    /// When the language is missing, a command fails, or the user wants it to end. What was half made is taken away.
    pub fn make_ready(
        &self,
        cache: &Cache,
        prepare: &dyn Fn(&mut Command),
        interrupted: &dyn Fn() -> bool,
        tell: &mut dyn FnMut(String),
    ) -> Result<ReadyRunner, SetUpError> {
        let language_version = self.language_version()?;
        let key = self.key(&language_version);
        let home = self.home(cache, &key);
        let folder = self.path.clone().unwrap_or_else(|| home.join("folder"));
        let environment = home.join("environment");
        fs::create_dir_all(&home).map_err(at(&home))?;
        // Who comes second waits until the first is done, and finds it whole.
        let lock = home.with_extension("lock");
        let file = File::create(&lock).map_err(at(&lock))?;
        let _lock = Flock::lock(file, FlockArg::LockExclusive)
            .map_err(|(_, errno)| SetUpError::Io { path: lock, reason: errno.into() })?;
        if !home.join(WHOLE).is_file() {
            if self.path.is_none() {
                self.write(&folder)?;
            }
            let commands = self.declared.environment.iter().flat_map(|made| &made.make);
            // What an earlier attempt left, which was killed.
            remove(&environment)?;
            for command in commands {
                let command = filled(command, &folder, &environment);
                tell(command.join(" "));
                if let Err(error) = self.run(&command, prepare, interrupted) {
                    remove(&environment)?;
                    return Err(error);
                }
            }
            fs::write(home.join(WHOLE), "").map_err(at(&home))?;
        }
        let start = filled(&self.declared.start, &folder, &environment);
        Ok(ReadyRunner { runner: self.name.clone(), start, language_version, key })
    }

    fn write(&self, folder: &Path) -> Result<(), SetUpError> {
        for (name, text) in self.files() {
            let path = folder.join(name);
            let parent = path.parent().unwrap_or(folder);
            fs::create_dir_all(parent).map_err(at(parent))?;
            fs::write(&path, text).map_err(at(&path))?;
        }
        Ok(())
    }

    fn run(
        &self,
        words: &[String],
        prepare: &dyn Fn(&mut Command),
        interrupted: &dyn Fn() -> bool,
    ) -> Result<(), SetUpError> {
        let failed = |said: String| SetUpError::Command {
            runner: self.name.clone(),
            command: words.join(" "),
            said,
            missing: self.declared.environment.as_ref().map_or_else(String::new, |made| made.missing.clone()),
        };
        let mut said = tempfile::tempfile().map_err(at(&std::env::temp_dir()))?;
        let output = || said.try_clone().map(Stdio::from);
        let mut command = Command::new(words.first().map_or("", String::as_str));
        command.args(words.iter().skip(1)).stdin(Stdio::null());
        command.stdout(output().map_err(at(&std::env::temp_dir()))?);
        command.stderr(output().map_err(at(&std::env::temp_dir()))?);
        prepare(&mut command);
        // A group of its own, so that what it starts itself can be ended with it.
        command.process_group(0);
        let mut child = command.spawn().map_err(|error| failed(format!(": {error}")))?;
        let status = loop {
            if interrupted() {
                // It may have ended this moment.
                let _ = killpg(Pid::from_raw(child.id() as i32), Signal::SIGKILL);
                let _ = child.wait();
                return Err(SetUpError::Interrupted);
            }
            match child.try_wait() {
                Ok(Some(status)) => break status,
                Ok(None) => std::thread::sleep(LOOK_AROUND),
                Err(error) => return Err(failed(format!(": {error}"))),
            }
        };
        if status.success() {
            return Ok(());
        }
        let mut text = Vec::new();
        // Without it the failure is told all the same.
        let _ = said.rewind().and_then(|()| said.read_to_end(&mut text));
        let from = text.len().saturating_sub(TOLD_BYTES);
        Err(failed(format!(" ended with {status}:\n{}", String::from_utf8_lossy(&text[from..]).trim())))
    }
}

fn at(path: &Path) -> impl FnOnce(io::Error) -> SetUpError + use<> {
    let path = path.to_owned();
    move |reason| SetUpError::Io { path, reason }
}

fn remove(folder: &Path) -> Result<(), SetUpError> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(at(folder)(error)),
        _ => Ok(()),
    }
}

fn filled(words: &[String], folder: &Path, environment: &Path) -> Vec<String> {
    let fill = |word: &String| {
        let word = word.replace("{folder}", &folder.display().to_string());
        word.replace("{environment}", &environment.display().to_string())
    };
    words.iter().map(fill).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A runner whose environment is made by these shell lines.
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

    fn ready(folder: &RunnerFolder, desk: &Path) -> Result<ReadyRunner, SetUpError> {
        folder.make_ready(&Cache::at(desk.join("cache")), &|_| {}, &|| false, &mut |_| {})
    }

    #[test]
    fn an_environment_is_made_once() {
        let (desk, folder) = made_by(&["mkdir {environment}", "echo made >> {environment}/../times"]);
        assert!(!folder.is_ready(&Cache::at(desk.path().join("cache"))).unwrap());
        let (first, second) = (ready(&folder, desk.path()).unwrap(), ready(&folder, desk.path()).unwrap());
        assert_eq!(first, second);
        assert!(folder.is_ready(&Cache::at(desk.path().join("cache"))).unwrap());
        let environment = Path::new(&first.start[2]);
        assert_eq!(fs::read_to_string(environment.with_file_name("times")).unwrap(), "made\n");
    }

    #[test]
    fn environments_are_listed_and_those_that_no_runner_takes_can_be_deleted() {
        let (desk, folder) = made_by(&["mkdir {environment}; echo 12345 > {environment}/file"]);
        ready(&folder, desk.path()).unwrap();
        let cache = Cache::at(desk.path().join("cache"));
        let all = KeptEnvironment::all(&cache).unwrap();
        // The folder stands where no runner is looked for.
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
        let ended = folder.make_ready(&cache, &|_| {}, &interrupted, &mut |_| {});
        assert!(matches!(ended, Err(SetUpError::Interrupted)));
        assert!(begun.elapsed() < Duration::from_secs(50));
    }
}
