//! Plain proto3, without the options of `wiredyno/options.proto`: what protoc and other people's tools read.
//!
//! Nested messages and enums become top-level ones with the names of their parents in front; numbers, integer
//! encodings and so the bytes stay those of message.proto.

use std::fmt::Write as _;

use prost_reflect::Kind;

use super::untold::{self, Tells, Width};
use super::{Expression, Idl, Lowered, Note, Refusal, type_name};
use crate::model::{Cardinality, Definition, Field, Message, Type};

/// Protocol Buffers' language.
#[derive(Debug)]
pub struct Proto;

const NAME: &str = "plain proto3";

impl Idl for Proto {
    fn id(&self) -> &'static str {
        "proto"
    }

    fn name(&self) -> &'static str {
        NAME
    }

    fn extension(&self) -> &'static str {
        "proto"
    }

    fn lower(&self, definition: &Definition) -> Result<Lowered, Refusal> {
        let (root, package) = (definition.root(), definition.package());
        let mut text = format!("// Lowered from {}.\nsyntax = \"proto3\";\n\n", root.full_name);
        if !package.is_empty() {
            let _ = writeln!(text, "package {package};\n");
        }
        let mut notes = Vec::from_iter(Note::package(definition, Expression::Direct));
        for declared in &definition.enums {
            let _ = writeln!(text, "enum {} {{", type_name(&declared.name));
            for value in &declared.values {
                let _ = writeln!(text, "  {} = {};", value.name, value.number);
            }
            text.push_str("}\n\n");
        }
        for message in &definition.messages {
            structure(definition, message, &mut text, &mut notes)?;
        }
        Ok(Lowered { text, notes })
    }
}

fn structure(
    definition: &Definition,
    message: &Message,
    text: &mut String,
    notes: &mut Vec<Note>,
) -> Result<(), Refusal> {
    let _ = writeln!(text, "message {} {{", type_name(&message.name));
    for (index, field) in message.fields.iter().enumerate() {
        let oneof = field.oneof.map(|oneof| &message.oneofs[oneof]);
        if let Some(oneof) = oneof.filter(|oneof| oneof.fields[0] == index) {
            let _ = writeln!(text, "  oneof {} {{", oneof.name);
        }
        let indent = if oneof.is_some() { "    " } else { "  " };
        let ty = member(definition, message, field)?;
        let _ = writeln!(text, "{indent}{ty} {} = {};", field.name, field.number);
        if oneof.is_some_and(|oneof| oneof.fields.last() == Some(&index)) {
            text.push_str("  }\n");
        }
        notes.push(Note::of(message, &field.name, expression(field)));
    }
    text.push_str("}\n\n");
    Ok(())
}

fn expression(field: &Field) -> Expression {
    let integer = Width::declared(field.ty).and_then(|width| untold::integer(field, width));
    Expression::by_all(integer.into_iter().chain(Tells::NO_LENGTHS.untold(field)))
}

fn member(definition: &Definition, message: &Message, field: &Field) -> Result<String, Refusal> {
    let kind = kind_of(definition, message, field).ok_or_else(|| Refusal {
        language: NAME,
        path: format!("{}.{}", message.name, field.name),
        reason: "its descriptor does not name it: report this".to_owned(),
    })?;
    Ok(match (field.cardinality, &kind) {
        (Cardinality::Map(_), Kind::Message(entry)) => {
            let key = scalar(definition, &entry.map_entry_key_field().kind(), field.ty);
            let value = scalar(definition, &entry.map_entry_value_field().kind(), field.ty);
            format!("map<{key}, {value}>")
        }
        (Cardinality::Repeated, kind) => format!("repeated {}", scalar(definition, kind, field.ty)),
        (Cardinality::Optional, kind) if field.oneof.is_none() && !matches!(kind, Kind::Message(_)) => {
            format!("optional {}", scalar(definition, kind, field.ty))
        }
        (_, kind) => scalar(definition, kind, field.ty),
    })
}

fn kind_of(definition: &Definition, message: &Message, field: &Field) -> Option<Kind> {
    let pool = definition.descriptor.parent_pool();
    Some(pool.get_message_by_name(&message.full_name)?.get_field(field.number)?.kind())
}

fn scalar(definition: &Definition, kind: &Kind, ty: Type) -> String {
    match (kind, ty) {
        (Kind::Message(_), Type::Message(index)) => type_name(&definition.messages[index].name),
        (Kind::Enum(_), Type::Enum(index)) => type_name(&definition.enums[index].name),
        (kind, _) => format!("{kind:?}").to_lowercase(),
    }
}
