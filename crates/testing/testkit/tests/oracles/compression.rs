//! Compression both ways: Python's zlib and Arrow's libraries read ours and we read theirs; with a dictionary the
//! program zstd does.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use wiredyno_compression::{self as compression, BoundCompression, Dictionary, REGISTRY};

use crate::stand;

/// Bodies of every composed payload as JSON and as MessagePack: text and binary, own and invented samples.
fn bodies() -> Vec<Vec<u8>> {
    let mut bodies = vec![Vec::new()];
    for (codec, invented) in [("json/serde-json", false), ("messagepack/rmp-serde", true)] {
        for subject in stand::carrying(codec) {
            bodies.extend(subject.encoded(codec, &stand::values(subject, invented)));
        }
    }
    bodies
}

fn bound(id: &str, training: &[Vec<u8>]) -> Box<dyn BoundCompression> {
    compression::bind(&id.parse().unwrap(), training).unwrap().unwrap()
}

/// Every id without a dictionary.
fn ids() -> impl Iterator<Item = &'static str> {
    let ids = REGISTRY.iter().flat_map(|method| method.ids()).copied();
    ids.filter(|id| *id != "none" && !id.ends_with("dictionary"))
}

fn foreign_libraries_read_ours_and_we_read_theirs() {
    let bodies = bodies();
    let mut lines = Vec::new();
    for id in ids() {
        let mut ours = bound(id, &[]);
        for body in &bodies {
            let mut compressed = Vec::new();
            ours.compress(body, &mut compressed).unwrap();
            let case = serde_json::json!({
                "id": id, "plain": hex::encode(body), "compressed": hex::encode(compressed),
            });
            lines.push(case.to_string());
        }
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/oracles/compression.py");
    let folder = stand::folder();
    let mut child = stand::script(stand::python(), &script, &folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let feeder = std::thread::spawn(move || {
        // A reader that stops early reports why on stderr; its status counts.
        let _ = input.write_all(lines.join("\n").as_bytes());
    });
    let output = child.wait_with_output().unwrap();
    feeder.join().unwrap();
    assert!(output.status.success(), "see above for the first body that differs");
    let text = String::from_utf8(output.stdout).unwrap();
    let mut theirs = text.lines();
    let mut back = Vec::new();
    for id in ids() {
        let mut ours = bound(id, &[]);
        for body in &bodies {
            let compressed = hex::decode(theirs.next().expect("a line for every body")).unwrap();
            ours.decompress(&compressed, &mut back).unwrap_or_else(|error| panic!("{id}: {error}"));
            assert_eq!(back, *body, "{id}");
        }
    }
    assert_eq!(theirs.next(), None);
}

fn the_program_zstd_reads_what_a_dictionary_made_shorter() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("compression-dictionary");
    std::fs::create_dir_all(&folder).unwrap();
    let id = "zstd:3:dictionary".parse().unwrap();
    let subject = stand::over("current-status", "json/serde-json")[0];
    let samples = subject.encoded("json/serde-json", &stand::values(subject, false));
    let (measured, training) = samples.split_at(5);
    let dictionary = Dictionary::train(&id, training).unwrap();
    std::fs::write(folder.join("dictionary"), dictionary.bytes()).unwrap();
    let mut ours = bound("zstd:3:dictionary", training);
    for body in measured {
        let mut compressed = Vec::new();
        ours.compress(body, &mut compressed).unwrap();
        std::fs::write(folder.join("body.zst"), &compressed).unwrap();
        let output = Command::new("zstd")
            .args(["-d", "-c", "-q", "-D", "dictionary", "body.zst"])
            .current_dir(&folder)
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(output.stdout, *body);
    }
}

pub fn tests() -> Vec<libtest_mimic::Trial> {
    let no_arrow = match stand::runs(stand::python(), &["-c", "import pyarrow"]) {
        true => None,
        false => Some("Python has no pyarrow: pip install pyarrow"),
    };
    let no_zstd = match stand::runs("zstd", &["--version"]) {
        true => None,
        false => Some("no program zstd: apt install zstd"),
    };
    vec![
        stand::test(
            "foreign_libraries_read_ours_and_we_read_theirs",
            no_arrow,
            foreign_libraries_read_ours_and_we_read_theirs,
        ),
        stand::test(
            "the_program_zstd_reads_what_a_dictionary_made_shorter",
            no_zstd,
            the_program_zstd_reads_what_a_dictionary_made_shorter,
        ),
    ]
}
