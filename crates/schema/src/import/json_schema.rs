//! A definition from a JSON Schema (draft 2020-12, its common part).
//!
//! Carried: `type`, `properties`, `required`, `items`, `additionalProperties` with a schema (a map), `$ref` to `$defs`,
//! `definitions` or the root, `allOf` (written as one schema), `enum` of texts, `oneOf`/`anyOf` (a oneof; with null: optional),
//! integer bounds (a range), list lengths, formats of texts, `contentEncoding: base64` (bytes). Constraints beyond that become
//! comments. What would change the values' shape and can't be carried (`patternProperties`, tuples) is refused with its line.

use std::collections::HashMap;

use super::draft::{
    Draft, DraftEnum, DraftMessage, DraftShape, DraftType, FORMAT, FORMATS, Part, field_number, integer,
    narrowest,
};
use super::identifier::{Scope, identifier, type_name};
use super::json::{self, Json, Kind};
use super::{ImportError, all_of};

/// Keywords that say something about values which comments keep.
const REMARKS: [&str; 19] = [
    "const",
    "default",
    "multipleOf",
    "pattern",
    "format",
    "minLength",
    "maxLength",
    "minItems",
    "uniqueItems",
    "contains",
    "minProperties",
    "maxProperties",
    "propertyNames",
    "dependentRequired",
    "dependentSchemas",
    "not",
    "if",
    "then",
    "else",
];

/// Keywords that change the shape of values in ways that a definition can't follow.
const REFUSED: [&str; 6] = [
    "patternProperties",
    "prefixItems",
    "unevaluatedProperties",
    "unevaluatedItems",
    "$dynamicRef",
    "additionalItems",
];

/// References from one to the next are followed so far.
const MAX_REFERENCES: usize = 100;

/// Reads the text of a JSON Schema whose top is an object.
///
/// # Errors
/// When it is no JSON Schema, or holds what can't be carried.
pub fn import(text: &str, file: &str, payload: &str) -> Result<Draft, ImportError> {
    let schema = all_of::merged(&json::parse(text, file, 1)?, file, &REMARKS)?;
    let mut reader = Reader {
        file,
        top: &schema,
        draft: Draft::default(),
        types: Scope::default(),
        known: HashMap::new(),
        following: Vec::new(),
    };
    reader.draft.payload = payload.to_owned();
    reader.draft.about = vec![format!("Made from the JSON Schema {file}.")];
    let name = type_name(payload, "Message");
    let part = reader.reference(&schema, "#", &name, "")?;
    if part.ty != DraftType::Message(0) || part.shape != DraftShape::One {
        let what = "the schema's top level is not an object with properties".to_owned();
        return Err(reader.refuse(&schema, what, "put an object around it"));
    }
    reader.draft.refuse_endless(file, "remove one of the keys in the cycle from `required`")?;
    reader.draft.propose_sequence();
    Ok(reader.draft)
}

struct Reader<'a> {
    file: &'a str,
    top: &'a Json,
    draft: Draft,
    types: Scope,
    /// Messages by the reference that names them.
    known: HashMap<String, DraftType>,
    /// The references that are being followed.
    following: Vec<String>,
}

impl<'a> Reader<'a> {
    fn refuse(&self, at: &Json, what: String, remedy: &str) -> ImportError {
        ImportError::Refused { file: self.file.to_owned(), line: at.line, what, remedy: remedy.to_owned() }
    }

    fn remark(&mut self, part: &mut Part, path: &str, remark: String) {
        self.draft.remarks.push(format!("{}: {remark}", path.trim_start_matches('.')));
        part.comments.push(remark);
    }

    /// What the schema under a reference becomes; objects become one message however often they are referred to.
    fn reference(
        &mut self,
        schema: &'a Json,
        place: &str,
        name: &str,
        path: &str,
    ) -> Result<Part, ImportError> {
        if let Some(ty) = self.known.get(place) {
            return Ok(Part::one(*ty));
        }
        if schema.get("properties").is_some() {
            return self.object(schema, Some(place), name, path);
        }
        self.part(schema, name, path)
    }

