//! The numbers of a box plot, with Tukey's fences.
//!
//! Source: J. W. Tukey, "Exploratory Data Analysis", 1977. Inner fences lie 1.5, outer fences 3 quartile
//! ranges outside the quartiles. Tukey took hinges; here they are type 7 quartiles ([`crate::quantile`]), as
//! in most software, which differ a little in small samples. Values outside are counted and drawn, never
//! removed.

use serde::{Deserialize, Serialize};

use crate::parameter::Quantile;
use crate::sample::Sample;

/// Inner fences in quartile ranges.
pub const INNER_FENCE: f64 = 1.5;
/// Outer fences in quartile ranges.
pub const OUTER_FENCE: f64 = 3.0;

/// A box plot in the unit of its values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BoxPlot {
    /// Number of values.
    pub count: u64,
    /// Least value within the inner fences.
    pub whisker_low: f64,
    /// Lower quartile.
    pub p25: f64,
    /// Median.
    pub median: f64,
    /// Upper quartile.
    pub p75: f64,
    /// Greatest value within the inner fences.
    pub whisker_high: f64,
    /// Values below the lower inner fence, ascending.
    pub outliers_low: Vec<f64>,
    /// Values above the upper inner fence, ascending.
    pub outliers_high: Vec<f64>,
    /// How many of the outliers lie outside the outer fences.
    pub far_out: u64,
}

impl BoxPlot {
    /// The box plot of a sample. A value on a fence is inside.
    pub fn of(sample: &Sample) -> Self {
        let sorted = sample.sorted();
        let (p25, p75) = (sample.quantile(Quantile::P25), sample.quantile(Quantile::P75));
        let range = p75 - p25;
        let start = sorted.partition_point(|&value| value < p25 - INNER_FENCE * range);
        let end = sorted.partition_point(|&value| value <= p75 + INNER_FENCE * range);
        let far_low = sorted.partition_point(|&value| value < p25 - OUTER_FENCE * range);
        let far_high = sorted.len() - sorted.partition_point(|&value| value <= p75 + OUTER_FENCE * range);
        Self {
            count: sorted.len() as u64,
            // The quartiles lie between values inside the fences, so `start..end` is never empty.
            whisker_low: sorted.get(start).copied().unwrap_or(p25),
            p25,
            median: sample.quantile(Quantile::MEDIAN),
            p75,
            whisker_high: end.checked_sub(1).and_then(|last| sorted.get(last)).copied().unwrap_or(p75),
            outliers_low: sorted[..start].to_vec(),
            outliers_high: sorted[end..].to_vec(),
            far_out: (far_low + far_high) as u64,
        }
    }

    /// Number of values outside the inner fences.
    pub fn outliers(&self) -> u64 {
        (self.outliers_low.len() + self.outliers_high.len()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outliers_are_counted_on_both_sides_and_kept() {
        let values: Vec<f64> = (1..=11).map(f64::from).chain([-9.0, 30.0, 18.0]).collect();
        let plot = BoxPlot::of(&Sample::new(values).unwrap());
        assert_eq!((plot.p25, plot.median, plot.p75), (3.25, 6.5, 9.75));
        // Inner fences -6.5 and 19.5, outer ones -16.25 and 29.25.
        assert_eq!((plot.whisker_low, plot.whisker_high), (1.0, 18.0));
        assert_eq!((plot.outliers_low.as_slice(), plot.outliers_high.as_slice()), (&[-9.0][..], &[30.0][..]));
        assert_eq!((plot.outliers(), plot.far_out, plot.count), (2, 1, 14));
    }

    #[test]
    fn one_value_is_a_box_without_size() {
        let plot = BoxPlot::of(&Sample::new(vec![4.0]).unwrap());
        assert_eq!((plot.whisker_low, plot.p25, plot.p75, plot.whisker_high), (4.0, 4.0, 4.0, 4.0));
        assert_eq!(plot.outliers(), 0);
    }
}
