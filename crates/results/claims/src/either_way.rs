//! Every claim of every bundled file can be decided either way: there are made-up figures that confirm it, and others that
//! refute it. A claim for which there are none is not a question; it must be corrected, or state why nothing is comparable.
//! One file because the made-up figures and the claims' arithmetic are one test.

use std::collections::{BTreeMap, BTreeSet};

use wiredyno_model::summary::Summary;
use wiredyno_model::{AxisKind, Study, parse_toml};

use crate::expand::{Asked, Quantity, Question, Term, expand};
use crate::measured::{Kind, kind};
use crate::{Claim, Message, Published, Standing, bundled, judge};

/// Codec, payload, place on axes (empty for codec trials), metric. Formats with the same codec share its figures, as in a
/// run.
type Key = (String, String, BTreeMap<String, String>, String);

/// A figure for every codec, payload, place and metric that a file's claims compare.
#[derive(Clone)]
struct Figures<'a> {
    published: &'a Published,
    of: BTreeMap<Key, f64>,
}

impl<'a> Figures<'a> {
    /// Equal figures everywhere.
    fn even(published: &'a Published) -> Self {
        let mut figures = Figures { published, of: BTreeMap::new() };
        for claim in &published.claim {
            for term in expand(published, claim).iter().flat_map(Question::terms) {
                let own = figures.parts(&term.format, term.protocol.as_deref(), term);
                for (key, _) in own.into_iter().chain(figures.divisor(term).into_iter().flatten()) {
                    figures.of.insert(key, 1_000.0);
                }
            }
        }
        figures
    }

    /// The payloads of a message, each with its weight.
    fn payloads(message: &Message) -> Vec<(String, f64)> {
        match (&message.payload, &message.average) {
            (Some(payload), _) => vec![(payload.to_string(), 1.0)],
            (None, Some(average)) => {
                let share = average.with_per_s / average.messages_per_s;
                vec![(average.without.to_string(), 1.0 - share), (average.with.to_string(), share)]
            }
            (None, None) => message.sum.iter().map(|payload| (payload.to_string(), 1.0)).collect(),
        }
    }

    /// The figures that a term is divided by: those of another format, or of another protocol.
    fn divisor(&self, term: &Term) -> Option<Vec<(Key, f64)>> {
        let over = term.over.as_deref()?;
        Some(match self.published.format(over) {
            Some(_) => self.parts(over, term.protocol.as_deref(), term),
            None => self.parts(&term.format, Some(over), term),
        })
    }

    /// The figures of a term in a format and over a protocol, each with its weight.
    fn parts(&self, format: &str, protocol: Option<&str>, term: &Term) -> Vec<(Key, f64)> {
        let codec = self.published.format(format).unwrap().codec.to_string();
        let payloads = Self::payloads(self.published.message(&term.message).unwrap());
        let placed = term.protocol.is_some() || !term.at.is_empty();
        let at = if Published::is_of_messages(&term.metric, placed) {
            let protocol = protocol.and_then(|id| self.published.protocol(id));
            self.published.placed(protocol, &[&term.at])
        } else {
            BTreeMap::new()
        };
        let of_payload = |(payload, weight): (String, f64)| {
            let key =
                |metric: &String| ((codec.clone(), payload.clone(), at.clone(), metric.clone()), weight);
            term.metric.iter().map(key).collect::<Vec<_>>()
        };
        payloads.into_iter().flat_map(of_payload).collect()
    }

    fn value(&self, term: &Term) -> f64 {
        let sum =
            |parts: Vec<(Key, f64)>| parts.iter().map(|(key, weight)| self.of[key] * weight).sum::<f64>();
        let own = sum(self.parts(&term.format, term.protocol.as_deref(), term));
        own / self.divisor(term).map_or(1.0, sum) / term.per
    }

    /// The value of a quantity.
    fn quantity(&self, quantity: &Quantity) -> f64 {
        match quantity {
            Quantity::Of(term) => self.value(term),
            // With even steps the ends suffice: the figures here are powers.
            Quantity::Trend(terms) => {
                let ends = self.value(terms.last().unwrap()) / self.value(&terms[0]);
                ends.powf(1.0 / (terms.len() - 1) as f64)
            }
            Quantity::Slope(points) => {
                let ([(from, first), ..], Some((to, last))) = (points.as_slice(), points.last()) else {
                    panic!()
                };
                (self.value(last) - self.value(first)) / (to - from)
            }
            Quantity::Level | Quantity::One => 1.0,
        }
    }

    fn ratio(&self, question: &Question) -> f64 {
        self.quantity(&question.left) / self.quantity(&question.right)
    }

