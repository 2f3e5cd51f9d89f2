//! Figures of made-up trials.

use wiredyno_conducting::observe::codec_value;
use wiredyno_model::trial::{Crossing, MessageRecord, RoleUse, Roles};
use wiredyno_store::MessageTrial;

use super::*;

/// A loop with these batches of ten calls: time and CPU time of one call.
fn measured(phase: &str, batches: &[(u64, Option<u64>)]) -> serde_json::Value {
    let batch = |&(elapsed_ns, cpu_ns): &(u64, Option<u64>)| {
        serde_json::json!({
            "elapsed_ns": 10 * elapsed_ns, "iterations": 10, "cpu_ns": cpu_ns.map(|ns| 10 * ns)
        })
    };
    serde_json::json!({
        "phase": phase, "buffer": "reused", "batches": batches.iter().map(batch).collect::<Vec<_>>(),
        "timer_overhead_ns": 20.0, "allocations": null, "stack_bytes": null
    })
}

fn codec_trial(repeat: u32, phases: &[serde_json::Value]) -> CodecTrialRecord {
    serde_json::from_value(serde_json::json!({
        "trial": repeat, "cell": { "payload": "small", "codec": "json/serde-json" }, "repeat": repeat,
        "invalid": [], "body_bytes": [20], "machine": wiredyno_model::trial::Machine::default(), "phases": phases
    }))
    .unwrap()
}

/// Ten batches of 100 ns a call, of which two waited for a CPU ten times as long.
fn interrupted(cpu: bool) -> Vec<(u64, Option<u64>)> {
    (0..10).map(|place| (if place < 2 { 1_000 } else { 100 }, cpu.then_some(100))).collect()
}

fn codec_summary(trials: &[CodecTrialRecord]) -> CodecSummary {
    codec_cell(&trials[0].cell, &trials.iter().collect::<Vec<_>>(), 1, None)
}

#[test]
fn a_loops_figure_is_its_median_batch_and_those_that_waited_are_counted() {
    let phases = ["build", "encode", "decode", "read"].map(|phase| measured(phase, &interrupted(true)));
    let trials: Vec<CodecTrialRecord> = (0..5).map(|repeat| codec_trial(repeat, &phases)).collect();
    let metrics = codec_summary(&trials).metrics;
    // The mean of the batches is 280 ns.
    assert_eq!((metrics["encode"].mean, metrics["encode"].interval_95), (100.0, Some([100.0, 100.0])));
    assert_eq!(metrics["encode"].by_repeat[&3], 100.0);
    assert_eq!(codec_value("encode", &trials[0]), Some(100.0));
    assert_eq!(metrics["total"].mean, 400.0);
    assert_eq!((metrics["encode"].count, metrics["encode"].max), (50, 1_000.0));
    assert_eq!((metrics["disturbed_batches"].mean, metrics["disturbed_batches"].count), (0.2, 5));
    let untold = codec_summary(&[codec_trial(0, &[measured("encode", &interrupted(false))])]).metrics;
    assert!(!untold.contains_key("disturbed_batches") && untold.contains_key("encode"));
}

/// A message trial: latencies in milliseconds, and how many more messages were lost; late after 100 ms.
fn message_trial(repeat: u32, latencies_ms: &[i64], lost: u64) -> MessageTrial {
    let messages = latencies_ms.iter().enumerate().map(|(sequence, latency_ms)| MessageRecord {
        sequence: sequence as u64,
        body_bytes: 20,
        intended_send_ns: 0,
        build_start_ns: 10,
        built_ns: 20,
        encoded_ns: 30,
        handed_over_ns: Some(40),
        sent_ns: Some(40),
        acked_ns: None,
        received_ns: Some(latency_ms * 1_000_000),
        decoded_ns: None,
        crossing: None,
        arrivals: 1,
    });
    let delivered = latencies_ms.len() as u64;
    let delivery = Delivery {
        sent: delivered + lost,
        delivered,
        lost,
        late: Some(latencies_ms.iter().filter(|ms| **ms > 100).count() as u64),
        ..Delivery::default()
    };
    let probe = serde_json::json!({
        "sent": 5, "answered": 5, "least_ns": 70_000_000 - i64::from(repeat) * 4_000, "model_least_ns": 70_000_000,
        "model_most_ns": 70_000_000, "lossy": false
    });
    let nothing_fixed = RoleUse { fixed_cpu_ns: Some(0), ..RoleUse::default() };
    let roles = Roles { publisher: nothing_fixed, subscriber: nothing_fixed, broker: None };
    let record = serde_json::json!({
        "trial": repeat, "repeat": repeat, "attempt": 0, "lane": 0, "seed": 1, "started_unix_ns": 0, "duration_ns": 1,
        "cell": { "payload": "small", "codec": "json/serde-json", "mode": "udp", "link": "lte" },
        "invalid": [], "transport": null, "broker": null, "delivery": delivery, "body_bytes": 20 * delivered,
        "wire": null, "publisher_wire": null, "subscriber_wire": null,
        "roles": roles, "schedule": wiredyno_model::trial::Schedule::default(),
        "link": {
            "lateness_p50_ns": 1, "lateness_p99_ns": 1, "lateness_max_ns": 1, "host_dropped_packets": 0, "cpu_ns": 1,
            "probe": probe
        },
        "machine": wiredyno_model::trial::Machine::default()
    });
    MessageTrial { record: serde_json::from_value(record).unwrap(), messages: messages.collect() }
}

