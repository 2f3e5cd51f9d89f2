//! A made-up summary for the tests of this crate: 2 payloads, 2 codecs, 6 modes, 1 link, 2 losses, 5 repeats, with
//! invalid trials, a combination that did not run, and losses. The numbers are plausible and invented. One file because it
//! is one summary.

#![allow(dead_code, reason = "each test binary uses a part of it")]

pub mod many;
pub mod studies;

use std::collections::BTreeMap;

use wiredyno_contract::{Capability, CodecDescription, TransportDescription, TransportSetting};
use wiredyno_model::study::Study;
use wiredyno_model::summary::{
    BoxPlot, CellSummary, CodecSummary, Environment, Metric, NotRun, Outcomes, RatioInterval, RunInfo,
    SUMMARY_SCHEMA, Summary,
};
use wiredyno_model::trial::{BrokerUsed, Delivery, Wire, WireCount};
use wiredyno_model::{Cell, CodecCell};

const STUDY: &str = r#"
name = "demo"
why = "Which format, and how reliable a delivery, for vehicle telemetry over LTE?"
[axes]
payload = ["current-status", "small"]
codec = ["json/serde-json", "protobuf/prost"]
mode = ["mqtt:qos0", "mqtt:qos1", "mqtt:qos2", "tcp", "udp", "coap:con"]
link = ["lte"]
loss = [0.0, 0.05]
[load]
kind = "open"
interval = "200ms"
messages = 10
deadline = "2s"
drain = "8s"
[trials]
repeats = 5
"#;

const TRIALS: u32 = 5;
const MESSAGES: u64 = 10;

/// Deterministic noise in -1..1: a linear congruential generator (Numerical Recipes' constants).
struct Noise(u32);

impl Noise {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(self.0 >> 8) / f64::from(1 << 23) - 1.0
    }
}

/// The summary of the study above.
pub fn summary() -> Summary {
    summary_of(STUDY)
}

/// The summary of another study.
pub fn summary_of(study: &str) -> Summary {
    let study = Study::parse("demo.toml", study).unwrap();
    let mut noise = Noise(7);
    let mut cells = Vec::new();
    for axes in study.axes.cells(&|_, _| true) {
        // CoAP with a body of several kilobytes did not run.
        if axes.mode.protocol == "coap" && axes.payload.name != "small" {
            continue;
        }
        cells.push(cell(axes, &mut noise));
    }
    let codecs = study.axes.codec_cells().into_iter().map(|axes| codec(axes, &mut noise)).collect();
    Summary {
        schema: SUMMARY_SCHEMA,
        run: run(),
        environment: environment(),
        codecs_described: codecs_described(),
        compressions_described: Vec::new(),
        transports_described: transports_described(),
        cells,
        codecs,
        not_run: ["json/serde-json", "protobuf/prost"]
            .iter()
            .map(|codec| NotRun {
                what: format!("current-status {codec} coap:con lte"),
                why: "the body does not fit a datagram: choose a smaller payload, or a mode that splits messages".into(),
                part: None,
            })
            .collect(),
        notes: vec!["codec trials ran beside nothing else".into()],
        effects: Vec::new(),
        knees: Vec::new(),
        inputs: Default::default(),
        one_way_loss: Vec::new(),
        thresholds: Vec::new(),
        study,
    }
}

fn run() -> RunInfo {
    RunInfo {
        id: "2026-03-05-demo".into(),
        version: "0.1.0".into(),
        started: "2026-03-05T10:21:07Z".into(),
        duration_ns: 192_000_000_000,
        lanes: 6,
        utilisation: 0.41,
        steal: 0.0004,
        complete: true,
    }
}

fn environment() -> Environment {
    Environment {
        cpu: "Example CPU 3000".into(),
        cpus: 2,
        cpus_online: 2,
        memory_bytes: 16_600_000_000,
        kernel: "Linux 6.1.0".into(),
        os: "Debian GNU/Linux 12".into(),
        governor: "performance".into(),
        hypervisor: "kvm".into(),
        load_1min: 0.12,
        timer_resolution_ns: 21,
        sleep_lateness_p99_ns: 61_000,
        rights: vec!["namespaces".into(), "real-time priority".into()],
        compiler: "rustc 1.95.0".into(),
        commit: "0123456789ab".into(),
        builds: Vec::new(),
        agents: Vec::new(),
    }
}

