//! What serde can't check in a file of published figures: undefined names, relations that lack a side, and names that a run lacks.
//! One file because every check names the place of what it refuses in the same way.

use std::collections::BTreeMap;

use wiredyno_contract::nearest;
use wiredyno_model::selection::{is_axis, plain_value};
use wiredyno_model::{AXES, FileError, Place, Refusal, Scope, Study, TomlText, metric, parse_toml};

use crate::expand::expand;
use crate::measured::{Kind, kind};
use crate::published::{
    Claim, Figure, LIBRARY, MESSAGE, Message, Must, PROTOCOL, PrintedAs, Protocol, Published, Shows, Side,
    Table, Values, number,
};
use crate::stand_ins::Named;

/// Something that a file defines, with its place for errors.
struct At<'a> {
    /// Its section, such as `claim`.
    section: &'static str,
    /// Its position in the section, from 0; `None` if the section is a single table.
    position: Option<usize>,
    /// Its name in errors.
    id: &'a str,
}

impl At<'_> {
    /// The place of its start.
    fn place(&self) -> Place {
        let section = Place::of([self.section]);
        self.position.map_or(section.clone(), |position| section.item(position))
    }

    /// A refusal of it as a whole.
    fn refuse(&self, problem: String) -> Refusal {
        self.refuse_at(self.place().key("id"), problem)
    }

    /// A refusal of a name within it.
    fn refuse_name(&self, name: &str, problem: String) -> Refusal {
        self.refuse_at(self.place().mention(name), problem)
    }

    fn refuse_at(&self, place: Place, problem: String) -> Refusal {
        Refusal::at(place, format!("{} `{}`: {problem}", self.section, self.id))
    }

    /// Checks that every name is defined.
    fn known<'n>(
        &self,
        what: &str,
        names: impl IntoIterator<Item = &'n String>,
        defined: &[&str],
    ) -> Result<(), Refusal> {
        for name in names {
            if !defined.contains(&name.as_str()) {
                let problem = format!("there is no {what} `{name}` in this file{}", hint(name, defined));
                return Err(self.refuse_name(name, problem));
            }
        }
        Ok(())
    }

    /// Checks that these metrics exist.
    fn metrics<'n>(&self, names: impl IntoIterator<Item = &'n String>) -> Result<(), Refusal> {
        for name in names {
            if [Scope::Codec, Scope::Message].iter().all(|scope| metric::find(*scope, name).is_none()) {
                let all: Vec<String> = metric::all(Scope::Message)
                    .chain(metric::all(Scope::Codec))
                    .map(|metric| metric.name)
                    .collect();
                let all: Vec<&str> = all.iter().map(String::as_str).collect();
                return Err(
                    self.refuse_name(name, format!("there is no metric `{name}`{}", hint(name, &all)))
                );
            }
        }
        Ok(())
    }

    /// Checks that places name axes and values that they can have.
    fn place_is_known<'n>(
        &self,
        place: impl IntoIterator<Item = (&'n String, &'n String)>,
    ) -> Result<(), Refusal> {
        for (axis, value) in place {
            if !is_axis(axis) {
                return Err(self.refuse_name(axis, format!("there is no axis `{axis}`{}", hint(axis, &AXES))));
            }
            if let Err(error) = plain_value(axis, value) {
                return Err(self.refuse_name(value, error.to_string()));
            }
        }
        Ok(())
    }
}

fn hint(name: &str, known: &[&str]) -> String {
    nearest(name, known.iter().copied()).map_or(String::new(), |near| format!("; did you mean `{near}`?"))
}

/// The ids that a file defines.
struct Names<'a> {
    formats: Vec<&'a str>,
    protocols: Vec<&'a str>,
    /// Formats and protocols.
    subjects: Vec<&'a str>,
    messages: Vec<&'a str>,
    tables: Vec<&'a str>,
    measures: Vec<&'a str>,
    /// What must be equal, [`LIBRARY`] included.
    musts: Vec<&'a str>,
}

impl Published {
    /// Reads a file; `file` is its name in errors.
    ///
    /// # Errors
    /// With file, line and what to do, when the text is not such a file or uses an undefined name.
    pub fn parse(file: &str, text: &str) -> Result<Published, FileError> {
        let published: Published = parse_toml(file, text)?;
        check(&published).map_err(|refusal| TomlText { file, text }.refuse(refusal))?;
        Ok(published)
    }
}

