//! The sections "published and measured" of made-up runs of the bundled studies.

use crate::made_up::{self, studies};
use wiredyno_claims::{Verdict, judge};
use wiredyno_report::{Format, render};

/// The bundled studies that repeat a publication, those of messages last.
const STUDIES: [&str; 6] = [
    "opendavinci-marshalling",
    "etsi-its",
    "scania-serialization",
    "scania-v2c",
    "kafka-serialization",
    "iot-protocols",
];

#[test]
fn every_printed_number_stands_in_the_page_beside_ours() {
    for study in STUDIES {
        let (published, summary) = studies::published(study);
        let text = render(&summary, Format::Markdown).unwrap();
        for table in &published.table {
            assert!(
                text.contains(&format!("**{}, {}.**", table.title, table.place).replace('_', "\\_")),
                "{}",
                table.title
            );
            for row in &table.row {
                for number in row.values.values() {
                    assert!(text.contains(&format!("| {number} {} ", table.unit)), "{study}: {number}");
                }
            }
        }
        for claim in &published.claim {
            assert!(text.contains(&format!("| {} | ", claim.id)), "{study}: {}", claim.id);
        }
        let odd = text.split(|c: char| !c.is_alphanumeric()).find(|word| ["NaN", "inf"].contains(word));
        assert_eq!(odd, None, "{study}");
    }
}

#[test]
fn all_claims_that_can_be_compared_are_when_everything_was_measured() {
    for study in STUDIES {
        let (published, summary) = studies::published(study);
        for (claim, judgement) in published.claim.iter().zip(judge(&published, &summary)) {
            let of = format!("{study} {}: {}", claim.id, judgement.why);
            assert_eq!(judgement.here.is_some(), claim.cannot_judge.is_none(), "{of}");
            assert_ne!(judgement.verdict, Verdict::NotMeasured, "{of}");
        }
    }
}

/// The first picture has every verdict with the number of its claims, and the table what the study measured.
#[test]
fn the_first_picture_counts_verdicts_and_rows_say_what_was_measured() {
    for study in STUDIES {
        let (published, summary) = studies::published(study);
        let text = render(&summary, Format::Markdown).unwrap();
        assert!(text.contains("Which library the verdicts are about"), "{study}");
        for judgement in judge(&published, &summary) {
            assert!(text.contains(judgement.verdict.words()), "{study} {}", judgement.id);
        }
        assert!(text.contains("held fixed: "), "{study}");
        for told in ["| confirmed |", "| refuted |", "| not comparable |"] {
            assert!(!text.contains(told), "{study}: {told}");
        }
    }
}

#[test]
fn averages_times_and_disputed_numbers_are_shown_as_what_they_are() {
    let (_, summary) = studies::published("etsi-its");
    let text = render(&summary, Format::Markdown).unwrap();
    // ts-103-097 is the first codec; payloads 2 and 3: 0.9 * 42 + 0.1 * 43 bytes.
    assert!(text.contains("1 of 10 /s | 42.1 B |"), "{text}");
    assert!(text.contains("-9 bytes disputed"), "{text}");
    let (_, summary) = studies::published("scania-serialization");
    let text = render(&summary, Format::Markdown).unwrap();
    let line = text.lines().find(|line| line.contains("| 1048 us |")).unwrap();
    // Published 1048 / 708; ours by the places of the codecs.
    assert!(line.contains("| 1.48 | 1.07 |"), "{line}");
    assert!(text.contains("Figure 4.3, 4.4, How the memory of the program is spread: Histograms"), "{text}");
}

#[test]
fn figures_are_drawn_into_the_page_with_printed_values_only_where_there_are() {
    let hollow = "fill:none;stroke:var(--ink)";
    let (_, summary) = studies::published("scania-serialization");
    let page = render(&summary, Format::Html).unwrap();
    assert_eq!(page.matches(hollow).count(), 3 + 2 + 2, "sizes as printed, times as indices");
    let (_, summary) = studies::published("etsi-its");
    let page = render(&summary, Format::Html).unwrap();
    assert!(page.contains("Figure 1 to 3: Time to encode") && !page.contains(hollow));
}

#[test]
fn other_studies_have_no_such_page() {
    let text = render(&made_up::summary(), Format::Markdown).unwrap();
    assert!(!text.contains("Do the published claims hold?"));
}
