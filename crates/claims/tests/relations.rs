//! Made-up runs confirm, refute and leave open each kind of relation, and say what they lack.

#![allow(clippy::unwrap_used, reason = "tests may panic, their functions beside #[test] too")]

use std::collections::BTreeMap;

use wiredyno_claims::{Judgement, Published, Verdict, judge};
use wiredyno_model::summary::{Metric, Summary};

const HEAD: &str = r#"
study = "made-up"
title = "t"
authors = ["A", "B"]
year = 2015
source = "s"
setup = "s"
causes = []
[[format]]
id = "a"
name = "A"
theirs = "old"
codec = "protobuf/prost"
also = ["protobuf/upb"]
[[format]]
id = "b"
name = "B"
theirs = "old"
codec = "json/serde-json"
[[format]]
id = "c"
name = "C"
theirs = "the same"
same_implementation = true
codec = "cbor/ciborium"
[[message]]
id = "m"
name = "M"
payload = "small"
[[message]]
id = "n"
name = "N"
payload = "person"
[[message]]
id = "mixed"
name = "now and then N"
average = { without = "small", with = "person", messages_per_s = 10, with_per_s = 1 }
"#;

/// Ways in which trials scatter, in per cent; a shared drift would cancel, these do not.
const SCATTER: [[f64; 5]; 4] = [
    [1.0, -1.0, 0.5, -0.5, 0.0],
    [-0.4, 0.9, -1.1, 0.2, 0.4],
    [0.3, 0.6, -0.2, -1.0, 0.3],
    [-0.8, 0.1, 0.9, 0.4, -0.6],
];

fn metric(unit: &str, by_repeat: BTreeMap<u32, f64>) -> Metric {
    let mean = by_repeat.values().sum::<f64>() / by_repeat.len() as f64;
    Metric {
        unit: unit.into(),
        count: 5,
        mean,
        interval_95: None,
        median: mean,
        median_interval_95: None,
        p90: None,
        p99: None,
        p90_interval_95: None,
        p99_interval_95: None,
        min: mean,
        max: mean,
        by_repeat,
    }
}

/// A run: payload, codec, bytes, nanoseconds to encode and to decode.
fn run(figures: &[(&str, &str, f64, f64, f64)], trials: u32) -> Summary {
    let codecs = figures.iter().enumerate().map(|(place, (payload, codec, bytes, encode, decode))| {
        let exact = |value: f64| (0..trials).map(|repeat| (repeat, value)).collect();
        let scattered = |value: f64, turn: usize| {
            let of = SCATTER[(place + turn) % SCATTER.len()];
            (0..trials).map(|repeat| (repeat, value * (1.0 + of[repeat as usize % 5] / 100.0))).collect()
        };
        let metrics = BTreeMap::from([
            ("body".to_owned(), metric("bytes", exact(*bytes))),
            ("encode".to_owned(), metric("ns", scattered(*encode, 0))),
            ("decode".to_owned(), metric("ns", scattered(*decode, 2))),
            (
                "decode_peak".to_owned(),
                metric("bytes", exact(if *codec == "cbor/ciborium" { 0.0 } else { *bytes })),
            ),
        ]);
        serde_json::json!({
            "axes": { "payload": payload, "codec": codec },
            "trials": trials, "valid_trials": trials, "invalid": [], "metrics": metrics
        })
    });
    let codecs: Vec<_> = codecs.collect();
    let study =
        "name = \"made-up\"\nwhy = \"w\"\n[axes]\npayload = [\"small\"]\ncodec = [\"protobuf/prost\"]\n";
    let run = serde_json::json!({
        "id": "r", "version": "0", "started": "2026-01-01T00:00:00Z", "duration_ns": 1, "lanes": 1, "utilisation": 0.0,
        "steal": 0.0, "complete": true
    });
    let environment = serde_json::json!({
        "cpu": "", "cpus": 1, "cpus_online": 1, "memory_bytes": 1, "kernel": "", "os": "", "governor": "", "hypervisor": "",
        "load_1min": 0.0, "timer_resolution_ns": 1, "sleep_lateness_p99_ns": 1, "rights": [], "compiler": "", "commit": ""
    });
    let not_run = serde_json::json!([{ "what": "person cbor/ciborium", "why": "it has no such type" }]);
    let summary = serde_json::json!({
        "schema": 1, "run": run, "study": wiredyno_model::Study::parse("s.toml", study).unwrap(),
        "environment": environment, "codecs_described": [], "transports_described": [], "cells": [],
        "codecs": codecs, "not_run": not_run, "notes": []
    });
    serde_json::from_value(summary).unwrap()
}

