//! The one definition of a sample quantile: type 7 of Hyndman and Fan.
//!
//! For n sorted values x[0..n] and fraction p the position is h = (n - 1) p, and the quantile is the linear
//! interpolation between x[floor h] and x[floor h + 1]. Source: R. J. Hyndman and Y. Fan, "Sample Quantiles
//! in Statistical Packages", The American Statistician 50 (1996), definition 7; the default of R and NumPy,
//! so that a reader who loads our records there gets our numbers.
//!
//! Limit: in a small sample a high quantile is little more than the maximum; p99 of 10 values lies between
//! the two greatest. It estimates the tail only if many values lie above it.

use crate::parameter::Quantile;

/// Position of a quantile among `count` sorted values: index of the lower neighbour and the weight (0..1) of
/// the next. `count` must be at least 1.
pub(crate) fn position(count: usize, quantile: Quantile) -> (usize, f64) {
    let position = (count - 1) as f64 * quantile.get();
    let lower = (position.floor() as usize).min(count - 1);
    (lower, position - lower as f64)
}

/// Interpolates between two neighbours without leaving their range, whatever the rounding.
pub(crate) fn between(lower: f64, upper: f64, weight: f64) -> f64 {
    // Equal neighbours and weight 0 return the value itself, so that exact data stay exact.
    if weight <= 0.0 || lower == upper {
        return lower;
    }
    let value = if weight < 0.5 {
        lower + (upper - lower) * weight
    } else {
        upper - (upper - lower) * (1.0 - weight)
    };
    value.clamp(lower, upper)
}

/// Type 7 quantile of ascending values; `None` if there are none. The caller guarantees the order.
pub fn of_sorted(sorted: &[f64], quantile: Quantile) -> Option<f64> {
    if sorted.is_empty() {
        return None;
    }
    let (lower, weight) = position(sorted.len(), quantile);
    let low = sorted[lower];
    let high = sorted.get(lower + 1).copied().unwrap_or(low);
    Some(between(low, high, weight))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::Draws;

    #[test]
    fn no_values_have_no_quantile_and_one_value_is_all_of_them() {
        assert_eq!(of_sorted(&[], Quantile::MEDIAN), None);
        for quantile in [0.0, 0.1, 0.5, 0.99, 1.0] {
            assert_eq!(of_sorted(&[7.0], Quantile::new(quantile).unwrap()), Some(7.0));
        }
    }

    /// For integers and p = k/d the quantile is the rational (x[i] (d - r) + x[i+1] r) / d with
    /// i = (n-1) k div d and r = (n-1) k mod d: computed exactly in i128 and compared.
    #[test]
    fn percentiles_agree_with_exact_rationals() {
        let seed = 7;
        let mut draws = Draws::seeded(seed);
        for round in 0..500 {
            let count = 1 + draws.index(60);
            let mut integers: Vec<i64> =
                (0..count).map(|_| draws.index(2_000_000_001) as i64 - 1_000_000_000).collect();
            integers.sort_unstable();
            let sorted: Vec<f64> = integers.iter().map(|&value| value as f64).collect();
            let denominator = 100_i128;
            for numerator in 0..=denominator {
                let steps = (count as i128 - 1) * numerator;
                let (lower, rest) = ((steps / denominator) as usize, steps % denominator);
                let next = integers[(lower + 1).min(count - 1)] as i128;
                let exact = (integers[lower] as i128 * (denominator - rest) + next * rest) as f64 / 100.0;
                let got = of_sorted(&sorted, Quantile::new(numerator as f64 / 100.0).unwrap()).unwrap();
                // Rounding of p alone moves the position by up to n ulp, times the gap of the neighbours.
                assert!((got - exact).abs() <= 1e-4, "seed {seed} round {round}: p{numerator} {got} {exact}");
            }
        }
    }
}
