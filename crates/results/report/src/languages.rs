//! Comparison of languages: the same formats measured by codecs in several, in runners of their own or compiled into Rust's. Does the language with its bindings decide the cost
//! of a phase, or the format?
//!
//! For each language and format, the codec that the study names first stands for both. Ratios are computed repeat by repeat, on
//! logarithms; their intervals are Student's over repeats.

use std::collections::BTreeMap;

use wiredyno_contract::{CodecId, PayloadId, RUST};
use wiredyno_model::summary::{CodecSummary, Metric, Summary};
use wiredyno_stats::{Level, Sample, mean_interval};

use crate::document::{Block, Section};
use crate::quantity;
use crate::ranking;
use crate::sentence::{Sentence, listed};
use crate::table::{About, Column, Groups, Row, Table, Value};

/// The compared metrics of codec trials, with their headings.
const PARTS: [(&str, &str); 5] = [
    ("build", "build"),
    ("encode", "encode"),
    ("decode", "decode"),
    ("read", "read"),
    ("total", "all phases"),
];

/// The codecs of a study by format and language, for formats that its first language and another one have.
struct Languages<'a> {
    summary: &'a Summary,
    /// Rust first, then in the study's order. The others are compared with the first.
    languages: Vec<&'a str>,
    formats: Vec<&'a str>,
}

/// A factor with its 95 % interval, which is absent with fewer than five repeats.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Factor {
    mean: f64,
    interval: Option<[f64; 2]>,
}

/// The factor that decides the cost of a phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Decides {
    Language,
    Format,
    Neither,
    Unknown,
}

impl Decides {
    fn word(self) -> &'static str {
        match self {
            Decides::Language => "the language",
            Decides::Format => "the format",
            Decides::Neither => "neither alone",
            Decides::Unknown => "no interval",
        }
    }
}

/// The comparison of languages; `None` if codecs of fewer than two languages measured the same format.
pub fn section(summary: &Summary) -> Option<Section> {
    let languages = Languages::of(summary)?;
    let (verdicts, counted) = languages.verdicts();
    let mut list = languages.sentences(&counted);
    list.extend(languages.harness());
    Some(Section {
        id: "languages",
        title: "Languages",
        question: "What does the language change?",
        lead: Sentence::plain(format!(
            "The same formats in {}: does the language with its bindings decide, or the format? The first codec that the \
             study names for each format and language is compared.",
            listed(&languages.languages.iter().map(ToString::to_string).collect::<Vec<_>>())
        )),
        blocks: vec![Block::List(list), Block::Table(verdicts), Block::Table(languages.ratios())],
    })
}

impl<'a> Languages<'a> {
    fn of(summary: &'a Summary) -> Option<Self> {
        let mut languages = Vec::new();
        let mut formats: Vec<(&str, Vec<&str>)> = Vec::new();
        for codec in &summary.study.axes.codec {
            let described = summary.codecs_described.iter().find(|described| described.id == *codec);
            let language = described.map_or(RUST, |described| described.language());
            if !languages.contains(&language) {
                languages.push(language);
            }
            match formats.iter_mut().find(|(format, _)| *format == codec.format) {
                Some((_, of_format)) => of_format.push(language),
                None => formats.push((&codec.format, vec![language])),
            }
        }
        // Rust's runner is the stand's own, and compared with wherever it is measured.
        languages.sort_by_key(|language| *language != RUST);
        let first = *languages.first()?;
        formats
            .retain(|(_, of_format)| of_format.contains(&first) && of_format.iter().any(|one| *one != first));
        languages.retain(|language| formats.iter().any(|(_, of_format)| of_format.contains(language)));
        let formats: Vec<&str> = formats.into_iter().map(|(format, _)| format).collect();
        (languages.len() > 1).then_some(Languages { summary, languages, formats })
    }

