//! Converts further documents for a payload that `wiredyno new` created, in the way it did then.
//!
//! The payload's source is not kept, but its message.proto has all that is needed: comments state keys and symbols that have other names,
//! options mark messages that stand for values and well-known types, and the first line names the kind of source. Limits: a
//! `json_name` of a .proto file is lost; so are the namespaces of Avro's records, which Avro's JSON writes around values of unions;
//! values that the source forbids but the definition allows are accepted.

use std::collections::HashMap;

use prost_reflect::prost::Message as _;
use prost_reflect::{DescriptorPool, DynamicMessage, Kind, MessageDescriptor};
use prost_types::field_descriptor_proto::Type as ProtoType;
use prost_types::{DescriptorProto, FileDescriptorSet};

use super::draft::{
    Allowed, BytesText, Draft, DraftEnum, DraftField, DraftMessage, DraftShape, DraftType, StandsFor,
};
use super::{infer, json, proto};
use crate::model::{Cardinality, Definition, Field, Invented, Message, Type, WellKnown};
use crate::{read_value, write_value};

/// Converts documents to samples of an existing payload.
pub struct Again {
    definition: Definition,
    reads: Reads,
}

enum Reads {
    /// Proto3's JSON mapping of the message as it was before well-known types became messages of the payload.
    Mapping(MessageDescriptor),
    /// Ordinary documents; the flag says whether a document that is not an object is wrapped in one.
    Documents(Box<Draft>, bool),
}

impl Again {
    /// From a payload's definition and its text; `None` if the text does not say that `wiredyno new` created it.
    pub fn of(definition: &Definition, text: &str) -> Option<Again> {
        let first = text.lines().next()?;
        let is_from = |what: &str| first.starts_with(&format!("// Made from {what}"));
        let reads = if is_from("the message ") {
            Reads::Mapping(mapping(definition)?)
        } else if is_from("the JSON Schema ") || is_from("the Avro schema ") {
            Reads::Documents(Box::new(draft(definition, text, is_from("the Avro schema "))), false)
        } else if first.starts_with("// Inferred from ") {
            Reads::Documents(Box::new(draft(definition, text, false)), true)
        } else {
            return None;
        };
        Some(Again { definition: definition.clone(), reads })
    }

    /// Converts a document to a sample: one line in message.proto's proto3 JSON mapping.
    ///
    /// # Errors
    /// With file and line, if it is not a document of this payload.
    pub fn sample(&self, text: &str, file: &str, line: usize) -> Result<String, String> {
        match &self.reads {
            Reads::Mapping(descriptor) => {
                let document = json::parse(text, file, line).map_err(|error| error.to_string())?;
                let value = read_value(&document.to_string(), descriptor, file, line);
                let value = value.map_err(|error| error.to_string())?;
                let value: DynamicMessage = proto::convert(&value, &self.definition.descriptor)
                    .map_err(|what| format!("{file}:{line}: {what}"))?;
                write_value(&value).map_err(|error| format!("{file}:{line}: {error}"))
            }
            Reads::Documents(draft, as_object) => {
                let document = json::parse(text, file, line).map_err(|error| error.to_string())?;
                let document = if *as_object { infer::as_object(document) } else { document };
                draft.sample(&document, file).map_err(|error| error.to_string())
            }
        }
    }
}

/// The root's descriptor with Google's own types in place of the messages created from them.
fn mapping(definition: &Definition) -> Option<MessageDescriptor> {
    let mut set = FileDescriptorSet::decode(definition.descriptor_set.as_slice()).ok()?;
    let root = definition.descriptor.full_name();
    let at = set
        .file
        .iter()
        .position(|file| root.starts_with(file.package()) && file.name() == "message.proto")?;
    let mut file = set.file.swap_remove(at);
    let known = definition.messages.iter().skip(1).filter_map(|message| {
        let descriptor = definition.descriptor.parent_pool().get_message_by_name(&message.full_name)?;
        Some((format!(".{}", message.full_name), google(message, &descriptor)?))
    });
    let known: HashMap<String, &'static str> = known.collect();
    let nulls = definition.enums.iter().filter(|declared| declared.stands_for_null);
    let nulls: Vec<String> = nulls.map(|declared| format!(".{}", declared.full_name)).collect();
    replace(&mut file.message_type, &known, &nulls);
    // This project's options are unknown without their file, and don't matter here.
    file.dependency = ["any", "duration", "empty", "field_mask", "struct", "timestamp", "wrappers"]
        .map(|name| format!("google/protobuf/{name}.proto"))
        .to_vec();
    let mut pool = DescriptorPool::global();
    pool.add_file_descriptor_proto(file).ok()?;
    pool.get_message_by_name(root)
}

