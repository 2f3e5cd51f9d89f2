//! The empirical distribution function, and fewer points of it that give the same picture.

use serde::{Deserialize, Serialize};

use crate::sample::Sample;
use crate::tally::Tally;

/// A step: `fraction` of the values are at most `value`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct EcdfPoint {
    /// A value, in the unit of the sample.
    pub value: f64,
    /// Share of values up to it, above 0, up to 1.
    pub fraction: f64,
}

/// The scale of the axis on which values are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AxisScale {
    /// Equal distances are equal differences.
    Linear,
    /// Equal distances are equal ratios; values that are not positive share the first column.
    Logarithmic,
}

/// The whole step function: one point per distinct value, ascending in both coordinates.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ecdf {
    points: Vec<EcdfPoint>,
}

impl Ecdf {
    /// The distribution function of a sample.
    pub fn of(sample: &Sample) -> Self {
        Self::of_tally(&Tally::of(sample))
    }

    /// The distribution function of values with their counts.
    pub fn of_tally(tally: &Tally) -> Self {
        let count = tally.count() as f64;
        let point = |&(value, up_to): &(f64, u64)| EcdfPoint { value, fraction: up_to as f64 / count };
        Self { points: tally.steps().iter().map(point).collect() }
    }

    /// Its steps, ascending in value and fraction.
    pub fn points(&self) -> &[EcdfPoint] {
        &self.points
    }

    /// The ratio of values that are at most `value`.
    pub fn at(&self, value: f64) -> f64 {
        let above = self.points.partition_point(|point| point.value <= value);
        above.checked_sub(1).map_or(0.0, |index| self.points[index].fraction)
    }

    /// At most two points per pixel column: the first and the last of each column. For a rising curve these
    /// are also its least and greatest, so that the picture of `columns` pixels stays the same (U. Jugel et
    /// al., "M4: A Visualization-Oriented Time Series Data Aggregation", VLDB 2014). Both ends are kept.
    pub fn thinned(&self, columns: usize, scale: AxisScale) -> Vec<EcdfPoint> {
        let column = self.columns(columns, scale);
        let inner = |index: usize| {
            let own = column(self.points[index].value);
            index > 0
                && index + 1 < self.points.len()
                && column(self.points[index - 1].value) == own
                && column(self.points[index + 1].value) == own
        };
        (0..self.points.len()).filter(|&index| !inner(index)).map(|index| self.points[index]).collect()
    }

    /// Maps a value to its pixel column.
    fn columns(&self, columns: usize, scale: AxisScale) -> impl Fn(f64) -> usize {
        let place = move |value: f64| match scale {
            AxisScale::Linear => value,
            AxisScale::Logarithmic => value.ln(),
        };
        let visible = |point: &&EcdfPoint| scale == AxisScale::Linear || point.value > 0.0;
        let first = self.points.iter().find(visible).map_or(0.0, |point| place(point.value));
        let last = self.points.iter().rev().find(visible).map_or(0.0, |point| place(point.value));
        let columns = columns.max(1);
        let width = (last - first) / columns as f64;
        move |value| {
            if scale == AxisScale::Logarithmic && value <= 0.0 || width <= 0.0 {
                return 0;
            }
            (((place(value) - first) / width) as usize).min(columns - 1)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::Draws;

    #[test]
    fn equal_values_are_one_step() {
        let ecdf = Ecdf::of(&Sample::new(vec![3.0, 1.0, 1.0, 2.0]).unwrap());
        let points: Vec<_> = ecdf.points().iter().map(|point| (point.value, point.fraction)).collect();
        assert_eq!(points, [(1.0, 0.5), (2.0, 0.75), (3.0, 1.0)]);
        assert_eq!((ecdf.at(0.9), ecdf.at(1.0), ecdf.at(2.5), ecdf.at(9.0)), (0.0, 0.5, 0.75, 1.0));
    }

    /// Where the curve enters and leaves each pixel column is the same with and without thinning.
    #[test]
    fn thinning_keeps_what_each_column_shows() {
        let mut draws = Draws::seeded(5);
        let values: Vec<f64> = (0..20_000).map(|_| 1.0 + (draws.index(1 << 20) as f64 / 5e4).exp()).collect();
        let ecdf = Ecdf::of(&Sample::new(values).unwrap());
        for scale in [AxisScale::Linear, AxisScale::Logarithmic] {
            let thin = ecdf.thinned(300, scale);
            assert!(thin.len() <= 600 && thin.len() > 100, "{}", thin.len());
            let column = ecdf.columns(300, scale);
            let shown = |points: &[EcdfPoint]| {
                let mut shown = std::collections::BTreeMap::new();
                for point in points {
                    let entry = shown.entry(column(point.value)).or_insert((*point, *point));
                    entry.1 = *point;
                }
                shown
            };
            assert_eq!(shown(ecdf.points()), shown(&thin));
        }
    }

    #[test]
    fn a_single_value_and_negative_ones_survive_a_logarithmic_axis() {
        let one = Ecdf::of(&Sample::new(vec![7.0]).unwrap());
        assert_eq!(one.thinned(0, AxisScale::Linear).len(), 1);
        let mixed = Ecdf::of(&Sample::new(vec![-2.0, -1.0, 0.0, 1.0, 10.0]).unwrap());
        let thin = mixed.thinned(2, AxisScale::Logarithmic);
        assert_eq!(thin.first().map(|point| point.value), Some(-2.0));
        assert_eq!(thin.last().map(|point| point.value), Some(10.0));
    }
}
