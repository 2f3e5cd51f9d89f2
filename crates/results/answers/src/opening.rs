//! The first answer of a run, in absolute numbers, and the few figures behind it. One file because the sentences, the figures that they
//! state and the picture come from one selection.
//!
//! The choices are those of [`recommend`], by bytes and time with equal weight and the default needs; if the load is as high as a path
//! carries, by that rate alone, because bytes and times are then those of full queues. Their figures are from one condition, which is named:
//! no message has the mean over conditions. Losses are from the condition that lost most.

use std::collections::BTreeMap;

use wiredyno_contract::LoadKind;
use wiredyno_model::Selection;
use wiredyno_model::metric::{self, Scope};
use wiredyno_model::summary::{RatioInterval, Summary};
use wiredyno_model::trial::Delivery;
use wiredyno_stats::{Level, Proportion};

use crate::conclusion::Conclusion;
use crate::knees;
use crate::quantity;
use crate::recommend::{Need, Recommendation, Weight, recommend};
use crate::sentence::{Sentence, listed};
use crate::things::{Thing, exact_share};

/// Choices in the picture; the others are counted.
const DRAWN: usize = 8;

/// Measures in the picture of a recommendation, besides delivery.
const MEASURES: usize = 4;

/// Names in a sentence; more are counted.
const NAMED: usize = 3;

/// The first answer of a run, with its picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Opening {
    /// The answer, in one to three sentences.
    pub answer: Vec<Sentence>,
    /// How certain that is, in a sentence.
    pub sure: String,
    /// The conclusion of the answer.
    pub conclusion: Conclusion,
    /// The figures of each choice; absent if there are none.
    pub picture: Option<Picture>,
}

/// The choices with their figures, the best first.
#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
    /// The condition of bytes and time; empty if a run has no conditions.
    pub condition: String,
    /// What is drawn, with its unit in the summary.
    pub measures: Vec<Measure>,
    /// The choices that are drawn, in the order of the answer.
    pub choices: Vec<Choice>,
    /// Number of choices that are not drawn.
    pub more: usize,
}

/// A quantity that is drawn for each choice.
#[derive(Debug, Clone, PartialEq)]
pub struct Measure {
    /// The heading of its bars.
    pub title: String,
    /// The unit's name in the summary.
    pub unit: &'static str,
    /// The full length of a share; other bars end at the largest.
    pub whole: Option<f64>,
}

impl Measure {
    /// A metric under its heading; `None` if there is no such metric.
    pub fn of(scope: Scope, name: &str) -> Option<Measure> {
        let info = metric::find(scope, name)?;
        let title = match name {
            "wire_per_message" => "bytes on the wire a message".to_owned(),
            "latency" => "mean latency".to_owned(),
            "sustained_rate" => "highest rate sustained".to_owned(),
            "throughput" => "deliveries a second".to_owned(),
            "total" => "time of all phases".to_owned(),
            "body" => "bytes of the body".to_owned(),
            _ => info.title.to_lowercase().replace("cpu", "CPU"),
        };
        Some(Measure { title, unit: info.unit.name(), whole: None })
    }
}

/// A choice in the picture, with its figures.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// Codec, mode and whatever else a sender can choose.
    pub name: String,
    /// Its place in the answer.
    pub standing: Standing,
    /// A figure for each measure; absent if it was not measured.
    pub figures: Vec<Option<PictureFigure>>,
}

/// The place of a choice in the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It alone is shown to be the best.
    Best,
    /// It can't be distinguished from the best.
    WithBest,
    /// It meets the needs, but the best is shown to be better.
    Behind,
    /// It is not decided whether it meets the needs.
    Undecided,
    /// It is shown to miss a need.
    Misses,
    /// Nothing can be said about it as a whole.
    LeftOut,
}

/// A figure in the picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PictureFigure {
    /// Mean over trials, or a share, in the unit of its measure.
    pub mean: f64,
    /// Its 95 % interval.
    pub interval: Option<[f64; 2]>,
    /// Whether it covers only messages that arrived while others were lost.
    pub of_survivors: bool,
}

/// A sentence of the answer, with the choices that it names. Sentences on losses name modes, those on knees cells.
struct Told {
    sentence: Sentence,
    names: Vec<String>,
}

