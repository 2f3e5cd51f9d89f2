//! Objects for Avro, in the shape of the schema that [`crate::idl`] lowers.

use std::fmt::Write as _;

use super::names::{rust_field, rust_type};
use super::{DecodeLimit, PRELUDE, Slot, Types, lift_oneof, lower_member, plain, touch_impl};
use crate::idl::avsc::Avsc;
use crate::idl::{Idl as _, Refusal};
use crate::model::{Cardinality, Definition, Field, Message, Type};

fn entry_name(message: &Message, field: &Field) -> String {
    crate::idl::entry_name(message, field)
}

/// The Avro schema of a definition, as JSON.
///
/// # Errors
/// When Avro can't express the definition.
pub fn schema(definition: &Definition) -> Result<String, Refusal> {
    Ok(Avsc.lower(definition)?.text)
}

pub fn module(types: &Types<'_>) -> String {
    let mut code = PRELUDE.to_owned();
    for declared in &types.definition.enums {
        super::serde_objects::enumeration(declared, false, &mut code);
    }
    for message in &types.definition.messages {
        structure(types, message, &mut code);
        lower(types, message, &mut code);
        lift(types, message, &mut code);
    }
    code
}

fn element(types: &Types<'_>, ty: Type) -> String {
    match ty {
        Type::Enum(_) | Type::Message(_) => types.name(ty),
        Type::Bytes => "::wiredyno_codec::bytes::NativeBytes".to_owned(),
        Type::U32 | Type::U64 => "i64".to_owned(),
        _ => plain(ty).to_owned(),
    }
}

/// Whether a map's keys make it a list of records in Avro.
fn is_entry_list(field: &Field) -> bool {
    matches!(field.cardinality, Cardinality::Map(key) if key != Type::String)
}

fn structure(types: &Types<'_>, message: &Message, code: &mut String) {
    let name = rust_type(&message.name);
    let mut body = String::new();
    for field in &message.fields {
        let element = element(types, field.ty);
        let ty = match field.cardinality {
            Cardinality::Map(key) if is_entry_list(field) => {
                entry(types, message, field, key, code);
                format!("::std::vec::Vec<{}>", entry_name(message, field))
            }
            _ => types.shape(field, &element, "::std::string::String"),
        };
        if let Some(bound) = types.bounded(field) {
            let function = match bound {
                DecodeLimit::EmptyElements => "::wiredyno_codec::serde_objects::empty_elements",
                DecodeLimit::Nested => "::wiredyno_codec::serde_objects::nested",
            };
            let _ = writeln!(body, "#[serde(deserialize_with = {function:?})]");
        }
        let _ = writeln!(body, "#[serde(rename = {:?})] pub {}: {ty},", field.name, rust_field(&field.name));
    }
    // The library compares this name with that of the schema's record.
    let _ = writeln!(
        code,
        "#[derive(::serde::Serialize, ::serde::Deserialize)]\n#[serde(rename = {:?})]\npub struct {name} {{\n{body}}}",
        crate::idl::type_name(&message.name)
    );
    let members: Vec<_> = message.fields.iter().map(|field| rust_field(&field.name)).collect();
    code.push_str(&touch_impl(&name, "", &members));
}

fn entry(types: &Types<'_>, message: &Message, field: &Field, key: Type, code: &mut String) {
    let name = entry_name(message, field);
    let _ = writeln!(
        code,
        "#[derive(::serde::Serialize, ::serde::Deserialize)]\npub struct {name} {{ pub key: {}, pub value: {} }}",
        element(types, key),
        element(types, field.ty)
    );
    code.push_str(&touch_impl(&name, "", &["key".to_owned(), "value".to_owned()]));
}

fn lower(types: &Types<'_>, message: &Message, code: &mut String) {
    let name = rust_type(&message.name);
    let _ = writeln!(
        code,
        "impl Lower<{name}> for super::domain::{name} {{ fn lower(&self) -> {name} {{ {name} {{"
    );
    for field in &message.fields {
        let member = rust_field(&field.name);
        let value = match field.oneof {
            Some(oneof) => lower_member(types, message, oneof, field, "Lower::lower(value)"),
            None if is_entry_list(field) => format!(
                "self.{member}.iter().map(|(key, value)| {} {{ key: Lower::lower(key), value: Lower::lower(value) }}).collect()",
                entry_name(message, field)
            ),
            None => format!("Lower::lower(&self.{member})"),
        };
        let _ = writeln!(code, "{member}: {value},");
    }
    code.push_str("} } }\n");
}

fn lift(types: &Types<'_>, message: &Message, code: &mut String) {
    let name = rust_type(&message.name);
    let _ = writeln!(
        code,
        "impl Lift<super::domain::{name}> for {name} {{ fn lift(self) -> ::core::result::Result<super::domain::{name}, LiftError> {{ ::core::result::Result::Ok(super::domain::{name} {{"
    );
    for slot in types.slots(message) {
        let (member, value) = match slot {
            Slot::Field(field) => {
                let member = rust_field(&field.name);
                let value = match is_entry_list(field) {
                    true => format!(
                        "self.{member}.into_iter().map(|entry| ::core::result::Result::Ok((Lift::lift(entry.key)?, Lift::lift(entry.value)?))).collect::<::core::result::Result<_, LiftError>>()?"
                    ),
                    false => format!("Lift::lift(self.{member})?"),
                };
                (member, value)
            }
            Slot::Oneof(oneof) => (
                rust_field(&message.oneofs[oneof].name),
                lift_oneof(types, message, oneof, rust_field, |_| "Lift::lift(value)?".to_owned()),
            ),
        };
        let _ = writeln!(code, "{member}: {value},");
    }
    code.push_str("}) } }\n");
}
