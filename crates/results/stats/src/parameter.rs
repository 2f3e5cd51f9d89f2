//! Confidence levels and quantile fractions, checked once so that the formulas need not check again.

use serde::{Deserialize, Serialize};

/// A parameter was outside the range that the formula is defined for.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{what} is {value}, which is not {range}: pass a value in that range")]
pub struct OutOfRange {
    /// Name of the parameter, for the message.
    pub what: &'static str,
    /// The value that was refused, as text.
    pub value: String,
    /// The values that are accepted, in words.
    pub range: &'static str,
}

impl OutOfRange {
    pub(crate) fn new(what: &'static str, value: impl ToString, range: &'static str) -> Self {
        Self { what, value: value.to_string(), range }
    }
}

/// Confidence level of an interval, a ratio strictly between 0 and 1. A test at this level uses
/// `1 - level` as its error rate: level 0.95 is a test at 5 %.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Level(f64);

impl Level {
    /// 0.95, the level of every interval in reports unless it says otherwise.
    pub const P95: Self = Self(0.95);
    /// 0.99, for intervals that must rarely fail.
    pub const P99: Self = Self(0.99);

    /// # Errors
    /// [`OutOfRange`] unless `0 < level < 1`.
    pub fn new(level: f64) -> Result<Self, OutOfRange> {
        if level > 0.0 && level < 1.0 {
            Ok(Self(level))
        } else {
            Err(OutOfRange::new("confidence level", level, "strictly between 0 and 1"))
        }
    }

    /// The level as a ratio, such as 0.95.
    pub fn get(self) -> f64 {
        self.0
    }

    /// Error rate of a test at this level, such as 0.05.
    pub fn error_rate(self) -> f64 {
        1.0 - self.0
    }
}

impl TryFrom<f64> for Level {
    type Error = OutOfRange;

    fn try_from(level: f64) -> Result<Self, OutOfRange> {
        Self::new(level)
    }
}

impl From<Level> for f64 {
    fn from(level: Level) -> Self {
        level.0
    }
}

/// A quantile: a ratio from 0 (minimum) to 1 (maximum), both included.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Quantile(f64);

impl Quantile {
    /// Lower quartile, the fraction 0.25.
    pub const P25: Self = Self(0.25);
    /// The median, the fraction 0.5.
    pub const MEDIAN: Self = Self(0.5);
    /// Upper quartile, the fraction 0.75.
    pub const P75: Self = Self(0.75);
    /// 90th percentile, the fraction 0.9.
    pub const P90: Self = Self(0.9);
    /// 99th percentile, the fraction 0.99.
    pub const P99: Self = Self(0.99);

    /// # Errors
    /// [`OutOfRange`] unless `0 <= fraction <= 1`.
    pub fn new(fraction: f64) -> Result<Self, OutOfRange> {
        if (0.0..=1.0).contains(&fraction) {
            Ok(Self(fraction))
        } else {
            Err(OutOfRange::new("quantile", fraction, "from 0 to 1"))
        }
    }

    /// The fraction, such as 0.99 for the 99th percentile.
    pub fn get(self) -> f64 {
        self.0
    }
}

impl TryFrom<f64> for Quantile {
    type Error = OutOfRange;

    fn try_from(fraction: f64) -> Result<Self, OutOfRange> {
        Self::new(fraction)
    }
}

impl From<Quantile> for f64 {
    fn from(quantile: Quantile) -> Self {
        quantile.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_and_quantiles_refuse_what_has_no_meaning() {
        for bad in [0.0, 1.0, -0.1, 95.0, f64::NAN] {
            assert!(Level::new(bad).is_err(), "{bad}");
        }
        for bad in [-0.1, 1.1, 99.0, f64::NAN] {
            assert!(Quantile::new(bad).is_err(), "{bad}");
        }
        let message = Level::new(95.0).unwrap_err().to_string();
        assert_eq!(
            message,
            "confidence level is 95, which is not strictly between 0 and 1: pass a value in that range"
        );
    }
}
