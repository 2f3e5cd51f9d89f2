//! From figures to a choice: what misses a need, who is on the Pareto front of the rest, the weighted sum, and how stable the
//! answer is.
//!
//! A candidate is a codec with its compression, over a mode where messages were sent; it has to do under every condition (payload,
//! link, loss) of the run. Its score is the weighted sum of the logarithms of its ratios to the best, the mean over conditions:
//! with weights 2 and 1, halving the first metric outweighs doubling the second. The lowest score is the choice.
//!
//! How stable the choice is: the repeats are drawn again with replacement, the same for all candidates because repeats are
//! pairs, and the choice is made anew. The share of resamplings in which it stays is not the probability that it is the best, but
//! how little it hangs on single trials (B. Efron and R. J. Tibshirani, "An Introduction to the Bootstrap", 1993).

use std::collections::BTreeMap;

use serde::Serialize;
use wiredyno_model::figure::Statistic;
use wiredyno_model::metric::{Better, Scope};
use wiredyno_model::summary::{CellSummary, Summary};
use wiredyno_model::{Figure, Selection};
use wiredyno_stats::draw::Draws;
use wiredyno_stats::{Level, Proportion};

use crate::quantity;
use crate::things::Thing;

/// Resamplings of the repeats.
pub const RESAMPLES: u32 = 2_000;

/// Below this share of resamplings the choice is called open.
pub const STABLE: f64 = 0.8;

/// A need: a figure and how large, or how small, it may be.
#[derive(Debug, Clone, PartialEq)]
pub struct Need {
    /// The figure.
    pub figure: Figure,
    /// What it must not pass.
    pub limit: f64,
    /// Whether it must not be above it, or not below.
    pub at_most: bool,
    /// As written.
    pub text: String,
}

/// A metric that counts, and how much.
#[derive(Debug, Clone, PartialEq)]
pub struct Weight {
    /// As written: a metric, or one of the short names.
    pub name: String,
    /// Metrics whose sum counts.
    pub metrics: Vec<String>,
    /// Above 0.
    pub weight: f64,
}

/// What is wrong about a need or a weight.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{option} {text}: {problem}")]
pub struct BadOption {
    option: &'static str,
    text: String,
    problem: String,
}

/// Short names of what people weigh, each with the metrics whose sum it is: of messages, and of codecs alone.
const SHORT: [(&str, &[&str], &[&str]); 4] = [
    ("bytes", &["wire_per_message"], &["body"]),
    ("cpu", &["publisher_cpu_per_message", "subscriber_cpu_per_delivery"], &["total"]),
    ("time", &["latency"], &["total"]),
    ("memory", &["publisher_memory", "subscriber_memory"], &["encode_peak", "decode_peak"]),
];

impl Need {
    /// Reads `lost=0`, `latency.p99=200ms`; `at_most` as the option says it.
    ///
    /// # Errors
    /// What is wrong and what to write.
    pub fn parse(option: &'static str, text: &str, at_most: bool) -> Result<Need, BadOption> {
        let bad = |problem: String| BadOption { option, text: text.to_owned(), problem };
        let (figure, limit) = text
            .split_once('=')
            .ok_or_else(|| bad("write a figure, an equals sign and a limit, for example lost=0".into()))?;
        let figure: Figure = figure.parse().map_err(|error| bad(format!("{error}")))?;
        let limit = figure.quantity(limit).map_err(|error| bad(error.to_string()))?;
        Ok(Need { figure, limit, at_most, text: text.to_owned() })
    }
}

