//! Where a figure became another one, over the runs of a study.
//!
//! At each place between two runs, the repeats of up to three runs before are compared with those of up to three behind by the Wilcoxon
//! rank-sum test. The clearest place parts the runs when its p-value times the number of places is below 0.01, and both parts are looked at
//! in the same way (binary segmentation: A. J. Scott and M. Knott, "A Cluster Analysis Method for Grouping Means in the Analysis of
//! Variance", 1974; near windows, because a rise and a fall would hide one another in whole parts).
//!
//! Limits: repeats of one run are nearer to one another than to those of another day, so that a change says "another figure", not "another
//! program"; what changed with it stands beside it.

use wiredyno_stats::Sample;
use wiredyno_stats::rank_test::rank_sum;

/// Runs on each side of a place that are compared.
const WINDOW: usize = 3;
/// A change that is no accident, for all places of a history together.
const LEVEL: f64 = 0.01;

/// The runs from which on the figure is another one, with how many times what it was: from the repeats of each run, the oldest first.
pub fn points(runs: &[Vec<f64>]) -> Vec<(usize, f64)> {
    let mut found = Vec::new();
    part(runs, 0, &mut found);
    found.sort_by_key(|(at, _)| *at);
    // By how much, from the part before to the part behind.
    let bounds: Vec<usize> =
        std::iter::once(0).chain(found.iter().map(|(at, _)| *at)).chain([runs.len()]).collect();
    for (place, (_, ratio)) in found.iter_mut().enumerate() {
        let mean = |from: usize, to: usize| {
            let logs: Vec<f64> = runs[from..to].iter().flatten().map(|value| value.ln()).collect();
            logs.iter().sum::<f64>() / logs.len().max(1) as f64
        };
        *ratio = (mean(bounds[place + 1], bounds[place + 2]) - mean(bounds[place], bounds[place + 1])).exp();
    }
    found
}

fn part(runs: &[Vec<f64>], offset: usize, found: &mut Vec<(usize, f64)>) {
    let places = 1..runs.len();
    let number = places.len() as f64;
    let p_of = |at: usize| {
        let side = |runs: &[Vec<f64>]| Sample::new(runs.concat()).ok();
        let (from, to) = (at.saturating_sub(WINDOW), runs.len().min(at + WINDOW));
        let (before, behind) = (side(&runs[from..at])?, side(&runs[at..to])?);
        Some((at, rank_sum(&before, &behind).p_value))
    };
    let clearest = places.filter_map(p_of).min_by(|a, b| a.1.total_cmp(&b.1));
    if let Some((at, _)) = clearest.filter(|(_, p)| p * number < LEVEL) {
        found.push((offset + at, 1.0));
        part(&runs[..at], offset, found);
        part(&runs[at..], offset + at, found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(mean: f64) -> Vec<f64> {
        [0.98, 0.99, 1.0, 1.01, 1.02].map(|factor| mean * factor).to_vec()
    }

    #[test]
    fn a_step_is_found_with_its_size_and_a_level_history_has_none() {
        let means = [10.0, 10.02, 9.99, 12.0, 12.03, 11.98];
        let found = points(&means.map(run));
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].0, 3);
        assert!((found[0].1 - 1.2).abs() < 0.01, "{found:?}");
        assert!(points(&[10.0, 10.0, 10.0, 10.0].map(run)).is_empty());
        assert!(points(&[run(10.0)]).is_empty() && points(&[]).is_empty());
        assert!(points(&[vec![], run(10.0), vec![]]).is_empty());
    }

    #[test]
    fn a_rise_and_a_fall_are_two_changes() {
        let found = points(&[10.0, 10.0, 10.0, 20.0, 20.0, 20.0, 10.0, 10.0, 10.0].map(run));
        assert_eq!(found.iter().map(|(at, _)| *at).collect::<Vec<_>>(), [3, 6]);
    }
}
