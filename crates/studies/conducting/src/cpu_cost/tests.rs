use wiredyno_model::trial::{Delivery, Machine, Roles, Schedule};

use super::*;

/// A trial with this number of messages in this number of seconds, whose publisher used this CPU time, with its fixed cost and the errors of
/// that cost: in total, and of the part that grows with time, in nanoseconds.
fn trial(messages: u64, seconds: f64, cpu_ns: f64, fixed_ns: f64, errors_ns: [f64; 2]) -> TrialRecord {
    let mut record: TrialRecord = serde_json::from_value(serde_json::json!({
        "trial": 0, "repeat": 0, "attempt": 0, "lane": 0, "seed": 1, "started_unix_ns": 0, "duration_ns": 1,
        "cell": { "payload": "small", "codec": "json/serde-json", "mode": "tcp", "link": "loopback" },
        "invalid": [], "transport": null, "broker": null, "body_bytes": 0, "wire": null, "publisher_wire": null,
        "subscriber_wire": null, "roles": Roles::default(), "schedule": Schedule::default(), "link": null,
        "delivery": Delivery { sent: messages, delivered: messages, ..Delivery::default() },
        "machine": Machine::default()
    }))
    .unwrap();
    record.sending_ns = (seconds * 1e9) as u64;
    record.measured_ns = record.sending_ns;
    record.roles.publisher = RoleUse {
        cpu_ns: cpu_ns as u64,
        fixed_cpu_ns: Some(fixed_ns as i64),
        fixed_cpu_error_ns: Some(errors_ns[0] as u64),
        idle_cpu_ns: Some(0),
        idle_cpu_error_ns: Some(errors_ns[1] as u64),
        ..RoleUse::default()
    };
    record
}

fn of(name: &str, trials: &[TrialRecord]) -> CpuCost {
    over(&trials.iter().collect::<Vec<_>>(), OfCpu::named(name).unwrap()).unwrap()
}

fn told(name: &str, trials: &[TrialRecord]) -> f64 {
    match of(name, trials) {
        CpuCost::Told(ratio, _) => ratio.value(),
        CpuCost::Withheld { known, .. } => panic!("{name} is withheld: {known:?}"),
    }
}

fn withheld(name: &str, trials: &[TrialRecord]) -> (Withheld, Option<u64>) {
    match of(name, trials) {
        CpuCost::Told(ratio, _) => panic!("{name} is reported: {}", ratio.value()),
        CpuCost::Withheld { known, messages } => (known, messages),
    }
}

const COST: &str = "publisher_cpu_per_message";
const PER_CPU: &str = "publisher_messages_per_cpu";
const FIXED: &str = "publisher_fixed_cpu";

/// 500 messages of 100 us in 10 s, and a timer that takes 20 ms in total and fires in three blanks of ten.
fn with_timer() -> Vec<TrialRecord> {
    let met = |met: bool| if met { (66.7e6, 60e6) } else { (0.0, 0.0) };
    let one = |place: usize| {
        let (fixed_ns, error_ns) = met(place % 10 < 3);
        trial(500, 10.0, 50e6 + 20e6, fixed_ns, [error_ns, error_ns])
    };
    (0..100).map(one).collect()
}

#[test]
fn a_timer_that_some_blanks_meet_leaves_both_ways_round_right() {
    let trials = with_timer();
    let (cost_ns, per_cpu) = (told(COST, &trials), told(PER_CPU, &trials));
    assert!((cost_ns / 100e3 - 1.0).abs() < 0.001, "{cost_ns}");
    assert!((per_cpu / 10_000.0 - 1.0).abs() < 0.001, "{per_cpu}: by those trials above 0 it is 7,100");
    assert!((told(FIXED, &trials) / 20e6 - 1.0).abs() < 0.001);
}

