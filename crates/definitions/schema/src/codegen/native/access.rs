//! The classes that a format's own compiler generates for C++, and the lines by which a codec reaches their fields.
//!
//! They are in a namespace of the codec and the definition: functions of two classes of one name would be merged silently in a program,
//! also those of different formats.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use wiredyno_contract::{DeclaredCodec, Need};

use super::super::{CodegenError, file_error};
use super::word;
use crate::codegen::protoc;
use crate::idl::Idl as _;
use crate::idl::capnp::{self, Capnp};
use crate::idl::fbs::Fbs;
use crate::idl::thrift::Thrift;
use crate::idl::{Lcm, RosMsg};
use crate::model::{Cardinality, Definition, Field, Type};

/// The generated files of a codec, by name.
type Files = Vec<(&'static str, String)>;

fn refused(library: &'static str) -> impl Fn(String) -> CodegenError {
    move |reason| CodegenError::Library { library, reason }
}

/// A codec's need with this name.
fn need(codec: &DeclaredCodec, name: &'static str) -> Result<&'static Need, CodegenError> {
    let need = codec.needs.iter().find(|need| need.name == name);
    need.ok_or_else(|| refused(name)(format!("`{}` does not declare it among its needs", codec.id)))
}

/// Runs a codec's compiler of schemas, which has to be of the library's version, in a folder.
fn run(
    codec: &DeclaredCodec,
    name: &'static str,
    arguments: &[String],
    desk: &Path,
) -> Result<(), CodegenError> {
    let failed = refused(name);
    let need = need(codec, name)?;
    let library = codec.as_native().and_then(|native| native.version);
    if let Some((library, version)) =
        library.and_then(|need| Some((need.name, wiredyno_needs::version(need)?)))
    {
        let own = wiredyno_needs::version(need).unwrap_or_default();
        // `25.1` is that of the library 25.1.0.
        if !version.starts_with(&own) {
            return Err(failed(format!(
                "`{name}` on the path is {own} and the library {library} is {version}: both must be of the same version, so put \
                 the library's `{name}` first on the path"
            )));
        }
    }
    start(need, arguments, desk)
}

/// Runs a program in a folder.
fn start(need: &Need, arguments: &[String], desk: &Path) -> Result<(), CodegenError> {
    let failed = refused(need.name);
    let program = wiredyno_needs::program(need).map_err(|lack| failed(lack.to_string()))?;
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

/// The package that every lowered text names.
const LOWERED_PACKAGE: &str = "wiredyno";

fn read(path: &Path) -> Result<String, CodegenError> {
    std::fs::read_to_string(path).map_err(file_error(path))
}

/// Access to the members of plain structs in a namespace, whose names are these.
fn members(
    definition: &Definition,
    package: &str,
    name: impl Fn(&Field) -> String,
    has_count: impl Fn(&Field) -> bool,
) -> String {
    let mut code = String::from("\n// Access to their members.\n#include \"wiredyno/plain.hpp\"\n\n");
    for (at, message) in definition.messages.iter().enumerate() {
        let _ = writeln!(code, "WD_MESSAGE(domain::M{at}, ::{package}::M{at});");
        for field in &message.fields {
            let macro_name = if has_count(field) { "WD_LIST" } else { "WD_FIELD" };
            let _ = writeln!(
                code,
                "{macro_name}(::wd::Shape<domain::M{at}>::F{}, {});",
                field.number,
                name(field)
            );
        }
    }
    code
}

/// lcm-gen's classes, and access to their members, in one header. Types have neutral names; members keep theirs, from which the fingerprint is computed.
///
/// # Errors
/// When lcm-gen is missing or fails, or the language can't express the definition.
pub fn lcm(definition: &Definition, codec: &DeclaredCodec, short: &str) -> Result<String, CodegenError> {
    let desk = desk()?;
    let package = word(codec.id) + "_" + short;
    let text = Lcm.lower(&definition.neutral_types())?.text;
    let text = text.replacen(&format!("package {LOWERED_PACKAGE};"), &format!("package {package};"), 1);
    let path = desk.path().join("message.lcm");
    std::fs::write(&path, &text).map_err(file_error(&path))?;
    let arguments = ["--cpp", "--cpp-hpath", ".", "message.lcm"];
    run(codec, LCM_GEN, &arguments.map(str::to_owned), desk.path())?;
    let structs: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("struct ")).collect();
    let mut code = String::from(
        "// lcm-gen's classes.\n#pragma once\n\n#include <string>\n#include <vector>\n\n#include <lcm/lcm_coretypes.h>\n\n",
    );
    let _ = writeln!(code, "namespace {package} {{");
    for name in &structs {
        let _ = writeln!(code, "class {name};");
    }
    // Classes first, then their functions: types may contain each other in lists.
    let mut functions = String::new();
    for name in &structs {
        let generated = read(&desk.path().join(&package).join(format!("{name}.hpp")))?;
        let strange = || {
            refused(LCM_GEN)(format!("the class `{name}` that it generated has another form than is known"))
        };
        let from = generated.find(&format!("class {name}\n")).ok_or_else(strange)?;
        let class = &generated[from..];
        let end = class.find("\n};\n").ok_or_else(strange)? + "\n};\n".len();
        let rest = class[end..].rsplit_once("#endif").ok_or_else(strange)?.0;
        let rest = rest.rsplit_once('}').ok_or_else(strange)?.0;
        code.push_str(&class[..end]);
        functions.push_str(rest);
    }
    let _ = writeln!(code, "{functions}}}  // namespace {package}");
    Ok(code + &members(definition, &package, |field| field.name.clone(), grows))
}

/// The name of lcm-gen among the needs.
const LCM_GEN: &str = "lcm-gen";

/// Whether a field is a list of any length in a language without absent members.
fn grows(field: &Field) -> bool {
    let is_any = field.options.fixed_length.is_none();
    match field.cardinality {
        _ if field.oneof.is_some() => true,
        Cardinality::Optional => true,
        Cardinality::Repeated | Cardinality::Map(_) => is_any,
        Cardinality::Implicit => field.ty == Type::Bytes && is_any,
    }
}

/// Generates gencpp's headers: package, then the messages.
const GENCPP: &str = "\
import sys
from genmsg.template_tools import generate_from_file
package, *names = sys.argv[1:]
for name in names:
    generate_from_file(f'msg/{name}.msg', package, 'out', '/usr/share/gencpp', [f'{package}:msg'], {'msg.h.template': '@NAME@.h'}, {})
";

/// gencpp's structs, and access to their members, in one header.
///
/// # Errors
/// When gencpp is missing or fails, or the language can't express the definition.
pub fn ros1(definition: &Definition, codec: &DeclaredCodec, short: &str) -> Result<String, CodegenError> {
    let desk = desk()?;
    let package = word(codec.id) + "_" + short;
    let text = RosMsg.lower(&definition.neutral())?.text;
    let text = text.replace(&format!("{LOWERED_PACKAGE}/"), &format!("{package}/"));
    let folder = desk.path().join("msg");
    std::fs::create_dir(&folder).map_err(file_error(&folder))?;
    // The root comes first, the others behind a line each with their names; each only needs those that follow it.
    let mut names = Vec::new();
    for part in text.split(&format!("{}\n", "=".repeat(80))) {
        let (name, fields) = match part.strip_prefix(&format!("MSG: {package}/")) {
            Some(part) => part.split_once('\n').unwrap_or((part, "")),
            None => ("M0", part),
        };
        let path = folder.join(format!("{name}.msg"));
        std::fs::write(&path, fields).map_err(file_error(&path))?;
        names.push(name.trim().to_owned());
    }
    let arguments = ["-c", GENCPP, &package].into_iter().map(str::to_owned).chain(names.iter().cloned());
    start(need(codec, PYTHON)?, &arguments.collect::<Vec<_>>(), desk.path())?;
    let mut code = String::from("// gencpp's structs.\n#pragma once\n\n");
    let own = format!("#include <{package}/");
    for name in names.iter().rev() {
        let generated = read(&desk.path().join("out").join(format!("{name}.h")))?;
        for line in generated.lines().filter(|line| !line.starts_with(&own)) {
            code.push_str(line);
            code.push('\n');
        }
    }
    Ok(code + &members(definition, &package, |field| format!("f{}", field.number), |_| false))
}

/// The Python that Debian's gencpp is installed for, among the needs.
const PYTHON: &str = "/usr/bin/python3";

/// The classes of Thrift's compiler, and access to their members.
///
/// # Errors
/// When the compiler is missing or fails, or the language can't express the definition.
pub fn thrift(definition: &Definition, codec: &DeclaredCodec, short: &str) -> Result<Files, CodegenError> {
    let desk = desk()?;
    let package = word(codec.id) + "_" + short;
    let schema = format!("namespace cpp {package}\n{}", for_cpp(&definition.neutral())?);
    let path = desk.path().join("message.thrift");
    std::fs::write(&path, schema).map_err(file_error(&path))?;
    let arguments = ["--gen", "cpp:no_skeleton", "-out", ".", "message.thrift"];
    run(codec, "thrift", &arguments.map(str::to_owned), desk.path())?;
    let mut files = collect(desk.path(), &["message_types.h", "message_types.cpp"])?;
    let mut code = format!(
        "// Access to the fields of Thrift's classes.\n#pragma once\n\n#include \"message_types.h\"\n#include \"access.hpp\"\n\nnamespace th = {package};\n"
    );
    for (at, message) in definition.messages.iter().enumerate() {
        let _ = writeln!(code, "WD_MESSAGE(domain::M{at}, th::M{at});");
        for field in &message.fields {
            let _ = writeln!(code, "WD_FIELD(wd::Shape<domain::M{at}>::F{0}, f{0});", field.number);
        }
    }
    files.push(("objects.hpp", code));
    Ok(files)
}

/// A definition with neutral names in Thrift's language, as its generator for C++ needs it: a struct after those that it holds, and a field
/// that makes a struct contain itself as a reference.
fn for_cpp(neutral: &Definition) -> Result<String, CodegenError> {
    let lowered = Thrift.lower(neutral)?.text;
    let (enums, structs) = lowered.split_at(lowered.find("struct ").unwrap_or(lowered.len()));
    let blocks: Vec<&str> = structs.split_inclusive("}\n\n").collect();
    let mut text = enums.to_owned();
    for at in super::domain::ordered(neutral) {
        let message = &neutral.messages[at];
        let own = blocks.iter().find(|block| block.starts_with(&format!("struct {} {{", message.name)));
        for line in own.into_iter().flat_map(|block| block.lines()) {
            let is_here = |field: &&Field| line.trim_start().starts_with(&format!("{}: ", field.number));
            match message.fields.iter().filter(|field| field.boxed).find(is_here) {
                Some(field) => {
                    text.push_str(&line.replace(&format!(" {},", field.name), &format!("& {},", field.name)))
                }
                None => text.push_str(line),
            }
            text.push('\n');
        }
    }
    Ok(text)
}

/// The classes of Cap'n Proto's compiler, and access to their fields. Ids are of the codec and the definition: they are in names that the
/// linker sees.
///
/// # Errors
/// When the compiler is missing or fails, or the language can't express the definition.
pub fn capnproto(definition: &Definition, codec: &DeclaredCodec, short: &str) -> Result<Files, CodegenError> {
    let desk = desk()?;
    let package = word(codec.id) + "_" + short;
    let lowered = Capnp.lower(&definition.neutral())?.text;
    let declarations = lowered.split_once('\n').map_or("", |(_, rest)| rest);
    let schema = format!(
        "@{:#x};\nusing Cxx = import \"/capnp/c++.capnp\";\n$Cxx.namespace(\"{package}\");\n{declarations}",
        capnp::file_id(&package)
    );
    let path = desk.path().join("message.capnp");
    std::fs::write(&path, schema).map_err(file_error(&path))?;
    run(codec, "capnp", &["compile", "-oc++", "message.capnp"].map(str::to_owned), desk.path())?;
    let generated = desk.path().join("message.capnp.c++");
    std::fs::rename(&generated, desk.path().join("message.capnp.cpp")).map_err(file_error(&generated))?;
    let mut files = collect(desk.path(), &["message.capnp.h", "message.capnp.cpp"])?;
    let mut code = format!(
        "// Access to the fields of Cap'n Proto's classes.\n#pragma once\n\n#include \"message.capnp.h\"\n#include \"access.hpp\"\n\nnamespace cp = {package};\n"
    );
    for (at, message) in definition.messages.iter().enumerate() {
        let _ = writeln!(code, "WD_MESSAGE(domain::M{at}, cp::M{at});");
        for field in &message.fields {
            let shape = format!("wd::Shape<domain::M{at}>::F{0}, F{0}", field.number);
            let _ = match field.oneof {
                Some(oneof) => writeln!(code, "WD_MEMBER({shape}, O{oneof});"),
                None if capnp::has_flag(field) => writeln!(code, "WD_FLAGGED({shape});"),
                None => writeln!(code, "WD_FIELD({shape});"),
            };
        }
    }
    files.push(("objects.hpp", code));
    Ok(files)
}