    /// The formats that a language shares with the first one.
    fn shared(&self, language: &str) -> Vec<&'a str> {
        let described = &self.summary.codecs_described;
        let has = |format: &&str| {
            let ids = self.summary.study.axes.codec.iter().filter(|id| id.format == **format);
            let mut of_format = ids.filter_map(|id| described.iter().find(|known| known.id == *id));
            of_format.any(|known| known.language() == language)
        };
        self.formats.iter().copied().filter(has).collect()
    }

    /// A language's figures for a format: those of the first of its codecs that the study names.
    fn codec(&self, payload: &PayloadId, format: &str, language: &str) -> Option<&'a CodecSummary> {
        let described = &self.summary.codecs_described;
        let has =
            |id: &CodecId| described.iter().any(|codec| codec.id == *id && codec.language() == language);
        let id = self.summary.study.axes.codec.iter().find(|id| id.format == format && has(id))?;
        self.summary.codecs.iter().find(|codec| {
            let axes = &codec.axes;
            axes.payload == *payload && axes.codec == *id && axes.compression.is_none()
        })
    }

    fn metric(&self, payload: &PayloadId, format: &str, language: &str, part: &str) -> Option<&'a Metric> {
        self.codec(payload, format, language).filter(|codec| codec.valid_trials > 0)?.metrics.get(part)
    }

    /// The factor by which a language takes longer than the first one, over these formats (their geometric mean).
    fn of_language(
        &self,
        payload: &PayloadId,
        formats: &[&str],
        language: &str,
        part: &str,
    ) -> Option<Factor> {
        let pairs = formats.iter().map(|format| {
            Some((
                self.metric(payload, format, language, part)?,
                self.metric(payload, format, self.languages[0], part)?,
            ))
        });
        Factor::geometric(&pairs.collect::<Option<Vec<_>>>()?)
    }

    /// The factor by which the slowest format of a language takes longer than the fastest.
    fn of_format(&self, payload: &PayloadId, language: &str, part: &str) -> Option<Factor> {
        let metrics = self.formats.iter().filter_map(|format| self.metric(payload, format, language, part));
        let mut metrics: Vec<&Metric> = metrics.collect();
        metrics.sort_by(|a, b| a.mean.total_cmp(&b.mean));
        match metrics[..] {
            [fastest, .., slowest] => Factor::geometric(&[(slowest, fastest)]),
            _ => None,
        }
    }

    fn compared(&self) -> &[&'a str] {
        &self.languages[1..]
    }

    /// What decides, phase by phase, and how often for each phase.
    fn verdicts(&self) -> (Table, BTreeMap<&'static str, Vec<Decides>>) {
        let first = self.languages[0];
        let mut columns = vec![Column::group("payload", Groups::Apart), Column::words("phase")];
        columns
            .extend(self.compared().iter().map(|language| Column::numbers(format!("{language} / {first}"))));
        columns.extend(
            self.languages.iter().map(|language| Column::numbers(format!("between formats in {language}"))),
        );
        columns.push(Column::words("decides"));
        let (mut rows, mut counted) = (Vec::new(), BTreeMap::<&str, Vec<Decides>>::new());
        for payload in ranking::payloads(self.summary) {
            for (place, (part, heading)) in PARTS.into_iter().enumerate() {
                let languages: Vec<_> = self
                    .compared()
                    .iter()
                    .map(|language| self.of_language(payload, &self.shared(language), language, part))
                    .collect();
                let formats: Vec<_> =
                    self.languages.iter().map(|language| self.of_format(payload, language, part)).collect();
                let decides = decides(&languages, &formats);
                counted.entry(heading).or_default().push(decides);
                let mut values =
                    vec![Value { repeats: place > 0, ..Value::text(payload) }, Value::text(heading)];
                values.extend(languages.iter().chain(&formats).map(value));
                values.push(Value::text(decides.word()));
                rows.push(Row { about: About::Other, values });
            }
        }
        let table = Table {
            id: "language-table",
            caption: Sentence::plain(format!(
                "How many times as long a phase takes in another language (geometric mean over {}), and the slowest format as a \
                 multiple of the fastest within one language, with 95 % intervals over repeats. What decides has the larger \
                 factor in every language, and its intervals do not overlap the other's.",
                self.compared_formats()
            )),
            columns,
            rows,
        };
        (table, counted)
    }

    /// The formats, and those of languages that have only some of them.
    fn compared_formats(&self) -> String {
        let words = |formats: &[&str]| listed(&formats.iter().map(ToString::to_string).collect::<Vec<_>>());
        let mut text = words(&self.formats);
        for language in self.compared() {
            let shared = self.shared(language);
            if shared.len() < self.formats.len() {
                text.push_str(&format!("; in {language} over {}", words(&shared)));
            }
        }
        text
    }

    /// Each format's ratio in each phase.
    fn ratios(&self) -> Table {
        let first = self.languages[0];
        let mut columns = vec![Column::group("payload", Groups::Apart), Column::words("format")];
        columns.extend((self.compared().len() > 1).then(|| Column::words("language")));
        columns.extend(PARTS.map(|(_, heading)| Column::numbers(heading)));
        let mut rows = Vec::new();
        for payload in ranking::payloads(self.summary) {
            let mut repeats = false;
            for format in &self.formats {
                for language in self.compared().iter().filter(|one| self.shared(one).contains(format)) {
                    let mut values = vec![Value { repeats, ..Value::text(payload) }, Value::text(format)];
                    values.extend((self.compared().len() > 1).then(|| Value::text(language)));
                    let ratios = PARTS.map(|(part, _)| self.of_language(payload, &[format], language, part));
                    values.extend(ratios.iter().map(value));
                    rows.push(Row { about: About::Other, values });
                    repeats = true;
                }
            }
        }
        let others = listed(&self.compared().iter().map(ToString::to_string).collect::<Vec<_>>());
        Table {
            id: "language-ratios",
            caption: Sentence::plain(format!(
                "Time in {others} divided by the time in {first}, format by format: geometric mean over repeats with its 95 % \
                 interval. The times themselves are under Codecs alone."
            )),
            columns,
            rows,
        }
    }

    /// What decides, a sentence for each phase.
    fn sentences(&self, counted: &BTreeMap<&'static str, Vec<Decides>>) -> Vec<Sentence> {
        let in_words = |(_, heading): (&str, &'static str)| {
            let decided = counted.get(heading)?;
            let count = |wanted: Decides| decided.iter().filter(|one| **one == wanted).count();
            let all = decided.len();
            let sentence = Sentence::default().strong(heading).then(": ");
            if count(Decides::Unknown) > 0 {
                return Some(sentence.then(
                    "no order is claimed: something was not measured, or there are fewer than five repeats.",
                ));
            }
            let told = [Decides::Language, Decides::Format, Decides::Neither].map(|one| (one, count(one)));
            if let Some((decides, _)) = told.iter().find(|(_, count)| *count == all) {
                let whose = if all == 1 { "for the payload" } else { "for every payload" };
                return Some(sentence.then(format!("{} decides {whose}.", decides.word())));
            }
            let parts = told.iter().filter(|(_, count)| *count > 0);
            let parts: Vec<String> =
                parts.map(|(decides, count)| format!("{} for {count}", decides.word())).collect();
            Some(sentence.then(format!("of {all} payloads, {} decides.", listed(&parts))))
        };
        PARTS.into_iter().filter_map(in_words).collect()
    }

    /// The cost of an empty call; `None` if the study did not measure it.
    fn harness(&self) -> Option<Sentence> {
        let mut parts = Vec::new();
        for language in &self.languages {
            let all = ranking::payloads(self.summary).into_iter();
            let all = all.flat_map(|payload| self.formats.iter().map(move |format| (payload, *format)));
            let means = all.filter_map(|(payload, format)| {
                self.metric(payload, format, language, "empty").map(|metric| metric.mean)
            });
            let [least, most] = range(means)?;
            parts.push(match quantity::quantity(least, "ns") {
                low if low == quantity::quantity(most, "ns") => format!("{low} in {language}"),
                low => format!("{low} to {} in {language}", quantity::quantity(most, "ns")),
            });
        }
        Some(Sentence::default().strong("The harness").then(format!(
            ": a call that does nothing takes {} (means, over payloads and codecs). Every figure includes it; nothing is \
             subtracted.",
            listed(&parts)
        )))
    }
}