    fn follow(&mut self, at: &'a Json, place: &str, path: &str) -> Result<Part, ImportError> {
        let Some(found) = all_of::found(self.top, place) else {
            let what = format!("`$ref` to {place}, which is not in this file");
            return Err(self.refuse(at, what, "bring the definitions into one file"));
        };
        // References that meet no message on their way would never end; long chains would cost stack.
        if self.following.iter().any(|known| known == place) && !self.known.contains_key(place) {
            return Err(self.refuse(
                at,
                format!("`$ref` to {place} leads in a circle"),
                "put an object in between",
            ));
        }
        if self.following.len() == MAX_REFERENCES {
            let what = format!("more than {MAX_REFERENCES} references lead from one to the next");
            return Err(self.refuse(at, what, "write some of them inline"));
        }
        let name = place.rsplit('/').next().filter(|name| *name != "#").unwrap_or("Root");
        self.following.push(place.to_owned());
        let part = self.reference(found, place, name, &format!("{path}.{name}"));
        self.following.pop();
        part
    }

    fn part(&mut self, schema: &'a Json, name: &str, path: &str) -> Result<Part, ImportError> {
        let Kind::Object(pairs) = &schema.value else {
            let what = format!("the schema {} says nothing about the type", schema.shortened());
            return Err(self.refuse(schema, what, "write {\"type\": ...}"));
        };
        if let Some((keyword, value)) = pairs.iter().find(|(key, _)| REFUSED.contains(&key.as_str())) {
            let remedy = "give the values one shape: properties, items or additionalProperties";
            return Err(self.refuse(
                value,
                format!("`{keyword}` has no counterpart in a message definition"),
                remedy,
            ));
        }
        let mut part = self.shape(schema, name, path)?;
        let is_carried = |key: &str| key == "format" && part.options.iter().any(|it| it.starts_with(FORMAT));
        let remarks = pairs.iter().filter(|(key, _)| REMARKS.contains(&key.as_str()) && !is_carried(key));
        for (keyword, value) in remarks.collect::<Vec<_>>() {
            self.remark(&mut part, path, format!("JSON Schema says {keyword}: {value}."));
        }
        if let Some(about) = schema.get("description").or_else(|| schema.get("title")).and_then(Json::as_text)
        {
            part.comments.insert(0, about.to_owned());
        }
        Ok(part)
    }

    fn shape(&mut self, schema: &'a Json, name: &str, path: &str) -> Result<Part, ImportError> {
        if let Some(place) = schema.get("$ref").and_then(Json::as_text) {
            return self.follow(schema, place, path);
        }
        if let Some(Kind::List(any)) =
            schema.get("oneOf").or_else(|| schema.get("anyOf")).map(|any| &any.value)
        {
            return self.any_of(schema, any, name, path);
        }
        if let Some(list) = schema.get("enum") {
            return self.enumeration(list, name);
        }
        let Some(ty) = schema.get("type") else {
            if schema.get("properties").is_some() {
                return self.object(schema, None, name, path);
            }
            let what = "a schema without `type` allows any value".to_owned();
            return Err(self.refuse(schema, what, "say which type it is"));
        };
        match &ty.value {
            Kind::Text(one) => self.typed(schema, one, name, path),
            Kind::List(several) => {
                let kinds: Vec<&str> = several.iter().filter_map(Json::as_text).collect();
                let others: Vec<&str> = kinds.iter().copied().filter(|kind| *kind != "null").collect();
                let part = match others.as_slice() {
                    [] => self.typed(schema, "null", name, path)?,
                    [only] => self.typed(schema, only, name, path)?,
                    _ => {
                        let mut alternatives = Vec::new();
                        for kind in &others {
                            alternatives.push(((*kind).to_owned(), self.typed(schema, kind, name, path)?));
                        }
                        self.draft.choice(alternatives, &mut self.types, &format!("{name}_Choice"))
                    }
                };
                Ok(self.nullable(part, others.len() < kinds.len(), path))
            }
            _ => Err(self.refuse(ty, "`type` is neither a text nor a list".to_owned(), "name a type")),
        }
    }

    fn nullable(&mut self, mut part: Part, nullable: bool, path: &str) -> Part {
        match part.shape {
            DraftShape::One if nullable => part.shape = DraftShape::Optional,
            DraftShape::List | DraftShape::Map(_) if nullable => {
                self.remark(&mut part, path, "Null and empty are the same here.".to_owned());
            }
            _ => {}
        }
        part
    }

