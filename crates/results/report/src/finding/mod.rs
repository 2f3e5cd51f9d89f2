//! The best, metric by metric and condition by condition, in sentences. There is no overall winner: the reader decides what a byte is
//! worth compared with a millisecond.
//!
//! One file because the sentences about a best are put together from the same pieces.

mod condition;

use std::collections::BTreeSet;

use wiredyno_contract::PayloadId;
use wiredyno_model::summary::{CellSummary, CodecSummary, RatioInterval, Summary};
use wiredyno_stats::{Level, Proportion};

use crate::metric::{Better, MetricInfo, Scope, capitalised, ranked};
use crate::quantity;
use crate::ranking::{self, Candidate, Ranking, codec_candidates, delivered, message_candidates, rank};
use crate::sentence::{Sentence, listed};

pub use self::condition::Condition;

/// More names than this are counted instead of listed.
const NAMES_LISTED: usize = 6;

/// The best candidates at one metric.
#[derive(Debug, Clone)]
pub struct Finding {
    pub metric: MetricInfo,
    /// One for each condition.
    pub answers: Vec<Answer>,
}

/// The best at one metric under one condition.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The condition: `small, lte, 5 % loss`.
    pub condition: String,
    /// The best candidate, with the interval and the ties.
    pub sentence: Sentence,
    /// The distribution of all candidates.
    pub spread: Spread,
}

/// The means of an answer's candidates.
#[derive(Debug, Clone, Default)]
pub struct Spread {
    /// Means of all candidates, the best first.
    pub means: Vec<f64>,
    /// How many of them, from the first on, are the best or tie with it.
    pub tied: usize,
}

/// All findings, in the order of the metric table; metrics that no cell has are left out.
pub fn findings(summary: &Summary) -> Vec<Finding> {
    let metrics = ranked(Scope::Message).chain(ranked(Scope::Codec));
    let findings = metrics.map(|metric| {
        let answers = match metric.scope {
            Scope::Message if metric.name == "lost" => lost_answers(summary),
            Scope::Message => message_answers(summary, &metric),
            Scope::Codec => codec_answers(summary, &metric),
        };
        Finding { metric, answers }
    });
    findings.filter(|finding| !finding.answers.is_empty()).collect()
}

/// Indices in [`Summary::cells`] of the best at a metric under each condition and of those that can't be distinguished from it, among
/// cells that miss at most 1 % of their messages; none if all are alike.
pub fn best_cells(summary: &Summary, metric: &MetricInfo) -> BTreeSet<usize> {
    let of_condition = |condition: Condition| {
        let cells = condition.cells(summary).filter(|cell| delivered(cell));
        let best = leaders(message_candidates(cells, &metric.name), metric.better);
        let is_it =
            |cell: &CellSummary| best.iter().any(|one| one.cell.is_some_and(|of| std::ptr::eq(of, cell)));
        let places = summary.cells.iter().enumerate().filter(|(_, cell)| is_it(cell));
        places.map(|(place, _)| place).collect::<Vec<_>>()
    };
    Condition::of_rankings(summary).into_iter().flat_map(of_condition).collect()
}

/// The same for [`Summary::codecs`], payload by payload.
pub fn best_codecs(summary: &Summary, metric: &MetricInfo) -> BTreeSet<usize> {
    let of_payload = |payload: &PayloadId| {
        let is_of = |codec: &CodecSummary| codec.axes.payload == *payload;
        let candidates = codec_candidates(summary.codecs.iter().filter(|codec| is_of(codec)), &metric.name);
        let best: Vec<String> = leaders(candidates, metric.better).into_iter().map(|one| one.codec).collect();
        let places = summary.codecs.iter().enumerate();
        let places = places.filter(|(_, codec)| is_of(codec) && best.contains(&codec.axes.coding()));
        places.map(|(place, _)| place).collect::<Vec<_>>()
    };
    ranking::payloads(summary).into_iter().flat_map(of_payload).collect()
}

