//! The bundled published figures can be read, and state what the publications state.

use wiredyno_claims::{Published, bundled, for_study};

fn all() -> Vec<(&'static str, Published)> {
    bundled()
        .map(|(name, text)| (name, Published::parse(name, text).unwrap_or_else(|e| panic!("{e}"))))
        .collect()
}

#[test]
fn every_file_is_read_and_named_after_its_study() {
    let all = all();
    assert!(all.len() >= 6);
    for (name, published) in all {
        assert_eq!(name, format!("studies/published/{}.toml", published.study));
        assert_eq!(for_study(&published.study).unwrap().unwrap(), published);
        assert!(!published.claim.is_empty() && !published.table.is_empty() && !published.causes.is_empty());
    }
    assert!(for_study("demo").is_none());
}

#[test]
fn every_claim_of_the_five_studies_is_there() {
    for (study, claims) in [
        ("opendavinci-marshalling", 23),
        ("etsi-its", 37),
        ("scania-serialization", 12),
        ("scania-v2c", 31),
        ("kafka-serialization", 49),
        ("iot-protocols", 25),
    ] {
        assert_eq!(for_study(study).unwrap().unwrap().claim.len(), claims, "{study}");
    }
}

/// Lengths that the article prints, and the average that follows from them by its formula.
#[test]
fn the_lower_bounds_of_table_seven_follow_from_table_six() {
    let published = for_study("etsi-its").unwrap().unwrap();
    let number = |table: &str, message: &str, format: &str| {
        let table = published.table.iter().find(|t| t.id == table).unwrap();
        table.row.iter().find(|row| row.message == message).unwrap().number(format).unwrap()
    };
    let average = published.message("envelope-1-average").unwrap().average.as_ref().unwrap();
    let share = average.with_per_s / average.messages_per_s;
    for format in ["binary", "protobuf", "asn1-uper", "exi", "exi-merged"] {
        let without = number("length", "envelope-1-digest", format);
        let with = number("length", "envelope-1-certificate", format);
        let printed = number("average-length", "envelope-1-average", format);
        assert!((without * (1.0 - share) + with * share - printed).abs() < 0.051, "{format}");
    }
}
