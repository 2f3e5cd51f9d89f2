//! Recomputes what payloads/current-status promises about its 5,739 samples.

use prost_reflect::prost::Message;
use xxhash_rust::xxh3::Xxh3;

use super::definitions::{message_in, payload_file};
use super::json::json;
use crate::generator::Generator;

/// Samples and mean sizes published by the study of vehicle-to-cloud traffic.
const SAMPLES: usize = 5_739;
const JSON_MEAN_BYTES: f64 = 12_187.0;
const PROTOBUF_MEAN_BYTES: f64 = 1_157.0;

struct Sizes {
    json_bytes: Vec<usize>,
    protobuf_bytes: Vec<usize>,
    digest: u64,
}

fn sizes() -> Sizes {
    let descriptor = message_in(&payload_file("current-status", "message.proto"), "CurrentStatus");
    let rules = payload_file("current-status", "generator.toml");
    let generator = Generator::from_toml(&rules, "generator.toml", &descriptor, None).unwrap();
    assert_eq!(generator.samples() as usize, SAMPLES);
    let mut sizes = Sizes { json_bytes: Vec::new(), protobuf_bytes: Vec::new(), digest: 0 };
    let mut digest = Xxh3::new();
    for message in generator.take(SAMPLES) {
        let text = json(&message);
        digest.update(text.as_bytes());
        sizes.json_bytes.push(text.len());
        sizes.protobuf_bytes.push(message.encoded_len());
    }
    sizes.digest = digest.digest();
    sizes
}

fn mean(sizes: &[usize]) -> f64 {
    sizes.iter().sum::<usize>() as f64 / sizes.len() as f64
}

/// Counts in 24 equal bins from 0.82 to 1.24 of the mean, smoothed by the mean of each bin and its two neighbours.
fn histogram(sizes: &[usize]) -> Vec<f64> {
    let mean = mean(sizes);
    let mut bins = [0.0f64; 24];
    for size in sizes {
        let place = (*size as f64 / mean - 0.82) / 0.42 * 24.0;
        if (0.0..24.0).contains(&place) {
            bins[place as usize] += 1.0;
        }
    }
    let around = |at: usize| &bins[at.saturating_sub(1)..(at + 2).min(bins.len())];
    (0..bins.len()).map(|at| around(at).iter().sum::<f64>() / around(at).len() as f64).collect()
}

/// Bins higher than all within three bins to either side, and higher than a tenth of the highest.
fn peaks(histogram: &[f64]) -> Vec<usize> {
    let highest = histogram.iter().copied().fold(0.0, f64::max);
    let is_peak = |at: usize| {
        let near = at.saturating_sub(3)..(at + 4).min(histogram.len());
        histogram[at] > highest / 10.0
            && near.into_iter().all(|other| other == at || histogram[other] < histogram[at])
    };
    (0..histogram.len()).filter(|at| is_peak(*at)).collect()
}

/// Asserts two peaks, the left higher, the dip between them at least a tenth lower than the right one; apart from these, a
/// few outliers of less than two fifths of the mean, and nothing between.
fn assert_shape(name: &str, sizes: &[usize]) {
    let histogram = histogram(sizes);
    let peaks = peaks(&histogram);
    let [left, right] = peaks[..] else { panic!("{name} has peaks at {peaks:?} of {histogram:?}") };
    let dip = histogram[left..=right].iter().copied().fold(f64::MAX, f64::min);
    assert!(histogram[left] > histogram[right], "{name}: the left peak is not the higher one");
    assert!(dip < 0.9 * histogram[right], "{name}: the peaks are not apart: {histogram:?}");
    let below = |share: f64| sizes.iter().filter(|size| (**size as f64) < share * mean(sizes)).count();
    assert!(
        (0.002..0.02).contains(&(below(0.4) as f64 / sizes.len() as f64)),
        "{name}: {} outliers",
        below(0.4)
    );
    assert_eq!(below(0.4), below(0.7), "{name}: something lies between the outliers and the peaks");
}

#[test]
fn sizes_have_the_means_and_the_shape_of_the_study() {
    let sizes = sizes();
    for (name, sizes, published) in [
        ("json", &sizes.json_bytes, JSON_MEAN_BYTES),
        ("protobuf", &sizes.protobuf_bytes, PROTOBUF_MEAN_BYTES),
    ] {
        let ratio = mean(sizes) / published;
        assert!((0.9..1.1).contains(&ratio), "{name}: {} bytes, published {published}", mean(sizes));
        assert_shape(name, sizes);
    }
    // The stream itself is part of the promise: another machine or version must give the same samples.
    assert_eq!(sizes.digest, 0x35c2_a36c_1a10_b60d, "the samples changed: {:#018x}", sizes.digest);
}

#[test]
fn the_sequence_starts_at_a_thousand_million_and_counts() {
    let descriptor = message_in(&payload_file("current-status", "message.proto"), "CurrentStatus");
    let rules = payload_file("current-status", "generator.toml");
    let generator = Generator::from_toml(&rules, "generator.toml", &descriptor, None).unwrap();
    let numbers: Vec<_> = generator
        .take(3)
        .map(|message| message.get_field_by_name("sequence").unwrap().as_u32().unwrap())
        .collect();
    assert_eq!(numbers, [1_000_000_000, 1_000_000_001, 1_000_000_002]);
}
