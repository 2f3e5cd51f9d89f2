//! How often `recommend` names a single choice, by simulation: of equal candidates hardly ever, of one that is better nearly always.
//!
//! The slow test prints the table of docs/METHODOLOGY.md; the fast one computes a part of it. Seeds are fixed.

use crate::made_up::{self, Figures};
use wiredyno_answers::recommend::{Need, Recommendation, Weight, recommend};
use wiredyno_model::summary::Summary;
use wiredyno_model::{Cell, Selection};
use wiredyno_stats::draw::Draws;

#[derive(Debug, Clone, Copy)]
struct Setting {
    candidates: usize,
    repeats: usize,
    /// The standard deviation of a trial's logarithm.
    scatter: f64,
    /// The factor by which every other candidate is worse than the first.
    worse: f64,
}

/// Results of the drawn runs.
#[derive(Debug, Default)]
struct Found {
    runs: usize,
    single: usize,
    wrong: usize,
    best_outside: usize,
    best_alone: usize,
}

/// Nearly normal: the sum of twelve uniform draws minus six.
fn normal(draws: &mut Draws) -> f64 {
    (0..12).map(|_| draws.index(1 << 20) as f64 / f64::from(1 << 20)).sum::<f64>() - 6.0
}

/// Modes whose names sort, so that the first is the best if one is.
fn modes(count: usize) -> Vec<String> {
    (0..count).map(|place| format!("mqtt:qos{}", place % 3)).collect()
}

/// A run of several candidates: codecs over modes, all with the same latency except for the scatter of each trial and what repeats share.
fn drawn(setting: Setting, draws: &mut Draws) -> Summary {
    let codecs = [
        "json/serde-json",
        "protobuf/prost",
        "cbor/ciborium",
        "msgpack/rmp-serde",
        "bson/bson",
        "xdr/serde-xdr",
        "json/sonic-rs",
    ];
    let modes: Vec<String> = modes(setting.candidates.min(3));
    let quoted = |all: &[String]| all.iter().map(|one| format!("\"{one}\"")).collect::<Vec<_>>().join(", ");
    let codecs: Vec<String> =
        codecs[..setting.candidates.div_ceil(modes.len())].iter().map(ToString::to_string).collect();
    let study = format!(
        "name = \"drawn\"\nwhy = \"?\"\n[axes]\npayload = [\"small\"]\ncodec = [{}]\nmode = [{}]\nlink = [\"lan\"]\n\
         [load]\nkind = \"closed\"\nmessages = 10\ndeadline = \"2s\"\ndrain = \"8s\"\n[trials]\nrepeats = {}\n",
        quoted(&codecs),
        quoted(&modes),
        setting.repeats
    );
    let shared: Vec<f64> = (0..setting.repeats).map(|_| 0.2 * normal(draws)).collect();
    let own: Vec<Vec<[f64; 2]>> = (0..setting.candidates)
        .map(|_| (0..setting.repeats).map(|_| [normal(draws), normal(draws)]).collect())
        .collect();
    let place_of = |cell: &Cell| {
        let codec = codecs.iter().position(|codec| *codec == cell.codec.to_string()).unwrap();
        let mode = modes.iter().position(|mode| *mode == cell.mode.to_string()).unwrap();
        codec * modes.len() + mode
    };
    let figures = |cell: &Cell, repeat: u32| -> Figures {
        let place = place_of(cell).min(setting.candidates - 1);
        let times = if place == 0 { 1.0 } else { setting.worse };
        let [time, bytes] = own[place][repeat as usize].map(|normal| (setting.scatter * normal).exp());
        vec![
            ("latency", 50e6 * times * time * shared[repeat as usize].exp()),
            ("wire_per_message", 400.0 * times * bytes),
            ("lost", 0.0),
        ]
    };
    let mut summary = made_up::messages(&study, figures);
    summary.cells.retain(|cell| place_of(&cell.axes) < setting.candidates);
    summary
}

fn simulated(setting: Setting, runs: usize) -> Found {
    let mut draws = Draws::seeded(20_261_127 + setting.candidates as u64 * 100 + setting.repeats as u64);
    let needs = Need::with_default(Vec::new(), true).unwrap();
    let weights = Weight::parse("time=1,bytes=1", true).unwrap();
    let mut found = Found { runs, ..Found::default() };
    for _ in 0..runs {
        let summary = drawn(setting, &mut draws);
        let answer = recommend(&summary, &Selection::default(), &needs, &weights).unwrap();
        count(&mut found, &answer);
    }
    found
}

fn count(found: &mut Found, answer: &Recommendation) {
    let best = "json/serde-json over mqtt:qos0";
    assert!(answer.left_out.is_empty() && answer.miss.is_empty(), "{answer:?}");
    found.single += usize::from(answer.choice.is_some());
    found.wrong += usize::from(answer.choice.as_deref().is_some_and(|choice| choice != best));
    found.best_outside += usize::from(!answer.group.iter().any(|name| name == best));
    found.best_alone += usize::from(answer.choice.as_deref() == Some(best));
}

/// With a true share of 5 %, a table exceeds this number once in a thousand: three standard deviations above.
fn most(runs: usize) -> usize {
    (0.05 * runs as f64 + 3.0 * (0.05 * 0.95 * runs as f64).sqrt()) as usize
}

fn row(setting: Setting, found: &Found) -> String {
    let share = |count: usize| format!("{:.1} %", 100.0 * count as f64 / found.runs as f64);
    let Setting { candidates, repeats, scatter, worse } = setting;
    format!(
        "| {candidates} | {repeats} | {} % | {:.0} % | {} | {} | {} | {} |",
        100.0 * scatter,
        100.0 * (worse - 1.0),
        share(found.single),
        share(found.wrong),
        share(found.best_outside),
        share(found.best_alone)
    )
}

fn check(setting: Setting, found: &Found) {
    let told = format!("{setting:?}: {found:?}");
    let most = most(found.runs);
    if setting.worse == 1.0 {
        assert!(found.single <= most, "equal candidates, and a single choice: {told}");
        return;
    }
    assert!(found.wrong <= most && found.best_outside <= most, "{told}");
    if setting.candidates == 6 && setting.repeats == 10 && setting.scatter == 0.05 {
        assert!(found.best_alone * 10 >= found.runs * 9, "{told}");
    }
}

fn all() -> impl Iterator<Item = Setting> {
    [1.0, 1.2].into_iter().flat_map(|worse| {
        [2, 6, 20].into_iter().flat_map(move |candidates| {
            [5, 10].into_iter().flat_map(move |repeats| {
                [0.02, 0.05, 0.1].into_iter().map(move |scatter| Setting {
                    candidates,
                    repeats,
                    scatter,
                    worse,
                })
            })
        })
    })
}

#[test]
fn equals_are_hardly_ever_a_single_choice_and_what_is_better_is() {
    for (candidates, repeats, scatter, worse) in
        [(2, 5, 0.05, 1.0), (2, 10, 0.1, 1.0), (6, 5, 0.02, 1.0), (6, 10, 0.05, 1.2), (2, 5, 0.1, 1.2)]
    {
        let setting = Setting { candidates, repeats, scatter, worse };
        check(setting, &simulated(setting, 100));
    }
}

/// With WIREDYNO_TEST_FULL: the whole table.
#[test]
fn the_table_of_choices() {
    if std::env::var_os("WIREDYNO_TEST_FULL").is_none() {
        return;
    }
    for setting in all() {
        let found = simulated(setting, 1_000);
        println!("{}", row(setting, &found));
        check(setting, &found);
    }
}
