//! One message trial from beginning to end: check the machine, lay the link and probe it, start the broker, start runners on their hosts, warm up,
//! measure, drain, stop.

mod apart;
mod blank;
mod cause;
mod machines;
mod measured;
mod passing;
mod publishers;
mod samples;
mod searching;
mod seating;
mod stage;
mod subscribers;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use wiredyno_contract::{
    Capability, Endpoint, LoadKind, MessageRate, Security, TransportDescription, WireFormat,
};
use wiredyno_link::capture::CaptureFile;
use wiredyno_link::lane::Lane;
use wiredyno_link::model::Seeds;
use wiredyno_link::probe::{ProbeError, probe};
use wiredyno_link::sandbox::Sandbox;
use wiredyno_link::spec::LinkSpec;
use wiredyno_model::trial::{Invalid, Roles, Schedule, SearchLimit, TrialRecord};
use wiredyno_model::{Host, Hosts, Load, Study};
use wiredyno_planning::plan::{PlannedTrial, derived_seed};
use wiredyno_process::scratch::Scratch;
use wiredyno_seats::database::{Database, Timings};
use wiredyno_seats::interrupt::Interrupt;
use wiredyno_seats::lane_brokers::LaneBrokers;
use wiredyno_seats::machine::unix_ns;
use wiredyno_seats::noise;
use wiredyno_seats::runner_error::RunnerError;
use wiredyno_seats::runners::Runners;
use wiredyno_seats::seat::away::Away;
use wiredyno_seats::seat::clock::Moment;
use wiredyno_seats::seat::link::LinkSeat;
use wiredyno_seats::seat::process::Here;
use wiredyno_seats::server_error::ServerError;
use wiredyno_seats::serving::{Serving, SupersededError};

use self::measured::Measured;
use crate::accounting::AccountError;
use crate::live::Live;
use crate::observe::Observations;
use crate::search::limit;
use crate::validity::{self, Stand};

pub use self::samples::{distinct_of, loaded_of, reads_more, samples_of};
pub use self::stage::warming_ns;

/// What all trials of a run have in common.
pub struct Conductor<'a> {
    /// The study that is run.
    pub study: &'a Study,
    /// The runner programs of the run.
    pub runners: &'a Runners,
    /// The sandbox that makes children end with the run.
    pub sandbox: &'a Sandbox,
    /// Set when the run is to end.
    pub interrupt: &'a Interrupt,
    /// The machine's state before the run.
    pub stand: Stand,
    /// The database with the records that publishers read, if any trial reads some.
    pub database: Option<&'a Database>,
    /// The hosts that are other machines, if any are.
    pub away: Option<&'a dyn Away>,
    /// Where trials are reported while they run; absent if no one watches.
    pub live: Option<&'a Live>,
}

/// One trial to be executed.
pub struct Assignment<'a> {
    /// The trial's number in the run.
    pub number: u32,
    /// The planned cell, repeat and attempt.
    pub planned: &'a PlannedTrial,
    /// The number of its lane.
    pub lane_index: u32,
    /// The lane and the link to lay in it; absent on loopback.
    pub lane: Option<(&'a Lane, &'a LinkSpec)>,
    /// The client library that sends and receives.
    pub transport: &'a TransportDescription,
    /// What serves the protocol: a broker, a relay, or a role itself.
    pub serving: &'a Serving,
    /// The brokers that the lane keeps.
    pub brokers: &'a LaneBrokers,
    /// How many trials are in flight, this one included.
    pub lanes_in_use: u32,
    /// Why its messages can only be counted, if that is known beforehand.
    pub counted_only: Option<&'a str>,
    /// The file for its messages: [`wiredyno_store::RunFolder::messages_part`].
    pub messages: PathBuf,
    /// The file for captured packets, if they are captured.
    pub capture: Option<CaptureFile>,
    /// Whether the keys of its connections are written beside the capture.
    pub keylog: bool,
    /// The rate of this step; only set during a search.
    pub rate: Option<MessageRate>,
}

/// A trial that was executed as far as possible.
pub struct ConductedTrial {
    /// The record that the run keeps of it.
    pub record: TrialRecord,
    /// The values of its messages' metrics, observed while they were written.
    pub observations: Observations,
    /// The timings of its messages, if a database takes them. It keeps them once they are committed.
    pub timings: Option<Timings>,
}

/// The result of conducting a trial.
pub enum Conducted {
    /// It was executed as far as possible.
    Trial(Box<ConductedTrial>),
    /// The process of its lane is gone, or a machine, with the reason. Nothing is known about the trial: it is to be repeated as if it had not begun.
    LaneGone(String),
    /// The run was interrupted.
    Interrupted,
}

impl Conducted {
    /// The trial, if there is one.
    pub fn trial(self) -> Option<ConductedTrial> {
        match self {
            Conducted::Trial(trial) => Some(*trial),
            Conducted::LaneGone(_) | Conducted::Interrupted => None,
        }
    }
}