fn leaders(candidates: Vec<Candidate<'_>>, better: Better) -> Vec<Candidate<'_>> {
    let ranking =
        rank(candidates, better).filter(|ranking| better != Better::Neither && !ranking.behind.is_empty());
    ranking.map_or_else(Vec::new, |ranking| {
        std::iter::once(ranking.best).chain(ranking.ties).chain(ranking.untested).collect()
    })
}

fn message_answers(summary: &Summary, metric: &MetricInfo) -> Vec<Answer> {
    let answer = |condition: &Condition| {
        let candidates = message_candidates(condition.cells(summary), &metric.name);
        let answer = answer(condition.name(), candidates, metric.better)?;
        Some(beside_withheld(answer, condition.cells(summary), metric))
    };
    Condition::of_rankings(summary).iter().filter_map(answer).collect()
}

/// Adds candidates whose metric is withheld: the less a candidate takes, the sooner its figure is withheld.
fn beside_withheld<'a>(
    answer: Answer,
    cells: impl Iterator<Item = &'a CellSummary>,
    metric: &MetricInfo,
) -> Answer {
    let higher = metric.better == Better::Higher;
    let better = |a: f64, b: f64| if higher { a > b } else { a < b };
    let word = if higher { "at least" } else { "at most" };
    let (mut ahead, mut others) = (Vec::new(), Vec::new());
    let cells: Vec<&CellSummary> = cells.filter(|cell| delivered(cell)).collect();
    // The better end of each known interval.
    let told: Vec<f64> = cells
        .iter()
        .filter_map(|cell| cell.told(&metric.name))
        .map(|told| told.interval_95.map_or(told.mean, |[low, high]| if higher { high } else { low }))
        .collect();
    for cell in cells {
        let Some(withheld) = cell.withheld.get(&metric.name) else { continue };
        let name = format!("{} over {}", cell.axes.coding(), cell.axes.sending());
        let bound = |bound: f64| format!("{name} ({word} {})", quantity::quantity(bound, metric.unit.name()));
        match withheld.bound {
            Some(at_best) if told.iter().all(|end| better(at_best, *end)) => {
                ahead.push(bound(at_best));
            }
            at_best => others.push(at_best.map_or_else(|| name.clone(), bound)),
        }
    }
    let mut sentence = answer.sentence;
    if !ahead.is_empty() {
        let (verb, figure) =
            if ahead.len() == 1 { ("is", "own figure is") } else { ("are", "own figures are") };
        let all = listed(&ahead);
        sentence = sentence.then(format!(" Better than these {verb} {all}, whose {figure} withheld."));
    }
    if !others.is_empty() {
        sentence = sentence.then(format!(" Withheld, and so not compared: {}.", listed(&others)));
    }
    Answer { sentence, ..answer }
}

fn codec_answers(summary: &Summary, metric: &MetricInfo) -> Vec<Answer> {
    let answer = |payload: &&wiredyno_contract::PayloadId| {
        let of_payload = summary.codecs.iter().filter(|codec| codec.axes.payload == **payload);
        answer(payload.to_string(), codec_candidates(of_payload, &metric.name), metric.better)
    };
    ranking::payloads(summary).iter().filter_map(answer).collect()
}

/// The best among candidates that miss at most 1 % of their messages. A mode that loses more has no latency for lost messages and sends no
/// acknowledgements for them: it is ranked only if all lose more.
fn answer(condition: String, candidates: Vec<Candidate>, better: Better) -> Option<Answer> {
    let (complete, lossy): (Vec<Candidate>, Vec<Candidate>) =
        candidates.into_iter().partition(Candidate::delivered);
    let (ranking, lossy) = match rank(complete, better) {
        Some(ranking) => (ranking, rank(lossy, better)),
        None => (rank(lossy, better)?, None),
    };
    let tied = 1 + ranking.ties.len() + ranking.untested.len();
    let means = ranking.candidates().chain(lossy.iter().flat_map(Ranking::candidates));
    let spread = Spread { means: means.map(|candidate| candidate.metric.mean).collect(), tied };
    let sentence = match ranking.best.delivered() {
        true => beside(best_sentence(&ranking), &ranking, lossy.as_ref()),
        false => of_what_arrived(best_sentence(&ranking), &ranking),
    };
    Some(Answer { condition, sentence, spread })
}

/// The best candidate, and its lead.
fn best_sentence(ranking: &Ranking) -> Sentence {
    let best = &ranking.best;
    let alone = ranking.len() == 1;
    let sentence = match best.metric.interval_95 {
        None => without_interval(ranking),
        Some(_) if alone => figure(
            Sentence::default().strong(best.name()).then(", the only one with a figure to compare: "),
            best,
        ),
        Some(_) if ranking.behind.is_empty() && ranking.untested.is_empty() => no_difference(ranking),
        Some(_) => with_ties(figure(Sentence::default().strong(best.name()).then(": "), best), ranking),
    };
    match ranking.behind.first() {
        Some(next) if best.metric.interval_95.is_some() => {
            sentence.then(format!(". Next {}, ", next.name())).faint(quantity::mean(next.metric)).then(".")
        }
        _ => sentence.then("."),
    }
}

