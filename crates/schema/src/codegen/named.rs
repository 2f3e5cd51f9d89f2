//! Objects for serde's self-describing codecs. `Serialize` is written out, because absent fields are left
//! out in one style and written in the other; `Deserialize` is, because serde's derive reads every message by names and by
//! places, of which each style has one.

use std::fmt::Write as _;

use super::names::{rust_field, rust_type, rust_variant};
use super::{Bound, PRELUDE, Slot, Types, lift_oneof, lower_member, plain, touch_impl};
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
        deserialize(types, message, &mut code);
        conversions(types, message, &mut code);
    }
    code
}

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
    let _ = writeln!(code, "pub struct {name}<S: Style> {{");
    for field in &message.fields {
        let _ = writeln!(code, "pub {}: {},", rust_field(&field.name), member_type(types, field));
    }
    let _ = writeln!(code, "pub style_: ::core::marker::PhantomData<S>,\n}}");
    let members: Vec<_> = message.fields.iter().map(|field| rust_field(&field.name)).collect();
    let defaults: String =
        members.iter().map(|member| format!("{member}: ::core::default::Default::default(), ")).collect();
    let _ = writeln!(
        code,
        "impl<S: Style> ::core::default::Default for {name}<S> {{ fn default() -> Self {{ {name} {{ {defaults}style_: ::core::marker::PhantomData }} }} }}"
    );
    code.push_str(&touch_impl(&format!("{name}<S>"), "<S: Style>", &members));
}

fn member_type(types: &Types<'_>, field: &Field) -> String {
    let key = match field.cardinality {
        Cardinality::Map(key) => plain(key),
        _ => "",
    };
    types.shape(field, &element(types, field.ty), key)
}

/// The type that reads a field which serde alone reads without bounds, or with keys of the wrong type.
fn bounded(types: &Types<'_>, field: &Field) -> Option<String> {
    match field.cardinality {
        Cardinality::Map(key) if key != Type::String => Some(format!(
            "::wiredyno_codecs::named::KeyedMap::<S, {}, {}>",
            plain(key),
            element(types, field.ty)
        )),
        _ => types.bounded(field).map(|bound| match bound {
            Bound::EmptyElements => {
                format!("::wiredyno_codecs::named::EmptyElements::<{}>", element(types, field.ty))
            }
            Bound::Nested => format!("::wiredyno_codecs::named::Nested::<{}>", member_type(types, field)),
        }),
    }
}

fn deserialize(types: &Types<'_>, message: &Message, code: &mut String) {
    let name = rust_type(&message.name);
    let names: Vec<String> = message.fields.iter().map(|field| format!("{:?}", field.name)).collect();
    let places: String =
        names.iter().enumerate().map(|(place, name)| format!("{name} => {place},\n")).collect();
    let _ = writeln!(
        code,
        "impl<'de, S: Style> ::serde::Deserialize<'de> for {name}<S> {{\n\
         fn deserialize<D: ::serde::Deserializer<'de>>(input: D) -> ::core::result::Result<Self, D::Error> {{ ::wiredyno_codecs::named::message::<S, Self, D>(input) }} }}\n\
         impl<'de, S: Style> ::wiredyno_codecs::named::Fields<'de> for {name}<S> {{\n\
         const NAME: &'static str = {:?};\n\
         const FIELDS: &'static [&'static str] = &[{}];\n\
         const REQUIRED: &'static [u64] = &{:?};\n\
         fn place(name: &str) -> usize {{ match name {{ {places} _ => {} }} }}",
        name.trim_start_matches("r#"),
        names.join(", "),
        required(message),
        names.len()
    );
    by_name(types, message, code);
    by_place(types, message, code);
    code.push_str("}\n");
}

/// In a message of more fields, reading a value is called: in place it is most of the code of all fields, with sonic-rs five times as
/// much, and no faster.
const MOST_MERGED_FIELDS: usize = 16;

