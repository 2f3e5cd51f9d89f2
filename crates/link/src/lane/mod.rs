//! A lane: an isolated pair of hosts with a link between them, in a process of its own. Several lanes run side
//! by side; their hosts have the same addresses and don't see each other.
//!
//! A lane's process ends when its [`Lane`] is dropped or the program that owns it is gone, and takes the
//! namespaces with it.

mod laid;
mod wire;
mod worker;

use std::io::{self, BufRead, BufReader, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Mutex;

use wiredyno_model::WireFormat;

use wire::{Ready, Reply, Request};
pub use worker::worker_main;

use crate::accounting::{LinkCounters, Phase};
use crate::host::{Host, HostHandle};
use crate::model::Seeds;
use crate::sandbox::{Missing, Sandbox};
use crate::spec::LinkSpec;

/// The hidden subcommand by which a program becomes a lane's process: it must call [`worker_main`] and exit
/// with what that returns.
pub const WORKER_COMMAND: &str = "lane-worker";

/// Why a lane does not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum LaneError {
    /// This machine allows no hosts.
    #[error("no emulated link here: {0}")]
    NotAllowed(Missing),
    /// The lane's process could not be started.
    #[error("lane {lane}: {program} could not be started: {source}")]
    Start {
        /// The lane's number.
        lane: usize,
        /// The program.
        program: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The lane's process reported a failure; it goes on.
    #[error("lane {lane}: {message}")]
    Refused {
        /// The lane's number.
        lane: usize,
        /// What was wrong.
        message: String,
    },
    /// The lane's process is gone; make a new lane.
    #[error("lane {lane}: its process is gone ({detail}); the trial on it is void, start a new lane")]
    Gone {
        /// The lane's number.
        lane: usize,
        /// What is known about it.
        detail: String,
    },
}

struct Channel {
    requests: ChildStdin,
    replies: BufReader<ChildStdout>,
}

/// A lane from the side of its owner. Methods block until the lane's process has answered.
pub struct Lane {
    index: usize,
    child: Mutex<Child>,
    channel: Mutex<Channel>,
    hosts: [HostHandle; 2],
    realtime: bool,
    notes: Vec<String>,
}

impl Lane {
    /// Starts `program lane-worker`; the link is unshaped until one is laid. `index` names the lane in errors.
    pub fn spawn(program: &Path, index: usize, sandbox: &Sandbox) -> Result<Self, LaneError> {
        if let Err(missing) = &sandbox.rights().network_namespaces {
            return Err(LaneError::NotAllowed(missing.clone()));
        }
        let start = |source: io::Error| LaneError::Start { lane: index, program: program.to_owned(), source };
        let mut command = Command::new(program);
        command.arg(WORKER_COMMAND).stdin(Stdio::piped()).stdout(Stdio::piped());
        sandbox.prepare(&mut command);
        let mut child = command.spawn().map_err(start)?;
        match Self::greet(&mut child, index) {
            Ok((channel, ready)) => {
                let hosts = open_hosts(&child, &ready).map_err(start)?;
                let channel = Mutex::new(channel);
                let (realtime, notes) = (ready.realtime, ready.notes);
                Ok(Self { index, child: Mutex::new(child), channel, hosts, realtime, notes })
            }
            Err(error) => {
                let _ = child.kill();
                let _ = child.wait();
                Err(error)
            }
        }
    }

    fn greet(child: &mut Child, lane: usize) -> Result<(Channel, Ready), LaneError> {
        let gone = |detail: &str| LaneError::Gone { lane, detail: detail.to_owned() };
        let requests = child.stdin.take().ok_or_else(|| gone("no standard input"))?;
        let replies = child.stdout.take().ok_or_else(|| gone("no standard output"))?;
        let mut channel = Channel { requests, replies: BufReader::new(replies) };
        match channel.reply() {
            Ok(Reply::Ready(ready)) => Ok((channel, ready)),
            Ok(Reply::Failed { message }) => Err(LaneError::Refused { lane, message }),
            Ok(_) => Err(gone("it did not greet")),
            Err(error) => Err(gone(&error.to_string())),
        }
    }

    fn ask(&self, request: &Request) -> Result<Reply, LaneError> {
        let lane = self.index;
        let mut channel = self.channel.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        match channel.send(request).and_then(|()| channel.reply()) {
            Ok(Reply::Failed { message }) => Err(LaneError::Refused { lane, message }),
            Ok(reply) => Ok(reply),
            Err(error) => Err(LaneError::Gone { lane, detail: error.to_string() }),
        }
    }

    fn count(&self, request: &Request) -> Result<LinkCounters, LaneError> {
        match self.ask(request)? {
            Reply::Counters(counters) => Ok(*counters),
            _ => Err(LaneError::Gone { lane: self.index, detail: "it gave the wrong answer".to_owned() }),
        }
    }

    /// Lays a new link, anchored now, counters at zero, phase `setup`. What is on its way over the old link is
    /// thrown away, and TCP connections begun over it are cut: an earlier trial must not show in this one. `capture` is the pcapng to write (an existing file is replaced).
    pub fn lay(&self, spec: &LinkSpec, seeds: Seeds, capture: Option<&Path>) -> Result<(), LaneError> {
        // The lane's process has its own idea of the present folder only until someone changes ours.
        let capture = capture.map(|path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned()));
        self.ask(&Request::Lay { spec: Box::new(spec.clone()), seeds, capture }).map(drop)
    }

    /// Sets the time (CLOCK_MONOTONIC) at which traces and drawn delays begin.
    pub fn anchor(&self, at_ns: u64) -> Result<(), LaneError> {
        self.ask(&Request::Anchor { at_ns }).map(drop)
    }

    /// Packets that enter from now on belong to this phase.
    pub fn mark(&self, phase: Phase) -> Result<(), LaneError> {
        self.ask(&Request::Mark { phase }).map(drop)
    }

    /// Flows that begin from now on hold this: what their bytes are for is told, and of datagrams what was sent again.
    pub fn read_as(&self, format: WireFormat) -> Result<(), LaneError> {
        self.ask(&Request::ReadAs { format }).map(drop)
    }

    /// What has been counted since the link was laid.
    pub fn counters(&self) -> Result<LinkCounters, LaneError> {
        self.count(&Request::Counters)
    }

    /// As [`Self::counters`], and closes books and capture at the same packet: what enters afterwards is
    /// delivered but neither counted nor captured, until a link is laid again.
    pub fn finish(&self) -> Result<LinkCounters, LaneError> {
        self.count(&Request::Finish)
    }

    /// A host of this lane, for starting processes on it.
    pub fn host(&self, host: Host) -> HostHandle {
        self.hosts[host as usize].clone()
    }

    /// The lane's number.
    pub fn index(&self) -> usize {
        self.index
    }

    /// Process id of the lane's process, for measurements of its CPU.
    pub fn process_id(&self) -> u32 {
        self.child.lock().unwrap_or_else(std::sync::PoisonError::into_inner).id()
    }

    /// Whether the link runs with real-time priority.
    pub fn realtime(&self) -> bool {
        self.realtime
    }

    /// What could not be set on the hosts and may matter to measurements; empty on an ordinary machine.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }
}

impl Drop for Lane {
    fn drop(&mut self) {
        // Completes a capture; a process that is gone answers at once with an error.
        let _ = self.finish();
        let child = self.child.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner);
        let _ = child.kill();
        let _ = child.wait();
    }
}

impl Channel {
    fn send(&mut self, request: &Request) -> io::Result<()> {
        let mut line = serde_json::to_vec(request)?;
        line.push(b'\n');
        self.requests.write_all(&line)?;
        self.requests.flush()
    }

    fn reply(&mut self) -> io::Result<Reply> {
        let mut line = String::new();
        if self.replies.read_line(&mut line)? == 0 {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "it said nothing more"));
        }
        Ok(serde_json::from_str(&line)?)
    }
}

/// Opens the namespaces that the lane's process holds (proc(5): /proc/PID/fd).
fn open_hosts(child: &Child, ready: &Ready) -> io::Result<[HostHandle; 2]> {
    let open = |host: Host| {
        let path = format!("/proc/{}/fd/{}", child.id(), ready.namespaces[host as usize]);
        let file = std::fs::File::open(path)?;
        Ok::<_, io::Error>(HostHandle::new(host, OwnedFd::from(file)))
    };
    Ok([open(Host::Edge)?, open(Host::Cloud)?])
}
