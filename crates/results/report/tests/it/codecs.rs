//! What reports say about codecs: their tables, their choice, compression.

use crate::made_up;
use crate::report::behind_the_answer;
use wiredyno_contract::Missing;
use wiredyno_model::summary::{Metric, Summary};
use wiredyno_report::{Format, render, terminal};

#[test]
fn a_study_of_codecs_alone_has_no_sections_on_messages() {
    let mut summary = made_up::summary();
    summary.cells.clear();
    summary.study.axes.mode.clear();
    summary.study.axes.loss.clear();
    summary.study.load = None;
    let text = render(&summary, Format::Markdown).unwrap();
    assert!(
        text.contains("## What do codecs cost alone?") && !text.contains("## How long did messages take?"),
        "{text}"
    );
    assert!(render(&summary, Format::Html).unwrap().contains("data-chart=\"phases\""));
    assert!(behind_the_answer(&summary, 100).starts_with("codecs alone"));
}

#[test]
fn of_many_codecs_text_shows_the_best_few_and_where_the_rest_is() {
    let summary = made_up::many::summary();
    let markdown = render(&summary, Format::Markdown).unwrap();
    assert!(markdown.lines().count() <= 145, "{}", markdown.lines().count());
    assert!(markdown.contains("**45 codecs of 27 formats**"), "{markdown}");
    let rows = |payload: &str| {
        let row = format!("| {payload} | ");
        markdown.lines().filter(|line| line.starts_with(&row)).count()
    };
    assert_eq!((rows("person"), rows("laser-scan")), (3, 3), "{markdown}");
    let text = terminal(&summary, 100);
    assert!(text.lines().count() <= 40 && text.contains("report.html"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    let person = text.lines().find(|line| line.starts_with("  person ")).unwrap();
    assert!(person.contains("asn1-uper/rasn") && person.contains("21 B"), "{person}");
}

#[test]
fn codecs_stand_by_payload_family_and_format_with_columns_of_what_was_measured() {
    let mut summary = made_up::many::summary();
    let html = render(&summary, Format::Html).unwrap();
    let table = |html: &str, id: &str| {
        let start = html.find(&format!("<table id=\"{id}\"")).unwrap();
        html[start..].split("</table>").next().unwrap().to_owned()
    };
    let codecs = table(&html, "codec-table");
    let place = |text: &str| codecs.find(text).unwrap_or_else(|| panic!("{text} in\n{codecs}"));
    assert!(place(">json/serde-json<") < place(">bson/bson<"), "text first");
    assert!(place(">bson/bson<") < place(">avro/apache-avro<"), "then self-describing");
    assert!(place(">flatbuffers/planus<") < place(">asn1-uper/rasn<"), "then zero-copy, then telecom");
    assert!(!codecs.contains("heap to encode"));
    let sizes = table(&html, "size-table");
    assert_eq!(sizes.matches("<tr").count(), 1 + 44, "ts-103-097 was measured nowhere");
    assert!(sizes.contains("style=\"--heat:0.000\"") && sizes.contains("style=\"--heat:1.000\""));
    let peak = summary.codecs[0].metrics["body"].clone();
    summary.codecs[0].metrics.insert("encode_peak".into(), peak);
    assert!(table(&render(&summary, Format::Html).unwrap(), "codec-table").contains("heap to encode"));
}

#[test]
fn batches_that_waited_for_a_cpu_have_a_column_and_their_absence_a_reason() {
    let mut summary = made_up::summary();
    let column = |summary: &Summary| {
        let html = render(summary, Format::Html).unwrap();
        html.contains(">disturbed batches</th>")
    };
    assert!(!column(&summary));
    let template = summary.codecs[0].metrics["total"].clone();
    let disturbed = Metric { unit: "ratio".into(), mean: 0.2, ..template };
    summary.codecs[0].metrics.insert("disturbed_batches".into(), disturbed);
    assert!(column(&summary));
    let why = "the system has no CPU clock per thread, so whether batches waited for a CPU is unknown";
    for codec in &mut summary.codecs {
        codec.missing.push(Missing { what: "cpu".into(), why: why.into() });
    }
    let text = render(&summary, Format::Markdown).unwrap();
    assert!(text.contains(&format!("Codec trials without **cpu** (all codec trials): {why}.")), "{text}");
}

#[test]
fn a_compression_has_a_column_in_the_table_of_codecs_and_a_row_of_its_own_in_the_table_of_sizes() {
    let summary = made_up::many::compressed();
    let html = render(&summary, Format::Html).unwrap();
    let table = |id: &str| {
        let start = html.find(&format!("<table id=\"{id}\"")).unwrap();
        html[start..].split("</table>").next().unwrap().to_owned()
    };
    let codecs = table("codec-table");
    assert!(codecs.contains(">compression</th>") && codecs.contains(">compress</th>"), "{codecs}");
    assert_eq!(codecs.matches("<td>zstd:3</td>").count(), 257);
    let sizes = table("size-table");
    assert_eq!(sizes.matches("<tr").count(), 1 + 2 * 44);
    let place = |text: &str| sizes.find(text).unwrap_or_else(|| panic!("{text} in\n{sizes}"));
    assert!(place(">json/serde-json<") < place(">json/serde-json + zstd:3<"), "as the study has them");
    assert!(place(">json/serde-json + zstd:3<") < place(">json/sonic-rs<"), "beside its codec");
}

/// Four codecs of `cam`: bytes, and ns and bytes of each phase's time, heap and stack, all known to one in a thousand.
fn four_codecs(figures: [(&str, f64, f64, f64, f64); 4]) -> Summary {
    let mut summary = made_up::many::summary();
    summary.not_run.clear();
    summary.codecs.retain(|codec| {
        codec.axes.payload.name == "cam" && figures.iter().any(|f| codec.axes.codec.to_string() == f.0)
    });
    for codec in &mut summary.codecs {
        let id = codec.axes.codec.to_string();
        let (_, body, encode, decode, memory) = figures.into_iter().find(|f| f.0 == id).unwrap();
        let mut set = |name: &str, unit: &str, mean: f64| {
            let by_repeat = made_up::by_repeat(mean, mean / 1_000.0, 5);
            let template = codec.metrics["body"].clone();
            let unit = unit.to_owned();
            codec.metrics.insert(name.into(), Metric { unit, mean, by_repeat, ..template });
        };
        set("body", "bytes", body);
        for (phase, time) in [("build", 0.0), ("encode", encode), ("decode", decode), ("read", 0.0)] {
            set(phase, "ns", time);
            set(&format!("{phase}_peak"), "bytes", memory);
            set(&format!("{phase}_stack"), "bytes", 0.0);
        }
    }
    summary
}

#[test]
fn a_codec_is_worth_a_choice_unless_another_beats_it() {
    let choice = |figures| {
        let text = render(&four_codecs(figures), Format::Markdown).unwrap();
        text.lines().find(|line| line.starts_with("- **cam**")).unwrap().to_owned()
    };
    // json is behind uper at everything; cbor has the bytes of lcm and is behind it otherwise.
    let line = choice([
        ("asn1-uper/wiredyno", 40.0, 300.0, 400.0, 900.0),
        ("lcm/wiredyno", 120.0, 50.0, 100.0, 900.0),
        ("cbor/ciborium", 120.0, 900.0, 900.0, 2_000.0),
        ("json/serde-json", 400.0, 1_000.0, 1_500.0, 3_000.0),
    ]);
    assert_eq!(
        line,
        "- **cam**: 2 of 4 are worth considering; each of the others measured worse than one of these at something and \
         better at nothing. **asn1-uper/wiredyno**: fewest bytes (40 B) and least memory (900 B), but 6.0 times the best \
         time to encode. **lcm/wiredyno**: fastest to encode (50 ns), fastest to decode (100 ns) and least memory (900 B), \
         but 3.0 times the best bytes. Gives up least: **lcm/wiredyno**, nowhere more than 3.0 times the best (bytes)."
    );
    let line = choice([
        ("asn1-uper/wiredyno", 40.0, 50.0, 100.0, 900.0),
        ("lcm/wiredyno", 120.0, 50.0, 100.0, 900.0),
        ("cbor/ciborium", 120.0, 900.0, 900.0, 2_000.0),
        ("json/serde-json", 400.0, 1_000.0, 1_500.0, 3_000.0),
    ]);
    assert_eq!(line, "- **cam**: **asn1-uper/wiredyno**: none of 4 measured better at any of the four.");
}

/// 1 GB beside 0 B was reported as "1.00 times the best".
#[test]
fn what_the_best_needs_none_of_is_told_as_it_is() {
    let summary = four_codecs([
        ("asn1-uper/wiredyno", 40.0, 300.0, 400.0, 1e9),
        ("lcm/wiredyno", 120.0, 50.0, 100.0, 0.0),
        ("cbor/ciborium", 130.0, 900.0, 900.0, 2_000.0),
        ("json/serde-json", 400.0, 1_000.0, 1_500.0, 3_000.0),
    ]);
    let text = render(&summary, Format::Markdown).unwrap();
    let line = text.lines().find(|line| line.starts_with("- **cam**")).unwrap();
    assert!(line.contains("fewest bytes (40 B), but 1 GB of memory where the best needs none."), "{line}");
    assert!(line.contains("Gives up least: **lcm/wiredyno**"), "{line}");
}

#[test]
fn nothing_is_recommended_without_enough_trials_or_figures() {
    let mut summary = four_codecs([
        ("asn1-uper/wiredyno", 40.0, 300.0, 400.0, 900.0),
        ("lcm/wiredyno", 120.0, 50.0, 100.0, 900.0),
        ("cbor/ciborium", 130.0, 900.0, 900.0, 2_000.0),
        ("json/serde-json", 400.0, 1_000.0, 1_500.0, 3_000.0),
    ]);
    let first = summary.codecs.first_mut().unwrap();
    first.metrics.get_mut("encode").unwrap().by_repeat.pop_last();
    let gone = first.axes.codec.to_string();
    let text = render(&summary, Format::Markdown).unwrap();
    let line = text.lines().find(|line| line.starts_with("- **cam**")).unwrap();
    assert!(
        line.ends_with(&format!("Not compared, because trials or figures are missing: {gone}.")),
        "{line}"
    );
    for codec in &mut summary.codecs {
        codec.metrics.remove("read_stack");
    }
    let text = render(&summary, Format::Markdown).unwrap();
    assert!(text.contains("Nothing is recommended"), "{text}");
}
