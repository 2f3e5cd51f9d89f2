//! The writers give what the libraries of the formats give, over random values: widths of integers and lengths around their
//! boundaries, floats of any bits, texts with what formats escape, empty and nested containers, deep nesting.

#![allow(clippy::unwrap_used, missing_docs)]

#[path = "libraries/capnproto.rs"]
mod capnproto;
#[path = "libraries/objects.rs"]
mod objects;
#[path = "../src/rule.rs"]
#[allow(dead_code)]
mod rule;
#[path = "libraries/thrift.rs"]
mod thrift;
#[path = "libraries/values.rs"]
mod values;
#[path = "libraries/xml.rs"]
mod xml;

use objects::{COMPLETE, Named, OMITTING, SIGNED};
use serde::Serialize as _;
use values::Values;
use wiredyno_dynamic::{Described, ENCODERS, Record};
use wiredyno_schema::Definition;
use wiredyno_schema::generator::Generator;

const SEED: u64 = 20_261_123;

/// What a library gives, or that it refuses.
type Library = fn(&Record) -> Option<Vec<u8>>;

fn into<E>(write: impl FnOnce(&mut Vec<u8>) -> Result<(), E>) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    write(&mut out).ok().map(|()| out)
}

fn messagepack(value: &Record) -> Option<Vec<u8>> {
    into(|out| Named(value, OMITTING).serialize(&mut rmp_serde::Serializer::new(out).with_struct_map()))
}

fn messagepack_positional(value: &Record) -> Option<Vec<u8>> {
    into(|out| Named(value, COMPLETE).serialize(&mut rmp_serde::Serializer::new(out)))
}

fn cbor(value: &Record) -> Option<Vec<u8>> {
    into(|out| ciborium::into_writer(&Named(value, OMITTING), out))
}

/// What a library of JSON gives, but for numbers that JSON has not: the libraries write null in their place, and the writer refuses them.
fn json(value: &Record, library: Library) -> Option<Vec<u8>> {
    fn is_finite(value: &ciborium::Value) -> bool {
        match value {
            ciborium::Value::Float(number) => number.is_finite(),
            ciborium::Value::Array(list) => list.iter().all(is_finite),
            ciborium::Value::Map(pairs) => pairs.iter().all(|(_, value)| is_finite(value)),
            _ => true,
        }
    }
    let read = ciborium::Value::serialized(&Named(value, OMITTING)).unwrap();
    is_finite(&read).then(|| library(value)).flatten()
}

static LIBRARIES: &[(&str, Library)] = &[
    ("json/serde-json", |value| json(value, |value| serde_json::to_vec(&Named(value, OMITTING)).ok())),
    ("json/sonic-rs", |value| json(value, |value| sonic_rs::to_vec(&Named(value, OMITTING)).ok())),
    ("messagepack/rmp-serde", messagepack),
    ("messagepack/rmp-serde:positional", messagepack_positional),
    ("cbor/ciborium", cbor),
    ("bson/bson", |value| bson::serialize_to_vec(&Named(value, SIGNED)).ok()),
    ("postcard/postcard", |value| postcard::to_stdvec(&Named(value, COMPLETE)).ok()),
    ("thrift/apache-thrift", |value| into(|out| thrift::compact(value, out))),
    ("thrift/apache-thrift:binary", |value| into(|out| thrift::binary(value, out))),
    ("capnproto/capnp", |value| into(|out| capnproto::plain(value, out))),
    ("capnproto/capnp:packed", |value| into(|out| capnproto::packed(value, out))),
    ("xml/quick-xml", |value| into(|out| xml::write(value, out))),
];

fn compare(described: &Described, value: &Record, place: &str) -> usize {
    let mut written = 0;
    for (codec, library) in LIBRARIES {
        let encoder = ENCODERS.iter().find(|encoder| encoder.codec() == *codec).unwrap();
        let mut found = Vec::new();
        let outcome = encoder.encode(described, value, &mut found);
        let wanted = library(value);
        assert_eq!(outcome.is_ok(), wanted.is_some(), "{codec}, {place}: {outcome:?}");
        if let Some(wanted) = wanted {
            let differs =
                wanted.iter().zip(&found).position(|(a, b)| a != b).unwrap_or(found.len().min(wanted.len()));
            let around =
                |bytes: &[u8]| hex::encode(&bytes[differs.saturating_sub(16)..bytes.len().min(differs + 16)]);
            assert!(
                wanted == found,
                "{codec}, {place}, byte {differs}: {} wanted, {} found",
                around(&wanted),
                around(&found)
            );
            written += 1;
        }
    }
    written
}

fn described(source: &str) -> Described {
    Described::new(Definition::from_source(source, "message.proto").unwrap())
}