fn message_summary(trials: &[MessageTrial]) -> CellSummary {
    let hosts = Hosts::default();
    let observed: Vec<Observed<'_>> = trials.iter().map(|trial| Observed::of_trial(trial).unwrap()).collect();
    message_cell(&trials[0].record.cell, &observed, &hosts, 1, None)
}

/// `trials` trials of `messages` messages with latencies spread evenly from 70 ms to 89 ms.
fn even(trials: u32, messages: usize) -> Vec<MessageTrial> {
    let latencies: Vec<i64> = (0..messages).map(|place| 70 + place as i64 % 20).collect();
    (0..trials).map(|repeat| message_trial(repeat, &latencies, 0)).collect()
}

#[test]
fn a_percentile_needs_ten_observations_beyond_it_and_has_its_interval() {
    let latency = |trials, messages| message_summary(&even(trials, messages)).metrics["latency"].clone();
    let few = latency(5, 199);
    assert_eq!((few.count, few.p99, few.p99_interval_95, few.max), (995, None, None, 89e6));
    let ([low, high], p90) = (few.p90_interval_95.unwrap(), few.p90.unwrap());
    assert!(low <= p90 && p90 <= high);
    let fewer = latency(9, 11);
    assert_eq!((fewer.count, fewer.p90, fewer.p90_interval_95), (99, None, None));
    let without_interval = latency(4, 25);
    assert!(without_interval.p90.is_some() && without_interval.p90_interval_95.is_none());
    let enough = latency(5, 200);
    assert_eq!(enough.p99, Some(89e6));
    let [low, high] = enough.p99_interval_95.unwrap();
    assert!(low <= 89e6 && 89e6 <= high);
    let without_interval = latency(4, 250);
    assert_eq!((without_interval.p99, without_interval.p99_interval_95), (Some(89e6), None));
}

#[test]
fn no_interval_of_what_is_positive_reaches_below_zero() {
    let mut trials = even(4, 10);
    trials.push(message_trial(4, &[70, 9_000], 0));
    let metrics = message_summary(&trials).metrics;
    let [low, high] = metrics["latency"].interval_95.unwrap();
    assert!(low > 0.0 && low < metrics["latency"].mean && metrics["latency"].mean < high, "{low} {high}");
    // The link may be measured below its model: the interval is the plain one, around its mean.
    let excess = &metrics["link_excess"];
    let [low, high] = excess.interval_95.unwrap();
    assert!(
        excess.mean == -8_000.0 && low < -8_000.0 && (low + high + 16_000.0).abs() < 1e-6,
        "{low} {high}"
    );
    for MetricInfo { name, .. } in metric::all(Scope::Message).filter(|metric| metric.range != Range::Signed)
    {
        if let Some([low, _]) = metrics.get(&name).and_then(|metric| metric.interval_95) {
            assert!(low >= 0.0, "{name}: {low}");
        }
    }
}

