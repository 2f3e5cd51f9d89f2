//! Reports of runs in which several runners measured the same formats.

use crate::made_up;
use crate::made_up::studies::{in_two_languages, time};
use wiredyno_model::summary::Summary;
use wiredyno_report::{Format, render};

fn text(summary: &Summary) -> String {
    let text = render(summary, Format::Markdown).unwrap();
    let section = text.split("\n## ").find(|section| section.starts_with("What does the language change?"));
    section.unwrap_or_default().to_owned()
}

#[test]
fn the_language_decides_where_it_makes_the_larger_difference() {
    let text = text(&in_two_languages(2.0, 20.0));
    assert!(text.contains("**encode**: the language decides for every payload."), "{text}");
    assert!(text.contains("| 20.00 [19.74, 20.26] |") && text.contains("| the language |"), "{text}");
    assert!(text.contains("a call that does nothing takes 0.500 ns in rust and 25 ns in python"), "{text}");
}

#[test]
fn the_format_decides_where_languages_are_alike_whichever_is_faster() {
    for language in [1.5, 1.0 / 1.5] {
        let text = text(&in_two_languages(10.0, language));
        assert!(text.contains("**decode**: the format decides for every payload."), "{text}");
    }
}

#[test]
fn neither_decides_where_both_make_the_same_difference_and_nothing_is_claimed_without_interval() {
    let mut both = in_two_languages(4.0, 4.0);
    assert!(text(&both).contains("**read**: neither alone decides for every payload."), "{}", text(&both));
    for metric in both.codecs.iter_mut().flat_map(|codec| codec.metrics.values_mut()) {
        metric.by_repeat = made_up::by_repeat(metric.mean, 0.0, 4);
    }
    let text = text(&both);
    assert!(text.contains("no order is claimed") && text.contains("| no interval |"), "{text}");
}

#[test]
fn payloads_may_differ_in_what_decides() {
    let mut summary = in_two_languages(2.0, 20.0);
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
    let mut summary = in_two_languages(2.0, 20.0);
    summary.codecs_described.iter_mut().for_each(|codec| codec.runner = None);
    assert_eq!(text(&summary), "");
}

#[test]
fn messages_of_several_languages_are_said_to_be_cold_unless_they_are_warmed() {
    let is_said = |summary: &Summary| {
        let text = render(summary, Format::Markdown).unwrap();
        text.contains("Messages were sent by programs that had just started")
    };
    let mut summary = made_up::summary();
    assert!(!is_said(&summary), "all are in Rust");
    let first = summary.cells[0].axes.codec.clone();
    let described = summary.codecs_described.iter_mut().find(|codec| codec.id == first).unwrap();
    described.runner = Some("java".to_owned());
    assert!(is_said(&summary));
    summary.study.load.as_mut().unwrap().warmup = 20_000;
    assert!(!is_said(&summary));
}
