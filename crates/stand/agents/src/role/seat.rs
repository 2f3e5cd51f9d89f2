//! The coordinator's side: a seat on an agent's machine.
//!
//! One file because each method of a seat is a deed on the same line, and the outcome that it expects.

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustls::{ServerConnection, StreamOwned};
use wiredyno_contract::{Failure, Operation, Success};
use wiredyno_model::trial::{CpuUse, RoleUse};
use wiredyno_process::scratch::Scratch;
use wiredyno_process::socket::Socket;
use wiredyno_process::usage::{Busiest, Meter};
use wiredyno_seats::interrupt::Interrupt;
use wiredyno_seats::runner_error::RunnerError;
use wiredyno_seats::seat::clock::{Moment, SeatClock};
use wiredyno_seats::seat::{Cpu, RunnerSeat, Seat, SeatFile, Watch};

use super::serving::send_pieces;
use super::{Deed, Digest, Outcome, Program};
use crate::messages::{LEASE, plain};
use crate::pack;
use crate::wire::{Frames, Limited, WireError};

/// A role's connection.
pub(crate) type Connection = Frames<StreamOwned<ServerConnection, Limited>>;

/// How long a deed that waits for nothing may take: a lease, because an agent whose machine stalls for that long is lost anyway.
const SOON: Duration = LEASE;

/// How long an agent may take to end a runner in an orderly way.
const ENDING: Duration = Duration::from_secs(5);

/// The most bytes that a role may have written: a hundred million messages.
const MOST_FETCHED: u64 = 16 << 30;

/// How long a file may take: enough for a link of a hundred kilobytes per second.
fn fetching(bytes: u64) -> Duration {
    10 * SOON + Duration::from_secs(bytes / 100_000)
}

/// What a seat asks about its agent.
pub(crate) trait Keeper: Send + Sync {
    /// Whether it is connected, by its lease, in this session; otherwise why not. Then what it ran is lost.
    fn is_there(&self, agent: &str, session: u64) -> Result<(), String>;

    /// Its connection for a role broke: what it ran is lost.
    fn lost(&self, agent: &str, why: &str);

    /// How its clock is told.
    fn clock(&self, agent: &str) -> SeatClock;

    /// The role of this number is to end.
    fn close(&self, agent: &str, number: u64);
}

/// A role's connection, which one caller uses at a time.
struct Line {
    agent: String,
    /// Those of its session and of the role.
    numbers: [u64; 2],
    connection: Mutex<Connection>,
    /// Set when an answer was not awaited to its end: the next would be taken for that of another deed.
    is_broken: AtomicBool,
    keeper: Arc<dyn Keeper>,
    interrupt: Interrupt,
}

impl Drop for Line {
    fn drop(&mut self) {
        self.keeper.close(&self.agent, self.numbers[1]);
    }
}

/// Why a deed was not done.
enum Undone {
    Interrupted,
    Refused(Failure),
    Because(String),
}

impl Undone {
    fn of_io(self, agent: &str) -> io::Error {
        match self {
            Undone::Interrupted => io::ErrorKind::Interrupted.into(),
            Undone::Refused(failure) => io::Error::other(failure),
            Undone::Because(problem) => io::Error::other(format!("{agent}: {problem}")),
        }
    }
}

