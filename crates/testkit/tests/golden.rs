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
