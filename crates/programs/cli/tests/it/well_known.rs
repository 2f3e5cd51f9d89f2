//! Google's well-known types in every format, compared with Google's own library.

use std::process::Command;

use serde_json::Value;

use crate::stand::{Desk, array, number, said};

/// `well_known.py` repeats its fields.
const PROTO: &str = "syntax = \"proto3\";\npackage t;\nimport \"google/protobuf/timestamp.proto\";\nimport \"google/protobuf/duration.proto\";
import \"google/protobuf/wrappers.proto\";\nimport \"google/protobuf/struct.proto\";\nimport \"google/protobuf/field_mask.proto\";
import \"google/protobuf/empty.proto\";
message W { uint32 seq = 1; google.protobuf.Timestamp at = 2; google.protobuf.StringValue s = 3; google.protobuf.Struct st = 4;
  google.protobuf.FieldMask m = 5; google.protobuf.Duration took = 6; google.protobuf.Value any = 7; google.protobuf.ListValue list = 8;
  google.protobuf.Int64Value wide = 9; uint64 big = 10; repeated google.protobuf.Timestamp times = 11; google.protobuf.Empty empty = 12;
  double x = 13; google.protobuf.BytesValue raw = 14; google.protobuf.BoolValue yes = 15; }\n";

/// In the proto3 JSON mapping, as `new` reads them.
const SAMPLES: [&str; 6] = [
    r#"{"seq":1,"at":"2026-01-02T03:04:05.250Z","s":"hello","st":{"a":1.5,"b":[1,"x",null,true]},"m":"fooBar,a.b"}"#,
    r#"{"seq":2,"at":"1969-12-31T23:59:59.999999Z","took":"-1.500s","any":null,"list":[],"wide":"-9007199254740993","big":"18446744073709551615"}"#,
    r#"{"seq":3,"took":"0s","any":{"deep":{"er":[{},[null],"ü"]}},"list":[null,{"k":false}],"times":["9999-12-31T23:59:59Z","0001-01-01T00:00:00Z","2026-01-02T03:04:05Z"],"empty":{}}"#,
    r#"{"seq":4,"any":"2026-01-02T03:04:05Z","st":{},"m":"","wide":"0","s":"","x":2.5,"raw":"AP8=","yes":false}"#,
    r#"{"seq":5,"any":-0.5,"yes":true,"took":"3.000001s","at":"2026-01-02T03:04:05.000250Z"}"#,
    r#"{"seq":6,"any":[true,[1e300]]}"#,
];

const JSON: &str = "json/serde-json";
const PROTO3: &str = "json/serde-json:proto3";
const CODECS: [&str; 10] = [
    JSON,
    PROTO3,
    "json/sonic-rs",
    "cbor/ciborium",
    "messagepack/rmp-serde",
    "messagepack/rmp-serde:positional",
    "bson/bson",
    "avro/apache-avro",
    "protobuf/prost",
    "xml/quick-xml",
];
const PYTHONS: [&str; 4] = ["json/python-json", "json/orjson", "cbor/cbor2", "messagepack/msgpack-python"];

fn desk() -> Desk {
    let desk = Desk::new();
    std::fs::write(desk.file("w.proto"), PROTO).unwrap();
    std::fs::write(desk.file("w.jsonl"), SAMPLES.join("\n")).unwrap();
    desk.wiredyno(&["new", "w", "--from", "w.proto", "--samples", "w.jsonl"]).well();
    desk
}

fn encode(desk: &Desk, codec: &str, sample: usize) -> Vec<u8> {
    let sample = sample.to_string();
    let encode = ["encode", "--payload", "w", "--codec", codec, "--sample", &sample, "--hex"];
    hex::decode(desk.wiredyno(&encode).well().trim()).unwrap()
}

