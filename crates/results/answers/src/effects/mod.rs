//! The effect of one value of an axis instead of another.
//!
//! Which values are compared is fixed before the data are examined, so that there are few questions: the first value of a protocol (of a
//! format) with the study's first, and within a protocol each mode with the one before it (within a format each codec with its first); on
//! the other axes each value with the first. An axis of n values has n - 1 questions. The effects of one axis on one metric, over all
//! payloads, are a family that is tested together.

mod dependence;
mod draft;
mod words;

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;
use wiredyno_model::axis as known_axis;
use wiredyno_model::metric::{MetricInfo, Scope};
use wiredyno_model::summary::{Effect, Summary};
use wiredyno_stats::Level;
use wiredyno_stats::contrast::{self, Contrast};

use crate::things::{Thing, main_metrics, value_name};

pub use self::words::{
    amount, bound, by_question, clauses, counts_lost, dependence, figure, headlines, is_shown, lost_nothing,
    lost_of_sent, method, needed, of_arrived, payloads, points, question, same, sentences, tells_lost,
    too_few,
};

use self::dependence::{split, split_by_loss};
use self::draft::Draft;
pub(crate) use self::draft::{HOPS, Pair};

/// If no difference is shown, one beyond this factor must be ruled out to conclude that there is none; else it is not decided.
const SMALL: f64 = 1.1;

/// The same for a share: one percentage point, which is the loss allowed by default.
const SMALL_SHARE: f64 = 0.01;

/// More values of another axis than this are reported as a range.
const VALUES_LISTED: usize = 3;

/// One question: what does a value do to one metric of one payload, compared with another value?
pub(crate) struct Question<'a> {
    pub axis: String,
    pub value: String,
    pub instead_of: String,
    pub payload: String,
    pub pairs: Vec<Pair<'a>>,
    /// Whether trials of the same repeat had the same conditions on both sides.
    pub paired: bool,
    /// Whether to compare one hop with two nevertheless.
    pub anyway: bool,
}

/// A question without an answer: there are no data, or none that can be compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Untold {
    /// A cell, or a question about a payload.
    pub what: String,
    /// The metric; absent if it applies to all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metric: Option<String>,
    /// Why there is no answer.
    pub why: String,
}

/// The metric of the share lost.
pub const LOST: &str = "lost";

/// All effects of a run on the metrics of the first screen, axis by axis.
pub fn effects(summary: &Summary) -> Vec<Effect> {
    let things = Thing::all(summary);
    let names = summary.study.axes.names();
    let axes = names.iter().filter(|axis| **axis != "payload");
    let of_axis = |axis: &&str| {
        let questions = Questions::of(summary, &things, axis);
        main_metrics()
            .flat_map(|metric| answer(&questions.for_scope(metric.scope, false), &metric))
            .collect::<Vec<_>>()
    };
    in_reading_order(axes.flat_map(of_axis).collect())
}

/// Effects are tested metric by metric, but read question by question.
pub(crate) fn in_reading_order(mut effects: Vec<Effect>) -> Vec<Effect> {
    let first: BTreeMap<_, usize> =
        effects.iter().enumerate().rev().map(|(place, effect)| (key(effect), place)).collect();
    effects.sort_by_key(|effect| first.get(&key(effect)).copied());
    effects
}

/// The questions about given values of an axis, compared with one other.
pub(crate) fn explicit<'a>(
    summary: &Summary,
    things: &'a [Thing<'a>],
    axis: &'a str,
    instead_of: &str,
    values: &[String],
) -> Questions<'a> {
    Questions {
        axis,
        things,
        payloads: summary.study.axes.values("payload"),
        contrasts: values.iter().map(|value| (value.clone(), instead_of.to_owned())).collect(),
    }
}

fn key(effect: &Effect) -> (String, String, String, String) {
    let Effect { axis, value, instead_of, payload, .. } = effect;
    (axis.clone(), value.clone(), instead_of.clone(), payload.clone())
}

