//! Made-up runs whose answers are known: figures are functions of the cell and the repeat.

#![allow(dead_code, reason = "each test binary uses a part of it")]

pub mod shapes;

use std::collections::BTreeMap;

use wiredyno_model::metric::{self, Scope};
use wiredyno_model::study::Study;
use wiredyno_model::summary::{
    CellSummary, CodecSummary, Environment, Metric, Outcomes, RunInfo, SUMMARY_SCHEMA, Summary,
};
use wiredyno_model::trial::Delivery;
use wiredyno_model::{Cell, CodecCell};
use wiredyno_stats::{Level, Sample, mean_interval};

/// Messages of each trial.
pub const MESSAGES: u64 = 100;

/// A study of two codecs by two modes over one link, with five repeats.
pub const FOUR_CELLS: &str = r#"
name = "made-up"
why = "?"
[axes]
payload = ["small"]
codec = ["json/serde-json", "protobuf/prost"]
mode = ["mqtt:qos0", "tcp"]
link = ["lan"]
[load]
kind = "open"
interval = "20ms"
messages = 100
deadline = "1s"
drain = "1s"
[trials]
repeats = 5
"#;

/// A metric and its value in a trial.
pub type Figures = Vec<(&'static str, f64)>;

/// A run of a study, with the study's number of repeats. If `lost` is among the figures of messages it is the share that did
/// not arrive.
pub fn run(
    study: &str,
    message: impl Fn(&Cell, u32) -> Figures,
    codec: impl Fn(&CodecCell, u32) -> Figures,
) -> Summary {
    let study = Study::parse("made-up.toml", study).unwrap();
    let repeats = study.trials.repeats;
    let trials = |figures: &dyn Fn(u32) -> Figures| -> BTreeMap<&'static str, BTreeMap<u32, f64>> {
        let mut by_metric: BTreeMap<&'static str, BTreeMap<u32, f64>> = BTreeMap::new();
        for repeat in 0..repeats {
            for (name, value) in figures(repeat) {
                by_metric.entry(name).or_default().insert(repeat, value);
            }
        }
        by_metric
    };
    let cells = study.axes.cells(&|_, _| true).into_iter().map(|axes| {
        let by_metric = trials(&|repeat| message(&axes, repeat));
        let lost: f64 =
            by_metric.get("lost").map_or(0.0, |lost| lost.values().sum::<f64>() * MESSAGES as f64);
        let sent = u64::from(repeats) * MESSAGES;
        let lost = lost.round() as u64;
        let delivery = Delivery { sent, delivered: sent - lost, lost, ..Delivery::default() };
        cell_summary(axes, metrics(Scope::Message, by_metric), delivery, repeats)
    });
    let codecs = study.axes.codec_cells().into_iter().map(|axes| {
        let by_metric = trials(&|repeat| codec(&axes, repeat));
        codec_summary(axes, metrics(Scope::Codec, by_metric), repeats)
    });
    Summary {
        schema: SUMMARY_SCHEMA,
        run: RunInfo {
            id: "made-up".into(),
            version: "0.1.0".into(),
            started: "2026-03-05T10:21:07Z".into(),
            duration_ns: 1,
            lanes: 1,
            utilisation: 0.0,
            steal: 0.0,
            complete: true,
        },
        environment: Environment { cpu: "Example CPU".into(), cpus: 2, ..Environment::default() },
        codecs_described: Vec::new(),
        compressions_described: Vec::new(),
        transports_described: Vec::new(),
        cells: if study.axes.mode.is_empty() { Vec::new() } else { cells.collect() },
        codecs: codecs.filter(|codec| !codec.metrics.is_empty()).collect(),
        not_run: Vec::new(),
        notes: Vec::new(),
        effects: Vec::new(),
        knees: Vec::new(),
        inputs: [
            ("payload small samples.jsonl".to_owned(), "1".to_owned()),
            ("link lan".to_owned(), "2".to_owned()),
        ]
        .into(),
        one_way_loss: Vec::new(),
        thresholds: Vec::new(),
        study,
    }
}

