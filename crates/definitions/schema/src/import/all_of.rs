//! Merges the schemas of a JSON Schema's `allOf`, which a value satisfies all at once, into one.
//!
//! Objects' keys are united, bounds become the narrower ones, types their intersection; any other keyword with two
//! different values is refused with its line. A `$ref` with other keywords beside it counts as one of several schemas. A `$ref` alone is
//! kept, so that its target becomes one message however often it is referenced.

use std::cell::Cell;
use std::cmp::Ordering;

use super::ImportError;
use super::json::{Json, Kind};
use super::references::found;

/// Keywords that don't constrain values: of two, the first is kept.
const ANNOTATIONS: [&str; 12] = [
    "description",
    "title",
    "default",
    "examples",
    "example",
    "$comment",
    "$id",
    "$schema",
    "$anchor",
    "deprecated",
    "readOnly",
    "writeOnly",
];

/// Keywords that identify a schema.
const NAMES: [&str; 3] = ["$id", "$anchor", "$schema"];

/// Keywords that hold plain values, which contain no schemas.
const VALUES: [&str; 5] = ["enum", "const", "default", "examples", "example"];

/// The longest chain of references that is followed.
const MAX_REFERENCES: usize = 100;
/// The most references in total: each is expanded, so that a few lines could become gigabytes.
const MAX_IN_ALL: usize = 10_000;

/// The schema without `allOf`. `comments` are keywords that are all kept, because they become comments.
///
/// # Errors
/// When schemas that apply together can't be merged into one.
pub fn merged(schema: &Json, file: &str, comments: &[&str]) -> Result<Json, ImportError> {
    let left = Cell::new(MAX_IN_ALL);
    Merger { top: schema, file, comments, left }.expanded(schema, &mut Vec::new())
}

struct Merger<'a> {
    top: &'a Json,
    file: &'a str,
    comments: &'a [&'a str],
    /// How many more references may be followed.
    left: Cell<usize>,
}

type Pairs = Vec<(String, Json)>;

