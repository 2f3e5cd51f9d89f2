//! Objects for serde, with its derives as the library's documentation shows them.

use std::fmt::Write as _;

use wiredyno_contract::SerdeStyle;

use super::domain::touch_option;
use super::names::{rust_field, rust_type, rust_value, rust_variant};
use super::{DecodeLimit, PRELUDE, Slot, Types, lift_oneof, lower_member, plain, touch_impl};
use crate::model::{Cardinality, Enum, Field, Message, Type, WellKnown};

/// The path by which generated code refers to the contract crate's helpers.
const SHARED: &str = "::wiredyno_codec::serde_objects";
const KNOWN: &str = "::wiredyno_codec::well_known";

pub fn module(types: &Types<'_>, style: SerdeStyle) -> String {
    let mut code = PRELUDE.to_owned();
    for declared in &types.definition.enums {
        enumeration(declared, style.has_names(), &mut code);
    }
    for (index, message) in types.definition.messages.iter().enumerate() {
        if is_choice(types, style, index) {
            choice(types, style, message, &mut code);
        } else {
            structure(types, style, message, &mut code);
            conversions(types, message, &mut code);
        }
    }
    code
}

/// Whether a message stands for the value of the alternative that is present.
fn is_choice(types: &Types<'_>, style: SerdeStyle, index: usize) -> bool {
    let message = &types.definition.messages[index];
    let is_one = message.stands_for_value && !message.oneofs.is_empty() && style.has_names();
    is_one && !(style == SerdeStyle::Proto3 && types.definition.has_wide_alternative(index))
}

/// The suffix of the functions that write and read a well-known type in place of its fields; `None` if it is handled as any
/// other message.
fn written_as(style: SerdeStyle, known: WellKnown) -> Option<&'static str> {
    Some(match (style, known) {
        (SerdeStyle::Omitting | SerdeStyle::Proto3, WellKnown::Timestamp) => "text_timestamp",
        (SerdeStyle::Omitting | SerdeStyle::Proto3, WellKnown::Duration) => "text_duration",
        (SerdeStyle::Omitting | SerdeStyle::Proto3, WellKnown::FieldMask) => "text_mask",
        (SerdeStyle::Tagged, WellKnown::Timestamp) => "tagged_timestamp",
        (SerdeStyle::Extended, WellKnown::Timestamp) => "extended_timestamp",
        (SerdeStyle::Signed, WellKnown::Timestamp) => "dated_timestamp",
        (SerdeStyle::Tagged | SerdeStyle::Extended | SerdeStyle::Signed, _) | (SerdeStyle::Complete, _) => {
            return None;
        }
    })
}

