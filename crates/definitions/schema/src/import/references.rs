//! Resolves a JSON Schema's `$ref` within the file: by pointer, anchor or the file's own `$id`.
//!
//! Sources: RFC 6901, section 6 (a fragment is percent-decoded), RFC 3986, section 5.2, and JSON Schema 2020-12 Core, section 8.

use super::json::{Json, Kind};

/// Keywords whose values are schemas by name.
const NAMED: [&str; 6] =
    ["properties", "$defs", "definitions", "patternProperties", "dependentSchemas", "dependencies"];
/// Keywords whose values are lists of schemas.
const LISTED: [&str; 5] = ["allOf", "oneOf", "anyOf", "prefixItems", "items"];
/// Keywords whose value is a single schema.
const SINGLE: [&str; 9] = [
    "items",
    "additionalItems",
    "additionalProperties",
    "not",
    "if",
    "then",
    "else",
    "contains",
    "propertyNames",
];

/// The schema that a reference points to; `None` if the file does not contain it.
pub fn found<'a>(top: &'a Json, place: &str) -> Option<&'a Json> {
    let (base, fragment) = place.split_once('#').unwrap_or((place, ""));
    let resource = if base.is_empty() { top } else { resource(top, base)? };
    let fragment = decoded(fragment)?;
    match fragment.as_str() {
        "" => Some(resource),
        pointer if pointer.starts_with('/') => at(resource, pointer),
        anchor => schemas(resource).into_iter().find(|schema| {
            let is = |key: &str, wanted: &str| schema.get(key).and_then(Json::as_text) == Some(wanted);
            is("$anchor", anchor) || is("$id", &format!("#{anchor}"))
        }),
    }
}

/// The last component of a reference, for naming a type.
pub fn name(place: &str) -> String {
    let last = place.rsplit(['/', '#']).next().unwrap_or_default();
    match decoded(last) {
        Some(name) if !name.is_empty() => name.replace("~1", "/").replace("~0", "~"),
        _ => "Root".to_owned(),
    }
}

/// A nested schema with its own `$id` that contains a `$ref` to a fragment: the fragment is relative to that schema instead of the file.
pub fn starts_anew(top: &Json) -> Option<&Json> {
    let is_own = |schema: &&Json| {
        let id = schema.get("$id").and_then(Json::as_text).is_some_and(|id| !id.starts_with('#'));
        let refers = |inner: &&Json| {
            inner.get("$ref").and_then(Json::as_text).is_some_and(|place| place.starts_with('#'))
        };
        id && schemas(schema).iter().any(refers)
    };
    schemas(top).into_iter().skip(1).find(is_own)
}

/// A schema and all schemas in it.
fn schemas(top: &Json) -> Vec<&Json> {
    let (mut all, mut waiting) = (Vec::new(), vec![top]);
    while let Some(schema) = waiting.pop() {
        all.push(schema);
        let Kind::Object(pairs) = &schema.value else { continue };
        for (key, value) in pairs {
            match &value.value {
                Kind::Object(inner) if NAMED.contains(&key.as_str()) => {
                    waiting.extend(inner.iter().map(|(_, schema)| schema));
                }
                Kind::List(inner) if LISTED.contains(&key.as_str()) => waiting.extend(inner),
                Kind::Object(_) if SINGLE.contains(&key.as_str()) => waiting.push(value),
                _ => {}
            }
        }
    }
    all
}

fn id(schema: &Json) -> Option<&str> {
    schema.get("$id").or_else(|| schema.get("id")).and_then(Json::as_text)
}

/// The schema with this `$id`.
fn resource<'a>(top: &'a Json, base: &str) -> Option<&'a Json> {
    let own = id(top).unwrap_or_default().trim_end_matches('#');
    let wanted = resolved(own, base);
    if !own.is_empty() && wanted == own {
        return Some(top);
    }
    let has_id = |schema: &&Json| {
        schema.get("$id").and_then(Json::as_text).is_some_and(|id| resolved(own, id) == wanted)
    };
    schemas(top).into_iter().skip(1).find(has_id)
}

