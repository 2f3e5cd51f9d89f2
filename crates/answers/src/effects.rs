//! What one value of an axis does in place of another.
//!
//! Which values are held against which is fixed before anything is looked at, so that there are few questions: the first value
//! of a protocol (of a format) against the study's first, and within a protocol each mode against the one before it (within a
//! format each codec against its first); of the other axes each value against the first. An axis of n values has n - 1 questions.
//! The effects of one axis on one metric, over all payloads, are a family that is judged together.

use std::collections::{BTreeMap, BTreeSet};

use wiredyno_model::metric::{Better, MetricInfo, Scope};
use wiredyno_model::summary::{Effect, EffectAt, EffectScale, EffectVerdict, Metric, Summary};
use wiredyno_model::{Range, axis as known_axis};
use wiredyno_stats::best::Scale;
use wiredyno_stats::contrast::{self, Block, Contrast, Judged};
use wiredyno_stats::{Level, Proportion};

use crate::quantity;
use crate::sentence::Sentence;
use crate::things::{Thing, main_metrics, value_name};

/// Where no difference is shown, one beyond this factor must be ruled out for that to be said; else it is not decided.
const SMALL: f64 = 1.1;

/// An effect that depends on another axis is split only where its values at both ends differ by more than this factor.
const WORTH_SPLITTING: f64 = 1.1;

/// More values of another axis than this are told as a range.
const VALUES_LISTED: usize = 3;

/// Two things that differ in one value.
pub(crate) struct Pair<'a> {
    pub value: &'a Thing<'a>,
    pub instead_of: &'a Thing<'a>,
}

/// One question: what does a value do in place of another, to one metric of one payload?
pub(crate) struct Question<'a> {
    pub axis: String,
    pub value: String,
    pub instead_of: String,
    pub payload: String,
    pub pairs: Vec<Pair<'a>>,
    /// Whether trials of one repeat had the same conditions on both sides.
    pub paired: bool,
}

/// All effects of a run on the metrics of the first screen, axis by axis.
pub fn effects(summary: &Summary) -> Vec<Effect> {
    let things = Thing::all(summary);
    let names = summary.study.axes.names();
    let axes = names.iter().filter(|axis| **axis != "payload");
    let of_axis = |axis: &&str| {
        let questions = Questions::of(summary, &things, axis);
        main_metrics()
            .flat_map(|metric| answer(&questions.for_scope(metric.scope), &metric))
            .collect::<Vec<_>>()
    };
    in_reading_order(axes.flat_map(of_axis).collect())
}

/// Metric by metric they are judged; question by question they are read.
pub(crate) fn in_reading_order(mut effects: Vec<Effect>) -> Vec<Effect> {
    let first: BTreeMap<_, usize> =
        effects.iter().enumerate().rev().map(|(place, effect)| (key(effect), place)).collect();
    effects.sort_by_key(|effect| first.get(&key(effect)).copied());
    effects
}

/// The questions about some values of an axis in place of another.
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
    /// Each value with what it is held against.
    contrasts: Vec<(String, String)>,
}

impl<'a> Questions<'a> {
    fn of(summary: &Summary, things: &'a [Thing<'a>], axis: &'a str) -> Self {
        let present = |value: &String| things.iter().any(|thing| thing.value(axis) == Some(value));
        let mut values = summary.study.axes.values(axis);
        values.retain(present);
        let contrasts = (1..values.len()).filter_map(|place| {
            let reference = if is_of_some_protocols(axis) {
                // Brokers of one protocol stand against each other, values of an option as well.
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

    pub(crate) fn for_scope(&self, scope: Scope) -> Vec<Question<'a>> {
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
                    });
                }
            }
        }
        questions
    }

    fn pairs(&self, scope: Scope, payload: &str, value: &str, instead_of: &str) -> Vec<Pair<'a>> {
        let of = |wanted: &str| {
            let fits = |thing: &&'a Thing<'a>| {
                thing.scope == scope
                    && thing.value("payload") == Some(payload)
                    && thing.value(self.axis) == Some(wanted)
            };
            self.things.iter().filter(fits).collect::<Vec<_>>()
        };
        let (own, others) = (of(value), of(instead_of));
        let protocols = [&own, &others].map(|side| side.first().map(|thing| thing.protocol()));
        // Two protocols have no broker and no option in common: each is taken with the first that the study names for it.
        let across = self.axis == "mode" && protocols[0] != protocols[1];
        let sides = own.iter().chain(&others).flat_map(|thing| &thing.values).map(|(axis, _)| *axis);
        let mut apart: Vec<&str> = sides.filter(|axis| across && is_of_some_protocols(axis)).collect();
        apart.push(self.axis);
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

