//! Figures of runs for tables and charts: by cell, as distributions, compared, and over time.

mod history;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use wiredyno_answers::compare::{self, Wanted};
use wiredyno_answers::recommend::{self, Kind, Need, Weight};
use wiredyno_contract::Factor;
use wiredyno_model::summary::{Metric, Summary};
use wiredyno_model::{Scope, Selection, metric};
use wiredyno_store::RunFolder;

use crate::error::{ApiError, ApiResult};

pub use self::history::{History, HistoryQuery, history};

/// The figures of a run that a query selects.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Figures {
    /// The axes of the study, by name.
    pub axes: Vec<String>,
    /// A row for each cell and metric.
    pub rows: Vec<FigureRow>,
}

/// One metric of one cell.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct FigureRow {
    /// The cell's values on the axes.
    pub axes: Value,
    /// `message` or `codec`.
    pub scope: String,
    /// The metric's id, such as `latency`.
    pub metric: String,
    /// Mean, median, interval and percentiles.
    pub figure: Metric,
}

/// Which figures of a run to answer.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FiguresQuery {
    /// `message` or `codec`; both when left out.
    #[serde(default)]
    pub scope: Option<String>,
    /// Metrics, separated by commas; all when left out.
    #[serde(default)]
    pub metric: Option<String>,
    /// Only these cells, for example `mode=mqtt:*; loss=0`.
    #[serde(default, rename = "where")]
    pub cells: Option<String>,
    /// `csv` for a CSV table; JSON when left out.
    #[serde(default)]
    pub format: Option<String>,
}

/// Parses a selection of cells.
///
/// # Errors
/// When the text can't be parsed.
pub fn selection(text: Option<&str>) -> ApiResult<Selection> {
    text.unwrap_or_default().parse().map_err(|error| ApiError::bad(format!("where: {error}")))
}

/// The figures of a run that a query selects.
///
/// # Errors
/// When there is no such scope or axis.
pub fn figures(summary: &Summary, query: &FiguresQuery) -> ApiResult<Figures> {
    let cells = selection(query.cells.as_deref())?;
    let known = summary.study.axes.names();
    cells.check(&known).map_err(ApiError::bad)?;
    let metrics: Vec<&str> = words(query.metric.as_deref()).collect();
    let wants = |scope: &str| query.scope.as_deref().is_none_or(|asked| asked == scope);
    if !wants("message") && !wants("codec") {
        return Err(ApiError::bad("scope is `message` or `codec`"));
    }
    let mut rows = Vec::new();
    let mut add = |axes: Value, scope: &str, of: &BTreeMap<String, Metric>| {
        for (name, figure) in of {
            if metrics.is_empty() || metrics.contains(&name.as_str()) {
                let (axes, scope, metric) = (axes.clone(), scope.to_owned(), name.clone());
                rows.push(FigureRow { axes, scope, metric, figure: figure.clone() });
            }
        }
    };
    for cell in summary.cells.iter().filter(|_| wants("message")) {
        if cells.means(|axis| cell.axes.value(axis)) {
            add(serde_json::to_value(&cell.axes).map_err(ApiError::internal)?, "message", &cell.metrics);
        }
    }
    for codec in summary.codecs.iter().filter(|_| wants("codec")) {
        if cells.means(|axis| codec.axes.value(axis)) {
            add(serde_json::to_value(&codec.axes).map_err(ApiError::internal)?, "codec", &codec.metrics);
        }
    }
    Ok(Figures { axes: known.into_iter().map(str::to_owned).collect(), rows })
}

/// The non-empty items of a comma-separated list.
pub fn words(text: Option<&str>) -> impl Iterator<Item = &str> {
    text.unwrap_or_default().split(',').map(str::trim).filter(|word| !word.is_empty())
}

/// Which distribution of single messages to answer.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DistributionQuery {
    /// A time of a message, such as `latency` or `encode_time`; `latency` when left out.
    #[serde(default)]
    pub metric: Option<String>,
    /// Only these cells, for example `mode=mqtt:*; loss=0`.
    #[serde(default, rename = "where")]
    pub cells: Option<String>,
}

/// The distribution of a time of single messages.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Distribution {
    /// The time: the query's `metric`.
    pub metric: String,
    /// The unit of the edges.
    pub unit: String,
    /// One distribution for each selected cell.
    pub cells: Vec<CellDistribution>,
}

