//! From figures to a choice: which candidates miss a need, which of the rest are on the Pareto front, the weighted sum, and which of them a
//! test distinguishes from the best.
//!
//! A candidate is a codec with its compression, over a mode if messages were sent; it must be usable under every condition (payload, link,
//! loss) of the run. Its score is the weighted sum of the logarithms of its ratios to the best, as a mean over conditions: with weights 2 and
//! 1, halving the first metric outweighs doubling the second. The lowest score is the best, and it is named alone only if a test of the scores
//! distinguishes every other one from it; else those that it does not distinguish are named with it.
//!
//! What was not measured under every condition is not a candidate, and is reported as left out. One hop and two are never ranked together. As
//! long as something was measured that can't be judged, or may still meet the needs and is not shown to be behind, no choice is named: it may
//! be better.
//!
//! One file because needs, front, scores and tests all go by the place of a candidate among the others.

mod answer;
mod asked;
mod score;

use std::collections::BTreeMap;

use wiredyno_model::Selection;
use wiredyno_model::metric::Scope;
use wiredyno_model::summary::Summary;

pub use self::asked::{BadOption, Kind, Need, Weight, usual};
use self::score::{Beside, Taken};
use crate::conclusion::Conclusion;
pub use crate::limit::Limit;
use crate::limit::held;
use crate::quantity;
use crate::things::Thing;

pub use self::answer::{Missed, Recommendation, Scored, WeightRange};

/// A candidate: its things, one for each condition.
struct Candidate<'a> {
    name: String,
    things: Vec<&'a Thing<'a>>,
}

/// Candidates by the state of their needs.
#[derive(Default)]
struct Sorted<'a> {
    meet: Vec<(Candidate<'a>, Vec<String>)>,
    miss: Vec<Missed>,
    undecided: Vec<(Candidate<'a>, Missed)>,
    left_out: Vec<Missed>,
    /// Whether a candidate that is left out may be better, because it was measured. What the study itself leaves out, under some condition or
    /// all, is not a candidate.
    is_open: bool,
}

/// Chooses among the candidates of a run.
///
/// # Errors
/// When nothing that was measured is selected, or the metric of a weight can't be weighed.
pub fn recommend(
    summary: &Summary,
    cells: &Selection,
    needs: &[Need],
    weights: &[Weight],
) -> Result<Recommendation, String> {
    let scope = if summary.cells.is_empty() { Scope::Codec } else { Scope::Message };
    let mut things = Thing::every(summary);
    things.retain(|thing| thing.scope == scope && thing.is_meant(cells));
    if things.is_empty() && !cells.is_all() {
        return Err(
            "no codec and mode was measured under these conditions: select others with --where".to_owned()
        );
    }
    let mut conditions: Vec<String> = Vec::new();
    for thing in &things {
        let condition = thing.condition();
        if !conditions.contains(&condition) {
            conditions.push(condition);
        }
    }
    let valid: Vec<&Thing<'_>> = things.iter().filter(|thing| thing.valid_trials > 0).collect();
    let taken = taken(weights, &valid)?;
    let sorted = sorted(&things, &conditions, needs, &taken, summary.run.complete);
    let not_run = summary.not_run.iter().map(|not_run| Missed {
        candidate: not_run.what.clone(),
        why: vec![format!("not run: {}", not_run.why)],
    });
    let not_run: Vec<Missed> = not_run.collect();
    Ok(chosen(sorted, not_run, &taken, needs, conditions))
}

/// How each weight is converted.
fn taken<'w>(weights: &'w [Weight], valid: &[&Thing<'_>]) -> Result<Vec<Taken<'w>>, String> {
    if valid.is_empty() {
        return Ok(Vec::new());
    }
    weights.iter().map(|weight| Taken::of(weight, valid)).collect()
}

/// Sorts the candidates.
fn sorted<'a>(
    things: &'a [Thing<'a>],
    conditions: &[String],
    needs: &[Need],
    taken: &[Taken<'_>],
    is_whole_run: bool,
) -> Sorted<'a> {
    let mut sorted = Sorted::default();
    let mut whole = Vec::new();
    for candidate in candidates(things) {
        // A candidate that is shown to miss a need has missed it, whatever else is not known: mostly latency, if many messages were lost.
        let missed = of_kind(&candidate, candidate.against(needs), Conclusion::Difference);
        if !missed.why.is_empty() {
            sorted.miss.push(missed);
            continue;
        }
        let absent = candidate.absent(conditions);
        let why = candidate.lacks(taken);
        let is_open = !why.is_empty() || !is_whole_run;
        let why: Vec<String> = absent.into_iter().chain(why).collect();
        if why.is_empty() {
            whole.push(candidate);
        } else {
            sorted.is_open |= is_open;
            sorted.left_out.push(Missed { candidate: candidate.name, why });
        }
    }
    let (kept, others) = of_one_way(whole);
    sorted.is_open |= !others.is_empty();
    sorted.left_out.extend(others);
    for candidate in kept {
        let of = candidate.against(needs);
        match Conclusion::over(of.iter().map(|(conclusion, _)| *conclusion)) {
            _ if needs.is_empty() => sorted.meet.push((candidate, Vec::new())),
            Conclusion::CantTell => {
                sorted.is_open = true;
                sorted.left_out.push(of_kind(&candidate, of, Conclusion::CantTell));
            }
            Conclusion::NotDecided => {
                let open = of_kind(&candidate, of, Conclusion::NotDecided);
                sorted.undecided.push((candidate, open));
            }
            // Those that miss one were removed above.
            Conclusion::Difference | Conclusion::NoDifference => {
                let notes = of.into_iter().map(|(_, text)| text).collect();
                sorted.meet.push((candidate, notes));
            }
        }
    }
    sorted
}

