//! Tests the generator with definitions of every kind, its refusals, and what bundled payloads promise.

mod current_status;
mod definitions;
mod json;
mod refusals;

use std::collections::HashSet;

use prost_reflect::prost::Message;
use prost_reflect::{DynamicMessage, MessageDescriptor, Value};

use self::definitions::{message_in, payload_file};
use super::{Generator, GeneratorError, takes_size};

const ZOO: &str = r#"
syntax = "proto3";
package zoo;

enum Colour { COLOUR_UNKNOWN = 0; COLOUR_RED = 1; COLOUR_BLUE = -7; }

message Animal {
  int32 a = 1; sint64 b = 2; uint32 c = 3; fixed64 d = 4; sfixed32 e = 5;
  float f = 6; double g = 7; bool h = 8; string i = 9; bytes j = 10; Colour k = 11;
  optional int32 oa = 21; optional string oi = 29; optional Colour ok = 31;
  repeated double list = 40; repeated Animal children = 41; Animal parent = 42;
  map<string, int32> counts = 43; map<int64, Animal> relatives = 44;
  oneof food { uint32 grams = 50; string name = 51; Animal prey = 52; }
}
"#;

fn zoo() -> MessageDescriptor {
    message_in(ZOO, "Animal")
}

fn animals(rules: &str) -> Generator {
    let text = format!("seed = 3\nsamples = 10\n{rules}");
    Generator::from_toml(&text, "generator.toml", &zoo(), None).unwrap_or_else(|error| panic!("{error}"))
}

/// A message's field as a plain value.
fn field(message: &DynamicMessage, name: &str) -> Value {
    message.get_field_by_name(name).unwrap().into_owned()
}

/// A message of first-level fields only, so that tests state what they are about.
const FLAT: &str = r#"
[default.list]
count = 0
[default.message]
presence = 0
"#;

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn the_same_seed_gives_the_same_messages_and_another_seed_others() {
    let zoo = zoo();
    let messages = |seed| Generator::invented(&zoo, seed).take(50).collect::<Vec<_>>();
    assert!(messages(1) == messages(1));
    assert!(messages(1) != messages(2));
}

#[test]
fn what_follows_skipped_messages_is_what_follows_made_ones() {
    // Nested messages only at the first level: the type is recursive.
    let rules = format!(
        "{FLAT}[default.any]\npresence = 0.5\n[default.integer]\nrange = [0, 50]\nstep = 2\n\
         [[field]]\npath = \"children\"\ncount = [0, 2]\n[[field]]\npath = \"relatives\"\ncount = [0, 2]\n\
         [[field]]\npath = \"parent\"\npresence = 0.5\n\
         [[field]]\npath = \"children.i\"\npattern = \"{{letter:3}}{{sequence:4}}\"\n\
         [[field]]\npath = \"i\"\nlength = [1, 40]\nstyle = \"text\"\n\
         [[field]]\npath = \"oi\"\ntimestamp = {{ start = 2018-03-05T05:00:00Z, step_ms = 10, jitter_ms = 9 }}\n\
         [[field]]\npath = \"name\"\nchoices = [\"a\", \"b\"]\n\
         [[field]]\npath = \"food\"\nweights = {{ name = 1, grams = 1 }}\n\
         [[field]]\npath = \"k\"\nweights = {{ COLOUR_RED = 3, COLOUR_BLUE = 1 }}\n"
    );
    for generator in [animals(&rules), Generator::invented(&zoo(), 5)] {
        let made: Vec<DynamicMessage> = generator.clone().take(60).collect();
        for skipped in [0, 1, 7, 58] {
            let mut generator = generator.clone();
            generator.skip_messages(skipped);
            let rest: Vec<DynamicMessage> = generator.take(60 - skipped as usize).collect();
            assert!(rest == made[skipped as usize..], "after {skipped}");
        }
    }
}

#[test]
fn rules_ask_for_a_size_where_reading_them_without_one_is_refused() {
    for (rules, sized) in [
        ("[[field]]\npath = \"i\"\nlength = \"size\"", true),
        ("[[field]]\npath = \"list\"\ncount = \"size / 100\"", true),
        ("[[profile]]\nname = \"a\"\nweight = 1\n[[profile.field]]\npath = \"i\"\nlength = \"size\"", true),
        ("[[field]]\npath = \"i\"\nchoices = [\"size\"]", false),
        ("# size\n[default.string]\nlength = 3", false),
    ] {
        let text = format!("seed = 1\nsamples = 1\n{rules}");
        let refused = matches!(
            Generator::from_toml(&text, "generator.toml", &zoo(), None),
            Err(GeneratorError::SizeMissing { .. })
        );
        assert_eq!((takes_size(&text), refused), (sized, sized), "{rules}");
    }
    assert!(!takes_size("length = \"size"));
}

