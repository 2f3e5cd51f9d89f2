//! What serde can't see in a file of published figures: names that nothing defines, relations that lack a side.

use wiredyno_model::{FileError, nearest};

use crate::measured::{Kind, kind};
use crate::published::{Claim, Figure, Message, PrintedAs, Published, Shows, Table, number};

/// Refuses at the line of `id = "ID"` behind the header `[[section]]`.
struct At<'a> {
    file: &'a str,
    text: &'a str,
    header: &'static str,
    id: &'a str,
}

impl At<'_> {
    fn refuse(&self, problem: String) -> FileError {
        let wanted = format!("id = \"{}\"", self.id);
        let mut inside = false;
        let mut line = 1;
        for (place, text) in self.text.lines().enumerate() {
            let text = text.trim();
            if text.starts_with("[[") {
                inside = text == self.header;
            } else if inside && text.replace("  ", " ").starts_with(&wanted) {
                line = place + 1;
                break;
            }
        }
        let problem = format!("{} `{}`: {problem}", self.header.trim_matches(['[', ']']), self.id);
        FileError { file: self.file.to_owned(), line, problem, hint: String::new() }
    }

    /// That everything named is defined.
    fn known<'n>(
        &self,
        what: &str,
        names: impl IntoIterator<Item = &'n String>,
        defined: &[&str],
    ) -> Result<(), FileError> {
        for name in names {
            if !defined.contains(&name.as_str()) {
                let hint = nearest(name, defined.iter().copied());
                let hint = hint.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
                return Err(self.refuse(format!("there is no {what} `{name}` in this file{hint}")));
            }
        }
        Ok(())
    }
}

/// The ids that a file defines.
struct Names<'a> {
    formats: Vec<&'a str>,
    messages: Vec<&'a str>,
    tables: Vec<&'a str>,
}

/// Checks a whole file.
pub(crate) fn check(published: &Published, file: &str, text: &str) -> Result<(), FileError> {
    let names = Names {
        formats: published.format.iter().map(|format| format.id.as_str()).collect(),
        messages: published.message.iter().map(|message| message.id.as_str()).collect(),
        tables: published.table.iter().map(|table| table.id.as_str()).collect(),
    };
    let at = |header, id| At { file, text, header, id };
    let figures: Vec<&str> = published.figure.iter().map(|figure| figure.id.as_str()).collect();
    let claims: Vec<&str> = published.claim.iter().map(|claim| claim.id.as_str()).collect();
    for (header, ids) in [
        ("[[format]]", &names.formats),
        ("[[message]]", &names.messages),
        ("[[table]]", &names.tables),
        ("[[figure]]", &figures),
        ("[[claim]]", &claims),
    ] {
        for (place, id) in ids.iter().enumerate() {
            if ids[..place].contains(id) {
                return Err(at(header, id).refuse("stands twice: give each its own id".into()));
            }
        }
    }
    for format in &published.format {
        if format.also.contains(&format.codec) {
            let problem = format!("`also` names `{}`, which `codec` names: take it away", format.codec);
            return Err(at("[[format]]", &format.id).refuse(problem));
        }
    }
    for message in &published.message {
        check_message(&at("[[message]]", &message.id), message)?;
    }
    for table in &published.table {
        check_table(&at("[[table]]", &table.id), table, &names)?;
    }
    for figure in &published.figure {
        check_figure(&at("[[figure]]", &figure.id), figure, &names)?;
    }
    for claim in &published.claim {
        check_claim(&at("[[claim]]", &claim.id), claim, &names)?;
    }
    Ok(())
}

fn check_message(at: &At, message: &Message) -> Result<(), FileError> {
    match (&message.payload, &message.average) {
        (Some(_), None) => Ok(()),
        (None, Some(average)) => {
            let rates = std::iter::once(&average.with_per_s).chain(&average.other_rates_per_s);
            let fits = |rate: &f64| (0.0..=average.messages_per_s).contains(rate);
            if average.messages_per_s > 0.0 && rates.into_iter().all(fits) {
                return Ok(());
            }
            Err(at.refuse("rates must lie between 0 and `messages_per_s`, which is above 0".into()))
        }
        _ => Err(at.refuse("write either `payload` or `average`".into())),
    }
}

