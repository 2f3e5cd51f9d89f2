//! Whether figures keep the thresholds of a study: pass, fail, or can't tell.
//!
//! A figure passes where its whole 95 % interval keeps the limit, fails where none of it does. Each cell is judged by itself,
//! without correction for their number.

use wiredyno_model::figure::Statistic;
use wiredyno_model::metric::{Better, MetricInfo, Scope};
use wiredyno_model::summary::{Summary, ThresholdResult, ThresholdVerdict};
use wiredyno_model::threshold::Against;
use wiredyno_model::{Figure, Threshold};
use wiredyno_stats::Level;
use wiredyno_stats::best::Scale;
use wiredyno_stats::contrast::{self, Block};

use crate::compare::Lacks;
use crate::quantity;
use crate::things::Thing;

/// Holds the figures of a run against its study's thresholds. `stored` gives the run of a folder that a threshold names.
///
/// # Errors
/// What is wrong about a threshold, or what `stored` says.
pub fn judge(
    summary: &Summary,
    stored: &mut dyn FnMut(&str) -> Result<Summary, String>,
) -> Result<Vec<ThresholdResult>, String> {
    let things = Thing::all(summary);
    let mut results = Vec::new();
    for threshold in &summary.study.threshold {
        let (figure, cells, against) = threshold.read().map_err(|refusal| refusal.problem)?;
        let Some(info) = figure.info() else { continue };
        let base = match &against {
            Against::Run { folder, .. } => Some(stored(folder)?),
            Against::Below(_) | Against::Above(_) => None,
        };
        let before = results.len();
        let has = |thing: &&Thing<'_>| thing.metrics.contains_key(&figure.metric) && thing.is_meant(&cells);
        for thing in things.iter().filter(has) {
            let (verdict, text) = match &against {
                Against::Below(limit) => limited(thing, &figure, *limit, true),
                Against::Above(limit) => limited(thing, &figure, *limit, false),
                Against::Run { worse_by, .. } => match &base {
                    Some(base) => no_worse(thing, &info, summary, base, *worse_by),
                    None => continue,
                },
            };
            results.push(result(threshold, &thing.name(), verdict, text));
        }
        let unmeasured = summary.cells.iter().filter(|cell| {
            let meant = cells.means(|axis| cell.axes.value(axis));
            info.scope == Scope::Message && cell.valid_trials == 0 && meant
        });
        results.extend(unmeasured.map(|cell| {
            let text = "no complete trial".to_owned();
            result(threshold, &cell.axes.to_string(), ThresholdVerdict::CantTell, text)
        }));
        if results.len() == before {
            let text = "nothing that it applies to was measured".to_owned();
            results.push(result(threshold, "nothing", ThresholdVerdict::CantTell, text));
        }
    }
    Ok(results)
}

fn result(threshold: &Threshold, cell: &str, verdict: ThresholdVerdict, text: String) -> ThresholdResult {
    ThresholdResult { threshold: threshold.to_string(), cell: cell.to_owned(), verdict, text }
}

/// The worst of all: a failure before what can't be told.
pub fn overall(results: &[ThresholdResult]) -> ThresholdVerdict {
    results.iter().map(|result| result.verdict).max().unwrap_or(ThresholdVerdict::Pass)
}

fn limited(thing: &Thing<'_>, figure: &Figure, limit: f64, below: bool) -> (ThresholdVerdict, String) {
    let Some(metric) = thing.metrics.get(&figure.metric) else {
        return (ThresholdVerdict::CantTell, format!("{figure} was not measured"));
    };
    let Some((value, interval)) = figure.of(metric) else {
        let text = format!("{figure} needs 1,000 messages, and there are {}", quantity::count(metric.count));
        return (ThresholdVerdict::CantTell, text);
    };
    let shown = format!("{figure} {}", quantity::with_interval(value, interval, &metric.unit));
    let interval = match (interval, figure.statistic) {
        (Some(interval), _) => interval,
        (None, Statistic::Max) => [value, value],
        (None, _) => {
            return (ThresholdVerdict::CantTell, format!("{shown}, no interval: fewer than five trials"));
        }
    };
    let keeps = |end: f64| if below { end < limit } else { end > limit };
    let verdict = match interval.map(keeps) {
        [true, true] => ThresholdVerdict::Pass,
        [false, false] => ThresholdVerdict::Fail,
        _ => ThresholdVerdict::CantTell,
    };
    (verdict, shown)
}

/// Whether a cell's figure is not worse than the same cell's of a stored run by more than a share.
fn no_worse(
    thing: &Thing<'_>,
    metric: &MetricInfo,
    summary: &Summary,
    base: &Summary,
    worse_by: f64,
) -> (ThresholdVerdict, String) {
    let cant_tell = |text: String| (ThresholdVerdict::CantTell, text);
    let id = &base.run.id;
    let before =
        Thing::all(base).into_iter().find(|other| other.scope == thing.scope && other.values == thing.values);
    let Some(before) = before else { return cant_tell(format!("{id} has no such cell")) };
    if let Some(why) = Lacks::between(base, summary).forbid(metric, thing).into_iter().next() {
        return cant_tell(format!("not comparable with {id}: {why}"));
    }
    let values = |thing: &Thing<'_>| Some(thing.metrics.get(&metric.name)?.by_repeat.clone());
    let (Some(value), Some(instead_of)) = (values(thing), values(&before)) else {
        return cant_tell(format!("{} was not measured in both runs", metric.name));
    };
    let blocks = [Block { value, instead_of }];
    let scale = contrast::scale_of(&blocks);
    let same_seed = base.study.trials.seed == summary.study.trials.seed;
    let compare =
        if thing.delivery.is_some() && same_seed { contrast::contrast } else { contrast::independent };
    let Ok(contrast) = compare(&blocks, scale, Level::P95) else {
        return cant_tell("no interval: fewer than five trials in one of the runs".to_owned());
    };
    let mean = |thing: &Thing<'_>| thing.metrics.get(&metric.name).map_or(0.0, |metric| metric.mean);
    let (was, interval) = (mean(&before), contrast.test.interval);
    // How much worse, as a share of what it was.
    let share = |end: f64| match scale {
        Scale::Logarithms if metric.better == Better::Higher => (-end).exp() - 1.0,
        Scale::Logarithms => end.exp() - 1.0,
        Scale::Values if was == 0.0 => {
            if end == 0.0 {
                0.0
            } else {
                end.signum() * f64::INFINITY
            }
        }
        Scale::Values => end / was,
    };
    let [mut least, mut most] = [interval.low, interval.high].map(share);
    if least > most {
        std::mem::swap(&mut least, &mut most);
    }
    let verdict = match (least <= worse_by, most <= worse_by) {
        (_, true) => ThresholdVerdict::Pass,
        (false, false) => ThresholdVerdict::Fail,
        (true, false) => ThresholdVerdict::CantTell,
    };
    let quantity = |value: f64| quantity::quantity(value, metric.unit.name());
    let change = quantity::ends([least, most], "ratio");
    let text =
        format!("{} {}, in {id} {}: worse by {change}", metric.name, quantity(mean(thing)), quantity(was));
    (verdict, text)
}