/// The first answer of a run.
pub fn opening(summary: &Summary) -> Opening {
    let scope = if summary.cells.is_empty() { Scope::Codec } else { Scope::Message };
    let things: Vec<Thing<'_>> =
        Thing::all(summary).into_iter().filter(|thing| thing.scope == scope).collect();
    let kind = summary.study.load.as_ref().map(|load| load.kind);
    let Some(measured) = Measured::of(scope, &things, kind) else { return nothing(summary) };
    let recommended = recommended(summary, &measured);
    let names = names(&measured, recommended.as_ref());
    let first = first(&measured, recommended.as_ref(), &names);
    let ends = measured.ends(&names).into_iter();
    let told: Vec<Told> = match &recommended {
        Some(of) if !of.meet.is_empty() => vec![first],
        // Figures come before what is undecided about them.
        Some(of) if !of.undecided.is_empty() => ends.chain([first]).collect(),
        _ => std::iter::once(first).chain(ends).collect(),
    };
    let named: Vec<&str> = told.iter().flat_map(|told| &told.names).map(String::as_str).collect();
    let picture = measured.picture(&names, &named, recommended.as_ref());
    let mut answer: Vec<Sentence> = told.into_iter().map(|told| told.sentence).collect();
    answer.extend(measured.losses());
    if (1..=NAMED).contains(&summary.knees.len()) {
        answer.extend(summary.knees.iter().map(knees::sentence));
    }
    let (sure, conclusion) = sure(recommended.as_ref(), &names);
    Opening { answer, sure, conclusion, picture: Some(picture) }
}

/// The figures of the choices of a recommendation, the best first: bytes and time, or the rate, then what else was weighed, and delivery.
/// `None` without any figure.
pub fn picture(
    summary: &Summary,
    cells: &Selection,
    weights: &[Weight],
    of: &Recommendation,
) -> Option<Picture> {
    let scope = if summary.cells.is_empty() { Scope::Codec } else { Scope::Message };
    let mut things = Thing::all(summary);
    things.retain(|thing| thing.scope == scope && thing.is_meant(cells));
    let kind = summary.study.load.as_ref().map(|load| load.kind);
    let mut measured = Measured::of(scope, &things, kind)?;
    for metric in weights.iter().flat_map(|weight| &weight.metrics) {
        let has = things.iter().any(|thing| thing.metric(metric).is_some());
        if has && measured.names.len() < MEASURES && !measured.names.contains(metric) {
            measured.names.push(metric.clone());
        }
    }
    let names = names(&measured, Some(of));
    let named: Vec<&str> = of.group.iter().map(String::as_str).collect();
    Some(measured.picture(&names, &named, Some(of)))
}

/// The choices for which the picture has room, in their order: those that the answer has `named`, and the first of the others.
fn drawn<'n>(names: &'n [String], named: &[&str]) -> impl Iterator<Item = &'n String> {
    let is_named = |name: &str| named.contains(&name);
    let named: Vec<usize> = (0..names.len()).filter(|place| is_named(&names[*place])).take(DRAWN).collect();
    let others = (0..names.len()).filter(|place| !named.contains(place));
    let mut places: Vec<usize> = named.iter().copied().chain(others).take(DRAWN).collect();
    places.sort_unstable();
    places.into_iter().map(|place| &names[place])
}

fn nothing(summary: &Summary) -> Opening {
    let trials: u32 = summary
        .cells
        .iter()
        .map(|cell| cell.trials)
        .chain(summary.codecs.iter().map(|codec| codec.trials))
        .sum();
    let why = match trials {
        0 => "no trial was carried out".to_owned(),
        1 => "its only trial is not complete".to_owned(),
        trials => format!("none of its {} trials is complete", quantity::count(u64::from(trials))),
    };
    let sentence = Sentence::default().strong("This run has no figure").then(format!(": {why}."));
    let sure = "Nothing can be concluded about a choice.".to_owned();
    Opening { answer: vec![sentence], sure, conclusion: Conclusion::CantTell, picture: None }
}

/// The recommendation by bytes and time, as far as anything has them.
fn recommended(summary: &Summary, measured: &Measured<'_>) -> Option<Recommendation> {
    let of_messages = measured.scope == Scope::Message;
    let needs = Need::with_default(Vec::new(), of_messages).ok()?;
    let text: Vec<&str> = measured.names.iter().map(String::as_str).collect();
    let weights = Weight::parse(&text.join(","), of_messages).ok()?;
    recommend(summary, &Selection::default(), &needs, &weights).ok()
}

