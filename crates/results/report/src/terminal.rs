//! The report in a terminal: one table per condition, a table of codecs, what to know. It fits the columns available: columns of words are
//! wrapped if necessary, numbers never. One file because tables, wrapping and order serve one page of text.

use std::collections::BTreeSet;

use wiredyno_answers::effects::{self as answers, by_question};
use wiredyno_model::summary::{CellSummary, CodecSummary, Effect, Metric, Summary};

use crate::caution::cautions;
use crate::document::Block;
use crate::finding::{Condition, lost_with_interval};
use crate::table::Value;
use crate::{choice, codecs, first_screen, quantity, tables};

/// Longer lines of prose are hard to read, however wide the terminal is.
const PROSE: usize = 100;

/// A column of words never becomes narrower than this.
const NARROWEST: usize = 12;

/// Reasons of what is left out that are listed; the others are counted.
const REASONS: usize = 6;

/// Lines of comparisons; comparisons that do not fit are counted.
const COMPARISONS: usize = 40;

/// The same for many codecs: the whole text fits a screen.
const COMPARISONS_OF_MANY: usize = 5;

/// Codecs worth considering that are named; the others are counted.
const NAMES: usize = 6;

/// Columns of a text table: heading, and whether it holds numbers, which are aligned right.
type Heading<'a> = (&'a str, bool);

const CELL_HEADINGS: [Heading<'static>; 7] = [
    ("codec", false),
    ("mode", false),
    ("lost [95 %]", true),
    ("mean latency [95 %]", true),
    ("median", true),
    ("body", true),
    ("on wire", true),
];

/// The position of the way among the columns of cells: after the mode.
const BEFORE_WAY: usize = 2;

/// Columns of cells that are left out if lines become too long, in this order.
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

/// Renders a summary in lines of this many columns.
pub fn render(summary: &Summary, columns: usize) -> String {
    let mut out = first_lines(summary, columns);
    for condition in Condition::all(summary) {
        out += &cells(summary, &condition, columns);
        out.push('\n');
    }
    if !summary.codecs.is_empty() {
        out += &if codecs::many(summary) { best_few(summary, columns) } else { all_codecs(summary, columns) };
        out += &worth_a_choice(summary, columns);
        out.push('\n');
    }
    for caution in cautions(summary) {
        out += &wrap(&format!("- {}", caution.to_plain()), columns);
    }
    let left_out = left_out(summary);
    if !left_out.is_empty() {
        out += "\nLeft out\n";
    }
    let untold = left_out.len().saturating_sub(REASONS);
    for (reason, whats) in left_out.into_iter().take(REASONS) {
        let more = if whats.len() > 1 { format!(" and {} more", whats.len() - 1) } else { String::new() };
        out += &wrap(&format!("- {}{more}: {reason}", whats[0]), columns);
    }
    if untold > 0 {
        out += &format!("- {untold} more reasons: see report.html\n");
    }
    let room = if codecs::many(summary) { COMPARISONS_OF_MANY } else { COMPARISONS };
    out + &effects(&wiredyno_answers::effects(summary), room, columns)
}

/// The cells under a condition. The way of their messages is above them, or beside each if it differs.
fn cells(summary: &Summary, condition: &Condition, columns: usize) -> String {
    let way =
        |cell: &CellSummary| summary.hosts_of(&cell.axes).way_in_words(&cell.axes, cell.hops() == Some(1));
    let ways: BTreeSet<String> = condition.cells(summary).map(way).collect();
    let mut headings = CELL_HEADINGS.to_vec();
    let mut rows: Vec<Vec<String>> = condition.cells(summary).map(cell_row).collect();
    let mut name = condition.name();
    match ways.iter().next().filter(|_| ways.len() == 1) {
        Some(way) => name += &format!("; {way}"),
        None => {
            headings.insert(BEFORE_WAY, ("way", false));
            rows.iter_mut()
                .zip(condition.cells(summary))
                .for_each(|(row, cell)| row.insert(BEFORE_WAY, way(cell)));
        }
    }
    format!("{name}\n{}", fitting(&headings, &rows, columns))
}

/// The answer and its certainty.
fn first_lines(summary: &Summary, columns: usize) -> String {
    let opening = wiredyno_answers::opening::opening(summary);
    let badge = first_screen::badge(summary, &opening);
    let answer = first_screen::answer(summary, &opening);
    let lines = answer.iter().map(|sentence| wrap(&sentence.to_plain(), columns));
    let sure = format!("({}: {})", badge.fitness.word(), badge.line);
    let lines: String = lines.chain([wrap(&sure, columns)]).collect();
    lines + "\n"
}

