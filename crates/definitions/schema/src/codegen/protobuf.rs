//! Objects for Protobuf: prost-build's code for the flattened messages, and the conversions.

use std::collections::HashMap;
use std::fmt::Write as _;

use prost_types::{DescriptorProto, FieldOptions, FileDescriptorProto, FileDescriptorSet};

use super::names::{prost_module, proto_field, rust_field, rust_type, rust_variant};
use super::{CodegenError, PRELUDE, Slot, Types};
use crate::model::Message;

pub fn module(types: &Types<'_>) -> Result<String, CodegenError> {
    let refused = |reason: String| CodegenError::Library { library: "prost-build", reason };
    let file = flat_file(types).map_err(refused)?;
    let mut config = prost_build::Config::new();
    config.btree_map(["."]).skip_debug(["."]).format(false);
    let request = vec![(prost_build::Module::from_protobuf_package_name("flat"), file)];
    let generated = config.generate(request).map_err(|error| refused(error.to_string()))?;
    let mut code: String = generated.into_values().collect();
    code.push_str(PRELUDE);
    for declared in &types.definition.enums {
        let domain = format!("super::domain::{}", rust_type(&declared.name));
        let _ = writeln!(
            code,
            "impl Lower<i32> for {domain} {{ #[inline] fn lower(&self) -> i32 {{ self.number() }} }}\n\
             impl Lift<{domain}> for i32 {{ #[inline] fn lift(self) -> ::core::result::Result<{domain}, LiftError> {{ {domain}::from_number(self) }} }}"
        );
    }
    for message in &types.definition.messages {
        lower(types, message, &mut code);
        lift(types, message, &mut code);
        touch(types, message, &mut code);
    }
    Ok(code)
}

/// One file with all reachable messages and enums at the top level, under the domain's names.
fn flat_file(types: &Types<'_>) -> Result<FileDescriptorProto, String> {
    let pool = types.definition.descriptor.parent_pool();
    let messages = types.definition.messages.iter().map(|m| (&m.full_name, &m.name));
    let enums = types.definition.enums.iter().map(|e| (&e.full_name, &e.name));
    let renamed: HashMap<String, String> = messages
        .chain(enums)
        .map(|(full, name)| (format!(".{full}"), rust_type(name).trim_start_matches("r#").to_owned()))
        .collect();
    let mut file = FileDescriptorProto {
        name: Some("flat.proto".to_owned()),
        package: Some("flat".to_owned()),
        syntax: Some("proto3".to_owned()),
        ..Default::default()
    };
    let rename = |message: &mut DescriptorProto, own: &str, flat: &str| {
        for field in &mut message.field {
            field.options = layout_options(field.options.as_ref());
            if let Some(name) = &field.type_name {
                let entry = name.strip_prefix(&format!(".{own}.")).filter(|_| !renamed.contains_key(name));
                field.type_name = match (renamed.get(name), entry) {
                    (Some(new), _) => Some(format!(".flat.{new}")),
                    (None, Some(entry)) => Some(format!(".flat.{flat}.{entry}")),
                    (None, None) => Some(name.clone()),
                };
            }
        }
    };
    for message in &types.definition.messages {
        let descriptor = pool.get_message_by_name(&message.full_name);
        let mut flat = descriptor.ok_or("a message vanished")?.descriptor_proto().clone();
        let name = renamed.get(&format!(".{}", message.full_name)).cloned().unwrap_or_default();
        rename(&mut flat, &message.full_name, &name);
        flat.name = Some(name.clone());
        flat.options = None;
        flat.enum_type.clear();
        let fields = flat.field.iter_mut().filter_map(|field| field.name.as_mut());
        let oneofs = flat.oneof_decl.iter_mut().filter_map(|oneof| oneof.name.as_mut());
        fields.chain(oneofs).for_each(|name| *name = proto_field(name));
        flat.nested_type.retain(|nested| nested.options.as_ref().is_some_and(|o| o.map_entry()));
        for entry in &mut flat.nested_type {
            rename(entry, &message.full_name, &name);
        }
        file.message_type.push(flat);
    }
    for (at, declared) in types.definition.enums.iter().enumerate() {
        let descriptor = pool.get_enum_by_name(&declared.full_name);
        let mut flat = descriptor.ok_or("an enum vanished")?.enum_descriptor_proto().clone();
        flat.name = renamed.get(&format!(".{}", declared.full_name)).cloned();
        flat.options = None;
        // Top-level enums' values share a scope; only their numbers matter.
        for (place, value) in flat.value.iter_mut().enumerate() {
            value.name = Some(format!("ENUM_{at}_VALUE_{place}"));
        }
        file.enum_type.push(flat);
    }
    // The reflection library validates it, so that a mistake here does not surface as invalid Rust code.
    prost_reflect::DescriptorPool::from_file_descriptor_set(FileDescriptorSet { file: vec![file.clone()] })
        .map_err(|error| error.to_string())?;
    Ok(file)
}