fn usual() -> Summary {
    let figures = [
        ("small", "protobuf/prost", 40.0, 100.0, 300.0),
        ("small", "json/serde-json", 165.0, 200.0, 300.0),
        ("small", "cbor/ciborium", 100.0, 100.2, 600.0),
        ("small", "protobuf/upb", 40.0, 400.0, 300.0),
        ("person", "protobuf/prost", 60.0, 90.0, 250.0),
        ("person", "json/serde-json", 60.0, 80.0, 500.0),
    ];
    run(&figures, 5)
}

fn judged(summary: &Summary, claim: &str) -> Judgement {
    let text = format!("{HEAD}\n[[claim]]\nid = \"x\"\nsays = \"s\"\nwhere = \"w\"\n{claim}\n");
    let published = Published::parse("made-up.toml", &text).unwrap_or_else(|error| panic!("{error}"));
    judge(&published, summary).remove(0)
}

#[test]
fn each_relation_can_be_confirmed_refuted_and_left_open() {
    let m = "messages = [\"m\"]\nmetric = [\"encode\"]\n";
    let size = "messages = [\"m\"]\nmetric = [\"body\"]\n";
    let sides = |relation: &str, left: &str, right: &str, rest: &str| {
        let (of, to) = if relation == "less" { ("of", "than") } else { ("of", "to") };
        format!(
            "{relation} = {{ {of} = {{ format = \"{left}\" }}, {to} = {{ format = \"{right}\" }}{rest} }}"
        )
    };
    use Verdict::{Confirmed, NotDecided, Refuted};
    for (claim, verdict) in [
        (format!("{size}lowest = {{ of = \"a\", among = [\"b\", \"c\"] }}"), Confirmed),
        (format!("{m}lowest = {{ of = \"b\", among = [\"a\", \"c\"] }}"), Refuted),
        (format!("{m}lowest = {{ of = \"a\", among = [\"b\", \"c\"] }}"), NotDecided),
        (format!("{m}highest = {{ of = \"b\", among = [\"a\", \"c\"] }}"), Confirmed),
        (format!("{m}highest = {{ of = \"a\", among = [\"b\"] }}"), Refuted),
        (format!("{m}highest = {{ of = \"c\", among = [\"a\"] }}"), NotDecided),
        (m.to_owned() + &sides("less", "a", "b", ""), Confirmed),
        (m.to_owned() + &sides("less", "b", "c", ""), Refuted),
        (m.to_owned() + &sides("less", "a", "c", ""), NotDecided),
        (
            format!("{size}order = [{{ format = \"a\" }}, {{ format = \"c\" }}, {{ format = \"b\" }}]"),
            Confirmed,
        ),
        (
            format!("{size}order = [{{ format = \"a\" }}, {{ format = \"b\" }}, {{ format = \"c\" }}]"),
            Refuted,
        ),
        (
            format!("{m}order = [{{ format = \"a\" }}, {{ format = \"c\" }}, {{ format = \"b\" }}]"),
            NotDecided,
        ),
        (m.to_owned() + &sides("ratio", "b", "a", ", from = 1.8, up_to = 2.2"), Confirmed),
        (m.to_owned() + &sides("ratio", "b", "a", ", from = 3"), Refuted),
        (m.to_owned() + &sides("ratio", "b", "a", ", from = 2.0, up_to = 2.2"), NotDecided),
        (m.to_owned() + &sides("equal", "a", "c", ", within = 0.05"), Confirmed),
        (m.to_owned() + &sides("equal", "a", "b", ", within = 0.05"), Refuted),
        (m.to_owned() + &sides("equal", "a", "c", ", within = 0.001"), NotDecided),
    ] {
        let judgement = judged(&usual(), &claim);
        assert_eq!(judgement.verdict, verdict, "{claim}\n{judgement:#?}");
    }
}

