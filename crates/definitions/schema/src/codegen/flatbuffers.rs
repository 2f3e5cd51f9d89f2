//! Generates planus' code for the FlatBuffers schema that [`crate::idl`] lowers, the conversions and the walk.

use std::fmt::Write as _;
use std::path::Path;

use super::names::{planus_field, planus_name, rust_field, rust_type, rust_value};
use super::{CodegenError, PRELUDE, Slot, Types, file_error, lift_oneof, lower_member};
use crate::idl::Idl as _;
use crate::idl::fbs::Fbs;
use crate::idl::fbs::{BYTES_ELEMENT, has_repeated_bytes};
use crate::model::{Cardinality, Definition, Enum, Field, Message, Type};

/// A message's map fields, with the names of their entry tables.
pub fn entries(message: &Message) -> impl Iterator<Item = (&Field, String)> {
    let maps = message.fields.iter().filter(|field| matches!(field.cardinality, Cardinality::Map(_)));
    maps.map(|field| (field, rust_entry(message, field)))
}

/// The entry's name, which is the same in planus and in the schema.
fn rust_entry(message: &Message, field: &Field) -> String {
    crate::idl::entry_name(message, field)
}

impl Definition {
    /// Why planus can't generate code for the definition; `None` if it can. It converts names to Rust's cases, which can make them equal.
    pub fn why_not_planus(&self) -> Option<String> {
        let twice = |names: Vec<(String, String)>| {
            let mut known: Vec<(String, String)> = Vec::new();
            names.into_iter().find_map(|(name, own)| {
                if let Some((_, other)) = known.iter().find(|(known, _)| *known == name) {
                    return Some(format!(
                        "`{other}` and `{own}` are both `{name}` in the code of planus; rename one of them"
                    ));
                }
                known.push((name, own));
                None
            })
        };
        let messages = self.messages.iter();
        let mut types: Vec<(String, String)> =
            messages.map(|m| (planus_name(&m.name), m.full_name.clone())).collect();
        types.extend(self.enums.iter().map(|e| (planus_name(&e.name), e.full_name.clone())));
        for message in &self.messages {
            let entries = entries(message);
            types.extend(
                entries.map(|(field, name)| {
                    (name, format!("the entries of {}.{}", message.full_name, field.name))
                }),
            );
        }
        if has_repeated_bytes(self) {
            types.push((BYTES_ELEMENT.to_owned(), "the elements of repeated bytes".to_owned()));
        }
        let own = ["Lift", "LiftError", "Lower", "Digest", "Touch", "Walk", "WalkError", "WalkTable"];
        types.extend(own.map(|name| (name.to_owned(), "a name of this program".to_owned())));
        let fields = self.messages.iter().map(|message| {
            message.fields.iter().map(|field| (planus_field(&field.name), field.name.clone())).collect()
        });
        let values = self.enums.iter().map(|declared| {
            declared.values.iter().map(|value| (planus_name(&value.name), value.name.clone())).collect()
        });
        std::iter::once(types).chain(fields).chain(values).find_map(twice)
    }
}

/// The objects, and the schema that they are generated from.
pub fn module(types: &Types<'_>) -> Result<(String, String), CodegenError> {
    let schema = Fbs.lower(types.definition)?.text;
    if let Some(reason) = types.definition.why_not_planus() {
        return Err(CodegenError::Library { library: "planus", reason });
    }
    // The library reads only files.
    let desk = tempfile::tempdir().map_err(file_error(&std::env::temp_dir()))?;
    let file = desk.path().join("message.fbs");
    std::fs::write(&file, &schema).map_err(file_error(&file))?;
    Ok((objects(types, &file)?, schema))
}

