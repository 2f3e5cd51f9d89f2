//! Runs over loopback, which need no rights and no installed program: run folders, summaries, reports.
//!
//! One file because all of it asserts on runs of the same small study.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::SystemTime;

use crate::stand::{Desk, array, assert_accounted, mode, number};
use serde_json::Value;
use wiredyno_store::RunFolder;

fn names(folder: &Path) -> BTreeSet<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect()
}

/// Every figure of a metric is present and consistent; percentiles need more observations than these runs make.
fn assert_metric(metric: &Value, of: &str) {
    assert!(metric["unit"].is_string(), "{of}: {metric}");
    for name in ["count", "mean", "median", "min", "max"] {
        assert!(metric[name].is_number(), "{of}: no `{name}` in {metric}");
    }
    let figure = |name: &str| metric[name].as_f64().unwrap();
    assert!(figure("min") <= figure("median") && figure("median") <= figure("max"), "{of}: {metric}");
    let count = metric["count"].as_u64().unwrap();
    assert_eq!(
        (metric["p90"].is_number(), metric["p99"].is_number()),
        (count >= 100, count >= 1_000),
        "{of}"
    );
}

fn assert_summary(summary: &Value) {
    assert_eq!(summary["run"]["complete"], true);
    assert_eq!(array(&summary["cells"]).len(), 10);
    assert_accounted(summary, 2);
    for cell in array(&summary["cells"]) {
        for axis in ["payload", "codec", "mode", "link"] {
            assert!(cell["axes"][axis].is_string(), "{axis}: {cell}");
        }
        assert_eq!(cell["trials"].as_u64().unwrap(), 2 + array(&cell["invalid"]).len() as u64, "{cell}");
        for name in ["latency", "latency_from_sent"] {
            assert_metric(&cell["metrics"][name], name);
            assert_eq!(cell["metrics"][name]["count"], 10, "{name}");
        }
        for name in ["publisher_connect", "subscriber_connect"] {
            assert_metric(&cell["metrics"][name], name);
        }
        if mode(cell) != "udp" {
            // One per trial, and none of the measured ones.
            let first = &cell["metrics"]["first_message"];
            assert_eq!((&first["count"], first["min"].as_f64() > Some(0.0)), (&2.into(), true), "{cell}");
        }
        let delivery = &cell["delivery"];
        for name in ["late", "duplicated", "reordered", "superseded"] {
            assert!(delivery[name].is_u64(), "{name}: {cell}");
        }
        if mode(cell) != "udp" {
            assert_eq!(delivery["lost"], 0, "{cell}");
        }
        // Packets are counted only on a link.
        assert!(cell["wire"].is_null(), "{cell}");
    }
    assert_eq!(array(&summary["codecs"]).len(), 2);
    for codec in array(&summary["codecs"]) {
        assert_eq!((&codec["trials"], &codec["valid_trials"]), (&2.into(), &2.into()), "{codec}");
        for name in ["body", "build", "encode", "decode", "read"] {
            assert_metric(&codec["metrics"][name], name);
        }
    }
}

#[test]
fn a_run_leaves_a_folder_with_everything_in_it_and_nothing_else() {
    let desk = Desk::for_runs();
    let said = desk.wiredyno(&["run", "tiny.toml", "--out", "r"]).well();
    assert!(said.contains("person, loopback") && said.ends_with("report: r/report.html\n"), "{said}");
    let expected = [
        "cells.parquet",
        "environment.json",
        "messages.parquet",
        "report.html",
        "request.json",
        "samples.parquet",
        "study.toml",
        "summary.json",
        "trials.parquet",
    ];
    assert_eq!(names(&desk.file("r")).iter().collect::<Vec<_>>(), expected);
    assert_summary(&desk.summary("r"));
    let environment: Value =
        serde_json::from_slice(&std::fs::read(desk.file("r/environment.json")).unwrap()).unwrap();
    for name in ["cpu", "kernel", "os", "commit", "governor"] {
        assert!(environment[name].as_str().is_some_and(|text| !text.is_empty()), "{name}: {environment}");
    }
    let trials = RunFolder::open(&desk.file("r")).unwrap().read_trials().unwrap();
    assert_eq!(trials.codecs.len(), 4);
    assert!(trials.messages.iter().all(|trial| trial.messages.len() == 5));
    // The trials began in the plan's order.
    let plan = desk.wiredyno(&["run", "r/study.toml", "--dry-run", "--json"]).json();
    let planned = array(&plan["trials"]).iter().map(|trial| trial["cell"].clone());
    let first_attempts = trials.messages.iter().filter(|trial| trial.record.attempt == 0);
    let begun = first_attempts.map(|trial| serde_json::to_value(&trial.record.cell).unwrap());
    assert!(planned.eq(begun));
}

