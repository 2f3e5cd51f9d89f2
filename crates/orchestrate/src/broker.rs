//! Brokers: servers that a protocol needs, one folder in `brokers/` each, started per trial as processes of ours.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde::Deserialize;
use wiredyno_model::trial::BrokerUsed;
use wiredyno_model::{FileError, parse_toml};
use wiredyno_runner_wire::Endpoint;

use crate::catalogue::{bundled, bundled_in};
use crate::socket::listens;

/// A broker as its `broker.toml` defines it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Broker {
    /// Its id: the folder's name.
    pub id: String,
    /// What it is, in a sentence.
    pub about: String,
    /// Protocols it serves.
    pub protocols: Vec<String>,
    /// The program.
    pub program: String,
    /// Where to look for it beside PATH.
    #[serde(default)]
    pub paths: Vec<PathBuf>,
    /// Its arguments; `{folder}`, `{address}`, `{port}` and `{user}` are filled in.
    pub arguments: Vec<String>,
    /// Templates beside broker.toml that are written into the trial's folder, filled in likewise.
    #[serde(default)]
    pub files: Vec<String>,
    /// How to find out that it is ready.
    pub ready: Ready,
    /// How to ask for its version.
    pub version: VersionProbe,
    /// How to install it.
    pub install: Install,
    /// What reports say beside its numbers; empty for nothing.
    #[serde(default)]
    pub label: String,
}

/// How to find out that a broker is ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ready {
    /// Its process listens on its TCP port.
    Listens,
}

/// How to ask a broker for its version.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VersionProbe {
    /// Arguments that make it print its version.
    pub arguments: Vec<String>,
    /// What stands before the version on its line.
    pub prefix: String,
}

/// How to install a broker.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Install {
    /// The Debian package.
    Debian(String),
    /// The line to type.
    Command(String),
}

