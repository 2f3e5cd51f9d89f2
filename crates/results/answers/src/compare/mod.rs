//! Two runs, or two values of an axis in one run: what changed, by how much, and is it real?
//!
//! Figures are compared only where that makes sense, metric by metric: all need the same samples, those of messages the same load, roles
//! and link, times and memory of processes the same machine. Versions are reported and never prevent a comparison.
//!
//! One file because runs and values of an axis are compared and concluded by the same steps.

mod comparable;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use wiredyno_model::metric::{MetricInfo, Scope};
use wiredyno_model::summary::{Effect, EffectAt, EffectScale, EffectVerdict, Summary};
use wiredyno_model::{Selection, Unit};
use wiredyno_stats::Level;

pub use crate::conclusion::Conclusion;
use crate::conclusion::shown;
use crate::effects::{self, Family, Pair, Question, RUN, Untold};
use crate::things::{Thing, value_name};

pub(crate) use self::comparable::{Lacks, is_one_run};
use self::comparable::{differs, note};

/// The comparison of two runs, or of values of an axis.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Comparison {
    /// What is compared with what: `runs/b instead of runs/a`.
    pub question: String,
    /// The conclusion, if differences below `least` don't matter.
    pub conclusion: Conclusion,
    /// Differences smaller than this share (0.02) don't matter; with 0 all that are shown do, and one over 10 % must be ruled out to
    /// conclude that there is none.
    pub least: f64,
    /// Whether only a change for the worse is a difference.
    pub worse_only: bool,
    /// The effects, payload by payload and metric by metric.
    pub effects: Vec<Effect>,
    /// Single cells that differ, with all cells and metrics as one family. Empty if an axis of one run is compared, and if no payload has
    /// several cells.
    pub cells: Vec<CellChange>,
    /// Comparisons that can't be made, with the reason.
    pub untold: Vec<Untold>,
    /// Metrics that are not compared, with the reason; or that are, because it was requested.
    pub refused: Vec<Refusal>,
    /// Versions and other things that differ but do not prevent the comparison, including fields of definitions.
    pub differs: Vec<String>,
    /// Cells without a counterpart: in the other run, or at the other value.
    pub unmatched: Vec<String>,
}

/// A cell in which a figure changed.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct CellChange {
    /// The cell, or the payload and codec.
    pub cell: String,
    /// The change; its `payload` is the cell.
    pub effect: Effect,
}

/// Why metrics can't be compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Refusal {
    /// What differs between the two sides.
    pub why: String,
    /// The metrics that it applies to.
    pub metrics: Vec<String>,
    /// Whether they were compared anyway, as requested.
    pub anyway: bool,
}

/// What to compare, and how strictly.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// The metrics; empty for those of the report's first screen.
    pub metrics: Vec<String>,
    /// The cells to compare, on both sides.
    pub cells: Selection,
    /// Whether to compare what is not comparable.
    pub anyway: bool,
    /// Differences below this share don't matter.
    pub least: f64,
}

/// The effects of one axis and the single cells are tested separately: together at 95 %.
const OF_TWO: f64 = 0.975;

impl Wanted {
    fn metrics(&self) -> Vec<MetricInfo> {
        if self.metrics.is_empty() {
            return crate::things::main_metrics().collect();
        }
        let scopes = [Scope::Message, Scope::Codec];
        let found = self.metrics.iter().flat_map(|name| {
            scopes.into_iter().filter_map(move |scope| wiredyno_model::metric::find(scope, name))
        });
        found.collect()
    }

    /// Metrics that were not requested and have no value anywhere are not worth mentioning, unless that is because no message arrived.
    fn is_news(&self, untold: &Untold, things: &[&Thing<'_>]) -> bool {
        let lost_all = |thing: &&Thing<'_>| {
            thing.delivery.is_some_and(|delivery| delivery.sent > 0 && delivery.delivered == 0)
        };
        let has = |metric: &String| {
            let is_of_arrived =
                wiredyno_model::metric::find(Scope::Message, metric).is_some_and(|info| info.of_arrived);
            things.iter().any(|thing| thing.metrics.contains_key(metric) || is_of_arrived && lost_all(thing))
        };
        !self.metrics.is_empty() || untold.metric.as_ref().is_none_or(has)
    }
}

