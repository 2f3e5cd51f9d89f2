//! ASN.1: pycrate and asn1tools compile the lowered module of every composed payload; pycrate's compiled ETSI modules check the
//! wording of `cam` and `denm`; asn1c's generated C reads and rewrites them.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use prost_reflect::{
    DynamicMessage, EnumDescriptor, FieldDescriptor, Kind, MapKey, ReflectMessage as _, Value,
};
use serde_json::json;
use wiredyno_payloads::Payload;
use wiredyno_schema::idl::{Asn1, Idl as _};

use crate::stand::{self, Subject};

/// The codecs, with the script's names of their encoding rules.
const CODECS: &[(&str, &str)] = &[
    ("asn1-uper/wiredyno", "uper"),
    ("asn1-uper/rasn", "uper"),
    ("asn1-aper/rasn", "aper"),
    ("asn1-oer/rasn", "oer"),
    ("asn1-oer/rasn:canonical", "coer"),
    ("asn1-der/rasn", "der"),
];

/// Payloads whose components are ETSI's.
const ETSI: &[&str] = &["cam", "denm", "denm-management"];

fn lowered(payload: &Payload) -> (String, String) {
    let module = Asn1.lower(payload.definition()).unwrap().text;
    let root = module.split_once("Module DEFINITIONS").unwrap().0.to_owned();
    (root, module)
}

fn identifier(name: &str) -> String {
    name.to_ascii_lowercase().split('_').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-")
}

/// A value with the module's names, as `asn1.py` reads it.
fn members(message: &DynamicMessage) -> serde_json::Value {
    let mut members = serde_json::Map::new();
    for field in message.descriptor().fields() {
        let there = message.has_field(&field);
        if let Some(oneof) = field.containing_oneof().filter(|oneof| !oneof.is_synthetic()) {
            if there {
                let value = value(&field, &message.get_field(&field));
                members.insert(
                    identifier(oneof.name()),
                    json!({ "$choice": [identifier(field.name()), value] }),
                );
            }
        } else if there || !field.supports_presence() || required(&field) {
            members.insert(identifier(field.name()), value(&field, &message.get_field(&field)));
        }
    }
    members.into()
}

fn required(field: &FieldDescriptor) -> bool {
    option(field, "wiredyno.required").is_some_and(|value| value.as_bool() == Some(true))
}

fn option(field: &FieldDescriptor, name: &str) -> Option<Value> {
    let options = field.options();
    options.extensions().find(|(option, _)| option.full_name() == name).map(|(_, value)| value.clone())
}

fn value(field: &FieldDescriptor, value: &Value) -> serde_json::Value {
    match (value, field.kind()) {
        (Value::List(elements), kind) => elements.iter().map(|value| element(&kind, value)).collect(),
        (Value::Map(entries), Kind::Message(entry)) => {
            let kind = entry.map_entry_value_field().kind();
            let mut entries: Vec<_> = entries.iter().collect();
            entries.sort_by_key(|(key, _)| (*key).clone());
            entries
                .iter()
                .map(|(k, value)| json!({ "key": key(k), "value": element(&kind, value) }))
                .collect()
        }
        (_, kind) => element(&kind, value),
    }
}

fn key(key: &MapKey) -> serde_json::Value {
    match key {
        MapKey::Bool(key) => json!(key),
        MapKey::I32(key) => json!(key),
        MapKey::I64(key) => json!(key),
        MapKey::U32(key) => json!(key),
        MapKey::U64(key) => json!(key),
        MapKey::String(key) => json!(key),
    }
}

fn element(kind: &Kind, value: &Value) -> serde_json::Value {
    let hex = |bytes: &[u8]| json!({ "$hex": hex::encode(bytes) });
    match (value, kind) {
        (Value::Bool(value), _) => json!(value),
        (Value::I32(value), _) => json!(value),
        (Value::I64(value), _) => json!(value),
        (Value::U32(value), _) => json!(value),
        (Value::U64(value), _) => json!(value),
        (Value::F32(value), _) => hex(&value.to_be_bytes()),
        (Value::F64(value), _) => hex(&value.to_be_bytes()),
        (Value::String(value), _) => json!(value),
        (Value::Bytes(value), _) => hex(value),
        (Value::EnumNumber(number), Kind::Enum(values)) => json!({ "$enum": named(values, *number) }),
        (Value::Message(message), _) => members(message),
        (value, kind) => panic!("{value:?} is no {kind:?}"),
    }
}

