//! Bytes against software not written here: Python's msgpack, cbor2 and fastavro.
//!
//! The test makes a virtual environment below the target directory. Where Python, pip or the network is
//! missing it is skipped by name.

#![allow(clippy::unwrap_used)]

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use wiredyno_codecs::{Payload, PayloadEntry};

const CODECS: &[&str] = &["json/serde-json", "messagepack/rmp-serde", "cbor/ciborium", "avro/apache-avro"];

const PACKAGES: &[&str] = &["msgpack", "cbor2", "fastavro"];

fn run(command: &mut Command) -> Result<(), String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr))),
    }
}

/// Python with the packages, made on first use.
fn python() -> Result<PathBuf, String> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("python-oracles");
    let python = folder.join("bin/python");
    if run(Command::new(&python).args(["-c", "import msgpack, cbor2, fastavro"])).is_err() {
        run(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
        run(Command::new(&python).args(["-m", "pip", "install", "--quiet"]).args(PACKAGES))?;
    }
    Ok(python)
}

#[derive(serde::Serialize)]
struct Case<'a> {
    codec: &'a str,
    payload: &'a str,
    hex: String,
    json: String,
    avsc: &'a str,
}

fn cases(entries: &'static [PayloadEntry], lines: &mut Vec<String>) {
    for entry in entries {
        let sized = if entry.name.starts_with("opaque") { "@64" } else { "" };
        let payload = Payload::find(entries, &format!("{}{sized}", entry.name).parse().unwrap()).unwrap();
        let bound = |codec: &str| {
            let mut bound = payload.bind(&codec.parse().unwrap()).unwrap();
            bound.load(&mut payload.samples(Some(50)).unwrap().map(Result::unwrap)).unwrap();
            bound
        };
        let json = bound("json/serde-json");
        for codec in CODECS {
            let bound = bound(codec);
            for sample in 0..bound.sample_count() {
                let case = Case {
                    codec,
                    payload: entry.name,
                    hex: hex::encode(bound.encoded_sample(sample).unwrap()),
                    json: String::from_utf8(json.encoded_sample(sample).unwrap().to_vec()).unwrap(),
                    avsc: entry.avsc,
                };
                lines.push(serde_json::to_string(&case).unwrap());
            }
        }
    }
}

#[test]
fn pythons_libraries_read_the_same_values() {
    let python = match python() {
        Ok(python) => python,
        Err(reason) => {
            eprintln!("SKIPPED pythons_libraries_read_the_same_values: {reason}");
            return;
        }
    };
    let mut lines = Vec::new();
    cases(wiredyno_payloads::PAYLOADS, &mut lines);
    cases(wiredyno_testkit::PAYLOADS, &mut lines);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/foreign.py");
    let mut child =
        Command::new(python).arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    // A reader that stops early says why on stderr; its status is what counts.
    let _ = input.write_all(lines.join("\n").as_bytes());
    drop(input);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "see above for the first value that differs");
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), lines.len().to_string());
}
