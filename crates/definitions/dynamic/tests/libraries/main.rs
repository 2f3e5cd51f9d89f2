//! Compares the writers with the formats' libraries over random values: integer widths and lengths around their
//! boundaries, floats with any bits, texts with characters that formats escape, empty and nested containers, deep nesting.

#![allow(clippy::unwrap_used, missing_docs)]

mod awkward;
mod capnproto;
mod objects;
#[path = "../../src/rule.rs"]
#[allow(dead_code)]
mod rule;
mod thrift;
mod values;
mod xml;

use objects::{BSON, CBOR, COMPLETE, JSON, MESSAGEPACK, Named, PROTO3};
use serde::Serialize as _;
use values::Values;
use wiredyno_codec_registry::REGISTRY;
use wiredyno_contract::{NativeObjects, Objects};
use wiredyno_dynamic::{Described, ENCODERS, Record};
use wiredyno_schema::generator::Generator;
use wiredyno_schema::idl::IDLS;
use wiredyno_schema::import::infer::{Inference, as_object};
use wiredyno_schema::import::json;
use wiredyno_schema::{Definition, codegen, read_value};

const SEED: u64 = 20_261_123;

/// A library's output, or `None` if it refuses the value.
type Library = fn(&Record) -> Option<Vec<u8>>;

fn into<E>(write: impl FnOnce(&mut Vec<u8>) -> Result<(), E>) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    write(&mut out).ok().map(|()| out)
}

fn messagepack(value: &Record) -> Option<Vec<u8>> {
    into(|out| Named(value, MESSAGEPACK).serialize(&mut rmp_serde::Serializer::new(out).with_struct_map()))
}

fn messagepack_positional(value: &Record) -> Option<Vec<u8>> {
    into(|out| Named(value, COMPLETE).serialize(&mut rmp_serde::Serializer::new(out)))
}

fn cbor(value: &Record) -> Option<Vec<u8>> {
    into(|out| ciborium::into_writer(&Named(value, CBOR), out))
}

/// A JSON library's output, except for numbers that JSON lacks: libraries write null in their place, the writer refuses them.
fn json(value: &Record, library: Library) -> Option<Vec<u8>> {
    fn is_finite(value: &ciborium::Value) -> bool {
        match value {
            ciborium::Value::Float(number) => number.is_finite(),
            ciborium::Value::Array(list) => list.iter().all(is_finite),
            ciborium::Value::Map(pairs) => pairs.iter().all(|(_, value)| is_finite(value)),
            _ => true,
        }
    }
    let read = ciborium::Value::serialized(&Named(value, JSON)).ok()?;
    is_finite(&read).then(|| library(value)).flatten()
}

