//! Properties of single formats or payloads.

use std::collections::HashSet;

use libtest_mimic::Trial;
use wiredyno_payloads::bundled_names;
use wiredyno_schema::canonical_bytes;
use wiredyno_testkit::{Subject, payloads};

use crate::{over, samples, test};

/// A test with its name.
type Named = (&'static str, fn(&[Subject]));

pub fn tests(subjects: &'static [Subject]) -> Vec<Trial> {
    let all: [Named; 6] = [
        ("one_schema_gives_the_same_avro_in_every_library", one_schema_gives_the_same_avro_in_every_library),
        ("fields_of_netstrings_come_in_any_order", fields_of_netstrings_come_in_any_order),
        ("fields_by_name_come_once_and_in_any_order", fields_by_name_come_once_and_in_any_order),
        ("a_container_alone_has_the_bytes_of_the_other", a_container_alone_has_the_bytes_of_the_other),
        ("a_huge_count_of_empty_elements_ends_soon", a_huge_count_of_empty_elements_ends_soon),
        (
            "payloads_of_one_definition_keep_their_names_texts_and_samples",
            payloads_of_one_definition_keep_their_names_texts_and_samples,
        ),
    ];
    let all = all.into_iter().map(|(name, run)| test(name.to_owned(), move || run(subjects)));
    let names = bundled_names().chain(payloads::OWN);
    all.chain(names.map(|name| {
        let title = format!("samples_to_train_on_are_others_than_those_to_measure {name}");
        test(title, move || samples_to_train_on_are_others_than_those_to_measure(name))
    }))
    .collect()
}

/// The schema is the same, and Avro leaves open only the order of a map's entries, which are sorted here.
fn one_schema_gives_the_same_avro_in_every_library(subjects: &[Subject]) {
    for payload in ["kitchen-sink", "kitchen-flat", "person"] {
        let rust = over(subjects, payload, "avro/apache-avro").swap_remove(0);
        let samples = samples(rust);
        let expected = rust.encoded("avro/apache-avro", &samples);
        let has = |subject: &&Subject| subject.payload.id().name == payload;
        for subject in subjects.iter().filter(has) {
            for codec in subject.carried().filter(|codec| codec.starts_with("avro/")) {
                let mut encoded = subject.encoded(codec, &samples);
                if codec.ends_with(":confluent") {
                    for body in &mut encoded {
                        assert_eq!(
                            body.drain(..5).collect::<Vec<u8>>(),
                            [0, 0, 0, 0, 1],
                            "{codec} over {payload}"
                        );
                    }
                }
                assert_eq!(encoded, expected, "{codec} over {payload}");
            }
        }
    }
}

/// Messages of a fixed size are read sequentially, but their fields may still be in another order.
fn fields_of_netstrings_come_in_any_order(subjects: &[Subject]) {
    for codec in ["netstrings/wiredyno", "netstrings/wiredyno:crc"] {
        for subject in over(subjects, "vehicle-data", codec) {
            let mut loaded = subject.load(codec, &samples(subject)[..1]);
            let bytes = loaded.encode(0);
            // After magic, length and a message of three doubles come two doubles, each with id and size.
            let (head, rest) = bytes.split_at(6 + 8 + 55);
            let swapped = [head, &rest[16..32], &rest[..16], &rest[32..]].concat();
            assert_ne!(swapped, bytes);
            assert_eq!(loaded.decode(&swapped).unwrap(), loaded.decode(&bytes).unwrap());
        }
    }
}

/// Names come in any order, each once; unknown ones are skipped, missing ones refused.
fn fields_by_name_come_once_and_in_any_order(subjects: &[Subject]) {
    for codec in ["json/serde-json", "json/sonic-rs"] {
        for subject in over(subjects, "person", codec) {
            let mut loaded = subject.load(codec, &samples(subject));
            let mut decode = |text: &str| loaded.decode(text.as_bytes()).map_err(|error| error.to_string());
            let whole = r#"{"first_name":"a","last_name":"b","age":1,"phone_number":"c"}"#;
            let other = r#"{"age":1,"more":[{}],"phone_number":"c","last_name":"b","first_name":"a"}"#;
            assert_eq!(decode(other).unwrap(), decode(whole).unwrap());
            let twice = decode(&whole.replace("{", r#"{"age":2,"#)).unwrap_err();
            assert!(twice.contains("duplicate field `age`"), "{codec}: {twice}");
            let missing = decode(&whole.replace(r#""age":1,"#, "")).unwrap_err();
            assert!(missing.contains("missing field `age`"), "{codec}: {missing}");
        }
    }
}

/// Containers, those whose clocks see them alone, and where the data type's last byte is in a message whose name has six letters.
const CONTAINERS: [(&str, &[&str], usize); 4] = [
    ("netstrings/wiredyno:container", &["netstrings/wiredyno:container-alone"], 6 + 8 + 3),
    ("protobuf/prost:container", &["protobuf/prost:container-alone"], 6 + 1),
    (
        "lcm/wiredyno:container",
        &["lcm/wiredyno:container-alone", "lcm/wiredyno:container-alone-hashing"],
        9 + 6 + 8 + 3,
    ),
    ("ros1/wiredyno:container", &["ros1/wiredyno:container-alone"], 12),
];

/// They have the same bytes, take each other's, and refuse a container that holds something else.
fn a_container_alone_has_the_bytes_of_the_other(subjects: &[Subject]) {
    for (container, alone, data_type) in CONTAINERS {
        for subject in over(subjects, "person", container) {
            let bytes = subject.encoded(container, &samples(subject)).swap_remove(0);
            let mut another = bytes.clone();
            assert_eq!(another[data_type], 1, "{container}: {bytes:02x?}");
            another[data_type] = 2;
            let value = subject.load(container, &samples(subject)[..1]).decode(&bytes).unwrap();
            for codec in [&[container], alone].concat() {
                let mut loaded = subject.load(codec, &samples(subject)[..1]);
                assert_eq!(hex::encode(loaded.encode(0)), hex::encode(&bytes), "{codec}");
                assert_eq!(loaded.decode(&bytes).unwrap(), value, "{codec}");
                let refused = loaded.decode(&another).unwrap_err().to_string();
                assert!(refused.contains("has the data type 2, not 1"), "{codec}: {refused}");
            }
        }
    }
}

/// Elements without content take no bytes, so only the limit on the count stops a decoder.
fn a_huge_count_of_empty_elements_ends_soon(subjects: &[Subject]) {
    let codec = "avro/apache-avro";
    for subject in over(subjects, "kitchen-sink", codec) {
        let sample = payloads::samples(&subject.payload, usize::MAX).pop().unwrap();
        let mut loaded = subject.load(codec, &[sample]);
        let mut bytes = loaded.encode(0);
        assert!(bytes.ends_with(&[6, 0]), "three elements, then the end: {bytes:02x?}");
        bytes.truncate(bytes.len() - 2);
        // 2^40 elements, as a zigzag varint, then the end.
        bytes.extend_from_slice(&[0x80, 0x80, 0x80, 0x80, 0x80, 0x40, 0]);
        assert!(loaded.decode(&bytes).is_err());
    }
}

/// A codec, and payloads that share a runner because their definitions differ only in comments.
const SHARED: [(&str, &[&str]); 2] = [
    ("asn1-uper/wiredyno", &["denm", "denm-management"]),
    ("ts-103-097/wiredyno", &["envelope-1-certificate", "envelope-1-digest", "envelope-2", "envelope-3"]),
];

fn payloads_of_one_definition_keep_their_names_texts_and_samples(subjects: &[Subject]) {
    for (codec, names) in SHARED {
        let sharing: Vec<&Subject> =
            names.iter().map(|name| over(subjects, name, codec).swap_remove(0)).collect();
        let mut own = Vec::new();
        for (subject, name) in sharing.iter().zip(names) {
            let payload = &subject.payload;
            assert_eq!(payload.definition_digest(), sharing[0].payload.definition_digest(), "{name}");
            assert_eq!(subject.program, sharing[0].program, "{name} has a runner of its own");
            let mut loaded = subject.load(codec, &samples(subject)[..1]);
            own.push((payload.folder().definition().to_owned(), loaded.encode(0)));
            std::fs::remove_file(loaded.source.wire().samples).unwrap();
            let failure = loaded.load(None).unwrap_err();
            assert!(failure.error.contains("samples"), "{failure}");
        }
        own.sort();
        own.dedup_by(|one, other| one.0 == other.0 || one.1 == other.1);
        assert_eq!(own.len(), names.len(), "texts and samples are each payload's own");
    }
}

/// A dictionary must not be trained on measured samples, whichever part of them is loaded.
fn samples_to_train_on_are_others_than_those_to_measure(name: &str) {
    let sized = !payloads::OWN.contains(&name) && payloads::find(name).description().sized;
    let payload = payloads::find(&if sized { format!("{name}@1024") } else { name.to_owned() });
    if payload.can_train().is_err() {
        return;
    }
    let deal = |limit| {
        let (measured, training) = payload.samples_apart(limit, 50).unwrap();
        let bytes = |value: Result<_, _>| canonical_bytes(&Result::unwrap(value));
        (measured.map(bytes).collect::<Vec<_>>(), training.map(bytes).collect::<Vec<_>>())
    };
    let (measured, training) = deal(None);
    let known: HashSet<&Vec<u8>> = measured.iter().collect();
    assert!(!training.iter().any(|sample| known.contains(sample)), "{name}");
    assert_eq!(deal(Some(1)), (measured[..1].to_vec(), training), "{name}");
}
