//! Domain types: plain Rust, as an application would hold the data.

use std::fmt::Write as _;

use super::names::{rust_field, rust_type, rust_value, rust_variant};
use super::{PRELUDE, Slot, Types, plain, rkyv};
use crate::model::{Cardinality, Field, Message, Type};

pub fn module(types: &Types<'_>) -> String {
    let mut code = PRELUDE.replace("::{Lift, LiftError, Lower}", "::LiftError");
    code.push_str("use ::wiredyno_codec::differ::{Differ, member};\n");
    for declared in &types.definition.enums {
        enumeration(types, declared, &mut code);
    }
    for message in &types.definition.messages {
        structure(types, message, &mut code);
        for oneof in 0..message.oneofs.len() {
            choice(types, message, oneof, &mut code);
        }
    }
    root(types, &mut code);
    code
}

fn element(types: &Types<'_>, ty: Type) -> String {
    match ty {
        Type::Enum(_) | Type::Message(_) => types.name(ty),
        _ => plain(ty).to_owned(),
    }
}

fn field_type(types: &Types<'_>, field: &Field) -> String {
    let key = match field.cardinality {
        Cardinality::Map(key) => plain(key),
        _ => "",
    };
    types.shape(field, &element(types, field.ty), key)
}

fn enumeration(types: &Types<'_>, declared: &crate::model::Enum, code: &mut String) {
    let name = rust_type(&declared.name);
    let _ = writeln!(
        code,
        "#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]\n{}pub enum {name} {{",
        rkyv::archived(types, &name)
    );
    // In the order in which formats number them.
    for value in declared.ascending() {
        let _ = writeln!(code, "{},", rust_value(&value.name));
    }
    let numbers: String = declared
        .values
        .iter()
        .map(|value| format!("{name}::{} => {},", rust_value(&value.name), value.number))
        .collect();
    let _ = write!(
        code,
        "}}\nimpl {name} {{ #[inline] pub const fn number(self) -> i32 {{ match self {{ {numbers} }} }}\n\
         pub fn from_number(number: i32) -> ::core::result::Result<{name}, LiftError> {{ match number {{\n"
    );
    for value in &declared.values {
        let _ = writeln!(
            code,
            "{} => ::core::result::Result::Ok({name}::{}),",
            value.number,
            rust_value(&value.name)
        );
    }
    let _ = writeln!(
        code,
        "_ => ::core::result::Result::Err(LiftError::UnknownEnumNumber {{ name: {:?}, number: number as i64 }}) }} }} }}",
        declared.name
    );
    let _ = writeln!(
        code,
        "impl Touch for {name} {{ fn touch(&self, digest: &mut Digest) {{ Touch::touch(&self.number(), digest); }} }}\n\
         impl Differ for {name} {{ fn differ(&self, other: &Self) -> ::core::option::Option<::std::string::String> {{ ::wiredyno_codec::differ::leaf(self == other, self, other) }} }}"
    );
}

fn structure(types: &Types<'_>, message: &Message, code: &mut String) {
    let name = rust_type(&message.name);
    let slots = types.slots(message);
    let _ = writeln!(code, "#[derive(Clone, Debug)]\n{}pub struct {name} {{", rkyv::archived(types, &name));
    let mut members = Vec::new();
    for slot in &slots {
        let (member, ty) = match slot {
            Slot::Field(field) => (rust_field(&field.name), field_type(types, field)),
            Slot::Oneof(oneof) => (
                rust_field(&message.oneofs[*oneof].name),
                match message.oneofs[*oneof].required {
                    true => types.oneof_name(message, *oneof),
                    false => format!("::core::option::Option<{}>", types.oneof_name(message, *oneof)),
                },
            ),
        };
        let bounds = match slot {
            Slot::Field(field) => rkyv::omitted_bounds(types, field),
            Slot::Oneof(oneof) => {
                let fields = message.oneofs[*oneof].fields.iter();
                fields.map(|at| rkyv::omitted_bounds(types, &message.fields[*at])).max().unwrap_or_default()
            }
        };
        let _ = writeln!(code, "{bounds}pub {member}: {ty},");
        let own = match slot {
            Slot::Field(field) => &field.name,
            Slot::Oneof(oneof) => &message.oneofs[*oneof].name,
        };
        members.push((member, own));
    }
    let _ = writeln!(code, "}}");
    let _ = writeln!(
        code,
        "impl Touch for {name} {{ fn touch(&self, digest: &mut Digest) {{ let _ = &digest; {} }} }}",
        touch_fields(types, message, "")
    );
    let _ = writeln!(
        code,
        "impl Differ for {name} {{ fn differ(&self, other: &Self) -> ::core::option::Option<::std::string::String> {{ let _ = other;"
    );
    for (member, own) in &members {
        let _ = writeln!(
            code,
            "if let ::core::option::Option::Some(found) = member({:?}, &self.{member}, &other.{member}) {{ return ::core::option::Option::Some(found); }}",
            own
        );
    }
    let _ = writeln!(
        code,
        "::core::option::Option::None }} }}\n\
         impl ::core::cmp::PartialEq for {name} {{ fn eq(&self, other: &Self) -> bool {{ Differ::differ(self, other).is_none() }} }}"
    );
}

