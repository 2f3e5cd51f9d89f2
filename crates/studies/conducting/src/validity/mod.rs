//! The outcome of a trial, by the study's limits. The purpose of each limit is described with [`Limits`].

use wiredyno_contract::{Factor, LoadKind, Ratio, Span};
use wiredyno_model::trial::{
    AgentLoad, Backlog, CodecTrialRecord, CpuUse, Invalid, LinkProbe, LinkQuality, Machine, Moving, Overload,
    RoleUse, Schedule, TrialRecord,
};
use wiredyno_model::{Limit, Limits, Role};

use self::places::{HERE, Place, Wait};

mod places;

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
    let mut overloaded = match kind {
        LoadKind::Open => of_pace(record, limits, &mut invalid),
        LoadKind::Closed | LoadKind::Batch | LoadKind::Search => Vec::new(),
    };
    let places = places::all(record, &moving, stand);
    // Machines that roles have used up.
    let mut exhausted = Vec::new();
    for place in &places {
        let found = of_place(place, kind, limits);
        if !found.overloaded.is_empty() {
            exhausted.push(place.machine);
        }
        invalid.extend(found.invalid);
        overloaded.extend(found.overloaded);
    }
    if let Some(link) = &record.link {
        invalid.extend(of_counts(link, limits));
    }
    let waits_for_roles = |place: &Place<'_>| exhausted.contains(&place.machine);
    if !places.iter().any(|place| place.has(Role::Publisher) && waits_for_roles(place)) {
        invalid.extend(of_schedule(&record.schedule, limits));
    }
    let link = record.link.as_ref().filter(|_| !exhausted.contains(&HERE));
    invalid.extend(link.into_iter().flat_map(|link| of_lateness(link, limits)));
    let of_load = if is_step { LoadKind::Search } else { kind };
    let judged: Vec<&Place<'_>> = places.iter().filter(|place| !waits_for_roles(place)).collect();
    let waits = places::waits(record, &moving, &judged, of_load);
    let of_link = link.map(|_| Wait::of("link".to_owned(), moving.link_run_delay_ns, None));
    let waits = waits.into_iter().filter(|wait| !is_its_own(wait.role, &overloaded)).chain(of_link);
    invalid.extend(of_run_delay(&moving, waits, limits));
    Findings { invalid, overloaded }
}

/// More than half of the CPU time in use.
const MOST: f64 = 0.5;

/// What is wrong with a machine. This one, if nothing of the trial is on it, is judged by nothing here: it only waits.
fn of_place(place: &Place<'_>, kind: LoadKind, limits: &Limits) -> Findings {
    let (mut found, agent) = (Findings::default(), place.agent.map(str::to_owned));
    let (utilisation, own) = (place.utilisation, place.own());
    // The gate of a closed loop is passed on by this one.
    let counts = !place.parts.is_empty() || kind == LoadKind::Closed;
    match past(limits.utilisation, ratio(utilisation)).filter(|_| counts).map(Ratio::get) {
        Some(limit) if own < MOST => {
            found.invalid.push(Invalid::Utilisation { agent: agent.clone(), utilisation, limit });
        }
        // A closed loop or a batch uses all the CPU that it gets; late events are still the stand's fault.
        Some(limit) if kind == LoadKind::Open => {
            found.overloaded.push(Overload::Machine { agent: agent.clone(), utilisation, limit, own });
        }
        _ => {}
    }
    // That of this machine is judged with its clock.
    let steal = place.steal.unwrap_or_default();
    let limit = past(limits.steal, ratio(steal)).filter(|_| agent.is_some());
    found.invalid.extend(limit.map(|limit| Invalid::Steal { agent, steal, limit: limit.get() }));
    found
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

/// Share of all CPU time in use on this machine while messages moved, 0..1.
fn utilisation(moving: &Moving, stand: Stand) -> f64 {
    let available_ns = moving.watched_ns as f64 * f64::from(stand.cpus_online.max(1));
    if available_ns > 0.0 { (moving.in_use_ns as f64 / available_ns).min(1.0) } else { 0.0 }
}

/// The same for the busiest machine of a role; without one, for this machine.
pub(crate) fn utilisation_around(role: Option<Role>, record: &TrialRecord, stand: Stand) -> f64 {
    let away = record.agents.iter().filter(|load| role.is_some_and(|role| load.has(role)));
    let busiest = away.map(AgentLoad::utilisation).reduce(f64::max);
    busiest.unwrap_or_else(|| utilisation(&moving(record, stand), stand))
}

/// Whether a role waited for itself: it could not keep up.
fn is_its_own(role: Option<Role>, overloaded: &[Overload]) -> bool {
    let Some(role) = role else { return false };
    overloaded.iter().any(|overload| match overload {
        Overload::Busy { .. } => role == Role::Publisher,
        Overload::Backlog { role: other, .. } | Overload::Buffer { role: other, .. } => *other == role,
        Overload::Machine { .. } => false,
    })
}

/// Processes that were runnable and waited for a CPU that the stand or other work had; of a role on several machines, the one that waited longest. The wait of
/// an overloaded role is its own doing. The link is part of the stand: whatever it waits for, it is late.
fn of_run_delay(moving: &Moving, waits: impl Iterator<Item = Wait>, limits: &Limits) -> Vec<Invalid> {
    let mut found: Vec<(Option<Role>, Invalid)> = Vec::new();
    for Wait { role, process, run_delay_ns, for_others_ns } in waits {
        let (share, for_others) =
            (moving.share(run_delay_ns), for_others_ns.map(|ns| moving.share(ns as u64)));
        let Some(limit) = past(limits.run_delay, ratio(for_others.unwrap_or(share))) else { continue };
        let one = Invalid::RunDelay { process, share, for_others, limit: limit.get() };
        let longer = |other: &Invalid| match other {
            Invalid::RunDelay { share: theirs, .. } => share > *theirs,
            _ => false,
        };
        match found.iter_mut().find(|(other, _)| role.is_some() && *other == role) {
            Some((_, other)) if longer(other) => *other = one,
            Some(_) => {}
            None => found.push((role, one)),
        }
    }
    found.into_iter().map(|(_, invalid)| invalid).collect()
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
