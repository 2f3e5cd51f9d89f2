//! `wiredyno schema`: translations on standard output, stand-ins on standard error, refusals with their place.

use crate::stand::Desk;
use serde_json::Value;

const TRIP: &str = "syntax = \"proto3\";\npackage trips;\nmessage Trip { uint32 seq = 1; optional double speed = 2; Trip last = 3; }\n";

fn desk() -> Desk {
    let desk = Desk::new();
    std::fs::create_dir(desk.file("trip")).unwrap();
    std::fs::write(desk.file("trip/message.proto"), TRIP).unwrap();
    desk
}

#[test]
fn a_translation_is_the_file_and_nothing_else() {
    let desk = desk();
    let printed = desk.wiredyno(&["schema", "translate", "trip", "--to", "lcm"]).well();
    assert!(printed.starts_with("package wiredyno;\n"), "{printed}");
    assert!(!printed.contains("note:"), "{printed}");
    desk.wiredyno(&["schema", "translate", "trip", "--to", "lcm", "--out", "trip.lcm"]).well();
    assert_eq!(std::fs::read_to_string(desk.file("trip.lcm")).unwrap(), printed);
    let of_file = desk.wiredyno(&["schema", "translate", "trip/message.proto", "--to", "lcm"]).well();
    assert_eq!(of_file, printed);
}

#[test]
fn a_bundled_payload_goes_into_every_language_that_is_listed() {
    let desk = desk();
    let listed: Vec<Value> =
        serde_json::from_str(&desk.wiredyno(&["list", "languages", "--json"]).well()).unwrap();
    assert!(listed.len() >= 11, "{listed:?}");
    for language in &listed {
        for word in ["id", "extension"] {
            let word = language[word].as_str().unwrap();
            let printed = desk.wiredyno(&["schema", "translate", "person", "--to", word]).well();
            assert!(printed.contains("first"), "{word}: {printed}");
        }
    }
}

#[test]
fn what_a_language_can_not_say_is_refused_with_path_and_file() {
    let desk = desk();
    let said = desk.wiredyno(&["schema", "translate", "trip", "--to", "msg"]).refused(1);
    for part in [
        "trip/message.proto",
        "Trip can't be expressed in ROS messages",
        "it contains itself",
        "another language",
    ] {
        assert!(said.contains(part), "{part} is missing in {said}");
    }
    let said = desk.wiredyno(&["schema", "translate", "trip", "--to", "cobol"]).refused(2);
    assert!(said.contains("omg-idl"), "{said}");
    let said = desk.wiredyno(&["schema", "translate", "persn", "--to", "lcm"]).refused(2);
    assert!(said.contains("person"), "{said}");
}

#[test]
fn the_table_has_every_language_and_a_payload_every_field() {
    let desk = desk();
    let cells: Vec<Value> =
        serde_json::from_str(&desk.wiredyno(&["schema", "expressiveness", "--json"]).well()).unwrap();
    let cell = cells.iter().find(|cell| cell["language"] == "lcm" && cell["construct"] == "uint32").unwrap();
    assert_eq!(
        (cell["support"].as_str(), cell["by"].as_str()),
        (Some("stand-in"), Some("a signed integer of 64 bits"))
    );
    // The language has oneofs but the translation does not write them: the output says both, here and for a payload.
    let by = "an optional field for each member of the oneof";
    let printed = desk.wiredyno(&["schema", "expressiveness"]).well();
    assert!(printed.contains(&format!("thrift oneof: yes; translated by {by}")), "{printed}");
    std::fs::write(
        desk.file("choice.proto"),
        "syntax = \"proto3\"; message A { oneof b { int32 c = 1; string d = 2; } }",
    )
    .unwrap();
    let printed = desk.wiredyno(&["schema", "expressiveness", "choice.proto"]).well();
    assert!(printed.contains(&format!("thrift A.c: by {by}")), "{printed}");
    let noted = desk.wiredyno(&["schema", "translate", "choice.proto", "--to", "thrift"]);
    assert!(
        noted.err.contains(&format!("note: A.c: by {by}")) && !noted.out.contains("union"),
        "{}",
        noted.err
    );
    let markdown = desk.wiredyno(&["schema", "expressiveness", "--md"]).well();
    assert!(markdown.starts_with("| construct | asn1 | avsc |"), "{markdown}");
    let languages: Vec<Value> =
        serde_json::from_str(&desk.wiredyno(&["schema", "expressiveness", "trip", "--json"]).well()).unwrap();
    let of = |id: &str| languages.iter().find(|of| of["language"] == id).unwrap();
    assert!(of("rosmsg")["refused"].as_str().unwrap().contains("it contains itself"));
    let paths: Vec<&str> =
        of("proto")["paths"].as_array().unwrap().iter().map(|path| path["path"].as_str().unwrap()).collect();
    assert_eq!(paths, ["trips", "Trip.seq", "Trip.speed", "Trip.last"]);
    let printed = desk.wiredyno(&["schema", "expressiveness", "trip"]).well();
    assert!(printed.contains("lcm Trip.speed: by a list of at most one element"), "{printed}");
}
