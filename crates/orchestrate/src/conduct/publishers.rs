//! The publisher's role, on one runner or dealt out among several.
//!
//! All of them get the same requests and do their share of them: each message has the number, the time and the content that it
//! would have on one runner. What they wrote is put together in the order of sending, so that nothing behind it knows how many there were.

use std::fs::File;
use std::io::BufWriter;
use std::path::Path;
use std::time::Duration;

use wiredyno_contract::bulk::{BulkError, merge_sent};
use wiredyno_contract::{Operation, Share, Success};
use wiredyno_process::socket::{Socket, sockets_of};
use wiredyno_process::usage::Watched;

use super::{ConductError, io_error, tried};
use crate::accounting::AccountError;
use crate::runner::{Connected, PATIENCE, Progress, RunnerProcess};

/// The runners that publish, at least one.
pub(super) struct Publishers(Vec<RunnerProcess>);

impl Publishers {
    /// Of so many runners, each started by the same rule.
    pub(super) fn start(
        runners: u32,
        start: impl Fn() -> Result<RunnerProcess, ConductError>,
    ) -> Result<Self, ConductError> {
        (0..runners.max(1)).map(|_| start()).collect::<Result<_, _>>().map(Publishers)
    }

    pub(super) fn pids(&self) -> Vec<u32> {
        self.0.iter().map(RunnerProcess::pid).collect()
    }

    pub(super) fn watched(&self) -> Watched {
        Watched::Processes(self.pids())
    }

    pub(super) fn sockets(&self) -> Result<Vec<Socket>, ConductError> {
        let mut all = Vec::new();
        for pid in self.pids() {
            all.extend(sockets_of(pid).map_err(io_error("the sockets of a runner"))?);
        }
        Ok(all)
    }

    /// Loads the samples in each; gives the length of the longest body.
    pub(super) fn loaded(&mut self, operation: &Operation) -> Result<u32, ConductError> {
        let mut longest = 0;
        for runner in &mut self.0 {
            longest = tried(runner.loaded(operation.clone(), PATIENCE))?.max(longest);
        }
        Ok(longest)
    }

    /// Connects each, one after the other, with its share; the longest that one took, and the first one's handshake.
    pub(super) fn connected(
        &mut self,
        publish: impl Fn(Option<Share>) -> Operation,
    ) -> Result<Connected, ConductError> {
        let of = self.0.len() as u32;
        let mut connected = Connected::default();
        for (number, runner) in (0..).zip(&mut self.0) {
            let share = (of > 1).then_some(Share { number, of });
            let Connected { connect_ns, tls, handshake } = tried(runner.connected(publish(share), PATIENCE))?;
            connected.connect_ns = connected.connect_ns.max(connect_ns);
            connected.tls = connected.tls.or(tls);
            connected.handshake = connected.handshake.or(handshake);
        }
        Ok(connected)
    }

    /// Asks each for something that has nothing to tell.
    pub(super) fn done(&mut self, operation: &Operation) -> Result<(), ConductError> {
        self.0.iter_mut().try_for_each(|runner| tried(runner.done(operation.clone(), PATIENCE)))
    }

    /// How far all have come together; each is waited for in turn, so the operation has to name the moment at which it ends.
    pub(super) fn progress(
        &mut self,
        operation: &Operation,
        limit: Duration,
    ) -> Result<Progress, ConductError> {
        let mut all = Progress::default();
        for runner in &mut self.0 {
            let Progress { messages, acked, last_ns, stand_cpu_ns } =
                tried(runner.progress(operation.clone(), limit))?;
            all.messages += messages;
            all.acked += acked;
            all.last_ns = all.last_ns.max(last_ns);
            all.stand_cpu_ns += stand_cpu_ns;
        }
        Ok(all)
    }

    /// Writes what was handed over since the last warm-up or start.
    pub(super) fn write_sent(&mut self, to: &Path) -> Result<(), ConductError> {
        self.written(to, |runner, part| {
            let operation = Operation::WriteSent { records: part.display().to_string() };
            match runner.ask(operation, PATIENCE)? {
                Success::Written { .. } => Ok(None),
                other => Err(runner.unexpected("write-sent", &other).into()),
            }
        })
        .map(drop)
    }

    /// Ends them, and writes all that was handed over; what went wrong, if anything did.
    pub(super) fn finish(&mut self, to: &Path) -> Result<Option<String>, ConductError> {
        self.written(to, finish)
    }

    /// What each writes into a file of its own, put together.
    fn written(
        &mut self,
        to: &Path,
        write: impl Fn(&mut RunnerProcess, &Path) -> Result<Option<String>, ConductError>,
    ) -> Result<Option<String>, ConductError> {
        if let [only] = &mut self.0[..] {
            return write(only, to);
        }
        let (mut fault, mut parts) = (None, Vec::new());
        for (number, runner) in self.0.iter_mut().enumerate() {
            let part = to.with_extension(number.to_string());
            fault = fault.or(write(runner, &part)?);
            parts.push(part);
        }
        let merged = || -> Result<(), BulkError> {
            let files = parts.iter().map(File::open).collect::<Result<Vec<_>, _>>()?;
            merge_sent(files, &mut BufWriter::new(File::create(to)?))
        };
        merged().map_err(|source| AccountError::Records { role: "publisher", source })?;
        for part in parts {
            std::fs::remove_file(part).map_err(io_error("the records of a runner"))?;
        }
        Ok(fault)
    }

    pub(super) fn stop(self) {
        self.0.into_iter().for_each(RunnerProcess::stop);
    }
}

/// Ends a role, and has its records written; what it says went wrong.
pub(super) fn finish(runner: &mut RunnerProcess, to: &Path) -> Result<Option<String>, ConductError> {
    match runner.ask(Operation::Finish { records: to.display().to_string() }, PATIENCE)? {
        Success::Finished { fault, .. } => Ok(fault),
        other => Err(runner.unexpected("finish", &other).into()),
    }
}
