//! Sizes printed in studies and standards, compared with ours.

use std::sync::LazyLock;

use wiredyno_contract::{Operation, Success};
use wiredyno_testkit::{Source, Subject, rust};

/// Composed once for all tests.
static SUBJECTS: LazyLock<Vec<Subject>> = LazyLock::new(|| {
    let robots = |id: &str| ROBOTS.iter().any(|(name, ..)| *name == id);
    let etsi = |id: &str| ETSI.iter().any(|(name, _)| *name == id);
    let kept = |id: &str| id == "current-status" || id.starts_with("kafka-record@") || robots(id) || etsi(id);
    rust::subjects(kept).unwrap()
});

/// Every runner over a payload.
fn over(payload: &str) -> impl Iterator<Item = &'static Subject> {
    SUBJECTS.iter().filter(move |subject| subject.payload.id().to_string() == payload)
}

/// The size of every sample of a payload in a codec.
fn sizes(subject: &Subject, codec: &str) -> Vec<u32> {
    let source = Source::own(&subject.payload, None).unwrap();
    loaded_sizes(subject, codec, &source)
}

fn loaded_sizes(subject: &Subject, codec: &str, source: &Source) -> Vec<u32> {
    let load = Operation::Load {
        payload: source.wire(),
        codec: codec.parse().unwrap(),
        compression: Default::default(),
        samples: None,
    };
    match subject.start().must(load) {
        Success::Loaded { body_bytes, .. } => body_bytes,
        other => panic!("{codec} over {}: {other:?}", subject.name()),
    }
}

fn mean(sizes: &[u32]) -> f64 {
    sizes.iter().map(|size| f64::from(*size)).sum::<f64>() / sizes.len() as f64
}

/// Codec and the vehicle-to-cloud study's mean over its 5,739 messages of telemetry, in bytes (D. Persson Proos, Linkoping
/// University 2019).
const PUBLISHED: [(&str, f64); 3] =
    [("json/serde-json", 12_187.0), ("protobuf/prost", 1_157.0), ("flatbuffers/planus", 3_536.0)];

#[test]
fn current_status_comes_within_ten_per_cent_of_the_studys_mean_sizes() {
    for subject in over("current-status") {
        let source = Source::own(&subject.payload, None).unwrap();
        for (codec, published) in PUBLISHED {
            let sizes = loaded_sizes(subject, codec, &source);
            assert_eq!(sizes.len(), 5_739);
            let mean = mean(&sizes);
            println!("{codec}: {mean:.1} bytes, published {published}");
            assert!((mean / published - 1.0).abs() < 0.1, "{codec}: {mean:.1} bytes, published {published}");
        }
    }
}

/// Codec and the Kafka study's sizes (T. Myastovskiy, Umea University 2024, table 2) at its three nominal sizes, in bytes.
const KAFKA: [(&str, [f64; 3]); 4] = [
    ("json/serde-json", [1_178.0, 5_954.0, 11_885.0]),
    ("messagepack/rmp-serde", [1_019.0, 5_261.0, 10_512.0]),
    ("avro/apache-avro", [239.0, 1_063.0, 2_093.0]),
    ("protobuf/prost", [181.0, 825.0, 1_630.0]),
];

const NOMINAL: [u32; 3] = [1_176, 4_696, 9_312];

#[test]
fn kafka_record_comes_within_ten_per_cent_of_the_studys_sizes() {
    let mut far = Vec::new();
    for (place, size) in NOMINAL.into_iter().enumerate() {
        for subject in over(&format!("kafka-record@{size}")) {
            for (codec, published) in KAFKA {
                let (mean, published) = (mean(&sizes(subject, codec)), published[place]);
                println!("{codec} @{size}: {mean:.1} bytes, published {published}");
                if (mean / published - 1.0).abs() >= 0.1 {
                    far.push(format!("{codec} @{size}: {mean:.1} bytes, published {published}"));
                }
            }
        }
    }
    assert!(far.is_empty(), "{far:#?}");
}

/// Mandatory-only CAM 41 bytes, DENM 40 with management alone and 43 with the situation (README.md of each payload).
const ETSI: [(&str, u32); 3] = [("cam", 41), ("denm-management", 40), ("denm", 43)];

#[test]
fn etsi_messages_have_their_published_sizes_in_unaligned_per() {
    for (name, bytes) in ETSI {
        for subject in over(name) {
            for codec in ["asn1-uper/wiredyno", "asn1-uper/rasn"] {
                assert_eq!(sizes(subject, codec), [bytes; 200], "{codec} {name}");
            }
        }
    }
}

/// Bytes that are published for messages of cars and robots, or follow from published layouts.
const ROBOTS: [(&str, &str, u32); 24] = [
    ("vehicle-data", "lcm/wiredyno", 112),
    ("vehicle-data", "ros1/wiredyno", 104),
    ("vehicle-control", "lcm/wiredyno", 35),
    ("vehicle-control", "ros1/wiredyno", 27),
    ("vehicle-control", "netstrings/wiredyno", 82),
    ("vehicle-control", "netstrings/wiredyno:crc", 82),
    ("vehicle-control", "netstrings/wiredyno:varint", 43),
    ("sensor-board-data", "lcm/wiredyno", 53),
    ("sensor-board-data", "ros1/wiredyno", 44),
    ("envelope-1-digest", "ts-103-097/wiredyno", 96),
    ("envelope-1-certificate", "ts-103-097/wiredyno", 222),
    ("envelope-2", "ts-103-097/wiredyno", 233),
    ("envelope-3", "ts-103-097/wiredyno", 230),
    // The study's header lengths: 8 of UDP and 4 of size; 9 and the channel's name before the hash.
    ("vehicle-control", "ros1/wiredyno:udp", 27 + 12),
    ("vehicle-control", "lcm/wiredyno:udp", 35 + 9 + "VehicleControl".len() as u32),
    // Its container behind the same headers: type, length and two times, and LCM's hash.
    ("vehicle-data", "ros1/wiredyno:container", 104 + 12 + 24),
    ("vehicle-control", "ros1/wiredyno:container", 27 + 12 + 24),
    ("vehicle-control", "ros1/wiredyno:container-alone", 27 + 12 + 24),
    ("sensor-board-data", "ros1/wiredyno:container", 44 + 12 + 24),
    ("vehicle-control", "lcm/wiredyno:hashing", 35),
    ("vehicle-data", "lcm/wiredyno:container", 112 + 9 + "VehicleData".len() as u32 + 8 + 24),
    ("vehicle-control", "lcm/wiredyno:container", 35 + 9 + "VehicleControl".len() as u32 + 8 + 24),
    // Each of its four fields has an id and a size, and times are messages of two fields.
    ("vehicle-control", "netstrings/wiredyno:container", 7 + 12 + (12 + 82) + 2 * (8 + 31)),
    ("vehicle-control", "netstrings/wiredyno:container-alone", 7 + 12 + (12 + 82) + 2 * (8 + 31)),
];

#[test]
fn messages_of_cars_and_robots_have_their_published_sizes() {
    for (name, codec, expected) in ROBOTS {
        for subject in over(name) {
            let sizes = sizes(subject, codec);
            assert!(sizes.iter().all(|size| *size == expected), "{codec} over {name}: {sizes:?}");
        }
    }
}
