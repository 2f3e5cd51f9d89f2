//! The subscriber's role, on one runner or divided among several.
//!
//! All of them get the same requests and connect their share of the clients. Their records are merged in the order of receipt, so that later steps don't
//! depend on how many there were.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;
use std::time::Duration;

use wiredyno_contract::bulk::{BulkError, ReceivedRow, merge_received};
use wiredyno_contract::live::LiveReader;
use wiredyno_contract::{Operation, Share};
use wiredyno_process::socket::Socket;
use wiredyno_process::usage::Meter;
use wiredyno_seats::runner::{Connected, PATIENCE, RoleEnded, RoleProgress, Runner};
use wiredyno_seats::runner_error::RunnerError;
use wiredyno_seats::seat::clock::{Moment, SeatClock, Stamped};
use wiredyno_seats::seat::{Recorded, Seat, SeatFile, Watch};

use super::{ConductError, io_error, tried};
use crate::accounting::AccountError;
use crate::live::Live;

/// How often several runners are asked how far they are.
const LOOK: Duration = Duration::from_millis(20);

/// The runners that subscribe, at least one.
pub(super) struct Subscribers(Vec<Runner>);

impl Subscribers {
    /// Starts this number of runners, each by its number.
    pub(super) fn start(
        runners: u32,
        start: impl Fn(u32) -> Result<Runner, ConductError>,
    ) -> Result<Self, ConductError> {
        (0..runners.max(1)).map(start).collect::<Result<_, _>>().map(Subscribers)
    }

    /// Starts watching what each uses.
    pub(super) fn watch(&self) -> io::Result<Vec<Box<dyn Watch>>> {
        self.0.iter().map(|runner| runner.seat().watch()).collect()
    }

    /// Makes it count what it does while it runs; `None` if it can't, or if there are several.
    pub(super) fn counters(&mut self, live: &Live) -> Result<Option<LiveReader>, ConductError> {
        match &mut self.0[..] {
            [only] => tried(live.counters(only)),
            _ => Ok(None),
        }
    }

    /// A cheap reading of what each uses.
    pub(super) fn meters(&self) -> impl Iterator<Item = io::Result<Meter>> {
        self.0.iter().map(|runner| runner.seat().meter())
    }

    /// Their seats.
    pub(super) fn seats(&self) -> impl Iterator<Item = &dyn Seat> {
        self.0.iter().map(|runner| runner.seat() as &dyn Seat)
    }

    /// The gate of a closed loop, as the subscriber names it: only one runner exists then.
    pub(super) fn reach(&self, gate: &SeatFile) -> Result<Option<SeatFile>, RunnerError> {
        self.0.first().map(|runner| runner.reach(gate)).transpose()
    }

    pub(super) fn sockets(&self) -> Result<Vec<Socket>, ConductError> {
        let mut all = Vec::new();
        for runner in &self.0 {
            all.extend(runner.seat().sockets().map_err(io_error("the sockets of a runner"))?);
        }
        Ok(all)
    }

    /// Loads the samples in each.
    pub(super) fn loaded(&mut self, operation: &Operation) -> Result<(), ConductError> {
        self.0.iter_mut().try_for_each(|runner| tried(runner.loaded(operation.clone(), PATIENCE)).map(drop))
    }

    /// Connects each in turn, with its share; returns the longest time that one took, and the first one's handshake.
    pub(super) fn connected(
        &mut self,
        subscribe: impl Fn(Option<Share>) -> Operation,
    ) -> Result<Connected, ConductError> {
        let of = self.0.len() as u32;
        let mut connected = Connected::default();
        for (number, runner) in (0..).zip(&mut self.0) {
            let share = (of > 1).then_some(Share { number, of });
            let Connected { connect_ns, tls, handshake } =
                tried(runner.connected(subscribe(share), PATIENCE))?;
            connected.connect_ns = connected.connect_ns.max(connect_ns);
            connected.tls = connected.tls.or(tls);
            connected.handshake = connected.handshake.or(handshake);
        }
        Ok(connected)
    }

    /// Waits until this many messages have arrived at all together, copies included, at most until a moment.
    pub(super) fn await_received(
        &mut self,
        messages: u64,
        until: Moment,
        limit: Duration,
    ) -> Result<RoleProgress, ConductError> {
        if let [only] = &mut self.0[..] {
            return tried(only.await_received(messages, until, limit));
        }
        loop {
            // Up to a moment that has passed: nobody waits, and whose connection is lost says so.
            let (wanted, now) = if messages > 0 { (u64::MAX, Moment::now()) } else { (0, until) };
            let all = self.together(|runner| runner.await_received(wanted, now, limit))?;
            if all.messages >= messages || Moment::now() >= until {
                return Ok(all);
            }
            std::thread::sleep(LOOK);
        }
    }

    /// Waits until everything that was sent has arrived at each, at most until a moment.
    pub(super) fn await_delivered(
        &mut self,
        sent: &Recorded,
        until: Moment,
        limit: Duration,
    ) -> Result<RoleProgress, ConductError> {
        self.together(|runner| runner.await_delivered(sent, until, limit))
    }

    /// The progress of all together.
    fn together(
        &mut self,
        progress: impl Fn(&mut Runner) -> Result<RoleProgress, RunnerError>,
    ) -> Result<RoleProgress, ConductError> {
        let mut all = RoleProgress::default();
        for runner in &mut self.0 {
            let RoleProgress { messages, acked, last, stand_cpu_ns, session_cpu_ns } =
                tried(progress(runner))?;
            all.messages += messages;
            all.acked += acked;
            all.last = all.last.max(last);
            all.stand_cpu_ns += stand_cpu_ns;
            all.session_cpu_ns += session_cpu_ns;
        }
        Ok(all)
    }

    /// Ends them; returns what all received, merged in a folder, the first fault, and what they did in a group.
    pub(super) fn finish(&mut self, name: &str, folder: &Path) -> Result<RoleEnded, ConductError> {
        if let [only] = &mut self.0[..] {
            return Ok(only.finish(name)?);
        }
        let (mut parts, mut fault, mut memberships) = (Vec::new(), None, Vec::new());
        for (number, runner) in self.0.iter_mut().enumerate() {
            let ended = runner.finish(&format!("{name}.{number}"))?;
            parts.push(ended.records);
            fault = fault.or(ended.fault);
            memberships.extend(ended.memberships);
        }
        Ok(RoleEnded { records: merged(&parts, folder, name)?, fault, memberships })
    }

    pub(super) fn stop(self) {
        self.0.into_iter().for_each(Runner::stop);
    }
}

/// Merges several records, whose times are then those of one clock, and deletes them.
fn merged(parts: &[Recorded], folder: &Path, name: &str) -> Result<Recorded, ConductError> {
    let (clock, path) = (SeatClock::common(parts.iter().map(|part| part.clock)), folder.join(name));
    let merge = || -> Result<(), BulkError> {
        let files = parts.iter().map(|part| File::open(&part.path)).collect::<Result<Vec<_>, _>>()?;
        let told = |part: usize, row: ReceivedRow| row.told_by(clock, parts[part].clock);
        merge_received(files, told, &mut BufWriter::new(File::create(&path)?))
    };
    merge().map_err(|source| AccountError::Records { role: "subscriber", source })?;
    for part in parts {
        std::fs::remove_file(&part.path).map_err(io_error("the records of a runner"))?;
    }
    Ok(Recorded { path, clock })
}
