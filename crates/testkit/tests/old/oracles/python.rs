//! Python's msgpack, cbor2 and fastavro.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

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

fn cases(invented: bool, lines: &mut Vec<String>) {
    for payload in stand::payloads() {
        let json = stand::bound(&payload, "json/serde-json", invented).unwrap();
        for codec in CODECS {
            let Some(bound) = stand::bound(&payload, codec, invented) else {
                continue;
            };
            for sample in 0..bound.sample_count() {
                let case = Case {
                    codec,
                    payload: payload.entry().name,
                    hex: hex::encode(bound.encoded_sample(sample).unwrap()),
                    json: String::from_utf8(json.encoded_sample(sample).unwrap().to_vec()).unwrap(),
                    avsc: payload.entry().avsc,
                };
                lines.push(serde_json::to_string(&case).unwrap());
            }
        }
    }
}

fn pythons_libraries_read_the_same_values() {
    let mut lines = Vec::new();
    cases(false, &mut lines);
    cases(true, &mut lines);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/oracles/python.py");
    let mut child = Command::new(stand::python())
        .arg(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    // A reader that stops early says why on stderr; its status is what counts.
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