#[test]
fn equal_sizes_are_not_smaller_and_need_no_repeats() {
    let claim = "messages = [\"n\"]\nmetric = [\"body\"]\nless = { of = { format = \"a\" }, than = { format = \"b\" } }";
    let judgement = judged(&usual(), claim);
    assert_eq!(judgement.verdict, Verdict::Refuted);
    assert_eq!(
        judgement.why,
        "protobuf/prost for n is 1.000 times json/serde-json for n, exactly; claimed: below 1"
    );
    assert!(!judgement.other_implementations, "sizes belong to the format");
    let once =
        run(&[("small", "protobuf/prost", 40.0, 1.0, 1.0), ("small", "json/serde-json", 165.0, 2.0, 1.0)], 1);
    let claim = |metric: &str| {
        format!(
            "messages = [\"m\"]\nmetric = [\"{metric}\"]\nless = {{ of = {{ format = \"a\" }}, than = {{ format = \"b\" }} }}"
        )
    };
    assert_eq!(judged(&once, &claim("body")).verdict, Verdict::Confirmed);
    let open = judged(&once, &claim("encode"));
    assert_eq!(open.verdict, Verdict::NotDecided);
    assert!(open.why.contains("run at least 5 repeats"), "{}", open.why);
}

#[test]
fn it_must_hold_for_every_message_and_the_worst_is_named() {
    let claim = "messages = [\"m\", \"n\"]\nmetric = [\"encode\"]\nless = { of = { format = \"a\" }, than = { format = \"b\" } }";
    let judgement = judged(&usual(), claim);
    assert_eq!(judgement.verdict, Verdict::Refuted);
    assert!(
        judgement.why.starts_with("1 of 2 comparisons say otherwise; protobuf/prost for n is 1.1"),
        "{}",
        judgement.why
    );
    assert_eq!(judgement.codecs.len(), 2);
    assert!(judgement.other_implementations);
}

#[test]
fn other_codecs_of_a_format_get_verdicts_of_their_own() {
    let claim = "messages = [\"m\"]\nmetric = [\"encode\"]\nless = { of = { format = \"a\" }, than = { format = \"b\" } }";
    let judgement = judged(&usual(), claim);
    assert_eq!(judgement.verdict, Verdict::Confirmed);
    let [other] = judgement.with_others.as_slice() else { panic!("{judgement:#?}") };
    assert_eq!((other.with.as_str(), other.verdict), ("protobuf/upb", Verdict::Refuted));
}

#[test]
fn sides_take_messages_metrics_and_ratios_of_their_own() {
    let claim = "formats = [\"b\"]\nmetric = [\"body\"]\nless = { of = { message = \"n\" }, than = { message = \"m\" } }";
    assert_eq!(judged(&usual(), claim).verdict, Verdict::Confirmed);
    let claim = "formats = [\"a\", \"b\"]\nmessages = [\"m\"]\nless = { of = { metric = [\"encode\"] }, than = { metric = [\"decode\"] } }";
    let judgement = judged(&usual(), claim);
    assert_eq!((judgement.verdict, judgement.comparisons.len()), (Verdict::Confirmed, 2));
    assert!(judgement.why.contains("(encode)") && judgement.why.contains("(decode)"), "{}", judgement.why);
    // b over a: decode 1, encode 2.
    let gap = "messages = [\"m\"]\nless = { of = { format = \"b\", over = \"a\", metric = [\"decode\"] }, than = { format = \"b\", over = \"a\", metric = [\"encode\"] } }";
    assert_eq!(judged(&usual(), gap).verdict, Verdict::Confirmed);
}

#[test]
fn averages_follow_the_formula() {
    // a: 0.9 * 40 + 0.1 * 60 = 42; b: 0.9 * 165 + 0.1 * 60 = 154.5.
    let claim = "messages = [\"mixed\"]\nmetric = [\"body\"]\nratio = { of = { format = \"b\" }, to = { format = \"a\" }, from = 3.678, up_to = 3.679 }";
    let judgement = judged(&usual(), claim);
    assert_eq!(judgement.verdict, Verdict::Confirmed, "{}", judgement.why);
}

