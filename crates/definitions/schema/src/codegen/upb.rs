//! Objects for Google's own Protobuf runtime: conversions between the domain and the code that protoc generates, see
//! [`super::protoc`].

use std::fmt::Write as _;

use wiredyno_contract::DeclaredCodec;

use super::names::{rust_field, rust_type, rust_variant};
use super::protoc;
use super::{CodegenError, Slot, Types, plain};
use crate::model::{Cardinality, Field, Message, Type};

/// The name of the codec's need that generates the code.
const PROTOC: &str = "protoc";

/// The code that the protoc of the codec's need generates for the definition.
///
/// # Errors
/// When the required protoc is missing or fails.
pub fn code(types: &Types<'_>, codec: &DeclaredCodec) -> Result<String, CodegenError> {
    let failed = |reason: String| CodegenError::Library { library: "protoc", reason };
    let need = codec.needs.iter().find(|need| need.name == PROTOC);
    let need = need.ok_or_else(|| failed(format!("`{}` does not declare it among its needs", codec.id)))?;
    let program = wiredyno_needs::program(need).map_err(|lack| failed(lack.to_string()))?;
    protoc::rust_code(types.definition, &program).map_err(failed)
}

/// The module that converts between protoc's objects and the domain.
pub fn module(types: &Types<'_>) -> String {
    let mut code = "use super::message_proto::*;\n\
         use super::domain;\n\
         use ::wiredyno_codec::convert::LiftError;\n\
         use ::wiredyno_codec::touch::{Digest, Touch};\n"
        .to_owned();
    for (index, message) in types.definition.messages.iter().enumerate() {
        fill(types, index, message, &mut code);
        touch(index, message, &mut code);
        lift(types, index, message, &mut code);
    }
    code
}

/// The impl by which the payload's types configure the codec.
pub fn types_impl(types: &Types<'_>) -> String {
    let root = rust_type(&types.definition.root().name);
    format!(
        "type Object = objects::M0Object;\n\
         fn object(value: &domain::{root}) -> objects::M0Object {{ objects::object(value) }}\n\
         fn encode(object: &objects::M0Object) -> ::core::result::Result<::std::vec::Vec<u8>, ::wiredyno_codec::Reason> {{ ::wiredyno_codec_upb::encode(object) }}\n\
         fn decode(bytes: &[u8]) -> ::core::result::Result<objects::M0Object, ::wiredyno_codec::Reason> {{ ::wiredyno_codec_upb::decode(bytes) }}\n\
         fn touch(object: &objects::M0Object, digest: &mut ::wiredyno_codec::touch::Digest) {{ objects::touch(object, digest); }}\n\
         fn domain(object: &objects::M0Object) -> ::core::result::Result<domain::{root}, ::wiredyno_codec::Reason> {{ ::core::result::Result::Ok(objects::domain(object)?) }}"
    )
}

/// The argument that sets one present element called `one`, a reference.
fn argument(ty: Type) -> String {
    match ty {
        Type::String => "one.as_str()".to_owned(),
        Type::Bytes => "one.as_slice()".to_owned(),
        Type::Enum(index) => format!("E{index}::from(one.number())"),
        _ => "*one".to_owned(),
    }
}

