//! Bytes published by others.

#![allow(clippy::unwrap_used)]

/// The record of appendix A of Myastovskiy, "Evaluating the Performance of Serialization Protocols in Apache
/// Kafka" (Umea University, 2024), as its listings print the encodings.
const PERSON: &[(&str, &str)] = &[
    (
        "messagepack/rmp-serde",
        "84aa66697273745f6e616d65a5416c696365a96c6173745f6e616d65a8416e647265736f6ea36167651eac70686f6e655f6e756d626572ac3132332d3435362d37383930",
    ),
    ("protobuf/prost", "0a05416c6963651208416e647265736f6e181e220c3132332d3435362d37383930"),
    ("avro/apache-avro", "0a416c69636510416e647265736f6e3c183132332d3435362d37383930"),
];

#[test]
fn the_kafka_studys_person_has_the_published_bytes() {
    let payload = wiredyno_payloads::find(&"person".parse().unwrap()).unwrap();
    for (codec, expected) in PERSON {
        let mut bound = payload.bind(&codec.parse().unwrap()).unwrap();
        bound.load(&mut payload.samples(Some(1)).unwrap().map(Result::unwrap)).unwrap();
        assert_eq!(hex::encode(bound.encoded_sample(0).unwrap()), *expected, "{codec}");
    }
}

#[test]
fn json_is_what_people_write() {
    let payload = wiredyno_payloads::find(&"person".parse().unwrap()).unwrap();
    let mut bound = payload.bind(&"json/serde-json".parse().unwrap()).unwrap();
    bound.load(&mut payload.samples(None).unwrap().map(Result::unwrap)).unwrap();
    assert_eq!(
        std::str::from_utf8(bound.encoded_sample(0).unwrap()).unwrap(),
        r#"{"first_name":"Alice","last_name":"Andreson","age":30,"phone_number":"123-456-7890"}"#
    );
}

/// What docs/EXPRESSIVENESS.md says of old and new readers of ODVD, with the codec: there, readers go by the layout alone.
#[test]
fn netstrings_skip_fields_that_are_new_and_miss_those_that_are_gone() {
    let payload = wiredyno_payloads::find(&"person".parse().unwrap()).unwrap();
    let mut bound = payload.bind(&"netstrings/wiredyno".parse().unwrap()).unwrap();
    bound.load(&mut payload.samples(Some(1)).unwrap().map(Result::unwrap)).unwrap();
    let bytes = bound.encoded_sample(0).unwrap();
    let value = bound.decode_value(bytes).unwrap();
    // Magic, length, fields of id, size and value, a comma.
    let fields = &bytes[6..bytes.len() - 1];
    let message = |fields: &[u8]| {
        let length = u32::try_from(fields.len()).unwrap().to_be_bytes();
        [&[0xaa, 0xcf], length.as_slice(), fields, b","].concat()
    };
    assert_eq!(message(fields), bytes);
    let new = [99_u32.to_be_bytes(), 4_u32.to_be_bytes(), 7_u32.to_be_bytes()].concat();
    assert_eq!(bound.decode_value(&message(&[fields, &new].concat())).unwrap(), value);
    let first_bytes = 8 + u32::from_be_bytes(fields[4..8].try_into().unwrap()) as usize;
    let mut without_first = value;
    without_first.clear_field_by_name("first_name");
    assert_eq!(bound.decode_value(&message(&fields[first_bytes..])).unwrap(), without_first);
}