    fn set(&mut self, term: &Term, value: f64) {
        let factor = value / self.value(term);
        for (key, _) in self.parts(&term.format, term.protocol.as_deref(), term) {
            *self.of.get_mut(&key).unwrap() *= factor;
        }
    }

    /// Makes the left side of a question this many times its right side, unless both are the same.
    fn put(&mut self, question: &Question, ratio: f64) {
        match (&question.left, &question.right) {
            (Quantity::Of(left), right) => {
                let value = ratio * self.quantity(right);
                self.set(left, value);
            }
            (Quantity::Level, Quantity::Trend(terms)) => self.grow(terms, 1.0 / ratio),
            (Quantity::Trend(terms), Quantity::Level) => self.grow(terms, ratio),
            (Quantity::Slope(less), Quantity::Slope(more)) => {
                self.line(more, 1.0);
                self.line(less, ratio);
            }
            sides => panic!("{sides:?}"),
        }
    }

    /// Makes each term this many times the one before.
    fn grow(&mut self, terms: &[Term], factor: f64) {
        let first = self.value(&terms[0]);
        for (place, term) in terms.iter().enumerate() {
            self.set(term, first * factor.powi(place as i32));
        }
    }

    /// Puts terms on a straight line that rises by this many times 500 from its first point to its last.
    fn line(&mut self, points: &[(f64, Term)], rise: f64) {
        let (from, to) = (points[0].0, points[points.len() - 1].0);
        for (number, term) in points {
            self.set(term, 1_000.0 + 500.0 * rise * (number - from) / (to - from));
        }
    }

    /// A run of five trials that measured these figures: sizes exactly, everything else within a thousandth.
    fn run(&self) -> Summary {
        let trials = |place: usize, (key, &value): (&Key, &f64)| -> BTreeMap<u32, f64> {
            let exact = kind(std::slice::from_ref(&key.3)) == Kind::Size;
            let off = |repeat: u32| ((place as u32 * 7 + repeat * 3) % 5) as f64 / 2_000.0 - 0.001;
            (0..5).map(|repeat| (repeat, if exact { value } else { value * (1.0 + off(repeat)) })).collect()
        };
        type Metrics<'k> = BTreeMap<&'k String, serde_json::Value>;
        let mut codecs: BTreeMap<(&String, &String, &BTreeMap<String, String>), Metrics<'_>> =
            BTreeMap::new();
        for (place, figure) in self.of.iter().enumerate() {
            let (codec, payload, at, metric) = figure.0;
            let metric_summary = serde_json::json!({
                "unit": "ns", "count": 5, "mean": figure.1, "interval_95": null, "median": figure.1,
                "median_interval_95": null, "p90": null, "p99": null, "min": figure.1, "max": figure.1,
                "by_repeat": trials(place, figure)
            });
            codecs.entry((payload, codec, at)).or_default().insert(metric, metric_summary);
        }
        let (codecs, cells): (Vec<_>, Vec<_>) = codecs.into_iter().partition(|((_, _, at), _)| at.is_empty());
        let cells: Vec<_> = cells
            .into_iter()
            .map(|((payload, codec, at), metrics)| cell(payload, codec, at, metrics))
            .collect();
        let codecs = codecs.into_iter().map(|((payload, codec, _), metrics)| {
            serde_json::json!({
                "axes": { "payload": payload, "codec": codec }, "trials": 5, "valid_trials": 5, "invalid": [],
                "metrics": metrics
            })
        });
        let run = serde_json::json!({
            "id": "r", "version": "0", "started": "2026-01-01T00:00:00Z", "duration_ns": 1, "lanes": 1,
            "utilisation": 0.0, "complete": true
        });
        serde_json::from_value(serde_json::json!({
            "schema": 1, "run": run, "study": study(&self.published.study),
            "environment": wiredyno_model::summary::Environment::default(), "codecs_described": [],
            "transports_described": [], "cells": cells, "codecs": codecs.collect::<Vec<_>>(), "not_run": [], "notes": []
        }))
        .unwrap()
    }

    /// What they show, whatever must be equal.
    fn standing(&self, claim: &Claim) -> (Standing, String) {
        let alone = Published { claim: vec![claim.clone()], ..self.published.clone() };
        let of_claim = judge(&alone, &self.run()).remove(0);
        (of_claim.here.unwrap_or(Standing::Open), of_claim.why)
    }
}