#[expect(
    clippy::too_many_lines,
    reason = "the cases of a field, in the order of `Cardinality`, all of which append to one text"
)]
fn fill(types: &Types<'_>, index: usize, message: &Message, code: &mut String) {
    let name = rust_type(&message.name);
    let _ = writeln!(code, "fn fill_{index}(value: &domain::{name}, out: &mut M{index}Mut<'_>) {{");
    let set = |field: &Field| {
        let number = field.number;
        match field.ty {
            Type::Message(inner) => {
                format!(
                    "fill_{inner}({}, &mut out.f{number}_mut());",
                    if field.boxed { "&**one" } else { "one" }
                )
            }
            ty => format!("out.set_f{number}({});", argument(ty)),
        }
    };
    for slot in types.slots(message) {
        let _ = match slot {
            Slot::Field(field) => {
                let (member, number) = (rust_field(&field.name), field.number);
                match field.cardinality {
                    Cardinality::Implicit => {
                        writeln!(code, "{{ let one = &value.{member}; {} }}", set(field))
                    }
                    Cardinality::Optional => writeln!(
                        code,
                        "if let ::core::option::Option::Some(one) = &value.{member} {{ {} }}",
                        set(field)
                    ),
                    Cardinality::Repeated => {
                        let element = match field.ty {
                            Type::Message(inner) => format!("fill_{inner}(one, &mut list.push_default());"),
                            ty => format!("list.push({});", argument(ty)),
                        };
                        writeln!(
                            code,
                            "if !value.{member}.is_empty() {{ let mut list = out.f{number}_mut(); for one in &value.{member} {{ {element} }} }}"
                        )
                    }
                    Cardinality::Map(key) => {
                        let key = argument(key).replace("one", "key");
                        let (made, element) = match field.ty {
                            Type::Message(inner) => (
                                format!(
                                    "let mut made = M{inner}::new(); fill_{inner}(one, &mut made.as_mut());"
                                ),
                                "made".to_owned(),
                            ),
                            ty => (String::new(), argument(ty)),
                        };
                        writeln!(
                            code,
                            "if !value.{member}.is_empty() {{ let mut map = out.f{number}_mut(); for (key, one) in &value.{member} {{ {made} map.insert({key}, {element}); }} }}"
                        )
                    }
                }
            }
            Slot::Oneof(oneof) => {
                let member = rust_field(&message.oneofs[oneof].name);
                let choice = types.oneof_name(message, oneof);
                let required = message.oneofs[oneof].required;
                let arms: String = message.oneofs[oneof]
                    .fields
                    .iter()
                    .map(|at| {
                        let field = &message.fields[*at];
                        let own = format!("domain::{choice}::{}(one)", rust_variant(&field.name));
                        let pattern =
                            if required { own } else { format!("::core::option::Option::Some({own})") };
                        format!("{pattern} => {{ {} }}", set(field))
                    })
                    .collect();
                let none = if required { "" } else { "::core::option::Option::None => {}" };
                writeln!(code, "match &value.{member} {{ {arms} {none} }}")
            }
        };
    }
    code.push_str("}\n");
    if index == 0 {
        let _ = writeln!(
            code,
            "pub type M0Object = M0;\n\
             pub fn object(value: &domain::{name}) -> M0 {{ let mut object = M0::new(); fill_0(value, &mut object.as_mut()); object }}\n\
             pub fn touch(object: &M0, digest: &mut Digest) {{ touch_0(object.as_view(), digest); }}\n\
             pub fn domain(object: &M0) -> ::core::result::Result<domain::{name}, LiftError> {{ domain_0(object.as_view()) }}"
        );
    }
}

/// Code that adds one element, an expression, to the digest.
fn visit(ty: Type, one: &str) -> String {
    match ty {
        Type::String => format!("digest.bytes({one}.as_bytes());"),
        Type::Bytes => format!("digest.bytes({one});"),
        Type::Enum(_) => format!("Touch::touch(&i32::from({one}), digest);"),
        Type::Message(inner) => format!("touch_{inner}({one}, digest);"),
        _ => format!("Touch::touch(&{one}, digest);"),
    }
}

fn touch(index: usize, message: &Message, code: &mut String) {
    let _ =
        writeln!(code, "fn touch_{index}(view: M{index}View<'_>, digest: &mut Digest) {{ let _ = &digest;");
    for field in &message.fields {
        let number = field.number;
        let _ = match field.cardinality {
            Cardinality::Implicit => writeln!(code, "{}", visit(field.ty, &format!("view.f{number}()"))),
            Cardinality::Optional => writeln!(
                code,
                "if view.has_f{number}() {{ digest.number(1); {} }} else {{ digest.number(0); }}",
                visit(field.ty, &format!("view.f{number}()"))
            ),
            Cardinality::Repeated => writeln!(
                code,
                "{{ let list = view.f{number}(); digest.number(list.len() as u64); for one in list {{ {} }} }}",
                visit(field.ty, "one")
            ),
            // Entries come in hash order; equal values must give equal digests.
            Cardinality::Map(key) => writeln!(
                code,
                "{{ let map = view.f{number}(); digest.number(map.len() as u64); let mut entries: ::std::vec::Vec<_> = map.into_iter().collect(); entries.sort_by(|a, b| {order}); for (key, one) in entries {{ {} {} }} }}",
                visit(key, "key"),
                visit(field.ty, "one"),
                order =
                    if key == Type::String { "a.0.as_bytes().cmp(b.0.as_bytes())" } else { "a.0.cmp(&b.0)" },
            ),
        };
    }
    code.push_str("}\n");
}

