//! Users' files that were once imported wrongly, or refused needlessly.
//!
//! One file because it is a list of cases.

use wiredyno_schema::generator::Generator;
use wiredyno_schema::idl::Idl as _;
use wiredyno_schema::idl::proto::Proto;
use wiredyno_schema::import::infer::Inference;
use wiredyno_schema::import::{Draft, ImportError, avsc, json, json_schema, proto};
use wiredyno_schema::{Definition, canonical_bytes, read_value, write_value};

/// The bytes of a .proto file's sample, as hexadecimal digits.
fn bytes(proto: &str, sample: &str) -> Result<String, String> {
    let desk = tempfile::tempdir().unwrap();
    let file = desk.path().join("a.proto");
    std::fs::write(&file, proto).unwrap();
    let imported = proto::import(&file, None, "a").map_err(|error| error.to_string())?;
    let text = imported.draft.to_proto();
    let definition =
        Definition::from_source(&text, "message.proto").unwrap_or_else(|e| panic!("{e}\n{text}"));
    let value = read_value(sample, &imported.message, "s.jsonl", 1).map_err(|error| error.to_string())?;
    let value = proto::convert(&value, &definition.descriptor)?;
    let line = write_value(&value).unwrap();
    let again = read_value(&line, &definition.descriptor, "s.jsonl", 1).unwrap();
    assert_eq!(canonical_bytes(&value), canonical_bytes(&again), "{line}");
    Ok(canonical_bytes(&again).iter().map(|byte| format!("{byte:02x}")).collect())
}

/// The expected bytes are those of Google's own library for Python (7.36), given the same samples.
#[test]
fn samples_of_a_proto_file_are_the_bytes_of_protobuf_s_own_library() {
    let list = r#"{"seq":1,"v":[1,2,3]}"#;
    for (proto, sample, wanted) in [
        (
            "syntax = \"proto2\"; message P { required float lat = 1; required float lon = 2; required string id = 3; required uint32 n = 4; }",
            r#"{"lat":0,"lon":0,"id":"","n":0}"#,
            "0d0000000015000000001a002000",
        ),
        (
            "edition = \"2023\"; message P { uint32 a = 1 [features.field_presence = LEGACY_REQUIRED]; \
             bytes b = 2 [features.field_presence = LEGACY_REQUIRED]; }",
            r#"{"a":0,"b":""}"#,
            "08001200",
        ),
        (
            "syntax = \"proto2\"; message L { required uint32 seq = 1; repeated int32 v = 2; }",
            list,
            "0801100110021003",
        ),
        (
            "syntax = \"proto3\"; message L { uint32 seq = 1; repeated int32 v = 2 [packed = false]; }",
            list,
            "0801100110021003",
        ),
        ("syntax = \"proto3\"; message L { uint32 seq = 1; repeated int32 v = 2; }", list, "08011203010203"),
        (
            "edition = \"2023\"; option features.repeated_field_encoding = EXPANDED; message L { uint32 seq = 1; repeated int32 v = 2; }",
            list,
            "0801100110021003",
        ),
        (
            "edition = \"2023\"; option features.repeated_field_encoding = EXPANDED; message L { uint32 seq = 1; \
             repeated int32 v = 2 [features.repeated_field_encoding = PACKED]; repeated string t = 3; }",
            list,
            "08011203010203",
        ),
        (
            "edition = \"2023\"; message L { uint32 seq = 1 [default = 3]; repeated int32 v = 2; extensions 9 to max; }",
            list,
            "08011203010203",
        ),
        (
            "syntax = \"proto3\"; message M { E e = 1; repeated E f = 2; enum E { option allow_alias = true; A = 0; B = 1; C = 1; } }",
            r#"{"e":"C","f":["B","C"]}"#,
            "080112020101",
        ),
        (
            "syntax = \"proto2\"; message M { optional uint32 a = 1; extensions 5 [declaration = { number: 5, full_name: \".x\", type: \"string\" }]; }",
            r#"{"a":1}"#,
            "0801",
        ),
        (
            "syntax = \"proto3\"; message N { uint32 seq = 1; double g = 2; float f = 3; repeated double r = 4; map<string, double> m = 5; }",
            r#"{"seq":1,"g":-0.0,"f":-0.0,"r":[-0.0],"m":{"a":-0.0}}"#,
            "08011100000000000000801d00000080220800000000000000802a0c0a0161110000000000000080",
        ),
    ] {
        assert_eq!(bytes(proto, sample).as_deref(), Ok(wanted), "{proto}");
    }
}