/// The effects of each choice, last, because they are the answer: whole comparisons as long as they fit `room` lines. The first one is
/// always shown, with as many of its payloads as fit.
fn effects(effects: &[Effect], room: usize, columns: usize) -> String {
    let groups = by_question(effects);
    let (mut out, mut told) = (String::new(), 0);
    for group in &groups {
        let mut lines = format!("\n{}\n", answers::question(group[0]));
        let payloads = answers::payloads(group);
        for (place, payload) in payloads.iter().enumerate() {
            let name = if payloads.len() > 1 { format!("{payload}: ") } else { String::new() };
            let clauses = wrap(&format!("  {name}{}", answers::clauses(group, payload).join("; ")), columns);
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
pub fn block(block: &Block, columns: usize) -> String {
    match block {
        Block::List(sentences) => {
            sentences.iter().map(|sentence| wrap(&format!("- {}", sentence.to_plain()), columns)).collect()
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
            let caption = if caption.is_empty() { caption } else { wrap(&caption, columns) };
            format!("{caption}{}", table(&headings, &rows, columns))
        }
        _ => String::new(),
    }
}

fn all_codecs(summary: &Summary, columns: usize) -> String {
    let rows: Vec<Vec<String>> = summary.codecs.iter().map(codec_row).collect();
    format!("codecs alone, time of one message\n{}", table(&CODEC_HEADINGS, &rows, columns))
}

fn best_few(summary: &Summary, columns: usize) -> String {
    let best = codecs::best_few(summary);
    let headings: Vec<Heading> =
        best.columns.iter().map(|column| (column.title.as_str(), column.numeric)).collect();
    let shown = |value: &Value| if value.repeats { String::new() } else { value.text.clone() };
    let rows: Vec<Vec<String>> = best.rows.iter().map(|row| row.values.iter().map(shown).collect()).collect();
    format!(
        "codecs alone, bytes and time of one message\n{}{}",
        table(&headings, &rows, columns),
        wrap(&best.caption.to_plain(), columns)
    )
}

/// The names on the Pareto fronts.
fn worth_a_choice(summary: &Summary, columns: usize) -> String {
    let fronts = choice::names(summary);
    if fronts.is_empty() {
        return String::new();
    }
    let lines = fronts.into_iter().map(|(payload, names)| {
        let more = names.len().saturating_sub(NAMES);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let names: Vec<&str> = names.iter().take(NAMES).map(String::as_str).collect();
        wrap(&format!("- {payload}: {}{more}", names.join(", ")), columns)
    });
    format!(
        "\nworth considering: nothing beats them in bytes, encoding, decoding and memory together\n{}",
        lines.collect::<String>()
    )
}

/// Why combinations were not run and trials are not complete: each reason once, with the combinations. What was not run appears nowhere
/// else, so it comes first.
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
    for (why, what) in not_run.chain(cells).chain(codecs) {
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
        lost,
        latency_mean,
        median,
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

/// A table without the columns for which there is no room.
fn fitting(headings: &[Heading], rows: &[Vec<String>], columns: usize) -> String {
    let (mut headings, mut rows) = (headings.to_vec(), rows.to_vec());
    for name in LEFT_OUT_FIRST {
        let Some(place) = headings.iter().position(|(title, _)| *title == name) else { continue };
        if length(&widths(&headings, &rows)) > columns {
            headings.remove(place);
            rows.iter_mut().for_each(|row| drop(row.remove(place)));
        }
    }
    table(&headings, &rows, columns)
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

/// The length of a line of columns, each with a gap before it.
fn length(widths: &[usize]) -> usize {
    widths.iter().map(|width| width + 2).sum()
}

/// A table in which columns of words, the widest first, are as narrow as necessary.
fn table(headings: &[Heading], rows: &[Vec<String>], columns: usize) -> String {
    let mut widths = widths(headings, rows);
    while length(&widths) > columns {
        let wordy = headings.iter().zip(&mut widths).filter(|((_, numeric), _)| !numeric);
        match wordy.map(|(_, width)| width).max().filter(|width| **width > NARROWEST) {
            Some(widest) => *widest -= 1,
            None => break,
        }
    }
    let titles: Vec<String> = headings.iter().map(|(title, _)| (*title).to_owned()).collect();
    std::iter::once(&titles).chain(rows).map(|row| row_lines(row, headings, &widths)).collect()
}

/// A row, on as many lines as its longest value needs.
fn row_lines(values: &[String], headings: &[Heading], widths: &[usize]) -> String {
    let broken: Vec<Vec<String>> = values
        .iter()
        .zip(headings)
        .zip(widths)
        .map(
            |((value, (_, numeric)), width)| {
                if *numeric { vec![value.clone()] } else { broken(value, *width) }
            },
        )
        .collect();
    let lines = broken.iter().map(Vec::len).max().unwrap_or(0);
    let line = |at: usize| {
        let cells = broken.iter().zip(headings).zip(widths).map(|((value, (_, numeric)), &width)| {
            let value = value.get(at).map_or("", String::as_str);
            if *numeric { format!("{value:>width$}") } else { format!("{value:<width$}") }
        });
        format!("{}\n", format!("  {}", cells.collect::<Vec<_>>().join("  ")).trim_end())
    };
    (0..lines).map(line).collect()
}

/// Words in lines of this many columns; a word longer than a line continues on the next.
fn broken(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let mut rest: Vec<char> = word.chars().collect();
        let room = lines.last().map_or(0, |line| width.saturating_sub(line.chars().count() + 1));
        match lines.last_mut() {
            Some(line) if line.is_empty() => {}
            Some(line) if rest.len() <= room => line.push(' '),
            _ => lines.push(String::new()),
        }
        loop {
            let room = lines.last().map_or(0, |line| width.saturating_sub(line.chars().count()));
            let next = rest.split_off(rest.len().min(room.max(1)));
            if let Some(line) = lines.last_mut() {
                line.extend(rest);
            }
            if next.is_empty() {
                break;
            }
            lines.push(String::new());
            rest = next;
        }
    }
    lines
}

/// Wraps a list item at blanks; continued lines are indented by two more than the first.
pub fn wrap(text: &str, columns: usize) -> String {
    let columns = columns.min(PROSE);
    let indent = text.chars().take_while(|c| *c == ' ').count();
    let mut out = " ".repeat(indent);
    let mut column = indent;
    // A number and its unit stay on one line.
    let text = text.replace(" %", "\u{a0}%").replace("× ", "×\u{a0}");
    for word in text.trim_start().split(' ') {
        let length = word.chars().count();
        if column > indent && column + 1 + length > columns {
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
        let text = wrap(&format!("- {}", "word ".repeat(30).trim_end()), 60);
        assert!(text.lines().all(|line| line.chars().count() <= 60), "{text}");
        assert!(text.lines().nth(1).unwrap().starts_with("  word"));
        let wide = wrap(&"word ".repeat(60), 300);
        assert!(wide.lines().all(|line| line.chars().count() <= PROSE), "{wide}");
    }

    #[test]
    fn a_table_that_is_too_wide_loses_its_median_before_anything_is_broken() {
        let row = |codec: &str| {
            let figures =
                ["9.75 % [3.31, 21.4]", "72.30 ms [71.90, 72.70]", "70.1 ms", "12,187 B", "25,878 B"];
            let axes = [codec, "mqtt:qos1"];
            axes.into_iter().chain(figures).map(str::to_owned).collect::<Vec<_>>()
        };
        let narrow = fitting(&CELL_HEADINGS, &[row("raw/wiredyno")], 100);
        assert!(narrow.contains("median") && narrow.contains("25,878 B"), "{narrow}");
        let wide = fitting(&CELL_HEADINGS, &[row("json/serde-json")], 100);
        assert!(!wide.contains("median") && !wide.contains("70.1 ms"), "{wide}");
        assert!(
            wide.contains("body") && wide.contains("9.75 % [3.31, 21.4]") && wide.contains("25,878 B"),
            "{wide}"
        );
        assert!(fitting(&CELL_HEADINGS, &[row("json/serde-json")], 130).contains("70.1 ms"));
    }

    #[test]
    fn nothing_of_a_table_is_cut_at_any_width_and_wide_terminals_are_used() {
        let headings: [Heading; 4] =
            [("cell", false), ("metric", false), ("after", true), ("difference", false)];
        let cell = "current-status exi/wiredyno:strict-merged zstd:3 dds/cyclonedds:reliable lte loss 5%";
        let values = [cell, "Bytes on the wire per message", "1,234,567 B", "none over 4.2 %"];
        let row = values.map(str::to_owned).to_vec();
        for columns in [60, 80, 100, 160, 240] {
            let text = table(&headings, std::slice::from_ref(&row), columns);
            assert!(text.lines().all(|line| line.chars().count() <= columns), "{columns}: {text}");
            let plain = |text: &str| text.split_whitespace().collect::<String>();
            for letter in values.concat().chars().filter(|letter| *letter != ' ') {
                let count = |text: &str| plain(text).matches(letter).count();
                let wanted = count(&values.concat()) + count("cellmetricafterdifference");
                assert_eq!(count(&text), wanted, "{columns} columns, {letter}: {text}");
            }
            assert!(!text.contains('\u{2026}') && text.contains("1,234,567 B"), "{text}");
            assert_eq!(text.lines().count() == 2, columns >= 160, "{columns}: {text}");
        }
    }

    #[test]
    fn words_longer_than_a_line_go_on_in_the_next() {
        assert_eq!(broken("ab cde", 3), ["ab", "cde"]);
        assert_eq!(broken("abcdefgh ij", 3), ["abc", "def", "gh", "ij"]);
        assert_eq!(broken("", 3), [""]);
    }
}
