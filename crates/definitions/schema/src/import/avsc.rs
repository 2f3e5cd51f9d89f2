//! Imports an Avro schema as a definition (Apache Avro 1.11 specification, "Schema Declaration").
//!
//! Unions with null are optional, other unions oneofs; fixed is bytes of fixed length; logical types keep their
//! underlying type, with an option and a comment; defaults and aliases, which .proto can't express, are comments.
//! The draft states where the Avro codecs' output differs from the schema, because theirs is lowered from the definition.
//!
//! One file because the cases of a schema call each other: a union has records, a record has unions.

use std::collections::HashMap;

use super::draft::{
    BytesText, Draft, DraftEnum, DraftMessage, DraftShape, DraftType, FORMAT, Part, field_number,
};
use super::identifier::{Scope, identifier, type_name};
use super::json::{self, Json, Kind};
use super::{ImportError, with_path};

/// Imports the text of an .avsc file whose top level is a record.
///
/// # Errors
/// When it is not an Avro schema, or contains something that can't be carried.
pub fn import(text: &str, file: &str, payload: &str) -> Result<Draft, ImportError> {
    let schema = json::parse(text, file, 1)?;
    let mut reader = Reader {
        file,
        draft: Draft::default(),
        types: Scope::default(),
        known: HashMap::new(),
        differences: Vec::new(),
        at: String::new(),
    };
    reader.draft.payload = payload.to_owned();
    reader.draft.bytes = BytesText::Characters;
    reader.draft.about = vec![format!("Made from the Avro schema {file}.")];
    if schema.get("type").and_then(Json::as_text) != Some("record") {
        return Err(reader.refuse(
            &schema,
            "the schema's top level is not a record".to_owned(),
            "put a record around it",
        ));
    }
    reader.part(&schema, "", "Message", "")?;
    reader.draft.refuse_endless(file, "make one of the fields in the cycle a union with null")?;
    reader.draft.propose_sequence();
    reader.tell_differences();
    Ok(reader.draft)
}

struct Reader<'a> {
    file: &'a str,
    draft: Draft,
    types: Scope,
    known: HashMap<String, Part>,
    /// Where and how the bytes of the Avro codecs differ from the schema's.
    differences: Vec<String>,
    /// The path being imported, for errors: the record's name and the field's.
    at: String,
}

/// The beginning of a definition's header comment if the Avro codecs don't write what the Avro source specifies.
pub const AVRO_DIFFERS: &str = "The Avro codecs measure another schema than";

/// The most differing places that the comment names.
const PLACES_TOLD: usize = 5;

