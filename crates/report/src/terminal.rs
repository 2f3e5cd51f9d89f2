//! The report in a terminal: one table per condition, a table of codecs, what to know. Fits 100 columns.

use wiredyno_answers::effects::{self as answers, by_question};
use wiredyno_model::summary::{CellSummary, CodecSummary, Effect, Metric, Summary};

use crate::caution::cautions;
use crate::document::Block;
use crate::finding::{Condition, lost_with_interval};
use crate::table::Value;
use crate::{choice, codecs, quantity, tables};

const WIDTH: usize = 100;

/// Reasons of what is left out that are told; the others are counted.
const REASONS: usize = 6;

/// Lines of comparisons; the comparisons that do not fit are counted.
const COMPARISONS: usize = 40;

/// The same where the codecs are many: the whole text fits a screen.
const COMPARISONS_OF_MANY: usize = 14;

/// Codecs worth a choice that are named; the others are counted.
const NAMES: usize = 6;

/// Columns of a text table: heading and whether it holds numbers, which stand to the right.
type Heading<'a> = (&'a str, bool);

const CELL_HEADINGS: [Heading<'static>; 7] = [
    ("codec", false),
    ("mode", false),
    ("mean latency [95 %]", true),
    ("median", true),
    ("lost [95 %]", true),
    ("body", true),
    ("on wire", true),
];

/// Columns of cells that are left out where the lines would get too long, first the first.
const LEFT_OUT_FIRST: [&str; 2] = ["median", "body"];

const CODEC_HEADINGS: [Heading<'static>; 8] = [
    ("payload", false),
    ("codec", false),
    ("body", true),
    ("build", true),
    ("encode", true),
    ("decode", true),
    ("read", true),
    ("total", true),
];

/// Renders a summary.
pub fn render(summary: &Summary) -> String {
    let mut out = String::new();
    for condition in Condition::all(summary) {
        out += &format!("{}\n", condition.name());
        let rows: Vec<Vec<String>> = condition.cells(summary).map(cell_row).collect();
        out += &fitting(&CELL_HEADINGS, &rows);
        out.push('\n');
    }
    if !summary.codecs.is_empty() {
        out += &if codecs::many(summary) { best_few(summary) } else { all_codecs(summary) };
        out += &worth_a_choice(summary);
        out.push('\n');
    }
    for caution in cautions(summary) {
        out += &wrap(&format!("- {}", caution.to_plain()));
    }
    let left_out = left_out(summary);
    if !left_out.is_empty() {
        out += "\nLeft out\n";
    }
    let untold = left_out.len().saturating_sub(REASONS);
    for (reason, whats) in left_out.into_iter().take(REASONS) {
        let more = if whats.len() > 1 { format!(" and {} more", whats.len() - 1) } else { String::new() };
        out += &wrap(&format!("- {}{more}: {reason}", whats[0]));
    }
    if untold > 0 {
        out += &format!("- {untold} more reasons: see report.html\n");
    }
    let room = if codecs::many(summary) { COMPARISONS_OF_MANY } else { COMPARISONS };
    out + &effects(&wiredyno_answers::effects(summary), room)
}

/// What each choice does, last, because it is the answer: whole comparisons while they fit `room` lines.
/// The first one is always told, of its payloads as many as fit.
fn effects(effects: &[Effect], room: usize) -> String {
    let groups = by_question(effects);
    let (mut out, mut told) = (String::new(), 0);
    for group in &groups {
        let mut lines = format!("\n{}\n", answers::question(group[0]));
        let payloads = answers::payloads(group);
        for (place, payload) in payloads.iter().enumerate() {
            let name = if payloads.len() > 1 { format!("{payload}: ") } else { String::new() };
            let clauses = wrap(&format!("  {name}{}", answers::clauses(group, payload).join("; ")));
            if told == 0 && place > 0 && lines.lines().count() + clauses.lines().count() >= room {
                lines += &format!("  {} more payloads: see report.html\n", payloads.len() - place);
                break;
            }
            lines += &clauses;
        }
        if told > 0 && out.lines().count() + lines.lines().count() > room {
            break;
        }
        out += &lines;
        told += 1;
    }
    match groups.len() - told {
        0 => out,
        more => out + &format!("\n{more} more comparisons: see report.html\n"),
    }
}

