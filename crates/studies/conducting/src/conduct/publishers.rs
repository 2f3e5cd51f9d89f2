//! The publisher's role, on one runner or divided among several.
//!
//! All of them get the same requests and do their share: each message has the number, the time and the content that it
//! would have on one runner. Their records are merged in the order of sending, so that later steps don't depend on how many there were.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use std::time::Duration;

use wiredyno_contract::bulk::{BulkError, SentRow, merge_sent};
use wiredyno_contract::live::LiveReader;
use wiredyno_contract::{Operation, Share, Start};
use wiredyno_process::socket::Socket;
use wiredyno_process::usage::Meter;
use wiredyno_seats::runner::{Connected, PATIENCE, RoleEnded, RoleProgress, Runner};
use wiredyno_seats::runner_error::RunnerError;
use wiredyno_seats::seat::clock::{Moment, SeatClock, Stamped};
use wiredyno_seats::seat::{Recorded, RunnerSeat, SeatFile, Watch};

use super::{ConductError, io_error, tried};
use crate::accounting::AccountError;
use crate::live::Live;

/// The runners that publish, at least one.
pub(super) struct Publishers(Vec<Runner>);

impl Publishers {
    /// Starts this number of runners, each by its number.
    pub(super) fn start(
        runners: u32,
        start: impl Fn(u32) -> Result<Runner, ConductError>,
    ) -> Result<Self, ConductError> {
        (0..runners.max(1)).map(start).collect::<Result<_, _>>().map(Publishers)
    }

    /// Starts watching what each uses.
    pub(super) fn watch(&self) -> io::Result<Vec<Box<dyn Watch>>> {
        self.0.iter().map(|runner| runner.seat().watch()).collect()
    }

    /// Makes each count what it does while it runs; empty if one can't.
    pub(super) fn counters(&mut self, live: &Live) -> Result<Vec<LiveReader>, ConductError> {
        let mut all = Vec::new();
        for runner in &mut self.0 {
            all.push(tried(live.counters(runner))?);
        }
        Ok(all.into_iter().collect::<Option<_>>().unwrap_or_default())
    }

    /// A cheap reading of what each uses.
    pub(super) fn meters(&self) -> impl Iterator<Item = io::Result<Meter>> {
        self.0.iter().map(|runner| runner.seat().meter())
    }

    /// The seat of the only runner; `None` if there are several.
    pub(super) fn only(&self) -> Option<&dyn RunnerSeat> {
        match &self.0[..] {
            [only] => Some(only.seat()),
            _ => None,
        }
    }

    /// The gate of a closed loop, under the publisher's name for it: only one runner exists then.
    pub(super) fn gate(&self, name: &str) -> Result<Option<SeatFile>, ConductError> {
        Ok(self.0.first().map(|runner| runner.file(name)).transpose()?)
    }

    pub(super) fn sockets(&self) -> Result<Vec<Socket>, ConductError> {
        let mut all = Vec::new();
        for runner in &self.0 {
            all.extend(runner.seat().sockets().map_err(io_error("the sockets of a runner"))?);
        }
        Ok(all)
    }

    /// Loads the samples in each; returns the length of the longest body.
    pub(super) fn loaded(&mut self, operation: &Operation) -> Result<u32, ConductError> {
        let mut longest = 0;
        for runner in &mut self.0 {
            longest = tried(runner.loaded(operation.clone(), PATIENCE))?.max(longest);
        }
        Ok(longest)
    }

    /// Connects each in turn, with its share; returns the longest time that one took, and the first one's handshake.
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

    /// Sends each a request whose answer has no content.
    pub(super) fn done(&mut self, operation: &Operation) -> Result<(), ConductError> {
        self.0.iter_mut().try_for_each(|runner| tried(runner.done(operation.clone(), PATIENCE)))
    }

    /// Makes each send its share of the measured messages, starting at the same moment.
    pub(super) fn send(&mut self, at: Moment, start: &Start) -> Result<(), ConductError> {
        self.0.iter_mut().try_for_each(|runner| tried(runner.start(at, start.clone())))
    }

    /// Waits until each has handed over all of its messages, at most until a moment; returns the progress of all together.
    pub(super) fn await_sent(
        &mut self,
        until: Moment,
        acked: bool,
        limit: Duration,
    ) -> Result<RoleProgress, ConductError> {
        let mut all = RoleProgress::default();
        for runner in &mut self.0 {
            let RoleProgress { messages, acked, last, stand_cpu_ns, session_cpu_ns } =
                tried(runner.await_sent(until, acked, limit))?;
            all.messages += messages;
            all.acked += acked;
            all.last = all.last.max(last);
            all.stand_cpu_ns += stand_cpu_ns;
            all.session_cpu_ns += session_cpu_ns;
        }
        Ok(all)
    }

    /// Records what was handed over since the last warm-up or start; the records of several runners are merged in a folder.
    pub(super) fn write_sent(&mut self, name: &str, folder: &Path) -> Result<Recorded, ConductError> {
        let written = self.written(name, folder, |runner, part| Ok((runner.write_sent(part)?, None)))?;
        Ok(written.0)
    }

    /// Ends them; returns all that was handed over, merged likewise, and what went wrong, if anything did.
    pub(super) fn finish(
        &mut self,
        name: &str,
        folder: &Path,
    ) -> Result<(Recorded, Option<String>), ConductError> {
        self.written(name, folder, |runner, part| {
            let RoleEnded { records, fault, .. } = runner.finish(part)?;
            Ok((records, fault))
        })
    }

    /// Merges what each writes into its own file.
    fn written(
        &mut self,
        name: &str,
        folder: &Path,
        write: impl Fn(&mut Runner, &str) -> Result<(Recorded, Option<String>), RunnerError>,
    ) -> Result<(Recorded, Option<String>), ConductError> {
        if let [only] = &mut self.0[..] {
            return Ok(write(only, name)?);
        }
        let (mut fault, mut parts) = (None, Vec::new());
        for (number, runner) in self.0.iter_mut().enumerate() {
            let (part, its) = write(runner, &format!("{name}.{number}"))?;
            fault = fault.or(its);
            parts.push(part);
        }
        Ok((merged(&parts, folder.join(name))?, fault))
    }

    pub(super) fn stop(self) {
        self.0.into_iter().for_each(Runner::stop);
    }
}

/// Merges several records, whose times are then those of one clock, and deletes them.
fn merged(parts: &[Recorded], path: PathBuf) -> Result<Recorded, ConductError> {
    let clock = SeatClock::common(parts.iter().map(|part| part.clock));
    let merge = || -> Result<(), BulkError> {
        let files = parts.iter().map(|part| File::open(&part.path)).collect::<Result<Vec<_>, _>>()?;
        let told = |part: usize, row: SentRow| row.told_by(clock, parts[part].clock);
        merge_sent(files, told, &mut BufWriter::new(File::create(&path)?))
    };
    merge().map_err(|source| AccountError::Records { role: "publisher", source })?;
    for part in parts {
        std::fs::remove_file(&part.path).map_err(io_error("the records of a runner"))?;
    }
    Ok(Recorded { path, clock })
}
