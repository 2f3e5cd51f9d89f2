//! The orchestrator's side of the runner contract: what is asked of a runner, wherever it sits.

use std::fs::File;
use std::io::{self, BufReader, BufWriter};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use wiredyno_contract::bulk::{self, BulkError};
use wiredyno_contract::{CONTRACT, Description, Failure, Handshake, Operation, Start, Success, TlsVersion};

use crate::seat::clock::{Moment, SeatClock, Stamp, Stamped};
use crate::seat::{Recorded, RunnerSeat, SeatFile, files};

/// What can go wrong between the orchestrator and a runner.
#[derive(Debug, thiserror::Error)]
pub enum RunnerError {
    /// The program could not be started.
    #[error("the runner `{program}` could not be started: {source}; is the file there and executable?")]
    Start {
        /// The program.
        program: String,
        /// What the system said.
        source: io::Error,
    },
    /// None was built for a payload.
    #[error("no runner was prepared for the payload `{payload}`; please report this")]
    None {
        /// The payload.
        payload: String,
    },
    /// The runner said no.
    #[error("{role}: {failure}")]
    Refused {
        /// Which runner: publisher, subscriber, relay, codecs.
        role: &'static str,
        /// What it said.
        failure: Failure,
    },
    /// The runner ended, or closed its output.
    #[error("the {role} ended before it answered{status}{stderr}")]
    Ended {
        /// Which runner.
        role: &'static str,
        /// Exit status in words, with a leading separator; empty when unknown.
        status: String,
        /// Last lines of its standard error, with a leading separator; empty when there are none.
        stderr: String,
    },
    /// No answer in time.
    #[error("the {role} did not answer `{operation}` within {} s{stderr}", limit.as_secs())]
    Silent {
        /// Which runner.
        role: &'static str,
        /// The operation.
        operation: String,
        /// How long it was waited for.
        limit: Duration,
        /// Last lines of its standard error, with a leading separator.
        stderr: String,
    },
    /// It did not take the request.
    #[error("the {role} did not read the request `{operation}` within {} s{stderr}", limit.as_secs())]
    Deaf {
        /// Which runner.
        role: &'static str,
        /// The operation.
        operation: String,
        /// How long that was tried.
        limit: Duration,
        /// Last lines of its standard error, with a leading separator.
        stderr: String,
    },
    /// An answer that is none.
    #[error("the {role} broke the contract: {problem}; runner and orchestrator must have the same version")]
    Contract {
        /// Which runner.
        role: &'static str,
        /// What was wrong.
        problem: String,
    },
    /// The run was interrupted while the runner was waited for.
    #[error("interrupted")]
    Interrupted,
    /// The pipe failed.
    #[error("the pipe to the {role} failed: {source}")]
    Pipe {
        /// Which runner.
        role: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// A file did not come to its seat or from there.
    #[error("the files of the {role}: {source}; is the disk of the temporary folder full?")]
    Files {
        /// Which runner.
        role: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// Records that are to be handed on are none.
    #[error("what the {role} is to be told of: {source}")]
    Records {
        /// Which runner.
        role: &'static str,
        /// What is wrong with them.
        source: BulkError,
    },
}

/// How long an operation may take that should be quick: loading samples, connecting over a bad link.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Tells that something is over without which nothing more can come of what is waited for.
pub type Over = Arc<dyn Fn() -> bool + Send + Sync>;

/// Set once when the user wants the run to end; shared by all that wait.
#[derive(Clone, Default)]
pub struct Interrupt {
    flag: Arc<AtomicBool>,
    over: Option<Over>,
}

impl std::fmt::Debug for Interrupt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Interrupt").field("flag", &self.flag).finish_non_exhaustive()
    }
}

impl Interrupt {
    /// Around a flag that a signal handler sets.
    pub fn new(flag: Arc<AtomicBool>) -> Self {
        Interrupt { flag, over: None }
    }

