//! Codecs worth considering: the Pareto front over bytes, time to encode, time to decode and memory, in sentences.
//!
//! A codec is worth considering unless another has no larger mean at any measure and a smaller one at some measure. Means
//! decide instead of tests: among many codecs, tests corrected for all pairs distinguish few, and a lack of proof is no
//! reason to leave out what measured better. The number of codecs that are not distinguished from the best at a measure is
//! given beside it.

use std::collections::BTreeMap;

use wiredyno_contract::PayloadId;
use wiredyno_model::summary::{CodecSummary, Metric, Summary};
use wiredyno_stats::{CellValues, Direction, Level, MIN_TRIALS_FOR_INTERVAL, Pairing, best};

use crate::quantity;
use crate::ranking::payloads;
use crate::sentence::{Sentence, listed};
use crate::table::{About, Column, Groups, Row, Table, Value};

/// More names than these are only counted.
const NAMES_LISTED: usize = 5;

/// A measure by which codecs are compared.
struct Measure {
    /// Heading of its column.
    title: &'static str,
    /// Words for the best at it.
    best: &'static str,
    /// Words for the quantity itself.
    noun: &'static str,
    unit: &'static str,
    /// The value of one repeat; `None` if a figure for it is missing.
    value: fn(&Figures<'_>) -> Option<f64>,
}

const MEASURES: [Measure; 4] = [
    Measure {
        title: "bytes",
        best: "fewest bytes",
        noun: "bytes",
        unit: "bytes",
        value: |all| all.sum(&["body"], &[]),
    },
    Measure {
        title: "to encode",
        best: "fastest to encode",
        noun: "time to encode",
        unit: "ns",
        value: |all| all.sum(&["build", "encode"], &["compress"]),
    },
    Measure {
        title: "to decode",
        best: "fastest to decode",
        noun: "time to decode",
        unit: "ns",
        value: |all| all.sum(&["decode", "read"], &["decompress"]),
    },
    Measure {
        title: "memory",
        best: "least memory",
        noun: "memory",
        unit: "bytes",
        value: |all| all.memory(),
    },
];

/// Heap and stack of the phases.
const PHASES: [[&str; 2]; 4] = [
    ["build_peak", "build_stack"],
    ["encode_peak", "encode_stack"],
    ["decode_peak", "decode_stack"],
    ["read_peak", "read_stack"],
];

/// The figures of one codec and payload in one repeat.
struct Figures<'a> {
    metrics: &'a BTreeMap<String, Metric>,
    repeat: u32,
}

impl Figures<'_> {
    fn get(&self, name: &str) -> Option<f64> {
        self.metrics.get(name)?.by_repeat.get(&self.repeat).copied().filter(|value| value.is_finite())
    }

    /// The sum of `names`, and of those of `others` that exist.
    fn sum(&self, names: &[&str], others: &[&str]) -> Option<f64> {
        let needed = names.iter().map(|name| self.get(name)).sum::<Option<f64>>()?;
        Some(needed + others.iter().filter_map(|name| self.get(name)).sum::<f64>())
    }

    /// The most heap and stack that one call of any phase needs.
    fn memory(&self) -> Option<f64> {
        let phases = PHASES.iter().map(|[heap, stack]| Some(self.get(heap)? + self.get(stack)?));
        phases.collect::<Option<Vec<f64>>>()?.into_iter().reduce(f64::max)
    }
}

/// A codec's means for one payload.
#[derive(Debug)]
struct Candidate {
    name: String,
    /// Index in [`Summary::codecs`].
    place: usize,
    /// Means, in the order of [`MEASURES`].
    means: [f64; MEASURES.len()],
}

impl Candidate {
    fn beats(&self, other: &Candidate) -> bool {
        let pairs = || self.means.iter().zip(&other.means);
        pairs().all(|(own, others)| own <= others) && pairs().any(|(own, others)| own < others)
    }
}

/// The codecs worth considering for one payload.
struct Choice<'a> {
    payload: &'a PayloadId,
    /// Codecs that no other beats, in the order of their bytes.
    front: Vec<Candidate>,
    /// Number of codecs that were compared.
    compared: usize,
    /// Codecs without enough trials or without a figure for some measure.
    without: Vec<String>,
    /// The least mean of each measure, over all that were compared.
    least: [f64; MEASURES.len()],
    /// Number of others that are not distinguished from the least of each measure, without those of equal mean.
    tied: [usize; MEASURES.len()],
}

