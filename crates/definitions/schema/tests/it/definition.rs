//! Which message definitions are valid, and how others are refused.

use wiredyno_schema::{Cardinality, Definition, Type, read_value};

const HEAD: &str = "syntax = \"proto3\";\npackage p;\nimport \"wiredyno/options.proto\";\n";

fn read(body: &str) -> Result<Definition, String> {
    Definition::from_source(&format!("{HEAD}{body}"), "payloads/x/message.proto").map_err(|e| e.to_string())
}

fn refused(body: &str, line: usize, what: &str) {
    let error = read(body).unwrap_err();
    assert!(error.contains(&format!("payloads/x/message.proto:{line}")), "{error}");
    assert!(error.contains(what), "{error}");
}

#[test]
fn options_and_presence_reach_the_model() {
    let definition = read(
        "message A { optional string a = 1; repeated int32 b = 2 [(wiredyno.fixed_length) = 3];\n\
         uint32 n = 3 [(wiredyno.sequence) = true, (wiredyno.range) = { min: 0, max: 9 }]; map<string, A> m = 4; A next = 5; }",
    )
    .unwrap();
    let fields = &definition.root().fields;
    assert_eq!((fields[0].ty, fields[0].cardinality), (Type::String, Cardinality::Optional));
    assert_eq!(fields[1].options.fixed_length, Some(3));
    assert_eq!(fields[2].options.range, Some((0, 9)));
    assert_eq!(definition.sequence_field().unwrap().name, "n");
    assert_eq!(fields[3].cardinality, Cardinality::Map(Type::String));
    assert!(fields[4].boxed && !fields[3].boxed);
}

#[test]
fn the_sequence_field_may_stand_in_required_messages() {
    let body = |place: &str| {
        format!(
            "message A {{\n  B b = 1{place};\n}}\n\
             message B {{\n  bool x = 1;\n  uint32 n = 2 [(wiredyno.sequence) = true];\n}}"
        )
    };
    let definition = read(&body(" [(wiredyno.required) = true]")).unwrap();
    let path: Vec<&str> =
        definition.sequence_path().unwrap().iter().map(|field| field.name.as_str()).collect();
    assert_eq!(path, ["b", "n"]);
    refused(&body(""), 9, "required in one place");
}

#[test]
fn the_root_is_the_message_that_no_other_uses_or_the_marked_one() {
    assert_eq!(read("message A { B b = 1; }\nmessage B {}").unwrap().root().name, "A");
    let marked = "message A {}\nmessage B { option (wiredyno.root) = true; }";
    assert_eq!(read(marked).unwrap().root().name, "B");
    refused("message A {}\nmessage B {}", 1, "(wiredyno.root)");
}

#[test]
fn what_cannot_be_carried_is_refused_with_its_line() {
    refused(
        "message A {\n  bool b = 1 [(wiredyno.sequence) = true];\n}",
        5,
        "singular string, bytes or integer",
    );
    refused("message A {\n  string s = 1 [(wiredyno.range) = { min: 1, max: 2 }];\n}", 5, "integer fields");
    refused("message A {\n  uint32 n = 1 [(wiredyno.choice_tag) = 1];\n}", 5, "fields of a oneof");
    let far = "message A {\n  oneof c {\n  uint32 n = 1 [(wiredyno.choice_tag) = 256];\n  }\n}";
    refused(far, 6, "at most 255");
    refused(
        "message A {\n  int32 i = 1 [(wiredyno.max_length) = 2];\n}",
        5,
        "string, bytes, repeated and map",
    );
    refused(
        "message A { E e = 1; }\nenum E {\n  option allow_alias = true;\n  X = 0;\n  Y = 0;\n}",
        5,
        "aliases",
    );
    refused("message A {\n  strin s = 1;\n}", 5, "strin");
}

#[test]
fn samples_with_unknown_fields_are_refused_with_their_line() {
    let definition = read("message A { string a = 1; }").unwrap();
    let error = read_value("{\"b\": 1}", &definition.descriptor, "samples.jsonl", 7).unwrap_err().to_string();
    assert!(error.contains("samples.jsonl:7") && error.contains("'b'"), "{error}");
}
