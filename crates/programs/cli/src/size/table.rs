//! The sizes as tables for people.

use wiredyno_contract::CompressionId;
use wiredyno_dynamic::sizes::{Fit, Row, Spread};

use super::{Weighed, is_self_describing};
use crate::output::outln;
use crate::terminal;

/// The least width of a number, with the space before it.
const NUMBER: usize = 9;

/// Prints the tables, warnings and refusals; `long` adds tables of compressed sizes.
pub fn print(weighed: &Weighed<'_>, compressions: &[CompressionId], long: bool) {
    let count = weighed.sizes.samples;
    let noun = if count == 1 { "sample" } else { "samples" };
    outln!("{}: {count} {noun} from {}", weighed.payload, weighed.origin);
    if weighed.invented {
        outln!(
            "They are INVENTED: plausible for the types, not for your data. Real ones will give other sizes."
        );
    }
    outln!(
        "\nBytes of one message{}",
        if compressions.is_empty() {
            ""
        } else {
            ": plain, and the mean with each message compressed on its own"
        }
    );
    let mut headings = vec!["mean".to_owned(), "least".to_owned(), "most".to_owned()];
    headings.extend(compressions.iter().map(ToString::to_string));
    let rows = carried(weighed);
    let came = weighed.sizes.came.as_ref();
    table(&rows, came, &headings, |plain, compressed| {
        let mut cells = spread(plain);
        cells.extend(compressed.iter().map(mean));
        cells
    });
    for warning in weighed.warnings() {
        outln!("");
        wrapped(&warning, "");
    }
    if long {
        for (at, id) in compressions.iter().enumerate() {
            outln!("\nBytes of one message after {id}");
            table(&rows, came, &headings[..3], |_, compressed| spread(&compressed[at]));
        }
    }
    let grows = |row: &Carried<'_>| row.compressed.iter().any(|one| one.sum_bytes > row.plain.sum_bytes);
    if rows.iter().any(grows) {
        outln!("\nCompression adds its own bytes to each message: short ones grow.");
    }
    rest(weighed);
}

/// A codec that carries all samples, with other codecs that write the same bytes.
struct Carried<'a> {
    codec: &'static str,
    same: Vec<&'static str>,
    plain: &'a Spread,
    compressed: &'a [Spread],
}

/// The codecs that carry all samples, by ascending mean.
fn carried<'a>(weighed: &'a Weighed<'_>) -> Vec<Carried<'a>> {
    let all = || weighed.sizes.rows.iter();
    let row = |row: &'a Row| match &row.outcome {
        Fit::Carried { plain, compressed } if !has_first(weighed, row) => {
            let is_same = |other: &&Row| {
                other.same_as == Some(row.codec) && matches!(other.outcome, Fit::Carried { .. })
            };
            let same = all().filter(is_same).map(|other| other.codec).collect();
            Some(Carried { codec: row.codec, same, plain, compressed })
        }
        _ => None,
    };
    let mut rows: Vec<Carried<'_>> = all().filter_map(row).collect();
    rows.sort_by_key(|row| (row.plain.sum_bytes, row.codec));
    rows
}

/// Whether a codec is listed with another one that writes the same bytes.
fn has_first(weighed: &Weighed<'_>, row: &Row) -> bool {
    let first = |other: &&Row| Some(other.codec) == row.same_as;
    let first = weighed.sizes.rows.iter().find(first);
    first.is_some_and(|first| matches!(first.outcome, Fit::Carried { .. }))
}

/// The name of the row of original JSON.
const CAME: &str = "JSON as given, minified";