impl Comparison {
    fn new(question: String, wanted: &Wanted, effects: Vec<Effect>) -> Self {
        Comparison {
            question,
            conclusion: Conclusion::CantTell,
            least: wanted.least,
            worse_only: false,
            effects: effects::in_reading_order(effects),
            cells: Vec::new(),
            untold: Vec::new(),
            refused: Vec::new(),
            differs: Vec::new(),
            unmatched: Vec::new(),
        }
    }

    /// The conclusion if only a change for the worse is a difference.
    fn for_the_worse(&self) -> Conclusion {
        let is_worse = |effect: &Effect| {
            effect.verdict == EffectVerdict::Worse
                || shown_at(effect, self.least).any(|at| is_for_the_worse(effect, at))
        };
        let of = |effect: &Effect| match of_effect(effect, self.least) {
            Conclusion::Difference if is_worse(effect) => Conclusion::Difference,
            Conclusion::Difference => Conclusion::NoDifference,
            other => other,
        };
        let cells = self.cells.iter().map(|change| &change.effect);
        Conclusion::over(self.effects.iter().chain(cells).map(of).chain(self.lacking()))
    }

    /// "Can't tell", if something can't be told.
    fn lacking(&self) -> Option<Conclusion> {
        let is_refused = self.refused.iter().any(|refusal| !refusal.anyway);
        let lacks = !self.untold.is_empty() || !self.unmatched.is_empty() || is_refused;
        lacks.then_some(Conclusion::CantTell)
    }

    /// The comparison with the conclusion of [`Self::for_the_worse`].
    #[must_use]
    pub fn of_the_worse(mut self) -> Self {
        self.conclusion = self.for_the_worse();
        self.worse_only = true;
        self
    }

    fn concluded(mut self) -> Self {
        let cells = self.cells.iter().map(|change| &change.effect);
        let effects = self.effects.iter().chain(cells).map(|effect| of_effect(effect, self.least));
        self.conclusion = Conclusion::over(effects.chain(self.lacking()));
        self
    }
}

/// The values of another axis, on which it depends, at which an effect that matters is shown.
fn shown_at(effect: &Effect, least: f64) -> impl Iterator<Item = &EffectAt> {
    let none = if effect.scale == EffectScale::Factor { 1.0 } else { 0.0 };
    effect.depends_on.iter().filter(move |at| {
        let excludes = at.interval.is_some_and(|[low, high]| low > none || high < none);
        excludes && size(effect, at.estimate) >= least
    })
}

/// Whether the effect at one value of another axis is for the worse.
fn is_for_the_worse(effect: &Effect, at: &EffectAt) -> bool {
    let scope = if effect.scope == "message" { Scope::Message } else { Scope::Codec };
    let none = if effect.scale == EffectScale::Factor { 1.0 } else { 0.0 };
    let better = wiredyno_model::metric::find(scope, &effect.metric).map(|info| info.better);
    better.is_some_and(|better| shown(better, at.estimate > none) == EffectVerdict::Worse)
}

/// The size of a change on the scale of an effect: as a share of the former value; for a share itself, in points.
fn size(effect: &Effect, value: f64) -> f64 {
    match effect.scale {
        EffectScale::Factor => value.max(value.recip()) - 1.0,
        EffectScale::Difference if effect.unit == Unit::Ratio.name() => value.abs(),
        EffectScale::Difference if value == 0.0 => 0.0,
        EffectScale::Difference => value.abs() / effect.means[0].abs(),
    }
}

/// The conclusion of one effect, if differences below a share don't matter. Opposite effects at two values of another axis are two
/// differences, even if their mean is none.
pub fn of_effect(effect: &Effect, least: f64) -> Conclusion {
    if shown_at(effect, least).next().is_some() {
        return Conclusion::Difference;
    }
    let shown = Conclusion::from(effect.verdict);
    let Some(interval) = effect.interval.filter(|_| least > 0.0) else { return shown };
    let size = |value: f64| size(effect, value);
    let most = interval.map(size).into_iter().fold(0.0, f64::max);
    if most < least {
        Conclusion::NoDifference
    } else if shown == Conclusion::Difference && size(effect.estimate) >= least {
        Conclusion::Difference
    } else {
        Conclusion::NotDecided
    }
}

