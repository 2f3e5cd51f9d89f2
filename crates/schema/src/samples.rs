//! Samples: JSON lines in the proto3 JSON mapping, with original field names.
//!
//! The neutral value in memory is prost-reflect's `DynamicMessage`. Readers refuse fields that the
//! definition does not have, naming file and line.

use prost_reflect::{
    DeserializeOptions, DynamicMessage, MessageDescriptor, ReflectMessage, SerializeOptions,
};

/// Why a sample can't be used.
#[derive(Debug, thiserror::Error)]
pub enum SampleError {
    /// A line is no value of the message type.
    #[error(
        "{file}:{line}: {}; write one JSON object a line, as `{message}` in message.proto says",
        without_line(reason)
    )]
    Line {
        /// The file as the caller named it.
        file: String,
        /// Its line, counted from 1.
        line: usize,
        /// What the JSON reader said.
        reason: serde_json::Error,
        /// The message type.
        message: String,
    },
    /// The value can't be written as JSON.
    #[error("a value of `{message}` has no JSON form: {reason}")]
    Write {
        /// What the JSON writer said.
        reason: serde_json::Error,
        /// The message type.
        message: String,
    },
}

/// What the JSON reader said, without the line that stands before it already.
fn without_line(reason: &serde_json::Error) -> String {
    let text = reason.to_string();
    match text.rsplit_once(" at line ") {
        Some((problem, _)) => format!("{problem}, column {}", reason.column()),
        None => text,
    }
}

/// Reads one value; `file` and `line` are for the error.
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
    let mut json = serde_json::Deserializer::from_str(text);
    let strict = DeserializeOptions::new().deny_unknown_fields(true);
    let value =
        DynamicMessage::deserialize_with_options(descriptor.clone(), &mut json, &strict).map_err(wrong)?;
    json.end().map_err(wrong)?;
    Ok(value)
}

/// Reads the samples of a text, one a line; empty lines are skipped. Lazy: a broken line is an error when
/// its turn comes.
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

/// One JSON line (without its end): original field names, fields without presence written even where they
/// are at their default.
pub fn write_value(value: &DynamicMessage) -> Result<String, SampleError> {
    let options = SerializeOptions::new().use_proto_field_name(true).skip_default_fields(false);
    let wrong = |reason| SampleError::Write { reason, message: value.descriptor().full_name().to_owned() };
    let mut json = serde_json::Serializer::new(Vec::new());
    value.serialize_with_options(&mut json, &options).map_err(wrong)?;
    String::from_utf8(json.into_inner()).map_err(|error| wrong(serde::ser::Error::custom(error)))
}