impl Reader<'_> {
    fn refuse(&self, at: &Json, what: String, remedy: &str) -> ImportError {
        let what = with_path(what, &self.at);
        ImportError::Refused { file: self.file.to_owned(), line: at.line, what, remedy: remedy.to_owned() }
    }

    fn remark(&mut self, part: &mut Part, path: &str, remark: String) {
        self.draft.remarks.push(format!("{}: {remark}", path.trim_start_matches('.')));
        part.comments.push(remark);
    }

    fn tell_differences(&mut self) {
        if self.differences.is_empty() {
            return;
        }
        let all = self.differences.len();
        let mut told = self.differences[..all.min(PLACES_TOLD)].join("; ");
        if all > PLACES_TOLD {
            told.push_str(&format!("; {} more places", all - PLACES_TOLD));
        }
        self.draft.avro = Some(format!(
            "{AVRO_DIFFERS} {}, the one that `wiredyno schema translate {} --to avsc` prints: {told}.",
            self.file, self.draft.payload
        ));
    }

    fn differs(&mut self, path: &str, how: &str) {
        self.differences.push(format!("`{}` is {how}", path.trim_start_matches('.')));
    }

    /// Imports a schema; `name` is for messages that stand for a value.
    fn part(&mut self, schema: &Json, namespace: &str, name: &str, path: &str) -> Result<Part, ImportError> {
        let around = std::mem::replace(&mut self.at, path.to_owned());
        let made = self.part_here(schema, namespace, name, path)?;
        self.at = around;
        Ok(made)
    }

    fn part_here(
        &mut self,
        schema: &Json,
        namespace: &str,
        name: &str,
        path: &str,
    ) -> Result<Part, ImportError> {
        match &schema.value {
            Kind::Text(text) => {
                if text == "null" {
                    self.differs(path, "a null that takes a byte");
                }
                self.named(schema, text, namespace)
            }
            Kind::List(branches) => self.union(branches, namespace, name, path),
            Kind::Object(_) => self.declared(schema, namespace, name, path),
            _ => Err(self.refuse(
                schema,
                format!("{} is not a schema", schema.shortened()),
                "write a type's name",
            )),
        }
    }

    fn named(&self, at: &Json, text: &str, namespace: &str) -> Result<Part, ImportError> {
        let full = full_name(text, namespace);
        let known = self.known.get(&full).or_else(|| self.known.get(text));
        Ok(match (text, known) {
            ("boolean", _) => Part::one(DraftType::Bool),
            ("int", _) => Part::one(DraftType::Int32),
            ("long", _) => Part::one(DraftType::Int64),
            ("float", _) => Part::one(DraftType::Float),
            ("double", _) => Part::one(DraftType::Double),
            ("string", _) => Part::one(DraftType::String),
            ("bytes", _) => Part::one(DraftType::Bytes),
            ("null", _) => nothing(),
            (_, Some(part)) => part.clone(),
            _ => {
                let what = format!("no type is called `{text}` before this place");
                return Err(self.refuse(at, what, "declare it earlier in the file"));
            }
        })
    }

    fn union(
        &mut self,
        branches: &[Json],
        namespace: &str,
        name: &str,
        path: &str,
    ) -> Result<Part, ImportError> {
        let null = |branch: &&Json| branch.as_text() == Some("null");
        let others: Vec<&Json> = branches.iter().filter(|branch| !null(branch)).collect();
        let optional = others.len() < branches.len();
        let mut part = match others.as_slice() {
            [] => return Ok(nothing()),
            [only] => {
                if !optional {
                    self.differs(path, "its only branch instead of a union of one");
                }
                let branch = branch_name(only, namespace);
                Part { branch, ..self.part(only, namespace, name, path)? }
            }
            several => {
                let mut alternatives = Vec::new();
                for branch in several {
                    let kind = match &branch.value {
                        Kind::Text(text) => text.clone(),
                        _ => branch
                            .get("name")
                            .or_else(|| branch.get("type"))
                            .and_then(Json::as_text)
                            .unwrap_or("value")
                            .to_owned(),
                    };
                    let kind =
                        identifier(kind.rsplit('.').next().unwrap_or_default(), "value").to_ascii_lowercase();
                    let called = branch_name(branch, namespace);
                    let part = Part { branch: called, ..self.part(branch, namespace, name, path)? };
                    alternatives.push((kind, part));
                }
                self.differs(path, "a record of optional fields instead of a union");
                self.draft.choice(alternatives, &mut self.types, &format!("{name}_Choice"))
            }
        };
        if optional {
            match part.shape {
                DraftShape::One => part.shape = DraftShape::Optional,
                DraftShape::Optional => {}
                _ => {
                    self.differs(path, "a list or map that is never null");
                    self.remark(&mut part, path, "Null and empty are the same here.".to_owned());
                }
            }
        }
        Ok(part)
    }

    #[expect(
        clippy::too_many_lines,
        reason = "the cases of `type`, all of which get the logical type at the end"
    )]
    fn declared(
        &mut self,
        schema: &Json,
        namespace: &str,
        name: &str,
        path: &str,
    ) -> Result<Part, ImportError> {
        let Some(ty) = schema.get("type") else {
            return Err(self.refuse(schema, "a schema without `type`".to_owned(), "add a `type`"));
        };
        let Some(kind) = ty.as_text() else {
            return self.part(ty, namespace, name, path);
        };
        let inner = |key: &str| {
            schema.get(key).ok_or_else(|| self.refuse(schema, format!("`{kind}` without `{key}`"), "add it"))
        };
        let mut part = match kind {
            "record" | "error" => {
                let fields = inner("fields")?.clone();
                self.record(schema, &fields, namespace)?
            }
            "enum" => self.enumeration(schema, namespace)?,
            "fixed" => {
                let size = match inner("size")?.value {
                    Kind::Number(ref digits) => digits.parse::<u32>().ok(),
                    _ => None,
                };
                let size = size
                    .ok_or_else(|| self.refuse(schema, "`size` is not a number".to_owned(), "write bytes"))?;
                let full = self.full(schema, namespace)?;
                let mut part = Part::one(DraftType::Bytes);
                part.options.push(format!("(wiredyno.fixed_length) = {size}"));
                self.known.insert(full, part.clone());
                self.differs(path, "bytes with a length instead of fixed");
                part
            }
            "array" => {
                let items = inner("items")?.clone();
                let element = self.part(&items, namespace, name, &format!("{path}[]"))?;
                let mut part = self.draft.element(element, &mut self.types, &format!("{name}_Element"));
                elements_keep_their_length(&mut part);
                part.shape = DraftShape::List;
                part
            }
            "map" => {
                let values = inner("values")?.clone();
                let element = self.part(&values, namespace, name, &format!("{path}[*]"))?;
                let mut part = self.draft.element(element, &mut self.types, &format!("{name}_Element"));
                elements_keep_their_length(&mut part);
                part.shape = DraftShape::Map(DraftType::String);
                part
            }
            primitive => self.named(ty, primitive, namespace)?,
        };
        if let Some(logical) = schema.get("logicalType").and_then(Json::as_text) {
            let digits = |key: &str| match schema.get(key).map(|value| &value.value) {
                Some(Kind::Number(digits)) => format!(", {key} {digits}"),
                _ => String::new(),
            };
            let remark = format!("Avro's logical type {logical}{}{}.", digits("precision"), digits("scale"));
            match option_of(logical, schema, &part) {
                Some(option) => {
                    part.options.push(option);
                    part.comments.push(remark);
                }
                None => self.remark(&mut part, path, remark),
            }
        }
        Ok(part)
    }

    fn full(&self, schema: &Json, namespace: &str) -> Result<String, ImportError> {
        let name = schema.get("name").and_then(Json::as_text);
        let name =
            name.ok_or_else(|| self.refuse(schema, "a named type without `name`".to_owned(), "name it"))?;
        Ok(full_name(name, schema.get("namespace").and_then(Json::as_text).unwrap_or(namespace)))
    }

    fn record(&mut self, schema: &Json, fields: &Json, namespace: &str) -> Result<Part, ImportError> {
        let full = self.full(schema, namespace)?;
        let (namespace, short) = full.rsplit_once('.').unwrap_or(("", &full));
        let name = self.types.take(&type_name(short, "Record"));
        let index = self.draft.messages.len();
        self.known.insert(full.clone(), Part::one(DraftType::Message(index)));
        let comments = schema.get("doc").and_then(Json::as_text).map(str::to_owned).into_iter().collect();
        self.draft.messages.push(DraftMessage {
            name: name.clone(),
            comments,
            line: schema.line,
            ..DraftMessage::default()
        });
        let Kind::List(fields) = &fields.value else {
            return Err(self.refuse(fields, "`fields` is not a list".to_owned(), "write [ ... ]"));
        };
        let mut scope = Scope::default();
        let mut made = Vec::new();
        for field in fields {
            let (Some(key), Some(ty)) = (field.get("name").and_then(Json::as_text), field.get("type")) else {
                return Err(self.refuse(field, "a field without `name` or `type`".to_owned(), "add them"));
            };
            let field_name = scope.take(&identifier(key, "field"));
            let path = format!("{name}.{key}");
            let mut part = self.part(ty, namespace, &format!("{name}_{field_name}"), &path)?;
            if let Some(doc) = field.get("doc").and_then(Json::as_text) {
                part.comments.insert(0, doc.to_owned());
            }
            match field.get("default") {
                None | Some(Json { value: Kind::Null, .. }) => {}
                Some(default) => self.remark(&mut part, &path, format!("Default in Avro: {default}.")),
            }
            made.push(part.into_field(field_name, key, field_number(made.len())));
        }
        self.draft.messages[index].fields = made;
        Ok(Part::one(DraftType::Message(index)))
    }

    fn enumeration(&mut self, schema: &Json, namespace: &str) -> Result<Part, ImportError> {
        let full = self.full(schema, namespace)?;
        let name = self.types.take_enum(&type_name(full.rsplit('.').next().unwrap_or_default(), "Enum"));
        let Some(Kind::List(symbols)) = schema.get("symbols").map(|symbols| &symbols.value) else {
            return Err(self.refuse(schema, "an enum without `symbols`".to_owned(), "list them"));
        };
        let mut scope = Scope::default();
        let symbols = symbols.iter().filter_map(Json::as_text).enumerate();
        let values: Vec<_> = symbols
            .map(|(at, symbol)| (scope.take_value(symbol, &name), at as i32, symbol.to_owned()))
            .collect();
        if values.is_empty() {
            return Err(self.refuse(schema, "an enum without `symbols`".to_owned(), "list them"));
        }
        let comments = schema.get("doc").and_then(Json::as_text).map(str::to_owned).into_iter().collect();
        self.draft.enums.push(DraftEnum { name, comments, values, ..DraftEnum::default() });
        let ty = DraftType::Enum(self.draft.enums.len() - 1);
        self.known.insert(full, Part::one(ty));
        Ok(Part::one(ty))
    }
}

