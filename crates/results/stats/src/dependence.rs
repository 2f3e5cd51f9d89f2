//! Whether the outcome of trials depends on their cell.
//!
//! Pearson's chi-square statistic of a table of two columns, judged by permutation: without dependence every assignment of the same outcomes
//! to the same cells is equally likely (E. J. G. Pitman, "Significance Tests Which May be Applied to Samples From Any Populations", Supplement
//! to the Journal of the Royal Statistical Society 4, 1937). Tables of trials have counts far below the five that the statistic's usual
//! distribution requires.

use crate::draw::Draws;

/// Number of assignments that are drawn.
const DEALS: u32 = 9_999;

/// The probability that trials assigned to cells at random differ at least as much, 0..1: `counts` has for each cell the number of trials with
/// the outcome, and the number of all. `None` if fewer than two cells have trials, or all trials, or none, had the outcome. The observed
/// assignment is counted as one of the draws (B. Phipson and G. K. Smyth, Statistical Applications in Genetics and Molecular Biology 9, 2010).
pub fn dependence(counts: &[(u64, u64)], seed: u64) -> Option<f64> {
    let counts: Vec<(u64, u64)> = counts.iter().copied().filter(|(_, all)| *all > 0).collect();
    let with: u64 = counts.iter().map(|(with, _)| with).sum();
    let all: u64 = counts.iter().map(|(_, all)| all).sum();
    if counts.len() < 2 || with == 0 || with >= all {
        return None;
    }
    // For tables with the same sums, chi-square grows with this.
    let unlike = |with: &[u64]| -> f64 {
        with.iter().zip(&counts).map(|(&with, &(_, of))| with as f64 * with as f64 / of as f64).sum()
    };
    let seen = unlike(&counts.iter().map(|(with, _)| *with).collect::<Vec<_>>());
    // The cell of each trial.
    let mut cells: Vec<usize> =
        counts.iter().enumerate().flat_map(|(cell, (_, of))| (0..*of).map(move |_| cell)).collect();
    let mut draws = Draws::seeded(seed);
    let mut as_unlike = 1;
    for _ in 0..DEALS {
        draws.shuffle(&mut cells);
        let mut dealt = vec![0; counts.len()];
        cells.iter().take(usize::try_from(with).ok()?).for_each(|cell| dealt[*cell] += 1);
        // Sums of the same terms in another order differ in their last digits.
        as_unlike += u32::from(unlike(&dealt) >= seen * (1.0 - 1e-9));
    }
    Some(f64::from(as_unlike) / f64::from(DEALS + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_cells_are_judged_as_by_the_exact_test() {
        // Fisher's exact test, two-sided: 0.4857 for 3 of 4 and 1 of 4 (the tea of "The Design of Experiments"), 0.0022 for 6 of 6 and 0 of 6.
        for (counts, exact) in [([(3, 4), (1, 4)], 34.0 / 70.0), ([(6, 6), (0, 6)], 2.0 / 924.0)] {
            let p = dependence(&counts, 7).unwrap();
            // Four deviations of a share of this many draws.
            let off = 4.0 * (exact * (1.0 - exact) / f64::from(DEALS)).sqrt();
            assert!((p - exact).abs() <= off, "{p} for {exact}");
            assert_eq!(dependence(&counts, 7), Some(p));
        }
    }

    #[test]
    fn equal_shares_are_no_dependence_and_without_both_outcomes_there_is_none_to_judge() {
        assert_eq!(dependence(&[(2, 4), (2, 4), (0, 0)], 1), Some(1.0));
        assert_eq!(dependence(&[(0, 4), (0, 4)], 1), None);
        assert_eq!(dependence(&[(4, 4), (4, 4)], 1), None);
        assert_eq!(dependence(&[(1, 4)], 1), None);
    }
}
