//! A trial in which everything is set up: warmed up, measured, drained, ended. One file because its steps share the state of one [`Stage`].

use std::any::Any;
use std::path::Path;
use std::time::Duration;

use wiredyno_contract::{Arrivals, Capability, Clients, LoadKind, Membership, Operation, Span, Start};
use wiredyno_link::accounting::LinkCounters;
use wiredyno_link::tap::Tapped;
use wiredyno_model::trial::{AgentLoad, MOST_LEAD_NS, Moving, RoleClock, SetUp, TwoClocks, WireByPhase};
use wiredyno_model::{Hosts, Load, Role};
use wiredyno_planning::plan::{QUIET, derived_seed};
use wiredyno_process::socket::Socket;
use wiredyno_seats::database::Database;
use wiredyno_seats::machine::CpuTicks;
use wiredyno_seats::runner::{PATIENCE, RoleEnded, RoleProgress};
use wiredyno_seats::seat::away::Away;
use wiredyno_seats::seat::clock::Moment;
use wiredyno_seats::seat::link::LinkSeat;
use wiredyno_seats::seat::tap::Taps;
use wiredyno_seats::seat::{Recorded, Seat, SeatFile};
use wiredyno_seats::serving::{Server, Serving};
use wiredyno_store::MessagesWriter;

use super::apart;
use super::blank::{self, Blank, Used};
use super::cause::blamed;
use super::measured::{Fullest, Measured, MovingSince, StandWork, Watched};
use super::passing::{Passed, Passing};
use super::publishers::Publishers;
use super::subscribers::Subscribers;
use super::{Assignment, ConductError, io_error};
use crate::accounting::{Account, AccountError, Matching, Records, SHARD_ROWS, Terms};
use crate::crossing::Crossings;
use crate::{live, traffic};

/// From the start of the measured phase to the first intended send: time for the runners to get ready.
const LEAD: Duration = Duration::from_nanos(MOST_LEAD_NS);

/// The most that warms a newly started broker, in bytes of bodies, and the pause between two messages: each is its
/// own request.
const WARMING_BYTES: u32 = 1_000_000;
const WARMING_PAUSE: Duration = Duration::from_millis(5);

/// The most warm-up messages that are under way at a time: more might not fit into a broker's queue for a subscriber (mosquitto's has 1,000).
const WARMING_TOGETHER: u32 = 500;

/// About how long it takes to warm a broker in a mode, in nanoseconds.
pub fn warming_ns(serving: &Serving) -> u64 {
    let Serving::Managed(managed) = serving else { return 0 };
    u64::from(managed.folder.broker.warm_up_messages) * WARMING_PAUSE.as_nanos() as u64
}

/// How long to wait on unreliable transports for warm-up messages that may never arrive.
const UNRELIABLE_WARMUP: Duration = Duration::from_secs(1);

/// How often the link is checked for quiet.
const LOOK: Duration = Duration::from_millis(20);

/// The longest wait for quiet before the measured phase: after that, a participant is assumed never to stop sending.
const LOUD: Duration = Duration::from_secs(5);

/// How long to wait for further arrivals after the last expected one, beyond a round trip of the link: only
/// then are duplicates counted.
const LINGER: Duration = Duration::from_millis(60);

/// How long sending under a load may take before the trial is given up: the transport may delay it.
fn sending_time(load: &Load) -> Duration {
    let each = match (load.kind, load.arrivals) {
        (LoadKind::Open | LoadKind::Search, Arrivals::Ramp(from)) => {
            load.interval.max(from.interval()).to_std()
        }
        (LoadKind::Open | LoadKind::Search, _) => load.interval.to_std(),
        (LoadKind::Closed, _) => (load.interval.to_std() + load.deadline.to_std()) / load.window,
        // A mean longer than this per message is not caused by the path.
        (LoadKind::Batch, _) => Duration::from_millis(10),
    };
    load.batch_ns().map_or(each * load.messages * 2, |ns| Duration::from_nanos(ns) * 2)
}

