//! The texts of a timestamp, a duration and a field mask in proto3's JSON mapping (<https://protobuf.dev/programming-guides/json/>,
//! and the comments of google/protobuf/timestamp.proto, duration.proto and field_mask.proto, which give the ranges).
//!
//! Limits: of the variants that the mapping allows readers to accept, fractions may have any number of digits up to nine, and a time
//! may have an offset other than UTC; neither is ever written.

use std::fmt;
use std::ops::RangeInclusive;

/// Seconds since 1970 of a timestamp: 0001-01-01T00:00:00Z to 9999-12-31T23:59:59Z.
const TIMESTAMP_SECONDS: RangeInclusive<i64> = -62_135_596_800..=253_402_300_799;
/// Seconds of a duration: 10,000 years either way.
const DURATION_SECONDS: RangeInclusive<i64> = -315_576_000_000..=315_576_000_000;
/// Nanoseconds in addition to the seconds.
const NANOS: RangeInclusive<i32> = 0..=999_999_999;
const SECONDS_A_DAY: i64 = 86_400;
/// Days from 0000-03-01, where the years of [`civil`] begin, to 1970-01-01.
const DAYS_BEFORE_1970: i64 = 719_468;
/// Days in 400 years, after which the calendar repeats.
const DAYS_AN_ERA: i64 = 146_097;

/// Why a value has no text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoText {
    /// A timestamp beyond the years 1 to 9999, or with nanoseconds of a second or more.
    #[error("{seconds} s and {nanos} ns since 1970 is not a time of the years 1 to 9999")]
    Timestamp {
        /// Seconds since 1970, may be negative.
        seconds: i64,
        /// Nanoseconds in addition to the seconds.
        nanos: i32,
    },
    /// A duration beyond 10,000 years, or with nanoseconds of a second or more or of another sign.
    #[error("{seconds} s and {nanos} ns is not a duration of up to 10,000 years with parts of one sign")]
    Duration {
        /// Seconds as given, of either sign.
        seconds: i64,
        /// Nanoseconds in addition to the seconds.
        nanos: i32,
    },
    /// A path that could not be read back from its text.
    #[error("`{0}` is not a path of lower-case names with `_` between words")]
    Path(String),
}

/// A timestamp that has a text: RFC 3339 in UTC with 0, 3, 6 or 9 digits of a second, as few as possible.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timestamp {
    seconds: i64,
    nanos: i32,
}

impl Timestamp {
    /// From seconds since 1970 and nanoseconds.
    ///
    /// # Errors
    /// Outside the range that has a text.
    pub fn new(seconds: i64, nanos: i32) -> Result<Timestamp, NoText> {
        match TIMESTAMP_SECONDS.contains(&seconds) && NANOS.contains(&nanos) {
            true => Ok(Timestamp { seconds, nanos }),
            false => Err(NoText::Timestamp { seconds, nanos }),
        }
    }

    /// From its text; `None` if the text is not a timestamp.
    pub fn read(text: &str) -> Option<Timestamp> {
        let (date, time) = text.split_once('T')?;
        let [year, month, day] = parts(date, '-', [4, 2, 2])?;
        let zone = time.find(['Z', '+', '-'])?;
        let (clock, fraction) =
            time[..zone].split_once('.').map_or((&time[..zone], None), |(c, f)| (c, Some(f)));
        let [hour, minute, second] = parts(clock, ':', [2, 2, 2])?;
        let offset = match time.split_at(zone).1.split_at(1) {
            ("Z", "") => 0,
            (sign, hours) if sign != "Z" => {
                let [hours, minutes] = parts(hours, ':', [2, 2])?;
                let seconds = (hours * 60 + minutes) * 60;
                (hours < 24 && minutes < 60).then_some(if sign == "-" { -seconds } else { seconds })?
            }
            _ => return None,
        };
        let days = days(year, month, day).filter(|_| hour < 24 && minute < 60 && second < 60)?;
        let seconds = days * SECONDS_A_DAY + (hour * 60 + minute) * 60 + second - offset;
        Timestamp::new(seconds, fraction.map_or(Some(0), nanos)?).ok()
    }

