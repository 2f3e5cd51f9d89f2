//! What a run measured, message trials and codec trials alike: values on axes, and figures.

use std::collections::BTreeMap;

use wiredyno_model::metric::{self, MetricInfo, Scope};
use wiredyno_model::summary::{Metric, Summary};
use wiredyno_model::trial::Delivery;
use wiredyno_model::{AXES, Selection};

/// A cell, or a payload and codec, with at least one complete trial.
#[derive(Debug, Clone)]
pub(crate) struct Thing<'a> {
    pub scope: Scope,
    /// Its values, in the order of [`AXES`].
    pub values: [Option<String>; AXES.len()],
    pub metrics: &'a BTreeMap<String, Metric>,
    /// Absent in codec trials.
    pub delivery: Option<Delivery>,
}

impl<'a> Thing<'a> {
    /// All of a run.
    pub fn all(summary: &'a Summary) -> Vec<Thing<'a>> {
        let cells = summary.cells.iter().filter(|cell| cell.valid_trials > 0).map(|cell| Thing {
            scope: Scope::Message,
            values: AXES.map(|axis| cell.axes.value(axis)),
            metrics: &cell.metrics,
            delivery: Some(cell.delivery),
        });
        let codecs = summary.codecs.iter().filter(|codec| codec.valid_trials > 0).map(|codec| Thing {
            scope: Scope::Codec,
            values: AXES.map(|axis| codec.axes.value(axis)),
            metrics: &codec.metrics,
            delivery: None,
        });
        cells.chain(codecs).collect()
    }

    /// Whether a selection means it. What has no value on an axis of messages is meant by no value there.
    pub fn is_meant(&self, cells: &Selection) -> bool {
        cells.means(|axis| self.value(axis).map(str::to_owned))
    }

    /// What is not for the one to choose who sends messages: payload, link and loss.
    pub fn condition(&self) -> String {
        self.names(&["payload", "link", "loss"]).join(", ")
    }

    /// What is: the codec with its compression, over a mode, by a broker where one is named.
    pub fn choice(&self) -> String {
        let coding = self.names(&["codec", "compression"]).join(" + ");
        match (self.value("mode"), self.value("broker")) {
            (Some(mode), Some(broker)) => format!("{coding} over {mode} by {broker}"),
            (Some(mode), None) => format!("{coding} over {mode}"),
            (None, _) => coding,
        }
    }

    /// Its values that say something, in one line.
    pub fn name(&self) -> String {
        self.names(&AXES).join(" ")
    }

    fn names(&self, axes: &[&str]) -> Vec<String> {
        let told = axes.iter().filter_map(|axis| {
            let value = self.value(axis).filter(|value| *value != "none")?;
            Some(value_name(axis, value))
        });
        told.collect()
    }

    /// Its value on an axis.
    pub fn value(&self, axis: &str) -> Option<&str> {
        let place = AXES.iter().position(|known| *known == axis)?;
        self.values[place].as_deref()
    }

    /// Its values but for those of some axes.
    pub fn but_for(&self, axes: &[&str]) -> [Option<&str>; AXES.len()] {
        std::array::from_fn(|place| self.values[place].as_deref().filter(|_| !axes.contains(&AXES[place])))
    }

    /// The protocol of its mode; empty in codec trials.
    pub fn protocol(&self) -> &str {
        self.value("mode").and_then(|mode| mode.split(':').next()).unwrap_or_default()
    }
}

/// The metrics that answers are about unless others are asked for: those of the report's first screen.
pub(crate) fn main_metrics() -> impl Iterator<Item = MetricInfo> {
    let all = metric::all(Scope::Message).chain(metric::all(Scope::Codec));
    all.filter(|metric| metric.first_screen)
}

/// A value of an axis as people read it: `5 % loss`.
pub fn value_name(axis: &str, value: &str) -> String {
    match (axis, value.parse::<f64>()) {
        ("loss", Ok(loss)) => format!("{} loss", crate::quantity::percent(loss)),
        ("compression", _) if value == "none" => "no compression".to_owned(),
        _ => value.to_owned(),
    }
}
