//! The same cell against itself, on recorded trials: `recorded_aa.json`, written by `make bench-aa`, which states
//! inside how, on what machine and in what state it was recorded. To record again:
//!
//! ```text
//! WIREDYNO_BENCH_RECORD=$PWD/crates/results/stats/tests/recorded_aa.json make bench-aa
//! ```
//!
//! The seed was fixed before the first recording and must not be changed to make the test pass.

use serde_json::Value;
use wiredyno_stats::{Level, Sample, disjoint_pairs, false_differences, interleaved_pairs};

/// Fixed before the first recording.
const SEED: u64 = 20_261_121;
/// Trials in each of the two sets of a comparison.
const TRIALS: usize = 5;
/// Number of comparisons.
const COMPARISONS: usize = 100;
/// False differences they may show at the 5 % level; a binomial exceeds it in 0.4 % of the cases.
const MOST_FALSE_DIFFERENCES: u64 = 11;

/// Name of each quantity, with one value per trial, in the order of the trials.
fn recorded() -> Vec<(String, Sample)> {
    let recording: Value = serde_json::from_str(include_str!("../recorded_aa.json")).unwrap();
    let quantities = recording["quantities"].as_array().unwrap();
    let values = |quantity: &Value| -> Vec<f64> {
        quantity["values"].as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect()
    };
    let named = |quantity: &Value| quantity["name"].as_str().unwrap().to_owned();
    quantities.iter().map(|quantity| (named(quantity), Sample::new(values(quantity)).unwrap())).collect()
}

#[test]
fn a_hundred_comparisons_of_a_recorded_cell_with_itself_find_at_most_eleven_differences() {
    let quantities = recorded();
    assert!(quantities.iter().any(|(name, _)| name.starts_with("codec trial")));
    assert!(quantities.iter().any(|(name, _)| name.starts_with("latency")));
    for (name, values) in &quantities {
        let drawn = disjoint_pairs(values, TRIALS, COMPARISONS, SEED);
        let turns = interleaved_pairs(values, TRIALS, COMPARISONS);
        for (how, pairs) in [("drawn", drawn), ("in turns", turns)] {
            assert_eq!(pairs.len(), COMPARISONS, "{name}, {how}: too few trials were recorded");
            let found = false_differences(&pairs, Level::P95).unwrap();
            println!("seed {SEED}, {name}, {how}: {found:?}");
            assert!(found.by_t <= MOST_FALSE_DIFFERENCES, "seed {SEED}, {name}, {how}: {found:?}");
            assert!(found.by_rank <= MOST_FALSE_DIFFERENCES, "seed {SEED}, {name}, {how}: {found:?}");
        }
    }
}

/// A recording of a single number, or with copied trials, would pass the other test.
#[test]
fn recorded_trials_differ_from_each_other() {
    for (name, values) in recorded() {
        let mut distinct = values.sorted().to_vec();
        distinct.dedup();
        // Times are rounded to hundredths of a nanosecond, so that short ones may coincide.
        assert!(
            distinct.len() > values.count() / 4,
            "{name}: {} of {} differ",
            distinct.len(),
            values.count()
        );
    }
}

/// The opposite check: a test that never finds anything would pass the first one. Values of one set, ten times as
/// large, really differ. Those of latencies are printed and not bounded: this recording comes from a machine that
/// compiled at the same time, some trials have a hundred times the others' latency, and sets of five with such a
/// trial can't be distinguished from anything. So the first test says little about latencies; a new recording on a
/// quiet machine will say more.
#[test]
fn a_real_difference_in_recorded_codec_trials_is_found() {
    for (name, values) in recorded() {
        let pairs: Vec<(Sample, Sample)> = disjoint_pairs(&values, TRIALS, COMPARISONS, SEED)
            .into_iter()
            .map(|(a, b)| {
                let tenfold: Vec<f64> = b.values().iter().map(|value| value * 10.0).collect();
                (a, Sample::new(tenfold).unwrap())
            })
            .collect();
        let found = false_differences(&pairs, Level::P95).unwrap();
        println!("{name}: {found:?}");
        if name.starts_with("codec trial") {
            assert!(found.by_t >= 80 && found.by_rank >= 95, "seed {SEED}, {name}: {found:?}");
        }
    }
}