#[test]
fn invented_messages_of_a_recursive_type_end_and_survive_protobuf() {
    let zoo = zoo();
    assert!(format!("{:?}", Generator::invented(&zoo, 5)).contains("samples: 100"));
    let mut set_fields = HashSet::new();
    for message in Generator::invented(&zoo, 5).take(300) {
        let bytes = message.encode_to_vec();
        assert!(bytes.len() < 1_000_000);
        // Not `assert_eq!`: the descriptors of recursive types can't be printed, because they never end.
        let decoded = DynamicMessage::decode(zoo.clone(), bytes.as_slice()).unwrap();
        assert!(decoded == message, "{}", hex(&bytes));
        set_fields.extend(message.fields().map(|(field, _)| field.number()));
    }
    assert_eq!(set_fields.len(), zoo.fields().len(), "some field was never generated");
}

#[test]
fn walks_stay_in_their_range_and_never_jump() {
    let rules = format!(
        "{FLAT}[[field]]\npath = \"a\"\nrange = [-5, 20]\nstep = 3\n[[field]]\npath = \"g\"\nrange = [0, 1]\nstep = 0.125\n"
    );
    let mut last: Option<(i32, f64)> = None;
    let mut seen = HashSet::new();
    for message in animals(&rules).take(2_000) {
        let (Value::I32(a), Value::F64(g)) = (field(&message, "a"), field(&message, "g")) else { panic!() };
        assert!((-5..=20).contains(&a) && (0.0..=1.0).contains(&g));
        if let Some((last_a, last_g)) = last {
            assert!((a - last_a).abs() <= 3 && (g - last_g).abs() <= 0.125);
        }
        last = Some((a, g));
        seen.insert(a);
    }
    assert_eq!(seen.len(), 26, "the walk does not reach its whole range");
}

#[test]
fn presence_and_zero_have_their_shares() {
    let rules = format!("{FLAT}[[field]]\npath = \"oa\"\npresence = 0.25\nzero = 0.5\nrange = [1, 9]\n");
    let messages: Vec<_> = animals(&rules).take(4_000).collect();
    let present: Vec<_> = messages.iter().filter(|message| message.has_field_by_name("oa")).collect();
    let zeros = present.iter().filter(|message| field(message, "oa") == Value::I32(0)).count();
    assert!((900..1_100).contains(&present.len()), "{}", present.len());
    assert!((430..570).contains(&zeros), "{zeros}");
}

#[test]
fn enums_and_oneofs_follow_their_weights() {
    let rules = format!(
        "{FLAT}[[field]]\npath = \"k\"\nweights = {{ COLOUR_RED = 3, COLOUR_BLUE = 1 }}\n\
         [[field]]\npath = \"food\"\npresence = 0.5\nweights = {{ name = 1 }}\n"
    );
    let messages: Vec<_> = animals(&rules).take(1_000).collect();
    let red = messages.iter().filter(|message| field(message, "k") == Value::EnumNumber(1)).count();
    let named = messages.iter().filter(|message| message.has_field_by_name("name")).count();
    assert!((700..800).contains(&red), "{red}");
    assert!((440..560).contains(&named), "{named}");
    assert!(messages.iter().all(|message| field(message, "k") != Value::EnumNumber(0)));
    assert!(messages.iter().all(|message| !message.has_field_by_name("grams")));
}

#[test]
fn lists_maps_strings_and_sequences_are_as_declared() {
    let rules = format!(
        "{FLAT}[[field]]\npath = \"list\"\ncount = 4\n[[field]]\npath = \"counts\"\ncount = [1, 2]\n\
         [[field]]\npath = \"counts.key\"\npattern = \"k{{digit:6}}\"\n[[field]]\npath = \"c\"\nsequence = 4_294_967_295\n\
         [[field]]\npath = \"i\"\ntimestamp = {{ start = 2018-12-31T23:59:50Z, step_ms = 10_000 }}\n\
         [[field]]\npath = \"j\"\nlength = [2, 3]\n"
    );
    let messages: Vec<_> = animals(&rules).take(2).collect();
    assert_eq!(field(&messages[0], "i"), Value::String("2018-12-31T23:59:50Z".to_owned()));
    assert_eq!(field(&messages[1], "i"), Value::String("2019-01-01T00:00:00Z".to_owned()));
    assert_eq!(field(&messages[0], "c"), Value::U32(u32::MAX));
    assert_eq!(field(&messages[1], "c"), Value::U32(0), "a sequence wraps within its type");
    assert_eq!(field(&messages[0], "list").as_list().unwrap().len(), 4);
    assert!((2..=3).contains(&field(&messages[0], "j").as_bytes().unwrap().len()));
    let counts = field(&messages[0], "counts");
    assert!(counts.as_map().unwrap().keys().all(|key| key.as_str().is_some_and(|key| key.len() == 7)));
}

