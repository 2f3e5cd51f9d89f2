//! `wiredyno size`: the sizes of new samples in every format, without a compiler.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::documents;
use crate::stand::{self, Desk, array, number, provide_codecs};
use serde_json::Value;
use wiredyno_codec_registry::REGISTRY;

fn write(desk: &Desk, name: &str, text: &str) {
    std::fs::write(desk.file(name), text).unwrap();
}

/// A folder `trips` of two samples.
fn trips() -> Desk {
    let desk = Desk::new();
    write(&desk, "trips.jsonl", "{\"trip-id\":17,\"speed\":3.5}\n{\"trip-id\":300,\"speed\":4}\n");
    desk.wiredyno(&["new", "trips", "--from", "trips.jsonl"]).well();
    desk
}

/// The entry of the JSON output for a codec that carries all samples.
#[track_caller]
fn codec<'a>(sizes: &'a Value, id: &str) -> &'a Value {
    array(&sizes["codecs"]).iter().find(|one| one["id"] == id).unwrap_or_else(|| panic!("no {id} in {sizes}"))
}

#[test]
fn samples_that_nobody_has_seen_are_weighed_in_every_format() {
    let desk = trips();
    let sizes = desk.wiredyno(&["size", "trips", "--json"]).json();
    assert_eq!(number(&sizes["samples"], "count"), 2);
    assert_eq!(sizes["samples"]["invented"], false);
    // {"trip_id":17,"speed":3.5} and {"trip_id":300,"speed":4.0}.
    let json = &codec(&sizes, "json/serde-json")["plain"];
    assert_eq!(
        (&json["mean_bytes"], number(json, "min_bytes"), number(json, "max_bytes")),
        (&26.5.into(), 26, 27)
    );
    // Key and varint of one or two bytes, key and eight bytes.
    let protobuf = &codec(&sizes, "protobuf/prost")["plain"];
    assert_eq!((number(protobuf, "min_bytes"), number(protobuf, "max_bytes")), (11, 12));
    let compressed = codec(&sizes, "protobuf/prost")["compressed"].as_object().unwrap();
    assert_eq!(compressed.keys().collect::<Vec<_>>(), ["gzip:6", "zstd:3", "lz4"]);
    // gzip's header and trailer alone take 18 bytes (RFC 1952).
    assert!(number(&compressed["gzip:6"], "min_bytes") > 18);
    assert!(array(&sizes["refused"]).iter().any(|one| one["id"] == "raw/wiredyno"), "{sizes}");
    // Codecs in C++ have no encoder here either.
    let compiled = REGISTRY.iter().filter(|codec| codec.as_native().is_some()).map(|codec| codec.id);
    let compiled: BTreeSet<&str> = compiled.chain(["bitcode/bitcode"]).collect();
    let after = array(&sizes["after_build"]).iter().map(|codec| codec.as_str().unwrap());
    assert_eq!(after.collect::<BTreeSet<_>>(), compiled);
}

#[test]
fn the_table_fits_a_terminal_and_says_what_has_no_size() {
    let desk = trips();
    for more in [&[][..], &["--long"]] {
        let printed = desk.wiredyno(&[&["size", "trips"], more].concat()).well();
        for line in printed.lines() {
            assert!(line.chars().count() <= 100, "{line}");
        }
        for part in [
            "trips: 2 samples from trips/samples.jsonl",
            "Only after a build",
            "bitcode",
            "one plain string",
            "grow",
        ] {
            assert!(printed.contains(part), "no {part:?} in\n{printed}");
        }
    }
}

/// Lists in lists, with integers and doubles.
const MAP: &str = "{\"type\": \"Polygon\",\n \"coordinates\": [[[102, 0.5], [103, 1.25], [102, 0.5]]],\n \"name\": \"\\u00e9\"}";