fn named(values: &EnumDescriptor, number: i32) -> serde_json::Value {
    json!([identifier(values.get_value(number).unwrap().name()), number])
}

/// The lines for the script: a module and its cases, for every selected payload that has the codecs.
fn cases(codecs: &[(&str, &str)], wanted: fn(&str) -> bool, prepare: fn(&mut DynamicMessage)) -> Vec<String> {
    let mut lines = Vec::new();
    for subject in stand::subjects() {
        let name = &subject.payload.id().name;
        let codecs = codecs.iter().filter(|(codec, _)| subject.carried().any(|known| known == *codec));
        let codecs: Vec<_> = codecs.collect();
        if !wanted(name) || codecs.is_empty() {
            continue;
        }
        let (root, module) = lowered(&subject.payload);
        lines.push(json!({ "payload": name, "root": root, "module": module }).to_string());
        let mut values = stand::all_values(subject);
        values.iter_mut().for_each(prepare);
        let members: Vec<_> = values.iter().map(members).collect();
        for (codec, rules) in codecs {
            for (bytes, members) in subject.encoded(codec, &values).iter().zip(&members) {
                let hex = hex::encode(bytes);
                lines.push(
                    json!({ "payload": name, "rules": rules, "hex": hex, "value": members }).to_string(),
                );
            }
        }
    }
    lines
}

fn run(tool: &str, lines: &[String]) {
    let cases = lines.iter().filter(|line| !line.contains("\"module\":")).count();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/oracles/asn1.py");
    let folder = stand::folder();
    let mut child = stand::script(stand::python(), &script, &folder)
        .arg(tool)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    // A reader that stops early reports why on stderr; its status counts.
    let _ = input.write_all(lines.join("\n").as_bytes());
    drop(input);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{tool}, seed {}: see above for the first that differs", stand::seed());
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), cases.to_string());
}

/// pycrate keeps one object per type, whose value a message within a message of its own type overwrites; asn1tools
/// compares those.
fn without_recursion(message: &mut DynamicMessage) {
    fn within(message: &mut DynamicMessage, around: &mut Vec<String>) {
        around.push(message.descriptor().full_name().to_owned());
        let present: Vec<_> = message.fields().map(|(field, _)| field).collect();
        for field in present {
            match field.kind() {
                Kind::Message(nested) if around.iter().any(|name| name == nested.full_name()) => {
                    message.clear_field(&field);
                }
                Kind::Message(_) => match message.get_field_mut(&field) {
                    Value::Message(nested) => within(nested, around),
                    Value::List(elements) => {
                        elements.iter_mut().filter_map(Value::as_message_mut).for_each(|nested| {
                            within(nested, around);
                        });
                    }
                    _ => {}
                },
                _ => {}
            }
        }
        around.pop();
    }
    within(message, &mut Vec::new());
}

fn pycrate_writes_the_same_bytes() {
    run("pycrate", &cases(CODECS, |_| true, without_recursion));
}

/// Lists, maps, texts and byte strings around the lengths at which PER fragments them.
fn pycrate_fragments_long_values_alike() {
    for subject in stand::over("kitchen-sink", CODECS[0].0) {
        fragments(subject);
    }
}

fn fragments(subject: &Subject) {
    let (root, module) = lowered(&subject.payload);
    let mut lines = vec![json!({ "payload": "long", "root": root, "module": module }).to_string()];
    let first = stand::values(subject, false).swap_remove(0);
    let mut loaded = subject.load(CODECS[0].0, std::slice::from_ref(&first));
    for length in [16_383, 16_384, 49_152 + 5, 65_536, 70_000, 5 * 16_384] {
        let mut value = first.clone();
        let flags = (0..length).map(|at| Value::Bool(at % 3 == 0)).collect();
        value.set_field_by_name("flags", Value::List(flags));
        value.set_field_by_name("data", Value::Bytes((0..length).map(|at| at as u8).collect()));
        value.set_field_by_name("type", Value::String("x".repeat(length)));
        let entries = (0..length).map(|at| (MapKey::U32(at as u32), Value::EnumNumber(7))).collect();
        value.set_field_by_name("mood_by_number", Value::Map(entries));
        let bytes = loaded.encode_value(&value).unwrap();
        assert_eq!(loaded.decode(&bytes).unwrap(), value);
        let (hex, members) = (hex::encode(bytes), members(&value));
        lines.push(json!({ "payload": "long", "rules": "uper", "hex": hex, "value": members }).to_string());
    }
    run("pycrate", &lines);
}

