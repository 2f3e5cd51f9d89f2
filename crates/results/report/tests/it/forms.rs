//! The forms of a report: terminal, Markdown, JSON, the page and paper.

use crate::made_up;
use crate::report::set_latency;
use wiredyno_model::summary::Summary;
use wiredyno_report::{Format, render, terminal};

/// Set `WIREDYNO_UPDATE_SNAPSHOTS` to rewrite the file, then review the difference.
#[test]
fn markdown_is_as_it_was() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/snapshots/report.md");
    let text = render(&made_up::summary(), Format::Markdown).unwrap();
    if std::env::var_os("WIREDYNO_UPDATE_SNAPSHOTS").is_some() {
        std::fs::write(path, &text).unwrap();
    }
    let before = std::fs::read_to_string(path).unwrap_or_default();
    let differs = before.lines().zip(text.lines()).position(|(before, now)| before != now);
    assert!(
        before == text,
        "the report differs from {path}, first in line {:?}: if that is meant, run with WIREDYNO_UPDATE_SNAPSHOTS=1",
        differs.map(|line| line + 1)
    );
}

#[test]
fn the_best_of_a_column_is_bold_unless_it_lost_messages() {
    let mut summary = made_up::summary();
    set_latency(&mut summary, "small protobuf/prost tcp lte loss 0%", 20.0, Some(0.4));
    set_latency(&mut summary, "small protobuf/prost udp lte loss 5%", 10.0, Some(0.4));
    let markdown = render(&summary, Format::Markdown).unwrap();
    let table = markdown.split("## What was measured for each combination?").nth(1).unwrap();
    let row = |start: &str| table.lines().find(|line| line.starts_with(start)).unwrap();
    assert!(row("| small | protobuf/prost | tcp | 0 %").contains("| **20.00 ms** [19.60, 20.40] |"));
    assert!(row("| small | json/serde-json | tcp | 0 %").contains("| 68.6 ms ["));
    assert!(row("| small | protobuf/prost | udp | 5 %").contains("| 10.00 ms ["), "it lost messages");
}

#[test]
fn a_panel_of_one_row_is_a_row_of_a_table() {
    let study = "name = \"one\"\nwhy = \"?\"\n[axes]\npayload = [\"small\", \"current-status\"]\ncodec = [\"protobuf/prost\"]\n\
                 mode = [\"mqtt:qos0\", \"tcp\"]\nlink = [\"lan\", \"lte\"]\nloss = [0.0, 0.01, 0.02, 0.03, 0.05]\n[load]\nkind = \"open\"\n\
                 interval = \"200ms\"\nmessages = 10\ndeadline = \"2s\"\ndrain = \"8s\"\n[trials]\nrepeats = 5\n";
    let rows = |html: &str| -> Vec<usize> {
        let tables = html.split("<table class=\"matrix\"").skip(1);
        tables.map(|table| table.split("</table>").next().unwrap().matches("scope=\"row\"").count()).collect()
    };
    let html = render(&made_up::summary_of(study), Format::Html).unwrap();
    let all = rows(&html);
    assert!(!all.is_empty() && all.iter().all(|rows| *rows == 20), "a table for all conditions: {all:?}");
    // The same for one mode.
    let one_mode = study
        .replace("[\"protobuf/prost\"]", "[\"protobuf/prost\", \"json/serde-json\"]")
        .replace("[\"mqtt:qos0\", \"tcp\"]", "[\"tcp\"]");
    let all = rows(&render(&made_up::summary_of(&one_mode), Format::Html).unwrap());
    assert!(!all.is_empty() && all.iter().all(|rows| *rows == 20), "{all:?}");
    for (name, summary) in made_up::studies::all() {
        let all = rows(&render(&summary, Format::Html).unwrap());
        assert!(!all.contains(&1), "{name}: {all:?}");
    }
}

#[test]
fn what_nobody_has_has_no_figure_and_no_section() {
    let all = made_up::studies::all();
    let of = |name: &str| {
        let (_, summary) = all.iter().find(|(known, _)| *known == name).unwrap();
        render(summary, Format::Html).unwrap()
    };
    let nothing = of("nothing-valid");
    assert_eq!(nothing.matches("<figure").count(), 0);
    assert!(!nothing.contains("id=\"latency\"") && nothing.contains("id=\"left-out\""));
    assert!(nothing.contains("Nothing was measured: what was left out, and why, is listed below."));
    assert!(!of("one-cell").contains("data-chart=\"scatter\""), "one alone is held against nothing");
}

