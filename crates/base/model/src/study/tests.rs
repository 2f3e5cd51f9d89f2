use wiredyno_contract::CodecDescription;

use super::*;

const DEMO: &str = r#"
name = "demo"
why = "Which format?"
[axes]
payload = ["small"]
codec = ["json/serde-json"]
mode = ["mqtt:qos0", "tcp"]
link = ["lte"]
loss = [0.0, "5%"]
[load]
kind = "open"
interval = "200ms"
messages = 10
deadline = "2s"
drain = "8s"
[trials]
repeats = 5
lanes = "auto"
seed = 1
"#;

#[test]
fn a_study_is_read() {
    let study = Study::parse("demo.toml", DEMO).unwrap();
    assert_eq!(study.axes.loss[1].get(), 0.05);
    assert_eq!(study.trials.lanes, Lanes::Auto);
    assert_eq!(study.hosts.broker, Host::Cloud);
    let fixed = Study::parse("demo.toml", &DEMO.replace("\"auto\"", "3")).unwrap();
    assert_eq!(fixed.trials.lanes, Lanes::Fixed(3));
}

#[test]
fn hosts_left_out_have_their_defaults() {
    let one_way = DEMO.replace("[trials]", "[hosts]\nsubscriber = \"cloud\"\n[trials]");
    let hosts = Study::parse("demo.toml", &one_way).unwrap().hosts;
    assert_eq!(hosts, Hosts { subscriber: Host::Cloud, ..Hosts::default() });
}

#[test]
fn where_nobody_stands_between_the_subscriber_takes_the_broker_s_host() {
    use Host::{Cloud, Edge};
    let hosts = |[publisher, subscriber, broker]: [Host; 3]| Hosts { publisher, subscriber, broker };
    for (of, hops, apart, hops_apart) in [
        ([Edge, Edge, Cloud], 2, [Edge, Cloud, Cloud], 1),
        ([Edge, Cloud, Cloud], 1, [Edge, Cloud, Cloud], 1),
        ([Edge, Cloud, Edge], 1, [Edge, Cloud, Edge], 1),
        ([Cloud, Cloud, Edge], 2, [Cloud, Edge, Edge], 1),
        ([Edge, Edge, Edge], 0, [Edge, Edge, Edge], 0),
    ] {
        let of = hosts(of);
        assert_eq!((of.hops(), of.apart(), of.apart().hops()), (hops, hosts(apart), hops_apart), "{of:?}");
    }
}

#[test]
fn the_way_is_said_in_words_also_where_the_study_says_nothing_of_it() {
    let cells = |text: &str| {
        let study = Study::parse("demo.toml", text).unwrap();
        let words = |cell: &Cell| study.hosts.of(cell).way_in_words(cell, false);
        study.cells(&|_, _| true).iter().map(words).collect::<Vec<_>>()
    };
    assert!(cells(DEMO).iter().all(|words| words == "there and back, two hops"));
    let one_way = DEMO.replace("[trials]", "[hosts]\nsubscriber = \"cloud\"\n[trials]");
    assert!(cells(&one_way).iter().all(|words| words == "one way, two hops"));
    let both = cells(&DEMO.replace("link =", "way = [\"round-trip\", \"one-way\"]\nlink ="));
    assert!(both.iter().any(|words| words.starts_with("there and back")));
    assert!(both.iter().any(|words| words.starts_with("one way")));
    let near = DEMO.replace("\"lte\"", "\"loopback\"").replace("loss = [0.0, \"5%\"]\n", "");
    assert!(cells(&near).iter().all(|words| words == "two hops"));
}

#[test]
fn compression_is_an_axis_and_none_leaves_cells_as_they_are() {
    let plain = Study::parse("demo.toml", DEMO).unwrap();
    assert!(!plain.axes.compresses() && !toml::to_string(&plain).unwrap().contains("compression"));
    assert!(
        plain
            .axes
            .cells(&|_, _| true)
            .iter()
            .all(|cell| !serde_json::to_string(cell).unwrap().contains("compr"))
    );
    let text = DEMO.replace("link =", "compression = [\"none\", \"zstd:3\"]\nlink =");
    let study = Study::parse("demo.toml", &text).unwrap();
    assert_eq!(study.axes.cells(&|_, _| true).len(), 2 * plain.axes.cells(&|_, _| true).len());
    let names: Vec<String> = study.axes.codec_cells().iter().map(ToString::to_string).collect();
    assert_eq!(names, ["small json/serde-json", "small json/serde-json + zstd:3"]);
}

