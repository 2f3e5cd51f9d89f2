//! Seats of runners that are processes of this machine, on a host of a lane or on loopback.

use std::fs::File;
use std::io;
use std::net::{IpAddr, Ipv4Addr, TcpListener};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use wiredyno_contract::{Operation, Reply, Request, Success};
use wiredyno_link::lane::Lane;
use wiredyno_link::sandbox::Sandbox;
use wiredyno_model::Host;
use wiredyno_model::trial::RoleUse;
use wiredyno_process::group::Group;
use wiredyno_process::socket::{Socket, sockets_of};
use wiredyno_process::talk::{Talk, TalkError};
use wiredyno_process::usage::{self, Busiest, Meter, Watched};

use super::away::Away;
use super::clock::{Moment, SeatClock};
use super::{Cpu, Moved, RunnerSeat, Seat, SeatFile, Watch, cpu};
use crate::interrupt::Interrupt;
use crate::runner_error::{RunnerError, name_of};

/// This machine, as far as a trial's seats are on it.
#[derive(Clone, Copy)]
pub struct Here<'a> {
    /// The sandbox that makes children end with the run.
    pub sandbox: &'a Sandbox,
    /// The lane whose hosts they run on; absent on loopback.
    pub lane: Option<&'a Lane>,
    /// The hosts that are other machines, if any are.
    pub away: Option<&'a dyn Away>,
    /// The trial's folder, for the files of roles.
    pub folder: &'a Path,
    /// Set when the trial is to end.
    pub interrupt: &'a Interrupt,
}

impl Here<'_> {
    /// Starts the runner of this number on a host, and returns its seat.
    ///
    /// # Errors
    /// When it can't be started.
    pub fn seat(
        &self,
        role: &'static str,
        (host, number): (Host, u32),
        mut command: Command,
    ) -> Result<Box<dyn RunnerSeat>, RunnerError> {
        if let Some(away) = self.away.filter(|away| away.has(host)) {
            return away.seat(role, (host, number), &command, self.interrupt);
        }
        self.enter(host, &mut command);
        start_in(role, command, self.folder, self.interrupt)
    }

    /// Makes a command start on a host.
    pub fn enter(&self, host: Host, command: &mut Command) {
        self.sandbox.prepare(command);
        if let Some(lane) = self.lane {
            lane.host(host).enter(command);
        }
    }

    /// The address at which a host is reached from the other.
    ///
    /// # Errors
    /// When it is on a machine that is not there.
    pub fn address(&self, host: Host) -> io::Result<IpAddr> {
        match (self.away, self.lane) {
            (Some(away), _) => away.address(host),
            (None, Some(lane)) => Ok(lane.host(host).address().into()),
            (None, None) => Ok(Ipv4Addr::LOCALHOST.into()),
        }
    }

    /// A port of a host that is free now, where there is no lane.
    ///
    /// # Errors
    /// When there is none.
    pub fn free_port(&self, host: Host) -> io::Result<u16> {
        match self.away {
            Some(away) => away.free_port(host, self.interrupt),
            None => free_port(Ipv4Addr::LOCALHOST.into()),
        }
    }
}

/// A port that is free now at an address of this machine.
///
/// # Errors
/// When there is none.
pub fn free_port(address: IpAddr) -> io::Result<u16> {
    Ok(TcpListener::bind((address, 0))?.local_addr()?.port())
}

/// The seat of a runner that is started outside any trial: it has no host and writes no files. The command must be one that ends with the run.
///
/// # Errors
/// When it can't be started.
pub fn start(
    role: &'static str,
    command: Command,
    interrupt: &Interrupt,
) -> Result<Box<dyn RunnerSeat>, RunnerError> {
    Ok(Box::new(RunnerProcess::start(role, command, interrupt)?))
}

/// The seat of a runner that is started and writes its files into a folder. The command must be one that ends with the run.
///
/// # Errors
/// When it can't be started.
pub fn start_in(
    role: &'static str,
    command: Command,
    folder: &Path,
    interrupt: &Interrupt,
) -> Result<Box<dyn RunnerSeat>, RunnerError> {
    let process = RunnerProcess::start(role, command, interrupt)?;
    Ok(Box::new(RunnerProcess { folder: Some(folder.to_owned()), ..process }))
}