impl Line {
    fn connection(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_there(&self) -> Result<(), String> {
        self.keeper.is_there(&self.agent, self.numbers[0])
    }

    fn goes_on(&self) -> bool {
        !self.interrupt.is_set() && self.is_there().is_ok()
    }

    fn broken(&self, error: &WireError) -> Undone {
        self.is_broken.store(true, Ordering::Relaxed);
        if self.interrupt.is_set() {
            return Undone::Interrupted;
        }
        // A runner's own end comes as an outcome, never as a broken connection.
        self.keeper.lost(&self.agent, &error.to_string());
        Undone::Because(match self.is_there() {
            Err(why) => format!("the agent is not connected: {why}"),
            Ok(()) => error.to_string(),
        })
    }

    /// The outcome of a deed; one that the agent could not do is an error.
    fn outcome(&self, connection: &mut Connection, within: Duration) -> Result<Outcome, Undone> {
        let received = connection.receive(Instant::now() + within, &|| self.goes_on());
        match received.map_err(|error| self.broken(&error))? {
            // What a machine says is shown to people.
            (Outcome::Failed { problem }, _) => Err(Undone::Because(plain(&problem))),
            (Outcome::Refused { failure }, _) => {
                Err(Undone::Refused(Failure { error: plain(&failure.error) }))
            }
            (outcome, _) => Ok(outcome),
        }
    }

    fn is_whole(&self) -> Result<(), Undone> {
        match self.is_broken.load(Ordering::Relaxed) {
            true => Err(Undone::Because("an earlier answer from it was lost".to_owned())),
            false => Ok(()),
        }
    }

    fn ask(&self, deed: &Deed, within: Duration) -> Result<Outcome, Undone> {
        self.is_whole()?;
        let mut connection = self.connection();
        connection.send(deed).map_err(|error| self.broken(&error))?;
        self.outcome(&mut connection, within)
    }

    fn plainly(&self, deed: &Deed) -> io::Result<Outcome> {
        self.ask(deed, SOON).map_err(|undone| undone.of_io(&self.agent))
    }

    /// The error for an outcome of another deed.
    fn unexpected(&self, outcome: &Outcome) -> io::Error {
        let word = serde_json::to_value(outcome).ok();
        let word = word.as_ref().and_then(|value| value["outcome"].as_str()).unwrap_or("nothing");
        io::Error::other(format!("{} answered `{word}`; please report this", self.agent))
    }

    fn done(&self, deed: &Deed) -> io::Result<()> {
        match self.plainly(deed)? {
            Outcome::Done => Ok(()),
            other => Err(self.unexpected(&other)),
        }
    }

    /// Sends those of these files that the agent lacks; returns their digests.
    fn sent(&self, files: &[&Path]) -> io::Result<Vec<Digest>> {
        let digests: Vec<Digest> =
            files.iter().map(|file| pack::digest_of(file)).collect::<io::Result<_>>()?;
        let lacking = match self.plainly(&Deed::Lack { digests: digests.clone() })? {
            Outcome::Lacking { digests } => digests,
            other => return Err(self.unexpected(&other)),
        };
        for (file, digest) in files.iter().zip(&digests).filter(|(_, digest)| lacking.contains(digest)) {
            let mut file = File::open(file)?;
            let bytes = file.metadata()?.len();
            let mut connection = self.connection();
            let sent = connection
                .send(&Deed::Keep { digest: digest.clone(), bytes })
                .and_then(|()| send_pieces(&mut connection, (&mut file, bytes), &|| self.goes_on()))
                .map_err(|error| self.broken(&error))
                // The last pieces may still be on a slow path.
                .and_then(|()| self.outcome(&mut connection, 10 * SOON));
            match sent.map_err(|undone| undone.of_io(&self.agent))? {
                Outcome::Done => {}
                other => return Err(self.unexpected(&other)),
            }
        }
        Ok(digests)
    }

    /// Fetches what a role has written.
    fn fetch(&self, file: &str, to: &Path) -> io::Result<()> {
        self.is_whole().map_err(|undone| undone.of_io(&self.agent))?;
        let mut connection = self.connection();
        let asked = connection.send(&Deed::Fetch { file: file.to_owned() });
        let begun = asked.map_err(|error| self.broken(&error));
        let begun = begun.and_then(|()| self.outcome(&mut connection, SOON));
        let mut left = match begun.map_err(|undone| undone.of_io(&self.agent))? {
            Outcome::Sends { bytes } if bytes <= MOST_FETCHED => bytes,
            other => {
                self.is_broken.store(true, Ordering::Relaxed);
                return Err(self.unexpected(&other));
            }
        };
        let until = Instant::now() + fetching(left);
        let mut into = File::create(to)?;
        let mut received = || -> io::Result<()> {
            while left > 0 {
                let piece =
                    connection.receive_piece(until.min(Instant::now() + 2 * SOON), &|| self.goes_on());
                let piece = piece.map_err(|error| self.broken(&error).of_io(&self.agent))?;
                io::Write::write_all(&mut into, &piece)?;
                left =
                    left.checked_sub(piece.len() as u64).filter(|_| !piece.is_empty()).ok_or_else(|| {
                        io::Error::other(format!("{} sent pieces that it had not announced", self.agent))
                    })?;
            }
            Ok(())
        };
        let result = received();
        if result.is_err() {
            self.is_broken.store(true, Ordering::Relaxed);
        }
        result
    }
}

/// The seat of a runner on an agent's machine.
pub(crate) struct AgentSeat {
    role: &'static str,
    line: Arc<Line>,
    /// What was fetched from there.
    folder: Scratch,
    /// The names there of contents that the role is to read.
    handed: Mutex<HashMap<Digest, SeatFile>>,
}

impl AgentSeat {
    /// Starts a program of this machine on an agent's, where its connection has been opened.
    pub(crate) fn start(
        role: &'static str,
        (agent, numbers): (&str, [u64; 2]),
        connection: Connection,
        command: &Command,
        (keeper, interrupt): (Arc<dyn Keeper>, &Interrupt),
    ) -> Result<Self, RunnerError> {
        let connection = Mutex::new(connection);
        let (agent, interrupt) = (agent.to_owned(), interrupt.clone());
        let is_broken = AtomicBool::new(false);
        let line = Arc::new(Line { agent, numbers, connection, is_broken, keeper, interrupt });
        let away = |error: &io::Error| match error.kind() {
            io::ErrorKind::Interrupted => RunnerError::Interrupted,
            _ => RunnerError::Away { role, agent: line.agent.clone(), problem: error.to_string() },
        };
        let started = || -> io::Result<Scratch> {
            let packed = pack::of(command)?;
            let paths: Vec<&Path> = packed.files.iter().map(|(_, path)| path.as_path()).collect();
            let digests = line.sent(&paths)?;
            let names = packed.files.iter().map(|(name, _)| name.clone());
            let program = Program {
                files: names.zip(digests).collect(),
                program: packed.program,
                loader: packed.loader,
                arguments: packed.arguments,
            };
            line.done(&Deed::Start { role: role.to_owned(), program })?;
            Scratch::new("fetched-")
        };
        let folder = started().map_err(|error| away(&error))?;
        Ok(AgentSeat { role, line, folder, handed: Mutex::default() })
    }