fn replace(messages: &mut [DescriptorProto], known: &HashMap<String, &'static str>, nulls: &[String]) {
    for message in messages {
        for field in &mut message.field {
            if let Some(name) = known.get(field.type_name()) {
                field.type_name = Some(format!(".google.protobuf.{name}"));
            } else if nulls.iter().any(|null| null == field.type_name()) && field.r#type() == ProtoType::Enum
            {
                field.type_name = Some(".google.protobuf.NullValue".to_owned());
            }
        }
        replace(&mut message.nested_type, known, nulls);
    }
}

/// The Google type that a message was created from, if any.
fn google(message: &Message, descriptor: &MessageDescriptor) -> Option<&'static str> {
    match message.well_known {
        Some(WellKnown::Timestamp) => return Some("Timestamp"),
        Some(WellKnown::Duration) => return Some("Duration"),
        Some(WellKnown::FieldMask) => return Some("FieldMask"),
        None => {}
    }
    let is_called = |name: &str| message.name.starts_with(name);
    let names: Vec<&str> = message.fields.iter().map(|field| field.name.as_str()).collect();
    if names == ["type_url", "value"] && is_called("Any") {
        return Some("Any");
    }
    if !message.stands_for_value {
        return None;
    }
    match names[..] {
        ["fields"] if is_called("Struct") => Some("Struct"),
        ["values"] if is_called("ListValue") => Some("ListValue"),
        ["null_value", ..] if is_called("Value") => Some("Value"),
        ["value"] => {
            let wrapper = match descriptor.get_field(1)?.kind() {
                Kind::Bool => "BoolValue",
                Kind::Bytes => "BytesValue",
                Kind::Double => "DoubleValue",
                Kind::Float => "FloatValue",
                Kind::Int32 => "Int32Value",
                Kind::Int64 => "Int64Value",
                Kind::Uint32 => "UInt32Value",
                Kind::Uint64 => "UInt64Value",
                Kind::String => "StringValue",
                _ => return None,
            };
            is_called(wrapper).then_some(wrapper)
        }
        _ => None,
    }
}

/// Rebuilds the importer's draft of the definition, as far as converting documents needs it.
fn draft(definition: &Definition, text: &str, is_avro: bool) -> Draft {
    let said = Said::of(text);
    let message = |message: &Message| DraftMessage {
        name: message.name.clone(),
        fields: message.fields.iter().map(|field| of_field(message, field, &said, is_avro)).collect(),
        oneofs: message.oneofs.iter().map(|oneof| (oneof.name.clone(), oneof.required)).collect(),
        stands_for: match (message.stands_for_value, message.oneofs.is_empty()) {
            (false, _) => StandsFor::Object,
            (true, true) => StandsFor::Value,
            (true, false) => StandsFor::Choice,
        },
        ..DraftMessage::default()
    };
    let declared = definition.enums.iter().map(|declared| DraftEnum {
        name: declared.name.clone(),
        values: declared
            .values
            .iter()
            .map(|value| {
                let key = (
                    declared.full_name.rsplit('.').next().unwrap_or_default().to_owned(),
                    value.name.clone(),
                );
                let document = said.names.get(&key).unwrap_or(&value.name);
                (value.name.clone(), value.number, document.clone())
            })
            .collect(),
        ..DraftEnum::default()
    });
    Draft {
        messages: definition.messages.iter().map(message).collect(),
        enums: declared.collect(),
        bytes: if is_avro { BytesText::Characters } else { BytesText::Base64 },
        ..Draft::default()
    }
}

