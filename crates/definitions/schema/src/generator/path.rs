//! Paths of fields inside a message, and patterns over them.
//!
//! A path is field names joined by dots, without list indices: `axles.wheels.tyre_pressure`. A oneof is addressed
//! by its own name in its message's path, a map's keys and values by `field.key` and `field.value`. In a pattern, `*`
//! matches any characters of one name (`engine.*`, `*_temperature`) and `**` any number of names.

use std::collections::HashSet;

use prost_reflect::{FieldDescriptor, Kind, MessageDescriptor};

use super::rule::Shape;

/// How many paths are considered when searching for a similar one.
const SUGGESTION_LIMIT: usize = 5_000;

/// A parsed pattern that matches paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PathPattern {
    segments: Vec<String>,
}

/// A field or oneof that a pattern can match.
#[derive(Clone)]
pub(super) struct Target {
    pub(super) name: String,
    pub(super) shapes: Vec<Shape>,
    /// The field, unless the target is a oneof.
    pub(super) field: Option<FieldDescriptor>,
    /// The names that `weights` may use.
    pub(super) weight_names: Vec<String>,
}

impl PathPattern {
    /// Any text is a valid pattern; [`PathPattern::targets`] determines whether it matches anything.
    pub(super) fn parse(text: &str) -> Self {
        Self { segments: text.split('.').map(str::to_owned).collect() }
    }

    pub(super) fn matches(&self, path: &[&str]) -> bool {
        fn matches_from(segments: &[String], path: &[&str]) -> bool {
            match segments.split_first() {
                None => path.is_empty(),
                Some((first, rest)) if first == "**" => {
                    matches_from(rest, path) || (!path.is_empty() && matches_from(segments, &path[1..]))
                }
                Some((first, rest)) => path
                    .split_first()
                    .is_some_and(|(name, tail)| fits(first, name) && matches_from(rest, tail)),
            }
        }
        matches_from(&self.segments, path)
    }

    /// Every field and oneof of `message` that the pattern matches, once per message type, so that recursive types terminate.
    pub(super) fn targets(&self, message: &MessageDescriptor) -> Vec<Target> {
        let mut found = Vec::new();
        self.walk(message, 0, &mut HashSet::new(), &mut found);
        found
    }

    fn walk(
        &self,
        message: &MessageDescriptor,
        at: usize,
        visited: &mut HashSet<(String, usize)>,
        found: &mut Vec<Target>,
    ) {
        if at >= self.segments.len() || !visited.insert((message.full_name().to_owned(), at)) {
            return;
        }
        let segment = &self.segments[at];
        let is_last = at + 1 == self.segments.len();
        if segment == "**" {
            self.walk(message, at + 1, visited, found);
        }
        for target in targets_of(message) {
            if segment != "**" && !fits(segment, &target.name) {
                continue;
            }
            let below = target.field.as_ref().and_then(message_of);
            if let Some(below) = below {
                self.walk(&below, if segment == "**" { at } else { at + 1 }, visited, found);
            }
            if is_last {
                found.push(target);
            }
        }
    }

    /// The path (or, for patterns, `**.name`) most similar to this one.
    pub(super) fn nearest(&self, message: &MessageDescriptor) -> Option<String> {
        let text = self.segments.join(".");
        let mut paths = collect_paths(message);
        if text.contains('*') {
            paths =
                paths.iter().map(|path| format!("**.{}", path.rsplit('.').next().unwrap_or(path))).collect();
        }
        nearest(&text, paths.iter().map(String::as_str))
    }
}

/// The most similar of `known`, if it is similar enough to be intended.
pub(super) fn nearest<'a>(wanted: &str, known: impl Iterator<Item = &'a str>) -> Option<String> {
    known
        .map(|name| (strsim::normalized_damerau_levenshtein(wanted, name), name))
        .filter(|(likeness, _)| *likeness >= 0.5)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, name)| name.to_owned())
}