    fn any_of(&mut self, at: &'a Json, any: &'a [Json], name: &str, path: &str) -> Result<Part, ImportError> {
        let is_null = |schema: &&Json| schema.get("type").and_then(Json::as_text) == Some("null");
        let others: Vec<&Json> = any.iter().filter(|schema| !is_null(schema)).collect();
        let part = match others.as_slice() {
            [] => return Err(self.refuse(at, "null is the only alternative".to_owned(), "add one")),
            [only] => self.part(only, name, path)?,
            several => {
                let mut alternatives = Vec::new();
                for schema in several {
                    let kind = schema
                        .get("title")
                        .or_else(|| schema.get("$ref"))
                        .or_else(|| schema.get("type"))
                        .and_then(Json::as_text)
                        .unwrap_or("value");
                    let kind =
                        identifier(kind.rsplit('/').next().unwrap_or_default(), "value").to_ascii_lowercase();
                    alternatives.push((kind.clone(), self.part(schema, &format!("{name}_{kind}"), path)?));
                }
                self.draft.choice(alternatives, &mut self.types, &format!("{name}_Choice"))
            }
        };
        Ok(self.nullable(part, others.len() < any.len(), path))
    }

    fn typed(&mut self, schema: &'a Json, ty: &str, name: &str, path: &str) -> Result<Part, ImportError> {
        Ok(match ty {
            "boolean" => Part::one(DraftType::Bool),
            "number" => {
                let mut part = Part::one(DraftType::Double);
                for keyword in ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"] {
                    if let Some(value) = schema.get(keyword) {
                        self.remark(&mut part, path, format!("JSON Schema says {keyword}: {value}."));
                    }
                }
                part
            }
            "integer" => self.whole(schema, path)?,
            "string" if schema.get("contentEncoding").and_then(Json::as_text) == Some("base64") => {
                Part::one(DraftType::Bytes)
            }
            "string" => {
                let mut part = Part::one(DraftType::String);
                let format = schema.get("format").and_then(Json::as_text).filter(|it| FORMATS.contains(it));
                part.options.extend(format.map(|format| format!("{FORMAT} = \"{format}\"")));
                part
            }
            "null" => {
                let mut part = Part::one(DraftType::String).saying("Always null.".to_owned());
                part.shape = DraftShape::Optional;
                part
            }
            "array" => self.list(schema, name, path)?,
            "object" => self.object(schema, None, name, path)?,
            other => {
                let what = format!("`{other}` is not a type of JSON Schema");
                return Err(self.refuse(
                    schema,
                    what,
                    "use null, boolean, object, array, number, integer or string",
                ));
            }
        })
    }

    /// An integer with the narrowest type of its bounds.
    fn whole(&self, schema: &Json, path: &str) -> Result<Part, ImportError> {
        let bound = |keyword: &str, shift: i128| -> Result<Option<i128>, ImportError> {
            match schema.get(keyword) {
                None => Ok(None),
                Some(Json { value: Kind::Number(digits), .. }) if integer(digits).is_some() => {
                    Ok(integer(digits).map(|number| number + shift))
                }
                Some(other) => {
                    let what = format!("`{keyword}` of `{}` is not an integer", path.trim_start_matches('.'));
                    Err(self.refuse(other, what, "write digits only"))
                }
            }
        };
        let low = bound("minimum", 0)?.max(bound("exclusiveMinimum", 1)?);
        let high = match (bound("maximum", 0)?, bound("exclusiveMaximum", -1)?) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        let signed = (i128::from(i64::MIN), i128::from(i64::MAX));
        let (least, most) = (low.unwrap_or(signed.0), high.unwrap_or(signed.1));
        let ty = narrowest(least, most).filter(|_| least <= most).ok_or_else(|| {
            let what = format!("{least} to {most} is not a range of 64-bit integers");
            self.refuse(schema, what, "narrow the bounds")
        })?;
        let mut part = Part::one(ty);
        if let (Some(_), Some(_), Ok(least), Ok(most)) =
            (low, high, i64::try_from(least), i64::try_from(most))
        {
            part.options.push(format!("(wiredyno.range) = {{ min: {least}, max: {most} }}"));
        } else if low.is_some() || high.is_some() {
            let text = |bound: Option<i128>| bound.map_or("no end".to_owned(), |bound| bound.to_string());
            part.comments.push(format!("From {} to {}.", text(low), text(high)));
        }
        Ok(part)
    }

    fn list(&mut self, schema: &'a Json, name: &str, path: &str) -> Result<Part, ImportError> {
        let Some(items) = schema.get("items") else {
            return Err(self.refuse(schema, "an array without `items`".to_owned(), "say what it holds"));
        };
        let element = self.part(items, &format!("{name}_Item"), &format!("{path}[]"))?;
        let mut part = self.draft.element(element, &mut self.types, &format!("{name}_Element"));
        let options = std::mem::take(&mut part.options).into_iter();
        let (kept, options): (Vec<String>, Vec<String>) = options.partition(|it| it.starts_with(FORMAT));
        part.options = kept;
        if !options.is_empty() {
            let options = options.join(", ");
            self.remark(&mut part, path, format!("Each element: {options}."));
        }
        let count = |keyword: &str| match schema.get(keyword).map(|value| &value.value) {
            Some(Kind::Number(digits)) => digits.parse::<u32>().ok(),
            _ => None,
        };
        match (count("minItems"), count("maxItems")) {
            (Some(least), Some(most)) if least == most && most > 0 => {
                part.options.push(format!("(wiredyno.fixed_length) = {most}"));
            }
            (_, Some(most)) => part.options.push(format!("(wiredyno.max_length) = {most}")),
            _ => {}
        }
        part.shape = DraftShape::List;
        Ok(part)
    }

    fn object(
        &mut self,
        schema: &'a Json,
        place: Option<&str>,
        name: &str,
        path: &str,
    ) -> Result<Part, ImportError> {
        let properties = match schema.get("properties").map(|properties| &properties.value) {
            Some(Kind::Object(pairs)) => pairs.as_slice(),
            _ => &[],
        };
        let further = schema.get("additionalProperties").filter(|more| matches!(more.value, Kind::Object(_)));
        if let (Some(values), true) = (further, properties.is_empty()) {
            let element = self.part(values, &format!("{name}_Value"), &format!("{path}[*]"))?;
            let mut part = self.draft.element(element, &mut self.types, &format!("{name}_Element"));
            part.options.clear();
            part.shape = DraftShape::Map(DraftType::String);
            return Ok(part);
        }
        if let Some(values) = further {
            let what = "both `properties` and a schema for additional ones".to_owned();
            return Err(self.refuse(values, what, "put the additional ones into a separate object"));
        }
        let index = self.draft.messages.len();
        let message = self.types.take(&type_name(name, "Object"));
        self.draft.messages.push(DraftMessage {
            name: message.clone(),
            line: schema.line,
            ..DraftMessage::default()
        });
        if let Some(place) = place {
            self.known.insert(place.to_owned(), DraftType::Message(index));
        }
        let required: Vec<&str> = match schema.get("required").map(|required| &required.value) {
            Some(Kind::List(names)) => names.iter().filter_map(Json::as_text).collect(),
            _ => Vec::new(),
        };
        let mut scope = Scope::default();
        let mut fields = Vec::new();
        for (key, property) in properties {
            let field = scope.take(&identifier(key, "field"));
            let path = format!("{path}.{key}");
            let mut part = self.part(property, &format!("{message}_{field}"), &path)?;
            if !required.contains(&key.as_str()) && part.shape == DraftShape::One {
                part.shape = DraftShape::Optional;
            }
            if field != *key {
                part.comments.push(format!("The key is {key:?} in documents."));
            }
            fields.push(part.into_field(field, key, field_number(fields.len())));
        }
        self.draft.messages[index].fields = fields;
        if !matches!(schema.get("additionalProperties").map(|more| &more.value), Some(Kind::Bool(false))) {
            let remark = "Additional keys, which the JSON Schema allows, are refused here.".to_owned();
            self.draft.remarks.push(format!("{message}: {remark}"));
            self.draft.messages[index].comments.push(remark);
        }
        Ok(Part::one(DraftType::Message(index)))
    }

    fn enumeration(&mut self, list: &Json, name: &str) -> Result<Part, ImportError> {
        let Kind::List(values) = &list.value else {
            return Err(self.refuse(list, "`enum` is not a list".to_owned(), "list the values"));
        };
        let nullable = values.iter().any(|value| value.value == Kind::Null);
        let name = self.types.take_enum(&type_name(name, "Enum"));
        let mut scope = Scope::default();
        let mut symbols = Vec::new();
        for value in values.iter().filter(|value| value.value != Kind::Null) {
            let Some(text) = value.as_text() else {
                let what = format!("`enum` contains {}, which is not a text", value.shortened());
                return Err(self.refuse(value, what, "write `type` and bounds for numbers"));
            };
            symbols.push((scope.take_value(text, &name), symbols.len() as i32, text.to_owned()));
        }
        if symbols.is_empty() {
            return Err(self.refuse(list, "an `enum` without texts".to_owned(), "list the values"));
        }
        self.draft.enums.push(DraftEnum { name, comments: Vec::new(), values: symbols });
        let mut part = Part::one(DraftType::Enum(self.draft.enums.len() - 1));
        if nullable {
            part.shape = DraftShape::Optional;
        }
        Ok(part)
    }
}
