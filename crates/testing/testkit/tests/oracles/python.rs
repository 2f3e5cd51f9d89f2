//! Python's msgpack, cbor2 and fastavro.

use wiredyno_schema::idl::Idl as _;
use wiredyno_schema::idl::avsc::Avsc;

use crate::stand;

const CODECS: &[&str] = &[
    "json/serde-json",
    "json/sonic-rs",
    "messagepack/rmp-serde",
    "cbor/ciborium",
    "avro/apache-avro",
    "avro/wiredyno",
];

#[derive(serde::Serialize)]
struct Case<'a> {
    codec: &'a str,
    payload: &'a str,
    hex: String,
    json: String,
    avsc: &'a str,
}

fn cases(lines: &mut Vec<String>) {
    for subject in stand::carrying("json/serde-json") {
        let values = stand::all_values(subject);
        let jsons = subject.encoded("json/serde-json", &values);
        let avsc = Avsc.lower(subject.payload.definition()).unwrap().text;
        for codec in CODECS.iter().filter(|codec| subject.carried().any(|known| known == **codec)) {
            for (bytes, json) in subject.encoded(codec, &values).iter().zip(&jsons) {
                let case = Case {
                    codec,
                    payload: &subject.payload.id().name,
                    hex: hex::encode(bytes),
                    json: String::from_utf8(json.clone()).unwrap(),
                    avsc: &avsc,
                };
                lines.push(serde_json::to_string(&case).unwrap());
            }
        }
    }
}

fn pythons_libraries_read_the_same_values() {
    let mut lines = Vec::new();
    cases(&mut lines);
    stand::reads_all("python.py", &lines);
}

pub fn tests() -> Vec<libtest_mimic::Trial> {
    let missing = match stand::runs(stand::python(), &["-c", "import msgpack, cbor2, fastavro"]) {
        true => None,
        false => Some("Python has no msgpack, cbor2 and fastavro: pip install msgpack cbor2 fastavro"),
    };
    vec![stand::test(
        "pythons_libraries_read_the_same_values",
        missing,
        pythons_libraries_read_the_same_values,
    )]
}
