//! Answers on their own, for a page: they begin as a report does, and conclude as the terminal does.

use wiredyno_answers::compare::{self, Wanted};
use wiredyno_answers::recommend::{Need, Weight, recommend};
use wiredyno_model::Selection;
use wiredyno_model::summary::Summary;
use wiredyno_report::{comparison, comparison_on_page, recommendation, recommendation_on_page};

use crate::answered::{messages, noise};

const STUDY: &str = r#"
name = "made-up"
why = "?"
[axes]
payload = ["small"]
codec = ["json/serde-json", "protobuf/prost"]
mode = ["mqtt:qos0"]
link = ["lan"]
[load]
kind = "open"
interval = "20ms"
messages = 100
deadline = "1s"
drain = "1s"
[trials]
repeats = 8
"#;

/// A run with this latency; a share of its messages is lost.
fn run(id: &str, latency_ms: f64, lost: f64) -> Summary {
    let mut run = messages(STUDY, |cell, repeat| {
        let json = cell.codec.format == "json";
        let factor = if json { 2.0 } else { 1.0 };
        let name = format!("{id} {cell}");
        vec![
            ("latency", latency_ms * 1e6 * factor * noise(&name, repeat)),
            ("wire_per_message", 200.0 * factor),
            ("lost", lost),
        ]
    });
    run.run.id = id.to_owned();
    run
}

fn place(text: &str, of: &str) -> usize {
    text.find(of).unwrap_or_else(|| panic!("no {of:?} in {text}"))
}

#[test]
fn a_comparison_begins_with_its_conclusion_then_losses_then_absolute_figures_of_both_runs() {
    let (base, new) = (run("before", 10.0, 0.0), run("after", 30.0, 0.05));
    let found = compare::runs(&base, &new, &Wanted::default());
    let page = comparison_on_page(&base, &new, &found);
    let conclusion = comparison(&found).conclusion.to_html();
    assert!(page.starts_with(&format!("<div class=\"answer\">\n<p>{conclusion}</p>")), "{page}");
    let [badge, bars, lost, latency, table] =
        ["class=\"badge", "class=\"bars\"", ">lost</th>", ">mean latency</th>", "<div class=\"table\""]
            .map(|part| place(&page, part));
    assert!(badge < bars && bars < lost && lost < latency && latency < table, "{page}");
    for figure in [
        "<strong>14.1 ms</strong>",
        "<strong>42.4 ms</strong>",
        "<strong>5 %</strong>",
        "0 of 1,600 \u{2192} 80 of 1,600",
    ] {
        place(&page, figure);
    }
    // The latency of those that arrived is marked where others did not.
    assert_eq!(page.matches("of those that arrived</small>").count(), 1, "{page}");
}

#[test]
fn a_comparison_without_figures_says_why_and_draws_nothing() {
    let base = run("before", 10.0, 0.0);
    let mut new = run("after", 10.0, 0.0);
    new.cells.iter_mut().for_each(|cell| {
        cell.valid_trials = 0;
        cell.metrics.clear();
    });
    let found = compare::runs(&base, &new, &Wanted::default());
    let page = comparison_on_page(&base, &new, &found);
    assert!(page.contains("<strong>Can&#39;t tell</strong>") && !page.contains("class=\"bars\""), "{page}");
}

#[test]
fn a_recommendation_has_the_absolute_figures_of_its_candidates_and_of_what_is_weighed() {
    let run = run("only", 10.0, 0.0);
    let needs = Need::with_default(Vec::new(), true).unwrap();
    let weights = Weight::parse("bytes=1,time=1", true).unwrap();
    let found = recommend(&run, &Selection::default(), &needs, &weights).unwrap();
    let page = recommendation_on_page(&run, &Selection::default(), &weights, &found);
    assert!(page.contains(&recommendation(&found).conclusion.to_html()), "{page}");
    for heading in ["bytes on the wire a message", "mean latency", "delivered"] {
        place(&page, &format!("<th scope=\"col\">{heading}</th>"));
    }
    assert!(page.contains("<strong>200 B</strong>") && page.contains("<strong>400 B</strong>"), "{page}");
}