#[test]
fn profiles_replace_rules_for_their_share_of_the_messages() {
    let rules = format!(
        "{FLAT}[[field]]\npath = \"a\"\nrange = [1, 1]\n[[profile]]\nname = \"one\"\nweight = 9\n\
         [[profile]]\nname = \"two\"\nweight = 1\n[[profile.field]]\npath = \"a\"\nrange = [2, 2]\n"
    );
    let twos = animals(&rules).take(2_000).filter(|message| field(message, "a") == Value::I32(2)).count();
    assert!((150..250).contains(&twos), "{twos}");
}

#[test]
fn small_counts_in_exactly_ten_bytes_and_wraps_within_its_width() {
    let small = message_in(&payload_file("small", "message.proto"), "Small");
    let generator =
        Generator::from_toml(&payload_file("small", "generator.toml"), "generator.toml", &small, None)
            .unwrap();
    let texts: Vec<String> =
        generator.take(1_001).map(|message| field(&message, "text").as_str().unwrap().to_owned()).collect();
    assert!(texts.iter().all(|text| text.len() == 10));
    assert_eq!([&texts[0], &texts[1]], ["message001", "message002"]);
    assert_eq!([&texts[998], &texts[999], &texts[1_000]], ["message999", "message000", "message001"]);
}

#[test]
fn opaque_payloads_have_exactly_their_size() {
    for (payload, name) in [("opaque", "Opaque"), ("opaque-text", "OpaqueText")] {
        let descriptor = message_in(&payload_file(payload, "message.proto"), name);
        let rules = payload_file(payload, "generator.toml");
        for size in [0, 1, 10, 1_280, 70_000] {
            let generator = Generator::from_toml(&rules, "generator.toml", &descriptor, Some(size)).unwrap();
            let values: Vec<Value> = generator.take(2).map(|message| field(&message, "data")).collect();
            for value in &values {
                let length = match value {
                    Value::Bytes(bytes) => bytes.len(),
                    Value::String(text) => text.is_ascii().then_some(text.len()).unwrap(),
                    _ => panic!("{value:?}"),
                };
                assert_eq!(length, size as usize);
            }
            assert!(size < 10 || values[0] != values[1], "two messages are the same");
        }
    }
}

/// proto3's JSON mapping has a text for each of these types, defined in google/protobuf/timestamp.proto, duration.proto and field_mask.proto.
#[test]
fn invented_values_of_well_known_types_are_some() {
    const PROTO: &str = r#"
syntax = "proto3";
import "wiredyno/options.proto";
message All { repeated At at = 1; repeated Took took = 2; repeated Mask mask = 3; }
message At { option (wiredyno.well_known) = "timestamp"; int64 seconds = 1; int32 nanos = 2; }
message Took { option (wiredyno.well_known) = "duration"; int64 seconds = 1; int32 nanos = 2; }
message Mask { option (wiredyno.well_known) = "field_mask"; option (wiredyno.stands_for_value) = true; repeated string paths = 1; }
"#;
    let definition = crate::Definition::from_source(PROTO, "message.proto").unwrap();
    let mut seen = HashSet::new();
    for message in Generator::invented(&definition.descriptor, 1).take(200) {
        let of = |name: &str| message.get_field_by_name(name).unwrap().as_list().unwrap().to_vec();
        let parts = |value: &Value| {
            let one = value.as_message().unwrap();
            let number = |name: &str| one.get_field_by_name(name).unwrap().into_owned();
            (number("seconds").as_i64().unwrap(), number("nanos").as_i32().unwrap())
        };
        for (seconds, nanos) in of("at").iter().map(parts) {
            assert!((-62_135_596_800..=253_402_300_799).contains(&seconds), "{seconds}");
            assert!((0..1_000_000_000).contains(&nanos), "{nanos}");
            seen.insert(seconds);
        }
        for (seconds, nanos) in of("took").iter().map(parts) {
            assert!(seconds.abs() <= 315_576_000_000 && nanos.abs() < 1_000_000_000, "{seconds} {nanos}");
            assert!(seconds == 0 || nanos == 0 || (seconds < 0) == (nanos < 0), "{seconds} {nanos}");
        }
        for mask in of("mask") {
            let paths = mask.as_message().unwrap().get_field_by_name("paths").unwrap().into_owned();
            let is_path = |path: &Value| {
                let text = path.as_str().unwrap();
                !text.is_empty() && text.chars().all(|c| c.is_ascii_lowercase())
            };
            assert!(paths.as_list().unwrap().iter().all(is_path), "{paths:?}");
        }
    }
    assert!(seen.len() > 100, "only {} times", seen.len());
}
