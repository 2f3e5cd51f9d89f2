//! The outcome of a trial, by the study's limits. The purpose of each limit is described with [`Limits`].

use wiredyno_contract::{Factor, LoadKind, Ratio, Span};
use wiredyno_model::trial::{
    AgentLoad, Backlog, CodecTrialRecord, CpuUse, Invalid, LinkProbe, LinkQuality, Machine, Moving, Overload,
    RoleUse, Schedule, TrialRecord,
};
use wiredyno_model::{Limit, Limits, Role};
use wiredyno_seats::machine::TICK_NS;

/// The machine's properties before the run, which hold for all of its trials.
#[derive(Debug, Clone, Copy)]
pub struct Stand {
    /// Smallest step of the clock, in nanoseconds.
    pub timer_resolution_ns: u64,
    /// CPUs of the machine, including those that this program may not use.
    pub cpus_online: u32,
}

impl Stand {
    /// Determines them on this machine.
    pub fn here() -> Self {
        Stand {
            timer_resolution_ns: wiredyno_seats::noise::timer_resolution_ns(),
            cpus_online: wiredyno_seats::noise::cpus_online(),
        }
    }
}

/// What is wrong with a message trial.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Findings {
    /// Faults of the stand itself, which make the trial invalid.
    pub invalid: Vec<Invalid>,
    /// Roles, or the machine, that could not keep up.
    pub overloaded: Vec<Overload>,
}

/// Judges a message trial; `is_step`: whether it is a step of a search, which is an open loop.
///
/// If the roles themselves used up the machine in an open loop, everything that waited, waited for them: then the
/// trial is overloaded, and late waking, a late link and waiting for a CPU are not the stand's fault. A role's wait for a CPU counts as a wait
/// for the stand or other work only as far as [`Busy`] says; the rest is what the things under test cost on this machine, in loads of every kind.
pub fn of_message_trial(
    record: &TrialRecord,
    kind: LoadKind,
    is_step: bool,
    limits: &Limits,
    stand: Stand,
) -> Findings {
    let mut invalid = of_machine(&record.machine, limits, stand);
    let moving = moving(record, stand);
    let own = own_share(&moving, &record.agents);
    let utilisation = utilisation(&moving, stand);
    let exhausted = past(limits.utilisation, ratio(utilisation)).map(Ratio::get);
    let mut overloaded = match kind {
        LoadKind::Open => of_pace(record, limits, &mut invalid),
        LoadKind::Closed | LoadKind::Batch | LoadKind::Search => Vec::new(),
    };
    let mut waited_for_roles = false;
    match exhausted {
        Some(limit) if own < MOST => invalid.push(Invalid::Utilisation { agent: None, utilisation, limit }),
        // A closed loop or a batch uses all the CPU that it gets; late events are still the stand's fault.
        Some(limit) if kind == LoadKind::Open => {
            overloaded.push(Overload::Machine { agent: None, utilisation, limit, own });
            waited_for_roles = true;
        }
        _ => {}
    }
    for load in &record.agents {
        let of_agent = of_agent(load, kind, limits);
        waited_for_roles |= !of_agent.overloaded.is_empty();
        invalid.extend(of_agent.invalid);
        overloaded.extend(of_agent.overloaded);
    }
    if let Some(link) = &record.link {
        invalid.extend(of_counts(link, limits));
    }
    if !waited_for_roles {
        invalid.extend(of_schedule(&record.schedule, limits));
        invalid.extend(record.link.iter().flat_map(|link| of_lateness(link, limits)));
        let of_load = if is_step { LoadKind::Search } else { kind };
        let busy = |role| Busy::around(role, record, &moving, of_load);
        invalid.extend(of_run_delay(&moving, record.link.is_some(), &busy, &overloaded, limits));
    }
    Findings { invalid, overloaded }
}

/// More than half of the CPU time in use.
const MOST: f64 = 0.5;

/// What is wrong with an agent's machine, as with that of the run.
fn of_agent(load: &AgentLoad, kind: LoadKind, limits: &Limits) -> Findings {
    let (mut found, agent) = (Findings::default(), Some(load.agent.clone()));
    let (utilisation, own, steal) = (load.utilisation(), load.own(), load.steal);
    match past(limits.utilisation, ratio(utilisation)).map(Ratio::get) {
        Some(limit) if own < MOST => {
            found.invalid.push(Invalid::Utilisation { agent: agent.clone(), utilisation, limit });
        }
        Some(limit) if kind == LoadKind::Open => {
            found.overloaded.push(Overload::Machine { agent: agent.clone(), utilisation, limit, own });
        }
        _ => {}
    }
    let limit = past(limits.steal, ratio(steal));
    found.invalid.extend(limit.map(|limit| Invalid::Steal { agent, steal, limit: limit.get() }));
    found
}