/// What a value is held against.
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

/// The effects that answer questions for one metric, which is one family.
pub(crate) fn answer(questions: &[Question<'_>], metric: &MetricInfo) -> Vec<Effect> {
    let mut drafts: Vec<Draft<'_>> =
        questions.iter().filter_map(|question| Draft::of(question, metric)).collect();
    let family: Vec<Contrast> = drafts.iter().filter_map(|draft| draft.contrast.clone()).collect();
    let mut judged = contrast::judge(&family, Level::P95, SMALL.ln()).into_iter();
    for draft in &mut drafts {
        draft.judged = draft.contrast.as_ref().and_then(|_| judged.next());
    }
    split(&mut drafts);
    drafts.iter().map(|draft| draft.effect(family.len())).collect()
}

/// An effect in the making.
struct Draft<'a> {
    question: &'a Question<'a>,
    metric: &'a MetricInfo,
    /// The pairs that have the metric, and their blocks.
    pairs: Vec<&'a Pair<'a>>,
    blocks: Vec<Block>,
    scale: Scale,
    contrast: Option<Contrast>,
    judged: Option<Judged>,
    depends_on: Vec<EffectAt>,
}

impl<'a> Draft<'a> {
    fn of(question: &'a Question<'a>, metric: &'a MetricInfo) -> Option<Draft<'a>> {
        // What is known of a part of the messages alone may be just the part that says nothing.
        let values = |thing: &Thing<'_>| {
            let metric = thing.metrics.get(&metric.name).filter(|metric| metric.is_covered())?;
            Some(metric.by_repeat.clone())
        };
        let block = |pair: &'a Pair<'a>| {
            let block = Block { value: values(pair.value)?, instead_of: values(pair.instead_of)? };
            Some((pair, block))
        };
        let (pairs, blocks): (Vec<_>, Vec<_>) = question.pairs.iter().filter_map(block).unzip();
        if blocks.is_empty() {
            return None;
        }
        // A share is read in percentage points: nothing lost has no logarithm, and twice as much of nearly nothing no meaning.
        let scale = match metric.range {
            Range::Positive => contrast::scale_of(&blocks),
            Range::Share | Range::Signed => Scale::Values,
        };
        let compare = if question.paired { contrast::contrast } else { contrast::independent };
        let contrast = compare(&blocks, scale, Level::P95).ok();
        Some(Draft { question, metric, pairs, blocks, scale, contrast, judged: None, depends_on: Vec::new() })
    }

    /// The effect on the scale of the comparison; `None` where nothing can be compared.
    fn estimate(&self) -> Option<f64> {
        match &self.contrast {
            Some(contrast) => Some(contrast.test.difference),
            None => contrast::without_interval(&self.blocks, self.scale),
        }
    }

    fn back(&self, value: f64) -> f64 {
        if self.scale == Scale::Logarithms { value.exp() } else { value }
    }

    /// The means of both sides in each pair.
    fn sides(&self) -> Vec<[f64; 2]> {
        let mean =
            |thing: &Thing<'_>| thing.metrics.get(&self.metric.name).map(|metric: &Metric| metric.mean);
        let both = |pair: &&Pair<'_>| Some([mean(pair.instead_of)?, mean(pair.value)?]);
        self.pairs.iter().filter_map(both).collect()
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
        let Some(judged) = self.judged else { return EffectVerdict::NoInterval };
        let [low, high] = [judged.interval.low, judged.interval.high];
        if !judged.real {
            let small = match self.scale {
                Scale::Logarithms => SMALL.ln(),
                // Of a share, a percentage point; of other differences, as much of the mean.
                Scale::Values if self.metric.range == Range::Share => SMALL - 1.0,
                Scale::Values => (SMALL - 1.0) * self.means()[0].abs(),
            };
            return if low >= -small && high <= small {
                EffectVerdict::NoDifference
            } else {
                EffectVerdict::Undecided
            };
        }
        match (self.metric.better, low > 0.0) {
            (Better::Higher, true) | (Better::Lower, false) => EffectVerdict::Better,
            (Better::Neither | Better::Higher, _) | (Better::Lower, true) => EffectVerdict::Worse,
        }
    }

