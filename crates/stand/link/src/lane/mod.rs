//! A lane: an isolated pair of hosts with a link between them, in a process of its own. Several lanes run side by side; their hosts have the
//! same addresses and can't see each other.
//!
//! A lane's process ends when its [`Lane`] is dropped or the program that owns it ends, and takes the namespaces with it. A process that has
//! died or stopped answering is gone for good: the owner makes a new lane.

mod laid;
mod wire;
mod worker;

use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use wiredyno_contract::WireFormat;
use wiredyno_process::group::Group;
use wiredyno_process::pidfd::PidFd;
use wiredyno_process::talk::{Talk, TalkError};

use wire::{Ready, Reply, Request};
pub use worker::worker_main;

use crate::accounting::{LinkCounters, Phase};
use crate::capture::CaptureFile;
use crate::host::{Host, HostHandle};
use crate::model::Seeds;
use crate::sandbox::{Missing, Sandbox};
use crate::spec::LinkSpec;

/// The hidden subcommand by which a program becomes a lane's process: it must call [`worker_main`] and exit with the code that this returns.
pub const WORKER_COMMAND: &str = "lane-worker";

/// How long the lane's process may take to answer: writing a capture to a slow disk takes longest.
const PATIENCE: Duration = Duration::from_secs(30);

/// How long after its last message the end of the process may take to show.
const END_SHOWS: Duration = Duration::from_millis(500);

/// Why a lane did not do what was requested.
#[derive(Debug, thiserror::Error)]
pub enum LaneError {
    /// This machine can't create hosts.
    #[error("no emulated link here: {0}")]
    NotAllowed(Missing),
    /// The lane's process could not be started.
    #[error("lane {lane}: {program} could not be started: {source}")]
    Start {
        /// The lane's number, from 0.
        lane: usize,
        /// The program that becomes the lane's process.
        program: PathBuf,
        /// The error that the operating system reported.
        source: io::Error,
    },
    /// The lane's process reported a failure and continues.
    #[error("lane {lane}: {message}")]
    Refused {
        /// The lane's number, from 0.
        lane: usize,
        /// What went wrong, with a remedy where there is one.
        message: String,
    },
    /// The lane's process is gone; make a new lane.
    #[error("lane {lane}: its process has died ({detail}); its trial is void, start a new lane")]
    Gone {
        /// The lane's number, from 0.
        lane: usize,
        /// What is known about the cause.
        detail: String,
    },
}

/// The lane's process, as its owner sees it.
struct Worker {
    group: Group,
    talk: Talk,
    /// Why the process is gone, if it is.
    gone: Option<String>,
}