    /// The same, and set too when something is over.
    pub fn or_when(&self, over: Option<Over>) -> Self {
        Interrupt { flag: Arc::clone(&self.flag), over }
    }

    /// Ends the run.
    pub fn set(&self) {
        self.flag.store(true, Ordering::Relaxed);
    }

    /// Whether the run shall end, or what is needed is over.
    pub fn is_set(&self) -> bool {
        self.flag.load(Ordering::Relaxed) || self.over.as_ref().is_some_and(|over| over())
    }
}

/// A runner on its seat. It is ended by force when dropped.
pub struct Runner {
    seat: Box<dyn RunnerSeat>,
}

impl Runner {
    /// The one that sits there.
    pub fn on(seat: impl RunnerSeat + 'static) -> Self {
        Runner { seat: Box::new(seat) }
    }

    /// Where it sits.
    pub fn seat(&self) -> &dyn RunnerSeat {
        &*self.seat
    }

    /// That it has ended by itself, with what is known about it.
    pub fn ended(&mut self) -> Option<String> {
        self.seat.ended()
    }

    /// Ends it in good order, or by force where it does not end within a second.
    pub fn stop(self) {
        self.seat.stop();
    }

    /// Asks and waits for the answer. Files that it is to read are named by our paths, those that it is to write by its seat.
    ///
    /// # Errors
    /// When the runner refuses, ends, breaks the contract, or does not read the request or answer it within `limit`; when a file
    /// can't be handed over.
    pub fn ask(&mut self, operation: Operation, limit: Duration) -> Result<Success, RunnerError> {
        let operation = files::handed(&*self.seat, operation).map_err(|error| self.no_file(error))?;
        self.seat.ask(operation, limit)
    }

    fn no_file(&self, source: io::Error) -> RunnerError {
        RunnerError::Files { role: self.seat.role(), source }
    }

    fn broken(&self, problem: String) -> RunnerError {
        RunnerError::Contract { role: self.seat.role(), problem }
    }

    /// What the runner has. A runner of another contract, or one with anything that has no version, is refused.
    ///
    /// # Errors
    /// When it can't be asked or is refused.
    pub fn describe(&mut self) -> Result<Description, RunnerError> {
        match self.ask(Operation::Describe, PATIENCE)? {
            Success::Description(description) => {
                check(&description).map_err(|problem| self.broken(problem))?;
                Ok(*description)
            }
            other => Err(self.unexpected("describe", &other)),
        }
    }

    /// Asks for something that has nothing to tell.
    ///
    /// # Errors
    /// As [`Runner::ask`].
    pub fn done(&mut self, operation: Operation, limit: Duration) -> Result<(), RunnerError> {
        let name = name_of(&operation);
        match self.ask(operation, limit)? {
            Success::Done => Ok(()),
            other => Err(self.unexpected(&name, &other)),
        }
    }

    /// Hands over a payload; gives the length of the longest body of its samples.
    ///
    /// # Errors
    /// As [`Runner::ask`].
    pub fn loaded(&mut self, operation: Operation, limit: Duration) -> Result<u32, RunnerError> {
        let name = name_of(&operation);
        match self.ask(operation, limit)? {
            Success::Loaded { body_bytes, .. } => Ok(body_bytes.into_iter().max().unwrap_or_default()),
            other => Err(self.unexpected(&name, &other)),
        }
    }

    /// Asks for a connection; gives how long it took, where the runner tells.
    ///
    /// # Errors
    /// As [`Runner::ask`].
    pub fn connected(&mut self, operation: Operation, limit: Duration) -> Result<Connected, RunnerError> {
        let name = name_of(&operation);
        match self.ask(operation, limit)? {
            Success::Connected { connect_ns, tls, handshake } => Ok(Connected { connect_ns, tls, handshake }),
            other => Err(self.unexpected(&name, &other)),
        }
    }

