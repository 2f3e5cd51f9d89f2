//! Thrift, Protobuf and BSON with the formats' own libraries, in Python: they read the same values and
//! write the same bytes. FlatBuffers and Cap'n Proto with their own compilers, by decoding.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use heck::ToLowerCamelCase as _;
use libtest_mimic::Trial;
use prost_reflect::{DynamicMessage, SerializeOptions};
use wiredyno_payloads::Payload;
use wiredyno_schema::idl::{Idl as _, capnp::Capnp, fbs::Fbs, thrift::Thrift};

use crate::stand::{self, Subject};

/// A value as plain JSON: numbers as numbers, enum values by name or number.
fn plain_json(value: &DynamicMessage, enum_numbers: bool) -> serde_json::Value {
    let options = SerializeOptions::new()
        .use_proto_field_name(true)
        .stringify_64_bit_integers(false)
        .skip_default_fields(false)
        .use_enum_numbers(enum_numbers);
    value.serialize_with_options(serde_json::value::Serializer, &options).unwrap()
}

/// The bytes of every value with its JSON.
fn encoded(subject: &Subject, codec: &str, enum_numbers: bool) -> Vec<(Vec<u8>, serde_json::Value)> {
    let values = stand::all_values(subject);
    let bytes = subject.encoded(codec, &values);
    bytes.into_iter().zip(values.iter().map(|value| plain_json(value, enum_numbers))).collect()
}

/// Runs the Python side over the bytes of `codec`; `prepare` adds to each payload's folder what the library needs.
fn compare(format: &str, codec: &str, enum_numbers: bool, prepare: impl Fn(&Payload, &Path)) {
    let folder = stand::folder();
    let mut sent = 0;
    for subject in stand::carrying(codec) {
        let values = encoded(subject, codec, enum_numbers);
        let own = folder.path().join(subject.name().replace('/', "-"));
        std::fs::create_dir(&own).unwrap();
        let mut lines = String::new();
        for (bytes, json) in &values {
            let _ = writeln!(lines, "{}", serde_json::json!({ "hex": hex::encode(bytes), "json": json }));
        }
        std::fs::write(own.join("values.jsonl"), lines).unwrap();
        prepare(&subject.payload, &own);
        sent += values.len();
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/oracles/libraries.py");
    let output =
        stand::script(stand::python(), &script, &folder).arg(format).arg(folder.path()).output().unwrap();
    assert!(
        output.status.success(),
        "seed {}: {}",
        stand::seed(),
        String::from_utf8_lossy(&output.stderr).chars().take(4000).collect::<String>()
    );
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), sent.to_string());
}

fn thrift(variant: &str) {
    let codec = if variant == "binary" { "thrift/apache-thrift:binary" } else { "thrift/apache-thrift" };
    compare("thrift", codec, true, |payload, folder| {
        let definition = payload.definition();
        let idl = folder.join("message.thrift");
        std::fs::write(&idl, Thrift.lower(definition).unwrap().text).unwrap();
        std::fs::create_dir(folder.join("gen")).unwrap();
        let made =
            Command::new("thrift").args(["--gen", "py", "-out"]).arg(folder.join("gen")).arg(&idl).output();
        let made = made.unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        std::fs::write(folder.join("root"), &definition.root().name).unwrap();
        std::fs::write(folder.join("variant"), variant).unwrap();
        let ascending =
            |message: &wiredyno_schema::Message| message.fields.is_sorted_by_key(|field| field.number);
        if definition.messages.iter().all(ascending) {
            std::fs::write(folder.join("ascending"), "").unwrap();
        }
    });
}

fn apaches_thrift_reads_and_writes_the_same_compact_bytes() {
    thrift("compact");
}

fn apaches_thrift_reads_and_writes_the_same_binary_bytes() {
    thrift("binary");
}

fn googles_protobuf_reads_and_writes_the_same_bytes() {
    compare("protobuf", "protobuf/prost", true, |payload, folder| {
        let definition = payload.definition();
        std::fs::write(folder.join("descriptor.bin"), &definition.descriptor_set).unwrap();
        std::fs::write(folder.join("root"), &definition.root().full_name).unwrap();
    });
}

fn mongodbs_bson_reads_and_writes_the_same_bytes() {
    compare("bson", "bson/bson", false, |_, _| {});
}

/// Our Avro with static code and apache-avro; sonic-rs and serde_json: one format, two libraries, the same bytes.
fn two_libraries_of_a_format_write_the_same_bytes() {
    for (ours, theirs) in [("avro/wiredyno", "avro/apache-avro"), ("json/sonic-rs", "json/serde-json")] {
        for subject in stand::carrying(ours) {
            let pairs = encoded(subject, ours, true).into_iter();
            for ((one, _), (other, json)) in pairs.zip(encoded(subject, theirs, true)) {
                assert_eq!(hex::encode(one), hex::encode(other), "{ours} over {}: {json}", subject.name());
            }
        }
    }
}

