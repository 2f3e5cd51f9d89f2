//! JSON that nobody tidied up: every document becomes a definition that reads its own sample back, or is refused
//! with the line and the reason.

#![allow(clippy::unwrap_used)]

use wiredyno_schema::import::infer::{Inference, as_object};
use wiredyno_schema::import::json::documents;
use wiredyno_schema::{Definition, read_value, write_value};

/// The definition's text, and the samples as they come back.
fn through(text: &str, file: &str) -> Result<(String, Vec<String>), String> {
    let mut inference = Inference::default();
    for document in documents(text, file) {
        inference.add(&as_object(document.map_err(|error| error.to_string())?));
    }
    let draft = inference.draft("awkward", file).map_err(|error| error.to_string())?;
    let proto = draft.to_proto();
    assert_eq!(
        proto,
        inference.draft("awkward", file).unwrap().to_proto(),
        "the same input, the same output"
    );
    let definition =
        Definition::from_source(&proto, "message.proto").unwrap_or_else(|error| panic!("{error}\n{proto}"));
    let mut samples = Vec::new();
    for document in documents(text, file) {
        let line = draft.sample(&as_object(document.unwrap()), file).map_err(|error| error.to_string())?;
        let value = read_value(&line, &definition.descriptor, "samples.jsonl", 1)
            .unwrap_or_else(|error| panic!("{error}\n{line}\n{proto}"));
        let back = write_value(&value).unwrap();
        let again = read_value(&back, &definition.descriptor, "samples.jsonl", 1).unwrap();
        assert_eq!(value, again, "{line}");
        samples.push(line);
    }
    Ok((proto, samples))
}

/// Documents with what must stand in the definition.
const CARRIED: &[(&str, &[&str])] = &[
    ("{}", &["message Awkward {"]),
    ("{\"a\":null}", &["optional string a = 1;", "Always null"]),
    ("{\"a\":1}\n{\"a\":null}", &["optional int32 a = 1;", "Null in 1: absent here."]),
    ("{\"a\":1}\n{}", &["optional int32 a = 1;", "In 1 of 2 objects."]),
    ("{\"a\":1}\n{}\n{\"a\":null}", &["Null in 1, absent from 1: both are absent here."]),
    ("{\"a\":[]}", &["repeated string a = 1;", "Always empty"]),
    ("{\"a\":{}}", &["AwkwardA a = 1 [(wiredyno.required) = true];", "message AwkwardA {"]),
    (
        "{\"a\":[[1,2],[3]]}",
        &["message AwkwardAElement {", "repeated int32 value = 1;", "repeated AwkwardAElement a = 1;"],
    ),
    ("{\"a\":[[[\"x\"]]]}", &["Stands for a list or map in a list or map."]),
    ("{\"a\":[1,null,3]}", &["optional int32 value = 1;"]),
    ("{\"a\":[null,null]}", &["optional string value = 1;"]),
    (
        "{\"a\":[1,\"x\",true,{\"b\":1},[2]]}",
        &["oneof kind {", "option (wiredyno.required_choice) = true;", "bool flag = 1;"],
    ),
    ("{\"a\":1}\n{\"a\":\"one\"}", &["AwkwardAChoice a = 1", "int32 number = 1;", "string text = 2;"]),
    ("{\"a\":1}\n{\"a\":1.5}", &["double a = 1;"]),
    ("{\"a\":1.0}", &["double a = 1;"]),
    ("{\"a\":1e3}", &["double a = 1;"]),
    ("{\"a\":-0}", &["double a = 1;"]),
    ("{\"a\":9007199254740993}", &["int64 a = 1;"]),
    ("{\"a\":18446744073709551615}", &["uint64 a = 1;"]),
    ("{\"a\":4294967295}", &["uint32 a = 1;"]),
    ("{\"a\":-2147483649}", &["int64 a = 1;"]),
    (
        "{\"first-name\":\"x\",\"first_name\":\"y\"}",
        &["string first_name = 1;", "string first_name_v2 = 2;", "\"first-name\""],
    ),
    (
        "{\"\":1,\"größe\":2,\"漢字\":3,\"\\n\":4,\"🚚\":5}",
        &["int32 field = 1;", "int32 gr_e = 2;", "int32 field_v2 = 3;"],
    ),
    (
        "{\"message\":1,\"oneof\":2,\"repeated\":3,\"string\":\"x\",\"type\":true,\"self\":1,\"Self\":2,\"_\":3}",
        &["int32 message = 1;"],
    ),
    ("{\"userId\":1,\"user_id\":2,\"UserID\":3}", &["int32 userId = 1;", "int32 user_id_v2 = 2;"]),
    ("{\"a\":\"\\u0000\\u001f\\\"\\\\\\/\\ud83d\\ude9a\"}", &["string a = 1;"]),
    ("{\"a\":{\"b\":{\"c\":{\"d\":{\"e\":[{\"f\":{\"g\":null}}]}}}}}", &["AwkwardAbCdE"]),
    ("[{\"a\":1},{\"a\":2}]", &["2 samples"]),
    ("[1,2,3]", &["repeated int32 value = 1;"]),
    ("\"just a text\"", &["string value = 1"]),
    ("null", &["optional string value = 1;"]),
    ("{\"t\":\"2026-11-21T03:30:00Z\"}\n{\"t\":\"2026-11-21T03:30:01.5+01:00\"}", &["RFC 3339"]),
    ("{\"a\":{\"2026-01-01\":1,\"2026-01-02\":2}}", &["map<string, int32> a = 1;"]),
    ("{\"a\":{\"b\":{\"x\":1},\"c\":{\"x\":2}}}\n{\"a\":{\"b\":{\"x\":1}}}", &["AwkwardAB b = 1"]),
    (
        "{\"s\":\"on\"}\n{\"s\":\"off\"}\n{\"s\":\"on\"}\n{\"s\":\"off\"}\n{\"s\":\"on\"}\n{\"s\":\"off\"}\n{\"s\":\"on\"}\n{\"s\":\"on\"}",
        &["enum AwkwardS {", "off = 0;", "on = 1;", "off 3 times, on 5 times."],
    ),
    (
        "{\"s\":\"true\"}\n{\"s\":\"optional\"}\n{\"s\":\"true\"}\n{\"s\":\"optional\"}\n{\"s\":\"true\"}\n{\"s\":\"optional\"}\n{\"s\":\"true\"}\n{\"s\":\"optional\"}",
        &["enum AwkwardS {"],
    ),
    (
        "{\"s\":\"ok\"}\n{\"s\":\"OK\"}\n{\"s\":\"ok\"}\n{\"s\":\"OK\"}\n{\"s\":\"ok\"}\n{\"s\":\"OK\"}\n{\"s\":\"ok\"}\n{\"s\":\"OK\"}",
        &["string s = 1;", "2 different texts only."],
    ),
    ("{\"id\":7}\n{\"id\":8}\n{\"id\":9}", &["int32 id = 1 [(wiredyno.sequence) = true];"]),
    ("{\"a\":{\"value\":1},\"aValue\":{\"x\":1},\"a_value\":[[1]]}", &["message AwkwardA {"]),
    ("\u{feff}{\"a\":1}", &["int32 a = 1"]),
    ("{\"a\":1}\r\n\r\n{\"a\":2}\r\n", &["2 samples"]),
];

