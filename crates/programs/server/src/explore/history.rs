//! A figure over the runs that have it, and what changed between them.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use wiredyno_model::summary::{Metric, Summary};
use wiredyno_model::{Scope, metric};
use wiredyno_stats::{Level, MIN_TRIALS_FOR_INTERVAL, Sample, mean_interval};

use super::selection;
use crate::error::{ApiError, ApiResult};
use crate::runs::RunEntry;

/// Which study, and which figure of it.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HistoryQuery {
    /// The name of the study.
    pub study: String,
    /// The metric's id, such as `latency`.
    pub metric: String,
    /// Only these cells, for example `mode=mqtt:*; loss=0`.
    #[serde(default, rename = "where")]
    pub cells: Option<String>,
}

/// A figure of a study over its runs.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct History {
    /// The metric's id: the query's `metric`.
    pub metric: String,
    /// The metric's unit; empty if no run has it.
    pub unit: String,
    /// The runs of the study, the oldest first.
    pub runs: Vec<HistoryRun>,
    /// Where the figure changed.
    pub changes: Vec<Change>,
    /// What that says, in a sentence.
    pub text: String,
}

/// A run in a history.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct HistoryRun {
    /// The run, as in the list of runs.
    #[serde(flatten)]
    pub run: RunEntry,
    /// Geometric mean over the selected cells for which every run has the figure, without odd runs that share no cell with the
    /// others; absent for those odd runs, without such cells, and if a value is not above 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// The same for each repeat.
    pub by_repeat: Vec<f64>,
    /// The 95 % interval of `value` over repeats; absent with fewer than five.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval_95: Option<[f64; 2]>,
}

/// A change from one run to the next.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Change {
    /// Index in `runs`, from 0, of the first run with the new level.
    pub at: usize,
    /// The figure from there on divided by the figure before.
    pub ratio: f64,
    /// Which of versions, machine and commit changed too.
    pub changed: Vec<String>,
}

/// A study's runs with their figure, and where it changed.
pub fn history(
    runs: impl Iterator<Item = ApiResult<(RunEntry, Summary)>>,
    query: &HistoryQuery,
) -> ApiResult<History> {
    if [Scope::Message, Scope::Codec].into_iter().all(|scope| metric::find(scope, &query.metric).is_none()) {
        return Err(ApiError::bad(format!("there is no metric `{}`", crate::runs::shown(&query.metric))));
    }
    let cells = selection(query.cells.as_deref())?;
    let mut known: BTreeSet<String> = BTreeSet::new();
    let mut told: Vec<(RunEntry, FiguresOf)> = Vec::new();
    let mut sources: Vec<Vec<(String, String)>> = Vec::new();
    // One at a time: together they would take much memory.
    for run in runs {
        let (run, summary) = run?;
        known.extend(summary.study.axes.names().into_iter().map(str::to_owned));
        let of_cells = summary.cells.iter().filter(|cell| cells.means(|axis| cell.axes.value(axis)));
        let of_codecs = summary.codecs.iter().filter(|codec| cells.means(|axis| codec.axes.value(axis)));
        let of_cells =
            of_cells.filter_map(|cell| Some((cell.axes.to_string(), cell.told(&query.metric)?.clone())));
        let of_codecs = of_codecs
            .filter_map(|codec| Some((codec.axes.to_string(), codec.metrics.get(&query.metric)?.clone())));
        sources.push(facts_of(&summary));
        told.push((run, of_cells.chain(of_codecs).collect()));
    }
    if !told.is_empty() {
        cells.check(&known.iter().map(String::as_str).collect::<Vec<_>>()).map_err(ApiError::bad)?;
    }
    let unit = told.iter().find_map(|(_, figures)| Some(figures.values().next()?.unit.clone()));
    let told = of_common_cells(told);
    let changes = crate::change::points(&told.iter().map(|run| run.by_repeat.clone()).collect::<Vec<_>>());
    let changes: Vec<Change> = changes
        .into_iter()
        .map(|(at, ratio)| Change { at, ratio, changed: changed(&sources[at - 1], &sources[at]) })
        .collect();
    let compared = told.iter().filter(|run| run.value.is_some()).count();
    let text = said(compared, &changes);
    Ok(History { metric: query.metric.clone(), unit: unit.unwrap_or_default(), runs: told, changes, text })
}

/// Runs of which at least one lies before a change: with one alone there is none to find.
const TWO: usize = 2;

fn said(compared: usize, changes: &[Change]) -> String {
    match (compared, changes.len()) {
        (0, _) => "Can't tell: no run has this figure.".to_owned(),
        (few, _) if few < TWO => "Can't tell: a single run has this figure.".to_owned(),
        (runs, 0) => format!("No change over {runs} runs exceeds the variation between them."),
        (runs, 1) => format!("It changed once over {runs} runs."),
        (runs, times) => format!("It changed {times} times over {runs} runs."),
    }
}