fn decode(desk: &Desk, codec: &str, body: &[u8]) -> String {
    std::fs::write(desk.file("body"), body).unwrap();
    desk.wiredyno(&["decode", "--payload", "w", "--codec", codec, "body"]).well()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// The same document with the integers of 64 bits as numbers.
fn with_numbers(text: &str) -> Value {
    let mut document: Value = serde_json::from_str(text).unwrap();
    for key in ["wide", "big"] {
        if let Some(Value::String(digits)) = document.get(key) {
            document[key] = serde_json::from_str(digits).unwrap();
        }
    }
    document
}

#[test]
fn well_known_types_are_what_googles_library_writes_and_come_back_in_every_format() {
    let desk = desk();
    desk.wiredyno(&["build", "w", "--codec", &CODECS.join(",")]).well();
    let sizes = desk.wiredyno(&["size", "w", "--json"]).json();
    let mut bodies: Vec<Vec<Vec<u8>>> = Vec::new();
    for codec in CODECS {
        let own: Vec<Vec<u8>> = (0..SAMPLES.len()).map(|sample| encode(&desk, codec, sample)).collect();
        // The sizes without compiling are the same.
        let weighed = array(&sizes["codecs"]).iter().find(|one| one["id"] == codec).unwrap();
        let [least, most] = ["min_bytes", "max_bytes"].map(|key| number(&weighed["plain"], key));
        let lengths: Vec<u64> = own.iter().map(|body| body.len() as u64).collect();
        assert_eq!((lengths.iter().min(), lengths.iter().max()), (Some(&least), Some(&most)), "{codec}");
        bodies.push(own);
    }
    for sample in 0..SAMPLES.len() {
        let wanted = decode(&desk, CODECS[0], &bodies[0][sample]);
        for (codec, own) in CODECS.iter().zip(&bodies) {
            assert_eq!(decode(&desk, codec, &own[sample]), wanted, "{codec}, sample {sample}");
        }
    }
    // The original sample, with the fields that are always written and numbers as doubles.
    assert_eq!(
        text(&bodies[0][0]),
        r#"{"seq":1,"at":"2026-01-02T03:04:05.250Z","s":"hello","st":{"a":1.5,"b":[1.0,"x",null,true]},"m":"fooBar,a.b","big":0,"times":[],"x":0.0}"#
    );
    // Tag 0 and a text of 24 bytes; the extension -1 of 8 bytes; a datetime.
    assert!(hex::encode(&bodies[3][0]).contains("6261 74c0 7818".replace(' ', "").as_str()));
    assert!(hex::encode(&bodies[4][0]).contains("a26174d7ff"));
    assert!(hex::encode(&bodies[6][0]).contains("09617400828da97c9b010000"));

    let xml = text(&bodies[9][0]);
    assert!(
        xml.contains("<at>2026-01-02T03:04:05.250Z</at><s>hello</s>") && xml.contains("<m>fooBar,a.b</m>"),
        "{xml}"
    );

    let python = std::env::var_os("WIREDYNO_PYTHON").unwrap_or_else(|| "python3".into());
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/well_known.py");
    if !Command::new(&python)
        .args(["-c", "import google.protobuf"])
        .status()
        .is_ok_and(|status| status.success())
    {
        eprintln!("ignored, because Python has no protobuf here: pip install protobuf");
        return;
    }
    let printed = said(Command::new(&python).arg(script).arg(desk.file("w.jsonl"))).well();
    assert_eq!(printed.lines().count(), SAMPLES.len());
    for (sample, line) in printed.lines().enumerate() {
        let google: Value = serde_json::from_str(line).unwrap();
        let json = google["json"].as_str().unwrap();
        let own = text(&bodies[1][sample]);
        assert_eq!(
            serde_json::from_str::<Value>(own).unwrap(),
            serde_json::from_str::<Value>(json).unwrap(),
            "{own}"
        );
        let own = text(&bodies[0][sample]);
        assert_eq!(serde_json::from_str::<Value>(own).unwrap(), with_numbers(json), "{own}");
        assert_eq!(bodies[0][sample], bodies[2][sample], "sonic-rs writes another JSON");
        assert_eq!(hex::encode(&bodies[8][sample]), google["protobuf"].as_str().unwrap());
    }
}

#[test]
fn pythons_codecs_write_well_known_types_as_rusts_do() {
    if !super::languages::python_is_here() {
        return;
    }
    let desk = desk();
    desk.wiredyno(&["build", "w", "--codec", &CODECS.join(",")]).well();
    for sample in [0, 1, 2] {
        let wanted = decode(&desk, JSON, &encode(&desk, JSON, sample));
        for codec in PYTHONS {
            let body = encode(&desk, codec, sample);
            assert_eq!(decode(&desk, codec, &body), wanted, "{codec}, sample {sample}");
            let rust = match codec {
                "cbor/cbor2" => "cbor/ciborium",
                "messagepack/msgpack-python" => "messagepack/rmp-serde",
                _ => JSON,
            };
            // Each language reads what the other wrote.
            assert_eq!(decode(&desk, rust, &body), wanted, "{rust} of {codec}, sample {sample}");
            assert_eq!(
                decode(&desk, codec, &encode(&desk, rust, sample)),
                wanted,
                "{codec} of {rust}, sample {sample}"
            );
        }
    }
}

/// Values that JSON has no number for, and values without a text form.
#[test]
fn what_a_format_can_not_say_is_told_by_size_and_encode_alike() {
    let desk = Desk::new();
    let proto = "syntax = \"proto3\"; import \"google/protobuf/timestamp.proto\"; message N { uint32 seq = 1; double g = 2; repeated double \
                 ranges = 3; google.protobuf.Timestamp at = 4; }";
    std::fs::write(desk.file("n.proto"), proto).unwrap();
    std::fs::write(desk.file("n.jsonl"), r#"{"seq":1,"g":"NaN","ranges":["Infinity",1.5,"-Infinity"]}"#)
        .unwrap();
    desk.wiredyno(&["new", "n", "--from", "n.proto", "--samples", "n.jsonl"]).well();
    desk.wiredyno(&["build", "n", "--codec", &[JSON, PROTO3].join(",")]).well();
    let sizes = desk.wiredyno(&["size", "n", "--json"]).json();
    let ids = |key: &str| -> Vec<String> {
        array(&sizes[key]).iter().map(|one| one["id"].as_str().unwrap().to_owned()).collect()
    };
    assert!(ids("partly").iter().any(|id| id == JSON), "{sizes}");
    assert!(ids("codecs").iter().any(|id| id == PROTO3), "{sizes}");
    for value in ["--sample=0", "--value=n.jsonl"] {
        let encode = |codec| desk.wiredyno(&["encode", "--payload", "n", "--codec", codec, value]);
        let told = encode(JSON).refused(1);
        assert!(told.contains("json/serde-json") && told.contains("NaN is not a JSON number"), "{told}");
        assert_eq!(encode(PROTO3).well(), r#"{"seq":1,"g":"NaN","ranges":["Infinity",1.5,"-Infinity"]}"#);
    }
    if super::languages::python_is_here() {
        let encode = ["encode", "--payload", "n", "--codec", "json/python-json", "--sample=0"];
        assert!(desk.wiredyno(&encode).refused(1).contains("not JSON compliant"));
    }
    std::fs::write(desk.file("late.jsonl"), r#"{"seq":1,"at":{"seconds":"253402300800"}}"#).unwrap();
    let encode = ["encode", "--payload", "n", "--codec", PROTO3, "--value", "late.jsonl"];
    assert!(desk.wiredyno(&encode).refused(1).contains("is not a time of the years 1 to 9999"));
}
