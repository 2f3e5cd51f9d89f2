//! The effect of one value of an axis instead of another.
//!
//! Which values are compared is fixed before the data are examined, so that there are few questions: the first value of a protocol (of a
//! format) with the study's first, and within a protocol each mode with the one before it (within a format each codec with its first); on
//! the other axes each value with the first. An axis of n values has n - 1 questions. The effects of one axis on one metric, over all
//! payloads, are a family that is tested together.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;
use wiredyno_model::metric::{self, MetricInfo, Scope};
use wiredyno_model::summary::{Effect, EffectAt, EffectScale, EffectVerdict, Metric, Summary};
use wiredyno_model::{Range, axis as known_axis};
use wiredyno_stats::best::Scale;
use wiredyno_stats::contrast::{self, Block, Contrast, Judged};
use wiredyno_stats::{Level, MIN_TRIALS_FOR_INTERVAL, Proportion};

use crate::conclusion::{Conclusion, shown};
use crate::quantity;
use crate::sentence::Sentence;
use crate::things::{Thing, main_metrics, value_name};

/// If no difference is shown, one beyond this factor must be ruled out to conclude that there is none; else it is not decided.
const SMALL: f64 = 1.1;

/// The same for a share: one percentage point, which is the loss allowed by default.
const SMALL_SHARE: f64 = 0.01;

/// An effect that depends on another axis is split only if its extremes differ by more than this factor.
const WORTH_SPLITTING: f64 = 1.1;

/// More values of another axis than this are reported as a range.
const VALUES_LISTED: usize = 3;

/// Two things that differ in one value.
pub(crate) struct Pair<'a> {
    pub value: &'a Thing<'a>,
    pub instead_of: &'a Thing<'a>,
}

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

/// An effect being computed.
struct Draft<'a> {
    question: &'a Question<'a>,
    metric: &'a MetricInfo,
    /// The pairs that have the metric, and their blocks.
    pairs: Vec<&'a Pair<'a>>,
    blocks: Vec<Block>,
    scale: Scale,
    /// If the samples alone decide it: both sides' values in each block.
    exact: Option<Vec<[f64; 2]>>,
    contrast: Option<Contrast>,
    judged: Option<Judged>,
    depends_on: Vec<EffectAt>,
    /// Pairs that do not enter it, and why.
    without: Vec<(String, String)>,
}

