//! Change points of a figure over the runs of a study.
//!
//! At each boundary between two runs, the repeats of up to three runs before are compared with those of up to three after by the Wilcoxon
//! rank-sum test. The clearest boundary splits the runs when its p-value times the number of boundaries is below 0.01; both parts are then searched
//! in the same way (binary segmentation: A. J. Scott and M. Knott, "A Cluster Analysis Method for Grouping Means in the Analysis of
//! Variance", 1974; short windows, because a rise and a fall cancel out over whole parts).
//!
//! Limits: repeats of one run are closer to one another than to those of another day, so a change means "another figure", not "another
//! program"; what else changed is listed with it.

use wiredyno_stats::Sample;
use wiredyno_stats::rank_test::rank_sum;

/// Runs compared on each side of a boundary.
const WINDOW: usize = 3;
/// Significance level, over all boundaries of a part together (Bonferroni).
const LEVEL: f64 = 0.01;

/// The first run of each new level, with the ratio of the new level to the old one. `runs` holds each run's repeats, the oldest first.
pub fn points(runs: &[Vec<f64>]) -> Vec<(usize, f64)> {
    let mut found = Vec::new();
    part(runs, 0, &mut found);
    found.sort_by_key(|(at, _)| *at);
    // The ratio of the part after to the part before, by geometric means.
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
