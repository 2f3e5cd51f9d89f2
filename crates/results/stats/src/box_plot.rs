//! The numbers of a box plot, with Tukey's fences.
//!
//! Source: J. W. Tukey, "Exploratory Data Analysis", 1977. Inner fences lie 1.5, outer fences 3 quartile ranges outside the quartiles.
//! Tukey used hinges; here they are type 7 quartiles ([`crate::quantile`]), as in most software, which differ slightly in small samples.
//! Values outside are counted, never removed.

use serde::{Deserialize, Serialize};

use crate::parameter::Quantile;
use crate::sample::Sample;
use crate::tally::Tally;

/// Distance of the inner fences in quartile ranges.
pub const INNER_FENCE: f64 = 1.5;
/// Distance of the outer fences in quartile ranges.
pub const OUTER_FENCE: f64 = 3.0;

/// A box plot in the unit of its values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BoxPlot {
    /// Number of values, those outside included.
    pub count: u64,
    /// Least value within the inner fences.
    pub whisker_low: f64,
    /// Lower quartile, type 7.
    pub p25: f64,
    /// Median of all values, type 7.
    pub median: f64,
    /// Upper quartile, type 7.
    pub p75: f64,
    /// Greatest value within the inner fences.
    pub whisker_high: f64,
    /// Number of values below the lower inner fence.
    pub outliers_low: u64,
    /// Number of values above the upper inner fence.
    pub outliers_high: u64,
    /// Number of outliers outside the outer fences.
    pub far_out: u64,
}

impl BoxPlot {
    /// The box plot of a sample. A value on a fence is inside.
    pub fn of(sample: &Sample) -> Self {
        Self::of_tally(&Tally::of(sample))
    }

    /// The box plot of values with their counts.
    pub fn of_tally(tally: &Tally) -> Self {
        let (p25, p75) = (tally.quantile(Quantile::P25), tally.quantile(Quantile::P75));
        let range = p75 - p25;
        let (low, high) = (p25 - INNER_FENCE * range, p75 + INNER_FENCE * range);
        let above = |fence: f64| tally.count() - tally.at_most(fence);
        let steps = tally.steps();
        let start = steps.partition_point(|(value, _)| *value < low);
        let end = steps.partition_point(|(value, _)| *value <= high);
        Self {
            count: tally.count(),
            // The quartiles lie between values inside the fences, so `start..end` is never empty.
            whisker_low: steps.get(start).map_or(p25, |(value, _)| *value),
            p25,
            median: tally.quantile(Quantile::MEDIAN),
            p75,
            whisker_high: end
                .checked_sub(1)
                .and_then(|last| steps.get(last))
                .map_or(p75, |(value, _)| *value),
            outliers_low: tally.below(low),
            outliers_high: above(high),
            far_out: tally.below(p25 - OUTER_FENCE * range) + above(p75 + OUTER_FENCE * range),
        }
    }

    /// The values outside the inner fences of the tally that this belongs to, ascending, each once. If there are more than `most` (at
    /// least 2), the first, the last, and an even selection between them.
    pub fn outside(&self, tally: &Tally, most: usize) -> Vec<f64> {
        let is_outside = |value: &f64| *value < self.whisker_low || *value > self.whisker_high;
        let all: Vec<f64> = tally.steps().iter().map(|(value, _)| *value).filter(is_outside).collect();
        if all.len() <= most {
            return all;
        }
        let (last, gaps) = (all.len() - 1, most.max(2) - 1);
        (0..=gaps).map(|place| all[place * last / gaps]).collect()
    }

    /// Number of values outside the inner fences.
    pub fn outliers(&self) -> u64 {
        self.outliers_low + self.outliers_high
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outliers_are_counted_on_both_sides() {
        let values: Vec<f64> = (1..=11).map(f64::from).chain([-9.0, 30.0, 18.0]).collect();
        let plot = BoxPlot::of(&Sample::new(values).unwrap());
        assert_eq!((plot.p25, plot.median, plot.p75), (3.25, 6.5, 9.75));
        // Inner fences -6.5 and 19.5, outer ones -16.25 and 29.25.
        assert_eq!((plot.whisker_low, plot.whisker_high), (1.0, 18.0));
        assert_eq!((plot.outliers_low, plot.outliers_high), (1, 1));
        assert_eq!((plot.outliers(), plot.far_out, plot.count), (2, 1, 14));
    }

    #[test]
    fn one_value_is_a_box_without_size() {
        let plot = BoxPlot::of(&Sample::new(vec![4.0]).unwrap());
        assert_eq!((plot.whisker_low, plot.p25, plot.p75, plot.whisker_high), (4.0, 4.0, 4.0, 4.0));
        assert_eq!(plot.outliers(), 0);
    }

    #[test]
    fn what_lies_outside_is_thinned_and_keeps_its_ends() {
        let values = (1..=100).map(f64::from).chain((0..90).map(|place| 1_000.0 + f64::from(place)));
        let few: Vec<f64> = values.clone().take(103).collect();
        let tally = Tally::of(&Sample::new(few).unwrap());
        assert_eq!(BoxPlot::of_tally(&tally).outside(&tally, 40), [1_000.0, 1_001.0, 1_002.0]);
        let many: Vec<f64> =
            (1..=1_000).map(f64::from).chain(values.skip(100).map(|value| value * 10.0)).collect();
        let tally = Tally::of(&Sample::new(many).unwrap());
        let thinned = BoxPlot::of_tally(&tally).outside(&tally, 40);
        assert_eq!((thinned.len(), thinned[0], thinned[39]), (40, 10_000.0, 10_890.0));
        assert!(thinned.windows(2).all(|pair| pair[0] < pair[1]), "{thinned:?}");
    }
}