static LIBRARIES: &[(&str, Library)] = &[
    ("json/serde-json", |value| json(value, |value| serde_json::to_vec(&Named(value, JSON)).ok())),
    ("json/serde-json:proto3", |value| serde_json::to_vec(&Named(value, PROTO3)).ok()),
    ("json/sonic-rs", |value| json(value, |value| sonic_rs::to_vec(&Named(value, JSON)).ok())),
    ("messagepack/rmp-serde", messagepack),
    ("messagepack/rmp-serde:positional", messagepack_positional),
    ("cbor/ciborium", cbor),
    ("bson/bson", |value| bson::serialize_to_vec(&Named(value, BSON)).ok()),
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
        // XML and BSON refuse some texts, and two JSON writers some numbers.
        let others = if values.tame { 0 } else { 2 };
        assert!(written + others + 2 >= LIBRARIES.len(), "value {at}: {written}");
        by_all += u32::from(written == LIBRARIES.len());
    }
    assert!(by_all > 0, "every value contains numbers that JSON lacks");
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
    // The segment table has three forms.
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
    let folders = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../payloads")).unwrap();
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
fn well_known_types_are_written_as_the_libraries_write_them() {
    let described = described(
        "syntax = \"proto3\"; import \"wiredyno/options.proto\";
         message Root { option (wiredyno.root) = true; Time time = 1; repeated Time times = 2; Span span = 3; Mask mask = 4; Any any = 5;
           map<string, Any> by_name = 6; Long long = 7; Nulls.Null nothing = 8; Several several = 9; Time must = 10 [(wiredyno.required) = true]; }
         message Time { option (wiredyno.well_known) = \"timestamp\"; int64 seconds = 1; int32 nanos = 2; }
         message Span { option (wiredyno.well_known) = \"duration\"; int64 seconds = 1; int32 nanos = 2; }
         message Mask { option (wiredyno.well_known) = \"field_mask\"; option (wiredyno.stands_for_value) = true; repeated string paths = 1; }
         message Any { option (wiredyno.stands_for_value) = true; oneof kind { option (wiredyno.required_choice) = true;
           Nulls.Null n = 1; double d = 2; string s = 3; bool b = 4; Object o = 5; List l = 6; } }
         message Object { option (wiredyno.stands_for_value) = true; map<string, Any> fields = 1; }
         message List { option (wiredyno.stands_for_value) = true; repeated Any values = 1; }
         message Long { option (wiredyno.stands_for_value) = true; int64 value = 1; }
         message Several { option (wiredyno.stands_for_value) = true; oneof kind { option (wiredyno.required_choice) = true; string s = 1; int64 i = 2; } }
         message Nulls { enum Null { option (wiredyno.stands_for_null) = true; NONE = 0; } }",
    );
    let marked =
        |name: &str| described.definition.messages.iter().any(|m| m.name == name && m.stands_for_value);
    assert!(["Mask", "Any", "Object", "List", "Long", "Several"].into_iter().all(marked));
    // How many formats refuse each: those that write times, durations and masks as strings, and JSON writers for NaN and infinities.
    for (json, refused) in [
        (r#"{}"#, 0),
        (
            r#"{"time":{"seconds":"1767323045","nanos":250000000},"times":[{},{"seconds":"-1","nanos":1}],"span":{"nanos":-5000}}"#,
            0,
        ),
        (
            r#"{"time":{"seconds":"17179869184"},"must":{"seconds":"4294967295"},"mask":{"paths":["a_b.c","d"]},"long":{"value":"-9"}}"#,
            0,
        ),
        (r#"{"any":{"n":"NONE"},"nothing":"NONE","several":{"i":"7"},"mask":{}}"#, 0),
        (
            r#"{"any":{"o":{"fields":{"a":{"d":1.5},"b":{"l":{"values":[{"s":""},{"b":true},{"n":"NONE"}]}}}}},"several":{"s":"7"}}"#,
            0,
        ),
        (r#"{"by_name":{"x":{"n":"NONE"},"y":{"d":0}},"any":{"l":{}}}"#, 0),
        (r#"{"any":{"d":"NaN"}}"#, 3),
        (r#"{"time":{"seconds":"253402300800"}}"#, 5),
        (r#"{"time":{"nanos":-1}}"#, 6),
        (r#"{"span":{"seconds":"1","nanos":-1}}"#, 4),
        (r#"{"mask":{"paths":["aB"]}}"#, 4),
    ] {
        let json = if json.contains("must") {
            json.to_owned()
        } else {
            json.replacen('{', "{\"must\":{},", 1).replace(",}", "}")
        };
        let message =
            wiredyno_schema::read_value(&json, &described.definition.descriptor, "samples.jsonl", 1).unwrap();
        let value = described.value(&message).unwrap();
        let written = compare(&described, &value, &json);
        assert_eq!(written + refused, LIBRARIES.len(), "{json}");
    }
}

fn is_full() -> bool {
    std::env::var_os("WIREDYNO_TEST_FULL").is_some()
}

/// How many definitions the compilers of schemas get, of which each start takes time.
const COMPILED: u64 = 10;

/// What is known before compilation must agree with the code generators, and the writers with the libraries. Those that start a compiler of
/// schemas are asked too if `compilers` says so.
fn one_answer(described: &Described, source: &str, compilers: bool) -> usize {
    let definition = &described.definition;
    let refused = wiredyno_dynamic::not_carried(definition);
    codegen::types(definition).unwrap_or_else(|error| panic!("{error}\n{source}"));
    let mut made = 0;
    for codec in REGISTRY.iter() {
        // It needs a protoc of a specific version, which refuses the same definitions as every other.
        if codec.objects == Objects::Upb {
            continue;
        }
        let is_refused = refused.iter().any(|(id, _)| id.to_string() == codec.id);
        if let Some(encoder) = ENCODERS.iter().find(|encoder| encoder.codec() == codec.id) {
            assert_eq!(encoder.refuses(described).is_some(), is_refused, "{}\n{source}", codec.id);
        }
        let is_alone = codec.as_native().is_none_or(|native| native.objects == NativeObjects::None);
        let is_here = is_alone || compilers && wiredyno_needs::lack(codec.needs).is_none();
        if !is_refused && is_here {
            let code = codegen::codec(definition, &"0".repeat(32), codec, "made_types");
            code.unwrap_or_else(|error| panic!("{}: {error}\n{source}", codec.id));
            made += 1;
        }
    }
    for idl in IDLS {
        // It may refuse, but must not panic.
        let _ = idl.lower(definition);
    }
    made
}

#[test]
fn awkward_names_and_values_have_one_answer_everywhere() {
    let definitions = if is_full() { 2_000 } else { 60 };
    let mut values = Values::new(SEED);
    let mut flat = 0;
    for at in 0..definitions {
        let mut draw = awkward::Draw(SEED + at);
        let source = awkward::proto(&mut draw);
        let definition = Definition::from_source(&source, "message.proto");
        let definition = definition.unwrap_or_else(|error| panic!("definition {at}: {error}\n{source}"));
        let described = Described::new(definition);
        let made = one_answer(&described, &source, at < COMPILED || is_full());
        assert!(made > 25, "definition {at}: only {made}\n{source}");
        flat += usize::from(
            wiredyno_dynamic::not_carried(&described.definition)
                .iter()
                .any(|(id, _)| id.to_string() == "flatbuffers/planus"),
        );
        let mut messages = vec![prost_reflect::DynamicMessage::new(described.definition.descriptor.clone())];
        messages.extend((0..3).map(|_| values.message(&described.definition.descriptor, 0)));
        messages.extend(Generator::invented(&described.definition.descriptor, SEED).take(2));
        for message in messages {
            if let Ok(value) = described.value(&message) {
                assert!(compare(&described, &value, &format!("definition {at}, seed {SEED}\n{source}")) > 0);
            }
        }
    }
    assert!(
        flat > 0 && flat < definitions as usize,
        "{flat} of {definitions} have names that are one in planus"
    );
}

#[test]
fn awkward_documents_have_one_answer_everywhere() {
    let files = if is_full() { 2_000 } else { 60 };
    let mut carried = 0;
    for at in 0..files {
        let mut draw = awkward::Draw(SEED + at);
        let documents: Vec<String> = (0..=draw.below(3)).map(|_| awkward::document(&mut draw, 0)).collect();
        let read = |text: &String| as_object(json::parse(text, "d.jsonl", 1).unwrap());
        let mut inference = Inference::default();
        documents.iter().for_each(|text| inference.add(&read(text)));
        // A refusal comes with a reason, before there is a definition.
        let Ok(draft) = inference.draft("awkward", "d.jsonl") else { continue };
        let source = draft.to_proto();
        let definition = Definition::from_source(&source, "message.proto");
        let definition =
            definition.unwrap_or_else(|error| panic!("documents {at}: {error}\n{documents:?}\n{source}"));
        let described = Described::new(definition);
        one_answer(&described, &source, at < COMPILED || is_full());
        for text in &documents {
            let Ok(sample) = draft.sample(&read(text), "d.jsonl") else { continue };
            let message = read_value(&sample, &described.definition.descriptor, "samples.jsonl", 1).unwrap();
            let value = described.value(&message).unwrap();
            compare(&described, &value, &format!("documents {at}, seed {SEED}\n{text}"));
            carried += 1;
        }
    }
    assert!(carried > files / 2, "only {carried} documents of {files} files");
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
