//! Whether figures keep the thresholds of a study: pass, fail, not decided, or can't tell.
//!
//! A figure passes if its whole 95 % interval keeps the limit, and fails if none of it does. Each cell is judged by itself, without
//! correction for their number. What was not measured never passes.
//!
//! One file because judging a threshold and planning its repeats rest on the same contrasts.

use schemars::JsonSchema;
use serde::Serialize;
use wiredyno_model::figure::Statistic;
use wiredyno_model::metric::{Better, MetricInfo, Range, Scope};
use wiredyno_model::summary::{Part, Summary, ThresholdResult, ThresholdVerdict};
use wiredyno_model::threshold::Against;
use wiredyno_model::{Figure, Selection, Threshold, metric};
use wiredyno_stats::best::Scale;
use wiredyno_stats::contrast::{self, Block, ByRepeat, Contrast};
use wiredyno_stats::{Level, MIN_TRIALS_FOR_INTERVAL, Proportion, Sample, power};

use crate::compare::{Lacks, is_one_run};
use crate::conclusion::Conclusion;
use crate::effects::HOPS;
use crate::limit::{self, Held, Limit, held};
use crate::things::{Thing, value_name};
use crate::{fields, quantity};

/// The verdict on a run's thresholds.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Judgement {
    /// The gravest of all results.
    pub verdict: ThresholdVerdict,
    /// The result of each threshold for each cell.
    pub results: Vec<ThresholdResult>,
}

/// Number of repeats that decide about a threshold against a stored run, if the next run varies like that one.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Planned {
    /// The threshold in words, as in its result.
    pub threshold: String,
    /// The cell, or the payload and codec.
    pub cell: String,
    /// Repeats of both runs with which four of five pairs of equal runs pass; absent if that is unknown, or above 10,000.
    pub repeats: Option<u32>,
    /// Repeats of the stored run.
    pub has: u32,
    /// Why it is unknown, or what varies.
    pub text: String,
}

/// Compares the figures of a run with its study's thresholds. `stored` returns the run of a folder that a threshold names.
///
/// # Errors
/// What is wrong with a threshold, or the error of `stored`.
pub fn judge(
    summary: &Summary,
    stored: &mut dyn FnMut(&str) -> Result<Summary, String>,
) -> Result<Vec<ThresholdResult>, String> {
    judge_by(&summary.study.threshold, summary, stored)
}

/// The same with other thresholds than the study's.
///
/// # Errors
/// As [`judge`].
pub fn judge_by(
    thresholds: &[Threshold],
    summary: &Summary,
    stored: &mut dyn FnMut(&str) -> Result<Summary, String>,
) -> Result<Vec<ThresholdResult>, String> {
    let things = Thing::every(summary);
    let mut results = Vec::new();
    for threshold in thresholds {
        let (figure, cells, against) = threshold.read().map_err(|refusal| refusal.problem)?;
        let meant = meant(&things, &[], &figure, &cells);
        let mut held = match &against {
            Against::Below(limit) => each(&meant, |thing| held(thing, &figure, Limit::Below(*limit))),
            Against::Above(limit) => each(&meant, |thing| held(thing, &figure, Limit::Above(*limit))),
            Against::Run { folder, worse_by } => {
                let base = stored(folder)?;
                let of_base = Thing::every(&base);
                let lacks = Lacks::between(&base, summary);
                let meant = self::meant(&things, &of_base, &figure, &cells);
                let mut all = each(&meant, |thing| {
                    in_run(thing, &figure, (&of_base, &base), (summary, &lacks), *worse_by)
                });
                all.extend(gone(&of_base, &things, &figure, &cells, &summary.run.id));
                all
            }
            Against::Base { axis, value, worse_by } => {
                let others = meant.iter().filter(|thing| thing.value(axis) != Some(value));
                let others: Vec<&Thing<'_>> = others.copied().collect();
                each(&others, |thing| beside(thing, &figure, &things, (axis, value), *worse_by))
            }
        };
        if !matches!(against, Against::Run { .. }) {
            held.extend(not_run(summary, &figure, &cells));
        }
        if !summary.run.complete {
            let text = format!("{} was interrupted, and may lack cells", summary.run.id);
            held.push(("what was not reached".to_owned(), cant_tell(text)));
        }
        let nothing = held.is_empty().then(|| {
            let text = "nothing that it applies to was measured".to_owned();
            ("nothing".to_owned(), Held { conclusion: Conclusion::CantTell, text })
        });
        results.extend(held.into_iter().chain(nothing).map(|(cell, held)| ThresholdResult {
            threshold: threshold.to_string(),
            cell,
            verdict: held.conclusion.into(),
            text: held.text,
        }));
    }
    Ok(results)
}