    fn effect(&self, family: usize) -> Effect {
        let question = self.question;
        let estimate = self.estimate().unwrap_or(0.0);
        let blocks = self.contrast.as_ref().map(|contrast| contrast.blocks.clone()).unwrap_or_default();
        let of_block: Vec<f64> = blocks.into_iter().flatten().collect();
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
            interval: self
                .judged
                .map(|judged| [judged.interval.low, judged.interval.high].map(|end| self.back(end))),
            verdict: self.verdict(),
            means: self.means(),
            difference: self.difference(),
            combinations: if of_block.is_empty() { self.blocks.len() } else { of_block.len() } as u32,
            same_direction: same as u32,
            repeats: self.contrast.as_ref().map_or(0, |contrast| contrast.repeats as u32),
            family: family as u32,
            smallest_found: self
                .judged
                .and_then(|judged| judged.smallest_found)
                .map(|found| self.back(found)),
            repeats_needed: self
                .judged
                .filter(|_| self.scale == Scale::Logarithms)
                .and_then(|judged| judged.repeats_needed.map(|repeats| repeats as u32)),
            depends_on: self.depends_on.clone(),
            text: String::new(),
        };
        if let Some(sent) = self.never_lost() {
            let most = Proportion::new(0, sent).map_or(1.0, |none| none.clopper_pearson(Level::P95).high);
            effect.interval = effect.interval.map(|_| [-most, most]);
            effect.verdict = if most < SMALL - 1.0 { effect.verdict } else { EffectVerdict::Undecided };
        }
        effect.text = clause(&effect, self.metric).to_plain();
        effect
    }

    /// How many messages each side sent at least, where it is about lost ones and neither lost any. Trials that all lost nothing
    /// scatter by nothing, and their number bounds what may be lost all the same.
    fn never_lost(&self) -> Option<u64> {
        if self.metric.name != "lost" {
            return None;
        }
        let sum = |thing: fn(&Pair<'a>) -> &'a Thing<'a>| {
            let all = self.pairs.iter().filter_map(|pair| thing(pair).delivery);
            all.fold((0, 0), |(sent, lost), delivery| (sent + delivery.sent, lost + delivery.lost))
        };
        let [(sent, lost), (other_sent, other_lost)] = [sum(|pair| pair.value), sum(|pair| pair.instead_of)];
        (lost + other_lost == 0 && sent + other_sent > 0).then_some(sent.min(other_sent))
    }
}

/// One test of whether an effect depends on another axis: the draft, the axis, its value, and the test's p-value.
struct Dependence<'a> {
    draft: usize,
    axis: &'a str,
    p_value: f64,
}

