//! LCM against lcm-gen, ROS 1 against genpy, CDR against Cyclone DDS; Netstrings and TS 103 097, for which no library is left,
//! against readers that were written from their layouts alone.
//!
//! Definitions that hold themselves are left out where the foreign compiler refuses them (ROS, CDR); kitchen-flat has the
//! same constructs without that.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use wiredyno_codecs::Payload;
use wiredyno_schema::idl::{Idl, Lcm, OmgIdl, RosMsg};
use wiredyno_schema::{Cardinality, Definition, Field, Type};

use crate::stand;

/// What a script is asked to compare, a line of JSON per payload and codec; and how many values there are in all.
struct Work {
    lines: Vec<String>,
    values: usize,
}

fn definition_of(payload: &Payload) -> Definition {
    Definition::from_source(payload.entry().proto, payload.entry().name).unwrap()
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

/// The payloads' own values and as many random ones, in each of the codecs.
fn work(codecs: &[&str], idl: Option<&dyn Idl>, wanted: impl Fn(&Definition) -> bool) -> Work {
    let (mut lines, mut values) = (Vec::new(), 0);
    for payload in stand::payloads() {
        let definition = definition_of(&payload);
        if !wanted(&definition) {
            continue;
        }
        let text = idl.map(|idl| idl.lower(&definition).unwrap().text);
        for (codec, invented) in codecs.iter().flat_map(|codec| [(codec, false), (codec, true)]) {
            let Some(bound) = stand::bound(&payload, codec, invented) else {
                continue;
            };
            let json = stand::bound(&payload, "json/serde-json", invented).unwrap();
            let cases: Vec<_> = (0..bound.sample_count())
                .map(|sample| {
                    let value = String::from_utf8(json.encoded_sample(sample).unwrap().to_vec()).unwrap();
                    json!([value, hex::encode(bound.encoded_sample(sample).unwrap())])
                })
                .collect();
            values += cases.len();
            let line = json!({
                "payload": payload.id().to_string(), "codec": codec, "root": definition.root().name, "idl": text,
                "definition": neutral(&definition), "cases": cases,
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

/// Runs a script, which says how many values it found equal, or stops at the first that differs.
fn compare(python: impl AsRef<std::ffi::OsStr>, script: &str, work: &Work) {
    let mut child = Command::new(python)
        .arg(scripts().join(script))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    // A reader that stops early says why on stderr; its status is what counts.
    let _ = input.write_all(work.lines.join("\n").as_bytes());
    drop(input);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "see above for the first value that differs; seed {}", stand::SEED);
    assert!(work.values >= stand::random_values(), "nothing was compared");
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), work.values.to_string());
}

fn lcm_gens_python_writes_the_same_bytes() {
    compare("python3", "lcm.py", &work(&["lcm/wiredyno"], Some(&Lcm), |_| true));
}

fn genpy_writes_the_same_bytes() {
    compare("/usr/bin/python3", "ros.py", &work(&["ros1/wiredyno"], Some(&RosMsg), is_flat));
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
    ];
    compare("python3", "netstrings.py", &work(&codecs, None, |_| true));
}

fn a_reader_of_the_envelope_layout_finds_the_same_values() {
    compare("python3", "envelope.py", &work(&["ts-103-097/wiredyno"], None, |_| true));
}

/// Every translation into OMG IDL that idlc can follow goes through it.
fn idlc_reads_every_translation() {
    let folder = std::env::temp_dir().join(format!("wiredyno-idlc-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    for payload in stand::payloads() {
        let definition = definition_of(&payload);
        if !is_flat(&definition) {
            continue;
        }
        let file = folder.join("payload.idl");
        std::fs::write(&file, OmgIdl.lower(&definition).unwrap().text).unwrap();
        let status = Command::new("idlc")
            .args(["-l", "c", "-W", "no-enum-consecutive", "payload.idl"])
            .current_dir(&folder)
            .status()
            .unwrap();
        assert!(status.success(), "{}", payload.id());
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Bytes that are published, or follow from published layouts.
fn published_sizes_come_out() {
    let sizes = [
        ("vehicle-data", "lcm/wiredyno", 112),
        ("vehicle-data", "ros1/wiredyno", 104),
        ("vehicle-control", "lcm/wiredyno", 35),
        ("vehicle-control", "ros1/wiredyno", 27),
        ("vehicle-control", "netstrings/wiredyno", 82),
        ("vehicle-control", "netstrings/wiredyno:crc", 82),
        ("vehicle-control", "netstrings/wiredyno:varint", 43),
        ("sensor-board-data", "lcm/wiredyno", 53),
        ("sensor-board-data", "ros1/wiredyno", 44),
        ("envelope-1-digest", "ts-103-097/wiredyno", 96),
        ("envelope-1-certificate", "ts-103-097/wiredyno", 222),
        ("envelope-2", "ts-103-097/wiredyno", 233),
        ("envelope-3", "ts-103-097/wiredyno", 230),
        // The study's header lengths: 8 of UDP and 4 of size; 9 and the channel's name before the hash.
        ("vehicle-control", "ros1/wiredyno:udp", 27 + 12),
        ("vehicle-control", "lcm/wiredyno:udp", 35 + 9 + "VehicleControl".len()),
    ];
    for (name, codec, expected) in sizes {
        let Some(payload) = stand::payloads().into_iter().find(|payload| payload.entry().name == name) else {
            // Builds with WIREDYNO_PAYLOADS leave payloads out.
            continue;
        };
        let bound = stand::bound(&payload, codec, false).unwrap();
        for sample in 0..bound.sample_count() {
            assert_eq!(bound.encoded_sample(sample).unwrap().len(), expected, "{codec} over {name}");
        }
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
        stand::test("published_sizes_come_out", None, published_sizes_come_out),
    ]
}
