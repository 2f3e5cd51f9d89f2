use wiredyno_model::Hosts;
use wiredyno_model::limits::Limits;
use wiredyno_model::trial::{
    Delivery, LinkQuality, Machine, MessageRecord, Moving, RoleUse, Roles, Schedule, SearchLimit, TrialRecord,
};
use wiredyno_store::MessageTrial;

use super::*;
use crate::observe::Observed;
use crate::validity::Stand;

/// Searches a server that sustains the rates for which `sustains` returns true; returns what was found and how many steps it took.
fn searched(first: &str, mut sustains: impl FnMut(f64) -> bool) -> (Option<f64>, u32) {
    let mut search = Search::from(first.parse().unwrap());
    loop {
        match search.next() {
            Next::Try(rate) => search.tell(rate, attempt(sustains(rate.per_s()))),
            Next::Found(rate) => return (rate.map(MessageRate::per_s), search.steps),
        }
    }
}

fn attempt(sustained: bool) -> Attempt {
    if sustained { Attempt::Sustained } else { Attempt::Missed { apart: false } }
}

/// A link that loses 6 %, in a mode that repeats nothing and with a bound for all messages: each takes 20 ms.
#[test]
fn what_fails_while_no_message_meets_another_is_not_tried_at_lower_rates() {
    let mut search = Search::from("4k/s".parse().unwrap());
    let mut tried = Vec::new();
    let found = loop {
        match search.next() {
            Next::Try(rate) => {
                tried.push(rate.per_s());
                search.tell(rate, Attempt::Missed { apart: rate.per_s() < 25.0 });
            }
            Next::Found(rate) => break rate,
        }
    };
    assert_eq!(found, None);
    assert_eq!(tried.last(), Some(&15.625), "{tried:?}");
}

#[test]
fn a_known_capacity_is_found_within_five_per_cent_from_wherever_it_begins() {
    for capacity in [0.3, 7.0, 123.4, 999.0, 54_321.0, 3.3e6] {
        for first in ["1/s", "100/s", "1M/s"] {
            let (found, steps) = searched(first, |rate| rate <= capacity);
            let found = found.unwrap();
            assert!(found <= capacity && found >= capacity * 0.95, "{capacity} from {first}: {found}");
            assert!(steps < MOST_STEPS, "{steps} steps");
        }
    }
    assert_eq!(searched("100/s", |_| true).0, Some(1e7));
    assert_eq!(searched("100/s", |_| false).0, None);
}

#[test]
fn a_rate_that_is_sustained_by_luck_is_given_up() {
    // Above 1,000 the first attempt at each rate is sustained, up to 1,500.
    let mut tried = std::collections::BTreeSet::new();
    let (found, _) =
        searched("100/s", |rate| rate <= 1_000.0 || rate <= 1_500.0 && tried.insert(rate.to_bits()));
    assert!((950.0..=1_000.0).contains(&found.unwrap()), "{found:?}");
}

#[test]
fn a_bad_moment_decides_nothing() {
    // One attempt in eight fails at any rate, and never twice in a row.
    let mut attempt = 0;
    for first in ["100/s", "4k/s"] {
        let (found, steps) = searched(first, |rate| {
            attempt += 1;
            rate <= 50_000.0 && attempt % 8 != 0
        });
        let found = found.unwrap();
        assert!((47_500.0..=50_000.0).contains(&found) && steps < 45, "{found} in {steps} steps");
    }
}

#[test]
fn a_bad_spell_decides_nothing() {
    // Three attempts in a row fail, wherever in the search they are.
    for spell in 0..25 {
        let mut attempt = 0;
        let (found, steps) = searched("4k/s", |rate| {
            attempt += 1;
            rate <= 50_000.0 && !(spell..spell + 3).contains(&attempt)
        });
        let found = found.unwrap();
        assert!((47_500.0..=50_000.0).contains(&found), "{found} with a spell from attempt {spell}");
        assert!(steps < 45, "{steps} steps with a spell from attempt {spell}");
    }
}

#[test]
fn a_server_without_a_capacity_ends_the_search_all_the_same() {
    let mut turn = 0_u32;
    let mut search = Search::from("100/s".parse().unwrap());
    while let Next::Try(rate) = search.next() {
        turn = turn.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        search.tell(rate, attempt(turn >> 31 == 0));
    }
    assert!(search.steps <= MOST_STEPS);
}

const STAND: Stand = Stand { timer_resolution_ns: 30, cpus_online: 2 };