impl<'a> Draft<'a> {
    /// Returns the reason if there is no answer.
    fn of(question: &'a Question<'a>, metric: &'a MetricInfo) -> Result<Draft<'a>, String> {
        let mut without = Vec::new();
        let (mut pairs, mut blocks) = (Vec::new(), Vec::new());
        for pair in &question.pairs {
            match pair.block(metric, question) {
                Ok(block) => {
                    pairs.push(pair);
                    blocks.push(block);
                }
                Err(lack) => without.push((pair.value.name(), lack)),
            }
        }
        if blocks.is_empty() {
            let why = without.into_iter().next().map(|(_, why)| why);
            return Err(why.unwrap_or_else(|| "nothing was measured".to_owned()));
        }
        let exact = metric.exact.then(|| blocks.iter().map(Block::constants).collect()).flatten();
        // A share is compared in percentage points: 0 lost has no logarithm, and twice as much of nearly nothing means nothing.
        let scale = match metric.range {
            Range::Positive => contrast::scale_of(&blocks),
            Range::Share | Range::Signed => Scale::Values,
        };
        let compare = if question.paired { contrast::contrast } else { contrast::independent };
        let contrast = if exact.is_some() { None } else { compare(&blocks, scale, Level::P95).ok() };
        // If others have enough repeats for a test, those that don't are left out.
        let entered = contrast.as_ref().map_or(&[][..], |contrast| &contrast.blocks);
        for ((pair, block), _) in pairs.iter().zip(&blocks).zip(entered).filter(|(_, of)| of.is_none()) {
            let repeats = block.pairs(question.paired);
            without.push((
                pair.value.name(),
                format!(
                    "{repeats} repeats are complete on both sides, a test needs {MIN_TRIALS_FOR_INTERVAL}"
                ),
            ));
        }
        let depends_on = Vec::new();
        Ok(Draft {
            question,
            metric,
            pairs,
            blocks,
            scale,
            exact,
            contrast,
            judged: None,
            depends_on,
            without,
        })
    }

    /// The effect on the scale of the comparison; `None` if nothing can be compared.
    fn estimate(&self) -> Option<f64> {
        if let Some(contrast) = &self.contrast {
            return Some(contrast.test.difference);
        }
        let of_block = self.of_block();
        (!of_block.is_empty()).then(|| of_block.iter().sum::<f64>() / of_block.len() as f64)
    }

    /// The effect in each block that was compared.
    fn of_block(&self) -> Vec<f64> {
        if let Some(contrast) = &self.contrast {
            return contrast.blocks.iter().copied().flatten().collect();
        }
        let is_paired = self.question.paired && self.exact.is_none();
        let difference = |block: &Block| {
            if is_paired { block.mean_difference(self.scale) } else { block.difference_of_means(self.scale) }
        };
        self.blocks.iter().filter_map(difference).collect()
    }

    /// What the samples decide: one trial of each side is enough.
    fn exact_verdict(&self, sides: &[[f64; 2]]) -> EffectVerdict {
        let estimate = self.estimate().unwrap_or(0.0);
        match sides.iter().any(|[instead_of, value]| instead_of != value) {
            false => EffectVerdict::NoDifference,
            true if estimate == 0.0 => EffectVerdict::Different,
            true => shown(self.metric.better, estimate > 0.0),
        }
    }

    fn back(&self, value: f64) -> f64 {
        if self.scale == Scale::Logarithms { value.exp() } else { value }
    }

    /// The means of both sides in each pair that was compared.
    fn sides(&self) -> Vec<[f64; 2]> {
        let mean =
            |thing: &Thing<'_>| thing.metrics.get(&self.metric.name).map(|metric: &Metric| metric.mean);
        let both = |pair: &Pair<'_>| Some([mean(pair.instead_of)?, mean(pair.value)?]);
        let entered = |place: usize| {
            let blocks = self.contrast.as_ref().map(|contrast| &contrast.blocks);
            blocks.is_none_or(|blocks| blocks.get(place).is_none_or(Option::is_some))
        };
        self.pairs
            .iter()
            .enumerate()
            .filter(|(place, _)| entered(*place))
            .filter_map(|(_, pair)| both(pair))
            .collect()
    }

    fn means(&self) -> [f64; 2] {
        let sides = self.sides();
        let over = |of: &dyn Fn(f64) -> f64, place: usize| {
            sides.iter().map(|side| of(side[place])).sum::<f64>() / sides.len().max(1) as f64
        };
        [0, 1].map(|place| match self.scale {
            Scale::Logarithms => over(&f64::ln, place).exp(),
            Scale::Values => over(&|mean| mean, place),
        })
    }

    fn difference(&self) -> f64 {
        let sides = self.sides();
        sides.iter().map(|[without, with]| with - without).sum::<f64>() / sides.len().max(1) as f64
    }

    fn verdict(&self) -> EffectVerdict {
        if let Some(sides) = &self.exact {
            return self.exact_verdict(sides);
        }
        let Some(judged) = self.judged else { return EffectVerdict::NoInterval };
        let [low, high] = [judged.interval.low, judged.interval.high];
        if !judged.real {
            let small = match self.scale {
                Scale::Logarithms => SMALL.ln(),
                // For a share, a percentage point; for other differences, the same fraction of the mean.
                Scale::Values if self.metric.range == Range::Share => SMALL_SHARE,
                Scale::Values => (SMALL - 1.0) * self.means()[0].abs(),
            };
            return if low >= -small && high <= small {
                EffectVerdict::NoDifference
            } else {
                EffectVerdict::Undecided
            };
        }
        shown(self.metric.better, low > 0.0)
    }

    /// The interval on the scale of the comparison.
    fn interval(&self) -> Option<[f64; 2]> {
        if self.exact.is_some() {
            return self.estimate().map(|estimate| [estimate; 2]);
        }
        self.judged.map(|judged| [judged.interval.low, judged.interval.high])
    }

    /// The most trials of a block that were compared.
    fn repeats(&self) -> usize {
        let is_paired = self.question.paired && self.exact.is_none();
        let most = || self.blocks.iter().map(|block| block.pairs(is_paired)).max().unwrap_or(0);
        self.contrast.as_ref().map_or_else(most, |contrast| contrast.repeats)
    }

    /// Messages lost and sent on both sides, for loss itself and for a metric that only messages that arrived have, if any were lost.
    fn lost_beside(&self) -> Option<[(u64, u64); 2]> {
        let is_told = self.metric.of_arrived || self.metric.name == LOST;
        let of = |thing: fn(&Pair<'a>) -> &'a Thing<'a>| {
            let all = self.pairs.iter().filter_map(|pair| thing(pair).delivery);
            all.fold((0, 0), |(lost, sent), of| (lost + of.lost, sent + of.sent))
        };
        let both = [of(|pair| pair.instead_of), of(|pair| pair.value)];
        (is_told && both.iter().any(|(lost, _)| *lost > 0)).then_some(both)
    }

    fn effect(&self, family: usize) -> Effect {
        let question = self.question;
        let lost = self.lost_beside();
        let share = |(lost, sent): (u64, u64)| if sent == 0 { 0.0 } else { lost as f64 / sent as f64 };
        let estimate = self.estimate().unwrap_or(0.0);
        let of_block = self.of_block();
        let same = of_block.iter().filter(|of| **of * estimate > 0.0 || **of == estimate).count();
        let mut effect = Effect {
            axis: question.axis.clone(),
            value: question.value.clone(),
            instead_of: question.instead_of.clone(),
            payload: question.payload.clone(),
            scope: if self.metric.scope == Scope::Message { "message" } else { "codec" }.to_owned(),
            metric: self.metric.name.clone(),
            unit: self.metric.unit.name().to_owned(),
            scale: match self.scale {
                Scale::Logarithms => EffectScale::Factor,
                Scale::Values => EffectScale::Difference,
            },
            estimate: self.back(estimate),
            interval: self.interval().map(|interval| interval.map(|end| self.back(end))),
            verdict: self.verdict(),
            means: self.means(),
            difference: self.difference(),
            combinations: of_block.len() as u32,
            same_direction: same as u32,
            repeats: self.repeats() as u32,
            family: if self.exact.is_some() { 1 } else { family.max(1) as u32 },
            smallest_found: self
                .judged
                .and_then(|judged| judged.smallest_found)
                .map(|found| self.back(found)),
            repeats_needed: self
                .judged
                .filter(|_| self.scale == Scale::Logarithms)
                .and_then(|judged| judged.repeats_needed.map(|repeats| repeats as u32)),
            depends_on: self.depends_on.clone(),
            lost: lost.map(|both| both.map(share)),
            sent: lost.map(|both| both.map(|(_, sent)| sent)),
            text: String::new(),
        };
        if let Some([value, instead_of]) = self.constant_losses() {
            let none = value.hits() + instead_of.hits() == 0;
            let error = Level::P95.error_rate() / if none { 1.0 } else { f64::from(effect.family) };
            let level = Level::new(1.0 - error).unwrap_or(Level::P95);
            let [low, high] = value.difference(instead_of, level);
            effect.interval = Some([low, high]);
            effect.verdict = match Conclusion::of([low, high], |end| end.abs() <= SMALL_SHARE) {
                _ if low > 0.0 || high < 0.0 => shown(self.metric.better, low > 0.0),
                Conclusion::NoDifference => EffectVerdict::NoDifference,
                _ => EffectVerdict::Undecided,
            };
        }
        effect.text = clause(&effect, self.metric).to_plain();
        effect
    }

    /// The shares of messages lost, of the value and of its reference, if all trials of a cell lost the same share: they do not vary, and
    /// the number of messages bounds the loss.
    fn constant_losses(&self) -> Option<[Proportion; 2]> {
        if self.metric.name != LOST || self.blocks.iter().any(|block| block.constants().is_none()) {
            return None;
        }
        let share = |thing: fn(&Pair<'a>) -> &'a Thing<'a>| {
            let all = self.pairs.iter().filter_map(|pair| thing(pair).delivery);
            let (lost, sent) = all.fold((0, 0), |(lost, sent), of| (lost + of.lost, sent + of.sent));
            Proportion::new(lost, sent).ok()
        };
        let shares = [share(|pair| pair.value)?, share(|pair| pair.instead_of)?];
        // A few trials may have lost the same by chance.
        let is_enough =
            shares.iter().all(|share| share.hits() == 0) || self.repeats() >= MIN_TRIALS_FOR_INTERVAL;
        is_enough.then_some(shares)
    }
}

impl Pair<'_> {
    /// Both sides' trials for a metric, or why they can't be compared.
    fn block(&self, metric: &MetricInfo, question: &Question<'_>) -> Result<Block, String> {
        let hops = [self.instead_of.hops, self.value.hops];
        if let ([Some(one), Some(other)], Scope::Message, false) = (hops, metric.scope, metric.exact)
            && one != other
            && !question.anyway
        {
            return Err(HOPS.to_owned());
        }
        // A metric known only for a part of the messages may cover just the irrelevant part.
        let lacks = |thing: &Thing<'_>| format!("{}: {}", thing.name(), thing.why_no(&metric.name));
        let value = self.value.metric(&metric.name).ok_or_else(|| lacks(self.value))?;
        let instead_of = self.instead_of.metric(&metric.name).ok_or_else(|| lacks(self.instead_of))?;
        if value.unit != instead_of.unit {
            return Err(format!("the units differ: {} and {}", instead_of.unit, value.unit));
        }
        let block = Block { value: value.by_repeat.clone(), instead_of: instead_of.by_repeat.clone() };
        let is_paired = question.paired && !metric.exact;
        if block.pairs(is_paired) == 0 {
            return Err(format!("{}: no repeat is complete on both sides", self.value.name()));
        }
        Ok(block)
    }
}