#[test]
fn what_a_sample_of_a_proto_file_would_lose_is_refused() {
    let extended = "syntax = \"proto2\"; message M { optional uint32 seq = 1; optional M of = 2; extensions 100 to 200; } \
                    extend M { optional string ext = 100; }";
    for (proto, sample, wanted) in [
        (extended, r#"{"seq":1,"[ext]":"xy"}"#, "the value has the extension `ext`"),
        (extended, r#"{"seq":1,"of":{"[ext]":"xy"}}"#, "the value has the extension `ext`"),
        (
            "syntax = \"proto2\"; message M { required uint32 a = 1; }",
            "{}",
            "`a` of `M` is absent, and required",
        ),
        (
            "syntax = \"proto3\"; message M { repeated E a = 1; enum E { Z = 0; } }",
            r#"{"a":["Z",7]}"#,
            "`a` of `M` is 7, for which the enum has no name",
        ),
    ] {
        let error = bytes(proto, sample).unwrap_err();
        assert!(error.contains(wanted), "{proto}: {error}");
    }
}

/// A temporary folder with these files.
fn desk(files: &[(&str, &str)]) -> tempfile::TempDir {
    let desk = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = desk.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    desk
}

#[test]
fn a_zero_that_an_enum_has_for_proto3_alone_is_no_value_of_it() {
    let text = "syntax = \"proto2\"; message M { enum E { B = 1; C = 5; M_E_ZERO = 7; } optional E e = 1; repeated E l = 2; required E r = 3; \
                map<string, E> m = 4; }";
    for (sample, wanted) in [
        (r#"{"r":0}"#, "`r` of `M` is 0, for which the enum has no name"),
        (r#"{"r":"B","l":["C",0]}"#, "`l` of `M` is 0, for which"),
        (r#"{"r":"B","m":{"k":0}}"#, "`m` of `M` is 0, for which"),
        (r#"{"r":"ME_ZERO"}"#, "unrecognized enum value"),
    ] {
        let error = bytes(text, sample).unwrap_err();
        assert!(error.contains(wanted), "{sample}: {error}");
    }
    assert_eq!(bytes(text, r#"{"r":"B","l":["C"]}"#).as_deref(), Ok("10051801"));
    let desk = desk(&[("a.proto", text)]);
    let imported = proto::import(&desk.path().join("a.proto"), None, "a").unwrap();
    let definition = Definition::from_source(&imported.draft.to_proto(), "message.proto").unwrap();
    assert!(definition.enums[0].zero_is_added && definition.enums[0].values[0].name == "ME_ZERO");
    for (sample, place) in [
        (r#"{"r":"ME_ZERO"}"#, "`r`"),
        (r#"{"r":0}"#, "`r`"),
        (r#"{"l":["B","ME_ZERO"]}"#, "`l[1]`"),
        (r#"{"m":{"k":0}}"#, "`m[*]`"),
    ] {
        let error = read_value(sample, &definition.descriptor, "s.jsonl", 3).unwrap_err().to_string();
        assert!(
            error.contains(&format!("s.jsonl:3: {place} is ME_ZERO, which exists only for proto3")),
            "{error}"
        );
    }
    for value in Generator::invented(&definition.descriptor, 1).take(100) {
        let line = write_value(&value).unwrap();
        assert!(!line.contains("ME_ZERO"), "{line}");
        assert!(read_value(&line, &definition.descriptor, "s.jsonl", 1).is_ok(), "{line}");
    }
}

#[test]
fn an_import_that_is_not_there_is_left_out_where_no_message_needs_it() {
    let text = "syntax = \"proto3\";\nimport \"google/api/annotations.proto\";\nimport \"gogoproto/gogo.proto\";\n\
                option (gogoproto.marshaler_all) = true;\nmessage A {\n  uint32 seq = 1 [(gogoproto.nullable) = false];\n}\n\
                service S { rpc Get(A) returns (other.B) { option (google.api.http) = { get: \"/v1\" }; } }\n";
    let whole = desk(&[("a.proto", text)]);
    let file = whole.path().join("a.proto");
    let draft = proto::import(&file, None, "a").unwrap().draft;
    let remarks = draft.remarks.join("\n");
    assert!(
        remarks.contains(&format!(
            "{}:2: the import `google/api/annotations.proto` is missing and left out",
            file.display()
        )),
        "{remarks}"
    );
    assert!(remarks.contains("a.proto:3: the import `gogoproto/gogo.proto`"), "{remarks}");
    assert!(draft.to_proto().contains("// ") && draft.to_proto().contains("is missing and left out"));
    let needed = "syntax = \"proto3\";\n\nimport \"gogo.proto\";\nimport \"other/types.proto\";\nmessage B {\n  other.Thing t = 1 [(gogo.nullable) = false];\n}\n";
    let importing = "syntax = \"proto3\";\nimport \"sub/b.proto\";\nmessage C { B b = 1; }\n";
    let needing = desk(&[("a.proto", needed), ("c.proto", importing), ("sub/b.proto", needed)]);
    // If the compiler reports no line, the importer searches for the name.
    let shadowed = "syntax = \"proto3\";\npackage a.b;\nimport \"b/core.proto\";\n\nmessage S {\n  core.v1.T t = 1 [(gogo.x) = 1];\n}\n";
    let used = "syntax = \"proto3\";\nimport \"sub/s.proto\";\nmessage U { a.b.S s = 1; }\n";
    let far = desk(&[("u.proto", used), ("sub/s.proto", shadowed)]);
    let error = proto::import(&far.path().join("u.proto"), None, "a").unwrap_err().to_string();
    assert!(
        error.contains("sub/s.proto:3: the import `b/core.proto` is missing, and line 6 needs `core.v1.T`"),
        "{error}"
    );
    for (name, place) in [("a.proto", "a.proto:4"), ("c.proto", "sub/b.proto:4")] {
        let error = proto::import(&needing.path().join(name), None, "a").unwrap_err().to_string();
        let wanted = format!(
            "{place}: the import `other/types.proto` is missing, and line 6 needs `other.Thing`; put it at other/types.proto in the folder"
        );
        assert!(error.ends_with(" of this file or in one above") && error.contains(&wanted), "{error}");
    }
}

#[test]
fn what_is_wrong_with_an_import_is_told_of_the_import() {
    let importing = "syntax = \"proto3\";\nimport \"sub/d.proto\";\nmessage C { D d = 1; }\n";
    for (text, wanted) in [
        ("syntax = \"proto3\";\n\nmessage D {\n  int32 x = ;\n}\n", ":4: expected an integer"),
        ("syntax = \"proto3\";\n\nmessage D {\n  Nope x = 1;\n}\n", ":4: name 'Nope' is not defined; fix it"),
        (
            "syntax = \"proto2\";\nmessage D {\n  optional group G = 1 { optional int32 x = 1; }\n}\n",
            ":3: `D.g` is a group",
        ),
        (
            "syntax = \"proto2\";\n\nmessage D {\n  required D x = 1;\n}\n",
            ":3: `D` always contains itself in `x`",
        ),
        ("edition = \"2024\";\nmessage D { D x = 1; }\n", ":1: edition 2024 is not supported"),
        (
            "syntax = \"proto3\";\nimport \"wiredyno/options.proto\";\nmessage D {\n  string x = 1 [(wiredyno.range) = { min: 1, max: 2 }];\n}\n",
            ":4: `(wiredyno.range)` on `x`; this option belongs on integer fields",
        ),
        (
            "syntax = \"proto3\";\nmessage D {\n  uint32 foo_bar = 1;\n  uint32 fooBar = 2;\n}\n",
            ":4: `foo_bar` and `fooBar` differ in case or underscores alone",
        ),
        (
            "syntax = \"proto2\";\nmessage D {\n  optional uint32 foo_bar = 1;\n  optional uint32 fooBar = 2;\n}\n",
            "two fields of a message have the same name in JSON, so samples can't distinguish them; rename one of them",
        ),
    ] {
        let desk = desk(&[("c.proto", importing), ("sub/d.proto", text)]);
        let error = proto::import(&desk.path().join("c.proto"), None, "a").unwrap_err().to_string();
        let place = format!("{}:", desk.path().join("sub/d.proto").display());
        assert!(error.starts_with(&place) && error.contains(wanted), "{text}: {error}");
    }
}

#[test]
fn a_group_of_an_edition_is_refused_with_its_own_file_and_line() {
    let desk = tempfile::tempdir().unwrap();
    let group = "edition = \"2023\";\n// DELIMITED\nmessage G {\n  G g = 1 [features.message_encoding = DELIMITED];\n}\n";
    let importing = "syntax = \"proto3\";\nimport \"g.proto\";\nmessage A { uint32 x = 1; }\n";
    std::fs::write(desk.path().join("g.proto"), group).unwrap();
    std::fs::write(desk.path().join("a.proto"), importing).unwrap();
    for name in ["g.proto", "a.proto"] {
        let error = proto::import(&desk.path().join(name), None, "a").unwrap_err().to_string();
        assert!(error.contains("g.proto:4: `message_encoding = DELIMITED` makes a group"), "{error}");
        assert!(!error.contains("beside it"), "{error}");
    }
}

fn schema(body: &str) -> Result<Draft, ImportError> {
    json_schema::import(&format!("{{\"type\":\"object\",{body}}}"), "s.json", "s")
}

fn sample(draft: &Draft, document: &str) -> Result<String, String> {
    let text = draft.to_proto();
    let definition =
        Definition::from_source(&text, "message.proto").unwrap_or_else(|e| panic!("{e}\n{text}"));
    let line =
        draft.sample(&json::parse(document, "d.json", 1).unwrap(), "d.json").map_err(|e| e.to_string())?;
    read_value(&line, &definition.descriptor, "d.json", 1).unwrap_or_else(|e| panic!("{e}\n{text}"));
    Ok(line)
}

#[test]
fn json_schemas_of_the_common_kind_are_carried() {
    let defs = r##""$id":"https://e.org/m.json","$defs":{"x":{"type":"string"},"y":{"$anchor":"why","type":"boolean"},
        "Map<string>":{"type":"object","additionalProperties":{"type":"string"}}}"##;
    let of = |property: &str| schema(&format!("{defs},\"properties\":{{\"a\":{property}}}"));
    for (property, document, wanted) in [
        (r#"{"type":"array","additionalItems":false,"items":{"type":"string"}}"#, r#"["x"]"#, r#"["x"]"#),
        (r#"{"type":"integer","minimum":0.0,"maximum":1e5}"#, "7", "7"),
        (
            r#"{"type":"integer","minimum":-9223372036854775808,"exclusiveMaximum":9223372036854776000}"#,
            "9223372036854775807",
            "\"9223372036854775807\"",
        ),
        (
            r#"{"type":"integer","minimum":0,"maximum":18446744073709552000}"#,
            "18446744073709551615",
            "\"18446744073709551615\"",
        ),
        (
            r#"{"type":"integer","minimum":0,"exclusiveMinimum":true,"maximum":9,"exclusiveMaximum":false}"#,
            "9",
            "9",
        ),
        (r#"{"oneOf":[{"title":"LOW","const":0},{"title":"HIGH","const":1}]}"#, "1", "1"),
        (r#"{"const":"car"}"#, "\"car\"", "\"car\""),
        (r#"{"const":true}"#, "true", "true"),
        (r#"{"type":"integer","enum":[1,2,3]}"#, "3", "3"),
        (r#"{"enum":[1,2.5]}"#, "2.5", "2.5"),
        (r#"{"enum":["a",1,null]}"#, "1", r#"{"integer":1}"#),
        (r##"{"$ref":"#/$defs/Map%3Cstring%3E"}"##, r#"{"k":"v"}"#, r#"{"k":"v"}"#),
        (r##"{"$ref":"https://e.org/m.json#/$defs/x"}"##, "\"t\"", "\"t\""),
        (r##"{"$ref":"#why"}"##, "true", "true"),
        (r##"{"type":"boolean","$ref":"#why"}"##, "true", "true"),
        (r#"{"type":"string","nullable":true}"#, "\"t\"", "\"t\""),
        (r#"{"type":"integer","nullable":true}"#, "5.0", "\"5\""),
        (
            r#"{"patternProperties":{"^x-":{"type":"integer","maximum":9,"minimum":0}}}"#,
            r#"{"x-a":1}"#,
            r#"{"x-a":1}"#,
        ),
        (
            r#"{"type":"object","properties":{"b":{"type":"boolean"}},"unevaluatedProperties":false}"#,
            r#"{"b":true}"#,
            r#"{"b":true}"#,
        ),
        (
            r#"{"type":"object","properties":{"b":{"type":"boolean"}},"oneOf":[{"required":["b"]},{"required":["c"]}]}"#,
            r#"{"b":true}"#,
            r#"{"b":true}"#,
        ),
    ] {
        let draft = of(property).unwrap_or_else(|error| panic!("{property}: {error}"));
        let line = sample(&draft, &format!("{{\"a\":{document}}}"));
        assert_eq!(line.as_deref(), Ok(format!("{{\"a\":{wanted}}}").as_str()), "{property}");
    }
}

#[test]
fn what_a_schema_does_not_allow_is_no_sample_of_it() {
    for (property, document, wanted) in [
        (r#"{"type":"integer","minimum":0,"maximum":9}"#, "10", "`a` is 10, which the schema does not allow"),
        (
            r#"{"type":"integer","minimum":0,"exclusiveMinimum":true}"#,
            "0",
            "`a` is 0, which the schema does not allow",
        ),
        (r#"{"type":"integer","enum":[1,3]}"#, "2", "`a` is 2, which the schema does not allow"),
        (
            r#"{"type":"array","items":{"enum":[1,3]}}"#,
            "[1,2]",
            "`a[1]` is 2, which the schema does not allow",
        ),
        (r#"{"const":"car"}"#, "\"bike\"", "not a value of the enum"),
        (r#"{"type":"number"}"#, "9007199254740993", "not a number that a double holds"),
        (
            r#"{"type":"integer","minimum":0}"#,
            "18446744073709551615",
            "not a signed integer of 64 bits (in a JSON Schema,",
        ),
        (r#"{"type":"integer"}"#, "5.5", "not an integer of 64 bits"),
    ] {
        let error = sample(
            &schema(&format!("\"properties\":{{\"a\":{property}}}")).unwrap(),
            &format!("{{\"a\":{document}}}"),
        );
        assert!(error.as_ref().is_err_and(|error| error.contains(wanted)), "{property}: {error:?}");
    }
}

#[test]
fn a_keyword_that_gives_values_another_shape_is_refused_at_every_level() {
    let wanted = "`patternProperties` has no counterpart";
    let more = r#""properties":{"seq":{"type":"integer"}},"patternProperties":{"^x-":{"type":"string"}}"#;
    for body in [
        more.to_owned(),
        format!("\"properties\":{{\"a\":{{\"type\":\"object\",{more}}}}}"),
        format!(
            "\"properties\":{{\"a\":{{\"$ref\":\"#/$defs/b\"}}}},\"$defs\":{{\"b\":{{\"type\":\"object\",{more}}}}}"
        ),
        format!("\"properties\":{{\"a\":{{\"type\":\"array\",\"items\":{{{more}}}}}}}"),
        format!("\"allOf\":[{{{more}}}]"),
    ] {
        let error = schema(&body).unwrap_err().to_string();
        assert!(error.contains(wanted), "{body}: {error}");
    }
}

#[test]
fn a_refusal_names_the_path_of_what_is_refused_through_references_and_named_types() {
    let body = "\"properties\":{\"a\":{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/b\"}}},\n\"$defs\":{\n\"b\":{\"type\":\"object\",\"properties\":{\n\
                \"c\":{\"type\":\"array\"}}}}";
    let error = schema(body).unwrap_err().to_string();
    assert!(error.contains("s.json:4: an array without `items`, at `a[].b.c`"), "{error}");
    let avro = "{\"type\":\"record\",\"name\":\"A\",\"fields\":[{\"name\":\"x\",\"type\":{\"type\":\"record\",\"name\":\"n.B\",\n\
                \"fields\":[{\"name\":\"y\",\"type\":{\"type\":\"array\",\"items\":\n\"Unknown\"}}]}}]}";
    let error = avsc::import(avro, "a.avsc", "a").unwrap_err().to_string();
    assert!(error.contains("a.avsc:3: no type is called `Unknown` before this place, at `B.y[]`"), "{error}");
}

#[test]
fn what_stands_beside_a_reference_counts() {
    let of = |beside: &str| {
        let all = r##""$defs":{"n":{"type":"integer","minimum":0},"t":{"type":"object","properties":{"next":{"type":"object","$ref":"#/$defs/t"}}}}"##;
        schema(&format!("\"properties\":{{\"a\":{{{beside}}}}},{all}"))
    };
    let draft = of(r##""$ref":"#/$defs/n","maximum":9"##).unwrap();
    assert_eq!(sample(&draft, "{\"a\":9}").as_deref(), Ok("{\"a\":9}"));
    assert!(sample(&draft, "{\"a\":10}").is_err());
    assert!(
        sample(&of(r##""type":"object","$ref":"#/$defs/t""##).unwrap(), r#"{"a":{"next":{"next":{}}}}"#)
            .is_ok()
    );
    let error = of(r##""type":"string","$ref":"#/$defs/n""##).unwrap_err().to_string();
    assert!(error.contains("`type` beside `$ref` to #/$defs/n, which is not of type string"), "{error}");
}

#[test]
fn an_alternative_is_chosen_by_all_that_the_schema_says() {
    let shapes = |car: &str, bike: &str| {
        schema(&format!(
            "\"properties\":{{\"a\":{{\"oneOf\":[{{\"title\":\"car\",\"type\":\"object\",{car}}},{{\"title\":\"bike\",\"type\":\"object\",{bike}}}]}}}}"
        ))
        .unwrap()
    };
    let kind =
        |kind: &str| format!("\"required\":[\"kind\"],\"properties\":{{\"kind\":{{\"const\":{kind}}}}}");
    for draft in [shapes(&kind("1"), &kind("2")), shapes(&kind("\"x\""), &kind("\"y\""))] {
        let document = if draft.enums.is_empty() { r#"{"a":{"kind":2}}"# } else { r#"{"a":{"kind":"y"}}"# };
        let line = sample(&draft, document).unwrap();
        assert!(line.starts_with(r#"{"a":{"bike":"#), "{line}");
    }
    let wheels = "\"properties\":{\"wheels\":{\"type\":\"integer\"}}";
    let error = sample(&shapes(wheels, wheels), r#"{"a":{"wheels":3}}"#).unwrap_err();
    assert!(
        error.contains("which both `car` and `bike` of `SAChoice` allow, so that they can't be told apart"),
        "{error}"
    );
}

/// Samples invented for a schema, in the form of documents, so that the schema's constraints are checked on them.
fn invented(draft: &Draft) -> Vec<serde_json::Value> {
    let definition = Definition::from_source(&draft.to_proto(), "message.proto").unwrap();
    let all = Generator::invented(&definition.descriptor, 1).take(100);
    all.map(|value| serde_json::from_str(&write_value(&value).unwrap()).unwrap()).collect()
}

#[test]
fn invented_values_keep_what_the_schema_says_of_them() {
    let properties = r#""a":{"type":"string","minLength":3,"maxLength":5},
        "b":{"type":"array","items":{"type":"integer","minimum":0,"maximum":9},"minItems":2,"maxItems":4},
        "c":{"type":"number","minimum":1.5,"maximum":2.5},"d":{"type":"integer","minimum":5},
        "e":{"type":"integer","multipleOf":5,"minimum":0,"maximum":1000},"f":{"type":"integer","enum":[1,5,99]},
        "g":{"const":true},"h":{"type":"string","pattern":"^[A-Z]{3}-\\d+$"},"i":{"enum":[1.5,2.5]},
        "j":{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":1},
        "k":{"type":"array","items":{"type":"string","minLength":1,"maxLength":2},"minItems":1},
        "l":{"type":"object","additionalProperties":{"type":"integer","maximum":-1},"minProperties":2},
        "m":{"type":"number","maximum":-2},"n":{"type":"string","format":"email","maxLength":20}"#;
    let required = r#"["a","b","c","d","e","f","g","h","i","j","k","l","m","n"]"#;
    let draft = schema(&format!("\"required\":{required},\"properties\":{{{properties}}}")).unwrap();
    for value in invented(&draft) {
        let (text, float) =
            (|key: &str| value[key].as_str().unwrap().to_owned(), |key: &str| value[key].as_f64().unwrap());
        let length = |key: &str| text(key).chars().count();
        let elements = |key: &str| value[key].as_array().unwrap().clone();
        assert!((3..=5).contains(&length("a")), "{value}");
        assert!((2..=4).contains(&elements("b").len()), "{value}");
        assert!(elements("b").iter().all(|one| {
            (0..=9).contains(&one.as_str().map_or(one.as_i64().unwrap(), |one| one.parse().unwrap()))
        }));
        assert!((1.5..=2.5).contains(&float("c")), "{value}");
        assert!(text("d").parse::<i64>().unwrap() >= 5, "{value}");
        let e = value["e"].as_i64().unwrap();
        assert!((0..=1000).contains(&e) && e % 5 == 0, "{value}");
        assert!([1, 5, 99].contains(&value["f"].as_i64().unwrap()), "{value}");
        assert_eq!(value["g"], true);
        let (letters, digits) = (text("h")[..4].to_owned(), text("h")[4..].to_owned());
        assert!(letters.ends_with('-') && letters[..3].bytes().all(|b| b.is_ascii_uppercase()), "{value}");
        assert!(!digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()), "{value}");
        assert!([1.5, 2.5].contains(&float("i")) && 0.0 < float("j") && float("j") < 1.0, "{value}");
        assert!(!elements("k").is_empty(), "{value}");
        assert!(
            elements("k").iter().all(|one| (1..=2).contains(&one.as_str().unwrap().chars().count())),
            "{value}"
        );
        let l = value["l"].as_object().unwrap();
        assert!(
            l.len() >= 2 && l.values().all(|one| one.as_str().unwrap().parse::<i64>().unwrap() <= -1),
            "{value}"
        );
        assert!(float("m") <= -2.0 && length("n") <= 20, "{value}");
    }
    for (property, document) in [
        (r#"{"type":"number","minimum":1.5}"#, "1"),
        (r#"{"type":"number","exclusiveMaximum":1}"#, "1"),
        (r#"{"enum":[1.5,2.5]}"#, "2"),
        (r#"{"const":true}"#, "false"),
    ] {
        let draft = schema(&format!("\"properties\":{{\"a\":{property}}}")).unwrap();
        let error = sample(&draft, &format!("{{\"a\":{document}}}")).unwrap_err();
        assert!(error.contains(&format!("`a` is {document}, which the schema does not allow")), "{error}");
    }
}

#[test]
fn what_nests_in_itself_ends_when_it_is_invented() {
    let fields: String = (1..20).map(|at| format!("R r{at} = {at}; ")).collect();
    let desk = desk(&[(
        "r.proto",
        &format!(
            "syntax = \"proto3\"; message R {{ {fields} repeated R list = 20; map<string, R> map = 21; }}"
        ),
    )]);
    let draft = proto::import(&desk.path().join("r.proto"), None, "r").unwrap().draft;
    let objects = |value: &serde_json::Value| value.to_string().matches('{').count();
    assert!(invented(&draft).iter().all(|value| objects(value) < 40_000));
    let tree = |n: &str| {
        format!(
            r##""required":["x"],"properties":{{"x":{{"$ref":"#/$defs/v"}}}},"$defs":{{"v":{{"oneOf":[
            {{"title":"a","type":"object","required":["n","o"],"properties":{{"n":{{"$ref":"#/$defs/v"}},"o":{{"$ref":"#/$defs/v"}}}}}},
            {{"title":"b","type":"object","required":["m"],"properties":{{"m":{n}}}}}]}}}}"##
        )
    };
    let draft = schema(&tree(r#"{"type":"integer"}"#)).unwrap();
    assert!(invented(&draft).iter().all(|value| objects(value) < 5_000));
    let error = schema(&tree(r##"{"$ref":"#/$defs/v"}"##)).unwrap_err().to_string();
    assert!(error.contains("always contains itself in"), "{error}");
}

#[test]
fn objects_whose_keys_are_data_are_maps_with_nulls_and_thousands_of_keys() {
    let inferred = |documents: &[String]| {
        let mut inference = Inference::default();
        for (at, document) in documents.iter().enumerate() {
            inference.add(&json::parse(document, "r.jsonl", at + 1).unwrap());
        }
        let draft = inference.draft("r", "r.jsonl").map_err(|error| error.to_string())?;
        let all = documents.iter().map(|document| sample(&draft, document));
        all.collect::<Result<Vec<_>, _>>().map(|_| draft.to_proto())
    };
    let keys = |at: usize, value: &str| {
        let keys = (0..30).map(|key| format!("\"s{at}_{key}\":{}", if key == 7 { value } else { "1.5" }));
        format!("{{\"seq\":{at},\"m\":{{{}}}}}", keys.collect::<Vec<_>>().join(","))
    };
    let few: Vec<String> = (0..4).map(|at| keys(at, if at == 3 { "null" } else { "1.5" })).collect();
    let text = inferred(&few).unwrap();
    assert!(text.contains("optional double value = 1;") && text.contains("map<string, "), "{text}");
    let wide = |wrap: &str| {
        let keys: Vec<String> = (0..2_100)
            .map(|key| format!("\"k{key}\":{}", if key % 2 == 0 { "1" } else { "\"x\"" }))
            .collect();
        wrap.replace("KEYS", &format!("{{{}}}", keys.join(",")))
    };
    let text = inferred(&[wide("{\"seq\":1,\"all\":KEYS}")]).unwrap();
    assert!(text.contains("map<string, "), "{text}");
    let error = inferred(&[wide("KEYS")]).unwrap_err();
    assert!(error.contains("r.jsonl:1: the documents have more than 2000 different keys"), "{error}");
}

#[test]
fn the_message_that_no_other_uses_is_the_root_whatever_is_nested() {
    let desk = tempfile::tempdir().unwrap();
    let file = desk.path().join("a.proto");
    for (text, wanted) in [
        (
            "syntax = \"proto3\"; message Top { message In { Leaf leaf = 1; } In in = 1; uint32 seq = 2; } message Leaf { uint32 x = 1; }",
            "Top",
        ),
        (
            "\u{feff}syntax = \"proto3\"; message Top { map<string, Leaf> all = 1; } message Leaf { Leaf next = 1; }",
            "Top",
        ),
        ("\u{feff}edition = \"2023\"; message Top { uint32 seq = 1; }", "Top"),
    ] {
        std::fs::write(&file, text).unwrap();
        let imported = proto::import(&file, None, "a").unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(imported.message.name(), wanted);
    }
}

/// The import of a row of the table in docs/PAYLOADS.md: the text of message.proto, or the refusal.
fn becomes(source: &str, construct: &str) -> Result<String, String> {
    const WELL_KNOWN: &str = "import \"google/protobuf/timestamp.proto\"; import \"google/protobuf/wrappers.proto\"; \
                              import \"google/protobuf/struct.proto\"; import \"google/protobuf/any.proto\"; \
                              import \"google/protobuf/duration.proto\"; import \"google/protobuf/field_mask.proto\"; \
                              import \"google/protobuf/empty.proto\";";
    const DEFS: &str = r##""$id":"https://example.org/m.json","$defs":{"text":{"type":"string"},"flag":{"$anchor":"anchor","type":"boolean"},
        "Map<string>":{"type":"object","additionalProperties":{"type":"string"}},
        "list":{"type":"array","items":{"type":"string"}},
        "tree":{"oneOf":[{"type":"integer"},{"title":"branch","type":"object","required":["of"],"properties":{"of":{"$ref":"#/$defs/tree"}}}]},
        "endless":{"oneOf":[{"title":"a","type":"object","required":["of"],"properties":{"of":{"$ref":"#/$defs/endless"}}},
            {"title":"b","type":"object","required":["to"],"properties":{"to":{"$ref":"#/$defs/endless"}}}]}}"##;
    let from_proto = |head: &str| {
        let desk = tempfile::tempdir().unwrap();
        let file = desk.path().join("a.proto");
        std::fs::write(&file, format!("{head} {WELL_KNOWN} message M {{ {construct} }}")).unwrap();
        proto::import(&file, Some("M"), "m").map(|imported| imported.draft)
    };
    let draft = match source {
        "proto2" | "proto3" => from_proto(&format!("syntax = \"{source}\";")),
        "edition 2023" => from_proto("edition = \"2023\";"),
        "JSON Schema" => json_schema::import(
            &format!("{{\"type\":\"object\",{DEFS},\"properties\":{{\"x\":{construct}}}}}"),
            "m.schema.json",
            "m",
        ),
        "Avro" => avsc::import(
            &format!(
                "{{\"type\":\"record\",\"name\":\"M\",\"fields\":[{{\"name\":\"x\",\"type\":{construct}}}]}}"
            ),
            "m.avsc",
            "m",
        ),
        "JSON samples" => {
            let mut inference = Inference::default();
            let lines = construct.replace("} {", "}\n{");
            json::documents(&lines, "m.jsonl")
                .try_for_each(|document| {
                    inference.add(&document?);
                    Ok(())
                })
                .and_then(|()| inference.draft("m", "m.jsonl"))
        }
        other => panic!("no source is called {other}"),
    };
    let text = draft.map_err(|error| error.to_string())?.to_proto();
    Definition::from_source(&text, "message.proto").unwrap_or_else(|error| panic!("{error}\n{text}"));
    Ok(text)
}

#[test]
fn every_row_of_the_table_of_constructs_is_true() {
    let page =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/PAYLOADS.md")).unwrap();
    let section = page.split("### What becomes of a construct").nth(1).unwrap();
    let rows = section.lines().skip_while(|line| !line.starts_with("|---")).skip(1);
    let (mut sources, mut wrong) = (std::collections::BTreeSet::new(), Vec::new());
    for row in rows.take_while(|line| line.starts_with('|')) {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        let [source, construct, wanted] = cells[..] else { panic!("{row}") };
        sources.insert(source);
        let came = becomes(source, construct.trim_matches('`'));
        let is_so = match (wanted.strip_prefix("refused: "), &came) {
            (Some(words), Err(error)) => error.contains(words.trim_matches('`')),
            (None, Ok(text)) => text.contains(wanted.trim_matches('`')),
            _ => false,
        };
        if !is_so {
            wrong.push(format!("{row}\n{}", came.unwrap_or_else(|error| error)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(
        Vec::from_iter(sources),
        ["Avro", "JSON Schema", "JSON samples", "edition 2023", "proto2", "proto3"]
    );
}

#[test]
fn what_is_translated_to_proto_is_read_again_as_the_same_messages() {
    let head = "syntax = \"proto3\"; message M { option (wiredyno.root) = true; uint32 seq = 1 [(wiredyno.sequence) = true];";
    let imports = |text: &str| text.replacen(';', "; import \"wiredyno/options.proto\";", 1);
    for (body, sample) in [
        (
            "enum A { OK = 0; BAD = 1; } enum B { NONE = 0; } message In { enum C { OK = 0; WORSE = 1; } C c = 1; } A a = 2; In i = 3; B b = 4;",
            r#"{"seq":1,"a":"BAD","i":{"c":"WORSE"}}"#,
        ),
        (
            "enum A { M_A = 0; MIn = 1; } A a = 2; message In { int32 x = 1; } In i = 3;",
            r#"{"seq":1,"a":"MIn","i":{"x":3}}"#,
        ),
        ("enum A { ZERO = 0; ONE = 1; BELOW = -1; } A a = 2;", r#"{"seq":1,"a":"BELOW"}"#),
        (
            "repeated int32 v = 2 [packed = false]; optional string t = 3 [(wiredyno.required) = true]; repeated string u = 4;",
            r#"{"seq":1,"v":[1,2],"t":"","u":["x"]}"#,
        ),
    ] {
        let text = imports(&format!("{head} {body} }}"));
        let definition = Definition::from_source(&text, "message.proto").unwrap();
        let lowered = Proto.lower(&definition).unwrap().text;
        let desk = tempfile::tempdir().unwrap();
        let file = desk.path().join("out.proto");
        std::fs::write(&file, &lowered).unwrap();
        let again = proto::import(&file, None, "back").unwrap_or_else(|error| panic!("{error}\n{lowered}"));
        let back = Definition::from_source(&again.draft.to_proto(), "message.proto").unwrap();
        let bytes = |definition: &Definition| {
            canonical_bytes(&read_value(sample, &definition.descriptor, "s.jsonl", 1).unwrap())
        };
        assert_eq!(bytes(&definition), bytes(&back), "{lowered}");
    }
}
