//! What a run measured, in message trials and codec trials alike: values on axes, and figures.

use std::collections::BTreeMap;

use wiredyno_model::metric::{self, MetricInfo, Scope};
use wiredyno_model::summary::{Metric, Outcomes, RatioInterval, Summary, Withheld};
use wiredyno_model::trial::Delivery;
use wiredyno_model::{AxisInfo, Part, Selection, axis, option_of_axis};
use wiredyno_stats::{Level, Proportion};

/// The metrics that are differences between a time of the publisher's clock and one of the subscriber's, in nanoseconds: what a clock is wrong by is in them whole.
pub const ACROSS_CLOCKS: [&str; 6] =
    ["latency", "latency_from_sent", "latency_median", "latency_max", "first_message", "initialization"];

/// A cell, or a payload and codec.
#[derive(Debug, Clone)]
pub(crate) struct Thing<'a> {
    pub scope: Scope,
    /// Complete trials, the only ones in its figures.
    pub valid_trials: u32,
    /// Why there is none, in a few words; empty if there are some.
    pub why_none: String,
    /// Its values by the names of the axes, in their order, without axes that it has no value on.
    pub values: Vec<(&'a str, String)>,
    pub metrics: &'a BTreeMap<String, Metric>,
    /// Accounting of messages; absent in codec trials.
    pub delivery: Option<Delivery>,
    /// The share of messages lost, with its interval over trials; absent in codec trials, and where nothing was sent.
    pub lost: Option<RatioInterval>,
    /// How wrong each of its latencies may be because of two clocks; 0 where there is one.
    clock_bound_ns: u64,
    /// Hops of a message; absent in codec trials, and where no trial shows them.
    pub hops: Option<u32>,
    /// Metrics that are withheld because trials had too few messages, with the number that they need.
    pub needs_messages: Option<&'a BTreeMap<String, u64>>,
    /// All metrics that are withheld because the fixed cost hides them.
    pub withheld: Option<&'a BTreeMap<String, Withheld>>,
}