fn record() -> TrialRecord {
    serde_json::from_value(serde_json::json!({
        "trial": 0, "repeat": 0, "attempt": 0, "lane": 0, "seed": 1, "started_unix_ns": 0, "duration_ns": 1,
        "cell": { "payload": "small", "codec": "json/serde-json", "mode": "tcp", "link": "loopback" },
        "invalid": [], "transport": null, "broker": null, "delivery": Delivery::default(), "body_bytes": 0,
        "wire": null, "publisher_wire": null, "subscriber_wire": null, "roles": Roles::default(),
        "schedule": Schedule::default(), "link": null, "machine": Machine::default()
    }))
    .unwrap()
}

/// A role whose busiest thread was busy for a share of the time, on a CPU for another, and doing the stand's own work for a third.
fn busy(busy: f64, on_cpu: f64, stand: f64) -> RoleUse {
    RoleUse {
        busiest_thread: busy,
        busiest_thread_on_cpu: Some(on_cpu),
        busiest_thread_stand: Some(stand),
        ..RoleUse::default()
    }
}

fn stopped(publisher: RoleUse, subscriber: RoleUse, change: impl Fn(&mut TrialRecord)) -> SearchLimit {
    let mut record = record();
    record.roles = Roles { publisher, subscriber, broker: None };
    record.sending_ns = 1_640_000_000;
    change(&mut record);
    limit(&record, None, &Limits::default(), STAND, false)
}

#[test]
fn what_was_full_is_told_from_the_raw_time_of_threads() {
    let of = |publisher, subscriber, woken_p99_ns| {
        stopped(publisher, subscriber, |record| record.schedule.woken_p99_ns = woken_p99_ns)
    };
    let idle = busy(0.3, 0.3, 0.0);
    assert_eq!(of(busy(1.0, 0.9, 0.54), idle, 0), SearchLimit::Stand);
    assert_eq!(of(busy(1.0, 0.9, 0.06), idle, 0), SearchLimit::Publisher);
    assert_eq!(of(idle, busy(0.98, 0.9, 0.8), 0), SearchLimit::Stand);
    assert_eq!(of(idle, busy(0.98, 0.9, 0.0), 0), SearchLimit::Subscriber);
    assert_eq!(of(idle, idle, 60_000_000), SearchLimit::Stand);
    assert_eq!(of(idle, idle, 0), SearchLimit::Waiting);
    // Old records have the work of all threads over the time of sending: each of two runners did half of it.
    let old =
        |stand_cpu_ns, runners| RoleUse { busiest_thread: 1.0, stand_cpu_ns, runners, ..RoleUse::default() };
    assert_eq!(of(old(400_000_000, 0), idle, 0), SearchLimit::Stand);
    assert_eq!(of(old(400_000_000, 2), idle, 0), SearchLimit::Publisher);
}

/// It spins before due times: at 20,000 messages a second all the time.
#[test]
fn a_publisher_that_keeps_its_schedule_is_not_full() {
    let of = |busy_p99_ns: i64, scheduled: bool| {
        let mut record = record();
        record.roles.publisher = busy(1.0, 0.95, 0.9);
        record.schedule.busy_p99_ns = busy_p99_ns;
        limit(&record, None, &Limits::default(), STAND, scheduled)
    };
    assert_eq!(of(0, true), SearchLimit::Waiting);
    assert_eq!(of(60_000_000, true), SearchLimit::Stand);
    assert_eq!(of(0, false), SearchLimit::Stand);
}

#[test]
fn a_full_emulator_is_the_stand() {
    let idle = busy(0.24, 0.2, 0.1);
    let with_link = |busy: f64, on_cpu: f64| {
        stopped(idle, idle, |record| {
            record.link = Some(LinkQuality {
                busiest_thread: Some(busy),
                busiest_thread_on_cpu: Some(on_cpu),
                ..LinkQuality::default()
            });
        })
    };
    assert_eq!(with_link(0.88, 0.7), SearchLimit::Stand);
    assert_eq!(with_link(0.70, 0.7), SearchLimit::Waiting);
}