fn of_kind(candidate: &Candidate<'_>, of: Vec<(Conclusion, String)>, kind: Conclusion) -> Missed {
    let why = of.into_iter().filter(|(conclusion, _)| *conclusion == kind).map(|(_, text)| text);
    Missed { candidate: candidate.name.clone(), why: why.collect() }
}

/// Groups things by choice.
fn candidates<'a>(things: &'a [Thing<'a>]) -> Vec<Candidate<'a>> {
    let mut all: Vec<Candidate<'a>> = Vec::new();
    for thing in things {
        let name = thing.choice();
        match all.iter_mut().find(|candidate| candidate.name == name) {
            Some(candidate) => candidate.things.push(thing),
            None => all.push(Candidate { name, things: vec![thing] }),
        }
    }
    all
}

/// The candidates with the more frequent number of hops (if equally frequent, those over a broker), and why others are left out.
fn of_one_way(all: Vec<Candidate<'_>>) -> (Vec<Candidate<'_>>, Vec<Missed>) {
    let count = |hops: u32| all.iter().filter(|candidate| candidate.hops() == Some(hops)).count();
    let (one, two) = (count(1), count(2));
    if one == 0 || two == 0 {
        return (all, Vec::new());
    }
    let (kept, other) = if one > two { (1, 2) } else { (2, 1) };
    let words = |hops: u32| if hops == 1 { "one hop" } else { "two hops" };
    let why = format!(
        "{}, the others make {}: select its mode with --where to rank it among its kind",
        words(other),
        words(kept)
    );
    let (others, rest): (Vec<_>, Vec<_>) = all.into_iter().partition(|one| one.hops() == Some(other));
    let left_out = others.into_iter().map(|one| Missed { candidate: one.name, why: vec![why.clone()] });
    (rest, left_out.collect())
}

impl Candidate<'_> {
    fn hops(&self) -> Option<u32> {
        self.things.iter().find_map(|thing| thing.hops)
    }

    /// The conditions that the study lacks for it.
    fn absent(&self, conditions: &[String]) -> Vec<String> {
        let missing = conditions
            .iter()
            .filter(|condition| !self.things.iter().any(|thing| thing.condition() == **condition));
        missing.map(|condition| format!("not measured under {condition}")).collect()
    }

    /// Why nothing can be said of it where it was measured; empty if something can.
    fn lacks(&self, taken: &[Taken<'_>]) -> Vec<String> {
        let mut why = Vec::new();
        for thing in &self.things {
            let told = if thing.valid_trials == 0 {
                Some(thing.why_no(""))
            } else {
                let lack = taken.iter().find(|one| one.whole(thing).is_none());
                lack.map(|one| {
                    let metric = one.weight.metrics.iter().find(|name| thing.metric(name).is_none());
                    metric.map_or_else(
                        || format!("{} has no value", one.weight.name),
                        |name| thing.why_no(name),
                    )
                })
            };
            why.extend(told.map(|told| format!("{told} ({})", thing.condition())));
        }
        why
    }

    /// Each need under each condition, with a text that is also useful if the need is met.
    fn against(&self, needs: &[Need]) -> Vec<(Conclusion, String)> {
        let mut all = Vec::new();
        for need in needs {
            let unit = need.figure.info().map_or("count", |info| info.unit.name());
            for thing in &self.things {
                let held = held(thing, &need.figure, need.limit);
                let limit = match held.conclusion {
                    Conclusion::Difference => format!(", {}", need.limit.passed(unit)),
                    _ => String::new(),
                };
                all.push((held.conclusion, format!("{}{limit} ({})", held.text, thing.condition())));
            }
        }
        all
    }

    /// The values that are weighed, as a mean over conditions.
    fn whole(&self, taken: &[Taken<'_>]) -> Vec<f64> {
        let mean = |one: &Taken<'_>| {
            let sum: f64 = self.things.iter().filter_map(|thing| one.whole(thing)).sum();
            sum / self.things.len() as f64
        };
        taken.iter().map(mean).collect()
    }
}

/// Why a candidate is not distinguished from the best, if only clocks are the reason.
fn by_clocks(beside: Option<Beside>) -> Option<String> {
    let by_clocks = beside.is_some_and(|beside| beside.by_clocks);
    by_clocks
        .then(|| "what it is behind by may be made up by the clocks of publisher and subscriber".to_owned())
}

/// The answer about sorted candidates.
#[expect(
    clippy::too_many_lines,
    reason = "scores, tests and order are all by place in `rivals`, which every step indexes"
)]
fn chosen(
    sorted: Sorted<'_>,
    not_run: Vec<Missed>,
    taken: &[Taken<'_>],
    needs: &[Need],
    conditions: Vec<String>,
) -> Recommendation {
    // Candidates that may still meet the needs are rivals, too, and can't be the best until they are known to meet them.
    let meeting = sorted.meet.iter().map(|(candidate, _)| candidate);
    let rivals: Vec<&Candidate<'_>> =
        meeting.chain(sorted.undecided.iter().map(|(candidate, _)| candidate)).collect();
    let scores = relative(&rivals, taken);
    let by_repeat: Vec<BTreeMap<u32, f64>> =
        rivals.iter().map(|candidate| score::by_repeat(&candidate.things, taken)).collect();
    let known = sorted.meet.len();
    let best = lowest(&rivals[..known], &scores, &by_repeat[..known], taken);
    let beside = |place: usize| {
        best.filter(|best| *best != place).map(|best| {
            let is_exact = taken.iter().all(|one| one.is_exact);
            let exact = is_exact.then(|| [place, best].map(|of| weighted(&scores[of], taken)));
            let made_up = [place, best].map(|of| score::made_up_by_clocks(&rivals[of].things, taken));
            let made_up = made_up.iter().sum();
            score::beside(&by_repeat[place], &by_repeat[best], exact, (rivals.len(), made_up))
        })
    };
    let beside: Vec<Option<Beside>> = (0..rivals.len()).map(beside).collect();
    let is_open = beside[known..].iter().any(|beside| beside.is_none_or(|beside| !beside.is_behind));
    let is_open = is_open || sorted.is_open;
    let mut scored: Vec<(Scored, Option<Beside>)> = sorted
        .meet
        .iter()
        .zip(&scores)
        .zip(&beside)
        .map(|(((candidate, notes), ratios), beside)| {
            let one = Scored {
                candidate: candidate.name.clone(),
                score: weighted(ratios, taken),
                ratios: taken
                    .iter()
                    .zip(ratios)
                    .map(|(one, log)| (one.weight.name.clone(), log.exp()))
                    .collect(),
                on_front: !scores[..known].iter().any(|other| beats(other, ratios)),
                is_behind: beside.is_some_and(|beside| beside.is_behind),
                behind_by: beside.and_then(|beside| beside.interval),
                notes: notes.iter().cloned().chain(by_clocks(*beside)).collect(),
            };
            (one, *beside)
        })
        .collect();
    // The best first, then by score; by means it may not be the lowest, if single repeats are missing.
    scored.sort_by(|(a, own), (b, other)| {
        let order = (own.is_some(), a.score).partial_cmp(&(other.is_some(), b.score));
        order.unwrap_or(std::cmp::Ordering::Equal).then_with(|| a.candidate.cmp(&b.candidate))
    });
    let group: Vec<&(Scored, Option<Beside>)> = scored.iter().filter(|(one, _)| !one.is_behind).collect();
    let open: Vec<Beside> = group.iter().filter_map(|(_, beside)| *beside).collect();
    let needed = open.iter().map(|beside| beside.needed).collect::<Option<Vec<usize>>>();
    let repeats = beside.iter().flatten().map(|beside| beside.repeats).min();
    let choice = match group.as_slice() {
        [(only, _)] if !is_open => Some(only.candidate.clone()),
        _ => None,
    };
    let conclusion = match (&choice, scored.is_empty()) {
        (Some(_), _) => Conclusion::Difference,
        (None, false) => Conclusion::NotDecided,
        (None, true) if !sorted.undecided.is_empty() => Conclusion::NotDecided,
        (None, true) if !sorted.left_out.is_empty() || sorted.miss.is_empty() => Conclusion::CantTell,
        (None, true) => Conclusion::Difference,
    };
    Recommendation {
        conclusion,
        choice,
        group: group.iter().map(|(one, _)| one.candidate.clone()).collect(),
        repeats_needed: needed.and_then(|needed| needed.into_iter().max()).map(|repeats| repeats as u32),
        repeats: repeats.unwrap_or(0) as u32,
        needs: needs.iter().map(need_words).collect(),
        weights: best
            .map(|best| weight_ranges(&rivals[..known], &scores[..known], taken, best))
            .unwrap_or_default(),
        meet: scored.into_iter().map(|(one, _)| one).collect(),
        miss: sorted.miss,
        undecided: sorted.undecided.into_iter().map(|(_, open)| open).collect(),
        left_out: sorted.left_out.into_iter().chain(not_run).collect(),
        conditions,
    }
}

fn need_words(need: &Need) -> String {
    let unit = need.figure.info().map_or("count", |info| info.unit.name());
    let limit = quantity::quantity(need.limit.value(), unit);
    let words = match need.limit {
        Limit::AtMost(_) => format!("{} at most {limit}", need.figure),
        Limit::Below(_) => format!("{} below {limit}", need.figure),
        Limit::Above(_) => format!("{} above {limit}", need.figure),
    };
    match need.is_default {
        true => format!("{words} (assumed; --need lost=LIMIT sets another)"),
        false => words,
    }
}

/// For each candidate the logarithm of its ratio to the best, metric by metric.
fn relative(candidates: &[&Candidate<'_>], taken: &[Taken<'_>]) -> Vec<Vec<f64>> {
    let values: Vec<Vec<f64>> = candidates.iter().map(|candidate| candidate.whole(taken)).collect();
    let best = |place: usize| values.iter().map(|of| of[place]).fold(f64::INFINITY, f64::min);
    let best: Vec<f64> = (0..taken.len()).map(best).collect();
    let relative = |of: &Vec<f64>| of.iter().zip(&best).map(|(value, best)| value - best).collect();
    values.iter().map(relative).collect()
}

fn weighted(ratios: &[f64], taken: &[Taken<'_>]) -> f64 {
    ratios.iter().zip(taken).map(|(log, one)| log * one.weight.weight).sum()
}

/// The candidate with the lowest score: over the repeats that all have, so that the test covers the same figures; by the means of all trials
/// if there are none.
fn lowest(
    candidates: &[&Candidate<'_>],
    scores: &[Vec<f64>],
    by_repeat: &[BTreeMap<u32, f64>],
    taken: &[Taken<'_>],
) -> Option<usize> {
    let first = by_repeat.first()?;
    let common: Vec<u32> =
        first.keys().filter(|repeat| by_repeat.iter().all(|of| of.contains_key(repeat))).copied().collect();
    let score = |place: &usize| match common.as_slice() {
        [] => weighted(&scores[*place], taken),
        common => common.iter().map(|repeat| by_repeat[*place][repeat]).sum::<f64>() / common.len() as f64,
    };
    (0..candidates.len()).min_by(|a, b| {
        score(a).total_cmp(&score(b)).then_with(|| candidates[*a].name.cmp(&candidates[*b].name))
    })
}

/// Whether one is at least as good at everything, and better at something.
fn beats(one: &[f64], other: &[f64]) -> bool {
    let pairs = || one.iter().zip(other);
    pairs().all(|(own, others)| own <= others) && pairs().any(|(own, others)| own < others)
}

/// The weights between which the best stays the best: for each rival the weight at which both have the same score.
fn weight_ranges(
    candidates: &[&Candidate<'_>],
    scores: &[Vec<f64>],
    taken: &[Taken<'_>],
    winner: usize,
) -> Vec<WeightRange> {
    let range = |(place, one): (usize, &Taken<'_>)| {
        let weight = one.weight;
        let mut range =
            WeightRange { name: weight.name.clone(), weight: weight.weight, below: None, above: None };
        for (rival, ratios) in scores.iter().enumerate().filter(|(rival, _)| *rival != winner) {
            let own = scores[winner][place] - ratios[place];
            let rest = weighted(&scores[winner], taken) - weighted(ratios, taken) - own * weight.weight;
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
    taken.iter().enumerate().map(range).collect()
}