/// The questions of one axis.
pub(crate) struct Questions<'a> {
    axis: &'a str,
    things: &'a [Thing<'a>],
    payloads: Vec<String>,
    /// Each value with the value that it is compared with.
    contrasts: Vec<(String, String)>,
}

impl<'a> Questions<'a> {
    fn of(summary: &Summary, things: &'a [Thing<'a>], axis: &'a str) -> Self {
        let present = |value: &String| things.iter().any(|thing| thing.value(axis) == Some(value));
        let mut values = summary.study.axes.values(axis);
        values.retain(present);
        let contrasts = (1..values.len()).filter_map(|place| {
            let reference = if is_of_some_protocols(axis) {
                // Only brokers of one protocol are compared, and only values of one option.
                let modes = |value: &String| {
                    let of = things.iter().filter(move |thing| thing.value(axis) == Some(value));
                    of.filter_map(|thing| thing.value("mode")).collect::<BTreeSet<_>>()
                };
                let own = modes(&values[place]);
                values[..place].iter().find(|other| !own.is_disjoint(&modes(other)))?.clone()
            } else {
                reference(axis, &values, place)
            };
            Some((values[place].clone(), reference))
        });
        Questions {
            axis,
            things,
            payloads: summary.study.axes.values("payload"),
            contrasts: contrasts.collect(),
        }
    }

    pub(crate) fn for_scope(&self, scope: Scope, anyway: bool) -> Vec<Question<'a>> {
        let mut questions = Vec::new();
        for (value, instead_of) in &self.contrasts {
            for payload in &self.payloads {
                let pairs = self.pairs(scope, payload, value, instead_of);
                if !pairs.is_empty() {
                    questions.push(Question {
                        axis: self.axis.to_owned(),
                        value: value.clone(),
                        instead_of: instead_of.clone(),
                        payload: payload.clone(),
                        pairs,
                        paired: true,
                        anyway,
                    });
                }
            }
        }
        questions
    }

    /// For each value and payload that was measured but enters no question: that its reference has no counterpart.
    pub(crate) fn unpaired(&self, scope: Scope) -> Vec<Untold> {
        let mut untold = Vec::new();
        for (value, instead_of) in &self.contrasts {
            for payload in &self.payloads {
                let measured: Vec<_> = self.with_value(scope, payload, value).collect();
                if measured.is_empty() || !self.pairs(scope, payload, value, instead_of).is_empty() {
                    continue;
                }
                let other = self.with_value(scope, payload, instead_of).next();
                let what = format!(
                    "{} instead of {} of {payload}",
                    value_name(self.axis, value),
                    value_name(self.axis, instead_of)
                );
                let why = match other {
                    None => format!("{} was not measured", value_name(self.axis, instead_of)),
                    Some(other) => format!(
                        "no two cells are otherwise equal: one was measured as {}, the other as {}",
                        measured[0].name(),
                        other.name()
                    ),
                };
                untold.push(Untold { what, metric: None, why });
            }
        }
        untold
    }

    fn with_value(&self, scope: Scope, payload: &str, value: &str) -> impl Iterator<Item = &'a Thing<'a>> {
        let fits = move |thing: &&'a Thing<'a>| {
            thing.scope == scope
                && thing.value("payload") == Some(payload)
                && thing.value(self.axis) == Some(value)
        };
        self.things.iter().filter(fits)
    }

    fn pairs(&self, scope: Scope, payload: &str, value: &str, instead_of: &str) -> Vec<Pair<'a>> {
        let of = |wanted: &str| self.with_value(scope, payload, wanted).collect::<Vec<_>>();
        let (own, others) = (of(value), of(instead_of));
        let protocols = [&own, &others].map(|side| side.first().map(|thing| thing.protocol()));
        // Two protocols have no broker or option in common: each is taken with the first that the study names for it.
        let is_mode = self.axis.split('+').any(|axis| axis == "mode");
        let across = is_mode && protocols[0] != protocols[1];
        let sides = own.iter().chain(&others).flat_map(|thing| &thing.values).map(|(axis, _)| *axis);
        let mut apart: Vec<&str> = sides.filter(|axis| across && is_of_some_protocols(axis)).collect();
        apart.push(self.axis);
        apart.extend(self.axis.split('+'));
        let mut first = BTreeMap::new();
        for thing in others {
            first.entry(thing.but_for(&apart)).or_insert(thing);
        }
        let mut taken = BTreeSet::new();
        let pair = |thing: &'a Thing<'a>| {
            let rest = thing.but_for(&apart);
            let instead_of = first.get(&rest)?;
            taken.insert(rest).then_some(Pair { value: thing, instead_of })
        };
        own.into_iter().filter_map(pair).collect()
    }
}

