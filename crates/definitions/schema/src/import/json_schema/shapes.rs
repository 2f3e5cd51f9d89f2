//! Schemas that combine others: `anyOf`, `oneOf`, `allOf`, and null beside a type.

use super::super::draft::{DraftShape, DraftType, Part};
use super::super::identifier::identifier;
use super::super::json::{Json, Kind};
use super::super::{ImportError, references};
use super::{Reader, is_values, says_shape, title};

impl<'a> Reader<'a> {
    /// A schema's alternatives, and the keyword that lists them; refused if keywords beside them would be lost.
    pub(super) fn alternatives(
        &self,
        schema: &'a Json,
    ) -> Result<Option<(&'static str, &'a [Json])>, ImportError> {
        let listed = |keyword: &'static str| match schema.get(keyword).map(|any| &any.value) {
            Some(Kind::List(any)) => Some((keyword, any.as_slice())),
            _ => None,
        };
        let (one, any) = (listed("oneOf"), listed("anyOf"));
        let says = |list: Option<(&str, &[Json])>| list.is_some_and(|(_, any)| any.iter().any(says_shape));
        if says(one) && says(any) {
            let what = "both `oneOf` and `anyOf`".to_owned();
            return Err(self.refuse(schema, what, "write the alternatives as one list"));
        }
        let found = if says(any) { any } else { one.or(any) };
        let beside = ["properties", "items", "enum", "const", "additionalProperties"];
        let beside = beside
            .into_iter()
            .find(|key| schema.get(key).is_some_and(|value| !matches!(value.value, Kind::Bool(_))));
        match (found, beside) {
            (Some((keyword, _)), Some(beside)) if says(found) => {
                let what = format!("`{keyword}` beside `{beside}`, which holds in each of its alternatives");
                Err(self.refuse(schema, what, &format!("write `{beside}` into each alternative")))
            }
            _ => Ok(found),
        }
    }

    pub(super) fn nullable(&mut self, mut part: Part, nullable: bool, path: &str) -> Part {
        match part.shape {
            DraftShape::One if nullable => part.shape = DraftShape::Optional,
            DraftShape::List | DraftShape::Map(_) if nullable => {
                self.remark(&mut part, path, "Null and empty are the same here.".to_owned());
            }
            _ => {}
        }
        part
    }

    /// `referred`: other schemas, and its own alternatives, may reference it as one message.
    pub(super) fn any_of(
        &mut self,
        at: &'a Json,
        any: &'a [Json],
        referred: bool,
        name: &str,
        path: &str,
    ) -> Result<Part, ImportError> {
        let is_null = |schema: &&Json| {
            schema.get("type").and_then(Json::as_text) == Some("null")
                || schema.get("const").is_some_and(|value| value.value == Kind::Null)
        };
        let others: Vec<&Json> = any.iter().filter(|schema| !is_null(schema)).collect();
        let part = match others.as_slice() {
            [] => return Err(self.refuse(at, "null is the only alternative".to_owned(), "add one")),
            [only] => self.part(only, name, path)?,
            several if several.iter().all(|schema| is_values(schema)) => {
                let mut values = Vec::new();
                for schema in several {
                    let listed = self.values(schema)?.unwrap_or_default();
                    values.extend(listed.into_iter().map(|(value, _)| (value, title(schema))));
                }
                self.valued(at, &values, name, path)?
            }
            several => {
                // The root is an object: what it references follows it.
                let opened = (referred && !self.draft.messages.is_empty())
                    .then(|| self.draft.open_choice(&mut self.types, &format!("{name}_Choice")));
                if let Some(message) = opened {
                    let mut part = Part::one(DraftType::Message(message));
                    if others.len() < any.len() {
                        part.shape = DraftShape::Optional;
                    }
                    self.draft.messages[message].line = at.line;
                    self.known.insert(at, part);
                }
                let mut alternatives = Vec::new();
                for schema in several {
                    let text = |key: &str| schema.get(key).and_then(Json::as_text);
                    let kind = match (text("title"), text("$ref")) {
                        (Some(title), _) => title.to_owned(),
                        (None, Some(place)) => references::name(place),
                        (None, None) => text("type").unwrap_or("value").to_owned(),
                    };
                    let kind = identifier(kind.rsplit('/').next().unwrap_or_default(), "value");
                    let kind = kind.to_ascii_lowercase();
                    alternatives.push((kind.clone(), self.part(schema, &format!("{name}_{kind}"), path)?));
                }
                let named = format!("{name}_Choice");
                match opened {
                    Some(message) => self.draft.close_choice(message, alternatives, &mut self.types, &named),
                    None => self.draft.choice(alternatives, &mut self.types, &named),
                }
            }
        };
        Ok(self.nullable(part, others.len() < any.len(), path))
    }
}