/// The enum, by the names of its values; null if the format has `names` and the enum stands for null.
pub fn enumeration(declared: &Enum, names: bool, code: &mut String) {
    let name = rust_type(&declared.name);
    let is_null = names && declared.stands_for_null;
    // Avro's library compares this name with that of the schema's enum.
    let derived = match is_null {
        true => ")]".to_owned(),
        false => format!(
            ", ::serde::Serialize, ::serde::Deserialize)]\n#[serde(rename = {:?})]",
            crate::idl::type_name(&declared.name)
        ),
    };
    let _ = writeln!(
        code,
        "#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default{derived}\npub enum {name} {{"
    );
    for (place, value) in declared.ascending().enumerate() {
        let _ = writeln!(
            code,
            "{}{} {} = {},",
            if place == 0 { "#[default] " } else { "" },
            if is_null { String::new() } else { format!("#[serde(rename = {:?})]", value.name) },
            rust_value(&value.name),
            value.number
        );
    }
    let _ = writeln!(
        code,
        "}}\nimpl Touch for {name} {{ fn touch(&self, digest: &mut Digest) {{ Touch::touch(&(*self as i32), digest); }} }}"
    );
    let arms = |from: &str, to: &str| -> String {
        let values = declared.values.iter().map(|value| rust_value(&value.name));
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
    if is_null {
        code.push_str(&hand_written(
            &name,
            &format!("{KNOWN}::write_null(to)"),
            &format!("{KNOWN}::read_null(from).map(|()| {name}::default())"),
        ));
    }
}

/// The impls that serde's derives would generate, with these expressions over `self` and `to`, and over `from`.
fn hand_written(name: &str, write: &str, read: &str) -> String {
    format!(
        "impl ::serde::Serialize for {name} {{ fn serialize<S: ::serde::Serializer>(&self, to: S) -> ::core::result::Result<S::Ok, S::Error> {{ {write} }} }}\n\
         impl<'de> ::serde::Deserialize<'de> for {name} {{ fn deserialize<D: ::serde::Deserializer<'de>>(from: D) -> ::core::result::Result<{name}, D::Error> {{ {read} }} }}\n"
    )
}

/// A well-known type's own serialization; its members are those of its fields.
fn well_known(name: &str, known: WellKnown, way: &str) -> String {
    let (members, read) = match known {
        WellKnown::Timestamp | WellKnown::Duration => {
            ("self.seconds, self.nanos", "|(seconds, nanos)| Self { seconds, nanos }")
        }
        WellKnown::FieldMask => ("&self.paths", "|paths| Self { paths }"),
    };
    hand_written(
        name,
        &format!("{KNOWN}::write_{way}({members}, to)"),
        &format!("{KNOWN}::read_{way}(from).map({read})"),
    )
}

fn element(types: &Types<'_>, style: SerdeStyle, ty: Type) -> String {
    match (ty, style) {
        (Type::Enum(_) | Type::Message(_), _) => types.name(ty),
        (Type::Bytes, _) => "::wiredyno_codec::bytes::Bytes".to_owned(),
        (Type::U64, SerdeStyle::Signed) => format!("{SHARED}::KeptBits"),
        (Type::I64 | Type::U64, SerdeStyle::Proto3) => format!("{KNOWN}::proto3::Wide<{}>", plain(ty)),
        (Type::F32 | Type::F64, SerdeStyle::Proto3) => format!("{KNOWN}::proto3::Real<{}>", plain(ty)),
        _ => plain(ty).to_owned(),
    }
}

fn structure(types: &Types<'_>, style: SerdeStyle, message: &Message, code: &mut String) {
    let name = rust_type(&message.name);
    // A list inside a list has no name around it.
    let transparent = message.stands_for_value && message.oneofs.is_empty();
    let known = message.well_known.and_then(|known| Some((known, written_as(style, known)?)));
    let derived = "#[derive(::serde::Serialize, ::serde::Deserialize)]\n";
    let whole = match known {
        Some(_) => String::new(),
        None if transparent => format!("{derived}#[serde(transparent)]\n"),
        None => derived.to_owned(),
    };
    let _ = writeln!(code, "{whole}pub struct {name} {{");
    for field in &message.fields {
        let key = match field.cardinality {
            Cardinality::Map(key) => plain(key),
            _ => "",
        };
        // A well-known type's functions yield the numbers unchanged.
        let element =
            if known.is_some() { plain(field.ty).to_owned() } else { element(types, style, field.ty) };
        let ty = types.shape(field, &element, key);
        let attributes = match (known, transparent) {
            (Some(_), _) => Vec::new(),
            (None, true) => reading(types, style, field, false),
            (None, false) => attributes(types, style, field),
        };
        let _ = writeln!(code, "{}pub {}: {ty},", told(&attributes), rust_field(&field.name));
    }
    code.push_str("}\n");
    if let Some((known, way)) = known {
        code.push_str(&well_known(&name, known, way));
    }
    let members: Vec<_> = message.fields.iter().map(|field| rust_field(&field.name)).collect();
    code.push_str(&touch_impl(&name, "", &members));
}

/// The serde attribute of a field; empty if there are none.
fn told(attributes: &[String]) -> String {
    match attributes {
        [] => String::new(),
        several => format!("#[serde({})] ", several.join(", ")),
    }
}

/// The serde attributes of a field: its name, when it is skipped, and how it is read.
fn attributes(types: &Types<'_>, style: SerdeStyle, field: &Field) -> Vec<String> {
    let mut told = vec![format!("rename = {:?}", field.name)];
    if field.cardinality == Cardinality::Optional && style.has_names() {
        told.push("default".to_owned());
        told.push("skip_serializing_if = \"::core::option::Option::is_none\"".to_owned());
    }
    told.extend(reading(types, style, field, false));
    told
}

/// How a field is read where serde alone would read it without limits, or with keys of the wrong type.
fn reading(types: &Types<'_>, style: SerdeStyle, field: &Field, is_in_choice: bool) -> Vec<String> {
    match field.cardinality {
        Cardinality::Map(key) if key != Type::String && style == SerdeStyle::Signed => {
            vec![format!("with = \"{SHARED}::text_keys\"")]
        }
        // Within a choice there is only the value.
        Cardinality::Optional
            if style.has_names() && !is_in_choice && types.definition.may_be_null(field.ty) =>
        {
            let nested = matches!(types.bounded(field), Some(DecodeLimit::Nested));
            vec![format!("deserialize_with = \"{KNOWN}::present{}\"", if nested { "_nested" } else { "" })]
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

/// An enum in place of the message: serde selects the alternative by the bare value.
fn choice(types: &Types<'_>, style: SerdeStyle, message: &Message, code: &mut String) {
    let name = rust_type(&message.name);
    let oneof = rust_field(&message.oneofs[0].name);
    let chosen = format!("super::domain::{}", types.oneof_name(message, 0));
    let [mut variants, mut lowered, mut lifted] = [const { String::new() }; 3];
    for field in &message.fields {
        let variant = rust_variant(&field.name);
        // NaN written as a string could not be distinguished from a string.
        let element = match (field.ty, style) {
            (Type::F32 | Type::F64, SerdeStyle::Proto3) => plain(field.ty).to_owned(),
            _ => element(types, style, field.ty),
        };
        let held = if field.boxed { format!("::std::boxed::Box<{element}>") } else { element };
        let attributes = told(&reading(types, style, field, true));
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