impl<'a> Choice<'a> {
    /// `None` if there are fewer than two to compare.
    fn of(summary: &'a Summary, payload: &'a PayloadId) -> Option<Choice<'a>> {
        let mut without = Vec::new();
        let mut known = Vec::new();
        for (place, codec) in summary.codecs.iter().enumerate() {
            if codec.axes.payload != *payload || codec.valid_trials == 0 {
                continue;
            }
            match values(codec) {
                Some(values) => known.push((place, codec.axes.coding(), values)),
                None => without.push(codec.axes.coding()),
            }
        }
        if known.len() < 2 {
            return None;
        }
        let mut tied = [0; MEASURES.len()];
        for (measure, tied) in tied.iter_mut().enumerate() {
            let values = known.iter().map(|(_, name, values)| CellValues {
                label: name.clone(),
                by_repeat: values[measure].clone(),
                mean: None,
            });
            let values: Vec<CellValues> = values.collect();
            let report = best(&values, Direction::LowerIsBetter, Pairing::ByRepeat, Level::P95).ok()?;
            *tied = report.ties().filter(|tie| tie.mean > report.mean).count();
        }
        let mut all: Vec<Candidate> = known
            .into_iter()
            .map(|(place, name, values)| Candidate { means: values.each_ref().map(mean), place, name })
            .collect();
        all.sort_by(|a, b| a.means[0].total_cmp(&b.means[0]).then_with(|| a.name.cmp(&b.name)));
        let least = std::array::from_fn(|measure| {
            all.iter().map(|candidate| candidate.means[measure]).fold(f64::MAX, f64::min)
        });
        let compared = all.len();
        let unbeaten = |one: &Candidate| !all.iter().any(|other| other.beats(one));
        let kept: Vec<bool> = all.iter().map(unbeaten).collect();
        let front = all.into_iter().zip(kept).filter(|(_, kept)| *kept).map(|(one, _)| one).collect();
        Some(Choice { payload, front, compared, without, least, tied })
    }

    fn leads(&self, candidate: &Candidate, measure: usize) -> bool {
        candidate.means[measure] <= self.least[measure]
    }

    /// Its factor over the best at a measure.
    fn times(&self, candidate: &Candidate, measure: usize) -> f64 {
        match (candidate.means[measure], self.least[measure]) {
            (0.0, _) => 1.0,
            (mean, least) => mean / least,
        }
    }

    /// Its distance from the best: `2.3 times the best time to decode`; if the best needs none, the amount.
    fn beside_the_best(&self, candidate: &Candidate, measure: usize) -> String {
        let (times, Measure { noun, unit, .. }) = (self.times(candidate, measure), &MEASURES[measure]);
        match times.is_finite() {
            true => format!("{} times the best {noun}", times_text(times)),
            false => format!(
                "{} of {noun} where the best needs none",
                quantity::quantity(candidate.means[measure], unit)
            ),
        }
    }

    /// The measure at which it is farthest from the best, with the factor.
    fn weakest(&self, candidate: &Candidate) -> (usize, f64) {
        let all = (0..MEASURES.len()).map(|measure| (measure, self.times(candidate, measure)));
        all.max_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((0, 1.0))
    }

    fn names(&self) -> Vec<String> {
        self.front.iter().map(|candidate| candidate.name.clone()).collect()
    }

    fn sentence(&self) -> Sentence {
        let start = Sentence::default().strong(self.payload.to_string());
        let start = match self.front.as_slice() {
            [only] => start
                .then(": ")
                .strong(&only.name)
                .then(format!(": none of {} measured better at any of the four.", self.compared)),
            front if front.len() == self.compared => {
                start.then(format!(": each of the {} beats every other at something.", self.compared))
            }
            front => start.then(format!(
                ": {} of {} are worth considering; each of the others measured worse than one of these at something and \
                 better at nothing.",
                front.len(),
                self.compared
            )),
        };
        let with_strengths = self.front.iter().fold(start, |sentence, one| self.strengths(sentence, one));
        let between: Vec<String> = self
            .front
            .iter()
            .filter(|one| (0..MEASURES.len()).all(|measure| !self.leads(one, measure)))
            .map(|one| one.name.clone())
            .collect();
        let sentence = match between.len() {
            0 => with_strengths,
            count if count > NAMES_LISTED => with_strengths.then(format!(" {count} others lie between.")),
            1 => with_strengths.then(format!(" {} lies between.", between[0])),
            _ => with_strengths.then(format!(" {} lie between.", listed(&between))),
        };
        let sentence = self.least_given_up(sentence);
        match self.without.as_slice() {
            [] => sentence,
            names if names.len() > NAMES_LISTED => {
                sentence.then(format!(" {} are not compared: they lack trials or figures.", names.len()))
            }
            names => sentence
                .then(format!(" Not compared, because trials or figures are missing: {}.", listed(names))),
        }
    }

    /// ` X: fewest bytes (41 B) and least memory (1,208 B), at 3.1 times the best time to decode.`
    fn strengths(&self, sentence: Sentence, one: &Candidate) -> Sentence {
        let strong = (0..MEASURES.len()).filter(|measure| self.leads(one, *measure));
        let strong: Vec<String> = strong
            .map(|measure| {
                let Measure { best, unit, .. } = MEASURES[measure];
                let figure = quantity::quantity(one.means[measure], unit);
                match self.tied[measure] {
                    0 => format!("{best} ({figure})"),
                    1 => format!("{best} ({figure}, one other not significantly different)"),
                    others => format!("{best} ({figure}, {others} others not significantly different)"),
                }
            })
            .collect();
        if strong.is_empty() || self.front.len() == 1 {
            return sentence;
        }
        let sentence = sentence.then(" ").strong(&one.name).then(format!(": {}", listed(&strong)));
        match self.weakest(one) {
            (measure, _) if !self.leads(one, measure) => {
                sentence.then(format!(", but {}.", self.beside_the_best(one, measure)))
            }
            _ => sentence.then("."),
        }
    }

    fn least_given_up(&self, sentence: Sentence) -> Sentence {
        if self.front.len() == 1 {
            return sentence;
        }
        let all = self.front.iter().map(|one| (one, self.weakest(one)));
        match all.min_by(|a, b| a.1.1.total_cmp(&b.1.1)) {
            Some((one, (measure, times))) if times.is_finite() => {
                sentence.then(" Gives up least: ").strong(&one.name).then(format!(
                    ", nowhere more than {} times the best ({}).",
                    times_text(times),
                    MEASURES[measure].noun
                ))
            }
            _ => sentence,
        }
    }
}

