//! One message trial from beginning to end: look at the machine, lay link and probe it, start broker, start runners on their hosts, warm up,
//! measure, drain, stop.

use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use wiredyno_link::lane::Lane;
use wiredyno_link::model::Seeds;
use wiredyno_link::probe::{ProbeError, probe};
use wiredyno_link::sandbox::Sandbox;
use wiredyno_link::spec::LinkSpec;
use wiredyno_model::trial::{
    BrokerUsed, Invalid, LinkProbe, LinkQuality, Roles, Schedule, SetUp, TrialRecord, Wire,
};
use wiredyno_model::{Capability, Host, Load, LoadKind, Role, Study, TransportDescription};
use wiredyno_process::socket::{Socket, sockets_of};
use wiredyno_process::usage::{Look, Watch, Watched as Whom};
use wiredyno_runner_wire::bulk::{read_received, read_sent};
use wiredyno_runner_wire::{Endpoint, Operation, Success};
use wiredyno_store::MessageTrial;

use crate::accounting::{Account, Terms, account};
use crate::kept::LaneBrokers;
use crate::machine::{CpuShare, CpuTicks, monotonic_ns, unix_ns};
use crate::plan::{PlannedTrial, derived_seed};
use crate::runner::{Interrupt, PATIENCE, Progress, RunnerError, RunnerProcess};
use crate::runners::Runners;
use crate::serving::{Footing, Server, ServerError, Serving, SupersededError};
use crate::validity::{self, Stand};
use crate::{noise, pace, traffic};

/// Samples that a trial's messages go round at most.
pub const SAMPLES: u32 = 1_000;

/// How many samples the publisher loads under a load, where the payload has as many.
pub fn samples_of(load: &Load) -> u32 {
    load.messages.saturating_add(load.warmup).clamp(1, SAMPLES)
}

/// From the marking of the measured phase to the first intended send: time for the runners to be ready.
const LEAD: Duration = Duration::from_millis(30);

/// The most that a broker that has just been started is warmed by, in bytes of bodies, and the pause between two messages: each is a
/// request of its own.
const WARMING_BYTES: u32 = 1_000_000;
const WARMING_PAUSE: Duration = Duration::from_millis(5);

/// About how long it takes to warm a broker in a mode, in nanoseconds.
pub fn warming_ns(serving: &Serving) -> u64 {
    let Serving::Managed(managed) = serving else { return 0 };
    u64::from(managed.folder.broker.warm_up_messages) * WARMING_PAUSE.as_nanos() as u64
}

/// How long unreliable transports are given for warm-up messages that may never come.
const UNRELIABLE_WARMUP: Duration = Duration::from_secs(1);

/// How long no packet may have entered the link beyond a round trip before it counts as quiet: Linux holds back a bare
/// acknowledgement for up to 200 ms (TCP_DELACK_MAX), and repeats what was lost a round trip and at least as much (TCP_RTO_MIN)
/// after it was sent, so that a first repeat is caught too; the rest is for what comes late.
pub const QUIET: Duration = Duration::from_millis(250);

/// How often is looked whether the link is quiet.
const LOOK: Duration = Duration::from_millis(20);

/// How long is waited for quiet before the measured phase at most: longer, and somebody talks who will not stop.
const LOUD: Duration = Duration::from_secs(5);

/// How long is waited for further arrivals after the last expected one, beyond a round trip of the link: only
/// then are duplicates counted.
const LINGER: Duration = Duration::from_millis(60);

/// What all trials of a run share.
pub struct Conductor<'a> {
    /// The study.
    pub study: &'a Study,
    /// The programs that run as runners.
    pub runners: &'a Runners,
    /// Where children are made to end with the run.
    pub sandbox: &'a Sandbox,
    /// Set when the run shall end.
    pub interrupt: &'a Interrupt,
    /// What was found before the run.
    pub stand: Stand,
}