fn flatc_reads_the_same_values() {
    for subject in stand::carrying("flatbuffers/planus") {
        let folder = stand::folder();
        let schema = folder.path().join("message.fbs");
        std::fs::write(&schema, Fbs.lower(subject.payload.definition()).unwrap().text).unwrap();
        let values = encoded(subject, "flatbuffers/planus", false);
        let files: Vec<_> = (0..values.len()).map(|at| folder.path().join(format!("v{at}.bin"))).collect();
        for (file, (bytes, _)) in files.iter().zip(&values) {
            std::fs::write(file, bytes).unwrap();
        }
        let ran = Command::new("flatc")
            .args(["--json", "--raw-binary", "--strict-json", "--defaults-json", "-o"])
            .arg(folder.path())
            .arg(&schema)
            .arg("--")
            .args(&files)
            .output()
            .unwrap();
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stdout));
        for (at, (_, wanted)) in values.iter().enumerate() {
            let text = std::fs::read_to_string(folder.path().join(format!("v{at}.json"))).unwrap();
            let found: serde_json::Value = serde_json::from_str(&text).unwrap();
            same(&found, wanted, &subject.name(), str::to_owned);
        }
    }
}

/// `capnp convert` reads a stream of messages and prints each as JSON.
fn capnp_reads_the_same(codec: &str, from: &str) {
    for subject in stand::carrying(codec) {
        let (definition, name) = (subject.payload.definition(), subject.name());
        let oneofs = definition.messages.iter().flat_map(|message| &message.oneofs);
        let oneofs: Vec<String> = oneofs.map(|oneof| oneof.name.to_lower_camel_case()).collect();
        let folder = stand::folder();
        let schema = folder.path().join("message.capnp");
        std::fs::write(&schema, Capnp.lower(definition).unwrap().text).unwrap();
        let values = encoded(subject, codec, false);
        let stream = folder.path().join("values");
        std::fs::write(&stream, values.iter().flat_map(|(bytes, _)| bytes.clone()).collect::<Vec<u8>>())
            .unwrap();
        let ran = Command::new("capnp")
            .args(["convert", &format!("{from}:json")])
            .arg(&schema)
            .arg(&definition.root().name)
            .stdin(std::fs::File::open(&stream).unwrap())
            .output()
            .unwrap();
        let (text, errors) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
        assert!(ran.status.success(), "{codec} over {name}: {errors}");
        let printed = serde_json::Deserializer::from_str(&text).into_iter::<serde_json::Value>();
        let printed: Vec<_> = printed.map(Result::unwrap).collect();
        assert_eq!(printed.len(), values.len(), "{codec} over {name}: {errors}");
        for (found, (_, wanted)) in printed.into_iter().zip(&values) {
            same(&plain_capnp(found, wanted, &oneofs), wanted, &name, |name| name.to_lower_camel_case());
        }
    }
}

/// capnp's output without unions around their members and without presence flags. `wanted` distinguishes fields from
/// oneofs of the same name in other messages.
fn plain_capnp(value: serde_json::Value, wanted: &serde_json::Value, oneofs: &[String]) -> serde_json::Value {
    use serde_json::Value;
    match value {
        Value::Array(list) => {
            let elements = list.into_iter().enumerate();
            elements.map(|(at, value)| plain_capnp(value, &wanted[at], oneofs)).collect()
        }
        Value::Object(members) => {
            let fields: std::collections::HashMap<String, &Value> = wanted
                .as_object()
                .into_iter()
                .flatten()
                .map(|(name, value)| (name.to_lower_camel_case(), value))
                .collect();
            let absent: Vec<String> = members
                .iter()
                .filter(|(name, value)| name.starts_with("has") && **value == Value::Bool(false))
                .map(|(name, _)| name["has".len()..].to_lower_camel_case())
                .collect();
            let mut kept = serde_json::Map::new();
            for (name, value) in members {
                let field = fields.get(&name);
                let is_oneof = field.is_none() && oneofs.contains(&name);
                // The members of a oneof are fields of the message.
                match plain_capnp(
                    value,
                    if is_oneof { wanted } else { field.unwrap_or(&&Value::Null) },
                    oneofs,
                ) {
                    Value::Object(chosen) if is_oneof => {
                        kept.extend(chosen.into_iter().filter(|(name, _)| name != "none"));
                    }
                    value => drop(kept.insert(name, value)),
                }
            }
            kept.retain(|name, _| !name.starts_with("has") && !absent.contains(name));
            Value::Object(kept)
        }
        other => other,
    }
}

fn capnp_reads_the_same_values() {
    capnp_reads_the_same("capnproto/capnp", "binary");
}

fn capnp_reads_the_same_packed_values() {
    capnp_reads_the_same("capnproto/capnp:packed", "packed");
}

