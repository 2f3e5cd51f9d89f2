//! Two sets of trials compared, and how often the same cell differs from itself.

use serde::{Deserialize, Serialize};

use crate::draw::Draws;
use crate::effect;
use crate::interval::{Interval, NoInterval};
use crate::parameter::Level;
use crate::rank_test::{self, RankTest};
use crate::sample::Sample;
use crate::t_test::{self, TTest};

/// `candidate` compared with `baseline`, one value per trial on both sides.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// Arithmetic mean of the baseline.
    pub baseline_mean: f64,
    /// Arithmetic mean of the candidate.
    pub candidate_mean: f64,
    /// Candidate minus baseline, by Welch's t. It decides the verdict.
    pub difference: TTest,
    /// Candidate divided by baseline, by Fieller; `None` if the baseline can't be distinguished from 0.
    pub ratio: Option<Interval>,
    /// Rank sum test of candidate and baseline: a second opinion that outliers can't affect.
    pub rank_sum: RankTest,
    /// Cliff's delta, above 0 when the candidate's values are greater.
    pub cliffs_delta: f64,
    /// Hedges' g, above 0 when the candidate's mean is greater; `None` without variance.
    pub hedges_g: Option<f64>,
    /// Whether Welch's test rejects at the given level, not corrected for other comparisons.
    pub differs: bool,
}

/// Compares two sets of independent trials.
///
/// # Errors
/// [`NoInterval::TooFewTrials`] when either has fewer than [`crate::MIN_TRIALS_FOR_INTERVAL`] values.
pub fn compare(baseline: &Sample, candidate: &Sample, level: Level) -> Result<Comparison, NoInterval> {
    let difference = t_test::welch(candidate, baseline, level)?;
    Ok(Comparison {
        baseline_mean: baseline.mean(),
        candidate_mean: candidate.mean(),
        difference,
        ratio: effect::ratio_of_means(candidate, baseline, level).ok(),
        rank_sum: rank_test::rank_sum(candidate, baseline),
        cliffs_delta: effect::cliffs_delta(candidate, baseline),
        hedges_g: effect::hedges_g(candidate, baseline),
        differs: difference.p_value < level.error_rate(),
    })
}

/// Result of comparisons in which nothing differs (A/A). At 5 %, 100 independent ones find more than 11 false
/// differences with probability 0.004: more than that shows that the trials do not meet the test's
/// assumptions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FalseDifferences {
    /// Number of comparisons made.
    pub comparisons: u64,
    /// Those in which Welch's test found a difference.
    pub by_t: u64,
    /// Those in which the rank sum test found one.
    pub by_rank: u64,
}

/// Compares pairs of recorded sets of one cell, without correction for their number.
///
/// # Errors
/// As [`compare`], for the first pair that is too small.
pub fn false_differences(pairs: &[(Sample, Sample)], level: Level) -> Result<FalseDifferences, NoInterval> {
    let mut found = FalseDifferences { comparisons: pairs.len() as u64, by_t: 0, by_rank: 0 };
    for (baseline, candidate) in pairs {
        let comparison = compare(baseline, candidate, level)?;
        found.by_t += u64::from(comparison.differs);
        found.by_rank += u64::from(comparison.rank_sum.p_value < level.error_rate());
    }
    Ok(found)
}

/// Splits the recorded trials of one cell into `pairs` disjoint pairs of sets of `per_set`, in an order drawn
/// from `seed`, so that no trial is used twice and the comparisons are independent. Returns fewer pairs if
/// there are too few trials.
pub fn disjoint_pairs(recorded: &Sample, per_set: usize, pairs: usize, seed: u64) -> Vec<(Sample, Sample)> {
    let mut shuffled = recorded.values().to_vec();
    Draws::seeded(seed).shuffle(&mut shuffled);
    shuffled
        .chunks_exact(2 * per_set.max(1))
        .take(pairs)
        .filter_map(|chunk| {
            let (baseline, candidate) = chunk.split_at(chunk.len() / 2);
            Some((Sample::new(baseline).ok()?, Sample::new(candidate).ok()?))
        })
        .collect()
}

/// Splits the recorded trials of one cell into `pairs` pairs of sets of `per_set`, each pair from consecutive
/// trials, assigned to the two sets in turn: like two cells of an interleaved study. Drift stays inside the
/// sets, and dependence between neighbours shows. Returns fewer pairs if there are too few trials.
pub fn interleaved_pairs(recorded: &Sample, per_set: usize, pairs: usize) -> Vec<(Sample, Sample)> {
    recorded
        .values()
        .chunks_exact(2 * per_set.max(1))
        .take(pairs)
        .filter_map(|chunk| {
            let every_second = |from: usize| chunk.iter().skip(from).step_by(2).copied().collect::<Vec<_>>();
            Some((Sample::new(every_second(0)).ok()?, Sample::new(every_second(1)).ok()?))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distribution;

    #[test]
    fn candidate_and_baseline_keep_their_sides() {
        let baseline = Sample::new(vec![10.0, 11.0, 12.0, 10.5, 11.5]).unwrap();
        let candidate = Sample::new(vec![20.0, 22.0, 24.0, 21.0, 23.0]).unwrap();
        let comparison = compare(&baseline, &candidate, Level::P95).unwrap();
        assert!(comparison.differs && comparison.difference.difference == 11.0);
        assert!(comparison.ratio.unwrap().contains(2.0));
        assert_eq!(comparison.cliffs_delta, 1.0);
        assert!(comparison.hedges_g.unwrap() > 0.0);
        assert_eq!(comparison.rank_sum.statistic, 25.0);
    }

    /// The binomial tail as an incomplete beta function: P(X >= 12) = I_0.05(12, 89).
    #[test]
    fn more_than_eleven_of_a_hundred_is_as_rare_as_stated() {
        let tail = distribution::beta(12.0, 89.0, 0.05).lower;
        assert!((0.0042..0.0044).contains(&tail), "{tail}");
    }

    #[test]
    fn pairs_use_no_trial_twice() {
        let recorded = Sample::new((0..43).map(f64::from).collect::<Vec<_>>()).unwrap();
        let pairs = disjoint_pairs(&recorded, 5, 100, 1);
        assert_eq!(pairs.len(), 4);
        let mut used: Vec<f64> = pairs.iter().flat_map(|(a, b)| [a.values(), b.values()].concat()).collect();
        used.sort_by(f64::total_cmp);
        used.dedup();
        assert_eq!(used.len(), 40);
    }

    #[test]
    fn interleaved_pairs_take_turns_within_neighbours() {
        let recorded = Sample::new((0..11).map(f64::from).collect::<Vec<_>>()).unwrap();
        let pairs = interleaved_pairs(&recorded, 2, 100);
        let values: Vec<_> = pairs.iter().map(|(a, b)| (a.values().to_vec(), b.values().to_vec())).collect();
        assert_eq!(values, [(vec![0.0, 2.0], vec![1.0, 3.0]), (vec![4.0, 6.0], vec![5.0, 7.0])]);
    }
}