/// A lane, as its owner sees it. Methods block until the lane's process has answered, at most half a minute.
pub struct Lane {
    index: usize,
    process_id: u32,
    worker: Mutex<Worker>,
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
        let mut group = Group::spawn(&mut command).map_err(start)?;
        let talk = Talk::with(group.child()).map_err(start)?;
        let mut worker = Worker { group, talk, gone: None };
        let gone = |detail: String| LaneError::Gone { lane: index, detail };
        let ready = match worker.said().map_err(|error| worker.given_up(&error.to_string())).map_err(gone)? {
            Reply::Ready(ready) => ready,
            Reply::Failed { message } => return Err(LaneError::Refused { lane: index, message }),
            _ => return Err(gone("it sent no greeting".to_owned())),
        };
        let process_id = worker.group.id();
        let hosts = open_hosts(process_id, &ready).map_err(start)?;
        let Ready { realtime, notes, .. } = ready;
        Ok(Self { index, process_id, worker: Mutex::new(worker), hosts, realtime, notes })
    }

    fn worker(&self) -> MutexGuard<'_, Worker> {
        self.worker.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ask(&self, request: &Request) -> Result<Reply, LaneError> {
        let lane = self.index;
        match self.worker().answer(request) {
            Ok(Reply::Failed { message }) => Err(LaneError::Refused { lane, message }),
            Ok(reply) => Ok(reply),
            Err(detail) => Err(LaneError::Gone { lane, detail }),
        }
    }

    /// The lane's process, for code that waits for something that depends on it.
    pub fn process(&self) -> Option<Arc<PidFd>> {
        self.worker().group.shared_process()
    }

    /// Why its process is gone for good; `None` while it lives. After a failure of something over the link, this waits up to half a second
    /// for the process to end: a dying process takes down its devices before it can be waited for.
    pub fn gone(&self) -> Option<String> {
        let mut worker = self.worker();
        if worker.gone.is_none() && worker.group.ended_within(END_SHOWS).is_some() {
            // Its last message says more than its exit status.
            let said = worker.said();
            return Some(worker.reason(said));
        }
        worker.gone.clone()
    }

    fn count(&self, request: &Request) -> Result<LinkCounters, LaneError> {
        match self.ask(request)? {
            Reply::Counters(counters) => Ok(*counters),
            _ => Err(LaneError::Gone { lane: self.index, detail: "it gave the wrong answer".to_owned() }),
        }
    }

    /// Lays a new link, anchored now, counters at zero, phase `setup`. Packets in flight over the old link are dropped, and TCP connections
    /// begun over it are cut: an earlier trial must not affect this one. `capture` is the pcapng to write.
    pub fn lay(&self, spec: &LinkSpec, seeds: Seeds, capture: Option<&CaptureFile>) -> Result<(), LaneError> {
        // The lane's process does not follow later changes of our current folder.
        let capture = capture.map(|CaptureFile { path, comment }| CaptureFile {
            path: std::path::absolute(path).unwrap_or_else(|_| path.clone()),
            comment: comment.clone(),
        });
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

    /// The format of flows that begin from now on: it makes the purpose of their bytes and the retransmissions of datagrams known.
    pub fn read_as(&self, format: WireFormat) -> Result<(), LaneError> {
        self.ask(&Request::ReadAs { format }).map(drop)
    }

    /// The counts since the link was laid.
    pub fn counters(&self) -> Result<LinkCounters, LaneError> {
        self.count(&Request::Counters)
    }

    /// Like [`Self::counters`], and closes accounts and capture at the same packet: later packets are delivered but neither counted nor
    /// captured, until a link is laid again.
    pub fn finish(&self) -> Result<LinkCounters, LaneError> {
        self.count(&Request::Finish)
    }

    /// A host of this lane, for starting processes on it.
    pub fn host(&self, host: Host) -> HostHandle {
        self.hosts[host as usize].clone()
    }

    /// The lane's number, from 0.
    pub fn index(&self) -> usize {
        self.index
    }

    /// Process id of the lane's process, for measurements of its CPU.
    pub fn process_id(&self) -> u32 {
        self.process_id
    }

    /// Whether the link runs with real-time priority.
    pub fn realtime(&self) -> bool {
        self.realtime
    }

    /// Settings that could not be made on the hosts and may affect measurements; empty on an ordinary machine.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }
}

impl Drop for Lane {
    fn drop(&mut self) {
        // Completes a capture; if the process is gone, this fails at once.
        let _ = self.finish();
    }
}

impl Worker {
    /// The answer to a request, or why the process is gone.
    fn answer(&mut self, request: &Request) -> Result<Reply, String> {
        if let Some(gone) = &self.gone {
            return Err(gone.clone());
        }
        let said = self.exchange(request);
        match said {
            Ok(Reply::Ending { .. }) | Err(_) => Err(self.reason(said)),
            Ok(reply) => Ok(reply),
        }
    }

    fn exchange(&mut self, request: &Request) -> Result<Reply, TalkError> {
        let mut line = serde_json::to_vec(request).map_err(io::Error::from)?;
        line.push(b'\n');
        match self.talk.send(&line, PATIENCE, &|| false) {
            // It may have stated the reason before it ended.
            Ok(()) | Err(TalkError::Closed) => self.said(),
            Err(error) => Err(error),
        }
    }

    /// The next message from the process.
    fn said(&mut self) -> Result<Reply, TalkError> {
        let line = self.talk.line(PATIENCE, self.group.process(), &|| false)?;
        Ok(serde_json::from_slice(&line).map_err(io::Error::from)?)
    }

    /// Gives the process up after this message; returns the reason.
    fn reason(&mut self, said: Result<Reply, TalkError>) -> String {
        match said {
            Ok(Reply::Ending { message }) => self.given_up(&message),
            Ok(_) => self.given_up("it ended"),
            Err(error) => self.given_up(&error.to_string()),
        }
    }

    fn given_up(&mut self, reason: &str) -> String {
        // A process that still lives is unusable: the next request would get the last answer.
        let by_itself = self.group.ended_within(END_SHOWS);
        self.group.kill();
        let gone = match by_itself {
            Some(status) => format!("{reason}; {status}"),
            None => reason.to_owned(),
        };
        self.gone.insert(gone).clone()
    }
}

/// Opens the namespaces that the lane's process holds (proc(5): /proc/PID/fd).
fn open_hosts(process: u32, ready: &Ready) -> io::Result<[HostHandle; 2]> {
    let open = |host: Host| {
        let path = format!("/proc/{process}/fd/{}", ready.namespaces[host as usize]);
        let file = std::fs::File::open(path)?;
        Ok::<_, io::Error>(HostHandle::new(host, OwnedFd::from(file)))
    };
    Ok([open(Host::Edge)?, open(Host::Cloud)?])
}