/// What can go wrong with a broker.
#[derive(Debug, thiserror::Error)]
pub enum BrokerError {
    /// Its definition is wrong.
    #[error(transparent)]
    Definition(#[from] FileError),
    /// A file of its could not be written.
    #[error("the broker `{id}`: {path}: {source}")]
    File {
        /// The broker.
        id: String,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It did not start.
    #[error("the broker `{id}` did not start: {source}; {hint}")]
    Start {
        /// The broker.
        id: String,
        /// What the system said.
        source: io::Error,
        /// What to do.
        hint: String,
    },
    /// It ended or did not become ready.
    #[error("the broker `{id}` did not accept connections on {endpoint} within {} s{log}", limit.as_secs())]
    NotReady {
        /// The broker.
        id: String,
        /// Where it should listen.
        endpoint: Endpoint,
        /// How long it was waited for.
        limit: Duration,
        /// Last lines of its output, with a leading separator.
        log: String,
    },
    /// Its version is not to be had.
    #[error("the broker `{id}` does not say its version ({problem}); without a version nothing is measured")]
    Version {
        /// The broker.
        id: String,
        /// What was wrong.
        problem: String,
    },
}

/// All brokers that come with the program.
///
/// # Errors
/// When a bundled definition is wrong.
pub fn brokers() -> Result<Vec<Broker>, BrokerError> {
    let files = bundled_in("brokers").filter(|(name, _)| name.ends_with("/broker.toml"));
    files.map(|(name, text)| Ok(parse_toml(&format!("brokers/{name}"), text)?)).collect()
}

impl Broker {
    /// Where its program is on this machine; `None` when it is not installed.
    pub fn program_path(&self) -> Option<PathBuf> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        // A broker that comes with this program stands beside it.
        let beside = std::env::current_exe().ok().and_then(|own| Some(own.parent()?.to_owned()));
        let folders = std::env::split_paths(&path).chain(self.paths.iter().cloned()).chain(beside);
        folders.map(|folder| folder.join(&self.program)).find(|program| program.is_file())
    }

    /// The line that installs it, on Debian and its kin where it is a package.
    pub fn install_line(&self) -> String {
        match &self.install {
            Install::Debian(package) => format!("sudo apt-get install {package}"),
            Install::Command(line) => line.clone(),
        }
    }

    /// Asks the installed program for its version.
    ///
    /// # Errors
    /// When it is not installed or prints no version.
    pub fn version(&self) -> Result<String, BrokerError> {
        let failed = |problem: String| BrokerError::Version { id: self.id.clone(), problem };
        let program =
            self.program_path().ok_or_else(|| failed(format!("not installed: {}", self.install_line())))?;
        let version = |text: &str| {
            let line = text.lines().find_map(|line| line.trim().strip_prefix(self.version.prefix.as_str()));
            line.map(|rest| rest.trim().to_owned()).filter(|version| !version.is_empty())
        };
        wiredyno_build::ask(&program, &self.version.arguments, version)
            .map_err(|error| failed(error.to_string()))?
            .ok_or_else(|| failed(format!("no line starts with `{}`", self.version.prefix)))
    }

    /// Starts it in `folder`, listening on `endpoint`; `enter` moves the process to its host.
    ///
    /// # Errors
    /// When it can't be started or does not become ready.
    pub fn start(
        &self,
        folder: &Path,
        endpoint: &Endpoint,
        version: &str,
        enter: impl FnOnce(&mut Command),
    ) -> Result<BrokerProcess, BrokerError> {
        const LIMIT: Duration = Duration::from_secs(20);
        let fill = |text: &str| {
            text.replace("{folder}", &folder.display().to_string())
                .replace("{address}", &endpoint.host)
                .replace("{port}", &endpoint.port.to_string())
                .replace("{user}", &user_name())
        };
        for file in &self.files {
            let template = bundled(&format!("brokers/{}/{file}", self.id)).unwrap_or_default();
            let path = folder.join(file);
            fs::write(&path, fill(template)).map_err(|source| BrokerError::File {
                id: self.id.clone(),
                path: path.clone(),
                source,
            })?;
        }
        let start_failed =
            |source| BrokerError::Start { id: self.id.clone(), source, hint: self.install_line() };
        let program = self.program_path().ok_or_else(|| start_failed(io::ErrorKind::NotFound.into()))?;
        let log_path = folder.join(format!("{}.log", self.id));
        let log = fs::File::create(&log_path).map_err(start_failed)?;
        let mut command = Command::new(program);
        command
            .args(self.arguments.iter().map(|argument| fill(argument)))
            .current_dir(folder)
            // Held open: one that reads it ends with this program.
            .stdin(Stdio::piped())
            .stdout(log.try_clone().map_err(start_failed)?)
            .stderr(log);
        enter(&mut command);
        let child = command.spawn().map_err(start_failed)?;
        let used = BrokerUsed { id: self.id.clone(), version: version.to_owned(), label: self.label.clone() };
        let mut process = BrokerProcess { child, used, log: log_path.clone() };
        let end = Instant::now() + LIMIT;
        while Instant::now() < end && matches!(process.child.try_wait(), Ok(None)) {
            match self.ready {
                Ready::Listens if listens(process.pid(), endpoint.port) => return Ok(process),
                Ready::Listens => std::thread::sleep(Duration::from_millis(2)),
            }
        }
        let log = log_tail(&log_path);
        Err(BrokerError::NotReady { id: self.id.clone(), endpoint: endpoint.clone(), limit: LIMIT, log })
    }
}

/// The user that a broker may stay: the one who started it, which is root in a user namespace of ours.
fn user_name() -> String {
    let user = nix::unistd::User::from_uid(nix::unistd::geteuid());
    user.ok().flatten().map_or_else(|| "root".to_owned(), |user| user.name)
}

fn log_tail(path: &Path) -> String {
    let mut text = String::new();
    let read = fs::File::open(path).and_then(|mut file| file.read_to_string(&mut text));
    let lines: Vec<&str> = text.lines().collect();
    match (read, &lines[lines.len().saturating_sub(3)..]) {
        (Ok(_), tail @ [_, ..]) => format!("; it said: {}", tail.join(" | ")),
        _ => String::new(),
    }
}

/// A broker that runs; killed when dropped.
pub struct BrokerProcess {
    child: Child,
    /// What trials record of it.
    pub used: BrokerUsed,
    log: PathBuf,
}

impl BrokerProcess {
    /// That it has ended by itself: its exit status and the last lines that it said.
    pub fn ended(&mut self) -> Option<String> {
        let status = self.child.try_wait().ok().flatten()?;
        Some(format!(
            "the broker `{}` ended in the middle of the trial ({status}){}",
            self.used.id,
            log_tail(&self.log)
        ))
    }

    /// Its process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for BrokerProcess {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bundled_definitions_are_valid_and_complete() {
        for broker in brokers().unwrap() {
            for file in &broker.files {
                assert!(bundled(&format!("brokers/{}/{file}", broker.id)).is_some(), "{}: {file}", broker.id);
            }
            assert!(!broker.protocols.is_empty());
        }
    }

    #[test]
    fn a_broker_that_is_not_installed_names_the_line_to_type() {
        let mut broker = brokers().unwrap().remove(0);
        broker.program = "no-such-broker".into();
        assert_eq!(broker.id, "mosquitto", "what people deploy comes first");
        assert!(broker.version().unwrap_err().to_string().contains("apt-get install"));
    }
}
