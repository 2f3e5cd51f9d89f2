//! The figures of a summary as one table, a row for each cell and metric. It is the content of `cells.parquet` and `report --format csv`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::axis::{Cell, CodecCell, FurtherColumns};
use crate::summary::{CellSummary, CodecSummary, Metric, Outcomes, Summary};

/// The figures of one metric of one cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CellFigure {
    /// Kind of the cell's trials: `message` or `codec`.
    pub kind: String,
    /// Outcome of the trials that the figures describe: `complete` or `overloaded`.
    pub figures_of: String,
    /// The payload, with its size if it takes one.
    pub payload: String,
    /// The codec's id: format, implementation and variant.
    pub codec: String,
    /// Compression of the codec's bytes; absent for none.
    pub compression: Option<String>,
    /// The protocol of the mode; absent for codec trials, like all columns up to `trials`.
    pub protocol: Option<String>,
    /// The mode: protocol and delivery guarantee.
    pub mode: Option<String>,
    /// The broker that the study names for it.
    pub broker: Option<String>,
    /// Security of its connections, where that is an axis of the study.
    pub security: Option<String>,
    /// Options of the protocol that are axes of the study, as JSON.
    pub options: Option<String>,
    /// The link's id; `loopback` without emulation.
    pub link: Option<String>,
    /// The axes that cells need not have.
    #[serde(flatten)]
    pub further: FurtherColumns,
    /// Trials of the cell, of any outcome.
    pub trials: u32,
    /// Of these, the complete trials, which the figures of `complete` are computed from.
    pub complete: u32,
    /// Of these, the trials that the stand itself disturbed.
    pub invalid: u32,
    /// Of these, the trials in which a role could not keep up.
    pub overloaded: u32,
    /// Of these, the trials in which what was tested broke.
    pub failed: u32,
    /// The metric's name in `summary.json`.
    pub metric: String,
    /// The unit of all figures of the row: `ns`, `bytes`, `per_s`, `ratio`, `count`.
    pub unit: String,
    /// Number of observations: messages, batches, samples or trials.
    pub observations: u64,
    /// Messages that the row covers, where it is computed from single messages and some lack a value; absent if it covers all.
    pub known: Option<u64>,
    /// Messages sent, where `known` is present.
    pub known_of: Option<u64>,
    /// Mean over trials of each trial's mean; of a codec's loop, of each trial's median batch.
    pub mean: f64,
    /// Lower end of its 95 % interval; absent with fewer than five trials, like all interval ends.
    pub mean_low: Option<f64>,
    /// Upper end of the mean's interval.
    pub mean_high: Option<f64>,
    /// Median of all observations, pooled over trials.
    pub median: f64,
    /// Lower end of its 95 % interval.
    pub median_low: Option<f64>,
    /// Upper end of the median's interval.
    pub median_high: Option<f64>,
    /// 90th percentile of all observations; absent with fewer than 100.
    pub p90: Option<f64>,
    /// Lower end of its 95 % interval.
    pub p90_low: Option<f64>,
    /// Upper end of the 90th percentile's interval.
    pub p90_high: Option<f64>,
    /// 99th percentile of all observations; absent with fewer than 1,000.
    pub p99: Option<f64>,
    /// Lower end of its 95 % interval.
    pub p99_low: Option<f64>,
    /// Upper end of the 99th percentile's interval.
    pub p99_high: Option<f64>,
    /// Least observation of all trials.
    pub min: f64,
    /// Greatest observation of all trials.
    pub max: f64,
}

impl Summary {
    /// All figures: cells in the summary's order, metrics by name.
    pub fn figures(&self) -> Vec<CellFigure> {
        let cells = self.cells.iter().flat_map(of_cell);
        cells.chain(self.codecs.iter().flat_map(of_codec)).collect()
    }
}

/// The part that all rows of a cell share, without a metric's figures.
fn blank(kind: &str, cell: &CodecCell, outcomes: Outcomes, trials: u32) -> CellFigure {
    CellFigure {
        kind: kind.to_owned(),
        figures_of: String::new(),
        payload: cell.payload.to_string(),
        codec: cell.codec.to_string(),
        compression: (!cell.compression.is_none()).then(|| cell.compression.to_string()),
        protocol: None,
        mode: None,
        broker: None,
        security: None,
        options: None,
        link: None,
        further: FurtherColumns::default(),
        trials,
        complete: outcomes.complete,
        invalid: outcomes.invalid,
        overloaded: outcomes.overloaded,
        failed: outcomes.failed,
        metric: String::new(),
        unit: String::new(),
        observations: 0,
        known: None,
        known_of: None,
        mean: 0.0,
        mean_low: None,
        mean_high: None,
        median: 0.0,
        median_low: None,
        median_high: None,
        p90: None,
        p90_low: None,
        p90_high: None,
        p99: None,
        p99_low: None,
        p99_high: None,
        min: 0.0,
        max: 0.0,
    }
}

fn of_cell(summary: &CellSummary) -> Vec<CellFigure> {
    let cell: &Cell = &summary.axes;
    let blank = CellFigure {
        protocol: Some(cell.mode.protocol.clone()),
        mode: Some(cell.mode.to_string()),
        broker: cell.broker.as_ref().map(ToString::to_string),
        security: cell.security.map(|security| security.to_string()),
        options: (!cell.options.is_empty()).then(|| serde_json::to_string(&cell.options).unwrap_or_default()),
        link: Some(cell.link.to_string()),
        further: cell.further(),
        ..blank("message", &cell.codec_cell(), summary.outcomes, summary.trials)
    };
    let overloaded =
        summary.under_overload.iter().flat_map(|under| rows(&blank, "overloaded", &under.metrics));
    rows(&blank, "complete", &summary.metrics).chain(overloaded).collect()
}

fn of_codec(summary: &CodecSummary) -> Vec<CellFigure> {
    let blank = blank("codec", &summary.axes, summary.outcomes, summary.trials);
    rows(&blank, "complete", &summary.metrics).collect()
}

fn rows<'a>(
    blank: &'a CellFigure,
    figures_of: &'a str,
    metrics: &'a BTreeMap<String, Metric>,
) -> impl Iterator<Item = CellFigure> + 'a {
    metrics.iter().map(move |(name, metric)| {
        let end = |interval: Option<[f64; 2]>, place: usize| interval.map(|ends| ends[place]);
        CellFigure {
            figures_of: figures_of.to_owned(),
            metric: name.clone(),
            unit: metric.unit.clone(),
            observations: metric.count,
            known: metric.coverage.map(|coverage| coverage.known),
            known_of: metric.coverage.map(|coverage| coverage.of),
            mean: metric.mean,
            mean_low: end(metric.interval_95, 0),
            mean_high: end(metric.interval_95, 1),
            median: metric.median,
            median_low: end(metric.median_interval_95, 0),
            median_high: end(metric.median_interval_95, 1),
            p90: metric.p90,
            p90_low: end(metric.p90_interval_95, 0),
            p90_high: end(metric.p90_interval_95, 1),
            p99: metric.p99,
            p99_low: end(metric.p99_interval_95, 0),
            p99_high: end(metric.p99_interval_95, 1),
            min: metric.min,
            max: metric.max,
            ..blank.clone()
        }
    })
}
