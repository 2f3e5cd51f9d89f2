//! Imports a JSON Schema as a definition (draft 2020-12, its common part).
//!
//! Carried: `type`, `properties`, `required`, `items`, `additionalProperties` with a schema (a map), `$ref` within the
//! file, `allOf` (merged into one schema), `enum` and `const`, `oneOf`/`anyOf` (a oneof; with null: optional), integer bounds (a
//! range), list lengths, string formats, `contentEncoding: base64` (bytes). Other constraints become comments. Keywords that
//! change the values' shape and can't be carried (tuples) are refused with their line, at every level alike.
//!
//! One file because the cases of a schema call each other: an object has lists, a list has objects.

mod keywords;
mod shapes;
mod values;

use std::collections::HashMap;

use self::keywords::{
    Value, bounds, count, double, is_of_type, is_values, number, pattern, says_shape, title, within_64_bits,
};
use super::draft::{
    Allowed, Draft, DraftMessage, DraftShape, DraftType, FORMAT, FORMATS, Part, field_number, narrowest,
    whole_number,
};
use super::identifier::{Scope, identifier, type_name};
use super::json::{self, Json, Kind};
use super::{ImportError, all_of, references, with_path};

/// Keywords that constrain values and are kept as comments.
const REMARKS: [&str; 19] = [
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
    "dependencies",
    "not",
    "if",
    "then",
    "else",
];

/// Keywords that change the shape of values in ways that a definition can't express.
const REFUSED: [&str; 5] = ["patternProperties", "prefixItems", "$dynamicRef", "$recursiveRef", "extends"];

/// The same if their value is a schema: true and false don't change a definition's shapes.
const REFUSED_SCHEMAS: [&str; 2] = ["unevaluatedProperties", "unevaluatedItems"];

/// Keywords that determine the shape of a value.
const SHAPES: [&str; 10] = [
    "type",
    "$ref",
    "properties",
    "items",
    "enum",
    "const",
    "oneOf",
    "anyOf",
    "additionalProperties",
    "patternProperties",
];

/// The longest chain of references that is followed.
const MAX_REFERENCES: usize = 100;

/// Imports the text of a JSON Schema whose top level is an object.
///
/// # Errors
/// When it is not a JSON Schema, or contains something that can't be carried.
pub fn import(text: &str, file: &str, payload: &str) -> Result<Draft, ImportError> {
    let read = json::parse(text.strip_prefix('\u{feff}').unwrap_or(text), file, 1)?;
    if let Some(schema) = references::starts_anew(&read) {
        return Err(ImportError::Refused {
            file: file.to_owned(),
            line: schema.line,
            what: "a schema with an `$id` of its own refers to places in itself".to_owned(),
            remedy: "leave out its `$id`, and write its references from the top of the file".to_owned(),
        });
    }
    let schema = all_of::merged(&read, file, &REMARKS)?;
    let mut reader = Reader {
        file,
        top: &schema,
        draft: Draft::default(),
        types: Scope::default(),
        known: HashMap::new(),
        following: Vec::new(),
        at: String::new(),
    };
    reader.draft.payload = payload.to_owned();
    reader.draft.about = vec![format!("Made from the JSON Schema {file}.")];
    let name = type_name(payload, "Message");
    let part = reader.reference(&schema, &name, "")?;
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
    /// The parts imported from referenced schemas.
    known: HashMap<*const Json, Part>,
    /// The references being followed.
    following: Vec<*const Json>,
    /// The path being imported, for errors.
    at: String,
}

impl<'a> Reader<'a> {
    fn refuse(&self, at: &Json, what: String, remedy: &str) -> ImportError {
        let what = with_path(what, &self.at);
        ImportError::Refused { file: self.file.to_owned(), line: at.line, what, remedy: remedy.to_owned() }
    }

    fn remark(&mut self, part: &mut Part, path: &str, remark: String) {
        self.draft.remarks.push(format!("{}: {remark}", path.trim_start_matches('.')));
        part.comments.push(remark);
    }

