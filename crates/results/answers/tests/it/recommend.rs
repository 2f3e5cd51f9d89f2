//! Recommendations from made-up runs whose right answer is known.
//!
//! One file because all are asked of the same made-up run.

use crate::made_up::{self, Figures, noise};
use wiredyno_answers::Conclusion;
use wiredyno_answers::recommend::{Kind, Missed, Need, Recommendation, Weight, recommend};
use wiredyno_model::Cell;
use wiredyno_model::summary::{NotRun, Outcomes, Summary};
use wiredyno_model::trial::Delivery;

/// Two formats over three modes, with loss and without.
pub const STUDY: &str = r#"
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

/// QoS 0 is fast and loses at 5 % loss; QoS 1 costs more bytes; tcp has the fewest bytes but is slow. Protobuf takes half the
/// bytes.
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
    let needs: Vec<Need> =
        needs.iter().map(|need| Need::parse("--need", need, Kind::AtMost).unwrap()).collect();
    let needs = Need::with_default(needs, true).unwrap();
    let weights = Weight::parse(weights, true).unwrap();
    recommend(summary, &cells.parse().unwrap(), &needs, &weights)
}

fn names(found: &[Missed]) -> Vec<&str> {
    found.iter().map(|one| one.candidate.as_str()).collect()
}

#[test]
fn who_loses_misses_a_need_of_none_and_who_does_not_has_a_bound() {
    let found = ask(&["lost=0"], "bytes=1,time=1");
    assert_eq!(found.choice.as_deref(), Some("protobuf/prost over mqtt:qos1"));
    assert_eq!(found.miss.len(), 2);
    assert_eq!(
        found.miss[0].why,
        ["lost 25 of 500 messages, [3.26, 7.29] %, above 0 % (small, lan, 5 % loss)"]
    );
    // 1 - 0.025 ^ (1 / 500).
    assert_eq!(found.meet[0].notes[0], "lost 0 of 500 messages, so at most 0.735 % (small, lan, 0 % loss)");
    assert_eq!(found.conditions, ["small, lan, 0 % loss", "small, lan, 5 % loss"]);
    assert_eq!(found.needs, ["lost at most 0 %"]);
}

/// Fastest and smallest because it loses: it is not chosen, and the assumed need is named.
#[test]
fn at_most_one_per_cent_lost_is_taken_for_granted_and_said() {
    let found = ask(&[], "bytes=1,time=1");
    assert_eq!(found.needs, ["lost at most 1 % (assumed; --need lost=LIMIT sets another)"]);
    assert_eq!(
        names(&found.miss),
        ["json/serde-json over mqtt:qos0", "protobuf/prost over mqtt:qos0"],
        "{found:?}"
    );
    assert_eq!(found.choice.as_deref(), Some("protobuf/prost over mqtt:qos1"));
    // A user may allow more loss.
    assert_eq!(ask(&["lost=10%"], "bytes=1,time=1").choice.as_deref(), Some("protobuf/prost over mqtt:qos0"));
}

#[test]
fn too_few_messages_leave_the_need_open_and_say_how_many_would_decide() {
    let mut summary = made_up::messages(STUDY, figures);
    for cell in &mut summary.cells {
        cell.delivery = Delivery { sent: 50, delivered: 50, ..Delivery::default() };
    }
    let found = try_ask(&summary, &[], "time=1", "").unwrap();
    assert_eq!((found.choice, found.conclusion, found.undecided.len()), (None, Conclusion::NotDecided, 6));
    assert_eq!(
        found.undecided[0].why[0],
        "lost 0 of 50 messages, so at most 7.11 %: 318 more messages would decide about 1 % (small, lan, 0 % loss)"
    );
}

/// A weighed loss of 0 is a value: the best of all.
#[test]
fn zero_is_a_value() {
    let found = ask(&["lost=100%"], "lost=1");
    assert_eq!((found.meet.len(), found.left_out.len()), (6, 0), "{found:?}");
    assert!(found.group.len() == 4 && found.group.iter().all(|name| !name.ends_with("qos0")), "{found:?}");
    let lossy = found.meet.iter().find(|one| one.candidate.ends_with("qos0")).unwrap();
    // 0 % and 5 %: the root of 1 / 0.95.
    assert!((lossy.ratios[0].1 - (1.0 / 0.95_f64).sqrt()).abs() < 1e-3 && lossy.is_behind, "{lossy:?}");
    let mut summary = made_up::messages(STUDY, figures);
    for cell in summary.cells.iter_mut().filter(|cell| cell.axes.mode.to_string() == "tcp") {
        let cpu = cell.metrics.get_mut("publisher_cpu_per_message").unwrap();
        cpu.mean = 0.0;
        cpu.by_repeat.values_mut().for_each(|value| *value = 0.0);
    }
    let found = try_ask(&summary, &[], "publisher_cpu_per_message=1", "").unwrap();
    assert!(found.left_out.is_empty() && found.group.iter().all(|name| name.ends_with("tcp")), "{found:?}");
}