fn codecs_described() -> Vec<CodecDescription> {
    let described = |id: &str, library: &str, about: &str, capabilities: &[Capability]| CodecDescription {
        id: id.parse().unwrap(),
        runner: None,
        language: None,
        compiler: None,
        library: library.into(),
        version: "1.0.140".into(),
        about: about.into(),
        capabilities: capabilities.to_vec(),
    };
    vec![
        described(
            "json/serde-json",
            "serde_json",
            "compact, no blanks",
            &[Capability::SelfDescribing, Capability::HumanReadable, Capability::BytesAsBase64],
        ),
        described(
            "protobuf/prost",
            "prost",
            "proto3",
            &[Capability::SchemaDriven, Capability::ReusesBuffers],
        ),
    ]
}

fn transports_described() -> Vec<TransportDescription> {
    let described =
        |id: &str, settings: &[(&str, &[Capability])], capabilities: &[Capability]| TransportDescription {
            id: id.parse().unwrap(),
            library: id.split('/').nth(1).unwrap().into(),
            version: "0.25.1".into(),
            server: None,
            settings: settings
                .iter()
                .map(|(name, capabilities)| {
                    TransportSetting::new(name, "as the protocol says", capabilities.to_vec())
                })
                .collect(),
            options: Vec::new(),
            format: None,
            received_at: "the client's event".into(),
            sent_at: "the socket took it".into(),
            securities: TransportDescription::in_the_clear(),
            security_note: String::new(),
            limit: None,
            capabilities: capabilities.to_vec(),
        };
    let reliable: &[Capability] = &[Capability::Reliable];
    vec![
        described(
            "mqtt/rumqttc",
            &[("qos0", &[]), ("qos1", reliable), ("qos2", reliable)],
            &[Capability::Ordered],
        ),
        described("tcp/wiredyno", &[], &[Capability::Ordered, Capability::Reliable]),
        described("udp/wiredyno", &[], &[Capability::Datagram]),
        described("coap/wiredyno", &[("con", reliable)], &[Capability::Datagram]),
    ]
}

/// A metric whose trials lie around `mean`; `spread` is half of the interval's width.
pub fn metric(unit: &str, mean: f64, spread: f64, trials: u32) -> Metric {
    let interval = |centre: f64| (trials >= 5).then_some([centre - spread, centre + spread]);
    Metric {
        unit: unit.into(),
        count: u64::from(trials) * MESSAGES,
        mean,
        interval_95: interval(mean),
        median: mean * 0.97,
        median_interval_95: interval(mean * 0.97),
        p90: None,
        p99: None,
        p90_interval_95: None,
        p99_interval_95: None,
        coverage: None,
        min: (mean * 0.9 - spread).max(0.0),
        max: mean * 1.7 + 2.0 * spread,
        by_repeat: by_repeat(mean, spread, trials),
        median_by_repeat: BTreeMap::new(),
        p99_by_repeat: BTreeMap::new(),
    }
}

/// Means of trials, evenly spread around `mean` in an order that differs from metric to metric: for five trials
/// their t interval is about `spread` to either side.
pub fn by_repeat(mean: f64, spread: f64, trials: u32) -> BTreeMap<u32, f64> {
    let turn = (mean.to_bits().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33) as u32 % trials.max(1);
    let place = |repeat: u32| f64::from((repeat * 2 + turn) % trials) - f64::from(trials - 1) / 2.0;
    (0..trials).map(|repeat| (repeat, mean + spread * place(repeat) / 2.0)).collect()
}

/// A metric with the same value in every trial.
fn exact(unit: &str, mean: f64, min: f64, max: f64) -> Metric {
    Metric { min, max, median: mean, ..metric(unit, mean, 0.0, TRIALS) }
}

struct Shape {
    round_trips: f64,
    retransmits: bool,
    header_bytes: f64,
    cpu_ns: f64,
}

fn shape(mode: &str) -> Shape {
    let shape = |round_trips, retransmits, header_bytes, cpu_ns| Shape {
        round_trips,
        retransmits,
        header_bytes,
        cpu_ns,
    };
    match mode {
        "mqtt:qos0" => shape(1.0, true, 290.0, 61_000.0),
        "mqtt:qos1" => shape(1.0, true, 520.0, 88_000.0),
        "mqtt:qos2" => shape(2.0, true, 980.0, 131_000.0),
        "tcp" => shape(1.0, true, 272.0, 38_000.0),
        "udp" => shape(1.0, false, 84.0, 24_000.0),
        _ => shape(1.0, true, 190.0, 42_000.0),
    }
}

fn body_bytes(axes: &CodecCell) -> (f64, f64, f64) {
    if let Some(size) = axes.payload.size_bytes {
        return (f64::from(size), f64::from(size), f64::from(size));
    }
    match (axes.payload.name.as_str(), axes.codec.format.as_str()) {
        ("small", "json") => (23.0, 23.0, 23.0),
        ("small", _) => (12.0, 12.0, 12.0),
        (_, "json") => (12_187.4, 1_904.0, 19_873.0),
        _ => (1_157.2, 204.0, 1_380.0),
    }
}