#[test]
fn json_as_it_came_is_the_first_row_and_what_the_definition_adds_is_told() {
    let desk = Desk::new();
    write(&desk, "map.json", MAP);
    let came =
        r#"{"type":"Polygon","coordinates":[[[102,0.5],[103,1.25],[102,0.5]]],"name":"\u00e9"}"#.len() as u64;
    let sizes = desk.wiredyno(&["size", "map.json", "--json"]).json();
    let plain = &sizes["json_as_it_came"]["plain"];
    assert_eq!((number(plain, "min_bytes"), number(plain, "max_bytes")), (came, came));
    assert!(number(&sizes["json_as_it_came"]["compressed"]["gzip:6"], "min_bytes") > 18);
    // Mixed numbers become doubles, which makes three of them two bytes longer; `\u00e9` takes two bytes instead of six.
    let json = &codec(&sizes, "json/serde-json")["plain"];
    assert_eq!(number(json, "min_bytes"), came + 3 * 2 - 4);
    // Formats without a definition write unwrapped what .proto can't express.
    let warning = sizes["warning"].as_str().unwrap();
    assert!(warning.starts_with("note: ") && warning.contains("`coordinates`"), "{warning}");
    let printed = desk.wiredyno(&["size", "map.json"]).well();
    let rows: Vec<&str> = printed.lines().filter(|line| line.contains(".0 ")).collect();
    assert!(rows[0].starts_with("JSON as given, minified"), "{printed}");
    assert!(
        rows[0].contains(&format!(" {came}.0 ")) && printed.contains("note: .proto has no lists"),
        "{printed}"
    );
    assert!(printed.lines().all(|line| line.chars().count() <= 100), "{printed}");
    // A payload that was made from it keeps the original.
    let made = desk.wiredyno(&["new", "map", "--from", "map.json"]).well();
    assert!(made.contains("note: .proto has no lists") && made.contains("`coordinates`"), "{made}");
    let again = desk.wiredyno(&["size", "map", "--json"]).json();
    assert_eq!(again["json_as_it_came"], sizes["json_as_it_came"]);
    assert_eq!(codec(&again, "cbor/ciborium")["plain"], codec(&sizes, "cbor/ciborium")["plain"]);
    let proto = std::fs::read_to_string(desk.file("map/message.proto")).unwrap();
    assert!(proto.contains("repeated double value = 1"), "{proto}");
    assert!(proto.contains("option (wiredyno.stands_for_value) = true;"), "{proto}");
    // Samples without their original documents have no such row.
    let samples = desk.file("map/samples.jsonl");
    let one = std::fs::read_to_string(&samples).unwrap();
    std::fs::write(&samples, one.repeat(2)).unwrap();
    assert!(desk.wiredyno(&["size", "map", "--json"]).json()["json_as_it_came"].is_null());
    assert!(desk.wiredyno(&["size", "person", "--json"]).json()["json_as_it_came"].is_null());
}

/// A collection in GeoJSON's form: coordinates nested one, two and three deep, properties of several kinds.
const PLACES: &str = r#"{"type":"FeatureCollection","features":[
{"type":"Feature","geometry":{"type":"Point","coordinates":[13.4,52.5]},"properties":{"name":"a","level":3}},
{"type":"Feature","geometry":{"type":"LineString","coordinates":[[102.5,0.5],[103.25,1.5]]},"properties":{"name":"b","level":"low"}},
{"type":"Feature","geometry":{"type":"Polygon","coordinates":[[[100.5,0.5],[101.5,0.5],[101.5,1.5],[100.5,0.5]]]},"properties":{"name":"c","level":null}}
]}"#;