/// All choices, in the order of the answer; those that it does not mention last.
fn names(measured: &Measured<'_>, recommended: Option<&Recommendation>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    if let Some(of) = recommended {
        names.extend(of.meet.iter().map(|scored| scored.candidate.clone()));
        for group in [&of.undecided, &of.miss] {
            let mut group: Vec<&String> = group.iter().map(|missed| &missed.candidate).collect();
            // Without a score, the first measure orders them.
            group.sort_by(|one, other| measured.first(one).total_cmp(&measured.first(other)));
            names.extend(group.into_iter().cloned());
        }
    }
    let others: Vec<String> = measured.things.iter().map(|thing| thing.choice()).collect();
    for other in others {
        if !names.contains(&other) {
            names.push(other);
        }
    }
    names.retain(|name| measured.find(name).is_some());
    names
}

/// The things of a run that have figures, and the conditions of the answer.
struct Measured<'a> {
    scope: Scope,
    things: &'a [Thing<'a>],
    /// Metrics of bytes and time that something has.
    names: Vec<String>,
    condition: String,
    /// Number of conditions of the run.
    conditions: usize,
    /// The condition that lost most; absent if nothing was lost.
    lossy: Option<String>,
}

impl<'a> Measured<'a> {
    fn of(scope: Scope, things: &'a [Thing<'a>], load: Option<LoadKind>) -> Option<Self> {
        let candidates: &[&str] = match (scope, load) {
            (Scope::Message, Some(LoadKind::Search)) => &["sustained_rate"],
            (Scope::Message, Some(LoadKind::Batch)) => &["throughput"],
            (Scope::Message, _) => &["wire_per_message", "latency"],
            (Scope::Codec, _) => &["body", "total"],
        };
        let has = |name: &str| things.iter().any(|thing| thing.metric(name).is_some());
        let mut names: Vec<String> =
            candidates.iter().filter(|name| has(name)).map(ToString::to_string).collect();
        // On loopback no bytes are counted.
        if candidates.contains(&"wire_per_message") && !has("wire_per_message") && has("body") {
            names.insert(0, "body".to_owned());
        }
        let mut by_condition: Vec<(String, Vec<&Thing<'_>>)> = Vec::new();
        for thing in things {
            let condition = thing.condition();
            match by_condition.iter_mut().find(|(known, _)| *known == condition) {
                Some((_, of)) => of.push(thing),
                None => by_condition.push((condition, vec![thing])),
            }
        }
        let most = by_condition.iter().map(|(_, of)| of.len()).max()?;
        let share = |of: &[&Thing<'_>]| {
            let lost: u64 = of.iter().filter_map(|thing| thing.delivery).map(never_arrived).sum();
            let sent: u64 = of.iter().filter_map(|thing| thing.delivery).map(|delivery| delivery.sent).sum();
            lost as f64 / sent.max(1) as f64
        };
        let whole = by_condition.iter().filter(|(_, of)| of.len() == most);
        let (condition, _) = whole.min_by(|(_, one), (_, other)| share(one).total_cmp(&share(other)))?;
        let lossy = by_condition.iter().filter(|(_, of)| share(of) > 0.0);
        // The first of those that lost equally much.
        let lossy = lossy.rev().max_by(|(_, one), (_, other)| share(one).total_cmp(&share(other)));
        let lossy = lossy.map(|(condition, _)| condition.clone());
        Some(Measured {
            scope,
            things,
            names,
            condition: condition.clone(),
            conditions: by_condition.len(),
            lossy,
        })
    }

    fn at(&self, name: &str, condition: &str) -> Option<&'a Thing<'a>> {
        self.things.iter().find(|thing| thing.choice() == name && thing.condition() == condition)
    }

    /// A choice under the picture's condition.
    fn find(&self, name: &str) -> Option<&'a Thing<'a>> {
        self.at(name, &self.condition)
    }

    /// A choice's figure for the first measure, lower being better; infinite if it has none.
    fn first(&self, name: &str) -> f64 {
        let sign = if self.is_of_rate() { -1.0 } else { 1.0 };
        let figure = || Some(sign * self.find(name)?.metric(self.names.first()?)?.mean);
        figure().unwrap_or(f64::INFINITY)
    }

    /// Whether a choice is better than another in some measure under the picture's condition.
    fn is_ahead(&self, one: &str, other: &str) -> bool {
        let of = |name: &str, metric: &str| Some(self.find(name)?.metric(metric)?.mean);
        self.names.iter().any(|metric| {
            let both = of(one, metric).zip(of(other, metric));
            both.is_some_and(|(one, other)| if self.is_of_rate() { one > other } else { one < other })
        })
    }

    /// Of all choices, as many as there is room for, with those that are `named`.
    fn picture(&self, names: &[String], named: &[&str], recommended: Option<&Recommendation>) -> Picture {
        let choices: Vec<Choice> = drawn(names, named).map(|name| self.choice(name, recommended)).collect();
        Picture {
            condition: self.condition.clone(),
            measures: self.measures(),
            more: names.len() - choices.len(),
            choices,
        }
    }

    fn measures(&self) -> Vec<Measure> {
        let mut measures: Vec<Measure> =
            self.names.iter().filter_map(|name| Measure::of(self.scope, name)).collect();
        if self.scope == Scope::Message {
            let at = self.lossy.as_ref().filter(|lossy| **lossy != self.condition);
            let title = at.map_or_else(|| "delivered".to_owned(), |lossy| format!("delivered, {lossy}"));
            measures.push(Measure { title, unit: "ratio", whole: Some(1.0) });
        }
        measures
    }

    fn choice(&self, name: &str, recommended: Option<&Recommendation>) -> Choice {
        let thing = self.find(name);
        let lost_some =
            |thing: &Thing<'_>| thing.delivery.is_some_and(|delivery| never_arrived(delivery) > 0);
        let mut figures: Vec<Option<PictureFigure>> = self
            .names
            .iter()
            .map(|metric| {
                let thing = thing?;
                let figure = thing.metric(metric)?;
                let of_survivors = metric == "latency" && lost_some(thing);
                Some(PictureFigure { mean: figure.mean, interval: figure.interval_95, of_survivors })
            })
            .collect();
        if self.scope == Scope::Message {
            let lossy = self.at(name, self.lossy.as_ref().unwrap_or(&self.condition));
            figures.push(lossy.and_then(missing).map(|lost| {
                let [low, high] = lost.interval_95;
                PictureFigure {
                    mean: 1.0 - lost.ratio,
                    interval: Some([1.0 - high, 1.0 - low]),
                    of_survivors: false,
                }
            }));
        }
        Choice { name: name.to_owned(), standing: standing(name, recommended), figures }
    }

    /// The criterion of the best: `bytes and time together over 4 conditions`.
    fn by(&self) -> String {
        let what = |name: &String| match name.as_str() {
            "latency" | "total" => "time",
            "sustained_rate" | "throughput" => "rate",
            "body" if self.scope == Scope::Message => "bytes of the body",
            _ => "bytes",
        };
        let what: Vec<String> = self.names.iter().map(|name| what(name).to_owned()).collect();
        let over =
            if self.conditions > 1 { format!(" over {} conditions", self.conditions) } else { String::new() };
        let together = if what.len() > 1 { " together" } else { "" };
        format!("{}{together}{over}", listed(&what))
    }

    /// Whether choices are ranked by the rate that they carry.
    fn is_of_rate(&self) -> bool {
        self.names.iter().any(|name| matches!(name.as_str(), "sustained_rate" | "throughput"))
    }

    /// The verb between a choice and its figures.
    fn verb(&self) -> &'static str {
        if self.is_of_rate() { "carries" } else { "takes" }
    }

    /// Adds a choice's figures: `361 B and 59.2 ms a message`.
    fn told(&self, sentence: Sentence, name: &str) -> Sentence {
        self.find(name).map_or(sentence.clone(), |thing| self.told_of(sentence, thing))
    }

    fn told_of(&self, sentence: Sentence, thing: &Thing<'_>) -> Sentence {
        let figures: Vec<_> = self.names.iter().filter_map(|name| thing.metric(name)).collect();
        let mut sentence = sentence;
        for (place, metric) in figures.iter().enumerate() {
            let between = if place == 0 { "" } else { " and " };
            sentence = sentence.then(between).figure(quantity::quantity(metric.mean, &metric.unit), None);
        }
        sentence.then(if self.is_of_rate() { "" } else { " a message" })
    }

    /// For a single choice: its figures where the first of them is the least and, over several conditions, where it is the most.
    fn alone(&self, name: &str) -> Sentence {
        let metric = self.names.first();
        let known: Vec<(f64, &Thing<'_>)> = self
            .things
            .iter()
            .filter(|thing| thing.choice() == name)
            .filter_map(|thing| Some((thing.metric(metric?)?.mean, thing)))
            .collect();
        let place = |thing: &Thing<'_>| match thing.condition() {
            none if none.is_empty() => none,
            condition => format!(" ({condition})"),
        };
        let start = Sentence::default().strong(name).then(format!(" {} ", self.verb()));
        let least = known.iter().min_by(|one, other| one.0.total_cmp(&other.0));
        let most = known.iter().max_by(|one, other| one.0.total_cmp(&other.0));
        let sentence = match (least, most) {
            (Some(least), Some(most)) if least.0 < most.0 => {
                let sentence = self.told_of(start.then("from "), least.1).then(place(least.1)).then(" to ");
                self.told_of(sentence, most.1).then(place(most.1))
            }
            (Some(only), _) => self.told_of(start, only.1).then(place(only.1)),
            _ => self.told(start, name),
        };
        sentence.then(". No other choice was measured.")
    }

    /// The choices with the fewest and most bytes, the least and most time, or the highest and lowest rate, if there is no best to begin
    /// with.
    fn ends(&self, names: &[String]) -> Option<Told> {
        let metric = self.names.first()?;
        let value = |name: &&String| Some(self.find(name)?.metric(metric)?.mean);
        let known: Vec<(&String, f64)> =
            names.iter().filter_map(|name| Some((name, value(&name)?))).collect();
        let (least, of_least) = known.iter().min_by(|(_, one), (_, other)| one.total_cmp(other))?;
        let (most, of_most) = known.iter().max_by(|(_, one), (_, other)| one.total_cmp(other))?;
        if of_least == of_most {
            return None;
        }
        let ((first, one), (second, other)) = match metric.as_str() {
            "latency" | "total" => (("Least time", least), ("most time", most)),
            _ if self.is_of_rate() => (("Highest rate", most), ("lowest rate", least)),
            _ => (("Least bytes", least), ("most bytes", most)),
        };
        let sentence = Sentence::plain(format!("{first}: ")).strong(*one).then(" with ");
        let sentence = self.told(sentence, one).then(format!(", {second}: ")).strong(*other).then(" with ");
        let place = if self.condition.is_empty() { String::new() } else { format!(" ({})", self.condition) };
        let sentence = self.told(sentence, other).then(format!("{place}."));
        Some(Told { sentence, names: vec![(*one).clone(), (*other).clone()] })
    }

    /// The modes that lost nothing, and the one that lost most, under the condition that lost most; or that nothing was lost.
    fn losses(&self) -> Option<Sentence> {
        if self.scope == Scope::Codec {
            return None;
        }
        let Some(lossy) = &self.lossy else {
            let sent = || self.things.iter().filter_map(|thing| thing.delivery).map(|delivery| delivery.sent);
            // The upper bound is that of the combination with the fewest messages.
            let (fewest, all) = (sent().min()?, sent().sum());
            let most = Proportion::new(0, fewest).ok()?.clopper_pearson(Level::P95).high;
            let [all, most] = [quantity::count(all), quantity::quantity(most, "ratio")];
            let told = if sent().count() > 1 {
                format!(": none of {all}; of each combination at most {most}.")
            } else {
                format!(": none of {all}, so at most {most}.")
            };
            return Some(Sentence::default().strong("No message was lost").then(told));
        };
        let mut modes: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
        for thing in self.things.iter().filter(|thing| thing.condition() == *lossy) {
            if let (Some(mode), Some(delivery)) = (thing.value("mode"), thing.delivery) {
                let (lost, sent) = modes.entry(mode).or_default();
                (*lost, *sent) = (*lost + never_arrived(delivery), *sent + delivery.sent);
            }
        }
        let share = |(lost, sent): (u64, u64)| lost as f64 / sent.max(1) as f64;
        let kept: Vec<String> =
            modes.iter().filter(|(_, counts)| counts.0 == 0).map(|(mode, _)| (*mode).to_owned()).collect();
        let sent_kept: u64 = modes.values().filter(|counts| counts.0 == 0).map(|counts| counts.1).sum();
        let (most, counts) =
            modes.iter().max_by(|(_, one), (_, other)| share(**one).total_cmp(&share(**other)))?;
        let start = Sentence::plain(format!("Under {lossy}, "));
        let start = match kept.len() {
            0 => start.then("each mode lost some; "),
            few if few <= NAMED => {
                start.strong(listed(&kept)).then(format!(" lost none of {}, ", quantity::count(sent_kept)))
            }
            many => start
                .strong(format!("{many} of {} modes", modes.len()))
                .then(format!(" lost none of {}, ", quantity::count(sent_kept))),
        };
        let of_most = self
            .things
            .iter()
            .filter(|thing| thing.condition() == *lossy && thing.value("mode") == Some(*most));
        let share = scattered(*counts, of_most)?;
        let most_lost = if kept.is_empty() && modes.len() > 1 { " lost most: " } else { " lost " };
        Some(
            start
                .strong(*most)
                .then(most_lost)
                .figure(
                    format!("{} of {}", quantity::count(counts.0), quantity::count(counts.1)),
                    Some(quantity::ends(share, "ratio")),
                )
                .then("."),
        )
    }
}

