//! The power of a paired t test, and the smallest difference that it finds with a given one.
//!
//! The power is exact, by the noncentral t distribution: with `n` pairs whose differences have the standard deviation `s`, the
//! statistic of a true difference `d` is (Z + d sqrt(n) / s) / sqrt(V / (n - 1)), Z standard normal, V chi-squared with
//! n - 1 degrees of freedom (N. L. Johnson and B. L. Welch, "Applications of the Non-Central t-Distribution", Biometrika 31,
//! 1940). It is integrated over V.
//!
//! Limits: the deviation is assumed to be known. An estimate from `m` pairs is itself uncertain: from ten, by a factor of
//! 0.69 to 1.83 at 95 % (the chi-squared interval).

use crate::distribution;
use crate::interval::{MIN_TRIALS_FOR_INTERVAL, NoInterval, enough_trials};
use crate::parameter::Level;

/// Points of the integration over the chi distribution, by Simpson's rule; an even number of steps.
const STEPS: u32 = 400;

/// The probability that a two-sided paired t test of `pairs` pairs at this level finds a true mean difference of
/// `difference` whose pairs deviate by `deviation` (same unit, not negative). Without deviation it is 1, and for no
/// difference 0, without any computation.
///
/// # Errors
/// [`NoInterval::TooFewTrials`] with fewer than [`crate::MIN_TRIALS_FOR_INTERVAL`] pairs.
pub fn of_paired_t(difference: f64, deviation: f64, pairs: usize, level: Level) -> Result<f64, NoInterval> {
    enough_trials(pairs)?;
    if deviation == 0.0 {
        return Ok(if difference == 0.0 { 0.0 } else { 1.0 });
    }
    let shift = difference.abs() * (pairs as f64).sqrt() / deviation;
    Ok(ShiftedTest::new(pairs, level).power(shift))
}

/// The smallest true mean difference that such a test finds with the probability `power` (above the level's error rate,
/// below 1); in the unit of `deviation`.
///
/// # Errors
/// As [`of_paired_t`].
pub fn smallest_found(deviation: f64, pairs: usize, level: Level, power: f64) -> Result<f64, NoInterval> {
    Ok(smallest_shift(pairs, level, power)? * deviation / (pairs as f64).sqrt())
}

/// The same in standard errors of the mean difference: one number for all tests of this many pairs.
///
/// # Errors
/// As [`of_paired_t`].
pub fn smallest_shift(pairs: usize, level: Level, power: f64) -> Result<f64, NoInterval> {
    enough_trials(pairs)?;
    let test = ShiftedTest::new(pairs, level);
    let missing = |shift: f64| power - test.power(shift);
    let mut low = (0.0, missing(0.0));
    let mut high = (1.0, missing(1.0));
    while high.1 > 0.0 && high.0 < 1e6 {
        low = high;
        high = (high.0 * 2.0, missing(high.0 * 2.0));
    }
    // The Illinois form of false position: an end that stays has its value halved.
    for _ in 0..60 {
        let middle = high.0 - high.1 * (high.0 - low.0) / (high.1 - low.1);
        let value = missing(middle);
        if value.abs() < 1e-12 || (high.0 - low.0).abs() < 1e-12 * high.0 {
            return Ok(middle);
        }
        if (value > 0.0) == (high.1 > 0.0) {
            low.1 /= 2.0;
        } else {
            low = high;
        }
        high = (middle, value);
    }
    Ok(high.0)
}

/// The fewest pairs, from [`MIN_TRIALS_FOR_INTERVAL`] to `most`, with which such a test finds a true mean difference with the
/// probability `power`; `None` where `most` are too few.
pub fn pairs_needed(difference: f64, deviation: f64, level: Level, power: f64, most: usize) -> Option<usize> {
    let finds =
        |pairs: usize| of_paired_t(difference, deviation, pairs, level).is_ok_and(|found| found >= power);
    // The number of pairs for a test that knows the deviation, plus two: W. C. Guenther, "Sample Size Formulas for Normal
    // Theory T Tests", The American Statistician 35, 1981.
    let z = distribution::normal_quantile(1.0 - level.error_rate() / 2.0);
    let known = (z + distribution::normal_quantile(power)) * deviation / difference;
    let near = (known * known + z * z / 2.0).ceil().min(most as f64) as usize;
    let (mut low, mut high) = (MIN_TRIALS_FOR_INTERVAL - 1, near.max(MIN_TRIALS_FOR_INTERVAL));
    let mut step = 1;
    while !finds(high) {
        if high >= most {
            return None;
        }
        (low, high) = (high, (high + step).min(most));
        step *= 2;
    }
    step = 1;
    while high - low > 1 {
        let lower = high.saturating_sub(step).max(low + 1);
        let tried = if high - low > 2 * step { lower } else { low.midpoint(high) };
        if finds(tried) {
            high = tried
        } else {
            low = tried
        }
        step *= 2;
    }
    Some(high)
}