#[test]
fn who_can_not_be_judged_is_listed_with_the_reason() {
    let mut summary = made_up::messages(STUDY, figures);
    for cell in &mut summary.cells {
        let lossy = cell.axes.loss.is_some_and(|loss| loss.get() > 0.0);
        if cell.axes.mode.to_string() == "mqtt:qos1" && lossy {
            (cell.valid_trials, cell.outcomes) = (0, Outcomes { failed: 45, ..Outcomes::default() });
            cell.metrics.clear();
            cell.delivery = Delivery::default();
        }
    }
    summary.cells.retain(|cell| {
        let lossy = cell.axes.loss.is_some_and(|loss| loss.get() > 0.0);
        !(lossy && cell.axes.codec.format == "json" && cell.axes.mode.to_string() == "tcp")
    });
    summary.not_run.push(NotRun {
        what: "cbor/ciborium over dds".into(),
        why: "not installed".into(),
        part: None,
    });
    let found = try_ask(&summary, &[], "time=1", "").unwrap();
    let why: Vec<String> =
        found.left_out.iter().map(|one| format!("{}: {}", one.candidate, one.why.join("; "))).collect();
    assert_eq!(
        why,
        [
            "json/serde-json over mqtt:qos1: no complete trial (45 failed) (small, lan, 5 % loss)",
            "json/serde-json over tcp: not measured under small, lan, 5 % loss",
            "protobuf/prost over mqtt:qos1: no complete trial (45 failed) (small, lan, 5 % loss)",
            "cbor/ciborium over dds: not run: not installed",
        ]
    );
    assert_eq!(found.meet.len(), 1);
}

#[test]
fn nothing_valid_can_not_be_told() {
    let mut summary = made_up::messages(STUDY, figures);
    for cell in &mut summary.cells {
        cell.valid_trials = 0;
        cell.metrics.clear();
    }
    let found = try_ask(&summary, &[], "time=1", "").unwrap();
    assert_eq!((found.choice, found.conclusion, found.left_out.len()), (None, Conclusion::CantTell, 6));
}

#[test]
fn one_hop_and_two_are_never_ranked_together() {
    let mut summary = made_up::messages(STUDY, figures);
    for cell in &mut summary.cells {
        let id = if cell.axes.mode.to_string() == "tcp" { "peer" } else { "mosquitto" };
        let broker = serde_json::json!({ "id": id, "version": "1", "label": "" });
        cell.broker = Some(serde_json::from_value(broker).unwrap());
    }
    let found = try_ask(&summary, &[], "bytes=1", "").unwrap();
    assert_eq!(names(&found.left_out), ["json/serde-json over tcp", "protobuf/prost over tcp"]);
    assert!(found.left_out[0].why[0].starts_with("one hop, the others make two hops"), "{found:?}");
    let alone = try_ask(&summary, &[], "bytes=1", "mode=tcp").unwrap();
    assert_eq!(alone.choice.as_deref(), Some("protobuf/prost over tcp"));
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
    assert_eq!(found.meet.len(), 4);
    let score = &found.meet[0];
    assert!((score.ratios[0].1 - 2.0).abs() < 1e-9 && score.ratios[1].1 < 1.02, "{score:?}");
    assert!((score.score - 2.0_f64.ln()).abs() < 0.02, "{score:?}");
}

#[test]
fn figures_are_held_against_limits_by_their_intervals() {
    let found = ask(&["latency=100ms"], "bytes=1");
    let tcp = found.miss.iter().find(|missed| missed.candidate.ends_with("tcp")).unwrap();
    assert!(tcp.why[0].contains(", above 100 ms"), "{found:?}");
    // A limit inside the interval is not decided.
    let found = ask(&["latency=200ms"], "bytes=1");
    assert!(found.undecided.iter().any(|missed| missed.candidate.ends_with("tcp")), "{found:?}");
    // A 99th percentile needs 1,000 messages.
    let found = ask(&["latency.p99=1s", "lost=100%"], "bytes=1");
    assert_eq!((found.choice, found.left_out.len()), (None, 6));
    assert!(found.left_out[0].why[0].contains("needs trials of 1,000 messages"), "{:?}", found.left_out);
    // A share of lost messages, with so few of them.
    let found = ask(&["lost=6%"], "bytes=1");
    assert!(
        found.undecided[0].why[0].contains("more messages would decide about 6 %"),
        "{:?}",
        found.undecided
    );
}

