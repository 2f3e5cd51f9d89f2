//! Bytes published by others, checked with every runner that has a codec of the format.

use std::sync::LazyLock;

use wiredyno_testkit::{Subject, payloads, rust};

/// The record of appendix A of Myastovskiy, "Evaluating the Performance of Serialization Protocols in Apache
/// Kafka" (Umea University, 2024), as its listings print the encodings, by format.
const PERSON: &[(&str, &str)] = &[
    (
        "messagepack",
        "84aa66697273745f6e616d65a5416c696365a96c6173745f6e616d65a8416e647265736f6ea36167651eac70686f6e655f6e756d626572ac3132332d3435362d37383930",
    ),
    ("protobuf", "0a05416c6963651208416e647265736f6e181e220c3132332d3435362d37383930"),
    ("avro", "0a416c69636510416e647265736f6e3c183132332d3435362d37383930"),
    // Compact JSON; the listing has line breaks.
    (
        "json",
        "7b2266697273745f6e616d65223a22416c696365222c226c6173745f6e616d65223a22416e647265736f6e222c22616765223a33302c2270686f6e655f6e756d626572223a223132332d3435362d37383930227d",
    ),
];

/// Composed once for all tests.
fn person() -> &'static [Subject] {
    static PERSON: LazyLock<Vec<Subject>> = LazyLock::new(|| rust::subjects(|id| id == "person").unwrap());
    &PERSON
}

/// Variants of a format write other bytes, for which none are published.
#[test]
fn the_kafka_studys_person_has_the_published_bytes() {
    for subject in person() {
        for (format, expected) in PERSON {
            // nlohmann's objects are sorted by name.
            let is_sorted = |codec: &str| codec == "json/nlohmann";
            let plain = |codec: &&str| {
                codec.split('/').next() == Some(format) && !codec.contains(':') && !is_sorted(codec)
            };
            let codecs: Vec<&str> = subject.carried().filter(plain).collect();
            assert!(!codecs.is_empty(), "{} has no {format}", subject.name());
            for codec in codecs {
                let mut loaded = subject.load(codec, &payloads::samples(&subject.payload, 1));
                assert_eq!(hex::encode(loaded.encode(0)), *expected, "{codec}");
            }
        }
    }
}

#[test]
fn json_is_what_people_write() {
    for subject in person() {
        let mut loaded = subject.load("json/serde-json", &payloads::samples(&subject.payload, 1));
        assert_eq!(
            std::str::from_utf8(&loaded.encode(0)).unwrap(),
            r#"{"first_name":"Alice","last_name":"Andreson","age":30,"phone_number":"123-456-7890"}"#
        );
    }
}

/// The claims of docs/EXPRESSIVENESS.md about old and new readers of ODVD, with the codec: there, readers go only by the layout.
#[test]
fn netstrings_skip_fields_that_are_new_and_miss_those_that_are_gone() {
    for subject in person() {
        let mut loaded = subject.load("netstrings/wiredyno", &payloads::samples(&subject.payload, 1));
        let bytes = loaded.encode(0);
        let value = loaded.decode(&bytes).unwrap();
        // Magic, length, fields of id, size and value, a comma.
        let fields = &bytes[6..bytes.len() - 1];
        let message = |fields: &[u8]| {
            let length = u32::try_from(fields.len()).unwrap().to_be_bytes();
            [&[0xaa, 0xcf], length.as_slice(), fields, b","].concat()
        };
        assert_eq!(message(fields), bytes);
        let new = [99_u32.to_be_bytes(), 4_u32.to_be_bytes(), 7_u32.to_be_bytes()].concat();
        assert_eq!(loaded.decode(&message(&[fields, &new].concat())).unwrap(), value);
        let first_bytes = 8 + u32::from_be_bytes(fields[4..8].try_into().unwrap()) as usize;
        let mut without_first = value;
        without_first.clear_field_by_name("first_name");
        assert_eq!(loaded.decode(&message(&fields[first_bytes..])).unwrap(), without_first);
    }
}