/// The distribution of a time over a cell's messages, in classes whose bounds grow by a constant factor.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct CellDistribution {
    /// The cell's name.
    pub name: String,
    /// Its values on the axes.
    pub axes: Value,
    /// Messages with such a time whose rows are stored. Long trials store a sample of their messages, each counted once.
    pub count: u64,
    /// Negative ones among them, which are in no class.
    pub negative: u64,
    /// Bounds of the classes: one more than there are classes.
    pub edges: Vec<f64>,
    /// Messages in each class, in the order of `edges`.
    pub counts: Vec<u64>,
}

/// Times of single messages, with the stamps that they lie between.
const TIMES: [(&str, &str, &str); 8] = [
    ("latency", "intended_send_ns", "received_ns"),
    ("latency_from_sent", "sent_ns", "received_ns"),
    ("schedule_lag", "intended_send_ns", "build_start_ns"),
    ("build_time", "build_start_ns", "built_ns"),
    ("encode_time", "built_ns", "encoded_ns"),
    ("send_time", "encoded_ns", "sent_ns"),
    ("decode_time", "received_ns", "decoded_ns"),
    ("ack_time", "sent_ns", "acked_ns"),
];

/// Classes per decade.
const CLASSES: f64 = 20.0;

/// The distribution of a time of messages, read row group by row group.
///
/// # Errors
/// When there is no such time or axis, or the messages can't be read.
pub fn distribution(
    folder: &RunFolder,
    summary: &Summary,
    query: &DistributionQuery,
) -> ApiResult<Distribution> {
    let name = query.metric.as_deref().unwrap_or("latency");
    let Some((_, from, to)) = TIMES.iter().find(|(known, ..)| *known == name) else {
        let all: Vec<&str> = TIMES.iter().map(|(known, ..)| *known).collect();
        let message =
            format!("single messages have no `{}`: one of {}", crate::runs::shown(name), all.join(", "));
        return Err(ApiError::bad(message));
    };
    let cells = selection(query.cells.as_deref())?;
    cells.check(&summary.study.axes.names()).map_err(ApiError::bad)?;
    let mut of_trial: BTreeMap<u32, usize> = BTreeMap::new();
    let meant: Vec<_> =
        summary.cells.iter().filter(|cell| cells.means(|axis| cell.axes.value(axis))).collect();
    for (place, cell) in meant.iter().enumerate() {
        let complete = cell.made.iter().filter(|made| made.outcome == wiredyno_model::Outcome::Complete);
        of_trial.extend(complete.map(|made| (made.trial, place)));
    }
    let mut classes: Vec<BTreeMap<i32, u64>> = vec![BTreeMap::new(); meant.len()];
    let mut negative = vec![0_u64; meant.len()];
    let mut take = |trial: u32, span_ns: i64| {
        let Some(&place) = of_trial.get(&trial) else { return };
        if span_ns < 0 {
            negative[place] += 1;
        } else {
            let class = ((span_ns.max(1) as f64).log10() * CLASSES).floor() as i32;
            *classes[place].entry(class).or_default() += 1;
        }
    };
    folder.each_span(from, to, &mut take).map_err(ApiError::internal)?;
    let of_cell = |((cell, classes), negative): ((&&wiredyno_model::summary::CellSummary, _), u64)| {
        let classes: BTreeMap<i32, u64> = classes;
        let range = classes.keys().next().copied().zip(classes.keys().next_back().copied());
        let numbers: Vec<i32> = range.map(|(first, last)| (first..=last).collect()).unwrap_or_default();
        let counts: Vec<u64> =
            numbers.iter().map(|class| classes.get(class).copied().unwrap_or_default()).collect();
        let bound = |class: i32| 10_f64.powf(f64::from(class) / CLASSES);
        let last = numbers.last().map(|last| bound(last + 1));
        CellDistribution {
            name: cell.axes.to_string(),
            axes: serde_json::to_value(&cell.axes).unwrap_or_default(),
            count: counts.iter().sum::<u64>() + negative,
            negative,
            edges: numbers.iter().map(|class| bound(*class)).chain(last).collect(),
            counts,
        }
    };
    let cells = meant.iter().zip(classes).zip(negative).map(of_cell).collect();
    Ok(Distribution { metric: name.to_owned(), unit: "ns".to_owned(), cells })
}

/// Which runs to compare, and in what.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CompareQuery {
    /// The id of the baseline run.
    pub base: String,
    /// The id of the run that is compared with it.
    pub new: String,
    /// Metrics, separated by commas; those of the report's first screen when left out.
    #[serde(default)]
    pub metric: Option<String>,
    /// Only these cells, for example `mode=mqtt:*; loss=0`.
    #[serde(default, rename = "where")]
    pub cells: Option<String>,
    /// Whether to compare even what is not comparable, with a note that says so.
    #[serde(default)]
    pub anyway: Option<bool>,
    /// Ignore differences smaller than this, for example `2%`.
    #[serde(default)]
    pub least: Option<String>,
}