/// A trial in which everything is set up.
pub(super) struct Stage<'a> {
    pub(super) assignment: &'a Assignment<'a>,
    pub(super) load: Load,
    /// How many clients there are, and whether subscribers share messages.
    pub(super) clients: Clients,
    pub(super) limits_drain: Duration,
    pub(super) folder: &'a Path,
    pub(super) server: Server,
    pub(super) subscriber: Subscribers,
    pub(super) publisher: Publishers,
    /// The gate of a closed loop, under the publisher's name for it.
    pub(super) gate: Option<SeatFile>,
    /// The longest body of the samples.
    pub(super) body_bytes: u32,
    pub(super) hosts: Hosts,
    pub(super) set_up: SetUp,
    /// How much longer each message is made to take to encode, in nanoseconds of CPU time.
    pub(super) burden_ns: u64,
    /// The CPU reserved for the publishing thread.
    pub(super) publisher_cpu: Option<u32>,
    /// The hosts that are other machines, if any are.
    pub(super) away: Option<&'a dyn Away>,
    /// What counts the packets between them, or why they can't be counted.
    pub(super) taps: Option<Result<Box<dyn Taps>, String>>,
    /// What passes the gate of a closed loop on between two machines.
    pub(super) _relayed: Option<Box<dyn Any + Send>>,
    /// How many messages had arrived before the measured ones, copies included.
    pub(super) arrived_before: u64,
    /// The trial as it is shown while it runs; absent if no one watches.
    pub(super) watched: Option<live::Watched<'a>>,
    /// The database from which the publisher reads records, and which takes the timings of its messages.
    pub(super) database: Option<&'a Database>,
}

/// What is left when all roles have ended.
struct Left {
    account: Account,
    /// What went wrong, as a role reports it.
    broke: Option<String>,
    counters: Option<LinkCounters>,
    passed: Passed,
    /// Where the roles read two.
    clocks: Option<TwoClocks>,
    memberships: Vec<Membership>,
}

