//! The mean sizes that the vehicle-to-cloud study printed for its telemetry (D. Persson Proos, Linkoping
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