impl Weight {
    /// Reads `bytes=2,latency=1`, for a run with messages or without.
    ///
    /// # Errors
    /// What is wrong and what to write.
    pub fn parse(text: &str, messages: bool) -> Result<Vec<Weight>, BadOption> {
        let bad = |problem: String| BadOption { option: "--weigh", text: text.to_owned(), problem };
        let one = |part: &str| {
            let (name, weight) = part.split_once('=').unwrap_or((part, "1"));
            let name = name.trim().to_owned();
            let weight: f64 = weight.trim().parse().unwrap_or(f64::NAN);
            if !(weight > 0.0 && weight.is_finite()) {
                return Err(bad(format!(
                    "the weight of `{name}` must be a number above 0, for example {name}=2"
                )));
            }
            if let Some((_, of_messages, of_codecs)) = SHORT.iter().find(|(short, ..)| *short == name) {
                let metrics = if messages { of_messages } else { of_codecs };
                return Ok(Weight {
                    name,
                    metrics: metrics.iter().map(ToString::to_string).collect(),
                    weight,
                });
            }
            let figure: Figure = name.parse().map_err(|error| bad(format!("{error}")))?;
            if figure.statistic != Statistic::Mean {
                return Err(bad("means over trials are weighed: leave out the part after the point".into()));
            }
            Ok(Weight { name, metrics: vec![figure.metric], weight })
        };
        text.split(',').map(str::trim).filter(|part| !part.is_empty()).map(one).collect()
    }
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Recommendation {
    /// The choice; `None` where nothing is known to meet the needs.
    pub choice: Option<String>,
    /// In how many resamplings of the trials it stays the choice, 0..1.
    pub stays: Option<f64>,
    /// What comes out in the other resamplings, most often first.
    pub else_chosen: Vec<(String, f64)>,
    /// Those that meet all needs, lowest score first.
    pub meet: Vec<Scored>,
    /// Those that miss one.
    pub miss: Vec<Missed>,
    /// Those that can't be told to meet one, or to miss it.
    pub undecided: Vec<Missed>,
    /// Between which weights of each metric, all others kept, the choice stays.
    pub weights: Vec<WeightRange>,
    /// Conditions over which figures are means.
    pub conditions: Vec<String>,
}

/// A candidate that meets all needs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Scored {
    /// Its name.
    pub candidate: String,
    /// The weighted sum; 0 for one that is best at everything.
    pub score: f64,
    /// Of each metric: its ratio to the best, the geometric mean over conditions.
    pub ratios: Vec<(String, f64)>,
    /// Whether no other is at least as good at everything and better at something.
    pub on_front: bool,
    /// What it is known to keep: upper bounds of what did not happen.
    pub notes: Vec<String>,
}

/// A candidate that misses a need, or may.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Missed {
    /// Its name.
    pub candidate: String,
    /// Which need, where, and by how much.
    pub why: Vec<String>,
}

/// The weights of a metric at which the choice flips.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WeightRange {
    /// The metric as it was named.
    pub name: String,
    /// The weight asked for.
    pub weight: f64,
    /// Below this another one is the choice, and which; `None` where none is down to 0.
    pub below: Option<(f64, String)>,
    /// Above this another one is; `None` where none ever is.
    pub above: Option<(f64, String)>,
}

/// A candidate: its things, one a condition.
struct Candidate<'a> {
    name: String,
    things: Vec<&'a Thing<'a>>,
}

/// Whether a need is met.
enum Met {
    Yes(Option<String>),
    No(String),
    Unknown(String),
}

