//! Samples: JSON lines in proto3's JSON mapping, with original field names.
//!
//! In memory, a value is prost-reflect's `DynamicMessage`. Readers refuse fields that the
//! definition does not have, with file and line.

use prost_reflect::{
    DeserializeOptions, DynamicMessage, FieldDescriptor, Kind, MessageDescriptor, ReflectMessage,
    SerializeOptions, Value,
};
use serde_json::value::RawValue;

use crate::definition::has_added_zero;
use crate::members::Members;
use crate::times;

/// Why a sample is rejected.
#[derive(Debug, thiserror::Error)]
pub enum SampleError {
    /// A line is not a value of the message type.
    #[error(
        "{file}:{line}: {}; write one JSON object per line, as `{message}` in message.proto defines",
        without_line(reason)
    )]
    Line {
        /// The file as the caller named it.
        file: String,
        /// Its line, counted from 1.
        line: usize,
        /// The JSON reader's error.
        reason: serde_json::Error,
        /// The message type's name.
        message: String,
    },
    /// A value has no JSON representation.
    #[error("a value of `{message}` has no JSON form: {reason}")]
    Write {
        /// The JSON writer's error.
        reason: serde_json::Error,
        /// The message type's name.
        message: String,
    },
}

impl SampleError {
    /// The file at fault, and the line in it.
    pub fn place(&self) -> Option<(&str, usize)> {
        match self {
            SampleError::Line { file, line, .. } => Some((file, *line)),
            SampleError::Write { .. } => None,
        }
    }
}

/// The JSON reader's error without its own line number, which the message already has.
fn without_line(reason: &serde_json::Error) -> String {
    let text = reason.to_string();
    match text.rsplit_once(" at line ") {
        Some((problem, _)) => format!("{problem}, column {}", reason.column()),
        None => text,
    }
}

/// Parses one value; `file` and `line` are for errors.
pub fn read_value(
    text: &str,
    descriptor: &MessageDescriptor,
    file: &str,
    line: usize,
) -> Result<DynamicMessage, SampleError> {
    let wrong = |reason: serde_json::Error| SampleError::Line {
        file: file.to_owned(),
        line: line + reason.line().saturating_sub(1),
        reason,
        message: descriptor.full_name().to_owned(),
    };
    if times::has_times(descriptor) {
        times::check(text, descriptor).map_err(|what| wrong(serde::de::Error::custom(what)))?;
    }
    let mut json = serde_json::Deserializer::from_str(text);
    let strict = DeserializeOptions::new().deny_unknown_fields(true);
    let value =
        DynamicMessage::deserialize_with_options(descriptor.clone(), &mut json, &strict).map_err(wrong)?;
    json.end().map_err(wrong)?;
    if descriptor.parent_pool().all_enums().any(|declared| has_added_zero(&declared)) {
        no_added_zero(&value, "").map_err(|what| wrong(serde::de::Error::custom(what)))?;
    }
    Ok(value)
}

/// Refuses an enum value that exists only because proto3 requires it.
fn no_added_zero(message: &DynamicMessage, path: &str) -> Result<(), String> {
    let dot = if path.is_empty() { "" } else { "." };
    message.fields().try_for_each(|(field, value)| {
        let kind = match field.kind() {
            Kind::Message(entry) if field.is_map() => entry.map_entry_value_field().kind(),
            kind => kind,
        };
        let path = format!("{path}{dot}{}", field.name());
        match value {
            Value::List(list) => (0..)
                .zip(list)
                .try_for_each(|(at, one): (usize, _)| no_zero(one, &kind, &format!("{path}[{at}]"))),
            Value::Map(map) => map.values().try_for_each(|one| no_zero(one, &kind, &format!("{path}[*]"))),
            one => no_zero(one, &kind, &path),
        }
    })
}

fn no_zero(value: &Value, kind: &Kind, path: &str) -> Result<(), String> {
    match (value, kind) {
        (Value::Message(message), _) => no_added_zero(message, path),
        (Value::EnumNumber(0), Kind::Enum(declared)) if has_added_zero(declared) => {
            let name = declared.get_value(0).map_or_else(String::new, |zero| zero.name().to_owned());
            Err(format!(
                "`{path}` is {name}, which exists only for proto3 (`(wiredyno.zero_is_added)`): write another value"
            ))
        }
        _ => Ok(()),
    }
}

/// Parses the samples of a text, one per line; empty lines are skipped. Lazy: an invalid line yields an error in its
/// turn.
pub fn read_samples<'a>(
    text: &'a str,
    descriptor: &'a MessageDescriptor,
    file: &'a str,
) -> impl Iterator<Item = Result<DynamicMessage, SampleError>> + 'a {
    text.lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
        .map(move |(index, line)| read_value(line, descriptor, file, index + 1))
}

