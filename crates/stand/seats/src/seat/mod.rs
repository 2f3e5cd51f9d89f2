//! Seats: where the roles of a trial sit. A trial is conducted through them: what is asked of a role, what it uses, its sockets, its
//! files, its clock, its CPUs, whether it has ended.
//!
//! Here a seat is a process of this machine ([`process`], [`broker`], [`link`]). Nothing outside this module knows its process id
//! or a path of a role's file, or takes a time of its clock for one of ours ([`clock`]).
//!
//! Files: a request names by our own paths what a role is to read, and the seat hands it over ([`files`]). What a role writes is
//! named by its seat and fetched from it.

pub mod broker;
pub mod clock;
mod cpu;
#[cfg(test)]
pub(crate) mod elsewhere;
pub mod files;
pub mod link;
pub mod process;

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use wiredyno_contract::{Endpoint, Operation, Success};
use wiredyno_model::trial::{BrokerUsed, CpuUse, RoleUse};
use wiredyno_process::socket::Socket;
use wiredyno_process::usage::Busiest;

use self::clock::{Moment, SeatClock};
pub use self::cpu::Cpu;
use crate::runner::RunnerError;

/// Where a role sits, or the link: what can be seen of it without asking it.
pub trait Seat: Send {
    /// Begins to watch what it uses.
    ///
    /// # Errors
    /// When it has ended.
    fn watch(&self) -> io::Result<Box<dyn Watch>>;

    /// Its sockets now.
    ///
    /// # Errors
    /// When it has ended.
    fn sockets(&self) -> io::Result<Vec<Socket>>;

    /// How its clock stands to ours.
    fn clock(&self) -> SeatClock;

    /// Keeps all of its threads off a CPU; whether that was allowed.
    fn keep_off(&self, cpu: Cpu) -> bool;

    /// Gives all CPUs back to it, where that is allowed.
    fn release(&self);
}

/// What is watched over the measured part of a trial: CPU time, waiting for a CPU, memory, threads.
pub trait Watch {
    /// Its busiest thread since the moment when the first message was meant to be sent.
    ///
    /// # Errors
    /// When it has ended.
    fn busiest(&self, first: Moment) -> io::Result<Busiest>;

    /// Messages are about to move.
    ///
    /// # Errors
    /// When it has ended.
    fn moving(&mut self) -> io::Result<()>;

    /// What it has used since they were; what of it was the stand's own is not known here.
    ///
    /// # Errors
    /// When it has ended.
    fn moved(&self) -> io::Result<CpuUse>;

    /// What it has used since the beginning; of datagrams that were dropped nothing is known.
    ///
    /// # Errors
    /// When it has ended.
    fn end(&self) -> io::Result<RoleUse>;
}

/// Where a runner sits.
pub trait RunnerSeat: Seat {
    /// Which role it has, in words: publisher, subscriber, relay, codec runner.
    fn role(&self) -> &'static str;

    /// Asks and waits for the answer. Files in the operation are named as the seat does.
    ///
    /// # Errors
    /// When the runner refuses, ends, breaks the contract, or does not read the request or answer it within `limit`.
    fn ask(&mut self, operation: Operation, limit: Duration) -> Result<Success, RunnerError>;

    /// That it has ended by itself, with what is known about it.
    fn ended(&mut self) -> Option<String>;

    /// Ends the runner in good order, or by force where it does not end within a second.
    fn stop(self: Box<Self>);

    /// The most memory that it has had so far, in bytes.
    ///
    /// # Errors
    /// When it has ended.
    fn peak_memory_bytes(&self) -> io::Result<u64>;

    /// A file that the role shall write; one name, one file.
    ///
    /// # Errors
    /// When it has no room for files.
    fn file(&self, name: &str) -> io::Result<SeatFile>;

    /// A file that the role has written, for us to read.
    ///
    /// # Errors
    /// When it can't be had.
    fn fetch(&self, file: &SeatFile) -> io::Result<PathBuf>;

    /// A file of ours, for the role to read.
    ///
    /// # Errors
    /// When it can't be handed over.
    fn hand(&self, ours: &Path) -> io::Result<SeatFile>;

    /// A file that the role writes and that is to stand at a path of ours when the role has ended: a capture's keys.
    ///
    /// # Errors
    /// When it can't be brought there.
    fn deliver(&self, to: &Path) -> io::Result<SeatFile>;

    /// By what this role opens the gate of a publisher that sits elsewhere, whose seat has named it.
    ///
    /// # Errors
    /// When it can't be reached from here.
    fn reach(&self, gate: &SeatFile) -> io::Result<SeatFile>;

    /// A CPU that its publishing thread could have for itself; `None` where there is no other one.
    fn spare_cpu(&self) -> Option<Cpu>;

    /// Gives a CPU to its publishing thread and keeps all other threads of it off that; whether that was allowed.
    fn set_apart(&self, cpu: Cpu) -> bool;
}

/// Where a broker sits, with all of its nodes. It is ended by force when dropped.
pub trait BrokerSeat: Seat {
    /// What trials record of it.
    fn used(&self) -> &BrokerUsed;

    /// Where clients connect.
    fn endpoint(&self) -> &Endpoint;

    /// How long it took to start.
    fn start(&self) -> Duration;

    /// That it has ended by itself, with what is known about it.
    fn ended(&mut self) -> Option<String>;

    /// From now on its largest memory is counted anew.
    fn forget_peaks(&self);

    /// Ends it as its definition says.
    fn stop(self: Box<Self>);
}

/// A file as a seat calls it: for its role alone to open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeatFile {
    name: String,
}

impl SeatFile {
    /// For a request to the role.
    pub fn name(&self) -> String {
        self.name.clone()
    }
}

/// Records that a role has written, fetched, with the clock of their times.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recorded {
    /// The file.
    pub path: PathBuf,
    /// Of all times in it.
    pub clock: SeatClock,
}
