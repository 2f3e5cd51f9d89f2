//! A role's connection from the coordinator's side, and what can be asked of a role of any kind.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustls::{ServerConnection, StreamOwned};
use wiredyno_contract::Failure;
use wiredyno_model::trial::RoleUse;
use wiredyno_process::socket::Socket;
use wiredyno_process::usage::Busiest;
use wiredyno_seats::interrupt::Interrupt;
use wiredyno_seats::seat::clock::{Moment, SeatClock};
use wiredyno_seats::seat::{Moved, Watch};

use super::serving::send_pieces;
use super::{Deed, Digest, Outcome};
use crate::messages::{LEASE, plain};
use crate::pack;
use crate::wire::{Frames, Limited, WireError};

/// A role's connection.
pub(crate) type Connection = Frames<StreamOwned<ServerConnection, Limited>>;

/// How long a deed that waits for nothing may take: a lease, because an agent whose machine stalls for that long is lost anyway.
pub(super) const SOON: Duration = LEASE;

/// Why a line can no longer be used.
const LOST: &str = "an earlier answer from it was lost";

/// What can't be read of a role on another machine while it runs.
pub(super) fn unread() -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, "what a role uses on another machine is read at its end")
}

/// The most bytes that a role may have written: a hundred million messages.
const MOST_FETCHED: u64 = 16 << 30;

/// How long a file may take: enough for a link of a hundred kilobytes per second.
fn fetching(bytes: u64) -> Duration {
    10 * SOON + Duration::from_secs(bytes / 100_000)
}

/// What a seat asks about its agent.
pub(crate) trait Keeper: Send + Sync {
    /// Whether it is connected, by its lease, in this session; otherwise why not.
    fn has(&self, agent: &str, session: u64) -> Result<(), String>;

    /// The same of one that has a role in a trial: what it ran is lost if it is not.
    fn is_there(&self, agent: &str, session: u64) -> Result<(), String>;

    /// It has a role in the trial that is being made.
    fn uses(&self, agent: &str, session: u64);

    /// Its connection for a role broke: what it ran is lost.
    fn lost(&self, agent: &str, why: &str);

    /// How its clock is told.
    fn clock(&self, agent: &str) -> SeatClock;

    /// The role of this number is to end.
    fn close(&self, agent: &str, number: u64);
}

/// A role's connection, which one caller uses at a time.
pub(crate) struct Line {
    pub(super) agent: String,
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
pub(super) enum Undone {
    Interrupted,
    Refused(Failure),
    Because(String),
}

impl Undone {
    pub(super) fn of_io(self, agent: &str) -> io::Error {
        match self {
            Undone::Interrupted => io::ErrorKind::Interrupted.into(),
            Undone::Refused(failure) => io::Error::other(failure),
            Undone::Because(problem) => io::Error::other(format!("{agent}: {problem}")),
        }
    }
}

impl Line {
    pub(super) fn new(
        (agent, numbers): (&str, [u64; 2]),
        connection: Connection,
        (keeper, interrupt): (Arc<dyn Keeper>, &Interrupt),
    ) -> Arc<Self> {
        let (connection, is_broken) = (Mutex::new(connection), AtomicBool::new(false));
        let (agent, interrupt) = (agent.to_owned(), interrupt.clone());
        Arc::new(Line { agent, numbers, connection, is_broken, keeper, interrupt })
    }

    /// Whether what it ran still runs, as far as its connection shows; otherwise why not. No trial loses anything by that.
    pub(super) fn holds(&self) -> Result<(), String> {
        if self.is_broken.load(Ordering::Relaxed) {
            return Err(LOST.to_owned());
        }
        self.keeper.has(&self.agent, self.numbers[0])
    }

    /// It has a role in the trial that is being made.
    pub(super) fn is_used(&self) {
        self.keeper.uses(&self.agent, self.numbers[0]);
    }