/// Code for the domain value of one element, an expression.
fn lifted(types: &Types<'_>, ty: Type, one: &str) -> String {
    match ty {
        Type::String => format!("::wiredyno_codec_upb::text({one})"),
        Type::Bytes => format!("{one}.to_vec()"),
        Type::Enum(_) => format!("domain::{}::from_number(i32::from({one}))?", types.name(ty)),
        Type::Message(inner) => format!("domain_{inner}({one})?"),
        _ => one.to_owned(),
    }
}

#[expect(
    clippy::too_many_lines,
    reason = "the cases of a field, in the order of `Cardinality`, all of which append to one text"
)]
fn lift(types: &Types<'_>, index: usize, message: &Message, code: &mut String) {
    let name = rust_type(&message.name);
    let _ = writeln!(
        code,
        "fn domain_{index}(view: M{index}View<'_>) -> ::core::result::Result<domain::{name}, LiftError> {{ ::core::result::Result::Ok(domain::{name} {{"
    );
    let get = |field: &Field| {
        let one = lifted(types, field.ty, &format!("view.f{}()", field.number));
        if field.boxed { format!("::std::boxed::Box::new({one})") } else { one }
    };
    for slot in types.slots(message) {
        let _ = match slot {
            Slot::Field(field) => {
                let (member, number) = (rust_field(&field.name), field.number);
                match field.cardinality {
                    Cardinality::Implicit if field.required => writeln!(
                        code,
                        "{member}: if view.has_f{number}() {{ {} }} else {{ return ::core::result::Result::Err(LiftError::Missing {{ name: {:?} }}) }},",
                        get(field),
                        field.name
                    ),
                    Cardinality::Implicit => writeln!(code, "{member}: {},", get(field)),
                    Cardinality::Optional => writeln!(
                        code,
                        "{member}: if view.has_f{number}() {{ ::core::option::Option::Some({}) }} else {{ ::core::option::Option::None }},",
                        get(field)
                    ),
                    Cardinality::Repeated => writeln!(
                        code,
                        "{member}: {{ let mut list = ::std::vec::Vec::with_capacity(view.f{number}().len()); for one in view.f{number}() {{ list.push({}); }} list }},",
                        lifted(types, field.ty, "one")
                    ),
                    Cardinality::Map(key) => writeln!(
                        code,
                        "{member}: {{ let mut map = ::std::collections::BTreeMap::<{}, _>::new(); for (key, one) in view.f{number}() {{ map.insert({}, {}); }} map }},",
                        plain(key),
                        lifted(types, key, "key"),
                        lifted(types, field.ty, "one")
                    ),
                }
            }
            Slot::Oneof(oneof) => {
                let declared = &message.oneofs[oneof];
                let choice = types.oneof_name(message, oneof);
                let tries: String = declared
                    .fields
                    .iter()
                    .map(|at| {
                        let field = &message.fields[*at];
                        format!(
                            "if view.has_f{}() {{ ::core::option::Option::Some(domain::{choice}::{}({})) }} else ",
                            field.number,
                            rust_variant(&field.name),
                            get(field)
                        )
                    })
                    .collect();
                let found = format!("{tries}{{ ::core::option::Option::None }}");
                let member = rust_field(&declared.name);
                match declared.required {
                    true => writeln!(
                        code,
                        "{member}: ({found}).ok_or(LiftError::Missing {{ name: {:?} }})?,",
                        declared.name
                    ),
                    false => writeln!(code, "{member}: {found},"),
                }
            }
        };
    }
    code.push_str("}) }\n");
}