#[test]
fn a_fixed_cost_beyond_what_was_used_or_beside_its_own_error_is_not_told() {
    // 515 ms in total, and 842 ms of fixed cost.
    let beyond = [(206e6, 6e6), (160e6, 1_590e6), (149e6, 930e6)];
    let trials = beyond.map(|(cpu_ns, fixed_ns)| trial(60, 12.0, cpu_ns, fixed_ns, [1e6, 1e6]));
    assert_eq!(withheld(FIXED, &trials).0.bound, None, "nothing is known");
    let uncertain = [trial(60, 12.0, 200e6, 10e6, [30e6, 30e6])];
    assert_eq!(withheld(FIXED, &uncertain).0.bound, Some(40e6));
    let negative = [trial(60, 12.0, 200e6, -1e6, [0.1e6, 0.1e6])];
    assert_eq!(withheld(FIXED, &negative).0.bound, None);
    assert_eq!(told(FIXED, &[trial(60, 12.0, 200e6, 30e6, [10e6, 10e6])]), 30e6);
}

#[test]
fn so_many_messages_are_needed_that_with_them_it_is_told() {
    // 100 messages of 100 us in a second: 10 ms; 4 ms of error, 3.9 ms of which each trial has.
    let rate = |messages: u64, seconds: f64, errors_ns: [f64; 2]| {
        [trial(messages, seconds, messages as f64 * 100e3, 0.0, errors_ns)]
    };
    let idle_ns = 0.9e6;
    let (known, needed) = withheld(COST, &rate(100, 1.0, [f64::hypot(3.9e6, idle_ns), idle_ns]));
    let needed = needed.unwrap();
    assert_eq!(known.rate_per_s, None);
    // By the constant part it would be 195; that many take 2.19 s, in which the other part has grown as well.
    let with = |messages: u64| {
        let idle_ns = idle_ns * messages as f64 / 100.0;
        rate(messages, messages as f64 / 100.0, [f64::hypot(3.9e6, idle_ns), idle_ns])
    };
    assert!(needed > 195, "{needed}");
    assert!(matches!(of(COST, &with(needed)), CpuCost::Told(..)));
    assert!(
        matches!(of(COST, &with(needed - 1)), CpuCost::Withheld { .. }),
        "{needed} is no more than it takes"
    );
}

#[test]
fn where_the_error_grows_as_messages_do_a_rate_is_needed_and_no_number() {
    // 5/s: 24 ms for 300 messages in 60 s, and 19 ms of error that grow with time.
    let trials = [trial(300, 60.0, 24e6, 0.0, [19e6, 19e6])];
    let (known, needed) = withheld(COST, &trials);
    assert_eq!(needed, None, "ten times as many have ten times the error");
    let rate = known.rate_per_s.unwrap();
    // A second costs 0.317 ms of error, a fifth of what 19.8 messages cost.
    assert!((rate - 19.79).abs() < 0.01, "{rate}");
    assert_eq!(known.bound, Some(24e6 / 300.0), "no more than all that was used");
    assert_eq!(known.trials, Some(16), "with the error of one trial by the root of sixteen");
    let as_told = || trial(300, 300.0 / 19.8, 24e6, 0.0, [19e6 * 5.0 / 19.8, 19e6 * 5.0 / 19.8]);
    assert!(matches!(of(COST, &[as_told()]), CpuCost::Told(..)));
    assert!(matches!(of(COST, &vec![trials[0].clone(); 16]), CpuCost::Told(..)));
    // A cost that can't be distinguished from zero may be as large as its error, up to all that was used.
    let hidden = withheld(PER_CPU, &[trial(300, 60.0, 10e6, 0.0, [19e6, 19e6])]).0;
    assert!((hidden.bound.unwrap() - 300.0 / 0.010).abs() < 1e-6, "{hidden:?}");
}

#[test]
fn few_messages_find_cold_caches_whatever_their_error_is() {
    let few = [trial(5, 1.0, 5e6, 0.0, [0.0, 0.0])];
    assert_eq!(withheld(COST, &few), (Withheld::default(), Some(50)));
}
