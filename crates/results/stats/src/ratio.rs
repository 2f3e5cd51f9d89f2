//! The ratio of two sums over trials, such as CPU time per message.
//!
//! Each trial gives both. If single trials have a ratio that is far off, or below 0, because what was subtracted from one of the two is right
//! only as a mean over trials, neither the mean of their ratios nor that of their reciprocals is right, but the ratio of the sums is.

use crate::distribution;
use crate::interval::{Interval, Method, NoInterval, enough_trials};
use crate::parameter::Level;

/// Two quantities of each trial: the dividend and the divisor.
#[derive(Debug, Clone, PartialEq)]
pub struct Ratio {
    over: Vec<f64>,
    under: Vec<f64>,
}

impl Ratio {
    /// From the two quantities of each trial; `None` without trials, if a quantity is not finite, and if a sum is not above 0.
    pub fn of(trials: impl IntoIterator<Item = (f64, f64)>) -> Option<Self> {
        let (over, under): (Vec<f64>, Vec<f64>) = trials.into_iter().unzip();
        let is_positive = |values: &[f64]| {
            let sum: f64 = values.iter().sum();
            sum.is_finite() && sum > 0.0
        };
        (is_positive(&over) && is_positive(&under)).then_some(Ratio { over, under })
    }

    /// The sum of the first divided by the sum of the second.
    pub fn value(&self) -> f64 {
        let sum = |values: &[f64]| values.iter().sum::<f64>();
        sum(&self.over) / sum(&self.under)
    }

    /// The inverse ratio, with the quantities swapped.
    #[must_use]
    pub fn reciprocal(self) -> Self {
        Ratio { over: self.under, under: self.over }
    }

    /// The ratio with the dividend in another unit: multiplied by this factor.
    #[must_use]
    pub fn scaled(mut self, by: f64) -> Self {
        self.over.iter_mut().for_each(|value| *value *= by);
        self
    }

    /// A value above 0 for each trial: the ratio, times the factor by which the trial moves it to the first order. The mean of their
    /// logarithms is that of the ratio, and they vary like its error (delta method), however far off the trial's own ratio is.
    pub fn steady(&self) -> Vec<f64> {
        let (over, under, ratio) = (mean(&self.over), mean(&self.under), self.value());
        let trials = self.over.iter().zip(&self.under);
        trials.map(|(one, other)| ratio * (one / over - other / under).exp()).collect()
    }

    /// Its interval by Fieller's theorem, with both quantities from the same trials. Source: E. C. Fieller, "Some Problems in Interval
    /// Estimation", JRSS B 16 (1954).
    ///
    /// # Errors
    /// [`NoInterval::TooFewTrials`] with fewer than [`crate::MIN_TRIALS_FOR_INTERVAL`] trials, [`NoInterval::DenominatorNearZero`] when the
    /// interval would be unbounded.
    pub fn interval(&self, level: Level) -> Result<Interval, NoInterval> {
        let trials = self.over.len();
        enough_trials(trials)?;
        let t = distribution::student_t_quantile(trials as f64 - 1.0, 1.0 - level.error_rate() / 2.0);
        let (over, under) = (mean(&self.over), mean(&self.under));
        let squared = |one: &[f64], other: &[f64]| t * t * covariance(one, other) / trials as f64;
        let a = under * under - squared(&self.under, &self.under);
        let b = over * under - squared(&self.over, &self.under);
        let c = over * over - squared(&self.over, &self.over);
        if a <= 0.0 {
            return Err(NoInterval::DenominatorNearZero);
        }
        let half = (b * b - a * c).max(0.0).sqrt();
        Ok(Interval { low: (b - half) / a, high: (b + half) / a, level, method: Method::Fieller })
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn covariance(one: &[f64], other: &[f64]) -> f64 {
    let means = (mean(one), mean(other));
    let products = one.iter().zip(other).map(|(a, b)| (a - means.0) * (b - means.1));
    products.sum::<f64>() / (one.len() as f64 - 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::Draws;

    #[test]
    fn it_is_of_sums_and_its_reciprocal_is_too() {
        let ratio = Ratio::of([(2.0, 1.0), (6.0, 3.0), (-1.0, 1.0)]).unwrap();
        assert_eq!(ratio.value(), 7.0 / 5.0);
        assert_eq!(ratio.clone().reciprocal().value(), 5.0 / 7.0);
        assert_eq!(Ratio::of([(2.0, 1.0), (-6.0, 3.0)]), None);
        assert_eq!(Ratio::of([]), None);
        assert!(ratio.interval(Level::P95).is_err(), "three trials");
    }

    #[test]
    fn its_interval_is_that_of_the_mean_where_nothing_varies_below() {
        let over = [9.0, 10.0, 11.0, 10.5, 9.5];
        let ratio = Ratio::of(over.map(|value| (value, 2.0))).unwrap();
        let mean = crate::mean_interval(&crate::Sample::new(over.to_vec()).unwrap(), Level::P95).unwrap();
        let interval = ratio.interval(Level::P95).unwrap();
        assert!(
            (interval.low - mean.low / 2.0).abs() < 1e-12 && (interval.high - mean.high / 2.0).abs() < 1e-12
        );
        // The inverse ratio has the ends inverted.
        let reciprocal = ratio.reciprocal().interval(Level::P95).unwrap();
        assert!((reciprocal.low - 1.0 / interval.high).abs() < 1e-12, "{reciprocal:?}");
        let wild = Ratio::of([(1.0, 5.0), (1.0, -4.0), (1.0, 6.0), (1.0, -5.0), (1.0, 1.0)]).unwrap();
        assert_eq!(wild.interval(Level::P95), Err(NoInterval::DenominatorNearZero));
    }

    /// 100 us a message, minus a timer of 40 us that three blanks in ten measure: those trials give 16.9 and the others 140 or so.
    #[test]
    fn logarithms_of_steady_values_are_on_the_mean_that_of_the_ratio() {
        let mut draws = Draws::seeded(7);
        let mut met = || if draws.index(10) < 3 { (16.9, 1.0) } else { (140.0, 1.0) };
        let (mut estimates, mut missed) = (Vec::new(), 0);
        for _ in 0..400 {
            let ratio = Ratio::of((0..20).map(|_| met())).unwrap();
            let steady = ratio.steady();
            let of_logarithms = (steady.iter().map(|value| value.ln()).sum::<f64>() / 20.0).exp();
            assert!((of_logarithms / ratio.value() - 1.0).abs() < 1e-9);
            let interval = ratio.interval(Level::P95).unwrap();
            missed += u32::from(!interval.contains(0.3 * 16.9 + 0.7 * 140.0));
            estimates.push(ratio.value());
        }
        let mean = mean(&estimates);
        assert!((mean - 103.07).abs() < 1.5, "{mean}: a median would be 140, a geometric mean 74");
        assert!(missed < 40, "{missed} of 400");
    }
}
