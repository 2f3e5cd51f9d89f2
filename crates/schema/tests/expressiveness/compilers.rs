//! Every text that backs a cell, given to its language's own compiler.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};

use libtest_mimic::Trial;
use wiredyno_schema::expressiveness::{COMPILERS, table};
use wiredyno_schema::{Definition, idl};

use crate::{odvd, python, test};

/// Reads one file; says why it refuses.
type Read = fn(&Path) -> Result<(), String>;

/// How a language's texts are read.
struct Reader {
    language: &'static str,
    read: Read,
    missing: Option<&'static str>,
}

/// Runs a program beside the file.
fn run(program: impl Into<OsString>, arguments: &[&str], file: &Path) -> Result<(), String> {
    let output = Command::new(program.into())
        .args(arguments)
        .arg(file.file_name().unwrap())
        .current_dir(file.parent().unwrap())
        .stdin(Stdio::null())
        .output()
        .map_err(|error| error.to_string())?;
    let said = [output.stdout, output.stderr].concat();
    match output.status.code() {
        Some(0) => Ok(()),
        // A crash is no refusal.
        None => panic!("crashed: {}", String::from_utf8_lossy(&said)),
        Some(_) => Err(String::from_utf8_lossy(&said).into_owned()),
    }
}

/// What a Python library says of the file.
fn script(interpreter: OsString, language: &str, file: &Path) -> Result<(), String> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/expressiveness/read.py");
    run(interpreter, &[script.to_str().unwrap(), language], file)
}

fn asn1(file: &Path) -> Result<(), String> {
    let by_python = script(python(), "asn1", file);
    let by_asn1c = run("asn1c", &["-E", "-F"], file);
    match (by_python, by_asn1c) {
        (Ok(()), Ok(())) => Ok(()),
        (Err(why), Err(_)) => Err(why),
        (one, other) => panic!("asn1tools and asn1c differ: {one:?}, {other:?}"),
    }
}

/// A schema that does not compile is told apart from a document that is not valid by its status.
fn xsd(file: &Path) -> Result<(), String> {
    let document = file.with_extension("xml");
    std::fs::write(&document, "<nothing/>").unwrap();
    let output = Command::new("xmllint")
        .args(["--noout", "--schema"])
        .args([file, document.as_path()])
        .output()
        .map_err(|error| error.to_string())?;
    match output.status.code() {
        Some(0 | 3 | 4) => Ok(()),
        Some(5) => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
        other => panic!("xmllint: {other:?}"),
    }
}

/// The compiler's warnings about annotations that it does not know count as refusals.
fn idlc(file: &Path) -> Result<(), String> {
    let output = Command::new("idlc")
        .args(["-l", "c", "-W", "no-enum-consecutive"])
        .arg(file.file_name().unwrap())
        .current_dir(file.parent().unwrap())
        .output()
        .map_err(|error| error.to_string())?;
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    match output.status.success() && !said.contains("Unrecognized annotation") {
        true => Ok(()),
        false => Err(said),
    }
}

fn readers() -> Vec<Reader> {
    let runs = |program: &OsString, arguments: &[&str]| {
        let mut command = Command::new(program);
        let status = command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        status.status().is_ok()
    };
    let imports = |program: OsString, what: &str| {
        let output = Command::new(program).args(["-c", what]).output();
        output.is_ok_and(|output| output.status.success())
    };
    let tool = |program: &str, line: &'static str| {
        if runs(&program.into(), &["--help"]) { None } else { Some(line) }
    };
    let asn1tools = imports(python(), "import asn1tools");
    let fastavro = imports(python(), "import fastavro");
    let genpy = imports(ROS_PYTHON.into(), "import genpy.dynamic");
    let reader = |language, read, missing| Reader { language, read, missing };
    vec![
        reader(
            "asn1",
            asn1,
            tool("asn1c", "no asn1c: apt-get install asn1c")
                .or((!asn1tools).then_some("Python has no asn1tools: pip install asn1tools")),
        ),
        reader(
            "avsc",
            |file| script(python(), "avsc", file),
            (!fastavro).then_some("Python has no fastavro: pip install fastavro"),
        ),
        reader(
            "capnp",
            |file| run("capnp", &["compile", "-o-"], file),
            tool("capnp", "no capnp: apt-get install capnproto"),
        ),
        reader(
            "fbs",
            |file| run("flatc", &["--binary", "--schema"], file),
            tool("flatc", "no flatc: apt-get install flatbuffers-compiler"),
        ),
        reader(
            "lcm",
            |file| run("lcm-gen", &["-c"], file),
            tool("lcm-gen", "no lcm-gen: apt-get install liblcm-bin"),
        ),
        reader("odvd", |file| odvd::read(&std::fs::read_to_string(file).unwrap()), None),
        reader("omg-idl", idlc, tool("idlc", "no idlc: apt-get install cyclonedds-tools")),
        reader(
            "proto",
            |file| run("protoc", &["-o", "/dev/null"], file),
            tool("protoc", "no protoc: apt-get install protobuf-compiler"),
        ),
        reader(
            "rosmsg",
            |file| script(ROS_PYTHON.into(), "rosmsg", file),
            (!genpy).then_some("no genpy: apt-get install python3-genpy"),
        ),
        reader(
            "thrift",
            |file| run("thrift", &["--gen", "py"], file),
            tool("thrift", "no thrift: apt-get install thrift-compiler"),
        ),
        reader("xsd", xsd, tool("xmllint", "no xmllint: apt-get install libxml2-utils")),
    ]
}

