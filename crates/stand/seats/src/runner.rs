//! The orchestrator's side of the runner contract: the requests to a runner, whatever its seat. One file because it follows the
//! operations of the contract, one method each.

use std::fs::File;
use std::io::{self, BufReader, BufWriter};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use wiredyno_contract::bulk::{self, BulkError};
use wiredyno_contract::live::LiveReader;
use wiredyno_contract::{
    CONTRACT, Description, Failure, Handshake, Membership, Operation, Start, Success, TlsVersion,
};

use crate::seat::clock::{Moment, SeatClock, Stamp, Stamped};
use crate::seat::{Recorded, RunnerSeat, SeatFile, files};

/// What can go wrong between the orchestrator and a runner.
#[derive(Debug, thiserror::Error)]
pub enum RunnerError {
    /// The program could not be started.
    #[error("the runner `{program}` could not be started: {source}; is the file there and executable?")]
    Start {
        /// The path of the program.
        program: String,
        /// The system's error on starting it.
        source: io::Error,
    },
    /// No runner was prepared for a payload.
    #[error("no runner was prepared for the payload `{payload}`; please report this")]
    None {
        /// Id of the payload without runners.
        payload: String,
    },
    /// The runner refused the request.
    #[error("{role}: {failure}")]
    Refused {
        /// Its role: publisher, subscriber, relay, codecs.
        role: &'static str,
        /// The reason that it gave.
        failure: Failure,
    },
    /// The runner ended, or closed its output.
    #[error("the {role} ended before it answered{status}{stderr}")]
    Ended {
        /// The role of the runner, such as publisher.
        role: &'static str,
        /// Exit status in words, with a leading separator; empty when unknown.
        status: String,
        /// Last lines of its standard error, with a leading separator; empty when there are none.
        stderr: String,
    },
    /// It did not answer in time.
    #[error("the {role} did not answer `{operation}` within {} s{stderr}", limit.as_secs())]
    Silent {
        /// The role of the runner, such as publisher.
        role: &'static str,
        /// Name of the operation, as in docs/RUNNER.md.
        operation: String,
        /// The time limit of the operation.
        limit: Duration,
        /// Last lines of its standard error, with a leading separator.
        stderr: String,
    },
    /// It did not read the request in time.
    #[error("the {role} did not read the request `{operation}` within {} s{stderr}", limit.as_secs())]
    Deaf {
        /// The role of the runner, such as publisher.
        role: &'static str,
        /// Name of the operation, as in docs/RUNNER.md.
        operation: String,
        /// How long sending was tried.
        limit: Duration,
        /// Last lines of its standard error, with a leading separator.
        stderr: String,
    },
    /// Its answer is not valid.
    #[error("the {role} broke the contract: {problem}; runner and orchestrator must have the same version")]
    Contract {
        /// The role of the runner, such as publisher.
        role: &'static str,
        /// What was wrong, in words.
        problem: String,
    },
    /// The run was interrupted while it waited for the runner.
    #[error("interrupted")]
    Interrupted,
    /// Reading or writing a pipe failed.
    #[error("the pipe to the {role} failed: {source}")]
    Pipe {
        /// The role of the runner, such as publisher.
        role: &'static str,
        /// The system's error on the pipe.
        source: io::Error,
    },
    /// It can't be started on another machine, or that machine was lost.
    #[error("the {role} on {agent}: {problem}")]
    Away {
        /// The role of the runner, such as publisher.
        role: &'static str,
        /// The name of the agent.
        agent: String,
        /// What went wrong, in words.
        problem: String,
    },
    /// A file could not be transferred to or from its seat.
    #[error("the files of the {role}: {source}")]
    Files {
        /// The role of the runner, such as publisher.
        role: &'static str,
        /// The system's error on the file.
        source: io::Error,
    },
    /// Records that it needs are not valid.
    #[error("the records that the {role} needs: {source}")]
    Records {
        /// The role of the runner, such as publisher.
        role: &'static str,
        /// What is wrong with the records.
        source: BulkError,
    },
}

/// The time limit of operations that should be quick: loading samples, connecting over a bad link.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Returns whether something has ended that is needed for what is waited for.
pub type Over = Arc<dyn Fn() -> bool + Send + Sync>;