fn of_field(message: &Message, field: &Field, said: &Said, is_avro: bool) -> DraftField {
    let is_message = matches!(field.ty, Type::Message(_));
    let shape = match field.cardinality {
        _ if field.oneof.is_some() => DraftShape::One,
        Cardinality::Implicit if field.required && !is_message => DraftShape::Required,
        Cardinality::Implicit => DraftShape::One,
        Cardinality::Optional => DraftShape::Optional,
        Cardinality::Repeated => DraftShape::List,
        Cardinality::Map(key) => DraftShape::Map(of_type(key)),
    };
    let own = message.full_name.rsplit('.').next().unwrap_or_default().to_owned();
    let key = said.names.get(&(own, field.name.clone())).unwrap_or(&field.name).clone();
    let mut allowed = Allowed::default();
    if let Some((least, most)) = field.options.range {
        (allowed.least, allowed.most) = (Some(least.into()), Some(most.into()));
    }
    let Invented { min, max, values, .. } = &field.options.invented;
    if DraftType::is_integer(of_type(field.ty)) {
        let whole = |end: &Option<(f64, bool)>| end.map(|(end, _)| end as i128);
        allowed.least = allowed.least.or(whole(min));
        allowed.most = allowed.most.or(whole(max));
        allowed.values = values.iter().map(|value| *value as i128).collect();
    }
    DraftField {
        name: field.name.clone(),
        key,
        number: field.number,
        ty: of_type(field.ty),
        shape,
        oneof: field.oneof,
        branch: is_avro.then(|| branch(field)).flatten().map(str::to_owned),
        allowed,
        invented: field.options.invented.clone(),
        options: field
            .options
            .fixed_length
            .map(|length| format!("(wiredyno.fixed_length) = {length}"))
            .into_iter()
            .collect(),
        comments: Vec::new(),
    }
}

fn of_type(ty: Type) -> DraftType {
    match ty {
        Type::Bool => DraftType::Bool,
        Type::I32 => DraftType::Int32,
        Type::I64 => DraftType::Int64,
        Type::U32 => DraftType::Uint32,
        Type::U64 => DraftType::Uint64,
        Type::F32 => DraftType::Float,
        Type::F64 => DraftType::Double,
        Type::String => DraftType::String,
        Type::Bytes => DraftType::Bytes,
        Type::Enum(at) => DraftType::Enum(at),
        Type::Message(at) => DraftType::Message(at),
    }
}

/// Avro's name for an unnamed type.
fn branch(field: &Field) -> Option<&'static str> {
    Some(match (field.cardinality, field.ty) {
        (Cardinality::Repeated, _) => "array",
        (Cardinality::Map(_), _) => "map",
        (_, Type::Bool) => "boolean",
        (_, Type::I32 | Type::U32) => "int",
        (_, Type::I64 | Type::U64) => "long",
        (_, Type::F32) => "float",
        (_, Type::F64) => "double",
        (_, Type::String) => "string",
        (_, Type::Bytes) => "bytes",
        (_, Type::Enum(_) | Type::Message(_)) => return None,
    })
}

/// Original names stated in comments: of fields, by message, and of values, by enum.
struct Said {
    names: HashMap<(String, String), String>,
}

impl Said {
    fn of(text: &str) -> Said {
        let (mut names, mut around, mut came) = (HashMap::new(), String::new(), None::<String>);
        for line in text.lines().map(str::trim) {
            if let Some(comment) = line.strip_prefix("//") {
                let comment = comment.trim();
                let key =
                    comment.strip_prefix("The key is ").and_then(|rest| rest.strip_suffix(" in documents."));
                let said = key.or_else(|| comment.strip_suffix(" in documents"));
                came = said.and_then(unquoted).or(came);
                continue;
            }
            let words: Vec<&str> = line.split_whitespace().collect();
            match words[..] {
                ["message" | "enum", name, "{"] => around = name.to_owned(),
                _ => {
                    let at = words.iter().position(|word| *word == "=");
                    if let (Some(key), Some(name)) = (&came, at.and_then(|at| words.get(at.checked_sub(1)?)))
                    {
                        names.insert((around.clone(), (*name).to_owned()), key.clone());
                    }
                }
            }
            if !line.is_empty() && !line.starts_with("option ") {
                came = None;
            }
        }
        Said { names }
    }
}

