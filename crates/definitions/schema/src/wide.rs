//! Finds integers that some readers can't hold, in values of any message.

use prost_reflect::{DynamicMessage, Value};

/// 2^53, the least integer that a double holds but whose successor it does not: readers that use doubles are exact up to it.
const MOST_EXACT: u64 = 1 << 53;

/// Which wide integers a value contains.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Wide {
    /// An integer beyond ±2^53, which a double may not hold.
    pub beyond_doubles: bool,
    /// An integer beyond 2^63 - 1, which no signed 64-bit integer holds.
    pub beyond_signed: bool,
}

impl Wide {
    /// The wide integers of a message, at any depth.
    pub fn of(message: &DynamicMessage) -> Wide {
        let mut wide = Wide::default();
        wide.message(message);
        wide
    }

    fn message(&mut self, message: &DynamicMessage) {
        message.fields().for_each(|(_, value)| self.value(value));
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::I64(number) => self.beyond_doubles |= number.unsigned_abs() > MOST_EXACT,
            Value::U64(number) => {
                self.beyond_doubles |= *number > MOST_EXACT;
                self.beyond_signed |= i64::try_from(*number).is_err();
            }
            Value::List(list) => list.iter().for_each(|one| self.value(one)),
            // Keys are strings where this matters.
            Value::Map(map) => map.values().for_each(|one| self.value(one)),
            Value::Message(inner) => self.message(inner),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Definition, read_value};

    #[test]
    fn integers_beyond_doubles_and_beyond_signed_ones_are_found_wherever_they_stand() {
        let proto = "syntax = \"proto3\"; message A { uint64 u = 1; sint64 s = 2; repeated fixed64 l = 3; map<uint64, uint64> m = 4; A a = 5; }";
        let definition = Definition::from_source(proto, "message.proto").unwrap();
        for (text, beyond_doubles, beyond_signed) in [
            ("{}", false, false),
            (
                r#"{"u":"9007199254740992","s":"-9007199254740992","m":{"18446744073709551615":"1"}}"#,
                false,
                false,
            ),
            (r#"{"u":"9007199254740993"}"#, true, false),
            (r#"{"s":"-9007199254740993"}"#, true, false),
            (r#"{"a":{"l":["1","9223372036854775807"]}}"#, true, false),
            (r#"{"a":{"m":{"1":"9223372036854775808"}}}"#, true, true),
        ] {
            let value = read_value(text, &definition.descriptor, "s.jsonl", 1).unwrap();
            assert_eq!(Wide::of(&value), Wide { beyond_doubles, beyond_signed }, "{text}");
        }
    }
}