/// Whether a role runs on an agent.
fn is_away(role: Role, agents: &[AgentLoad]) -> bool {
    agents.iter().any(|load| load.roles.contains(&role))
}

/// The share of the roles of this machine in its CPU time in use while messages moved, 0..1. A broker that is not ours counts as other work.
fn own_share(moving: &Moving, agents: &[AgentLoad]) -> f64 {
    let here = moving.known().filter(|(role, _)| !is_away(*role, agents));
    let own_ns: u64 = here.map(|(_, used)| used.cpu_ns).sum();
    if moving.in_use_ns > 0 { (own_ns as f64 / moving.in_use_ns as f64).min(1.0) } else { 0.0 }
}

fn ratio(share: f64) -> Option<Ratio> {
    Ratio::new(share.clamp(0.0, 1.0)).ok()
}

/// A backlog grows if half as many messages again are in flight at the end as at half time, at least this many more, and so many that
/// the path fell behind by this share of what was sent in between: a batch that a client fills, or a moment without a CPU, is not growth.
const GROWN_BY: f64 = 1.5;
const GROWN_MESSAGES: u64 = 10;
const FELL_BEHIND: f64 = 0.02;

/// Whether ever more messages were in flight, so that this would continue.
pub fn backlog_grew(record: &TrialRecord) -> bool {
    let Backlog { half, end } = record.backlog;
    let sent = record.delivery.sent / u64::from(record.fan_out.max(1));
    let more = end.saturating_sub(half);
    end as f64 > half as f64 * GROWN_BY
        && more >= GROWN_MESSAGES
        && more as f64 > sent as f64 / 2.0 * FELL_BEHIND
}

/// Whether roles kept the pace of an open loop. Only a role whose CPU or socket buffer was exhausted could not: delays by
/// loss, repetition or the link's rate are the protocol's latency. If a thread would not be exhausted without the
/// stand's own work, the stand could not keep up.
fn of_pace(record: &TrialRecord, limits: &Limits, invalid: &mut Vec<Invalid>) -> Vec<Overload> {
    let mut overloaded = Vec::new();
    let is_past = |share: f64| past(limits.utilisation, ratio(share)).is_some();
    let mut exhausted_by_stand = Vec::new();
    // A publisher that keeps its schedule spins before due times, and is not saturated.
    let spins = keeps_schedule(record, limits);
    let mut exhausted = |role: Role, used: &RoleUse| {
        let users = used.users_share_of_busiest(record.sending_ns);
        let by_stand = is_past(used.busiest_thread) && !is_past(users) && !(spins && role == Role::Publisher);
        if by_stand && !exhausted_by_stand.contains(&role) {
            exhausted_by_stand.push(role);
            invalid.push(Invalid::StandBusy { role, busiest_thread: used.busiest_thread, users });
        }
        is_past(users)
    };
    let publisher = record.roles.publisher;
    let p99 = Span { ns: record.schedule.busy_p99_ns.max(0).unsigned_abs() };
    if let Some(limit) = past(limits.schedule_lag_p99, Some(p99))
        && exhausted(Role::Publisher, &publisher)
    {
        let busiest_thread = publisher.busiest_thread;
        overloaded.push(Overload::Busy { p99, limit, busiest_thread });
    }
    let Backlog { half, end } = record.backlog;
    let grew = backlog_grew(record);
    for (role, used) in record.roles.known() {
        if grew && exhausted(role, used) {
            overloaded.push(Overload::Backlog { role, half, end, busiest_thread: used.busiest_thread });
        }
        if used.dropped_datagrams > 0 {
            overloaded.push(Overload::Buffer { role, datagrams: used.dropped_datagrams });
        }
    }
    overloaded
}

/// The part of a trial in which messages moved; the whole measured part in records without it.
pub(crate) fn moving(record: &TrialRecord, stand: Stand) -> Moving {
    let of = |used: &RoleUse| CpuUse {
        cpu_ns: used.cpu_ns,
        stand_cpu_ns: used.stand_cpu_ns,
        run_delay_ns: used.run_delay_ns,
    };
    let whole_ns = record.measured_ns;
    let in_use_ns = record.machine.utilisation * whole_ns as f64 * f64::from(stand.cpus_online.max(1));
    record.moving.unwrap_or(Moving {
        moved_ns: whole_ns,
        watched_ns: whole_ns,
        in_use_ns: in_use_ns as u64,
        publisher: of(&record.roles.publisher),
        subscriber: of(&record.roles.subscriber),
        broker: record.roles.broker.as_ref().map(of),
        link_run_delay_ns: record.link.map_or(0, |link| link.run_delay_ns),
    })
}

