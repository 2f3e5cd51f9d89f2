//! Objects for serde, with its derives as the library's documentation shows them.

use std::fmt::Write as _;

use wiredyno_contract::SerdeStyle;

use super::domain::touch_option;
use super::names::{rust_field, rust_type, rust_variant};
use super::{DecodeLimit, PRELUDE, Slot, Types, lift_oneof, lower_member, plain, touch_impl};
use crate::model::{Cardinality, Enum, Field, Message, Type};

/// What generated code names of the contract's crate.
const SHARED: &str = "::wiredyno_codec::serde_objects";

pub fn module(types: &Types<'_>, style: SerdeStyle) -> String {
    let mut code = PRELUDE.to_owned();
    for declared in &types.definition.enums {
        enumeration(declared, &mut code);
    }
    for message in &types.definition.messages {
        if message.stands_for_value && !message.oneofs.is_empty() && style != SerdeStyle::Complete {
            choice(types, style, message, &mut code);
        } else {
            structure(types, style, message, &mut code);
            conversions(types, message, &mut code);
        }
    }
    code
}

/// The enum, by the names of its values.
pub fn enumeration(declared: &Enum, code: &mut String) {
    let name = rust_type(&declared.name);
    let _ = writeln!(
        code,
        "#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, ::serde::Serialize, ::serde::Deserialize)]\npub enum {name} {{"
    );
    for (place, value) in declared.ascending().enumerate() {
        let _ = writeln!(
            code,
            "{}#[serde(rename = {:?})] {} = {},",
            if place == 0 { "#[default] " } else { "" },
            value.name,
            rust_variant(&value.name),
            value.number
        );
    }
    let _ = writeln!(
        code,
        "}}\nimpl Touch for {name} {{ fn touch(&self, digest: &mut Digest) {{ Touch::touch(&(*self as i32), digest); }} }}"
    );
    let arms = |from: &str, to: &str| -> String {
        let values = declared.values.iter().map(|value| rust_variant(&value.name));
        values.map(|variant| format!("{from}::{variant} => {to}::{variant},")).collect()
    };
    let domain = format!("super::domain::{name}");
    let _ = writeln!(
        code,
        "impl Lower<{name}> for {domain} {{ fn lower(&self) -> {name} {{ match self {{ {} }} }} }}\n\
         impl Lift<{domain}> for {name} {{ fn lift(self) -> ::core::result::Result<{domain}, LiftError> {{ ::core::result::Result::Ok(match self {{ {} }}) }} }}",
        arms(&domain, &name),
        arms(&name, &domain),
    );
}

fn element(types: &Types<'_>, style: SerdeStyle, ty: Type) -> String {
    match (ty, style) {
        (Type::Enum(_) | Type::Message(_), _) => types.name(ty),
        (Type::Bytes, _) => "::wiredyno_codec::bytes::Bytes".to_owned(),
        (Type::U64, SerdeStyle::Signed) => format!("{SHARED}::KeptBits"),
        _ => plain(ty).to_owned(),
    }
}

fn structure(types: &Types<'_>, style: SerdeStyle, message: &Message, code: &mut String) {
    let name = rust_type(&message.name);
    // A list in a list has no name around it.
    let transparent = message.stands_for_value && message.oneofs.is_empty();
    let whole = if transparent { "#[serde(transparent)]\n" } else { "" };
    let _ =
        writeln!(code, "#[derive(::serde::Serialize, ::serde::Deserialize)]\n{whole}pub struct {name} {{");
    for field in &message.fields {
        let key = match field.cardinality {
            Cardinality::Map(key) => plain(key),
            _ => "",
        };
        let ty = types.shape(field, &element(types, style, field.ty), key);
        let attributes = match transparent {
            true => reading(types, style, field),
            false => attributes(types, style, field),
        };
        let _ = writeln!(code, "{}pub {}: {ty},", told(&attributes), rust_field(&field.name));
    }
    code.push_str("}\n");
    let members: Vec<_> = message.fields.iter().map(|field| rust_field(&field.name)).collect();
    code.push_str(&touch_impl(&name, "", &members));
}

/// As serde is told, before a field; nothing of nothing.
fn told(attributes: &[String]) -> String {
    match attributes {
        [] => String::new(),
        several => format!("#[serde({})] ", several.join(", ")),
    }
}

