//! LCM against lcm-gen, ROS 1 against genpy, CDR against Cyclone DDS; Netstrings and TS 103 097, for which no library exists any more,
//! against readers written from their layouts alone.
//!
//! Recursive definitions are left out where the foreign compiler refuses them (ROS, CDR); kitchen-flat has the
//! same constructs without recursion.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use wiredyno_payloads::bundled_names;
use wiredyno_schema::idl::{Idl, Lcm, OmgIdl, RosMsg};
use wiredyno_schema::{Cardinality, Definition, Field, Type};

use wiredyno_testkit::payloads;

use crate::stand;

/// How values are passed to the scripts.
const JSON: &str = "json/serde-json";

/// The input of a script, a line of JSON per payload and codec; and the number of values in all.
struct Work {
    lines: Vec<String>,
    values: usize,
}

fn type_name(ty: Type) -> &'static str {
    match ty {
        Type::Bool => "bool",
        Type::I32 => "int32",
        Type::I64 => "int64",
        Type::U32 => "uint32",
        Type::U64 => "uint64",
        Type::F32 => "float",
        Type::F64 => "double",
        Type::String => "string",
        Type::Bytes => "bytes",
        Type::Enum(_) => "enum",
        Type::Message(_) => "message",
    }
}

fn field(definition: &Definition, field: &Field) -> Value {
    let shape = match field.cardinality {
        _ if field.oneof.is_some() => "optional",
        Cardinality::Implicit => "one",
        Cardinality::Optional => "optional",
        Cardinality::Repeated => "list",
        Cardinality::Map(_) => "map",
    };
    let key = if let Cardinality::Map(key) = field.cardinality { Some(type_name(key)) } else { None };
    let name_of_type = match field.ty {
        Type::Enum(index) => Some(&definition.enums[index].name),
        Type::Message(index) => Some(&definition.messages[index].name),
        _ => None,
    };
    json!({
        "name": field.name, "number": field.number, "type": type_name(field.ty), "name_of_type": name_of_type,
        "shape": shape, "key": key, "oneof": field.oneof, "range": field.options.range,
        "fixed_length": field.options.fixed_length, "tag": field.options.choice_tag,
    })
}

/// The definition as the scripts read it.
fn neutral(definition: &Definition) -> Value {
    let messages: Vec<_> = definition
        .messages
        .iter()
        .map(|message| {
            let fields: Vec<_> = message.fields.iter().map(|f| field(definition, f)).collect();
            json!({ "name": message.name, "fields": fields })
        })
        .collect();
    let enums: Vec<_> = definition
        .enums
        .iter()
        .map(|declared| {
            let values: serde_json::Map<String, Value> =
                declared.values.iter().map(|value| (value.name.clone(), json!(value.number))).collect();
            json!({ "name": declared.name, "values": values })
        })
        .collect();
    json!({ "messages": messages, "enums": enums })
}

/// The payloads' own values and as many random ones, in each of the codecs that can carry them.
fn work(codecs: &[&str], idl: Option<&dyn Idl>, wanted: impl Fn(&Definition) -> bool) -> Work {
    let (mut lines, mut values) = (Vec::new(), 0);
    for subject in stand::carrying(JSON) {
        let definition = subject.payload.definition();
        let carried: Vec<&str> = subject.carried().filter(|codec| codecs.contains(codec)).collect();
        if carried.is_empty() || !wanted(definition) {
            continue;
        }
        let text = idl.map(|idl| idl.lower(definition).unwrap().text);
        let all = stand::all_values(subject);
        let jsons: Vec<String> =
            subject.encoded(JSON, &all).into_iter().map(|json| String::from_utf8(json).unwrap()).collect();
        for codec in carried {
            let encoded = subject.encoded(codec, &all);
            let cases: Vec<_> =
                jsons.iter().zip(&encoded).map(|(value, bytes)| json!([value, hex::encode(bytes)])).collect();
            values += cases.len();
            let line = json!({
                "payload": subject.payload.id().to_string(), "codec": codec, "root": definition.root().name,
                "idl": text, "definition": neutral(definition), "cases": cases,
            });
            lines.push(line.to_string());
        }
    }
    Work { lines, values }
}

fn is_flat(definition: &Definition) -> bool {
    RosMsg.lower(definition).is_ok()
}

fn scripts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/oracles/robots")
}

