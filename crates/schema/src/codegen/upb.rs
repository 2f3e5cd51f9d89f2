//! Objects for Google's own Protobuf runtime: what stands between the domain and the code that protoc generates, see
//! [`crate::protoc`].

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::names::{rust_field, rust_type, rust_variant};
use super::{CodegenError, Slot, Types, file_error, plain};
use crate::model::{Cardinality, Field, Message, Type};
use crate::protoc;

/// protoc's code for a payload, or why there is none.
pub enum Generated {
    /// A file with it.
    At(PathBuf),
    /// Not built, and what to install.
    Not(String),
}

/// Looks for code that is kept, then for a protoc.
pub fn generated(types: &Types<'_>, kept: Option<&Path>, own: &Path) -> Result<Generated, CodegenError> {
    if let Some(kept) = kept {
        let file = kept.join(format!("{}.rs", types.payload));
        println!("cargo::rerun-if-changed={}", file.display());
        if file.is_file() {
            return Ok(Generated::At(file));
        }
    }
    println!("cargo::rerun-if-env-changed={}", protoc::NAMED_BY);
    let Some(program) = protoc::find() else {
        return Ok(Generated::Not(protoc::not_built()));
    };
    let code = protoc::rust_code(types.definition, &program).map_err(|reason| CodegenError::Library {
        payload: types.payload.to_owned(),
        library: "protoc",
        reason,
    })?;
    let file = own.join("upb.rs");
    std::fs::write(&file, code).map_err(file_error(&file))?;
    Ok(Generated::At(file))
}

/// The module between protoc's code and the domain.
pub fn module(types: &Types<'_>, generated: &Generated) -> String {
    let Generated::At(file) = generated else {
        return String::new();
    };
    let mut code = format!(
        "mod message_proto {{ include!({:?}); }}\n\
         use self::message_proto::*;\n\
         use super::domain;\n\
         use ::wiredyno_codecs::convert::LiftError;\n\
         use ::wiredyno_codecs::touch::{{Digest, Touch}};\n",
        file.display().to_string()
    );
    for (index, message) in types.definition.messages.iter().enumerate() {
        fill(types, index, message, &mut code);
        touch(index, message, &mut code);
        lift(types, index, message, &mut code);
    }
    code
}

/// What the payload says to the codec.
pub fn types_impl(types: &Types<'_>, generated: &Generated) -> String {
    let root = rust_type(&types.definition.root().name);
    match generated {
        Generated::At(_) => format!(
            "const WHY_NOT: ::core::option::Option<&'static str> = ::core::option::Option::None;\n\
             type Object = upb::M0Object;\n\
             fn object(value: &domain::{root}) -> upb::M0Object {{ upb::object(value) }}\n\
             fn encode(object: &upb::M0Object) -> ::core::result::Result<::std::vec::Vec<u8>, ::wiredyno_codecs::Reason> {{ ::wiredyno_codecs::upb::encode(object) }}\n\
             fn decode(bytes: &[u8]) -> ::core::result::Result<upb::M0Object, ::wiredyno_codecs::Reason> {{ ::wiredyno_codecs::upb::decode(bytes) }}\n\
             fn touch(object: &upb::M0Object, digest: &mut ::wiredyno_codecs::touch::Digest) {{ upb::touch(object, digest); }}\n\
             fn domain(object: &upb::M0Object) -> ::core::result::Result<domain::{root}, ::wiredyno_codecs::Reason> {{ ::core::result::Result::Ok(upb::domain(object)?) }}"
        ),
        Generated::Not(why) => format!(
            "const WHY_NOT: ::core::option::Option<&'static str> = ::core::option::Option::Some({why:?});\n\
             type Object = ();\n\
             fn object(_: &domain::{root}) {{}}\n\
             fn encode(_: &()) -> ::core::result::Result<::std::vec::Vec<u8>, ::wiredyno_codecs::Reason> {{ ::core::result::Result::Err(::wiredyno_codecs::upb::not_built::<Self>()) }}\n\
             fn decode(_: &[u8]) -> ::core::result::Result<(), ::wiredyno_codecs::Reason> {{ ::core::result::Result::Err(::wiredyno_codecs::upb::not_built::<Self>()) }}\n\
             fn touch(_: &(), _: &mut ::wiredyno_codecs::touch::Digest) {{}}\n\
             fn domain(_: &()) -> ::core::result::Result<domain::{root}, ::wiredyno_codecs::Reason> {{ ::core::result::Result::Err(::wiredyno_codecs::upb::not_built::<Self>()) }}"
        ),
    }
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

/// Takes one element, an expression, into the digest.
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
            // Entries come in the order of a hash; equal values give equal digests.
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

/// The domain value of one element, an expression.
fn lifted(types: &Types<'_>, ty: Type, one: &str) -> String {
    match ty {
        Type::String => format!("::wiredyno_codecs::upb::text({one})"),
        Type::Bytes => format!("{one}.to_vec()"),
        Type::Enum(_) => format!("domain::{}::from_number(i32::from({one}))?", types.name(ty)),
        Type::Message(inner) => format!("domain_{inner}({one})?"),
        _ => one.to_owned(),
    }
}

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
                    Cardinality::Implicit if matches!(field.ty, Type::Message(_)) => writeln!(
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
