//! The results of a trial: the account, what the roles used, what the link carried.

use wiredyno_contract::Membership;
use wiredyno_model::Role;
use wiredyno_model::trial::{
    AgentLoad, BrokerUsed, CpuUse, LinkProbe, LinkQuality, Moving, Receiving, RoleUse, Roles, SetUp,
    TrialRecord, TwoClocks, Wire, WireByPhase,
};
use wiredyno_process::socket::Socket;
use wiredyno_process::usage::Busiest;
use wiredyno_seats::machine::{CpuShare, CpuTicks};
use wiredyno_seats::runner::RoleProgress;
use wiredyno_seats::seat::Watch;
use wiredyno_seats::seat::clock::Moment;

use super::machines::Machines;
use super::passing::Passed;
use crate::accounting::Account;
use crate::traffic;

/// The seats of a trial over its measured part.
pub(super) struct Watched {
    /// One watch for each of the role's runners.
    pub(super) publisher: Vec<Box<dyn Watch>>,
    pub(super) subscriber: Vec<Box<dyn Watch>>,
    pub(super) broker: Option<Box<dyn Watch>>,
    pub(super) link: Option<Box<dyn Watch>>,
    pub(super) fullest: Fullest,
}

/// The busiest thread of each role so far.
#[derive(Default)]
pub(super) struct Fullest {
    publisher: Full,
    subscriber: Full,
    broker: Full,
    link: Full,
}

/// Shares of a span of time: a thread's, and the stand's own work in it.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Full {
    busy: f64,
    on_cpu: f64,
    stand: f64,
}

impl Full {
    /// From a thread in whose span this much was the stand's own work.
    fn of(busiest: Busiest, stand_ns: u64) -> Full {
        let stand = (stand_ns as f64 / busiest.span_ns.max(1) as f64).min(busiest.busy);
        Full { busy: busiest.busy, on_cpu: busiest.on_cpu, stand }
    }

    /// Keeps the fuller of two.
    fn keep(&mut self, other: Full) {
        if other.busy > self.busy {
            *self = other;
        }
    }

    fn put(self, used: &mut RoleUse) {
        (used.busiest_thread, used.busiest_thread_on_cpu) = (self.busy, Some(self.on_cpu));
        used.busiest_thread_stand = Some(self.stand);
    }
}

impl Watched {
    /// Checks the busiest thread of each role since the first message was due, and the stand's own work in it since the measured
    /// part began. Called when all have been sent, and when all have arrived, so that neither a wait for lost messages nor an early end
    /// of sending makes a saturated thread look idle.
    pub(super) fn look(&mut self, first: Moment, stand: StandWork) -> std::io::Result<()> {
        let runners = self.publisher.len().max(1) as u64;
        for watch in &self.publisher {
            let of_one_ns = stand.publisher_ns.saturating_sub(stand.publisher_session_ns) / runners;
            self.fullest.publisher.keep(Full::of(watch.busiest(first)?, of_one_ns));
        }
        let runners = self.subscriber.len().max(1) as u64;
        for watch in &self.subscriber {
            let of_one_ns = stand.subscriber_ns.saturating_sub(stand.subscriber_session_ns) / runners;
            self.fullest.subscriber.keep(Full::of(watch.busiest(first)?, of_one_ns));
        }
        // A broker that has ended is reported elsewhere.
        if let Some(Ok(busiest)) = self.broker.as_ref().map(|watch| watch.busiest(first)) {
            self.fullest.broker.keep(Full::of(busiest, 0));
        }
        if let Some(link) = &self.link {
            self.fullest.link.keep(Full::of(link.busiest(first)?, 0));
        }
        Ok(())
    }

    /// Takes the look when messages are about to be sent, at a moment.
    pub(super) fn moving(&mut self, from: Moment) -> std::io::Result<MovingSince> {
        self.publisher.iter_mut().try_for_each(|watch| watch.moving(from))?;
        self.subscriber.iter_mut().try_for_each(|watch| watch.moving(from))?;
        let _ = self.broker.as_mut().map(|watch| watch.moving(from));
        self.link.as_mut().map_or(Ok(()), |watch| watch.moving(from))?;
        Ok(MovingSince { at: Moment::now(), ticks: CpuTicks::now()? })
    }

