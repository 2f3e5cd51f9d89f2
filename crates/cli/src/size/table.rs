//! The sizes as a table for people, within 100 columns.

use wiredyno_contract::CompressionId;
use wiredyno_dynamic::sizes::{Fit, Row, Spread};

use super::{Weighed, after_build, is_self_describing};
use crate::output::outln;

/// The longest line.
const COLUMNS: usize = 100;
/// The width of a number, with the space before it.
const NUMBER: usize = 9;

/// Prints everything.
pub fn print(weighed: &Weighed<'_>, compressions: &[CompressionId], long: bool) {
    let count = weighed.sizes.samples;
    let noun = if count == 1 { "sample" } else { "samples" };
    outln!("{}: {count} {noun} from {}", weighed.payload, weighed.origin);
    if weighed.invented {
        outln!(
            "They are INVENTED: plausible for the types, not for your data. Real ones will give other sizes."
        );
    }
    outln!("\nBytes of one message: plain, and the mean with each message compressed on its own");
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

/// A codec that carries all samples, with those whose bytes are the same.
struct Carried<'a> {
    codec: &'static str,
    same: Vec<&'static str>,
    plain: &'a Spread,
    compressed: &'a [Spread],
}

/// In ascending order of the mean.
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

/// Whether a codec stands beside another one of the same bytes.
fn has_first(weighed: &Weighed<'_>, row: &Row) -> bool {
    let first = |other: &&Row| Some(other.codec) == row.same_as;
    let first = weighed.sizes.rows.iter().find(first);
    first.is_some_and(|first| matches!(first.outcome, Fit::Carried { .. }))
}

/// The heading above JSON as it came.
const CAME: &str = "JSON as it came, minified";

fn table(
    rows: &[Carried<'_>],
    came: Option<&(Spread, Vec<Spread>)>,
    headings: &[String],
    cells: impl Fn(&Spread, &[Spread]) -> Vec<String>,
) {
    let names =
        rows.iter().flat_map(|row| row.same.iter().map(|same| same.len() + 2).chain([row.codec.len()]));
    let width = names.max().unwrap_or(0);
    if let Some((plain, compressed)) = came {
        outln!("");
        line("", width.max(CAME.len()), headings);
        line(CAME, width.max(CAME.len()), &cells(plain, compressed));
    }
    let groups = [("Both sides know the definition", false), ("Readable without the definition", true)];
    for (heading, self_describing) in groups {
        let mut group = rows.iter().filter(|row| is_self_describing(row.codec) == self_describing).peekable();
        if group.peek().is_none() {
            continue;
        }
        outln!("");
        line(heading, width, headings);
        for row in group {
            line(row.codec, width, &cells(row.plain, row.compressed));
            row.same.iter().for_each(|same| outln!("= {same}"));
        }
    }
}

fn line(name: &str, width: usize, cells: &[String]) {
    let mut cells = cells.iter();
    // A heading may be wider than the codecs below it.
    let first = cells.next().map_or("", String::as_str);
    let room = (width + NUMBER).saturating_sub(name.len());
    let rest: String = cells.map(|cell| format!("{cell:>NUMBER$}")).collect();
    outln!("{name}{first:>room$}{rest}");
}

fn spread(spread: &Spread) -> Vec<String> {
    vec![mean(spread), spread.min_bytes.to_string(), spread.max_bytes.to_string()]
}

fn mean(spread: &Spread) -> String {
    format!("{:.1}", spread.mean_bytes())
}

/// The codecs without sizes, and why.
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
    let waiting = after_build();
    if !waiting.is_empty() {
        outln!("\nOnly after a build, because only their compiled code gives their bytes");
        wrapped(&waiting.join(", "), "");
    }
}

/// Words on as many lines as they need.
fn wrapped(text: &str, indent: &str) {
    let mut line = String::new();
    for word in text.split(' ') {
        if !line.is_empty() && indent.len() + line.len() + 1 + word.len() > COLUMNS {
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