/// Documents with how their refusal must begin, or what it must hold.
const REFUSED: &[(&str, &str)] = &[
    ("", "holds no sample"),
    (
        "{\"a\":123456789012345678901234567890}",
        "awkward.jsonl:1: `a` is `123456789012345678901234567890`, an integer beyond 64 bits",
    ),
    ("{\"a\":1}\n{\"a\":1.5}\n{\"a\":9007199254740993}", "line 3 has `9007199254740993`, line 2 has `1.5`"),
    ("{\"a\":-1}\n{\"a\":18446744073709551615}", "line 1 has `-1`, line 2 has `18446744073709551615`"),
    ("{\"a\":1}\n{\"a\":}", "awkward.jsonl:2: this is no JSON"),
    ("{\"a\":1,\"a\":2}", "awkward.jsonl:1: the key `a` comes twice"),
    ("{\"a\":1e999}", "awkward.jsonl:1: `a` is `1e999`, not a number that a double holds"),
    ("{'a':1}", "awkward.jsonl:1: this is no JSON"),
    ("{\"a\":NaN}", "awkward.jsonl:1: this is no JSON"),
];

#[test]
fn awkward_documents_go_through() {
    for (text, wanted) in CARRIED {
        let file = if text.starts_with('[') { "awkward.json" } else { "awkward.jsonl" };
        let (proto, _) = through(text, file).unwrap_or_else(|error| panic!("{text}: {error}"));
        for part in *wanted {
            assert!(proto.contains(part), "{text}: no {part:?} in\n{proto}");
        }
    }
}

#[test]
fn what_can_not_be_carried_is_refused_with_its_line() {
    for (text, wanted) in REFUSED {
        let error = through(text, "awkward.jsonl").err().unwrap_or_else(|| panic!("{text} went through"));
        assert!(error.contains(wanted), "{text}: {error}");
    }
}

#[test]
fn keys_that_are_data_make_a_map() {
    let lines: String = (0..30)
        .map(|n| format!("{{\"speeds\":{{\"truck{n}\":{n},\"truck{}\":1,\"truck{}\":2}}}}\n", n + 30, n + 60))
        .collect();
    let (proto, samples) = through(&lines, "awkward.jsonl").unwrap();
    assert!(proto.contains("map<string, int32> speeds = 1;"), "{proto}");
    assert_eq!(samples[1], "{\"speeds\":{\"truck1\":1,\"truck31\":1,\"truck61\":2}}");
}

#[test]
fn lists_of_one_length_are_fixed_arrays_when_there_were_enough() {
    let lines: String = (0..10).map(|n| format!("{{\"position\":[{n}.5,2,3]}}\n")).collect();
    let (proto, _) = through(&lines, "awkward.jsonl").unwrap();
    assert!(proto.contains("repeated double position = 1 [(wiredyno.fixed_length) = 3];"), "{proto}");
}

#[test]
fn values_stay_what_they_were() {
    let (_, samples) =
        through("{\"a\":[1,\"x\",null,[2.5]],\"big\":9007199254740993,\"half\":0.5}", "awkward.jsonl")
            .unwrap();
    assert_eq!(
        samples[0],
        "{\"a\":[{\"value\":{\"number\":1}},{\"value\":{\"text\":\"x\"}},{},{\"value\":{\"list\":{\"value\":[2.5]}}}],\
         \"big\":\"9007199254740993\",\"half\":0.5}"
    );
}
