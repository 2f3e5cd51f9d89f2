//! A trial in which everything is in place: warmed up, measured, drained, ended.

use std::path::Path;
use std::time::Duration;

use wiredyno_contract::{Arrivals, Capability, LoadKind, Operation, Start};
use wiredyno_link::accounting::LinkCounters;
use wiredyno_model::trial::SetUp;
use wiredyno_model::{Hosts, Load, Role};
use wiredyno_process::socket::Socket;
use wiredyno_process::usage::{Look, Watch, Watched as Whom};
use wiredyno_store::MessagesWriter;

use super::apart;
use super::measured::{Measured, StandWork, Watched};
use super::publishers::{Publishers, finish};
use super::{Assignment, ConductError, blamed, io_error, nanoseconds, tried};
use crate::accounting::{Account, AccountError, Records, SHARD_ROWS, Terms, account};
use crate::crossing::Crossings;
use crate::machine::{CpuTicks, monotonic_ns};
use crate::plan::derived_seed;
use crate::runner::{PATIENCE, Progress, RunnerProcess};
use crate::serving::{Server, Serving};
use crate::traffic;

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

/// A trial in which everything is in place.
pub(super) struct Stage<'a> {
    pub(super) assignment: &'a Assignment<'a>,
    pub(super) load: Load,
    pub(super) limits_drain: Duration,
    pub(super) folder: &'a Path,
    pub(super) server: Server,
    pub(super) subscriber: RunnerProcess,
    pub(super) publisher: Publishers,
    pub(super) gate: Option<String>,
    /// The longest body of the samples.
    pub(super) body_bytes: u32,
    pub(super) hosts: Hosts,
    pub(super) set_up: SetUp,
    /// The CPU that the publishing thread has for itself.
    pub(super) publisher_cpu: Option<u32>,
}

/// What is left when all roles have come to their end.
struct Left {
    account: Account,
    /// What a role says went wrong.
    broke: Option<String>,
    counters: Option<LinkCounters>,
    /// Messages whose crossing of the link is known.
    crossed: Option<u64>,
}