/// Checks a whole file of published figures.
fn check(published: &Published) -> Result<(), Refusal> {
    let formats: Vec<&str> = published.format.iter().map(|format| format.id.as_str()).collect();
    let protocols: Vec<&str> = published.protocol.iter().map(|protocol| protocol.id.as_str()).collect();
    let names = Names {
        subjects: formats.iter().chain(&protocols).copied().collect(),
        formats,
        protocols,
        messages: published.message.iter().map(|message| message.id.as_str()).collect(),
        tables: published.table.iter().map(|table| table.id.as_str()).collect(),
        measures: published.measure.iter().map(|measure| measure.id.as_str()).collect(),
        musts: std::iter::once(LIBRARY).chain(published.must.iter().map(|must| must.id.as_str())).collect(),
    };
    let at = |section, position, id| At { section, position: Some(position), id };
    check_ids(published, &names)?;
    for (place, must) in published.must.iter().enumerate() {
        check_must(&at("must", place, &must.id), must, &names, place)?;
    }
    for (place, measure) in published.measure.iter().enumerate() {
        at("measure", place, &measure.id).known("requirement", &measure.must, &names.musts)?;
    }
    let conditions = std::iter::once(("conditions", None, &published.conditions));
    let also = published.also_under.iter().enumerate();
    let also = also.map(|(place, at)| ("also_under", Some(place), at));
    for (section, position, place) in conditions.chain(also) {
        At { section, position, id: "conditions" }.place_is_known(place)?;
    }
    for (place, format) in published.format.iter().enumerate() {
        if format.also.contains(&format.codec) {
            let problem = format!("`also` names `{}`, which `codec` already names: remove it", format.codec);
            return Err(at("format", place, &format.id).refuse(problem));
        }
    }
    for (place, protocol) in published.protocol.iter().enumerate() {
        check_protocol(&at("protocol", place, &protocol.id), protocol)?;
    }
    for (place, message) in published.message.iter().enumerate() {
        check_message(&at("message", place, &message.id), message, &names)?;
    }
    for (place, table) in published.table.iter().enumerate() {
        check_table(&at("table", place, &table.id), table, &names)?;
    }
    for (place, figure) in published.figure.iter().enumerate() {
        check_figure(&at("figure", place, &figure.id), figure, &names)?;
    }
    for (place, claim) in published.claim.iter().enumerate() {
        let at = at("claim", place, &claim.id);
        check_claim(&at, claim, published, &names)?;
        check_judging(&at, claim, published, &names)?;
    }
    Ok(())
}

/// Checks that no id is used twice.
fn check_ids(published: &Published, names: &Names) -> Result<(), Refusal> {
    let at = |section, position, id| At { section, position: Some(position), id };
    let figures: Vec<&str> = published.figure.iter().map(|figure| figure.id.as_str()).collect();
    let claims: Vec<&str> = published.claim.iter().map(|claim| claim.id.as_str()).collect();
    for (header, ids) in [
        ("format", &names.formats),
        ("message", &names.messages),
        ("table", &names.tables),
        ("figure", &figures),
        ("claim", &claims),
        ("measure", &names.measures),
    ] {
        for (place, id) in ids.iter().enumerate() {
            if ids[..place].contains(id) {
                return Err(at(header, place, id).refuse("is used twice: give each its own id".into()));
            }
        }
    }
    for (place, id) in names.protocols.iter().enumerate() {
        if names.formats.contains(id) || names.protocols[..place].contains(id) {
            return Err(at("protocol", place, id).refuse("is used twice: give each its own id".into()));
        }
    }
    Ok(())
}

fn check_must(at: &At, must: &Must, names: &Names, place: usize) -> Result<(), Refusal> {
    // The first name is the library's, which needs no section.
    if names.musts[..=place].contains(&must.id.as_str()) {
        return Err(at.refuse("is used twice, or is `library`: give each its own id".into()));
    }
    if must.settings.is_empty() == must.lacks.is_none() {
        return Err(at.refuse("write either `settings` that make it equal, or what a run `lacks`".into()));
    }
    Ok(())
}

/// The most choices of libraries for one claim.
const MOST_CHOICES: usize = 256;

