//! The quantities of a link as people write them: `35ms`, `10mbit`, `1%`. Each is an integer (or a ratio in
//! 0..1) inside; its text form loses nothing, so files, JSON and the command line share one reading.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Why a text is no quantity.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is no {kind}: write a number and a unit, for example {example}")]
pub struct QuantityError {
    /// The text as given.
    pub text: String,
    /// Duration, rate or share.
    pub kind: &'static str,
    /// Valid texts.
    pub example: &'static str,
}

/// A duration of at least 0, in nanoseconds; text forms `250ns`, `80us`, `35ms`, `1.5s`, `2min`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Span(pub u64);

/// A rate in bits per second; text forms `9600bit`, `64kbit`, `10mbit`, `1gbit` (powers of 1000).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct BitRate(pub u64);

/// A ratio in 0..=1; text forms `1%` and `0.01`, in TOML also the bare number.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "f64")]
pub struct Share(f64);

/// Units from small to large, with what one of them is in base units.
const SPAN_UNITS: [(&str, u64); 5] =
    [("ns", 1), ("us", 1_000), ("ms", 1_000_000), ("s", 1_000_000_000), ("min", 60_000_000_000)];
const RATE_UNITS: [(&str, u64); 4] =
    [("bit", 1), ("kbit", 1_000), ("mbit", 1_000_000), ("gbit", 1_000_000_000)];

/// Reads a decimal number and a unit exactly: digits behind the point count down from the unit.
fn scaled(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let text = text.trim();
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let (number, unit) = (&text[..split], text[split..].trim());
    let factor = units.iter().find(|(name, _)| *name == unit)?.1;
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if whole.is_empty() || number.ends_with('.') {
        return None;
    }
    let mut total = whole.parse::<u64>().ok()?.checked_mul(factor)?;
    let mut step = factor;
    for digit in fraction.chars() {
        let digit = u64::from(digit.to_digit(10)?);
        if step % 10 != 0 && digit != 0 {
            return None;
        }
        step /= 10;
        total = total.checked_add(digit * step)?;
    }
    Some(total)
}

/// Writes a value in the largest unit that divides it.
fn in_largest_unit(value: u64, units: &[(&str, u64)], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let (unit, factor) = units
        .iter()
        .rev()
        .find(|(_, factor)| value != 0 && value.is_multiple_of(*factor))
        .unwrap_or(&units[0]);
    write!(f, "{}{unit}", value / factor)
}

impl FromStr for Span {
    type Err = QuantityError;
    fn from_str(text: &str) -> Result<Self, QuantityError> {
        scaled(text, &SPAN_UNITS).map(Self).ok_or_else(|| QuantityError {
            text: text.to_owned(),
            kind: "duration",
            example: "`35ms`, `250us` or `1.5s`",
        })
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        in_largest_unit(self.0, &SPAN_UNITS, f)
    }
}

impl FromStr for BitRate {
    type Err = QuantityError;
    fn from_str(text: &str) -> Result<Self, QuantityError> {
        scaled(text, &RATE_UNITS).map(Self).ok_or_else(|| QuantityError {
            text: text.to_owned(),
            kind: "rate",
            example: "`10mbit`, `64kbit` or `9600bit` (per second)",
        })
    }
}

impl fmt::Display for BitRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        in_largest_unit(self.0, &RATE_UNITS, f)
    }
}

impl Share {
    /// A ratio; `None` outside 0..=1.
    pub fn new(ratio: f64) -> Option<Self> {
        (0.0..=1.0).contains(&ratio).then_some(Self(ratio))
    }

    /// The ratio, 0..=1.
    pub fn ratio(self) -> f64 {
        self.0
    }
}

impl FromStr for Share {
    type Err = QuantityError;
    fn from_str(text: &str) -> Result<Self, QuantityError> {
        let trimmed = text.trim();
        let parsed = match trimmed.strip_suffix('%') {
            Some(percent) => percent.trim().parse::<f64>().map(|p| p / 100.0),
            None => trimmed.parse::<f64>(),
        };
        parsed.ok().and_then(Self::new).ok_or_else(|| QuantityError {
            text: text.to_owned(),
            kind: "share",
            example: "`1%` or `0.01` (0 to 100 %)",
        })
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}%", self.0 * 100.0)
    }
}

/// How a share may stand in a file.
#[derive(Deserialize)]
#[serde(untagged)]
enum Written {
    Number(f64),
    Whole(i64),
    Text(String),
}

impl TryFrom<Written> for Share {
    type Error = QuantityError;
    fn try_from(written: Written) -> Result<Self, QuantityError> {
        match written {
            Written::Number(ratio) => ratio.to_string().parse(),
            Written::Whole(ratio) => ratio.to_string().parse(),
            Written::Text(text) => text.parse(),
        }
    }
}

impl From<Share> for f64 {
    fn from(share: Share) -> f64 {
        share.0
    }
}

/// Text conversions that serde uses.
macro_rules! textual {
    ($name:ident) => {
        impl TryFrom<String> for $name {
            type Error = QuantityError;
            fn try_from(text: String) -> Result<Self, QuantityError> {
                text.parse()
            }
        }
        impl From<$name> for String {
            fn from(value: $name) -> String {
                value.to_string()
            }
        }
    };
}
textual!(Span);
textual!(BitRate);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_and_rates_are_read_exactly() {
        for (text, ns) in [("35ms", 35_000_000), ("69.5ms", 69_500_000), ("1.5 s", 1_500_000_000), ("0ms", 0)]
        {
            assert_eq!(text.parse(), Ok(Span(ns)), "{text}");
        }
        assert_eq!("10mbit".parse(), Ok(BitRate(10_000_000)));
        for text in ["", "35", "ms", "-1ms", "1.ms", ".5s", "0.5ns", "1e3ms", "3 parsec"] {
            assert!(text.parse::<Span>().is_err(), "{text}");
        }
    }

    #[test]
    fn text_forms_lose_nothing() {
        for ns in [0, 1, 999, 1_000, 34_750_001, 35_000_000, 60_000_000_000, u64::MAX] {
            assert_eq!(Span(ns).to_string().parse(), Ok(Span(ns)));
        }
        assert_eq!(BitRate(1_500_000).to_string(), "1500kbit");
    }

    #[test]
    fn shares_are_ratios_or_percentages() {
        assert_eq!("1%".parse::<Share>().unwrap().ratio(), 0.01);
        assert_eq!("0.25".parse::<Share>().unwrap().ratio(), 0.25);
        for text in ["101%", "-0.1", "1.5", "NaN", "a lot"] {
            assert!(text.parse::<Share>().is_err(), "{text}");
        }
    }
}