/// Set once when the user interrupts the run; shared by everything that waits.
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
    /// Uses a flag that a signal handler sets.
    pub fn new(flag: Arc<AtomicBool>) -> Self {
        Interrupt { flag, over: None }
    }

    /// The same, but also set when something needed has ended.
    pub fn or_when(&self, over: Option<Over>) -> Self {
        Interrupt { flag: Arc::clone(&self.flag), over }
    }

    /// Interrupts the run.
    pub fn set(&self) {
        self.flag.store(true, Ordering::Relaxed);
    }

    /// Whether the run is to end, or something needed has ended.
    pub fn is_set(&self) -> bool {
        self.flag.load(Ordering::Relaxed) || self.over.as_ref().is_some_and(|over| over())
    }
}

/// A runner on its seat. It is killed on drop.
pub struct Runner {
    seat: Box<dyn RunnerSeat>,
}

impl Runner {
    /// The runner of a seat.
    pub fn on(seat: impl RunnerSeat + 'static) -> Self {
        Runner { seat: Box::new(seat) }
    }

    /// The seat on which it runs.
    pub fn seat(&self) -> &dyn RunnerSeat {
        &*self.seat
    }

    /// Reports, once it has ended by itself, what is known about it.
    pub fn ended(&mut self) -> Option<String> {
        self.seat.ended()
    }

    /// Ends it in an orderly way, or kills it if it does not end within a second.
    pub fn stop(self) {
        self.seat.stop();
    }

    /// Sends a request and waits for the answer. Files that it is to read have our paths, those that it is to write the names of its seat.
    ///
    /// # Errors
    /// When the runner refuses, ends, breaks the contract, or does not read the request or answer it within `limit`; when a file
    /// can't be transferred.
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

    /// The runner's description. A runner of another contract version, or with anything that has no version, is refused.
    ///
    /// # Errors
    /// When it does not answer or is refused.
    pub fn describe(&mut self) -> Result<Description, RunnerError> {
        match self.ask(Operation::Describe, PATIENCE)? {
            Success::Description(description) => {
                check(&description).map_err(|problem| self.broken(problem))?;
                Ok(*description)
            }
            other => Err(self.unexpected("describe", &other)),
        }
    }

    /// Sends a request whose answer has no content.
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

    /// Loads a payload; returns the length of the longest body of its samples.
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

    /// Connects; returns how long it took, if the runner reports that.
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