/// Messages that were sent and did not arrive: lost, or superseded by a newer one.
fn never_arrived(delivery: Delivery) -> u64 {
    delivery.lost + delivery.superseded
}

/// The interval of a share over several things. Their trials vary more than independent messages by the square of the ratio of interval
/// widths: the number of messages is divided by that.
fn scattered<'a>((lost, sent): (u64, u64), things: impl Iterator<Item = &'a Thing<'a>>) -> Option<[f64; 2]> {
    let wider = |thing: &Thing<'_>| {
        let (delivery, share) = (thing.delivery?, missing(thing)?);
        let independent = exact_share(never_arrived(delivery), delivery.sent)?.interval_95;
        let [own, independent] = [share.interval_95, independent].map(|[low, high]| high - low);
        Some((own / independent).powi(2))
    };
    let fewer = things.filter_map(wider).fold(1.0, f64::max);
    let count = |count: u64| (count as f64 / fewer).round() as u64;
    Some(exact_share(count(lost), count(sent).max(1))?.interval_95)
}

/// The share of messages that did not arrive; superseded ones have no known interval over trials.
fn missing(thing: &Thing<'_>) -> Option<RatioInterval> {
    match thing.delivery.filter(|delivery| delivery.superseded > 0) {
        Some(delivery) => exact_share(never_arrived(delivery), delivery.sent),
        None => thing.lost,
    }
}