/// Those of a field's options that affect its bytes.
pub fn layout_options(options: Option<&FieldOptions>) -> Option<FieldOptions> {
    let packed = options.and_then(|options| options.packed);
    packed.map(|packed| FieldOptions { packed: Some(packed), ..FieldOptions::default() })
}

/// The path of prost's enum for a oneof.
fn oneof_path(message: &Message, oneof: usize) -> String {
    format!("{}::{}", prost_module(&message.name), rust_variant(&message.oneofs[oneof].name))
}

fn arms(types: &Types<'_>, message: &Message, oneof: usize, arm: impl Fn(&str, &str) -> String) -> String {
    let domain = format!("super::domain::{}", types.oneof_name(message, oneof));
    let own = oneof_path(message, oneof);
    let members = message.oneofs[oneof].fields.iter().map(|index| rust_variant(&message.fields[*index].name));
    members.map(|variant| arm(&format!("{domain}::{variant}"), &format!("{own}::{variant}"))).collect()
}

fn lower(types: &Types<'_>, message: &Message, code: &mut String) {
    let name = rust_type(&message.name);
    let _ = writeln!(
        code,
        "impl Lower<{name}> for super::domain::{name} {{ fn lower(&self) -> {name} {{ {name} {{"
    );
    for slot in types.slots(message) {
        let _ = match slot {
            Slot::Field(field) => {
                let member = rust_field(&field.name);
                match field.required {
                    true => writeln!(
                        code,
                        "{member}: ::core::option::Option::Some(Lower::lower(&self.{member})),"
                    ),
                    false => writeln!(code, "{member}: Lower::lower(&self.{member}),"),
                }
            }
            Slot::Oneof(oneof) => {
                let member = rust_field(&message.oneofs[oneof].name);
                let arms = arms(types, message, oneof, |domain, own| {
                    format!("{domain}(value) => {own}(Lower::lower(value)),")
                });
                match message.oneofs[oneof].required {
                    true => writeln!(
                        code,
                        "{member}: ::core::option::Option::Some(match &self.{member} {{ {arms} }}),"
                    ),
                    false => writeln!(
                        code,
                        "{member}: self.{member}.as_ref().map(|choice| match choice {{ {arms} }}),"
                    ),
                }
            }
        };
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
        let _ = match slot {
            Slot::Field(field) => {
                let member = rust_field(&field.name);
                match field.required {
                    true => writeln!(
                        code,
                        "{member}: Lift::lift(self.{member}.ok_or(LiftError::Missing {{ name: {:?} }})?)?,",
                        field.name
                    ),
                    false => writeln!(code, "{member}: Lift::lift(self.{member})?,"),
                }
            }
            Slot::Oneof(oneof) => {
                let member = rust_field(&message.oneofs[oneof].name);
                let arms = arms(types, message, oneof, |domain, own| {
                    format!("{own}(value) => {domain}(Lift::lift(value)?),")
                });
                let (none, some) = match message.oneofs[oneof].required {
                    true => (
                        format!(
                            "return ::core::result::Result::Err(LiftError::Missing {{ name: {:?} }})",
                            message.oneofs[oneof].name
                        ),
                        "",
                    ),
                    false => ("::core::option::Option::None".to_owned(), "::core::option::Option::Some"),
                };
                writeln!(
                    code,
                    "{member}: match self.{member} {{ ::core::option::Option::None => {none}, ::core::option::Option::Some(choice) => {some}(match choice {{ {arms} }}) }},"
                )
            }
        };
    }
    code.push_str("}) } }\n");
}

fn touch(types: &Types<'_>, message: &Message, code: &mut String) {
    let name = rust_type(&message.name);
    let _ =
        writeln!(code, "impl Touch for {name} {{ fn touch(&self, digest: &mut Digest) {{ let _ = &digest;");
    for slot in types.slots(message) {
        match slot {
            Slot::Field(field) if field.required => {
                let _ = writeln!(
                    code,
                    "if let ::core::option::Option::Some(value) = &self.{} {{ Touch::touch(value, digest); }}",
                    rust_field(&field.name)
                );
            }
            Slot::Field(field) => {
                let _ = writeln!(code, "Touch::touch(&self.{}, digest);", rust_field(&field.name));
            }
            Slot::Oneof(oneof) => {
                let member = rust_field(&message.oneofs[oneof].name);
                for index in &message.oneofs[oneof].fields {
                    let variant = rust_variant(&message.fields[*index].name);
                    let _ = writeln!(
                        code,
                        "match &self.{member} {{ ::core::option::Option::Some({}::{variant}(value)) => {{ digest.number(1); Touch::touch(value, digest); }} _ => digest.number(0) }}",
                        oneof_path(message, oneof)
                    );
                }
            }
        }
    }
    code.push_str("} }\n");
}