/// Why one hop is not compared with two.
pub(crate) const HOPS: &str =
    "one hop against two: a message goes straight to the subscriber here, over a broker there";

/// A test of whether an effect depends on another axis: the draft, the axis, and the test's p-value.
struct Dependence<'a> {
    draft: usize,
    axis: &'a str,
    p_value: f64,
}

/// Finds the other axis on which each effect depends, if any; all these tests are a family, too.
fn split<'a>(drafts: &mut [Draft<'a>]) {
    let mut tests = Vec::new();
    for (place, draft) in drafts.iter().enumerate() {
        if draft.contrast.is_none() || !draft.question.paired {
            continue;
        }
        let is_asked = |axis: &str| draft.question.axis.split('+').any(|asked| asked == axis);
        for axis in draft
            .axes()
            .into_iter()
            .filter(|axis| !is_asked(axis) && *axis != "payload" && !axis.contains('+'))
        {
            let values = draft.values_of(axis);
            if values.len() < 2 {
                continue;
            }
            // Two values are one question; of more, each is compared with all others.
            let asked = if values.len() == 2 { &values[..1] } else { &values[..] };
            let p_values = asked.iter().filter_map(|value| {
                let (own, others) = draft.parted(axis, value);
                let test = contrast::interaction(&own, &others, draft.scale, Level::P95).ok()?;
                Some(test.p_value)
            });
            tests.extend(p_values.map(|p_value| Dependence { draft: place, axis, p_value }));
        }
    }
    let p_values: Vec<f64> = tests.iter().map(|test| test.p_value).collect();
    let adjusted = wiredyno_stats::correction::holm(&p_values).unwrap_or_default();
    let mut found: BTreeMap<usize, (&'a str, f64)> = BTreeMap::new();
    for (test, adjusted) in tests.iter().zip(adjusted) {
        let best = found.get(&test.draft).map_or(f64::INFINITY, |(_, p_value)| *p_value);
        if adjusted < Level::P95.error_rate() && test.p_value < best {
            found.insert(test.draft, (test.axis, test.p_value));
        }
    }
    for (place, (axis, _)) in found {
        let at = drafts[place].at_values_of(axis, Level::P95);
        if drafts[place].is_worth_splitting(&at) {
            drafts[place].depends_on = at;
        }
    }
}

/// The axes that may separate lossless from lossy conditions: the loss set for all links, else the links with their own losses.
const OF_LOSS: [&str; 2] = ["loss", "link"];

/// Separates lossless and lossy conditions if all together decide nothing. These tests are corrected for the largest possible number of
/// them.
fn split_by_loss(drafts: &mut [Draft<'_>], family: usize) {
    for draft in drafts {
        let is_open = draft.judged.is_some_and(|judged| !judged.real) && draft.depends_on.is_empty();
        let asked = &draft.question.axis;
        let told_by =
            OF_LOSS.iter().map(|axis| (axis, draft.values_of(axis))).find(|(_, values)| values.len() > 1);
        let Some((axis, values)) = told_by.filter(|(axis, _)| !asked.split('+').any(|asked| asked == **axis))
        else {
            continue;
        };
        if !is_open || !draft.question.paired {
            continue;
        }
        let error = Level::P95.error_rate() / (family.max(1) * values.len()) as f64;
        let at = draft.at_values_of(axis, Level::new(1.0 - error).unwrap_or(Level::P95));
        let none = if draft.scale == Scale::Logarithms { 1.0 } else { 0.0 };
        let is_shown = |one: &EffectAt| one.interval.is_some_and(|[low, high]| low > none || high < none);
        if at.iter().any(is_shown) {
            draft.depends_on = at;
        }
    }
}

impl<'a> Draft<'a> {
    /// The axes on which some pair has a value, in their order.
    fn axes(&self) -> Vec<&'a str> {
        let mut axes: Vec<&str> = Vec::new();
        for (axis, _) in self.pairs.iter().flat_map(|pair| &pair.value.values) {
            if !axes.contains(axis) {
                axes.push(axis);
            }
        }
        axes
    }

    /// The values of another axis among the pairs, in their order.
    fn values_of(&self, axis: &str) -> Vec<String> {
        let mut values: Vec<String> = Vec::new();
        for value in self.pairs.iter().filter_map(|pair| pair.value.value(axis)) {
            if !values.iter().any(|known| known == value) {
                values.push(value.to_owned());
            }
        }
        values
    }

    /// The blocks at a value of another axis, and those at its other values.
    fn parted(&self, axis: &str, value: &str) -> (Vec<Block>, Vec<Block>) {
        let all = self.pairs.iter().zip(&self.blocks).filter(|(pair, _)| pair.value.value(axis).is_some());
        let (own, others): (Vec<_>, Vec<_>) =
            all.partition(|(pair, _)| pair.value.value(axis) == Some(value));
        let blocks = |of: Vec<(_, &Block)>| of.into_iter().map(|(_, block)| block.clone()).collect();
        (blocks(own), blocks(others))
    }

    fn at_values_of(&self, axis: &str, level: Level) -> Vec<EffectAt> {
        let at = |value: String| {
            let (own, _) = self.parted(axis, &value);
            let contrast = contrast::contrast(&own, self.scale, level).ok()?;
            let interval = contrast.test.interval;
            Some(EffectAt {
                axis: axis.to_owned(),
                value,
                estimate: self.back(contrast.test.difference),
                interval: Some([interval.low, interval.high].map(|end| self.back(end))),
            })
        };
        self.values_of(axis).into_iter().filter_map(at).collect()
    }

    fn is_worth_splitting(&self, at: &[EffectAt]) -> bool {
        let least = at.iter().map(|one| one.estimate).fold(f64::INFINITY, f64::min);
        let most = at.iter().map(|one| one.estimate).fold(f64::NEG_INFINITY, f64::max);
        match self.scale {
            Scale::Logarithms => most / least > WORTH_SPLITTING,
            Scale::Values if self.metric.range == Range::Share => {
                most - least > (WORTH_SPLITTING - 1.0) / 10.0
            }
            Scale::Values => true,
        }
    }
}

/// The effect on one metric in a few words.
fn clause(effect: &Effect, metric: &MetricInfo) -> Sentence {
    if lost_nothing(effect) {
        return Sentence::plain(format!("neither lost any (at most {})", bound(effect)));
    }
    let sentence = Sentence::plain(lower(&metric.title));
    let counts = counts_lost(effect).filter(|_| effect.metric == LOST);
    let sentence = match effect.verdict {
        EffectVerdict::NoDifference => {
            if same(effect) {
                return sentence.then(": the same").then(in_brackets(counts));
            }
            let sentence = sentence.then(": no difference over ");
            let sentence = sentence.strong(bound(effect)).then(in_brackets(dependence(effect)));
            return sentence.then(in_brackets(counts)).then(in_brackets(of_arrived(effect)));
        }
        EffectVerdict::Undecided | EffectVerdict::NoInterval => sentence.then(": not decided, "),
        EffectVerdict::Better | EffectVerdict::Worse | EffectVerdict::Different => sentence.then(" "),
    };
    let (main, interval) = figure(effect);
    let amount = amount(effect).map(|amount| format!(" ({amount})")).unwrap_or_default();
    let sentence = sentence.figure(main, interval).then(amount);
    let sentence = match effect.verdict {
        EffectVerdict::NoInterval => sentence.then(format!(" ({})", too_few(effect))),
        EffectVerdict::Undecided => sentence.then(in_brackets(needed(effect))),
        _ if effect.combinations > 1 => {
            sentence.faint(format!(" in {} of {}", effect.same_direction, effect.combinations))
        }
        _ => sentence,
    };
    sentence
        .then(in_brackets(counts))
        .then(in_brackets(dependence(effect)))
        .then(in_brackets(of_arrived(effect)))
}

/// The number of repeats: `3 repeats: 5 would give an interval`.
pub fn too_few(effect: &Effect) -> String {
    let words =
        if effect.repeats == 1 { "1 repeat".to_owned() } else { format!("{} repeats", effect.repeats) };
    format!("{words}: {MIN_TRIALS_FOR_INTERVAL} would give an interval")
}

/// Losses beside a figure of messages that arrived: `of what arrived: 12 % lost, before 0 %`.
pub fn of_arrived(effect: &Effect) -> Option<String> {
    let [without, with] =
        effect.lost.filter(|_| effect.metric != LOST)?.map(|share| quantity::quantity(share, "ratio"));
    Some(format!("of what arrived: {with} lost, {without} {}", otherwise(effect)))
}

/// Losses of both sides: `24 of 200 lost, 0 of 200 with mqtt:qos0`; `None` if there are none.
pub fn counts_lost(effect: &Effect) -> Option<String> {
    let [without, with] = lost_of_sent(effect)?;
    Some(format!("{with} lost, {without} {}", otherwise(effect)))
}

/// Whether effects on a metric report losses.
pub fn tells_lost(metric: &str) -> bool {
    metric == LOST || metric::find(Scope::Message, metric).is_some_and(|info| info.of_arrived)
}

/// Messages lost of those sent, without and with the value: `0 of 200` and `24 of 200`; `None` if there are none.
pub fn lost_of_sent(effect: &Effect) -> Option<[String; 2]> {
    let (shares, sent) = (effect.lost?, effect.sent?);
    let count = |place: usize| (shares[place] * sent[place] as f64).round() as u64;
    Some([0, 1].map(|place| format!("{} of {}", quantity::count(count(place)), quantity::count(sent[place]))))
}

/// The reference of an effect, as words that follow its figure.
fn otherwise(effect: &Effect) -> String {
    if effect.axis == RUN {
        "before".to_owned()
    } else {
        format!("with {}", value_name(&effect.axis, &effect.instead_of))
    }
}

/// Whether a difference is shown.
pub fn is_shown(effect: &Effect) -> bool {
    Conclusion::from(effect.verdict) == Conclusion::Difference
}

fn in_brackets(text: Option<String>) -> String {
    text.map(|text| format!(" ({text})")).unwrap_or_default()
}

/// Whether it is about lost messages, and neither side lost any.
pub fn lost_nothing(effect: &Effect) -> bool {
    effect.metric == LOST && effect.means == [0.0, 0.0]
}

/// Whether every repeat gave the same on both sides, to the last digit.
pub fn same(effect: &Effect) -> bool {
    effect.interval.is_some_and(|[low, high]| high - low <= ROUNDING * high.abs())
}

/// Ends of an interval that are this close differ only by the order of additions.
const ROUNDING: f64 = 1e-9;

/// The figure and its interval: `× 0.70` and `[0.55, 0.91]`; for differences `+3.1 %`.
pub fn figure(effect: &Effect) -> (String, Option<String>) {
    match effect.scale {
        EffectScale::Factor => factor(effect.estimate, effect.interval),
        EffectScale::Difference => difference(effect.estimate, effect.interval, &effect.unit),
    }
}

/// A difference of shares: `+9.2 points`.
pub fn points(difference_of_shares: f64) -> String {
    difference(difference_of_shares, None, "ratio").0
}

/// A difference with its interval: `+9.2 points [4.0, 14.4]`, of shares in percentage points.
fn difference(estimate: f64, interval: Option<[f64; 2]>, unit: &str) -> (String, Option<String>) {
    let (main, interval) = quantity::apart(estimate, interval, unit);
    let sign = if estimate > 0.0 { "+" } else { "" };
    let main = main.replace(" %", " points");
    (format!("{sign}{main}"), interval)
}

fn factor(estimate: f64, interval: Option<[f64; 2]>) -> (String, Option<String>) {
    let (main, interval) = quantity::apart(estimate, interval, "times");
    (format!("\u{d7} {main}"), interval)
}

/// The largest difference that the interval includes: `1.2 %`.
pub fn bound(effect: &Effect) -> String {
    let [low, high] = effect.interval.unwrap_or([effect.estimate; 2]);
    match effect.scale {
        EffectScale::Factor => {
            let most = (high - 1.0).max(low.recip() - 1.0).max(0.0);
            quantity::quantity(round_up(most), "ratio")
        }
        EffectScale::Difference if lost_nothing(effect) => quantity::quantity(high, &effect.unit),
        EffectScale::Difference => {
            difference(low.abs().max(high.abs()), None, &effect.unit).0.replace('+', "")
        }
    }
}

/// Rounded up to two significant digits, so that what is ruled out really is.
fn round_up(share: f64) -> f64 {
    if share <= 0.0 {
        return 0.0;
    }
    let step = 10f64.powi(share.log10().floor() as i32 - 1);
    (share / step - 1e-9).ceil() * step
}

/// The repeats that would decide: `14 repeats would show 10 %`.
pub fn needed(effect: &Effect) -> Option<String> {
    let repeats = effect.repeats_needed?;
    Some(format!("{} repeats would show 10 %", quantity::count(u64::from(repeats))))
}

/// The difference in bytes, which readers add up: `393 B more`; `None` for other units.
pub fn amount(effect: &Effect) -> Option<String> {
    let told =
        effect.unit == "bytes" && effect.scale == EffectScale::Factor && effect.difference.abs() >= 0.5;
    let word = if effect.difference > 0.0 { "more" } else { "less" };
    told.then(|| format!("{} {word}", quantity::quantity(effect.difference.abs().round(), "bytes")))
}

/// How an effect depends on another axis: `shown only at 5 % loss: × 0.41 [0.3, 0.6]`, `× 0.41 [0.3, 0.6] at 5 % loss, × 0.80 [0.7, 0.9] at
/// 0 % loss`.
pub fn dependence(effect: &Effect) -> Option<String> {
    let axis = effect.depends_on.first()?.axis.as_str();
    let text = |one: &EffectAt| {
        let (main, interval) = match effect.scale {
            EffectScale::Factor => factor(one.estimate, one.interval),
            EffectScale::Difference => difference(one.estimate, one.interval, &effect.unit),
        };
        let interval = interval.map(|interval| format!(" {interval}")).unwrap_or_default();
        format!("{main}{interval}")
    };
    let there = |one: &EffectAt| format!("{} {}", text(one), at(axis, &one.value));
    let none = if effect.scale == EffectScale::Factor { 1.0 } else { 0.0 };
    let shown = |one: &&EffectAt| one.interval.is_some_and(|[low, high]| low > none || high < none);
    let with: Vec<&EffectAt> = effect.depends_on.iter().filter(shown).collect();
    if let [only] = with[..] {
        return Some(format!("shown only {}: {}", at(axis, &only.value), text(only)));
    }
    if effect.depends_on.len() <= VALUES_LISTED {
        return Some(effect.depends_on.iter().map(there).collect::<Vec<_>>().join(", "));
    }
    let order = |a: &&EffectAt, b: &&EffectAt| a.estimate.total_cmp(&b.estimate);
    let least = effect.depends_on.iter().min_by(order)?;
    let most = effect.depends_on.iter().max_by(order)?;
    Some(format!("from {} to {}", there(least), there(most)))
}

/// A value as a place: `at 5 % loss`, `with json/serde-json`, `over tcp`, `on lte`.
fn at(axis: &str, value: &str) -> String {
    let word = match axis {
        "loss" | "rate" => "at",
        "mode" => "over",
        "link" => "on",
        _ => "with",
    };
    format!("{word} {}", value_name(axis, value))
}

/// A title within a sentence: `CPU` keeps its capitals.
fn lower(title: &str) -> String {
    let mut characters = title.chars();
    match (characters.next(), title.chars().nth(1)) {
        (Some(first), Some(second)) if !second.is_uppercase() => {
            first.to_lowercase().chain(characters).collect()
        }
        _ => title.to_owned(),
    }
}

/// The effects grouped by value and reference, in the order given.
pub fn by_question(effects: &[Effect]) -> Vec<Vec<&Effect>> {
    let mut groups: Vec<Vec<&Effect>> = Vec::new();
    for effect in effects {
        let same = |group: &&mut Vec<&Effect>| {
            group.first().is_some_and(|first| {
                (&first.axis, &first.value, &first.instead_of)
                    == (&effect.axis, &effect.value, &effect.instead_of)
            })
        };
        match groups.iter_mut().find(same) {
            Some(group) => group.push(effect),
            None => groups.push(vec![effect]),
        }
    }
    groups
}

/// The question in words: `protobuf/prost instead of json/serde-json`.
pub fn question(effect: &Effect) -> String {
    let Effect { axis, value, instead_of, .. } = effect;
    format!("{} instead of {}", value_name(axis, value), value_name(axis, instead_of))
}

/// The first lines: for codecs, compressions and modes the effects on latency and bytes, or on body and time if no messages were sent; a
/// line for each question.
pub fn headlines(effects: &[Effect]) -> Vec<Sentence> {
    const FIRST: [(&str, &[&str]); 2] =
        [("message", &[LOST, "latency", "wire_per_message"]), ("codec", &["body", "total"])];
    let scope = if effects.iter().any(|effect| effect.scope == "message") { FIRST[0] } else { FIRST[1] };
    let chosen = |effect: &&Effect| {
        let chosen = ["codec", "compression", "mode"].contains(&effect.axis.as_str());
        chosen && effect.scope == scope.0 && scope.1.contains(&effect.metric.as_str())
    };
    let told: Vec<Effect> = effects.iter().filter(chosen).cloned().collect();
    let line = |group: &Vec<&Effect>| {
        let first = group.first()?;
        let value = value_name(&first.axis, &first.value);
        let mut sentence = Sentence::default()
            .strong(value)
            .faint(format!(" instead of {}", value_name(&first.axis, &first.instead_of)))
            .then(": ");
        let mut told_before = false;
        let tells_loss = group.iter().any(|effect| effect.metric == LOST && !lost_nothing(effect));
        for metric in scope.1 {
            let of_metric: Vec<&&Effect> = group.iter().filter(|effect| effect.metric == *metric).collect();
            let Some(title) = of_metric.first().and_then(|effect| title(effect)) else { continue };
            // That nobody loses anything is not worth a line.
            if *metric == LOST && of_metric.iter().all(|effect| lost_nothing(effect)) {
                continue;
            }
            sentence = sentence.then(format!("{}{title} ", if told_before { "; " } else { "" }));
            told_before = true;
            let alike = of_metric.iter().all(|effect| effect.verdict == of_metric[0].verdict);
            let once =
                alike && !of_metric.iter().any(|effect| is_shown(effect) || of_arrived(effect).is_some());
            let told = if once { &of_metric[..1] } else { &of_metric[..] };
            if told.len() > EACH_TOLD {
                sentence = spread(sentence, told);
                continue;
            }
            for (place, effect) in told.iter().enumerate() {
                sentence = sentence.then(if place > 0 { ", " } else { "" });
                sentence = match Conclusion::from(effect.verdict) {
                    Conclusion::Difference => sentence.figure(figure(effect).0, None),
                    open => sentence.then(open.word()).then(in_brackets(dependence(effect))),
                };
                let counts = counts_lost(effect).filter(|_| *metric == LOST && is_shown(effect));
                let arrived = of_arrived(effect)
                    .map(|told| if tells_loss { "of what arrived".to_owned() } else { told });
                sentence = sentence.faint(in_brackets(counts.or(arrived)));
                if told.len() > 1 {
                    sentence = sentence.faint(format!(" ({})", effect.payload));
                }
            }
        }
        Some(sentence.then("."))
    };
    by_question(&told).iter().filter_map(line).collect()
}

/// Payloads whose effects a headline lists one by one.
const EACH_TOLD: usize = 4;

/// The effects on many payloads in few words: from the smallest to the largest that is significant, and how many are not.
fn spread(mut sentence: Sentence, effects: &[&&Effect]) -> Sentence {
    let of = |conclusion: Conclusion| {
        effects.iter().filter(move |effect| Conclusion::from(effect.verdict) == conclusion)
    };
    let real = || of(Conclusion::Difference);
    let least = real().min_by(|a, b| a.estimate.total_cmp(&b.estimate));
    let most = real().max_by(|a, b| a.estimate.total_cmp(&b.estimate));
    let mut place = 0;
    if let (Some(least), Some(most)) = (least, most) {
        sentence = sentence.figure(figure(least).0, None).faint(format!(" ({})", least.payload));
        if most.payload != least.payload {
            sentence =
                sentence.then(" to ").figure(figure(most).0, None).faint(format!(" ({})", most.payload));
        }
        place += 1;
    }
    for open in [Conclusion::NoDifference, Conclusion::NotDecided] {
        let (count, words) = (of(open).count(), open.word());
        if count > 0 {
            let separator = if place > 0 { ", " } else { "" };
            sentence = sentence.then(format!("{separator}{words} for {count} of {} payloads", effects.len()));
            place += 1;
        }
    }
    sentence
}

/// The title of an effect's metric, within a sentence.
fn title(effect: &Effect) -> Option<String> {
    metric_of(effect).map(|metric| lower(&metric.title))
}

/// The row of an effect's metric in the table of metrics.
fn metric_of(effect: &Effect) -> Option<MetricInfo> {
    let scope = if effect.scope == "message" { Scope::Message } else { Scope::Codec };
    metric::find(scope, &effect.metric)
}

/// A sentence for each question: the effects of the value, payload by payload.
pub fn sentences(effects: &[Effect]) -> Vec<Sentence> {
    by_question(effects).iter().map(|group| question_sentence(group)).collect()
}

/// The effects of a question on one payload, each as a clause. Those that are neither real nor of first interest are left out; tables have
/// them.
pub fn clauses(group: &[&Effect], payload: &str) -> Vec<String> {
    let told = |effect: &&&Effect| {
        let is_quiet = || metric_of(effect).is_some_and(|metric| metric.only_where_shown);
        effect.payload == payload && (is_shown(effect) || !is_quiet())
    };
    let tells_loss = group.iter().any(|effect| effect.payload == payload && effect.metric == LOST);
    // Losses are mentioned once.
    let text = |effect: &&Effect| match of_arrived(effect).filter(|_| tells_loss) {
        Some(arrived) => effect.text.replace(&format!(" ({arrived})"), " (of what arrived)"),
        None => effect.text.clone(),
    };
    group.iter().filter(told).map(text).collect()
}

/// The payloads of a question, in the study's order.
pub fn payloads<'a>(group: &[&'a Effect]) -> Vec<&'a str> {
    let mut payloads: Vec<&str> = group.iter().map(|effect| effect.payload.as_str()).collect();
    payloads.dedup();
    payloads
}