/// An address relative to another: in the same folder, on the same host, or absolute.
fn resolved(from: &str, to: &str) -> String {
    let to = to.trim_end_matches('#');
    let has_scheme = to.split_once(':').is_some_and(|(scheme, _)| !scheme.contains('/'));
    if has_scheme || from.is_empty() {
        return to.to_owned();
    }
    let path = from.find("://").map_or(0, |at| at + 3);
    let host = from[path..].find('/').map_or(from.len(), |at| path + at);
    match to.strip_prefix("./").unwrap_or(to) {
        rooted if rooted.starts_with('/') => format!("{}{rooted}", &from[..host]),
        beside => {
            let folder = from[host..].rfind('/').map_or(from.len(), |at| host + at);
            format!("{}/{beside}", &from[..folder])
        }
    }
}

/// The value that a pointer refers to.
fn at<'a>(resource: &'a Json, pointer: &str) -> Option<&'a Json> {
    let mut found = resource;
    for step in pointer.split('/').skip(1) {
        let step = step.replace("~1", "/").replace("~0", "~");
        found = match &found.value {
            Kind::List(list) => list.get(step.parse::<usize>().ok()?)?,
            _ => found.get(&step)?,
        };
    }
    Some(found)
}

/// A percent-decoded fragment; `None` if the result is not UTF-8.
fn decoded(fragment: &str) -> Option<String> {
    let bytes = fragment.as_bytes();
    let (mut out, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while at < bytes.len() {
        let hex = fragment.get(at + 1..at + 3).and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match (bytes[at], hex) {
            (b'%', Some(byte)) => {
                out.push(byte);
                at += 3;
            }
            (byte, _) => {
                out.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8(out).ok()
}

#[cfg(test)]
mod tests {
    use super::super::json;
    use super::*;

    const SCHEMA: &str = r##"{"$id":"https://e.org/a/m.json","$defs":{
        "x":{"type":"string"},"Map<s>":{"type":"null"},"a/b":{"type":"array"},
        "n":{"$anchor":"here","type":"number"},"o":{"$id":"#old","type":"object"},
        "own":{"$id":"other.json","type":"boolean"}},"oneOf":[{"type":"integer"}]}"##;

    #[test]
    fn a_reference_names_what_it_says_and_never_the_root_instead() {
        let top = json::parse(SCHEMA, "m.json", 1).unwrap();
        let ty = |place: &str| found(&top, place)?.get("type")?.as_text().map(str::to_owned);
        for (place, wanted) in [
            ("#/$defs/x", "string"),
            ("#/$defs/Map%3Cs%3E", "null"),
            ("#/$defs/a~1b", "array"),
            ("#/%24defs/x", "string"),
            ("#/oneOf/0", "integer"),
            ("#here", "number"),
            ("#old", "object"),
            ("https://e.org/a/m.json#/$defs/x", "string"),
            ("m.json#here", "number"),
            ("/a/m.json#/$defs/x", "string"),
            ("other.json", "boolean"),
            ("https://e.org/a/other.json", "boolean"),
        ] {
            assert_eq!(ty(place).as_deref(), Some(wanted), "{place}");
        }
        for place in ["#", "https://e.org/a/m.json", "m.json#"] {
            assert!(std::ptr::eq(found(&top, place).unwrap(), &top), "{place}");
        }
        for place in ["#nowhere", "#/$defs/y", "n.json", "https://e.org/m.json#/$defs/x", "#/oneOf/1", "#%ff"]
        {
            assert!(found(&top, place).is_none(), "{place}");
        }
    }

    #[test]
    fn a_schema_from_which_references_start_anew_is_found() {
        let schema = |inner: &str| {
            let text = format!(
                r##"{{"$defs":{{"a":{{"$id":"a.json","properties":{{"x":{{"$ref":"{inner}"}}}}}}}}}}"##
            );
            starts_anew(&json::parse(&text, "m.json", 1).unwrap()).is_some()
        };
        assert!(schema("#/$defs/b"));
        assert!(!schema("b.json#/$defs/b"));
    }
}
