//! The outcome of a trial, by the study's limits. The purpose of each limit is described with [`Limits`].

use wiredyno_contract::{Factor, LoadKind, Ratio, Span};
use wiredyno_model::trial::{
    Backlog, CodecTrialRecord, CpuUse, Invalid, LinkProbe, LinkQuality, Machine, Moving, Overload, RoleUse,
    Schedule, TrialRecord,
};
use wiredyno_model::{Limit, Limits, Role};
use wiredyno_seats::machine::TICK_NS;

use crate::search::keeps_schedule;

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
/// trial is overloaded, and late waking, a late link and waiting for a CPU are no faults of the stand. A role's wait for a CPU counts as a wait
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
    let own = own_share(&moving);
    let utilisation = utilisation(&moving, stand);
    let exhausted = past(limits.utilisation, ratio(utilisation)).map(Ratio::get);
    let mut overloaded = match kind {
        LoadKind::Open => of_pace(record, limits, &mut invalid),
        LoadKind::Closed | LoadKind::Batch | LoadKind::Search => Vec::new(),
    };
    let mut waited_for_roles = false;
    match exhausted {
        Some(limit) if own < MOST => invalid.push(Invalid::Utilisation { utilisation, limit }),
        // A closed loop or a batch uses all the CPU that it gets; late events are still the stand's fault.
        Some(limit) if kind == LoadKind::Open => {
            overloaded.push(Overload::Machine { utilisation, limit, own });
            waited_for_roles = true;
        }
        _ => {}
    }
    if let Some(link) = &record.link {
        invalid.extend(of_counts(link, limits));
    }
    if !waited_for_roles {
        invalid.extend(of_schedule(&record.schedule, limits));
        invalid.extend(record.link.iter().flat_map(|link| of_lateness(link, limits)));
        let of_load = if is_step { LoadKind::Search } else { kind };
        let busy = Busy::of(&moving, of_load, record.machine.publisher_cpu.is_some());
        invalid.extend(of_run_delay(&moving, record.link.is_some(), busy, &overloaded, limits));
    }
    Findings { invalid, overloaded }
}

/// More than half of the CPU time in use.
const MOST: f64 = 0.5;

/// The roles' share of the CPU time in use while messages moved, 0..1. A broker that is not ours counts as other work.
fn own_share(moving: &Moving) -> f64 {
    let own_ns: u64 = moving.known().map(|(_, used)| used.cpu_ns).sum();
    if moving.in_use_ns > 0 { (own_ns as f64 / moving.in_use_ns as f64).min(1.0) } else { 0.0 }
}

fn ratio(share: f64) -> Option<Ratio> {
    Ratio::new(share.clamp(0.0, 1.0)).ok()
}

