//! Seats: where the roles of a trial run. A trial is conducted through them: requests to a role, what it uses, its sockets, its
//! files, its clock, its CPUs, and whether it has ended.
//!
//! Here a seat is a process of this machine ([`process`], [`broker`], [`link`]); hosts on other machines are [`away`], and packets between these are counted by [`tap`]. Code outside this module uses neither its process id
//! nor the path of a role's file, and never takes a time of its clock for one of ours ([`clock`]).
//!
//! Files: a request refers to files that a role is to read by our own paths, and the seat transfers them ([`files`]). Files that a role
//! writes are named by its seat and fetched from it.

pub mod away;
pub mod broker;
pub mod clock;
mod cpu;
#[cfg(test)]
pub(crate) mod elsewhere;
pub mod files;
pub mod link;
pub mod process;
pub mod tap;

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use wiredyno_contract::{Endpoint, Operation, Success};
use wiredyno_model::trial::{BrokerUsed, CpuUse, RoleUse};
use wiredyno_process::socket::Socket;
use wiredyno_process::usage::{Busiest, Meter};

use self::clock::{Moment, SeatClock};
pub use self::cpu::Cpu;
use crate::runner_error::RunnerError;

/// The seat of a role or of the link: what can be observed without a request to it.
pub trait Seat: Send {
    /// Starts watching what it uses.
    ///
    /// # Errors
    /// When it has ended.
    fn watch(&self) -> io::Result<Box<dyn Watch>>;

    /// A cheap reading of what it has used, for a display.
    ///
    /// # Errors
    /// When that can't be read from here.
    fn meter(&self) -> io::Result<Meter>;

    /// Its current sockets.
    ///
    /// # Errors
    /// When it has ended.
    fn sockets(&self) -> io::Result<Vec<Socket>>;

    /// The offset of its clock from ours.
    fn clock(&self) -> SeatClock;

    /// Keeps all of its threads off a CPU; returns whether that was permitted.
    fn keep_off(&self, cpu: Cpu) -> bool;

    /// Lets it use all CPUs again, where that is permitted.
    fn release(&self);
}

/// The resources that are watched over the measured part of a trial: CPU time, waiting for a CPU, memory, threads.
pub trait Watch {
    /// Its busiest thread since the moment when the first message was due.
    ///
    /// # Errors
    /// When it has ended.
    fn busiest(&self, first: Moment) -> io::Result<Busiest>;

    /// Takes the look from which [`moved`](Self::moved) counts: messages are about to be sent. The machine of an agent is watched from a moment on.
    ///
    /// # Errors
    /// When it has ended.
    fn moving(&mut self, from: Moment) -> io::Result<()>;

    /// What it has used since then; the stand's own share of it is not known here.
    ///
    /// # Errors
    /// When it has ended.
    fn moved(&self) -> io::Result<Moved>;

    /// What it has used since the beginning, without dropped datagrams, which are not known here.
    ///
    /// # Errors
    /// When it has ended.
    fn end(&self) -> io::Result<RoleUse>;
}

/// What a role has used while messages moved.
#[derive(Debug, Clone)]
pub struct Moved {
    /// By its processes.
    pub used: CpuUse,
    /// By all processes of its machine, with the agent's name; `None` where that is this one.
    pub machine: Option<(String, MachineUse)>,
}

/// What all processes of a machine have used between two readings of its counters.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct MachineUse {
    /// Which machine it is: the kernel's boot id.
    pub boot_id: String,
    /// CPUs online.
    pub cpus: u32,
    /// From one reading to the other, nanoseconds.
    pub watched_ns: u64,
    /// CPU time in use on all CPUs, nanoseconds.
    pub in_use_ns: u64,
    /// Share of all CPU time that the hypervisor gave to other machines, 0..1.
    pub steal: f64,
}

/// The seat of a runner.
pub trait RunnerSeat: Seat {
    /// Its role in words: publisher, subscriber, relay, codec runner.
    fn role(&self) -> &'static str;

    /// Sends a request and waits for the answer. Files in the operation have the seat's names.
    ///
    /// # Errors
    /// When the runner refuses, ends, breaks the contract, or does not read the request or answer it within `limit`.
    fn ask(&mut self, operation: Operation, limit: Duration) -> Result<Success, RunnerError>;

    /// Reports, once it has ended by itself, what is known about it.
    fn ended(&mut self) -> Option<String>;

    /// Ends the runner in an orderly way, or kills it if it does not end within a second.
    fn stop(self: Box<Self>);

    /// The peak of its memory so far, in bytes.
    ///
    /// # Errors
    /// When it has ended.
    fn peak_memory_bytes(&self) -> io::Result<u64>;

    /// A file for the role to write; each name is one file.
    ///
    /// # Errors
    /// When the seat has no room for files.
    fn file(&self, name: &str) -> io::Result<SeatFile>;

    /// A file that the role has written, for us to read.
    ///
    /// # Errors
    /// When it can't be fetched.
    fn fetch(&self, file: &SeatFile) -> io::Result<PathBuf>;

    /// Transfers a file of ours, for the role to read.
    ///
    /// # Errors
    /// When it can't be transferred.
    fn hand(&self, ours: &Path) -> io::Result<SeatFile>;

    /// A file of ours in memory that the role and we map at the same time.
    ///
    /// # Errors
    /// When it does not share our memory.
    fn share(&self, ours: &Path) -> io::Result<SeatFile>;

    /// A file that the role writes and that is to be at our path when the role has ended: a capture's keys.
    ///
    /// # Errors
    /// When it can't be delivered there.
    fn deliver(&self, to: &Path) -> io::Result<SeatFile>;

    /// The file with which this role opens the gate of a publisher on another seat, which has named it.
    ///
    /// # Errors
    /// When it can't be reached from here.
    fn reach(&self, gate: &SeatFile) -> io::Result<SeatFile>;

    /// A CPU that could be reserved for its publishing thread; `None` if there is no other CPU.
    fn spare_cpu(&self) -> Option<Cpu>;

    /// Reserves a CPU for its publishing thread and keeps all of its other threads off it; returns whether that was permitted.
    fn set_apart(&self, cpu: Cpu) -> bool;
}

/// The seat of a broker, with all of its nodes. It is killed on drop.
pub trait BrokerSeat: Seat {
    /// What trials record about it.
    fn used(&self) -> &BrokerUsed;

    /// Where clients connect: the first port of its first node.
    fn endpoint(&self) -> &Endpoint;

    /// How long it took to start.
    fn start(&self) -> Duration;

    /// Reports, once it has ended by itself, what is known about it.
    fn ended(&mut self) -> Option<String>;

    /// Another trial is to use it: the peak of its memory starts anew.
    fn serve_again(&self);

    /// Bytes of its files that hold the messages of a topic, on all of its nodes; absent where that is unknown.
    fn stored(&self, topic: &str) -> Option<u64>;

    /// Ends it, as its definition says.
    fn stop(self: Box<Self>);
}

/// A file under its seat's name, which only its role opens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeatFile {
    name: String,
}

impl SeatFile {
    /// A file that its seat has named so.
    pub fn of(name: String) -> Self {
        SeatFile { name }
    }

    /// The name for a request to the role.
    pub fn name(&self) -> String {
        self.name.clone()
    }
}

/// Records that a role has written, after fetching, with the clock of their times.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recorded {
    /// Our path of the file.
    pub path: PathBuf,
    /// The clock of all times in it.
    pub clock: SeatClock,
}