    /// Asks a publisher to send the measured messages from a moment on.
    ///
    /// # Errors
    /// As [`Runner::ask`].
    pub fn start(&mut self, at: Moment, start: Start) -> Result<(), RunnerError> {
        let at_ns = self.stamp_ns(at);
        self.done(Operation::Start(Start { at_ns, ..start }), PATIENCE)
    }

    /// Waits until a publisher has handed over all of the last warm-up or start, and where `acked` says so until they are
    /// acknowledged, latest at a moment.
    ///
    /// # Errors
    /// As [`Runner::ask`].
    pub fn await_sent(
        &mut self,
        until: Moment,
        acked: bool,
        limit: Duration,
    ) -> Result<Progress, RunnerError> {
        let until_ns = self.stamp_ns(until);
        self.progress(Operation::AwaitSent { until_ns, acked }, limit)
    }

    /// Waits until so many messages have arrived at a subscriber in all, latest at a moment.
    ///
    /// # Errors
    /// As [`Runner::ask`].
    pub fn await_received(
        &mut self,
        messages: u64,
        until: Moment,
        limit: Duration,
    ) -> Result<Progress, RunnerError> {
        let until_ns = self.stamp_ns(until);
        self.progress(Operation::AwaitReceived { messages, until_ns }, limit)
    }

    /// Waits until all of what a publisher has sent has arrived at a subscriber, latest at a moment.
    ///
    /// # Errors
    /// As [`Runner::ask`], and when the records can't be handed on.
    pub fn await_delivered(
        &mut self,
        sent: &Recorded,
        until: Moment,
        limit: Duration,
    ) -> Result<Progress, RunnerError> {
        let (sent, until_ns) = (self.hand_sent(sent)?.name(), self.stamp_ns(until));
        self.progress(Operation::AwaitDelivered { sent, until_ns }, limit)
    }

    /// Has a publisher's messages since the last warm-up or start written.
    ///
    /// # Errors
    /// As [`Runner::ask`], and when the records can't be fetched.
    pub fn write_sent(&mut self, name: &str) -> Result<Recorded, RunnerError> {
        let file = self.file(name)?;
        match self.ask(Operation::WriteSent { records: file.name() }, PATIENCE)? {
            Success::Written { .. } => self.fetched(&file),
            other => Err(self.unexpected("write-sent", &other)),
        }
    }

    /// Ends a publisher or subscriber, and has its records written; with what it says went wrong.
    ///
    /// # Errors
    /// As [`Runner::ask`], and when the records can't be fetched.
    pub fn finish(&mut self, name: &str) -> Result<(Recorded, Option<String>), RunnerError> {
        let file = self.file(name)?;
        match self.ask(Operation::Finish { records: file.name() }, PATIENCE)? {
            Success::Finished { fault, .. } => Ok((self.fetched(&file)?, fault)),
            other => Err(self.unexpected("finish", &other)),
        }
    }

    /// Ends a server, and has what it superseded written.
    ///
    /// # Errors
    /// As [`Runner::ask`], and when the records can't be fetched.
    pub fn finish_serving(&mut self, name: &str) -> Result<Recorded, RunnerError> {
        let file = self.file(name)?;
        match self.ask(Operation::FinishServing { records: file.name() }, PATIENCE)? {
            Success::Finished { .. } => self.fetched(&file),
            other => Err(self.unexpected("finish-serving", &other)),
        }
    }

    /// A file that it shall write.
    ///
    /// # Errors
    /// When its seat has no room for files.
    pub fn file(&self, name: &str) -> Result<SeatFile, RunnerError> {
        self.seat.file(name).map_err(|error| self.no_file(error))
    }

    /// By what it opens the gate of a publisher.
    ///
    /// # Errors
    /// When it can't be reached from its seat.
    pub fn reach(&self, gate: &SeatFile) -> Result<SeatFile, RunnerError> {
        self.seat.reach(gate).map_err(|error| self.no_file(error))
    }