#[test]
fn shares_of_lost_and_late_messages_have_intervals_also_where_there_are_none() {
    let none = message_summary(&even(5, 80));
    for share in [none.lost_ratio, none.late_ratio] {
        let share = share.unwrap();
        let upper = 1.0 - 0.025_f64.powf(1.0 / 400.0);
        assert_eq!((share.ratio, share.interval_95[0]), (0.0, 0.0));
        assert!((share.interval_95[1] - upper).abs() < 1e-12);
        assert_eq!(none.metrics["lost"].interval_95, Some(share.interval_95));
    }
    // One trial of five has all the losses and all the late ones: a wider interval than for as many independent messages.
    let mut bursts = even(4, 100);
    bursts.push(message_trial(4, &[[500; 25], [70; 25]].concat(), 50));
    let bursts = message_summary(&bursts);
    let [lost, late] = [bursts.lost_ratio, bursts.late_ratio].map(Option::unwrap);
    assert_eq!((lost.ratio, late.ratio), (0.1, 0.05));
    let independent = Proportion::new(50, 500).unwrap().clopper_pearson(Level::P95);
    assert!(lost.interval_95[1] > independent.high + 0.1, "{lost:?}");
    // Four trials don't show how trials scatter: the exact interval of the messages.
    let four = message_summary(&even(4, 100)).lost_ratio.unwrap();
    assert!((four.interval_95[1] - (1.0 - 0.025_f64.powf(1.0 / 400.0))).abs() < 1e-12);
}

#[test]
fn more_subscribers_cost_more_for_each_message_and_deliveries_are_counted_apart() {
    let figures = |fan_out: u32, cpu_ns: u64, bytes: u64| {
        let mut trial = message_trial(0, &vec![70; 50 * fan_out as usize], 0);
        trial.record.fan_out = fan_out;
        for used in [&mut trial.record.roles.publisher, &mut trial.record.roles.subscriber] {
            used.cpu_ns = cpu_ns;
        }
        trial.record.roles.broker = Some(trial.record.roles.publisher);
        let mut wire = WireByPhase::default();
        wire.measure.up.bytes = bytes;
        trial.record.wire = Some(wire);
        let metrics = message_summary(&[trial]).metrics;
        move |name: &str| metrics[name].mean
    };
    let (one, eight) = (figures(1, 500_000, 13_900), figures(8, 800_000, 68_500));
    for (metric, of_one, of_eight) in [
        ("wire_per_message", 278.0, 1_370.0),
        ("wire_per_delivery", 278.0, 171.25),
        ("publisher_cpu_per_message", 10_000.0, 16_000.0),
        ("subscriber_cpu_per_delivery", 10_000.0, 2_000.0),
        ("broker_cpu_per_message", 10_000.0, 16_000.0),
        ("broker_cpu_per_delivery", 10_000.0, 2_000.0),
        ("publisher_messages_per_cpu", 1e5, 62_500.0),
        ("broker_deliveries_per_cpu", 1e5, 5e5),
        ("lost", 0.0, 0.0),
    ] {
        let near = |value: f64, wanted: f64| (value - wanted).abs() <= wanted * 1e-12;
        assert!(near(one(metric), of_one) && near(eight(metric), of_eight), "{metric}: {}", eight(metric));
    }
}

#[test]
fn what_is_known_of_a_part_of_the_messages_says_of_how_many() {
    let mut trials: Vec<MessageTrial> =
        (0..5).map(|repeat| message_trial(repeat, &[70, 71, 72, 73, 74, 75, 76, 77, 78], 1)).collect();
    for message in trials.iter_mut().flat_map(|trial| trial.messages.iter_mut().take(4)) {
        let (to, at) = (Some(50_000_000), Some(60_000_000));
        message.crossing = Some(Crossing {
            to_broker_ns: Some(40),
            at_broker_ns: Some(50),
            from_broker_ns: to,
            at_subscriber_ns: at,
        });
    }
    let summary = message_summary(&trials);
    let coverage = |name: &str| summary.metrics[name].coverage.map(|coverage| coverage.to_string());
    for (metric, told) in [
        ("latency", Some("45 of 50")),
        ("latency_median", Some("45 of 50")),
        ("broker_time", Some("20 of 50")),
        ("lost", None),
        ("publisher_memory", None),
    ] {
        assert_eq!(coverage(metric).as_deref(), told, "{metric}");
    }
    assert!(!summary.metrics["broker_time"].is_covered());
    assert!(message_summary(&even(5, 10)).metrics["latency"].coverage.is_none());
    // One in a hundred lost leaves enough for a comparison.
    let few = message_summary(&[message_trial(0, &[70; 99], 1)]).metrics["latency"].clone();
    assert!(few.coverage.is_some() && few.is_covered());
}

