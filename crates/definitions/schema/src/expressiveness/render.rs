//! Renders the table, and how languages express one payload, as text and Markdown.

use std::fmt::Write as _;

use super::{
    COMPILERS, CONSTRUCTS, Cell, OfPayload, PRINTED, Support, TRIALS, TableError, compared, languages, table,
};

/// A cell's support in one short word.
fn sign(support: &Support) -> &'static str {
    match support {
        Support::Direct => "yes",
        Support::StandIn(_) => "by",
        Support::Not(_) => "no",
    }
}

fn rows(cells: &[Cell]) -> Vec<(&'static str, Vec<&Cell>)> {
    let of = |id: &'static str| (id, cells.iter().filter(|cell| cell.construct == id).collect());
    CONSTRUCTS.iter().map(|construct| of(construct.id)).collect()
}

/// The table for a terminal: short words first, then what they stand for.
pub fn text(cells: &[Cell]) -> String {
    let mut out = format!("{:<13}", "");
    for idl in languages() {
        let _ = write!(out, " {:>8}", idl.id());
    }
    out.push('\n');
    for (id, cells) in rows(cells) {
        let _ = write!(out, "{id:<13}");
        for cell in cells {
            let _ = write!(out, " {:>8}", sign(&cell.support));
        }
        out.push('\n');
    }
    out.push_str(
        "\nyes: as intended; by: something else stands in; no: not at all. What stands in, also in translations, and why not:\n",
    );
    for cell in cells {
        if cell.support != Support::Direct || cell.translated.is_some() {
            let _ = writeln!(out, "{} {}: {}", cell.language, cell.construct, sentence(cell));
        }
    }
    out
}

/// The table in Markdown, then a list by construct.
pub fn markdown(cells: &[Cell]) -> String {
    let ids: Vec<&str> = languages().map(|idl| idl.id()).collect();
    let mut out = format!("| construct | {} |\n|---|{}\n", ids.join(" | "), "---|".repeat(ids.len()));
    for (id, cells) in rows(cells) {
        let signs: Vec<&str> = cells.iter().map(|cell| sign(&cell.support)).collect();
        let _ = writeln!(out, "| {id} | {} |", signs.join(" | "));
    }
    out.push_str(
        "\n**yes**: as intended. **by**: something else carries the same values. **no**: not at all.\n",
    );
    for construct in CONSTRUCTS {
        let _ = writeln!(out, "\n**{}** ({})\n", construct.id, construct.asks);
        for cell in cells.iter().filter(|cell| cell.construct == construct.id) {
            let _ = writeln!(out, "- {}: {}", cell.language, sentence(cell));
        }
    }
    out
}

fn sentence(cell: &Cell) -> String {
    let mut said = match &cell.support {
        Support::Direct => "yes".to_owned(),
        Support::StandIn(by) => format!("by {by}"),
        Support::Not(why) => format!("no: {why}"),
    };
    match &cell.translated {
        Some(Support::StandIn(by)) => drop(write!(said, "; translated by {by}")),
        Some(Support::Not(why)) => drop(write!(said, "; the translation does not: {why}")),
        Some(Support::Direct) | None => {}
    }
    if let Some(remark) = cell.remark {
        let _ = write!(said, " ({remark})");
    }
    said
}