impl Stage<'_> {
    fn mark(&self, phase: wiredyno_link::accounting::Phase) -> Result<(), ConductError> {
        if let Some((lane, _)) = self.assignment.lane {
            lane.mark(phase)?;
        }
        self.taps.iter().flatten().for_each(|taps| taps.mark(phase));
        Ok(())
    }

    /// Measures the trial and ends all roles.
    pub(super) fn measure(mut self) -> Result<Measured, ConductError> {
        let measured = self.measured().map_err(|error| blamed(&mut self.server, error))?;
        self.publisher.stop();
        self.subscriber.stop();
        // If something broke, the next trial gets a fresh server.
        if measured.broke.is_none() {
            self.server.stop(self.assignment.brokers);
        }
        Ok(measured)
    }

    #[expect(
        clippy::too_many_lines,
        reason = "the measured part from the first mark to the last, in order; its steps share the watches and the stand's counters"
    )]
    fn measured(&mut self) -> Result<Measured, ConductError> {
        use wiredyno_link::accounting::Phase;
        // What is sent while only waiting for quiet is not part of the set-up, which other protocols don't have either.
        self.mark(Phase::Warmup)?;
        let since = Moment::now();
        self.await_found()?;
        self.warm_up()?;
        self.await_quiet(Moment::now() + LOUD)?;
        let (blank, stand_before) = self.blank()?;
        let stored_before = self.stored();
        self.mark(Phase::Measure)?;
        let mut watched = self.watch()?;
        self.watched.iter().for_each(live::Watched::sending);
        let begin = Moment::now();
        let ticks = CpuTicks::now().map_err(io_error("the utilisation of the machine"))?;
        // Arrivals before something broke are kept.
        let mut moving = None;
        let (cutoff, stand, mut broke) = match self.send_and_drain(&mut watched, stand_before, &mut moving) {
            Ok((cutoff, stand)) => (cutoff, stand, self.server.ended()),
            Err(ConductError::Broke(reason)) => {
                (Moment::now(), stand_before, Some(self.server.ended_soon().unwrap_or(reason)))
            }
            Err(error) => return Err(error),
        };
        let share = CpuTicks::now().map_err(io_error("the utilisation of the machine"))?.since(&ticks);
        let drained = Moment::now();
        self.watched.iter().for_each(live::Watched::drained);
        let measured_ns = u64::try_from(drained.since(begin).as_nanos()).unwrap_or(u64::MAX);
        let sockets = (self.publisher.sockets()?, self.subscriber.sockets()?);
        let of_server = self.server.sockets();
        let dropped = |role| {
            let sockets = match role {
                Role::Publisher => &sockets.0,
                Role::Subscriber => &sockets.1,
                Role::Broker => &of_server,
            };
            sockets.iter().map(|socket| socket.dropped_datagrams).sum()
        };
        let (mut roles, of_link) = watched.end(dropped).map_err(io_error("the CPU time of a runner"))?;
        let stand = stand.since(stand_before);
        roles.publisher.stand_cpu_ns = stand.publisher_ns;
        roles.subscriber.stand_cpu_ns = stand.subscriber_ns;
        roles.publisher.session_cpu_ns = stand.publisher_session_ns;
        roles.subscriber.session_cpu_ns = stand.subscriber_session_ns;
        blank.fill(&mut roles, measured_ns);
        self.mark(Phase::Teardown)?;
        let broker = self.server.used();
        let stored = self.stored().zip(stored_before);
        let stored_bytes = stored.and_then(|(after, before)| after.checked_sub(before));
        if let Some(away) = self.away {
            away.settle(since, Moment::now()).map_err(io_error("the clocks"))?;
        }
        let Left { account, broke: fault, counters, passed, clocks, memberships } =
            self.finish((begin, cutoff), (&sockets.0, &sockets.1))?;
        let tapped = self.tapped();
        let wanted = u64::from(self.load.messages) * u64::from(self.clients.fan_out());
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
            tapped,
            passed,
            clocks,
            memberships,
            stored_bytes,
            share,
            measured_ns,
            moving,
            publisher_cpu: self.publisher_cpu,
            drained,
            of_link,
            probes: (None, None),
        })
    }

    fn watch(&self) -> Result<Watched, ConductError> {
        let of_runner = || io_error("the CPU time of a runner");
        let of_link = || io_error("the CPU time of the link");
        Ok(Watched {
            publisher: self.publisher.watch().map_err(of_runner())?,
            subscriber: self.subscriber.watch().map_err(of_runner())?,
            broker: self.server.watch(),
            link: self.link().map(|link| link.watch().map_err(of_link())).transpose()?,
            fullest: Fullest::default(),
        })
    }

    /// The link's seat; absent on loopback.
    fn link(&self) -> Option<LinkSeat<'_>> {
        self.assignment.lane.map(|(lane, _)| LinkSeat::of(lane))
    }

    /// Bytes of the broker's files with messages of this trial; absent where they are unknown.
    fn stored(&self) -> Option<u64> {
        let topics = self.load.topics.max(1);
        let topic = self.assignment.topic();
        let name = |number| if topics > 1 { format!("{topic}/{number}") } else { topic.clone() };
        (0..topics).map(|number| self.server.stored(&name(number))).sum()
    }

    fn warm_up(&mut self) -> Result<(), ConductError> {
        let messages = self.load.warmup;
        if messages == 0 {
            return Ok(());
        }
        // The first goes alone: nothing else is in flight.
        self.warm_up_by(1)?;
        let warmed = self.warm_broker()?;
        // Each publisher sends at least one.
        let others = if self.load.publishers > 1 { self.load.publishers } else { 0 };
        let mut rest = (messages - 1).max(u32::from(warmed)).max(others);
        let together = WARMING_TOGETHER.max(self.load.publishers);
        while rest > 0 {
            let part = rest.min(together);
            self.warm_up_by(part)?;
            rest -= part;
        }
        Ok(())
    }

    /// See [`blank`]. Also returns the stand's own work so far, at its end.
    fn blank(&mut self) -> Result<(Blank, StandWork), ConductError> {
        let watched = self.watch()?;
        let used = |stand| {
            let (roles, _) = watched.end(|_| 0).map_err(io_error("the CPU time of a runner"))?;
            Ok::<_, ConductError>(Used::at(Moment::now(), &roles, stand))
        };
        let mut stand = self.converse()?;
        let mut blank = Blank::default();
        for _ in 0..blank::ROUNDS {
            let begin = used(stand)?;
            std::thread::sleep(blank::IDLE);
            let alone = used(stand)?;
            stand = self.converse()?;
            blank.0.push([begin, alone, used(stand)?]);
        }
        Ok((blank, stand))
    }

    /// The requests of the measured part, for no messages.
    fn converse(&mut self) -> Result<StandWork, ConductError> {
        let now = Moment::now();
        self.publisher.send(now, &Start::open(0, 0, self.load.interval.ns))?;
        let until = now + PATIENCE;
        self.publisher.await_sent(until, false, PATIENCE)?;
        self.subscriber.await_received(0, until, PATIENCE)?;
        self.await_delivered("blank", until)?;
        let sent = self.publisher.await_sent(until, true, PATIENCE)?;
        let received = self.subscriber.await_received(0, until, PATIENCE)?;
        self.arrived_before = received.messages;
        Ok(StandWork::of(&sent, &received))
    }

    /// Sends messages one by one through a broker that has carried none in this mode yet and compiles meanwhile. Returns whether that
    /// was needed.
    fn warm_broker(&mut self) -> Result<bool, ConductError> {
        let wanted = self.server.messages_to_warm(&self.assignment.planned.cell.mode);
        for _ in 0..wanted.min(WARMING_BYTES / self.body_bytes.max(1)) {
            self.publisher.done(&Operation::WarmUp { messages: 1 })?;
            std::thread::sleep(WARMING_PAUSE);
        }
        Ok(wanted > 0)
    }

    fn warm_up_by(&mut self, messages: u32) -> Result<(), ConductError> {
        self.publisher.done(&Operation::WarmUp { messages })?;
        let reliable = self.capable(Capability::Reliable);
        let patience = if reliable { PATIENCE } else { UNRELIABLE_WARMUP };
        let until = Moment::now() + patience;
        let arrived = self.await_delivered("warmup", until)?;
        let wanted = u64::from(messages) * u64::from(self.clients.fan_out());
        if reliable && arrived.messages < wanted {
            return Err(ConductError::Broke(format!(
                "only {} of {wanted} warm-up messages arrived within {} s, in a mode that should lose none",
                arrived.messages,
                patience.as_secs()
            )));
        }
        // At QoS 2 a message is handed over before its handshake is complete.
        self.publisher.await_sent(until, true, patience + PATIENCE)?;
        Ok(())
    }

    /// Waits until all messages of the last warm-up or start have arrived; copies don't count.
    fn await_delivered(&mut self, name: &str, until: Moment) -> Result<RoleProgress, ConductError> {
        let sent = self.publisher.write_sent(name, self.folder)?;
        let left = until.since(Moment::now());
        self.subscriber.await_delivered(&sent, until, left + PATIENCE)
    }

    /// Where clients discover each other, a publisher knows whom it has found, but not who has found it: discovery is over
    /// when the link is quiet. On loopback, where packets are not counted, it gets the same time.
    fn await_found(&self) -> Result<(), ConductError> {
        match (self.capable(Capability::Direct), self.assignment.lane) {
            (false, _) => Ok(()),
            (true, Some(_)) => self.await_quiet(Moment::now() + LOUD),
            (true, None) => {
                std::thread::sleep(QUIET);
                Ok(())
            }
        }
    }

    /// Waits until no packet has entered the link for a round trip and [`QUIET`], so that packets in flight, acknowledgements
    /// and repeats, are counted in the right phase; likewise between machines. On loopback packets are not counted.
    fn await_quiet(&self, until: Moment) -> Result<(), ConductError> {
        let Some(mut before) = self.entered_packets()? else { return Ok(()) };
        let (quiet, mut since) = (self.round_trip() + QUIET, Moment::now());
        // Agents are asked over the network that they use.
        let look = self.away.map_or(LOOK, |away| LOOK.max(away.round_trip()));
        while Moment::now() < until.min(since + quiet) {
            std::thread::sleep(look);
            let asked = Moment::now();
            let now = self.entered_packets()?.unwrap_or(before);
            if now != before {
                (before, since) = (now, asked);
            }
        }
        Ok(())
    }

    /// Packets that have been sent so far; `None` where they are not counted.
    fn entered_packets(&self) -> Result<Option<u64>, ConductError> {
        if let Some((lane, _)) = self.assignment.lane {
            return Ok(Some(traffic::entered_packets(&lane.counters()?)));
        }
        let sent = |one: &Tapped| one.sent.total().entered.packets;
        Ok(self.taps.iter().flatten().next().map(|taps| taps.tapped().iter().map(sent).sum()))
    }

    /// What the machines sent each other; `None`, with a note in the run, if that is not known.
    fn tapped(&self) -> Option<WireByPhase> {
        let (away, taps) = self.away.zip(self.taps.as_ref())?;
        let [up, down] = match taps {
            Ok(taps) => taps.tapped(),
            Err(why) => {
                away.note(not_counted(why));
                return None;
            }
        };
        let nothing = || "no packet of the trial left a machine".to_owned();
        let is_empty = up.sent.total().entered.packets + down.sent.total().entered.packets == 0;
        let why = up.incomplete.or(down.incomplete).or_else(|| is_empty.then(nothing));
        why.iter().for_each(|why| away.note(not_counted(why)));
        why.is_none().then(|| traffic::of_taps(&up.sent, &down.sent))
    }

    fn capable(&self, capability: Capability) -> bool {
        self.assignment.capable(capability)
    }

    /// Sends the measured messages and waits until all have arrived or the drain is over. Returns the end of
    /// the drain and the stand's own work until then; `before` is that work at the start. What was used while messages moved is
    /// put into `moved`.
    fn send_and_drain(
        &mut self,
        watched: &mut Watched,
        before: StandWork,
        moved: &mut Option<(Moving, Vec<AgentLoad>)>,
    ) -> Result<(Moment, StandWork), ConductError> {
        let load = self.load.clone();
        self.set_publisher_apart();
        let lead = LEAD + self.away.map_or(Duration::ZERO, |away| away.lead(self.runners()));
        let soonest = Moment::now() + (lead - LEAD);
        let at = soonest + LEAD;
        if let Some(link) = self.link() {
            link.anchor(at)?;
        }
        let start = Start {
            arrivals: load.arrivals,
            kind: load.kind,
            duration_ns: load.batch_ns(),
            seed: derived_seed(self.assignment.planned.seed, "arrivals", self.assignment.planned.repeat),
            window: load.window,
            deadline_ns: load.deadline.ns,
            gate: self.gate.as_ref().map(SeatFile::name),
            burden_ns: self.burden_ns,
            ..Start::open(0, load.messages, load.interval.ns)
        };
        self.publisher.send(at, &start)?;
        let since = watched.moving(soonest).map_err(io_error("the CPU time of the roles"))?;
        self.check_in_time(at)?;
        let since = since.no_sooner_than(soonest);
        let sending = sending_time(&load) + self.limits_drain + Duration::from_secs(5);
        let until = at + sending;
        let sent = self.publisher.await_sent(until, false, sending + PATIENCE)?;
        let so_far = self.subscriber.await_received(0, until, PATIENCE)?;
        self.watched.iter().for_each(live::Watched::draining);
        let look = |watched: &mut Watched, stand: StandWork| {
            watched.look(at, stand.since(before)).map_err(io_error("the CPU time of the roles"))
        };
        look(watched, StandWork::of(&sent, &so_far))?;
        let cutoff = sent.last.unwrap_or(until) + self.limits_drain;
        let patience = self.limits_drain + PATIENCE;
        let ended = load.batch_ns().is_some() && Moment::now() < until;
        let arrived = if sent.messages == u64::from(load.messages) || ended {
            if self.away.is_some() {
                // What was sent is told to the subscriber over the network under test: not before as much has arrived, and everybody has said how busy it was.
                let wanted = self.arrived_before + sent.messages * u64::from(self.clients.fan_out());
                let arrived = self.subscriber.await_received(wanted, cutoff, patience)?;
                *moved = Some(told(watched, &since, StandWork::of(&sent, &arrived).since(before))?);
            }
            self.await_delivered("measured", cutoff)?
        } else {
            self.subscriber.await_received(u64::MAX, cutoff, patience)?
        };
        // Acknowledgements in flight belong to the measured traffic; so do late duplicates.
        let reliable = self.capable(Capability::Reliable);
        let settled = cutoff.min(Moment::now() + self.limits_drain);
        let sent = self.publisher.await_sent(settled, reliable, patience)?;
        let stand = StandWork::of(&sent, &arrived);
        look(watched, stand)?;
        if moved.is_none() {
            *moved = Some(told(watched, &since, stand.since(before))?);
        }
        let linger = (Moment::now() + self.round_trip() + LINGER).min(cutoff);
        let received = self.subscriber.await_received(u64::MAX, linger, patience)?;
        // The last handshakes of a subscriber cannot be awaited individually.
        self.await_quiet(cutoff)?;
        let stand = StandWork::of(&sent, &received);
        Ok((cutoff, stand))
    }

    /// Refuses a first message that other machines were told of after it was due.
    fn check_in_time(&self, at: Moment) -> Result<(), ConductError> {
        if self.away.is_none() || Moment::now() < at {
            return Ok(());
        }
        let late = "the other machines were told of it after the first message was due";
        Err(io_error("the start")(std::io::Error::other(late)))
    }

    /// How many runners there are, and the broker.
    fn runners(&self) -> u32 {
        self.load.publisher_runners + u32::try_from(self.subscriber.seats().count()).unwrap_or(u32::MAX) + 1
    }

    /// Reserves a CPU for the publishing thread, see [`apart`].
    fn set_publisher_apart(&mut self) {
        let link = self.link();
        let needed = apart::is_needed(&self.load, self.assignment.lanes_in_use);
        let Some(publisher) = self.publisher.only().filter(|_| needed) else {
            // The link's process lives on from trial to trial.
            link.into_iter().for_each(|link| link.release());
            return;
        };
        let mut others: Vec<&dyn Seat> = self.subscriber.seats().collect();
        others.extend(self.server.relay().map(|relay| relay as &dyn Seat));
        others.extend(link.as_ref().map(|link| link as &dyn Seat));
        self.publisher_cpu = apart::set_apart(publisher, &others);
    }

    fn round_trip(&self) -> Duration {
        match (self.assignment.lane, self.away) {
            (Some((_, link)), _) => Duration::from_nanos(link.mean_round_trip().ns),
            (None, Some(away)) => away.round_trip(),
            (None, None) => Duration::ZERO,
        }
    }

    /// Ends the roles, then closes the link's counters, and makes the account in one pass over the messages.
    fn finish(
        &mut self,
        (begin, cutoff): (Moment, Moment),
        sockets: (&[Socket], &[Socket]),
    ) -> Result<Left, ConductError> {
        let (sent, of_publisher) = self.publisher.finish("sent", self.folder)?;
        let RoleEnded { records: received, fault: of_subscriber, memberships } =
            self.subscriber.finish("received", self.folder)?;
        let of_publisher = of_publisher.map(|fault| format!("the publisher {fault}"));
        let broke = of_publisher.or(of_subscriber.map(|fault| format!("the subscriber {fault}")));
        let superseded = self.server.superseded()?;
        let counters = match self.assignment.lane {
            Some((lane, _)) => Some(lane.finish()?),
            None => None,
        };
        let clocks = two_clocks(begin, &sent, &received);
        let load = &self.load;
        let terms = Terms {
            deadline: load.deadline,
            drain: load.drain,
            cutoff_ns: cutoff.ns(),
            kind: load.kind,
            turn: (load.kind == LoadKind::Closed && load.window == 1 && load.publishers == 1)
                .then_some(load.interval),
            clients: self.clients,
            clock_bound: Span { ns: clocks.map_or(0, |clocks| clocks.bound_ns()) },
            counted_only: self.assignment.counted_only,
        };
        let records = Records {
            sent: &sent,
            received: &received,
            superseded: &superseded,
            scratch: self.folder,
            shard_rows: SHARD_ROWS,
        };
        // It is unknown to which subscriber a copy of a message went, and what is encrypted.
        let told = self.clients.fan_out() == 1 && self.assignment.security().is_none();
        let passages = counters.as_ref().filter(|_| told).zip(self.link().map(|link| link.clock()));
        let matching = Matching::of(&records, &terms)?;
        let number = self.assignment.number;
        let mut passing = Passing::of(
            matching.messages(),
            Crossings::new(passages, sockets, &self.hosts),
            MessagesWriter::new(&self.assignment.messages, number),
            self.database.map(|database| database.timings_of(number)),
        )
        .map_err(AccountError::from)?;
        let account = matching.account(&mut |digest, message| passing.keep(digest, message))?;
        Ok(Left { account, broke, counters, passed: passing.end()?, clocks, memberships })
    }
}

/// What roles and machines have used while messages moved.
fn told(
    watched: &Watched,
    since: &MovingSince,
    stand: StandWork,
) -> Result<(Moving, Vec<AgentLoad>), ConductError> {
    watched.moved(since, stand).map_err(io_error("the CPU time of the roles"))
}

/// The note of a run whose packets were not counted.
fn not_counted(why: &str) -> String {
    format!("Bytes on the wire between the machines were not counted: {why}.")
}

/// The clocks with which two roles wrote their records; `None` if both read one.
fn two_clocks(begin: Moment, sent: &Recorded, received: &Recorded) -> Option<TwoClocks> {
    let of = |recorded: &Recorded| RoleClock {
        ahead_ns: recorded.clock.ahead_ns(begin),
        drift_ppb: recorded.clock.drift_ppb(),
        bound_ns: u64::try_from(recorded.clock.bound().as_nanos()).unwrap_or(u64::MAX),
    };
    (!sent.clock.is(received.clock)).then(|| TwoClocks { publisher: of(sent), subscriber: of(received) })
}