/// A list or a table of an answer, for a terminal.
pub fn block(block: &Block) -> String {
    match block {
        Block::List(sentences) => {
            sentences.iter().map(|sentence| wrap(&format!("- {}", sentence.to_plain()))).collect()
        }
        Block::Table(content) => {
            let headings: Vec<Heading> =
                content.columns.iter().map(|column| (column.title.as_str(), column.numeric)).collect();
            let text = |value: &Value| match &value.detail {
                Some(detail) => format!("{} {detail}", value.text),
                None => value.text.clone(),
            };
            let rows: Vec<Vec<String>> =
                content.rows.iter().map(|row| row.values.iter().map(text).collect()).collect();
            let caption = content.caption.to_plain();
            let caption = if caption.is_empty() { caption } else { wrap(&caption) };
            format!("{caption}{}", table(&headings, &rows))
        }
        _ => String::new(),
    }
}

fn all_codecs(summary: &Summary) -> String {
    let rows: Vec<Vec<String>> = summary.codecs.iter().map(codec_row).collect();
    format!("codecs alone, time of one message\n{}", table(&CODEC_HEADINGS, &rows))
}

fn best_few(summary: &Summary) -> String {
    let best = codecs::best_few(summary);
    let headings: Vec<Heading> =
        best.columns.iter().map(|column| (column.title.as_str(), column.numeric)).collect();
    let shown = |value: &Value| if value.repeats { String::new() } else { value.text.clone() };
    let rows: Vec<Vec<String>> = best.rows.iter().map(|row| row.values.iter().map(shown).collect()).collect();
    format!(
        "codecs alone, bytes and time of one message\n{}{}",
        table(&headings, &rows),
        wrap(&best.caption.to_plain())
    )
}

/// The Pareto fronts, names alone.
fn worth_a_choice(summary: &Summary) -> String {
    let fronts = choice::names(summary);
    if fronts.is_empty() {
        return String::new();
    }
    let lines = fronts.into_iter().map(|(payload, names)| {
        let more = names.len().saturating_sub(NAMES);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let names: Vec<&str> = names.iter().take(NAMES).map(String::as_str).collect();
        wrap(&format!("- {payload}: {}{more}", names.join(", ")))
    });
    format!(
        "\nworth considering: nothing beats them in bytes, encoding, decoding and memory together\n{}",
        lines.collect::<String>()
    )
}

/// Why trials are not complete and combinations were not run: each reason once, with what it concerns.
fn left_out(summary: &Summary) -> Vec<(&str, Vec<String>)> {
    let cells = summary.cells.iter().flat_map(|cell| {
        let reasons = cell.overloaded.iter().chain(&cell.failed).chain(&cell.invalid);
        reasons.map(|why| (why, cell.axes.to_string()))
    });
    let codecs = summary
        .codecs
        .iter()
        .flat_map(|codec| codec.failed.iter().chain(&codec.invalid).map(|why| (why, codec.axes.to_string())));
    let not_run = summary.not_run.iter().map(|not| (&not.why, not.what.clone()));
    let mut reasons: Vec<(&str, Vec<String>)> = Vec::new();
    for (why, what) in cells.chain(codecs).chain(not_run) {
        match reasons.iter_mut().find(|(known, _)| known == why) {
            Some((_, whats)) if whats.contains(&what) => {}
            Some((_, whats)) => whats.push(what),
            None => reasons.push((why, vec![what])),
        }
    }
    reasons
}

fn cell_row(cell: &CellSummary) -> Vec<String> {
    let latency = cell.metrics.get("latency");
    let latency_mean = match latency {
        Some(latency) => quantity::mean(latency),
        None => tables::no_figure(cell).to_owned(),
    };
    let lost = match cell.lost_ratio {
        Some(_) => lost_with_interval(cell),
        None => String::new(),
    };
    let median = latency.map(|latency| quantity::quantity(latency.median, &latency.unit)).unwrap_or_default();
    vec![
        cell.axes.coding(),
        cell.axes.sending(),
        latency_mean,
        median,
        lost,
        short(cell.metrics.get("body")),
        short(cell.metrics.get("wire_per_message")),
    ]
}

