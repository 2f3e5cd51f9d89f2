//! Runs the language's own compiler on every text that backs a cell.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};

use libtest_mimic::Trial;
use wiredyno_schema::expressiveness::{COMPILERS, table};
use wiredyno_schema::{Definition, idl};

use crate::{odvd, python, test};

#[path = "../../../dynamic/tests/libraries/awkward.rs"]
#[allow(dead_code, reason = "another suite uses the documents")]
mod awkward;

/// Compiles one file; the error says why it is refused.
type Read = fn(&Path) -> Result<(), String>;

/// How a language's texts are compiled.
struct Reader {
    language: &'static str,
    read: Read,
    missing: Option<&'static str>,
}

/// Runs a program in the file's folder.
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
        // A crash does not count as a refusal.
        None => panic!("crashed: {}", String::from_utf8_lossy(&said)),
        Some(_) => Err(String::from_utf8_lossy(&said).into_owned()),
    }
}

/// Has a Python library parse the file.
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

/// The status distinguishes a schema that does not compile from a document that is invalid.
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

/// The compiler's warnings about unknown annotations count as refusals.
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

#[expect(clippy::too_many_lines, reason = "a list of the languages with their compilers")]
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

/// Compiles a text as a file of this name.
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

/// All bundled payloads and those of the conformance suite.
fn payloads() -> Vec<(String, Definition)> {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let mut payloads = Vec::new();
    for folder in ["payloads", "crates/testing/testkit/payloads"] {
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

fn holds_itself(definition: &Definition) -> bool {
    let refusal = idl::find("rosmsg").unwrap().lower(definition).err();
    refusal.is_some_and(|refusal| refusal.reason.contains("it contains itself"))
}

/// Only recursive messages may be refused by a translation, or fail in idlc.
fn every_payload(reader: &Reader) {
    let idl = idl::find(reader.language).unwrap();
    let (mut wrong, mut count) = (String::new(), 0);
    for (file, definition) in payloads() {
        let holds_itself = holds_itself(&definition);
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

/// Fields and types whose names or values compilers of other languages once refused or misread.
const BROUGHT: [&str; 9] = [
    "message A { string namespace = 1; string table = 2; string union = 3; string root_type = 4; string attribute = 5; string gen = 6; }",
    "message A { bool true = 1; bool false = 2; string void = 3; string async = 4; string i32 = 5; string end = 6; string from = 7; }",
    "message A { enum E { OK = 0; BAD = 1; } enum F { NONE = 0; OF = 1; } message In { enum E { OK = 0; } E e = 1; } E e = 1; F f = 2; In in = 3; }",
    "message A { string fooBar = 1; string Bar_foo = 2; B b = 3; message B { A_B c = 1; } message A_B { uint32 x = 1; } }",
    "message A { int32 _ = 1; string _1 = 2; string a__b = 3; string class = 4; oneof type { string string = 5; bytes bytes = 6; } }",
    "message A { map<string, Entry> entries = 1; message Entry { map<int32, bytes> key = 1; repeated string value = 2; } }",
    "message A { .brought.Inner Inner = 1; .brought.E E = 2; map<string, Inner> Of = 3; } message Inner { uint32 A = 1; } enum E { ZERO = 0; BELOW = -1; }",
    "message A { repeated int32 v = 1 [packed = false]; optional string t = 2 [(wiredyno.required) = true]; }",
    "message A { At at = 1; message At { option (wiredyno.well_known) = \"timestamp\"; int64 seconds = 1; int32 nanos = 2; } \
     Text s = 2; message Text { option (wiredyno.stands_for_value) = true; string value = 1; } }",
];

/// The permitted reasons for refusing a translation.
const REFUSED: [&str; 3] = ["it contains itself", "can't be negative", "rename one"];

/// The language's own compiler accepts the translations of those, and of random definitions with awkward names.
fn every_awkward_name(reader: &Reader) {
    let random = if std::env::var_os("WIREDYNO_TEST_FULL").is_some() { 100 } else { 4 };
    let idl = idl::find(reader.language).unwrap();
    let brought = BROUGHT.iter().map(|text| {
        format!("syntax = \"proto3\"; package brought; import \"wiredyno/options.proto\"; {text}")
    });
    let (mut wrong, mut count) = (String::new(), 0);
    for source in brought.chain((0..random).map(|at| awkward::proto(&mut awkward::Draw(at)))) {
        let definition =
            Definition::from_source(&source, "message.proto").unwrap_or_else(|e| panic!("{e}: {source}"));
        let holds_itself = holds_itself(&definition);
        match idl.lower(&definition) {
            Ok(_) if holds_itself && reader.language == "omg-idl" => {}
            Ok(lowered) => {
                count += 1;
                if let Err(why) = read(reader, &definition.root().name, &lowered.text) {
                    wrong += &format!("{source}\n{}\n{why}\n", lowered.text);
                }
            }
            Err(refusal) if REFUSED.iter().any(|words| refusal.reason.contains(words)) => {}
            Err(refusal) => wrong += &format!("{source}\n{refusal}\n"),
        }
    }
    assert!(wrong.is_empty(), "{}:\n{wrong}", reader.language);
    assert!(count > BROUGHT.len(), "{}: only {count} definitions", reader.language);
}

pub fn tests() -> Vec<Trial> {
    type Check = fn(&Reader);
    let checks: [(&str, Check); 3] = [
        ("compiles_as_the_table_says", cells),
        ("compiles_every_payload", every_payload),
        ("compiles_every_awkward_name", every_awkward_name),
    ];
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
