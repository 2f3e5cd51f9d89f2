//! Growth of a figure along an axis, repeat by repeat: each repeat gives one number, so that an interval over repeats is one of the
//! growth. It judges the direction of what a study only drew, never the heights of its marks.

use std::collections::BTreeMap;

/// One number for each repeat.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Points {
    /// The numbers by the number of the repeat.
    pub by_repeat: BTreeMap<u32, f64>,
    /// Whether they are factors, so that 1 means no growth; otherwise 0 does.
    pub is_factor: bool,
}

/// Growth from one set of values to the next: the mean factor between them, which is the exponential of the slope of their
/// logarithms over their position (least squares). If a value is not above 0, the slope of the values themselves.
pub(crate) fn trend(of: &[BTreeMap<u32, f64>]) -> Points {
    let is_factor = of.iter().flat_map(BTreeMap::values).all(|&value| value > 0.0);
    let places: Vec<f64> = (0..of.len()).map(|place| place as f64).collect();
    let growth = |values: &[f64]| {
        if is_factor {
            let logarithms: Vec<f64> = values.iter().map(|value| value.ln()).collect();
            least_squares(&places, &logarithms).exp()
        } else {
            least_squares(&places, values)
        }
    };
    Points { by_repeat: each_repeat(of, growth), is_factor }
}

/// Growth with a number, by least squares, in the values' unit per unit of the number.
pub(crate) fn slope(numbers: &[f64], of: &[BTreeMap<u32, f64>]) -> Points {
    Points { by_repeat: each_repeat(of, |values| least_squares(numbers, values)), is_factor: false }
}

/// The result for each repeat that all have.
fn each_repeat(of: &[BTreeMap<u32, f64>], come_to: impl Fn(&[f64]) -> f64) -> BTreeMap<u32, f64> {
    let Some(first) = of.first() else { return BTreeMap::new() };
    let of_repeat = |repeat: &u32| {
        let values: Option<Vec<f64>> = of.iter().map(|values| values.get(repeat).copied()).collect();
        Some((*repeat, come_to(&values?)))
    };
    first.keys().filter_map(of_repeat).collect()
}

/// The slope of the straight line closest to points by the sum of squares; 0 if all numbers are the same.
fn least_squares(numbers: &[f64], values: &[f64]) -> f64 {
    let count = numbers.len() as f64;
    let (mean_x, mean_y) = (numbers.iter().sum::<f64>() / count, values.iter().sum::<f64>() / count);
    let around = || numbers.iter().map(|x| x - mean_x);
    let squares: f64 = around().map(|x| x * x).sum();
    if squares > 0.0 {
        around().zip(values).map(|(x, y)| x * (y - mean_y)).sum::<f64>() / squares
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(values: &[f64]) -> Vec<BTreeMap<u32, f64>> {
        values.iter().map(|&value| BTreeMap::from([(0, value), (1, value * 2.0)])).collect()
    }

    #[test]
    fn what_doubles_from_place_to_place_grows_by_two_in_every_repeat() {
        let growth = trend(&all(&[3.0, 6.0, 12.0, 24.0]));
        assert!(growth.is_factor && growth.by_repeat.values().all(|factor| (factor - 2.0).abs() < 1e-12));
        let falling = trend(&all(&[8.0, 4.0]));
        assert!((falling.by_repeat[&1] - 0.5).abs() < 1e-12);
    }

    #[test]
    fn where_a_value_is_nothing_growth_is_a_slope() {
        let growth = trend(&all(&[0.0, 1.0, 2.0]));
        assert!(!growth.is_factor);
        assert_eq!((growth.by_repeat[&0], growth.by_repeat[&1]), (1.0, 2.0));
    }

    #[test]
    fn a_slope_is_by_the_numbers_of_the_axis() {
        let slopes = slope(&[0.0, 0.1, 0.25], &all(&[10.0, 11.0, 12.5]));
        assert!((slopes.by_repeat[&0] - 10.0).abs() < 1e-9 && (slopes.by_repeat[&1] - 20.0).abs() < 1e-9);
        assert_eq!(slope(&[1.0, 1.0], &all(&[1.0, 2.0])).by_repeat[&0], 0.0);
    }

    #[test]
    fn a_repeat_that_one_value_lacks_is_left_out() {
        let of = [BTreeMap::from([(0, 1.0), (1, 1.0)]), BTreeMap::from([(1, 2.0)])];
        assert_eq!(trend(&of).by_repeat.keys().collect::<Vec<_>>(), [&1]);
    }
}
