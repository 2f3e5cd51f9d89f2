//! Studies of twelve shapes that users ask for, from one cell to hundreds, and the demo. The numbers are plausible and invented.

use std::collections::BTreeMap;

use wiredyno_claims::{Published, for_study};
use wiredyno_contract::{BrokerId, CodecId};
use wiredyno_model::metric::{Scope, find};
use wiredyno_model::study::Study;
use wiredyno_model::summary::{Metric, Outcomes, Searched, Summary};
use wiredyno_model::trial::Delivery;

use super::{TRIALS, by_repeat, many, metric, summary, summary_of};

/// All of the studies, with their names.
pub fn all() -> Vec<(&'static str, Summary)> {
    vec![
        ("codecs", many::summary()),
        (
            "one-cell",
            of(
                "payload = [\"small\"]\ncodec = [\"protobuf/prost\"]\nmode = [\"mqtt:qos1\"]\nlink = [\"lte\"]",
                "",
            ),
        ),
        (
            "sizes",
            of(
                "payload = [\"opaque@100\", \"opaque@1000\", \"opaque@10000\"]\ncodec = [\"raw/wiredyno\"]\nmode = [\"mqtt:qos1\"]\n\
                 link = [\"lte\"]",
                "",
            ),
        ),
        (
            "protocols",
            of(
                "payload = [\"small\"]\ncodec = [\"protobuf/prost\"]\nmode = [\"mqtt:qos0\", \"mqtt:qos1\", \"mqtt:qos2\", \"tcp\", \"udp\", \
                 \"coap:con\", \"quic:stream\"]\nlink = [\"lan\", \"lte\"]\nloss = [0.0, 0.05]",
                "",
            ),
        ),
        ("rates", rates()),
        ("search", search()),
        (
            "fan-out",
            of(
                "payload = [\"small\"]\ncodec = [\"protobuf/prost\"]\nmode = [\"mqtt:qos0\", \"mqtt:qos1\"]\nlink = [\"lan\"]\n\
                 subscribers = [1, 4, 16]",
                "",
            ),
        ),
        (
            "security",
            of(
                "payload = [\"small\"]\ncodec = [\"protobuf/prost\"]\nmode = [\"mqtt:qos1\", \"tcp\"]\nlink = [\"lte\"]\n\
                 security = [\"none\", \"tls\", \"mtls\"]",
                "",
            ),
        ),
        ("languages", in_two_languages(2.0, 20.0)),
        ("claims", published("scania-v2c").1),
        ("nothing-valid", nothing_valid()),
        ("demo", summary()),
        ("hundreds", hundreds()),
    ]
}

/// A study with these axes and further tables.
fn of(axes: &str, more: &str) -> Summary {
    of_load(axes, "kind = \"open\"\ninterval = \"200ms\"\nmessages = 10", more)
}

fn of_load(axes: &str, load: &str, more: &str) -> Summary {
    let study = format!(
        "name = \"shape\"\nwhy = \"Which of them suits our vehicles?\"\n[axes]\n{axes}\n[load]\n{load}\ndeadline = \"2s\"\ndrain = \"8s\"\n\
         [trials]\nrepeats = 5\n{more}"
    );
    summary_of(&study)
}

fn times(metrics: &mut BTreeMap<String, Metric>, name: &str, factor: f64) {
    let Some(metric) = metrics.get_mut(name) else { return };
    for value in [&mut metric.mean, &mut metric.median, &mut metric.min, &mut metric.max] {
        *value *= factor;
    }
    let intervals = [&mut metric.interval_95, &mut metric.median_interval_95];
    intervals.into_iter().flatten().flatten().for_each(|end| *end *= factor);
    metric.by_repeat.values_mut().for_each(|value| *value *= factor);
}

/// Latency turns up at the highest rate, which the larger codec can't keep at all.
fn rates() -> Summary {
    let mut rates = of_load(
        "payload = [\"small\"]\ncodec = [\"json/serde-json\", \"protobuf/prost\"]\nmode = [\"mqtt:qos1\"]\nlink = [\"lan\"]\n\
         rate = [\"100/s\", \"1k/s\", \"10k/s\"]",
        "kind = \"open\"\nmessages = 10",
        "",
    );
    for cell in &mut rates.cells {
        let rate = cell.axes.rate.map_or(0.0, |rate| rate.per_s());
        if rate > 5_000.0 && cell.axes.codec.format == "json" {
            cell.outcomes = Outcomes { overloaded: cell.trials, ..Outcomes::default() };
            (cell.valid_trials, cell.delivery, cell.lost_ratio, cell.late_ratio) =
                (0, Delivery::default(), None, None);
            cell.metrics.clear();
            (cell.latency_box, cell.latency_ecdf) = (None, Vec::new());
        } else {
            times(&mut cell.metrics, "latency", if rate > 5_000.0 { 3.0 } else { 1.0 });
        }
    }
    rates.knees = wiredyno_answers::knees::knees(&rates);
    rates
}

fn search() -> Summary {
    let mut search = of_load(
        "payload = [\"small\"]\ncodec = [\"json/serde-json\", \"protobuf/prost\"]\nmode = [\"mqtt:qos0\", \"mqtt:qos1\", \"tcp\"]\nlink = [\"lan\"]",
        "kind = \"search\"\nmessages = 1000\nbound = { metric = \"latency.p99\", below = \"100ms\" }",
        "",
    );
    for (place, cell) in search.cells.iter_mut().enumerate() {
        let rate = 40_000.0 - 4_000.0 * place as f64;
        for name in ["sustained_rate", "throughput"] {
            let unit = find(Scope::Message, name).unwrap().unit.name();
            cell.metrics.insert(name.to_owned(), metric(unit, rate, rate * 0.02, TRIALS));
        }
        let limits = [("broker".to_owned(), TRIALS)].into();
        cell.searched = Some(Searched { settled: true, spread: Some(1.04), limits });
    }
    search
}