/// Share of all CPU time in use while messages moved, 0..1.
pub fn utilisation(moving: &Moving, stand: Stand) -> f64 {
    let available_ns = moving.watched_ns as f64 * f64::from(stand.cpus_online.max(1));
    if available_ns > 0.0 { (moving.in_use_ns as f64 / available_ns).min(1.0) } else { 0.0 }
}

/// What used the CPUs while messages moved, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Busy {
    /// What is under test: client, codec, broker with all of its threads.
    tested_ns: f64,
    /// Other work and the stand's own, at most: what is in use but not by the things under test, and what the kernel's counters may hide of it.
    others_ns: f64,
}

impl Busy {
    /// On the machine of a role; `None` where that is not known: a role on several machines, and records of agents that did not tell.
    fn around(role: Role, record: &TrialRecord, moving: &Moving, kind: LoadKind) -> Option<Self> {
        let apart = record.machine.publisher_cpu.is_some();
        let loads: Vec<&AgentLoad> = record.agents.iter().filter(|load| load.roles.contains(&role)).collect();
        match loads[..] {
            [] if record.agents.is_empty() && record.cell.link.is_real() => None,
            [] => {
                Some(Busy::of(moving, kind, apart, moving.in_use_ns, |role| !is_away(role, &record.agents)))
            }
            [load] => {
                let is_whole = |role: Role| {
                    let places = record.agents.iter().filter(|load| load.roles.contains(&role)).count();
                    places == 1 && load.roles.contains(&role)
                };
                Some(Busy::of(moving, kind, false, load.in_use_ns, is_whole))
            }
            _ => None,
        }
    }

    /// Of the roles that are there. The stand's own work in the runners counts as under test if messages go as fast as they can, because then each message needs it and
    /// what is saturated is reported with the rate; and if the publishing thread has a CPU for itself.
    fn of(
        moving: &Moving,
        kind: LoadKind,
        apart: bool,
        in_use_ns: u64,
        is_there: impl Fn(Role) -> bool,
    ) -> Self {
        let full_speed = matches!(kind, LoadKind::Batch | LoadKind::Search);
        let tested = moving.known().filter(|(role, _)| is_there(*role)).map(|(role, used)| {
            let counts = full_speed || (apart && role == Role::Publisher);
            used.cpu_ns.saturating_sub(if counts { 0 } else { used.stand_cpu_ns })
        });
        let tested_ns: u64 = tested.sum();
        let others_ns = in_use_ns.saturating_sub(tested_ns) + TICK_NS;
        Busy { tested_ns: tested_ns as f64, others_ns: others_ns as f64 }
    }

    /// How much of a wait for a CPU was for others. A waiting process waits for those on the CPUs: for others in proportion to their share of what
    /// is in use, and no longer than they were there.
    fn waited_for_others_ns(self, run_delay_ns: u64) -> f64 {
        let share = self.others_ns / (self.others_ns + self.tested_ns);
        (run_delay_ns as f64 * share).min(self.others_ns)
    }
}

/// Processes that were runnable and waited for a CPU that the stand or other work had. The wait of an overloaded role is its own
/// doing. The link is part of the stand: whatever it waits for, it is late.
fn of_run_delay(
    moving: &Moving,
    has_link: bool,
    busy: &dyn Fn(Role) -> Option<Busy>,
    overloaded: &[Overload],
    limits: &Limits,
) -> Vec<Invalid> {
    let of_own = |role: Role| {
        overloaded.iter().any(|overload| match overload {
            Overload::Busy { .. } => role == Role::Publisher,
            Overload::Backlog { role: other, .. } | Overload::Buffer { role: other, .. } => *other == role,
            Overload::Machine { .. } => true,
        })
    };
    let roles = moving.known().filter(|(role, _)| !of_own(*role)).map(|(role, used)| {
        let for_others_ns = busy(role).map(|busy| busy.waited_for_others_ns(used.run_delay_ns));
        (role.to_string(), used.run_delay_ns, for_others_ns.map(|ns| moving.share(ns as u64)))
    });
    let link = has_link.then(|| ("link".to_owned(), moving.link_run_delay_ns, None));
    let found = roles.chain(link).filter_map(|(process, run_delay_ns, for_others)| {
        let share = moving.share(run_delay_ns);
        let limit = past(limits.run_delay, ratio(for_others.unwrap_or(share)))?.get();
        Some(Invalid::RunDelay { process, share, for_others, limit })
    });
    found.collect()
}

