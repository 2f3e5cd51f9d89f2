//! A broker's processes: its nodes prepared, started, waited for, asked and ended.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{self, kill};
use nix::unistd::Pid;
use wiredyno_model::trial::BrokerUsed;
use wiredyno_process::socket::{self, Socket, sockets_of};
use wiredyno_process::step::{self, StepError};
use wiredyno_process::tree::Tree;
use wiredyno_process::usage::Watched;
use wiredyno_runner_wire::Endpoint;

use crate::definition::Signal;
use crate::folder::{BrokerFolder, program};
use crate::template::{self, Node};

/// How long a preparing step may take.
const PREPARING: Duration = Duration::from_secs(120);

/// The shortest and the longest pause between two looks whether a broker is ready.
const LOOKS: [Duration; 2] = [Duration::from_millis(2), Duration::from_millis(50)];

/// Lines of a log that are told, and so much of its end that is read for them.
const TOLD: (usize, u64) = (3, 4_096);

/// Where a broker shall run, and how processes get there.
pub struct Place<'a> {
    /// An empty folder for all that it writes.
    pub folder: &'a Path,
    /// The IPv4 address to listen on.
    pub address: &'a str,
    /// Where its jars are; see [`BrokerFolder::library`].
    pub library: Option<&'a Path>,
    /// Ports that are free there, one with each call.
    pub free_port: &'a mut dyn FnMut() -> io::Result<u16>,
    /// Has the last word on how a process is started: moves it to its host.
    pub enter: &'a mut dyn FnMut(&mut Command),
    /// Whether the user wants everything to end.
    pub interrupted: &'a dyn Fn() -> bool,
}

/// Why a broker does not serve.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// A file of its could not be written.
    #[error("the broker `{broker}`: {path}: {source}")]
    File {
        /// The broker.
        broker: String,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// No port is free.
    #[error("the broker `{broker}` has no free port at {address}: {source}")]
    Port {
        /// The broker.
        broker: String,
        /// Where.
        address: String,
        /// What the system said.
        source: io::Error,
    },
    /// A step before the start failed.
    #[error("the broker `{broker}` could not be prepared by `{command}`: {source}")]
    Prepare {
        /// The broker.
        broker: String,
        /// What was run.
        command: String,
        /// How it went.
        source: StepError,
    },
    /// It did not start.
    #[error("the broker `{broker}` did not start: {source}; {hint}")]
    Start {
        /// The broker.
        broker: String,
        /// What the system said.
        source: io::Error,
        /// What to do.
        hint: String,
    },
    /// It ended before it was ready.
    #[error("the broker `{broker}` ended before it was ready ({status}){log}")]
    Ended {
        /// The broker.
        broker: String,
        /// How it ended.
        status: String,
        /// Last lines of its output, with a leading separator.
        log: String,
    },
    /// It did not become ready.
    #[error("the broker `{broker}` did not accept connections on {endpoint} within {} s{log}", limit.as_secs())]
    NotReady {
        /// The broker.
        broker: String,
        /// Where it should listen.
        endpoint: Endpoint,
        /// How long it was waited for.
        limit: Duration,
        /// Last lines of its output, with a leading separator.
        log: String,
    },
    /// The user wants it to end.
    #[error("interrupted")]
    Interrupted,
}

/// One node that runs.
struct Running {
    child: Child,
    tree: Tree,
    ports: Vec<u16>,
    log: PathBuf,
}

/// A broker that runs, all of its nodes; ended when dropped.
pub struct BrokerProcess {
    /// What trials record of it.
    pub used: BrokerUsed,
    /// Where clients connect.
    pub endpoint: Endpoint,
    /// From the first preparing step to the moment when all nodes listened.
    pub start: Duration,
    stop: crate::definition::Stop,
    nodes: Vec<Running>,
}