/// The system's Python, for which Debian packages genpy.
pub const ROS_PYTHON: &str = "/usr/bin/python3";

/// Gives a text to the compiler, in a file of this name.
fn read(reader: &Reader, name: &str, text: &str) -> Result<(), String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name).with_extension(idl::find(reader.language).unwrap().extension());
    std::fs::write(&path, text).unwrap();
    (reader.read)(&path)
}

fn cells(reader: &Reader) {
    let (mut wrong, mut count) = (String::new(), 0);
    for cell in table().unwrap().iter().filter(|cell| cell.language == reader.language) {
        for evidence in &cell.evidence {
            count += 1;
            let expected = if evidence.taken { "taken" } else { "refused" };
            let why = match (read(reader, "Says", &evidence.text), evidence.taken) {
                (Ok(()), true) | (Err(_), false) => continue,
                (found, _) => found.err().unwrap_or_else(|| "it was taken".to_owned()),
            };
            wrong += &format!("{} should be {expected}: {why}\n{}\n", cell.construct, evidence.text);
        }
    }
    assert!(wrong.is_empty(), "{}:\n{wrong}", reader.language);
    assert!(count > 20, "{}: only {count} texts", reader.language);
}

/// Every bundled payload, and those of the conformance suite.
fn payloads() -> Vec<(String, Definition)> {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut payloads = Vec::new();
    for folder in ["payloads", "crates/testkit/payloads"] {
        for entry in std::fs::read_dir(project.join(folder)).unwrap() {
            let path = entry.unwrap().path().join("message.proto");
            if path.is_file() {
                let file = path.display().to_string();
                let text = std::fs::read_to_string(&path).unwrap();
                payloads.push((file.clone(), Definition::from_source(&text, &file).unwrap()));
            }
        }
    }
    payloads.sort_by(|one, other| one.0.cmp(&other.0));
    payloads
}

/// Messages that hold themselves are the only ones that a translation may refuse, or idlc may not follow.
fn every_payload(reader: &Reader) {
    let idl = idl::find(reader.language).unwrap();
    let (mut wrong, mut count) = (String::new(), 0);
    for (file, definition) in payloads() {
        let holds_itself = idl::find("rosmsg").unwrap().lower(&definition).is_err();
        match idl.lower(&definition) {
            Ok(_) if holds_itself && reader.language == "omg-idl" => {}
            Ok(lowered) => {
                count += 1;
                if let Err(why) = read(reader, &definition.root().name, &lowered.text) {
                    wrong += &format!("{file}: {why}\n");
                }
            }
            Err(refusal) if holds_itself && refusal.reason.contains("it contains itself") => {}
            Err(refusal) => wrong += &format!("{file}: {refusal}\n"),
        }
    }
    assert!(wrong.is_empty(), "{}:\n{wrong}", reader.language);
    assert!(count > 20, "{}: only {count} payloads", reader.language);
}

pub fn tests() -> Vec<Trial> {
    type Check = fn(&Reader);
    let checks: [(&str, Check); 2] =
        [("compiles_as_the_table_says", cells), ("compiles_every_payload", every_payload)];
    let mut tests = Vec::new();
    for (name, check) in checks {
        let readers = readers();
        assert_eq!(readers.len(), COMPILERS.len(), "every language has a reader");
        for reader in readers {
            let name = format!("{}_{name}", reader.language.replace('-', "_"));
            tests.push(test(name, reader.missing, move || check(&reader)));
        }
    }
    tests
}