/// Adds candidates with a better figure that did not deliver enough.
fn beside(sentence: Sentence, ranking: &Ranking, lossy: Option<&Ranking>) -> Sentence {
    let Some(lossy) = lossy else { return sentence };
    let (higher, best) = (ranking.better == Better::Higher, ranking.best.metric.mean);
    let is_better = |mean: f64| if higher { mean > best } else { mean < best };
    let ahead: Vec<Candidate> =
        lossy.candidates().filter(|candidate| is_better(candidate.metric.mean)).cloned().collect();
    let Some(first) = ahead.first() else { return sentence };
    let word = if higher { "higher" } else { "lower" };
    let figure = quantity::mean(first.metric);
    sentence.then(match ahead.as_slice() {
        [only] => format!(
            " {} measured {word}, {figure}, but {} of its messages are missing.",
            only.name(),
            missing(&ahead)
        ),
        several => format!(
            " {} measured {word}, from {figure} on, but are missing messages ({}).",
            names(several),
            missing(several)
        ),
    })
}

/// Adds how many messages are missing, if all miss more.
fn of_what_arrived(sentence: Sentence, ranking: &Ranking) -> Sentence {
    let all: Vec<Candidate> = ranking.candidates().cloned().collect();
    sentence.then(format!(" All are missing more than 1 % of their messages: {}.", missing(&all)))
}

fn without_interval(ranking: &Ranking) -> Sentence {
    let best = &ranking.best;
    let value = quantity::quantity(best.metric.mean, &best.metric.unit);
    let sentence = Sentence::plain(format!("{} measured: ", capitalised(extreme(ranking))))
        .strong(best.name())
        .then(", ")
        .figure(value, None);
    sentence.then("; no interval (fewer than five valid trials), so no order is claimed")
}

/// The direction in which the best one's figure differs from the others.
fn extreme(ranking: &Ranking) -> &'static str {
    if ranking.better == Better::Higher { "highest" } else { "lowest" }
}

fn no_difference(ranking: &Ranking) -> Sentence {
    let last = ranking.ties.last().unwrap_or(&ranking.best);
    let unit = &ranking.best.metric.unit;
    let ends = [&ranking.best, last].map(|candidate| quantity::quantity(candidate.metric.mean, unit));
    let range = if ends[0] == ends[1] { ends[0].clone() } else { format!("{} to {}", ends[0], ends[1]) };
    let all = if ranking.len() == 2 { "both tie".to_owned() } else { format!("all {} tie", ranking.len()) };
    let sentence = Sentence::plain("No significant difference: ")
        .strong(all)
        .then(format!(", {range}; {} mean ", extreme(ranking)));
    figure(sentence.then(ranking.best.name()).then(" "), &ranking.best)
}

fn with_ties(sentence: Sentence, ranking: &Ranking) -> Sentence {
    let sentence = match ranking.ties.as_slice() {
        [] => sentence,
        ties => sentence.then(", tied with ").strong(names(ties)),
    };
    match ranking.untested.as_slice() {
        [] => sentence,
        untested => sentence
            .then(format!("; {} measured about as good or better, but without an interval", names(untested))),
    }
}

fn figure(sentence: Sentence, candidate: &Candidate) -> Sentence {
    let metric = candidate.metric;
    let (main, interval) = quantity::apart(metric.mean, metric.interval_95, &metric.unit);
    sentence.figure(main, interval)
}

/// The shares that these are missing, from the least to the most: `10 % [3.3, 21.8]`, `2 % [1, 4] to 10 % [3.3, 21.8]`.
fn missing(lossy: &[Candidate]) -> String {
    let mut missing: Vec<RatioInterval> = lossy.iter().filter_map(missing_share).collect();
    missing.sort_by(|a, b| a.ratio.total_cmp(&b.ratio));
    let words =
        |share: &RatioInterval| quantity::with_interval(share.ratio, Some(share.interval_95), "ratio");
    match (missing.first(), missing.last()) {
        (Some(least), Some(most)) if least.ratio < most.ratio => {
            format!("{} to {}", words(least), words(most))
        }
        (_, Some(most)) => words(most),
        _ => "some".to_owned(),
    }
}

/// Share of sent messages that were not delivered. If some were superseded their interval over trials is not known: then it is the exact
/// one, which assumes independent messages.
fn missing_share(candidate: &Candidate) -> Option<RatioInterval> {
    let cell = candidate.cell?;
    let delivery = cell.delivery;
    if delivery.superseded == 0 {
        return cell.lost_ratio;
    }
    let missing = delivery.sent.saturating_sub(delivery.delivered);
    let share = Proportion::new(missing, delivery.sent).ok()?;
    let interval = share.clopper_pearson(Level::P95);
    Some(RatioInterval { ratio: share.ratio(), interval_95: [interval.low, interval.high] })
}

/// Loss is first a matter of yes or no: the candidates that lost nothing, then the one that lost most.
fn lost_answers(summary: &Summary) -> Vec<Answer> {
    Condition::all(summary).iter().filter_map(|condition| lost_answer(summary, condition)).collect()
}