impl Merger<'_> {
    fn refuse(&self, line: usize, what: String, remedy: &str) -> ImportError {
        ImportError::Refused { file: self.file.to_owned(), line, what, remedy: remedy.to_owned() }
    }

    /// `following` are the references that led to this schema.
    fn expanded(&self, schema: &Json, following: &mut Vec<String>) -> Result<Json, ImportError> {
        let value = match &schema.value {
            Kind::List(list) => {
                let list = list.iter().map(|one| self.expanded(one, following));
                Kind::List(list.collect::<Result<_, _>>()?)
            }
            Kind::Object(pairs) => Kind::Object(self.object(schema.line, pairs, following)?),
            other => other.clone(),
        };
        Ok(Json { value, line: schema.line })
    }

    fn object(
        &self,
        line: usize,
        pairs: &[(String, Json)],
        following: &mut Vec<String>,
    ) -> Result<Pairs, ImportError> {
        let is_annotation = |key: &str| ANNOTATIONS.contains(&key) || self.comments.contains(&key);
        let of_several =
            |(key, value): &(String, Json)| key == "allOf" && matches!(value.value, Kind::List(_));
        let refers_too = pairs.iter().any(|(key, value)| key == "$ref" && value.as_text().is_some())
            && pairs.iter().any(|(key, _)| key != "$ref" && SHAPES.contains(&key.as_str()));
        let reference: Pairs = pairs.iter().filter(|(key, _)| key == "$ref").cloned().collect();
        let reference = Json { value: Kind::Object(reference), line };
        let mut whole = Pairs::new();
        let mut parts: Vec<&Json> = Vec::new();
        if refers_too {
            parts.push(&reference);
        }
        for pair in pairs {
            match &pair.1.value {
                Kind::List(list) if of_several(pair) => parts.extend(list),
                _ if refers_too && pair.0 == "$ref" => {}
                _ if VALUES.contains(&pair.0.as_str()) => whole.push(pair.clone()),
                _ => whole.push((pair.0.clone(), self.expanded(&pair.1, following)?)),
            }
        }
        // If the part is the only constraint, it replaces the whole schema.
        if let [Json { value: Kind::Object(only), .. }] = &parts[..]
            && only.iter().any(|(key, _)| key == "$ref")
            && whole.iter().all(|(key, _)| is_annotation(key))
        {
            let new = only.iter().filter(|(key, _)| !whole.iter().any(|(known, _)| known == key));
            let new: Pairs = new.cloned().collect();
            whole.extend(new);
            return Ok(whole);
        }
        for part in parts {
            let (line, part) = (part.line, self.part(part, following)?);
            self.merge(&mut whole, part, line)?;
        }
        Ok(whole)
    }

    /// The keywords of one part, with references expanded.
    fn part(&self, part: &Json, following: &mut Vec<String>) -> Result<Pairs, ImportError> {
        let pairs = match &part.value {
            Kind::Object(pairs) => pairs,
            Kind::Bool(true) => return Ok(Pairs::new()),
            _ => {
                let what = format!("{} in `allOf` is not a schema", part.shortened());
                return Err(self.refuse(part.line, what, "write an object"));
            }
        };
        let reference = pairs.iter().find(|(key, _)| key == "$ref").and_then(|(_, place)| place.as_text());
        let own: Vec<(String, Json)> = pairs.iter().filter(|(key, _)| key != "$ref").cloned().collect();
        let mut whole = self.object(part.line, &own, following)?;
        let Some(place) = reference else { return Ok(whole) };
        if following.iter().any(|known| known == place) || following.len() == MAX_REFERENCES {
            let what = format!("`$ref` to {place} in `allOf` is circular");
            return Err(self.refuse(part.line, what, "put an object in between"));
        }
        let Some(left) = self.left.get().checked_sub(1) else {
            let what = format!("`allOf` refers to other schemas more than {MAX_IN_ALL} times");
            return Err(self.refuse(part.line, what, "write some of them inline"));
        };
        self.left.set(left);
        let Some(found) = found(self.top, place) else {
            let what = format!("`$ref` to {place}, which is not in this file");
            return Err(self.refuse(part.line, what, "put all definitions into one file"));
        };
        following.push(place.to_owned());
        let referred = self.part(found, following);
        following.pop();
        self.merge(&mut whole, referred?, found.line)?;
        Ok(whole)
    }

    /// Merges in the keywords of another schema for the same values.
    fn merge(&self, whole: &mut Pairs, part: Pairs, line: usize) -> Result<(), ImportError> {
        for (key, new) in part {
            // These belong to one schema, not to one that contains it.
            if NAMES.contains(&key.as_str()) {
                continue;
            }
            let Some(at) = whole.iter().position(|(known, _)| *known == key) else {
                whole.push((key, new));
                continue;
            };
            let known = whole[at].1.clone();
            if known.value == new.value || ANNOTATIONS.contains(&key.as_str()) {
                continue;
            }
            if self.comments.contains(&key.as_str()) {
                whole.push((key, new));
                continue;
            }
            let at_line = new.line;
            let both = self.both(&key, known, new)?.ok_or_else(|| {
                let what = match key.as_str() {
                    "oneOf" | "anyOf" | "not" => {
                        format!("two schemas of one `allOf` (line {line}) each have a `{key}`, which can't be written as one")
                    }
                    _ => format!("two schemas of one `allOf` (line {line}) contradict each other in `{key}`"),
                };
                self.refuse(at_line, what, "write them as one schema")
            })?;
            whole[at].1 = both;
        }
        Ok(())
    }

    /// The value of a keyword that satisfies both; `None` if nothing does.
    fn both(&self, key: &str, known: Json, new: Json) -> Result<Option<Json>, ImportError> {
        let line = known.line;
        let as_json = |value: Kind| Some(Json { value, line });
        Ok(match (key, known.value, new.value) {
            ("properties" | "$defs" | "definitions", Kind::Object(mut whole), Kind::Object(part)) => {
                for (name, schema) in part {
                    match whole.iter().position(|(known, _)| *known == name) {
                        None => whole.push((name, schema)),
                        Some(at) if whole[at].1.value == schema.value => {}
                        Some(at) => match (&mut whole[at].1.value, schema.value) {
                            (Kind::Object(known), Kind::Object(new)) => {
                                self.merge(known, new, schema.line)?;
                            }
                            _ => return Ok(None),
                        },
                    }
                }
                as_json(Kind::Object(whole))
            }
            ("items" | "additionalProperties", Kind::Object(mut whole), Kind::Object(part)) => {
                self.merge(&mut whole, part, new.line)?;
                as_json(Kind::Object(whole))
            }
            // A boolean allows all values or none.
            ("items" | "additionalProperties", Kind::Bool(true), other)
            | ("items" | "additionalProperties", other, Kind::Bool(true)) => as_json(other),
            ("additionalProperties", _, Kind::Bool(false))
            | ("additionalProperties", Kind::Bool(false), _) => as_json(Kind::Bool(false)),
            ("required", Kind::List(mut whole), Kind::List(part)) => {
                let more =
                    part.into_iter().filter(|name| !whole.iter().any(|known| known.value == name.value));
                let more: Vec<Json> = more.collect();
                whole.extend(more);
                as_json(Kind::List(whole))
            }
            ("enum", Kind::List(mut whole), Kind::List(part)) => {
                whole.retain(|value| part.iter().any(|other| other.value == value.value));
                if whole.is_empty() { None } else { as_json(Kind::List(whole)) }
            }
            ("type", known, new) => types(known, new).and_then(as_json),
            (key, Kind::Number(known), Kind::Number(new)) => {
                let wanted = match key {
                    "minimum" | "exclusiveMinimum" | "minItems" => Ordering::Greater,
                    "maximum" | "exclusiveMaximum" | "maxItems" | "maxLength" => Ordering::Less,
                    _ => return Ok(None),
                };
                let order = known.parse::<f64>().ok().zip(new.parse::<f64>().ok());
                let is_narrower = order.is_some_and(|(known, new)| new.total_cmp(&known) == wanted);
                as_json(Kind::Number(if is_narrower { new } else { known }))
            }
            _ => None,
        })
    }
}