/// A union branch's name in Avro's JSON: a named type's full name, else the type's own (specification, "Names" and "JSON Encoding").
fn branch_name(schema: &Json, namespace: &str) -> Option<String> {
    let (text, namespace) = match &schema.value {
        Kind::Text(text) => (text.as_str(), namespace),
        _ => {
            let space = schema.get("namespace").and_then(Json::as_text).unwrap_or(namespace);
            let is_named = matches!(
                schema.get("type").and_then(Json::as_text),
                Some("record" | "error" | "enum" | "fixed")
            );
            (schema.get(if is_named { "name" } else { "type" }).and_then(Json::as_text)?, space)
        }
    };
    const UNNAMED: [&str; 10] =
        ["null", "boolean", "int", "long", "float", "double", "bytes", "string", "array", "map"];
    Some(if UNNAMED.contains(&text) { text.to_owned() } else { full_name(text, namespace) })
}

/// The option for a logical type; `None` if there is none.
fn option_of(logical: &str, schema: &Json, part: &Part) -> Option<String> {
    let number = |key: &str| match schema.get(key).map(|value| &value.value) {
        Some(Kind::Number(digits)) => digits.parse::<u32>().ok(),
        _ => None,
    };
    let format = logical.strip_prefix("local-").unwrap_or(logical);
    match (format, part.ty) {
        _ if part.shape != DraftShape::One => None,
        ("decimal", DraftType::Bytes) => {
            let (precision, scale) = (number("precision")?, number("scale").unwrap_or(0));
            Some(format!("(wiredyno.decimal) = {{ precision: {precision}, scale: {scale} }}"))
        }
        ("uuid", DraftType::String)
        | ("date" | "time-millis", DraftType::Int32)
        | ("time-micros" | "timestamp-millis" | "timestamp-micros", DraftType::Int64) => {
            Some(format!("{FORMAT} = \"{format}\""))
        }
        _ => None,
    }
}

/// Moves a fixed length from the options to the invented values: it is the elements' length, not the list's.
fn elements_keep_their_length(part: &mut Part) {
    let length = |option: &String| option.strip_prefix("(wiredyno.fixed_length) = ")?.parse::<u32>().ok();
    if let Some(length) = part.options.iter().find_map(length) {
        part.invented.length = (Some(length), Some(length));
        part.options.retain(|option| !option.starts_with("(wiredyno.fixed_length)"));
    }
}

fn nothing() -> Part {
    let mut part = Part::one(DraftType::String).saying("Always null.".to_owned());
    part.shape = DraftShape::Optional;
    part
}

fn full_name(name: &str, namespace: &str) -> String {
    match name.contains('.') || namespace.is_empty() {
        true => name.to_owned(),
        false => format!("{namespace}.{name}"),
    }
}
