use wiredyno_contract::{Capability, CodecDescription, CompressionDescription, OptionValue, RUST};
use wiredyno_link::spec::{LinkSpec, RateSpec};
use wiredyno_model::{Lanes, PayloadDescription};

use super::*;
use crate::left_out::Reason;

fn runner() -> Known {
    let codec = |id: &str| CodecDescription {
        id: id.parse().unwrap(),
        runner: None,
        language: None,
        compiler: None,
        library: "lib".into(),
        version: "1".into(),
        about: String::new(),
        capabilities: vec![Capability::SelfDescribing],
    };
    let payload = |name: &str, not_carried| PayloadDescription {
        name: name.into(),
        sized: name == "opaque",
        about: String::new(),
        definition: String::new(),
        samples: 1,
        distinct: 1,
        not_carried,
        lacking: Vec::new(),
        no_dictionary: (name == "person").then(|| "one sample".to_owned()),
    };
    Known {
        brokers: Vec::new(),
        codecs: vec![
            codec("json/serde-json"),
            codec("raw/wiredyno"),
            CodecDescription { runner: Some("python".into()), ..codec("json/orjson") },
        ],
        compressions: vec![CompressionDescription {
            method: "zstd".into(),
            library: "lib".into(),
            version: "1".into(),
            about: String::new(),
            levels: Some([1, 22]),
            dictionary: true,
            ids: vec!["zstd:3".parse().unwrap()],
        }],
        transports: vec![],
        folder_transports: Default::default(),
        folder_readers: Default::default(),
        payloads: vec![
            payload("person", vec![("raw/wiredyno".parse().unwrap(), "four fields".into())]),
            payload("small", vec![]),
            payload("opaque", vec![]),
        ],
    }
}

fn study() -> Study {
    let text = r#"
name = "t"
why = "?"
[axes]
payload = ["person", "small"]
codec = ["json/serde-json", "raw/wiredyno"]
mode = ["tcp", "udp"]
link = ["lte", "loopback"]
loss = [0.0, 0.05]
[load]
kind = "open"
interval = "1ms"
messages = 1
deadline = "1s"
drain = "1s"
[trials]
repeats = 3
"#;
    Study::parse("t.toml", text).unwrap()
}

#[test]
fn every_repeat_has_every_cell_once_and_the_seed_decides_the_order() {
    let plan = Plan::new(&study(), &runner(), &[]);
    // Three supported pairs, two modes, lte with two losses and loopback with one cell.
    assert_eq!(plan.cells.len(), 3 * 2 * 3);
    assert_eq!(plan.trials.len(), plan.cells.len() * 3);
    for repeat in plan.trials.chunks(plan.cells.len()) {
        let mut indexes: Vec<usize> = repeat.iter().map(|trial| trial.cell_index).collect();
        indexes.sort_unstable();
        assert_eq!(indexes, (0..plan.cells.len()).collect::<Vec<_>>());
        assert!(repeat.iter().all(|trial| trial.seed == repeat[0].seed));
    }
    assert_eq!(plan, Plan::new(&study(), &runner(), &[]));
    let mut other = study();
    other.trials.seed = 2;
    assert_ne!(plan.trials, Plan::new(&other, &runner(), &[]).trials);
}

#[test]
fn what_a_codec_cannot_carry_is_listed_with_the_reason() {
    let plan = Plan::new(&study(), &runner(), &[]);
    assert_eq!(plan.left_out.len(), 1);
    assert_eq!(plan.left_out[0].part.to_string(), "person raw/wiredyno");
    assert_eq!(plan.codec_trials.len(), 3 * 3);
}

#[test]
fn compressions_multiply_cells_and_a_dictionary_needs_samples() {
    let plain = Plan::new(&study(), &runner(), &[]);
    let mut study = study();
    study.axes.compression = ["none", "zstd:3:dictionary"].map(|id| id.parse().unwrap()).into();
    assert_eq!(Plan::check(&study, &runner(), &[]), Ok(()));
    let plan = Plan::new(&study, &runner(), &[]);
    // Only `small` has samples to train on: json and raw, two modes, lte with two losses and loopback.
    assert_eq!(plan.cells.len(), plain.cells.len() + 2 * 2 * 3);
    let dictionary =
        plan.left_out.iter().find(|left| left.reason == Reason::NoDictionary("one sample".into()));
    assert_eq!(dictionary.unwrap().part.to_string(), "person json/serde-json + zstd:3:dictionary");
    let only = [Only { axis: "compression".into(), values: vec!["none".into()] }];
    assert_eq!(Plan::new(&study, &runner(), &only).cells, plain.cells);
    for (wrong, part) in [("zsdt:3", "`zstd`"), ("zstd:40", "1 to 22"), ("gzip:6", "compressions")] {
        study.axes.compression = vec![wrong.parse().unwrap()];
        let error = Plan::check(&study, &runner(), &[]).unwrap_err();
        assert!(error.to_string().contains(part), "{error}");
    }
}