#[test]
fn random_values_are_written_as_the_libraries_write_them() {
    let described = described(values::KITCHEN);
    let mut values = Values::new(SEED);
    let mut by_all = 0;
    for at in 0..400 {
        values.tame = at % 2 == 0;
        let message = values.message(&described.definition.descriptor, 0);
        let value = described.value(&message).unwrap();
        let written = compare(&described, &value, &format!("value {at}, seed {SEED}"));
        // XML and BSON refuse some texts, two writers of JSON some numbers.
        let others = if values.tame { 0 } else { 2 };
        assert!(written + others + 2 >= LIBRARIES.len(), "value {at}: {written}");
        by_all += u32::from(written == LIBRARIES.len());
    }
    assert!(by_all > 0, "numbers that JSON has not are in all values");
}

#[test]
fn lengths_around_every_boundary_are_written_as_the_libraries_write_them() {
    let described = described(
        "syntax = \"proto3\"; message Root { string text = 1; bytes data = 2; repeated uint32 numbers = 3;
         repeated bool flags = 4; map<uint32, string> map = 5; optional bytes there = 6; repeated Inner inner = 20;
         } message Inner { string name = 1; }",
    );
    let descriptor = &described.definition.descriptor;
    let boundaries =
        [0, 1, 14, 15, 16, 23, 24, 31, 32, 127, 128, 255, 256, 8_100, 8_192, 65_535, 65_536, 70_000];
    for length in boundaries {
        for field in ["text", "data", "numbers", "flags", "map", "there", "inner"] {
            let message = values::of_length(descriptor, field, length);
            let value = described.value(&message).unwrap();
            assert!(compare(&described, &value, &format!("{length} of {field}")) > 0);
        }
    }
}

#[test]
fn messages_past_one_segment_and_of_no_size_are_written_as_the_libraries_write_them() {
    let described = described(
        "syntax = \"proto3\"; message Root { repeated Node nodes = 1; repeated Nothing nothings = 2;
         optional Nothing nothing = 3; repeated bytes blocks = 4; }
         message Node { string name = 1; Node left = 2; repeated Node more = 3; map<string, Node> named = 4; sint64 n = 5; }
         message Nothing {}",
    );
    let mut values = Values::new(SEED);
    (values.long, values.tame) = (true, true);
    let mut segments = Vec::new();
    for at in 0..60 {
        let message = values.message(&described.definition.descriptor, 0);
        let value = described.value(&message).unwrap();
        compare(&described, &value, &format!("value {at}, seed {SEED}"));
        let stream =
            LIBRARIES.iter().find(|(codec, _)| *codec == "capnproto/capnp").unwrap().1(&value).unwrap();
        segments.push(1 + u32::from_le_bytes(*stream.first_chunk().unwrap()));
    }
    // The table of segments has three forms.
    for count in 1..5 {
        assert!(segments.contains(&count), "{count} among {segments:?}");
    }
}

#[test]
fn nesting_ends_where_the_libraries_end_it() {
    let described = described("syntax = \"proto3\"; message Root { optional Root inner = 1; }");
    for depth in [1, 10, 62, 63, 64, 65, 66, 90] {
        let value = described.value(&values::nested(&described.definition.descriptor, depth)).unwrap();
        compare(&described, &value, &format!("{depth} deep"));
    }
}

#[test]
fn every_payload_of_the_program_is_written_as_the_libraries_write_it() {
    let folders = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../../payloads")).unwrap();
    let mut payloads = 0;
    for folder in folders {
        let file = folder.unwrap().path().join("message.proto");
        let Ok(source) = std::fs::read_to_string(&file) else { continue };
        let described = described(&source);
        for (at, message) in Generator::invented(&described.definition.descriptor, SEED).take(5).enumerate() {
            let place = format!("{}, value {at}, seed {SEED}", file.display());
            assert!(compare(&described, &described.value(&message).unwrap(), &place) > 0);
        }
        payloads += 1;
    }
    assert!(payloads > 20, "{payloads}");
}

#[test]
fn ranges_and_lengths_are_refused_where_the_codecs_refuse_them() {
    let described = described(
        "syntax = \"proto3\"; import \"wiredyno/options.proto\";
         message Root {
           uint32 small = 1 [(wiredyno.range) = { min: 0, max: 200 }];
           sint64 wide = 2 [(wiredyno.range) = { min: -40000, max: 40000 }];
           repeated int32 some = 3 [(wiredyno.range) = { min: -1, max: 1 }];
           uint64 half = 4 [(wiredyno.range) = { min: 0, max: 70000 }];
         }",
    );
    let mut values = Values::new(SEED);
    for at in 0..400 {
        let message = values.message(&described.definition.descriptor, 0);
        compare(&described, &described.value(&message).unwrap(), &format!("value {at}, seed {SEED}"));
    }
}