    fn away(&self, problem: String) -> RunnerError {
        RunnerError::Away { role: self.role, agent: self.line.agent.clone(), problem }
    }

    fn named(&self, deed: &Deed) -> io::Result<SeatFile> {
        match self.line.plainly(deed)? {
            Outcome::Named { file } => Ok(SeatFile::of(file)),
            other => Err(self.line.unexpected(&other)),
        }
    }
}

impl Seat for AgentSeat {
    fn watch(&self) -> io::Result<Box<dyn Watch>> {
        match self.line.plainly(&Deed::Watch)? {
            Outcome::Watching { watch } => Ok(Box::new(AgentWatch { line: self.line.clone(), watch })),
            other => Err(self.line.unexpected(&other)),
        }
    }

    fn meter(&self) -> io::Result<Meter> {
        Err(io::Error::new(
            io::ErrorKind::Unsupported,
            "what a role uses on another machine is read at its end",
        ))
    }

    fn sockets(&self) -> io::Result<Vec<Socket>> {
        match self.line.plainly(&Deed::Sockets)? {
            Outcome::Sockets { sockets } => Ok(sockets.into_iter().map(Into::into).collect()),
            other => Err(self.line.unexpected(&other)),
        }
    }

    fn clock(&self) -> SeatClock {
        self.line.keeper.clock(&self.line.agent)
    }

    fn keep_off(&self, _: Cpu) -> bool {
        // Of another machine.
        false
    }

    fn release(&self) {}
}

impl RunnerSeat for AgentSeat {
    fn role(&self) -> &'static str {
        self.role
    }