/// Why a codec trial does not count; empty if it does. If the system reports no CPU time, waiting for a CPU is not judged.
pub fn of_codec_trial(record: &CodecTrialRecord, limits: &Limits, stand: Stand) -> Vec<Invalid> {
    let mut invalid = of_machine(&record.machine, limits, stand);
    invalid.extend(record.most_disturbed().and_then(|(phase, share)| {
        let limit = past(limits.disturbed_batches, Ratio::new(share).ok())?.get();
        Some(Invalid::DisturbedBatches { phase, share, limit })
    }));
    invalid
}

/// Checks for trials of either kind: clock, scheduling, load and steal. Empty if nothing is wrong.
pub fn of_machine(machine: &Machine, limits: &Limits, stand: Stand) -> Vec<Invalid> {
    let resolution = Span { ns: stand.timer_resolution_ns };
    let p99 = Span { ns: machine.scheduling_lateness_p99_ns };
    let per_cpu = machine.load_1min / f64::from(stand.cpus_online.max(1));
    let steal = machine.steal;
    let reasons = [
        past(limits.timer_resolution, Some(resolution))
            .map(|limit| Invalid::TimerResolution { resolution, limit }),
        past(limits.scheduling_lateness_p99, Some(p99))
            .map(|limit| Invalid::SchedulingLateness { p99, limit }),
        past(limits.load_per_cpu, Factor::new(per_cpu).ok())
            .map(|limit| Invalid::Load { per_cpu, limit: limit.get() }),
        past(limits.steal, Ratio::new(steal.clamp(0.0, 1.0)).ok()).map(|limit| Invalid::Steal {
            agent: None,
            steal,
            limit: limit.get(),
        }),
    ];
    reasons.into_iter().flatten().collect()
}

fn of_schedule(schedule: &Schedule, limits: &Limits) -> Vec<Invalid> {
    let p99 = Span { ns: schedule.woken_p99_ns.max(0).unsigned_abs() };
    let error = schedule.woken_rate_error;
    let reasons = [
        past(limits.schedule_lag_p99, Some(p99)).map(|limit| Invalid::ScheduleLag { p99, limit }),
        past(limits.rate_error, Factor::new(error).ok())
            .map(|limit| Invalid::RateError { error, limit: limit.get() }),
    ];
    reasons.into_iter().flatten().collect()
}

/// What makes counts of bytes and packets incomplete.
fn of_counts(link: &LinkQuality, limits: &Limits) -> Option<Invalid> {
    let packets = link.host_dropped_packets;
    past(limits.host_dropped_packets, Some(packets)).map(|limit| Invalid::HostDropped { packets, limit })
}

fn of_lateness(link: &LinkQuality, limits: &Limits) -> Vec<Invalid> {
    let p99 = Span { ns: link.lateness_p99_ns };
    let probe = |probe: Option<LinkProbe>, after| of_probe(&probe?, after, limits.link_floor);
    let reasons = [
        probe(link.probe, false),
        probe(link.probe_after, true),
        past(limits.link_lateness_p99, Some(p99)).map(|limit| Invalid::LinkLateness { p99, limit }),
    ];
    reasons.into_iter().flatten().collect()
}

/// The least round trip must be that of the model, up to the limit more. On a link without loss there must be one.
fn of_probe(probe: &LinkProbe, after: bool, limit: Limit<Span>) -> Option<Invalid> {
    let Limit::At(limit) = limit else { return None };
    let (least_ns, most_ns) = (probe.model_least_ns, probe.model_most_ns.saturating_add(limit.ns));
    let kept = match probe.least_ns {
        Some(round_trip_ns) => (least_ns..=most_ns).contains(&round_trip_ns),
        None => probe.lossy,
    };
    let round_trip = probe.least_ns.map(|ns| Span { ns });
    (!kept).then_some(Invalid::LinkFloor {
        round_trip,
        least: Span { ns: least_ns },
        most: Span { ns: most_ns },
        after,
    })
}

/// The limit that a value exceeds.
fn past<T: PartialOrd + Copy>(limit: Limit<T>, value: Option<T>) -> Option<T> {
    limit.passed_by(value?)
}

/// Whether messages were sent when they were due.
pub(crate) fn keeps_schedule(record: &TrialRecord, limits: &Limits) -> bool {
    let late = Span { ns: record.schedule.busy_p99_ns.max(0).unsigned_abs() };
    limits.schedule_lag_p99.passed_by(late).is_none() && !woke_late(record, limits)
}

/// Whether the generator woke up too late to keep its rate.
pub(crate) fn woke_late(record: &TrialRecord, limits: &Limits) -> bool {
    let woken = Span { ns: record.schedule.woken_p99_ns.max(0).unsigned_abs() };
    let error = Factor::new(record.schedule.woken_rate_error.max(0.0)).ok();
    limits.schedule_lag_p99.passed_by(woken).is_some()
        || error.is_some_and(|error| limits.rate_error.passed_by(error).is_some())
}

#[cfg(test)]
mod tests;