/// Whether a compiler's output is the wanted value: it prints bytes as lists of numbers and maps as lists of entries, and
/// may omit empty values.
fn same(found: &serde_json::Value, wanted: &serde_json::Value, path: &str, rename: fn(&str) -> String) {
    use serde_json::Value;
    match (found, wanted) {
        (Value::Object(found), Value::Object(wanted)) => {
            for (name, wanted) in wanted {
                let found = found.get(&rename(name)).unwrap_or(&Value::Null);
                same(found, wanted, &format!("{path}.{name}"), rename);
            }
            let names: Vec<String> = wanted.keys().map(|name| rename(name)).collect();
            for (name, found) in found {
                assert!(found.is_null() || names.contains(name), "{path}.{name} is too many");
            }
        }
        (Value::Null, wanted) => assert!(is_empty(wanted), "{path} is absent, wanted {wanted}"),
        (Value::Array(entries), Value::Object(wanted)) => {
            assert_eq!(entries.len(), wanted.len(), "{path}");
            for entry in entries {
                let key = entry.get("key").map_or(String::new(), |key| match key {
                    Value::String(text) => text.clone(),
                    other => other.to_string(),
                });
                let value = entry.get("value").unwrap_or(&Value::Null);
                same(value, wanted.get(&key).unwrap_or(&Value::Null), &format!("{path}[{key}]"), rename);
            }
        }
        (Value::Array(found), Value::Array(wanted)) => {
            assert_eq!(found.len(), wanted.len(), "{path}");
            found.iter().zip(wanted).for_each(|(found, wanted)| same(found, wanted, path, rename));
        }
        (Value::Array(found), Value::String(wanted)) => {
            let bytes: Vec<u8> = found.iter().map(|byte| byte.as_u64().unwrap() as u8).collect();
            assert_eq!(
                &base64::Engine::encode(&base64::engine::general_purpose::STANDARD, bytes),
                wanted,
                "{path}"
            );
        }
        // The table that wraps an element of repeated bytes.
        (Value::Object(table), Value::String(_)) => {
            same(table.get("value").unwrap_or(&Value::Null), wanted, path, rename);
        }
        (Value::Number(one), Value::Number(other)) if one.is_f64() || other.is_f64() => {
            let (one, other) = (one.as_f64().unwrap(), other.as_f64().unwrap());
            // flatc prints six decimal places of a float, twelve of a double.
            let places = if f64::from(other as f32) == other { 1e-6 } else { 1e-12 };
            assert!((one - other).abs() <= other.abs() * 1e-6 + places, "{path}: {one}, wanted {other}");
        }
        // 64-bit numbers as text, and names of enum values in a language's own spelling.
        (Value::String(found), Value::Number(wanted)) => assert_eq!(found, &wanted.to_string(), "{path}"),
        (Value::String(one), Value::String(other)) if one != other && is_constant(other) => {
            assert_eq!(one, &rename(other), "{path}");
        }
        _ => assert_eq!(found, wanted, "{path}"),
    }
}

/// Whether it is spelled as message.proto spells names of enum values.
fn is_constant(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
}

fn is_empty(value: &serde_json::Value) -> bool {
    use serde_json::Value;
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Object(members) => members.is_empty(),
        _ => false,
    }
}

/// A test: its name, what it lacks here, and its function.
type Named = (&'static str, Option<&'static str>, fn());

pub fn tests() -> Vec<Trial> {
    let imports = |module: &str| stand::runs(stand::python(), &["-c", &format!("import {module}")]);
    let missing = |there: bool, line: &'static str| (!there).then_some(line);
    let thrift = missing(
        imports("thrift.protocol.TCompactProtocol") && stand::runs("thrift", &["-version"]),
        "no thrift compiler or Python library: apt install thrift-compiler, pip install thrift",
    );
    let protobuf =
        missing(imports("google.protobuf.json_format"), "Python has no protobuf: pip install protobuf");
    let bson = missing(imports("bson"), "Python has no bson: pip install pymongo");
    let flatc = missing(stand::runs("flatc", &["--version"]), "no flatc: apt install flatbuffers-compiler");
    let capnp = missing(stand::runs("capnp", &["--version"]), "no capnp: apt install capnproto");
    let tests: [Named; 8] = [
        ("capnp_reads_the_same_values", capnp, capnp_reads_the_same_values),
        ("capnp_reads_the_same_packed_values", capnp, capnp_reads_the_same_packed_values),
        (
            "apaches_thrift_reads_and_writes_the_same_compact_bytes",
            thrift,
            apaches_thrift_reads_and_writes_the_same_compact_bytes,
        ),
        (
            "apaches_thrift_reads_and_writes_the_same_binary_bytes",
            thrift,
            apaches_thrift_reads_and_writes_the_same_binary_bytes,
        ),
        (
            "googles_protobuf_reads_and_writes_the_same_bytes",
            protobuf,
            googles_protobuf_reads_and_writes_the_same_bytes,
        ),
        (
            "mongodbs_bson_reads_and_writes_the_same_bytes",
            bson,
            mongodbs_bson_reads_and_writes_the_same_bytes,
        ),
        ("flatc_reads_the_same_values", flatc, flatc_reads_the_same_values),
        (
            "two_libraries_of_a_format_write_the_same_bytes",
            None,
            two_libraries_of_a_format_write_the_same_bytes,
        ),
    ];
    tests.into_iter().map(|(name, missing, run)| stand::test(name, missing, run)).collect()
}