    /// What roles and machine used since then, except how long messages moved.
    pub(super) fn moved(
        &self,
        since: &MovingSince,
        stand: StandWork,
    ) -> std::io::Result<(Moving, Vec<AgentLoad>)> {
        let (ticks, now) = (CpuTicks::now()?, Moment::now());
        let mut machines = Machines::since(since.at);
        let mut publisher = CpuUse { stand_cpu_ns: stand.publisher_ns, ..CpuUse::default() };
        for watch in &self.publisher {
            publisher += machines.add(Role::Publisher, watch.moved()?)?;
        }
        let mut subscriber = CpuUse { stand_cpu_ns: stand.subscriber_ns, ..CpuUse::default() };
        for watch in &self.subscriber {
            subscriber += machines.add(Role::Subscriber, watch.moved()?)?;
        }
        let broker = self.broker.as_ref().and_then(|watch| watch.moved().ok());
        let broker = broker.map(|moved| machines.add(Role::Broker, moved)).transpose()?;
        let link = self.link.as_ref().map(|watch| watch.moved()).transpose()?;
        let moving = Moving {
            moved_ns: 0,
            watched_ns: u64::try_from(now.since(since.at).as_nanos()).unwrap_or(u64::MAX),
            in_use_ns: ticks.in_use_since_ns(&since.ticks),
            publisher,
            subscriber,
            broker,
            link_run_delay_ns: link.map_or(0, |moved| moved.used.run_delay_ns),
        };
        Ok((moving, machines.agents))
    }

    /// What the roles and the link's process used. For a broker that has ended it can no longer be determined.
    pub(super) fn end(&self, dropped: impl Fn(Role) -> u64) -> std::io::Result<(Roles, OfLink)> {
        let with_dropped = |role, used| RoleUse { dropped_datagrams: dropped(role), ..used };
        let of = |watches: &[Box<dyn Watch>]| -> std::io::Result<RoleUse> {
            let mut all = RoleUse::default();
            for watch in watches {
                all += watch.end()?;
            }
            all.runners = if watches.len() > 1 { watches.len() as u32 } else { 0 };
            Ok(all)
        };
        let (publisher, subscriber) = (of(&self.publisher)?, of(&self.subscriber)?);
        let roles = Roles {
            publisher: with_dropped(Role::Publisher, publisher),
            subscriber: with_dropped(Role::Subscriber, subscriber),
            broker: self.broker.as_ref().and_then(|watch| watch.end().ok()),
        };
        let mut roles = Roles { broker: roles.broker.map(|used| with_dropped(Role::Broker, used)), ..roles };
        self.fullest.publisher.put(&mut roles.publisher);
        self.fullest.subscriber.put(&mut roles.subscriber);
        roles.broker.iter_mut().for_each(|used| self.fullest.broker.put(used));
        let link = self.link.as_ref().map(|watch| watch.end()).transpose()?;
        let of_link = OfLink {
            run_delay_ns: link.map_or(0, |used| used.run_delay_ns),
            busiest_thread: self.fullest.link.busy,
            on_cpu: self.fullest.link.on_cpu,
        };
        Ok((roles, of_link))
    }
}

/// What the link's process did in the measured part.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct OfLink {
    run_delay_ns: u64,
    busiest_thread: f64,
    on_cpu: f64,
}

/// The counters when messages were about to be sent.
pub(super) struct MovingSince {
    at: Moment,
    ticks: CpuTicks,
}

/// CPU time of the stand's own work in the roles, since their start.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct StandWork {
    pub(super) publisher_ns: u64,
    pub(super) subscriber_ns: u64,
    /// Of these, the part that was not in the thread of each runner that did most of it.
    pub(super) publisher_session_ns: u64,
    pub(super) subscriber_session_ns: u64,
}

impl MovingSince {
    /// The same, for messages that begin to move no sooner than a moment.
    pub(super) fn no_sooner_than(self, at: Moment) -> Self {
        MovingSince { at: self.at.max(at), ..self }
    }
}

impl StandWork {
    pub(super) fn of(publisher: &RoleProgress, subscriber: &RoleProgress) -> StandWork {
        StandWork {
            publisher_ns: publisher.stand_cpu_ns,
            subscriber_ns: subscriber.stand_cpu_ns,
            publisher_session_ns: publisher.session_cpu_ns,
            subscriber_session_ns: subscriber.session_cpu_ns,
        }
    }

    pub(super) fn since(self, before: StandWork) -> StandWork {
        StandWork {
            publisher_ns: self.publisher_ns.saturating_sub(before.publisher_ns),
            subscriber_ns: self.subscriber_ns.saturating_sub(before.subscriber_ns),
            publisher_session_ns: self.publisher_session_ns.saturating_sub(before.publisher_session_ns),
            subscriber_session_ns: self.subscriber_session_ns.saturating_sub(before.subscriber_session_ns),
        }
    }
}

