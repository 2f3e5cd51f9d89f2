//! Tables of effects: one value of an axis instead of another, axis by axis.

use wiredyno_answers::effects::{
    self as answers, LOST, amount, bound, by_question, dependence, figure, lost_nothing, needed, payloads,
};
use wiredyno_model::option_of_axis;
use wiredyno_model::summary::{Effect, EffectVerdict, Summary};

use crate::metric::{self, MetricInfo, Scope};

/// The effects of an axis: a row for each question and payload, a column for each metric.
#[derive(Debug, Clone)]
pub struct EffectTable {
    pub axis: String,
    /// Heading: the axis with a capital.
    pub title: String,
    /// Metrics of the first screen that have an effect.
    pub columns: Vec<MetricInfo>,
    /// Questions in the study's order, payload by payload.
    pub rows: Vec<EffectRow>,
}

/// The effects of a value instead of another on one payload.
#[derive(Debug, Clone)]
pub struct EffectRow {
    /// The value in words.
    pub value: String,
    /// The value that it is compared with, in words.
    pub instead_of: String,
    /// Whether the row above has the same question.
    pub repeats: bool,
    /// The payload; `None` if there is only one.
    pub payload: Option<String>,
    /// One for each column; `None` if the metric was not measured.
    pub cells: Vec<Option<EffectCell>>,
}

/// An effect on one metric.
#[derive(Debug, Clone, PartialEq)]
pub struct EffectCell {
    /// `better`, `survivors` (better, but of fewer of the messages), `worse`, `different`, `same` or `unknown`.
    pub tone: &'static str,
    /// The figure or verdict: `× 0.70`, `no difference`, `neither lost any`.
    pub main: String,
    /// The estimate, for sorting and copying.
    pub estimate: f64,
    /// A line each: the interval, in how many combinations, how it depends on another axis.
    pub details: Vec<String>,
}

/// A table for each axis of which two values were measured.
pub fn tables(summary: &Summary, effects: &[Effect]) -> Vec<EffectTable> {
    let axes = &summary.study.axes;
    let several = axes.payload.len() > 1;
    let all = axes.names().into_iter().map(|axis| table(axis, effects, several));
    all.filter(|table| !table.rows.is_empty()).collect()
}

/// A heading: `Codec`; an option as written, `kafka.linger`.
fn title(axis: &str) -> String {
    if option_of_axis(axis).is_some() { axis.to_owned() } else { metric::capitalised(axis) }
}

fn table(axis: &str, effects: &[Effect], several_payloads: bool) -> EffectTable {
    let of_axis: Vec<Effect> = effects.iter().filter(|effect| effect.axis == axis).cloned().collect();
    // A reader who compares what arrived also sees what did not, even if that has no effect of its own.
    let loses =
        |metric: &MetricInfo| metric.name == LOST && of_axis.iter().any(|effect| effect.lost.is_some());
    let has = |metric: &MetricInfo| loses(metric) || of_axis.iter().any(|effect| is_of(effect, metric));
    let columns: Vec<MetricInfo> = metric::first_screen().filter(has).collect();
    let name = |value: &str| wiredyno_answers::value_name(axis, value);
    let mut rows = Vec::new();
    for group in by_question(&of_axis) {
        for (place, payload) in payloads(&group).into_iter().enumerate() {
            let of_payload = || group.iter().filter(|effect| effect.payload == payload);
            let find = |metric: &MetricInfo| match of_payload().find(|effect| is_of(effect, metric)) {
                Some(effect) => Some(cell(effect)),
                None if metric.name == LOST => of_payload().find_map(|effect| counted(effect)),
                None => None,
            };
            rows.push(EffectRow {
                value: name(&group[0].value),
                instead_of: name(&group[0].instead_of),
                repeats: place > 0,
                payload: several_payloads.then(|| payload.to_owned()),
                cells: columns.iter().map(find).collect(),
            });
        }
    }
    EffectTable { axis: axis.to_owned(), title: title(axis), columns, rows }
}

fn is_of(effect: &Effect, metric: &MetricInfo) -> bool {
    let scope = if metric.scope == Scope::Message { "message" } else { "codec" };
    effect.metric == metric.name && effect.scope == scope
}

/// Whether a figure of messages that arrived is compared with one of more messages: what it leaves out does not make it
/// better.
fn loses_more(effect: &Effect) -> bool {
    effect.lost.is_some_and(|[without, with]| with > without)
}

/// The losses of both sides, if nothing more is known of them.
fn counted(effect: &Effect) -> Option<EffectCell> {
    let [without, with] = effect.lost?;
    let details = answers::counts_lost(effect).into_iter().collect();
    let main = answers::points(with - without);
    Some(EffectCell { tone: "unknown", main, estimate: with - without, details })
}

fn cell(effect: &Effect) -> EffectCell {
    let tone = match effect.verdict {
        EffectVerdict::Better if loses_more(effect) => "survivors",
        EffectVerdict::Better => "better",
        EffectVerdict::Worse => "worse",
        EffectVerdict::NoDifference => "same",
        EffectVerdict::Different => "different",
        EffectVerdict::Undecided | EffectVerdict::NoInterval => "unknown",
    };
    let (estimate, interval) = figure(effect);
    let (main, mut details) = match effect.verdict {
        _ if lost_nothing(effect) => {
            ("neither lost any".to_owned(), vec![format!("at most {}", bound(effect))])
        }
        EffectVerdict::NoDifference if answers::same(effect) => ("the same".to_owned(), Vec::new()),
        EffectVerdict::NoDifference => ("no difference".to_owned(), vec![format!("over {}", bound(effect))]),
        EffectVerdict::Undecided => {
            let all: Vec<String> = std::iter::once(estimate).chain(interval).collect();
            let all = std::iter::once(all.join(" ")).chain(needed(effect));
            ("not decided".to_owned(), all.collect())
        }
        EffectVerdict::NoInterval => ("not decided".to_owned(), vec![estimate, answers::too_few(effect)]),
        EffectVerdict::Better | EffectVerdict::Worse | EffectVerdict::Different => {
            let combinations = (effect.combinations > 1)
                .then(|| format!("in {} of {}", effect.same_direction, effect.combinations));
            (estimate, interval.into_iter().chain(amount(effect)).chain(combinations).collect())
        }
    };
    if effect.metric == LOST {
        details.extend(answers::counts_lost(effect));
    }
    details.extend(dependence(effect));
    EffectCell { tone, main, estimate: effect.estimate, details }
}