/// What decides how a claim is judged: its parts, its quantity, what must be equal, and its bounds.
fn check_judging(at: &At, claim: &Claim, published: &Published, names: &Names) -> Result<(), Refusal> {
    at.known("measure", &claim.measure, &names.measures)?;
    at.known("requirement", &claim.must, &names.musts)?;
    if claim.share.is_some_and(|share| !(share > 0.0 && share <= 1.0)) {
        return Err(at.refuse("`share` is a number above 0, at most 1".into()));
    }
    if claim.tie.is_some_and(|tie| !(0.0..=0.5).contains(&tie)) {
        return Err(at.refuse("`tie` is a number from 0 to 0.5".into()));
    }
    if (claim.share.is_some() || claim.tie.is_some()) && claim.hedge.is_none() {
        return Err(
            at.refuse("`share` and `tie` need a `hedge`: which words of the study they stand for".into())
        );
    }
    let parts: Vec<&str> = published
        .claim
        .iter()
        .filter(|other| other.statement() == claim.statement())
        .map(|other| other.id.as_str())
        .collect();
    let numbered = (1..=parts.len()).map(|part| format!("{}.{part}", claim.statement()));
    let whole = parts == [claim.id.as_str()] && claim.id == claim.statement();
    if !whole && (parts.len() < 2 || !numbered.eq(parts.iter().copied())) {
        let problem = format!(
            "parts of a claim are two or more, in order: `{0}.1`, `{0}.2`; found {1}",
            claim.statement(),
            parts.join(", ")
        );
        return Err(at.refuse(problem));
    }
    let questions = expand(published, claim);
    let named = Named::of(published, &questions);
    let choices = named.formats.iter().map(|format| 1 + format.also.len());
    let choices =
        choices.chain(named.protocols.iter().map(|protocol| 1 + protocol.also.len())).product::<usize>();
    if choices > MOST_CHOICES {
        return Err(at.refuse(format!(
            "it has {choices} choices of libraries, more than {MOST_CHOICES}: shorten the lists `also`"
        )));
    }
    Ok(())
}

/// Refuses a file with names that a study's runs lack: codecs, payloads, modes and places on axes.
///
/// # Errors
/// With the line of the first such name, and the nearest name in the study.
pub fn against(published: &Published, study: &Study, file: &str, text: &str) -> Result<(), FileError> {
    let axes = &study.axes;
    let named = |axis: &str, named: Vec<String>| {
        named.into_iter().map(|name| (axis.to_owned(), name)).collect::<Vec<_>>()
    };
    fn texts<T: ToString>(ids: &[T]) -> Vec<String> {
        ids.iter().map(T::to_string).collect()
    }
    let mut names = named("codec", texts(&published.codecs()));
    names.extend(named("payload", texts(&published.payloads())));
    names.extend(named("mode", texts(&published.modes())));
    let protocols = published.protocol.iter().map(|protocol| &protocol.at);
    let tables = published
        .table
        .iter()
        .flat_map(|table| std::iter::once(&table.at).chain(table.row.iter().map(|row| &row.at)));
    let sides: Vec<&Side> = published.claim.iter().flat_map(Claim::sides).collect();
    let places = published.claim.iter().flat_map(|claim| &claim.places);
    let single = std::iter::once(&published.conditions)
        .chain(places)
        .chain(protocols)
        .chain(tables)
        .chain(sides.iter().map(|side| &side.at));
    names.extend(single.flatten().map(|(axis, value)| (axis.clone(), value.clone())));
    let several =
        published.claim.iter().map(|claim| &claim.at).chain(published.figure.iter().map(|figure| &figure.at));
    names.extend(several.flatten().flat_map(|(axis, values)| {
        values.all().iter().map(|value| (axis.clone(), value.clone())).collect::<Vec<_>>()
    }));
    for claim in &published.claim {
        let ways = claim.ways().into_iter().filter(|(axis, _)| *axis != MESSAGE && *axis != PROTOCOL);
        names.extend(ways.flat_map(|(axis, over)| named(axis, over.to_vec())));
    }
    for (axis, name) in names {
        let known = axes.values(&axis);
        let value = plain_value(&axis, &name).unwrap_or_else(|_| name.clone());
        if known.contains(&value) {
            continue;
        }
        let names = axes.names();
        let problem = if names.contains(&axis.as_str()) && !known.is_empty() {
            let known: Vec<&str> = known.iter().map(String::as_str).collect();
            format!("the study `{}` has no {axis} `{name}`{}", study.name, hint(&name, &known))
        } else {
            let set: Vec<&str> = names.iter().copied().filter(|axis| !axes.values(axis).is_empty()).collect();
            format!("the study `{}` has no axis `{axis}`{}", study.name, hint(&axis, &set))
        };
        let refusal = Refusal::at(Place::default().mention(&name), problem);
        return Err(TomlText { file, text }.refuse(refusal));
    }
    Ok(())
}

fn check_protocol(at: &At, protocol: &Protocol) -> Result<(), Refusal> {
    at.place_is_known(&protocol.at)?;
    for axis in &protocol.fixed {
        if !protocol.at.contains_key(axis) {
            let problem =
                format!("`fixed` names `{axis}`, which `at` does not mention: write its value there");
            return Err(at.refuse_name(axis, problem));
        }
    }
    if protocol.also.contains(&protocol.mode) {
        return Err(
            at.refuse(format!("`also` names `{}`, which `mode` already names: remove it", protocol.mode))
        );
    }
    Ok(())
}