#[test]
fn equals_are_named_together_with_what_would_tell_them_apart_and_a_clear_one_alone() {
    assert_eq!(ask(&["lost=0"], "bytes=1").choice.as_deref(), Some("protobuf/prost over tcp"));
    let found = ask(&["lost=0"], "cpu=1");
    assert_eq!((found.choice.clone(), found.conclusion), (None, Conclusion::NotDecided));
    assert!(found.group.len() > 1 && found.repeats == 5, "{found:?}");
    assert!(found.repeats_needed.is_none_or(|repeats| repeats > 5), "{found:?}");
}

/// 60 ms and 200 ms: 140 ms between two, which clocks that are wrong by 80 ms each may have made up.
#[test]
fn who_is_behind_by_what_clocks_may_have_made_up_is_not_distinguished() {
    let with = |bound_ns: u64, weights: &str| {
        let mut summary = made_up::messages(STUDY, figures);
        summary.cells.iter_mut().for_each(|cell| cell.clock_bound_ns = Some(bound_ns));
        try_ask(&summary, &["lost=0"], weights, "").unwrap()
    };
    let behind = |found: &Recommendation| {
        let slow = found.meet.iter().find(|one| one.candidate == "protobuf/prost over tcp").unwrap();
        (slow.is_behind, slow.notes.iter().any(|note| note.contains("made up by the clocks")))
    };
    assert_eq!(behind(&with(5_000_000, "latency=1")), (true, false));
    assert_eq!(behind(&with(80_000_000, "latency=1")), (false, true));
    assert_eq!(with(80_000_000, "bytes=1").choice.as_deref(), Some("protobuf/prost over tcp"));
}

#[test]
fn conditions_can_be_fewer() {
    let summary = made_up::messages(STUDY, figures);
    let found = try_ask(&summary, &["lost=0"], "time=1", "loss=0").unwrap();
    assert_eq!((found.meet.len(), found.miss.len(), found.conditions.len()), (6, 0, 1));
    assert!(found.group.iter().all(|choice| choice.ends_with("over mqtt:qos0")), "{found:?}");
    assert!(try_ask(&summary, &[], "time=1", "loss=0.5").is_err());
}

#[test]
fn nonsense_is_refused_with_what_to_write() {
    for (text, needle) in [
        ("lost", "equals sign"),
        ("lots=0", "no metric"),
        ("latency=5", "200ms"),
        ("lost=-1", "not a share"),
        ("lost=200%", "not a share"),
    ] {
        let error = Need::parse("--need", text, Kind::AtMost).unwrap_err().to_string();
        assert!(error.contains(needle) && error.starts_with("--need"), "{error}");
    }
    for (text, needle) in
        [("bytes=-1", "above 0"), ("byts=1", "no metric"), ("latency.p99=1", "means"), ("", "at least one")]
    {
        let error = Weight::parse(text, true).unwrap_err().to_string();
        assert!(error.contains(needle), "{error}");
    }
    let summary = made_up::messages(STUDY, figures);
    let error = try_ask(&summary, &[], "latency_trend=1", "").unwrap_err();
    assert!(error.contains("nothing in this run") || error.contains("no good direction"), "{error}");
}

/// The worst has more messages than the others, or the others lack a figure: the only candidate that can be judged is not the
/// best.
#[test]
fn the_worst_is_not_chosen_because_better_ones_can_not_be_judged() {
    let all = |cell: &Cell, repeat: u32| -> Figures {
        let worst = cell.mode.to_string() == "tcp" && cell.codec.format == "json";
        let times = if worst { 100.0 } else { 1.0 };
        let noise = noise(&cell.to_string(), repeat);
        vec![("latency", 5e6 * times * noise), ("wire_per_message", 100.0 * times), ("lost", 0.0)]
    };
    let worst = "json/serde-json over tcp";
    let mut fewer = made_up::messages(STUDY, all);
    for cell in &mut fewer.cells {
        if cell.axes.mode.to_string() != "tcp" || cell.axes.codec.format != "json" {
            cell.delivery = Delivery { sent: 300, delivered: 300, ..Delivery::default() };
            cell.lost_ratio = None;
        }
    }
    let mut lacking = made_up::messages(STUDY, all);
    for cell in &mut lacking.cells {
        if cell.axes.mode.to_string() != "tcp" || cell.axes.codec.format != "json" {
            cell.metrics.remove("latency");
        }
    }
    for run in [fewer, lacking] {
        let found = try_ask(&run, &[], "bytes,time", "").unwrap();
        assert_eq!(found.group, [worst], "{found:?}");
        assert_eq!((found.choice, found.conclusion), (None, Conclusion::NotDecided));
    }
    // A candidate that may meet the needs but is shown to be behind leaves nothing open.
    let mut behind = made_up::messages(STUDY, all);
    for cell in &mut behind.cells {
        let is_worst = cell.axes.mode.to_string() == "tcp" && cell.axes.codec.format == "json";
        let (sent, is_left) =
            if is_worst { (300, true) } else { (500, cell.axes.mode.to_string() == "mqtt:qos0") };
        cell.delivery = Delivery { sent, delivered: sent, ..Delivery::default() };
        cell.lost_ratio = None;
        cell.valid_trials = if is_left && cell.axes.codec.format == "json" { 5 } else { 0 };
    }
    behind.cells.retain(|cell| cell.valid_trials > 0);
    let found = try_ask(&behind, &[], "bytes,time", "").unwrap();
    assert_eq!(found.choice.as_deref(), Some("json/serde-json over mqtt:qos0"), "{found:?}");
    assert_eq!(names(&found.undecided), [worst]);
}

