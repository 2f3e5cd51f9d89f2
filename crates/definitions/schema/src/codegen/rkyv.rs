//! rkyv's derives on the domain types, and the walk over their archived forms. A definition that rkyv can't represent gets neither.

use std::fmt::Write as _;

use super::Types;
use super::domain::{touch_fields, touch_option};
use super::names::{rust_type, rust_value};
use crate::model::{Field, Type};

/// The suffix of an archived type's name: no type of a definition ends in it.
const SUFFIX: &str = "__Archived";

/// The attributes of a domain type, which include a name for its archived form.
pub fn archived(types: &Types<'_>, name: &str) -> String {
    if !types.archived || types.definition.why_not_rkyv().is_some() {
        return String::new();
    }
    let plain = name.trim_start_matches("r#");
    // The bounds are those that containers need but that the derives can't infer for recursive types.
    format!(
        "#[derive(::rkyv::Archive, ::rkyv::Serialize, ::rkyv::Deserialize)]\n\
         #[rkyv(archived = {plain}{SUFFIX}, resolver = {plain}__Resolver)]\n\
         #[rkyv(serialize_bounds(__S: ::rkyv::ser::Writer + ::rkyv::ser::Allocator, __S::Error: ::rkyv::rancor::Source))]\n\
         #[rkyv(deserialize_bounds(__D::Error: ::rkyv::rancor::Source))]\n\
         #[rkyv(bytecheck(bounds(__C: ::rkyv::validation::ArchiveContext, __C::Error: ::rkyv::rancor::Source)))]\n"
    )
}

/// The attribute for a field whose inferred bounds would lead back to the type itself.
pub fn omitted_bounds(types: &Types<'_>, field: &Field) -> &'static str {
    match field.ty {
        Type::Message(element)
            if types.archived
                && types.definition.why_not_rkyv().is_none()
                && types.contains_itself(element) =>
        {
            "#[rkyv(omit_bounds)] "
        }
        _ => "",
    }
}

/// The walk over archived values, in a submodule of the domain's module.
pub fn module(types: &Types<'_>) -> String {
    if types.definition.why_not_rkyv().is_some() {
        return String::new();
    }
    let mut code =
        "use ::wiredyno_codec::touch::Digest;\nuse ::wiredyno_codec_rkyv::TouchArchived as Touch;\n"
            .to_owned();
    code.push_str("use super::domain::*;\n");
    for declared in &types.definition.enums {
        let name = format!("{}{SUFFIX}", rust_type(&declared.name));
        let values = declared.values.iter();
        let numbers = values.map(|value| format!("{name}::{} => {},", rust_value(&value.name), value.number));
        let _ = writeln!(
            code,
            "impl Touch for {name} {{ fn touch(&self, digest: &mut Digest) {{ let number: i32 = match self {{ {} }}; Touch::touch(&number, digest); }} }}",
            numbers.collect::<String>()
        );
    }
    for message in &types.definition.messages {
        let _ = writeln!(
            code,
            "impl Touch for {}{SUFFIX} {{ fn touch(&self, digest: &mut Digest) {{ let _ = &digest; {} }} }}",
            rust_type(&message.name),
            touch_fields(types, message, SUFFIX)
        );
        for (index, oneof) in message.oneofs.iter().enumerate() {
            let name = format!("{}{SUFFIX}", types.oneof_name(message, index));
            let fields: Vec<&Field> = oneof.fields.iter().map(|at| &message.fields[*at]).collect();
            let _ = writeln!(code, "impl {name} {{ {} }}", touch_option(&name, &fields));
        }
    }
    code
}

/// The impl by which the payload's types configure the codec.
pub fn types_impl(types: &Types<'_>) -> String {
    let root = rust_type(&types.definition.root().name);
    match types.definition.why_not_rkyv() {
        None => format!(
            "const WHY_NOT: ::core::option::Option<&'static str> = ::core::option::Option::None;\n\
             type Object = domain::{root};\n\
             fn object(value: &domain::{root}) -> domain::{root} {{ ::core::clone::Clone::clone(value) }}\n\
             fn domain(object: domain::{root}) -> ::core::option::Option<domain::{root}> {{ ::core::option::Option::Some(object) }}"
        ),
        Some(why) => format!(
            "const WHY_NOT: ::core::option::Option<&'static str> = ::core::option::Option::Some({why:?});\n\
             type Object = ();\n\
             fn object(_: &domain::{root}) {{}}\n\
             fn domain(_: ()) -> ::core::option::Option<domain::{root}> {{ ::core::option::Option::None }}"
        ),
    }
}
