//! Quantities as people write them in files: `200ms`, `5 %`.
//!
//! One file because all quantities share the reading of numbers with units and its errors.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::de::{Deserializer, Error, Visitor};
use serde::{Deserialize, Serialize};

/// Why a text is not a quantity of its kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a {kind}: write {shape}")]
pub struct QuantityError {
    text: String,
    kind: &'static str,
    shape: &'static str,
}

impl QuantityError {
    /// An error for `text`, which is not a quantity of a kind; `shape` is what to write.
    pub fn new(text: &str, kind: &'static str, shape: &'static str) -> Self {
        QuantityError { text: text.to_owned(), kind, shape }
    }
}

/// Reads a quantity from text. A bare number has no unit and is refused with what to write.
struct Quantity<T>(std::marker::PhantomData<T>);

impl<T: FromStr<Err = QuantityError>> Visitor<'_> for Quantity<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a quantity with its unit, in quotes")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        text.parse().map_err(E::custom)
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<T, E> {
        self.visit_str(&number.to_string())
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<T, E> {
        self.visit_str(&number.to_string())
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<T, E> {
        self.visit_str(&number.to_string())
    }
}

macro_rules! read_as_text {
    ($($quantity:ty),*) => {$(
        impl<'de> Deserialize<'de> for $quantity {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_str(Quantity(std::marker::PhantomData))
            }
        }
    )*};
}
read_as_text!(Span, BitRate, MessageRate);

/// A span of time in whole nanoseconds, written `35us`, `200ms`, `2s`, `1min`, `1h` or `15ns`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize)]
#[serde(into = "String")]
pub struct Span {
    /// The length in nanoseconds.
    pub ns: u64,
}

/// Units from small to large, each with its size in base units.
const SPAN_UNITS: [(&str, u64); 6] = [
    ("ns", 1),
    ("us", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("min", 60_000_000_000),
    ("h", 3_600_000_000_000),
];
const RATE_UNITS: [(&str, u64); 4] =
    [("bit", 1), ("kbit", 1_000), ("mbit", 1_000_000), ("gbit", 1_000_000_000)];

/// Reads a decimal number and a unit exactly: fractional digits count down from the unit.
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

/// Writes a value in the largest unit that divides it, so that no precision is lost.
fn in_largest_unit(value: u64, units: &[(&str, u64)], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let (unit, factor) = units
        .iter()
        .rev()
        .find(|(_, factor)| value != 0 && value.is_multiple_of(*factor))
        .unwrap_or(&units[0]);
    write!(f, "{}{unit}", value / factor)
}

impl Span {
    /// A span of whole milliseconds.
    pub const fn from_ms(ms: u64) -> Self {
        Span { ns: ms * 1_000_000 }
    }

    /// A span of whole seconds.
    pub const fn from_s(s: u64) -> Self {
        Span { ns: s * 1_000_000_000 }
    }

    /// For people to read: about three digits in a suitable unit. `Display` is exact instead.
    pub fn rounded(self) -> String {
        let (unit, factor) = match self.ns {
            ns if ns >= 1_000_000_000 => ("s", 1e9),
            ns if ns >= 1_000_000 => ("ms", 1e6),
            ns if ns >= 1_000 => ("us", 1e3),
            _ => ("ns", 1.0),
        };
        let value = self.ns as f64 / factor;
        let digits = if value >= 100.0 || factor == 1.0 {
            0
        } else if value >= 10.0 {
            1
        } else {
            2
        };
        let text = format!("{value:.digits$}");
        let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
        format!("{text} {unit}")
    }

    /// The same span as the standard library's type.
    pub const fn to_std(self) -> std::time::Duration {
        std::time::Duration::from_nanos(self.ns)
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        in_largest_unit(self.ns, &SPAN_UNITS, f)
    }
}

impl FromStr for Span {
    type Err = QuantityError;
    fn from_str(text: &str) -> Result<Self, QuantityError> {
        scaled(text, &SPAN_UNITS).map(|ns| Span { ns }).ok_or_else(|| QuantityError {
            text: text.to_owned(),
            kind: "span of time",
            shape: "a number with its unit, ns, us, ms, s, min or h, for example \"200ms\"",
        })
    }
}

impl From<Span> for String {
    fn from(span: Span) -> String {
        span.to_string()
    }
}

impl JsonSchema for Span {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Span".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "description": "A span of time: 200ms, 2s" })
    }
}

/// A rate in bits per second, written `9600bit`, `64kbit`, `10mbit` or `1gbit` (powers of 1000).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize)]
#[serde(into = "String")]
pub struct BitRate {
    /// Bits per second, whatever the unit in the text.
    pub bits_per_s: u64,
}

