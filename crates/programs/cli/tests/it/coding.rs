//! Messages there and back: encode, decode, measure.

use crate::commands::{id, list};
use crate::stand::{Desk, SOME_CODECS, array, fed, provide_codecs, wiredyno};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The codecs that are compiled together.
pub(crate) fn composed_codecs() -> Vec<Value> {
    list("codecs").into_iter().filter(|codec| codec["runner"] == "rust").collect()
}

/// `opaque@SIZE`, with a size that can be encoded.
pub(crate) fn with_size(payload: &str) -> String {
    payload.replace("@SIZE", "@100")
}

#[test]
fn encode_prints_the_published_bytes_of_person() {
    provide_codecs("person");
    // Appendix A of Myastovskiy, "Evaluating the Performance of Serialization Protocols in Apache Kafka" (2024).
    let published = [
        (
            "messagepack/rmp-serde",
            "84aa66697273745f6e616d65a5416c696365a96c6173745f6e616d65a8416e647265736f6ea36167651eac\
             70686f6e655f6e756d626572ac3132332d3435362d37383930",
        ),
        ("protobuf/prost", "0a05416c6963651208416e647265736f6e181e220c3132332d3435362d37383930"),
        ("avro/apache-avro", "0a416c69636510416e647265736f6e3c183132332d3435362d37383930"),
    ];
    for (codec, bytes) in published {
        let printed = wiredyno(&["encode", "--payload", "person", "--codec", codec, "--hex"]).well();
        assert_eq!(printed, format!("{bytes}\n"), "{codec}");
    }
}

#[test]
fn encode_without_hex_writes_the_bytes_and_nothing_else() {
    provide_codecs("person");
    let bytes = wiredyno(&["encode", "--payload", "person", "--codec", "json/serde-json"]).well();
    let value = r#"{"first_name":"Alice","last_name":"Andreson","age":30,"phone_number":"123-456-7890"}"#;
    assert_eq!(bytes, value);
}

#[test]
fn every_codec_carries_every_payload_there_and_back_through_pipes() {
    let codecs = composed_codecs();
    let full = std::env::var_os("WIREDYNO_TEST_FULL").is_some();
    // The first codec's value of a sample, which all others must reproduce.
    let mut values: BTreeMap<(String, String), String> = BTreeMap::new();
    for payload in &list("payloads") {
        let name = with_size(id(payload));
        let bare = id(payload).replace("@SIZE", "");
        // Each pair starts three processes per sample, so only the full form tests all of them. What is
        // left out here is covered by the conformance suite for each definition and codec.
        match bare.as_str() {
            "person" => provide_codecs("person"),
            "small" | "current-status" => {}
            name if full => provide_codecs(name),
            _ => continue,
        }
        let last = (payload["samples"].as_u64().unwrap_or(1) - 1).min(3).to_string();
        let samples: BTreeSet<&str> = BTreeSet::from(["0", &last]);
        for codec in &codecs {
            let asked = if bare == "person" { &SOME_CODECS[..] } else { &["json/serde-json"] };
            if !full && !asked.contains(&id(codec)) {
                continue;
            }
            if array(&codec["not_carried"]).iter().any(|not| not["payload"] == bare) {
                continue;
            }
            let pair = ["--payload", &name, "--codec", id(codec), "--hex"];
            for sample in &samples {
                let at = || format!("{name} {} sample {sample}", id(codec));
                let body = wiredyno(&[&["encode", "--sample", sample], &pair[..]].concat()).well();
                let line = fed(&[&["decode", "-"], &pair[..]].concat(), &body).well();
                assert_eq!(line.lines().count(), 1, "{}", at());
                let again = fed(&[&["encode", "--value", "-"], &pair[..]].concat(), &line).well();
                if array(&codec["capabilities"]).iter().any(|label| label == "canonical") {
                    assert_eq!(again, body, "{}", at());
                } else {
                    assert_eq!(fed(&[&["decode", "-"], &pair[..]].concat(), &again).well(), line, "{}", at());
                }
                let key = (name.clone(), (*sample).to_owned());
                let value = values.entry(key).or_insert_with(|| line.clone());
                assert_eq!(*value, line, "{}", at());
            }
        }
    }
    assert!(values.len() >= if full { 20 } else { 5 }, "{:?}", values.keys());
}

