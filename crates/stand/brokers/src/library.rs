//! What a broker needs on this machine: its program and, if Maven installs it, a folder in the cache with its jars, each checked
//! against its hash.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use nix::fcntl::{Flock, FlockArg};
use sha2::{Digest, Sha256};
use wiredyno_build::Cache;
use wiredyno_model::Remedy;
use wiredyno_process::step::{self, StepError};

use crate::definition::{Install, SUMS, VersionProbe};
use crate::folder::{BrokerFolder, BrokerFolderError, program};

/// The folder of libraries, in the cache.
const LIBRARIES: &str = "brokers";

/// The file that marks a library as complete, its hashes checked.
const WHOLE: &str = "whole";

/// How long Maven may take: a hundred megabytes over a slow line.
const FETCHING: Duration = Duration::from_secs(1_800);

/// The tool that fetches jars, and the command that installs it.
const MAVEN: (&str, &str) = ("mvn", "sudo apt-get install maven");

/// Why a broker's library could not be installed.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    /// The broker does not come from Maven: the user has to install it.
    #[error("the broker `{broker}` is not installed by Wiredyno: {line}")]
    ByHand {
        /// Id of the broker, its folder's name.
        broker: String,
        /// The command line that installs it.
        line: String,
    },
    /// A program that is needed for it is missing.
    #[error("the broker `{broker}` needs `{program}`: {line}")]
    Missing {
        /// Id of the broker, its folder's name.
        broker: String,
        /// The program's file name, `mvn`.
        program: String,
        /// The command line that installs the program.
        line: String,
    },
    /// Maven failed or took too long.
    #[error("`{command}` could not get the library of the broker `{broker}`: {source}")]
    Fetch {
        /// Id of the broker, its folder's name.
        broker: String,
        /// The command, without its options.
        command: String,
        /// How it failed, with the end of its output.
        source: StepError,
    },
    /// A file is missing, unknown, or has another hash than `SHA256SUMS`.
    #[error(
        "the library of the broker `{broker}`: {problem}; nothing was installed. If the pom beside its broker.toml was \
         changed on purpose, write its new {SUMS}"
    )]
    Hashes {
        /// Id of the broker, its folder's name.
        broker: String,
        /// Which file, and what is wrong with it.
        problem: String,
    },
    /// A file in the cache can't be read or written.
    #[error("{path}: {reason}; is there room, and is it writable?")]
    Io {
        /// The file or folder in the cache.
        path: PathBuf,
        /// The system's error for this path.
        reason: io::Error,
    },
    /// The user interrupted the installation.
    #[error("interrupted")]
    Interrupted,
}

/// Something a broker lacks on this machine, and its remedy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Requirement {
    /// The missing program, or `its library`.
    pub what: String,
    /// The command to type, or what to do in words.
    pub remedy: Remedy,
}

impl BrokerFolder {
    /// What is missing on this machine; empty if it can be started.
    pub fn missing(&self, cache: &Cache) -> Vec<Requirement> {
        let mut missing: Vec<Requirement> = self.missing_program().into_iter().collect();
        if self.library_home(cache).is_some_and(|home| !home.join(WHOLE).is_file()) {
            let remedy = Remedy::command(self.install_line());
            missing.push(Requirement { what: "its library".to_owned(), remedy });
        }
        missing
    }

    /// The program, if that is missing on this machine.
    fn missing_program(&self) -> Option<Requirement> {
        if self.program_path().is_some() {
            return None;
        }
        let remedy = match (&self.broker.install, self.broker.program.as_str()) {
            (Install::Maven(_), "java") => Remedy::command("sudo apt-get install default-jdk-headless"),
            (Install::Maven(_), other) => Remedy::Words(format!("install {other}")),
            _ => Remedy::command(self.install_line()),
        };
        Some(Requirement { what: self.broker.program.clone(), remedy })
    }

    /// Whether nothing is [missing](Self::missing), so that it can be started.
    pub fn is_installed(&self, cache: &Cache) -> bool {
        self.missing(cache).is_empty()
    }

