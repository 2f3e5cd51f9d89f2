//! The bundled published figures can be read, and state what the publications state.

use std::collections::BTreeSet;

use wiredyno_claims::{Claim, Published, bundled, for_study};

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
    // Statements, and with their parts.
    for (study, statements, claims) in [
        ("opendavinci-marshalling", 37, 45),
        ("etsi-its", 56, 87),
        ("scania-serialization", 23, 25),
        ("scania-v2c", 53, 79),
        ("iot-protocols", 42, 63),
        ("kafka-serialization", 88, 110),
    ] {
        let published = for_study(study).unwrap().unwrap();
        let of: BTreeSet<&str> = published.claim.iter().map(Claim::statement).collect();
        assert_eq!((of.len(), published.claim.len()), (statements, claims), "{study}");
    }
}

/// A verdict needs to know what the study measured and what must be equal.
#[test]
fn every_claim_says_what_its_quantity_is_and_uses_what_must_be_equal() {
    for (name, published) in all() {
        let mut used = BTreeSet::new();
        for claim in &published.claim {
            assert!(published.measure_of(claim).is_some(), "{name} {}", claim.id);
            used.extend(published.musts(claim));
        }
        for must in &published.must {
            assert!(used.contains(must.id.as_str()), "{name}: nothing needs `{}`", must.id);
        }
        for measure in &published.measure {
            let is_of = |claim: &Claim| claim.measure.as_deref() == Some(measure.id.as_str());
            assert!(published.claim.iter().any(is_of), "{name}: nothing is about `{}`", measure.id);
        }
    }
}

/// Words that restrict a claim are part of it: a share, a tie and a bound of a ratio or of likeness that no digit of the study states.
#[test]
fn every_bound_that_is_ours_says_which_words_it_stands_for() {
    for (name, published) in all() {
        for claim in &published.claim {
            let alike = claim.similar.is_some() || claim.constant.is_some() || claim.share.is_some();
            let ours = alike || claim.equal.as_ref().is_some_and(|equal| equal.within > 0.001);
            assert!(!ours || claim.hedge.is_some(), "{name} {}: its bound needs a `hedge`", claim.id);
        }
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