fn question_sentence(group: &[&Effect]) -> Sentence {
    let Some(first) = group.first() else { return Sentence::default() };
    let payloads = payloads(group);
    let parts = payloads.iter().map(|payload| {
        let name = if payloads.len() > 1 { format!("{payload}: ") } else { String::new() };
        format!("{name}{}.", clauses(group, payload).join("; "))
    });
    let parts: Vec<String> = parts.collect();
    Sentence::default().strong(question(first)).then(format!(": {}", parts.join(" ")))
}

/// How the effects of a run were determined, in a few sentences.
pub fn method(effects: &[Effect]) -> Option<Sentence> {
    let most = effects.iter().max_by_key(|effect| effect.family)?;
    let repeats = effects.iter().map(|effect| effect.repeats).max().unwrap_or(0);
    Some(Sentence::plain(format!(
        "Each effect compares cells that differ in nothing else, paired by repeat ({repeats} repeats), with equal weight for every \
         combination of the other axes; \"in 11 of 12\" counts the combinations in which the effect has the same direction. Factors \
         are geometric means; points are percentage points. The effects of one axis on one metric are tested together, at most {} \
         here, so that the chance of any false positive is at most 5 % (Holm). Brackets are the intervals of that test. \"No \
         difference over\" names what the interval rules out; \"not decided\": the interval includes differences over {:.0} %, of \
         shares over {:.0} point.",
        most.family,
        (SMALL - 1.0) * 100.0,
        SMALL_SHARE * 100.0
    )))
}