fn objects(types: &Types<'_>, schema_file: &Path) -> Result<String, CodegenError> {
    let refused = |reason: String| CodegenError::Library { library: "planus", reason };
    let declarations = planus_translation::translate_files(&[schema_file])
        .ok_or_else(|| refused("see its messages above".to_owned()))?;
    let generated =
        planus_codegen::generate_rust(&declarations, false).map_err(|e| refused(e.to_string()))?;
    let mut code = trimmed(&generated);
    code.push_str(PRELUDE);
    code.push_str("use ::wiredyno_codec_flatbuffers::{Walk, WalkError, WalkTable};\n");
    for declared in &types.definition.enums {
        enumeration(declared, &mut code);
    }
    if has_repeated_bytes(types.definition) {
        let _ = writeln!(
            code,
            "impl Lower<{BYTES_ELEMENT}> for ::std::vec::Vec<u8> {{ fn lower(&self) -> {BYTES_ELEMENT} {{ {BYTES_ELEMENT} {{ value: Lower::lower(self) }} }} }}\n\
             impl Lift<::std::vec::Vec<u8>> for {BYTES_ELEMENT} {{ fn lift(self) -> ::core::result::Result<::std::vec::Vec<u8>, LiftError> {{ Lift::lift(self.value) }} }}"
        );
    }
    for message in &types.definition.messages {
        for (field, name) in entries(message) {
            walk_entry(field, &name, &mut code);
        }
        lower(types, message, &mut code);
        lift(types, message, &mut code);
        walk(message, &mut code);
    }
    Ok(code)
}

/// Removes what is unused here and would dominate the tables' compile time: derives, and planus' builders,
/// whose code grows with the square of the number of fields.
fn trimmed(code: &str) -> String {
    const BUILDER: &str = "/// Builder for serializing an instance of the [";
    const VIEW: &str = "/// Reference to a deserialized [";
    let mut kept = String::with_capacity(code.len());
    let mut rest = code;
    while let Some(start) = rest.find(BUILDER) {
        let Some(length) = rest[start..].find(VIEW) else {
            break;
        };
        kept.push_str(&rest[..start]);
        rest = &rest[start + length..];
    }
    kept.push_str(rest);
    let mut kept = without_builder_functions(&kept);
    for derive in ["::serde::Serialize, ::serde::Deserialize", "Eq, Ord, Hash,", ", PartialEq, PartialOrd,"] {
        kept = kept.replace(&format!("{derive}\n"), "\n");
    }
    // Enums keep their comparisons, which the tables' defaults need.
    kept.replace(", ::serde::Serialize, ::serde::Deserialize)]", ")]")
}

