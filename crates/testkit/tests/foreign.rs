//! Bytes against software not written here: Python's msgpack, cbor2 and fastavro.
//!
//! Python is `WIREDYNO_PYTHON`, which `make test` sets to one with the libraries, or the one on the path. Where
//! they are missing the test is ignored by name.

#![allow(clippy::unwrap_used)]

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use wiredyno_codecs::{Payload, PayloadEntry};

const CODECS: &[&str] = &["json/serde-json", "messagepack/rmp-serde", "cbor/ciborium", "avro/apache-avro"];

/// The Python to use.
fn python() -> Command {
    Command::new(std::env::var_os("WIREDYNO_PYTHON").unwrap_or_else(|| "python3".into()))
}

fn has_libraries() -> bool {
    let import = python().args(["-c", "import msgpack, cbor2, fastavro"]).stderr(Stdio::null()).status();
    import.is_ok_and(|status| status.success())
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

fn pythons_libraries_read_the_same_values() {
    let mut lines = Vec::new();
    cases(wiredyno_payloads::PAYLOADS, &mut lines);
    cases(wiredyno_testkit::PAYLOADS, &mut lines);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/foreign.py");
    let mut child = python().arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    // A reader that stops early says why on stderr; its status is what counts.
    let _ = input.write_all(lines.join("\n").as_bytes());
    drop(input);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "see above for the first value that differs");
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), lines.len().to_string());
}

fn main() {
    let (missing, reason) = match has_libraries() {
        true => (false, ""),
        false => (true, " [Python has no msgpack, cbor2 and fastavro: pip install msgpack cbor2 fastavro]"),
    };
    let name = format!("pythons_libraries_read_the_same_values{reason}");
    let trial = libtest_mimic::Trial::test(name, || {
        pythons_libraries_read_the_same_values();
        Ok(())
    });
    let arguments = libtest_mimic::Arguments::from_args();
    libtest_mimic::run(&arguments, vec![trial.with_ignored_flag(missing)]).exit();
}
