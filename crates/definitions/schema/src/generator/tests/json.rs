//! Ordinary compact JSON of a message: original field names, numbers as numbers, absent fields omitted, enums as
//! their names. Enough to measure samples; bytes and maps, which the measured payloads lack, are refused.

use prost_reflect::{DynamicMessage, Kind, Value};

/// A message as compact JSON.
pub fn json(message: &DynamicMessage) -> String {
    let mut fields: Vec<_> = message.fields().collect();
    fields.sort_by_key(|(field, _)| field.number());
    let member = |(field, value): &(prost_reflect::FieldDescriptor, &Value)| {
        format!("\"{}\":{}", field.name(), of_value(value, &field.kind()))
    };
    format!("{{{}}}", fields.iter().map(member).collect::<Vec<_>>().join(","))
}

fn of_value(value: &Value, kind: &Kind) -> String {
    match value {
        Value::Bool(value) => value.to_string(),
        Value::I32(value) => value.to_string(),
        Value::I64(value) => value.to_string(),
        Value::U32(value) => value.to_string(),
        Value::U64(value) => value.to_string(),
        Value::F32(value) => format!("{value:?}"),
        Value::F64(value) => format!("{value:?}"),
        Value::String(text) => format!("{text:?}"),
        Value::EnumNumber(number) => {
            format!("\"{}\"", kind.as_enum().unwrap().get_value(*number).unwrap().name())
        }
        Value::Message(message) => json(message),
        Value::List(values) => {
            format!("[{}]", values.iter().map(|value| of_value(value, kind)).collect::<Vec<_>>().join(","))
        }
        Value::Bytes(_) | Value::Map(_) => panic!("no payload that is weighed has bytes or maps"),
    }
}
