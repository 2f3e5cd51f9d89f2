//! RFC 3339 timestamps in UTC that advance from message to message.
//!
//! Days are turned into dates with H. Hinnant's `civil_from_days` and back with `days_from_civil` ("chrono-Compatible
//! Low-Level Date Algorithms", 2013). Limits: UTC only, no leap seconds, years 0 to 9999.

use toml::value::{Datetime, Offset};

use super::draw::Draw;

const DAY_MS: i64 = 86_400_000;

/// The start, step and text form of a timestamp field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Timestamps {
    /// The first message's time, in milliseconds since 1970-01-01T00:00:00Z.
    pub(super) start_unix_ms: i64,
    /// The step from one message to the next, in milliseconds.
    pub(super) step_ms: i64,
    /// The maximum that is added to each timestamp, uniformly distributed, in milliseconds.
    pub(super) jitter_ms: u64,
    /// Digits of the fractional second, 0 to 3.
    pub(super) decimals: u32,
}

impl Timestamps {
    /// The time of message number `index` (from 0), in milliseconds since 1970.
    pub(super) fn unix_ms(&self, draw: &mut Draw, index: u64) -> i64 {
        let jitter = if self.jitter_ms == 0 { 0 } else { draw.below(self.jitter_ms.saturating_add(1)) };
        self.start_unix_ms
            .saturating_add(self.step_ms.saturating_mul(i64::try_from(index).unwrap_or(i64::MAX)))
            .saturating_add(i64::try_from(jitter).unwrap_or(i64::MAX))
    }

    /// The time of message number `index` (from 0) as RFC 3339 text ending in `Z`.
    pub(super) fn text(&self, draw: &mut Draw, index: u64) -> String {
        rfc3339(self.unix_ms(draw, index), self.decimals)
    }
}

/// Milliseconds since 1970 of a TOML offset date-time. `None` if date, time or offset is missing, and for a leap second, which
/// TOML allows but this count can't represent.
pub(super) fn unix_ms(value: &Datetime) -> Option<i64> {
    let (date, time, offset) = (value.date?, value.time?, value.offset?);
    let days = days_from_civil(i64::from(date.year), i64::from(date.month), i64::from(date.day));
    let second = i64::from(time.second.unwrap_or(0));
    if second > 59 {
        return None;
    }
    let millis = i64::from(time.nanosecond.unwrap_or(0)) / 1_000_000;
    let of_day = (i64::from(time.hour) * 60 + i64::from(time.minute)) * 60_000 + second * 1_000 + millis;
    let ahead_min = match offset {
        Offset::Z => 0,
        Offset::Custom { minutes } => i64::from(minutes),
    };
    Some(days * DAY_MS + of_day - ahead_min * 60_000)
}

/// RFC 3339 text in UTC with `decimals` (0 to 3) fractional digits of the second, truncated rather than rounded.
pub(super) fn rfc3339(unix_ms: i64, decimals: u32) -> String {
    let (days, of_day) = (unix_ms.div_euclid(DAY_MS), unix_ms.rem_euclid(DAY_MS));
    let (year, month, day) = civil_from_days(days);
    let (seconds, millis) = (of_day / 1_000, of_day % 1_000);
    let (hour, minute, second) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    let fraction = match decimals {
        0 => String::new(),
        1 => format!(".{}", millis / 100),
        2 => format!(".{:02}", millis / 10),
        _ => format!(".{millis:03}"),
    };
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{fraction}Z")
}

fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        assert_eq!(rfc3339(0, 0), "1970-01-01T00:00:00Z");
        assert_eq!(rfc3339(951_782_400_000, 0), "2000-02-29T00:00:00Z");
        assert_eq!(rfc3339(1_234_567_890_123, 3), "2009-02-13T23:31:30.123Z");
        assert_eq!(rfc3339(-1, 2), "1969-12-31T23:59:59.99Z");
    }

    #[test]
    fn reading_and_writing_agree_and_offsets_count() {
        let read = |text: &str| unix_ms(&text.parse::<Datetime>().unwrap()).unwrap();
        for text in ["2018-03-05T06:07:08.250Z", "1999-12-31T23:59:59.000Z", "2024-02-29T12:00:00.999Z"] {
            assert_eq!(rfc3339(read(text), 3), text);
        }
        assert_eq!(read("1970-01-01T02:00:00+02:00"), 0);
        for text in ["1970-01-01", "2016-12-31T23:59:60Z"] {
            assert_eq!(unix_ms(&text.parse::<Datetime>().unwrap()), None, "{text}");
        }
    }
}