/// The least and the greatest of some values.
fn range(values: impl Iterator<Item = f64>) -> Option<[f64; 2]> {
    values.fold(None, |range, value| match range {
        None => Some([value, value]),
        Some([least, most]) => Some([value.min(least), value.max(most)]),
    })
}

impl Factor {
    /// The geometric mean of the ratios of the pairs, repeat by repeat.
    fn geometric(pairs: &[(&Metric, &Metric)]) -> Option<Factor> {
        let (some, _) = pairs.first()?;
        let of_repeat = |repeat: &u32| {
            let logs = pairs.iter().map(|(above, below)| {
                let ratio = above.by_repeat.get(repeat)? / below.by_repeat.get(repeat)?;
                (ratio.is_finite() && ratio > 0.0).then(|| ratio.ln())
            });
            Some(logs.sum::<Option<f64>>()? / pairs.len() as f64)
        };
        let logs: Vec<f64> = some.by_repeat.keys().filter_map(of_repeat).collect();
        let sample = Sample::new(logs).ok()?;
        let interval = mean_interval(&sample, Level::P95).ok();
        Some(Factor {
            mean: sample.mean().exp(),
            interval: interval.map(|interval| [interval.low.exp(), interval.high.exp()]),
        })
    }

    /// The interval of its distance from 1, in either direction.
    fn distance(self) -> Option<[f64; 2]> {
        let [low, high] = self.interval?;
        Some(match (low >= 1.0, high <= 1.0) {
            (true, _) => [low, high],
            (_, true) => [high.recip(), low.recip()],
            _ => [1.0, high.max(low.recip())],
        })
    }
}

/// What decides: the language if each other one differs more from the first than formats differ in any language, the format if
/// it is the other way round.
fn decides(languages: &[Option<Factor>], formats: &[Option<Factor>]) -> Decides {
    let distances = |factors: &[Option<Factor>]| {
        factors.iter().map(|factor| factor.as_ref()?.distance()).collect::<Option<Vec<_>>>()
    };
    let (Some(languages), Some(formats)) = (distances(languages), distances(formats)) else {
        return Decides::Unknown;
    };
    let above = |ones: &[[f64; 2]], others: &[[f64; 2]]| {
        ones.iter().all(|one| others.iter().all(|other| one[0] > other[1]))
    };
    if above(&languages, &formats) {
        Decides::Language
    } else if above(&formats, &languages) {
        Decides::Format
    } else {
        Decides::Neither
    }
}

fn value(factor: &Option<Factor>) -> Value {
    factor.map_or_else(Value::none, |Factor { mean, interval }| {
        let (text, detail) = quantity::apart(mean, interval, "times");
        Value { text, detail, sort: Some(mean), ..Value::default() }
    })
}
