//! The statistic that an interval is for.

use serde::{Deserialize, Serialize};

use crate::parameter::Quantile;
use crate::sample::Sample;

/// The statistic that an interval is for.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Statistic {
    /// Arithmetic mean of all messages (a trial with more messages weighs more).
    Mean,
    /// Type 7 quantile of all messages.
    Quantile(Quantile),
}

impl Statistic {
    /// The median, a type 7 quantile.
    pub const MEDIAN: Self = Self::Quantile(Quantile::MEDIAN);

    /// The statistic of one sample.
    pub fn of(self, sample: &Sample) -> f64 {
        match self {
            Self::Mean => sample.mean(),
            Self::Quantile(quantile) => sample.quantile(quantile),
        }
    }
}