/// The results that a run holds: those against limits and values of the same study judged again, those against stored runs unchanged.
pub(crate) fn judged_anew(summary: &Summary) -> Vec<ThresholdResult> {
    let mut results = Vec::new();
    for threshold in &summary.study.threshold {
        let words = threshold.to_string();
        let stored = || summary.thresholds.iter().filter(|result| result.threshold == words).cloned();
        let anew = if threshold.than.is_some() {
            None
        } else {
            judge_by(std::slice::from_ref(threshold), summary, &mut |folder| Err(folder.to_owned())).ok()
        };
        results.extend(anew.unwrap_or_else(|| stored().collect()));
    }
    results
}

/// The worst of all: a failure is worse than "can't tell", and that worse than "not decided".
pub fn overall(results: &[ThresholdResult]) -> ThresholdVerdict {
    results.iter().map(|result| result.verdict).max().unwrap_or(ThresholdVerdict::Pass)
}

fn each<'a>(things: &[&Thing<'a>], held: impl Fn(&Thing<'a>) -> Held) -> Vec<(String, Held)> {
    things.iter().map(|thing| (thing.name(), held(thing))).collect()
}

/// The things that a threshold applies to: the cells that its selection selects, of the scopes in which something has the metric, here or
/// in the run that it is compared with, or in which nothing has any figure.
fn meant<'t, 'a>(
    things: &'t [Thing<'a>],
    base: &[Thing<'_>],
    figure: &Figure,
    cells: &Selection,
) -> Vec<&'t Thing<'a>> {
    let has = |scope: Scope| {
        let of = |things: &[Thing<'_>]| {
            things.iter().any(|thing| thing.scope == scope && thing.metrics.contains_key(&figure.metric))
        };
        let mut own = things.iter().filter(|thing| thing.scope == scope).peekable();
        of(things) || of(base) || (own.peek().is_some() && own.all(|thing| thing.valid_trials == 0))
    };
    let known = |scope: &Scope| metric::find(*scope, &figure.metric).is_some();
    let scopes: Vec<Scope> = [Scope::Message, Scope::Codec].into_iter().filter(known).collect();
    let with: Vec<Scope> = scopes.iter().copied().filter(|scope| has(*scope)).collect();
    // If both kinds of trial have such a metric, those that measured it count.
    let scopes = if with.is_empty() { scopes } else { with };
    things.iter().filter(|thing| scopes.contains(&thing.scope) && thing.is_meant(cells)).collect()
}

/// What the study names and was not run: no limit is kept there.
fn not_run(summary: &Summary, figure: &Figure, cells: &Selection) -> Vec<(String, Held)> {
    let is_known = |scope: Scope| metric::find(scope, &figure.metric).is_some();
    let may_be_meant = |part: &Part| match part {
        Part::Cell(cell) => is_known(Scope::Message) && cells.means_where_known(|axis| cell.value(axis)),
        Part::Codec(cell) => cells.means_where_known(|axis| cell.value(axis)),
        Part::MessagesOf(cell) => {
            is_known(Scope::Message) && cells.means_where_known(|axis| cell.value(axis))
        }
        Part::Secured { mode, security } => {
            let value = |axis: &str| match axis {
                "mode" => Some(mode.to_string()),
                "security" => Some(security.to_string()),
                _ => None,
            };
            is_known(Scope::Message) && cells.means_where_known(value)
        }
    };
    let meant = summary.not_run.iter().filter(|one| one.part.as_ref().is_none_or(may_be_meant));
    meant.map(|one| (one.what.clone(), cant_tell(format!("not run: {}", one.why)))).collect()
}