/// Runs a script, which reports how many values it found equal, or stops at the first difference.
fn compare(python: impl AsRef<std::ffi::OsStr>, script: &str, work: &Work) {
    let folder = stand::folder();
    let mut child = stand::script(python, &scripts().join(script), &folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    // A reader that stops early reports why on stderr; its status counts.
    let _ = input.write_all(work.lines.join("\n").as_bytes());
    drop(input);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "see above for the first value that differs; seed {}", stand::seed());
    assert!(work.values >= stand::random_values(), "nothing was compared");
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), work.values.to_string());
}

fn lcm_gens_python_writes_the_same_bytes() {
    let codecs = [
        "lcm/wiredyno",
        "lcm/wiredyno:udp",
        "lcm/wiredyno:container",
        "lcm/wiredyno:container-alone",
        "lcm/wiredyno:hashing",
        "lcm/wiredyno:container-alone-hashing",
        "lcm/lcm-gen",
    ];
    compare("python3", "lcm.py", &work(&codecs, Some(&Lcm), |_| true));
}

fn genpy_writes_the_same_bytes() {
    let codecs = [
        "ros1/wiredyno",
        "ros1/wiredyno:udp",
        "ros1/wiredyno:container",
        "ros1/wiredyno:container-alone",
        "ros1/roscpp",
    ];
    compare("/usr/bin/python3", "ros.py", &work(&codecs, Some(&RosMsg), is_flat));
}

fn cyclone_dds_writes_the_same_bytes() {
    compare(
        stand::python(),
        "cdr.py",
        &work(&["cdr/wiredyno", "cdr/wiredyno:big-endian"], Some(&OmgIdl), is_flat),
    );
}

fn a_reader_of_the_netstrings_layout_finds_the_same_values() {
    let codecs = [
        "netstrings/wiredyno",
        "netstrings/wiredyno:crc",
        "netstrings/wiredyno:varint",
        "netstrings/wiredyno:container",
        "netstrings/wiredyno:container-alone",
        "netstrings/wiredyno-cpp",
    ];
    compare("python3", "netstrings.py", &work(&codecs, None, |_| true));
}

fn a_reader_of_the_envelope_layout_finds_the_same_values() {
    compare("python3", "envelope.py", &work(&["ts-103-097/wiredyno"], None, |_| true));
}

/// idlc accepts every translation into OMG IDL, except of recursive definitions.
fn idlc_reads_every_translation() {
    let folder = stand::folder();
    for name in bundled_names().chain(payloads::OWN) {
        let payload = payloads::find(name);
        let definition = payload.definition();
        if !is_flat(definition) {
            continue;
        }
        let file = folder.path().join("payload.idl");
        std::fs::write(&file, OmgIdl.lower(definition).unwrap().text).unwrap();
        let status = Command::new("idlc")
            .args(["-l", "c", "-W", "no-enum-consecutive", "payload.idl"])
            .current_dir(folder.path())
            .status()
            .unwrap();
        assert!(status.success(), "{name}");
    }
}

pub fn tests() -> Vec<libtest_mimic::Trial> {
    let missing = |there: bool, what: &'static str| if there { None } else { Some(what) };
    let lcm = missing(
        stand::runs("lcm-gen", &["--version"]) || stand::runs("lcm-gen", &["-h"]),
        "no lcm-gen: apt-get install liblcm-bin",
    );
    let ros = missing(
        stand::runs("/usr/bin/python3", &["-c", "import genpy.dynamic"]),
        "no genpy: apt-get install python3-genpy",
    );
    let cyclone = missing(
        stand::runs(stand::python(), &["-c", "import cyclonedds.idl"]),
        "Python has no cyclonedds: pip install cyclonedds",
    );
    let idlc = missing(stand::runs("idlc", &["-v"]), "no idlc: apt-get install cyclonedds-tools");
    let python = missing(stand::runs("python3", &["-c", ""]), "no python3: apt-get install python3");
    vec![
        stand::test("lcm_gens_python_writes_the_same_bytes", lcm, lcm_gens_python_writes_the_same_bytes),
        stand::test("genpy_writes_the_same_bytes", ros, genpy_writes_the_same_bytes),
        stand::test("cyclone_dds_writes_the_same_bytes", cyclone, cyclone_dds_writes_the_same_bytes),
        stand::test("idlc_reads_every_translation", idlc, idlc_reads_every_translation),
        stand::test(
            "a_reader_of_the_netstrings_layout_finds_the_same_values",
            python,
            a_reader_of_the_netstrings_layout_finds_the_same_values,
        ),
        stand::test(
            "a_reader_of_the_envelope_layout_finds_the_same_values",
            python,
            a_reader_of_the_envelope_layout_finds_the_same_values,
        ),
    ]
}