    /// The part imported from a referenced schema: one message, however often it is referenced.
    fn reference(&mut self, schema: &'a Json, name: &str, path: &str) -> Result<Part, ImportError> {
        if let Some(part) = self.known.get(&std::ptr::from_ref(schema)) {
            return Ok(part.clone());
        }
        let part = self.placed(schema, true, name, path)?;
        self.known.insert(schema, part.clone());
        Ok(part)
    }

    fn follow(&mut self, at: &'a Json, place: &str, path: &str) -> Result<Part, ImportError> {
        let Some(found) = references::found(self.top, place) else {
            let what = format!("`$ref` to {place}, which is not in this file");
            return Err(self.refuse(at, what, "put all definitions into one file"));
        };
        // A cycle of references without a message in it would never end; a long chain would exhaust the stack.
        let address = std::ptr::from_ref(found);
        if self.following.contains(&address) && !self.known.contains_key(&address) {
            return Err(self.refuse(
                at,
                format!("`$ref` to {place} is circular"),
                "put an object in between",
            ));
        }
        if self.following.len() == MAX_REFERENCES {
            let what = format!("a chain of more than {MAX_REFERENCES} references");
            return Err(self.refuse(at, what, "write some of them inline"));
        }
        let name = references::name(place);
        self.following.push(address);
        let part = self.reference(found, &name, &format!("{path}.{name}"));
        self.following.pop();
        part
    }

    fn part(&mut self, schema: &'a Json, name: &str, path: &str) -> Result<Part, ImportError> {
        self.placed(schema, false, name, path)
    }

    /// `referred`: other schemas may reference it, as one message.
    fn placed(
        &mut self,
        schema: &'a Json,
        referred: bool,
        name: &str,
        path: &str,
    ) -> Result<Part, ImportError> {
        let around = std::mem::replace(&mut self.at, path.to_owned());
        let made = self.placed_here(schema, referred, name, path)?;
        self.at = around;
        Ok(made)
    }

    fn placed_here(
        &mut self,
        schema: &'a Json,
        referred: bool,
        name: &str,
        path: &str,
    ) -> Result<Part, ImportError> {
        let Kind::Object(pairs) = &schema.value else {
            let what = format!("the schema {} says nothing about the type", schema.shortened());
            return Err(self.refuse(schema, what, "write {\"type\": ...}"));
        };
        self.refuse_shapes(schema, pairs)?;
        let mut part = self.shape(schema, referred, name, path)?;
        let is_carried = |key: &str| key == "format" && part.options.iter().any(|it| it.starts_with(FORMAT));
        let remarks = pairs.iter().filter(|(key, _)| REMARKS.contains(&key.as_str()) && !is_carried(key));
        for (keyword, value) in remarks.collect::<Vec<_>>() {
            self.remark(&mut part, path, format!("JSON Schema says {keyword}: {value}."));
        }
        if let Some(about) = schema.get("description").or_else(|| schema.get("title")).and_then(Json::as_text)
        {
            part.comments.insert(0, about.to_owned());
        }
        // A keyword of OpenAPI 3.0.
        let nullable = schema.get("nullable").is_some_and(|json| json.value == Kind::Bool(true));
        Ok(self.nullable(part, nullable, path))
    }

    /// Refuses keywords that give values a shape that a definition can't express.
    fn refuse_shapes(&self, schema: &Json, pairs: &[(String, Json)]) -> Result<(), ImportError> {
        let is_refused = |(key, value): &&(String, Json)| match &value.value {
            Kind::Object(inner) if key == "patternProperties" => {
                !inner.is_empty() && pattern(schema).is_none()
            }
            Kind::Object(_) if REFUSED_SCHEMAS.contains(&key.as_str()) => true,
            _ => REFUSED.contains(&key.as_str()),
        };
        let Some((keyword, value)) = pairs.iter().find(is_refused) else { return Ok(()) };
        let remedy = "give the values one shape: properties, items or additionalProperties";
        Err(self.refuse(value, format!("`{keyword}` has no counterpart in a message definition"), remedy))
    }

