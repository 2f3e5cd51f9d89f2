//! Objects for serde's self-describing codecs. `Serialize` is written out, because absent fields are left
//! out in one style and written in the other; `Deserialize` is serde's own derive.

use std::fmt::Write as _;

use super::names::{rust_field, rust_type, rust_variant};
use super::{PRELUDE, Slot, Types, lift_oneof, lower_member, plain, touch_impl};
use crate::model::{Cardinality, Enum, Field, Message, Type};

pub fn module(types: &Types<'_>) -> String {
    let mut code = PRELUDE.to_owned();
    code.push_str("use ::wiredyno_codecs::named::Style;\n");
    for declared in &types.definition.enums {
        enumeration(declared, &mut code);
    }
    for message in &types.definition.messages {
        structure(types, message, &mut code);
        serialize(message, &mut code);
        conversions(types, message, &mut code);
    }
    code
}

pub fn enumeration(declared: &Enum, code: &mut String) {
    let name = rust_type(&declared.name);
    let _ = writeln!(
        code,
        "#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, ::serde::Serialize, ::serde::Deserialize)]\npub enum {name} {{"
    );
    for value in declared.ascending() {
        let _ = writeln!(
            code,
            "#[serde(rename = {:?})] {} = {},",
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

fn element(types: &Types<'_>, ty: Type) -> String {
    match ty {
        Type::Enum(_) => types.name(ty),
        Type::Message(_) => format!("{}<S>", types.name(ty)),
        Type::Bytes => "::wiredyno_codecs::bytes::Bytes".to_owned(),
        Type::U64 => "S::Unsigned".to_owned(),
        _ => plain(ty).to_owned(),
    }
}

fn structure(types: &Types<'_>, message: &Message, code: &mut String) {
    let name = rust_type(&message.name);
    let _ = writeln!(
        code,
        "#[derive(::serde::Deserialize)]\n#[serde(bound = \"S: Style\")]\npub struct {name}<S: Style> {{"
    );
    for field in &message.fields {
        let key = match field.cardinality {
            Cardinality::Map(key) => plain(key),
            _ => "",
        };
        let ty = types.shape(field, &element(types, field.ty), key);
        if let Some(bounded) = bounded(types, field) {
            // A function of our own takes away serde's, by which absent optional fields are none.
            let default = if field.cardinality == Cardinality::Optional { "default, " } else { "" };
            let _ = writeln!(code, "#[serde({default}deserialize_with = {bounded:?})]");
        }
        let _ = writeln!(code, "#[serde(rename = {:?})] pub {}: {ty},", field.name, rust_field(&field.name));
    }
    let _ = writeln!(code, "#[serde(skip)] pub style_: ::core::marker::PhantomData<S>,\n}}");
    let members: Vec<_> = message.fields.iter().map(|field| rust_field(&field.name)).collect();
    code.push_str(&touch_impl(&format!("{name}<S>"), "<S: Style>", &members));
}

/// The function that reads a field which serde alone reads without bounds, or with keys of the wrong type.
fn bounded(types: &Types<'_>, field: &Field) -> Option<String> {
    match field.cardinality {
        Cardinality::Map(key) if key != Type::String => Some(format!(
            "::wiredyno_codecs::named::keyed::<S, {}, {}, _>",
            plain(key),
            element(types, field.ty)
        )),
        _ => types.bounded(field).map(str::to_owned),
    }
}

fn serialize(message: &Message, code: &mut String) {
    let name = rust_type(&message.name);
    let optional = |field: &&Field| field.cardinality == Cardinality::Optional;
    let absent: String = message
        .fields
        .iter()
        .filter(optional)
        .map(|field| {
            format!(" + ::core::option::Option::is_none(&self.{}) as usize", rust_field(&field.name))
        })
        .collect();
    let _ = writeln!(
        code,
        "impl<S: Style> ::serde::Serialize for {name}<S> {{\n\
         fn serialize<Z: ::serde::Serializer>(&self, serializer: Z) -> ::core::result::Result<Z::Ok, Z::Error> {{\n\
         use ::serde::ser::SerializeStruct as _;\n\
         let absent = if S::OMIT_ABSENT {{ 0{absent} }} else {{ 0 }};\n\
         let mut object = serializer.serialize_struct({:?}, {} - absent)?;",
        name.trim_start_matches("r#"),
        message.fields.len()
    );
    for field in &message.fields {
        let member = rust_field(&field.name);
        let value = match field.cardinality {
            Cardinality::Map(key) if key != Type::String => {
                format!("::wiredyno_codecs::named::Keyed::<S, _, _>::new(&self.{member})")
            }
            _ => format!("self.{member}"),
        };
        let write = format!("object.serialize_field({:?}, &{value})?", field.name);
        let _ = match optional(&field) {
            true => writeln!(
                code,
                "if S::OMIT_ABSENT && ::core::option::Option::is_none(&self.{member}) {{ object.skip_field({:?})?; }} else {{ {write}; }}",
                field.name
            ),
            false => writeln!(code, "{write};"),
        };
    }
    code.push_str("object.end()\n} }\n");
}

fn conversions(types: &Types<'_>, message: &Message, code: &mut String) {
    let name = rust_type(&message.name);
    let _ = writeln!(
        code,
        "impl<S: Style> Lower<{name}<S>> for super::domain::{name} where u64: Lower<S::Unsigned> {{ fn lower(&self) -> {name}<S> {{ {name} {{"
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
        "style_: ::core::marker::PhantomData }} }} }}\n\
         impl<S: Style> Lift<super::domain::{name}> for {name}<S> {{ fn lift(self) -> ::core::result::Result<super::domain::{name}, LiftError> {{ ::core::result::Result::Ok(super::domain::{name} {{"
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