    /// How its agent's clock is told.
    pub(super) fn clock(&self) -> SeatClock {
        self.keeper.clock(&self.agent)
    }

    pub(super) fn watch(self: &Arc<Self>) -> io::Result<Box<dyn Watch>> {
        match self.plainly(&Deed::Watch)? {
            Outcome::Watching { watch } => Ok(Box::new(AgentWatch { line: self.clone(), watch })),
            other => Err(self.unexpected(&other)),
        }
    }

    pub(super) fn sockets(&self) -> io::Result<Vec<Socket>> {
        match self.plainly(&Deed::Sockets)? {
            Outcome::Sockets { sockets } => Ok(sockets.into_iter().map(Into::into).collect()),
            other => Err(self.unexpected(&other)),
        }
    }

    /// How the role has ended by itself, if it has.
    pub(super) fn ended(&self) -> Option<String> {
        match self.ask(&Deed::Look, SOON) {
            Ok(Outcome::Ended { how }) => how.map(|how| plain(&how)),
            // That it can't be asked does not mean that it has ended, and is not its fault.
            Ok(_) | Err(_) => None,
        }
    }

    /// Ends the role in an orderly way. If it can't be told, its connection ends with us, and the role with that.
    pub(super) fn stop(&self, within: Duration) {
        let _ = self.ask(&Deed::Stop, within);
    }

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
            true => Err(Undone::Because(LOST.to_owned())),
            false => Ok(()),
        }
    }

    pub(super) fn ask(&self, deed: &Deed, within: Duration) -> Result<Outcome, Undone> {
        self.is_whole()?;
        let mut connection = self.connection();
        connection.send(deed).map_err(|error| self.broken(&error))?;
        self.outcome(&mut connection, within)
    }

    pub(super) fn plainly(&self, deed: &Deed) -> io::Result<Outcome> {
        self.within(deed, SOON)
    }

    pub(super) fn within(&self, deed: &Deed, limit: Duration) -> io::Result<Outcome> {
        self.ask(deed, limit).map_err(|undone| undone.of_io(&self.agent))
    }

    /// The error for an outcome of another deed.
    pub(super) fn unexpected(&self, outcome: &Outcome) -> io::Error {
        let word = serde_json::to_value(outcome).ok();
        let word = word.as_ref().and_then(|value| value["outcome"].as_str()).unwrap_or("nothing");
        io::Error::other(format!("{} answered `{word}`; please report this", self.agent))
    }

    pub(super) fn done(&self, deed: &Deed) -> io::Result<()> {
        match self.plainly(deed)? {
            Outcome::Done => Ok(()),
            other => Err(self.unexpected(&other)),
        }
    }

    /// Sends those of these files that the agent lacks; returns their digests.
    pub(super) fn sent(&self, files: &[&Path]) -> io::Result<Vec<Digest>> {
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
    pub(super) fn fetch(&self, file: &str, to: &Path) -> io::Result<()> {
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

/// A watch on an agent's machine.
struct AgentWatch {
    line: Arc<Line>,
    watch: usize,
}

impl Watch for AgentWatch {
    fn busiest(&self, first: Moment) -> io::Result<Busiest> {
        let first_ns = self.line.clock().stamp(first).ns();
        match self.line.plainly(&Deed::Busiest { watch: self.watch, first_ns })? {
            Outcome::Busy { busy, on_cpu, span_ns } => Ok(Busiest { busy, on_cpu, span_ns }),
            other => Err(self.line.unexpected(&other)),
        }
    }

    fn moving(&mut self, from: Moment) -> io::Result<()> {
        let from_ns = self.line.clock().stamp(from).ns();
        self.line.done(&Deed::Moving { watch: self.watch, from_ns })
    }

    fn moved(&self) -> io::Result<Moved> {
        match self.line.plainly(&Deed::Moved { watch: self.watch })? {
            Outcome::Moved { used, machine } => {
                let machine = Some((self.line.agent.clone(), machine));
                Ok(Moved { used, machine })
            }
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
