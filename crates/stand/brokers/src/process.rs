//! A running broker: waiting for its nodes, observing, restarting and ending them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use nix::sys::signal::{self, kill};
use nix::unistd::Pid;
use wiredyno_contract::Endpoint;
use wiredyno_model::trial::BrokerUsed;
use wiredyno_process::filesystem;
use wiredyno_process::group::reap;
use wiredyno_process::patience::Patience;
use wiredyno_process::socket::{self, Socket, sockets_of};
use wiredyno_process::tree::Tree;
use wiredyno_process::usage::Watched;

use crate::definition::Signal;
use crate::error::StartError;
use crate::folder::BrokerFolder;
use crate::stored;
use crate::template::Node;

/// The shortest and the longest pause between two checks whether a broker is ready.
const LOOKS: [Duration; 2] = [Duration::from_millis(2), Duration::from_millis(50)];

/// How many lines of a log an error quotes, and how many bytes at its end are read for them.
const TOLD: (usize, u64) = (3, 4_096);

struct Running {
    child: Child,
    tree: Tree,
    node: Node,
    log: PathBuf,
}

/// A running broker with all of its nodes; ended on drop.
pub struct BrokerProcess {
    /// What trials record about it.
    pub used: BrokerUsed,
    /// Where clients connect: the first port of the first node.
    pub endpoint: Endpoint,
    /// From the first preparing step to the moment when all nodes listened, at its first start.
    pub start: Duration,
    folder: BrokerFolder,
    lists: BTreeMap<String, String>,
    nodes: Vec<Running>,
}

impl BrokerFolder {
    fn spawn(
        &self,
        node: Node,
        lists: &BTreeMap<String, String>,
        enter: &mut dyn FnMut(&mut Command),
    ) -> Result<Running, StartError> {
        let failed =
            |source| StartError::Start { broker: self.broker.id.clone(), source, hint: self.install_line() };
        let path = node.folder.join(format!("{}.log", self.broker.id));
        // The output of an earlier start of the same node is kept.
        let log = fs::OpenOptions::new().create(true).append(true).open(&path);
        let log = log.map_err(|source| self.file(&path, source))?;
        let arguments = [&self.broker.arguments[..], &node.manner.arguments].concat();
        let mut command = self.command(&node, lists, &self.broker.program, &arguments);
        // Its input is held open: a broker that reads it ends with this program.
        command.stdin(Stdio::piped()).stdout(log.try_clone().map_err(failed)?).stderr(log);
        let tree = Tree::mark(&mut command);
        enter(&mut command);
        let child = command.spawn().map_err(failed)?;
        let tree = tree.rooted(child.id());
        Ok(Running { child, tree, node, log: path })
    }
}

impl Running {
    /// Whether its processes listen on all of these ports.
    fn listens(&self, ports: &[usize]) -> bool {
        let own = &self.node.ports;
        let mut wanted: Vec<u16> = ports.iter().filter_map(|index| own.get(*index).copied()).collect();
        for pid in self.tree.members() {
            wanted.retain(|port| !socket::listens(pid, *port));
            if wanted.is_empty() {
                break;
            }
        }
        wanted.is_empty()
    }
}