impl BrokerFolder {
    /// Starts so many nodes; returns when all listen. `version` is what trials record.
    ///
    /// # Errors
    /// When a file can't be written, a step fails, or a node does not become ready. Nothing is left running then.
    pub fn start(
        &self,
        nodes: u32,
        version: &str,
        place: &mut Place<'_>,
    ) -> Result<BrokerProcess, StartError> {
        let begun = Instant::now();
        let broker = &self.broker;
        let user = user_name();
        let mut folders = Vec::new();
        for number in 1..=nodes.max(1) {
            let folder =
                if nodes > 1 { place.folder.join(number.to_string()) } else { place.folder.to_owned() };
            fs::create_dir_all(&folder).map_err(|source| self.file(&folder, source))?;
            let ports: io::Result<Vec<u16>> = broker.ports.iter().map(|_| (place.free_port)()).collect();
            let ports = ports.map_err(|source| StartError::Port {
                broker: broker.id.clone(),
                address: place.address.to_owned(),
                source,
            })?;
            folders.push((number, folder, ports));
        }
        let planned: Vec<Node<'_>> = folders
            .iter()
            .map(|(number, folder, ports)| Node {
                folder,
                address: place.address,
                ports,
                number: *number,
                library: place.library,
                user: &user,
            })
            .collect();
        let lists = template::lists(broker, &planned);
        let port = planned.first().and_then(|node| node.ports.first().copied()).unwrap_or_default();
        let mut process = BrokerProcess {
            used: BrokerUsed {
                id: broker.id.clone(),
                version: version.to_owned(),
                label: broker.label.clone(),
            },
            endpoint: Endpoint { host: place.address.to_owned(), port },
            start: Duration::ZERO,
            stop: broker.stop.clone(),
            nodes: Vec::new(),
        };
        for node in &planned {
            self.write_files(node, &lists)?;
            self.prepare(node, &lists, place)?;
        }
        for node in &planned {
            process.nodes.push(self.spawn(node, &lists, place)?);
        }
        self.await_ready(&mut process, place)?;
        process.start = begun.elapsed();
        Ok(process)
    }

    fn file(&self, path: &Path, source: io::Error) -> StartError {
        StartError::File { broker: self.broker.id.clone(), path: path.to_owned(), source }
    }

    fn write_files(&self, node: &Node<'_>, lists: &BTreeMap<String, String>) -> Result<(), StartError> {
        for file in &self.broker.files {
            let path = node.folder.join(file);
            let text = template::fill(&self.broker, node, lists, self.text(file));
            fs::write(&path, text).map_err(|source| self.file(&path, source))?;
        }
        Ok(())
    }

    /// A command of the broker's in a node's folder, with its environment.
    fn command(
        &self,
        node: &Node<'_>,
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
            .current_dir(node.folder);
        command
    }