/// If 5 % are lost, latency is that of survivors and in no answer: that leaves nothing open.
#[test]
fn who_misses_a_need_misses_it_whatever_else_is_not_known() {
    let mut run = made_up::messages(STUDY, figures);
    for cell in run.cells.iter_mut().filter(|cell| cell.axes.mode.to_string() == "mqtt:qos0") {
        if cell.axes.loss.is_some_and(|loss| loss.get() > 0.0) {
            cell.metrics.remove("latency");
        }
    }
    let found = try_ask(&run, &[], "bytes=1,time=1", "").unwrap();
    assert_eq!(found.choice.as_deref(), Some("protobuf/prost over mqtt:qos1"), "{found:?}");
    assert_eq!(names(&found.miss), ["json/serde-json over mqtt:qos0", "protobuf/prost over mqtt:qos0"]);
}

#[test]
fn superseded_messages_never_arrived_either() {
    let mut run = made_up::messages(STUDY, figures);
    for cell in run.cells.iter_mut().filter(|cell| cell.axes.mode.to_string() == "tcp") {
        cell.delivery = Delivery { sent: 500, delivered: 25, superseded: 475, ..Delivery::default() };
    }
    let found = try_ask(&run, &["lost=0"], "bytes", "loss=0").unwrap();
    assert!(names(&found.miss).contains(&"protobuf/prost over tcp"), "{found:?}");
    let why = &found.miss.iter().find(|one| one.candidate == "protobuf/prost over tcp").unwrap().why[0];
    assert!(why.contains("lost or superseded 475 of 500 messages"), "{why}");
}

#[test]
fn a_statistic_of_lost_messages_is_refused() {
    let refused = Need::parse("--need", "lost.max=1%", Kind::AtMost).unwrap_err().to_string();
    assert!(refused.contains("write lost without a statistic"), "{refused}");
}

/// One nanosecond was added to a time of 0, which made the other two million times as slow.
#[test]
fn nothing_measured_is_no_more_than_twice_as_good_as_the_least_that_was() {
    let summary = made_up::messages(STUDY, |cell, repeat| {
        let idle = cell.mode.to_string() == "tcp";
        let cpu = if idle { 0.0 } else { 2e6 * noise(&cell.to_string(), repeat) };
        vec![
            ("latency", if idle { 5e9 } else { 50e6 } * noise(&format!("l {cell}"), repeat)),
            ("lost", 0.0),
            ("subscriber_cpu_per_delivery", cpu),
        ]
    });
    let found = try_ask(&summary, &[], "subscriber_cpu_per_delivery=1,latency=1", "").unwrap();
    let ratio = |name: &str| found.meet.iter().find(|one| one.candidate.ends_with(name)).unwrap().ratios[0].1;
    assert!((1.9..2.1).contains(&ratio("mqtt:qos1")), "{found:?}");
    assert!(found.group.iter().all(|name| !name.ends_with("tcp")), "{found:?}");
}

#[test]
fn what_nobody_has_can_not_be_told() {
    let found = try_ask(&made_up::messages(STUDY, figures), &[], "broker_cpu_per_message=1", "").unwrap();
    assert_eq!((found.conclusion, found.choice), (Conclusion::CantTell, None));
    assert!(
        found.left_out[0].why[0].starts_with("broker_cpu_per_message was not measured"),
        "{:?}",
        found.left_out
    );
    let mut nothing = made_up::messages(STUDY, figures);
    nothing.cells.clear();
    nothing.codecs.clear();
    let found =
        recommend(&nothing, &"".parse().unwrap(), &[], &Weight::parse("bytes", true).unwrap()).unwrap();
    assert_eq!(found.conclusion, Conclusion::CantTell);
}
