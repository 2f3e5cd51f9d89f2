//! `wiredyno new`: creates a payload's folder from a definition or samples, completely or not at all.

use crate::stand::{self, Desk};

fn write(desk: &Desk, name: &str, text: &str) {
    std::fs::write(desk.file(name), text).unwrap();
}

/// The entries of a folder, including hidden ones.
fn entries(folder: &std::path::Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn samples_become_a_folder_that_says_where_it_comes_from() {
    let desk = Desk::new();
    write(&desk, "trips.jsonl", "{\"trip-id\":17,\"speed\":3.5}\n{\"trip-id\":18,\"speed\":4}\n");
    let printed = desk.wiredyno(&["new", "trips", "--from", "trips.jsonl"]).well();
    assert!(printed.contains("2 samples"), "{printed}");
    assert!(printed.contains("`trip_id` is taken as the message number"), "{printed}");
    assert_eq!(
        entries(&desk.path().join("trips")),
        ["README.md", "documents.jsonl", "message.proto", "samples.jsonl"]
    );
    let samples = std::fs::read_to_string(desk.path().join("trips/samples.jsonl")).unwrap();
    assert_eq!(samples, "{\"trip_id\":17,\"speed\":3.5}\n{\"trip_id\":18,\"speed\":4}\n");
    let again = desk.wiredyno(&["new", "trips", "--from", "trips.jsonl"]).refused(1);
    assert!(again.contains("trips exists already"), "{again}");
}

#[test]
fn without_samples_values_are_invented_and_labelled() {
    let desk = Desk::new();
    write(&desk, "a.proto", "syntax = \"proto3\"; message A { uint32 seq = 1; string text = 2; }");
    let printed = desk.wiredyno(&["new", "a", "--from", "a.proto"]).well();
    assert!(printed.contains("100 samples, invented"), "{printed}");
    let readme = std::fs::read_to_string(desk.path().join("a/README.md")).unwrap();
    assert!(readme.contains("invented"), "{readme}");
}

/// Runs the program on a desk, with a text on standard input.
fn fed(desk: &Desk, arguments: &[&str], input: &str) -> stand::Said {
    write(desk, "input", input);
    let input = std::fs::File::open(desk.file("input")).unwrap();
    stand::said(desk.command(arguments).stdin(input))
}

#[test]
fn documents_come_from_standard_input_too() {
    let desk = Desk::new();
    let lines = "{\"id\":1,\"speed\":3.5}\n{\"id\":2,\"speed\":4}\n";
    let printed = fed(&desk, &["new", "fed", "--from", "-"], lines).well();
    assert!(printed.contains("2 samples"), "{printed}");
    let read = |name: &str| std::fs::read_to_string(desk.file(name)).unwrap();
    assert_eq!(read("fed/documents.jsonl"), lines);
    assert!(read("fed/README.md").contains("`standard input`"), "{}", read("fed/README.md"));
    assert!(read("fed/message.proto").contains("of standard input"), "{}", read("fed/message.proto"));
    write(
        &desk,
        "a.avsc",
        "{\"type\":\"record\",\"name\":\"A\",\"fields\":[{\"name\":\"x\",\"type\":\"int\"}]}",
    );
    let printed =
        fed(&desk, &["new", "real", "--from", "a.avsc", "--samples", "-"], "[{\"x\":1},{\"x\":2}]").well();
    assert!(printed.contains("2 samples") && !printed.contains("invented"), "{printed}");
    assert!(
        fed(&desk, &["new", "none", "--from", "-"], "")
            .refused(1)
            .contains("standard input:1: this is not JSON")
    );
    fed(&desk, &["new", "both", "--from", "-", "--samples", "-"], lines).refused(2);
}

#[test]
fn the_message_that_is_taken_is_said_and_can_be_chosen() {
    let desk = Desk::new();
    write(
        &desk,
        "a.proto",
        "syntax = \"proto3\"; package p; message A { B b = 1; uint32 id = 2; } message B { uint32 seq = 1; }",
    );
    let printed = desk.wiredyno(&["new", "first", "--from", "a.proto"]).well();
    assert!(
        printed.starts_with("using the message p.A of a.proto; `--message NAME` selects another\n"),
        "{printed}"
    );
    let printed = desk.wiredyno(&["new", "second", "--from", "a.proto", "--message", "B"]).well();
    assert!(printed.starts_with("using the message p.B of a.proto"), "{printed}");
    let error = desk.wiredyno(&["new", "third", "--from", "a.proto", "--message", "C"]).refused(1);
    assert!(error.contains("there is no message `C`; name one of p.A, p.B"), "{error}");
}

#[test]
fn an_avro_schema_that_the_codecs_do_not_write_is_told_by_new_and_size() {
    let desk = Desk::new();
    let schema = |ty: &str| {
        let field = format!("{{\"name\":\"x\",\"type\":{ty}}}");
        format!("{{\"type\":\"record\",\"name\":\"A\",\"namespace\":\"n\",\"fields\":[{field}]}}")
    };
    write(
        &desk,
        "plain.avsc",
        &schema("[\"null\",{\"type\":\"long\",\"logicalType\":\"timestamp-millis\"}]"),
    );
    write(&desk, "other.avsc", &schema("[\"int\",\"string\"]"));
    let said = "The Avro codecs measure another schema than other.avsc";
    for (name, is_other) in [("plain", false), ("other", true)] {
        let made = desk.wiredyno(&["new", name, "--from", &format!("{name}.avsc")]).well();
        let sizes = desk.wiredyno(&["size", name, "--json"]).json();
        let table = desk.wiredyno(&["size", name]).well();
        assert_eq!(made.contains(said), is_other, "{made}");
        assert_eq!(
            sizes["warning"].as_str().is_some_and(|warning| warning.contains(said)),
            is_other,
            "{sizes}"
        );
        assert_eq!(table.contains("The Avro codecs measure another schema"), is_other, "{table}");
    }
    let lowered = desk.wiredyno(&["schema", "translate", "other", "--to", "avsc"]).well();
    assert!(lowered.contains("\"int\"") && !lowered.contains("[\"int\",\"string\"]"), "{lowered}");
}

#[test]
fn what_is_refused_leaves_nothing_behind() {
    let desk = Desk::new();
    write(&desk, "bad.jsonl", "{\"a\":1}\n{\"a\":123456789012345678901234567890}\n");
    write(
        &desk,
        "a.avsc",
        "{\"type\":\"record\",\"name\":\"A\",\"fields\":[{\"name\":\"x\",\"type\":\"int\"}]}",
    );
    write(&desk, "wrong.jsonl", "{\"x\":1}\n{\"x\":1,\"y\":2}\n");
    let before = entries(desk.path());
    for (code, arguments, wanted) in [
        (1, &["new", "a", "--from", "bad.jsonl"][..], "bad.jsonl:2: `a` is `123456789012345678901234567890`"),
        (
            1,
            &["new", "a", "--from", "a.avsc", "--samples", "wrong.jsonl"],
            "wrong.jsonl:2: the document has the key `y`",
        ),
        (1, &["new", "a", "--from", "none.proto"], "none.proto"),
        (2, &["new", "a", "--from", "a.avsc", "--message", "A"], "--message is only for .proto files"),
        (2, &["new", "a", "--from", "wrong.jsonl", "--samples", "wrong.jsonl"], "leave out --samples"),
        (2, &["new", "person", "--from", "a.avsc"], "`person` is already a payload of the program"),
        (
            2,
            &["new", "opaque", "--from", "a.avsc", "--out", "mine"],
            "`opaque` is already a payload of the program",
        ),
        (2, &["new", "all", "--from", "a.avsc"], "`all` means all payloads"),
    ] {
        let error = desk.wiredyno(arguments).refused(code);
        assert!(error.contains(wanted), "{arguments:?}: {error}");
        assert_eq!(entries(desk.path()), before, "{arguments:?}");
    }
}

#[test]
fn programs_are_told_what_was_made_and_where_something_is_wrong() {
    let desk = Desk::new();
    write(
        &desk,
        "a.schema.json",
        r#"{"type":"object","properties":{"seq":{"type":"integer"},"name":{"type":"string","not":{"const":"x"}}},"required":["seq"]}"#,
    );
    write(&desk, "a.jsonl", "{\"seq\":1}\n{\"seq\":9007199254740993}\n");
    let arguments = ["new", "a", "--from", "a.schema.json", "--samples", "a.jsonl"];
    let made = desk.wiredyno(&[&arguments[..], &["--json"]].concat()).json();
    let counts = ["messages", "fields", "samples"].map(|name| made[name].as_u64().unwrap());
    assert_eq!(counts, [1, 2, 2], "{made}");
    assert_eq!(
        (&made["folder"], &made["sequence"], &made["invented"]),
        (&"a".into(), &"seq".into(), &false.into())
    );
    assert!(made["remarks"][0].as_str().unwrap().starts_with("name: "), "{made}");
    assert!(made["message"].is_null() && made["notes"][0].as_str().unwrap().contains("2^53"), "{made}");

    write(&desk, "wrong.jsonl", "{\"seq\":1}\n{\"seq\":1,\"y\":2}\n");
    let wrong = ["new", "b", "--from", "a.schema.json", "--samples", "wrong.jsonl", "--json"];
    let said = stand::said(desk.command(&wrong).env("WIREDYNO_ERRORS", "json")).refused(1);
    let told: serde_json::Value = serde_json::from_str(&said).unwrap();
    assert_eq!((&told["file"], &told["line"]), (&"wrong.jsonl".into(), &2.into()), "{told}");
    assert!(told["error"].as_str().unwrap().starts_with("the document has the key `y`"), "{told}");
}
