//! What reports say where several runners measured the same formats.

use crate::made_up;
use wiredyno_contract::CodecId;
use wiredyno_model::summary::{Metric, Summary};
use wiredyno_report::{Format, render};

const PARTS: [&str; 5] = ["build", "encode", "decode", "read", "total"];

fn id(text: &str) -> CodecId {
    text.parse().unwrap()
}

fn time(mean: f64) -> Metric {
    made_up::metric("ns", mean, mean * 0.01, 5)
}

/// Codec trials in which each phase takes 100 ns in Rust's Protobuf, `format` times as much with JSON, and `language` times as
/// much in Python.
fn summary(format: f64, language: f64) -> Summary {
    let mut summary = made_up::summary();
    summary.cells.clear();
    summary.study.axes.mode.clear();
    let in_python = [("json/serde-json", "json/python-json"), ("protobuf/prost", "protobuf/upb-python")];
    for (rust, python) in in_python {
        let described = summary.codecs_described.iter().find(|codec| codec.id == id(rust)).unwrap();
        let mut described = described.clone();
        (described.id, described.runner) = (id(python), Some("python".to_owned()));
        summary.codecs_described.push(described);
        let mut codecs: Vec<_> =
            summary.codecs.iter().filter(|codec| codec.axes.codec == id(rust)).cloned().collect();
        codecs.iter_mut().for_each(|codec| codec.axes.codec = id(python));
        summary.codecs.extend(codecs);
        summary.study.axes.codec.push(id(python));
    }
    for codec in &mut summary.codecs {
        let is_python = codec.axes.codec.implementation.contains("python");
        let is_json = codec.axes.codec.format == "json";
        let factor = if is_python { language } else { 1.0 } * if is_json { format } else { 1.0 };
        codec.metrics.extend(PARTS.map(|part| (part.to_owned(), time(100.0 * factor))));
        codec.metrics.insert("empty".to_owned(), time(if is_python { 25.0 } else { 0.5 }));
    }
    summary
}

fn text(summary: &Summary) -> String {
    let text = render(summary, Format::Markdown).unwrap();
    let section = text.split("\n## ").find(|section| section.starts_with("Languages"));
    section.unwrap_or_default().to_owned()
}

#[test]
fn the_language_decides_where_it_makes_the_larger_difference() {
    let text = text(&summary(2.0, 20.0));
    assert!(text.contains("**encode**: the language decides for every payload."), "{text}");
    assert!(text.contains("| 20.00 [19.74, 20.26] |") && text.contains("| the language |"), "{text}");
    assert!(text.contains("a call that does nothing takes 0.500 ns in rust and 25 ns in python"), "{text}");
}

#[test]
fn the_format_decides_where_languages_are_alike_whichever_is_faster() {
    for language in [1.5, 1.0 / 1.5] {
        let text = text(&summary(10.0, language));
        assert!(text.contains("**decode**: the format decides for every payload."), "{text}");
    }
}

#[test]
fn neither_decides_where_both_make_the_same_difference_and_nothing_is_claimed_without_interval() {
    let mut both = summary(4.0, 4.0);
    assert!(text(&both).contains("**read**: neither alone decides for every payload."), "{}", text(&both));
    for metric in both.codecs.iter_mut().flat_map(|codec| codec.metrics.values_mut()) {
        metric.by_repeat = made_up::by_repeat(metric.mean, 0.0, 4);
    }
    let text = text(&both);
    assert!(text.contains("no order is claimed") && text.contains("| no interval |"), "{text}");
}

#[test]
fn payloads_may_differ_in_what_decides() {
    let mut summary = summary(2.0, 20.0);
    for codec in summary.codecs.iter_mut().filter(|codec| codec.axes.payload.name == "small") {
        let factor = if codec.axes.codec.format == "json" { 50.0 } else { 1.0 };
        codec.metrics.insert("encode".to_owned(), time(100.0 * factor));
    }
    let text = text(&summary);
    assert!(
        text.contains("**encode**: of 2 payloads, the language for 1 and the format for 1 decides."),
        "{text}"
    );
}

#[test]
fn a_study_of_one_language_says_nothing_of_languages() {
    assert_eq!(text(&made_up::summary()), "");
    let mut summary = summary(2.0, 20.0);
    summary.codecs_described.iter_mut().for_each(|codec| codec.runner = None);
    assert_eq!(text(&summary), "");
}