    /// Seconds since 1970, and nanoseconds.
    pub fn parts(self) -> (i64, i32) {
        (self.seconds, self.nanos)
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let (year, month, day) = civil(self.seconds.div_euclid(SECONDS_A_DAY));
        let second = self.seconds.rem_euclid(SECONDS_A_DAY);
        let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}")?;
        write_fraction(f, self.nanos.unsigned_abs())?;
        f.write_str("Z")
    }
}

/// A duration that has a text: seconds with 0, 3, 6 or 9 decimals, as few as possible, and an `s`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Duration {
    seconds: i64,
    nanos: i32,
}

impl Duration {
    /// From seconds and nanoseconds.
    ///
    /// # Errors
    /// Outside the range that has a text.
    pub fn new(seconds: i64, nanos: i32) -> Result<Duration, NoText> {
        let is_of_one_sign = seconds.signum() * i64::from(nanos.signum()) >= 0;
        match DURATION_SECONDS.contains(&seconds) && nanos.unsigned_abs() < 1_000_000_000 && is_of_one_sign {
            true => Ok(Duration { seconds, nanos }),
            false => Err(NoText::Duration { seconds, nanos }),
        }
    }

    /// From its text; `None` if the text is not a duration.
    pub fn read(text: &str) -> Option<Duration> {
        let number = text.strip_suffix('s')?;
        let (sign, digits) = number.strip_prefix('-').map_or((1, number), |digits| (-1, digits));
        let (whole, fraction) = digits.split_once('.').map_or((digits, None), |(w, f)| (w, Some(f)));
        let is_number = !whole.is_empty() && whole.bytes().all(|digit| digit.is_ascii_digit());
        let seconds: i64 = is_number.then(|| whole.parse().ok())??;
        Duration::new(seconds * i64::from(sign), fraction.map_or(Some(0), nanos)? * sign).ok()
    }

    /// Seconds, and nanoseconds of the same sign.
    pub fn parts(self) -> (i64, i32) {
        (self.seconds, self.nanos)
    }
}

impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let sign = if self.seconds < 0 || self.nanos < 0 { "-" } else { "" };
        write!(f, "{sign}{}", self.seconds.unsigned_abs())?;
        write_fraction(f, self.nanos.unsigned_abs())?;
        f.write_str("s")
    }
}

/// The text of a field mask: paths in lowerCamelCase separated by commas.
///
/// # Errors
/// With a path that would come back different: proto3's JSON mapping has no text for upper case, nor for an underscore before anything but a
/// lower-case letter.
pub fn write_mask<'p>(paths: impl IntoIterator<Item = &'p str>) -> Result<String, NoText> {
    let mut text = String::new();
    for (at, path) in paths.into_iter().enumerate() {
        if at > 0 {
            text.push(',');
        }
        let (mut is_after, mut is_one) = (false, !path.is_empty());
        for character in path.chars() {
            match character {
                '_' if !is_after => is_after = true,
                'a'..='z' if is_after => {
                    text.push(character.to_ascii_uppercase());
                    is_after = false;
                }
                _ => {
                    is_one &= !is_after && character != ',' && !character.is_uppercase();
                    text.push(character);
                }
            }
        }
        if is_after || !is_one {
            return Err(NoText::Path(path.to_owned()));
        }
    }
    Ok(text)
}

/// The paths in a field mask's text; `None` if the text is not a field mask.
pub fn read_mask(text: &str) -> Option<Vec<String>> {
    if text.is_empty() {
        return Some(Vec::new());
    }
    let path = |camel: &str| {
        let mut path = String::with_capacity(camel.len());
        for character in camel.chars() {
            match character {
                'A'..='Z' => path.extend(['_', character.to_ascii_lowercase()]),
                '_' => return None,
                _ if character.is_uppercase() => return None,
                _ => path.push(character),
            }
        }
        (!path.is_empty()).then_some(path)
    };
    text.split(',').map(path).collect()
}