fn check_table(at: &At, table: &Table, names: &Names) -> Result<(), FileError> {
    at.known("format", &table.baseline, &names.formats)?;
    if table.metric.is_empty() {
        return Err(at.refuse("`metric` is empty: name what of a run it is".into()));
    }
    let relative = table.printed_as != PrintedAs::Value || kind(&table.metric) == Kind::Time;
    if relative && table.baseline.is_none() {
        let problem = "needs a `baseline`: changes and differences are against one, and times are compared as ratios only";
        return Err(at.refuse(problem.into()));
    }
    for row in &table.row {
        at.known("message", [&row.message], &names.messages)?;
        at.known("format", row.values.keys().chain(row.disputed.keys()), &names.formats)?;
        for (format, text) in &row.values {
            if number(text).is_none() {
                let problem = format!("`{text}` for `{format}` is no number: write digits, without the unit");
                return Err(at.refuse(problem));
            }
        }
    }
    Ok(())
}

fn check_figure(at: &At, figure: &Figure, names: &Names) -> Result<(), FileError> {
    at.known("message", &figure.messages, &names.messages)?;
    at.known("format", figure.formats.iter().chain(&figure.baseline), &names.formats)?;
    at.known("table", &figure.table, &names.tables)?;
    if figure.not_redrawn.is_some() {
        return Ok(());
    }
    let empty = figure.metric.is_empty() || figure.messages.is_empty() || figure.formats.is_empty();
    if empty || figure.shows.is_none() {
        let problem =
            "needs `metric`, `shows`, `messages` and `formats`, or says in `not_redrawn` why it is not drawn";
        return Err(at.refuse(problem.into()));
    }
    if figure.shows == Some(Shows::Index) && figure.baseline.is_none() {
        return Err(at.refuse("shows an index: name its `baseline`".into()));
    }
    Ok(())
}

fn check_claim(at: &At, claim: &Claim, names: &Names) -> Result<(), FileError> {
    if claim.relations() != 1 {
        let problem =
            "needs exactly one of `lowest`, `highest`, `less`, `order`, `ratio`, `equal`, `not_comparable`";
        return Err(at.refuse(problem.into()));
    }
    at.known("message", &claim.messages, &names.messages)?;
    at.known("format", &claim.formats, &names.formats)?;
    let extremes = claim.lowest.iter().chain(&claim.highest);
    for extreme in extremes {
        at.known("format", std::iter::once(&extreme.of).chain(&extreme.among), &names.formats)?;
        if extreme.among.is_empty() || extreme.among.contains(&extreme.of) {
            return Err(at.refuse("`among` names the others: at least one, and not the same again".into()));
        }
    }
    if claim.not_comparable.is_none() && extremes_without_messages(claim) {
        return Err(at.refuse("needs `messages` and `metric`: what it has to hold for".into()));
    }
    for side in claim.sides() {
        at.known("format", side.format.iter().chain(&side.over), &names.formats)?;
        at.known("message", &side.message, &names.messages)?;
        let lacks = [
            ("format", side.format.is_none() && claim.formats.is_empty()),
            ("message", side.message.is_none() && claim.messages.is_empty()),
            ("metric", side.metric.as_ref().is_none_or(Vec::is_empty) && claim.metric.is_empty()),
        ];
        if let Some((what, _)) = lacks.iter().find(|(_, lacks)| *lacks) {
            return Err(at.refuse(format!("a side has no {what}, and the claim names none for it")));
        }
    }
    if claim.order.as_ref().is_some_and(|sides| sides.len() < 2) {
        return Err(at.refuse("`order` needs at least two sides".into()));
    }
    let (from, up_to) = claim.ratio.as_ref().map_or((None, Some(1.0)), |range| (range.from, range.up_to));
    if (from.is_none() && up_to.is_none()) || from.unwrap_or(0.0) > up_to.unwrap_or(f64::INFINITY) {
        return Err(at.refuse("`ratio` needs `from`, `up_to` or both, in order".into()));
    }
    Ok(())
}

fn extremes_without_messages(claim: &Claim) -> bool {
    (claim.lowest.is_some() || claim.highest.is_some())
        && (claim.messages.is_empty() || claim.metric.is_empty())
}