#[test]
fn codecs_of_a_folder_are_measured_but_neither_sent_nor_compressed() {
    let mut study = study();
    study.axes.codec = vec!["json/orjson".parse().unwrap()].into();
    study.axes.compression = ["none", "zstd:3"].map(|id| id.parse().unwrap()).into();
    let plan = Plan::new(&study, &runner(), &[]);
    assert!(plan.cells.is_empty() && plan.trials.is_empty());
    assert_eq!(plan.codec_trials.len(), 2 * 3, "both payloads, plain");
    let told = |what: &str| {
        let mut told = plan.left_out.iter().map(LeftOut::told);
        told.find(|not_run| not_run.what == what).unwrap().why
    };
    assert!(told("messages of small json/orjson").contains("`python` has no transports"));
    assert!(told("small json/orjson + zstd:3").contains("compresses nothing"));
}

#[test]
fn only_keeps_the_cells_named() {
    let only = [Only { axis: "mode".into(), values: vec!["udp".into()] }];
    let plan = Plan::new(&study(), &runner(), &only);
    assert!(plan.cells.iter().all(|cell| cell.mode.to_string() == "udp"));
    let only = [Only { axis: "loss".into(), values: vec!["0.05".into()] }];
    assert!(Plan::new(&study(), &runner(), &only).cells.iter().all(|cell| cell.loss.is_some()));
}

#[test]
fn only_keeps_the_cells_with_a_value_of_an_option() {
    let mut study = study();
    study.axes.option =
        [("tcp.wait".to_owned(), ["1s", "2s"].map(|s| OptionValue::Text(s.into())).into())].into();
    let plain = Plan::new(&study, &runner(), &[]);
    assert_eq!(plain.cells.len(), 3 * (2 + 1) * 3, "udp has no such axis");
    let of = |axis: &str, value: &str| [Only { axis: axis.into(), values: vec![value.into()] }];
    let kept = Plan::new(&study, &runner(), &of("tcp.wait", "2s"));
    assert_eq!(kept.cells.len(), 3 * 3);
    assert!(kept.cells.iter().all(|cell| cell.sending() == "tcp wait=2s"));
    assert_eq!(kept.codec_trials, plain.codec_trials);
    let error = Plan::check(&study, &runner(), &of("tcp.wait", "3s")).unwrap_err();
    assert_eq!(error.to_string(), "--only tcp.wait=3s: the study has no such tcp.wait, only 1s, 2s");
    let error = Plan::check(&study, &runner(), &of("udp.wait", "3s")).unwrap_err();
    let known = "payload, codec, compression, mode, broker, security, tcp.wait, link, loss, rate, window, publishers, subscribers, topics, messages, warmup, way, records";
    assert!(error.to_string().ends_with(&format!("no such axis, only {known}")), "{error}");
}

#[test]
fn values_that_the_study_or_the_runner_lacks_are_refused() {
    let runner = runner();
    let only = |axis: &str, value: &str| [Only { axis: axis.into(), values: vec![value.into()] }];
    assert_eq!(Plan::check(&study(), &runner, &only("loss", "0.05")), Ok(()));
    let error = Plan::check(&study(), &runner, &only("mode", "upd")).unwrap_err();
    assert_eq!(error.to_string(), "--only mode=upd: the study has no such mode, only tcp, udp");
    let mut other = study();
    other.axes.codec.push("json/serde-jsn".parse().unwrap());
    assert!(
        Plan::check(&other, &runner, &[])
            .unwrap_err()
            .to_string()
            .contains("did you mean `json/serde-json`?")
    );
}

#[test]
fn patterns_stand_for_what_the_runner_has_also_with_only() {
    let mut all = study();
    let text = "payload = [\"all\", \"*@8\"] codec = [\"*/wiredyno\", \"json/*\"]";
    all.axes.payload = serde_json::from_str("[\"all\", \"*@8\"]").unwrap();
    all.axes.codec = serde_json::from_str("[\"*/wiredyno\", \"json/*\"]").unwrap();
    let codecs = runner().codecs;
    let payloads = [("person", false), ("small", false), ("opaque", true)];
    all.resolve("t.toml", text, &codecs, &payloads).unwrap();
    let names = |ids: Vec<String>| ids.join(" ");
    assert_eq!(names(all.axes.payload.iter().map(ToString::to_string).collect()), "person small opaque@8");
    assert_eq!(
        names(all.axes.codec.iter().map(ToString::to_string).collect()),
        "raw/wiredyno json/serde-json"
    );
    let only = [Only { axis: "codec".into(), values: vec!["raw/*".into()] }];
    assert_eq!(Plan::check(&all, &runner(), &only), Ok(()));
    assert!(Plan::new(&all, &runner(), &only).cells.iter().all(|cell| cell.codec.format == "raw"));
    all.axes.codec = serde_json::from_str("[\"xml/*\"]").unwrap();
    assert!(all.resolve("t.toml", text, &codecs, &payloads).is_err());
}

