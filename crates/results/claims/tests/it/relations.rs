//! Made-up runs show each kind of relation, its opposite, and neither, and report what they lack. One file because
//! all relations are judged over the same made-up study.

use std::collections::BTreeMap;

use wiredyno_claims::{Judgement, Published, Standing, Verdict, against, judge, unjudged};
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

/// Ways in which trials vary, in percent; a shared drift would cancel, these do not.
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
        coverage: None,
        min: mean,
        max: mean,
        by_repeat,
        median_by_repeat: BTreeMap::new(),
        p99_by_repeat: BTreeMap::new(),
    }
}

/// A run: payload, codec, bytes, nanoseconds to encode and to decode.
pub fn run(figures: &[(&str, &str, f64, f64, f64)], trials: u32) -> Summary {
    let codecs = figures.iter().enumerate().map(|(place, (payload, codec, bytes, encode, decode))| {
        let exact = |value: f64| (0..trials).map(|repeat| (repeat, value)).collect();
        let scattered = |value: f64, turn: usize, times: f64| {
            let of = SCATTER[(place + turn) % SCATTER.len()];
            (0..trials)
                .map(|repeat| (repeat, value * (1.0 + times * of[repeat as usize % 5] / 100.0)))
                .collect()
        };
        // Figures that are close to each other, but not certainly alike.
        let wide = if *codec == "cbor/ciborium" { 10.0 } else { 1.0 };
        let metrics = BTreeMap::from([
            ("body".to_owned(), metric("bytes", exact(*bytes))),
            ("encode".to_owned(), metric("ns", scattered(*encode, 0, wide))),
            ("decode".to_owned(), metric("ns", scattered(*decode, 2, 1.0))),
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
    let not_run = serde_json::json!([{
        "what": "person cbor/ciborium", "why": "it has no such type",
        "part": { "codec": { "payload": "person", "codec": "cbor/ciborium" } }
    }]);
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
fn each_relation_can_hold_fail_and_be_left_open() {
    let m = "messages = [\"m\"]\nmetric = [\"encode\"]\n";
    let size = "messages = [\"m\"]\nmetric = [\"body\"]\n";
    let sides = |relation: &str, left: &str, right: &str, rest: &str| {
        let (of, to) = if relation == "less" { ("of", "than") } else { ("of", "to") };
        format!(
            "{relation} = {{ {of} = {{ format = \"{left}\" }}, {to} = {{ format = \"{right}\" }}{rest} }}"
        )
    };
    use Standing::{Fails as Refuted, Holds as Confirmed, Open as NotDecided};
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
        (m.replace("encode", "decode") + &sides("equal", "a", "b", ", within = 0.05"), Confirmed),
        (m.to_owned() + &sides("equal", "a", "b", ", within = 0.05"), Refuted),
        (m.to_owned() + &sides("equal", "a", "c", ", within = 0.001"), NotDecided),
    ] {
        let judgement = judged(&usual(), &claim);
        assert_eq!(judgement.here, Some(verdict), "{claim}\n{judgement:#?}");
    }
}

/// Varying figures of which one is claimed to be less: certainly different, certainly alike, and neither.
#[test]
fn figures_that_are_alike_are_a_tie_and_do_not_refute() {
    let claim = "messages = [\"m\"]\nmetric = [\"decode\"]\nless = { of = { format = \"a\" }, than = { format = \"b\" } }";
    for (ours, standing) in
        [(90.0, Standing::Holds), (100.1, Standing::Tie), (99.9, Standing::Tie), (110.0, Standing::Fails)]
    {
        let figures =
            [("small", "protobuf/prost", 40.0, 1.0, ours), ("small", "json/serde-json", 165.0, 1.0, 100.0)];
        let judgement = judged(&run(&figures, 5), claim);
        assert_eq!(judgement.here, Some(standing), "{ours}: {}", judgement.why);
        assert_eq!(judgement.why.contains(": a tie"), standing == Standing::Tie, "{}", judgement.why);
    }
}

#[test]
fn equal_sizes_are_not_smaller_and_need_no_repeats() {
    let claim = "messages = [\"n\"]\nmetric = [\"body\"]\nless = { of = { format = \"a\" }, than = { format = \"b\" } }";
    let judgement = judged(&usual(), claim);
    assert_eq!((judgement.verdict, judgement.here), (Verdict::NotDecided, Some(Standing::Tie)));
    assert_eq!(
        judgement.why,
        "protobuf/prost for n is 1.000 times json/serde-json for n, exactly: a tie; claimed: below 1"
    );
    let once =
        run(&[("small", "protobuf/prost", 40.0, 1.0, 1.0), ("small", "json/serde-json", 165.0, 2.0, 1.0)], 1);
    let claim = |metric: &str| {
        format!(
            "messages = [\"m\"]\nmetric = [\"{metric}\"]\nless = {{ of = {{ format = \"a\" }}, than = {{ format = \"b\" }} }}"
        )
    };
    assert_eq!(judged(&once, &claim("body")).here, Some(Standing::Holds));
    let open = judged(&once, &claim("encode"));
    assert_eq!(open.verdict, Verdict::NotMeasured);
    assert!(open.why.contains("run at least 5 repeats"), "{}", open.why);
}

#[test]
fn it_must_hold_for_every_message_and_the_worst_is_named() {
    let claim = "messages = [\"m\", \"n\"]\nmetric = [\"encode\"]\nless = { of = { format = \"a\" }, than = { format = \"b\" } }";
    let judgement = judged(&usual(), claim);
    assert_eq!(judgement.here, Some(Standing::Fails));
    assert!(
        judgement
            .why
            .starts_with("1 of 2 comparisons say otherwise; the farthest: protobuf/prost for n is 1.1"),
        "{}",
        judgement.why
    );
    assert_eq!(judgement.codecs.len(), 2);
}

#[test]
fn every_choice_of_codecs_has_a_result_of_its_own() {
    let claim = "messages = [\"m\"]\nmetric = [\"encode\"]\nless = { of = { format = \"a\" }, than = { format = \"b\" } }";
    let judgement = judged(&usual(), claim);
    assert_eq!(judgement.here, Some(Standing::Holds));
    let with: Vec<_> = judgement.with.iter().map(|with| (with.with.as_str(), with.standing)).collect();
    assert_eq!(
        with,
        [
            ("protobuf/prost, json/serde-json", Standing::Holds),
            ("protobuf/upb, json/serde-json", Standing::Fails)
        ]
    );
}

#[test]
fn sides_take_messages_metrics_and_ratios_of_their_own() {
    let claim = "formats = [\"b\"]\nmetric = [\"body\"]\nless = { of = { message = \"n\" }, than = { message = \"m\" } }";
    assert_eq!(judged(&usual(), claim).here, Some(Standing::Holds));
    let claim = "formats = [\"a\", \"b\"]\nmessages = [\"m\"]\nless = { of = { metric = [\"encode\"] }, than = { metric = [\"decode\"] } }";
    let judgement = judged(&usual(), claim);
    assert_eq!((judgement.here, judgement.comparisons.len()), (Some(Standing::Holds), 2));
    assert!(judgement.why.contains("(encode)") && judgement.why.contains("(decode)"), "{}", judgement.why);
    // b over a: decode 1, encode 2.
    let gap = "messages = [\"m\"]\nless = { of = { format = \"b\", over = \"a\", metric = [\"decode\"] }, than = { format = \"b\", over = \"a\", metric = [\"encode\"] } }";
    assert_eq!(judged(&usual(), gap).here, Some(Standing::Holds));
}

#[test]
fn averages_follow_the_formula() {
    // a: 0.9 * 40 + 0.1 * 60 = 42; b: 0.9 * 165 + 0.1 * 60 = 154.5.
    let claim = "messages = [\"mixed\"]\nmetric = [\"body\"]\nratio = { of = { format = \"b\" }, to = { format = \"a\" }, from = 3.678, up_to = 3.679 }";
    let judgement = judged(&usual(), claim);
    assert_eq!(judgement.here, Some(Standing::Holds), "{}", judgement.why);
}

#[test]
fn a_figure_of_zero_is_compared_by_its_difference_and_has_no_ratio() {
    let less = "messages = [\"m\"]\nmetric = [\"decode_peak\"]\nless = { of = { format = \"c\" }, than = { format = \"a\" } }";
    assert_eq!(judged(&usual(), less).here, Some(Standing::Holds));
    let ratio = "messages = [\"m\"]\nmetric = [\"decode_peak\"]\nratio = { of = { format = \"c\" }, to = { format = \"a\" }, up_to = 0.5 }";
    let judgement = judged(&usual(), ratio);
    assert_eq!(judgement.verdict, Verdict::NotMeasured);
    assert!(judgement.why.contains("a figure is 0"), "{}", judgement.why);
}

#[test]
fn what_a_run_lacks_is_not_measured_and_what_it_could_not_have_cannot_be_judged() {
    for (claim, verdict, why) in [
        (
            "messages = [\"n\"]\nmetric = [\"body\"]\nless = { of = { format = \"c\" }, than = { format = \"a\" } }",
            Verdict::CannotJudge,
            "it has no such type",
        ),
        (
            "messages = [\"m\"]\nmetric = [\"decode_stack\"]\nless = { of = { format = \"b\" }, than = { format = \"a\" } }",
            Verdict::NotMeasured,
            "`decode_stack` was not measured for small",
        ),
        ("cannot_judge = \"a recommendation\"", Verdict::CannotJudge, "a recommendation"),
    ] {
        let judgement = judged(&usual(), claim);
        assert_eq!(judgement.verdict, verdict, "{claim}");
        assert!(judgement.why.contains(why), "{}", judgement.why);
    }
    // If existing figures contradict it, they do, whatever is missing elsewhere.
    let claim = "messages = [\"m\", \"n\"]\nmetric = [\"body\"]\nless = { of = { format = \"c\" }, than = { format = \"a\" } }";
    assert_eq!(judged(&usual(), claim).here, Some(Standing::Fails));
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
        (claim("cannot_juge = \"why\""), "did you mean `cannot_judge`?"),
        (
            table(&format!("metric = [\"encode\"]\nprinted_as = \"value\"\nunit = \"us\"\n{row}")),
            "times are compared only as ratios",
        ),
        (
            table(&format!(
                "metric = [\"body\"]\nprinted_as = \"value\"\nunit = \"bytes\"\n{}",
                row.replace("\"1\"", "\"1 B\"")
            )),
            "`1 B` for `a` is not a number",
        ),
    ] {
        let error = Published::parse("made-up.toml", &text).unwrap_err();
        assert!(error.to_string().contains(part), "{error}");
        assert!(error.line > Some(30), "{error}");
    }
}

const OF_MESSAGES: &str = r#"
study = "made-up"
title = "t"
authors = ["A"]
year = 2019
source = "s"
setup = "s"
causes = []
also_under = [{ link = "lte" }]
[conditions]
link = "lan"
loss = "0"
[[protocol]]
id = "p"
name = "P"
theirs = "old"
mode = "mqtt:qos1"
[[protocol]]
id = "q"
name = "Q"
theirs = "old"
mode = "coap:con"
[[protocol]]
id = "r"
name = "R"
theirs = "old"
mode = "tcp"
[[format]]
id = "bytes"
name = "bytes"
theirs = "themselves"
codec = "raw/wiredyno"
[[message]]
id = "m"
name = "M"
payload = "small"
format = "bytes"
[[message]]
id = "10"
name = "ten"
payload = "opaque@10"
format = "bytes"
[[message]]
id = "1000"
name = "a thousand"
payload = "opaque@1000"
format = "bytes"
"#;

const STUDY: &str = r#"
name = "made-up"
why = "w"
[axes]
payload = ["small", "opaque@10", "opaque@1000"]
codec = ["raw/wiredyno"]
mode = ["mqtt:qos1", "coap:con", "tcp"]
link = ["lan", "lte"]
loss = [0.0, 0.05, 0.25]
[load]
kind = "closed"
messages = 10
deadline = "2s"
drain = "2s"
"#;

/// Every cell of the study except that over tcp to a thousand bytes, which did not run; latency by mode, loss and
/// size.
fn run_of_messages() -> Summary {
    let study = wiredyno_model::Study::parse("s.toml", STUDY).unwrap();
    let cells = study.cells(&|_, _| false).into_iter().enumerate();
    let cells =
        cells.filter(|(_, cell)| !(cell.mode.protocol == "tcp" && cell.payload.size_bytes == Some(1000)));
    let cells = cells.map(|(place, cell)| {
        let loss = cell.loss.unwrap().get();
        let (steep, base) = match cell.mode.protocol.as_str() {
            "coap" => (8.0, 1.0),
            "mqtt" => (1.0, 1.02),
            _ => (0.0, 1.01),
        };
        let far = if cell.link.as_str() == "lte" { 10.0 } else { 1.0 };
        let latency = 1e6 * far * base * (1.0 + steep * loss) * (1.0 + f64::from(cell.payload.size_bytes.unwrap_or(0)) / 1e3);
        let of = SCATTER[place % SCATTER.len()];
        let scattered = |value: f64| (0..5).map(|repeat| (repeat, value * (1.0 + of[repeat as usize] / 100.0))).collect();
        let lost = if cell.mode.protocol == "tcp" { 0.0 } else { loss };
        let mut lost = metric("ratio", scattered(lost));
        lost.interval_95 = Some([lost.mean * 0.9, lost.mean * 1.1 + 0.01]);
        let metrics = BTreeMap::from([("latency".to_owned(), metric("ns", scattered(latency))), ("lost".to_owned(), lost)]);
        serde_json::json!({
            "axes": cell, "trials": 5, "valid_trials": 5, "invalid": [], "broker": null, "metrics": metrics,
            "delivery": wiredyno_model::trial::Delivery::default(), "lost_ratio": null, "wire": null, "wire_setup": null,
            "latency_ecdf": [], "latency_box": null, "trial_latency_ns": []
        })
    });
    let cells: Vec<_> = cells.collect();
    let mut summary = serde_json::to_value(run(&[], 5)).unwrap();
    summary["study"] = serde_json::to_value(&study).unwrap();
    summary["cells"] = cells.into();
    let not_run = serde_json::json!([{
        "what": "opaque@1000 raw/wiredyno tcp lan loss 0%", "why": "no wire is long enough",
        "part": { "cell": { "payload": "opaque@1000", "codec": "raw/wiredyno", "mode": "tcp", "link": "lan", "loss": 0.0 } }
    }]);
    summary["not_run"] = not_run;
    serde_json::from_value(summary).unwrap()
}

fn of_messages(claim: &str) -> Judgement {
    let text = format!("{OF_MESSAGES}\n[[claim]]\nid = \"x\"\nsays = \"s\"\nwhere = \"w\"\n{claim}\n");
    let published = Published::parse("made-up.toml", &text).unwrap_or_else(|error| panic!("{error}"));
    judge(&published, &run_of_messages()).remove(0)
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table of claims with their verdicts")]
fn relations_of_messages_can_hold_fail_and_be_left_open() {
    use Standing::{Fails as Refuted, Holds as Confirmed, Open as NotDecided};
    let latency = "metric = [\"latency\"]\n";
    let lost = "metric = [\"lost\"]\n";
    let over = "over = [\"0\", \"5%\", \"25%\"]";
    for (claim, verdict) in [
        (
            format!(
                "{latency}messages = [\"m\"]\nprotocols = [\"q\"]\nincreases = {{ along = \"loss\", {over} }}"
            ),
            Confirmed,
        ),
        (
            format!(
                "{latency}messages = [\"m\"]\nprotocols = [\"q\"]\ndecreases = {{ along = \"loss\", {over} }}"
            ),
            Refuted,
        ),
        (
            format!(
                "{latency}messages = [\"m\"]\nprotocols = [\"r\"]\nincreases = {{ along = \"loss\", {over} }}"
            ),
            NotDecided,
        ),
        (
            format!(
                "{latency}messages = [\"m\"]\nprotocols = [\"r\"]\nconstant = {{ along = \"loss\", {over}, within = 0.1 }}"
            ),
            Confirmed,
        ),
        (
            format!(
                "{latency}messages = [\"m\"]\nprotocols = [\"q\"]\nconstant = {{ along = \"loss\", {over}, within = 0.1 }}"
            ),
            Refuted,
        ),
        (
            format!(
                "{latency}protocols = [\"p\", \"q\"]\nincreases = {{ along = \"message\", over = [\"10\", \"1000\"] }}"
            ),
            Confirmed,
        ),
        (
            format!(
                "{latency}messages = [\"m\"]\nslope = {{ of = {{ protocol = [\"p\", \"r\"] }}, than = {{ protocol = \"q\" }}, along = \"loss\", {over} }}"
            ),
            Confirmed,
        ),
        (
            format!(
                "{latency}messages = [\"m\"]\nslope = {{ of = {{ protocol = \"q\" }}, than = {{ protocol = \"p\" }}, along = \"loss\", {over} }}"
            ),
            Refuted,
        ),
        (
            format!(
                "{latency}messages = [\"m\"]\nsimilar = {{ among = [\"p\", \"q\", \"r\"], within = 0.1 }}"
            ),
            Confirmed,
        ),
        (
            format!(
                "{latency}messages = [\"m\"]\nat = {{ loss = [\"0\", \"25%\"] }}\nsimilar = {{ of = \"q\", among = [\"p\", \"r\"], within = 0.1 }}"
            ),
            Refuted,
        ),
        (
            format!(
                "{latency}messages = [\"m\"]\nat = {{ loss = \"25%\" }}\nhighest = {{ of = \"q\", among = [\"p\", \"r\"] }}"
            ),
            Confirmed,
        ),
        (
            format!(
                "{lost}messages = [\"m\"]\nprotocols = [\"q\"]\ntracks = {{ along = \"loss\", over = [\"5%\", \"25%\"], within = 0.2 }}"
            ),
            Confirmed,
        ),
        (
            format!(
                "{latency}messages = [\"m\"]\nprotocols = [\"q\"]\ntracks = {{ along = \"loss\", over = [\"5%\", \"25%\"], within = 0.2 }}"
            ),
            Refuted,
        ),
        (format!("{lost}messages = [\"m\"]\nprotocols = [\"r\"]\nvalue = {{ up_to = \"1%\" }}"), Confirmed),
        (
            format!("{lost}messages = [\"m\"]\nprotocols = [\"r\"]\nvalue = {{ up_to = \"0.1%\" }}"),
            NotDecided,
        ),
        (format!("{latency}messages = [\"m\"]\nprotocols = [\"p\"]\nvalue = {{ from = \"2ms\" }}"), Refuted),
        (
            format!(
                "{latency}messages = [\"m\"]\norders = [[{{ protocol = \"p\" }}, {{ protocol = \"p\", at = {{ loss = \"25%\" }} }}], \
                 [{{ protocol = \"q\" }}, {{ protocol = \"q\", at = {{ loss = \"5%\" }} }}]]"
            ),
            Confirmed,
        ),
        (
            format!(
                "{latency}messages = [\"m\"]\nplaces = [{{ loss = \"5%\", link = \"lte\" }}]\nlowest = {{ of = \"r\", among = [\"q\"] }}"
            ),
            Confirmed,
        ),
    ] {
        let judgement = of_messages(&claim);
        assert_eq!(judgement.here, Some(verdict), "{claim}\n{judgement:#?}");
    }
}

#[test]
fn what_a_machine_could_not_have_leaves_a_claim_without_a_verdict() {
    let judgement = of_messages(
        "metric = [\"latency\"]\nmessages = [\"1000\"]\nlowest = { of = \"r\", among = [\"q\"] }",
    );
    assert_eq!((judgement.verdict, judgement.here), (Verdict::CannotJudge, None));
}

#[test]
fn claims_of_messages_name_their_modes_and_are_judged_again_under_other_conditions() {
    let judgement = of_messages(
        "metric = [\"latency\"]\nmessages = [\"m\"]\nless = { of = { protocol = \"r\" }, than = { protocol = \"q\", at = { loss = \"25%\" } } }",
    );
    let modes: Vec<String> = judgement.modes.iter().map(ToString::to_string).collect();
    assert_eq!(modes, ["tcp", "coap:con"]);
    let [other] = judgement.under.as_slice() else { panic!("{judgement:#?}") };
    assert_eq!((other.with.as_str(), other.standing), ("link lte", Standing::Holds));
    assert!(judgement.why.contains("coap:con for m (loss 25%)"), "{}", judgement.why);
}

#[test]
fn a_protocol_that_is_fixed_on_an_axis_stays_there_under_other_conditions() {
    let claim = "\n[[claim]]\nid = \"x\"\nsays = \"s\"\nwhere = \"w\"\nmetric = [\"latency\"]\nmessages = [\"m\"]\n\
                 similar = { among = [\"p\", \"r\"], within = 0.1 }\n";
    let text = |more: &str| {
        format!("{OF_MESSAGES}{claim}").replace("mode = \"tcp\"", &format!("mode = \"tcp\"\n{more}"))
    };
    let others = |more: &str| {
        let published =
            Published::parse("made-up.toml", &text(more)).unwrap_or_else(|error| panic!("{error}"));
        let judgement = judge(&published, &run_of_messages()).remove(0);
        assert_eq!(judgement.here, Some(Standing::Holds));
        judgement.under.iter().map(|other| other.standing).collect::<Vec<_>>()
    };
    assert_eq!(others(""), [Standing::Holds], "both on the other link");
    assert_eq!(others("at = { link = \"lan\" }\nfixed = [\"link\"]"), [Standing::Fails], "one of them alone");
    let refused = Published::parse("made-up.toml", &text("fixed = [\"link\"]")).unwrap_err();
    assert!(refused.to_string().contains("`fixed` names `link`, which `at` does not mention"), "{refused}");
    assert!(text("fixed = [\"link\"]").lines().nth(refused.line.unwrap() - 1).unwrap().contains("fixed"));
}

#[test]
fn without_a_run_nothing_is_decided() {
    let text = format!(
        "{OF_MESSAGES}\n[[claim]]\nid = \"x\"\nsays = \"s\"\nwhere = \"w\"\ncannot_judge = \"advice\"\n\
                        [[claim]]\nid = \"y\"\nsays = \"s\"\nwhere = \"w\"\nmetric = [\"latency\"]\nmessages = [\"m\"]\n\
                        lowest = {{ of = \"r\", among = [\"q\"] }}\n"
    );
    let published = Published::parse("made-up.toml", &text).unwrap();
    let verdicts: Vec<Verdict> = unjudged(&published).iter().map(|judgement| judgement.verdict).collect();
    assert_eq!(verdicts, [Verdict::CannotJudge, Verdict::NotMeasured]);
    assert!(unjudged(&published)[1].why.contains("wiredyno run made-up"));
}

#[test]
fn what_a_study_has_not_is_refused_with_line_and_nearest_name() {
    let study = wiredyno_model::Study::parse("s.toml", STUDY).unwrap();
    let check = |text: &str| {
        let published = Published::parse("own.toml", text).unwrap();
        against(&published, &study, "own.toml", text)
    };
    let claim = "\n[[claim]]\nid = \"x\"\nsays = \"s\"\nwhere = \"w\"\nmetric = [\"latency\"]\nmessages = [\"m\"]\nat = { loss = \"5%\" }\n\
                 lowest = { of = \"r\", among = [\"q\"] }\n";
    let text = format!("{OF_MESSAGES}{claim}");
    assert_eq!(check(&text), Ok(()));
    let at = |needle: &str, text: &str| text.lines().position(|line| line.contains(needle)).unwrap() + 1;
    for (from, to, part) in [
        ("coap:con", "coap:non", "has no mode `coap:non`; did you mean `coap:con`?"),
        ("opaque@10\"", "opaque@11\"", "has no payload `opaque@11`"),
        ("link = \"lan\"", "link = \"lam\"", "has no link `lam`; did you mean `lan`?"),
        ("loss = \"5%\"", "loss = \"6%\"", "has no loss `6%`"),
        ("loss = \"5%\"", "way = \"one-way\"", "has no axis `way`"),
    ] {
        let text = text.replace(from, to);
        let error = check(&text).unwrap_err();
        let value = to.split('"').find(|part| !part.is_empty() && !part.ends_with("= ")).unwrap();
        assert!(error.to_string().contains(part), "{error}");
        assert_eq!(error.line, Some(at(&format!("{value}\""), &text)), "{error}");
    }
    let refused = |from: &str, to: &str| Published::parse("own.toml", &text.replace(from, to)).unwrap_err();
    for (from, to, part) in [
        ("[\"latency\"]", "[\"latancy\"]", "there is no metric `latancy`; did you mean `latency`?"),
        ("{ loss = \"5%\" }", "{ los = \"5%\" }", "there is no axis `los`; did you mean `loss`?"),
        ("{ loss = \"5%\" }", "{ loss = \"five\" }", "`five` is not a loss"),
        ("among = [\"q\"]", "among = [\"qq\"]", "there is no format or protocol `qq`"),
        (
            "lowest = { of = \"r\", among = [\"q\"] }",
            "increases = { along = \"loss\", over = [\"5%\"] }",
            "at least two values",
        ),
        ("lowest = { of = \"r\", among = [\"q\"] }", "value = { up_to = \"5\" }", "5"),
    ] {
        let error = refused(from, to);
        assert!(error.to_string().contains(part) && error.line > Some(40), "{error}");
    }
}