/// A run without codec trials.
pub fn messages(study: &str, message: impl Fn(&Cell, u32) -> Figures) -> Summary {
    run(study, message, |_, _| Vec::new())
}

/// A metric's figures over trials.
pub fn metric(scope: Scope, name: &str, by_repeat: BTreeMap<u32, f64>) -> Metric {
    let values = Sample::new(by_repeat.values().copied().collect::<Vec<_>>()).unwrap();
    let interval = mean_interval(&values, Level::P95).ok();
    Metric {
        unit: metric::find(scope, name).unwrap().unit.name().to_owned(),
        count: values.count() as u64 * MESSAGES,
        mean: values.mean(),
        interval_95: interval.map(|interval| [interval.low, interval.high]),
        median: values.mean(),
        median_interval_95: None,
        p90: None,
        p99: None,
        p90_interval_95: None,
        p99_interval_95: None,
        coverage: None,
        min: values.min(),
        max: values.max(),
        by_repeat,
        median_by_repeat: BTreeMap::new(),
        p99_by_repeat: BTreeMap::new(),
    }
}

fn metrics(scope: Scope, by_metric: BTreeMap<&'static str, BTreeMap<u32, f64>>) -> BTreeMap<String, Metric> {
    let all = by_metric.into_iter();
    all.map(|(name, by_repeat)| (name.to_owned(), metric(scope, name, by_repeat))).collect()
}

fn cell_summary(
    axes: Cell,
    metrics: BTreeMap<String, Metric>,
    delivery: Delivery,
    trials: u32,
) -> CellSummary {
    CellSummary {
        axes,
        trials,
        valid_trials: if metrics.is_empty() { 0 } else { trials },
        outcomes: Outcomes { complete: trials, ..Outcomes::default() },
        invalid: Vec::new(),
        dropped: BTreeMap::new(),
        overloaded: Vec::new(),
        failed: Vec::new(),
        under_overload: None,
        broker: None,
        metrics,
        delivery,
        counted_only: Vec::new(),
        clock_bound_ns: None,
        lost_ratio: None,
        late_ratio: None,
        wire: None,
        wire_setup: None,
        wire_probe: None,
        wire_warmup: None,
        latency_ecdf: Vec::new(),
        latency_box: None,
        trial_latency_ns: Vec::new(),
        made: Vec::new(),
        searched: None,
        full: BTreeMap::new(),
        needs_messages: BTreeMap::new(),
        withheld: BTreeMap::new(),
        stopped: None,
    }
}

fn codec_summary(axes: CodecCell, metrics: BTreeMap<String, Metric>, trials: u32) -> CodecSummary {
    CodecSummary {
        axes,
        trials,
        valid_trials: trials,
        outcomes: Outcomes { complete: trials, ..Outcomes::default() },
        invalid: Vec::new(),
        dropped: BTreeMap::new(),
        failed: Vec::new(),
        metrics,
        stopped: None,
        dictionary: None,
        missing: Vec::new(),
    }
}

/// A factor that all cells of a repeat share: between 0.8 and 1.25, unordered.
pub fn drift(repeat: u32) -> f64 {
    [1.0, 1.25, 0.85, 1.1, 0.8, 1.2, 0.95, 1.05, 0.9, 1.15][repeat as usize % 10]
}

/// Small deviations of a single cell, about 1 % each way; different for each name.
pub fn noise(name: &str, repeat: u32) -> f64 {
    let bytes = format!("{name} {repeat}");
    let hash = bytes.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    // The last steps of SplitMix64, so that names that differ in a digit are uncorrelated.
    let mixed = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    1.0 + 0.01 * (((mixed ^ (mixed >> 31)) >> 40) as f64 / f64::from(1 << 23) - 1.0)
}