#[test]
fn the_estimate_knows_loops_looks_and_links() {
    let mut study = study();
    let plan = Plan::new(&study, &runner(), &[]);
    let codecs_ns = plan.codec_estimate_ns(&study);
    study.codec_trials.batches += 10;
    let more_ns = plan.codec_trials.len() as u64 * 5 * 10 * study.codec_trials.batch_time.ns;
    assert_eq!(plan.codec_estimate_ns(&study), codecs_ns + more_ns);
    // 150 ms of set-up, 20 ms for the check of the machine, one message after 1 ms.
    let load = &Load { warmup: 0, ..study.load.clone().unwrap() };
    let clients = Clients::of("tcp", RUST);
    assert_eq!(Plan::trial_estimate_ns(load, None, clients), 171_000_000);
    let slower = Clients { ready_ns: 400_000_000, ..clients };
    assert_eq!(Plan::trial_estimate_ns(load, None, slower), 571_000_000);
    // Warm-up messages are sent as fast as possible.
    let warmed = Load { warmup: 1_000, ..load.clone() };
    assert_eq!(Plan::trial_estimate_ns(&warmed, None, clients), 171_000_000 + 1_000 * 20_000);
    let batch = Load { kind: LoadKind::Batch, messages: 1_000, subscribers: 3, ..load.clone() };
    let of_batch = |runner| Plan::trial_estimate_ns(&batch, None, Clients::of("tcp", runner));
    assert_eq!(of_batch("python") - of_batch(RUST), 1_000 * (200_000 - 40_000));
    let over = |way| Plan::trial_estimate_ns(load, Some(way), clients);
    let nothing = PathEstimate::default();
    let far = PathEstimate { round_trip_ns: 70_000_000, ..nothing };
    assert_eq!(over(far), over(nothing) + (3 + 6) * 70_000_000);
    let lossy = PathEstimate { loss: 0.01, ..nothing };
    assert_eq!(over(lossy), over(nothing) + load.drain.ns / 10);
    // 1 MB over 1 Mbit/s takes 8 s, however short the interval.
    let slow = PathEstimate { body_ns: 8_000_000_000, ..nothing };
    assert_eq!(over(slow), over(nothing) + 8_000_000_000 - 1_000_000);
    let closed = Load { kind: LoadKind::Closed, ..load.clone() };
    let way = PathEstimate { round_trip_ns: 10_000_000, body_ns: 5_000_000, loss: 0.0 };
    let in_turn = |window| {
        Plan::trial_estimate_ns(&Load { window, messages: 100, ..closed.clone() }, Some(way), clients)
    };
    assert_eq!(in_turn(1) - in_turn(2), 100 * (20_000_000 + closed.interval.ns) / 2);
    let mut link = LinkSpec::unshaped();
    link.up.rate = RateSpec::Constant { rate: wiredyno_contract::BitRate { bits_per_s: 1_000_000 } };
    assert_eq!(PathEstimate::over(&link, 1_000_000).body_ns, 8_000_000_000);
}

#[test]
fn more_trials_or_lanes_than_a_machine_can_carry_are_refused() {
    let mut study = study();
    study.trials.repeats = 3_000_000;
    let problem = Plan::check(&study, &runner(), &[]).unwrap_err().to_string();
    assert!(problem.contains("a run may have at most 200000"), "{problem}");
    study.trials.repeats = 1;
    study.trials.lanes = Lanes::Fixed(100_000);
    assert!(Plan::check(&study, &runner(), &[]).unwrap_err().to_string().contains("lanes are too many"));
}

#[test]
fn further_rounds_keep_the_order_of_the_cells_that_are_left() {
    let (study, plan) = (study(), Plan::new(&study(), &runner(), &[]));
    let all = message_round(&study, &plan.cells, |_| true, 7);
    let some = message_round(&study, &plan.cells, |cell| cell % 2 == 0, 7);
    let expected: Vec<_> = all.into_iter().filter(|trial| trial.cell_index % 2 == 0).collect();
    assert_eq!(some, expected);
    assert!(some.iter().all(|trial| trial.repeat == 7 && trial.seed == some[0].seed));
}

#[test]
fn a_rule_that_looks_at_no_metric_is_refused() {
    let mut study = study();
    let ask = |study: &mut Study, metric: &str| {
        let within = wiredyno_contract::Ratio::from_percent(5);
        study.trials.until = Some(wiredyno_model::Until { metric: metric.into(), within, at_most: 30 });
        Plan::check(study, &runner(), &[])
    };
    assert_eq!((ask(&mut study, "latency"), ask(&mut study, "encode_peak")), (Ok(()), Ok(())));
    study.axes.mode.clear();
    assert!(ask(&mut study, "latency").unwrap_err().to_string().contains("no trial of this study"));
    assert!(ask(&mut study, "latncy").unwrap_err().to_string().contains("did you mean `latency`?"));
    assert!(ask(&mut study, "xx").unwrap_err().to_string().contains("METHODOLOGY"));
}

#[test]
fn unknown_payloads_and_codecs_get_the_nearest_name() {
    let runner = runner();
    let asked = |text: &str| find_payload(&runner, &text.parse().unwrap());
    assert!(asked("persn").unwrap_err().contains("`person`"));
    assert!(asked("opaque").unwrap_err().contains("opaque@1024"));
    assert!(asked("small@3").unwrap_err().contains("no size"));
    assert!(unknown_codec(&runner, "json/serde").contains("json/serde-json"));
}