/// One trial to be carried out.
pub struct Assignment<'a> {
    /// Its number in the run.
    pub number: u32,
    /// What to do.
    pub planned: &'a PlannedTrial,
    /// The lane's number.
    pub lane_index: u32,
    /// The lane with the link to lay in it; absent on loopback.
    pub lane: Option<(&'a Lane, &'a LinkSpec)>,
    /// The client.
    pub transport: &'a TransportDescription,
    /// Who takes the broker's role.
    pub serving: &'a Serving,
    /// The brokers that the lane keeps.
    pub brokers: &'a LaneBrokers,
    /// Trials in flight, this one included.
    pub lanes_in_use: u32,
    /// Why its messages can only be counted, where that is known beforehand.
    pub counted_only: Option<&'a str>,
    /// Where to capture packets.
    pub capture: Option<PathBuf>,
}

/// Why a trial ended early.
#[derive(Debug, thiserror::Error)]
pub enum ConductError {
    /// A runner.
    #[error(transparent)]
    Runner(#[from] RunnerError),
    /// The broker's role.
    #[error(transparent)]
    Server(#[from] ServerError),
    /// What the server superseded.
    #[error(transparent)]
    Superseded(#[from] SupersededError),
    /// The link.
    #[error("the link: {0}")]
    Link(#[from] wiredyno_link::lane::LaneError),
    /// What is tested broke: a codec refused, a connection was lost, a broker ended.
    #[error("{0}")]
    Broke(String),
    /// Bulk records.
    #[error("the records of the {role}: {source}")]
    Records {
        /// Whose.
        role: &'static str,
        /// What is wrong with them.
        source: wiredyno_runner_wire::bulk::BulkError,
    },
    /// The link's floor.
    #[error(transparent)]
    Probe(#[from] ProbeError),
    /// Files and kernel counters.
    #[error("{what}: {source}")]
    Io {
        /// What was tried.
        what: &'static str,
        /// What the system said.
        source: std::io::Error,
    },
}

fn io_error(what: &'static str) -> impl FnOnce(std::io::Error) -> ConductError {
    move |source| ConductError::Io { what, source }
}

/// What a runner refuses here is the fault of what it was asked to try, not of the stand.
fn tried<T>(result: Result<T, RunnerError>) -> Result<T, ConductError> {
    result.map_err(|error| match error {
        RunnerError::Refused { .. } => ConductError::Broke(error.to_string()),
        error => error.into(),
    })
}

impl Conductor<'_> {
    /// Carries out a trial. One that the stand could not carry out to its end is invalid, one in which the tested broke
    /// has failed; `None` means that the run was interrupted.
    pub fn conduct(&self, assignment: &Assignment<'_>) -> Option<MessageTrial> {
        let begun = Instant::now();
        let mut record = self.blank(assignment);
        let outcome = tempfile::Builder::new()
            .prefix("wiredyno-trial-")
            .tempdir()
            .map_err(io_error("a folder for the trial"))
            .and_then(|folder| self.measured(assignment, folder.path()));
        if self.interrupt.is_set() {
            return None;
        }
        let messages = match outcome {
            Ok(measured) => {
                let messages = measured.fill(&mut record);
                let kind = self.study.load.as_ref().map_or(LoadKind::Closed, |load| load.kind);
                let found = validity::of_message_trial(&record, kind, &self.study.limits, self.stand);
                (record.invalid, record.overloaded) = (found.invalid, found.overloaded);
                messages
            }
            Err(ConductError::Broke(reason)) => {
                record.failed = Some(reason);
                Vec::new()
            }
            Err(error) => {
                record.invalid.push(Invalid::NotCarriedOut { error: error.to_string() });
                Vec::new()
            }
        };
        record.duration_ns = u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX);
        Some(MessageTrial { record, messages })
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
            delivery: Default::default(),
            counted_only: None,
            body_bytes: 0,
            wire: None,
            publisher_wire: None,
            subscriber_wire: None,
            roles: Roles::default(),
            schedule: Schedule::default(),
            backlog: Default::default(),
            sending_ns: 0,
            measured_ns: 0,
            link: None,
            machine: noise::before_trial(assignment.lanes_in_use),
        }
    }

    fn measured(&self, assignment: &Assignment<'_>, folder: &Path) -> Result<Measured, ConductError> {
        let mut probed = None;
        if let Some((lane, link)) = assignment.lane {
            lane.lay(link, seeds(assignment), assignment.capture.as_deref())?;
            if let Some(format) = assignment.transport.datagrams {
                lane.read_datagrams(format)?;
            }
            probed = Some(probe(lane, link, seeds(assignment))?);
        }
        let mut measured = self.stage(assignment, folder)?.measure()?;
        measured.probes.0 = probed;
        if let Some((lane, link)) = assignment.lane {
            // A queue that the trial left would be measured in place of the link.
            let empty = lane.counters()?.on_the_way_packets == 0;
            measured.probes.1 = empty.then(|| probe(lane, link, seeds(assignment))).transpose()?;
        }
        Ok(measured)
    }

    /// Everything in place: server listening, subscriber subscribed, publisher connected.
    fn stage<'a>(
        &'a self,
        assignment: &'a Assignment<'a>,
        folder: &'a Path,
    ) -> Result<Stage<'a>, ConductError> {
        let hosts = &self.study.hosts;
        let mut options = assignment.serving.options(&assignment.transport.id.protocol);
        options.extend(self.study.options_for(&assignment.planned.cell));
        let (mut server, endpoint) = assignment.serving.start(Footing {
            endpoint: self.endpoint(assignment)?,
            terms: (options.clone(), assignment.drawn_seed("server")),
            folder,
            brokers: assignment.brokers,
            runner: &|| self.runner(assignment, hosts.broker),
            enter: &|command| self.enter(assignment, hosts.broker, command),
            interrupt: self.interrupt,
        })?;
        let cell = &assignment.planned.cell;
        let load = self.load()?;
        let samples = Some(samples_of(load));
        let source = self.runners.source(&cell.payload, &cell.compression)?;
        let take = |samples| Operation::Load {
            payload: source.clone(),
            codec: cell.codec.clone(),
            compression: cell.compression.clone(),
            samples,
        };
        let mut subscriber =
            RunnerProcess::start("subscriber", self.runner(assignment, hosts.subscriber)?, self.interrupt)?;
        let mut publisher =
            RunnerProcess::start("publisher", self.runner(assignment, hosts.publisher)?, self.interrupt)?;
        // The subscriber only decodes: one sample proves that its codec works.
        tried(subscriber.loaded(take(Some(1)), PATIENCE))?;
        let body_bytes = tried(publisher.loaded(take(samples), PATIENCE))?;
        let gate = folder.join("gate").display().to_string();
        let gate = (load.kind == LoadKind::Closed).then_some(gate);
        let topic = format!("wiredyno/{}", assignment.number);
        let login = assignment.serving.login(folder).map_err(io_error("the password of a login"))?;
        let tls = assignment.serving.tls();
        let transport = assignment.transport.id.clone();
        let setting = cell.mode.setting.clone();
        let subscribed = subscriber.connected(
            Operation::Subscribe {
                transport: transport.clone(),
                setting: setting.clone(),
                endpoint: endpoint.clone(),
                topic: topic.clone(),
                gate: gate.clone(),
                options: options.clone(),
                seed: assignment.drawn_seed("subscriber"),
                login: login.clone(),
                tls: tls.clone(),
            },
            PATIENCE,
        );
        let (subscriber_connect_ns, _) = tried(subscribed).map_err(|error| blamed(&mut server, error))?;
        let seed = assignment.drawn_seed("publisher");
        let publish = Operation::Publish { transport, setting, endpoint, topic, options, seed, login, tls };
        let published = publisher.connected(publish, PATIENCE);
        let (publisher_connect_ns, tls) = tried(published).map_err(|error| blamed(&mut server, error))?;
        let (broker_start, broker_served_trials) = server.serve();
        let set_up = SetUp {
            publisher_connect_ns,
            subscriber_connect_ns,
            broker_start_ns: broker_start.map(|took| nanoseconds(took).unsigned_abs()),
            broker_served_trials,
            tls,
            ..SetUp::default()
        };
        Ok(Stage {
            assignment,
            load,
            limits_drain: load.drain.to_std(),
            folder,
            server,
            subscriber,
            publisher,
            gate,
            body_bytes,
            set_up,
        })
    }