/// The results of a trial's measured part.
pub(super) struct Measured {
    pub(super) set_up: SetUp,
    pub(super) account: Account,
    /// What broke of the things under test; absent if nothing did.
    pub(super) broke: Option<String>,
    pub(super) roles: Roles,
    pub(super) sockets: (Vec<Socket>, Vec<Socket>),
    pub(super) broker: BrokerUsed,
    pub(super) counters: Option<wiredyno_link::accounting::LinkCounters>,
    /// What its machines sent each other, where that was counted on a network of others.
    pub(super) tapped: Option<WireByPhase>,
    /// What was collected from its messages.
    pub(super) passed: Passed,
    /// Where publisher and subscriber read two.
    pub(super) clocks: Option<TwoClocks>,
    /// What subscribers did in a group.
    pub(super) memberships: Vec<Membership>,
    /// By how much the broker's files with messages grew; absent where they are unknown.
    pub(super) stored_bytes: Option<u64>,
    pub(super) share: CpuShare,
    pub(super) measured_ns: u64,
    pub(super) moving: Option<(Moving, Vec<AgentLoad>)>,
    pub(super) publisher_cpu: Option<u32>,
    /// The end of the measured part.
    pub(super) drained: Moment,
    pub(super) of_link: OfLink,
    /// Before and after the trial.
    pub(super) probes: (Option<LinkProbe>, Option<LinkProbe>),
}

impl Measured {
    /// Puts everything into the record except what was collected from its messages, which is returned.
    pub(super) fn fill(self, record: &mut TrialRecord) -> Passed {
        record.failed = self.broke;
        record.broker = Some(self.broker);
        record.set_up = self.set_up;
        record.delivery = self.account.delivery;
        record.counted_only = self.account.counted_only;
        record.body_bytes = self.account.body_bytes;
        record.schedule = self.account.schedule;
        record.backlog = self.account.backlog;
        record.sending_ns = self.account.sending_ns;
        record.measured_ns = self.measured_ns;
        record.crossed = self.passed.crossed;
        record.clocks = self.clocks;
        record.memberships = self.memberships;
        record.stored_bytes = self.stored_bytes;
        let since_first_ns = |at_ns: i64| (at_ns - self.account.first_intended_ns).max(0).unsigned_abs();
        record.receiving = self.account.last_received_ns.map(|last_ns| Receiving {
            last_ns: since_first_ns(last_ns),
            drained_ns: since_first_ns(self.drained.ns()),
            body_bytes: self.account.delivered_body_bytes,
        });
        let last_ns = record.receiving.map_or(0, |receiving| receiving.last_ns);
        let moved_ns = last_ns.max(record.sending_ns);
        let (moving, agents) = self.moving.unzip();
        record.moving = moving.map(|moving| Moving { moved_ns, ..moving });
        record.agents = agents.unwrap_or_default();
        record.roles = self.roles;
        record.machine.publisher_cpu = self.publisher_cpu;
        record.machine.utilisation = self.share.utilisation;
        record.machine.steal = self.share.steal;
        record.wire = self.tapped;
        if let Some(counters) = &self.counters {
            let own = |sockets: &[Socket]| -> Wire { traffic::of_sockets(counters, sockets) };
            record.wire = Some(traffic::by_phase(counters));
            record.publisher_wire = Some(own(&self.sockets.0));
            record.subscriber_wire = Some(own(&self.sockets.1));
            record.link = Some(LinkQuality {
                run_delay_ns: self.of_link.run_delay_ns,
                busiest_thread: Some(self.of_link.busiest_thread),
                busiest_thread_on_cpu: Some(self.of_link.on_cpu),
                probe: self.probes.0,
                probe_after: self.probes.1,
                ..traffic::quality(counters)
            });
        }
        self.passed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fullest_span_of_a_thread_is_kept_with_what_the_stand_did_in_that_span() {
        let mut full = Full::default();
        let busiest = |busy, on_cpu, span_ns| Busiest { busy, on_cpu, span_ns };
        // Sending took 160 ms, and the last message arrived after 290 ms: the subscriber was saturated in both.
        full.keep(Full::of(busiest(0.90, 0.80, 160_000_000), 48_000_000));
        full.keep(Full::of(busiest(0.96, 0.90, 290_000_000), 87_000_000));
        assert_eq!(full, Full { busy: 0.96, on_cpu: 0.90, stand: 0.30 });
        // Lost messages are waited for.
        full.keep(Full::of(busiest(0.20, 0.19, 3_000_000_000), 87_000_000));
        assert_eq!(full.busy, 0.96);
        let mut used = RoleUse::default();
        full.put(&mut used);
        assert!((used.users_share_of_busiest(1) - 0.66).abs() < 1e-12, "independent of the time of sending");
        assert_eq!(Full::of(busiest(0.5, 0.5, 100), 90).stand, 0.5, "at most what the thread did");
    }
}
