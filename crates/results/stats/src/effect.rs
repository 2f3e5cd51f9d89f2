//! Effect sizes: how large a difference is, in addition to whether there is one.

use crate::distribution;
use crate::interval::{Interval, Method, NoInterval, enough_trials};
use crate::parameter::Level;
use crate::sample::Sample;
use crate::t_test::{squared_error, welch_freedom};

/// Cliff's delta, -1..1: how much more often a value of `first` exceeds one of `second` than the reverse, as
/// a ratio of all pairs. Source: N. Cliff, "Dominance Statistics", Psychological Bulletin 114 (1993).
pub fn cliffs_delta(first: &Sample, second: &Sample) -> f64 {
    let others = second.sorted();
    let balance: i64 = first
        .sorted()
        .iter()
        .map(|value| {
            let below = others.partition_point(|other| other < value);
            let above = others.len() - others.partition_point(|other| other <= value);
            below as i64 - above as i64
        })
        .sum();
    balance as f64 / (first.count() * others.len()) as f64
}

/// Hedges' g: difference of means in pooled standard deviations, with the exact correction for small samples.
/// `None` if fewer than four values in all, a sample of one, or no variance make it undefined. Source: L. V.
/// Hedges, Journal of Educational Statistics 6 (1981).
pub fn hedges_g(first: &Sample, second: &Sample) -> Option<f64> {
    let (n1, n2) = (first.count() as f64, second.count() as f64);
    let freedom = n1 + n2 - 2.0;
    let pooled = ((n1 - 1.0) * first.variance()? + (n2 - 1.0) * second.variance()?) / freedom;
    let ln_correction = statrs::function::gamma::ln_gamma(freedom / 2.0)
        - statrs::function::gamma::ln_gamma((freedom - 1.0) / 2.0)
        - (freedom / 2.0).ln() / 2.0;
    (pooled > 0.0).then(|| (first.mean() - second.mean()) / pooled.sqrt() * ln_correction.exp())
}

/// Interval of the ratio of the mean of `numerator` to that of `denominator`, for independent trials, by
/// Fieller's theorem with Welch's degrees of freedom. Sources: E. C. Fieller, "Some Problems in Interval
/// Estimation", JRSS B 16 (1954); used for benchmarks by T. Kalibera and R. Jones, "Rigorous Benchmarking in
/// Reasonable Time", ISMM 2013.
///
/// # Errors
/// [`NoInterval::TooFewTrials`] when either has fewer than [`crate::MIN_TRIALS_FOR_INTERVAL`] values,
/// [`NoInterval::DenominatorNearZero`] when the interval would be unbounded.
pub fn ratio_of_means(
    numerator: &Sample,
    denominator: &Sample,
    level: Level,
) -> Result<Interval, NoInterval> {
    enough_trials(numerator.count().min(denominator.count()))?;
    let under = denominator.mean();
    if under == 0.0 {
        return Err(NoInterval::DenominatorNearZero);
    }
    let ratio = numerator.mean() / under;
    let (error_over, error_under) = (squared_error(numerator), squared_error(denominator));
    let scaled = ratio * ratio * error_under;
    if error_over + error_under == 0.0 {
        return Ok(Interval { low: ratio, high: ratio, level, method: Method::Fieller });
    }
    let freedom = if error_over + scaled > 0.0 {
        welch_freedom(error_over, numerator.count(), scaled, denominator.count())
    } else {
        denominator.count() as f64 - 1.0
    };
    let t = distribution::student_t_quantile(freedom, 1.0 - level.error_rate() / 2.0);
    let g = t * t * error_under / (under * under);
    if g >= 1.0 {
        return Err(NoInterval::DenominatorNearZero);
    }
    let half = t / under.abs() * (error_over * (1.0 - g) + scaled).sqrt();
    let (low, high) = ((ratio - half) / (1.0 - g), (ratio + half) / (1.0 - g));
    Ok(Interval { low, high, level, method: Method::Fieller })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(values: &[f64]) -> Sample {
        Sample::new(values.to_vec()).unwrap()
    }

    #[test]
    fn delta_is_one_when_all_exceed_and_zero_when_none_differ() {
        let (low, high) = (sample(&[1.0, 2.0]), sample(&[3.0, 4.0, 5.0]));
        assert_eq!(cliffs_delta(&high, &low), 1.0);
        assert_eq!(cliffs_delta(&low, &high), -1.0);
        assert_eq!(cliffs_delta(&low, &low), 0.0);
    }

    /// For two samples of five the factor is gamma(4) / (2 gamma(7/2)), with gamma(7/2) = 15 sqrt(pi) / 8.
    #[test]
    fn g_shrinks_the_difference_in_small_samples() {
        let a = sample(&[1.0, 2.0, 3.0, 4.0, 5.0]);
        let b = sample(&[2.0, 3.0, 4.0, 5.0, 6.0]);
        let g = hedges_g(&b, &a).unwrap();
        let factor = 6.0 / (2.0 * 15.0 * std::f64::consts::PI.sqrt() / 8.0);
        assert!((g * 2.5_f64.sqrt() - factor).abs() < 1e-13, "{g}");
        assert_eq!(hedges_g(&sample(&[1.0; 5]), &sample(&[1.0; 5])), None);
    }

    #[test]
    fn a_precise_denominator_gives_the_interval_of_the_numerator() {
        let over = sample(&[9.0, 10.0, 11.0, 10.5, 9.5]);
        let exact = sample(&[2.0; 5]);
        let ratio = ratio_of_means(&over, &exact, Level::P95).unwrap();
        let mean = crate::mean_interval(&over, Level::P95).unwrap();
        assert!((ratio.low - mean.low / 2.0).abs() < 1e-12 && (ratio.high - mean.high / 2.0).abs() < 1e-12);
        let around_zero = sample(&[-1.0, 1.0, -2.0, 2.0, 0.5]);
        assert_eq!(ratio_of_means(&over, &around_zero, Level::P95), Err(NoInterval::DenominatorNearZero));
        assert_eq!(ratio_of_means(&exact, &exact, Level::P95).unwrap().high, 1.0);
    }
}
