//! Values of Google's well-known types that proto3's JSON mapping writes as text: the values drawn for their fields are brought into the
//! ranges that the types allow (google/protobuf/timestamp.proto, duration.proto, field_mask.proto).

use prost_reflect::{DynamicMessage, ReflectMessage as _, Value};

use super::format::{FIRST_MS, LAST_MS};
use crate::model::WellKnown;

/// Seconds since 1970 from the year 1 to the year 9999.
const TIMES: std::ops::RangeInclusive<i64> = -62_135_596_800..=253_402_300_799;

/// The longest Duration, about ten thousand years.
const MOST_SECONDS: i64 = 315_576_000_000;

const SECOND_NS: i32 = 1_000_000_000;

/// Brings a message of a well-known type into the range that the type allows.
pub(super) fn settle(message: &mut DynamicMessage, known: WellKnown) {
    match known {
        WellKnown::Timestamp => seconds(message, |seconds, nanos| {
            let (first, last) = (FIRST_MS / 1000, LAST_MS / 1000);
            let seconds = match TIMES.contains(&seconds) {
                true => seconds,
                false => first + seconds.rem_euclid(last - first),
            };
            (seconds, nanos.rem_euclid(SECOND_NS))
        }),
        WellKnown::Duration => seconds(message, |seconds, nanos| {
            let (seconds, nanos) = (seconds % (MOST_SECONDS + 1), nanos % SECOND_NS);
            let is_other_way = seconds != 0 && (nanos < 0) != (seconds < 0);
            (seconds, if is_other_way { -nanos } else { nanos })
        }),
        WellKnown::FieldMask => paths(message),
    }
}

fn seconds(message: &mut DynamicMessage, settled: impl FnOnce(i64, i32) -> (i64, i32)) {
    let seconds = message.get_field_by_number(1).and_then(|value| value.as_i64()).unwrap_or_default();
    let nanos = message.get_field_by_number(2).and_then(|value| value.as_i32()).unwrap_or_default();
    let (seconds, nanos) = settled(seconds, nanos);
    for (number, value) in [(1, Value::I64(seconds)), (2, Value::I32(nanos))] {
        let Some(field) = message.descriptor().get_field(number) else { continue };
        match value.is_default_for_field(&field) {
            true => message.clear_field(&field),
            false => message.set_field(&field, value),
        }
    }
}

/// Replaces paths by ones of lower-case letters, which survive the conversion to lowerCamelCase and back.
fn paths(message: &mut DynamicMessage) {
    let Some(field) = message.descriptor().get_field(1) else { return };
    if let Value::List(paths) = message.get_field_mut(&field) {
        for path in paths {
            let Some(text) = path.as_str() else { continue };
            let letter = |c: char| char::from(b'a' + (u32::from(c) % 26) as u8);
            let own: String = text.chars().map(letter).collect();
            *path = Value::String(if own.is_empty() { "path".to_owned() } else { own });
        }
    }
}