    fn load(&self) -> Result<&Load, ConductError> {
        let missing = || std::io::Error::other("the study has no [load]");
        self.study.load.as_ref().ok_or_else(|| io_error("the load")(missing()))
    }

    /// Where the server shall listen: its host's address on the link with a fixed port, or loopback with a
    /// port that is free now.
    fn endpoint(&self, assignment: &Assignment<'_>) -> Result<Endpoint, ConductError> {
        const PORT_ON_LINK: u16 = 18_830;
        if let Some((lane, _)) = assignment.lane {
            let host = lane.host(self.study.hosts.broker).address().to_string();
            return Ok(Endpoint { host, port: PORT_ON_LINK });
        }
        let free =
            std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|listener| listener.local_addr());
        let port = free.map_err(io_error("a free port on loopback"))?.port();
        Ok(Endpoint { host: Ipv4Addr::LOCALHOST.to_string(), port })
    }

    fn enter(&self, assignment: &Assignment<'_>, host: Host, command: &mut Command) {
        self.sandbox.prepare(command);
        if let Some((lane, _)) = assignment.lane {
            lane.host(host).enter(command);
        }
    }

    fn runner(&self, assignment: &Assignment<'_>, host: Host) -> Result<Command, RunnerError> {
        let mut command = self.runners.command_for(&assignment.planned.cell.payload)?;
        self.enter(assignment, host, &mut command);
        Ok(command)
    }
}