    /// Where its jars are, installed or not; `None` for a broker without any.
    pub fn library(&self, cache: &Cache) -> Option<PathBuf> {
        self.library_home(cache).map(|home| home.join("jars"))
    }

    fn library_home(&self, cache: &Cache) -> Option<PathBuf> {
        let Install::Maven(pom) = &self.broker.install else { return None };
        let digest = self.digest_of(&[pom, SUMS]);
        Some(cache.path().join(LIBRARIES).join(format!("{}-{digest}", self.broker.id)))
    }

    /// The version of what is installed.
    ///
    /// # Errors
    /// When it is not installed or does not report a version.
    pub fn version(&self, cache: &Cache) -> Result<String, BrokerFolderError> {
        if let Some(first) = self.missing(cache).first() {
            return Err(self.without_version(format!("{} is missing: {}", first.what, first.remedy)));
        }
        self.version_with(self.library(cache))
    }

    fn without_version(&self, problem: String) -> BrokerFolderError {
        BrokerFolderError::Version { name: self.broker.id.clone(), problem }
    }

    /// The version of its program on this machine, with its jars in a folder that is complete.
    ///
    /// # Errors
    /// When the program is not installed or does not report a version.
    pub fn version_with(&self, library: Option<PathBuf>) -> Result<String, BrokerFolderError> {
        let failed = |problem: String| self.without_version(problem);
        if let Some(program) = self.missing_program() {
            return Err(failed(format!("{} is missing: {}", program.what, program.remedy)));
        }
        match &self.broker.version {
            VersionProbe::Asked { arguments, prefix } => {
                let program = self.program_path().ok_or_else(|| failed("not installed".to_owned()))?;
                let library = library.map_or_else(String::new, |path| path.display().to_string());
                let arguments: Vec<String> =
                    arguments.iter().map(|argument| argument.replace("{library}", &library)).collect();
                let version = |text: &str| {
                    let line = text.lines().find_map(|line| line.trim().strip_prefix(prefix.as_str()));
                    line?.split_whitespace().next().map(str::to_owned)
                };
                wiredyno_build::ask(&program, &arguments, version)
                    .map_err(|error| failed(error.to_string()))?
                    .ok_or_else(|| failed(format!("no line starts with `{prefix}`")))
            }
            VersionProbe::Path { path } => {
                let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
                let (before, behind) = name.split_once('*').unwrap_or((name, ""));
                let entries = fs::read_dir(folder).map_err(|error| failed(format!("{folder}: {error}")))?;
                let names = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
                let version = |name: String| {
                    let version = name.strip_prefix(before)?.strip_suffix(behind)?.to_owned();
                    version.starts_with(|c: char| c.is_ascii_digit()).then_some(version)
                };
                names.filter_map(version).max().ok_or_else(|| failed(format!("there is no {path}")))
            }
            VersionProbe::Jar { jar } => {
                let names = self.sums().into_keys();
                let version = |name: String| {
                    let version = name.strip_prefix(jar.as_str())?.strip_suffix(".jar")?.to_owned();
                    version.starts_with(|c: char| c.is_ascii_digit()).then_some(version)
                };
                let found = names.into_iter().find_map(version);
                found.ok_or_else(|| failed(format!("no jar is named {jar}VERSION.jar")))
            }
        }
    }

    /// Hashes by file, as `SHA256SUMS` has them.
    fn sums(&self) -> BTreeMap<String, String> {
        let pair = |line: &str| {
            let (hash, file) = line.split_once("  ")?;
            Some((file.trim().to_owned(), hash.trim().to_lowercase()))
        };
        self.text(SUMS).lines().filter_map(pair).collect()
    }

