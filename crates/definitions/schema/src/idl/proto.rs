//! Plain proto3, without the options of `wiredyno/options.proto`, for protoc and third-party tools.
//!
//! Nested messages and enums become top-level ones, prefixed with their parents' names; field numbers and integer
//! encodings, and so the bytes, are those of message.proto.

use std::fmt::Write as _;

use prost_reflect::{FieldDescriptor, Kind};

use super::untold::{self, Tells, Width};
use super::{Expression, Idl, Lowered, Note, Refusal, type_name};
use crate::model::{Cardinality, Definition, Enum, Field, Message, Type};

/// Plain proto3, as the language `proto`.
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
        let around = around_enums(definition);
        for (declared, around) in definition.enums.iter().zip(&around) {
            distinct(declared)?;
            enumeration(declared, around.as_deref(), &mut text);
        }
        for message in &definition.messages {
            structure(definition, &around, message, &mut text, &mut notes)?;
        }
        Ok(Lowered { text, notes })
    }
}

/// The name of the message that wraps each enum, because the values of all top-level enums share one scope. `None` if no
/// other enum, message or package has the name of one of its values.
fn around_enums(definition: &Definition) -> Vec<Option<String>> {
    let enums = &definition.enums;
    let types: Vec<String> = enums
        .iter()
        .map(|declared| &declared.name)
        .chain(definition.messages.iter().map(|message| &message.name))
        .map(|name| type_name(name))
        .collect();
    let values = |declared: &Enum| declared.values.iter().map(|value| value.name.clone()).collect::<Vec<_>>();
    let mut taken: Vec<String> = types.clone();
    let mut around = Vec::new();
    for (at, declared) in enums.iter().enumerate() {
        let others = enums.iter().enumerate().filter(|(other, _)| *other != at);
        let elsewhere: Vec<String> = others.flat_map(|(_, other)| values(other)).collect();
        let shared = values(declared).iter().any(|value| elsewhere.contains(value) || types.contains(value));
        around.push(shared.then(|| {
            let mut name = format!("{}Values", type_name(&declared.name));
            while taken.contains(&name) || elsewhere.contains(&name) || values(declared).contains(&name) {
                name.push('_');
            }
            taken.push(name.clone());
            name
        }));
    }
    around
}

/// Refuses values that protoc considers equal: it drops the enum's name as a prefix, case and underscores.
fn distinct(declared: &Enum) -> Result<(), Refusal> {
    let bare = |name: &str| name.replace('_', "").to_ascii_lowercase();
    let of_enum = bare(&declared.name);
    let short = |name: &str| {
        let bare = bare(name);
        bare.strip_prefix(&of_enum).filter(|rest| !rest.is_empty()).unwrap_or(&bare).to_owned()
    };
    for (at, value) in declared.values.iter().enumerate() {
        if let Some(other) =
            declared.values[..at].iter().find(|other| short(&other.name) == short(&value.name))
        {
            return Err(Refusal {
                language: NAME,
                path: format!("{}.{}", declared.name, value.name),
                reason: format!("protoc considers it and `{}` the same name; rename one", other.name),
            });
        }
    }
    Ok(())
}

fn enumeration(declared: &Enum, around: Option<&str>, text: &mut String) {
    let indent = if around.is_some() { "  " } else { "" };
    if let Some(around) = around {
        let _ = writeln!(text, "message {around} {{");
    }
    let _ = writeln!(text, "{indent}enum {} {{", type_name(&declared.name));
    // Zero must be the first.
    let (zero, others): (Vec<_>, Vec<_>) = declared.values.iter().partition(|value| value.number == 0);
    for value in zero.into_iter().chain(others) {
        let _ = writeln!(text, "{indent}  {} = {};", value.name, value.number);
    }
    let _ = writeln!(text, "{indent}}}");
    text.push_str(if around.is_some() { "}\n\n" } else { "\n" });
}

fn structure(
    definition: &Definition,
    around: &[Option<String>],
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
        let (ty, options) = member(definition, around, message, field)?;
        let _ = writeln!(text, "{indent}{ty} {} = {}{options};", field.name, field.number);
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

/// A field's type with its label, and those of its options that affect its bytes.
fn member(
    definition: &Definition,
    around: &[Option<String>],
    message: &Message,
    field: &Field,
) -> Result<(String, &'static str), Refusal> {
    let descriptor = descriptor_of(definition, message, field).ok_or_else(|| Refusal {
        language: NAME,
        path: format!("{}.{}", message.name, field.name),
        reason: "its descriptor does not name it: report this".to_owned(),
    })?;
    let kind = descriptor.kind();
    let is_number = !matches!(kind, Kind::String | Kind::Bytes | Kind::Message(_));
    let is_unpacked = field.cardinality == Cardinality::Repeated && is_number && !descriptor.is_packed();
    let options = if is_unpacked { " [packed = false]" } else { "" };
    let ty = match (field.cardinality, &kind) {
        (Cardinality::Map(_), Kind::Message(entry)) => {
            let key = scalar(definition, around, &entry.map_entry_key_field().kind(), field.ty);
            let value = scalar(definition, around, &entry.map_entry_value_field().kind(), field.ty);
            format!("map<{key}, {value}>")
        }
        (Cardinality::Repeated, kind) => format!("repeated {}", scalar(definition, around, kind, field.ty)),
        (_, kind)
            if field.oneof.is_none()
                && (field.cardinality == Cardinality::Optional || field.required)
                && !matches!(kind, Kind::Message(_)) =>
        {
            format!("optional {}", scalar(definition, around, kind, field.ty))
        }
        (_, kind) => scalar(definition, around, kind, field.ty),
    };
    Ok((ty, options))
}

fn descriptor_of(definition: &Definition, message: &Message, field: &Field) -> Option<FieldDescriptor> {
    let pool = definition.descriptor.parent_pool();
    pool.get_message_by_name(&message.full_name)?.get_field(field.number)
}

fn scalar(definition: &Definition, around: &[Option<String>], kind: &Kind, ty: Type) -> String {
    match (kind, ty) {
        (Kind::Message(_), Type::Message(index)) => type_name(&definition.messages[index].name),
        (Kind::Enum(_), Type::Enum(index)) => {
            let name = type_name(&definition.enums[index].name);
            around[index].as_ref().map_or(name.clone(), |around| format!("{around}.{name}"))
        }
        (kind, _) => format!("{kind:?}").to_lowercase(),
    }
}