/// A point and 3, 6 or 9 digits; nothing for a whole second.
fn write_fraction(f: &mut fmt::Formatter, nanos: u32) -> fmt::Result {
    match nanos {
        0 => Ok(()),
        nanos if nanos % 1_000_000 == 0 => write!(f, ".{:03}", nanos / 1_000_000),
        nanos if nanos % 1_000 == 0 => write!(f, ".{:06}", nanos / 1_000),
        nanos => write!(f, ".{nanos:09}"),
    }
}

/// The nanoseconds of one to nine digits after a point.
fn nanos(fraction: &str) -> Option<i32> {
    let is_fraction =
        (1..=9).contains(&fraction.len()) && fraction.bytes().all(|digit| digit.is_ascii_digit());
    let digits: i32 = is_fraction.then(|| fraction.parse().ok())??;
    Some(digits * 10_i32.pow(9 - fraction.len() as u32))
}

/// Numbers with the given digits and a separator between them.
fn parts<const N: usize>(text: &str, separator: char, digits: [usize; N]) -> Option<[i64; N]> {
    let mut numbers = [0; N];
    let mut parts = text.split(separator);
    for (number, digits) in numbers.iter_mut().zip(digits) {
        let part = parts
            .next()
            .filter(|part| part.len() == digits && part.bytes().all(|digit| digit.is_ascii_digit()))?;
        *number = part.parse().ok()?;
    }
    parts.next().is_none().then_some(numbers)
}

/// Year, month and day of a day since 1970 in the proleptic Gregorian calendar
/// (<https://howardhinnant.github.io/date_algorithms.html>, `civil_from_days`: years begin in March, so that the leap day is the last).
fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + DAYS_BEFORE_1970;
    let (era, day) = (days.div_euclid(DAYS_AN_ERA), days.rem_euclid(DAYS_AN_ERA));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + era * 400 + i64::from(month <= 2), month, day)
}