#[test]
fn a_cost_per_message_leaves_the_fixed_cost_out_and_is_withheld_where_that_hides_it() {
    let trials = |messages: usize, repeats: u32| -> Vec<MessageTrial> {
        let one = |repeat| {
            let mut trial = message_trial(repeat, &vec![70; messages], 0);
            let publisher = &mut trial.record.roles.publisher;
            // The client uses 7 us per message; 400 us are the conversation's, 30 us are not separated.
            publisher.cpu_ns = 430_000 + 7_000 * messages as u64;
            publisher.stand_cpu_ns = 400_000;
            (publisher.fixed_cpu_ns, publisher.fixed_cpu_error_ns) = (Some(30_000), Some(10_000));
            trial
        };
        (0..repeats).map(one).collect()
    };
    for messages in [50, 500] {
        let summary = message_summary(&trials(messages, 3));
        assert_eq!(summary.metrics["publisher_cpu_per_message"].mean, 7_000.0);
        assert_eq!(summary.metrics["publisher_fixed_cpu"].mean, 30_000.0);
        assert!(summary.needs_messages.is_empty());
    }
    let few = message_summary(&trials(5, 3));
    assert!(!few.metrics.contains_key("publisher_cpu_per_message"));
    assert!(!few.metrics.contains_key("publisher_messages_per_cpu"));
    assert_eq!(few.needs_messages["publisher_cpu_per_message"], 50, "they find cold caches");
    // Nor does a study stop, or a search refuse a rate, because of what would be withheld.
    let value = |messages: usize| {
        let trial = trials(messages, 1).remove(0);
        let observed = Observed::of_trial(&trial).unwrap();
        stop_values(&[&observed], "publisher_cpu_per_message", &Hosts::default())
    };
    assert_eq!((value(5), value(50)), (vec![], vec![7_000.0]));
    let mut uncertain = trials(50, 3);
    for trial in &mut uncertain {
        trial.record.roles.publisher.fixed_cpu_error_ns = Some(100_000);
    }
    let withheld = message_summary(&uncertain[..1]);
    assert!(!withheld.metrics.contains_key("publisher_cpu_per_message"));
    // 100 us are a fifth of what 72 messages take.
    assert_eq!(withheld.needs_messages["publisher_cpu_per_message"], 72);
    assert_eq!(
        withheld.withheld["publisher_cpu_per_message"].bound,
        Some(7_600.0),
        "no more than all that was used"
    );
    // The error of three blanks is smaller than that of one.
    let told = message_summary(&uncertain).metrics["publisher_cpu_per_message"].clone();
    assert_eq!((told.count, told.mean), (3, 7_000.0));
    uncertain[0].record.roles.publisher.fixed_cpu_ns = None;
    let unknown = message_summary(&uncertain[..1]);
    assert!(!unknown.metrics.contains_key("publisher_cpu_per_message") && unknown.needs_messages.is_empty());
}

/// In five trials, whose own blanks are each far off, neither the mean of reciprocals nor a logarithm of single values is correct.
#[test]
fn what_is_right_on_the_mean_of_trials_has_steady_values_for_comparisons_and_no_median() {
    let costs_us = [167.6, 50.3, 120.0, -10.0, 140.0];
    let trials: Vec<MessageTrial> = (0..)
        .zip(costs_us)
        .map(|(repeat, cost_us)| {
            let mut trial = message_trial(repeat, &[70; 100], 0);
            let publisher = &mut trial.record.roles.publisher;
            publisher.cpu_ns = 20_000_000;
            publisher.fixed_cpu_ns = Some(20_000_000 - (cost_us * 1e5) as i64);
            trial
        })
        .collect();
    let summary = message_summary(&trials);
    let mean_ns = 1e3 * costs_us.iter().sum::<f64>() / 5.0;
    let (cost, per_cpu) =
        (&summary.metrics["publisher_cpu_per_message"], &summary.metrics["publisher_messages_per_cpu"]);
    assert!((cost.mean - mean_ns).abs() < 1e-6 && (per_cpu.mean - 1e9 / mean_ns).abs() < 1e-6);
    assert_eq!((cost.median, cost.median_interval_95), (cost.mean, None));
    for metric in [cost, per_cpu] {
        let logarithms = metric.by_repeat.values().map(|value| value.ln());
        assert!((logarithms.sum::<f64>() / 5.0 - metric.mean.ln()).abs() < 1e-9, "{metric:?}");
        let [low, high] = metric.interval_95.unwrap();
        assert!(low < metric.mean && metric.mean < high, "{metric:?}");
    }
    let [low, high] = cost.interval_95.unwrap();
    let [slow, fast] = per_cpu.interval_95.unwrap();
    assert!((slow * high / 1e9 - 1.0).abs() < 1e-9 && (fast * low / 1e9 - 1.0).abs() < 1e-9);
}
