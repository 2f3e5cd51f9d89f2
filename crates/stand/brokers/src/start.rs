//! A broker's start: planning, preparing and starting its nodes.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use wiredyno_contract::Endpoint;
use wiredyno_process::step::{self, StepError};

use crate::error::StartError;
use crate::folder::{BrokerFolder, program};
use crate::process::BrokerProcess;
use crate::secured::{Manner, Secured};
use crate::template::{self, Node};

/// How long a preparing step may take.
const PREPARING: Duration = Duration::from_secs(120);

/// Where a broker is to run, and how its processes get there.
pub struct Place<'a> {
    /// An empty folder for everything it writes.
    pub folder: &'a Path,
    /// The IPv4 address to listen on.
    pub address: &'a str,
    /// The folder of its jars; see [`BrokerFolder::library`].
    pub library: Option<&'a Path>,
    /// How its connections are secured, and which clients it lets in.
    pub secured: Secured<'a>,
    /// Returns another free port of the address at each call.
    pub free_port: &'a mut dyn FnMut() -> io::Result<u16>,
    /// Makes the last changes to a command before it starts: moves it to its host.
    pub enter: &'a mut dyn FnMut(&mut Command),
    /// Whether the user has interrupted the run.
    pub interrupted: &'a dyn Fn() -> bool,
}

impl BrokerFolder {
    /// Starts this number of nodes and returns when all listen. `version` is what trials record.
    ///
    /// # Errors
    /// When a file can't be written, a step fails, or a node does not become ready; then nothing is left running.
    pub fn start(
        &self,
        nodes: u32,
        version: &str,
        place: &mut Place<'_>,
    ) -> Result<BrokerProcess, StartError> {
        let begun = Instant::now();
        let planned = self.plan(nodes, place)?;
        let port = planned.first().and_then(|node| node.ports.first().copied()).unwrap_or_default();
        let endpoint = Endpoint { host: place.address.to_owned(), port };
        let lists = template::lists(&self.broker, &planned);
        for node in &planned {
            self.write_files(node, &lists)?;
            self.prepare(node, &lists, place)?;
        }
        let mut process = BrokerProcess::of(self, version, endpoint, lists, place.folder);
        process.serve(planned, place.enter, place.interrupted)?;
        process.start = begun.elapsed();
        Ok(process)
    }

    /// The nodes, each with its own folder and ports.
    fn plan(&self, nodes: u32, place: &mut Place<'_>) -> Result<Vec<Node>, StartError> {
        let user = user_name();
        let manner = Manner::of(&self.broker, &place.secured);
        let mut planned = Vec::new();
        for number in 1..=nodes.max(1) {
            let folder =
                if nodes > 1 { place.folder.join(number.to_string()) } else { place.folder.to_owned() };
            fs::create_dir_all(&folder).map_err(|source| self.file(&folder, source))?;
            let ports: io::Result<Vec<u16>> = self.broker.ports.iter().map(|_| (place.free_port)()).collect();
            let ports = ports.map_err(|source| StartError::Port {
                broker: self.broker.id.clone(),
                address: place.address.to_owned(),
                source,
            })?;
            planned.push(Node {
                folder,
                address: place.address.to_owned(),
                ports,
                number,
                library: place.library.map(Path::to_owned),
                user: user.clone(),
                manner: manner.clone(),
            });
        }
        Ok(planned)
    }

    pub(crate) fn file(&self, path: &Path, source: io::Error) -> StartError {
        StartError::File { broker: self.broker.id.clone(), path: path.to_owned(), source }
    }

    fn write_files(&self, node: &Node, lists: &BTreeMap<String, String>) -> Result<(), StartError> {
        for file in self.broker.files.iter().chain(&node.manner.files) {
            let path = node.folder.join(file);
            let text = template::fill(&self.broker, node, lists, self.text(file));
            write_private(&path, &text).map_err(|source| self.file(&path, source))?;
        }
        Ok(())
    }

    /// A command of the broker, in a node's folder and with its environment.
    pub(crate) fn command(
        &self,
        node: &Node,
        lists: &BTreeMap<String, String>,
        name: &str,
        arguments: &[String],
    ) -> Command {
        let fill = |text: &String| template::fill(&self.broker, node, lists, text);
        let found = program(name, &self.broker.paths);
        let mut command = Command::new(found.unwrap_or_else(|| PathBuf::from(name)));
        command
            .args(arguments.iter().map(fill))
            .envs(self.broker.environment.iter().map(|(name, value)| (name, fill(value))))
            .current_dir(&node.folder);
        command
    }

    fn prepare(
        &self,
        node: &Node,
        lists: &BTreeMap<String, String>,
        place: &mut Place<'_>,
    ) -> Result<(), StartError> {
        for wanted in node.manner.prepare.iter().chain(&self.broker.prepare) {
            let mut command = self.command(node, lists, &wanted.program, &wanted.arguments);
            let done = step::run(&mut command, PREPARING, place.enter, place.interrupted);
            done.map_err(|source| match source {
                StepError::Interrupted => StartError::Interrupted,
                source => StartError::Prepare {
                    broker: self.broker.id.clone(),
                    command: wanted.program.clone(),
                    source,
                },
            })?;
        }
        Ok(())
    }
}

/// Writes a file that only this user can read: it may contain passwords.
fn write_private(path: &Path, text: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path)?;
    file.write_all(text.as_bytes())
}

/// The user as which a broker keeps running: the one that started it, which is root in our user namespaces.
fn user_name() -> String {
    let user = nix::unistd::User::from_uid(nix::unistd::geteuid());
    user.ok().flatten().map_or_else(|| "root".to_owned(), |user| user.name)
}