fn check_message(at: &At, message: &Message, names: &Names) -> Result<(), Refusal> {
    at.known("format", &message.format, &names.formats)?;
    match (&message.payload, &message.average, message.sum.as_slice()) {
        (Some(_), None, []) | (None, None, [_, ..]) => Ok(()),
        (None, Some(average), []) => {
            let rates = std::iter::once(&average.with_per_s).chain(&average.other_rates_per_s);
            let fits = |rate: &f64| (0.0..=average.messages_per_s).contains(rate);
            if average.messages_per_s > 0.0 && rates.into_iter().all(fits) {
                return Ok(());
            }
            Err(at.refuse("rates must lie between 0 and `messages_per_s`, which is above 0".into()))
        }
        _ => Err(at.refuse("write either `payload`, `average` or `sum`".into())),
    }
}

fn check_table(at: &At, table: &Table, names: &Names) -> Result<(), Refusal> {
    at.known("format or protocol", &table.baseline, &names.subjects)?;
    if table.metric.is_empty() {
        return Err(at.refuse("`metric` is empty: name the run's metric".into()));
    }
    at.metrics(&table.metric)?;
    at.place_is_known(&table.at)?;
    let relative = table.printed_as != PrintedAs::Value || kind(&table.metric) == Kind::Time;
    if relative && table.baseline.is_none() {
        let problem =
            "needs a `baseline`: changes and differences refer to one, and times are compared only as ratios";
        return Err(at.refuse(problem.into()));
    }
    for row in &table.row {
        at.known("message", [&row.message], &names.messages)?;
        at.known("format or protocol", row.values.keys().chain(row.disputed.keys()), &names.subjects)?;
        at.place_is_known(&row.at)?;
        for (format, text) in &row.values {
            if number(text).is_none() {
                let problem =
                    format!("`{text}` for `{format}` is not a number: write digits, without the unit");
                return Err(at.refuse(problem));
            }
        }
    }
    Ok(())
}

fn check_figure(at: &At, figure: &Figure, names: &Names) -> Result<(), Refusal> {
    at.known("message", &figure.messages, &names.messages)?;
    at.known("format", &figure.formats, &names.formats)?;
    at.known("protocol", &figure.protocols, &names.protocols)?;
    at.known("format or protocol", &figure.baseline, &names.subjects)?;
    at.known("table", &figure.table, &names.tables)?;
    at.metrics(&figure.metric)?;
    at.place_is_known(each_value(&figure.at))?;
    if figure.not_redrawn.is_some() {
        return Ok(());
    }
    let lacks = [
        ("metric", figure.metric.is_empty()),
        ("messages", figure.messages.is_empty()),
        ("formats` or `protocols", figure.formats.is_empty() && figure.protocols.is_empty()),
        ("shows", figure.shows.is_none()),
        ("baseline", figure.shows == Some(Shows::Index) && figure.baseline.is_none()),
    ];
    match lacks.iter().find(|(_, lacks)| *lacks) {
        Some((what, _)) => Err(at.refuse(format!("needs `{what}`, or `not_redrawn` with the reason"))),
        None => Ok(()),
    }
}

/// Every axis with each of its values.
fn each_value(at: &BTreeMap<String, Values>) -> impl Iterator<Item = (&String, &String)> {
    at.iter().flat_map(|(axis, values)| values.all().iter().map(move |value| (axis, value)))
}

