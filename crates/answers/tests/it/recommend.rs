//! Recommendations from made-up runs whose right answer is known.

use crate::made_up::{self, Figures, noise};
use wiredyno_answers::recommend::{Need, Recommendation, Weight, recommend};
use wiredyno_model::Cell;
use wiredyno_model::summary::Summary;

const STUDY: &str = r#"
name = "made-up"
why = "?"
[axes]
payload = ["small"]
codec = ["json/serde-json", "protobuf/prost"]
mode = ["mqtt:qos0", "mqtt:qos1", "tcp"]
link = ["lan"]
loss = [0.0, 0.05]
[load]
kind = "open"
interval = "200ms"
messages = 10
deadline = "2s"
drain = "8s"
"#;

/// QoS 0 is fast and loses at 5 % loss; QoS 1 costs more bytes; tcp has fewest of all but is slow. Protobuf takes half the bytes.
fn figures(cell: &Cell, repeat: u32) -> Figures {
    let lossy = cell.loss.is_some_and(|loss| loss.get() > 0.0);
    let (latency, bytes, lost) = match cell.mode.to_string().as_str() {
        "mqtt:qos0" => (50e6, 400.0, if lossy { 0.05 } else { 0.0 }),
        "mqtt:qos1" => (60e6, 600.0, 0.0),
        _ => (200e6, 300.0, 0.0),
    };
    let times = if cell.codec.format == "json" { 2.0 } else { 1.0 };
    let noise = noise(&cell.to_string(), repeat);
    vec![
        ("latency", latency * noise),
        ("wire_per_message", bytes * times),
        ("lost", lost),
        ("publisher_cpu_per_message", 1e6 * noise),
        ("subscriber_cpu_per_delivery", 1e6),
    ]
}

fn ask(needs: &[&str], weights: &str) -> Recommendation {
    try_ask(&made_up::messages(STUDY, figures), needs, weights, "").unwrap()
}

fn try_ask(summary: &Summary, needs: &[&str], weights: &str, cells: &str) -> Result<Recommendation, String> {
    let needs: Vec<Need> = needs.iter().map(|need| Need::parse("--need", need, true).unwrap()).collect();
    let weights = Weight::parse(weights, true).unwrap();
    recommend(summary, &cells.parse().unwrap(), &needs, &weights, 1)
}

fn names(found: &Recommendation) -> Vec<&str> {
    found.meet.iter().map(|one| one.candidate.as_str()).collect()
}

#[test]
fn who_loses_misses_a_need_of_none_and_who_does_not_has_a_bound() {
    let found = ask(&["lost=0"], "time=1");
    assert_eq!(found.choice.as_deref(), Some("protobuf/prost over mqtt:qos1"));
    assert_eq!(found.miss.len(), 2);
    assert_eq!(found.miss[0].why, ["lost 25 of 500 messages (small, lan, 5 % loss)"]);
    // 1 - 0.025 ^ (1 / 500).
    assert_eq!(found.meet[0].notes, ["lost 0 of 500 messages, so at most 0.735 %"]);
    assert_eq!(found.conditions, ["small, lan, 0 % loss", "small, lan, 5 % loss"]);
}

#[test]
fn weights_decide_and_the_weight_at_which_they_flip_is_told() {
    let slow = ask(&["lost=0"], "bytes=1,time=1");
    // QoS 1: ln 2 in bytes. tcp: ln (200 / 60) in time, which is more.
    assert_eq!(slow.choice.as_deref(), Some("protobuf/prost over mqtt:qos1"));
    let heavy = ask(&["lost=0"], "bytes=3,time=1");
    assert_eq!(heavy.choice.as_deref(), Some("protobuf/prost over tcp"));
    let flip = (200.0_f64 / 60.0).ln() / 2.0_f64.ln();
    let bytes = &slow.weights[0];
    let (at, other) = bytes.above.clone().unwrap();
    assert!((at - flip).abs() < 0.02 && other == "protobuf/prost over tcp", "{bytes:?}");
    let (at, other) = heavy.weights[0].below.clone().unwrap();
    assert!((at - flip).abs() < 0.02 && other == "protobuf/prost over mqtt:qos1", "{at} {other}");
}