/// Starts watching what processes of this machine use.
///
/// # Errors
/// When one has ended, or all of a tree have.
pub fn watch(watched: Watched) -> io::Result<Box<dyn Watch>> {
    Ok(Box::new(ProcessWatch(usage::Watch::begin(watched)?)))
}

struct ProcessWatch(usage::Watch);

impl Watch for ProcessWatch {
    fn busiest(&self, first: Moment) -> io::Result<Busiest> {
        self.0.busiest(first.ns())
    }

    fn moving(&mut self, _: Moment) -> io::Result<()> {
        self.0.moving()
    }

    fn moved(&self) -> io::Result<Moved> {
        Ok(Moved { used: self.0.moved()?, machine: None })
    }

    fn end(&self) -> io::Result<RoleUse> {
        self.0.end(0)
    }
}

/// How long a runner may take to end when requested, and to be gone after it has closed its output.
const ENDING: Duration = Duration::from_secs(1);

/// How much of the end of its standard error is read, in bytes, and how many lines of that an error quotes.
const TOLD: (u64, usize) = (4_096, 5);

/// How much of an invalid answer an error quotes, in characters.
const MOST_TOLD_CHARS: usize = 500;

/// A runner's process. It is killed on drop, with all processes that it has started.
pub struct RunnerProcess {
    interrupt: Interrupt,
    role: &'static str,
    /// The folder into which it writes its files; only in a trial.
    folder: Option<PathBuf>,
    group: Group,
    talk: Talk,
    stderr: File,
    next_id: u64,
}

impl RunnerProcess {
    /// Starts `command` as a runner in the given role.
    ///
    /// # Errors
    /// When the program can't be started.
    fn start(role: &'static str, mut command: Command, interrupt: &Interrupt) -> Result<Self, RunnerError> {
        let program = command.get_program().to_string_lossy().into_owned();
        let failed = |source| RunnerError::Start { program: program.clone(), source };
        let stderr = tempfile::tempfile().map_err(failed)?;
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(stderr.try_clone().map_err(failed)?);
        let mut group = Group::spawn(&mut command).map_err(failed)?;
        let talk = Talk::with(group.child()).map_err(failed)?;
        Ok(RunnerProcess {
            interrupt: interrupt.clone(),
            role,
            folder: None,
            group,
            talk,
            stderr,
            next_id: 1,
        })
    }

    fn send(&mut self, operation: Operation, limit: Duration) -> Result<u64, TalkError> {
        let id = self.next_id;
        self.next_id += 1;
        let mut line = serde_json::to_vec(&Request { id, operation }).map_err(io::Error::from)?;
        line.push(b'\n');
        let interrupt = &self.interrupt;
        self.talk.send(&line, limit, &|| interrupt.is_set()).map(|()| id)
    }

    /// What went wrong between the two, in words that say which side did what.
    fn failed(&mut self, operation: &str, error: TalkError) -> RunnerError {
        let (role, operation) = (self.role, operation.to_owned());
        match error {
            TalkError::Closed => self.closed(),
            TalkError::Deaf { limit } => {
                RunnerError::Deaf { role, operation, limit, stderr: self.stderr_tail() }
            }
            TalkError::Silent { limit } => {
                RunnerError::Silent { role, operation, limit, stderr: self.stderr_tail() }
            }
            TalkError::Endless { .. } => RunnerError::Contract {
                role,
                problem: format!("its answer to `{operation}` is incomplete: {error}"),
            },
            TalkError::Interrupted => RunnerError::Interrupted,
            TalkError::Pipe(source) => RunnerError::Pipe { role, source },
        }
    }

    /// It has ended, or continues behind pipes that it has closed.
    fn closed(&mut self) -> RunnerError {
        match self.group.ended_within(ENDING) {
            Some(status) => RunnerError::Ended {
                role: self.role,
                status: format!(" ({status})"),
                stderr: self.stderr_tail(),
            },
            None => {
                let problem = format!("it closed its pipes but did not exit{}", self.stderr_tail());
                RunnerError::Contract { role: self.role, problem }
            }
        }
    }