impl Assignment<'_> {
    /// The seed of what the protocol draws in a role, such as first waits: differs by cell, repeat and attempt, as
    /// the draws for single packets do.
    fn drawn_seed(&self, role: &str) -> u64 {
        let planned = self.planned;
        derived_seed(planned.seed, &format!("{role}/{}/{}", planned.cell, planned.attempt), planned.repeat)
    }
}

/// The link's conditions are drawn per repeat, alike for all cells; single packets per trial.
fn seeds(assignment: &Assignment<'_>) -> Seeds {
    let planned = assignment.planned;
    let packets =
        derived_seed(planned.seed, &format!("packets/{}/{}", planned.cell, planned.attempt), planned.repeat);
    Seeds { packets, conditions: planned.seed }
}

/// Where a server has ended, that is the reason for whatever went wrong.
fn blamed(server: &mut Server, error: ConductError) -> ConductError {
    let ended = match &error {
        ConductError::Broke(_) => server.ended_soon(),
        _ => server.ended(),
    };
    ended.map_or(error, ConductError::Broke)
}

/// The processes of a trial over its measured part.
struct Watched {
    publisher: Watch,
    subscriber: Watch,
    broker: Option<Watch>,
    /// The link's process and what it was like at the beginning.
    link: Option<(u32, Look)>,
}

impl Watched {
    fn sent(&mut self, first_ns: i64) -> std::io::Result<()> {
        self.publisher.sent(first_ns)?;
        self.subscriber.sent(first_ns)?;
        // One that has ended is told elsewhere.
        let _ = self.broker.as_mut().map(|watch| watch.sent(first_ns));
        Ok(())
    }

    /// What the roles used, and how long the link's process waited for a CPU. A broker that has ended used what can't be
    /// told any more.
    fn end(&self, dropped: impl Fn(Role) -> u64) -> std::io::Result<(Roles, u64)> {
        let roles = Roles {
            publisher: self.publisher.end(dropped(Role::Publisher))?,
            subscriber: self.subscriber.end(dropped(Role::Subscriber))?,
            broker: self.broker.as_ref().and_then(|watch| watch.end(dropped(Role::Broker)).ok()),
        };
        let link_run_delay_ns = match &self.link {
            Some((pid, begin)) => Look::at(*pid)?.run_delay_since_ns(begin),
            None => 0,
        };
        Ok((roles, link_run_delay_ns))
    }
}

