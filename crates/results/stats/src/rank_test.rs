//! Rank tests: they make no assumption about the shape of the distribution, and ignore how far an outlier
//! lies.
//!
//! Sources: F. Wilcoxon, "Individual Comparisons by Ranking Methods", Biometrics Bulletin 1 (1945); H. B.
//! Mann and D. R. Whitney, Annals of Mathematical Statistics 18 (1947); exact distributions given the ties,
//! and the tie corrections of the normal approximation, as in E. L. Lehmann, "Nonparametrics", 1975.
//!
//! Limit: with few trials the least possible p-value is coarse: 5 against 5 can't go below 2/252, so that the
//! test can't survive a correction for many comparisons.

use serde::{Deserialize, Serialize};

use crate::distribution;
use crate::sample::Sample;

/// Up to this many values in all, p-values are exact: the counts of arrangements are then exact in `f64`.
pub const EXACT_LIMIT: usize = 50;

/// Result of a rank test, two-sided.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RankTest {
    /// U of the first sample.
    pub statistic: f64,
    /// Probability of a result at least as extreme when nothing differs.
    pub p_value: f64,
    /// Whether the p-value counts arrangements, or approximates by the normal distribution.
    pub exact: bool,
}

/// Ranks from 1, where equal values share their mean rank; doubled, so that they are integers.
struct Midranks {
    doubled: Vec<usize>,
    /// Sum of t^3 - t over groups of t equal values.
    tie_term: f64,
}

fn midranks(values: &[f64]) -> Midranks {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut doubled = vec![0; values.len()];
    let mut tie_term = 0.0;
    let mut start = 0;
    while start < order.len() {
        let value = values[order[start]];
        let equal = order[start..].iter().take_while(|&&index| values[index] == value).count();
        // Ranks start + 1 to start + equal, whose doubled mean is this.
        for &index in &order[start..start + equal] {
            doubled[index] = 2 * start + equal + 1;
        }
        tie_term += (equal as f64).powi(3) - equal as f64;
        start += equal;
    }
    Midranks { doubled, tie_term }
}

/// Twice the smaller tail of `ways` (the number of arrangements for each sum) at `sum`, at most 1.
fn two_sided(ways: &[f64], sum: usize) -> f64 {
    let all: f64 = ways.iter().sum();
    let at_most: f64 = ways[..=sum].iter().sum();
    let at_least: f64 = ways[sum..].iter().sum();
    (2.0 * at_most.min(at_least) / all).min(1.0)
}

/// Two-sided p-value of `distance` from the mean by the normal approximation, with continuity correction.
fn approximate(distance: f64, variance: f64) -> f64 {
    if variance <= 0.0 {
        return 1.0;
    }
    (2.0 * distribution::normal((distance.abs() - 0.5) / variance.sqrt()).upper).min(1.0)
}

/// Mann and Whitney's U, the same test as Wilcoxon's rank sum, for two independent samples. U counts the
/// pairs in which the first sample's value is greater, with ties as half.
pub fn rank_sum(first: &Sample, second: &Sample) -> RankTest {
    let (n1, n2) = (first.count(), second.count());
    let both: Vec<f64> = first.values().iter().chain(second.values()).copied().collect();
    let ranks = midranks(&both);
    let sum: usize = ranks.doubled[..n1].iter().sum();
    let statistic = sum as f64 / 2.0 - (n1 * (n1 + 1)) as f64 / 2.0;
    if n1 + n2 <= EXACT_LIMIT {
        let p_value = two_sided(&subset_sums(&ranks.doubled, n1), sum);
        return RankTest { statistic, p_value, exact: true };
    }
    let (n1, n2) = (n1 as f64, n2 as f64);
    let count = n1 + n2;
    let variance = n1 * n2 / 12.0 * (count + 1.0 - ranks.tie_term / (count * (count - 1.0)));
    RankTest { statistic, p_value: approximate(statistic - n1 * n2 / 2.0, variance), exact: false }
}

/// Number of subsets of `size` values with each sum.
fn subset_sums(values: &[usize], size: usize) -> Vec<f64> {
    let total: usize = values.iter().sum();
    let mut ways = vec![vec![0.0; total + 1]; size + 1];
    ways[0][0] = 1.0;
    for &value in values {
        // From large to small, so that a value joins a subset once.
        for taken in (1..=size).rev() {
            let (fewer, more) = ways.split_at_mut(taken);
            for sum in value..=total {
                more[0][sum] += fewer[taken - 1][sum - value];
            }
        }
    }
    ways.swap_remove(size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::Draws;

    fn sample(values: &[f64]) -> Sample {
        Sample::new(values.to_vec()).unwrap()
    }

    #[test]
    fn five_against_five_can_not_go_below_two_in_252() {
        let test = rank_sum(&sample(&[1.0, 2.0, 3.0, 4.0, 5.0]), &sample(&[6.0, 7.0, 8.0, 9.0, 10.0]));
        assert_eq!((test.statistic, test.exact), (0.0, true));
        assert!((test.p_value - 2.0 / 252.0).abs() < 1e-15);
    }

    /// Enumerates every choice of values for the first sample.
    #[test]
    fn exact_p_values_with_ties_equal_the_written_out_arrangements() {
        let mut draws = Draws::seeded(31);
        for _ in 0..50 {
            let values: Vec<f64> = (0..9).map(|_| draws.index(5) as f64).collect();
            let got = rank_sum(&sample(&values[..4]), &sample(&values[4..]));
            let statistic = |chosen: u32| {
                let side = |inside: bool| (0..9).filter(move |index| (chosen >> index & 1 == 1) == inside);
                side(true)
                    .flat_map(|a| side(false).map(move |b| (a, b)))
                    .map(|(a, b)| match values[a].total_cmp(&values[b]) {
                        std::cmp::Ordering::Greater => 1.0,
                        std::cmp::Ordering::Equal => 0.5,
                        std::cmp::Ordering::Less => 0.0,
                    })
                    .sum::<f64>()
            };
            let all: Vec<f64> =
                (0..512_u32).filter(|chosen| chosen.count_ones() == 4).map(statistic).collect();
            let seen = statistic(0b1111);
            let tail = |keep: &dyn Fn(f64) -> bool| all.iter().filter(|&&u| keep(u)).count() as f64 / 126.0;
            let expected = (2.0 * tail(&|u| u <= seen).min(tail(&|u| u >= seen))).min(1.0);
            assert_eq!(got.statistic, seen);
            assert!((got.p_value - expected).abs() < 1e-12, "{values:?}");
        }
    }

    #[test]
    fn nothing_changed_is_no_evidence() {
        assert_eq!(rank_sum(&sample(&[2.0; 40]), &sample(&[2.0; 40])).p_value, 1.0);
        assert_eq!(rank_sum(&sample(&[2.0; 4]), &sample(&[2.0; 4])).p_value, 1.0);
    }
}