#[test]
fn the_front_is_who_nobody_beats() {
    let found = ask(&["lost=0"], "bytes=1,time=1");
    let front: Vec<&str> =
        found.meet.iter().filter(|one| one.on_front).map(|one| one.candidate.as_str()).collect();
    assert_eq!(front, ["protobuf/prost over mqtt:qos1", "protobuf/prost over tcp"]);
    assert_eq!(names(&found).len(), 4);
    let score = &found.meet[0];
    assert!((score.ratios[0].1 - 2.0).abs() < 1e-9 && score.ratios[1].1 < 1.02, "{score:?}");
    assert!((score.score - 2.0_f64.ln()).abs() < 0.02, "{score:?}");
}

#[test]
fn figures_are_held_against_limits_by_their_intervals() {
    let found = ask(&["latency=100ms"], "bytes=1");
    assert!(found.miss.iter().all(|missed| missed.candidate.ends_with("tcp")), "{found:?}");
    assert!(found.miss[0].why[0].contains("is above 100 ms"), "{found:?}");
    // A limit inside the interval can't be told.
    let found = ask(&["latency=200ms"], "bytes=1");
    assert!(found.undecided.iter().any(|missed| missed.candidate.ends_with("tcp")), "{found:?}");
    // A 99th percentile needs 1,000 messages.
    let found = ask(&["latency.p99=1s"], "bytes=1");
    assert_eq!((found.choice, found.undecided.len()), (None, 6));
    assert!(found.undecided[0].why[0].contains("needs 1,000 messages"), "{:?}", found.undecided);
    // A share of lost ones, with so few messages.
    let found = ask(&["lost=6%"], "bytes=1");
    assert!(found.undecided[0].why[0].contains("too few messages to tell from 6 %"), "{:?}", found.undecided);
}

#[test]
fn a_choice_between_equals_is_not_stable_and_a_clear_one_is() {
    assert_eq!(ask(&[], "bytes=1").stays, Some(1.0));
    let found = ask(&["lost=0"], "cpu=1");
    assert!(found.stays.unwrap() < 0.9 && !found.else_chosen.is_empty(), "{:?}", found.stays);
    let sum: f64 = found.stays.unwrap() + found.else_chosen.iter().map(|(_, share)| share).sum::<f64>();
    assert!((sum - 1.0).abs() < 1e-9);
    assert_eq!(found, ask(&["lost=0"], "cpu=1"), "the seed decides, nothing else");
}

#[test]
fn conditions_can_be_fewer() {
    let summary = made_up::messages(STUDY, figures);
    let found = try_ask(&summary, &["lost=0"], "time=1", "loss=0").unwrap();
    assert!(found.choice.is_some_and(|choice| choice.ends_with("over mqtt:qos0")));
    assert_eq!((found.meet.len(), found.miss.len(), found.conditions.len()), (6, 0, 1));
    assert!(try_ask(&summary, &[], "time=1", "loss=0.5").is_err());
    let error = try_ask(&summary, &[], "broker_memory=1", "").unwrap_err();
    assert!(error.contains("broker_memory"), "{error}");
}

#[test]
fn nonsense_is_refused_with_what_to_write() {
    for (text, needle) in [("lost", "equals sign"), ("lots=0", "no metric"), ("latency=5", "200ms")] {
        let error = Need::parse("--need", text, true).unwrap_err().to_string();
        assert!(error.contains(needle) && error.starts_with("--need"), "{error}");
    }
    for (text, needle) in [("bytes=-1", "above 0"), ("byts=1", "no metric"), ("latency.p99=1", "means")] {
        let error = Weight::parse(text, true).unwrap_err().to_string();
        assert!(error.contains(needle), "{error}");
    }
}