    /// Makes its next role count what it does in a file in memory, which has no name afterwards. `None` if it can't, or does not share our
    /// memory.
    ///
    /// # Errors
    /// When it does not answer.
    pub fn count_live(&mut self, path: &Path) -> Result<Option<LiveReader>, RunnerError> {
        let Ok(file) = self.seat.share(path) else { return Ok(None) };
        let Ok(reader) = LiveReader::create(path) else { return Ok(None) };
        let asked = self.done(Operation::CountLive { counters: file.name() }, PATIENCE);
        let _ = std::fs::remove_file(path);
        match asked {
            Ok(()) => Ok(Some(reader)),
            Err(RunnerError::Refused { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Makes a publisher send the measured messages, starting at a moment.
    ///
    /// # Errors
    /// As [`Runner::ask`].
    pub fn start(&mut self, at: Moment, start: Start) -> Result<(), RunnerError> {
        let at_ns = self.stamp_ns(at);
        self.done(Operation::Start(Start { at_ns, ..start }), PATIENCE)
    }

    /// Waits until a publisher has handed over all messages of the last warm-up or start, and if `acked` is set until they are
    /// acknowledged, at most until a moment.
    ///
    /// # Errors
    /// As [`Runner::ask`].
    pub fn await_sent(
        &mut self,
        until: Moment,
        acked: bool,
        limit: Duration,
    ) -> Result<RoleProgress, RunnerError> {
        let until_ns = self.stamp_ns(until);
        self.progress(Operation::AwaitSent { until_ns, acked }, limit)
    }

    /// Waits until this many messages in total have arrived at a subscriber, at most until a moment.
    ///
    /// # Errors
    /// As [`Runner::ask`].
    pub fn await_received(
        &mut self,
        messages: u64,
        until: Moment,
        limit: Duration,
    ) -> Result<RoleProgress, RunnerError> {
        let until_ns = self.stamp_ns(until);
        self.progress(Operation::AwaitReceived { messages, until_ns }, limit)
    }

    /// Waits until everything that a publisher has sent has arrived at a subscriber, at most until a moment.
    ///
    /// # Errors
    /// As [`Runner::ask`], and when the records can't be transferred.
    pub fn await_delivered(
        &mut self,
        sent: &Recorded,
        until: Moment,
        limit: Duration,
    ) -> Result<RoleProgress, RunnerError> {
        let (sent, until_ns) = (self.hand_sent(sent)?.name(), self.stamp_ns(until));
        self.progress(Operation::AwaitDelivered { sent, until_ns }, limit)
    }

    /// Makes a publisher write its messages since the last warm-up or start.
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

    /// Ends a publisher or subscriber, which writes its records.
    ///
    /// # Errors
    /// As [`Runner::ask`], and when the records can't be fetched.
    pub fn finish(&mut self, name: &str) -> Result<RoleEnded, RunnerError> {
        let file = self.file(name)?;
        match self.ask(Operation::Finish { records: file.name() }, PATIENCE)? {
            Success::Finished { fault, memberships, .. } => {
                Ok(RoleEnded { records: self.fetched(&file)?, fault, memberships })
            }
            other => Err(self.unexpected("finish", &other)),
        }
    }

    /// Ends a server, which writes what it superseded.
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

    /// A file for the runner to write.
    ///
    /// # Errors
    /// When its seat has no room for files.
    pub fn file(&self, name: &str) -> Result<SeatFile, RunnerError> {
        self.seat.file(name).map_err(|error| self.no_file(error))
    }

    /// The file with which it opens the gate of a publisher.
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

    /// A publisher's records for this runner, with times of its own clock for comparison.
    fn hand_sent(&self, sent: &Recorded) -> Result<SeatFile, RunnerError> {
        let clock = self.seat.clock();
        let hand = |path| self.seat.hand(path).map_err(|error| self.no_file(error));
        if clock.is(sent.clock) {
            return hand(&sent.path);
        }
        // By this clock it may have begun that much earlier: else its arrival would count as that of an earlier message.
        let slack = clock.bound() + sent.clock.bound();
        let slack_ns = u64::try_from(slack.as_nanos()).unwrap_or(u64::MAX);
        let told = sent.path.with_extension(self.seat.role());
        let retold = || -> Result<(), BulkError> {
            let rows = bulk::read_sent(&mut BufReader::new(File::open(&sent.path)?))?;
            let as_its = |row: bulk::SentRow| {
                let row = row.told_by(clock, sent.clock);
                let build_start_ns = row.build_start_ns.saturating_sub_unsigned(slack_ns);
                bulk::SentRow { build_start_ns, ..row }
            };
            let rows: Vec<_> = rows.into_iter().map(as_its).collect();
            Ok(bulk::write_sent(&mut BufWriter::new(File::create(&told)?), &rows)?)
        };
        retold().map_err(|source| RunnerError::Records { role: self.seat.role(), source })?;
        hand(&told)
    }

    fn stamp_ns(&self, at: Moment) -> i64 {
        self.seat.clock().stamp(at).ns()
    }

    fn progress(&mut self, operation: Operation, limit: Duration) -> Result<RoleProgress, RunnerError> {
        let name = name_of(&operation);
        match self.ask(operation, limit)? {
            Success::Progress { messages, acked, last_ns, stand_cpu_ns, session_cpu_ns } => {
                let clock: SeatClock = self.seat.clock();
                let last = last_ns.map(|ns| clock.moment(Stamp::of_ns(ns)));
                let stand_cpu_ns = stand_cpu_ns.unwrap_or_default();
                Ok(RoleProgress { messages, acked, last, stand_cpu_ns, session_cpu_ns })
            }
            other => Err(self.unexpected(&name, &other)),
        }
    }

    /// The error for an answer of another kind than the operation's.
    pub fn unexpected(&self, operation: &str, outcome: &Success) -> RunnerError {
        self.broken(format!("it answered `{operation}` with {outcome:?}"))
    }
}

/// How connecting went, as far as the runner reports it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Connected {
    /// How long the clients took to connect.
    pub connect_ns: Option<u64>,
    /// The version of TLS that was agreed.
    pub tls: Option<TlsVersion>,
    /// The first client's handshake, if the runner reports it.
    pub handshake: Option<Handshake>,
}

/// What a publisher or subscriber left behind.
#[derive(Debug)]
pub struct RoleEnded {
    /// Its records.
    pub records: Recorded,
    /// What it reports as having gone wrong; absent if nothing did.
    pub fault: Option<String>,
    /// What subscribers did as members of a group; empty where they were in none.
    pub memberships: Vec<Membership>,
}

/// The progress of a publisher or subscriber.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RoleProgress {
    /// Messages handed over or arrived.
    pub messages: u64,
    /// For a publisher, the messages acknowledged.
    pub acked: u64,
    /// When the last one was handed over or arrived.
    pub last: Option<Moment>,
    /// CPU time of the stand's own work so far; 0 if the runner can't report it.
    pub stand_cpu_ns: u64,
    /// The part of it in the thread that handles requests.
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