/// One publisher and eight subscribers on two CPUs: each waits longer than it runs.
#[test]
fn where_cpus_ran_out_the_machine_is_named_before_a_role_that_waited_for_one() {
    let of = |in_use_ns: u64, publisher: RoleUse, subscriber: RoleUse| {
        stopped(publisher, subscriber, |record| {
            // Over the whole measured part it is half.
            record.machine.utilisation = 0.5;
            record.moving = Some(Moving {
                moved_ns: 1_000_000_000,
                watched_ns: 1_000_000_000,
                in_use_ns,
                ..Moving::default()
            });
        })
    };
    let (waiting, running) = (busy(0.97, 0.30, 0.05), busy(0.90, 0.80, 0.02));
    assert_eq!(of(1_950_000_000, waiting, busy(0.9, 0.2, 0.1)), SearchLimit::Machine);
    assert_eq!(of(1_950_000_000, waiting, running), SearchLimit::Subscriber);
    // If CPUs were left it waited for something of its own.
    assert_eq!(of(1_000_000_000, waiting, busy(0.2, 0.2, 0.1)), SearchLimit::Publisher);
    let idle = busy(0.3, 0.3, 0.0);
    assert_eq!(of(1_950_000_000, idle, idle), SearchLimit::Machine, "while messages moved it was full");
}

/// Ten messages, one of which took 400 ms.
#[test]
fn a_p99_of_few_messages_is_held_by_the_largest_and_one_of_survivors_by_none() {
    let message = |sequence: u64, latency_ms: i64| MessageRecord {
        sequence,
        body_bytes: 1,
        intended_send_ns: 0,
        build_start_ns: 0,
        built_ns: 0,
        encoded_ns: 0,
        handed_over_ns: Some(0),
        sent_ns: Some(0),
        acked_ns: None,
        received_ns: Some(latency_ms * 1_000_000),
        decoded_ns: None,
        crossing: None,
        arrivals: 1,
    };
    let refused = |messages: u64, sent: u64, reliable: bool| {
        let mut record = record();
        record.delivery =
            Delivery { sent, delivered: messages, lost: sent - messages, ..Delivery::default() };
        let latency = |place| if place == 0 { 400 } else { 50 };
        let messages = (0..messages).map(|place| message(place, latency(place))).collect();
        let trial = MessageTrial { record, messages };
        let figure = "latency.p99".parse().unwrap();
        let hosts = Hosts::default();
        let terms = Terms { bound: (&figure, 300e6), reliable, lost_before: None, hosts: &hosts };
        refusal(&Observed::of_trial(&trial).unwrap(), &terms)
    };
    assert_eq!(refused(200, 200, true).as_deref(), Some("latency.max was 400 ms, not below 300 ms"));
    assert_eq!(refused(1_000, 1_000, true), None, "one in a thousand may take longer");
    let survivors = refused(1_200, 2_000, false);
    assert_eq!(survivors.as_deref(), Some("latency.p99 is known of 1200 of 2000 messages only"));
}

/// Ten messages of 50 ms each: at 5/s none meets another, at 20/s they do. A bound on CPU time depends on the rate.
#[test]
fn only_losses_and_latency_without_meetings_give_up_lower_rates() {
    let message = |sequence: u64| MessageRecord {
        sequence,
        body_bytes: 1,
        intended_send_ns: 0,
        build_start_ns: 0,
        built_ns: 0,
        encoded_ns: 0,
        handed_over_ns: Some(0),
        sent_ns: Some(0),
        acked_ns: None,
        received_ns: Some(50_000_000),
        decoded_ns: None,
        crossing: None,
        arrivals: 1,
    };
    let of = |rate: &str, figure: &str, lost: u64| {
        let mut record = record();
        record.delivery = Delivery { sent: 10 + lost, delivered: 10, lost, ..Delivery::default() };
        let trial = MessageTrial { record, messages: (0..10).map(message).collect() };
        let (figure, hosts) = (figure.parse().unwrap(), Hosts::default());
        let terms = Terms { bound: (&figure, 1e6), reliable: true, lost_before: None, hosts: &hosts };
        is_apart(&Observed::of_trial(&trial).unwrap(), rate.parse().unwrap(), &terms)
    };
    assert!(of("5/s", "latency.p99", 0) && of("5/s", "publisher_cpu_per_message", 1));
    assert!(!of("20/s", "latency.p99", 0) && !of("20/s", "latency.p99", 1));
    assert!(!of("5/s", "publisher_cpu_per_message", 0));
}

#[test]
fn a_queue_of_known_service_time_is_found_by_its_latency() {
    // The mean time in an M/M/1 queue is 1 / (capacity - rate): below 10 ms up to 100 below the capacity.
    let capacity = 5_000.0;
    let (found, _) = searched("1k/s", |rate| rate < capacity && 1.0 / (capacity - rate) < 0.010);
    let found = found.unwrap();
    assert!((4_900.0 * 0.95..=4_900.0).contains(&found), "{found}");
}
