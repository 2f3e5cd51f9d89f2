//! What people bring that once came out as another message, or was refused without need.

use wiredyno_schema::idl::Idl as _;
use wiredyno_schema::idl::proto::Proto;
use wiredyno_schema::import::infer::Inference;
use wiredyno_schema::import::{Draft, ImportError, avsc, json, json_schema, proto};
use wiredyno_schema::{Definition, canonical_bytes, read_value, write_value};

/// The bytes that a sample of a .proto file becomes, as hexadecimal digits.
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

/// The bytes are those of Google's own library for Python (7.36), which the samples went through.
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
    assert!(error.contains("`type` beside `$ref` to #/$defs/n, which is no string"), "{error}");
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

/// What becomes of a row of the table in docs/PAYLOADS.md: the text of message.proto, or the words of the refusal.
fn becomes(source: &str, construct: &str) -> Result<String, String> {
    const WELL_KNOWN: &str = "import \"google/protobuf/timestamp.proto\"; import \"google/protobuf/wrappers.proto\"; \
                              import \"google/protobuf/struct.proto\"; import \"google/protobuf/any.proto\"; \
                              import \"google/protobuf/duration.proto\"; import \"google/protobuf/field_mask.proto\"; \
                              import \"google/protobuf/empty.proto\";";
    const DEFS: &str = r##""$id":"https://example.org/m.json","$defs":{"text":{"type":"string"},"flag":{"$anchor":"anchor","type":"boolean"},
        "Map<string>":{"type":"object","additionalProperties":{"type":"string"}}}"##;
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
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/PAYLOADS.md")).unwrap();
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