fn standing(name: &str, recommended: Option<&Recommendation>) -> Standing {
    let Some(of) = recommended else { return Standing::LeftOut };
    let is_in = |list: &[crate::recommend::Missed]| list.iter().any(|missed| missed.candidate == name);
    if of.choice.as_deref() == Some(name) {
        Standing::Best
    } else if of.group.iter().any(|one| one == name) {
        Standing::WithBest
    } else if of.meet.iter().any(|scored| scored.candidate == name) {
        Standing::Behind
    } else if is_in(&of.undecided) {
        Standing::Undecided
    } else if is_in(&of.miss) {
        Standing::Misses
    } else {
        Standing::LeftOut
    }
}

/// The first sentence: the choice, or those that can't be distinguished, or why there is none.
#[expect(
    clippy::too_many_lines,
    reason = "the sentence of each state of the recommendation, from shared pieces"
)]
fn first(measured: &Measured<'_>, recommended: Option<&Recommendation>, names: &[String]) -> Told {
    let Some(of) = recommended else {
        let why = if measured.is_of_rate() {
            "no choice has a rate"
        } else {
            "no choice has both bytes and a time"
        };
        let sentence = Sentence::plain(format!("Nothing can be concluded: {why}."));
        return Told { sentence, names: Vec::new() };
    };
    let place =
        if measured.condition.is_empty() { String::new() } else { format!(" ({})", measured.condition) };
    if let [only] = names {
        return Told { sentence: measured.alone(only), names: vec![only.clone()] };
    }
    let verb = measured.verb();
    let [best, ..] = of.group.as_slice() else { return without_best(of) };
    // Under the condition that is shown, the order may differ from that over all.
    let is_ahead = |last: &&str| measured.is_ahead(best, last);
    let last =
        of.meet.last().map(|scored| scored.candidate.as_str()).filter(|last| last != best).filter(is_ahead);
    let figures = |sentence: Sentence| {
        let sentence = measured.told(sentence, best);
        let sentence = match last {
            Some(last) => {
                measured.told(sentence.then(", where ").strong(last).then(format!(" {verb} ")), last)
            }
            None => sentence,
        };
        sentence.then(format!("{place}."))
    };
    let by = measured.by();
    // A choice that may still meet the needs may be better than one that is known to.
    let among = if of.undecided.is_empty() { "" } else { ", of those that are shown to lose at most 1 %" };
    let is_alone = of.undecided.is_empty() && !of.miss.is_empty() && measured.scope == Scope::Message;
    let sentence = match (&of.choice, of.meet.len()) {
        (None, _) if of.group.len() == 1 => figures(Sentence::default().strong(best).then(format!(
            " leads by {by} among those that could be judged, and another may be better: it {verb} "
        ))),
        (Some(choice), 1) if is_alone => figures(
            Sentence::default()
                .strong(choice)
                .then(format!(" alone is shown to lose at most 1 % of its messages: it {verb} ")),
        ),
        (Some(choice), _) => figures(
            Sentence::default().strong(choice).then(format!(" is the best by {by}{among}: it {verb} ")),
        ),
        (None, _) => {
            let who = match of.group.len() {
                few if few <= NAMED => listed(&of.group),
                many => format!("{many} of {} choices", names.len()),
            };
            let apart = format!(" can't be told apart by {by}{among}: ");
            figures(Sentence::default().strong(who).then(apart).strong(best).then(format!(" {verb} ")))
        }
    };
    let group = if of.group.len() <= NAMED { of.group.as_slice() } else { &[] };
    let named = group.iter().map(String::as_str).chain([best.as_str()]).chain(last);
    let names = named.map(str::to_owned).collect();
    let sentence = match of.repeats_needed.filter(|_| of.choice.is_none()) {
        Some(repeats) => sentence
            .then(format!(" About {} repeats would tell them apart.", quantity::count(u64::from(repeats)))),
        None => sentence,
    };
    Told { sentence, names }
}

