//! The first field in which two values of one message type differ.

use prost_reflect::{DynamicMessage, MapKey, ReflectMessage as _, Value};

/// Longer texts are cut off.
const SHOWN: usize = 60;

/// What stands for a field that a value does not have.
const ABSENT: &str = "nothing";

/// The path of the first field that differs, in the order of field numbers, and both values in words; `None` if all are equal. Floats are compared by
/// their bits.
pub fn first(one: &DynamicMessage, other: &DynamicMessage) -> Option<(String, String, String)> {
    one.descriptor().fields().find_map(|field| {
        let (left, right) = (one.get_field(&field), other.get_field(&field));
        let name = field.name();
        match (one.has_field(&field), other.has_field(&field)) {
            (true, false) if field.supports_presence() => {
                Some((name.to_owned(), words(&left), ABSENT.to_owned()))
            }
            (false, true) if field.supports_presence() => {
                Some((name.to_owned(), ABSENT.to_owned(), words(&right)))
            }
            _ => of_values(name, &left, &right),
        }
    })
}

fn of_values(path: &str, left: &Value, right: &Value) -> Option<(String, String, String)> {
    match (left, right) {
        (Value::Message(left), Value::Message(right)) => {
            first(left, right).map(|(inner, left, right)| (format!("{path}.{inner}"), left, right))
        }
        (Value::List(left), Value::List(right)) => {
            let mut pairs = left.iter().zip(right).enumerate();
            let inner =
                pairs.find_map(|(place, (left, right))| of_values(&format!("{path}[{place}]"), left, right));
            let lengths = || {
                let elements = |list: &Vec<Value>| format!("{} elements", list.len());
                (left.len() != right.len()).then(|| (path.to_owned(), elements(left), elements(right)))
            };
            inner.or_else(lengths)
        }
        (Value::Map(left), Value::Map(right)) => {
            let mut keys: Vec<&MapKey> = left.keys().chain(right.keys()).collect();
            keys.sort();
            keys.dedup();
            keys.into_iter().find_map(|key| {
                let path = format!("{path}[{}]", words(&key.clone().into()));
                match (left.get(key), right.get(key)) {
                    (Some(left), Some(right)) => of_values(&path, left, right),
                    (left, right) => {
                        let [left, right] = [left, right].map(|value| value.map_or(ABSENT.to_owned(), words));
                        Some((path, left, right))
                    }
                }
            })
        }
        (left, right) => {
            let same = match (left, right) {
                (Value::F32(left), Value::F32(right)) => left.to_bits() == right.to_bits(),
                (Value::F64(left), Value::F64(right)) => left.to_bits() == right.to_bits(),
                (left, right) => left == right,
            };
            (!same).then(|| (path.to_owned(), words(left), words(right)))
        }
    }
}

fn words(value: &Value) -> String {
    let text = match value {
        Value::Bool(flag) => flag.to_string(),
        Value::I32(number) | Value::EnumNumber(number) => number.to_string(),
        Value::I64(number) => number.to_string(),
        Value::U32(number) => number.to_string(),
        Value::U64(number) => number.to_string(),
        Value::F32(number) => number.to_string(),
        Value::F64(number) => number.to_string(),
        Value::String(text) => format!("{text:?}"),
        Value::Bytes(bytes) => format!("the bytes {}", hex::encode(bytes)),
        Value::Message(message) => message.to_string(),
        Value::List(list) => format!("{} elements", list.len()),
        Value::Map(map) => format!("{} entries", map.len()),
    };
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use wiredyno_payloads::{Payload, PayloadFolder};

    use super::*;

    #[test]
    fn the_first_field_that_differs_is_named_with_both_values() {
        let payload = Payload::open(PayloadFolder::bundled("person").unwrap(), None).unwrap();
        let one = payload.samples(Some(1)).unwrap().next().unwrap().unwrap();
        assert_eq!(first(&one, &one), None);
        for field in one.descriptor().fields() {
            if !one.has_field(&field) {
                continue;
            }
            let mut other = one.clone();
            other.clear_field(&field);
            let (path, left, right) = first(&one, &other).unwrap();
            assert_eq!(path.split(['.', '[']).next(), Some(field.name()));
            assert_ne!(left, right);
        }
    }
}