/// The last lines of a log, with a leading separator; empty if it has none.
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
    /// A broker of which no node has been started.
    pub(crate) fn of(
        folder: &BrokerFolder,
        version: &str,
        endpoint: Endpoint,
        lists: BTreeMap<String, String>,
        data: &Path,
    ) -> Self {
        let (id, label) = (folder.broker.id.clone(), folder.broker.label.clone());
        let storage = filesystem::of(data).unwrap_or_default();
        let used = BrokerUsed { id, version: version.to_owned(), label, storage };
        BrokerProcess {
            used,
            endpoint,
            start: Duration::ZERO,
            folder: folder.clone(),
            lists,
            nodes: Vec::new(),
        }
    }

    /// Starts these nodes and waits until all listen.
    pub(crate) fn serve(
        &mut self,
        nodes: Vec<Node>,
        enter: &mut dyn FnMut(&mut Command),
        interrupted: &dyn Fn() -> bool,
    ) -> Result<(), StartError> {
        for node in nodes {
            self.nodes.push(self.folder.spawn(node, &self.lists, enter)?);
        }
        self.await_ready(interrupted)
    }

    fn await_ready(&mut self, interrupted: &dyn Fn() -> bool) -> Result<(), StartError> {
        let broker = &self.folder.broker;
        let limit = broker.ready.patience.to_std();
        let mut patience = Patience::of(limit);
        let [mut pause, longest] = LOOKS;
        let index = |name: &String| broker.ports.iter().position(|port| port == name);
        let awaited: Vec<usize> = broker.awaited_ports().iter().filter_map(index).collect();
        let mut waiting: Vec<usize> = (0..self.nodes.len()).collect();
        while !waiting.is_empty() {
            for node in &mut self.nodes {
                if let Ok(Some(status)) = node.child.try_wait() {
                    let log = log_tail(&node.log);
                    return Err(StartError::Ended {
                        broker: broker.id.clone(),
                        status: status.to_string(),
                        log,
                    });
                }
            }
            waiting.retain(|number| !self.nodes[*number].listens(&awaited));
            if interrupted() {
                return Err(StartError::Interrupted);
            }
            if let Some(late) = waiting.first().filter(|_| patience.is_over()) {
                return Err(StartError::NotReady {
                    broker: broker.id.clone(),
                    endpoint: self.endpoint.clone(),
                    limit,
                    log: log_tail(&self.nodes[*late].log),
                });
            }
            if !waiting.is_empty() {
                std::thread::sleep(pause);
                pause = (pause * 2).min(longest);
            }
        }
        Ok(())
    }

    /// Restarts all nodes, as after a crash: the same commands in the same folders on the same ports, without the preparing
    /// steps; processes that still run are killed first. Returns when all listen. `enter` and `interrupted` are as in [`Place`].
    ///
    /// # Errors
    /// When a process can't be killed, or a node does not become ready; then none is left running.
    pub fn restart(
        &mut self,
        enter: &mut dyn FnMut(&mut Command),
        interrupted: &dyn Fn() -> bool,
    ) -> Result<(), StartError> {
        let (nodes, left) = self.kill();
        let done = match left.first() {
            Some(pid) => Err(StartError::Start {
                broker: self.used.id.clone(),
                source: io::Error::other(format!("its process {pid} can't be stopped")),
                hint: "end that process".to_owned(),
            }),
            None => self.serve(nodes, enter, interrupted),
        };
        if done.is_err() {
            self.kill();
        }
        done
    }

    /// A command of the broker's tools, in the folder and with the environment of its first node, with placeholders filled in as in
    /// broker.toml; it does not count as part of the broker.
    pub fn command(&self, program: &str, arguments: &[&str]) -> Option<Command> {
        let arguments: Vec<String> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
        let first = self.nodes.first()?;
        Some(self.folder.command(&first.node, &self.lists, program, &arguments))
    }

    /// The first node's port of this name.
    pub fn port(&self, name: &str) -> Option<u16> {
        let index = self.folder.broker.ports.iter().position(|port| port == name)?;
        self.nodes.first()?.node.ports.get(index).copied()
    }

    /// The folders into which its nodes write, one for each node.
    pub fn folders(&self) -> Vec<PathBuf> {
        self.nodes.iter().map(|node| node.node.folder.clone()).collect()
    }

    /// Bytes of the files that hold the messages of a topic, on all nodes; absent where its definition names none.
    pub fn stored(&self, topic: &str) -> Option<u64> {
        let pattern = self.folder.broker.stores.as_deref()?;
        Some(self.nodes.iter().map(|node| stored::bytes(&node.node.folder, pattern, topic)).sum())
    }

    /// Ids of all of its processes that live now.
    pub fn processes(&self) -> BTreeSet<u32> {
        self.nodes.iter().flat_map(|node| node.tree.members()).collect()
    }

    /// Reports, once a node has ended by itself, its exit status and the last lines of its output.
    pub fn ended(&mut self) -> Option<String> {
        let id = &self.used.id;
        self.nodes.iter_mut().find_map(|node| {
            let status = node.child.try_wait().ok().flatten()?;
            let log = log_tail(&node.log);
            Some(format!("the broker `{id}` ended in the middle of the trial ({status}){log}"))
        })
    }

    /// All of its processes, to watch what they use.
    pub fn watched(&self) -> Watched {
        Watched::Trees(self.nodes.iter().map(|node| node.tree.clone()).collect())
    }

    /// The sockets of all of its processes.
    pub fn sockets(&self) -> Vec<Socket> {
        self.processes().into_iter().filter_map(|pid| sockets_of(pid).ok()).flatten().collect()
    }

    /// Resets the peak resident sets of its processes (proc(5), `clear_refs`, value 5).
    pub fn forget_peaks(&self) {
        for pid in self.processes() {
            // If that is not permitted, the peak is that since its start.
            let _ = fs::write(format!("/proc/{pid}/clear_refs"), "5");
        }
    }

    /// Ids of the processes that were started, one for each node.
    pub fn pids(&self) -> Vec<u32> {
        self.nodes.iter().map(|node| node.child.id()).collect()
    }

    /// Ends it as its definition says. Returns the processes that could not be ended.
    pub fn stop(mut self) -> Vec<u32> {
        self.ask_to_end();
        self.kill().1
    }

    /// Sends the signal of its definition, if it has one, and waits as long as the definition allows.
    fn ask_to_end(&mut self) {
        let Some(asked) = self.folder.broker.stop.signal else { return };
        let asked = match asked {
            Signal::Term => signal::SIGTERM,
            Signal::Int => signal::SIGINT,
            Signal::Quit => signal::SIGQUIT,
        };
        let mut patience = Patience::of(self.folder.broker.stop.patience.to_std());
        for node in &mut self.nodes {
            // Only a child that has not been reaped is sure to have its process id still.
            if matches!(node.child.try_wait(), Ok(None)) {
                let _ = kill(Pid::from_raw(node.child.id() as i32), asked);
            }
        }
        while !patience.is_over()
            && self.nodes.iter_mut().any(|node| matches!(node.child.try_wait(), Ok(None)))
        {
            std::thread::sleep(LOOKS[0]);
        }
    }

    /// Kills all nodes. Returns them, and the processes that still live.
    fn kill(&mut self) -> (Vec<Node>, Vec<u32>) {
        let (mut nodes, mut left) = (Vec::new(), Vec::new());
        for mut running in self.nodes.drain(..) {
            if matches!(running.child.try_wait(), Ok(None)) {
                let _ = running.child.kill();
            }
            left.extend(running.tree.kill());
            // No longer than the kernel needs: a process that it does not release is among those that are left.
            reap(&mut running.child);
            nodes.push(running.node);
        }
        (nodes, left)
    }
}

impl Drop for BrokerProcess {
    fn drop(&mut self) {
        self.kill();
    }
}