    /// Installs its library into the cache, unless it is there. `prepare` makes sure that started processes end with this program;
    /// `tell` gets a line about each step.
    ///
    /// # Errors
    /// When this program does not install that broker, Maven is missing or fails, a file does not match its hash, or the user
    /// interrupts it. Incomplete files are deleted.
    pub fn install(
        &self,
        cache: &Cache,
        prepare: &mut dyn FnMut(&mut Command),
        interrupted: &dyn Fn() -> bool,
        tell: &mut dyn FnMut(String),
    ) -> Result<PathBuf, InstallError> {
        let id = || self.broker.id.clone();
        let (Install::Maven(pom), Some(home)) = (&self.broker.install, self.library_home(cache)) else {
            return Err(InstallError::ByHand { broker: id(), line: self.install_line() });
        };
        let (maven, line) = MAVEN;
        let Some(maven) = program(maven, &[]) else {
            return Err(InstallError::Missing {
                broker: id(),
                program: maven.to_owned(),
                line: line.to_owned(),
            });
        };
        let shelf = cache.path().join(LIBRARIES);
        fs::create_dir_all(&shelf).map_err(at(&shelf))?;
        // A second process waits until the first is done, and then finds the library complete.
        let lock = home.with_extension("lock");
        let file = File::create(&lock).map_err(at(&lock))?;
        let _lock = Flock::lock(file, FlockArg::LockExclusive)
            .map_err(|(_, errno)| InstallError::Io { path: lock, reason: errno.into() })?;
        if home.join(WHOLE).is_file() {
            return Ok(home.join("jars"));
        }
        // A temporary sibling of its destination, so that it can be renamed; deleted on failure.
        let desk = tempfile::TempDir::with_prefix_in(".fetching-", &shelf).map_err(at(&shelf))?;
        let (sheet, jars) = (desk.path().join("pom.xml"), desk.path().join("jars"));
        fs::write(&sheet, self.text(pom)).map_err(at(&sheet))?;
        let mut command = Command::new(&maven);
        command
            .args(["--batch-mode", "--quiet", "--color", "never", "--file"])
            .arg(&sheet)
            .arg("dependency:copy-dependencies")
            .arg(format!("-DoutputDirectory={}", jars.display()))
            .current_dir(desk.path());
        tell(format!("mvn dependency:copy-dependencies for {}", self.broker.id));
        let fetch = |source| match source {
            StepError::Interrupted => InstallError::Interrupted,
            source => InstallError::Fetch {
                broker: id(),
                command: "mvn dependency:copy-dependencies".to_owned(),
                source,
            },
        };
        step::run(&mut command, FETCHING, prepare, interrupted).map_err(fetch)?;
        self.check_hashes(&jars)?;
        fs::write(desk.path().join(WHOLE), "").map_err(at(desk.path()))?;
        // An incomplete library of an earlier version of this program.
        match fs::remove_dir_all(&home) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(at(&home)(error)),
            _ => {}
        }
        fs::rename(desk.keep(), &home).map_err(at(&home))?;
        Ok(home.join("jars"))
    }

    fn check_hashes(&self, jars: &Path) -> Result<(), InstallError> {
        let wrong = |problem: String| InstallError::Hashes { broker: self.broker.id.clone(), problem };
        let mut sums = self.sums();
        for entry in fs::read_dir(jars).map_err(at(jars))? {
            let path = entry.map_err(at(jars))?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let Some(expected) = sums.remove(&name) else {
                return Err(wrong(format!("{name} is not in {SUMS}")));
            };
            let mut hash = Sha256::new();
            let mut file = File::open(&path).map_err(at(&path))?;
            io::copy(&mut file, &mut hash).map_err(at(&path))?;
            let found = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect::<String>();
            if found != expected {
                return Err(wrong(format!("{name} has the hash {found}, expected {expected}")));
            }
        }
        match sums.into_keys().next() {
            Some(missing) => Err(wrong(format!("{missing} is missing"))),
            None => Ok(()),
        }
    }
}

fn at(path: &Path) -> impl FnOnce(io::Error) -> InstallError + use<> {
    let path = path.to_owned();
    move |reason| InstallError::Io { path, reason }
}
