//! Python's msgpack, cbor2 and fastavro.

use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;

use wiredyno_schema::idl::Idl as _;
use wiredyno_schema::idl::avsc::Avsc;

use crate::stand;

const CODECS: &[&str] = &[
    "json/serde-json",
    "json/sonic-rs",
    "messagepack/rmp-serde",
    "cbor/ciborium",
    "avro/apache-avro",
    "avro/wiredyno",
];

#[derive(serde::Serialize)]
struct Case<'a> {
    codec: &'a str,
    payload: &'a str,
    hex: String,
    json: String,
    avsc: &'a str,
}

fn cases(lines: &mut Vec<String>) {
    for subject in stand::carrying("json/serde-json") {
        let values = stand::all_values(subject);
        let jsons = subject.encoded("json/serde-json", &values);
        let avsc = Avsc.lower(subject.payload.definition()).unwrap().text;
        for codec in CODECS.iter().filter(|codec| subject.carried().any(|known| known == **codec)) {
            for (bytes, json) in subject.encoded(codec, &values).iter().zip(&jsons) {
                let case = Case {
                    codec,
                    payload: &subject.payload.id().name,
                    hex: hex::encode(bytes),
                    json: String::from_utf8(json.clone()).unwrap(),
                    avsc: &avsc,
                };
                lines.push(serde_json::to_string(&case).unwrap());
            }
        }
    }
}

fn pythons_libraries_read_the_same_values() {
    let mut lines = Vec::new();
    cases(&mut lines);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/oracles/python.py");
    let folder = stand::folder();
    let mut child = stand::script(stand::python(), &script, &folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    // A reader that stops early reports why on stderr; its status counts.
    let _ = input.write_all(lines.join("\n").as_bytes());
    drop(input);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "see above for the first value that differs");
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), lines.len().to_string());
}

pub fn tests() -> Vec<libtest_mimic::Trial> {
    let missing = match stand::runs(stand::python(), &["-c", "import msgpack, cbor2, fastavro"]) {
        true => None,
        false => Some("Python has no msgpack, cbor2 and fastavro: pip install msgpack cbor2 fastavro"),
    };
    vec![stand::test(
        "pythons_libraries_read_the_same_values",
        missing,
        pythons_libraries_read_the_same_values,
    )]
}