    /// Reads without moving the position in the file: the runner writes there.
    fn stderr_tail(&self) -> String {
        let (bytes, lines) = TOLD;
        let length = self.stderr.metadata().map_or(0, |metadata| metadata.len());
        let from = length.saturating_sub(bytes);
        let mut end = vec![0; usize::try_from(length - from).unwrap_or_default()];
        if self.stderr.read_exact_at(&mut end, from).is_err() {
            return String::new();
        }
        let text = String::from_utf8_lossy(&end);
        let said: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        let tail = &said[said.len().saturating_sub(lines)..];
        if tail.is_empty() { String::new() } else { format!("; it said: {}", tail.join(" | ")) }
    }
}

impl Seat for RunnerProcess {
    fn watch(&self) -> io::Result<Box<dyn Watch>> {
        watch(Watched::Processes(vec![self.group.id()]))
    }

    fn meter(&self) -> io::Result<Meter> {
        Ok(Meter::of(&Watched::Processes(vec![self.group.id()])))
    }

    fn sockets(&self) -> io::Result<Vec<Socket>> {
        sockets_of(self.group.id())
    }

    fn clock(&self) -> SeatClock {
        SeatClock::OURS
    }

    fn keep_off(&self, cpu: Cpu) -> bool {
        cpu::keep_off(&[self.group.id()], cpu)
    }

    fn release(&self) {
        cpu::release(&[self.group.id()]);
    }
}

impl RunnerSeat for RunnerProcess {
    fn role(&self) -> &'static str {
        self.role
    }

    fn ask(&mut self, operation: Operation, limit: Duration) -> Result<Success, RunnerError> {
        let name = name_of(&operation);
        let id = self.send(operation, limit).map_err(|error| self.failed(&name, error))?;
        let interrupt = &self.interrupt;
        let line = self.talk.line(limit, self.group.process(), &|| interrupt.is_set());
        let line = line.map_err(|error| self.failed(&name, error))?;
        let broken = |problem| RunnerError::Contract { role: self.role, problem };
        let reply: Reply = serde_json::from_slice(&line).map_err(|error| {
            let said = String::from_utf8_lossy(&line);
            let said: String = said.trim().chars().take(MOST_TOLD_CHARS).collect();
            broken(format!("{error} in {said}"))
        })?;
        if reply.id != id {
            return Err(broken(format!("it answered request {} when asked {id}", reply.id)));
        }
        Result::from(reply.answer).map_err(|failure| RunnerError::Refused { role: self.role, failure })
    }

    fn ended(&mut self) -> Option<String> {
        let status = self.group.ended()?;
        let said = self.stderr_tail();
        Some(format!("the {} ended in the middle of the trial ({status}){said}", self.role))
    }

    fn stop(mut self: Box<Self>) {
        if self.send(Operation::Stop, ENDING).is_ok() {
            self.talk.drain(ENDING, self.group.process());
            self.group.ended_within(ENDING);
        }
    }

    fn peak_memory_bytes(&self) -> io::Result<u64> {
        usage::peak_memory_bytes(self.group.id())
    }

    fn file(&self, name: &str) -> io::Result<SeatFile> {
        let none =
            || io::Error::other(format!("outside a trial it writes no files (`{name}`); please report this"));
        Ok(named(&self.folder.as_ref().ok_or_else(none)?.join(name)))
    }

    fn fetch(&self, file: &SeatFile) -> io::Result<PathBuf> {
        Ok(PathBuf::from(&file.name))
    }

    fn hand(&self, ours: &Path) -> io::Result<SeatFile> {
        Ok(named(ours))
    }

    fn share(&self, ours: &Path) -> io::Result<SeatFile> {
        Ok(named(ours))
    }

    fn deliver(&self, to: &Path) -> io::Result<SeatFile> {
        Ok(named(to))
    }

    fn reach(&self, gate: &SeatFile) -> io::Result<SeatFile> {
        Ok(gate.clone())
    }

    fn spare_cpu(&self) -> Option<Cpu> {
        Cpu::spare()
    }

    fn set_apart(&self, cpu: Cpu) -> bool {
        cpu::set_apart(self.group.id(), cpu)
    }
}

/// A file whose name at the seat is our path.
fn named(ours: &Path) -> SeatFile {
    SeatFile { name: ours.display().to_string() }
}

#[cfg(test)]
mod tests;
