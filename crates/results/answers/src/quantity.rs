//! Numbers as reports write them: a suitable unit, and as many digits as the interval justifies.

use std::collections::BTreeMap;

use serde::Serialize;
use wiredyno_model::summary::Metric;

/// How a unit of the summary is written above a magnitude.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Scale {
    /// The smallest magnitude that it is for.
    least: f64,
    /// Divisor of the number.
    divisor: f64,
    /// What follows the number.
    name: &'static str,
}

const fn from(least: f64, divisor: f64, name: &'static str) -> Scale {
    Scale { least, divisor, name }
}

/// The scales of each unit of the summary, largest first. Bytes switch to kB late, because message sizes are compared
/// byte by byte.
const SCALES: &[(&str, &[Scale])] = &[
    ("ns", &[from(1e9, 1e9, "s"), from(1e6, 1e6, "ms"), from(1e3, 1e3, "\u{b5}s"), from(0.0, 1.0, "ns")]),
    ("bytes", &[from(1e9, 1e9, "GB"), from(1e6, 1e6, "MB"), from(2e4, 1e3, "kB"), from(0.0, 1.0, "B")]),
    ("ratio", &[from(0.0, 0.01, "%")]),
    ("per_s", &[from(0.0, 1.0, "/s")]),
    (
        "bytes_per_s",
        &[from(1e9, 1e9, "GB/s"), from(1e6, 1e6, "MB/s"), from(2e4, 1e3, "kB/s"), from(0.0, 1.0, "B/s")],
    ),
];

/// The scales by unit, for the front end, whose charts use the same units.
pub fn scales() -> BTreeMap<&'static str, &'static [Scale]> {
    SCALES.iter().copied().collect()
}

fn scale(unit: &str, magnitude: f64) -> Scale {
    let of_unit = SCALES.iter().find(|(name, _)| *name == unit).map_or(&[][..], |(_, scales)| *scales);
    let found = of_unit.iter().find(|scale| magnitude.abs() >= scale.least);
    found.copied().unwrap_or(from(0.0, 1.0, ""))
}

/// A number in its unit: `72.3 ms`, `1,157 B`, `9.8 %`.
pub fn quantity(value: f64, unit: &str) -> String {
    let scale = scale(unit, value);
    with_unit(&number(value / scale.divisor, decimals(value / scale.divisor)), scale)
}

/// A number with its interval in one unit: `72.3 ms [71.9, 72.7]`; without an interval just the number.
pub fn with_interval(value: f64, interval: Option<[f64; 2]>, unit: &str) -> String {
    match interval {
        // Without width it says nothing: every trial gave the same.
        Some(interval) if interval[0] < interval[1] => {
            let scale = scale(unit, value);
            let decimals = interval_decimals(value / scale.divisor, interval.map(|end| end / scale.divisor));
            let main = with_unit(&number(value / scale.divisor, decimals), scale);
            format!("{main} {}", bracket(interval, scale, decimals))
        }
        _ => quantity(value, unit),
    }
}

/// A metric's mean and, separately, its interval: for cells of tables.
pub fn apart(value: f64, interval: Option<[f64; 2]>, unit: &str) -> (String, Option<String>) {
    let text = with_interval(value, interval, unit);
    match text.split_once(" [") {
        Some((main, rest)) => (main.to_owned(), Some(format!("[{rest}"))),
        None => (text, None),
    }
}

/// The mean of a metric with the interval of the mean.
pub fn mean(metric: &Metric) -> String {
    with_interval(metric.mean, metric.interval_95, &metric.unit)
}

/// Two ends of an interval with their unit: `[4.8, 17.9] %`.
pub fn ends(interval: [f64; 2], unit: &str) -> String {
    let [low, high] = interval;
    let scale = scale(unit, high.abs().max(low.abs()));
    let decimals = interval_decimals(high / scale.divisor, interval.map(|end| end / scale.divisor));
    with_unit(&bracket(interval, scale, decimals), scale)
}

/// A share in percent with as few digits as it needs: `5 %`, `0.25 %`.
pub fn percent(ratio: f64) -> String {
    let rounded = (ratio * 1e6).round() / 1e4;
    format!("{rounded} %")
}

/// A whole number with separated thousands.
pub fn count(value: u64) -> String {
    number(value as f64, 0)
}

fn bracket(interval: [f64; 2], scale: Scale, decimals: usize) -> String {
    let [low, high] = interval.map(|end| number(end / scale.divisor, decimals));
    format!("[{low}, {high}]")
}

fn with_unit(number: &str, scale: Scale) -> String {
    match scale.name {
        "" => number.to_owned(),
        "/s" => format!("{number}/s"),
        name => format!("{number} {name}"),
    }
}

/// Decimals for three significant digits; none where the number is whole.
fn decimals(value: f64) -> usize {
    // Whole except for the rounding of a division.
    if (value - value.round()).abs() < 1e-9 * value.abs().max(1.0) {
        return 0;
    }
    (2 - exponent(value)).clamp(0, 4) as usize
}

/// Decimals at which the interval's width shows two digits, at least those of three significant digits and at
/// most those of five.
fn interval_decimals(value: f64, [low, high]: [f64; 2]) -> usize {
    let least = decimals(value);
    let width = high - low;
    if width <= 0.0 || !width.is_finite() {
        return least;
    }
    let most = (4 - exponent(value)).clamp(0, 6) as usize;
    ((1 - exponent(width)).clamp(0, 6) as usize).clamp(least, most.max(least))
}

fn exponent(value: f64) -> i32 {
    if value == 0.0 || !value.is_finite() { 0 } else { value.abs().log10().floor() as i32 }
}

/// Fixed decimals, with commas between thousands from 1,000 on.
fn number(value: f64, decimals: usize) -> String {
    let text = format!("{:.decimals$}", value.abs());
    let (whole, fraction) =
        text.split_once('.').map_or((text.as_str(), ""), |(whole, fraction)| (whole, fraction));
    let mut out = String::new();
    for (place, digit) in whole.chars().enumerate() {
        if place > 0 && (whole.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    if !fraction.is_empty() {
        out.push('.');
        out.push_str(fraction);
    }
    let is_zero = out.chars().all(|c| matches!(c, '0' | '.'));
    if value < 0.0 && !is_zero { format!("-{out}") } else { out }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_gets_the_unit_that_fits() {
        for (value, unit, text) in [
            (72_345_678.0, "ns", "72.3 ms"),
            (950.0, "ns", "950 ns"),
            (1_234.5, "ns", "1.23 \u{b5}s"),
            (-2_500_000.0, "ns", "-2.50 ms"),
            (1_157.0, "bytes", "1,157 B"),
            (12_187.4, "bytes", "12,187 B"),
            (4_321_000.0, "bytes", "4.32 MB"),
            (0.0975, "ratio", "9.75 %"),
            (0.0, "ratio", "0 %"),
            (12.0, "count", "12"),
            (5.0, "furlongs", "5"),
        ] {
            assert_eq!(quantity(value, unit), text);
        }
    }

    #[test]
    fn an_interval_shares_the_unit_and_gets_digits_that_show_it() {
        assert_eq!(with_interval(72.3e6, Some([71.9e6, 72.7e6]), "ns"), "72.30 ms [71.90, 72.70]");
        assert_eq!(with_interval(72.3e6, Some([52.0e6, 92.6e6]), "ns"), "72.3 ms [52.0, 92.6]");
        assert_eq!(with_interval(33.0, Some([33.0, 33.0]), "bytes"), "33 B");
        assert_eq!(with_interval(33.0, None, "bytes"), "33 B");
    }
}