fn table(
    rows: &[Carried<'_>],
    came: Option<&(Spread, Vec<Spread>)>,
    headings: &[String],
    cells: impl Fn(&Spread, &[Spread]) -> Vec<String>,
) {
    let names =
        rows.iter().flat_map(|row| row.same.iter().map(|same| same.len() + 2).chain([row.codec.len()]));
    let width = names.max().unwrap_or(0);
    let came = came.map(|(plain, compressed)| cells(plain, compressed));
    let rows: Vec<(&Carried<'_>, Vec<String>)> =
        rows.iter().map(|row| (row, cells(row.plain, row.compressed))).collect();
    let widths =
        widths([headings].into_iter().chain(came.as_deref()).chain(rows.iter().map(|(_, cells)| &cells[..])));
    if let Some(came) = came {
        outln!("");
        outln!("{}", line("", width.max(CAME.len()), headings, &widths));
        outln!("{}", line(CAME, width.max(CAME.len()), &came, &widths));
    }
    let groups = [("Both sides know the definition", false), ("Readable without the definition", true)];
    for (heading, self_describing) in groups {
        let mut group =
            rows.iter().filter(|(row, _)| is_self_describing(row.codec) == self_describing).peekable();
        if group.peek().is_none() {
            continue;
        }
        outln!("");
        outln!("{}", line(heading, width, headings, &widths));
        for (row, cells) in group {
            outln!("{}", line(row.codec, width, cells, &widths));
            row.same.iter().for_each(|same| outln!("= {same}"));
        }
    }
}

/// The width of each column, with the space before it.
fn widths<'a>(rows: impl Iterator<Item = &'a [String]>) -> Vec<usize> {
    let mut widths = Vec::new();
    for row in rows {
        widths.resize(widths.len().max(row.len()), NUMBER);
        widths.iter_mut().zip(row).for_each(|(width, cell)| *width = (*width).max(cell.len() + 1));
    }
    widths
}

fn line(name: &str, width: usize, cells: &[String], widths: &[usize]) -> String {
    let mut line = name.to_owned();
    let mut end = width;
    for (cell, width) in cells.iter().zip(widths) {
        end += width;
        // A heading may be wider than the codecs below it: the first column then shrinks.
        let room = end.saturating_sub(line.len()).max(cell.len() + 1);
        line += &format!("{cell:>room$}");
    }
    line
}

fn spread(spread: &Spread) -> Vec<String> {
    vec![mean(spread), spread.min_bytes.to_string(), spread.max_bytes.to_string()]
}

fn mean(spread: &Spread) -> String {
    format!("{:.1}", spread.mean_bytes())
}

/// Prints the codecs without sizes, and why.
fn rest(weighed: &Weighed<'_>) {
    let mut reasons: Vec<(String, Vec<&str>)> = Vec::new();
    for row in &weighed.sizes.rows {
        let reason = match &row.outcome {
            Fit::Carried { .. } => continue,
            Fit::Refused { reason } => reason.clone(),
            Fit::Partly { samples, number, reason } => {
                format!(
                    "{samples} of {} samples, the first is number {number}: {reason}",
                    weighed.sizes.samples
                )
            }
        };
        match reasons.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, codecs)) => codecs.push(row.codec),
            None => reasons.push((reason, vec![row.codec])),
        }
    }
    if !reasons.is_empty() {
        outln!("\nCan't carry it");
    }
    for (reason, codecs) in reasons {
        wrapped(&codecs.join(", "), "");
        wrapped(&reason, "    ");
    }
    let waiting = weighed.after_build();
    if !waiting.is_empty() {
        outln!("\nOnly after a build, because their sizes need compiled code");
        wrapped(&waiting.join(", "), "");
    }
}

/// Prints a text wrapped to the terminal's width.
fn wrapped(text: &str, indent: &str) {
    let (mut line, columns) = (String::new(), terminal::width());
    for word in text.split(' ') {
        if !line.is_empty() && indent.len() + line.len() + 1 + word.len() > columns {
            outln!("{indent}{line}");
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    outln!("{indent}{line}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_large_numbers_never_touch() {
        let row = |cells: [&str; 4]| cells.map(str::to_owned);
        let rows =
            [row(["mean", "least", "most", "gzip:6"]), row(["953038.2", "12", "1292815.0", "1292815.0"])];
        let widths = widths(rows.iter().map(|row| &row[..]));
        for cells in &rows {
            let line = line("avro/apache-avro", 16, cells, &widths);
            let words: Vec<&str> = line.split_whitespace().skip(1).collect();
            assert_eq!(words, cells, "{line}");
        }
        let [heading, figures] = [&rows[0], &rows[1]].map(|cells| line("avro", 16, cells, &widths).len());
        assert_eq!(heading, figures);
        let long = line("Readable without the definition", 16, &rows[1], &widths);
        assert_eq!(long.split_whitespace().skip(4).collect::<Vec<_>>(), rows[1], "{long}");
    }
}