impl Stage<'_> {
    fn mark(&self, phase: wiredyno_link::accounting::Phase) -> Result<(), ConductError> {
        if let Some((lane, _)) = self.assignment.lane {
            lane.mark(phase)?;
        }
        Ok(())
    }

    /// Measures and ends all roles.
    pub(super) fn measure(mut self) -> Result<Measured, ConductError> {
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
        self.await_found()?;
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
        let drained_ns = monotonic_ns();
        let measured_ns = (drained_ns - begin_ns).unsigned_abs();
        let of_subscriber = wiredyno_process::socket::sockets_of(self.subscriber.pid());
        let sockets =
            (self.publisher.sockets()?, of_subscriber.map_err(io_error("the sockets of a runner"))?);
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
        let Left { account, broke: fault, counters, crossed } =
            self.finish(cutoff_ns, (&sockets.0, &sockets.1))?;
        let wanted = u64::from(self.load.messages) * u64::from(self.load.clients().fan_out());
        let timed = self.load.batch_ns().is_some() && account.delivery.sent > 0;
        let short = account.delivery.sent < wanted && !timed;
        broke = broke.or(fault).or_else(|| {
            short.then(|| {
                format!(
                    "only {} of {wanted} messages were sent before the trial was given up; use a slower schedule or a \
                     longer drain",
                    account.delivery.sent
                )
            })
        });
        Ok(Measured {
            set_up: SetUp { first_message_ns: account.first_message_ns, ..self.set_up },
            account,
            broke,
            roles,
            sockets,
            broker,
            counters,
            crossed,
            share,
            measured_ns,
            publisher_cpu: self.publisher_cpu,
            drained_ns,
            link_run_delay_ns,
            probes: (None, None),
        })
    }

    fn watch(&self) -> Result<Watched, ConductError> {
        let begin = |whom| Watch::begin(whom).map_err(io_error("the CPU time of a runner"));
        let look = |pid| Look::at(pid).map_err(io_error("the CPU time of the link"));
        let link = self.assignment.lane.map(|(lane, _)| lane.process_id());
        Ok(Watched {
            publisher: begin(self.publisher.watched())?,
            subscriber: begin(Whom::Processes(vec![self.subscriber.pid()]))?,
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
        // Every publisher sends one.
        let others = if self.load.publishers > 1 { self.load.publishers } else { 0 };
        let rest = (messages - 1).max(u32::from(warmed)).max(others);
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
            self.publisher.done(&Operation::WarmUp { messages: 1 })?;
            std::thread::sleep(WARMING_PAUSE);
        }
        Ok(wanted > 0)
    }

    fn warm_up_by(&mut self, messages: u32) -> Result<StandWork, ConductError> {
        self.publisher.done(&Operation::WarmUp { messages })?;
        let reliable = self.capable(Capability::Reliable);
        let patience = if reliable { PATIENCE } else { UNRELIABLE_WARMUP };
        let until_ns = monotonic_ns() + nanoseconds(patience);
        let arrived = self.await_delivered("warmup", until_ns)?;
        let wanted = u64::from(messages) * u64::from(self.load.clients().fan_out());
        if reliable && arrived.messages < wanted {
            return Err(ConductError::Broke(format!(
                "only {} of {wanted} warm-up messages arrived within {} s, in a mode that should lose none",
                arrived.messages,
                patience.as_secs()
            )));
        }
        // At QoS 2 a message is handed over before its handshake has ended.
        let await_acked = Operation::AwaitSent { until_ns, acked: true };
        let sent = self.publisher.progress(&await_acked, patience + PATIENCE)?;
        Ok(StandWork { publisher_ns: sent.stand_cpu_ns, subscriber_ns: arrived.stand_cpu_ns })
    }

    /// Waits until all messages of the last warm-up or start have arrived; copies stand for none.
    fn await_delivered(&mut self, name: &str, until_ns: i64) -> Result<Progress, ConductError> {
        let records = self.folder.join(name);
        self.publisher.write_sent(&records)?;
        let left = Duration::from_nanos(until_ns.saturating_sub(monotonic_ns()).max(0).unsigned_abs());
        let delivered = Operation::AwaitDelivered { sent: records.display().to_string(), until_ns };
        tried(self.subscriber.progress(delivered, left + PATIENCE))
    }

    /// Where clients find each other, a publisher knows whom it has found, and nobody tells whether it was found as well: discovery is over
    /// when the link is quiet. On loopback, where nobody counts packets, it gets as long.
    fn await_found(&self) -> Result<(), ConductError> {
        match (self.capable(Capability::Direct), self.assignment.lane) {
            (false, _) => Ok(()),
            (true, Some(_)) => self.await_quiet(monotonic_ns() + nanoseconds(LOUD)),
            (true, None) => {
                std::thread::sleep(QUIET);
                Ok(())
            }
        }
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

    fn capable(&self, capability: Capability) -> bool {
        self.assignment.capable(capability)
    }

    /// Sends the measured messages and waits until all have arrived or the drain is over. Returns the end of
    /// the drain, and what the stand's own work has taken by then.
    fn send_and_drain(&mut self, watched: &mut Watched) -> Result<(i64, StandWork), ConductError> {
        let load = self.load.clone();
        self.set_publisher_apart();
        let at_ns = monotonic_ns() + nanoseconds(LEAD);
        if let Some((lane, _)) = self.assignment.lane {
            lane.anchor(at_ns.unsigned_abs())?;
        }
        self.publisher.done(&Operation::Start(Start {
            at_ns,
            messages: load.messages,
            kind: load.kind,
            interval_ns: load.interval.ns,
            arrivals: load.arrivals,
            duration_ns: load.batch_ns(),
            seed: derived_seed(self.assignment.planned.seed, "arrivals", self.assignment.planned.repeat),
            window: load.window,
            deadline_ns: load.deadline.ns,
            gate: self.gate.clone(),
        }))?;
        let each = match (load.kind, load.arrivals) {
            (LoadKind::Open | LoadKind::Search, Arrivals::Ramp(from)) => {
                load.interval.max(from.interval()).to_std()
            }
            (LoadKind::Open | LoadKind::Search, _) => load.interval.to_std(),
            (LoadKind::Closed, _) => (load.interval.to_std() + load.deadline.to_std()) / load.window,
            // Whoever takes longer for a message on the mean is held up by something else than the path.
            (LoadKind::Batch, _) => Duration::from_millis(10),
        };
        // Sending may be held up by the transport: the drain is allowed on top before the trial is given up.
        let sending = load.batch_ns().map_or(each * load.messages * 2, |ns| Duration::from_nanos(ns) * 2);
        let sending = sending + self.limits_drain + Duration::from_secs(5);
        let until_ns = at_ns + nanoseconds(sending);
        let await_sent = Operation::AwaitSent { until_ns, acked: false };
        let sent = self.publisher.progress(&await_sent, sending + PATIENCE)?;
        watched.sent(at_ns).map_err(io_error("the CPU time of a runner"))?;
        let last_ns = sent.last_ns.unwrap_or(until_ns);
        let cutoff_ns = last_ns + nanoseconds(self.limits_drain);
        let patience = self.limits_drain + PATIENCE;
        let ended = load.batch_ns().is_some() && monotonic_ns() < until_ns;
        if sent.messages == u64::from(load.messages) || ended {
            self.await_delivered("measured", cutoff_ns)?;
        } else {
            let ever = Operation::AwaitReceived { messages: u64::MAX, until_ns: cutoff_ns };
            tried(self.subscriber.progress(ever, patience))?;
        }
        // Acknowledgements still under way belong to the measured traffic; so do late duplicates.
        let reliable = self.capable(Capability::Reliable);
        let settled = cutoff_ns.min(monotonic_ns() + nanoseconds(self.limits_drain));
        let settled = Operation::AwaitSent { until_ns: settled, acked: reliable };
        let sent = self.publisher.progress(&settled, patience)?;
        let linger_ns = (monotonic_ns() + nanoseconds(self.round_trip() + LINGER)).min(cutoff_ns);
        let linger = Operation::AwaitReceived { messages: u64::MAX, until_ns: linger_ns };
        let received = tried(self.subscriber.progress(linger, patience))?;
        // The last handshakes of a subscriber are nobody's to wait for by name.
        self.await_quiet(cutoff_ns)?;
        let stand = StandWork { publisher_ns: sent.stand_cpu_ns, subscriber_ns: received.stand_cpu_ns };
        Ok((cutoff_ns, stand))
    }

    /// See [`apart`].
    fn set_publisher_apart(&mut self) {
        let link = self.assignment.lane.map(|(lane, _)| lane.process_id());
        let publisher = match self.publisher.pids()[..] {
            [only] if apart::is_needed(&self.load, self.assignment.lanes_in_use) => only,
            _ => {
                // It goes on from trial to trial.
                link.into_iter().for_each(apart::release);
                return;
            }
        };
        let mut others = vec![self.subscriber.pid()];
        if let Some(Whom::Processes(relay)) = self.server.watched() {
            others.extend(relay);
        }
        others.extend(link);
        self.publisher_cpu = apart::set_apart(publisher, &others);
    }

    fn round_trip(&self) -> Duration {
        let link = self.assignment.lane.map(|(_, link)| link.mean_round_trip());
        link.map_or(Duration::ZERO, |span| Duration::from_nanos(span.ns))
    }

    /// Ends the roles, then the link's books, and makes the account.
    fn finish(&mut self, cutoff_ns: i64, sockets: (&[Socket], &[Socket])) -> Result<Left, ConductError> {
        let (sent_file, received_file) = (self.folder.join("sent"), self.folder.join("received"));
        let faults = (self.publisher.finish(&sent_file)?, finish(&mut self.subscriber, &received_file)?);
        let of_publisher = faults.0.map(|fault| format!("the publisher {fault}"));
        let broke = of_publisher.or(faults.1.map(|fault| format!("the subscriber {fault}")));
        let superseded = self.server.superseded(self.folder)?;
        let counters = match self.assignment.lane {
            Some((lane, _)) => Some(lane.finish()?),
            None => None,
        };
        let load = &self.load;
        let terms = Terms {
            deadline: load.deadline,
            drain: load.drain,
            cutoff_ns,
            kind: load.kind,
            clients: load.clients(),
            counted_only: self.assignment.counted_only,
        };
        let records = Records {
            sent: &sent_file,
            received: &received_file,
            superseded: &superseded,
            scratch: self.folder,
            shard_rows: SHARD_ROWS,
        };
        let mut messages = MessagesWriter::new(&self.assignment.messages, self.assignment.number);
        // Which copy of a message a packet carried is not known, nor what is encrypted.
        let told = load.clients().is_single() && self.assignment.security().is_none();
        let packets = counters.as_ref().filter(|_| told);
        let mut crossings = Crossings::new(packets, sockets, &self.hosts);
        let account = account(&records, &terms, &mut |message| match crossings.push(message) {
            Some(before) => messages.push(before),
            None => Ok(()),
        })?;
        let end =
            crossings.last().map_or(Ok(()), |last| messages.push(last)).and_then(|()| messages.finish());
        end.map_err(AccountError::from)?;
        let crossed = crossings.known();
        Ok(Left { account, broke, counters, crossed })
    }
}