#[test]
fn every_compression_carries_a_message_there_and_back() {
    let pair = ["--payload", "current-status", "--codec", "json/serde-json", "--hex"];
    let plain = wiredyno(&[&["encode"], &pair[..]].concat()).well();
    let value = fed(&[&["decode", "-"], &pair[..]].concat(), &plain).well();
    let compressions = list("compressions");
    assert!(compressions.len() >= 6);
    for compression in &compressions {
        let with = ["--compression", id(compression)];
        let body = wiredyno(&[&["encode"], &pair[..], &with[..]].concat()).well();
        if id(compression) == "none" {
            assert_eq!(body, plain);
        } else {
            // A textual telemetry message of 12 kB: every method takes at least half of it.
            assert!(body.len() * 2 < plain.len(), "{}: {} of {}", id(compression), body.len(), plain.len());
        }
        let back = fed(&[&["decode", "-"], &pair[..], &with[..]].concat(), &body).well();
        assert_eq!(back, value, "{}", id(compression));
    }
    let refused = |code: i32, compression: &str, hint: &str| {
        let with =
            ["encode", "--payload", "person", "--codec", "cbor/ciborium", "--compression", compression];
        let error = wiredyno(&with).refused(code);
        assert!(error.contains(hint), "{error}");
    };
    refused(2, "zsdt:3", "`zstd`");
    refused(2, "gzip:77", "1 to 9");
    refused(1, "zstd:3:dictionary", "samples other than those measured");
}

#[test]
fn a_value_comes_from_standard_input_or_a_file() {
    provide_codecs("person");
    let desk = Desk::new();
    let value = r#"{"first_name": "Al", "age": 7}"#;
    let encode = ["encode", "--payload", "person", "--codec", "protobuf/prost", "--hex", "--value"];
    let piped = fed(&[&encode[..], &["-"]].concat(), value).well();
    assert_eq!(piped, "0a02416c1807\n");
    std::fs::write(desk.file("al.json"), value).unwrap();
    assert_eq!(desk.wiredyno(&[&encode[..], &["al.json"]].concat()).well(), piped);
}

#[test]
fn a_wrong_value_is_refused_with_file_line_and_column() {
    provide_codecs("person");
    let desk = Desk::new();
    let encode = ["encode", "--payload", "person", "--codec", "protobuf/prost", "--hex", "--value"];
    std::fs::write(desk.file("v.json"), "{\"first_name\": \"Al\",\n \"nope\": 3}").unwrap();
    let error = desk.wiredyno(&[&encode[..], &["v.json"]].concat()).refused(1);
    assert!(error.starts_with("wiredyno: v.json:2: unrecognized field name 'nope', column 7; "), "{error}");
    let error = fed(&[&encode[..], &["-"]].concat(), r#"{"age": "old"}"#).refused(1);
    assert!(error.starts_with("wiredyno: standard input:1: "), "{error}");
    let error = desk.wiredyno(&[&encode[..], &["none.json"]].concat()).refused(1);
    assert!(error.starts_with("wiredyno: none.json: No such file"), "{error}");
}

#[test]
fn bytes_that_are_no_message_are_refused() {
    provide_codecs("person");
    let decode = ["decode", "--payload", "person", "--codec", "protobuf/prost", "--hex"];
    let error = fed(&decode, "0g").refused(1);
    assert!(error.contains("standard input: ") && error.contains("0-9 and a-f"), "{error}");
    let error = fed(&decode, "0a0").refused(1);
    assert!(error.contains("pairs of the digits"), "{error}");
    let error = fed(&decode, "0aff").refused(1);
    assert!(error.starts_with("wiredyno: protobuf/prost can't decode these bytes: "), "{error}");
    // Copied bytes often have white space between digits.
    assert!(fed(&decode, "0a 02\n41 6c\n").well().contains(r#""first_name":"Al""#));
}

#[test]
fn measure_prints_the_phases_with_cpu_heap_and_stack() {
    let measure = ["measure", "--payload", "small", "--codec", "protobuf/prost"];
    let text = wiredyno(&measure).well();
    for phase in ["build", "encode", "encode_fresh", "decode", "read"] {
        let row = text.lines().find(|line| line.split_whitespace().next() == Some(phase));
        let words: Vec<&str> = row.unwrap().split_whitespace().skip(1).collect();
        assert_eq!(words.len(), 8, "{text}");
        // Instructions are a dash if the kernel does not allow counting them, and a line says why.
        for (place, word) in words.iter().enumerate() {
            let figure = word.parse::<f64>().is_ok_and(f64::is_finite);
            assert!(figure || (place == 3 && text.contains("No instructions: ")), "{text}");
        }
    }
    assert!(text.contains("12.0 bytes mean"), "{text}");
    let record = wiredyno(&[&measure[..], &["--json"]].concat()).json();
    assert_eq!(record["cell"]["codec"], "protobuf/prost");
}
