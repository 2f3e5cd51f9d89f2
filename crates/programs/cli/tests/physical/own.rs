//! A user's own payload: a folder that every command takes.

use crate::brokers::without_brokers;
use crate::stand::{Desk, array, assert_accounted, installed, said};

/// Creates the payload `trips` from JSON lines.
fn new_trips(desk: &Desk) {
    let line = |id: u32| {
        format!(
            "{{\"trip-id\":{},\"stops\":[{{\"name\":\"Main {id}\"}}],\"late\":{}}}\n",
            1000 + id,
            id.is_multiple_of(2)
        )
    };
    std::fs::write(desk.file("trips.jsonl"), (0..40).map(line).collect::<String>()).unwrap();
    desk.wiredyno(&["new", "trips", "--from", "trips.jsonl"]).well();
}

pub fn built_and_measured() {
    let desk = Desk::new();
    new_trips(&desk);
    let call = |arguments: &[&str]| desk.wiredyno(arguments);
    let _ = call(&["build", "--remove", "trips"]);
    let printed = call(&["build", "trips"]).well();
    assert!(printed.contains("trips: built in"), "{printed}");
    assert!(printed.contains("left out: raw/wiredyno: "), "{printed}");
    assert!(call(&["build", "./trips/"]).well().contains("already built"));
    assert!(call(&["build", "--list"]).well().lines().next().unwrap().contains("  trips  "));

    let listed = call(&["list", "payloads", "--json"]).json();
    assert!(
        array(&listed).iter().any(|payload| payload["id"] == "trips" && payload["samples"] == 40),
        "{listed}"
    );
    assert!(call(&["list", "codecs", "--payload", "./trips"]).well().contains("can't carry trips"));
    assert!(call(&["show", "payload", "trips"]).well().contains("protobuf/prost"));
    let pair = ["--payload", "./trips", "--codec", "json/serde-json"];
    let json = call(&[&["encode", "--sample", "7"], &pair[..]].concat()).well();
    assert_eq!(json, r#"{"trip_id":1007,"stops":[{"name":"Main 7"}],"late":false}"#);
    let measured = call(&[&["measure", "--json"], &pair[..]].concat()).json();
    assert_eq!((array(&measured["body_bytes"]).len(), &measured["cell"]["payload"]), (40, &"trips".into()));

    let set = ["--set", "payload=./trips", "--set", "mode=mqtt:qos1"];
    let run = |out| [&["run", "tiny.toml", "--out", out], &set[..]].concat();
    said(&mut without_brokers(&desk, &run("rumqttd"))).well();
    let mut brokers = vec!["rumqttd"];
    if installed("mosquitto").is_ok() {
        call(&run("mosquitto")).well();
        brokers.push("mosquitto");
    }
    for broker in brokers {
        let summary = desk.summary(broker);
        assert_accounted(&summary, 2);
        assert_eq!((array(&summary["cells"]).len(), array(&summary["codecs"]).len()), (2, 2));
        for cell in array(&summary["cells"]) {
            assert_eq!((&cell["broker"]["id"], &cell["axes"]["payload"]), (&broker.into(), &"trips".into()));
            assert_eq!(cell["delivery"]["lost"], 0, "{cell}");
        }
        let build = &summary["environment"]["builds"][0];
        let definition = std::fs::read_to_string(desk.file("trips/message.proto")).unwrap();
        assert_eq!((&build["payload"], &build["definition"]), (&"trips".into(), &definition.into()));
        let key = build["build"].as_str().unwrap();
        assert!(call(&["build", "--list"]).well().contains(&key[..12]), "{build}");
    }

    std::fs::write(desk.file("trips/samples.jsonl"), "{\"trip_id\":1}\n").unwrap();
    let json = call(&[&["encode"], &pair[..]].concat()).well();
    assert_eq!(json, r#"{"trip_id":1,"stops":[],"late":false}"#);
    assert!(call(&["build", "--remove", "trips"]).well().contains("deleted"));
}
