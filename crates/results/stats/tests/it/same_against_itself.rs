//! The same cell against itself: how often do we find a difference that does not exist?
//!
//! The values are generated like a recorded cell's: each trial has its own level (machine state, broker), its messages a
//! skewed latency on top, a few stragglers, and the trial's value is their mean, median or p99. Seeds were fixed before
//! the first execution and must not be changed to make the test pass.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use wiredyno_stats::{
    Bootstrap, CellValues, Direction, Level, Pairing, Quantile, Sample, Scale, Statistic, best,
    disjoint_pairs, distribution, false_differences,
};

/// Fixed before the first execution.
const SEED: u64 = 20_261_121;
/// Trials in each of the two sets of a comparison.
const TRIALS: usize = 5;
/// Number of comparisons.
const COMPARISONS: usize = 100;
/// False differences they may show at the 5 % level; a binomial exceeds it in 0.4 % of the cases.
const MOST_FALSE_DIFFERENCES: u64 = 11;

struct Machine(ChaCha8Rng);

impl Machine {
    /// Strictly between 0 and 1.
    fn uniform(&mut self) -> f64 {
        ((self.0.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        distribution::normal_quantile(self.uniform())
    }

    /// Latencies of one trial, in nanoseconds.
    fn trial(&mut self) -> Sample {
        let level_ns = 70e6 + 1.5e6 * self.normal();
        let latencies_ns: Vec<i64> = (0..50)
            .map(|_| {
                let jitter_ns = 2e6 * (0.7 * self.normal()).exp();
                let straggler_ns = if self.uniform() < 0.02 { 40e6 } else { 0.0 };
                (level_ns + jitter_ns + straggler_ns) as i64
            })
            .collect();
        Sample::from_signed(&latencies_ns).unwrap()
    }
}

/// One value per trial, as many trials as the comparisons use.
fn recorded(statistic: Statistic) -> Sample {
    let mut machine = Machine(ChaCha8Rng::seed_from_u64(SEED));
    let trials = 2 * TRIALS * COMPARISONS;
    Sample::new((0..trials).map(|_| statistic.of(&machine.trial())).collect::<Vec<_>>()).unwrap()
}

#[test]
fn a_hundred_comparisons_of_a_cell_with_itself_find_at_most_eleven_differences() {
    for statistic in [Statistic::Mean, Statistic::MEDIAN, Statistic::Quantile(Quantile::P99)] {
        let pairs = disjoint_pairs(&recorded(statistic), TRIALS, COMPARISONS, SEED);
        assert_eq!(pairs.len(), COMPARISONS);
        let found = false_differences(&pairs, Level::P95).unwrap();
        println!("seed {SEED}, {statistic:?}: {found:?}");
        assert!(found.by_t <= MOST_FALSE_DIFFERENCES, "seed {SEED}, {statistic:?}: {found:?}");
        assert!(found.by_rank <= MOST_FALSE_DIFFERENCES, "seed {SEED}, {statistic:?}: {found:?}");
    }
}

/// The verdict that reports give, on logarithms: six sets of one cell at a time, on links that differ by factors between
/// repeats. At most 5 % of the reports may distinguish any of them from the best; of 400 a binomial with 0.05 has 4
/// standard deviations at 37. And two sets at a time, at most the eleven in a hundred that a single test may find.
#[test]
fn reports_seldom_set_a_cell_apart_from_itself() {
    let mut machine = Machine(ChaCha8Rng::seed_from_u64(SEED + 2));
    for pairing in [Pairing::ByRepeat, Pairing::Independent] {
        let mut wrong = |cells: u32, reports: u32| {
            (0..reports)
                .filter(|_| {
                    let cells = cells_of_one_kind(&mut machine, cells);
                    let report = best(&cells, Direction::LowerIsBetter, pairing, Level::P95).unwrap();
                    assert_eq!(report.scale, Scale::Logarithms);
                    report.ties().count() < report.others.len()
                })
                .count()
        };
        let (six, two) = (wrong(6, 400), wrong(2, 100));
        println!("seed {SEED}, {pairing:?}: {six} of 400 reports of six, {two} of 100 of two");
        assert!(six <= 37, "seed {SEED}, {pairing:?}: {six} of 400");
        assert!(two as u64 <= MOST_FALSE_DIFFERENCES, "seed {SEED}, {pairing:?}: {two} of 100");
    }
}

/// Mean latencies of trials, one factor for each repeat (a normal logarithm with deviation 0.5).
fn cells_of_one_kind(machine: &mut Machine, cells: u32) -> Vec<CellValues> {
    let factors: Vec<f64> = (0..TRIALS).map(|_| (0.5 * machine.normal()).exp()).collect();
    let mut values =
        || -> Vec<f64> { factors.iter().map(|factor| factor * machine.trial().mean()).collect() };
    (0..cells).map(|cell| CellValues::numbered(cell.to_string(), &values())).collect()
}

/// The opposite check: a test that never finds anything would pass the one above.
#[test]
fn a_real_difference_is_found_nearly_always() {
    let pairs: Vec<(Sample, Sample)> =
        disjoint_pairs(&recorded(Statistic::MEDIAN), TRIALS, COMPARISONS, SEED)
            .into_iter()
            .map(|(a, b)| (a, Sample::new(b.values().iter().map(|ns| ns + 7e6).collect::<Vec<_>>()).unwrap()))
            .collect();
    let found = false_differences(&pairs, Level::P95).unwrap();
    println!("{found:?}");
    assert!(found.by_t >= 95, "seed {SEED}: {found:?}");
}

/// Why the trial is the unit: messages treated as independent turn the trials' levels into differences.
#[test]
fn messages_taken_as_independent_would_fail_this() {
    let mut machine = Machine(ChaCha8Rng::seed_from_u64(SEED));
    let mut pooled = || {
        let messages: Vec<f64> = (0..TRIALS).flat_map(|_| machine.trial().values().to_vec()).collect();
        Sample::new(messages).unwrap()
    };
    let pairs: Vec<(Sample, Sample)> = (0..COMPARISONS).map(|_| (pooled(), pooled())).collect();
    let found = false_differences(&pairs, Level::P95).unwrap();
    println!("{found:?}");
    assert!(found.by_rank > 2 * MOST_FALSE_DIFFERENCES, "seed {SEED}: {found:?}");
}

/// Medians of all messages: drawing whole trials covers the truth, drawing messages does not.
#[test]
fn intervals_over_trials_cover_what_intervals_over_messages_miss() {
    let mut machine = Machine(ChaCha8Rng::seed_from_u64(SEED + 1));
    let many: Vec<f64> = (0..4000).flat_map(|_| machine.trial().values().to_vec()).collect();
    let truth_ns = Statistic::MEDIAN.of(&Sample::new(many).unwrap());
    let (mut by_trials, mut by_messages) = (0, 0);
    for seed in 0..60 {
        let trials: Vec<Sample> = (0..10).map(|_| machine.trial()).collect();
        let bootstrap = Bootstrap { resamples: 500, ..Bootstrap::seeded(seed) };
        let all: Vec<f64> = trials.iter().flat_map(|trial| trial.values().to_vec()).collect();
        let over_trials = bootstrap.messages(&trials, Statistic::MEDIAN).unwrap();
        let over_messages = bootstrap.values(&Sample::new(all).unwrap(), Statistic::MEDIAN).unwrap();
        by_trials += u32::from(over_trials.contains(truth_ns));
        by_messages += u32::from(over_messages.contains(truth_ns));
    }
    println!("of 60: {by_trials} by trials, {by_messages} by messages");
    assert!(by_trials >= 50, "{by_trials} of 60");
    assert!(by_messages <= 40, "{by_messages} of 60");
}
