//! Runs drawn from recorded trials of equal cells: without a difference none is found, and an inserted one is found.
//!
//! Recorded were 40 repeats of a payload and of a copy of it under another name, in two formats that stand for two payloads here,
//! in one run and interleaved like a study's cells (`recorded.json`: trials of both copies by cell and metric). Each drawn run
//! has five of these repeats, and the two copies, in random order, stand for two codecs. So whatever effect the codecs seem to
//! have is false, and what is applied to one of them is known.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::made_up::{self, Figures};
use serde::Deserialize;
use wiredyno_answers::effects;
use wiredyno_model::metric::{self, Scope};
use wiredyno_model::summary::{Effect, EffectVerdict, Summary};
use wiredyno_stats::draw::Draws;

/// Number of runs that are drawn.
const RUNS: usize = 200;

/// Repeats of the demo, and of each drawn run.
const REPEATS: usize = 5;

/// With a true rate of 5 %, more false families than this occur once in a thousand tables.
const MOST_FALSE: usize = 20;

const STUDY: &str = r#"
name = "drawn"
why = "?"
[axes]
payload = ["small", "person"]
codec = ["json/serde-json", "protobuf/prost"]
mode = ["mqtt:qos1", "mqtt:qos2", "tcp"]
link = ["lan", "lte"]
loss = [0.0, 0.05]
[load]
kind = "open"
interval = "50ms"
messages = 10
deadline = "2s"
drain = "3s"
[trials]
repeats = REPEATS
"#;

/// By metric, then repeat by repeat: the values of the two copies.
type Copies = BTreeMap<String, Vec<[f64; 2]>>;

#[derive(Deserialize)]
struct Recorded {
    /// By payload, mode, link and loss.
    messages: BTreeMap<String, Copies>,
    /// The codec trials, by payload.
    codecs: BTreeMap<String, Copies>,
}

static RECORDED: LazyLock<Recorded> =
    LazyLock::new(|| serde_json::from_str(include_str!("../recorded.json")).unwrap());

/// A drawn run; `change` is the factor on the second codec's figures, by link (none for codec trials) and metric.
fn drawn(draws: &mut Draws, count: usize, change: &dyn Fn(Option<&str>, &str) -> f64) -> Summary {
    let all = RECORDED.codecs["small"]["total"].len();
    let mut order: Vec<usize> = (0..all).collect();
    draws.shuffle(&mut order);
    // Which of the copies is the first one in a repeat.
    let repeats: Vec<(usize, usize)> =
        order[..count].iter().map(|repeat| (*repeat, draws.index(2))).collect();
    let figures = |copies: &Copies, link: Option<&str>, format: &str, repeat: u32, scope: Scope| -> Figures {
        let second = usize::from(format == "protobuf");
        let of = |(name, trials): (&String, &Vec<[f64; 2]>)| {
            let times = if second == 1 { change(link, name) } else { 1.0 };
            let known = metric::all(scope).find(|known| known.name == *name).unwrap();
            // Names of the table live as long as the test.
            let name: &'static str = Box::leak(known.name.into_boxed_str());
            let (trial, first) = repeats[repeat as usize];
            (name, trials[trial][(first + second) % 2] * times)
        };
        copies.iter().map(of).collect()
    };
    made_up::run(
        &STUDY.replace("REPEATS", &count.to_string()),
        |cell, repeat| {
            let link = cell.link.as_str();
            let name = format!("{} {} {link} {}", cell.payload, cell.mode, cell.loss.unwrap());
            figures(&RECORDED.messages[&name], Some(link), &cell.codec.format, repeat, Scope::Message)
        },
        |cell, repeat| {
            let copies = &RECORDED.codecs[&cell.payload.to_string()];
            figures(copies, None, &cell.codec.format, repeat, Scope::Codec)
        },
    )
}

fn of_codec(summary: &Summary) -> Vec<Effect> {
    effects(summary).into_iter().filter(|effect| effect.axis == "codec").collect()
}

fn real(effect: &Effect) -> bool {
    matches!(effect.verdict, EffectVerdict::Better | EffectVerdict::Worse)
}

/// How many of the drawn runs find an effect in the family of a metric, by metric; and the median number of repeats that they
/// report for 10 % of latency.
fn found(
    repeats: usize,
    change: &dyn Fn(Option<&str>, &str) -> f64,
    only: &dyn Fn(&mut Summary),
) -> (BTreeMap<String, usize>, usize) {
    let mut draws = Draws::seeded(20_261_124);
    let mut found: BTreeMap<String, usize> = BTreeMap::new();
    let mut needed = Vec::new();
    for _ in 0..RUNS {
        let mut summary = drawn(&mut draws, repeats, change);
        only(&mut summary);
        let mut metrics: BTreeMap<String, bool> = BTreeMap::new();
        for effect in of_codec(&summary) {
            if effect.metric == "latency" {
                needed.extend(effect.repeats_needed);
            }
            *metrics.entry(effect.metric.clone()).or_default() |= real(&effect);
        }
        metrics.into_iter().for_each(|(metric, real)| *found.entry(metric).or_default() += usize::from(real));
    }
    needed.sort_unstable();
    let median = needed.get(needed.len() / 2).map_or(0, |repeats| *repeats as usize);
    println!("{found:?} of {RUNS} with {repeats} repeats; 10 % of latency take {median}");
    (found, median)
}

fn all(_: &mut Summary) {}

#[test]
fn where_nothing_differs_nothing_is_found() {
    let (found, _) = found(REPEATS, &|_, _| 1.0, &all);
    for (metric, times) in &found {
        assert!(*times <= MOST_FALSE, "{metric}: {times} of {RUNS} runs find a difference between equals");
    }
}

/// With the demo's five repeats, or with as many as reports recommend.
#[test]
fn ten_per_cent_of_latency_over_lan_are_found_with_the_repeats_that_are_said() {
    let slower =
        |link: Option<&str>, metric: &str| if link == Some("lan") && metric == "latency" { 1.1 } else { 1.0 };
    let only_lan = |summary: &mut Summary| {
        let fits = |cell: &wiredyno_model::Cell| {
            cell.link.as_str() == "lan" && cell.loss.is_some_and(|loss| loss.get() == 0.0)
        };
        summary.cells.retain(|cell| fits(&cell.axes));
    };
    let (_, needed) = found(REPEATS, &slower, &only_lan);
    let recorded = RECORDED.codecs["small"]["total"].len();
    let (found, _) = found(needed.min(recorded), &slower, &only_lan);
    assert!(found["latency"] * 10 >= RUNS * 8, "{found:?}");
}

#[test]
fn three_per_cent_of_codec_time_are_found_with_six_repeats() {
    let slower = |_: Option<&str>, metric: &str| if metric == "total" { 1.03 } else { 1.0 };
    let (found, _) = found(6, &slower, &all);
    assert!(found["total"] * 10 >= RUNS * 8, "{found:?}");
}
