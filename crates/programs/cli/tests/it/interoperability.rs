//! `wiredyno interoperability`: its answer, its picture, and what it refuses.

use std::fs;

use serde_json::Value;

use crate::languages::{java_is_here, python_is_here};
use crate::stand::{Desk, array, number, wiredyno};

/// What no other library reads: a head of five bytes.
const FRAMED: &str = ":confluent";

#[test]
fn codecs_of_two_languages_are_told_with_who_reads_whom() {
    if !python_is_here() || !java_is_here() {
        return;
    }
    let desk = Desk::new();
    let asked = ["interoperability", "--runners", "python,java", "--formats", "json,avro"];
    let found = desk.wiredyno(&[&asked[..], &["--picture", "who.svg", "--json"]].concat()).json();
    assert_eq!(array(&found["left_out"]), [] as [Value; 0]);
    let exchanges = array(&found["exchanges"]);
    let codecs = |wanted: &str| {
        let of = |exchange: &&Value| exchange["reader"].as_str().unwrap().starts_with(wanted);
        exchanges.iter().filter(of).count()
    };
    // Five codecs of each format, each read by each.
    assert_eq!((codecs("json/"), codecs("avro/"), exchanges.len()), (25, 25, 50), "{found}");
    for exchange in exchanges {
        let framed = |side: &str| exchange[side].as_str().unwrap().ends_with(FRAMED);
        let understood = number(exchange, "understood");
        assert_eq!(number(exchange, "samples"), 1, "{exchange}");
        assert_eq!(understood == 1, framed("writer") == framed("reader"), "{exchange}");
        assert_eq!(exchange["first"].is_null(), understood == 1, "{exchange}");
    }
    let picture = fs::read_to_string(desk.file("who.svg")).unwrap();
    let squares = |class: &str| picture.matches(&format!("<rect class=\"{class}\"")).count();
    assert_eq!((squares("yes"), squares("part"), squares("no")), (34, 0, 16));
    let told = desk.wiredyno(&asked).well().split_whitespace().collect::<Vec<_>>().join(" ");
    for part in ["Of 40 pairs of different codecs of one format, 24 understand every sample", "json/orjson"] {
        assert!(told.contains(part), "{part} is not in {told}");
    }
}

#[test]
fn what_has_nothing_to_exchange_is_refused() {
    for (arguments, part) in [
        (["--formats", "jsno", "--runners", "rust"], "--formats: no codec has `jsno`; did you mean `json`?"),
        (
            ["--runners", "pyton", "--formats", "json"],
            "--runners: no codec has `pyton`; did you mean `python`?",
        ),
        (["--formats", "xml", "--runners", "rust"], "no format has two codecs here that carry the payload"),
    ] {
        let refused = wiredyno(&[&["interoperability"], &arguments[..]].concat()).refused(2);
        assert!(refused.contains(part), "{refused}");
    }
}