fn nothing_valid() -> Summary {
    let mut run = summary();
    for cell in &mut run.cells {
        cell.outcomes = Outcomes { invalid: cell.trials, ..Outcomes::default() };
        cell.invalid =
            vec!["the hypervisor took 7.1 % of the CPU time (limit 5.0 %)".to_owned(); cell.trials as usize];
        (cell.valid_trials, cell.delivery, cell.lost_ratio, cell.late_ratio) =
            (0, Delivery::default(), None, None);
        cell.metrics.clear();
        (cell.latency_box, cell.latency_ecdf, cell.wire) = (None, Vec::new(), None);
    }
    run.codecs.clear();
    run
}

fn hundreds() -> Summary {
    let codecs: Vec<String> =
        ["json/serde-json", "protobuf/prost", "cbor/ciborium", "messagepack/rmp-serde", "avro/apache-avro"]
            .map(|codec| format!("{codec:?}"))
            .into();
    of(
        &format!(
            "payload = [\"current-status\", \"small\", \"person\", \"cam\", \"denm\"]\ncodec = [{}]\nmode = [\"mqtt:qos0\", \"mqtt:qos1\", \
             \"mqtt:qos2\", \"tcp\", \"udp\"]\nlink = [\"lan\", \"lte\"]\nloss = [0.0, 0.05]",
            codecs.join(", ")
        ),
        "",
    )
}

const PARTS: [&str; 5] = ["build", "encode", "decode", "read", "total"];

fn id(text: &str) -> CodecId {
    text.parse().unwrap()
}

/// A time whose trials vary by 1 %.
pub fn time(mean: f64) -> Metric {
    metric("ns", mean, mean * 0.01, TRIALS)
}

/// Codec trials in which each phase takes 100 ns in Rust's Protobuf, `format` times as much with JSON, and `language` times as much in
/// Python.
pub fn in_two_languages(format: f64, language: f64) -> Summary {
    let mut summary = summary();
    summary.cells.clear();
    summary.study.axes.mode.clear();
    let in_python = [("json/serde-json", "json/python-json"), ("protobuf/prost", "protobuf/upb-python")];
    for (rust, python) in in_python {
        let described = summary.codecs_described.iter().find(|codec| codec.id == id(rust)).unwrap();
        let mut described = described.clone();
        (described.id, described.runner) = (id(python), Some("python".to_owned()));
        summary.codecs_described.push(described);
        let mut codecs: Vec<_> =
            summary.codecs.iter().filter(|codec| codec.axes.codec == id(rust)).cloned().collect();
        codecs.iter_mut().for_each(|codec| codec.axes.codec = id(python));
        summary.codecs.extend(codecs);
        summary.study.axes.codec.push(id(python));
    }
    for codec in &mut summary.codecs {
        let is_python = codec.axes.codec.implementation.contains("python");
        let is_json = codec.axes.codec.format == "json";
        let factor = if is_python { language } else { 1.0 } * if is_json { format } else { 1.0 };
        codec.metrics.extend(PARTS.map(|part| (part.to_owned(), time(100.0 * factor))));
        codec.metrics.insert("empty".to_owned(), time(if is_python { 25.0 } else { 0.5 }));
    }
    summary
}

/// The protocols that each broker of the published studies serves.
fn serves(broker: &BrokerId, protocol: &str) -> bool {
    match broker.name.as_str() {
        "mosquitto" => protocol == "mqtt",
        "rabbitmq" => protocol == "amqp-0-9-1",
        "qpid" => protocol == "amqp-1-0",
        name => name == protocol,
    }
}

/// A run of a study, of codec trials over all payloads and codecs, and of messages in all its cells: bytes and times follow from their
/// positions.
pub fn published(study: &str) -> (Published, Summary) {
    let published = for_study(study).unwrap().unwrap();
    let mut summary = summary();
    let template = summary.codecs[0].clone();
    let path = format!("{}/../../../studies/{study}.toml", env!("CARGO_MANIFEST_DIR"));
    let asked = Study::parse(&path, &std::fs::read_to_string(&path).unwrap()).unwrap();
    let cell_template = summary.cells[0].clone();
    summary.cells.clear();
    for (place, axes) in asked.cells(&serves).into_iter().enumerate() {
        let mut cell = cell_template.clone();
        cell.axes = axes;
        for name in published.metrics() {
            cell.metrics.insert(name.to_owned(), metric("ns", 1e6 + place as f64 * 1e3, 1e3, 5));
        }
        summary.cells.push(cell);
    }
    if !asked.axes.mode.is_empty() {
        summary.study = asked;
    }
    summary.study.name = study.to_owned();
    summary.codecs.clear();
    for (row, payload) in published.payloads().into_iter().enumerate() {
        for (place, codec) in published.codecs().into_iter().enumerate() {
            let mut codec_summary = template.clone();
            codec_summary.axes.payload = payload.clone();
            codec_summary.axes.codec = codec.clone();
            for (name, metric) in &mut codec_summary.metrics {
                metric.mean =
                    40.0 + 10.0 * place as f64 + row as f64 + if name == "body" { 0.0 } else { 100.0 };
                metric.by_repeat = by_repeat(metric.mean, if name == "body" { 0.0 } else { 0.5 }, 5);
            }
            let stack = codec_summary.metrics["encode_peak"].clone();
            for name in [
                "encode_fresh_peak",
                "encode_fresh_stack",
                "decode_stack",
                "resident_encode",
                "resident_decode",
            ] {
                codec_summary.metrics.insert(name.to_owned(), stack.clone());
            }
            summary.codecs.push(codec_summary);
        }
    }
    (published, summary)
}