/// What serde is told about a field: its name, when it is left out, and how it is read.
fn attributes(types: &Types<'_>, style: SerdeStyle, field: &Field) -> Vec<String> {
    let mut told = vec![format!("rename = {:?}", field.name)];
    if field.cardinality == Cardinality::Optional && style != SerdeStyle::Complete {
        told.push("default".to_owned());
        told.push("skip_serializing_if = \"::core::option::Option::is_none\"".to_owned());
    }
    told.extend(reading(types, style, field));
    told
}

/// How a field is read where serde alone reads it without bounds, or with keys of the wrong type.
fn reading(types: &Types<'_>, style: SerdeStyle, field: &Field) -> Vec<String> {
    match field.cardinality {
        Cardinality::Map(key) if key != Type::String && style == SerdeStyle::Signed => {
            vec![format!("with = \"{SHARED}::text_keys\"")]
        }
        _ => match types.bounded(field) {
            Some(DecodeLimit::EmptyElements) => {
                vec![format!("deserialize_with = \"{SHARED}::empty_elements\"")]
            }
            Some(DecodeLimit::Nested) => vec![format!("deserialize_with = \"{SHARED}::nested\"")],
            None => Vec::new(),
        },
    }
}

/// An enum in place of the message: serde finds the alternative by the value, as it stands without a name around it.
fn choice(types: &Types<'_>, style: SerdeStyle, message: &Message, code: &mut String) {
    let name = rust_type(&message.name);
    let oneof = rust_field(&message.oneofs[0].name);
    let chosen = format!("super::domain::{}", types.oneof_name(message, 0));
    let [mut variants, mut lowered, mut lifted] = [const { String::new() }; 3];
    for field in &message.fields {
        let variant = rust_variant(&field.name);
        let element = element(types, style, field.ty);
        let held = if field.boxed { format!("::std::boxed::Box<{element}>") } else { element };
        let attributes = told(&reading(types, style, field));
        let _ = writeln!(variants, "{variant}({attributes}{held}),");
        let _ = writeln!(lowered, "{chosen}::{variant}(value) => {name}::{variant}(Lower::lower(value)),");
        let _ = writeln!(lifted, "{name}::{variant}(value) => {chosen}::{variant}(Lift::lift(value)?),");
    }
    let touch_option = touch_option(&name, &message.fields.iter().collect::<Vec<_>>());
    let domain = format!("super::domain::{name}");
    let _ = writeln!(
        code,
        "#[derive(::serde::Serialize, ::serde::Deserialize)]\n#[serde(untagged)]\npub enum {name} {{\n{variants}}}\n\
         impl {name} {{ {touch_option} }}\n\
         impl Touch for {name} {{ fn touch(&self, digest: &mut Digest) {{ Self::touch_option(::core::option::Option::Some(self), digest); }} }}\n\
         impl Lower<{name}> for {domain} {{ fn lower(&self) -> {name} {{ match &self.{oneof} {{\n{lowered}}} }} }}\n\
         impl Lift<{domain}> for {name} {{ fn lift(self) -> ::core::result::Result<{domain}, LiftError> {{ ::core::result::Result::Ok({domain} {{ {oneof}: match self {{\n{lifted}}} }}) }} }}"
    );
}

fn conversions(types: &Types<'_>, message: &Message, code: &mut String) {
    let name = rust_type(&message.name);
    let _ = writeln!(
        code,
        "impl Lower<{name}> for super::domain::{name} {{ fn lower(&self) -> {name} {{ {name} {{"
    );
    for field in &message.fields {
        let member = rust_field(&field.name);
        let value = match field.oneof {
            Some(oneof) => lower_member(types, message, oneof, field, "Lower::lower(value)"),
            None => format!("Lower::lower(&self.{member})"),
        };
        let _ = writeln!(code, "{member}: {value},");
    }
    let _ = writeln!(
        code,
        "}} }} }}\n\
         impl Lift<super::domain::{name}> for {name} {{ fn lift(self) -> ::core::result::Result<super::domain::{name}, LiftError> {{ ::core::result::Result::Ok(super::domain::{name} {{"
    );
    for slot in types.slots(message) {
        let _ = match slot {
            Slot::Field(field) => {
                let member = rust_field(&field.name);
                writeln!(code, "{member}: Lift::lift(self.{member})?,")
            }
            Slot::Oneof(oneof) => writeln!(
                code,
                "{}: {},",
                rust_field(&message.oneofs[oneof].name),
                lift_oneof(types, message, oneof, rust_field, |_| "Lift::lift(value)?".to_owned())
            ),
        };
    }
    code.push_str("}) } }\n");
}