#[test]
fn a_figure_of_zero_is_compared_by_its_difference_and_has_no_ratio() {
    let less = "messages = [\"m\"]\nmetric = [\"decode_peak\"]\nless = { of = { format = \"c\" }, than = { format = \"a\" } }";
    assert_eq!(judged(&usual(), less).verdict, Verdict::Confirmed);
    let ratio = "messages = [\"m\"]\nmetric = [\"decode_peak\"]\nratio = { of = { format = \"c\" }, to = { format = \"a\" }, up_to = 0.5 }";
    let judgement = judged(&usual(), ratio);
    assert_eq!(judgement.verdict, Verdict::NotDecided);
    assert!(judgement.why.contains("a figure is 0"), "{}", judgement.why);
}

#[test]
fn what_a_run_lacks_is_not_decided_and_what_it_could_not_have_is_not_comparable() {
    for (claim, verdict, why) in [
        (
            "messages = [\"n\"]\nmetric = [\"body\"]\nless = { of = { format = \"c\" }, than = { format = \"a\" } }",
            Verdict::NotComparable,
            "it has no such type",
        ),
        (
            "messages = [\"m\"]\nmetric = [\"decode_stack\"]\nless = { of = { format = \"b\" }, than = { format = \"a\" } }",
            Verdict::NotDecided,
            "`decode_stack` was not measured for small",
        ),
        ("not_comparable = \"a recommendation\"", Verdict::NotComparable, "a recommendation"),
    ] {
        let judgement = judged(&usual(), claim);
        assert_eq!(judgement.verdict, verdict, "{claim}");
        assert!(judgement.why.contains(why), "{}", judgement.why);
    }
    // What fails where there are figures is refuted, whatever is missing elsewhere.
    let claim = "messages = [\"m\", \"n\"]\nmetric = [\"body\"]\nless = { of = { format = \"c\" }, than = { format = \"a\" } }";
    assert_eq!(judged(&usual(), claim).verdict, Verdict::Refuted);
}

#[test]
fn what_makes_no_sense_is_refused_with_its_line() {
    let claim = |text: &str| format!("{HEAD}\n[[claim]]\nid = \"x\"\nsays = \"s\"\nwhere = \"w\"\n{text}\n");
    let table = |text: &str| format!("{HEAD}\n[[table]]\nid = \"t\"\ntitle = \"t\"\nwhere = \"w\"\n{text}\n");
    let row = "[[table.row]]\nmessage = \"m\"\nvalues = { a = \"1\" }";
    for (text, part) in [
        (claim("metric = [\"body\"]"), "exactly one of"),
        (claim("lowest = { of = \"a\", among = [\"b\"] }"), "needs `messages` and `metric`"),
        (
            claim("messages = [\"m\"]\nmetric = [\"body\"]\nlowest = { of = \"a\", among = [\"z\"] }"),
            "no format or protocol `z`",
        ),
        (
            claim("messages = [\"mm\"]\nmetric = [\"body\"]\nlowest = { of = \"a\", among = [\"b\"] }"),
            "no message `mm`",
        ),
        (
            claim("messages = [\"m\"]\nmetric = [\"body\"]\nless = { of = {}, than = { format = \"a\" } }"),
            "a side has no format",
        ),
        (
            claim(
                "messages = [\"m\"]\nmetric = [\"body\"]\nratio = { of = { format = \"a\" }, to = { format = \"b\" } }",
            ),
            "`from`, `up_to` or both",
        ),
        (claim("not_comparible = \"why\""), "did you mean `not_comparable`?"),
        (
            table(&format!("metric = [\"encode\"]\nprinted_as = \"value\"\nunit = \"us\"\n{row}")),
            "times are compared as ratios only",
        ),
        (
            table(&format!(
                "metric = [\"body\"]\nprinted_as = \"value\"\nunit = \"bytes\"\n{}",
                row.replace("\"1\"", "\"1 B\"")
            )),
            "`1 B` for `a` is no number",
        ),
    ] {
        let error = Published::parse("made-up.toml", &text).unwrap_err();
        assert!(error.to_string().contains(part), "{error}");
        assert!(error.line > 30, "{error}");
    }
}