/// Chooses.
///
/// # Errors
/// When there is nothing to choose from, or nobody has a metric that is weighed.
pub fn recommend(
    summary: &Summary,
    cells: &Selection,
    needs: &[Need],
    weights: &[Weight],
    seed: u64,
) -> Result<Recommendation, String> {
    let scope = if summary.cells.is_empty() { Scope::Codec } else { Scope::Message };
    let mut things = Thing::all(summary);
    things.retain(|thing| thing.scope == scope && thing.is_meant(cells));
    let mut conditions: Vec<String> = Vec::new();
    for thing in &things {
        let condition = thing.condition();
        if !conditions.contains(&condition) {
            conditions.push(condition);
        }
    }
    let candidates = candidates(&things, &conditions);
    if candidates.is_empty() {
        return Err(
            "no codec and mode was measured under all these conditions: select fewer with --where".to_owned()
        );
    }
    for weight in weights {
        let known = candidates.iter().any(|candidate| candidate.value(weight, None).is_some());
        if !known {
            let needed = |cell: &CellSummary| {
                weight.metrics.iter().filter_map(|name| cell.needs_messages.get(name)).max().copied()
            };
            let needed = summary.cells.iter().filter_map(needed).max();
            return Err(format!(
                "--weigh {}: nothing in this run has {}{}",
                weight.name,
                weight.metrics.join(" and "),
                needed.map_or_else(String::new, |needed| format!(
                    ": trials would need at least {needed} messages; run the study with more, or leave it out"
                ))
            ));
        }
    }
    let (mut meet, mut miss, mut undecided) = (Vec::new(), Vec::new(), Vec::new());
    for candidate in &candidates {
        let (mut no, mut unknown, mut notes) = (Vec::new(), Vec::new(), Vec::new());
        for need in needs {
            match candidate.meets(need) {
                Met::Yes(note) => notes.extend(note),
                Met::No(why) => no.push(why),
                Met::Unknown(why) => unknown.push(why),
            }
        }
        let lacks = weights.iter().filter(|weight| candidate.value(weight, None).is_none());
        unknown.extend(lacks.map(|weight| format!("{} was not measured", weight.name)));
        let name = candidate.name.clone();
        match (no.is_empty(), unknown.is_empty()) {
            (false, _) => miss.push(Missed { candidate: name, why: no }),
            (true, false) => undecided.push(Missed { candidate: name, why: unknown }),
            (true, true) => meet.push((candidate, notes)),
        }
    }
    let rivals: Vec<&Candidate<'_>> = meet.iter().map(|(candidate, _)| *candidate).collect();
    let scores = scores(&rivals, weights, None);
    let mut scored: Vec<Scored> = meet
        .into_iter()
        .zip(&scores)
        .map(|((candidate, notes), ratios)| Scored {
            candidate: candidate.name.clone(),
            score: weighted(ratios, weights),
            ratios: weights
                .iter()
                .zip(ratios)
                .map(|(weight, log)| (weight.name.clone(), log.exp()))
                .collect(),
            on_front: !scores.iter().any(|other| beats(other, ratios)),
            notes,
        })
        .collect();
    scored.sort_by(|a, b| a.score.total_cmp(&b.score).then_with(|| a.candidate.cmp(&b.candidate)));
    let choice = scored.first().map(|first| first.candidate.clone());
    let mut chosen = resampled(&rivals, weights, seed);
    let stays = choice.as_ref().map(|choice| chosen.remove(choice).unwrap_or(0.0));
    let mut else_chosen: Vec<(String, f64)> = chosen.into_iter().collect();
    else_chosen.sort_by(|a, b| b.1.total_cmp(&a.1));
    let ranges = choice.as_ref().and_then(|choice| {
        let winner = rivals.iter().position(|candidate| candidate.name == *choice)?;
        Some(weight_ranges(&rivals, &scores, weights, winner))
    });
    Ok(Recommendation {
        choice,
        stays,
        else_chosen,
        meet: scored,
        miss,
        undecided,
        weights: ranges.unwrap_or_default(),
        conditions,
    })
}

/// Those that were measured under every condition.
fn candidates<'a>(things: &'a [Thing<'a>], conditions: &[String]) -> Vec<Candidate<'a>> {
    let mut all: Vec<Candidate<'a>> = Vec::new();
    for thing in things {
        let name = thing.choice();
        match all.iter_mut().find(|candidate| candidate.name == name) {
            Some(candidate) => candidate.things.push(thing),
            None => all.push(Candidate { name, things: vec![thing] }),
        }
    }
    all.retain(|candidate| candidate.things.len() == conditions.len());
    all
}

impl Candidate<'_> {
    /// The logarithm of what is weighed, the mean over conditions; with repeats given, of these alone. `None` where some
    /// condition has no figure above 0.
    fn value(&self, weight: &Weight, repeats: Option<&[u32]>) -> Option<f64> {
        let of_thing = |thing: &&Thing<'_>| {
            let one = |metric: &String| {
                let metric = thing.metrics.get(metric)?;
                match repeats {
                    None => Some(metric.mean),
                    Some(repeats) => {
                        let drawn: Vec<f64> = repeats
                            .iter()
                            .filter_map(|repeat| metric.by_repeat.get(repeat).copied())
                            .collect();
                        (!drawn.is_empty()).then(|| drawn.iter().sum::<f64>() / drawn.len() as f64)
                    }
                }
            };
            let sum = weight.metrics.iter().map(one).sum::<Option<f64>>()?;
            (sum > 0.0).then(|| sum.ln())
        };
        let sum = self.things.iter().map(of_thing).sum::<Option<f64>>()?;
        // Of what is better the higher, the reciprocal counts.
        let higher = weight.metrics.first().is_some_and(|name| {
            let found = [Scope::Message, Scope::Codec]
                .into_iter()
                .find_map(|scope| wiredyno_model::metric::find(scope, name));
            found.is_some_and(|metric| metric.better == Better::Higher)
        });
        let mean = sum / self.things.len() as f64;
        Some(if higher { -mean } else { mean })
    }

    /// Whether a need is met under every condition.
    fn meets(&self, need: &Need) -> Met {
        let (mut notes, mut unknown) = (Vec::new(), Vec::new());
        for thing in &self.things {
            match meets(thing, need) {
                Met::Yes(note) => notes.extend(note),
                Met::No(why) => return Met::No(why),
                Met::Unknown(why) => unknown.push(why),
            }
        }
        match unknown.into_iter().next() {
            Some(why) => Met::Unknown(why),
            None => Met::Yes(notes.into_iter().next()),
        }
    }
}