/// Touches the members of a struct or of its archived form, whose enums' names end in `suffix`. The members of a
/// oneof are touched as the optional fields that other objects have in its place.
pub fn touch_fields(types: &Types<'_>, message: &Message, suffix: &str) -> String {
    let touched = types.slots(message).into_iter().map(|slot| match slot {
        Slot::Field(field) => format!("Touch::touch(&self.{}, digest);", rust_field(&field.name)),
        Slot::Oneof(oneof) => {
            let member = rust_field(&message.oneofs[oneof].name);
            let value = match message.oneofs[oneof].required {
                true => format!("::core::option::Option::Some(&self.{member})"),
                false => format!("self.{member}.as_ref()"),
            };
            format!("{}{suffix}::touch_option({value}, digest);", types.oneof_name(message, oneof))
        }
    });
    touched.collect()
}

/// The generated function that touches a oneof's enum as optional fields.
pub fn touch_option(name: &str, fields: &[&Field]) -> String {
    let touched = fields.iter().map(|field| {
        format!(
            "match this {{ ::core::option::Option::Some({name}::{}(value)) => {{ digest.number(1); Touch::touch(value, digest); }} _ => digest.number(0) }}",
            rust_variant(&field.name)
        )
    });
    format!(
        "pub(super) fn touch_option(this: ::core::option::Option<&{name}>, digest: &mut Digest) {{ {} }}",
        touched.collect::<String>()
    )
}

fn choice(types: &Types<'_>, message: &Message, oneof: usize, code: &mut String) {
    let name = types.oneof_name(message, oneof);
    let fields: Vec<&Field> = message.oneofs[oneof].fields.iter().map(|i| &message.fields[*i]).collect();
    let _ = writeln!(code, "#[derive(Clone, Debug)]\n{}pub enum {name} {{", rkyv::archived(types, &name));
    for field in &fields {
        let element = element(types, field.ty);
        let element = if field.boxed { format!("::std::boxed::Box<{element}>") } else { element };
        let bounds = rkyv::omitted_bounds(types, field);
        let _ = writeln!(code, "{}({bounds}{element}),", rust_variant(&field.name));
    }
    let _ = writeln!(code, "}}\nimpl {name} {{ {} }}", touch_option(&name, &fields));
    let _ = writeln!(
        code,
        "impl Differ for {name} {{ fn differ(&self, other: &Self) -> ::core::option::Option<::std::string::String> {{ match (self, other) {{"
    );
    for field in &fields {
        let variant = rust_variant(&field.name);
        let _ = writeln!(
            code,
            "({name}::{variant}(this), {name}::{variant}(that)) => member({:?}, this, that),",
            field.name
        );
    }
    if fields.len() > 1 {
        let _ = writeln!(code, "_ => ::wiredyno_codec::differ::leaf(false, self, other),");
    }
    let _ = writeln!(code, "}} }} }}");
}

fn root(types: &Types<'_>, code: &mut String) {
    let name = rust_type(&types.definition.root().name);
    let member = types.definition.sequence_path().map(|path| {
        let names: Vec<String> = path.iter().map(|field| rust_field(&field.name)).collect();
        names.join(".")
    });
    let (set, span) = match types.definition.sequence_field().zip(member) {
        Some((field, member)) if let Some((min, max)) = field.options.range => (
            format!(
                "::wiredyno_codec::sequence::RangedSequence::set_sequence_in(&mut self.{member}, number, {min}, {max});"
            ),
            format!("::core::option::Option::Some(::wiredyno_codec::sequence::ranged_span({min}, {max}))"),
        ),
        Some((_, member)) => (
            format!("::wiredyno_codec::sequence::Sequence::set_sequence(&mut self.{member}, number);"),
            format!(
                "::core::option::Option::Some(::wiredyno_codec::sequence::Sequence::sequence_span(&self.{member}))"
            ),
        ),
        None => ("let _ = number;".to_owned(), "::core::option::Option::None".to_owned()),
    };
    let _ = writeln!(
        code,
        "impl ::wiredyno_codec::Domain for {name} {{\n\
         fn first_difference(&self, other: &Self) -> ::core::option::Option<::std::string::String> {{ ::wiredyno_codec::differ::first(self, other) }}\n\
         fn set_sequence(&mut self, number: u64) {{ {set} }}\n\
         fn sequence_span(&self) -> ::core::option::Option<u64> {{ {span} }}\n}}"
    );
}