/// A backlog grows if half as many messages again are in flight at the end as at half time, at least this many more, and so many that
/// the path fell behind by this share of what was sent in between: a batch that a client fills, or a moment without a CPU, is no growth.
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
    /// The stand's own work in the runners counts as under test if messages go as fast as they can, because then each message needs it and
    /// what is saturated is reported with the rate; and if the publishing thread has a CPU for itself.
    fn of(moving: &Moving, kind: LoadKind, apart: bool) -> Self {
        let full_speed = matches!(kind, LoadKind::Batch | LoadKind::Search);
        let tested = moving.known().map(|(role, used)| {
            let counts = full_speed || (apart && role == Role::Publisher);
            used.cpu_ns.saturating_sub(if counts { 0 } else { used.stand_cpu_ns })
        });
        let tested_ns: u64 = tested.sum();
        let others_ns = moving.in_use_ns.saturating_sub(tested_ns) + TICK_NS;
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
    busy: Busy,
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
        let for_others_ns = busy.waited_for_others_ns(used.run_delay_ns);
        (role.to_string(), used.run_delay_ns, Some(moving.share(for_others_ns as u64)))
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
        past(limits.steal, Ratio::new(steal.clamp(0.0, 1.0)).ok())
            .map(|limit| Invalid::Steal { steal, limit: limit.get() }),
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

#[cfg(test)]
mod tests {
    use super::*;

    const STAND: Stand = Stand { timer_resolution_ns: 30, cpus_online: 2 };

    fn machine() -> Machine {
        Machine { steal: 0.04, load_1min: 7.9, scheduling_lateness_p99_ns: 60_000, ..Machine::default() }
    }

    #[test]
    fn a_machine_is_judged_by_each_of_its_readings_alone() {
        let limits = Limits::default();
        assert_eq!(of_machine(&machine(), &limits, STAND), []);
        let noisy =
            Machine { steal: 0.06, load_1min: 8.2, scheduling_lateness_p99_ns: 11_000_000, ..machine() };
        let coarse = Stand { timer_resolution_ns: 4_000_000, ..STAND };
        let sentences: Vec<String> =
            of_machine(&noisy, &limits, coarse).iter().map(Invalid::sentence).collect();
        assert_eq!(
            sentences,
            [
                "the clock has steps of 4 ms (limit 1 us)",
                "before the trial, sleeping threads were woken up to 11 ms late (p99, limit 10 ms)",
                "before the trial, the load average was 4.1 for each CPU (limit 4.0)",
                "the hypervisor took 6.0 % of the CPU time (limit 5.0 %)",
            ]
        );
        let off = Limits {
            timer_resolution: Limit::Off,
            scheduling_lateness_p99: Limit::Off,
            load_per_cpu: Limit::Off,
            steal: Limit::Off,
            ..limits
        };
        assert_eq!(of_machine(&noisy, &off, coarse), []);
    }

    #[test]
    fn a_codec_trial_whose_batches_waited_for_a_cpu_does_not_count() {
        let codec = |waited, cpu| of_codec_trial(&batches(waited, cpu), &Limits::default(), STAND);
        assert_eq!(codec(25, true), []);
        let [invalid] = codec(26, true).try_into().unwrap();
        assert_eq!(invalid.sentence(), "26 % of the batches of encode waited for a CPU (limit 25 %)");
        assert_eq!(codec(100, false), [], "without CPU time nothing is judged");
        let off = Limits { disturbed_batches: Limit::Off, ..Limits::default() };
        assert_eq!(of_codec_trial(&batches(100, true), &off, STAND), []);
    }

    /// A codec trial with a loop of a hundred batches, some of which waited for a CPU.
    fn batches(waited: usize, cpu: bool) -> CodecTrialRecord {
        let batch = |place| {
            let elapsed_ns = if place < waited { 3_000_000 } else { 2_000_000 };
            serde_json::json!({
                "elapsed_ns": elapsed_ns, "iterations": 10, "cpu_ns": cpu.then_some(2_000_000)
            })
        };
        let batches: Vec<_> = (0..100).map(batch).collect();
        serde_json::from_value(serde_json::json!({
            "trial": 0, "cell": { "payload": "small", "codec": "json/serde-json" }, "repeat": 0, "invalid": [],
            "body_bytes": [20], "machine": machine(), "phases": [{
                "phase": "encode", "buffer": "reused", "batches": batches, "timer_overhead_ns": 20.0,
                "allocations": null, "stack_bytes": null
            }]
        }))
        .unwrap()
    }

    #[test]
    fn a_rate_may_be_off_by_more_than_all_of_it_where_the_study_says_so() {
        let schedule = Schedule { woken_rate_error: 1.4, woken_p99_ns: -5, ..Schedule::default() };
        let with = |rate_error| of_schedule(&schedule, &Limits { rate_error, ..Limits::default() });
        assert!(matches!(with(Limit::At(Factor::from_percent(100)))[..], [Invalid::RateError { .. }]));
        assert_eq!(with(Limit::At(Factor::from_percent(150))), []);
        assert_eq!(with(Limit::Off), []);
    }

    #[test]
    fn a_link_below_its_floor_is_as_wrong_as_one_far_above() {
        let limit = Limit::At(Span::from_ms(5));
        let probe = |least_ns: Option<u64>, lossy| LinkProbe {
            sent: 5,
            answered: u32::from(least_ns.is_some()),
            least_ns,
            model_least_ns: 70_000_000,
            model_most_ns: 70_000_000,
            lossy,
        };
        let missed = |least_ns, lossy| of_probe(&probe(least_ns, lossy), false, limit).is_some();
        assert!(!missed(Some(70_000_000), false) && !missed(Some(75_000_000), false));
        assert!(missed(Some(69_999_999), false) && missed(Some(75_000_001), false));
        assert!(missed(None, false), "nothing came back over a link that loses nothing");
        assert!(!missed(None, true));
        assert_eq!(of_probe(&probe(Some(1), false), false, Limit::Off), None);
        let sentence = of_probe(&probe(Some(1_000_000), false), true, limit).unwrap().sentence();
        assert!(sentence.contains("took 1 ms; the model says at least 70 ms, at most 75 ms"), "{sentence}");
    }

    #[test]
    fn a_dropped_packet_makes_counts_incomplete() {
        let link = LinkQuality { host_dropped_packets: 1, ..LinkQuality::default() };
        assert!(matches!(
            of_counts(&link, &Limits::default()),
            Some(Invalid::HostDropped { packets: 1, .. })
        ));
    }

    /// A trial of one second on the two CPUs of the stand in which nothing was wrong.
    fn trial() -> TrialRecord {
        let cell = "current-status json/serde-json mqtt:qos1 lte";
        let mut record: TrialRecord = serde_json::from_value(serde_json::json!({
            "trial": 0, "cell": wiredyno_model::Cell::new(
                "small".parse().unwrap(),
                "json/serde-json".parse().unwrap(),
                "udp".parse().unwrap(),
                "lte".parse().unwrap(),
            ),
            "repeat": 0, "attempt": 0, "lane": 0, "seed": 0, "started_unix_ns": 0, "duration_ns": 0, "invalid": [],
            "transport": null, "broker": null, "delivery": wiredyno_model::trial::Delivery::default(), "body_bytes": 0,
            "wire": null, "publisher_wire": null, "subscriber_wire": null,
            "roles": wiredyno_model::trial::Roles::default(), "schedule": Schedule::default(), "link": null,
            "machine": Machine::default(),
        }))
        .expect(cell);
        record.measured_ns = 1_000_000_000;
        record.link = Some(LinkQuality::default());
        record.roles.broker = Some(RoleUse::default());
        record
    }

    fn judged(record: &TrialRecord, kind: LoadKind) -> (Vec<String>, Vec<String>) {
        let Findings { invalid, overloaded } =
            of_message_trial(record, kind, false, &Limits::default(), STAND);
        let invalid = invalid.iter().map(Invalid::sentence).collect();
        (invalid, overloaded.iter().map(Overload::sentence).collect())
    }

    #[test]
    fn a_publisher_that_queues_behind_its_own_encoding_is_overloaded_and_not_invalid() {
        let mut record = trial();
        record.schedule = Schedule {
            busy_p99_ns: 900_000_000,
            lag_p99_ns: 900_000_000,
            rate_error: 0.6,
            ..Default::default()
        };
        assert_eq!(judged(&record, LoadKind::Open), (vec![], vec![]), "held up by the link, not by its CPU");
        record.roles.publisher.busiest_thread = 0.97;
        let (invalid, overloaded) = judged(&record, LoadKind::Open);
        assert_eq!(invalid, Vec::<String>::new());
        // Nearly half of its thread's time was the stand's own: without that it was not saturated.
        let mut generator = record.clone();
        (generator.sending_ns, generator.roles.publisher.stand_cpu_ns) = (1_000_000_000, 480_000_000);
        let (invalid_too, kept_up) = judged(&generator, LoadKind::Open);
        assert!(
            invalid_too[0].starts_with("limit of the stand: the publisher's busiest thread was busy 97 %")
        );
        assert_eq!(kept_up, Vec::<String>::new());
        assert!(overloaded[0].contains("busy with the previous message for up to 900 ms"), "{overloaded:?}");
        assert_eq!(judged(&record, LoadKind::Closed), (vec![], vec![]), "a closed loop is never overloaded");
    }

    #[test]
    fn a_generator_that_wakes_up_late_is_the_stand_s_own_fault() {
        let mut record = trial();
        record.schedule = Schedule { woken_p99_ns: 6_000_000, woken_rate_error: 0.06, ..Default::default() };
        let (invalid, overloaded) = judged(&record, LoadKind::Open);
        assert_eq!(invalid.len(), 2, "{invalid:?}");
        assert!(invalid[0].contains("woke up to 6 ms late") && overloaded.is_empty());
    }

    #[test]
    fn a_growing_backlog_is_an_overload_only_of_a_role_without_cpu_time_left() {
        let mut record = trial();
        record.backlog = Backlog { half: 100, end: 210 };
        assert_eq!(judged(&record, LoadKind::Open).1, Vec::<String>::new(), "a queue of the link's rate");
        record.roles.broker.as_mut().unwrap().busiest_thread = 0.95;
        let (_, overloaded) = judged(&record, LoadKind::Open);
        assert!(overloaded[0].contains("the broker could not keep the rate: 100 messages"), "{overloaded:?}");
        record.backlog = Backlog { half: 100, end: 140 };
        assert_eq!(judged(&record, LoadKind::Open).1, Vec::<String>::new());
    }

    #[test]
    fn datagrams_that_a_full_buffer_dropped_overload_an_open_loop() {
        let mut record = trial();
        record.roles.subscriber.dropped_datagrams = 1;
        let (invalid, overloaded) = judged(&record, LoadKind::Open);
        assert_eq!(
            overloaded,
            ["the subscriber could not keep the rate: a full socket buffer dropped a datagram"]
        );
        assert!(invalid.is_empty() && judged(&record, LoadKind::Closed).1.is_empty());
    }

    #[test]
    fn a_machine_without_cpu_time_is_overloaded_by_its_roles_and_invalid_by_others() {
        let mut record = trial();
        record.machine.utilisation = 0.95;
        record.schedule.woken_p99_ns = 50_000_000;
        record.link.as_mut().unwrap().run_delay_ns = 400_000_000;
        let (invalid, overloaded) = judged(&record, LoadKind::Open);
        assert!(invalid[0].contains("mostly with other work") && invalid.len() == 3, "{invalid:?}");
        assert!(overloaded.is_empty());
        // 1.2 of the 1.9 CPU seconds in use are the roles' own.
        record.roles.publisher.cpu_ns = 700_000_000;
        record.roles.broker.as_mut().unwrap().cpu_ns = 500_000_000;
        let (invalid, overloaded) = judged(&record, LoadKind::Open);
        assert!(overloaded[0].contains("63 % of it with them"), "{overloaded:?}");
        assert_eq!(invalid, Vec::<String>::new(), "what waited, waited for the roles");
        let (invalid, overloaded) = judged(&record, LoadKind::Closed);
        assert_eq!((invalid.len(), overloaded.len()), (2, 0), "late in a closed loop: {invalid:?}");
        assert!(
            !invalid.iter().any(|why| why.contains("the machine was busy")),
            "it may use all: {invalid:?}"
        );
    }

    #[test]
    fn waiting_for_a_cpu_is_the_stand_s_fault_unless_the_role_is_overloaded_itself() {
        let mut record = trial();
        record.roles.broker.as_mut().unwrap().run_delay_ns = 300_000_000;
        record.machine.utilisation = 0.4;
        let (invalid, _) = judged(&record, LoadKind::Open);
        assert_eq!(
            invalid,
            [
                "the broker waited for a CPU 30.0 % of the time in which messages moved, summed over its threads, at most 30.0 % for other work \
              or the stand (limit 5.0 %)"
            ]
        );
        record.backlog = Backlog { half: 100, end: 300 };
        record.roles.broker.as_mut().unwrap().busiest_thread = 0.95;
        let (invalid, overloaded) = judged(&record, LoadKind::Open);
        assert_eq!((invalid.len(), overloaded.len()), (0, 1));
        record.link.as_mut().unwrap().run_delay_ns = 300_000_000;
        let (invalid, _) = judged(&record, LoadKind::Open);
        assert!(invalid[0].starts_with("the link waited"), "{invalid:?}");
    }

    #[test]
    fn a_link_that_misses_its_floor_after_the_trial_spoils_it_too() {
        let mut record = trial();
        let probe = LinkProbe {
            sent: 5,
            answered: 5,
            least_ns: Some(70_000_000),
            model_least_ns: 70_000_000,
            model_most_ns: 70_000_000,
            lossy: false,
        };
        let link = record.link.as_mut().unwrap();
        link.probe = Some(probe);
        link.probe_after = Some(LinkProbe { least_ns: Some(80_000_000), ..probe });
        let (invalid, _) = judged(&record, LoadKind::Open);
        assert!(invalid[0].starts_with("after the trial, the link missed its floor"), "{invalid:?}");
        record.link.as_mut().unwrap().probe_after = None;
        assert!(judged(&record, LoadKind::Open).0.is_empty());
    }

    const KINDS: [LoadKind; 4] = [LoadKind::Closed, LoadKind::Open, LoadKind::Batch, LoadKind::Search];

    /// A second in which messages moved and a broker in a virtual machine waited for 1.17 s, with this CPU time of its own, of the
    /// stand's in the publisher and of others, in milliseconds.
    fn waiting_broker(broker: u64, stand: u64, others: u64) -> TrialRecord {
        let ns = |ms: u64| ms * 1_000_000;
        let mut record = trial();
        record.measured_ns = ns(1_400);
        record.moving = Some(Moving {
            moved_ns: ns(1_000),
            watched_ns: ns(1_030),
            in_use_ns: ns(broker + stand + others),
            publisher: CpuUse { cpu_ns: ns(stand), stand_cpu_ns: ns(stand), run_delay_ns: 0 },
            subscriber: CpuUse::default(),
            broker: Some(CpuUse { cpu_ns: ns(broker), stand_cpu_ns: 0, run_delay_ns: ns(1_170) }),
            link_run_delay_ns: 0,
        });
        record
    }

    #[test]
    fn what_waits_for_the_tested_itself_is_the_result_and_for_the_stand_or_others_its_fault() {
        for kind in KINDS {
            let judged = |broker, stand, others| judged(&waiting_broker(broker, stand, others), kind).0;
            assert_eq!(judged(1_500, 0, 20), Vec::<String>::new(), "{kind:?}: its own compiler");
            let [why] = judged(800, 0, 500).try_into().unwrap();
            // (500 + 10) / (800 + 510) of 117 %.
            assert!(
                why.contains("117.0 % of the time in which messages moved")
                    && why.contains("45.5 % for other work"),
                "{why}"
            );
            // As long as others were there, and no longer.
            assert_eq!(
                judged(0, 0, 300)[0].split(", ").nth(2),
                Some("at most 31.0 % for other work or the stand (limit 5.0 %)")
            );
            let at_full_speed = matches!(kind, LoadKind::Batch | LoadKind::Search);
            assert_eq!(judged(800, 500, 0).is_empty(), at_full_speed, "{kind:?}: the stand's own work");
        }
        let mut apart = waiting_broker(1_500, 400, 0);
        apart.machine.publisher_cpu = Some(1);
        assert_eq!(judged(&apart, LoadKind::Open).0, Vec::<String>::new(), "it has a CPU of its own");
    }

    #[test]
    fn a_short_trial_is_judged_by_the_time_in_which_messages_moved() {
        let mut record = trial();
        record.measured_ns = 363_000_000;
        let moving = Moving { moved_ns: 2_500_000, watched_ns: 31_000_000, ..Moving::default() };
        let publisher = CpuUse { cpu_ns: 2_000_000, stand_cpu_ns: 0, run_delay_ns: 18_000_000 };
        record.moving = Some(Moving { in_use_ns: 20_000_000, publisher, ..moving });
        for kind in KINDS {
            let (invalid, _) = judged(&record, kind);
            assert!(
                invalid[0].starts_with("the publisher waited for a CPU 720.0 % of the time"),
                "{invalid:?}"
            );
        }
        record.moving = Some(Moving { link_run_delay_ns: 200_000, ..moving });
        assert!(judged(&record, LoadKind::Closed).0[0].starts_with("the link waited for a CPU 8.0 %"));
        record.moving = Some(Moving { in_use_ns: 61_000_000, ..moving });
        assert!(judged(&record, LoadKind::Closed).0[0].contains("mostly with other work"));
    }
}