#[test]
fn values_alone_are_what_compiled_codecs_write_too_and_they_come_back() {
    let desk = Desk::new();
    write(&desk, "places.json", PLACES);
    desk.wiredyno(&["new", "places", "--from", "places.json"]).well();
    let sizes = desk.wiredyno(&["size", "places", "--json"]).json();
    let came = number(&sizes["json_as_it_came"]["plain"], "min_bytes");
    let json = number(&codec(&sizes, "json/serde-json")["plain"], "min_bytes");
    // Except the key whose value is null.
    assert_eq!(json, came - r#","level":null"#.len() as u64);
    let codecs = ["json/serde-json", "json/sonic-rs", "cbor/ciborium", "messagepack/rmp-serde", "bson/bson"];
    let positional = ["messagepack/rmp-serde:positional", "postcard/postcard"];
    let all = [&codecs[..], &positional[..]].concat();
    desk.wiredyno(&["build", "places", "--codec", &all.join(",")]).well();
    let mut values = std::collections::BTreeSet::new();
    for id in all {
        let pair = ["--payload", "places", "--codec", id, "--hex"];
        let hex = desk.wiredyno(&[&["encode"], &pair[..]].concat()).well();
        let weighed = number(&codec(&sizes, id)["plain"], "min_bytes");
        assert_eq!(hex.trim().len() as u64 / 2, weighed, "{id}: {hex}");
        write(&desk, "body", &hex);
        values.insert(desk.wiredyno(&[&["decode"], &pair[..], &["body"]].concat()).well());
    }
    assert_eq!(values.len(), 1, "{values:?}");
    let hex = desk.wiredyno(&["encode", "--payload", "places", "--codec", "json/serde-json", "--hex"]).well();
    // The same document with a text instead of a list of numbers is not a value of it.
    let broken = hex.replacen(&hex_of("[13.4,52.5]"), &hex_of("[13.4,\"52\"]"), 1);
    assert_ne!(broken, hex);
    write(&desk, "broken", &broken);
    let decode = ["decode", "--payload", "places", "--codec", "json/serde-json", "--hex", "broken"];
    desk.wiredyno(&decode).refused(1);
}

fn hex_of(text: &str) -> String {
    text.bytes().fold(String::new(), |mut hex, byte| {
        write!(hex, "{byte:02x}").unwrap();
        hex
    })
}

#[test]
fn documents_are_weighed_without_a_payload_from_files_and_from_standard_input() {
    let desk = trips();
    let of_folder = desk.wiredyno(&["size", "trips", "--json"]).json();
    let text = std::fs::read_to_string(desk.file("trips.jsonl")).unwrap();
    let listed = format!("[{}]", text.trim().replace('\n', ", "));
    write(&desk, "trips.json", &listed);
    let of_lines = desk.wiredyno(&["size", "trips.jsonl", "--json"]).json();
    let of_list = desk.wiredyno(&["size", "trips.json", "--json"]).json();
    let fed = [&text, &listed].map(|text| stand::fed(&["size", "-", "--json"], text).json());
    for sizes in [&of_lines, &of_list] {
        assert!(sizes["codecs"] == of_folder["codecs"], "not what the payload of that name has");
    }
    for sizes in [of_lines, of_list].iter().chain(&fed) {
        // XML writes the message's name, which is not given on standard input.
        let protobuf = |sizes: &Value| codec(sizes, "protobuf/prost")["plain"].clone();
        assert_eq!(protobuf(sizes), protobuf(&of_folder));
        assert_eq!(sizes["json_as_it_came"], of_folder["json_as_it_came"]);
    }
    assert!(of_folder["warning"].is_null(), "{of_folder}");
    write(&desk, "mixed.jsonl", "{\"a\":1}\n{\"a\":123456789012345678901234567890}\n");
    let error = desk.wiredyno(&["size", "mixed.jsonl"]).refused(1);
    assert!(error.contains("mixed.jsonl:2: "), "{error}");
    assert!(stand::fed(&["size", "-"], "{").refused(1).contains("standard input:1: this is not JSON"));
    write(&desk, "a.proto", "syntax = \"proto3\";");
    let error = desk.wiredyno(&["size", "a.proto"]).refused(1);
    assert!(error.contains("wiredyno new NAME --from a.proto"), "{error}");
}

#[test]
fn sizes_are_those_of_the_compiled_codecs() {
    provide_codecs("person");
    let desk = Desk::new();
    let sizes = desk.wiredyno(&["size", "person", "--json"]).json();
    let value = desk.wiredyno(&["encode", "--payload", "person", "--codec", "json/serde-json"]).well();
    write(&desk, "one.jsonl", &value);
    let one = desk.wiredyno(&["size", "person", "--json", "--samples", "one.jsonl"]).json();
    assert_eq!(number(&one["samples"], "count"), 1);
    for id in [
        "cbor/ciborium",
        "asn1-uper/wiredyno",
        "exi/wiredyno:default",
        "flatbuffers/planus",
        "capnproto/capnp",
    ] {
        let hex = desk.wiredyno(&["encode", "--payload", "person", "--codec", id, "--hex"]).well();
        let bytes = hex.trim().len() as u64 / 2;
        let plain = &codec(&one, id)["plain"];
        assert_eq!((number(plain, "min_bytes"), number(plain, "max_bytes")), (bytes, bytes), "{id}");
        let all = &codec(&sizes, id)["plain"];
        assert!((number(all, "min_bytes")..=number(all, "max_bytes")).contains(&bytes), "{id}");
    }
}

#[test]
fn invented_samples_are_called_that() {
    let desk = Desk::new();
    write(&desk, "a.proto", "syntax = \"proto3\"; message A { uint32 seq = 1; string text = 2; }");
    desk.wiredyno(&["new", "a", "--from", "a.proto"]).well();
    assert!(desk.wiredyno(&["size", "a"]).well().contains("INVENTED"));
    assert_eq!(desk.wiredyno(&["size", "a", "--json"]).json()["samples"]["invented"], true);
    std::fs::remove_file(desk.file("a/samples.jsonl")).unwrap();
    assert!(desk.wiredyno(&["size", "a"]).well().contains("INVENTED"));
    write(&desk, "real.jsonl", "{\"seq\": 1, \"text\": \"real\"}\n");
    let printed = desk.wiredyno(&["size", "a", "--samples", "real.jsonl"]).well();
    assert!(printed.contains("1 sample from real.jsonl") && !printed.contains("INVENTED"), "{printed}");
}

#[test]
fn a_value_that_a_format_can_not_hold_is_told_with_its_line() {
    let desk = Desk::new();
    write(&desk, "t.jsonl", "{\"text\":\"plain\"}\n{\"text\":\"a\\u0000b\"}\n");
    desk.wiredyno(&["new", "t", "--from", "t.jsonl"]).well();
    let sizes = desk.wiredyno(&["size", "t", "--json"]).json();
    let lcm = array(&sizes["partly"]).iter().find(|one| one["id"] == "lcm/wiredyno").unwrap();
    assert_eq!((number(lcm, "samples"), number(lcm, "first")), (1, 2));
    assert!(lcm["reason"].as_str().unwrap().contains("text: "), "{lcm}");
    codec(&sizes, "json/serde-json");
}

#[test]
fn the_first_broken_line_is_named_however_many_threads_read() {
    let desk = trips();
    let mut lines = String::new();
    for line in 1..=2000 {
        let value = if line == 137 || line == 1900 { "\"fast\"".to_owned() } else { format!("{line}.5") };
        writeln!(lines, "{{\"trip_id\": {line}, \"speed\": {value}}}").unwrap();
    }
    write(&desk, "more.jsonl", &lines);
    for _ in 0..5 {
        let error = desk.wiredyno(&["size", "trips", "--samples", "more.jsonl"]).refused(1);
        assert!(error.contains("more.jsonl:137: "), "{error}");
    }
}

#[test]
fn the_same_samples_give_the_same_output() {
    let desk = trips();
    let mut lines = String::new();
    for line in 1..=1000 {
        writeln!(lines, "{{\"trip_id\": {line}, \"speed\": {line}.25}}").unwrap();
    }
    write(&desk, "more.jsonl", &lines);
    let arguments = ["size", "trips", "--samples", "more.jsonl", "--json"];
    let first = desk.wiredyno(&arguments).well();
    for _ in 0..3 {
        assert_eq!(desk.wiredyno(&arguments).well(), first);
    }
}

#[test]
fn samples_are_taken_as_new_took_them_and_integers_that_readers_lose_are_told() {
    let desk = Desk::new();
    let proto = "syntax = \"proto3\"; import \"google/protobuf/timestamp.proto\"; \
                 message A { uint64 seq_no = 1; google.protobuf.Timestamp at = 2; }";
    write(&desk, "a.proto", proto);
    let documents = "{\"seqNo\":\"9007199254740993\",\"at\":\"2026-01-02T03:04:05Z\"}\n\
                     {\"seqNo\":\"18446744073709551615\",\"at\":\"2026-01-02T03:04:05Z\"}\n";
    write(&desk, "d.jsonl", documents);
    let told = desk.wiredyno(&["new", "made", "--from", "a.proto", "--samples", "d.jsonl"]).well();
    assert!(told.contains("note: 2 samples with an integer beyond 2^53: JSON has"), "{told}");
    assert!(
        told.contains("note: 1 sample with an integer beyond 2^63 - 1: BSON has no such number."),
        "{told}"
    );
    let own = desk.wiredyno(&["size", "made", "--json"]).json();
    let again = desk.wiredyno(&["size", "made", "--samples", "d.jsonl", "--json"]).json();
    assert_eq!(own["codecs"], again["codecs"]);
    let told = again["warning"].as_str().unwrap();
    assert!(
        told.contains("beyond 2^53 (the first in line 1)")
            && told.contains("beyond 2^63 - 1 (the first in line 2)"),
        "{told}"
    );
    let samples = std::fs::read_to_string(desk.file("made/samples.jsonl")).unwrap();
    write(&desk, "s.jsonl", &samples);
    let as_samples = desk.wiredyno(&["size", "made", "--samples", "s.jsonl", "--json"]).json();
    assert_eq!(own["codecs"], as_samples["codecs"]);
    write(&desk, "wrong.jsonl", "{\"seqNo\":\"1\",\"at\":\"2016-12-31T23:59:60Z\"}\n");
    let error = desk.wiredyno(&["size", "made", "--samples", "wrong.jsonl"]).refused(1);
    assert!(error.contains("wrong.jsonl:1: `at` is \"2016-12-31T23:59:60Z\", not a time"), "{error}");
}

#[test]
fn what_can_not_be_weighed_is_refused_with_what_to_do() {
    let desk = trips();
    write(&desk, "none.jsonl", "\n\n");
    write(&desk, "unknown.jsonl", "{\"trip_id\": 1, \"speed\": 2}\n{\"trip-id\": 1}\n");
    std::fs::create_dir(desk.file("empty")).unwrap();
    std::fs::create_dir(desk.file("broken")).unwrap();
    write(&desk, "broken/message.proto", "syntax = \"proto3\";\nmessage A {\n  string a = 1\n}\n");
    for (code, arguments, wanted) in [
        (1, &["trips", "--samples", "none.jsonl"][..], "none.jsonl contains no sample: write"),
        (1, &["trips", "--samples", "unknown.jsonl"], "unknown.jsonl:2: "),
        (1, &["trips", "--samples", "gone.jsonl"], "gone.jsonl"),
        (2, &["trips@100"], "takes no size: leave out"),
        (1, &["empty"], "empty has no message.proto: name"),
        (1, &["broken"], "broken/message.proto:4"),
        (2, &["persom"], "no payload `persom`"),
        (2, &["trips", "--compression", "zst:3"], "`zstd`"),
        (2, &["trips", "--compression", "zstd:3:dictionary"], "leave `:dictionary` out"),
    ] {
        let error = desk.wiredyno(&[&["size"], arguments].concat()).refused(code);
        assert!(error.contains(wanted), "{arguments:?}: {error}");
    }
}

#[test]
fn awkward_documents_are_weighed_or_refused_precisely() {
    let weighed = documents::CARRIED.iter().map(|(text, _)| (*text, None));
    let refused = documents::REFUSED.iter().map(|(text, wanted)| (*text, Some(*wanted)));
    let mut all = 0;
    for (text, wanted) in weighed.chain(refused) {
        let desk = Desk::new();
        let file = documents::file_of(text);
        write(&desk, file, text);
        let new = desk.wiredyno(&["new", "awkward", "--from", file]);
        if let Some(wanted) = wanted {
            let error = new.refused(1);
            assert!(error.contains(wanted), "{text}: {error}");
            continue;
        }
        new.well();
        let sizes = desk.wiredyno(&["size", "awkward", "--json"]).json();
        // Every codec is listed once.
        let told = ["codecs", "partly", "refused", "after_build"].map(|part| array(&sizes[part]).len());
        assert_eq!(told.iter().sum::<usize>(), REGISTRY.len(), "{text}: {sizes}");
        for id in ["json/serde-json", "protobuf/prost", "avro/apache-avro", "flatbuffers/planus"] {
            codec(&sizes, id);
        }
        for reason in array(&sizes["refused"]).iter().chain(array(&sizes["partly"])) {
            assert!(!reason["reason"].as_str().unwrap().is_empty(), "{text}: {reason}");
        }
        all += 1;
    }
    assert!(all >= 30, "{all}");
}

#[test]
fn nulls_that_are_left_out_are_told_and_a_schema_is_no_sample() {
    let desk = Desk::new();
    write(&desk, "nulls.jsonl", "{\"x\":null,\"y\":null}\n{\"x\":\"a\",\"y\":\"b\"}\n");
    let sizes = desk.wiredyno(&["size", "nulls.jsonl", "--json"]).json();
    let warning = sizes["warning"].as_str().unwrap();
    assert!(warning.contains("has 9.5 bytes a message, 18.0 as given: nulls"), "{warning}");
    write(&desk, "m.schema.json", r#"{"type":"object","properties":{"x":{"type":"string"}}}"#);
    let error = desk.wiredyno(&["size", "m.schema.json"]).refused(1);
    assert!(
        error.contains("m.schema.json is a JSON Schema, not a sample: `wiredyno new NAME --from"),
        "{error}"
    );
}