    fn fetched(&self, file: &SeatFile) -> Result<Recorded, RunnerError> {
        let path = self.seat.fetch(file).map_err(|error| self.no_file(error))?;
        Ok(Recorded { path, clock: self.seat.clock() })
    }

    /// A publisher's records for this runner, whose own stamps they are compared with.
    fn hand_sent(&self, sent: &Recorded) -> Result<SeatFile, RunnerError> {
        let clock = self.seat.clock();
        let hand = |path| self.seat.hand(path).map_err(|error| self.no_file(error));
        if clock == sent.clock {
            return hand(&sent.path);
        }
        let told = sent.path.with_extension(self.seat.role());
        let retold = || -> Result<(), BulkError> {
            let rows = bulk::read_sent(&mut BufReader::new(File::open(&sent.path)?))?;
            let rows: Vec<_> = rows.into_iter().map(|row| row.told_by(clock, sent.clock)).collect();
            Ok(bulk::write_sent(&mut BufWriter::new(File::create(&told)?), &rows)?)
        };
        retold().map_err(|source| RunnerError::Records { role: self.seat.role(), source })?;
        hand(&told)
    }

    fn stamp_ns(&self, at: Moment) -> i64 {
        self.seat.clock().stamp(at).ns()
    }

    fn progress(&mut self, operation: Operation, limit: Duration) -> Result<Progress, RunnerError> {
        let name = name_of(&operation);
        match self.ask(operation, limit)? {
            Success::Progress { messages, acked, last_ns, stand_cpu_ns, session_cpu_ns } => {
                let clock: SeatClock = self.seat.clock();
                let last = last_ns.map(|ns| clock.moment(Stamp::of_ns(ns)));
                let stand_cpu_ns = stand_cpu_ns.unwrap_or_default();
                Ok(Progress { messages, acked, last, stand_cpu_ns, session_cpu_ns })
            }
            other => Err(self.unexpected(&name, &other)),
        }
    }

    /// The answer to an operation was of another kind.
    pub fn unexpected(&self, operation: &str, outcome: &Success) -> RunnerError {
        self.broken(format!("it answered `{operation}` with {outcome:?}"))
    }
}

/// How connecting went, as far as the runner tells.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Connected {
    /// How long the clients took to connect.
    pub connect_ns: Option<u64>,
    /// The version of TLS that was agreed.
    pub tls: Option<TlsVersion>,
    /// The first client's handshake.
    pub handshake: Option<Handshake>,
}

/// How far a publisher or subscriber has come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Progress {
    /// Messages handed over or arrived.
    pub messages: u64,
    /// Of a publisher's, those acknowledged.
    pub acked: u64,
    /// When the last one was.
    pub last: Option<Moment>,
    /// CPU time of the stand's own work so far; 0 where the runner can't tell.
    pub stand_cpu_ns: u64,
    /// Of that, what the thread has taken that carries out requests.
    pub session_cpu_ns: u64,
}

pub(crate) fn name_of(operation: &Operation) -> String {
    serde_json::to_value(operation)
        .ok()
        .and_then(|value| value.get("op").and_then(|op| op.as_str()).map(str::to_owned))
        .unwrap_or_default()
}

fn check(description: &Description) -> Result<(), String> {
    if description.contract != CONTRACT {
        return Err(format!("it speaks contract {}, this program speaks {CONTRACT}", description.contract));
    }
    let codecs = description.codecs.iter().map(|codec| (codec.id.to_string(), &codec.version));
    let transports =
        description.transports.iter().map(|transport| (transport.id.to_string(), &transport.version));
    let compressions = description.compressions.iter().map(|known| (known.method.clone(), &known.version));
    match codecs.chain(transports).chain(compressions).find(|(_, version)| version.trim().is_empty()) {
        Some((id, _)) => {
            Err(format!("`{id}` states no library version; without a version nothing is measured"))
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