fn check_claim(at: &At, claim: &Claim, published: &Published, names: &Names) -> Result<(), Refusal> {
    if claim.relations() != 1 {
        let problem = "needs exactly one of `lowest`, `highest`, `less`, `order`, `orders`, `ratio`, `equal`, `increases`, `decreases`, \
                       `constant`, `tracks`, `slope`, `similar`, `value`, `cannot_judge`";
        return Err(at.refuse(problem.into()));
    }
    at.known("message", &claim.messages, &names.messages)?;
    at.known("format", &claim.formats, &names.formats)?;
    at.known("protocol", &claim.protocols, &names.protocols)?;
    at.metrics(&claim.metric)?;
    at.place_is_known(each_value(&claim.at))?;
    at.place_is_known(claim.places.iter().flatten())?;
    for extreme in claim.lowest.iter().chain(&claim.highest) {
        let named = std::iter::once(&extreme.of).chain(&extreme.among);
        at.known("format or protocol", named, &names.subjects)?;
        if extreme.among.is_empty() || extreme.among.contains(&extreme.of) {
            return Err(at.refuse("`among` names the others: at least one, and not the same one".into()));
        }
    }
    if let Some(similar) = &claim.similar {
        at.known("format or protocol", similar.of.iter().chain(&similar.among), &names.subjects)?;
        let fewest = if similar.of.is_some() { 1 } else { 2 };
        if similar.among.len() < fewest || similar.of.as_ref().is_some_and(|of| similar.among.contains(of)) {
            return Err(at.refuse("`among` names what is alike: at least two, or one beside `of`".into()));
        }
    }
    let whole = claim.lowest.is_some()
        || claim.highest.is_some()
        || claim.similar.is_some()
        || !claim.ways().is_empty();
    let along_messages = claim.ways().iter().any(|(along, _)| *along == MESSAGE);
    if whole
        && ((claim.messages.is_empty() && !along_messages && claim.slope.is_none())
            || claim.metric.is_empty())
    {
        return Err(at.refuse("needs `messages` and `metric`, for which it must hold".into()));
    }
    check_ways(at, claim, names)?;
    for side in claim.sides() {
        check_side(at, claim, side, published, names)?;
    }
    if claim.order.iter().chain(claim.orders.iter().flatten()).any(|sides| sides.len() < 2) {
        return Err(at.refuse("`order` needs at least two sides".into()));
    }
    if let Some(range) = &claim.ratio
        && ((range.from.is_none() && range.up_to.is_none())
            || range.from.unwrap_or(0.0) > range.up_to.unwrap_or(f64::INFINITY))
    {
        return Err(at.refuse("`ratio` needs `from`, `up_to` or both, in order".into()));
    }
    check_bounds(at, claim)
}

fn check_side(
    at: &At,
    claim: &Claim,
    side: &Side,
    published: &Published,
    names: &Names,
) -> Result<(), Refusal> {
    let all =
        |values: &Option<Values>| values.iter().flat_map(|values| values.all().to_vec()).collect::<Vec<_>>();
    at.known("format", &all(&side.format), &names.formats)?;
    at.known("protocol", &all(&side.protocol), &names.protocols)?;
    at.known("format or protocol", &side.over, &names.subjects)?;
    let messages = all(&side.message);
    at.known("message", &messages, &names.messages)?;
    at.metrics(side.metric.iter().flatten())?;
    at.place_is_known(&side.at)?;
    let along = |what: &str| claim.ways().iter().any(|(along, _)| *along == what);
    let messages = if messages.is_empty() { &claim.messages } else { &messages };
    let sent_in = |id: &String| published.message(id).is_some_and(|message| message.format.is_some());
    let has_format = side.format.is_some()
        || !claim.formats.is_empty()
        || along(MESSAGE)
        || (!messages.is_empty() && messages.iter().all(sent_in));
    let lacks = [
        ("format", !has_format),
        ("message", messages.is_empty() && !along(MESSAGE)),
        ("metric", side.metric.as_ref().is_none_or(Vec::is_empty) && claim.metric.is_empty()),
    ];
    match lacks.iter().find(|(_, lacks)| *lacks) {
        Some((what, _)) => Err(at.refuse(format!("a side has no {what}, and the claim names none for it"))),
        None => Ok(()),
    }
}

/// Relations along axes.
fn check_ways(at: &At, claim: &Claim, names: &Names) -> Result<(), Refusal> {
    for (along, over) in claim.ways() {
        match along {
            MESSAGE => at.known("message", over, &names.messages)?,
            PROTOCOL => at.known("protocol", over, &names.protocols)?,
            axis => {
                let axis = axis.to_owned();
                at.place_is_known(over.iter().map(|value| (&axis, value)))?;
            }
        }
        if over.len() < 2 {
            return Err(at.refuse("`over` needs at least two values to go along".into()));
        }
    }
    Ok(())
}

fn check_bounds(at: &At, claim: &Claim) -> Result<(), Refusal> {
    let Some(bounds) = &claim.value else { return Ok(()) };
    let metric = bounds.of.metric.as_ref().unwrap_or(&claim.metric).first().cloned().unwrap_or_default();
    let figure = wiredyno_model::Figure { metric, statistic: wiredyno_model::Statistic::Mean };
    for end in bounds.from.iter().chain(&bounds.up_to) {
        if let Err(error) = figure.quantity(end) {
            return Err(at.refuse_name(end, error.to_string()));
        }
    }
    if bounds.from.is_none() && bounds.up_to.is_none() {
        return Err(at.refuse("`value` needs `from`, `up_to` or both".into()));
    }
    Ok(())
}