fn lost_answer(summary: &Summary, condition: &Condition) -> Option<Answer> {
    let mut cells: Vec<&CellSummary> =
        condition.cells(summary).filter(|cell| cell.valid_trials > 0 && cell.lost_ratio.is_some()).collect();
    let share = |cell: &CellSummary| cell.lost_ratio.map_or(0.0, |lost| lost.ratio);
    cells.sort_by(|a, b| share(a).total_cmp(&share(b)));
    let all = cells.len();
    let complete: Vec<&CellSummary> = cells.iter().copied().filter(|cell| cell.delivery.lost == 0).collect();
    let worst = cells.last().copied()?;
    let sentence = if complete.len() == all {
        Sentence::plain("Nothing was lost: ")
            .strong(format!("all {all}"))
            .then(" delivered every message")
            .then(sample_of(&complete))
    } else if complete.is_empty() {
        let best = cells.first().copied()?;
        let start = Sentence::plain("All lost messages, fewest ").strong(cell_name(best)).then(", ");
        start.then(lost_with_interval(best))
    } else {
        let names = group(complete.iter().map(|cell| (cell.axes.coding(), Some(cell.axes.sending()))));
        let start = Sentence::plain("No loss with ").strong(names).then(sample_of(&complete));
        let start = match all - complete.len() {
            1 => start.then("; "),
            others => start.then(format!("; {others} others lost messages, most ")),
        };
        start.then(cell_name(worst)).then(" ").then(lost_with_interval(worst))
    };
    let spread =
        Spread { means: cells.iter().map(|cell| share(cell)).collect(), tied: complete.len().max(1) };
    Some(Answer { condition: condition.name(), sentence: sentence.then("."), spread })
}

fn cell_name(cell: &CellSummary) -> String {
    format!("{} over {}", cell.axes.coding(), cell.axes.sending())
}

/// The evidence for no loss: ` (0 of 50 or more each; the 95 % interval reaches 7.1 %)`.
fn sample_of(cells: &[&CellSummary]) -> String {
    let fewest = cells.iter().min_by_key(|cell| cell.delivery.sent);
    match fewest.and_then(|cell| Some((cell.delivery.sent, cell.lost_ratio?.interval_95[1]))) {
        Some((sent, upper)) => format!(
            " (0 of {} or more each; the 95 % interval reaches {})",
            quantity::count(sent),
            quantity::quantity(upper, "ratio")
        ),
        None => String::new(),
    }
}

/// The share lost: `9.8 % [3.3, 21.4]`.
pub fn lost_with_interval(cell: &CellSummary) -> String {
    match cell.lost_ratio {
        Some(lost) => quantity::with_interval(lost.ratio, Some(lost.interval_95), "ratio"),
        None => "unknown".to_owned(),
    }
}

/// The names of candidates, those of one codec merged; counted if there are many.
fn names(candidates: &[Candidate]) -> String {
    group(candidates.iter().map(|candidate| (candidate.codec.clone(), candidate.mode.clone())))
}

/// Codecs with the same modes are merged: `a and b over tcp, mqtt:qos1`.
fn group(pairs: impl Iterator<Item = (String, Option<String>)>) -> String {
    let mut by_codec: Vec<(String, Vec<String>)> = Vec::new();
    for (codec, mode) in pairs {
        let place = by_codec.iter().position(|(known, _)| *known == codec);
        match place {
            Some(place) => by_codec[place].1.extend(mode),
            None => by_codec.push((codec, mode.into_iter().collect())),
        }
    }
    let mut by_modes: Vec<(Vec<String>, Vec<String>)> = Vec::new();
    for (codec, mut modes) in by_codec {
        modes.sort();
        match by_modes.iter().position(|(_, known)| *known == modes) {
            Some(place) => by_modes[place].0.push(codec),
            None => by_modes.push((vec![codec], modes)),
        }
    }
    let count: usize = by_modes.iter().map(|(codecs, modes)| codecs.len().max(modes.len())).sum();
    if count > NAMES_LISTED * 2 {
        let all: usize = by_modes.iter().map(|(codecs, modes)| codecs.len() * modes.len().max(1)).sum();
        return format!("{all} others");
    }
    let parts = by_modes.into_iter().map(|(codecs, modes)| match modes.as_slice() {
        [] => listed(&codecs),
        modes => format!("{} over {}", listed(&codecs), listed(modes)),
    });
    parts.collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codecs_with_the_same_modes_are_drawn_together() {
        let pairs = [("json", "tcp"), ("cbor", "tcp"), ("json", "udp"), ("cbor", "udp"), ("avro", "tcp")];
        let pairs = pairs.map(|(codec, mode)| (codec.to_owned(), Some(mode.to_owned())));
        assert_eq!(group(pairs.into_iter()), "json and cbor over tcp and udp; avro over tcp");
        let codecs = [("json".to_owned(), None), ("cbor".to_owned(), None)];
        assert_eq!(group(codecs.into_iter()), "json and cbor");
    }
}