/// One JSON line, without a line end: original field names, fields without presence written even at their
/// default, map entries in key order, so that equal values have equal lines.
pub fn write_value(value: &DynamicMessage) -> Result<String, SampleError> {
    let options = SerializeOptions::new().use_proto_field_name(true).skip_default_fields(false);
    let descriptor = value.descriptor();
    let wrong = |reason| SampleError::Write { reason, message: descriptor.full_name().to_owned() };
    let mut json = serde_json::Serializer::new(Vec::new());
    value.serialize_with_options(&mut json, &options).map_err(wrong)?;
    let text =
        String::from_utf8(json.into_inner()).map_err(|error| wrong(serde::ser::Error::custom(error)))?;
    if !has_maps(&descriptor, &mut Vec::new()) {
        return Ok(text);
    }
    let mut sorted = String::with_capacity(text.len());
    sort_message(&text, &descriptor, &mut sorted).map_err(wrong)?;
    Ok(sorted)
}

/// Whether a value of the message can contain a map at any depth.
fn has_maps(descriptor: &MessageDescriptor, seen: &mut Vec<MessageDescriptor>) -> bool {
    if seen.contains(descriptor) {
        return false;
    }
    seen.push(descriptor.clone());
    descriptor.fields().any(|field| match field.kind() {
        _ if field.is_map() => true,
        Kind::Message(inner) => has_maps(&inner, seen),
        _ => false,
    })
}

/// Rewrites a message's text with map entries sorted. Text that is not an object, such as a timestamp, has none.
fn sort_message(text: &str, descriptor: &MessageDescriptor, out: &mut String) -> serde_json::Result<()> {
    if !text.starts_with('{') {
        out.push_str(text);
        return Ok(());
    }
    let Members(members) = serde_json::from_str(text)?;
    write_members(&members, out, |name, text, out| match descriptor.get_field_by_name(name) {
        Some(field) => sort_field(text, &field, out),
        None => {
            out.push_str(text);
            Ok(())
        }
    })
}

fn sort_field(text: &str, field: &FieldDescriptor, out: &mut String) -> serde_json::Result<()> {
    match field.kind() {
        Kind::Message(entry) if field.is_map() => {
            let Members(mut entries) = serde_json::from_str(text)?;
            match entry.map_entry_key_field().kind() {
                Kind::String => entries.sort_by(|a, b| a.0.cmp(&b.0)),
                _ => entries.sort_by_cached_key(|(key, _)| (key.parse::<i128>().ok(), key.clone())),
            }
            let of_entry = entry.map_entry_value_field();
            write_members(&entries, out, |_, text, out| sort_field(text, &of_entry, out))
        }
        Kind::Message(element) if field.is_list() => {
            out.push('[');
            for (at, one) in serde_json::from_str::<Vec<&RawValue>>(text)?.into_iter().enumerate() {
                out.push_str(if at > 0 { "," } else { "" });
                sort_message(one.get(), &element, out)?;
            }
            out.push(']');
            Ok(())
        }
        Kind::Message(inner) => sort_message(text, &inner, out),
        _ => {
            out.push_str(text);
            Ok(())
        }
    }
}

fn write_members(
    members: &[(String, &RawValue)],
    out: &mut String,
    mut value: impl FnMut(&str, &str, &mut String) -> serde_json::Result<()>,
) -> serde_json::Result<()> {
    out.push('{');
    for (at, (name, text)) in members.iter().enumerate() {
        out.push_str(if at > 0 { "," } else { "" });
        out.push_str(&serde_json::to_string(name)?);
        out.push(':');
        value(name, text.get(), out)?;
    }
    out.push('}');
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Definition;

    #[test]
    fn entries_of_maps_are_written_in_the_order_of_their_keys_wherever_they_stand() {
        let proto = "syntax = \"proto3\"; message A { map<string, A> m = 1; map<sint32, float> n = 2; repeated A r = 3; }";
        let definition = Definition::from_source(proto, "message.proto").unwrap();
        let inner = |n: &str| format!("{{\"m\":{{}},\"n\":{{{n}}},\"r\":[]}}");
        let (sorted, empty) = (inner("\"-7\":0.1,\"2\":1.5,\"10\":-3.0"), inner(""));
        let text = format!(
            "{{\"m\":{{\"a\":{sorted},\"b\\\"\":{empty},\"c\":{empty}}},\"n\":{{}},\"r\":[{sorted},{empty}]}}"
        );
        // Hash maps are shuffled: a single pass could be in order by luck.
        for _ in 0..20 {
            let value = read_value(&text, &definition.descriptor, "samples.jsonl", 1).unwrap();
            assert_eq!(write_value(&value).unwrap(), text);
        }
    }
}