/// Whether only modes of some protocols have an axis.
fn is_of_some_protocols(axis: &str) -> bool {
    known_axis(axis).is_some_and(|axis| axis.of_some_protocols)
}

/// The value that another is compared with.
fn reference(axis: &str, values: &[String], place: usize) -> String {
    let separator = match axis {
        "mode" => ':',
        "codec" => '/',
        _ => return values[0].clone(),
    };
    let group = |value: &String| value.split(separator).next().unwrap_or_default().to_owned();
    let own = group(&values[place]);
    let before: Vec<&String> = values[..place].iter().filter(|value| group(value) == own).collect();
    let same = if axis == "mode" { before.last() } else { before.first() };
    same.map_or_else(|| values[0].clone(), |value| (*value).clone())
}

/// The effects that answer questions about one metric, which is one family. Questions without an answer are left out.
pub(crate) fn answer(questions: &[Question<'_>], metric: &MetricInfo) -> Vec<Effect> {
    let mut family = Family::default();
    family.ask(questions, metric);
    family.judge(Level::P95).0
}

/// Questions that are tested together, so that the level bounds the chance of any false difference.
#[derive(Default)]
pub(crate) struct Family<'a> {
    drafts: Vec<Draft<'a>>,
    untold: Vec<Untold>,
}

impl<'a> Family<'a> {
    /// Adds questions for one metric.
    pub(crate) fn ask(&mut self, questions: &'a [Question<'a>], metric: &'a MetricInfo) {
        for question in questions {
            match Draft::of(question, metric) {
                Ok(draft) => self.drafts.push(draft),
                Err(why) => self.untold.push(Untold {
                    what: question.words(),
                    metric: Some(metric.name.clone()),
                    why,
                }),
            }
        }
    }

    /// The effects, and the questions without an answer.
    pub(crate) fn judge(mut self, level: Level) -> (Vec<Effect>, Vec<Untold>) {
        let drafts = &mut self.drafts;
        let family: Vec<Contrast> = drafts.iter().filter_map(|draft| draft.contrast.clone()).collect();
        let mut judged = contrast::judge(&family, level, SMALL.ln()).into_iter();
        for draft in drafts.iter_mut() {
            draft.judged = draft.contrast.as_ref().and_then(|_| judged.next());
        }
        split(drafts);
        split_by_loss(drafts, family.len());
        for draft in drafts.iter_mut() {
            let lacking = std::mem::take(&mut draft.without).into_iter();
            let metric = &draft.metric.name;
            self.untold.extend(lacking.map(|(what, why)| Untold { what, metric: Some(metric.clone()), why }));
        }
        (drafts.iter().map(|draft| draft.effect(family.len())).collect(), self.untold)
    }
}

impl Question<'_> {
    /// The question in words: `protobuf/prost instead of json/serde-json of small`; the cell if two runs are compared.
    pub(crate) fn words(&self) -> String {
        if self.axis == RUN {
            return self.payload.clone();
        }
        let [value, instead_of] = [&self.value, &self.instead_of].map(|value| value_name(&self.axis, value));
        format!("{value} instead of {instead_of} of {}", self.payload)
    }
}

/// The axis of questions about two runs.
pub(crate) const RUN: &str = "run";
