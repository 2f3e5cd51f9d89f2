//! A summary of codec trials alone: 45 codecs of 25 formats by 6 payloads. The numbers are plausible and invented.

use std::collections::BTreeMap;

use wiredyno_contract::{Capability, CodecDescription};
use wiredyno_model::CodecCell;
use wiredyno_model::study::Study;
use wiredyno_model::summary::{CodecSummary, NotRun, Outcomes, SUMMARY_SCHEMA, Summary};

use super::{Noise, TRIALS, environment, exact, metric, run};

/// A codec, its capabilities, its bytes for each byte of content and of names, and its time for each byte.
struct Made(&'static str, &'static str, f64, f64, f64);

/// Capabilities: `t` text, `s` self-describing, `d` schema-driven, `z` zero-copy.
const CODECS: [Made; 45] = [
    Made("json/serde-json", "ts", 1.6, 1.0, 1.9),
    Made("json/sonic-rs", "ts", 1.6, 1.0, 1.1),
    Made("xml/quick-xml", "ts", 1.7, 2.3, 4.8),
    Made("messagepack/rmp-serde:named", "s", 1.05, 0.9, 1.2),
    Made("messagepack/rmp-serde:positional", "d", 1.05, 0.1, 0.9),
    Made("cbor/ciborium", "s", 1.08, 0.9, 2.6),
    Made("bson/bson", "s", 1.4, 1.2, 2.9),
    Made("protobuf/prost", "d", 0.9, 0.12, 0.7),
    Made("protobuf/upb", "d", 0.9, 0.12, 0.6),
    Made("protobuf/prost:container", "d", 0.9, 0.3, 0.75),
    Made("avro/apache-avro", "d", 0.85, 0.0, 9.5),
    Made("avro/wiredyno", "d", 0.85, 0.0, 0.5),
    Made("thrift/wiredyno:compact", "d", 0.95, 0.14, 0.8),
    Made("thrift/wiredyno:binary", "d", 1.3, 0.4, 0.7),
    Made("flatbuffers/planus", "zd", 1.9, 0.3, 0.6),
    Made("capnproto/capnp", "zd", 1.8, 0.2, 0.5),
    Made("capnproto/capnp:packed", "d", 1.1, 0.1, 0.8),
    Made("rkyv/rkyv", "zd", 1.7, 0.05, 0.3),
    Made("postcard/postcard", "d", 0.85, 0.0, 0.4),
    Made("bitcode/bitcode", "d", 0.7, 0.0, 0.5),
    Made("lcm/wiredyno", "d", 1.2, 0.05, 0.25),
    Made("lcm/wiredyno:udp", "d", 1.2, 0.15, 0.27),
    Made("ros1/wiredyno", "d", 1.2, 0.0, 0.22),
    Made("ros1/wiredyno:udp", "d", 1.2, 0.1, 0.24),
    Made("cdr/wiredyno", "d", 1.4, 0.02, 0.25),
    Made("cdr/wiredyno:big-endian", "d", 1.4, 0.02, 0.3),
    Made("netstrings/wiredyno", "d", 1.5, 0.3, 0.6),
    Made("netstrings/wiredyno:crc", "d", 1.5, 0.35, 0.9),
    Made("netstrings/wiredyno:varint", "d", 1.1, 0.2, 0.7),
    Made("netstrings/wiredyno:container", "d", 1.5, 0.5, 0.8),
    Made("asn1-uper/wiredyno", "d", 0.6, 0.0, 0.4),
    Made("asn1-uper/rasn", "d", 0.6, 0.0, 3.1),
    Made("asn1-aper/rasn", "d", 0.65, 0.0, 3.0),
    Made("asn1-oer/rasn", "d", 0.8, 0.0, 2.4),
    Made("asn1-oer/rasn:canonical", "d", 0.8, 0.0, 2.4),
    Made("asn1-der/rasn", "d", 1.1, 0.2, 3.4),
    Made("exi/wiredyno:strict", "d", 0.7, 0.0, 0.8),
    Made("exi/wiredyno:default", "d", 0.75, 0.0, 0.9),
    Made("exi/wiredyno:strict-merged", "d", 0.68, 0.0, 0.8),
    Made("exi/wiredyno:default-merged", "d", 0.73, 0.0, 0.9),
    Made("ts-103-097/wiredyno", "d", 1.0, 0.1, 0.4),
    Made("raw/wiredyno", "", 1.0, 0.0, 0.02),
    Made("ion/ion-rs", "s", 1.1, 0.7, 3.9),
    Made("borsh/borsh", "d", 1.2, 0.0, 0.3),
    Made("bincode/bincode", "d", 0.9, 0.0, 0.35),
];

/// Payloads with bytes of content and of names.
const PAYLOADS: [(&str, f64, f64); 6] = [
    ("small", 10.0, 9.0),
    ("person", 34.0, 40.0),
    ("cam", 60.0, 300.0),
    ("vehicle-data", 88.0, 70.0),
    ("current-status", 1_500.0, 5_200.0),
    ("laser-scan", 2_900.0, 60.0),
];

fn study(compressions: &[&str]) -> Study {
    let list = |names: Vec<&str>| format!("{names:?}");
    let text = format!(
        "name = \"formats\"\nwhy = \"What does each format make of a message, in bytes and in time?\"\n\
         [axes]\npayload = {}\ncodec = {}\ncompression = {}\n[trials]\nrepeats = 5\n",
        list(PAYLOADS.iter().map(|payload| payload.0).collect()),
        list(CODECS.iter().map(|codec| codec.0).collect()),
        list(compressions.to_vec()),
    );
    Study::parse("formats.toml", &text).unwrap()
}

