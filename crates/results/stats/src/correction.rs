//! p-values corrected for the number of comparisons.
//!
//! Holm's procedure keeps the probability of even one false difference below the error rate, whatever the
//! dependence (S. Holm, "A Simple Sequentially Rejective Multiple Test Procedure", Scandinavian Journal of
//! Statistics 6, 1979): for statements in a report.

/// Why p-values can't be corrected.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CorrectionError {
    /// A p-value is not a probability.
    #[error("p-value {index} is {value}: leave out comparisons that could not be made")]
    NotAProbability {
        /// Its position, from 0.
        index: usize,
        /// The value at that position.
        value: f64,
    },
}

fn order(p_values: &[f64]) -> Result<Vec<usize>, CorrectionError> {
    if let Some((index, &value)) = p_values.iter().enumerate().find(|(_, p)| !(0.0..=1.0).contains(*p)) {
        return Err(CorrectionError::NotAProbability { index, value });
    }
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
    Ok(order)
}

/// Holm's adjusted p-values, in the order given: compare them with the error rate itself.
///
/// # Errors
/// [`CorrectionError::NotAProbability`] for anything outside 0..1.
pub fn holm(p_values: &[f64]) -> Result<Vec<f64>, CorrectionError> {
    let mut adjusted = vec![0.0; p_values.len()];
    let mut greatest = 0.0_f64;
    for (step, index) in order(p_values)?.into_iter().enumerate() {
        greatest = greatest.max((p_values.len() - step) as f64 * p_values[index]).min(1.0);
        adjusted[index] = greatest;
    }
    Ok(adjusted)
}

/// The error rate that Holm's procedure applies to each comparison: that of its own step up to the first that
/// is not rejected, whose rate then applies to all that follow. So `p < rate` is the verdict for each.
pub(crate) fn holm_rates(p_values: &[f64], error_rate: f64) -> Result<Vec<f64>, CorrectionError> {
    let mut rates = vec![error_rate; p_values.len()];
    let mut stopped = None;
    for (step, index) in order(p_values)?.into_iter().enumerate() {
        let own = error_rate / (p_values.len() - step) as f64;
        if stopped.is_none() && p_values[index] >= own {
            stopped = Some(own);
        }
        rates[index] = stopped.unwrap_or(own);
    }
    Ok(rates)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::Draws;

    #[test]
    fn holm_multiplies_by_what_is_left_and_never_falls() {
        assert_eq!(holm(&[0.01, 0.04, 0.03, 0.005]).unwrap(), [0.03, 0.06, 0.06, 0.02]);
        assert_eq!(holm(&[0.9, 0.8]).unwrap(), [1.0, 1.0]);
        assert_eq!(holm(&[]).unwrap(), [0.0; 0]);
    }

    #[test]
    fn what_is_no_probability_is_refused() {
        assert!(holm(&[0.1, f64::NAN]).is_err());
        assert!(holm(&[1.5]).is_err());
    }

    #[test]
    fn rates_and_adjusted_values_give_the_same_verdicts() {
        let mut draws = Draws::seeded(41);
        for _ in 0..300 {
            let p_values: Vec<f64> = (0..8)
                .map(|_| (draws.index(1000) as f64 / 1000.0).powi(4) + 1e-6)
                .map(|p| p.min(1.0))
                .collect();
            let adjusted = holm(&p_values).unwrap();
            let rates = holm_rates(&p_values, 0.05).unwrap();
            for index in 0..8 {
                assert_eq!(adjusted[index] < 0.05, p_values[index] < rates[index], "{p_values:?}");
            }
        }
    }
}