/// A trial in which everything is in place.
struct Stage<'a> {
    assignment: &'a Assignment<'a>,
    load: &'a Load,
    limits_drain: Duration,
    folder: &'a Path,
    server: Server,
    subscriber: RunnerProcess,
    publisher: RunnerProcess,
    gate: Option<String>,
    /// The longest body of the samples.
    body_bytes: u32,
    set_up: SetUp,
}

impl Stage<'_> {
    fn mark(&self, phase: wiredyno_link::accounting::Phase) -> Result<(), ConductError> {
        if let Some((lane, _)) = self.assignment.lane {
            lane.mark(phase)?;
        }
        Ok(())
    }

    /// Measures and ends all roles.
    fn measure(mut self) -> Result<Measured, ConductError> {
        let measured = self.measured().map_err(|error| blamed(&mut self.server, error))?;
        self.publisher.stop();
        self.subscriber.stop();
        // Where something broke, the next trial gets a fresh server.
        if measured.broke.is_none() {
            self.server.stop(self.assignment.brokers);
        }
        Ok(measured)
    }

    fn measured(&mut self) -> Result<Measured, ConductError> {
        use wiredyno_link::accounting::Phase;
        self.mark(Phase::Warmup)?;
        let stand_before = self.warm_up()?;
        self.await_quiet(monotonic_ns() + nanoseconds(LOUD))?;
        self.mark(Phase::Measure)?;
        let mut watched = self.watch()?;
        let begin_ns = monotonic_ns();
        let ticks = CpuTicks::now().map_err(io_error("/proc/stat"))?;
        // What arrived before something broke is kept.
        let (cutoff_ns, stand, mut broke) = match self.send_and_drain(&mut watched) {
            Ok((cutoff_ns, stand)) => (cutoff_ns, stand, self.server.ended()),
            Err(ConductError::Broke(reason)) => {
                (monotonic_ns(), stand_before, Some(self.server.ended_soon().unwrap_or(reason)))
            }
            Err(error) => return Err(error),
        };
        let share = CpuTicks::now().map_err(io_error("/proc/stat"))?.since(&ticks);
        let measured_ns = (monotonic_ns() - begin_ns).unsigned_abs();
        let sockets = |pid| sockets_of(pid).map_err(io_error("the sockets of a runner"));
        let sockets = (sockets(self.publisher.pid())?, sockets(self.subscriber.pid())?);
        let of_server = self.server.sockets();
        let dropped = |role| {
            let sockets = match role {
                Role::Publisher => &sockets.0,
                Role::Subscriber => &sockets.1,
                Role::Broker => &of_server,
            };
            sockets.iter().map(|socket| socket.dropped_datagrams).sum()
        };
        let (mut roles, link_run_delay_ns) =
            watched.end(dropped).map_err(io_error("the CPU time of a runner"))?;
        roles.publisher.stand_cpu_ns = stand.publisher_ns.saturating_sub(stand_before.publisher_ns);
        roles.subscriber.stand_cpu_ns = stand.subscriber_ns.saturating_sub(stand_before.subscriber_ns);
        self.mark(Phase::Teardown)?;
        let broker = self.server.used();
        let (account, fault) = self.finish(cutoff_ns)?;
        let short = account.delivery.sent < u64::from(self.load.messages);
        broke = broke.or(fault).or_else(|| {
            short.then(|| {
                format!(
                    "only {} of {} messages were handed over before the trial was given up; a slower schedule or a \
                     longer drain would tell more",
                    account.delivery.sent, self.load.messages
                )
            })
        });
        let counters = match self.assignment.lane {
            Some((lane, _)) => Some(lane.finish()?),
            None => None,
        };
        Ok(Measured {
            set_up: SetUp { first_message_ns: account.first_message_ns, ..self.set_up },
            account,
            broke,
            roles,
            sockets,
            broker,
            counters,
            share,
            measured_ns,
            link_run_delay_ns,
            probes: (None, None),
        })
    }

    fn watch(&self) -> Result<Watched, ConductError> {
        let begin = |pid| Watch::begin(Whom::Process(pid)).map_err(io_error("the CPU time of a runner"));
        let look = |pid| Look::at(pid).map_err(io_error("the CPU time of the link"));
        let link = self.assignment.lane.map(|(lane, _)| lane.process_id());
        Ok(Watched {
            publisher: begin(self.publisher.pid())?,
            subscriber: begin(self.subscriber.pid())?,
            broker: self.server.watched().and_then(|whom| Watch::begin(whom).ok()),
            link: link.map(|pid| Ok::<_, ConductError>((pid, look(pid)?))).transpose()?,
        })
    }

    /// Gives what the stand's own work has taken by then.
    fn warm_up(&mut self) -> Result<StandWork, ConductError> {
        let messages = self.load.warmup;
        if messages == 0 {
            return Ok(StandWork::default());
        }
        // The first goes alone: nothing else is on its way.
        let mut work = self.warm_up_by(1)?;
        let warmed = self.warm_broker()?;
        let rest = (messages - 1).max(u32::from(warmed));
        if rest > 0 {
            work = self.warm_up_by(rest)?;
        }
        Ok(work)
    }

    /// Messages one by one through a broker that has carried none in this mode yet and compiles while it does. Whether there was
    /// need to.
    fn warm_broker(&mut self) -> Result<bool, ConductError> {
        let wanted = self.server.messages_to_warm(&self.assignment.planned.cell.mode);
        for _ in 0..wanted.min(WARMING_BYTES / self.body_bytes.max(1)) {
            tried(self.publisher.done(Operation::WarmUp { messages: 1 }, PATIENCE))?;
            std::thread::sleep(WARMING_PAUSE);
        }
        Ok(wanted > 0)
    }

    fn warm_up_by(&mut self, messages: u32) -> Result<StandWork, ConductError> {
        tried(self.publisher.done(Operation::WarmUp { messages }, PATIENCE))?;
        let reliable = self.capable(Capability::Reliable);
        let patience = if reliable { PATIENCE } else { UNRELIABLE_WARMUP };
        let until_ns = monotonic_ns() + nanoseconds(patience);
        let arrived = self.await_delivered("warmup", until_ns)?;
        if reliable && arrived.messages < u64::from(messages) {
            return Err(ConductError::Broke(format!(
                "only {} of {messages} warm-up messages arrived within {} s, in a mode that loses none",
                arrived.messages,
                patience.as_secs()
            )));
        }
        // At QoS 2 a message is handed over before its handshake has ended.
        let await_acked = Operation::AwaitSent { until_ns, acked: true };
        let sent = tried(self.publisher.progress(await_acked, patience + PATIENCE))?;
        Ok(StandWork { publisher_ns: sent.stand_cpu_ns, subscriber_ns: arrived.stand_cpu_ns })
    }

    /// Waits until all messages of the last warm-up or start have arrived; copies stand for none.
    fn await_delivered(&mut self, name: &str, until_ns: i64) -> Result<Progress, ConductError> {
        let records = self.folder.join(name).display().to_string();
        match self.publisher.ask(Operation::WriteSent { records: records.clone() }, PATIENCE)? {
            Success::Written { .. } => {}
            other => return Err(self.publisher.unexpected("write-sent", &other).into()),
        }
        let left = Duration::from_nanos(until_ns.saturating_sub(monotonic_ns()).max(0).unsigned_abs());
        let delivered = Operation::AwaitDelivered { sent: records, until_ns };
        tried(self.subscriber.progress(delivered, left + PATIENCE))
    }

    /// Waits until no packet has entered the link for a round trip and [`QUIET`], so that what is under way, acknowledgements
    /// and repeats, is booked where it belongs. On loopback nobody counts packets.
    fn await_quiet(&self, until_ns: i64) -> Result<(), ConductError> {
        let Some((lane, _)) = self.assignment.lane else { return Ok(()) };
        let quiet_ns = nanoseconds(self.round_trip() + QUIET);
        let entered = || lane.counters().map(|counters| traffic::entered_packets(&counters));
        let (mut before, mut since_ns) = (entered()?, monotonic_ns());
        while monotonic_ns() < until_ns.min(since_ns + quiet_ns) {
            std::thread::sleep(LOOK);
            let asked_ns = monotonic_ns();
            let now = entered()?;
            if now != before {
                (before, since_ns) = (now, asked_ns);
            }
        }
        Ok(())
    }

    /// Whether the mode, as the transport declares it, has a capability.
    fn capable(&self, capability: Capability) -> bool {
        let transport = self.assignment.transport;
        let setting = self.assignment.planned.cell.mode.setting.as_deref();
        let of_setting = transport.settings.iter().find(|known| Some(known.name.as_str()) == setting);
        transport.capabilities.contains(&capability)
            || of_setting.is_some_and(|known| known.capabilities.contains(&capability))
    }

    /// Sends the measured messages and waits until all have arrived or the drain is over. Returns the end of
    /// the drain, and what the stand's own work has taken by then.
    fn send_and_drain(&mut self, watched: &mut Watched) -> Result<(i64, StandWork), ConductError> {
        let load = self.load;
        let at_ns = monotonic_ns() + nanoseconds(LEAD);
        if let Some((lane, _)) = self.assignment.lane {
            lane.anchor(at_ns.unsigned_abs())?;
        }
        let started = self.publisher.done(
            Operation::Start {
                at_ns,
                messages: load.messages,
                kind: load.kind,
                interval_ns: load.interval.ns,
                arrivals: load.arrivals,
                seed: derived_seed(self.assignment.planned.seed, "arrivals", self.assignment.planned.repeat),
                deadline_ns: load.deadline.ns,
                gate: self.gate.clone(),
            },
            PATIENCE,
        );
        tried(started)?;
        let each = match load.kind {
            LoadKind::Open => load.interval.to_std(),
            LoadKind::Closed => load.interval.to_std() + load.deadline.to_std(),
        };
        // Sending may be held up by the transport: the drain is allowed on top before the trial is given up.
        let sending = each * load.messages * 2 + self.limits_drain + Duration::from_secs(5);
        let until_ns = at_ns + nanoseconds(sending);
        let await_sent = Operation::AwaitSent { until_ns, acked: false };
        let sent = tried(self.publisher.progress(await_sent, sending + PATIENCE))?;
        watched.sent(at_ns).map_err(io_error("the CPU time of a runner"))?;
        let last_ns = sent.last_ns.unwrap_or(until_ns);
        let cutoff_ns = last_ns + nanoseconds(self.limits_drain);
        let patience = self.limits_drain + PATIENCE;
        if sent.messages == u64::from(load.messages) {
            self.await_delivered("measured", cutoff_ns)?;
        } else {
            let ever = Operation::AwaitReceived { messages: u64::MAX, until_ns: cutoff_ns };
            tried(self.subscriber.progress(ever, patience))?;
        }
        // Acknowledgements still under way belong to the measured traffic; so do late duplicates.
        let reliable = self.capable(Capability::Reliable);
        let settled = cutoff_ns.min(monotonic_ns() + nanoseconds(self.limits_drain));
        let settled = Operation::AwaitSent { until_ns: settled, acked: reliable };
        let sent = tried(self.publisher.progress(settled, patience))?;
        let linger_ns = (monotonic_ns() + nanoseconds(self.round_trip() + LINGER)).min(cutoff_ns);
        let linger = Operation::AwaitReceived { messages: u64::MAX, until_ns: linger_ns };
        let received = tried(self.subscriber.progress(linger, patience))?;
        // The last handshakes of a subscriber are nobody's to wait for by name.
        self.await_quiet(cutoff_ns)?;
        let stand = StandWork { publisher_ns: sent.stand_cpu_ns, subscriber_ns: received.stand_cpu_ns };
        Ok((cutoff_ns, stand))
    }

    fn round_trip(&self) -> Duration {
        let link = self.assignment.lane.map(|(_, link)| link.mean_round_trip());
        link.map_or(Duration::ZERO, |span| Duration::from_nanos(span.ns))
    }

    /// The account, and what a role says went wrong.
    fn finish(&mut self, cutoff_ns: i64) -> Result<(Account, Option<String>), ConductError> {
        let mut broke = None;
        let (sent_file, received_file) = (self.folder.join("sent"), self.folder.join("received"));
        let roles = [
            ("publisher", &mut self.publisher, &sent_file),
            ("subscriber", &mut self.subscriber, &received_file),
        ];
        for (role, runner, file) in roles {
            let finish = Operation::Finish { records: file.display().to_string() };
            match runner.ask(finish, PATIENCE)? {
                Success::Finished { fault: None, .. } => {}
                Success::Finished { fault: Some(fault), .. } => {
                    broke.get_or_insert(format!("the {role} {fault}"));
                }
                other => return Err(runner.unexpected("finish", &other).into()),
            }
        }
        let open = |path: &Path| std::fs::File::open(path).map_err(io_error("the records of a runner"));
        let sent = read_sent(&mut open(&sent_file)?)
            .map_err(|source| ConductError::Records { role: "publisher", source })?;
        let received = read_received(&mut open(&received_file)?)
            .map_err(|source| ConductError::Records { role: "subscriber", source })?;
        let superseded = self.server.superseded(self.folder)?;
        let load = self.load;
        let terms = Terms {
            deadline: load.deadline,
            drain: load.drain,
            cutoff_ns,
            interval_ns: (load.kind == LoadKind::Open).then_some(load.interval.ns),
            counted_only: self.assignment.counted_only,
        };
        Ok((account(&sent, &received, &superseded, &terms), broke))
    }
}

