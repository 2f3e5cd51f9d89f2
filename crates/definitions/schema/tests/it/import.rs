//! Imports of Avro schemas, JSON Schemas and .proto files.
//!
//! One file because it is a list of cases.

use wiredyno_schema::import::{avsc, json, json_schema, proto};
use wiredyno_schema::{Definition, read_value, write_value};

/// Asserts that the definition compiles and each document becomes the given sample.
fn holds(text: &str, documents: &[(&str, &str)], draft: &wiredyno_schema::import::Draft) {
    let definition =
        Definition::from_source(text, "message.proto").unwrap_or_else(|error| panic!("{error}\n{text}"));
    for (document, wanted) in documents {
        let line =
            draft.sample(&json::parse(document, "samples.jsonl", 1).unwrap(), "samples.jsonl").unwrap();
        assert_eq!(&line, wanted, "{text}");
        read_value(&line, &definition.descriptor, "samples.jsonl", 1)
            .unwrap_or_else(|error| panic!("{error}\n{text}"));
    }
}

fn contains(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
}

/// The sample for a document of an Avro record with these fields.
fn avro_sample(fields: &str, document: &str) -> Result<String, String> {
    let schema = format!(r#"{{"type": "record", "name": "A", "namespace": "n", "fields": [{fields}]}}"#);
    let draft = avsc::import(&schema, "a.avsc", "a").unwrap();
    let document = json::parse(document, "a.jsonl", 3).unwrap();
    draft.sample(&document, "a.jsonl").map_err(|error| error.to_string())
}

#[test]
fn samples_of_an_avro_schema_are_read_in_avros_own_json() {
    let note = r#"{"name": "x", "type": ["null", "string"]}"#;
    for plain in [r#"{"x": {"string": "hi"}}"#, r#"{"x": "hi"}"#] {
        assert_eq!(avro_sample(note, plain).unwrap(), r#"{"x":"hi"}"#, "{plain}");
    }
    assert_eq!(avro_sample(note, r#"{"x": null}"#).unwrap(), "{}");
    // Named types have their full names, collections their kind, which selects the branch.
    let named = r#"{"name": "x", "type": ["null", {"type": "record", "name": "P", "fields": [{"name": "y", "type": "int"}]}]}"#;
    for document in [r#"{"x": {"n.P": {"y": 7}}}"#, r#"{"x": {"y": 7}}"#] {
        assert_eq!(avro_sample(named, document).unwrap(), r#"{"x":{"y":7}}"#, "{document}");
    }
    let several =
        r#"{"name": "x", "type": ["null", "long", "double", {"type": "array", "items": ["null", "int"]}]}"#;
    let of = |document: &str| avro_sample(several, document).unwrap();
    assert_eq!(of(r#"{"x": {"double": 3}}"#), r#"{"x":{"double":3}}"#);
    assert_eq!(of(r#"{"x": 3}"#), r#"{"x":{"long":"3"}}"#);
    let list = of(r#"{"x": {"array": [{"int": 1}, null]}}"#);
    assert!(list.contains(r#"{"value":1}"#), "{list}");
    let map = r#"{"name": "x", "type": ["null", {"type": "map", "values": "int"}]}"#;
    assert_eq!(avro_sample(map, r#"{"x": {"map": {"map": 1}}}"#).unwrap(), r#"{"x":{"map":1}}"#);
    assert_eq!(
        avro_sample(map, r#"{"x": {"map": 1}}"#).unwrap(),
        r#"{"x":{"map":1}}"#,
        "a map with that key"
    );
}

#[test]
fn bytes_of_an_avro_schema_are_characters_and_as_many_as_a_fixed_has() {
    let mac = r#"{"name": "mac", "type": {"type": "fixed", "name": "F", "size": 8}}"#;
    // The base64 of eight characters, which are themselves valid base64 of six bytes.
    assert_eq!(avro_sample(mac, r#"{"mac": "00112233"}"#).unwrap(), r#"{"mac":"MDAxMTIyMzM="}"#);
    let raw = r#"{"name": "raw", "type": ["null", "bytes"]}"#;
    assert_eq!(avro_sample(raw, "{\"raw\": {\"bytes\": \"\\u00ff\\u0000\"}}").unwrap(), r#"{"raw":"/wA="}"#);
    let error = avro_sample(mac, r#"{"mac": "001122"}"#).unwrap_err();
    assert!(error.starts_with("a.jsonl:3: `mac` has 6 bytes, not 8"), "{error}");
    let error = avro_sample(raw, "{\"raw\": \"\\u20ac\"}").unwrap_err();
    assert!(error.contains("`raw`") && error.contains("as Avro's JSON writes them"), "{error}");
}

#[test]
fn base64_that_is_none_is_refused_with_the_field() {
    let schema =
        r#"{"type": "object", "properties": {"photo": {"type": "string", "contentEncoding": "base64"}}}"#;
    let draft = json_schema::import(schema, "a.schema.json", "a").unwrap();
    let sample = |text: &str| {
        let document = json::parse(&format!(r#"{{"photo": "{text}"}}"#), "a.jsonl", 3).unwrap();
        draft.sample(&document, "a.jsonl").map_err(|error| error.to_string())
    };
    for fits in ["AAEC", "AAE=", "AAE", "_-8=", "AB"] {
        assert!(sample(fits).is_ok(), "{fits}");
    }
    let error = sample("not base64!").unwrap_err();
    assert!(error.starts_with("a.jsonl:3: `photo` is `\"not base64!\"`, not base64"), "{error}");
}

#[test]
fn an_avro_schema_with_unions_logical_types_and_recursion() {
    let schema = r#"{
  "type": "record", "name": "Trip", "namespace": "org.example", "doc": "One trip.",
  "fields": [
    {"name": "id", "type": "long", "doc": "Counts up."},
    {"name": "started", "type": {"type": "long", "logicalType": "timestamp-millis"}},
    {"name": "price", "type": {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2}},
    {"name": "note", "type": ["null", "string"], "default": null},
    {"name": "speed", "type": "double", "default": 1.5},
    {"name": "mixed", "type": ["null", "int", "string", {"type": "array", "items": "long"}]},
    {"name": "kind", "type": {"type": "enum", "name": "Kind", "symbols": ["CAR", "TRUCK"]}},
    {"name": "kinds", "type": {"type": "map", "values": "Kind"}},
    {"name": "hash", "type": {"type": "fixed", "name": "Md5", "size": 16}},
    {"name": "uid", "type": {"type": "string", "logicalType": "uuid"}},
    {"name": "hash_before", "type": ["null", "Md5"]},
    {"name": "grid", "type": {"type": "array", "items": {"type": "array", "items": "float"}}},
    {"name": "holes", "type": {"type": "array", "items": ["null", "int"]}},
    {"name": "next", "type": ["null", "org.example.Trip"]}
  ]
}"#;
    let draft = avsc::import(schema, "trip.avsc", "trip").unwrap();
    let text = draft.to_proto();
    contains(
        &text,
        &[
            "int64 id = 1 [(wiredyno.sequence) = true];",
            "Avro's logical type timestamp-millis.",
            "int64 started = 2 [(wiredyno.format) = \"timestamp-millis\"];",
            "Avro's logical type decimal, precision 9, scale 2.",
            "bytes price = 3 [(wiredyno.decimal) = { precision: 9, scale: 2 }];",
            "string uid = 10 [(wiredyno.format) = \"uuid\"];",
            "optional bytes hash_before = 11 [(wiredyno.fixed_length) = 16];",
            "The Avro codecs measure another schema than trip.avsc, the one that `wiredyno schema translate trip --to avsc`",
            "`Trip.mixed` is a record of optional fields instead of a union; `Trip.hash` is bytes with a length",
            "optional string note = 4;",
            "Default in Avro: 1.5.",
            "int64 id",
            "oneof kind {",
            "map<string, KindValues.Kind> kinds = 8;",
            "bytes hash = 9 [(wiredyno.fixed_length) = 16];",
            "Trip next = 14;",
        ],
    );
    assert_eq!(draft.remarks.len(), 1, "{:?}", draft.remarks);
    holds(
        &text,
        &[(
            r#"{"id":1,"started":2,"price":"\u0001","note":null,"speed":0,"mixed":[7],"kind":"TRUCK","kinds":{"a":"CAR"},"hash":"\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000","uid":"u","grid":[[1,2]],"holes":[1,null]}"#,
            r#"{"id":"1","started":"2","price":"AQ==","speed":0,"mixed":{"array":{"value":["7"]}},"kind":"TRUCK","kinds":{"a":"CAR"},"hash":"AAAAAAAAAAAAAAAAAAAAAA==","uid":"u","grid":[{"value":[1,2]}],"holes":[{"value":1},{}]}"#,
        )],
        &draft,
    );
}

#[test]
fn what_an_avro_schema_can_not_mean_is_refused_with_its_line() {
    for (schema, wanted) in [
        (
            "{\"type\": \"record\", \"name\": \"A\", \"fields\": [\n{\"name\": \"x\", \"type\": \"Unknown\"}]}",
            "a.avsc:2: no type is called `Unknown`",
        ),
        ("{\"type\": \"array\", \"items\": \"int\"}", "a.avsc:1: the schema's top level is not a record"),
        ("{\"type\": \"record\", \"name\": \"A\"}", "a.avsc:1: `record` without `fields`"),
        (
            "{\"type\": \"record\", \"name\": \"A\", \"fields\": [{\"name\": \"x\"}]}",
            "a field without `name` or `type`",
        ),
        ("nonsense", "a.avsc:1: this is not JSON"),
        (
            "{\"type\": \"record\", \"name\": \"A\", \"fields\": [{\"name\": \"x\", \"type\":\n{\"type\": \"record\", \
             \"name\": \"B\", \"fields\": [{\"name\": \"y\", \"type\": \"B\"}]}}]}",
            "a.avsc:2: `B` always contains itself in `y`: no value could be finite; make one of the fields",
        ),
        (
            "{\"type\": \"record\", \"name\": \"A\", \"fields\": [{\"name\": \"x\", \"type\": {\"type\": \"record\", \
             \"name\": \"B\", \"fields\": [{\"name\": \"y\", \"type\": \"A\"}]}}]}",
            "a.avsc:1: `A` always contains itself in `x`",
        ),
    ] {
        let error = avsc::import(schema, "a.avsc", "a").unwrap_err().to_string();
        assert!(error.contains(wanted), "{error}");
    }
}

#[test]
fn a_json_schema_of_the_common_kind() {
    let schema = r##"{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "Order", "type": "object", "additionalProperties": false,
  "required": ["order_id", "lines", "state"],
  "properties": {
    "order_id": {"type": "string", "pattern": "^[A-Z]+$"},
    "state": {"enum": ["open", "in transit", "done"]},
    "lines": {"type": "array", "items": {"$ref": "#/$defs/line"}, "minItems": 1, "maxItems": 20},
    "position": {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2},
    "note": {"type": ["string", "null"], "format": "email"},
    "labels": {"type": "object", "additionalProperties": {"type": "string"}},
    "value": {"oneOf": [{"type": "integer"}, {"type": "string"}]},
    "photo": {"type": "string", "contentEncoding": "base64"},
    "parent": {"$ref": "#"}
  },
  "$defs": {
    "line": {"type": "object", "required": ["count"], "properties": {
      "count": {"type": "integer", "minimum": 1, "maximum": 200},
      "weight": {"type": "number", "exclusiveMinimum": 0}
    }}
  }
}"##;
    let draft = json_schema::import(schema, "order.schema.json", "order").unwrap();
    let text = draft.to_proto();
    contains(
        &text,
        &[
            "string order_id = 1 [(wiredyno.sequence) = true, (wiredyno.invented) = { pattern: \"^[A-Z]+$\" }];",
            "JSON Schema says pattern:",
            "in_transit = 1;",
            "repeated Line lines = 3 [(wiredyno.max_length) = 20, (wiredyno.invented) = { min_count: 1 }];",
            "repeated double position = 4 [(wiredyno.fixed_length) = 2];",
            "optional string note = 5 [(wiredyno.format) = \"email\"];",
            "map<string, string> labels = 6;",
            "oneof kind {",
            "optional bytes photo = 8;",
            "Order parent = 9;",
            "int32 count = 1 [(wiredyno.range) = { min: 1, max: 200 }];",
            "Additional keys, which the JSON Schema allows, are refused here.",
        ],
    );
    holds(
        &text,
        &[(
            r#"{"order_id":"A","state":"in transit","lines":[{"count":2}],"value":"x","parent":{"order_id":"B","state":"open","lines":[],"value":3}}"#,
            r#"{"order_id":"A","state":"in_transit","lines":[{"count":2}],"value":{"string":"x"},"parent":{"order_id":"B","state":"open","lines":[],"value":{"integer":"3"}}}"#,
        )],
        &draft,
    );
}

#[test]
fn an_avro_schema_that_goes_through_as_it_is_says_nothing_of_another_one() {
    let schema = r#"{"type": "record", "name": "A", "namespace": "n.s", "fields": [
        {"name": "id", "type": "long"}, {"name": "rows", "type": {"type": "array", "items": {"type": "array", "items": "int"}}},
        {"name": "on", "type": ["null", {"type": "int", "logicalType": "date"}]}]}"#;
    let draft = avsc::import(schema, "a.avsc", "a").unwrap();
    let text = draft.to_proto();
    assert!(draft.avro.is_none() && !text.contains(avsc::AVRO_DIFFERS), "{text}");
    for ty in ["\"null\"", "[\"int\"]"] {
        let schema =
            format!(r#"{{"type": "record", "name": "A", "fields": [{{"name": "x", "type": {ty}}}]}}"#);
        let draft = avsc::import(&schema, "a.avsc", "a").unwrap();
        let (said, text) = (draft.avro.clone().unwrap(), draft.to_proto());
        assert!(said.starts_with(avsc::AVRO_DIFFERS) && text.contains(&format!("// {said}\n")), "{text}");
    }
    contains(&text, &["optional int32 on = 3 [(wiredyno.format) = \"date\"];"]);
}

#[test]
fn schemas_that_hold_at_once_become_one_message_and_formats_stay() {
    let schema = r##"{
  "type": "object", "required": ["id"], "properties": {"id": {"type": "integer"}, "owner": {"allOf": [{"$ref": "#/$defs/base"}]}},
  "allOf": [{"$ref": "#/$defs/base"}, {"properties": {"mails": {"type": "array", "items": {"type": "string", "format": "email"}}}}],
  "$defs": {"base": {"type": "object", "required": ["uid"], "properties": {"uid": {"type": "string", "format": "uuid"},
    "at": {"type": "string", "format": "date-time"}, "odd": {"type": "string", "format": "regex"}}}}
}"##;
    let draft = json_schema::import(schema, "s.schema.json", "s").unwrap();
    let text = draft.to_proto();
    contains(
        &text,
        &[
            "int64 id = 1 [(wiredyno.sequence) = true];",
            "Base owner = 2;",
            "string uid = 3 [(wiredyno.format) = \"uuid\"];",
            "optional string at = 4 [(wiredyno.format) = \"date-time\"];",
            "JSON Schema says format: \"regex\".",
            "repeated string mails = 6 [(wiredyno.format) = \"email\"];",
            "message Base {",
        ],
    );
    holds(&text, &[(r#"{"id":1,"uid":"u"}"#, r#"{"id":"1","uid":"u"}"#)], &draft);
    let definition = Definition::from_source(&text, "message.proto").unwrap();
    for value in wiredyno_schema::generator::Generator::invented(&definition.descriptor, 1).take(20) {
        let line = write_value(&value).unwrap();
        let value: serde_json::Value = serde_json::from_str(&line).unwrap();
        assert_eq!(value["uid"].as_str().unwrap().matches('-').count(), 4, "{line}");
        for mail in value["mails"].as_array().into_iter().flatten() {
            assert!(mail.as_str().unwrap().contains('@'), "{line}");
        }
    }
}

#[test]
fn what_a_json_schema_can_not_mean_is_refused_with_its_line() {
    for (body, wanted) in [
        (
            "{\"a\":\n{\"type\":\"array\",\"prefixItems\":[]}}",
            "s.schema.json:2: `prefixItems` has no counterpart",
        ),
        ("{\"a\":\n{}}", "s.schema.json:2: a schema without `type` allows any value, at `a`"),
        ("{\"a\":\n{\"$ref\":\"other.json\"}}", "`$ref` to other.json, which is not in this file"),
        (
            "{\"a\":{\"type\":\"integer\",\"minimum\":-1,\"maximum\":18446744073709551615}}",
            "is not a range of 64-bit integers",
        ),
        ("{\"a\":{\"enum\":[1,{}]}}", "`{}` in `enum` or `const` is not a single value"),
        ("{\"a\":{\"const\":1,\"enum\":[2]}}", "`const` `1` is none of `enum`"),
        ("{\"a\":{\"$ref\":\"#nowhere\"}}", "`$ref` to #nowhere, which is not in this file"),
        (
            "{\"a\":{\"type\":\"array\",\"items\":[{}]}}",
            "`items` as a list gives each place a type of its own",
        ),
        (
            "{\"a\":{\"properties\":{},\"oneOf\":[{\"type\":\"object\"},{\"type\":\"null\"}]}}",
            "`oneOf` beside `properties`, which holds in each of its alternatives",
        ),
        (
            "{\"a\":{\"oneOf\":[{\"type\":\"null\"}],\"anyOf\":[{\"type\":\"null\"}]}}",
            "both `oneOf` and `anyOf`",
        ),
        ("{\"a\":true}", "says nothing about the type"),
        (
            "{\"a\":{\"allOf\":[{\"type\":\"string\"},\n{\"type\":\"integer\"}]}}",
            "s.schema.json:2: two schemas of one `allOf` (line 2) contradict each other in `type`",
        ),
        ("{\"a\":{\"$ref\":\"#/properties/a\"}}", "is circular"),
        (
            "{\"a\":\n{\"type\":\"object\",\"required\":[\"b\"],\"properties\":{\"b\":{\"$ref\":\"#/properties/a\"}}}}",
            "s.schema.json:2: `A` always contains itself in `b`: no value could be finite; remove one of the keys",
        ),
    ] {
        let schema = format!("{{\"type\":\"object\",\"properties\":{body}}}");
        let error = json_schema::import(&schema, "s.schema.json", "s").unwrap_err().to_string();
        assert!(error.contains(wanted), "{error}");
    }
}

#[test]
fn a_proto2_file_with_imports_keeps_its_bytes() {
    let desk = tempfile::tempdir().unwrap();
    let folder = desk.path();
    std::fs::create_dir_all(folder.join("common")).unwrap();
    std::fs::write(
        folder.join("common/base.proto"),
        "syntax = \"proto3\"; package common; import \"google/protobuf/timestamp.proto\";\n\
         message Stamp { google.protobuf.Timestamp at = 1; sint64 offset = 2; }",
    )
    .unwrap();
    std::fs::write(
        folder.join("trip.proto"),
        "syntax = \"proto2\";\npackage trip;\nimport \"common/base.proto\";\n\
         // One trip.\nmessage Trip {\n  required uint32 seq = 1;\n  optional string name = 2 [default = \"none\"];\n\
         \x20 repeated fixed32 codes = 3 [packed = true];\n  optional common.Stamp stamp = 4;\n  map<int32, Kind> kinds = 5;\n\
         \x20 oneof what { string text = 6; bytes data = 7; }\n  enum Kind { BIG = 2; SMALL = 0; ODD = 7; }\n}\nmessage Other { optional int32 x = 1; }\n",
    )
    .unwrap();
    let file = folder.join("trip.proto");
    let unclear = proto::import(&file, None, "trip").unwrap_err().to_string();
    assert!(unclear.contains("say --message with one of trip.Trip, trip.Other"), "{unclear}");
    let imported = proto::import(&file, Some("Trip"), "trip").unwrap();
    let text = imported.draft.to_proto();
    contains(
        &text,
        &[
            "optional uint32 seq = 1 [(wiredyno.sequence) = true, (wiredyno.required) = true];",
            "Default in the file: none.",
            "repeated fixed32 codes = 3;",
            "Stamp stamp = 4;",
            "sint64 offset = 2;",
            "message Timestamp {",
            "map<int32, TripKindValues.TripKind> kinds = 5;",
            "SMALL = 0;\n    BIG = 2;\n    ODD = 7;",
            "// One trip.",
        ],
    );
    let definition = Definition::from_source(&text, "message.proto").unwrap();
    let sample = r#"{"seq":9,"name":"x","codes":[1,2],"stamp":{"at":"2026-11-21T04:00:00.5Z","offset":"-1"},"kinds":{"3":"BIG"},"data":"AQI="}"#;
    let value = read_value(sample, &imported.message, "samples.jsonl", 1).unwrap();
    let converted = proto::convert(&value, &definition.descriptor).unwrap();
    assert_eq!(prost::Message::encode_to_vec(&value), prost::Message::encode_to_vec(&converted));
    let line = write_value(&converted).unwrap();
    contains(
        &line,
        &["\"at\":{\"seconds\":\"1795233600\",\"nanos\":500000000}", "\"kinds\":{\"3\":\"BIG\"}"],
    );
}

#[test]
fn a_file_of_edition_2023_keeps_its_bytes() {
    let desk = tempfile::tempdir().unwrap();
    let folder = desk.path();
    let file = folder.join("trip.proto");
    std::fs::write(
        &file,
        "edition = \"2023\";\npackage trip;\noption features.utf8_validation = NONE;\n// One trip.\nmessage Trip {\n\
         \x20 reserved old;\n  uint32 seq = 1;\n  string name = 2 [features.field_presence = IMPLICIT];\n\
         \x20 repeated fixed32 codes = 3;\n  oneof what { string text = 6; bytes data = 7; }\n  Stop last = 8;\n\
         \x20 enum Kind { BIG = 0; SMALL = 1; }\n  Kind kind = 9;\n}\nmessage Stop { sint64 at = 1; }\n",
    )
    .unwrap();
    let imported = proto::import(&file, None, "trip").unwrap();
    let text = imported.draft.to_proto();
    contains(
        &text,
        &[
            "Made from the message trip.Trip",
            "optional uint32 seq = 1 [(wiredyno.sequence) = true];",
            "  string name = 2;",
            "repeated fixed32 codes = 3;",
            "Stop last = 8;",
            "optional TripKindValues.TripKind kind = 9;",
            "// One trip.",
        ],
    );
    let definition = Definition::from_source(&text, "message.proto").unwrap();
    let sample = r#"{"seq":0,"name":"x","codes":[1],"last":{"at":"-1"},"kind":"SMALL","text":"t"}"#;
    let value = read_value(sample, &imported.message, "samples.jsonl", 1).unwrap();
    let converted = proto::convert(&value, &definition.descriptor).unwrap();
    assert_eq!(prost::Message::encode_to_vec(&value), prost::Message::encode_to_vec(&converted));
    assert!(write_value(&converted).unwrap().contains("\"seq\":0"), "explicit presence");
    std::fs::write(&file, "edition = \"2024\";\nmessage A { int32 a = 1; }").unwrap();
    let error = proto::import(&file, None, "trip").unwrap_err().to_string();
    assert!(error.contains("trip.proto:1: edition 2024 is not supported; write it in"), "{error}");
}

#[test]
fn what_a_proto_file_can_not_mean_is_refused_with_its_line() {
    for (body, wanted) in [
        (
            "syntax = \"proto2\";\nmessage Top { optional A a = 1; }\nmessage A { required B b = 1; }\n\
             message B { required int32 x = 1; required A a = 2; }",
            "a.proto:3: `A` always contains itself in `b`: no value could be finite; make one of the fields in the cycle optional",
        ),
        (
            "syntax = \"proto2\";\nmessage A {\n  optional group G = 1 { optional int32 x = 1; }\n}",
            "a.proto:3: `A.g` is a group",
        ),
        (
            "syntax = \"proto3\";\nimport \"missing.proto\";\nmessage A { int32 a = 1; }",
            "a.proto:2: the import `missing.proto` is missing; put it at missing.proto in the folder",
        ),
        ("syntax = \"proto3\";\nmessage A { int32 a = ; }", "a.proto:2"),
        ("syntax = \"proto3\";", "it has no message"),
        (
            "syntax = \"proto3\";\nimport \"wiredyno/options.proto\";\nmessage A {\n  int32 b = 1;\n\
             bool c = 2 [(wiredyno.sequence) = true];\n}",
            "a.proto:5: `(wiredyno.sequence)` on `A.c`; mark one singular string, bytes or integer field",
        ),
    ] {
        let desk = tempfile::tempdir().unwrap();
        let folder = desk.path();
        let file = folder.join("a.proto");
        std::fs::write(&file, body).unwrap();
        let error = proto::import(&file, None, "a").unwrap_err().to_string();
        assert!(error.contains(wanted), "{body}: {error}");
    }
}
