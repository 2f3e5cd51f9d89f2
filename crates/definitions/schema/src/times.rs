//! Checks that the text of Google's well-known types in a sample is valid in proto3's JSON mapping.
//!
//! The library that parses samples turns a leap second into the second before it and truncates beyond nanoseconds, so values would
//! change silently. Hence a strict check of each text comes first: valid calendar dates, hours to 23, minutes and seconds to 59, offsets to
//! 23:59, at most nine fractional digits, years 1 to 9999, durations up to ±315,576,000,000 s
//! (<https://protobuf.dev/programming-guides/json/>, google/protobuf/timestamp.proto and duration.proto).
//!
//! Limits: other errors are left to that library.

use prost_reflect::{FieldDescriptor, Kind, MessageDescriptor};
use serde_json::value::RawValue;
use wiredyno_codec::well_known::text::{Duration, Timestamp};

use crate::members::Members;

const TIMESTAMP: &str = "google.protobuf.Timestamp";
const DURATION: &str = "google.protobuf.Duration";
const ANY: &str = "google.protobuf.Any";
/// The member of an Any that names the type of its message.
const ANY_TYPE: &str = "@type";

/// Whether a value of the message can contain a time or a duration at any depth.
pub(crate) fn has_times(descriptor: &MessageDescriptor) -> bool {
    let pool = descriptor.parent_pool();
    if [TIMESTAMP, DURATION, ANY].iter().all(|name| pool.get_message_by_name(name).is_none()) {
        return false;
    }
    let (mut seen, mut waiting) = (Vec::new(), vec![descriptor.clone()]);
    while let Some(message) = waiting.pop() {
        if [TIMESTAMP, DURATION, ANY].contains(&message.full_name()) {
            return true;
        }
        if !seen.contains(&message) {
            waiting.extend(message.fields().filter_map(|field| field.kind().as_message().cloned()));
            seen.push(message);
        }
    }
    false
}

/// Checks every time and duration in a message's text.
///
/// # Errors
/// With the first invalid one, its path, and what to write.
pub(crate) fn check(text: &str, descriptor: &MessageDescriptor) -> Result<(), String> {
    match serde_json::from_str::<&RawValue>(text) {
        Ok(value) => message(value.get(), descriptor, ""),
        Err(_) => Ok(()),
    }
}

fn message(text: &str, descriptor: &MessageDescriptor, path: &str) -> Result<(), String> {
    let wrong = |what: &str| Err(format!("`{path}` is {text}, {what}"));
    match descriptor.full_name() {
        TIMESTAMP => match serde_json::from_str::<String>(text) {
            Ok(time) if Timestamp::read(&time).is_none() => wrong(
                "not a time of the years 1 to 9999 in the form of RFC 3339: write a date of the calendar, hours to 23, minutes and seconds to 59 \
                 (a leap second has no place in a Timestamp), up to nine digits of a fraction, and Z or an offset to 23:59",
            ),
            _ => Ok(()),
        },
        DURATION => match serde_json::from_str::<String>(text) {
            Ok(duration) if Duration::read(&duration).is_none() => wrong(
                "not a duration: write seconds up to 315576000000 with up to nine digits of a fraction and an `s`, as 1.5s",
            ),
            _ => Ok(()),
        },
        ANY => any(text, descriptor, path),
        // The other well-known types are texts or values in which no time occurs.
        name if name.starts_with("google.protobuf.") => Ok(()),
        _ => members(text, descriptor, path),
    }
}

fn members(text: &str, descriptor: &MessageDescriptor, path: &str) -> Result<(), String> {
    let Ok(Members(members)) = serde_json::from_str(text) else { return Ok(()) };
    for (name, value) in members {
        let by_name = descriptor.get_field_by_name(&name);
        let Some(known) = by_name.or_else(|| descriptor.get_field_by_json_name(&name)) else { continue };
        let dot = if path.is_empty() { "" } else { "." };
        field(value.get(), &known, &format!("{path}{dot}{name}"))?;
    }
    Ok(())
}

fn field(text: &str, field: &FieldDescriptor, path: &str) -> Result<(), String> {
    let Kind::Message(of) = field.kind() else { return Ok(()) };
    if field.is_map() {
        let Kind::Message(of_value) = of.map_entry_value_field().kind() else { return Ok(()) };
        let Ok(Members(entries)) = serde_json::from_str(text) else { return Ok(()) };
        return entries
            .iter()
            .try_for_each(|(key, value)| message(value.get(), &of_value, &format!("{path}[{key:?}]")));
    }
    if field.is_list() {
        let Ok(list) = serde_json::from_str::<Vec<&RawValue>>(text) else { return Ok(()) };
        return (0..)
            .zip(list)
            .try_for_each(|(at, value): (usize, _)| message(value.get(), &of, &format!("{path}[{at}]")));
    }
    message(text, &of, path)
}