/// asn1tools writes `INTEGER (0..MAX)` in PER as if it had no lower bound: with one more octet where the highest bit of
/// an octet is set (X.691, 11.7 and 13.2.6 b, says otherwise, and so do pycrate and rasn). Such numbers are halved.
fn without_highest_bits(message: &mut DynamicMessage) {
    fn halve(value: &mut Value) {
        match value {
            Value::U64(number) if *number > 0 && (64 - number.leading_zeros()) % 8 == 0 => *number /= 2,
            Value::Message(message) => without_highest_bits(message),
            Value::List(elements) => elements.iter_mut().for_each(halve),
            Value::Map(entries) => entries.values_mut().for_each(halve),
            _ => {}
        }
    }
    let present: Vec<_> = message.fields().map(|(field, _)| field).collect();
    for field in present {
        // Fields with a range are not such integers, and their values must stay in it.
        let ranged = option(&field, "wiredyno.range").is_some();
        if !ranged {
            halve(message.get_field_mut(&field));
        }
    }
}

fn asn1tools_writes_the_same_bytes() {
    run("asn1tools", &cases(CODECS, |_| true, without_highest_bits));
}

/// Removes what the payloads do not model, so that the rest is a value of the standard's type.
fn only_modelled(message: &mut DynamicMessage) {
    for field in message.descriptor().fields() {
        let Kind::Message(nested) = field.kind() else {
            continue;
        };
        if nested.name() == "NotModelled" {
            message.clear_field(&field);
        } else if message.has_field(&field)
            && let Some(nested) = message.get_field_mut(&field).as_message_mut()
        {
            only_modelled(nested);
        }
    }
}

fn etsis_own_modules_write_the_same_bytes() {
    let codecs = &CODECS[..2];
    let lines = cases(codecs, |name| ETSI.contains(&name), only_modelled);
    assert!(lines.len() > codecs.len() * stand::random_values() * ETSI.len());
    run("etsi", &lines);
}

/// asn1c's C for each of the payloads, as one program (see `oracles/asn1c/README.md`).
fn asn1c(payload: &Payload, folder: &Path) -> PathBuf {
    let (root, module) = lowered(payload);
    std::fs::write(folder.join("module.asn1"), module).unwrap();
    let build = Path::new(env!("CARGO_MANIFEST_DIR")).join("oracles/asn1c/build");
    let output = Command::new(build).arg(folder).arg(root).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    folder.join("loop")
}

fn asn1cs_c_reads_and_writes_the_same_bytes() {
    let codec = "asn1-uper/wiredyno";
    for name in ETSI {
        for subject in stand::over(name, codec) {
            let folder = stand::folder();
            let program = asn1c(&subject.payload, folder.path());
            let values = stand::all_values(subject);
            let lines: Vec<String> = subject.encoded(codec, &values).iter().map(hex::encode).collect();
            let file = folder.path().join("messages");
            std::fs::write(&file, lines.join("\n") + "\n").unwrap();
            let output = Command::new(program).arg(&file).arg("1").output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{name}, seed {}: {said}", stand::seed());
            let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
            assert_eq!(report["messages"], lines.len());
        }
    }
}

pub fn tests() -> Vec<libtest_mimic::Trial> {
    let python = |library: &str, reason: &'static str| {
        (!stand::runs(stand::python(), &["-c", &format!("import {library}")])).then_some(reason)
    };
    let pycrate = python("pycrate_asn1c", "Python has no pycrate: pip install pycrate");
    let asn1tools = python("asn1tools", "Python has no asn1tools: pip install asn1tools");
    let asn1c =
        (!stand::runs("sh", &["-c", "command -v asn1c"])).then_some("no asn1c: apt-get install asn1c");
    vec![
        stand::test("pycrate_writes_the_same_bytes", pycrate, pycrate_writes_the_same_bytes),
        stand::test("pycrate_fragments_long_values_alike", pycrate, pycrate_fragments_long_values_alike),
        stand::test("asn1tools_writes_the_same_bytes", asn1tools, asn1tools_writes_the_same_bytes),
        stand::test(
            "etsis_own_modules_write_the_same_bytes",
            pycrate,
            etsis_own_modules_write_the_same_bytes,
        ),
        stand::test(
            "asn1cs_c_reads_and_writes_the_same_bytes",
            asn1c,
            asn1cs_c_reads_and_writes_the_same_bytes,
        ),
    ]
}
