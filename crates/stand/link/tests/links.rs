//! The bundled links: every file can be read, and its statements about itself are true.

use std::path::PathBuf;

use wiredyno_link::spec::{LinkSpec, RateSpec};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../links")
}

#[test]
fn every_bundled_link_is_read() {
    let mut count = 0;
    for entry in std::fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        let link = LinkSpec::read(&path).unwrap();
        assert!(!link.about.is_empty(), "{}", path.display());
        count += 1;
    }
    assert!(count >= 2);
}

#[test]
fn the_lte_trace_has_the_statistics_that_its_file_states() {
    let link = LinkSpec::read(&folder().join("lte.toml")).unwrap();
    let RateSpec::Trace { mut bits_per_s, .. } = link.up.rate else { panic!("no trace") };
    let mean = bits_per_s.iter().sum::<u64>() as f64 / bits_per_s.len() as f64;
    bits_per_s.sort_unstable();
    let at = |share: f64| bits_per_s[(bits_per_s.len() as f64 * share) as usize];
    let stated = format!(
        "mean is {:.2} Mbit/s, the median {:.2} Mbit/s, the 5th percentile {} kbit/s, the minimum {:.1} kbit/s",
        mean / 1e6,
        at(0.5) as f64 / 1e6,
        at(0.05) / 1000,
        bits_per_s[0] as f64 / 1e3
    );
    let source = link.source.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(source.contains(&stated), "the file should say: {stated}");
    assert_eq!(link.up.rate_floor.bits_per_s, 8_000);
}
