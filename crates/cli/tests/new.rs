//! `wiredyno new`: a payload's folder from what people have, whole or not at all.

#![allow(clippy::unwrap_used)]

mod stand;

use stand::Desk;

fn write(desk: &Desk, name: &str, text: &str) {
    std::fs::write(desk.file(name), text).unwrap();
}

/// The entries of a folder, hidden ones too.
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
    assert!(printed.contains("`trip_id` numbers the messages"), "{printed}");
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
    for (arguments, wanted) in [
        (&["new", "a", "--from", "bad.jsonl"][..], "bad.jsonl:2: `a` is `123456789012345678901234567890`"),
        (
            &["new", "a", "--from", "a.avsc", "--samples", "wrong.jsonl"],
            "wrong.jsonl:2: the document has the key `y`",
        ),
        (&["new", "a", "--from", "none.proto"], "none.proto"),
        (&["new", "a", "--from", "a.avsc", "--message", "A"], "--message goes with .proto files"),
    ] {
        let error = desk.wiredyno(arguments).refused(1);
        assert!(error.contains(wanted), "{arguments:?}: {error}");
        assert_eq!(entries(desk.path()), before, "{arguments:?}");
    }
}