fn nanoseconds(span: Duration) -> i64 {
    i64::try_from(span.as_nanos()).unwrap_or(i64::MAX / 4)
}

/// CPU time of the stand's own work in the roles, from their beginning.
#[derive(Debug, Clone, Copy, Default)]
struct StandWork {
    publisher_ns: u64,
    subscriber_ns: u64,
}

/// What a trial gave.
struct Measured {
    set_up: SetUp,
    account: Account,
    /// What broke of what was tested.
    broke: Option<String>,
    roles: Roles,
    sockets: (Vec<Socket>, Vec<Socket>),
    broker: BrokerUsed,
    counters: Option<wiredyno_link::accounting::LinkCounters>,
    share: CpuShare,
    measured_ns: u64,
    link_run_delay_ns: u64,
    /// Before and after.
    probes: (Option<LinkProbe>, Option<LinkProbe>),
}

impl Measured {
    /// Puts everything into the record and hands over its messages.
    fn fill(self, record: &mut TrialRecord) -> Vec<wiredyno_model::trial::MessageRecord> {
        let messages = self.account.messages;
        record.failed = self.broke;
        record.broker = Some(self.broker);
        record.set_up = self.set_up;
        record.delivery = self.account.delivery;
        record.counted_only = self.account.counted_only;
        record.body_bytes = self.account.body_bytes;
        record.schedule = self.account.schedule;
        record.backlog = pace::backlog(&messages);
        record.sending_ns = pace::sending_ns(&messages);
        record.measured_ns = self.measured_ns;
        record.roles = self.roles;
        for used in [&mut record.roles.publisher, &mut record.roles.subscriber] {
            // Spinning before a send and hashing are no work that a role could fail to keep up with.
            let stand = used.stand_cpu_ns as f64 / record.sending_ns.max(1) as f64;
            used.busiest_thread = (used.busiest_thread - stand).max(0.0);
        }
        record.machine.utilisation = self.share.utilisation;
        record.machine.steal = self.share.steal;
        if let Some(counters) = &self.counters {
            let own = |sockets: &[Socket]| -> Wire { traffic::of_sockets(counters, sockets) };
            record.wire = Some(traffic::by_phase(counters));
            record.publisher_wire = Some(own(&self.sockets.0));
            record.subscriber_wire = Some(own(&self.sockets.1));
            record.link = Some(LinkQuality {
                run_delay_ns: self.link_run_delay_ns,
                probe: self.probes.0,
                probe_after: self.probes.1,
                ..traffic::quality(counters)
            });
        }
        messages
    }
}