fn codec_row(codec: &CodecSummary) -> Vec<String> {
    let mut row = vec![codec.axes.payload.to_string(), codec.axes.coding()];
    let names = ["body", "build", "encode", "decode", "read", "total"];
    row.extend(names.map(|name| short(codec.metrics.get(name))));
    row
}

/// The mean without its interval.
fn short(metric: Option<&Metric>) -> String {
    metric.map(|metric| quantity::quantity(metric.mean, &metric.unit)).unwrap_or_default()
}

/// A table without the columns that it has no room for.
fn fitting(headings: &[Heading], rows: &[Vec<String>]) -> String {
    let (mut headings, mut rows) = (headings.to_vec(), rows.to_vec());
    for name in LEFT_OUT_FIRST {
        let needed: usize = widths(&headings, &rows).iter().map(|width| width + 2).sum();
        let Some(place) = headings.iter().position(|(title, _)| *title == name) else { continue };
        if needed > WIDTH {
            headings.remove(place);
            rows.iter_mut().for_each(|row| drop(row.remove(place)));
        }
    }
    table(&headings, &rows)
}

fn widths(headings: &[Heading], rows: &[Vec<String>]) -> Vec<usize> {
    let mut widths: Vec<usize> = headings.iter().map(|(title, _)| title.chars().count()).collect();
    for row in rows {
        for (width, value) in widths.iter_mut().zip(row) {
            *width = (*width).max(value.chars().count());
        }
    }
    widths
}

fn table(headings: &[Heading], rows: &[Vec<String>]) -> String {
    let widths = widths(headings, rows);
    let line = |values: Vec<&str>| {
        let cells = values.iter().zip(headings).zip(&widths).map(|((value, (_, numeric)), width)| {
            if *numeric { format!("{value:>width$}") } else { format!("{value:<width$}") }
        });
        let line = format!("  {}", cells.collect::<Vec<_>>().join("  "));
        format!("{}\n", cut(line.trim_end()))
    };
    let mut out = line(headings.iter().map(|(title, _)| *title).collect());
    for row in rows {
        out += &line(row.iter().map(String::as_str).collect());
    }
    out
}

fn cut(line: &str) -> String {
    if line.chars().count() <= WIDTH {
        return line.to_owned();
    }
    let mut cut: String = line.chars().take(WIDTH - 1).collect();
    cut.push('\u{2026}');
    cut
}

/// Breaks a list item at blanks; continued lines are indented by two more than the first.
pub fn wrap(text: &str) -> String {
    let indent = text.chars().take_while(|c| *c == ' ').count();
    let mut out = " ".repeat(indent);
    let mut column = indent;
    // A number and its unit stay on one line.
    let text = text.replace(" %", "\u{a0}%").replace("× ", "×\u{a0}");
    for word in text.trim_start().split(' ') {
        let length = word.chars().count();
        if column > indent && column + 1 + length > WIDTH {
            out += &format!("\n{}", " ".repeat(indent + 2));
            column = indent + 2;
        } else if column > indent {
            out.push(' ');
            column += 1;
        }
        out += &word.replace('\u{a0}', " ");
        column += length;
    }
    out.push('\n');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_items_are_broken_and_indented() {
        let text = wrap(&format!("- {}", "word ".repeat(30).trim_end()));
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
        assert!(text.lines().nth(1).unwrap().starts_with("  word"));
    }

    #[test]
    fn a_table_that_is_too_wide_loses_its_median_before_anything_is_cut() {
        let row = |codec: &str| {
            let figures =
                ["72.30 ms [71.90, 72.70]", "70.1 ms", "9.75 % [3.31, 21.4]", "12,187 B", "25,878 B"];
            let axes = [codec, "mqtt:qos1"];
            axes.into_iter().chain(figures).map(str::to_owned).collect::<Vec<_>>()
        };
        let narrow = fitting(&CELL_HEADINGS, &[row("raw/wiredyno")]);
        assert!(narrow.contains("median") && narrow.contains("25,878 B"), "{narrow}");
        let wide = fitting(&CELL_HEADINGS, &[row("json/serde-json")]);
        assert!(!wide.contains("median") && !wide.contains("70.1 ms"), "{wide}");
        assert!(
            wide.contains("body") && wide.contains("9.75 % [3.31, 21.4]") && wide.contains("25,878 B"),
            "{wide}"
        );
    }
}