impl fmt::Display for BitRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        in_largest_unit(self.bits_per_s, &RATE_UNITS, f)
    }
}

impl FromStr for BitRate {
    type Err = QuantityError;
    fn from_str(text: &str) -> Result<Self, QuantityError> {
        scaled(text, &RATE_UNITS).map(|bits_per_s| BitRate { bits_per_s }).ok_or_else(|| QuantityError {
            text: text.to_owned(),
            kind: "rate",
            shape: "a number with its unit, bit, kbit, mbit or gbit (per second), for example \"10mbit\"",
        })
    }
}

impl From<BitRate> for String {
    fn from(rate: BitRate) -> String {
        rate.to_string()
    }
}

/// How many messages a second, in thousandths; written `0.5/s`, `200/s`, `10k/s` or `1.5M/s`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(into = "String")]
pub struct MessageRate {
    /// Messages in 1000 seconds; above 0.
    pub per_1000_s: u64,
}

const MESSAGE_RATE_UNITS: [(&str, u64); 3] = [("/s", 1_000), ("k/s", 1_000_000), ("M/s", 1_000_000_000)];

impl MessageRate {
    /// The rate, messages per second.
    pub fn per_s(self) -> f64 {
        self.per_1000_s as f64 / 1e3
    }

    /// The time between two messages, rounded to a whole nanosecond.
    pub fn interval(self) -> Span {
        let per_1000_s = self.per_1000_s.max(1);
        Span { ns: (1_000_000_000_000 + per_1000_s / 2) / per_1000_s }
    }
}

impl fmt::Display for MessageRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fits = |(_, factor): &&(&str, u64)| self.per_1000_s >= *factor;
        let (unit, factor) = MESSAGE_RATE_UNITS.iter().rev().find(fits).unwrap_or(&MESSAGE_RATE_UNITS[0]);
        let (whole, rest) = (self.per_1000_s / factor, self.per_1000_s % factor);
        if rest == 0 {
            return write!(f, "{whole}{unit}");
        }
        let digits = format!("{:09}", rest * (1_000_000_000 / factor));
        write!(f, "{whole}.{}{unit}", digits.trim_end_matches('0'))
    }
}

impl FromStr for MessageRate {
    type Err = QuantityError;
    fn from_str(text: &str) -> Result<Self, QuantityError> {
        let rate = scaled(text, &MESSAGE_RATE_UNITS).filter(|per_1000_s| *per_1000_s > 0);
        rate.map(|per_1000_s| MessageRate { per_1000_s }).ok_or_else(|| QuantityError {
            text: text.to_owned(),
            kind: "rate of messages",
            shape: "a number above 0 with its unit, /s, k/s or M/s, for example \"10k/s\"",
        })
    }
}

impl From<MessageRate> for String {
    fn from(rate: MessageRate) -> String {
        rate.to_string()
    }
}

impl JsonSchema for MessageRate {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "MessageRate".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "description": "Messages per second: 200/s, 10k/s" })
    }
}

/// A part of a whole, 0..1; written as a number (`0.05`) or as text with a per cent sign (`"5%"`).
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct Ratio(f64);

impl Ratio {
    /// Takes a number between 0 and 1.
    ///
    /// # Errors
    /// When the number is outside 0..1 or not a number.
    pub fn new(value: f64) -> Result<Self, QuantityError> {
        if (0.0..=1.0).contains(&value) {
            return Ok(Ratio(value));
        }
        Err(QuantityError {
            text: value.to_string(),
            kind: "ratio",
            shape: "a number between 0 and 1, or \"5%\"",
        })
    }

    /// A ratio of whole per cent; values above 100 count as 100.
    pub const fn from_percent(percent: u8) -> Self {
        Ratio(if percent > 100 { 1.0 } else { percent as f64 / 100.0 })
    }

    /// The number between 0 and 1.
    pub const fn get(self) -> f64 {
        self.0
    }
}

impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl FromStr for Ratio {
    type Err = QuantityError;
    fn from_str(text: &str) -> Result<Self, QuantityError> {
        let wrong = |_| QuantityError {
            text: text.to_owned(),
            kind: "ratio",
            shape: "a number between 0 and 1, or \"5%\"",
        };
        match text.trim().strip_suffix('%') {
            Some(percent) => Ratio::new(percent.trim().parse::<f64>().map_err(wrong)? / 100.0),
            None => Ratio::new(text.trim().parse::<f64>().map_err(wrong)?),
        }
    }
}

impl<'de> Deserialize<'de> for Ratio {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "a ratio: a number between 0 and 1, or \"5%\"")]
        enum Written {
            Number(f64),
            Text(String),
        }
        match Written::deserialize(deserializer)? {
            Written::Number(number) => Ratio::new(number),
            Written::Text(text) => text.parse(),
        }
        .map_err(serde::de::Error::custom)
    }
}