#[expect(clippy::too_many_lines, reason = "a literal with every figure of a cell")]
fn cell(axes: Cell, noise: &mut Noise) -> CellSummary {
    let mode = axes.mode.to_string();
    let loss = axes.loss.map_or(0.0, |loss| loss.get());
    let shape = shape(&mode);
    let (body, least, most) = body_bytes(&axes.codec_cell());
    let invalid = match (mode.as_str(), body > 10_000.0, loss > 0.0) {
        ("mqtt:qos2", true, true) => {
            vec!["packets left the link up to 8.2ms late (p99, limit 5ms)".to_owned(); 2]
        }
        ("tcp", false, false) => vec!["the hypervisor took 7.1 % of the CPU time (limit 5.0 %)".to_owned()],
        _ => Vec::new(),
    };
    // All but the cell at QoS 2 made up for their invalid trials.
    let valid = if invalid.len() == 2 { 3 } else { TRIALS };
    let sent = u64::from(valid) * MESSAGES;
    // A body larger than a packet is lost with any of its fragments.
    let crossings = 2.0 * (body / 1400.0).ceil() + noise.next() * 0.5;
    let lost = if shape.retransmits {
        0
    } else {
        (sent as f64 * (1.0 - (1.0 - loss).powf(crossings))).round() as u64
    };
    let delivery = Delivery {
        sent,
        delivered: sent - lost,
        lost,
        late: Some(if shape.round_trips > 1.0 && loss > 0.0 { 3 } else { 0 }),
        ..Delivery::default()
    };
    let repair = if shape.retransmits { loss * 2_600.0 * shape.round_trips } else { 0.0 };
    let latency_ms = 69.5 * shape.round_trips + body / 1_100.0 + repair + noise.next();
    let wire = 2.0 * (body + shape.header_bytes) + loss * (body + 80.0) * 2.0;
    let mut metrics = message_metrics(&shape, latency_ms, wire, (body, least, most), valid, noise);
    let share = lost as f64 / sent as f64;
    metrics.insert("lost".to_owned(), metric("ratio", share, share * 0.15, valid));
    let box_plot = BoxPlot {
        low: latency_ms * 0.86e6,
        q1: latency_ms * 0.93e6,
        median: latency_ms * 0.97e6,
        q3: latency_ms * 1.05e6,
        high: latency_ms * 1.2e6,
        outliers: u64::from(loss > 0.0) * 4,
        outside: if loss > 0.0 {
            [1.4, 1.6, 1.9, 2.4].map(|times| latency_ms * times * 1e6).to_vec()
        } else {
            Vec::new()
        },
    };
    let ecdf = (1..=40).map(|step| {
        let share = f64::from(step) / 40.0;
        [latency_ms * 1e6 * (0.86 + 0.25 * share + (repair / latency_ms) * share.powi(9) * 2.0), share]
    });
    let direction =
        WireCount { packets: sent * 3, bytes: (wire * sent as f64 / 2.0) as u64, ..WireCount::default() };
    let retransmitted = if shape.retransmits { (loss * sent as f64 * 2.0) as u64 } else { 0 };
    let up = WireCount {
        retransmitted_packets: retransmitted,
        retransmitted_bytes: retransmitted * 90,
        ..direction
    };
    CellSummary {
        broker: Some(broker(&axes)),
        axes,
        trials: valid + invalid.len() as u32,
        valid_trials: valid,
        outcomes: Outcomes { complete: valid, invalid: invalid.len() as u32, ..Outcomes::default() },
        invalid,
        overloaded: Vec::new(),
        failed: Vec::new(),
        under_overload: None,
        metrics,
        delivery,
        counted_only: Vec::new(),
        clock_bound_ns: None,
        lost_ratio: Some(share_interval(lost, sent)),
        late_ratio: Some(share_interval(delivery.late.unwrap_or_default(), sent)),
        wire: Some(Wire { up, down: direction }),
        wire_setup: None,
        wire_probe: None,
        wire_warmup: None,
        latency_ecdf: ecdf.collect(),
        latency_box: Some(box_plot),
        trial_latency_ns: (0..valid).map(|trial| latency_ms * 1e6 + f64::from(trial) * 1e5).collect(),
        made: Vec::new(),
        searched: None,
        dropped: BTreeMap::new(),
        full: BTreeMap::new(),
        needs_messages: BTreeMap::new(),
        withheld: BTreeMap::new(),
        stopped: None,
    }
}