/// Each value into its field of an object that is empty at first. Which fields came is seen in bits, once for all fields,
/// where serde's derive asks for each.
fn by_name(types: &Types<'_>, message: &Message, code: &mut String) {
    let mut arms = String::new();
    let value = if message.fields.len() > MOST_MERGED_FIELDS { "called_value" } else { "value" };
    for (place, field) in message.fields.iter().enumerate() {
        let value = match bounded(types, field) {
            Some(bounded) => format!("::wiredyno_codecs::named::{value}::<A, {bounded}>(&mut input)?.0"),
            None => format!("::wiredyno_codecs::named::{value}(&mut input)?"),
        };
        let _ = writeln!(arms, "{place} => object.{} = {value},", rust_field(&field.name));
    }
    let _ = writeln!(
        code,
        "fn by_name<A: ::serde::de::MapAccess<'de>>(mut input: A) -> ::core::result::Result<Self, A::Error> {{\n\
         let mut object = <Self as ::core::default::Default>::default();\n\
         let mut seen = [0u64; {}];\n\
         while let ::core::option::Option::Some(place) = ::wiredyno_codecs::named::next_place::<Self, A>(&mut input, &mut seen)? {{ match place {{\n{arms}\
         _ => {{ input.next_value::<::serde::de::IgnoredAny>()?; }} }} }}\n\
         ::wiredyno_codecs::named::complete::<Self, A::Error>(&seen)?;\n\
         ::core::result::Result::Ok(object) }}",
        required(message).len()
    );
}

/// A bit for each field that must come, 64 to a word.
fn required(message: &Message) -> Vec<u64> {
    let bit = |(at, field): (usize, &Field)| u64::from(field.cardinality != Cardinality::Optional) << at;
    message.fields.chunks(64).map(|fields| fields.iter().enumerate().map(bit).sum()).collect()
}

fn by_place(types: &Types<'_>, message: &Message, code: &mut String) {
    let mut members = String::new();
    for (place, field) in message.fields.iter().enumerate() {
        let member = rust_field(&field.name);
        let _ = match bounded(types, field) {
            Some(bounded) => {
                writeln!(
                    members,
                    "{member}: ::wiredyno_codecs::named::element::<Self, A, {bounded}>(&mut input, {place})?.0,"
                )
            }
            None => writeln!(
                members,
                "{member}: ::wiredyno_codecs::named::element::<Self, A, _>(&mut input, {place})?,"
            ),
        };
    }
    let _ = writeln!(
        code,
        "fn by_place<A: ::serde::de::SeqAccess<'de>>(mut input: A) -> ::core::result::Result<Self, A::Error> {{\n\
         ::core::result::Result::Ok({} {{\n{members}style_: ::core::marker::PhantomData }}) }}",
        rust_type(&message.name)
    );
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
         let absent = if S::OMIT_ABSENT {{ 0{absent} }} else {{ 0 }};\n\
         if const {{ S::TEXT_KEYS }} {{\n\
         use ::serde::ser::SerializeMap as _;\n\
         let mut object = serializer.serialize_map(::core::option::Option::Some({} - absent))?;",
        message.fields.len()
    );
    write_fields(message, "serialize_entry", |_| String::new(), code);
    let _ = writeln!(
        code,
        "object.end()\n}} else {{\n\
         use ::serde::ser::SerializeStruct as _;\n\
         let mut object = serializer.serialize_struct({:?}, {} - absent)?;",
        name.trim_start_matches("r#"),
        message.fields.len()
    );
    write_fields(message, "serialize_field", |field| format!("object.skip_field({:?})?;", field.name), code);
    code.push_str("object.end()\n} } }\n");
}

/// The calls that write the fields, absent ones by `skip` where they are left out.
fn write_fields(message: &Message, method: &str, skip: impl Fn(&Field) -> String, code: &mut String) {
    for field in &message.fields {
        let member = rust_field(&field.name);
        let value = match field.cardinality {
            Cardinality::Map(key) if key != Type::String => {
                format!("::wiredyno_codecs::named::Keyed::<S, _, _>::new(&self.{member})")
            }
            _ => format!("self.{member}"),
        };
        let write = format!("object.{method}({:?}, &{value})?", field.name);
        let _ = match field.cardinality {
            Cardinality::Optional => writeln!(
                code,
                "if S::OMIT_ABSENT && ::core::option::Option::is_none(&self.{member}) {{ {} }} else {{ {write}; }}",
                skip(field)
            ),
            _ => writeln!(code, "{write};"),
        };
    }
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