/// A cell of a made-up run, with its figures.
fn cell(
    payload: &str,
    codec: &str,
    at: &BTreeMap<String, String>,
    metrics: BTreeMap<&String, serde_json::Value>,
) -> serde_json::Value {
    let mut axes = serde_json::json!({ "payload": payload, "codec": codec, "link": "loopback" });
    let mut options = serde_json::Map::new();
    for (axis, value) in at {
        let number = value.parse::<f64>().ok();
        let value = match (wiredyno_model::axis(axis).unwrap().kind, number) {
            (AxisKind::Number(_), Some(_)) => serde_json::from_str(value).unwrap(),
            (_, Some(whole)) if axis.contains('.') => serde_json::json!(whole as i64),
            _ => serde_json::json!(value),
        };
        if axis.contains('.') {
            options.insert(axis.clone(), value);
        } else {
            axes[axis] = value;
        }
    }
    axes["options"] = options.into();
    serde_json::json!({
        "axes": axes, "trials": 5, "valid_trials": 5, "invalid": [], "broker": null, "metrics": metrics,
        "delivery": wiredyno_model::trial::Delivery::default(), "lost_ratio": null, "wire": null, "wire_setup": null,
        "latency_ecdf": [], "latency_box": null, "trial_latency_ns": []
    })
}

/// The bundled study that repeats a publication.
fn study(id: &str) -> Study {
    let path = format!("{}/../../../studies/{id}.toml", env!("CARGO_MANIFEST_DIR"));
    Study::parse(&path, &std::fs::read_to_string(&path).unwrap()).unwrap()
}

/// A ratio well inside the condition, and one well outside.
fn inside_and_outside(asked: Asked) -> (f64, f64) {
    match asked {
        Asked::Less => (0.5, 1.5),
        Asked::Within(low, f64::INFINITY) => (low * 1.5, low / 1.5),
        Asked::Within(low, high) if low <= 0.0 => (high / 1.5, high * 1.5),
        Asked::Within(low, high) => ((low * high).sqrt(), high * 1.5),
    }
}

fn holds(asked: Asked, ratio: f64) -> bool {
    match asked {
        Asked::Less => ratio <= 0.8,
        // Figures vary by a thousandth: none is put on a bound, unless the bounds leave no room.
        Asked::Within(low, high) if low > 0.0 && high / low > 1.02 => {
            (low * 1.005..=high / 1.005).contains(&ratio)
        }
        Asked::Within(low, high) => (low..=high).contains(&ratio),
    }
}

/// Figures for which every comparison holds; `None` if they contradict each other.
fn in_favour<'a>(published: &'a Published, questions: &[Question]) -> Option<Figures<'a>> {
    let mut figures = Figures::even(published);
    // Each round may undo what the one before did, but an order of n sides settles within n rounds.
    for _ in 0..100 {
        let open: Vec<&Question> =
            questions.iter().filter(|question| !holds(question.asked, figures.ratio(question))).collect();
        if open.is_empty() {
            return Some(figures);
        }
        for question in open {
            figures.put(question, inside_and_outside(question.asked).0);
        }
    }
    None
}

/// Why a claim can't be decided either way.
fn defect(published: &Published, claim: &Claim) -> Option<String> {
    let published = &Published { claim: vec![claim.clone()], ..published.clone() };
    let questions = expand(published, claim);
    if claim.cannot_judge.is_some() {
        let comparable = "it compares something and says that nothing can be judged".to_owned();
        return (!questions.is_empty()).then_some(comparable);
    }
    let Some(figures) = in_favour(published, &questions) else {
        return Some("no figures confirm it".to_owned());
    };
    match figures.standing(claim) {
        (Standing::Holds, _) => {}
        (standing, why) => return Some(format!("in favour of it: {} ({why})", standing.word())),
    }
    if claim.share.is_some() {
        // A share of them must hold: it falls when enough do not.
        let mut against = figures;
        for question in &questions {
            against.put(question, inside_and_outside(question.asked).1);
            if against.standing(claim).0 == Standing::Fails {
                return None;
            }
        }
        return Some("no figures refute it".to_owned());
    }
    for question in &questions {
        let mut against = figures.clone();
        against.put(question, inside_and_outside(question.asked).1);
        match against.standing(claim) {
            (Standing::Fails, _) => {}
            (standing, why) => return Some(format!("against {question:?}: {} ({why})", standing.word())),
        }
    }
    None
}

fn all() -> Vec<Published> {
    bundled().map(|(name, text)| Published::parse(name, text).unwrap()).collect()
}

#[test]
fn every_claim_can_hold_and_fail() {
    let mut asked = 0;
    for published in all() {
        for claim in &published.claim {
            let defect = defect(&published, claim);
            assert_eq!(defect, None, "{} {}: {}", published.study, claim.id, claim.says);
            asked += usize::from(claim.cannot_judge.is_none());
        }
    }
    assert!(asked > 130, "{asked}");
}