/// Whether a need is met under one condition.
fn meets(thing: &Thing<'_>, need: &Need) -> Met {
    let condition = thing.condition();
    let unit = need.figure.info().map_or("count", |info| info.unit.name());
    let limit = quantity::quantity(need.limit, unit);
    if need.figure.metric == "lost" && need.figure.statistic == Statistic::Mean && need.at_most {
        return lost_at_most(thing, need.limit, &condition);
    }
    let Some(metric) = thing.metrics.get(&need.figure.metric) else {
        return Met::Unknown(format!("{} was not measured ({condition})", need.figure));
    };
    let Some((value, interval)) = need.figure.of(metric) else {
        return Met::Unknown(format!(
            "{} needs 1,000 messages, and there are {} ({condition})",
            need.figure,
            quantity::count(metric.count)
        ));
    };
    let shown = quantity::with_interval(value, interval, unit);
    let beyond = |end: f64| if need.at_most { end > need.limit } else { end < need.limit };
    let word = if need.at_most { "above" } else { "below" };
    let interval = match (interval, need.figure.statistic) {
        (Some(interval), _) => interval,
        // The largest was seen: it needs no interval to have been.
        (None, Statistic::Max) => [value, value],
        (None, _) => {
            return Met::Unknown(format!(
                "{} {shown} has no interval: fewer than five trials ({condition})",
                need.figure
            ));
        }
    };
    let all = interval.into_iter().all(beyond);
    let any = interval.into_iter().any(beyond);
    match (all, any) {
        (true, _) => Met::No(format!("{} {shown} is {word} {limit} ({condition})", need.figure)),
        (false, true) => Met::Unknown(format!("{} {shown} may be {word} {limit} ({condition})", need.figure)),
        (false, false) => Met::Yes(None),
    }
}

/// Lost messages are counted: of a need of none one is too many, and none has an upper bound.
fn lost_at_most(thing: &Thing<'_>, limit: f64, condition: &str) -> Met {
    let Some(delivery) = thing.delivery.filter(|delivery| delivery.sent > 0) else {
        return Met::Unknown(format!("nothing was sent ({condition})"));
    };
    let (lost, sent) = (delivery.lost, delivery.sent);
    let Ok(share) = Proportion::new(lost, sent) else {
        return Met::Unknown(format!("nothing was sent ({condition})"));
    };
    let interval = share.clopper_pearson(Level::P95);
    let counted = format!("lost {} of {} messages", quantity::count(lost), quantity::count(sent));
    let shown = quantity::ends([interval.low, interval.high], "ratio");
    match (lost, limit > 0.0) {
        (0, false) => {
            Met::Yes(Some(format!("{counted}, so at most {}", quantity::quantity(interval.high, "ratio"))))
        }
        (_, false) => Met::No(format!("{counted} ({condition})")),
        (_, true) if interval.low > limit => {
            Met::No(format!("{counted}, {shown}, above {} ({condition})", quantity::percent(limit)))
        }
        (_, true) if interval.high > limit => Met::Unknown(format!(
            "{counted}, {shown}: too few messages to tell from {} ({condition})",
            quantity::percent(limit)
        )),
        (_, true) => Met::Yes(None),
    }
}