    fn shape(
        &mut self,
        schema: &'a Json,
        referred: bool,
        name: &str,
        path: &str,
    ) -> Result<Part, ImportError> {
        if let Some(place) = schema.get("$ref").and_then(Json::as_text) {
            let part = self.follow(schema, place, path)?;
            return match schema.get("type").and_then(Json::as_text) {
                Some(ty) if !is_of_type(&part, ty) => {
                    let what = format!("`type` beside `$ref` to {place}, which is not of type {ty}");
                    Err(self.refuse(schema, what, "leave out one of them"))
                }
                _ => Ok(part),
            };
        }
        let constraints = match self.alternatives(schema)? {
            Some((_, any)) if any.iter().any(says_shape) => {
                return self.any_of(schema, any, referred, name, path);
            }
            Some((keyword, any)) if !any.is_empty() => Some(keyword),
            _ => None,
        };
        let mut part = self.plain(schema, referred, name, path)?;
        // Alternatives without a shape only constrain values.
        if let Some((keyword, value)) = constraints.and_then(|keyword| Some((keyword, schema.get(keyword)?)))
        {
            self.remark(&mut part, path, format!("JSON Schema says {keyword}: {value}."));
        }
        Ok(part)
    }

    /// A schema without references and alternatives.
    fn plain(
        &mut self,
        schema: &'a Json,
        referred: bool,
        name: &str,
        path: &str,
    ) -> Result<Part, ImportError> {
        if let Some(values) = self.values(schema)? {
            return self.valued(schema, &values, name, path);
        }
        let Some(ty) = schema.get("type") else {
            if ["properties", "patternProperties", "additionalProperties"]
                .iter()
                .any(|key| schema.get(key).is_some())
            {
                return self.object(schema, referred, name, path);
            }
            if schema.get("items").is_some() {
                return self.list(schema, name, path);
            }
            let what = "a schema without `type` allows any value".to_owned();
            return Err(self.refuse(schema, what, "add a `type`"));
        };
        match &ty.value {
            Kind::Text(one) if one == "object" => self.object(schema, referred, name, path),
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

    fn typed(&mut self, schema: &'a Json, ty: &str, name: &str, path: &str) -> Result<Part, ImportError> {
        Ok(match ty {
            "boolean" => Part::one(DraftType::Bool),
            "number" => {
                let mut part = Part::one(DraftType::Double);
                (part.invented.min, part.invented.max) = bounds(schema);
                part.invented.multiple_of = number(schema, "multipleOf");
                for keyword in ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"] {
                    if let Some(value) = schema.get(keyword) {
                        self.remark(&mut part, path, format!("JSON Schema says {keyword}: {value}."));
                    }
                }
                part
            }
            "integer" => {
                let mut part = self.whole(schema, path)?;
                part.invented.multiple_of = number(schema, "multipleOf");
                part
            }
            "string" if schema.get("contentEncoding").and_then(Json::as_text) == Some("base64") => {
                Part::one(DraftType::Bytes)
            }
            "string" => {
                let mut part = Part::one(DraftType::String);
                let format = schema.get("format").and_then(Json::as_text).filter(|it| FORMATS.contains(it));
                part.options.extend(format.map(|format| format!("{FORMAT} = \"{format}\"")));
                part.invented.length = (count(schema, "minLength"), count(schema, "maxLength"));
                part.invented.pattern = schema
                    .get("pattern")
                    .and_then(Json::as_text)
                    .filter(|_| format.is_none())
                    .map(str::to_owned);
                part
            }
            "null" => {
                let mut part = Part::one(DraftType::String).saying("Always null.".to_owned());
                part.shape = DraftShape::Optional;
                part
            }
            "array" => self.list(schema, name, path)?,
            "object" => self.object(schema, false, name, path)?,
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

    /// An integer, with the narrowest type for its bounds.
    fn whole(&self, schema: &Json, path: &str) -> Result<Part, ImportError> {
        let bound = |keyword: &str, shift: i128| -> Result<Option<i128>, ImportError> {
            match schema.get(keyword) {
                // A boolean is draft 4's keyword, which qualifies `minimum` or `maximum`.
                None | Some(Json { value: Kind::Bool(_), .. }) => Ok(None),
                Some(Json { value: Kind::Number(digits), .. }) if whole_number(digits).is_some() => {
                    Ok(whole_number(digits).map(|number| within_64_bits(number + shift, number)))
                }
                Some(other) => {
                    let what = format!("`{keyword}` of `{}` is not an integer", path.trim_start_matches('.'));
                    Err(self.refuse(other, what, "write an integer"))
                }
            }
        };
        let is_open =
            |keyword: &str| schema.get(keyword).is_some_and(|it| matches!(it.value, Kind::Bool(true)));
        let low =
            bound("minimum", i128::from(is_open("exclusiveMinimum")))?.max(bound("exclusiveMinimum", 1)?);
        let high = match (
            bound("maximum", -i128::from(is_open("exclusiveMaximum")))?,
            bound("exclusiveMaximum", -1)?,
        ) {
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
        part.allowed = Allowed { least: low, most: high, values: Vec::new() };
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
        if let Kind::List(_) = items.value {
            let what = "`items` as a list gives each place a type of its own".to_owned();
            return Err(self.refuse(items, what, "write an object with a key for each place"));
        }
        let element = self.part(items, &format!("{name}_Item"), &format!("{path}[]"))?;
        let mut part = self.draft.element(element, &mut self.types, &format!("{name}_Element"));
        let options = std::mem::take(&mut part.options).into_iter();
        let (kept, options): (Vec<String>, Vec<String>) = options.partition(|it| it.starts_with(FORMAT));
        part.options = kept;
        if !options.is_empty() {
            let options = options.join(", ");
            self.remark(&mut part, path, format!("Each element: {options}."));
        }
        let (least, most) = (count(schema, "minItems"), count(schema, "maxItems"));
        match (least, most) {
            (Some(least), Some(most)) if least == most && most > 0 => {
                part.options.push(format!("(wiredyno.fixed_length) = {most}"));
            }
            (_, Some(most)) => part.options.push(format!("(wiredyno.max_length) = {most}")),
            _ => {}
        }
        part.invented.count = (least.filter(|least| *least > 0), None);
        part.shape = DraftShape::List;
        Ok(part)
    }

    #[expect(
        clippy::too_many_lines,
        reason = "it decides in order whether an object is a map, is refused, or becomes a message"
    )]
    fn object(
        &mut self,
        schema: &'a Json,
        referred: bool,
        name: &str,
        path: &str,
    ) -> Result<Part, ImportError> {
        let properties = match schema.get("properties").map(|properties| &properties.value) {
            Some(Kind::Object(pairs)) => pairs.as_slice(),
            _ => &[],
        };
        let further = schema.get("additionalProperties").filter(|more| matches!(more.value, Kind::Object(_)));
        let pattern = pattern(schema);
        let values = further.or(pattern.map(|(_, values)| values));
        if let (Some(values), true) = (values, properties.is_empty()) {
            let element = self.part(values, &format!("{name}_Value"), &format!("{path}[*]"))?;
            let mut part = self.draft.element(element, &mut self.types, &format!("{name}_Element"));
            part.options.clear();
            part.shape = DraftShape::Map(DraftType::String);
            part.invented.count =
                (count(schema, "minProperties").filter(|least| *least > 0), count(schema, "maxProperties"));
            if let Some((keys, _)) = pattern {
                self.remark(&mut part, path, format!("JSON Schema says of its keys: {keys}."));
            }
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
        let made = Part::one(DraftType::Message(index));
        if referred {
            self.known.insert(schema, made.clone());
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
        if let Some(unknown) = required.iter().find(|name| properties.iter().all(|(key, _)| key != *name)) {
            let remark = format!("`{unknown}` is required but not declared: it is refused here.");
            self.draft.remarks.push(format!("{message}: {remark}"));
            self.draft.messages[index].comments.push(remark);
        }
        Ok(made)
    }
}