fn message_metrics(
    shape: &Shape,
    latency_ms: f64,
    wire: f64,
    (body, least, most): (f64, f64, f64),
    valid: u32,
    noise: &mut Noise,
) -> BTreeMap<String, Metric> {
    let mut metrics = BTreeMap::new();
    let mut add = |name: &str, metric: Metric| metrics.insert(name.to_owned(), metric);
    let spread = 0.4e6 + latency_ms * 1e4 + noise.next().abs() * 3e5;
    add("latency", metric("ns", latency_ms * 1e6, spread, valid));
    add("latency_from_sent", metric("ns", latency_ms * 1e6 - 90_000.0, spread, valid));
    add("build_time", metric("ns", 240.0 + body * 0.35, 25.0, valid));
    add("encode_time", metric("ns", 700.0 + body * 1.4, 90.0, valid));
    add("send_time", metric("ns", shape.cpu_ns * 0.4, 2_100.0, valid));
    add("decode_time", metric("ns", 1_100.0 + body * 2.2, 160.0, valid));
    add("schedule_lag", metric("ns", 61_000.0, 4_000.0, valid));
    add("body", exact("bytes", body, least, most));
    add("wire_per_message", metric("bytes", wire, wire * 0.004, valid));
    add("overhead_per_message", metric("bytes", wire - 2.0 * body, wire * 0.004, valid));
    let cpu = shape.cpu_ns + body * 4.0;
    add("publisher_cpu_per_message", metric("ns", cpu * (1.0 + noise.next() * 0.03), cpu * 0.05, valid));
    add("subscriber_cpu_per_delivery", metric("ns", cpu * 0.9, cpu * 0.05, valid));
    add("broker_cpu_per_message", metric("ns", cpu * 0.5, cpu * 0.06, valid));
    for (role, megabytes) in [("publisher", 6.4), ("subscriber", 6.3), ("broker", 7.9)] {
        let peak = (megabytes + noise.next() * 0.1) * 1e6;
        add(&format!("{role}_memory"), metric("bytes", peak, 0.2e6, valid));
    }
    metrics
}

fn broker(axes: &Cell) -> BrokerUsed {
    let (id, version, label) = match axes.mode.protocol.as_str() {
        "mqtt" => ("embedded", "0.20.0", "embedded, for a first look"),
        _ => ("relay", "0.1.0", ""),
    };
    BrokerUsed { id: id.into(), version: version.into(), label: label.into(), storage: String::new() }
}

/// A share with the normal approximation's interval, kept above zero's exact upper end: good enough to draw.
fn share_interval(lost: u64, sent: u64) -> RatioInterval {
    let ratio = lost as f64 / sent as f64;
    let half = 1.96 * (ratio * (1.0 - ratio) / sent as f64).sqrt();
    // For no loss: 1 - 0.025^(1/n), the exact upper end.
    let upper = if lost == 0 { 1.0 - 0.025_f64.powf(1.0 / sent as f64) } else { ratio + half };
    RatioInterval { ratio, interval_95: [(ratio - half).max(0.0), upper] }
}

fn codec(axes: CodecCell, noise: &mut Noise) -> CodecSummary {
    let (body, least, most) = body_bytes(&axes);
    let json = axes.codec.format == "json";
    let mut metrics = BTreeMap::new();
    let mut total = 0.0;
    for (phase, base, per_byte) in [
        ("build", 40.0, if json { 0.02 } else { 0.3 }),
        ("encode", 90.0, if json { 1.1 } else { 0.7 }),
        ("decode", 160.0, if json { 2.4 } else { 1.3 }),
        ("read", 30.0, 0.05),
    ] {
        let time = base + per_byte * body * (1.0 + noise.next() * 0.05);
        total += time;
        metrics.insert(phase.to_owned(), metric("ns", time, time * 0.02, TRIALS));
        let allocations = if phase == "read" { 0.0 } else { (body / 60.0).ceil() };
        metrics.insert(format!("{phase}_allocations"), exact("count", allocations, allocations, allocations));
        metrics.insert(format!("{phase}_allocated"), exact("bytes", body * 1.5, least, most * 1.5));
        metrics.insert(format!("{phase}_peak"), exact("bytes", body * 1.2, least, most * 1.2));
    }
    metrics.insert("encode_fresh".into(), metric("ns", 140.0 + body * 1.2, 12.0, TRIALS));
    metrics.insert("total".into(), metric("ns", total, total * 0.02, TRIALS));
    metrics.insert("body".into(), exact("bytes", body, least, most));
    CodecSummary {
        axes,
        trials: TRIALS,
        valid_trials: TRIALS,
        outcomes: Outcomes { complete: TRIALS, ..Outcomes::default() },
        invalid: Vec::new(),
        dropped: BTreeMap::new(),
        failed: Vec::new(),
        metrics,
        stopped: None,
        dictionary: None,
        missing: Vec::new(),
    }
}