/// Compares values of an axis in one run with the first of them. Several axes joined with `+` are one, whose values are bundles:
/// `codec+mode`, `json/serde-json+mqtt:qos1`.
///
/// # Errors
/// When the run lacks one of the values.
#[expect(
    clippy::too_many_lines,
    reason = "checks of the request, then one pass from pairs to the conclusion; the parts share `things` and `metrics`"
)]
pub fn along(
    summary: &Summary,
    axis: &str,
    values: &[String],
    wanted: &Wanted,
) -> Result<Comparison, String> {
    let known = summary.study.axes.names();
    if let Some(part) = axis.split('+').find(|part| !known.contains(part)) {
        return Err(format!("--per {axis}: the run has no axis {part}, only {}", known[1..].join(", ")));
    }
    let mut things: Vec<Thing<'_>> = selected(summary, &wanted.cells);
    if axis.contains('+') {
        things = things.into_iter().map(|thing| thing.bundled(axis)).collect();
    }
    let [first, others @ ..] = values else {
        return Err(format!("--per {axis}: name at least two values, as in --per {axis}=a,b"));
    };
    if others.is_empty() {
        return Err(format!("--per {axis}={first}: name a second value, as in --per {axis}={first},other"));
    }
    if others.contains(first) {
        return Err(format!("--per {axis}: {first} is on both sides; name another value than the first"));
    }
    for value in values {
        if !things.iter().any(|thing| thing.value(axis) == Some(value)) {
            return Err(format!(
                "the run measured no `{value}` on the axis `{axis}`, only {}",
                those(&things, axis)
            ));
        }
    }
    let (whole, empty): (Vec<Thing<'_>>, Vec<Thing<'_>>) =
        things.into_iter().partition(|thing| thing.valid_trials > 0);
    let name = |value: &String| value_name(axis, value);
    let questions = effects::explicit(summary, &whole, axis, first, others);
    let metrics = wanted.metrics();
    let asked: Vec<(&MetricInfo, Vec<Question<'_>>)> =
        metrics.iter().map(|metric| (metric, questions.for_scope(metric.scope, wanted.anyway))).collect();
    let mut family = Family::default();
    asked.iter().for_each(|(metric, questions)| family.ask(questions, metric));
    let (found, mut untold) = family.judge(Level::P95);
    let all: Vec<&Thing<'_>> = whole.iter().collect();
    untold.retain(|one| wanted.is_news(one, &all));
    let mut scopes: Vec<Scope> = Vec::new();
    metrics.iter().for_each(|metric| {
        if !scopes.contains(&metric.scope) {
            scopes.push(metric.scope)
        }
    });
    for scope in scopes {
        untold.extend(questions.unpaired(scope));
        let lost = empty.iter().filter(|thing| {
            thing.scope == scope
                && thing.value(axis).is_some_and(|value| values.iter().any(|one| one == value))
        });
        untold.extend(lost.map(|thing| no_trial(thing, &thing.why_none)));
    }
    let others = others.iter().map(name).collect::<Vec<_>>().join(", ");
    let mut comparison = Comparison::new(format!("{others} instead of {}", name(first)), wanted, found);
    if wanted.anyway && asked.iter().flat_map(|(_, questions)| questions).any(mixes_hops) {
        let of_messages = metrics.iter().filter(|metric| metric.scope == Scope::Message);
        let metrics = of_messages.map(|metric| metric.name.clone()).collect();
        comparison.refused.push(Refusal { why: effects::HOPS.to_owned(), metrics, anyway: true });
    }
    comparison.untold = untold;
    comparison.unmatched = alone(&whole, axis, values);
    Ok(comparison.concluded())
}

/// Things at one of the values without a counterpart: at the first value, or for it at one of the others.
fn alone(things: &[Thing<'_>], axis: &str, values: &[String]) -> Vec<String> {
    let axes: Vec<&str> = axis.split('+').chain([axis]).collect();
    fn at<'t, 'a>(things: &'t [Thing<'a>], axis: &str, value: &str) -> Vec<&'t Thing<'a>> {
        things.iter().filter(|thing| thing.value(axis) == Some(value)).collect()
    }
    let Some((first, others)) = values.split_first() else { return Vec::new() };
    let has = |thing: &Thing<'_>, value: &str| {
        at(things, axis, value)
            .into_iter()
            .any(|other| other.scope == thing.scope && other.but_for(&axes) == thing.but_for(&axes))
    };
    let mut found = Vec::new();
    for other in others {
        for (here, there) in [(first, other), (other, first)] {
            let only = at(things, axis, here).into_iter().filter(|thing| !has(thing, there));
            found.extend(
                only.map(|thing| format!("{} (not measured with {})", thing.name(), value_name(axis, there))),
            );
        }
    }
    found
}

