//! The orchestrator's side of the runner contract: the requests to a runner, whatever its seat. One file because it follows the
//! operations of the contract, one method each.

use std::fs::File;
use std::io::{self, BufReader, BufWriter};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use wiredyno_contract::bulk::{self, BulkError};
use wiredyno_contract::live::LiveReader;
use wiredyno_contract::{
    CONTRACT, Description, Handshake, Membership, Operation, Start, Success, TlsVersion,
};
use wiredyno_model::Host;

use crate::interrupt::Interrupt;
use crate::runner_error::{RunnerError, name_of};
use crate::seat::clock::{Moment, SeatClock, Stamp, Stamped};
use crate::seat::process::{self, Here};
use crate::seat::{Recorded, RunnerSeat, SeatFile, files};

/// The time limit of operations that should be quick: loading samples, connecting over a bad link.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// The time limit of ending a role, which may have very many commits that are to be answered.
const FINISHING: Duration = Duration::from_secs(300);

/// A runner on its seat. It is killed on drop.
pub struct Runner {
    seat: Box<dyn RunnerSeat>,
}

impl Runner {
    /// The runner of a seat.
    pub fn on(seat: Box<dyn RunnerSeat>) -> Self {
        Runner { seat }
    }

    /// Starts one on this machine outside any trial: it has no host and writes no files. The command must be one that ends with the run.
    ///
    /// # Errors
    /// When it can't be started.
    pub fn spawn(role: &'static str, command: Command, interrupt: &Interrupt) -> Result<Self, RunnerError> {
        process::start(role, command, interrupt).map(Runner::on)
    }

    /// Starts one on a host of a trial: that of this number, from 0, where a role has several.
    ///
    /// # Errors
    /// When it can't be started.
    pub fn spawn_on(
        here: &Here<'_>,
        role: &'static str,
        host: (Host, u32),
        command: Command,
    ) -> Result<Self, RunnerError> {
        here.seat(role, host, command).map(Runner::on)
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
        match self.ask(Operation::Finish { records: file.name() }, FINISHING)? {
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
    /// What it recorded of each message.
    pub records: Recorded,
    /// The fault that it reports; absent if there was none.
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