/// Finds out on which other axis each effect depends, if on any; all these tests are a family, too.
fn split<'a>(drafts: &mut [Draft<'a>]) {
    let mut tests = Vec::new();
    for (place, draft) in drafts.iter().enumerate() {
        if draft.contrast.is_none() || !draft.question.paired {
            continue;
        }
        for axis in draft.axes().into_iter().filter(|axis| *axis != draft.question.axis && *axis != "payload")
        {
            let values = draft.values_of(axis);
            if values.len() < 2 {
                continue;
            }
            // Two values are one question; of more, each stands against all others.
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
        let at = drafts[place].at_values_of(axis);
        if drafts[place].is_worth_splitting(&at) {
            drafts[place].depends_on = at;
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

    fn at_values_of(&self, axis: &str) -> Vec<EffectAt> {
        let at = |value: String| {
            let (own, _) = self.parted(axis, &value);
            let contrast = contrast::contrast(&own, self.scale, Level::P95).ok()?;
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
    let sentence = match effect.verdict {
        EffectVerdict::NoDifference => {
            if same(effect) {
                return sentence.then(": the same");
            }
            let sentence = sentence.then(": no difference over ");
            return sentence.strong(bound(effect)).then(in_brackets(dependence(effect)));
        }
        EffectVerdict::Undecided => sentence.then(": not decided, "),
        EffectVerdict::Better | EffectVerdict::Worse | EffectVerdict::NoInterval => sentence.then(" "),
    };
    let (main, interval) = figure(effect);
    let amount = amount(effect).map(|amount| format!(" ({amount})")).unwrap_or_default();
    let sentence = sentence.figure(main, interval).then(amount);
    let sentence = match effect.verdict {
        EffectVerdict::NoInterval => sentence.then(" (no interval: fewer than five repeats)"),
        EffectVerdict::Undecided => sentence.then(in_brackets(needed(effect))),
        _ if effect.combinations > 1 => {
            sentence.faint(format!(" in {} of {}", effect.same_direction, effect.combinations))
        }
        _ => sentence,
    };
    sentence.then(in_brackets(dependence(effect)))
}

fn in_brackets(text: Option<String>) -> String {
    text.map(|text| format!(" ({text})")).unwrap_or_default()
}

/// Whether it is about lost messages, and neither side lost any.
pub fn lost_nothing(effect: &Effect) -> bool {
    effect.metric == "lost" && effect.means == [0.0, 0.0]
}

/// Whether every repeat says the same of both sides, to the last digit.
pub fn same(effect: &Effect) -> bool {
    effect.interval.is_some_and(|[low, high]| low == high)
}

/// `× 0.70` and `[0.55, 0.91]`; of differences `+3.1 %`.
pub fn figure(effect: &Effect) -> (String, Option<String>) {
    match effect.scale {
        EffectScale::Factor => factor(effect.estimate, effect.interval),
        EffectScale::Difference => difference(effect.estimate, effect.interval, &effect.unit),
    }
}

/// `+9.2 points [4.0, 14.4]`: of shares in percentage points.
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

/// The largest difference that the interval leaves room for: `1.2 %`.
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

/// Up to two significant digits, so that what is ruled out is.
fn round_up(share: f64) -> f64 {
    if share <= 0.0 {
        return 0.0;
    }
    let step = 10f64.powi(share.log10().floor() as i32 - 1);
    (share / step - 1e-9).ceil() * step
}

/// `14 repeats would show 10 %`.
pub fn needed(effect: &Effect) -> Option<String> {
    let repeats = effect.repeats_needed?;
    Some(format!("{} repeats would show 10 %", quantity::count(u64::from(repeats))))
}

/// `393 B more`: of bytes, which people add up.
pub fn amount(effect: &Effect) -> Option<String> {
    let told =
        effect.unit == "bytes" && effect.scale == EffectScale::Factor && effect.difference.abs() >= 0.5;
    let word = if effect.difference > 0.0 { "more" } else { "less" };
    told.then(|| format!("{} {word}", quantity::quantity(effect.difference.abs().round(), "bytes")))
}

/// Where an effect depends on another axis: `shown only at 5 % loss: × 0.41 [0.3, 0.6]`, `× 0.41 [0.3, 0.6] at 5 % loss, × 0.80
/// [0.7, 0.9] at 0 % loss`.
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

/// `at 5 % loss`, `with json/serde-json`, `over tcp`, `on lte`.
fn at(axis: &str, value: &str) -> String {
    let word = match axis {
        "loss" | "rate" => "at",
        "mode" => "over",
        "link" => "on",
        _ => "with",
    };
    format!("{word} {}", value_name(axis, value))
}

/// A title in the middle of a sentence: `CPU` stays.
fn lower(title: &str) -> String {
    let mut characters = title.chars();
    match (characters.next(), title.chars().nth(1)) {
        (Some(first), Some(second)) if !second.is_uppercase() => {
            first.to_lowercase().chain(characters).collect()
        }
        _ => title.to_owned(),
    }
}

/// The effects of one value in place of another, in the order given.
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

/// What is asked: `protobuf/prost instead of json/serde-json`.
pub fn question(effect: &Effect) -> String {
    let Effect { axis, value, instead_of, .. } = effect;
    format!("{} instead of {}", value_name(axis, value), value_name(axis, instead_of))
}

/// What is read first: of codecs, compressions and modes what each does to latency and bytes, or to body and time where no messages
/// were sent; a line a question.
pub fn headlines(effects: &[Effect]) -> Vec<Sentence> {
    const FIRST: [(&str, [&str; 2]); 2] =
        [("message", ["latency", "wire_per_message"]), ("codec", ["body", "total"])];
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
        for (place, metric) in scope.1.iter().enumerate() {
            let of_metric: Vec<&&Effect> = group.iter().filter(|effect| effect.metric == *metric).collect();
            let Some(title) = of_metric.first().and_then(|effect| title(effect)) else { continue };
            sentence = sentence.then(format!("{}{title} ", if place > 0 { "; " } else { "" }));
            let real =
                |effect: &&&Effect| matches!(effect.verdict, EffectVerdict::Better | EffectVerdict::Worse);
            let alike = of_metric.iter().all(|effect| effect.verdict == of_metric[0].verdict);
            let once = alike && !of_metric.iter().any(real);
            let told = if once { &of_metric[..1] } else { &of_metric[..] };
            if told.len() > EACH_TOLD {
                sentence = spread(sentence, told);
                continue;
            }
            for (place, effect) in told.iter().enumerate() {
                sentence = sentence.then(if place > 0 { ", " } else { "" });
                sentence = match effect.verdict {
                    EffectVerdict::Better | EffectVerdict::Worse => sentence.figure(figure(effect).0, None),
                    EffectVerdict::NoDifference => sentence.then("no difference"),
                    EffectVerdict::Undecided => sentence.then("not decided"),
                    EffectVerdict::NoInterval => sentence.then("no interval"),
                };
                if told.len() > 1 {
                    sentence = sentence.faint(format!(" ({})", effect.payload));
                }
            }
        }
        Some(sentence.then("."))
    };
    by_question(&told).iter().filter_map(line).collect()
}

/// Payloads whose effects a headline tells one by one.
const EACH_TOLD: usize = 4;

/// The effects on many payloads in few words: from the smallest to the largest that is significant, and how many are not.
fn spread(mut sentence: Sentence, effects: &[&&Effect]) -> Sentence {
    let of = |verdict: EffectVerdict| effects.iter().filter(move |effect| effect.verdict == verdict);
    let real = || of(EffectVerdict::Better).chain(of(EffectVerdict::Worse));
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
    for (verdict, words) in [
        (EffectVerdict::NoDifference, "no difference"),
        (EffectVerdict::Undecided, "not decided"),
        (EffectVerdict::NoInterval, "no interval"),
    ] {
        let count = of(verdict).count();
        if count > 0 {
            let separator = if place > 0 { ", " } else { "" };
            sentence = sentence.then(format!("{separator}{words} for {count} of {} payloads", effects.len()));
            place += 1;
        }
    }
    sentence
}

/// What the table of metrics calls an effect's metric, in the middle of a sentence.
fn title(effect: &Effect) -> Option<String> {
    let scope = if effect.scope == "message" { Scope::Message } else { Scope::Codec };
    wiredyno_model::metric::find(scope, &effect.metric).map(|metric| lower(&metric.title))
}

/// One sentence a question: what the value does, payload by payload.
pub fn sentences(effects: &[Effect]) -> Vec<Sentence> {
    by_question(effects).iter().map(|group| question_sentence(group)).collect()
}

/// What a question's effects on one payload are, each in its words. What is neither real nor of first interest is left out:
/// tables have it.
pub fn clauses(group: &[&Effect], payload: &str) -> Vec<String> {
    let told = |effect: &&&Effect| {
        let real = matches!(effect.verdict, EffectVerdict::Better | EffectVerdict::Worse);
        effect.payload == payload && (real || !effect.metric.ends_with("_cpu_per_message"))
    };
    group.iter().filter(told).map(|effect| effect.text.clone()).collect()
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

/// How the effects of a run were found, in a few sentences.
pub fn method(effects: &[Effect]) -> Option<Sentence> {
    let most = effects.iter().max_by_key(|effect| effect.family)?;
    let repeats = effects.iter().map(|effect| effect.repeats).max().unwrap_or(0);
    Some(Sentence::plain(format!(
        "Each effect compares cells that differ in nothing else, paired by repeat ({repeats} repeats), with equal weight for every \
         combination of the other axes; \"in 11 of 12\" counts the combinations in which the effect has the same direction. Factors \
         are geometric means; points are percentage points. The effects of one axis on one metric are tested together, at most {} \
         here, so that the chance of any false positive is at most 5 % (Holm). Brackets are the intervals of that test. \"No \
         difference over\" names what the interval rules out; \"not decided\": the interval includes differences over {:.0} %.",
        most.family,
        (SMALL - 1.0) * 100.0
    )))
}