/// The interval of the geometric mean over repeats.
fn interval(by_repeat: &[f64]) -> Option<[f64; 2]> {
    if by_repeat.len() < MIN_TRIALS_FOR_INTERVAL {
        return None;
    }
    let logs = Sample::new(by_repeat.iter().map(|value| value.ln()).collect::<Vec<_>>()).ok()?;
    let found = mean_interval(&logs, Level::P95).ok()?;
    Some([found.low.exp(), found.high.exp()])
}

/// The figure of each cell that reports it.
type FiguresOf = BTreeMap<String, Metric>;

/// Only over the cells that the runs have in common: otherwise a run that withholds one would look like a change.
fn of_common_cells(told: Vec<(RunEntry, FiguresOf)>) -> Vec<HistoryRun> {
    let common = common_cells(told.iter().map(|(_, figures)| figures));
    let of_run = |(run, figures): (RunEntry, FiguresOf)| {
        let all = common.iter().all(|name| figures.contains_key(name));
        let metrics: Vec<&Metric> =
            common.iter().filter(|_| all).filter_map(|name| figures.get(name)).collect();
        let value = geometric_mean(metrics.iter().map(|metric| metric.mean));
        let repeats: BTreeSet<u32> =
            metrics.iter().flat_map(|metric| metric.by_repeat.keys().copied()).collect();
        let of_repeat = |repeat: &u32| {
            geometric_mean(metrics.iter().filter_map(|metric| metric.by_repeat.get(repeat).copied()))
        };
        let by_repeat: Vec<f64> = repeats.iter().filter_map(of_repeat).collect();
        let interval_95 = value.and_then(|_| interval(&by_repeat));
        HistoryRun { run, value, by_repeat, interval_95 }
    };
    told.into_iter().map(of_run).collect()
}

/// The cells reported by every run that has the figure. If there are none, the run that shares the fewest cells is dropped, and so on: one
/// odd run does not empty a history.
pub(super) fn common_cells<'a, F: 'a>(
    runs: impl Iterator<Item = &'a BTreeMap<String, F>>,
) -> BTreeSet<String> {
    let known = runs.filter(|figures| !figures.is_empty());
    let mut names: Vec<BTreeSet<&String>> = known.map(|figures| figures.keys().collect()).collect();
    loop {
        let common = names.iter().cloned().reduce(|some, others| &some & &others).unwrap_or_default();
        if !common.is_empty() || names.is_empty() {
            return common.into_iter().cloned().collect();
        }
        let shared =
            |of: &BTreeSet<&String>| names.iter().map(|other| (of & other).len()).sum::<usize>() - of.len();
        let odd = (0..names.len()).min_by_key(|&place| shared(&names[place]));
        if let Some(place) = odd {
            names.remove(place);
        }
    }
}

/// `None` without values, or if one is not above 0.
fn geometric_mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let logs: Vec<f64> = values.map(f64::ln).collect();
    let all = !logs.is_empty() && logs.iter().all(|log| log.is_finite());
    all.then(|| (logs.iter().sum::<f64>() / logs.len() as f64).exp())
}

/// What may differ from run to run: versions, machine, commit.
fn facts_of(summary: &Summary) -> Vec<(String, String)> {
    let environment = &summary.environment;
    let fact = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let mut facts = vec![
        fact("version", &summary.run.version),
        fact("commit", &environment.commit),
        fact("CPU", &environment.cpu),
        fact("kernel", &environment.kernel),
        fact("compiler", &environment.compiler),
        fact("governor", &environment.governor),
    ];
    facts.extend(
        summary
            .codecs_described
            .iter()
            .map(|codec| (codec.id.to_string(), format!("{} {}", codec.library, codec.version))),
    );
    facts.extend(
        summary
            .transports_described
            .iter()
            .map(|of| (of.id.to_string(), format!("{} {}", of.library, of.version))),
    );
    let brokers = summary.cells.iter().filter_map(|cell| cell.broker.as_ref());
    facts.extend(brokers.map(|broker| (format!("broker {}", broker.id), broker.version.clone())));
    facts.extend(summary.inputs.iter().map(|(name, digest)| (name.clone(), digest.clone())));
    facts.sort();
    facts.dedup();
    facts
}

fn changed(before: &[(String, String)], after: &[(String, String)]) -> Vec<String> {
    let find = |facts: &[(String, String)], name: &str| {
        facts.iter().find(|(known, _)| known == name).map_or("nothing", |(_, value)| value).to_owned()
    };
    let mut names: Vec<&String> = before.iter().chain(after).map(|(name, _)| name).collect();
    names.sort();
    names.dedup();
    names
        .into_iter()
        .filter_map(|name| {
            let (then, now) = (find(before, name), find(after, name));
            (then != now).then(|| format!("{name}: {then}, then {now}"))
        })
        .collect()
}