/// The day since 1970 of a date (`days_from_civil` in the same source); `None` if the date does not exist.
fn days(year: i64, month: i64, day: i64) -> Option<i64> {
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let of_year = year - i64::from(month <= 2);
    let (era, year_of_era) = (of_year.div_euclid(400), of_year.rem_euclid(400));
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    let days = era * DAYS_AN_ERA + day_of_era - DAYS_BEFORE_1970;
    // 30 February would be a day of March.
    (civil(days) == (year, month, day)).then_some(days)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Google's own library (Python, protobuf 7.36: `Timestamp.ToJsonString`) writes these.
    const TIMESTAMPS: [(i64, i32, &str); 12] = [
        (0, 0, "1970-01-01T00:00:00Z"),
        (-1, 999_999_999, "1969-12-31T23:59:59.999999999Z"),
        (1_767_323_045, 250_000_000, "2026-01-02T03:04:05.250Z"),
        (1_767_323_045, 250_000, "2026-01-02T03:04:05.000250Z"),
        (1_767_323_045, 1, "2026-01-02T03:04:05.000000001Z"),
        (951_782_400, 0, "2000-02-29T00:00:00Z"),
        (951_868_800, 0, "2000-03-01T00:00:00Z"),
        (4_107_542_400, 0, "2100-03-01T00:00:00Z"),
        (4_107_456_000, 0, "2100-02-28T00:00:00Z"),
        (1_735_689_599, 0, "2024-12-31T23:59:59Z"),
        (-62_135_596_800, 0, "0001-01-01T00:00:00Z"),
        (253_402_300_799, 999_999_999, "9999-12-31T23:59:59.999999999Z"),
    ];

    #[test]
    fn timestamps_are_written_and_read() {
        for (seconds, nanos, text) in TIMESTAMPS {
            let timestamp = Timestamp::new(seconds, nanos).unwrap();
            assert_eq!(timestamp.to_string(), text);
            assert_eq!(Timestamp::read(text), Some(timestamp), "{text}");
        }
        let at = |text: &str| Timestamp::read(text).map(Timestamp::parts);
        assert_eq!(at("2026-01-02T03:04:05.25Z"), Some((1_767_323_045, 250_000_000)));
        assert_eq!(at("2026-01-02T05:34:05+02:30"), Some((1_767_323_045, 0)));
        assert_eq!(at("2026-01-01T22:04:05-05:00"), Some((1_767_323_045, 0)));
    }

    #[test]
    fn what_is_no_timestamp_is_refused() {
        for text in [
            "",
            "T",
            "Z",
            "2026-01-02",
            "2026-01-02T03:04:05",
            "2026-01-02 03:04:05Z",
            "2026-1-02T03:04:05Z",
            "2026-13-02T03:04:05Z",
            "2026-02-29T03:04:05Z",
            "2026-04-31T03:04:05Z",
            "2026-01-00T03:04:05Z",
            "2026-01-02T24:04:05Z",
            "2026-01-02T03:60:05Z",
            "2026-01-02T03:04:60Z",
            "2026-01-02T03:04:05.Z",
            "2026-01-02T03:04:05.0123456789Z",
            "2026-01-02T03:04:05.1x3Z",
            "2026-01-02T03:04:05Zx",
            "2026-01-02T03:04:05+2:00",
            "2026-01-02T03:04:05+24:00",
            "2026-01-02T03:04:05+00:60",
            "0000-12-31T00:00:00Z",
            "0001-01-01T00:00:00+00:01",
            "+026-01-02T03:04:05Z",
            "2026-01-02T03:04:05\u{e4}",
            "2026-01-02T\u{e4}3:04:05Z",
        ] {
            assert_eq!(Timestamp::read(text), None, "{text}");
        }
        for (seconds, nanos) in [
            (-62_135_596_801, 0),
            (253_402_300_800, 0),
            (0, -1),
            (0, 1_000_000_000),
            (i64::MAX, 0),
            (i64::MIN, 0),
        ] {
            assert!(Timestamp::new(seconds, nanos).is_err(), "{seconds} {nanos}");
        }
    }

    #[test]
    fn every_day_of_the_calendar_comes_back() {
        for day in (-719_162..2_932_897).step_by(7) {
            let (year, month, of_month) = civil(day);
            assert_eq!(days(year, month, of_month), Some(day));
        }
    }

    #[test]
    fn durations_are_written_and_read() {
        for (seconds, nanos, text) in [
            (0, 0, "0s"),
            (1, 500_000_000, "1.500s"),
            (0, -500_000_000, "-0.500s"),
            (-1, -1, "-1.000000001s"),
            (3, 1_000, "3.000001s"),
            (315_576_000_000, 0, "315576000000s"),
        ] {
            let duration = Duration::new(seconds, nanos).unwrap();
            assert_eq!(duration.to_string(), text);
            assert_eq!(Duration::read(text), Some(duration), "{text}");
        }
        assert_eq!(Duration::read("1.5s").map(Duration::parts), Some((1, 500_000_000)));
        for text in [
            "",
            "s",
            "-s",
            "1",
            "1.s",
            ".5s",
            "+1s",
            "1.0000000001s",
            "--1s",
            "315576000001s",
            "99999999999999999999s",
        ] {
            assert_eq!(Duration::read(text), None, "{text}");
        }
        for (seconds, nanos) in [(1, -1), (-1, 1), (0, 1_000_000_000), (0, i32::MIN), (i64::MIN, 0)] {
            assert!(Duration::new(seconds, nanos).is_err(), "{seconds} {nanos}");
        }
    }

    #[test]
    fn masks_are_written_and_read() {
        for (paths, text) in [
            (&[][..], ""),
            (&["foo_bar", "a.b"], "fooBar,a.b"),
            (&["a_b_c.d_e", "x1"], "aBC.dE,x1"),
            (&["_a"], "A"),
        ] {
            assert_eq!(write_mask(paths.iter().copied()).unwrap(), text);
            assert_eq!(read_mask(text).unwrap(), paths);
        }
        for path in ["", "fooBar", "a_", "a__b", "a_1", "a,b", "a_\u{e4}", "\u{c4}"] {
            assert_eq!(write_mask([path]), Err(NoText::Path(path.to_owned())));
        }
        for text in [",", "a,,b", "a_b", "\u{c4}"] {
            assert_eq!(read_mask(text), None, "{text}");
        }
    }
}