/// A multiple of something, 0 or more and finite, where a [`Ratio`] would end at 1. Written as a number (`2.5`) or with a per cent
/// sign (`"250%"`).
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct Factor(f64);

impl Factor {
    /// Takes a finite number of 0 or more.
    ///
    /// # Errors
    /// When the number is negative, infinite or not a number.
    pub fn new(value: f64) -> Result<Self, QuantityError> {
        if value.is_finite() && value >= 0.0 {
            return Ok(Factor(value));
        }
        Err(Self::refused(&value.to_string()))
    }

    /// A factor of whole per cent.
    pub const fn from_percent(percent: u16) -> Self {
        Factor(percent as f64 / 100.0)
    }

    /// The number, 0 or more.
    pub const fn get(self) -> f64 {
        self.0
    }

    fn refused(text: &str) -> QuantityError {
        QuantityError { text: text.to_owned(), kind: "factor", shape: "a number of 0 or more, or \"5%\"" }
    }
}

impl fmt::Display for Factor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl FromStr for Factor {
    type Err = QuantityError;
    fn from_str(text: &str) -> Result<Self, QuantityError> {
        let number = |text: &str| text.trim().parse::<f64>().map_err(|_| Self::refused(text));
        match text.trim().strip_suffix('%') {
            Some(percent) => Factor::new(number(percent)? / 100.0),
            None => Factor::new(number(text)?),
        }
    }
}

impl<'de> Deserialize<'de> for Factor {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Factor::new(f64::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_and_rates_are_read_exactly() {
        for (text, ns) in [("15ns", 15), ("35us", 35_000), ("69.5ms", 69_500_000), ("1.5 s", 1_500_000_000)] {
            assert_eq!(text.parse(), Ok(Span { ns }), "{text}");
        }
        assert_eq!("2min".parse(), Ok(Span::from_s(120)));
        assert_eq!("10mbit".parse(), Ok(BitRate { bits_per_s: 10_000_000 }));
        for text in ["", "5", "ms", "-1s", "1.ms", ".5s", "0.5ns", "1e3ms", "5 parsec"] {
            assert!(text.parse::<Span>().is_err(), "{text} must be refused");
        }
    }

    #[test]
    fn text_forms_lose_nothing() {
        for ns in [0, 1, 999, 1_000, 34_750_001, 35_000_000, 60_000_000_000, u64::MAX] {
            assert_eq!(Span { ns }.to_string().parse(), Ok(Span { ns }));
        }
        assert_eq!(BitRate { bits_per_s: 1_500_000 }.to_string(), "1500kbit");
        assert_eq!(Span { ns: 33_947_647 }.rounded(), "33.9 ms");
        assert_eq!(Span::from_ms(5).rounded(), "5 ms");
        assert_eq!(Span { ns: 123_456 }.rounded(), "123 us");
    }

    #[test]
    fn rates_of_messages_lose_nothing_and_have_an_interval() {
        for (text, per_1000_s, shown, interval_ns) in [
            ("0.5/s", 500, "0.5/s", 2_000_000_000),
            ("200/s", 200_000, "200/s", 5_000_000),
            ("1500 /s", 1_500_000, "1.5k/s", 666_667),
            ("10k/s", 10_000_000, "10k/s", 100_000),
            ("0.05M/s", 50_000_000, "50k/s", 20_000),
            ("1.000001M/s", 1_000_001_000, "1.000001M/s", 1_000),
            ("0.001/s", 1, "0.001/s", 1_000_000_000_000),
        ] {
            let rate: MessageRate = text.parse().unwrap();
            assert_eq!((rate.per_1000_s, rate.interval().ns), (per_1000_s, interval_ns), "{text}");
            assert_eq!((rate.to_string().as_str(), rate.to_string().parse()), (shown, Ok(rate)));
        }
        for text in ["", "5", "0/s", "-1/s", "1/min", "1e3/s", "0.0001/s"] {
            assert!(text.parse::<MessageRate>().is_err(), "{text} must be refused");
        }
    }

    #[test]
    fn ratios_take_numbers_and_per_cent() {
        assert_eq!("5%".parse::<Ratio>().unwrap().get(), 0.05);
        assert_eq!("0.25".parse::<Ratio>().unwrap().get(), 0.25);
        assert!("5".parse::<Ratio>().is_err());
        assert!(Ratio::new(f64::NAN).is_err());
        assert_eq!("250%".parse::<Factor>().unwrap().get(), 2.5);
        assert!("-1".parse::<Factor>().is_err() && "inf".parse::<Factor>().is_err());
    }
}