/// Checks an Any: the message next to its type's name, or the text of a well-known type.
fn any(text: &str, descriptor: &MessageDescriptor, path: &str) -> Result<(), String> {
    let Ok(Members(all)) = serde_json::from_str(text) else { return Ok(()) };
    let member = |wanted: &str| all.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.get());
    let Some(ty) = member(ANY_TYPE) else {
        return Err(format!(
            "`{path}` is {text}, an Any without `{ANY_TYPE}`: write the type of the message in it, as \
             {{\"{ANY_TYPE}\": \"type.googleapis.com/package.Message\", ...}}, or leave it out"
        ));
    };
    let ty: String = serde_json::from_str(ty).unwrap_or_default();
    let name = ty.rsplit('/').next().unwrap_or_default();
    let Some(held) = descriptor.parent_pool().get_message_by_name(name) else {
        return Err(format!(
            "`{path}` holds a `{name}`, which neither the .proto file nor its imports define: import the file that does"
        ));
    };
    match member("value") {
        Some(value) if held.full_name().starts_with("google.protobuf.") => message(value, &held, path),
        _ => members(text, &held, path),
    }
}

#[cfg(test)]
mod tests {
    use prost_reflect::DescriptorPool;
    use protox::Compiler;
    use protox::file::{ChainFileResolver, File, FileResolver, GoogleFileResolver};

    use crate::read_value;

    struct Own;

    impl FileResolver for Own {
        fn open_file(&self, name: &str) -> Result<File, protox::Error> {
            File::from_source(
                name,
                "syntax = \"proto3\"; import \"google/protobuf/timestamp.proto\"; import \"google/protobuf/duration.proto\"; \
                 import \"google/protobuf/any.proto\"; \
                 message M { google.protobuf.Timestamp at_time = 1; google.protobuf.Duration d = 2; \
                 repeated google.protobuf.Timestamp all = 3; map<string, google.protobuf.Duration> by = 4; M of = 5; google.protobuf.Any any = 6; }",
            )
        }
    }

    #[test]
    fn times_that_would_become_others_are_refused_with_their_paths() {
        let mut resolver = ChainFileResolver::new();
        resolver.add(GoogleFileResolver::new());
        resolver.add(Own);
        let mut compiler = Compiler::with_file_resolver(resolver);
        compiler.include_imports(true).open_file("m.proto").unwrap();
        let pool = DescriptorPool::decode(compiler.encode_file_descriptor_set().as_slice()).unwrap();
        let message = pool.get_message_by_name("M").unwrap();
        for (sample, wanted) in [
            (
                r#"{"at_time":"2016-12-31T23:59:60Z"}"#,
                "s.jsonl:7: `at_time` is \"2016-12-31T23:59:60Z\", not a time",
            ),
            (r#"{"atTime":"2016-12-31T23:59:60Z"}"#, "`atTime` is"),
            (r#"{"atTime":"2016-12-31T24:00:00Z"}"#, "`atTime` is"),
            (r#"{"atTime":"2023-02-29T00:00:00Z"}"#, "`atTime` is"),
            (r#"{"atTime":"2023-02-28T00:00:00+24:00"}"#, "`atTime` is"),
            (r#"{"atTime":"2023-02-28T00:00:00.0000000001Z"}"#, "`atTime` is"),
            (r#"{"atTime":"10000-01-01T00:00:00Z"}"#, "`atTime` is"),
            (r#"{"atTime":"0001-01-01T00:00:00+00:01"}"#, "`atTime` is"),
            (r#"{"of":{"all":["2016-12-31T23:59:59Z","2016-12-31T23:59:60Z"]}}"#, "`of.all[1]` is"),
            (r#"{"by":{"k":"315576000001s"}}"#, "`by[\"k\"]` is \"315576000001s\", not a duration"),
            (r#"{"d":"1.0000000001s"}"#, "`d` is"),
            (r#"{"any":{}}"#, "`any` is {}, an Any without `@type`"),
            (r#"{"any":{"@type":"x/N"}}"#, "`any` holds a `N`, which neither"),
            (r#"{"any":{"@type":"x/M","d":"1"}}"#, "`any.d` is \"1\", not a duration"),
            (r#"{"any":{"@type":"x/google.protobuf.Timestamp","value":"2016-12-31T23:59:60Z"}}"#, "`any` is"),
        ] {
            let error = read_value(sample, &message, "s.jsonl", 7).unwrap_err().to_string();
            assert!(error.contains(wanted), "{sample}: {error}");
        }
        for sample in [
            r#"{"atTime":"9999-12-31T23:59:59.999999999Z","d":"-315576000000s","all":[null],"of":null}"#,
            r#"{"any":{"@type":"x/google.protobuf.Duration","value":"1.5s"}}"#,
            r#"{"any":{"@type":"x/M","d":"1s"}}"#,
        ] {
            let read = read_value(sample, &message, "s.jsonl", 1);
            assert!(read.is_ok() || sample.contains("[null]"), "{sample}: {read:?}");
        }
    }
}