/// Of each candidate the logarithm of its ratio to the best, metric by metric.
fn scores(candidates: &[&Candidate<'_>], weights: &[Weight], repeats: Option<&[u32]>) -> Vec<Vec<f64>> {
    let values: Vec<Vec<f64>> = candidates
        .iter()
        .map(|candidate| {
            let value = |weight| candidate.value(weight, repeats).unwrap_or(f64::INFINITY);
            weights.iter().map(value).collect()
        })
        .collect();
    let best = |place: usize| values.iter().map(|of| of[place]).fold(f64::INFINITY, f64::min);
    let best: Vec<f64> = (0..weights.len()).map(best).collect();
    let relative = |of: &Vec<f64>| of.iter().zip(&best).map(|(value, best)| value - best).collect();
    values.iter().map(relative).collect()
}

fn weighted(ratios: &[f64], weights: &[Weight]) -> f64 {
    ratios.iter().zip(weights).map(|(log, weight)| log * weight.weight).sum()
}

/// Whether one is at least as good at everything, and better at something.
fn beats(one: &[f64], other: &[f64]) -> bool {
    let pairs = || one.iter().zip(other);
    pairs().all(|(own, others)| own <= others) && pairs().any(|(own, others)| own < others)
}

/// How often each is the choice when repeats are drawn again.
fn resampled(candidates: &[&Candidate<'_>], weights: &[Weight], seed: u64) -> BTreeMap<String, f64> {
    let mut chosen: BTreeMap<String, u32> = BTreeMap::new();
    let metrics =
        candidates.iter().flat_map(|candidate| &candidate.things).flat_map(|thing| thing.metrics.values());
    let mut repeats: Vec<u32> = metrics.flat_map(|metric| metric.by_repeat.keys().copied()).collect();
    repeats.sort_unstable();
    repeats.dedup();
    if repeats.is_empty() {
        return BTreeMap::new();
    }
    let mut draws = Draws::seeded(seed);
    for _ in 0..RESAMPLES {
        let drawn: Vec<u32> = repeats.iter().map(|_| repeats[draws.index(repeats.len())]).collect();
        let scores = scores(candidates, weights, Some(&drawn));
        let sums = scores.iter().map(|ratios| weighted(ratios, weights));
        let best = sums.enumerate().min_by(|a, b| a.1.total_cmp(&b.1));
        if let Some((place, _)) = best {
            *chosen.entry(candidates[place].name.clone()).or_default() += 1;
        }
    }
    chosen.into_iter().map(|(name, times)| (name, f64::from(times) / f64::from(RESAMPLES))).collect()
}

/// Between which weights the choice stays: against each rival the weight at which both have one score.
fn weight_ranges(
    candidates: &[&Candidate<'_>],
    scores: &[Vec<f64>],
    weights: &[Weight],
    winner: usize,
) -> Vec<WeightRange> {
    let range = |(place, weight): (usize, &Weight)| {
        let mut range =
            WeightRange { name: weight.name.clone(), weight: weight.weight, below: None, above: None };
        for (rival, ratios) in scores.iter().enumerate().filter(|(rival, _)| *rival != winner) {
            let own = scores[winner][place] - ratios[place];
            let rest = weighted(&scores[winner], weights) - weighted(ratios, weights) - own * weight.weight;
            // The winner leads while rest + own * w < 0.
            let at = -rest / own;
            if !at.is_finite() || at <= 0.0 {
                continue;
            }
            let name = candidates[rival].name.clone();
            if own > 0.0 && range.above.as_ref().is_none_or(|(known, _)| at < *known) {
                range.above = Some((at, name));
            } else if own < 0.0 && range.below.as_ref().is_none_or(|(known, _)| at > *known) {
                range.below = Some((at, name));
            }
        }
        range
    };
    weights.iter().enumerate().map(range).collect()
}
