use super::*;

const STAND: Stand = Stand { timer_resolution_ns: 30, cpus_online: 2 };

fn machine() -> Machine {
    Machine { steal: 0.04, load_1min: 7.9, scheduling_lateness_p99_ns: 60_000, ..Machine::default() }
}

#[test]
fn a_machine_is_judged_by_each_of_its_readings_alone() {
    let limits = Limits::default();
    assert_eq!(of_machine(&machine(), &limits, STAND), []);
    let noisy = Machine { steal: 0.06, load_1min: 8.2, scheduling_lateness_p99_ns: 11_000_000, ..machine() };
    let coarse = Stand { timer_resolution_ns: 4_000_000, ..STAND };
    let sentences: Vec<String> = of_machine(&noisy, &limits, coarse).iter().map(Invalid::sentence).collect();
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
    assert!(matches!(of_counts(&link, &Limits::default()), Some(Invalid::HostDropped { packets: 1, .. })));
}

/// A trial of one second on the two CPUs of the stand in which nothing was wrong.
pub(super) fn trial() -> TrialRecord {
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

pub(super) fn judged(record: &TrialRecord, kind: LoadKind) -> (Vec<String>, Vec<String>) {
    let Findings { invalid, overloaded } = of_message_trial(record, kind, false, &Limits::default(), STAND);
    let invalid = invalid.iter().map(Invalid::sentence).collect();
    (invalid, overloaded.iter().map(Overload::sentence).collect())
}

#[test]
fn a_publisher_that_queues_behind_its_own_encoding_is_overloaded_and_not_invalid() {
    let mut record = trial();
    record.schedule =
        Schedule { busy_p99_ns: 900_000_000, lag_p99_ns: 900_000_000, rate_error: 0.6, ..Default::default() };
    assert_eq!(judged(&record, LoadKind::Open), (vec![], vec![]), "held up by the link, not by its CPU");
    record.roles.publisher.busiest_thread = 0.97;
    let (invalid, overloaded) = judged(&record, LoadKind::Open);
    assert_eq!(invalid, Vec::<String>::new());
    // Nearly half of its thread's time was the stand's own: without that it was not saturated.
    let mut generator = record.clone();
    (generator.sending_ns, generator.roles.publisher.stand_cpu_ns) = (1_000_000_000, 480_000_000);
    let (invalid_too, kept_up) = judged(&generator, LoadKind::Open);
    assert!(invalid_too[0].starts_with("limit of the stand: the publisher's busiest thread was busy 97 %"));
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
    assert!(!invalid.iter().any(|why| why.contains("the machine was busy")), "it may use all: {invalid:?}");
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
        assert!(invalid[0].starts_with("the publisher waited for a CPU 720.0 % of the time"), "{invalid:?}");
    }
    record.moving = Some(Moving { link_run_delay_ns: 200_000, ..moving });
    assert!(judged(&record, LoadKind::Closed).0[0].starts_with("the link waited for a CPU 8.0 %"));
    record.moving = Some(Moving { in_use_ns: 61_000_000, ..moving });
    assert!(judged(&record, LoadKind::Closed).0[0].contains("mostly with other work"));
}