fn described(made: &Made) -> CodecDescription {
    let declares = |letter: char| made.1.contains(letter);
    let capabilities = [
        (declares('z'), Capability::ZeroCopy),
        (declares('d'), Capability::SchemaDriven),
        (declares('s'), Capability::SelfDescribing),
        (!declares('z'), Capability::ValidatesUtf8),
        (declares('d'), Capability::Canonical),
        (declares('t'), Capability::HumanReadable),
        (declares('t'), Capability::BytesAsBase64),
    ];
    CodecDescription {
        id: made.0.parse().unwrap(),
        runner: None,
        language: None,
        compiler: None,
        library: made.0.split(['/', ':']).nth(1).unwrap().into(),
        version: "1.2.3".into(),
        about: "in its canonical form; what is inside each phase would stand here".into(),
        capabilities: capabilities.into_iter().filter(|(has, _)| *has).map(|(_, one)| one).collect(),
    }
}

/// Why a codec does not carry a payload; `None` if it does.
fn lacks(codec: &str, payload: &str) -> Option<&'static str> {
    match codec.split('/').next() {
        Some("raw") if payload != "small" => Some("the payload has more than one field"),
        Some("ts-103-097") => Some("the format carries envelopes only"),
        Some("lcm") if payload == "person" => Some("LCM has no unsigned integers"),
        _ => None,
    }
}

/// A summary with each codec once, uncompressed.
pub fn summary() -> Summary {
    of(study(&["none"]))
}

/// The same with every codec also compressed.
pub fn compressed() -> Summary {
    of(study(&["none", "zstd:3"]))
}

fn of(study: Study) -> Summary {
    let mut noise = Noise(11);
    let (mut codecs, mut not_run) = (Vec::new(), Vec::new());
    for axes in study.axes.codec_cells() {
        match lacks(&axes.codec.to_string(), &axes.payload.name) {
            Some(why) => not_run.push(NotRun { what: axes.to_string(), why: why.into(), part: None }),
            None => codecs.push(codec(axes, &mut noise)),
        }
    }
    codecs.sort_by(|a, b| a.axes.cmp(&b.axes));
    Summary {
        schema: SUMMARY_SCHEMA,
        run: run(),
        environment: environment(),
        codecs_described: CODECS.iter().map(described).collect(),
        compressions_described: Vec::new(),
        transports_described: Vec::new(),
        cells: Vec::new(),
        codecs,
        not_run,
        notes: Vec::new(),
        effects: Vec::new(),
        knees: Vec::new(),
        inputs: Default::default(),
        one_way_loss: Vec::new(),
        thresholds: Vec::new(),
        study,
    }
}

fn codec(axes: CodecCell, noise: &mut Noise) -> CodecSummary {
    let id = axes.codec.to_string();
    let made = CODECS.iter().find(|made| made.0 == id).unwrap();
    let payload = PAYLOADS.iter().find(|payload| payload.0 == axes.payload.name).unwrap();
    let written = (payload.1 * made.2 + payload.2 * made.3 + 1.0).round();
    // A frame of 12 bytes around four fifths of what the codec writes.
    let body = if axes.compression.is_none() { written } else { (written * 0.8 + 12.0).round() };
    let mut metrics = BTreeMap::new();
    let mut total = 0.0;
    // Zero-copy codecs build into the output and read from it.
    let zero_copy = made.1.contains('z');
    let work = (payload.1 + payload.2 * 0.3) * made.4;
    let shares = if zero_copy { [0.6, 0.05, 0.02, 0.9] } else { [0.1, 0.4, 0.8, 0.08] };
    for (phase, share) in ["build", "encode", "decode", "read"].into_iter().zip(shares) {
        let time = (3.0 + work * share) * (1.0 + noise.next() * 0.06);
        total += time;
        metrics
            .insert(phase.to_owned(), metric("ns", time, time * (0.01 + noise.next().abs() * 0.05), TRIALS));
        let allocations = if zero_copy || phase == "read" { 0.0 } else { (payload.1 / 80.0).ceil() };
        metrics.insert(format!("{phase}_allocations"), exact("count", allocations, allocations, allocations));
    }
    if !axes.compression.is_none() {
        for (phase, each) in [("compress", 4.0), ("decompress", 1.0)] {
            let time = 200.0 + written * each;
            total += time;
            metrics.insert(phase.to_owned(), metric("ns", time, time * 0.02, TRIALS));
        }
        metrics.insert("body_uncompressed".into(), exact("bytes", written, written, written));
    }
    metrics.insert("encode_fresh".into(), metric("ns", 30.0 + work * 0.5, 3.0, TRIALS));
    metrics.insert("total".into(), metric("ns", total, total * (0.01 + noise.next().abs() * 0.06), TRIALS));
    metrics.insert("body".into(), exact("bytes", body, (body * 0.8).floor(), (body * 1.1).ceil()));
    CodecSummary {
        axes,
        dictionary: None,
        trials: TRIALS,
        valid_trials: TRIALS,
        outcomes: Outcomes { complete: TRIALS, ..Outcomes::default() },
        invalid: Vec::new(),
        dropped: BTreeMap::new(),
        failed: Vec::new(),
        missing: Vec::new(),
        metrics,
        stopped: None,
    }
}