impl<'a> Thing<'a> {
    /// All of a run with at least one complete trial.
    pub fn all(summary: &'a Summary) -> Vec<Thing<'a>> {
        let mut things = Self::every(summary);
        things.retain(|thing| thing.valid_trials > 0);
        things
    }

    /// All of a run, including those without a complete trial.
    pub fn every(summary: &'a Summary) -> Vec<Thing<'a>> {
        let axes = summary.study.axes.names();
        let values = |of: &dyn Fn(&str) -> Option<String>| {
            axes.iter().filter_map(|axis| Some((*axis, of(axis)?))).collect()
        };
        let cells = summary.cells.iter().map(|cell| Thing {
            scope: Scope::Message,
            valid_trials: cell.valid_trials,
            why_none: why_none(cell.valid_trials, &cell.outcomes),
            values: values(&|axis| cell.axes.value(axis)),
            metrics: &cell.metrics,
            delivery: Some(cell.delivery),
            lost: cell.lost_ratio.or_else(|| exact_share(cell.delivery.lost, cell.delivery.sent)),
            clock_bound_ns: cell.clock_bound_ns.unwrap_or_default(),
            hops: cell.hops(),
            needs_messages: Some(&cell.needs_messages),
            withheld: Some(&cell.withheld),
        });
        let codecs = summary.codecs.iter().map(|codec| Thing {
            scope: Scope::Codec,
            valid_trials: codec.valid_trials,
            why_none: why_none(codec.valid_trials, &codec.outcomes),
            values: values(&|axis| codec.axes.value(axis)),
            metrics: &codec.metrics,
            delivery: None,
            lost: None,
            clock_bound_ns: 0,
            hops: None,
            needs_messages: None,
            withheld: None,
        });
        cells.chain(codecs).collect()
    }

    /// How wrong a figure of this metric may be, either way, because of two clocks; 0 where they are not in it.
    pub fn clock_bound_ns(&self, metric: &str) -> u64 {
        if ACROSS_CLOCKS.contains(&metric) { self.clock_bound_ns } else { 0 }
    }

    /// Whether a selection selects it. A thing without a value on an axis of messages matches no value there.
    pub fn is_meant(&self, cells: &Selection) -> bool {
        cells.means(|axis| self.value(axis).map(str::to_owned))
    }

    /// Conditions that a sender can't choose: its values on the axes that are conditions.
    pub fn condition(&self) -> String {
        self.told(|axis| axis.part == Part::Condition).join(", ")
    }

    /// What a sender can choose: the codec with its compression, over a mode, by a broker if one is named, with its security, the
    /// options that vary and the window.
    pub fn choice(&self) -> String {
        let coding = self.told(|axis| axis.part == Part::Coding).join(" + ");
        let mode = self.value("mode").map(|mode| format!("over {mode}"));
        let broker = self.value("broker").map(|broker| format!("by {broker}"));
        let own = ["mode", "broker"];
        let others = self.told(|axis| axis.part == Part::Sending && !own.contains(&axis.name));
        std::iter::once(coding).chain(mode).chain(broker).chain(others).collect::<Vec<_>>().join(" ")
    }

    /// Its values that distinguish it, in one line.
    pub fn name(&self) -> String {
        self.told(|_| true).join(" ")
    }

    /// Its values on some axes, in their order, except `none`.
    fn told(&self, is_wanted: impl Fn(&AxisInfo) -> bool) -> Vec<String> {
        let wanted = self
            .values
            .iter()
            .filter(|(name, value)| value != "none" && axis(name).is_some_and(|axis| is_wanted(&axis)));
        wanted.map(|(name, value)| value_name(name, value)).collect()
    }

    /// Adds its values on several axes as one on an axis of their names (`codec+mode`), so that bundles can be compared.
    pub fn bundled(mut self, bundle: &'a str) -> Self {
        let parts: Option<Vec<&str>> = bundle.split('+').map(|axis| self.value(axis)).collect();
        if let Some(value) = parts.map(|parts| parts.join("+")) {
            self.values.push((bundle, value));
        }
        self
    }

    /// A metric that covers enough messages to stand for the rest, in the unit of this version.
    pub fn metric(&self, name: &str) -> Option<&'a Metric> {
        let unit = metric::find(self.scope, name).map(|info| info.unit.name());
        let is_known = |metric: &&Metric| unit.is_none_or(|unit| unit == metric.unit);
        self.metrics.get(name).filter(|metric| metric.is_covered()).filter(is_known)
    }

    /// Why it lacks a metric, in a few words.
    pub fn why_no(&self, name: &str) -> String {
        if self.valid_trials == 0 {
            return format!("no complete trial ({})", self.why_none);
        }
        if let Some(coverage) = self.metrics.get(name).and_then(|metric| metric.coverage) {
            return format!("{name} is known of {coverage} messages only");
        }
        if let Some(other) = self.metrics.get(name).filter(|_| self.metric(name).is_none()) {
            return format!("{name} is in {}", other.unit);
        }
        if let Some(needed) = self.needs_messages.and_then(|needs| needs.get(name)) {
            return format!("{name} needs trials of at least {needed} messages");
        }
        let Some(withheld) = self.withheld.and_then(|withheld| withheld.get(name)) else {
            return format!("{name} was not measured");
        };
        if metric::find(Scope::Message, name).is_some_and(|info| info.without_messages) {
            let most = withheld.bound.map(|bound| crate::quantity::quantity(bound, "ns"));
            let at_most = most.map(|most| format!(": it is at most {most}")).unwrap_or_default();
            return format!("{name} can't be distinguished from zero{at_most}");
        }
        let hidden = format!("{name} is hidden by what processes take without messages");
        match (withheld.rate_per_s, withheld.trials) {
            (Some(rate), Some(trials)) => {
                let rate = crate::quantity::quantity(rate, "per_s");
                format!("{hidden}: it needs at least {rate}, or {trials} trials like these")
            }
            _ => hidden,
        }
    }

    /// Its value on an axis.
    pub fn value(&self, axis: &str) -> Option<&str> {
        self.values.iter().find(|(known, _)| *known == axis).map(|(_, value)| value.as_str())
    }

    /// Its values except those of some axes.
    pub fn but_for(&self, axes: &[&str]) -> Vec<(&'a str, &str)> {
        let others = self.values.iter().filter(|(axis, _)| !axes.contains(axis));
        others.map(|(axis, value)| (*axis, value.as_str())).collect()
    }

    /// The protocol of its mode; empty in codec trials.
    pub fn protocol(&self) -> &str {
        self.value("mode").and_then(|mode| mode.split(':').next()).unwrap_or_default()
    }
}

fn why_none(valid_trials: u32, outcomes: &Outcomes) -> String {
    if valid_trials > 0 {
        return String::new();
    }
    let counts =
        [(outcomes.failed, "failed"), (outcomes.overloaded, "overloaded"), (outcomes.invalid, "invalid")];
    let told =
        counts.into_iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}"));
    let told: Vec<String> = told.collect();
    if told.is_empty() { "none was carried out".to_owned() } else { told.join(", ") }
}

/// The share of messages lost as if messages were independent: for runs that record no interval over trials.
pub(crate) fn exact_share(lost: u64, sent: u64) -> Option<RatioInterval> {
    let share = Proportion::new(lost, sent).ok()?;
    let interval = share.clopper_pearson(Level::P95);
    Some(RatioInterval { ratio: share.ratio(), interval_95: [interval.low, interval.high] })
}

/// The metrics that answers cover unless others are requested: those of the report's first screen.
pub(crate) fn main_metrics() -> impl Iterator<Item = MetricInfo> {
    let all = metric::all(Scope::Message).chain(metric::all(Scope::Codec));
    all.filter(|metric| metric.first_screen)
}

/// A value of an axis in words: `5 % loss`, `linger=5ms`, `window 8`.
pub fn value_name(name: &str, value: &str) -> String {
    if let Some((_, option)) = option_of_axis(name) {
        return format!("{option}={value}");
    }
    axis(name).map_or_else(|| value.to_owned(), |axis| axis.in_words(value))
}
