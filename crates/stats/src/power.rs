//! What a paired t test can see: its power, and the smallest difference that it finds with a given one.
//!
//! The power is the exact one, by the noncentral t distribution: with `n` pairs whose differences have the standard
//! deviation `s`, the statistic of a true difference `d` is (Z + d sqrt(n) / s) / sqrt(V / (n - 1)), Z standard normal,
//! V chi-squared with n - 1 degrees of freedom (N. L. Johnson and B. L. Welch, "Applications of the Non-Central
//! t-Distribution", Biometrika 31, 1940). It is integrated over V.
//!
//! Limits: the deviation is taken for known. One that was estimated from `m` pairs is uncertain itself: from ten, by a
//! factor of 0.69 to 1.83 at 95 % (the chi-squared interval).

use crate::distribution;
use crate::interval::{NoInterval, enough_trials};
use crate::parameter::Level;

/// Points of the integration over the chi distribution, by Simpson's rule; an even number of steps.
const STEPS: u32 = 400;

/// The probability that a two-sided paired t test of `pairs` pairs at this level finds a true mean difference of
/// `difference` whose pairs deviate by `deviation` (same unit, not negative). Without deviation it is 1, and for no
/// difference 0: then nothing is drawn.
///
/// # Errors
/// [`NoInterval::TooFewTrials`] with fewer than [`crate::MIN_TRIALS_FOR_INTERVAL`] pairs.
pub fn of_paired_t(difference: f64, deviation: f64, pairs: usize, level: Level) -> Result<f64, NoInterval> {
    enough_trials(pairs)?;
    if deviation == 0.0 {
        return Ok(if difference == 0.0 { 0.0 } else { 1.0 });
    }
    Ok(power_of_shift(difference.abs() * (pairs as f64).sqrt() / deviation, pairs, level))
}

/// The smallest true mean difference that such a test finds with the probability `power` (above the level's error rate,
/// below 1); in the unit of `deviation`.
///
/// # Errors
/// As [`of_paired_t`].
pub fn smallest_found(deviation: f64, pairs: usize, level: Level, power: f64) -> Result<f64, NoInterval> {
    enough_trials(pairs)?;
    let (mut low, mut high) = (0.0, 1.0);
    while power_of_shift(high, pairs, level) < power && high < 1e6 {
        high *= 2.0;
    }
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if power_of_shift(middle, pairs, level) < power { low = middle } else { high = middle }
    }
    Ok(high * deviation / (pairs as f64).sqrt())
}

/// Power at a noncentrality. With u = sqrt(V / freedom), the test does not reject where |Z + shift| <= t u.
fn power_of_shift(shift: f64, pairs: usize, level: Level) -> f64 {
    let freedom = pairs as f64 - 1.0;
    let critical = distribution::student_t_quantile(freedom, 1.0 - level.error_rate() / 2.0);
    // The density of u: 2 (freedom / 2)^(freedom / 2) / gamma(freedom / 2) u^(freedom - 1) exp(-freedom u^2 / 2).
    let half = freedom / 2.0;
    let ln_front = std::f64::consts::LN_2 + half * half.ln() - libm::lgamma(half);
    let density = |u: f64| (ln_front + (freedom - 1.0) * u.ln() - half * u * u).exp();
    let accepted = |u: f64| {
        let (up, down) =
            (distribution::normal(critical * u - shift), distribution::normal(-critical * u - shift));
        up.lower - down.lower
    };
    // u has mean below 1 and a deviation below sqrt(1 / 2 freedom): ten of them on both sides hold all that matters.
    let reach = 10.0 / (2.0 * freedom).sqrt();
    let (from, to) = ((1.0 - reach).max(1e-12), 1.0 + reach);
    let step = (to - from) / f64::from(STEPS);
    let sum: f64 = (0..=STEPS)
        .map(|index| {
            let weight = match index {
                0 | STEPS => 1.0,
                odd if odd % 2 == 1 => 4.0,
                _ => 2.0,
            };
            let u = from + step * f64::from(index);
            weight * density(u) * accepted(u)
        })
        .sum();
    (1.0 - sum * step / 3.0).clamp(0.0, 1.0)
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
}