#[test]
fn a_study_written_out_reads_back_the_same() {
    let study = Study::parse("demo.toml", DEMO).unwrap();
    let text = toml::to_string(&study).unwrap();
    assert_eq!(Study::parse("again.toml", &text).unwrap(), study);
}

#[test]
fn trials_may_go_on_until_a_metric_is_known_well_enough() {
    let with = |repeats: u32, until: &str| {
        let trials = format!("repeats = {repeats}\nuntil = {{ {until} }}");
        Study::parse("demo.toml", &DEMO.replace("repeats = 5", &trials)).map_err(|error| error.to_string())
    };
    let study = with(5, "metric = \"latency\", within = \"5 %\", at_most = 30").unwrap();
    let until = study.trials.until.clone().unwrap();
    assert_eq!((until.metric.as_str(), until.within.get(), until.at_most), ("latency", 0.05, 30));
    assert_eq!(Study::parse("again.toml", &toml::to_string(&study).unwrap()).unwrap(), study);
    for (repeats, until, part) in [
        (2, "metric = \"latency\", within = 0.05, at_most = 30", "repeats = 5 or more"),
        (9, "metric = \"latency\", within = 0.05, at_most = 8", "less than repeats"),
        (5, "metric = \"latency\", within = 0, at_most = 8", "out of range"),
        (5, "metric = \"latency\", within = 0.1, at_mots = 8", "did you mean `at_most`?"),
    ] {
        let error = with(repeats, until).unwrap_err();
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn patterns_become_what_the_runner_has_and_only_that_is_recorded() {
    let text = DEMO.replace("[\"small\"]", "[\"all\", \"opaque*@16\"]").replace("json/serde-json", "json/*");
    let mut study = Study::parse("demo.toml", &text).unwrap();
    let codecs = ["cbor/ciborium", "json/serde-json", "json/sonic-rs"].map(|id| described(id, None));
    let payloads = [("small", false), ("opaque", true), ("person", false)];
    study.resolve("demo.toml", &text, &codecs, &payloads).unwrap();
    let written = toml::to_string(&study).unwrap();
    assert!(written.contains("payload = [\"small\", \"person\", \"opaque@16\"]"), "{written}");
    assert!(written.contains("codec = [\"json/serde-json\", \"json/sonic-rs\"]"), "{written}");
    assert_eq!(Study::parse("again.toml", &written).unwrap(), study);
    for (from, to, line, part) in [
        ("json/*", "jsn/*", 6, "did you mean `json/*`?"),
        ("all", "x*", 5, "`x*` matches no payload: `wiredyno list payloads`"),
        ("opaque*@16", "opa*", 5, "`opa*@1024`"),
    ] {
        let text = text.replace(from, to);
        let mut study = Study::parse("demo.toml", &text).unwrap();
        let error = study.resolve("demo.toml", &text, &codecs, &payloads).unwrap_err();
        assert_eq!(error.line, Some(line), "{error}");
        assert!(error.to_string().contains(part), "{error}");
    }
    let error = Study::parse("demo.toml", &text.replace("json/*", "JSON/*")).unwrap_err();
    assert_eq!(error.line, Some(6), "{error}");
}

fn described(id: &str, runner: Option<&str>) -> CodecDescription {
    CodecDescription {
        id: id.parse().unwrap(),
        runner: runner.map(str::to_owned),
        language: None,
        compiler: None,
        library: "lib".to_owned(),
        version: "1".to_owned(),
        about: String::new(),
        capabilities: Vec::new(),
    }
}

#[test]
fn a_format_stands_for_the_first_codec_of_each_runner_named() {
    let codecs = [
        described("json/serde-json", None),
        described("json/sonic-rs", None),
        described("cbor/ciborium", None),
        described("json/python-json", Some("python")),
        described("json/orjson", Some("python")),
    ];
    let resolved = |codec: &str| {
        let text = DEMO.replace("codec = [\"json/serde-json\"]", codec);
        let mut study = Study::parse("demo.toml", &text).map_err(|error| error.to_string())?;
        study.resolve("demo.toml", &text, &codecs, &[]).map_err(|error| error.to_string())?;
        let written = toml::to_string(&study).unwrap();
        assert_eq!(Study::parse("again.toml", &written).unwrap(), study);
        assert!(!written.contains("runner =") && !written.contains("format ="), "{written}");
        Ok::<_, String>(study.axes.codec.iter().map(ToString::to_string).collect::<Vec<_>>())
    };
    let both = "runner = [\"rust\", \"python\"]";
    let ids = resolved(&format!("format = [\"json\"]\n{both}")).unwrap();
    assert_eq!(ids, ["json/serde-json", "json/python-json"]);
    assert_eq!(resolved("format = [\"json\", \"cbor\"]").unwrap(), ["json/serde-json", "cbor/ciborium"]);
    let ids = resolved("codec = [\"cbor/ciborium\", \"*/*json*\"]\nrunner = [\"python\"]").unwrap();
    assert_eq!(ids, ["cbor/ciborium", "json/python-json", "json/orjson"]);
    assert_eq!(resolved("codec = [\"all\"]").unwrap().len(), 3, "Rust's where no runner is named");
    for (codec, part) in [
        (format!("format = [\"cbor\"]\n{both}"), "the runner `python` has no codec of the format `cbor`"),
        ("format = [\"jsn\"]".to_owned(), "there is no format `jsn`; did you mean `json`?"),
        ("format = [\"json\"]\nrunner = [\"pyton\"]".to_owned(), "did you mean `python`?"),
        ("codec = [\"json/orjson\"]\nrunner = [\"python\"]".to_owned(), "name formats"),
        (both.to_owned(), "name formats"),
        ("format = [\"json\", \"json\"]".to_owned(), "twice"),
        (String::new(), "the axis `codec` has no value"),
    ] {
        let error = resolved(&codec).unwrap_err();
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn what_makes_no_sense_is_refused_with_its_line() {
    for (from, to, line, part) in [
        ("messages = 10", "mesages = 10", 13, "did you mean `messages`?"),
        ("messages = 10", "messages = 0", 13, "nothing would be sent"),
        ("[\"small\"]", "[]", 5, "no value"),
        ("[\"small\"]", "[\"small\", \"small\"]", 5, "twice"),
        ("interval = \"200ms\"", "", 11, "needs a rate or an interval"),
        ("interval = \"200ms\"", "rate = \"0/s\"", 12, "a number above 0"),
        ("interval = \"200ms\"", "interval = \"1s\"\nrate = \"1/s\"", 13, "remove one"),
        ("interval = \"200ms\"", "interval = \"200ms\"\nwindow = 2", 13, "only a closed loop has a window"),
        ("loss =", "rate = [\"1k/s\"]\nloss =", 9, "remove one"),
        ("kind = \"open\"", "kind = \"search\"", 11, "needs a bound"),
        (
            "kind = \"open\"\ninterval = \"200ms\"",
            "kind = \"search\"\nbound = { metric = \"latency.p9\", below = \"1s\" }",
            12,
            "mean, median, p99 or max",
        ),
        ("loss =", "window = [2]\nloss =", 9, "only a closed loop has a window"),
        ("loss =", "rate = [\"1k/s\", \"1000/s\"]\nloss =", 9, "twice"),
        ("json/serde-json", "json", 6, "protobuf/prost"),
        ("0.0, ", "1.5, ", 9, "between 0 and 1"),
        ("link =", "compression = [\"none:1\"]\nlink =", 8, "zstd:3"),
        ("link =", "compression = []\nlink =", 8, "no value"),
        ("\"auto\"", "\"many\"", 18, ""),
    ] {
        let error = Study::parse("demo.toml", &DEMO.replace(from, to)).unwrap_err();
        assert_eq!(error.line, Some(line), "{error}");
        assert!(error.to_string().contains(part), "{error}");
    }
}