/// Why no choice is known to meet the needs.
fn without_best(of: &Recommendation) -> Told {
    let why = [&of.undecided, &of.miss, &of.left_out].into_iter().find_map(|list| list.first());
    let start = match (of.undecided.is_empty(), of.miss.is_empty()) {
        (false, _) => Sentence::default()
            .strong("Not decided")
            .then(": no choice is shown to lose at most 1 % of its messages yet. "),
        (true, false) => Sentence::default().strong("No choice").then(" loses at most 1 % of its messages. "),
        (true, true) => Sentence::default().strong("Nothing can be concluded").then(" about a choice. "),
    };
    let sentence = match why {
        Some(missed) => start
            .then(format!("{}: ", missed.candidate))
            .then(missed.why.first().cloned().unwrap_or_default())
            .then("."),
        None => start,
    };
    Told { sentence, names: why.iter().map(|missed| missed.candidate.clone()).collect() }
}

/// The certainty of the answer as a sentence, and its conclusion: as long as it is open whether others meet the needs, it is not decided.
fn sure(of: Option<&Recommendation>, names: &[String]) -> (String, Conclusion) {
    let Some(of) = of else {
        return ("Nothing can be concluded about a choice.".to_owned(), Conclusion::CantTell);
    };
    let open = of.undecided.len();
    let others = if open == 1 { "1 choice loses".to_owned() } else { format!("{open} choices lose") };
    let (text, conclusion) = match (&of.choice, of.meet.len()) {
        _ if names.len() == 1 => ("Only one choice was measured.".to_owned(), Conclusion::CantTell),
        _ if open > 0 && of.choice.is_none() => (
            format!("Whether {others} at most 1 % is not decided: more messages would tell."),
            Conclusion::NotDecided,
        ),
        _ if of.choice.is_none() && of.group.len() == 1 => (
            "Not every choice that was measured can be judged: the reasons are in `wiredyno recommend`."
                .to_owned(),
            Conclusion::NotDecided,
        ),
        (Some(_), 1) if !of.miss.is_empty() => {
            ("Every other choice is shown to lose more than 1 %.".to_owned(), of.conclusion)
        }
        (Some(_), _) => {
            ("A test at 95 % distinguishes the best from every other choice.".to_owned(), of.conclusion)
        }
        (None, 0) if of.conclusion == Conclusion::Difference => {
            ("Each choice is shown to lose more than 1 %.".to_owned(), of.conclusion)
        }
        (None, 0) => ("Nothing can be concluded about a choice.".to_owned(), of.conclusion),
        (None, _) => ("Which is the best is not decided: more repeats would tell.".to_owned(), of.conclusion),
    };
    (text, conclusion)
}
