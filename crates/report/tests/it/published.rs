//! The pages "published and measured" of made-up runs of the bundled studies.

use crate::made_up;
use wiredyno_claims::{Published, Verdict, for_study, judge};
use wiredyno_contract::BrokerId;
use wiredyno_model::Study;
use wiredyno_model::summary::Summary;
use wiredyno_report::{Format, render};

/// The studies that are published, those of messages last.
const STUDIES: [&str; 6] = [
    "opendavinci-marshalling",
    "etsi-its",
    "scania-serialization",
    "scania-v2c",
    "kafka-serialization",
    "iot-protocols",
];

/// Which broker of these studies serves what.
fn serves(broker: &BrokerId, protocol: &str) -> bool {
    match broker.name.as_str() {
        "mosquitto" => protocol == "mqtt",
        "rabbitmq" => protocol == "amqp-0-9-1",
        "qpid" => protocol == "amqp-1-0",
        name => name == protocol,
    }
}

/// A run of a study, of codec trials over all payloads and codecs, and of messages in all its cells: bytes and times from their places.
fn run(study: &str) -> (Published, Summary) {
    let published = for_study(study).unwrap().unwrap();
    let mut summary = made_up::summary();
    let template = summary.codecs[0].clone();
    let path = format!("{}/../../studies/{study}.toml", env!("CARGO_MANIFEST_DIR"));
    let asked = Study::parse(&path, &std::fs::read_to_string(&path).unwrap()).unwrap();
    let cell_template = summary.cells[0].clone();
    summary.cells.clear();
    for (place, axes) in asked.cells(&serves).into_iter().enumerate() {
        let mut cell = cell_template.clone();
        cell.axes = axes;
        for name in published.metrics() {
            cell.metrics.insert(name.to_owned(), made_up::metric("ns", 1e6 + place as f64 * 1e3, 1e3, 5));
        }
        summary.cells.push(cell);
    }
    if !asked.axes.mode.is_empty() {
        summary.study = asked;
    }
    summary.study.name = study.to_owned();
    summary.codecs.clear();
    for (row, payload) in published.payloads().into_iter().enumerate() {
        for (place, codec) in published.codecs().into_iter().enumerate() {
            let mut codec_summary = template.clone();
            codec_summary.axes.payload = payload.clone();
            codec_summary.axes.codec = codec.clone();
            for (name, metric) in &mut codec_summary.metrics {
                metric.mean =
                    40.0 + 10.0 * place as f64 + row as f64 + if name == "body" { 0.0 } else { 100.0 };
                metric.by_repeat = made_up::by_repeat(metric.mean, if name == "body" { 0.0 } else { 0.5 }, 5);
            }
            let stack = codec_summary.metrics["encode_peak"].clone();
            for name in [
                "encode_fresh_peak",
                "encode_fresh_stack",
                "decode_stack",
                "resident_encode",
                "resident_decode",
            ] {
                codec_summary.metrics.insert(name.to_owned(), stack.clone());
            }
            summary.codecs.push(codec_summary);
        }
    }
    (published, summary)
}

#[test]
fn every_printed_number_stands_in_the_page_beside_ours() {
    for study in STUDIES {
        let (published, summary) = run(study);
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
        let (published, summary) = run(study);
        for (claim, judgement) in published.claim.iter().zip(judge(&published, &summary)) {
            let compared = judgement.verdict != Verdict::NotComparable;
            assert_eq!(compared, claim.not_comparable.is_none(), "{study} {}: {}", claim.id, judgement.why);
        }
    }
}

#[test]
fn averages_times_and_disputed_numbers_are_shown_as_what_they_are() {
    let (_, summary) = run("etsi-its");
    let text = render(&summary, Format::Markdown).unwrap();
    // ts-103-097 is the first codec; payloads 2 and 3: 0.9 * 42 + 0.1 * 43 bytes.
    assert!(text.contains("1 of 10 /s | 42.1 B |"), "{text}");
    assert!(text.contains("-9 bytes disputed"), "{text}");
    let (_, summary) = run("scania-serialization");
    let text = render(&summary, Format::Markdown).unwrap();
    let line = text.lines().find(|line| line.contains("| 1048 us |")).unwrap();
    // Published 1048 / 708; ours by the places of the codecs.
    assert!(line.contains("| 1.48 | 1.07 |"), "{line}");
    assert!(text.contains("Figure 4.3, 4.4, How the memory of the program is spread: Histograms"), "{text}");
}

#[test]
fn figures_are_drawn_into_the_page_with_printed_values_only_where_there_are() {
    let hollow = "fill:none;stroke:var(--ink)";
    let (_, summary) = run("scania-serialization");
    let page = render(&summary, Format::Html).unwrap();
    assert_eq!(page.matches(hollow).count(), 3 + 2 + 2, "sizes as printed, times as indices");
    let (_, summary) = run("etsi-its");
    let page = render(&summary, Format::Html).unwrap();
    assert!(page.contains("Figure 1 to 3: Time to encode") && !page.contains(hollow));
}

#[test]
fn other_studies_have_no_such_page() {
    let text = render(&made_up::summary(), Format::Markdown).unwrap();
    assert!(!text.contains("Published and measured"));
}