/// A claim on a cell that its study lacks, or has more than once, would stay open in any run.
#[test]
fn every_figure_of_messages_is_that_of_one_cell_of_its_study() {
    let serves = |broker: &wiredyno_contract::BrokerId, protocol: &str| match broker.name.as_str() {
        "mosquitto" => protocol == "mqtt",
        "rabbitmq" => protocol == "amqp-0-9-1",
        "qpid" => protocol == "amqp-1-0",
        name => name == protocol,
    };
    let mut asked = 0;
    for published in all() {
        let cells = study(&published.study).cells(&serves);
        let figures = Figures::even(&published);
        for (codec, payload, at, metric) in figures.of.keys().filter(|(_, _, at, _)| !at.is_empty()) {
            let is_it = |cell: &&wiredyno_model::Cell| {
                let own = cell.payload.to_string() == *payload && cell.codec.to_string() == *codec;
                own && at.iter().all(|(axis, value)| cell.value(axis).as_ref() == Some(value))
            };
            let found = cells.iter().filter(is_it).count();
            assert_eq!(found, 1, "{}: {metric} of {payload} in {codec} at {at:?}", published.study);
            asked += 1;
        }
    }
    assert!(asked > 500, "{asked}");
}

/// The first test's result for claims that can't be decided.
#[test]
fn a_claim_that_can_come_out_one_way_only_is_found() {
    let mut published =
        all().into_iter().find(|published| published.study == "scania-serialization").unwrap();
    let claim = |id: &str, published: &Published| {
        published.claim.iter().find(|claim| claim.id == id).unwrap().clone()
    };
    let less = claim("c01", &published);
    assert_eq!(defect(&published, &less), None);
    // Each is less than the other, a contradiction.
    let mut circle = less.clone();
    let pair = circle.less.take().unwrap();
    circle.order = Some(vec![pair.of.clone(), pair.than.clone(), pair.of.clone()]);
    assert_eq!(defect(&published, &circle), Some("no figures confirm it".to_owned()));
    // Two formats with the same codec.
    let codec = published.format[1].codec.clone();
    published.format[2].codec = codec;
    assert_eq!(defect(&published, &less), Some("no figures confirm it".to_owned()));
    // Times are never exactly alike.
    let exactly = r#"id = "x"
says = "s"
where = "w"
metric = ["encode"]
messages = ["current-status"]
equal = { of = { format = "json" }, to = { format = "protobuf" }, within = 0 }"#;
    let exactly: Claim = parse_toml("x.toml", exactly).unwrap();
    published.claim = vec![exactly.clone()];
    let defect = defect(&published, &exactly).unwrap();
    assert!(defect.starts_with("in favour of it: "), "{defect}");
}

/// Whole processes that contain the same program on both sides differ too little for what a study found with programs that
/// contain one format each.
#[test]
fn claims_on_whole_processes_are_asked_of_runners_with_one_codec() {
    let mut asked = BTreeSet::new();
    for published in all() {
        let whole = |question: &Question| {
            question
                .terms()
                .iter()
                .any(|term| term.metric.iter().any(|metric| metric.starts_with("resident_")))
        };
        for claim in published.claim.iter().filter(|claim| expand(&published, claim).iter().any(whole)) {
            let alone = study(&published.study).codec_trials.alone;
            assert!(alone, "{} {}: set codec_trials.alone in its study", published.study, claim.id);
            asked.insert(claim.id.clone());
        }
    }
    assert_eq!(asked.into_iter().collect::<Vec<_>>(), ["c07", "c08"]);
}

/// The study's own figures would confirm both, and those of runners that differ slightly refute them.
#[test]
fn the_memory_claims_of_the_vehicle_to_cloud_study_follow_the_figures() {
    let published = all().into_iter().find(|published| published.study == "scania-serialization").unwrap();
    let claims = published.claim.iter().filter(|claim| ["c07", "c08"].contains(&claim.id.as_str()));
    let verdicts = |encode: [f64; 2], decode: [f64; 2]| {
        let mut figures = Figures::even(&published);
        for (codec, place) in [("protobuf/prost", 0), ("flatbuffers/planus", 1)] {
            for (metric, mb) in [("resident_encode", encode[place]), ("resident_decode", decode[place])] {
                let key = (codec.to_owned(), "current-status".to_owned(), BTreeMap::new(), metric.to_owned());
                figures.of.insert(key, mb * 1e6);
            }
        }
        claims.clone().map(|claim| figures.standing(claim).0).collect::<Vec<_>>()
    };
    assert_eq!(verdicts([5.87, 3.76], [5.28, 2.04]), [Standing::Holds; 2]);
    assert_eq!(verdicts([4.1, 4.0], [4.2, 4.0]), [Standing::Fails; 2]);
}
