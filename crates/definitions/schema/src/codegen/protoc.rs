//! Runs protoc for the Rust code of Google's own Protobuf runtime (upb).
//!
//! protoc and runtime must be of the same version, which upb's codec declares as a need. Messages, enums and fields get neutral
//! names (`M0`, `E0`, `f1`), which change no bytes and collide with nothing.

use std::path::Path;
use std::process::Command;

use prost::Message as _;
use prost_types::{DescriptorProto, FieldDescriptorProto, FileDescriptorProto, FileDescriptorSet};

use super::protobuf::layout_options;
use crate::model::Definition;

/// The source file's name, from which protoc derives a module's name.
const FILE: &str = "message.proto";

/// The Rust code that protoc generates for a message.
///
/// # Errors
/// With protoc's error output or the system's error.
pub fn rust_code(definition: &Definition, protoc: &Path) -> Result<String, String> {
    let set = neutral_set(definition, FILE, "").ok_or("a type vanished from the definition")?;
    let desk = tempfile::tempdir().map_err(|error| error.to_string())?;
    let path = desk.path().join("set.bin");
    std::fs::write(&path, set).map_err(|error| format!("{}: {error}", path.display()))?;
    let said = Command::new(protoc)
        .arg(format!("--descriptor_set_in={}", path.display()))
        .arg(format!("--rust_out={}", desk.path().display()))
        .arg("--rust_opt=experimental-codegen=enabled,kernel=upb")
        .arg(FILE)
        .output()
        .map_err(|error| format!("{}: {error}", protoc.display()))?;
    if !said.status.success() {
        return Err(String::from_utf8_lossy(&said.stderr).into_owned());
    }
    let made = desk.path().join("message.u.pb.rs");
    std::fs::read_to_string(&made).map_err(|error| format!("{}: {error}", made.display()))
}

/// The encoded set of one file, of this name and package, with the definition under neutral names; `None` if a type is missing.
pub(crate) fn neutral_set(definition: &Definition, name: &str, package: &str) -> Option<Vec<u8>> {
    Some(FileDescriptorSet { file: vec![neutral_file(definition, name, package)?] }.encode_to_vec())
}

/// One file with all reachable messages and enums at the top level, in the definition's order, under neutral names.
#[expect(clippy::too_many_lines, reason = "it builds one descriptor, from file to field")]
fn neutral_file(definition: &Definition, name: &str, package: &str) -> Option<FileDescriptorProto> {
    let pool = definition.descriptor.parent_pool();
    let scope = if package.is_empty() { String::new() } else { format!(".{package}") };
    let new_name = |full: &str| {
        let full = full.strip_prefix('.')?;
        let message = definition.messages.iter().position(|message| message.full_name == full);
        let declared = || definition.enums.iter().position(|declared| declared.full_name == full);
        message.map(|at| format!("{scope}.M{at}")).or_else(|| Some(format!("{scope}.E{}", declared()?)))
    };
    let mut file = FileDescriptorProto {
        name: Some(name.to_owned()),
        package: (!package.is_empty()).then(|| package.to_owned()),
        syntax: Some("proto3".to_owned()),
        ..Default::default()
    };
    for (at, message) in definition.messages.iter().enumerate() {
        let old = pool.get_message_by_name(&message.full_name)?.descriptor_proto().clone();
        let entry_of = |field: &FieldDescriptorProto| {
            let (_, last) = field.type_name().rsplit_once('.')?;
            let is_entry = |nested: &&DescriptorProto| {
                nested.name() == last && nested.options.as_ref().is_some_and(|options| options.map_entry())
            };
            old.nested_type.iter().find(is_entry)
        };
        let plain = |field: &FieldDescriptorProto| FieldDescriptorProto {
            options: layout_options(field.options.as_ref()),
            json_name: None,
            type_name: new_name(field.type_name()),
            ..field.clone()
        };
        let mut new = DescriptorProto { name: Some(format!("M{at}")), ..Default::default() };
        for field in &old.field {
            let mut own = FieldDescriptorProto { name: Some(format!("f{}", field.number())), ..plain(field) };
            if let Some(entry) = entry_of(field) {
                let name = format!("F{}Entry", field.number());
                own.type_name = Some(format!("{scope}.M{at}.{name}"));
                new.nested_type.push(DescriptorProto {
                    name: Some(name),
                    field: entry.field.iter().map(plain).collect(),
                    options: entry.options.clone(),
                    ..Default::default()
                });
            }
            new.field.push(own);
        }
        let oneofs = old.oneof_decl.iter().enumerate();
        new.oneof_decl = oneofs
            .map(|(index, _)| prost_types::OneofDescriptorProto {
                name: Some(format!("o{index}")),
                options: None,
            })
            .collect();
        file.message_type.push(new);
    }
    for (at, declared) in definition.enums.iter().enumerate() {
        let mut new = pool.get_enum_by_name(&declared.full_name)?.enum_descriptor_proto().clone();
        for (index, value) in new.value.iter_mut().enumerate() {
            value.name = Some(format!("E{at}_V{index}"));
            value.options = None;
        }
        new.reserved_name.clear();
        new.options = None;
        new.name = Some(format!("E{at}"));
        file.enum_type.push(new);
    }
    Some(file)
}