#[test]
fn a_run_is_never_overwritten() {
    let desk = Desk::for_runs();
    let run = ["run", "tiny.toml", "--out", "r", "--set", "trials.repeats=1", "--only", "mode=udp", "--only"];
    desk.wiredyno(&[&run[..], &["codec=protobuf/prost"]].concat()).well();
    let before: Vec<(String, SystemTime)> = names(&desk.file("r"))
        .into_iter()
        .map(|name| {
            let changed = std::fs::metadata(desk.file("r").join(&name)).unwrap().modified().unwrap();
            (name, changed)
        })
        .collect();
    let error = desk.wiredyno(&[&run[..], &["codec=protobuf/prost"]].concat()).refused(2);
    assert!(error.contains("r exists already") && error.contains("--out"), "{error}");
    for (name, changed) in &before {
        assert_eq!(std::fs::metadata(desk.file("r").join(name)).unwrap().modified().unwrap(), *changed);
    }
    // Without --out every run gets a folder of its own.
    for _ in 0..2 {
        desk.wiredyno(&["run", "tiny.toml", "--set", "mode=udp", "--set", "trials.repeats=1"]).well();
    }
    let runs: Vec<String> = names(&desk.file("runs")).into_iter().collect();
    assert_eq!(runs.len(), 2);
    assert!(runs[0].ends_with("-tiny") && runs[1] == format!("{}-2", runs[0]), "{runs:?}");
}

#[test]
fn a_report_is_written_again_from_the_folder_in_every_format() {
    let desk = Desk::for_runs();
    desk.wiredyno(&["run", "tiny.toml", "--out", "r", "--set", "mode=tcp,udp"]).well();
    let first = std::fs::read_to_string(desk.file("r/report.html")).unwrap();
    std::fs::remove_file(desk.file("r/report.html")).unwrap();
    assert_eq!(desk.wiredyno(&["report", "r"]).well(), "report: r/report.html\n");
    assert_eq!(std::fs::read_to_string(desk.file("r/report.html")).unwrap(), first);
    assert!(first.starts_with("<!doctype html>") || first.starts_with("<!DOCTYPE html>"));
    // It opens offline: nothing is fetched from anywhere.
    for fetches in ["src=\"http", "href=\"http", "@import", "url(http"] {
        assert!(!first.contains(fetches), "{fetches}");
    }
    assert_eq!(desk.wiredyno(&["report", "r", "--format", "json"]).json(), desk.summary("r"));
    let markdown = desk.wiredyno(&["report", "r", "--format", "md"]).well();
    assert!(markdown.starts_with("# tiny\n") && markdown.contains("protobuf/prost"), "{markdown}");
}

#[test]
fn json_goes_to_standard_output_alone() {
    let desk = Desk::for_runs();
    let said = desk.wiredyno(&["run", "tiny.toml", "--out", "r", "--json", "--set", "mode=tcp"]);
    assert!(said.err.contains("report: r/report.html"), "{}", said.err);
    assert!(said.err.contains("trial 0 of 8"), "{}", said.err);
    assert_eq!(said.json(), desk.summary("r"));
}