/// A factor: `1.04`, `2.3`, `57`.
fn times_text(times: f64) -> String {
    match times {
        times if times < 1.995 => format!("{times:.2}"),
        times if times < 9.95 => format!("{times:.1}"),
        times => format!("{times:.0}"),
    }
}

fn mean(by_repeat: &BTreeMap<u32, f64>) -> f64 {
    by_repeat.values().sum::<f64>() / by_repeat.len().max(1) as f64
}

/// The values by measure and repeat; `None` if a measure has too few values for an interval.
fn values(codec: &CodecSummary) -> Option<[BTreeMap<u32, f64>; MEASURES.len()]> {
    let repeats = &codec.metrics.get("body")?.by_repeat;
    let all = MEASURES.each_ref().map(|measure| {
        let of_repeat = |repeat: &u32| {
            let figures = Figures { metrics: &codec.metrics, repeat: *repeat };
            Some((*repeat, (measure.value)(&figures)?))
        };
        repeats.keys().filter_map(of_repeat).collect::<BTreeMap<u32, f64>>()
    });
    let enough = |by_repeat: &BTreeMap<u32, f64>| by_repeat.len() >= MIN_TRIALS_FOR_INTERVAL;
    all.iter().all(enough).then_some(all)
}

/// The introduction of the section.
pub const LEAD: &str = "The Pareto front of each payload over four measures: bytes of a message, time to encode (build \
    included), time to decode (with reading every field), and memory, the peak of heap and stack in one call of any phase. \
    Means decide what is on it. Which of them to take depends on what is scarce.";

/// A sentence for each payload.
pub fn sentences(summary: &Summary) -> Vec<Sentence> {
    let found: Vec<Sentence> = choices(summary).iter().map(Choice::sentence).collect();
    match found.is_empty() {
        false => found,
        true => vec![Sentence::plain(
            "Nothing is recommended: that takes two codecs for a payload, five valid trials of each, and bytes, times and memory \
             of both.",
        )],
    }
}

/// Only the names, by payload, for where there is little room.
pub fn names(summary: &Summary) -> Vec<(String, Vec<String>)> {
    choices(summary).iter().map(|choice| (choice.payload.to_string(), choice.names())).collect()
}

fn choices(summary: &Summary) -> Vec<Choice<'_>> {
    payloads(summary).into_iter().filter_map(|payload| Choice::of(summary, payload)).collect()
}

/// The fronts with their figures; `None` if there is none.
pub fn table(summary: &Summary) -> Option<Table> {
    let choices = choices(summary);
    let mut rows = Vec::new();
    for choice in &choices {
        for (at, one) in choice.front.iter().enumerate() {
            let mut values =
                vec![Value { repeats: at > 0, ..Value::text(choice.payload) }, Value::text(&one.name)];
            values.extend(MEASURES.iter().enumerate().map(|(measure, Measure { unit, .. })| {
                let text = quantity::quantity(one.means[measure], unit);
                let times = choice.times(one, measure);
                let times = times.is_finite().then(|| format!("{}\u{d7}", times_text(times)));
                Value { detail: times, ..Value::number(text, one.means[measure]) }
            }));
            rows.push(Row { about: About::Codec(one.place), values });
        }
    }
    if rows.is_empty() {
        return None;
    }
    let mut columns = vec![Column::group("payload", Groups::Apart), Column::words("codec")];
    columns.extend(MEASURES.iter().map(|measure| Column::numbers(measure.title)));
    Some(Table {
        id: "choice-table",
        caption: Sentence::plain(
            "Codecs that no other beats, smallest first: means over trials; beside them, the factor over the payload's best \
             codec.",
        ),
        columns,
        rows,
    })
}