/// The text of docs/EXPRESSIVENESS.md.
///
/// # Errors
/// When the table's sources contradict each other, which a test excludes.
pub fn document() -> Result<String, TableError> {
    let cells = table()?;
    let mut out = format!("{INTRODUCTION}\n{}", markdown(&cells));
    out.push_str(
        "\n## Who read the texts\n\n| language | compiler | readers in the trials |\n|---|---|---|\n",
    );
    for compiler in COMPILERS {
        let _ = writeln!(out, "| {} | {} | {} |", compiler.language, compiler.name, compiler.readers);
    }
    out.push_str(TRIED);
    for trial in TRIALS {
        let change = trial.change.construct();
        let form = match (trial.form, trial.with) {
            ("", "") => "as translated".to_owned(),
            ("", with) => format!("as translated ({with})"),
            (form, _) => form.to_owned(),
        };
        let (old, new) = (trial.old_reads_new.verb(), trial.new_reads_old.verb());
        let _ = writeln!(out, "| {} | {change} | {form} | {old} | {new} |", trial.language);
    }
    out.push_str(STUDY);
    for printed in PRINTED {
        let _ = writeln!(
            out,
            "\n### Table {}: {}\n\n| type | language | the study | here | why they differ |\n|---|---|---|---|---|",
            printed.number, printed.title
        );
        for compared in compared(printed, &cells) {
            let cell = compared.printed;
            let ours = match &compared.ours {
                Support::Direct => "yes".to_owned(),
                Support::StandIn(by) => format!("by {by}"),
                Support::Not(_) => "no".to_owned(),
            };
            let _ = writeln!(
                out,
                "| {} | {} | {} | {ours} | {} |",
                cell.row, cell.language, cell.says, cell.because
            );
        }
    }
    Ok(out)
}

const INTRODUCTION: &str = "\
# What interface languages can say

Made by `wiredyno schema expressiveness --md` and the test that compares this file; not written by hand. Each cell is read from the
notes of a translation (`wiredyno schema translate`), from a text in the language itself where the translation uses less than the
language has, or from a trial with an old and a new reader. The test `expressiveness` of `crates/definitions/schema` gives each text to the
language's own compiler, and expects a refusal where a cell rests on one.

A cell is about the language as its compiler here accepts it. `wiredyno schema expressiveness PAYLOAD` says what becomes of your own
fields.

## Constructs
";

const TRIED: &str = "
## Old and new readers

A list of messages with a number behind it; a field is added at the end of the message, or its first one is removed. *Reads*: fields that
both know have their values, others are absent or the default. *Refuses*: the reader says so. *Garbles*: wrong values, or a crash,
without an error. Formats that write values one after the other without numbers or lengths
garble; where such a reader refuses below, these values made it run out of bytes, and others may not.

| language | change | form | old reader, new bytes | new reader, old bytes |
|---|---|---|---|---|
";

const STUDY: &str = "
## Tables 9 to 11 of the car middleware's study

Borosean, Eidukas, Dang, \"Evaluating Data Marshalling Approaches for Embedded Real-Time Systems on the Example of Autonomous Scaled Cars\",
2015. Its printed entries next to the results above. Table 10 is a list, so what is not in it counts as no.
";

fn share(of: &OfPayload) -> String {
    match &of.refused {
        Some(why) => format!("refused: {why}"),
        None => format!("{} of {} direct", of.direct, of.direct + of.stand_ins),
    }
}

/// For a terminal: a line per language, then each path that is not expressed directly.
pub fn of_payload_text(languages: &[OfPayload]) -> String {
    let mut out = String::new();
    for of in languages {
        let _ = writeln!(out, "{:<9} {}", of.language, share(of));
    }
    for of in languages {
        for path in &of.paths {
            if let Support::StandIn(by) = &path.support {
                let _ = writeln!(out, "{} {}: by {by}", of.language, path.path);
            }
        }
    }
    out
}

/// In Markdown: a table of languages, then for each language a table of the paths that are not expressed directly.
pub fn of_payload_markdown(languages: &[OfPayload]) -> String {
    let mut out = "| language | fields and the like |\n|---|---|\n".to_owned();
    for of in languages {
        let _ = writeln!(out, "| {} | {} |", of.name, share(of));
    }
    for of in languages.iter().filter(|of| of.stand_ins > 0) {
        let _ = writeln!(out, "\n### {}\n\n| path | by |\n|---|---|", of.name);
        for path in &of.paths {
            if let Support::StandIn(by) = &path.support {
                let _ = writeln!(out, "| {} | {by} |", path.path.replace('|', "\\|"));
            }
        }
    }
    out
}