/// Why a trial ended early.
#[derive(Debug, thiserror::Error)]
pub enum ConductError {
    /// A runner failed, or refused a request that it must accept.
    #[error(transparent)]
    Runner(#[from] RunnerError),
    /// The server or broker did not start.
    #[error(transparent)]
    Server(#[from] ServerError),
    /// The server's report of superseded messages can't be used.
    #[error(transparent)]
    Superseded(#[from] SupersededError),
    /// The link's process failed or is gone.
    #[error("the link: {0}")]
    Link(#[from] wiredyno_link::lane::LaneError),
    /// Something under test broke: a codec refused, a connection was lost, a broker ended.
    #[error("{0}")]
    Broke(String),
    /// Bulk records can't be read or matched.
    #[error(transparent)]
    Account(#[from] AccountError),
    /// The probe of the link failed.
    #[error(transparent)]
    Probe(#[from] ProbeError),
    /// A file or a kernel counter can't be read or written.
    #[error("{what}: {source}")]
    Io {
        /// What was to be read or written, in words.
        what: &'static str,
        /// The system's error on that access.
        source: std::io::Error,
    },
}

fn io_error(what: &'static str) -> impl FnOnce(std::io::Error) -> ConductError {
    move |source| ConductError::Io { what, source }
}

/// A refusal here is the fault of what the runner was to try, not of the stand.
fn tried<T>(result: Result<T, RunnerError>) -> Result<T, ConductError> {
    result.map_err(|error| match error {
        RunnerError::Refused { .. } => ConductError::Broke(error.to_string()),
        error => error.into(),
    })
}

impl Conductor<'_> {
    /// Executes a trial. A trial that the stand could not complete is invalid, one in which something under test broke
    /// has failed. Its messages are then in the assignment's file, if it has any. For a search the trial is the last step at the rate that was
    /// found.
    pub fn conduct(&self, assignment: &Assignment<'_>) -> Conducted {
        match &self.study.load {
            Some(load) if load.kind == LoadKind::Search => self.search(load, assignment),
            _ => self.once(assignment),
        }
    }

    fn once(&self, assignment: &Assignment<'_>) -> Conducted {
        let (begun, since) = (Instant::now(), Moment::now());
        // The messages of a killed run are not part of this trial.
        let forget = || drop(std::fs::remove_file(&assignment.messages));
        forget();
        let mut record = self.blank(assignment);
        // Over a lane without its process, every wait for a message would last until its limit.
        let lane = assignment.lane.map(|(lane, _)| lane);
        let interrupt = self.interrupt.or_when(lane.and_then(|lane| LinkSeat::of(lane).over()));
        let conductor = Conductor { interrupt: &interrupt, ..*self };
        let outcome = Scratch::new("trial-")
            .map_err(io_error("a folder for the trial"))
            .and_then(|folder| conductor.measured(assignment, folder.path()));
        if self.interrupt.is_set() {
            forget();
            return Conducted::Interrupted;
        }
        // Whatever else seems to have broken then, the cause is the link, or the machine that is not there.
        if outcome.as_ref().map_or(true, |measured| measured.broke.is_some())
            && let Some(gone) = lane.and_then(Lane::gone).or_else(|| self.away.and_then(Away::gone))
        {
            forget();
            return Conducted::LaneGone(gone);
        }
        let outcome = outcome.map_err(|error| cause::clocks_first(self.away, since, error));
        let (mut observations, mut timings) = (Observations::default(), None);
        match outcome {
            Ok(measured) => {
                let passed = measured.fill(&mut record);
                (observations, timings) = (passed.observations, passed.timings);
                let (kind, window) =
                    self.load(assignment).map_or((LoadKind::Closed, 1), |load| match load.kind {
                        LoadKind::Closed if load.window > 1 => (LoadKind::Batch, load.window),
                        kind => (kind, 1),
                    });
                if kind == LoadKind::Batch {
                    let link = assignment.lane.map(|(_, link)| link);
                    let used_up = limit(&record, link, &self.study.limits, self.stand, false);
                    let windowed = used_up == SearchLimit::Waiting && window > 1;
                    record.full = Some(if windowed { SearchLimit::Window } else { used_up });
                }
                let found = validity::of_message_trial(
                    &record,
                    kind,
                    assignment.rate.is_some(),
                    &self.study.limits,
                    self.stand,
                );
                (record.invalid, record.overloaded) = (found.invalid, found.overloaded);
            }
            Err(ConductError::Broke(reason)) => {
                forget();
                record.failed = Some(reason);
            }
            Err(error) => {
                forget();
                record.invalid.push(Invalid::NotCarriedOut { error: error.to_string() });
            }
        }
        record.duration_ns = u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX);
        Conducted::Trial(Box::new(ConductedTrial { record, observations, timings }))
    }

    fn blank(&self, assignment: &Assignment<'_>) -> TrialRecord {
        TrialRecord {
            trial: assignment.number,
            cell: assignment.planned.cell.clone(),
            repeat: assignment.planned.repeat,
            attempt: assignment.planned.attempt,
            lane: assignment.lane_index,
            seed: assignment.planned.seed,
            started_unix_ns: unix_ns(),
            duration_ns: 0,
            invalid: Vec::new(),
            overloaded: Vec::new(),
            failed: None,
            transport: Some(assignment.transport.id.clone()),
            broker: None,
            set_up: Default::default(),
            fan_out: self.load(assignment).map_or(1, |load| self.clients(assignment, &load).fan_out()),
            delivery: Default::default(),
            memberships: Vec::new(),
            counted_only: None,
            body_bytes: 0,
            implementation_bytes: self.runners.implementation_bytes(&assignment.transport.id),
            stored_bytes: None,
            wire: None,
            publisher_wire: None,
            subscriber_wire: None,
            clocks: None,
            roles: Roles::default(),
            schedule: Schedule::default(),
            backlog: Default::default(),
            sending_ns: 0,
            search: None,
            full: None,
            receiving: None,
            measured_ns: 0,
            moving: None,
            crossed: None,
            link: None,
            machine: noise::before_trial(assignment.lanes_in_use),
            agents: Vec::new(),
        }
    }

    fn measured(&self, assignment: &Assignment<'_>, folder: &Path) -> Result<Measured, ConductError> {
        let mut probed = None;
        if let Some((lane, link)) = assignment.lane {
            lane.lay(link, seeds(assignment), assignment.capture.as_ref())?;
            if let Some(format) = assignment.readable_format() {
                lane.read_as(format)?;
            }
            probed = Some(probe(lane, link, seeds(assignment))?);
        }
        let mut measured = self.stage(assignment, folder)?.measure()?;
        measured.probes.0 = probed;
        if let Some((lane, link)) = assignment.lane {
            // A queue that the trial left behind would be measured instead of the link.
            let empty = lane.counters()?.on_the_way_packets == 0;
            measured.probes.1 = empty.then(|| probe(lane, link, seeds(assignment))).transpose()?;
        }
        Ok(measured)
    }

    /// The load of the trial's cell, or of the step of its search.
    fn load(&self, assignment: &Assignment<'_>) -> Result<Load, ConductError> {
        let missing = || std::io::Error::other("the study has no [load]");
        let load = self.study.load.as_ref().ok_or_else(|| io_error("the load")(missing()))?;
        let load = load.of(&assignment.planned.cell);
        Ok(assignment.rate.map_or_else(|| load.clone(), |rate| load.step(rate)))
    }
}

/// Where the server, or a subscriber that is one, is to listen: its host's address on the link with the protocol's own port, so that
/// tools recognise the protocol in captures; without a link, a port that is free now.
fn endpoint(assignment: &Assignment<'_>, here: &Here<'_>, host: Host) -> Result<Endpoint, ConductError> {
    let protocol = &assignment.transport.id.protocol;
    let port = match assignment.lane {
        Some(_) => assignment.brokers.port_beside(protocol, assignment.security()),
        None => here.free_port(host).map_err(io_error("a free port"))?,
    };
    let address = here.address(host).map_err(io_error("the address of a host"))?;
    Ok(Endpoint { host: address.to_string(), port })
}

impl Assignment<'_> {
    /// How connections are secured: as the cell says, else the protocol's default.
    fn security(&self) -> Security {
        self.planned.cell.security.unwrap_or_else(|| self.transport.usual_security())
    }

    /// The file for keys beside the capture, if keys are requested.
    fn key_log(&self) -> Option<PathBuf> {
        let capture = self.capture.as_ref().filter(|_| self.keylog)?;
        Some(capture.path.with_extension("keys"))
    }

    /// The topic of its messages; with several, the beginning of their names.
    fn topic(&self) -> String {
        format!("wiredyno/{}", self.number)
    }

    /// Whether the mode, as the transport declares it, has a capability.
    fn capable(&self, capability: Capability) -> bool {
        self.transport.has(self.planned.cell.mode.setting.as_deref(), capability)
    }

    /// The format of its packets, if they can be read: encrypted ones would be misread, unless they are made to be readable.
    fn readable_format(&self) -> Option<WireFormat> {
        let readable = self.security().is_none() || self.capable(Capability::Encrypted);
        self.transport.format.filter(|_| readable)
    }

    /// The hosts of its roles.
    fn hosts(&self, hosts: Hosts) -> Hosts {
        hosts.of(&self.planned.cell).used_by(self.transport)
    }

    /// The seed of a role's random draws, such as first waits: differs by cell, repeat and attempt, as
    /// the draws for single packets do.
    fn drawn_seed(&self, role: &str) -> u64 {
        let planned = self.planned;
        derived_seed(planned.seed, &format!("{role}/{}/{}", planned.cell, planned.attempt), planned.repeat)
    }
}

/// The link's conditions are drawn per repeat, the same for all cells; those of single packets per trial.
fn seeds(assignment: &Assignment<'_>) -> Seeds {
    let planned = assignment.planned;
    let packets =
        derived_seed(planned.seed, &format!("packets/{}/{}", planned.cell, planned.attempt), planned.repeat);
    Seeds { packets, conditions: planned.seed }
}

fn nanoseconds(span: Duration) -> i64 {
    i64::try_from(span.as_nanos()).unwrap_or(i64::MAX / 4)
}