/// Cells of a stored run that the new one lacks.
fn gone(
    base: &[Thing<'_>],
    things: &[Thing<'_>],
    figure: &Figure,
    cells: &Selection,
    run: &str,
) -> Vec<(String, Held)> {
    let has = |other: &&&Thing<'_>| !things.iter().any(|thing| is_same(thing, other));
    let lacking = meant(base, things, figure, cells);
    let told = lacking.iter().filter(has).map(|thing| {
        let text = format!("{run} has no such cell");
        (thing.name(), Held { conclusion: Conclusion::CantTell, text })
    });
    told.collect()
}

fn is_same(thing: &Thing<'_>, other: &Thing<'_>) -> bool {
    thing.scope == other.scope && thing.values == other.values
}

fn cant_tell(text: String) -> Held {
    Held { conclusion: Conclusion::CantTell, text }
}

/// Whether a cell's figure is at most a share worse than that of the same cell in a stored run.
fn in_run(
    thing: &Thing<'_>,
    figure: &Figure,
    (of_base, base): (&[Thing<'_>], &Summary),
    (summary, lacks): (&Summary, &Lacks),
    worse_by: f64,
) -> Held {
    let id = &base.run.id;
    let Some(before) = of_base.iter().find(|other| is_same(thing, other)) else {
        return cant_tell(format!("{id} has no such cell"));
    };
    let Some(info) = metric::find(thing.scope, &figure.metric) else {
        return cant_tell(format!("there is no metric {}", figure.metric));
    };
    if let Some(why) = lacks.forbid(&info, thing).into_iter().next() {
        return cant_tell(format!("not comparable with {id}: {why}"));
    }
    let is_paired = thing.scope == Scope::Message && base.study.trials.seed == summary.study.trials.seed;
    let mut held = no_worse(thing, before, (figure, &info), is_paired, (worse_by, &format!("in {id}")));
    if info.exact {
        let payload = thing.value("payload").unwrap_or_default();
        let changed = fields::changes(base, summary, payload);
        held.text += &changed.iter().map(|change| format!("; {change}")).collect::<String>();
        let samples = [base, summary].map(|run| run.inputs.get(&format!("payload {payload} samples.jsonl")));
        if let [Some(old), Some(new)] = samples
            && old != new
        {
            held.text += "; the samples differ";
        }
    }
    if is_one_run(base, summary) {
        held.text += "; it is the same run twice";
    }
    held
}

/// Whether a cell's figure is at most a share worse than that of the cell with another value, everything else equal.
fn beside(
    thing: &Thing<'_>,
    figure: &Figure,
    things: &[Thing<'_>],
    (axis, value): (&str, &str),
    worse_by: f64,
) -> Held {
    let with = format!("with {}", value_name(axis, value));
    let is_base = |other: &&Thing<'_>| {
        other.scope == thing.scope
            && other.value(axis) == Some(value)
            && other.but_for(&[axis]) == thing.but_for(&[axis])
    };
    let Some(base) = things.iter().find(is_base) else {
        return cant_tell(format!("no cell {with} is otherwise equal"));
    };
    let Some(info) = metric::find(thing.scope, &figure.metric) else {
        return cant_tell(format!("there is no metric {}", figure.metric));
    };
    if thing.hops.zip(base.hops).is_some_and(|(one, other)| one != other) && !info.exact {
        return cant_tell(HOPS.to_owned());
    }
    no_worse(thing, base, (figure, &info), true, (worse_by, &with))
}

/// Whether a figure is at most a share worse than another; `where_` says where the other is from.
fn no_worse(
    thing: &Thing<'_>,
    base: &Thing<'_>,
    (figure, info): (&Figure, &MetricInfo),
    is_paired: bool,
    (worse_by, where_): (f64, &str),
) -> Held {
    for (side, place) in [(thing, String::new()), (base, format!("{where_}: "))] {
        match side.metric(&figure.metric) {
            None => return cant_tell(format!("{place}{}", side.why_no(&figure.metric))),
            Some(metric) if figure.by_repeat(metric).is_none_or(|values| values.is_empty()) => {
                let why = if figure.statistic == Statistic::P99 {
                    limit::too_few(metric, figure)
                } else {
                    format!("{figure} of each trial is not in the run")
                };
                return cant_tell(format!("{place}{why}"));
            }
            Some(_) => {}
        }
    }
    let (Some(now), Some(before)) = (thing.metric(&figure.metric), base.metric(&figure.metric)) else {
        return cant_tell(format!("{figure} was not measured on both sides"));
    };
    let [value, instead_of] =
        [now, before].map(|metric| figure.by_repeat(metric).cloned().unwrap_or_default());
    if now.unit != before.unit {
        return cant_tell(format!("the units differ: {} and {}", before.unit, now.unit));
    }
    if info.better == Better::Neither {
        return cant_tell(format!("{} has no good direction, so that it can't be worse", info.title));
    }
    let of_values = |of: &ByRepeat| of.values().sum::<f64>() / of.len() as f64;
    let means = match figure.statistic {
        Statistic::Mean => [before.mean, now.mean],
        _ => [&instead_of, &value].map(of_values),
    };
    let counts =
        |metric| if figure.statistic == Statistic::P99 { limit::counts(metric) } else { String::new() };
    let quantity = |value: f64| quantity::quantity(value, info.unit.name());
    let figures = format!(
        "{figure} {}{}, {where_} {}{}",
        quantity(means[1]),
        counts(now),
        quantity(means[0]),
        counts(before)
    );
    if let Some(held) = constant_losses(thing, base, (&value, &instead_of), figure, worse_by) {
        return Held { text: format!("{figures}: {}", held.text), ..held };
    }
    let block = Block { value, instead_of };
    let judged = Judged::of(&block, info, is_paired, means[0], worse_by);
    let bounds_ns = [base, thing].map(|of| of.clock_bound_ns(&figure.metric));
    let text = format!("{figures}{}", judged.text);
    if judged.is_open_by_clocks(means, bounds_ns, worse_by) {
        let text = format!("{text}{}", limit::left_open_by_clocks(bounds_ns[0].saturating_add(bounds_ns[1])));
        return Held { conclusion: Conclusion::NotDecided, text };
    }
    Held { conclusion: judged.conclusion, text }
}

/// If all trials of a side lost the same share, they do not vary, and the number of messages bounds its loss.
fn constant_losses(
    thing: &Thing<'_>,
    base: &Thing<'_>,
    (now, before): (&ByRepeat, &ByRepeat),
    figure: &Figure,
    worse_by: f64,
) -> Option<Held> {
    let block = Block { value: now.clone(), instead_of: before.clone() };
    if figure.metric != "lost" || block.constants().is_none() {
        return None;
    }
    let share = |thing: &Thing<'_>| {
        let delivery = thing.delivery?;
        Proportion::new(delivery.lost, delivery.sent).ok()
    };
    let (now, before) = (share(thing)?, share(base)?);
    if now.hits() + before.hits() == 0 {
        let most = now.clopper_pearson(Level::P95).high;
        let conclusion = Conclusion::of([0.0, most], |end| end <= worse_by);
        let text = format!("neither lost any, so at most {}", quantity::quantity(most, "ratio"));
        return Some(Held { conclusion, text });
    }
    if block.pairs(false) < MIN_TRIALS_FOR_INTERVAL {
        return None;
    }
    let interval = now.difference(before, Level::P95);
    let conclusion = Conclusion::of(interval, |end| end <= worse_by);
    Some(Held {
        conclusion,
        text: format!("worse by {} points", quantity::ends(interval.map(|end| 100.0 * end), "count")),
    })
}

/// A change, compared with how much worse it may be.
struct Judged {
    conclusion: Conclusion,
    /// How much worse, as a share of the former value: the least and the most; absent where that is not an interval of shares.
    worse: Option<[f64; 2]>,
    text: String,
}

impl Judged {
    fn of(block: &Block, info: &MetricInfo, is_paired: bool, was: f64, worse_by: f64) -> Self {
        let blocks = std::slice::from_ref(block);
        // A share is given in percentage points.
        let in_points = info.range == Range::Share;
        let scale = if in_points { Scale::Values } else { contrast::scale_of(blocks) };
        // How much worse, as a share of the former value.
        let share = |end: f64| {
            let end = if info.better == Better::Higher { -end } else { end };
            match scale {
                Scale::Logarithms => end.exp() - 1.0,
                Scale::Values if end == 0.0 || in_points => end,
                Scale::Values => end / was,
            }
        };
        let change = block.constants().filter(|_| info.exact).and_then(|_| block.difference_of_means(scale));
        if let Some(change) = change.map(share) {
            let conclusion = Conclusion::of([change; 2], |end| end <= worse_by);
            return Judged { conclusion, worse: Some([change; 2]), text: format!(": {}", worse(change)) };
        }
        let compare = if is_paired { contrast::contrast } else { contrast::independent };
        let Ok(contrast) = compare(blocks, scale, Level::P95) else {
            return Self::too_few(block, is_paired);
        };
        let interval = contrast.test.interval;
        // There is no share of nothing: any increase exceeds every share of it.
        if scale == Scale::Values && !in_points && was == 0.0 {
            let worse = if info.better == Better::Higher {
                [-interval.high, -interval.low]
            } else {
                [interval.low, interval.high]
            };
            let conclusion = Conclusion::of(worse, |end| end <= 0.0);
            let text = format!(": it was 0, worse by {}", quantity::ends(worse, info.unit.name()));
            return Judged { conclusion, worse: None, text };
        }
        let ends = [interval.low, interval.high].map(share);
        let ends = [ends[0].min(ends[1]), ends[0].max(ends[1])];
        let conclusion = Conclusion::of(ends, |end| end <= worse_by);
        let mut text = format!(": worse by {}", quantity::ends(ends, "ratio"));
        if conclusion == Conclusion::NotDecided && scale == Scale::Logarithms {
            text += &match repeats_to_decide(&contrast, (1.0 + worse_by).ln(), info.better) {
                Some(repeats) => format!("; {} repeats would decide", quantity::count(repeats as u64)),
                None => "; no number of repeats up to 10,000 would decide".to_owned(),
            };
        }
        Judged { conclusion, worse: Some(ends), text }
    }

    /// Whether two clocks, which may be wrong by these bounds at the former value and at the value, leave open what the trials show. Latencies are
    /// better when they are lower.
    fn is_open_by_clocks(&self, [was, is]: [f64; 2], bounds_ns: [u64; 2], worse_by: f64) -> bool {
        let [before, now] = bounds_ns.map(|bound_ns| bound_ns as f64);
        if before + now == 0.0 {
            return false;
        }
        // Of a latency below its bound nothing is known.
        let more = if before < was { (is + now) / (was - before) - is / was } else { f64::INFINITY };
        let less = if was > 0.0 { is / was - (is - now) / (was + before) } else { f64::INFINITY };
        match (self.conclusion, self.worse) {
            (Conclusion::NoDifference, Some([_, most])) => most + more > worse_by,
            (Conclusion::Difference, Some([least, _])) => least - less <= worse_by,
            (Conclusion::NoDifference | Conclusion::Difference, None) => true,
            _ => false,
        }
    }

    fn too_few(block: &Block, is_paired: bool) -> Self {
        match block.pairs(is_paired) {
            0 => {
                let text = ": no repeat is complete on both sides".to_owned();
                Judged { conclusion: Conclusion::CantTell, worse: None, text }
            }
            pairs => {
                let text = format!("; {pairs} of {MIN_TRIALS_FOR_INTERVAL} repeats that an interval needs");
                Judged { conclusion: Conclusion::NotDecided, worse: None, text }
            }
        }
    }
}

/// A change in words: `worse by 11.5 %`, `the same`.
fn worse(change: f64) -> String {
    match change {
        0.0 => "the same".to_owned(),
        change if change > 0.0 => format!("worse by {}", quantity::quantity(change, "ratio")),
        change => format!("better by {}", quantity::quantity(-change, "ratio")),
    }
}

/// Repeats with which the difference between what was measured and the margin is found in four of five runs, if trials vary like these.
fn repeats_to_decide(contrast: &Contrast, margin: f64, better: Better) -> Option<usize> {
    let measured =
        if better == Better::Higher { -contrast.test.difference } else { contrast.test.difference };
    let deviation = contrast.test.standard_error * (contrast.repeats as f64).sqrt();
    needed((margin - measured).abs(), deviation)
}

fn needed(difference: f64, deviation: f64) -> Option<usize> {
    if difference == 0.0 {
        return None;
    }
    power::pairs_needed(difference, deviation, Level::P95, contrast::POWER, contrast::MOST_REPEATS)
}

/// Number of repeats that thresholds against this run need, before the other run is made.
///
/// # Errors
/// What is wrong with a threshold.
pub fn plan(base: &Summary, thresholds: &[Threshold]) -> Result<Vec<Planned>, String> {
    let things = Thing::every(base);
    let mut planned = Vec::new();
    for threshold in thresholds {
        let (figure, cells, against) = threshold.read().map_err(|refusal| refusal.problem)?;
        let Against::Run { worse_by, .. } = against else { continue };
        for thing in meant(&things, &[], &figure, &cells) {
            let (repeats, has, text) = repeats_for(thing, &figure, worse_by);
            let repeats = repeats.map(|repeats| repeats as u32);
            planned.push(Planned {
                threshold: threshold.to_string(),
                cell: thing.name(),
                repeats,
                has,
                text,
            });
        }
    }
    Ok(planned)
}

fn repeats_for(thing: &Thing<'_>, figure: &Figure, worse_by: f64) -> (Option<usize>, u32, String) {
    let Some(metric) = thing.metric(&figure.metric) else {
        return (None, 0, format!("can't tell: {}", thing.why_no(&figure.metric)));
    };
    let values = figure.by_repeat(metric).cloned().unwrap_or_default();
    let has = values.len() as u32;
    let is_exact = metric::find(thing.scope, &figure.metric).is_some_and(|info| info.exact);
    if is_exact && limit::is_constant(&values) {
        return (Some(1), has, "the samples alone decide it".to_owned());
    }
    let all_positive = values.values().all(|value| *value > 0.0);
    let logs = values.values().map(|value| value.ln()).collect::<Vec<_>>();
    let deviation = Sample::new(logs).ok().filter(|_| all_positive).and_then(|sample| sample.variance());
    let Some(deviation) = deviation.filter(|_| values.len() >= 2).map(f64::sqrt) else {
        return (None, has, format!("can't tell: the scatter of {figure} is not known"));
    };
    // The difference of two trials varies by the root of two more than one.
    let repeats = needed((1.0 + worse_by).ln(), deviation * std::f64::consts::SQRT_2);
    (repeats, has, format!("trials scatter by {}", quantity::quantity(deviation, "ratio")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_told_in_its_direction() {
        assert_eq!([0.0, 0.125, -0.25].map(worse), ["the same", "worse by 12.5 %", "better by 25 %"]);
    }
}