    fn ask(&mut self, operation: Operation, limit: Duration) -> Result<Success, RunnerError> {
        let limit_ns = u64::try_from(limit.as_nanos()).unwrap_or(u64::MAX);
        // The agent ends the wait; this limit is for an agent that does not.
        match self.line.ask(&Deed::Ask { operation: Box::new(operation), limit_ns }, limit + 2 * SOON) {
            Ok(Outcome::Answered { success }) => Ok(*success),
            Ok(other) => Err(self.away(self.line.unexpected(&other).to_string())),
            Err(Undone::Interrupted) => Err(RunnerError::Interrupted),
            Err(Undone::Refused(failure)) => Err(RunnerError::Refused { role: self.role, failure }),
            Err(Undone::Because(problem)) => Err(self.away(problem)),
        }
    }

    fn ended(&mut self) -> Option<String> {
        match self.line.ask(&Deed::Look, SOON) {
            Ok(Outcome::Ended { how }) => how.map(|how| plain(&how)),
            // That it can't be asked does not mean that it has ended, and is not its fault.
            Ok(_) | Err(_) => None,
        }
    }

    fn stop(self: Box<Self>) {
        // If it can't be told, its connection ends with us, and the role with that.
        let _ = self.line.ask(&Deed::Stop, ENDING);
    }

    fn peak_memory_bytes(&self) -> io::Result<u64> {
        match self.line.plainly(&Deed::PeakMemory)? {
            Outcome::Bytes { bytes } => Ok(bytes),
            other => Err(self.line.unexpected(&other)),
        }
    }

    fn file(&self, name: &str) -> io::Result<SeatFile> {
        self.named(&Deed::Name { file: name.to_owned() })
    }

    fn fetch(&self, file: &SeatFile) -> io::Result<PathBuf> {
        let name = file.name();
        let last = Path::new(&name).file_name().ok_or_else(|| io::Error::other("a file without a name"))?;
        let to = self.folder.path().join(last);
        self.line.fetch(&name, &to)?;
        Ok(to)
    }

    fn hand(&self, ours: &Path) -> io::Result<SeatFile> {
        let digest = pack::digest_of(ours)?;
        let mut handed = self.handed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = handed.get(&digest) {
            return Ok(known.clone());
        }
        self.line.sent(&[ours])?;
        let placed = self.named(&Deed::Place { digest: digest.clone() })?;
        handed.insert(digest, placed.clone());
        Ok(placed)
    }

    fn share(&self, _: &Path) -> io::Result<SeatFile> {
        Err(io::Error::new(io::ErrorKind::Unsupported, "two machines share no memory"))
    }

    fn deliver(&self, _: &Path) -> io::Result<SeatFile> {
        Err(io::Error::new(
            io::ErrorKind::Unsupported,
            "keys for captures stay on the machine that made them",
        ))
    }

    fn reach(&self, gate: &SeatFile) -> io::Result<SeatFile> {
        // Of another role of the same agent; one of another machine is refused there.
        Ok(gate.clone())
    }

    fn spare_cpu(&self) -> Option<Cpu> {
        None
    }

    fn set_apart(&self, _: Cpu) -> bool {
        false
    }
}

/// A watch on an agent's machine.
struct AgentWatch {
    line: Arc<Line>,
    watch: usize,
}

impl Watch for AgentWatch {
    fn busiest(&self, first: Moment) -> io::Result<Busiest> {
        let clock = self.line.keeper.clock(&self.line.agent);
        let first_ns = clock.stamp(first).ns();
        match self.line.plainly(&Deed::Busiest { watch: self.watch, first_ns })? {
            Outcome::Busy { busy, on_cpu, span_ns } => Ok(Busiest { busy, on_cpu, span_ns }),
            other => Err(self.line.unexpected(&other)),
        }
    }

    fn moving(&mut self) -> io::Result<()> {
        self.line.done(&Deed::Moving { watch: self.watch })
    }

    fn moved(&self) -> io::Result<CpuUse> {
        match self.line.plainly(&Deed::Moved { watch: self.watch })? {
            Outcome::Moved { used } => Ok(used),
            other => Err(self.line.unexpected(&other)),
        }
    }

    fn end(&self) -> io::Result<RoleUse> {
        match self.line.plainly(&Deed::Used { watch: self.watch })? {
            Outcome::Used { used } => Ok(*used),
            other => Err(self.line.unexpected(&other)),
        }
    }
}