#[test]
fn the_navigation_has_few_places_and_reaches_every_section() {
    for (name, summary) in made_up::studies::all() {
        let html = render(&summary, Format::Html).unwrap();
        let list =
            html.split("<nav aria-label=\"Sections\">").nth(1).unwrap().split("</nav>").next().unwrap();
        let menus = list.matches("<summary>").count();
        let in_menus: usize = list
            .split("<details")
            .skip(1)
            .map(|menu| menu.split("</details>").next().unwrap().matches("<a ").count())
            .sum();
        assert!(menus + list.matches("<a ").count() - in_menus <= 8, "{name}: {list}");
        for section in html.split("<section id=\"").skip(1) {
            let id = section.split('"').next().unwrap();
            assert!(list.contains(&format!("href=\"#{id}\"")), "{name}: {id} is not in {list}");
        }
    }
}

#[test]
fn paper_shows_the_first_rows_of_a_long_table_and_says_how_many_more_there_are() {
    let html = render(&made_up::summary(), Format::Html).unwrap();
    let results = html.split("id=\"results-table\"").nth(1).unwrap().split("</div>").next().unwrap();
    assert!(results.contains("data-printed=\"25\">19 more in the file</p>"), "44 rows");
    assert!(html.contains(":nth-child(n+26 of:not([hidden]))"), "the style sheet leaves out as many");
}

#[test]
fn a_heat_map_has_one_scale_for_all_conditions_and_no_winner_that_lost_messages() {
    let html = render(&made_up::summary(), Format::Html).unwrap();
    let maps: Vec<&str> = html.split("<figure class=\"chart heat-map\">").skip(1).collect();
    assert!(!maps.is_empty());
    for map in maps {
        let map = map.split("</figure>").next().unwrap();
        let matrices = map.matches("class=\"matrix\"").count();
        let winners: Vec<&str> =
            map.split("heat winner").skip(1).map(|rest| rest.split("</td>").next().unwrap()).collect();
        assert_eq!(winners.len(), matrices);
        assert!(
            winners.iter().all(|winner| winner.contains("best") && !winner.contains("lost some")),
            "{winners:?}"
        );
        assert_eq!(map.matches("--heat:1.000").count(), 1, "one is the hottest of all conditions: {map}");
    }
}

#[test]
fn a_run_without_any_result_still_has_a_report() {
    let mut summary = made_up::summary();
    summary.cells.clear();
    summary.codecs.clear();
    let text = render(&summary, Format::Markdown).unwrap();
    assert!(
        text.contains("## What was left out, and why?") && text.contains("Nothing was measured"),
        "{text}"
    );
}

#[test]
fn json_is_the_summary() {
    let summary = made_up::summary();
    let again: Summary = serde_json::from_str(&render(&summary, Format::Json).unwrap()).unwrap();
    assert_eq!(again, summary);
}

#[test]
fn html_loads_nothing_from_anywhere() {
    let html = render(&made_up::summary(), Format::Html).unwrap();
    assert!(html.contains("default-src 'none'"));
    for (place, _) in html.match_indices("://") {
        let start = html[..place].rfind(|c: char| !c.is_ascii_alphanumeric()).map_or(0, |found| found + 1);
        let end =
            html[place..].find(['"', '\'', '`', ' ', ')', '<']).map_or(html.len(), |found| place + found);
        let address = &html[start..end];
        assert!(address.starts_with("http://www.w3.org/"), "{address} is not a namespace");
    }
    for part in ["<link", "<img", "<iframe", "src=\"http", "@import", "url(http"] {
        assert!(!html.contains(part), "{part}");
    }
}

#[test]
fn hostile_text_stays_text() {
    let hostile = "</script><script>alert(1)</script><!--\" onmouseover='x' & | `*";
    let mut summary = made_up::summary();
    summary.study.name = hostile.into();
    summary.study.why = hostile.into();
    summary.study.analysis = Some(hostile.into());
    summary.run.id = hostile.into();
    summary.notes = vec![hostile.into()];
    summary.not_run[0].why = hostile.into();
    summary.environment.cpu = hostile.into();
    summary.cells[0].broker.as_mut().unwrap().label = hostile.into();
    let plain = render(&made_up::summary(), Format::Html).unwrap();
    let html = render(&summary, Format::Html).unwrap();
    assert!(!html.contains("<script>alert"));
    for part in ["<script", "</script", "<!--"] {
        assert_eq!(html.matches(part).count(), plain.matches(part).count(), "{part}");
    }
    let data = html.split("id=\"wiredyno-data\">").nth(1).unwrap().split("</script>").next().unwrap();
    assert!(data.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte)), "{data}");
    let markdown = render(&summary, Format::Markdown).unwrap();
    assert_eq!(markdown.matches("<script").count(), markdown.matches(r"\<script").count(), "{markdown}");
}

#[test]
fn the_terminal_summary_fits_a_hundred_columns() {
    let text = terminal(&made_up::summary(), 100);
    for line in text.lines() {
        assert!(line.chars().count() <= 100, "{line}");
    }
    assert!(text.contains("small, lte, 5 % loss"), "{text}");
    assert!(text.contains("codecs alone"), "{text}");
}
