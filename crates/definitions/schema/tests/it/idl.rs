//! The exact translations of one definition to languages for cars and robots.

use wiredyno_schema::Definition;
use wiredyno_schema::idl::{Expression, IDLS, Idl, Lcm, Odvd, OmgIdl, RosMsg};

const PROTO: &str = "syntax = \"proto3\";\npackage a.b;\nimport \"wiredyno/options.proto\";\n\
    message Car {\n  option (wiredyno.root) = true;\n  enum Light { LIGHT_OFF = 0; LIGHT_RED = 4; }\n\
    uint32 sequence = 1;\n  uint32 gear = 2 [(wiredyno.range) = { min: 0, max: 9 }];\n  optional double speed = 3;\n\
    bytes key = 4 [(wiredyno.fixed_length) = 8];\n  repeated bytes blobs = 5;\n  Light light = 6;\n\
    map<string, Wheel> wheels = 7;\n}\nmessage Wheel {\n  float pressure = 1;\n}\n";

fn definition() -> Definition {
    Definition::from_source(PROTO, "message.proto").unwrap()
}

#[test]
fn ids_are_unique() {
    let mut ids: Vec<_> = IDLS.iter().map(|idl| idl.id()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), IDLS.len());
}

#[test]
fn lcm_counts_lists_and_has_no_unsigned_numbers() {
    let lowered = Lcm.lower(&definition()).unwrap();
    assert_eq!(
        lowered.text,
        "package wiredyno;\n\nstruct ByteString\n{\n    int32_t data_count;\n    byte data[data_count];\n}\n\n\
         struct Wheel\n{\n    float pressure;\n}\n\n\
         struct CarWheelsEntry\n{\n    string key;\n    Wheel value;\n}\n\n\
         struct Car\n{\n    int64_t sequence;\n    byte gear;\n    int32_t speed_count;\n    double speed[speed_count];\n    \
         byte key[8];\n    int32_t blobs_count;\n    ByteString blobs[blobs_count];\n    int32_t light;\n    \
         int32_t wheels_count;\n    CarWheelsEntry wheels[wheels_count];\n}\n"
    );
    let note = |path: &str| lowered.notes.iter().find(|note| note.path == path).unwrap().expression.clone();
    assert_eq!(note("Car.key"), Expression::Direct);
    assert_eq!(note("Car.sequence"), Expression::StandIn("a signed integer of 64 bits".to_owned()));
    assert_eq!(note("Car.speed"), Expression::StandIn("a list of at most one element".to_owned()));
}

#[test]
fn ros_messages_follow_each_other_behind_their_names() {
    let text = RosMsg.lower(&definition()).unwrap().text;
    let line = "=".repeat(80);
    assert_eq!(
        text,
        format!(
            "uint32 sequence\nuint8 gear\nfloat64[] speed\nuint8[8] key\nwiredyno/ByteString[] blobs\nuint8 light\n\
             wiredyno/CarWheelsEntry[] wheels\n{line}\nMSG: wiredyno/CarWheelsEntry\nstring key\nwiredyno/Wheel value\n\
             {line}\nMSG: wiredyno/Wheel\nfloat32 pressure\n{line}\nMSG: wiredyno/ByteString\nuint8[] data\n"
        )
    );
}

#[test]
fn omg_idl_escapes_its_keywords_and_keeps_bounds() {
    let text = OmgIdl.lower(&definition()).unwrap().text;
    assert!(text.contains("  uint32 _sequence;\n  uint8 gear;\n  sequence<double, 1> speed;\n"), "{text}");
    assert!(text.contains("  octet key[8];\n  sequence<ByteString> blobs;\n  CarLight light;\n"), "{text}");
    assert!(text.contains("enum CarLight {\n  @value(0) LIGHT_OFF,\n  @value(4) LIGHT_RED\n};"), "{text}");
}

#[test]
fn odvd_numbers_fields_as_the_definition_does() {
    let text = Odvd.lower(&definition()).unwrap().text;
    assert!(text.contains("    uint32 sequence [id = 1];\n    uint32 gear [id = 2];\n"), "{text}");
    assert!(text.contains("    list<CarWheelsEntry> wheels [id = 7];\n"), "{text}");
}

#[test]
fn what_holds_itself_is_refused_where_it_cannot_be_said() {
    let text = "syntax = \"proto3\";\nmessage Tree {\n  repeated Tree trees = 1;\n}\n";
    let tree = Definition::from_source(text, "message.proto").unwrap();
    assert!(RosMsg.lower(&tree).unwrap_err().to_string().contains("Tree"));
    assert!(OmgIdl.lower(&tree).unwrap().text.contains("struct Tree;\n"));
    assert!(Lcm.lower(&tree).is_ok());
}