/// Removes `pub fn builder()`, whose return type was removed.
fn without_builder_functions(code: &str) -> String {
    let mut kept = String::with_capacity(code.len());
    let mut lines = code.lines();
    while let Some(line) = lines.next() {
        if line.trim_start().starts_with("pub fn builder() -> ") {
            // Skip its body and closing brace; the attribute above it then applies to the next function.
            lines.next();
            lines.next();
        } else {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}

fn enumeration(declared: &Enum, code: &mut String) {
    let name = planus_name(&declared.name);
    let domain = format!("super::domain::{}", rust_type(&declared.name));
    let pairs = |pair: &dyn Fn(&str, &str) -> String| -> String {
        let values = declared.values.iter();
        values.map(|value| pair(&rust_value(&value.name), &planus_name(&value.name))).collect()
    };
    let _ = writeln!(
        code,
        "impl Lower<{name}> for {domain} {{ fn lower(&self) -> {name} {{ match self {{ {} }} }} }}\n\
         impl Lift<{domain}> for {name} {{ fn lift(self) -> ::core::result::Result<{domain}, LiftError> {{ ::core::result::Result::Ok(match self {{ {} }}) }} }}\n\
         impl Touch for {name} {{ #[inline] fn touch(&self, digest: &mut Digest) {{ Touch::touch(&(*self as i32), digest); }} }}",
        pairs(&|own, planus| format!("{domain}::{own} => {name}::{planus},")),
        pairs(&|own, planus| format!("{name}::{planus} => {domain}::{own},")),
    );
}

fn is_message(field: &Field) -> bool {
    matches!(field.ty, Type::Message(_))
}

fn lower(types: &Types<'_>, message: &Message, code: &mut String) {
    let (name, domain) = (planus_name(&message.name), rust_type(&message.name));
    let _ = writeln!(
        code,
        "impl Lower<{name}> for super::domain::{domain} {{ fn lower(&self) -> {name} {{ {name} {{"
    );
    for field in &message.fields {
        let member = rust_field(&field.name);
        let through = if field.boxed { "&**value" } else { "value" };
        let value = match (field.oneof, field.cardinality) {
            (Some(oneof), _) if is_message(field) => lower_member(
                types,
                message,
                oneof,
                field,
                &format!("::std::boxed::Box::new(Lower::lower({through}))"),
            ),
            (Some(oneof), _) => lower_member(types, message, oneof, field, "Lower::lower(value)"),
            (None, Cardinality::Optional) if is_message(field) => {
                format!("self.{member}.as_ref().map(|value| ::std::boxed::Box::new(Lower::lower({through})))")
            }
            (None, Cardinality::Implicit) if is_message(field) => {
                format!("::std::boxed::Box::new(Lower::lower(&self.{member}))")
            }
            (None, Cardinality::Map(_)) => {
                let value = match is_message(field) {
                    true => "::std::boxed::Box::new(Lower::lower(value))",
                    false => "Lower::lower(value)",
                };
                format!(
                    "(!self.{member}.is_empty()).then(|| self.{member}.iter().map(|(key, value)| {} {{ key: Lower::lower(key), value: {value} }}).collect())",
                    rust_entry(message, field)
                )
            }
            (None, _) => format!("Lower::lower(&self.{member})"),
        };
        let _ = writeln!(code, "{}: {value},", planus_field(&field.name));
    }
    code.push_str("} } }\n");
}

fn lift(types: &Types<'_>, message: &Message, code: &mut String) {
    let (name, domain) = (planus_name(&message.name), rust_type(&message.name));
    let _ = writeln!(
        code,
        "impl Lift<super::domain::{domain}> for {name} {{ fn lift(self) -> ::core::result::Result<super::domain::{domain}, LiftError> {{ ::core::result::Result::Ok(super::domain::{domain} {{"
    );
    let unboxed = |field: &Field| match (is_message(field), field.boxed) {
        (true, true) => "::std::boxed::Box::new(Lift::lift(*value)?)",
        (true, false) => "Lift::lift(*value)?",
        (false, _) => "Lift::lift(value)?",
    };
    for slot in types.slots(message) {
        let (member, value) = match slot {
            Slot::Oneof(oneof) => (
                rust_field(&message.oneofs[oneof].name),
                lift_oneof(types, message, oneof, planus_field, |field| unboxed(field).to_owned()),
            ),
            Slot::Field(field) => {
                let own = planus_field(&field.name);
                let value = match field.cardinality {
                    Cardinality::Optional if is_message(field) => format!(
                        "match self.{own} {{ ::core::option::Option::Some(value) => ::core::option::Option::Some({}), ::core::option::Option::None => ::core::option::Option::None }}",
                        unboxed(field)
                    ),
                    Cardinality::Implicit if is_message(field) => format!("Lift::lift(*self.{own})?"),
                    Cardinality::Map(_) => format!(
                        "self.{own}.unwrap_or_default().into_iter().map(|entry| {{ let value = entry.value; ::core::result::Result::Ok((Lift::lift(entry.key)?, {})) }}).collect::<::core::result::Result<_, LiftError>>()?",
                        unboxed(field)
                    ),
                    _ => format!("Lift::lift(self.{own})?"),
                };
                (rust_field(&field.name), value)
            }
        };
        let _ = writeln!(code, "{member}: {value},");
    }
    code.push_str("}) } }\n");
}

/// Code that touches one present element called `value`.
fn visit(ty: Type) -> &'static str {
    match ty {
        Type::String => "walk.bytes(value.as_bytes())?;",
        Type::Bytes => "walk.bytes(value)?;",
        Type::Message(_) => "walk.table(value)?;",
        _ => "walk.scalar(value);",
    }
}

/// Code for a field without presence, whose text or byte string may be omitted.
fn visit_implicit(ty: Type, access: &str) -> String {
    match ty {
        Type::String | Type::Bytes => format!(
            "match {access}? {{ ::core::option::Option::Some(value) => {{ {} }} ::core::option::Option::None => walk.nothing() }}\n",
            visit(ty)
        ),
        _ => format!("{{ let value = {access}?; {} }}\n", visit(ty)),
    }
}

fn stride(ty: Type) -> u32 {
    match ty {
        Type::Bool | Type::Enum(_) => 1,
        Type::I64 | Type::U64 | Type::F64 => 8,
        _ => 4,
    }
}

fn walk(message: &Message, code: &mut String) {
    let name = planus_name(&message.name);
    let _ = writeln!(
        code,
        "impl<'a> WalkTable for {name}Ref<'a> {{ fn walk(&self, walk: &mut Walk) -> ::core::result::Result<(), WalkError> {{ let _ = &walk;"
    );
    for field in &message.fields {
        let access = format!("self.{}()", planus_field(&field.name));
        match field.cardinality {
            Cardinality::Implicit => code.push_str(&visit_implicit(field.ty, &access)),
            Cardinality::Optional => {
                let _ = writeln!(
                    code,
                    "match {access}? {{ ::core::option::Option::Some(value) => {{ walk.present(true); {} }} ::core::option::Option::None => walk.present(false) }}",
                    visit(field.ty)
                );
            }
            Cardinality::Repeated | Cardinality::Map(_) => {
                let is_map = matches!(field.cardinality, Cardinality::Map(_));
                let element = match field.ty {
                    _ if is_map => "walk.table(value?)?;".to_owned(),
                    Type::Bytes => {
                        let inner = visit_implicit(Type::Bytes, "value.value()");
                        format!("let value = value?; {inner}")
                    }
                    Type::String | Type::Message(_) | Type::Enum(_) => {
                        format!("let value = value?; {}", visit(field.ty))
                    }
                    _ => visit(field.ty).to_owned(),
                };
                let stride = if is_map { 4 } else { stride(field.ty) };
                let _ = writeln!(
                    code,
                    "match {access}? {{ ::core::option::Option::Some(list) => {{ walk.list(list.len(), {stride})?; for value in list {{ {element} }} }} ::core::option::Option::None => walk.nothing() }}"
                );
            }
        }
    }
    code.push_str("::core::result::Result::Ok(()) } }\n");
}

fn walk_entry(field: &Field, name: &str, code: &mut String) {
    let Cardinality::Map(key) = field.cardinality else {
        return;
    };
    let _ = writeln!(
        code,
        "impl<'a> WalkTable for {name}Ref<'a> {{ fn walk(&self, walk: &mut Walk) -> ::core::result::Result<(), WalkError> {{\n{}{}::core::result::Result::Ok(()) }} }}",
        visit_implicit(key, "self.key()"),
        visit_implicit(field.ty, "self.value()")
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Keywords of FlatBuffers' language and of Rust.
    const WORDS: &str = "namespace table struct enum union root_type include attribute rpc_service file_identifier file_extension \
        native_include abstract as async await become box break const continue crate do dyn else extern false final fn for gen if impl \
        in let loop macro match mod move mut override priv pub ref return self static super trait true try type typeof unsafe unsized \
        use virtual where while yield create builder string bool key value";

    #[test]
    fn a_field_is_called_as_the_code_of_planus_calls_it() {
        for word in WORDS.split_whitespace() {
            let schema =
                format!("table A {{\n  {}: int;\n}}\nroot_type A;\n", crate::idl::fbs::field_name(word));
            let desk = tempfile::tempdir().unwrap();
            let file = desk.path().join("message.fbs");
            std::fs::write(&file, schema).unwrap();
            let declarations =
                planus_translation::translate_files(&[&file]).unwrap_or_else(|| panic!("{word}"));
            let code = planus_codegen::generate_rust(&declarations, false).unwrap();
            let field = format!("pub {}: i32", planus_field(word));
            assert!(code.contains(&field), "{word}: no {field:?}");
            assert_ne!(planus_field(word), "gen", "planus does not escape it");
        }
    }
}
