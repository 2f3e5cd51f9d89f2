//! The classes that a format's own compiler generates for C++, and the lines by which a codec reaches their fields.
//!
//! They are in a namespace of the codec and the definition: functions of two classes of one name would be merged silently in a program,
//! also those of different formats.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use wiredyno_contract::DeclaredCodec;

use super::super::{CodegenError, file_error};
use super::word;
use crate::idl::Idl as _;
use crate::idl::fbs::Fbs;
use crate::model::{Cardinality, Definition};
use crate::protoc;

/// The generated files of a codec, by name.
type Files = Vec<(&'static str, String)>;

fn refused(library: &'static str) -> impl Fn(String) -> CodegenError {
    move |reason| CodegenError::Library { library, reason }
}

/// Runs a codec's compiler of schemas, in a folder.
fn run(
    codec: &DeclaredCodec,
    name: &'static str,
    arguments: &[String],
    desk: &Path,
) -> Result<(), CodegenError> {
    let failed = refused(name);
    let need = codec.needs.iter().find(|need| need.name == name);
    let need = need.ok_or_else(|| failed(format!("`{}` does not declare it among its needs", codec.id)))?;
    let program = wiredyno_needs::program(need).map_err(|lack| failed(lack.to_string()))?;
    let library = codec.as_native().and_then(|native| native.version);
    if let Some((library, version)) =
        library.and_then(|need| Some((need.name, wiredyno_needs::version(need)?)))
    {
        let own = wiredyno_needs::version(need).unwrap_or_default();
        // `25.1` is that of the library 25.1.0.
        if !version.starts_with(&own) {
            return Err(failed(format!(
                "`{name}` on the path is {own} and the library {library} is {version}: their code goes together in one version only, so put \
                 the library's `{name}` first on the path"
            )));
        }
    }
    let said = Command::new(&program).args(arguments).current_dir(desk).output();
    let said = said.map_err(|error| failed(format!("{}: {error}", program.display())))?;
    match said.status.success() {
        true => Ok(()),
        false => {
            let text = [said.stdout, said.stderr].concat();
            Err(failed(String::from_utf8_lossy(&text).trim().to_owned()))
        }
    }
}

/// Reads generated files.
fn collect(desk: &Path, names: &[&'static str]) -> Result<Files, CodegenError> {
    let read = |name: &&'static str| {
        let path = desk.join(name);
        Ok((*name, std::fs::read_to_string(&path).map_err(file_error(&path))?))
    };
    names.iter().map(read).collect()
}

/// A folder for one run of a compiler; deleted when dropped.
fn desk() -> Result<tempfile::TempDir, CodegenError> {
    tempfile::tempdir().map_err(file_error(&std::env::temp_dir()))
}

/// protoc's classes, and access to their fields. The file is named after the definition: libprotobuf knows files by name, and refuses
/// two of one name in a process.
///
/// # Errors
/// When protoc is missing or fails.
pub fn protobuf(definition: &Definition, codec: &DeclaredCodec, short: &str) -> Result<Files, CodegenError> {
    let desk = desk()?;
    let package = word(codec.id) + "_" + short;
    let set = protoc::neutral_set(definition, &format!("{package}.proto"), &package);
    let set = set.ok_or_else(|| refused("protoc")("a type vanished from the definition".to_owned()))?;
    let path = desk.path().join("set.bin");
    std::fs::write(&path, set).map_err(file_error(&path))?;
    let arguments = ["--descriptor_set_in=set.bin", "--cpp_out=.", &format!("{package}.proto")];
    run(codec, "protoc", &arguments.map(str::to_owned), desk.path())?;
    let [header, source] = ["h", "cc"].map(|ending| desk.path().join(format!("{package}.pb.{ending}")));
    std::fs::rename(&header, desk.path().join("message.pb.h")).map_err(file_error(&header))?;
    std::fs::rename(&source, desk.path().join("message.pb.cc")).map_err(file_error(&source))?;
    let mut files = collect(desk.path(), &["message.pb.h", "message.pb.cc"])?;
    let own = format!("#include \"{package}.pb.h\"");
    files[1].1 = files[1].1.replace(&own, "#include \"message.pb.h\"");
    let mut code = format!(
        "// Access to the fields of protoc's classes.\n#pragma once\n\n#include \"message.pb.h\"\n#include \"access.hpp\"\n\nnamespace pb = {package};\nconstexpr bool HAS_MAPS = {};\n",
        has_maps(definition)
    );
    for (at, message) in definition.messages.iter().enumerate() {
        let _ = writeln!(code, "WD_MESSAGE(domain::M{at}, pb::M{at});");
        for field in &message.fields {
            // protoc's names are in lower case.
            let _ = writeln!(code, "WD_FIELD(wd::Shape<domain::M{at}>::F{0}, f{0});", field.number);
        }
    }
    files.push(("objects.hpp", code));
    Ok(files)
}

fn has_maps(definition: &Definition) -> bool {
    let mut fields = definition.messages.iter().flat_map(|message| &message.fields);
    fields.any(|field| matches!(field.cardinality, Cardinality::Map(_)))
}

/// flatc's classes, and access to their fields.
///
/// # Errors
/// When flatc is missing, or the language can't express the definition.
pub fn flatbuffers(
    definition: &Definition,
    codec: &DeclaredCodec,
    short: &str,
) -> Result<Files, CodegenError> {
    let desk = desk()?;
    // With the definition's own names first: its refusals name them.
    Fbs.lower(definition)?;
    let schema = Fbs.lower(&definition.neutral())?.text;
    let path = desk.path().join("message.fbs");
    let namespace = word(codec.id) + "_" + short;
    let schema = format!("namespace {namespace};\n{schema}");
    std::fs::write(&path, schema).map_err(file_error(&path))?;
    let arguments = ["--cpp", "--cpp-std", "c++17", "--scoped-enums", "message.fbs"];
    run(codec, "flatc", &arguments.map(str::to_owned), desk.path())?;
    let mut files = collect(desk.path(), &["message_generated.h"])?;
    let mut code = format!(
        "// Access to the fields of flatc's classes.\n#pragma once\n\n#include \"message_generated.h\"\n#include \"access.hpp\"\n\nnamespace fb = {namespace};\n"
    );
    for (at, message) in definition.messages.iter().enumerate() {
        let _ = writeln!(code, "WD_MESSAGE(domain::M{at}, fb::M{at}, fb::CreateM{at});");
        for field in &message.fields {
            let _ = writeln!(code, "WD_FIELD(wd::Shape<domain::M{at}>::F{0}, f{0});", field.number);
        }
    }
    files.push(("objects.hpp", code));
    Ok(files)
}