/// Compares two runs.
///
/// # Errors
/// When there is no such metric or axis.
pub fn compared(base: &Summary, new: &Summary, query: &CompareQuery) -> ApiResult<Value> {
    let metrics: Vec<String> = words(query.metric.as_deref()).map(str::to_owned).collect();
    for name in &metrics {
        if [Scope::Message, Scope::Codec].into_iter().all(|scope| metric::find(scope, name).is_none()) {
            return Err(ApiError::bad(format!("there is no metric `{}`", crate::runs::shown(name))));
        }
    }
    let cells = selection(query.cells.as_deref())?;
    let known = [base.study.axes.names(), new.study.axes.names()].concat();
    cells.check(&known).map_err(ApiError::bad)?;
    let least = query.least.as_deref().unwrap_or("0").parse::<Factor>().map_err(ApiError::bad)?;
    let wanted = Wanted { metrics, cells, anyway: query.anyway.unwrap_or(false), least: least.get() };
    let comparison = compare::runs(base, new, &wanted);
    let answer = wiredyno_report::comparison(&comparison);
    let mut value = serde_json::to_value(&comparison).map_err(ApiError::internal)?;
    value["text"] = answer.to_markdown().into();
    value["page"] = wiredyno_report::comparison_on_page(base, new, &comparison).into();
    Ok(value)
}

/// Needs and weights of a recommendation.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecommendQuery {
    /// `bytes=1,time=1,cpu=1`; when left out, bytes and time, or the rate if the study searches for the highest.
    #[serde(default)]
    pub weigh: Option<String>,
    /// Upper bounds that figures may reach, separated by commas: `lost=0`; without a need about lost messages, at most 1 % may be lost.
    #[serde(default)]
    pub need: Option<String>,
    /// Bounds that figures must stay below, separated by commas: `latency.p99=200ms`.
    #[serde(default)]
    pub below: Option<String>,
    /// Bounds that figures must stay above, separated by commas.
    #[serde(default)]
    pub above: Option<String>,
    /// Only these cells, for example `mode=mqtt:*; loss=0`.
    #[serde(default, rename = "where")]
    pub cells: Option<String>,
}

/// Recommends a codec and mode from a run.
///
/// # Errors
/// When a need, a weight or an axis is invalid.
pub fn recommended(summary: &Summary, query: &RecommendQuery) -> ApiResult<Value> {
    let cells = selection(query.cells.as_deref())?;
    cells.check(&summary.study.axes.names()).map_err(ApiError::bad)?;
    let need = words(query.need.as_deref()).map(|text| Need::parse("need", text, Kind::AtMost));
    let below = words(query.below.as_deref()).map(|text| Need::parse("below", text, Kind::Below));
    let above = words(query.above.as_deref()).map(|text| Need::parse("above", text, Kind::Above));
    let needs = need.chain(below).chain(above).collect::<Result<Vec<_>, _>>().map_err(ApiError::bad)?;
    let weigh = query.weigh.as_deref().unwrap_or_else(|| recommend::usual(summary));
    let messages = !summary.cells.is_empty();
    let needs = Need::with_default(needs, messages).map_err(ApiError::bad)?;
    let weights = Weight::parse(weigh, messages).map_err(ApiError::bad)?;
    let found = recommend::recommend(summary, &cells, &needs, &weights).map_err(ApiError::bad)?;
    let mut value = serde_json::to_value(&found).map_err(ApiError::internal)?;
    value["text"] = wiredyno_report::recommendation(&found).to_markdown().into();
    value["weighed"] = weigh.into();
    value["page"] = wiredyno_report::recommendation_on_page(summary, &cells, &weights, &found).into();
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::history::common_cells;
    use super::*;

    #[test]
    fn an_odd_run_does_not_empty_a_history() {
        let common = |runs: &[&str]| {
            let of = |cells: &&str| cells.split_whitespace().map(|cell| (cell.to_owned(), ())).collect();
            let runs: Vec<BTreeMap<String, ()>> = runs.iter().map(of).collect();
            common_cells(runs.iter()).into_iter().collect::<Vec<_>>().join(" ")
        };
        assert_eq!(common(&["a b c", "a b", "", "b c"]), "b");
        assert_eq!(common(&["a b", "x y", "a b c"]), "a b");
        assert_eq!(common(&["x", "a b", "b c", "y"]), "b");
        assert_eq!(common(&["", ""]), "");
    }
}
