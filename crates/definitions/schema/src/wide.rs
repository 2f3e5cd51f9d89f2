//! Integers that some readers can't hold, in values of any message.

use prost_reflect::{DynamicMessage, Value};

/// The least integer that is a double and whose successor is none: readers whose numbers are doubles hold no more.
const MOST_EXACT: u64 = 1 << 53;

/// What integers a value has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Wide {
    /// One beyond 2^53 either way, which a double may not hold.
    pub beyond_doubles: bool,
    /// One beyond 2^63 - 1, which no signed integer of 64 bits holds.
    pub beyond_signed: bool,
}

impl Wide {
    /// Those of a message.
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
            // Keys are texts where this matters.
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
