//! Sizes that studies printed, against ours. The mean sizes that the vehicle-to-cloud study printed for its telemetry (D. Persson Proos, Linkoping
//! University 2019), against those of `current-status` in the codecs of the same formats.

#![allow(clippy::unwrap_used, reason = "a failing set-up is a failing test")]

/// Codec and the study's mean over its 5,739 messages, in bytes.
const PUBLISHED: [(&str, f64); 3] =
    [("json/serde-json", 12_187.0), ("protobuf/prost", 1_157.0), ("flatbuffers/planus", 3_536.0)];

const SAMPLES: usize = 5_739;

#[test]
fn current_status_comes_within_ten_per_cent_of_the_studys_mean_sizes() {
    let payload = wiredyno_payloads::find(&"current-status".parse().unwrap()).unwrap();
    let samples: Vec<_> = payload.samples(None).unwrap().map(Result::unwrap).collect();
    assert_eq!(samples.len(), SAMPLES);
    for (codec, published) in PUBLISHED {
        let mut bound = payload.bind(&codec.parse().unwrap()).unwrap();
        bound.load(&mut samples.iter().cloned()).unwrap();
        let bytes: usize = (0..SAMPLES).map(|sample| bound.encoded_sample(sample).unwrap().len()).sum();
        let mean = bytes as f64 / SAMPLES as f64;
        println!("{codec}: {mean:.1} bytes, published {published}");
        assert!((mean / published - 1.0).abs() < 0.1, "{codec}: {mean:.1} bytes, published {published}");
    }
}

/// Codec and the Kafka study's sizes (T. Myastovskiy, Umea University 2024, table 2) at its three nominal sizes, in bytes.
const KAFKA: [(&str, [f64; 3]); 4] = [
    ("json/serde-json", [1_178.0, 5_954.0, 11_885.0]),
    ("messagepack/rmp-serde", [1_019.0, 5_261.0, 10_512.0]),
    ("avro/apache-avro", [239.0, 1_063.0, 2_093.0]),
    ("protobuf/prost", [181.0, 825.0, 1_630.0]),
];

#[test]
fn kafka_record_comes_within_ten_per_cent_of_the_studys_sizes() {
    let mut far = Vec::new();
    for (place, size) in [1_176, 4_696, 9_312].into_iter().enumerate() {
        let payload = wiredyno_payloads::find(&format!("kafka-record@{size}").parse().unwrap()).unwrap();
        for (codec, published) in KAFKA {
            let mut bound = payload.bind(&codec.parse().unwrap()).unwrap();
            let samples = bound.load(&mut payload.samples(None).unwrap().map(Result::unwrap)).unwrap();
            let bytes: usize = (0..samples).map(|sample| bound.encoded_sample(sample).unwrap().len()).sum();
            let (mean, published) = (bytes as f64 / samples as f64, published[place]);
            println!("{codec} @{size}: {mean:.1} bytes, published {published}");
            if (mean / published - 1.0).abs() >= 0.1 {
                far.push(format!("{codec} @{size}: {mean:.1} bytes, published {published}"));
            }
        }
    }
    assert!(far.is_empty(), "{far:#?}");
}

/// Mandatory-only CAM 41 bytes, DENM 40 with management alone and 43 with the situation (README.md of each payload).
#[test]
fn etsi_messages_have_their_published_sizes_in_unaligned_per() {
    for (name, bytes) in [("cam", 41), ("denm-management", 40), ("denm", 43)] {
        let payload = wiredyno_payloads::find(&name.parse().unwrap()).unwrap();
        for codec in ["asn1-uper/wiredyno", "asn1-uper/rasn"] {
            let mut bound = payload.bind(&codec.parse().unwrap()).unwrap();
            bound.load(&mut payload.samples(None).unwrap().map(Result::unwrap)).unwrap();
            let sizes = bound.encoded_sizes().unwrap();
            assert_eq!(
                (sizes.samples, sizes.min_bytes, sizes.max_bytes),
                (200, bytes, bytes),
                "{codec} {name}"
            );
        }
    }
}