/// A two-sided t test of `pairs` pairs at a level. With u = sqrt(V / freedom), it does not reject if |Z + shift| <= t u.
struct ShiftedTest {
    /// Critical t at the level.
    critical: f64,
    /// Points of u, and the probability that each represents.
    points: Vec<(f64, f64)>,
}

impl ShiftedTest {
    fn new(pairs: usize, level: Level) -> Self {
        let freedom = pairs as f64 - 1.0;
        let critical = distribution::student_t_quantile(freedom, 1.0 - level.error_rate() / 2.0);
        // The density of u: 2 (freedom / 2)^(freedom / 2) / gamma(freedom / 2) u^(freedom - 1) exp(-freedom u^2 / 2).
        let half = freedom / 2.0;
        let ln_front = std::f64::consts::LN_2 + half * half.ln() - statrs::function::gamma::ln_gamma(half);
        let density = |u: f64| (ln_front + (freedom - 1.0) * u.ln() - half * u * u).exp();
        // u has mean below 1 and a deviation below sqrt(1 / 2 freedom): ten deviations on both sides cover all that matters.
        let reach = 10.0 / (2.0 * freedom).sqrt();
        let (from, to) = ((1.0 - reach).max(1e-12), 1.0 + reach);
        let step = (to - from) / f64::from(STEPS);
        let point = |index: u32| {
            let weight = match index {
                0 | STEPS => 1.0,
                odd if odd % 2 == 1 => 4.0,
                _ => 2.0,
            };
            let u = from + step * f64::from(index);
            (u, weight * density(u) * step / 3.0)
        };
        // Far out the density is negligible.
        let points = (0..=STEPS).map(point).filter(|(_, weight)| *weight > 1e-18).collect();
        Self { critical, points }
    }

    /// The probability of rejection at a noncentrality.
    fn power(&self, shift: f64) -> f64 {
        let accepted = |u: f64| {
            distribution::normal_below(self.critical * u - shift)
                - distribution::normal_below(-self.critical * u - shift)
        };
        let accepted: f64 = self.points.iter().map(|&(u, weight)| weight * accepted(u)).sum();
        (1.0 - accepted).clamp(0.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_difference_the_test_finds_one_as_often_as_its_level_says() {
        for pairs in [5, 20, 200] {
            let power = of_paired_t(0.0, 1.0, pairs, Level::P95).unwrap();
            assert!((power - 0.05).abs() < 1e-6, "{pairs}: {power}");
        }
    }

    #[test]
    fn what_never_varies_is_seen_whole() {
        assert_eq!(of_paired_t(64.0, 0.0, 5, Level::P95), Ok(1.0));
        assert_eq!(of_paired_t(0.0, 0.0, 5, Level::P95), Ok(0.0));
        assert_eq!(smallest_found(0.0, 5, Level::P95, 0.8), Ok(0.0));
    }

    #[test]
    fn the_smallest_difference_has_the_power_asked_for_and_shrinks_with_pairs() {
        let mut before = f64::INFINITY;
        for pairs in [5, 10, 20, 100] {
            let smallest = smallest_found(2.0, pairs, Level::P95, 0.8).unwrap();
            let power = of_paired_t(smallest, 2.0, pairs, Level::P95).unwrap();
            assert!((power - 0.8).abs() < 1e-9 && smallest < before, "{pairs}: {smallest}, {power}");
            before = smallest;
        }
        assert!(of_paired_t(1.0, 1.0, 1, Level::P95).is_err());
    }

    /// 34 pairs for half a deviation with a power of 0.8, as J. Cohen, "Statistical Power Analysis for the Behavioral
    /// Sciences", 1988, with the exact noncentral t.
    #[test]
    fn the_pairs_needed_are_the_fewest_that_have_the_power() {
        let needed = |difference| pairs_needed(difference, 1.0, Level::P95, 0.8, 10_000);
        assert_eq!([0.5, 1.0, 100.0, 1e-9].map(needed), [Some(34), Some(10), Some(5), None]);
        assert_eq!(pairs_needed(0.5, 0.0, Level::P95, 0.8, 10_000), Some(5));
        assert_eq!(pairs_needed(0.5, 1.0, Level::P95, 0.8, 33), None);
        for difference in [0.031, 0.2, 0.7, 1.3] {
            let pairs = needed(difference).unwrap();
            let power = |pairs| of_paired_t(difference, 1.0, pairs, Level::P95).unwrap();
            assert!(power(pairs) >= 0.8 && power(pairs - 1) < 0.8, "{difference}: {pairs}");
        }
    }
}
