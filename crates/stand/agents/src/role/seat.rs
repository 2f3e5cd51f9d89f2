//! The coordinator's side: the seat of a runner on an agent's machine.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use wiredyno_contract::{Operation, Success};
use wiredyno_process::scratch::Scratch;
use wiredyno_process::socket::Socket;
use wiredyno_process::usage::Meter;
use wiredyno_seats::interrupt::Interrupt;
use wiredyno_seats::runner_error::RunnerError;
use wiredyno_seats::seat::clock::SeatClock;
use wiredyno_seats::seat::{Cpu, RunnerSeat, Seat, SeatFile, Watch};

use super::line::{Connection, Keeper, Line, SOON, Undone, unread};
use super::{Deed, Digest, Outcome, Program};
use crate::pack;

/// How long an agent may take to end a runner in an orderly way.
const ENDING: Duration = Duration::from_secs(5);

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
        agent: (&str, [u64; 2]),
        connection: Connection,
        command: &Command,
        asking: (Arc<dyn Keeper>, &Interrupt),
    ) -> Result<Self, RunnerError> {
        let line = Line::new(agent, connection, asking);
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
        self.line.watch()
    }

    fn meter(&self) -> io::Result<Meter> {
        Err(unread())
    }

    fn sockets(&self) -> io::Result<Vec<Socket>> {
        self.line.sockets()
    }

    fn clock(&self) -> SeatClock {
        self.line.clock()
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
        self.line.ended()
    }

    fn stop(self: Box<Self>) {
        self.line.stop(ENDING);
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
