//! Sixty runs of every shape that messages can have: all well, lost, failed, without pairs, of mixed hops, empty.

use wiredyno_answers::threshold::judge;
use wiredyno_model::Cell;
use wiredyno_model::summary::{CellSummary, Outcomes, Summary};
use wiredyno_model::trial::{BrokerUsed, Delivery};

use super::{Figures, drift, messages, noise};

const STUDY: &str = r#"
name = "shapes"
why = "?"
[axes]
payload = ["small"]
codec = ["json/serde-json", "protobuf/prost"]
mode = ["mqtt:qos0", "tcp"]
link = ["lan"]
loss = [0.0, 0.05]
[load]
kind = "closed"
messages = 100
deadline = "2s"
drain = "8s"
[trials]
repeats = REPEATS
[[threshold]]
metric = "latency"
below = "1h"
[[threshold]]
metric = "lost"
below = "100%"
[[threshold]]
metric = "latency"
than = "itself"
worse_by = "5%"
[[threshold]]
metric = "latency"
base = "codec=json/serde-json"
"#;

/// Trials of a cell, and how far they vary.
#[derive(Debug, Clone, Copy)]
pub struct Trials {
    repeats: u32,
    scatter: i32,
}

const TRIALS: [Trials; 5] = [
    Trials { repeats: 1, scatter: 1 },
    Trials { repeats: 4, scatter: 1 },
    Trials { repeats: 5, scatter: 0 },
    Trials { repeats: 5, scatter: 1 },
    Trials { repeats: 10, scatter: 20 },
];

/// The changes made to a run whose cells are all sound, with their names.
type Change = (&'static str, fn(&mut Summary));

const CHANGES: [Change; 12] = [
    ("all well", |_| {}),
    ("nothing valid", |run| run.cells.iter_mut().for_each(invalidate)),
    ("one cell without a complete trial", |run| invalidate(&mut run.cells[0])),
    ("all lost", |run| run.cells.iter_mut().for_each(|cell| lose(cell, 1.0))),
    ("one mode loses half", |run| of_mode(run, "mqtt:qos0").for_each(|cell| lose(cell, 0.5))),
    ("no pairs", |run| {
        for (place, cell) in run.cells.iter_mut().enumerate() {
            let is_even = place % 2 == 0;
            cell.metrics
                .values_mut()
                .for_each(|metric| metric.by_repeat.retain(|repeat, _| (repeat % 2 == 0) == is_even));
            cell.metrics.retain(|_, metric| !metric.by_repeat.is_empty());
        }
    }),
    ("one hop beside two", |run| {
        for cell in &mut run.cells {
            let id = if cell.axes.mode.to_string() == "tcp" { "peer" } else { "mosquitto" };
            cell.broker = Some(BrokerUsed {
                id: id.to_owned(),
                version: "1".to_owned(),
                label: String::new(),
                storage: String::new(),
            });
        }
    }),
    ("mixed units", |run| {
        of_mode(run, "tcp").for_each(|cell| {
            if let Some(latency) = cell.metrics.get_mut("latency") {
                latency.unit = "bytes".into();
            }
        });
    }),
    ("no latency in one codec", |run| {
        let of = run.cells.iter_mut().filter(|cell| cell.axes.codec.format == "json");
        of.for_each(|cell| drop(cell.metrics.remove("latency")));
    }),
    ("all zero", |run| {
        for metric in run.cells.iter_mut().flat_map(|cell| cell.metrics.values_mut()) {
            metric.by_repeat.values_mut().for_each(|value| *value = 0.0);
            (metric.mean, metric.median, metric.min, metric.max) = (0.0, 0.0, 0.0, 0.0);
            metric.interval_95 = metric.interval_95.map(|_| [0.0, 0.0]);
        }
    }),
    ("one cell alone", |run| run.cells.truncate(1)),
    ("no cell", |run| run.cells.clear()),
];

fn of_mode<'a>(run: &'a mut Summary, mode: &'static str) -> impl Iterator<Item = &'a mut CellSummary> {
    run.cells.iter_mut().filter(move |cell| cell.axes.mode.to_string() == mode)
}

fn invalidate(cell: &mut CellSummary) {
    cell.outcomes = Outcomes { failed: cell.trials, ..Outcomes::default() };
    (cell.valid_trials, cell.delivery, cell.lost_ratio) = (0, Delivery::default(), None);
    cell.metrics.clear();
}

/// Loses a share of a cell's messages; if all are lost, there is no latency.
fn lose(cell: &mut CellSummary, share: f64) {
    let sent = cell.delivery.sent;
    let lost = (share * sent as f64) as u64;
    cell.delivery = Delivery { sent, lost, delivered: sent - lost, ..Delivery::default() };
    let metric = cell.metrics.get_mut("lost").unwrap();
    metric.by_repeat.values_mut().for_each(|value| *value = share);
    (metric.mean, metric.median, metric.min, metric.max) = (share, share, share, share);
    metric.interval_95 = metric.interval_95.map(|_| [share, share]);
    if lost == sent {
        cell.metrics.retain(|name, _| !name.starts_with("latency"));
    }
}

/// Sixty runs by name. Protobuf takes 0.8 of the time and half the bytes.
pub fn shapes() -> Vec<(String, Summary)> {
    let mut all = Vec::new();
    for Trials { repeats, scatter } in TRIALS {
        for (name, change) in CHANGES {
            let figures = |cell: &Cell, repeat: u32| -> Figures {
                let is_json = cell.codec.format == "json";
                let own = noise(&cell.to_string(), repeat).powi(scatter);
                let shared = if scatter == 0 { 1.0 } else { drift(repeat) };
                vec![
                    ("latency", if is_json { 50e6 } else { 40e6 } * own * shared),
                    ("wire_per_message", if is_json { 400.0 } else { 200.0 }),
                    ("body", if is_json { 100.0 } else { 50.0 }),
                    ("lost", 0.0),
                ]
            };
            let mut run = messages(&STUDY.replace("REPEATS", &repeats.to_string()), figures);
            change(&mut run);
            run.effects = wiredyno_answers::effects(&run);
            run.thresholds = judge(&run, &mut |_| Ok(run.clone())).unwrap();
            all.push((format!("{name}, {repeats} repeats, scatter {scatter}"), run));
        }
    }
    all
}