    fn prepare(
        &self,
        node: &Node<'_>,
        lists: &BTreeMap<String, String>,
        place: &mut Place<'_>,
    ) -> Result<(), StartError> {
        for wanted in &self.broker.prepare {
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

    fn spawn(
        &self,
        node: &Node<'_>,
        lists: &BTreeMap<String, String>,
        place: &mut Place<'_>,
    ) -> Result<Running, StartError> {
        let failed =
            |source| StartError::Start { broker: self.broker.id.clone(), source, hint: self.install_line() };
        let path = node.folder.join(format!("{}.log", self.broker.id));
        let log = fs::File::create(&path).map_err(|source| self.file(&path, source))?;
        let mut command = self.command(node, lists, &self.broker.program, &self.broker.arguments);
        // Its input is held open: one that reads it ends with this program.
        command.stdin(Stdio::piped()).stdout(log.try_clone().map_err(failed)?).stderr(log);
        let tree = Tree::mark(&mut command);
        (place.enter)(&mut command);
        let child = command.spawn().map_err(failed)?;
        let tree = tree.rooted(child.id());
        Ok(Running { child, tree, ports: node.ports.to_vec(), log: path })
    }

    fn await_ready(&self, process: &mut BrokerProcess, place: &Place<'_>) -> Result<(), StartError> {
        let limit = self.broker.ready.patience.to_std();
        let end = Instant::now() + limit;
        let [mut pause, longest] = LOOKS;
        let awaited = self.broker.awaited_ports();
        let index = |name: &String| self.broker.ports.iter().position(|port| port == name);
        let awaited: Vec<usize> = awaited.iter().filter_map(index).collect();
        let mut waiting: Vec<usize> = (0..process.nodes.len()).collect();
        while !waiting.is_empty() {
            for node in &mut process.nodes {
                if let Ok(Some(status)) = node.child.try_wait() {
                    let log = log_tail(&node.log);
                    return Err(StartError::Ended {
                        broker: self.broker.id.clone(),
                        status: status.to_string(),
                        log,
                    });
                }
            }
            waiting.retain(|number| !process.nodes[*number].listens(&awaited));
            if (place.interrupted)() {
                return Err(StartError::Interrupted);
            }
            if let Some(late) = waiting.first().filter(|_| Instant::now() > end) {
                return Err(StartError::NotReady {
                    broker: self.broker.id.clone(),
                    endpoint: process.endpoint.clone(),
                    limit,
                    log: log_tail(&process.nodes[*late].log),
                });
            }
            if !waiting.is_empty() {
                std::thread::sleep(pause);
                pause = (pause * 2).min(longest);
            }
        }
        Ok(())
    }
}

impl Running {
    /// Whether its processes listen on all of these ports.
    fn listens(&self, ports: &[usize]) -> bool {
        let mut wanted: Vec<u16> = ports.iter().filter_map(|index| self.ports.get(*index).copied()).collect();
        for pid in self.tree.members() {
            wanted.retain(|port| !socket::listens(pid, *port));
            if wanted.is_empty() {
                break;
            }
        }
        wanted.is_empty()
    }
}

/// The user that a broker may stay: the one who started it, which is root in a user namespace of ours.
fn user_name() -> String {
    let user = nix::unistd::User::from_uid(nix::unistd::geteuid());
    user.ok().flatten().map_or_else(|| "root".to_owned(), |user| user.name)
}

/// The last lines of a log, with a leading separator; empty where it says nothing.
fn log_tail(path: &Path) -> String {
    let (lines, bytes) = TOLD;
    let mut end = Vec::new();
    let mut read = || {
        let mut file = fs::File::open(path)?;
        let from = file.metadata()?.len().saturating_sub(bytes);
        file.seek(SeekFrom::Start(from))?;
        file.read_to_end(&mut end)
    };
    if read().is_err() {
        return String::new();
    }
    let text = String::from_utf8_lossy(&end);
    let said: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    match &said[said.len().saturating_sub(lines)..] {
        [] => String::new(),
        tail => format!("; it said: {}", tail.join(" | ")),
    }
}

impl BrokerProcess {
    /// That a node has ended by itself: its exit status and the last lines that it said.
    pub fn ended(&mut self) -> Option<String> {
        let id = &self.used.id;
        self.nodes.iter_mut().find_map(|node| {
            let status = node.child.try_wait().ok().flatten()?;
            let log = log_tail(&node.log);
            Some(format!("the broker `{id}` ended in the middle of the trial ({status}){log}"))
        })
    }

    /// All of its processes.
    pub fn watched(&self) -> Watched {
        Watched::Trees(self.nodes.iter().map(|node| node.tree.clone()).collect())
    }

    /// The sockets of all of its processes.
    pub fn sockets(&self) -> Vec<Socket> {
        let members = self.nodes.iter().flat_map(|node| node.tree.members());
        members.filter_map(|pid| sockets_of(pid).ok()).flatten().collect()
    }

    /// From now on the largest resident sets of its processes are counted anew (proc(5), `clear_refs`, value 5).
    pub fn forget_peaks(&self) {
        for pid in self.nodes.iter().flat_map(|node| node.tree.members()) {
            // Where that is not allowed, the peak is that since its start.
            let _ = fs::write(format!("/proc/{pid}/clear_refs"), "5");
        }
    }

    /// Its processes that were started, a node each.
    pub fn pids(&self) -> Vec<u32> {
        self.nodes.iter().map(|node| node.child.id()).collect()
    }

    /// Ends it as its definition says; gives the processes that could not be ended.
    pub fn stop(mut self) -> Vec<u32> {
        self.ask_to_end();
        self.kill()
    }

    /// Sends the signal that asks for a good end, where there is one, and waits as long as that may take.
    fn ask_to_end(&mut self) {
        let Some(asked) = self.stop.signal else { return };
        let asked = match asked {
            Signal::Term => signal::SIGTERM,
            Signal::Int => signal::SIGINT,
            Signal::Quit => signal::SIGQUIT,
        };
        let end = Instant::now() + self.stop.patience.to_std();
        for node in &mut self.nodes {
            // Only a child that is not reaped still has its number for itself.
            if matches!(node.child.try_wait(), Ok(None)) {
                let _ = kill(Pid::from_raw(node.child.id() as i32), asked);
            }
        }
        while Instant::now() < end
            && self.nodes.iter_mut().any(|node| matches!(node.child.try_wait(), Ok(None)))
        {
            std::thread::sleep(LOOKS[0]);
        }
    }

    fn kill(&mut self) -> Vec<u32> {
        let mut left = Vec::new();
        for mut node in self.nodes.drain(..) {
            if matches!(node.child.try_wait(), Ok(None)) {
                let _ = node.child.kill();
            }
            left.extend(node.tree.kill());
            let _ = node.child.wait();
        }
        left
    }
}

impl Drop for BrokerProcess {
    fn drop(&mut self) {
        self.kill();
    }
}