fn mixes_hops(question: &Question<'_>) -> bool {
    question
        .pairs
        .iter()
        .any(|pair| pair.value.hops.zip(pair.instead_of.hops).is_some_and(|(one, other)| one != other))
}

fn those(things: &[Thing<'_>], axis: &str) -> String {
    let mut known: Vec<&str> = things.iter().filter_map(|thing| thing.value(axis)).collect();
    known.sort_unstable();
    known.dedup();
    known.join(", ")
}

fn no_trial(thing: &Thing<'_>, why: &str) -> Untold {
    Untold { what: thing.name(), metric: None, why: format!("no complete trial ({why})") }
}

fn selected<'a>(summary: &'a Summary, cells: &Selection) -> Vec<Thing<'a>> {
    let mut things = Thing::every(summary);
    things.retain(|thing| thing.is_meant(cells));
    things
}

/// The key by which a thing of another run is the same.
fn key<'a>(thing: &Thing<'a>) -> (bool, Vec<(&'a str, String)>) {
    (thing.scope == Scope::Message, thing.values.clone())
}

/// A thing that both runs have: now, and before.
type Matched<'t, 'a> = (&'t Thing<'a>, &'t Thing<'a>);

/// Compares a new run with a base run.
pub fn runs(base: &Summary, new: &Summary, wanted: &Wanted) -> Comparison {
    let (old, fresh) = (selected(base, &wanted.cells), selected(new, &wanted.cells));
    let by_key: BTreeMap<_, &Thing<'_>> = old.iter().map(|thing| (key(thing), thing)).collect();
    let both: Vec<Matched<'_, '_>> =
        fresh.iter().filter_map(|thing| Some((thing, *by_key.get(&key(thing))?))).collect();
    let mut untold: Vec<Untold> =
        both.iter().filter_map(|(now, before)| empty(now, before, base, new)).collect();
    let matched: Vec<Matched<'_, '_>> =
        both.into_iter().filter(|(now, before)| now.valid_trials.min(before.valid_trials) > 0).collect();
    let lacks = Lacks::between(base, new);
    let paired = base.study.trials.seed == new.study.trials.seed && lacks.load.is_none();
    let metrics = wanted.metrics();
    let mut refused = Vec::<Refusal>::new();
    let (mut by_payload, mut by_cell) = (Vec::new(), Vec::new());
    for metric in &metrics {
        let pairs = comparable(&matched, metric, &lacks, wanted, &mut refused);
        let asked = |payload: String, pairs| Question {
            axis: RUN.to_owned(),
            value: new.run.id.clone(),
            instead_of: base.run.id.clone(),
            payload,
            pairs,
            paired: paired && metric.scope == Scope::Message,
            anyway: wanted.anyway,
        };
        by_payload.push((metric, of_payloads(&pairs, asked)));
        let of_cell =
            pairs.iter().map(|&(value, instead_of)| asked(value.name(), vec![Pair { value, instead_of }]));
        by_cell.push((metric, of_cell.collect::<Vec<_>>()));
    }
    let several = by_payload.iter().flat_map(|(_, questions)| questions).any(|one| one.pairs.len() > 1);
    let level = if several { Level::new(OF_TWO).unwrap_or(Level::P95) } else { Level::P95 };
    let judged = |asked: &[(&MetricInfo, Vec<Question<'_>>)]| {
        let mut family = Family::default();
        asked.iter().for_each(|(metric, questions)| family.ask(questions, metric));
        family.judge(level)
    };
    let (effects, of_parts) = judged(&by_payload);
    let (of_cells, mut lacking) = judged(&by_cell);
    // What is in no effect of its payload because there are too few repeats, and is not a cell that lacks all.
    for part in of_parts {
        let is_known = lacking.iter().any(|one| one.metric == part.metric && one.what == part.what);
        let is_whole = by_payload.iter().flat_map(|(_, of)| of).any(|question| question.words() == part.what);
        if !is_known && !is_whole {
            lacking.push(part);
        }
    }
    let all: Vec<&Thing<'_>> = matched.iter().flat_map(|(now, before)| [*now, *before]).collect();
    untold.extend(lacking.into_iter().filter(|one| wanted.is_news(one, &all)));
    let mut comparison =
        Comparison::new(format!("{} instead of {}", new.run.id, base.run.id), wanted, effects);
    let changed = of_cells.into_iter().filter(|effect| several && effects::is_shown(effect));
    comparison.cells = changed.map(|effect| CellChange { cell: effect.payload.clone(), effect }).collect();
    comparison.untold = untold;
    comparison.refused = refused;
    comparison.differs = differs(base, new);
    comparison.unmatched = unmatched((&old, base), (&fresh, new));
    comparison.concluded()
}

/// A cell in which a run has no complete trial.
fn empty(now: &Thing<'_>, before: &Thing<'_>, base: &Summary, new: &Summary) -> Option<Untold> {
    let lost = [(before, base), (now, new)].into_iter().filter(|(thing, _)| thing.valid_trials == 0);
    let why: Vec<String> = lost.map(|(thing, run)| format!("{} in {}", thing.why_none, run.run.id)).collect();
    (!why.is_empty()).then(|| no_trial(now, &why.join(", ")))
}

/// The things whose metric may be compared; notes why the others may not.
fn comparable<'t, 'a>(
    matched: &[Matched<'t, 'a>],
    metric: &MetricInfo,
    lacks: &Lacks,
    wanted: &Wanted,
    refused: &mut Vec<Refusal>,
) -> Vec<Matched<'t, 'a>> {
    let mut pairs = Vec::new();
    let of_scope = matched.iter().filter(|(now, _)| now.scope == metric.scope);
    for (now, before) in of_scope {
        let has = |thing: &Thing<'_>| thing.metrics.contains_key(&metric.name);
        let reasons = if has(now) || has(before) { lacks.forbid(metric, now) } else { Vec::new() };
        for why in &reasons {
            note(refused, why, &metric.name, wanted.anyway);
        }
        if reasons.is_empty() || wanted.anyway {
            pairs.push((*now, *before));
        }
    }
    pairs
}

/// A question for each payload.
fn of_payloads<'t>(
    pairs: &[Matched<'t, 't>],
    asked: impl Fn(String, Vec<Pair<'t>>) -> Question<'t>,
) -> Vec<Question<'t>> {
    let mut by_payload: Vec<(String, Vec<Pair<'t>>)> = Vec::new();
    for &(value, instead_of) in pairs {
        let payload = value.value("payload").unwrap_or_default().to_owned();
        let pair = Pair { value, instead_of };
        match by_payload.iter_mut().find(|(known, _)| *known == payload) {
            Some((_, of_payload)) => of_payload.push(pair),
            None => by_payload.push((payload, vec![pair])),
        }
    }
    by_payload.into_iter().map(|(payload, pairs)| asked(payload, pairs)).collect()
}

/// Cells that only one of the runs has.
fn unmatched(before: (&[Thing<'_>], &Summary), now: (&[Thing<'_>], &Summary)) -> Vec<String> {
    let mut found = Vec::new();
    for ((things, run), (others, _)) in [(before, now), (now, before)] {
        let has = |thing: &&Thing<'_>| others.iter().any(|other| key(other) == key(thing));
        let only = things.iter().filter(|thing| !has(thing));
        found.extend(only.map(|thing| format!("{} (only in {})", thing.name(), run.run.id)));
    }
    found
}