/// Paths level by level, shallow ones first, so that a recursive type does not exhaust the limit in depth.
fn collect_paths(message: &MessageDescriptor) -> Vec<String> {
    let mut paths = Vec::new();
    let mut level = vec![(String::new(), message.clone())];
    for _ in 0..6 {
        let mut next = Vec::new();
        for (prefix, message) in &level {
            for target in targets_of(message) {
                if paths.len() >= SUGGESTION_LIMIT {
                    return paths;
                }
                let path = format!("{prefix}{}", target.name);
                next.extend(
                    target.field.as_ref().and_then(message_of).map(|below| (format!("{path}."), below)),
                );
                paths.push(path);
            }
        }
        level = next;
    }
    paths
}

/// The fields (in number order) and oneofs of a message.
pub(super) fn targets_of(message: &MessageDescriptor) -> Vec<Target> {
    let fields = fields_by_number(message).into_iter().map(|field| Target {
        name: field.name().to_owned(),
        shapes: shapes_of(&field),
        weight_names: match field.kind() {
            Kind::Enum(values) => values.values().map(|value| value.name().to_owned()).collect(),
            _ => Vec::new(),
        },
        field: Some(field),
    });
    let oneofs = message.oneofs().filter(|oneof| !oneof.is_synthetic()).map(|oneof| Target {
        name: oneof.name().to_owned(),
        shapes: vec![Shape::Oneof, Shape::Optional],
        field: None,
        weight_names: oneof.fields().map(|field| field.name().to_owned()).collect(),
    });
    fields.chain(oneofs).collect()
}

/// A message's fields in number order, which fixes the order of the draws.
pub(super) fn fields_by_number(message: &MessageDescriptor) -> Vec<FieldDescriptor> {
    let mut fields: Vec<_> = message.fields().collect();
    fields.sort_by_key(FieldDescriptor::number);
    fields
}

/// The shapes of a field that rules can apply to.
pub(super) fn shapes_of(field: &FieldDescriptor) -> Vec<Shape> {
    let mut shapes = Vec::new();
    if field.is_list() || field.is_map() {
        shapes.push(Shape::List);
    }
    // A oneof's member is present when the oneof chooses it, so presence applies to the oneof.
    let in_oneof = field.containing_oneof().is_some_and(|oneof| !oneof.is_synthetic());
    if field.supports_presence() && !field.is_list() && !field.is_map() && !in_oneof {
        shapes.push(Shape::Optional);
    }
    shapes.push(match field.kind() {
        Kind::Double | Kind::Float => Shape::Float,
        Kind::Bool => Shape::Bool,
        Kind::String => Shape::String,
        Kind::Bytes => Shape::Bytes,
        Kind::Message(_) => Shape::Message,
        Kind::Enum(_) => Shape::Enum,
        _ => Shape::Integer,
    });
    shapes
}

fn message_of(field: &FieldDescriptor) -> Option<MessageDescriptor> {
    field.kind().as_message().cloned()
}

/// Whether `name` matches a segment in which `*` stands for any characters.
fn fits(segment: &str, name: &str) -> bool {
    match segment.split_once('*') {
        None => segment == name,
        Some((before, after)) => name.strip_prefix(before).is_some_and(|tail| {
            let starts = tail.char_indices().map(|(at, _)| at).chain([tail.len()]);
            starts.into_iter().any(|at| fits(after, &tail[at..]))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, path: &str) -> bool {
        PathPattern::parse(pattern).matches(&path.split('.').collect::<Vec<_>>())
    }

    #[test]
    fn stars_stay_within_a_name_and_double_stars_do_not() {
        assert!(matches("engine.*", "engine.speed"));
        assert!(!matches("engine.*", "engine.oil.level"));
        assert!(matches("engine.**", "engine.oil.level"));
        assert!(matches("**.temperature", "temperature"));
        assert!(matches("**.temperature", "a.b.temperature"));
        assert!(matches("**.*_temperature", "a.oil_temperature"));
        assert!(!matches("**.*_temperature", "a.oil_temperature_max"));
        assert!(matches("a.**.z", "a.z") && matches("a.**.z", "a.b.c.z") && !matches("a.**.z", "a.b"));
    }

    #[test]
    fn the_nearest_name_is_suggested_only_when_it_is_near() {
        assert_eq!(nearest("presense", ["zero", "presence"].into_iter()).as_deref(), Some("presence"));
        assert_eq!(nearest("colour", ["zero", "presence"].into_iter()), None);
    }
}