/// Keywords that constrain values, so that they matter beside a `$ref`.
const SHAPES: [&str; 15] = [
    "properties",
    "required",
    "items",
    "enum",
    "const",
    "oneOf",
    "anyOf",
    "additionalProperties",
    "allOf",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "minItems",
    "maxItems",
];

/// The types that both allow.
fn types(known: Kind, new: Kind) -> Option<Kind> {
    let names = |kind: &Kind| -> Option<Vec<String>> {
        match kind {
            Kind::Text(one) => Some(vec![one.clone()]),
            Kind::List(several) => several.iter().map(|one| one.as_text().map(str::to_owned)).collect(),
            _ => None,
        }
    };
    let (known, new) = (names(&known)?, names(&new)?);
    let in_both = |name: &String, other: &[String]| {
        other.contains(name) || (name == "integer" && other.iter().any(|other| other == "number"))
    };
    let mut left: Vec<String> = known.iter().filter(|name| in_both(name, &new)).cloned().collect();
    let more = new.iter().filter(|name| in_both(name, &known) && !left.contains(name));
    let more: Vec<String> = more.cloned().collect();
    left.extend(more);
    match &left[..] {
        [] => None,
        [one] => Some(Kind::Text(one.clone())),
        several => Some(Kind::List(
            several.iter().map(|one| Json { value: Kind::Text(one.clone()), line: 0 }).collect(),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::super::json;
    use super::*;

    fn of(text: &str) -> Result<String, String> {
        let schema = json::parse(text, "s.json", 1).map_err(|error| error.to_string())?;
        merged(&schema, "s.json", &["if"]).map(|json| json.to_string()).map_err(|error| error.to_string())
    }

    #[test]
    fn what_holds_at_once_is_written_as_one() {
        for (text, wanted) in [
            (
                r##"{"allOf":[{"$ref":"#/$defs/a"},{"properties":{"y":{"type":"string"}},"required":["y"]}],
                    "$defs":{"a":{"type":"object","properties":{"x":{"type":"integer"}},"required":["x"]}}}"##,
                r##"{"$defs":{"a":{"type":"object","properties":{"x":{"type":"integer"}},"required":["x"]}},"##.to_owned()
                    + r#""type":"object","properties":{"x":{"type":"integer"},"y":{"type":"string"}},"required":["x","y"]}"#,
            ),
            (
                r#"{"allOf":[{"type":"number","minimum":1},{"type":"integer","minimum":3,"maximum":9},true]}"#,
                r#"{"type":"integer","minimum":3,"maximum":9}"#.to_owned(),
            ),
            (
                r##"{"p":{"description":"d","allOf":[{"$ref":"#/p"}]}}"##,
                r##"{"p":{"description":"d","$ref":"#/p"}}"##.to_owned(),
            ),
            (r#"{"allOf":[{"if":1},{"if":2}]}"#, r#"{"if":1,"if":2}"#.to_owned()),
            (r#"{"default":{"allOf":[1]}}"#, r#"{"default":{"allOf":[1]}}"#.to_owned()),
        ] {
            assert_eq!(of(text).unwrap(), wanted, "{text}");
        }
    }

    #[test]
    fn what_can_not_hold_at_once_is_refused() {
        for (text, wanted) in [
            (r#"{"allOf":[{"type":"string"},{"type":"integer"}]}"#, "contradict each other in `type`"),
            (r#"{"allOf":[{"enum":["a"]},{"enum":["b"]}]}"#, "contradict each other in `enum`"),
            (r##"{"$defs":{"a":{"type":"object","allOf":[{"$ref":"#/$defs/a"}]}}}"##, "is circular"),
            (r##"{"allOf":[{"$ref":"#/none"},{}]}"##, "#/none, which is not in this file"),
            (
                r#"{"allOf":[{"oneOf":[{"type":"string"}]},{"oneOf":[{"type":"null"}]}]}"#,
                "(line 1) each have a `oneOf`, which can't be written as one",
            ),
            (r#"{"allOf":[3]}"#, "`3` in `allOf` is not a schema"),
        ] {
            let error = of(text).unwrap_err();
            assert!(error.contains(wanted), "{text}: {error}");
        }
    }
}