/// Parses a text with quotes and escapes as Rust's `Debug` writes them.
fn unquoted(quoted: &str) -> Option<String> {
    let inner = quoted.strip_prefix('"')?.strip_suffix('"')?;
    let (mut out, mut rest) = (String::new(), inner.chars());
    while let Some(c) = rest.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match rest.next()? {
            'n' => out.push('\n'),
            'r' => out.push('\r'),
            't' => out.push('\t'),
            '0' => out.push('\0'),
            'u' => {
                let hex: String = rest.by_ref().skip(1).take_while(|c| *c != '}').collect();
                out.push(char::from_u32(u32::from_str_radix(&hex, 16).ok()?)?);
            }
            other => out.push(other),
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::super::{avsc, infer::Inference, json_schema};
    use super::*;
    use crate::canonical_bytes;

    fn again(text: &str) -> (Definition, Again) {
        let definition =
            Definition::from_source(text, "message.proto").unwrap_or_else(|e| panic!("{e}\n{text}"));
        let again = Again::of(&definition, text).unwrap();
        (definition, again)
    }

    /// Asserts that a document becomes the same sample as in the importer.
    fn same(text: &str, document: &str, first: &str) {
        let (definition, again) = again(text);
        let line = again.sample(document, "d.jsonl", 1).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let bytes =
            |line: &str| canonical_bytes(&read_value(line, &definition.descriptor, "s.jsonl", 1).unwrap());
        assert_eq!(bytes(&line), bytes(first), "{line}\n{first}");
    }

    #[test]
    fn documents_are_read_as_they_were_when_the_payload_was_made() {
        let schema = r#"{"type":"object","required":["a-b"],"properties":{"a-b":{"enum":["x y","\"z\""]},"n":{"type":"integer"},
            "c d":{"type":"string"},"e":{"type":"boolean"},
            "u":{"oneOf":[{"type":"integer"},{"type":"array","items":{"type":"array","items":{"type":"number"}}}]}}}"#;
        let avro = r#"{"type":"record","name":"A","fields":[{"name":"b","type":"bytes"},{"name":"o","type":["null","string"]},
            {"name":"u","type":["int","string"]}]}"#;
        let mut inference = Inference::default();
        let documents = [r#"{"x y":1,"l":[[1],[2]],"m":null}"#, r#"{"x y":2,"l":[],"m":"t"}"#];
        for document in documents {
            inference.add(&json::parse(document, "d.jsonl", 1).unwrap());
        }
        for (draft, document) in [
            (
                json_schema::import(schema, "s.json", "s").unwrap(),
                r#"{"a-b":"\"z\"","n":5,"c d":"x","e":true,"u":[[1.5],[]]}"#,
            ),
            (avsc::import(avro, "a.avsc", "a").unwrap(), r#"{"b":"aÿ","o":{"string":"x"},"u":{"int":3}}"#),
            (avsc::import(avro, "a.avsc", "a").unwrap(), r#"{"b":"","o":null,"u":"x"}"#),
            (inference.draft("i", "d.jsonl").unwrap(), documents[0]),
        ] {
            let first = draft.sample(&json::parse(document, "d.jsonl", 1).unwrap(), "d.jsonl").unwrap();
            same(&draft.to_proto(), document, &first);
        }
    }

    #[test]
    fn the_mapping_of_a_proto_file_is_read_again() {
        let desk = tempfile::tempdir().unwrap();
        let file = desk.path().join("a.proto");
        let text = "syntax = \"proto3\"; import \"google/protobuf/timestamp.proto\"; import \"google/protobuf/wrappers.proto\"; \
            import \"google/protobuf/struct.proto\"; import \"google/protobuf/any.proto\"; import \"google/protobuf/duration.proto\"; \
            message A { uint64 seq_no = 1; google.protobuf.Timestamp at = 2; google.protobuf.Int64Value w = 3; google.protobuf.Struct s = 4; \
            google.protobuf.Any any = 5; repeated google.protobuf.Duration d = 6; repeated int32 e = 7 [packed = false]; google.protobuf.Value v = 8; }";
        std::fs::write(&file, text).unwrap();
        let imported = proto::import(&file, None, "a").unwrap();
        let text = imported.draft.to_proto();
        let definition = Definition::from_source(&text, "message.proto").unwrap();
        let document = r#"{"seqNo":"7","at":"2026-01-02T03:04:05.5Z","w":"5","s":{"a":[null,1.5,{"b":"x"}]},"d":["1.5s"],"e":[1,2],"v":null,
            "any":{"@type":"x/google.protobuf.Duration","value":"2s"}}"#;
        let value = read_value(document, &imported.message, "s.jsonl", 1).unwrap();
        let first = write_value(&proto::convert(&value, &definition.descriptor).unwrap()).unwrap();
        same(&text, document, &first);
        let error = again(&text).1.sample(r#"{"at":"2016-12-31T23:59:60Z"}"#, "d.jsonl", 4).unwrap_err();
        assert!(error.contains("d.jsonl:4: `at` is \"2016-12-31T23:59:60Z\", not a time"), "{error}");
        let own = "syntax = \"proto3\"; message A { int32 x = 1; }";
        assert!(Again::of(&Definition::from_source(own, "message.proto").unwrap(), own).is_none());
    }
}