#[test]
fn only_and_set_decide_what_is_run_and_the_folder_keeps_the_study_as_run() {
    let desk = Desk::for_runs();
    let options = ["--set", "payload=small", "--set", "trials.repeats=1", "--only", "mode=udp,mqtt:qos1"];
    desk.wiredyno(&[&["run", "tiny.toml", "--out", "r"], &options[..]].concat()).well();
    let summary = desk.summary("r");
    assert_accounted(&summary, 1);
    let cells: BTreeSet<String> = array(&summary["cells"])
        .iter()
        .map(|cell| format!("{} {}", cell["axes"]["payload"].as_str().unwrap(), mode(cell)))
        .collect();
    assert_eq!(cells.iter().collect::<Vec<_>>(), ["small mqtt:qos1", "small udp"]);
    let study = std::fs::read_to_string(desk.file("r/study.toml")).unwrap();
    assert!(study.contains(r#"payload = ["small"]"#) && study.contains("repeats = 1"), "{study}");
}

#[test]
fn a_study_of_codecs_only_needs_no_load() {
    let desk = Desk::for_runs();
    let study = r#"
name = "codecs"
why = "Which is shortest?"
axes.payload = ["person"]
axes.codec = ["json/serde-json", "protobuf/prost"]
trials.repeats = 1
codec_trials = { batch_time = "100us", batches = 5 }
limits = { scheduling_lateness_p99 = "off", load_per_cpu = "off", steal = "off", disturbed_batches = "off" }
"#;
    std::fs::write(desk.file("codecs.toml"), study).unwrap();
    desk.wiredyno(&["run", "codecs.toml", "--out", "r"]).well();
    let summary = desk.summary("r");
    assert_eq!((array(&summary["cells"]).len(), array(&summary["codecs"]).len()), (0, 2));
    assert_eq!(summary["codecs"][1]["metrics"]["body"]["mean"], 33.0);
}

#[test]
fn compression_is_an_axis_over_message_and_codec_trials() {
    let desk = Desk::for_runs();
    let set = [
        "--set",
        "compression=none,gzip:6,zstd:3:dictionary",
        "--set",
        "mode=tcp",
        "--set",
        "payload=small,person",
    ];
    let codec = ["--set", "codec=json/serde-json", "--set", "codec_trials.samples=20"];
    desk.wiredyno(&[&["run", "tiny.toml", "--out", "r"], &set[..], &codec[..]].concat()).well();
    let summary = desk.summary("r");
    assert_accounted(&summary, 2);
    let compression =
        |entry: &Value| entry["axes"]["compression"].as_str().map_or("none".to_owned(), str::to_owned);
    let of = |kind: &str, payload: &str| -> Vec<(String, Value)> {
        let entries = array(&summary[kind]).iter().filter(|entry| entry["axes"]["payload"] == payload);
        entries.map(|entry| (compression(entry), entry.clone())).collect()
    };
    // A dictionary is trained on samples other than the measured ones, and `person` has just one.
    let names =
        |entries: &[(String, Value)]| entries.iter().map(|(name, _)| name.clone()).collect::<BTreeSet<_>>();
    let all = BTreeSet::from(["none", "gzip:6", "zstd:3:dictionary"].map(str::to_owned));
    assert_eq!((names(&of("cells", "small")), names(&of("codecs", "small"))), (all.clone(), all));
    let two = BTreeSet::from(["none", "gzip:6"].map(str::to_owned));
    assert_eq!((names(&of("cells", "person")), names(&of("codecs", "person"))), (two.clone(), two));
    let not_run = array(&summary["not_run"]);
    assert_eq!(not_run.len(), 1, "{not_run:?}");
    assert_eq!(not_run[0]["what"], "person json/serde-json + zstd:3:dictionary");
    for (name, cell) in of("cells", "small") {
        assert_eq!(
            (&cell["delivery"]["sent"], &cell["delivery"]["delivered"]),
            (&10.into(), &10.into()),
            "{name}"
        );
        assert_metric(&cell["metrics"]["decode_time"], &name);
    }
    for (name, codec) in of("codecs", "small") {
        let metrics = &codec["metrics"];
        let compressed = name != "none";
        for phase in ["compress", "decompress", "body_uncompressed"] {
            assert_eq!(metrics[phase].is_object(), compressed, "{name} {phase}");
        }
        assert_eq!(codec["dictionary"]["bytes"].is_u64(), name == "zstd:3:dictionary", "{codec}");
        let mean = |metric: &str| metrics[metric]["mean"].as_f64().unwrap();
        match name.as_str() {
            "none" => assert_eq!(mean("body"), 21.0),
            // A gzip member costs 18 bytes before it saves any.
            "gzip:6" => assert!(mean("body") > mean("body_uncompressed")),
            // A zstd frame costs less, and the dictionary contains most of the message.
            _ => assert!(mean("body") < 30.0, "{codec}"),
        }
    }
    let said: Vec<&Value> = array(&summary["compressions_described"]).iter().map(|c| &c["method"]).collect();
    assert_eq!(said, ["none", "gzip", "zstd"]);
    let report = desk.wiredyno(&["report", "r", "--format", "md"]).well();
    assert!(
        report.contains("json/serde-json + zstd:3:dictionary") && report.contains("uncompressed"),
        "{report}"
    );
    // The folder's study records it, and can be run again for one of them.
    let again = ["run", "r/study.toml", "--dry-run", "--only", "compression=gzip:6"];
    let plan = desk.wiredyno(&again).well();
    assert!(plan.contains("small json/serde-json + gzip:6 tcp loopback") && !plan.contains("zstd"), "{plan}");
}

#[test]
fn heap_and_stack_of_one_call_agree_in_ten_processes_and_beside_them_stand_cpu_and_first_calls() {
    let desk = Desk::for_runs();
    let study = r#"
name = "one-call"
why = "What does one call take?"
axes.payload = ["small"]
axes.codec = ["json/serde-json", "avro/apache-avro", "flatbuffers/planus"]
axes.compression = ["none", "zstd:3"]
trials.repeats = 10
limits = { scheduling_lateness_p99 = "off", load_per_cpu = "off", steal = "off", disturbed_batches = "off" }
codec_trials = { batch_time = "20us", batches = 2, samples = 5 }
"#;
    std::fs::write(desk.file("one-call.toml"), study).unwrap();
    desk.wiredyno(&["run", "one-call.toml", "--out", "r"]).well();
    let summary = desk.summary("r");
    for codec in array(&summary["codecs"]) {
        assert_eq!(codec["valid_trials"], 10, "{codec}");
        let metrics = &codec["metrics"];
        let squeezed = codec["axes"]["compression"].is_string();
        let phases = ["build", "encode", "encode_fresh", "decode", "read", "compress", "decompress"];
        for phase in phases.iter().take(if squeezed { 7 } else { 5 }) {
            for what in ["allocations", "allocated", "peak", "stack"] {
                let metric = &metrics[format!("{phase}_{what}")];
                assert_eq!(metric["count"], 10, "{phase} {what} of {codec}");
                assert_eq!(
                    metric["min"], metric["max"],
                    "{phase} {what} differs between processes: {metric}"
                );
            }
            assert!(metrics[format!("{phase}_cpu")]["mean"].as_f64().unwrap() >= 0.0, "{phase}");
            let instructions = metrics[format!("{phase}_instructions")].is_object();
            let reason = array_or_none(&codec["missing"]).iter().any(|m| m["what"] == "instructions");
            assert!(instructions != reason, "{codec}");
        }
        for first in ["setup", "encode_first", "decode_first", "resident_idle"] {
            assert_eq!(metrics[first]["count"], 10, "{first}");
        }
        // The decoding process was idle before, and peaks never fall. The encoding one is another process, and two processes differ by more
        // than a small codec takes: some take as much as idle ones.
        let figure = |process: &str, which: &str| metrics[process][which].as_f64().unwrap();
        assert!(figure("resident_decode", "min") >= figure("resident_idle", "min"), "{codec}");
        assert!(figure("resident_encode", "max") >= figure("resident_idle", "min"), "{codec}");
    }
}

fn array_or_none(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

#[test]
fn a_cell_without_a_valid_trial_ends_the_run_with_code_three_and_its_reason() {
    let desk = Desk::for_runs();
    // No publisher keeps its schedule within a nanosecond.
    let set = ["--set", "limits.schedule_lag_p99=1ns", "--set", "mode=udp", "--set", "trials.repeats=1"];
    let once = ["run", "tiny.toml", "--out", "r", "--set", "trials.retries=1"];
    let said = desk.wiredyno(&[&once, &set[..]].concat());
    assert_eq!(said.code, Some(3), "{}", said.err);
    assert!(said.out.contains("no valid trial"), "{}", said.out);
    let summary = desk.summary("r");
    for cell in array(&summary["cells"]) {
        assert_eq!((&cell["trials"], &cell["valid_trials"]), (&2.into(), &0.into()));
        assert!(cell["invalid"][0].as_str().unwrap().contains("the publisher woke up to"), "{cell}");
        assert_eq!(cell["metrics"], serde_json::json!({}), "an invalid trial entered a summary");
    }
}

/// A limit that nothing can keep makes every trial invalid, for its own reason, in message and codec trials alike if
/// it concerns both.
#[test]
fn a_limit_set_absurdly_tight_makes_trials_invalid_with_its_reason() {
    for (limit, reason, codecs_too) in [
        ("timer_resolution=0ns", "the clock has steps of", true),
        ("scheduling_lateness_p99=1ns", "sleeping threads were woken up to", true),
        ("schedule_lag_p99=1ns", "the publisher woke up to", false),
        ("rate_error=0", "its rate was off by", false),
    ] {
        let desk = Desk::for_runs();
        let limit = format!("limits.{limit}");
        let set = ["--set", &limit, "--set", "mode=udp", "--set", "codec=protobuf/prost", "--set"];
        let run = ["run", "tiny.toml", "--out", "r", "--set", "trials.repeats=1"];
        let said = desk.wiredyno(&[&run[..], &set[..], &["trials.retries=1"]].concat());
        assert_eq!(said.code, Some(3), "{limit}: {}", said.err);
        let summary = desk.summary("r");
        let cell = &array(&summary["cells"])[0];
        assert_eq!((&cell["trials"], &cell["valid_trials"]), (&2.into(), &0.into()), "{limit}: {cell}");
        for why in array(&cell["invalid"]) {
            assert!(why.as_str().unwrap().contains(reason), "{limit}: {cell}");
        }
        let codec = &array(&summary["codecs"])[0];
        let expected = if codecs_too { (2, 0) } else { (1, 1) };
        assert_eq!((number(codec, "trials"), number(codec, "valid_trials")), expected, "{limit}: {codec}");
        let trials = RunFolder::open(&desk.file("r")).unwrap().read_trials().unwrap();
        let attempts: Vec<u32> = trials.messages.iter().map(|trial| trial.record.attempt).collect();
        assert_eq!(attempts, [0, 1], "{limit}: what is invalid stays in the results");
        assert!(cell["metrics"].as_object().unwrap().is_empty(), "{limit}");
    }
}

/// Sizes never vary, so they are known after the least number of trials; nothing is known to within a ten
/// thousandth of the time that a message takes.
#[test]
fn trials_go_on_until_a_metric_is_known_or_the_limit_is_there() {
    let until = |metric: &str| {
        let desk = Desk::for_runs();
        let metric = format!("trials.until.metric={metric}");
        let set = ["--set", &metric, "--set", "trials.until.within=0.01%", "--set", "trials.until.at_most=7"];
        let cells = ["--set", "mode=udp,tcp", "--set", "codec=protobuf/prost", "--set", "trials.repeats=5"];
        let said =
            desk.wiredyno(&[&["run", "tiny.toml", "--out", "r"], &set[..], &cells[..]].concat()).well();
        (desk, said)
    };
    let (desk, said) = until("latency");
    assert!(said.contains("0 of 2 combinations are as precise as asked"), "{said}");
    let summary = desk.summary("r");
    for cell in array(&summary["cells"]) {
        assert_eq!((number(cell, "valid_trials"), &cell["stopped"]["why"]), (7, &"limit".into()), "{cell}");
        assert!(cell["stopped"]["within"].as_f64().unwrap() > 0.0001, "{cell}");
    }
    assert!(summary["codecs"][0]["stopped"].is_null(), "latency is no matter of codec trials: {summary}");
    assert_eq!(number(&summary["codecs"][0], "valid_trials"), 5);
    // Each round has both cells before the next begins.
    let mut trials = RunFolder::open(&desk.file("r")).unwrap().read_trials().unwrap().messages;
    trials.sort_by_key(|trial| trial.record.trial);
    let repeats: Vec<u32> = trials.iter().map(|trial| trial.record.repeat).collect();
    assert!(repeats.is_sorted() && repeats.len() == 14, "{repeats:?}");

    let (desk, said) = until("body");
    assert!(said.contains("3 of 3 combinations are as precise as asked"), "{said}");
    let summary = desk.summary("r");
    for part in array(&summary["cells"]).iter().chain(array(&summary["codecs"])) {
        assert_eq!((number(part, "valid_trials"), &part["stopped"]["why"]), (5, &"reached".into()), "{part}");
        assert_eq!(part["stopped"]["within"], 0.0, "{part}");
    }

    let desk = Desk::for_runs();
    let run = ["run", "tiny.toml", "--set", "trials.until.metric=latncy", "--set", "trials.repeats=5"];
    let set = ["--set", "trials.until.within=5%", "--set", "trials.until.at_most=7"];
    let error = desk.wiredyno(&[&run[..], &set[..]].concat()).refused(2);
    assert!(error.contains("did you mean `latency`?"), "{error}");
}
