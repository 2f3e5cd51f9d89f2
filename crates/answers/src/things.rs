//! What a run measured, message trials and codec trials alike: values on axes, and figures.

use std::collections::BTreeMap;

use wiredyno_model::metric::{self, MetricInfo, Scope};
use wiredyno_model::summary::{Metric, Summary};
use wiredyno_model::trial::Delivery;
use wiredyno_model::{AxisInfo, Part, Selection, axis, option_of_axis};

/// A cell, or a payload and codec, with at least one complete trial.
#[derive(Debug, Clone)]
pub(crate) struct Thing<'a> {
    pub scope: Scope,
    /// Its values by the names of the axes, in their order; only those that it has.
    pub values: Vec<(&'a str, String)>,
    pub metrics: &'a BTreeMap<String, Metric>,
    /// Absent in codec trials.
    pub delivery: Option<Delivery>,
}

impl<'a> Thing<'a> {
    /// All of a run.
    pub fn all(summary: &'a Summary) -> Vec<Thing<'a>> {
        let axes = summary.study.axes.names();
        let values = |of: &dyn Fn(&str) -> Option<String>| {
            axes.iter().filter_map(|axis| Some((*axis, of(axis)?))).collect()
        };
        let cells = summary.cells.iter().filter(|cell| cell.valid_trials > 0).map(|cell| Thing {
            scope: Scope::Message,
            values: values(&|axis| cell.axes.value(axis)),
            metrics: &cell.metrics,
            delivery: Some(cell.delivery),
        });
        let codecs = summary.codecs.iter().filter(|codec| codec.valid_trials > 0).map(|codec| Thing {
            scope: Scope::Codec,
            values: values(&|axis| codec.axes.value(axis)),
            metrics: &codec.metrics,
            delivery: None,
        });
        cells.chain(codecs).collect()
    }

    /// Whether a selection means it. What has no value on an axis of messages is meant by no value there.
    pub fn is_meant(&self, cells: &Selection) -> bool {
        cells.means(|axis| self.value(axis).map(str::to_owned))
    }

    /// What is not for the one to choose who sends messages: its values on the axes that are conditions.
    pub fn condition(&self) -> String {
        self.told(|axis| axis.part == Part::Condition).join(", ")
    }

    /// What is: the codec with its compression, over a mode, by a broker where one is named, with how it is secured, with the options
    /// that vary and the window.
    pub fn choice(&self) -> String {
        let coding = self.told(|axis| axis.part == Part::Coding).join(" + ");
        let mode = self.value("mode").map(|mode| format!("over {mode}"));
        let broker = self.value("broker").map(|broker| format!("by {broker}"));
        let own = ["mode", "broker"];
        let others = self.told(|axis| axis.part == Part::Sending && !own.contains(&axis.name));
        std::iter::once(coding).chain(mode).chain(broker).chain(others).collect::<Vec<_>>().join(" ")
    }

    /// Its values that say something, in one line.
    pub fn name(&self) -> String {
        self.told(|_| true).join(" ")
    }

    /// Its values on some axes, in their order, but for `none`.
    fn told(&self, is_wanted: impl Fn(&AxisInfo) -> bool) -> Vec<String> {
        let wanted = self
            .values
            .iter()
            .filter(|(name, value)| value != "none" && axis(name).is_some_and(|axis| is_wanted(&axis)));
        wanted.map(|(name, value)| value_name(name, value)).collect()
    }

    /// Its value on an axis.
    pub fn value(&self, axis: &str) -> Option<&str> {
        self.values.iter().find(|(known, _)| *known == axis).map(|(_, value)| value.as_str())
    }

    /// Its values but for those of some axes.
    pub fn but_for(&self, axes: &[&str]) -> Vec<(&'a str, &str)> {
        let others = self.values.iter().filter(|(axis, _)| !axes.contains(axis));
        others.map(|(axis, value)| (*axis, value.as_str())).collect()
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

/// A value of an axis as people read it: `5 % loss`, `linger=5ms`, `window 8`.
pub fn value_name(name: &str, value: &str) -> String {
    if let Some((_, option)) = option_of_axis(name) {
        return format!("{option}={value}");
    }
    axis(name).map_or_else(|| value.to_owned(), |axis| axis.in_words(value))
}
