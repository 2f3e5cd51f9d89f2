//! Confluent's own serializers and deserializers in Python, with their mock of a schema registry.

use wiredyno_schema::idl::Idl as _;
use wiredyno_schema::idl::avsc::Avsc;

use crate::stand;

/// Each framed codec with the one whose bytes are behind the framing.
const CODECS: &[(&str, &str)] = &[
    ("json/serde-json:confluent", "json/serde-json"),
    ("avro/apache-avro:confluent", "avro/apache-avro"),
    ("protobuf/prost:confluent", "protobuf/prost"),
];

/// What the script imports, beside Confluent's own.
const IMPORTS: &str = "from confluent_kafka.schema_registry import avro, json_schema, protobuf";

#[derive(serde::Serialize)]
struct Case<'a> {
    codec: &'a str,
    payload: &'a str,
    hex: String,
    body: String,
    json: String,
    avsc: &'a str,
    descriptor_set: &'a str,
    message: &'a str,
}

fn cases(lines: &mut Vec<String>) {
    for subject in stand::carrying("json/serde-json:confluent") {
        let values = stand::all_values(subject);
        let jsons = subject.encoded("json/serde-json", &values);
        let definition = subject.payload.definition();
        let avsc = Avsc.lower(definition).unwrap().text;
        let descriptor_set = hex::encode(&definition.descriptor_set);
        for (codec, plain) in
            CODECS.iter().filter(|(codec, _)| subject.carried().any(|known| known == *codec))
        {
            let bodies = subject.encoded(plain, &values);
            for ((bytes, body), json) in subject.encoded(codec, &values).iter().zip(&bodies).zip(&jsons) {
                let case = Case {
                    codec,
                    payload: &subject.payload.id().name,
                    hex: hex::encode(bytes),
                    body: hex::encode(body),
                    json: String::from_utf8(json.clone()).unwrap(),
                    avsc: &avsc,
                    descriptor_set: &descriptor_set,
                    message: definition.descriptor.full_name(),
                };
                lines.push(serde_json::to_string(&case).unwrap());
            }
        }
    }
}

fn confluents_deserializers_read_the_framed_messages() {
    let mut lines = Vec::new();
    cases(&mut lines);
    assert!(lines.len() > 100, "{} cases", lines.len());
    stand::reads_all("confluent.py", &lines);
}

pub fn tests() -> Vec<libtest_mimic::Trial> {
    let missing = match stand::runs(stand::python(), &["-c", IMPORTS]) {
        true => None,
        false => Some(
            "Python has no serializers of Confluent's: pip install 'confluent-kafka[avro,json,protobuf]'",
        ),
    };
    vec![stand::test(
        "confluents_deserializers_read_the_framed_messages",
        missing,
        confluents_deserializers_read_the_framed_messages,
    )]
}
