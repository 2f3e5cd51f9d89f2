//! The requested study: found, with `axis=value,...` replacing its own (`--set`), or reduced to such cells
//! (`--only`); and the study that runs in its place.

use std::collections::BTreeMap;

use toml::{Table, Value};
use wiredyno_contract::IdError;
use wiredyno_link::sandbox::Rights;
use wiredyno_model::selection::{Selection, is_axis, plain_value};
use wiredyno_model::{AXES, FileError, Refusal, Study, TomlText, option_of_axis};

use crate::catalogue::{self, CatalogueError, Found, Kind};
use crate::meaning::Meaning;
use crate::plan::Only;
use crate::stock::{self, StockError};

/// The key of the combinations that a study runs, if it does not run all.
const CELLS: &str = "cells";

/// The axes that stand for codecs in a study as written.
const CODECS_BY: [&str; 2] = ["format", "runner"];

/// Where a study comes from, for errors with a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StudySource {
    /// The name in errors: a path, perhaps followed by `with --set`.
    pub file: String,
    /// The text of the study, as TOML.
    pub text: String,
    /// Whether it was changed on the command line, so that the user does not see its lines.
    pub is_changed: bool,
}

impl StudySource {
    /// A study's file without changes from the command line.
    pub fn of_file(file: String, text: String) -> Self {
        StudySource { file, text, is_changed: false }
    }

    /// Refuses something in the text, with the line if the user can see it.
    pub fn refuse(&self, refusal: Refusal) -> FileError {
        self.told(TomlText { file: &self.file, text: &self.text }.refuse(refusal))
    }

    /// An error about the text, with the line only if the user can see it.
    pub fn told(&self, error: FileError) -> FileError {
        if self.is_changed { error.without_line() } else { error }
    }
}

/// Finds a study by id or path, and replaces values: of an axis by its name, of anything else by its path. Returns
/// it with its changed text.
///
/// # Errors
/// When there is none, and with file and line when it or one of the values is not valid.
pub fn find(id: &str, settings: &[String]) -> Result<(Study, StudySource), StudyError> {
    let found = found(id)?;
    apply(&found.name, &found.text, settings, &BTreeMap::new())
}

fn found(id: &str) -> Result<Found, StudyError> {
    catalogue::find(Kind::Study, id).map_err(|error| match error {
        unknown @ CatalogueError::Unknown { .. } => Refused(unknown.to_string()).into(),
        other => other.into(),
    })
}

/// The same for a study that is to be run with `--fast`: the settings under its `[fast]` are applied before `settings`, and the values
/// that they replace are kept in the study as its own pace.
///
/// # Errors
/// As [`find`], and when the study has no such section.
pub fn find_fast(id: &str, settings: &[String]) -> Result<(Study, StudySource), StudyError> {
    let found = found(id)?;
    faster(&found.name, &found.text, settings)
}

fn faster(name: &str, text: &str, settings: &[String]) -> Result<(Study, StudySource), StudyError> {
    let study = Study::parse(name, text)?;
    if study.fast.is_empty() {
        return Err(StudyError::NotFast { name: name.to_owned() });
    }
    let table: Table = toml::from_str(text)?;
    let set = |key: &String| {
        settings.iter().any(|setting| setting.split('=').next().map(str::trim) == Some(key.as_str()))
    };
    let changed = study.fast.iter().filter(|(key, _)| !set(key));
    let own_pace = changed.map(|(key, _)| (key.clone(), written_at(&table, key))).collect();
    let fast = study.fast.iter().map(|(key, value)| format!("{key}={value}"));
    let settings: Vec<String> = fast.chain(settings.iter().cloned()).collect();
    apply(name, text, &settings, &own_pace)
}

/// The value of a study at a key of `--set`, as text; empty if it has none.
fn written_at(table: &Table, key: &str) -> String {
    let axis = key.strip_prefix("axes.").unwrap_or(key);
    let path = if names_axis(axis) { vec!["axes", axis] } else { key.split('.').collect() };
    let mut at = Some(table);
    for (place, name) in path.iter().enumerate() {
        match at.and_then(|table| table.get(*name)) {
            Some(Value::Table(inner)) => at = Some(inner),
            Some(value) if place + 1 == path.len() => return plain(value),
            _ => return String::new(),
        }
    }
    String::new()
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(values) => values.iter().map(plain).collect::<Vec<_>>().join(","),
        value => value.to_string(),
    }
}

/// The study to run in addition, if links can't be emulated here and the requested study needs them.
///
/// # Errors
/// When the study to which it refers is not valid.
pub fn stand_in(study: &Study, rights: &Rights) -> Result<Option<(Study, StudySource)>, StudyError> {
    let needs_link = study.axes.link.iter().any(|link| !link.is_loopback()) && !study.axes.mode.is_empty();
    let (Some(id), true, Err(_)) = (&study.without_link, needs_link, &rights.network_namespaces) else {
        return Ok(None);
    };
    let (mut stand_in, source) = find(id, &[])?;
    // The codecs of the requested study are measured there already.
    stand_in.codec_trials.enabled = false;
    Ok(Some((stand_in, source)))
}

/// The command line asks for something impossible, whatever files hold.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Refused(pub String);

impl Meaning for Refused {
    fn is_refusal(&self) -> bool {
        true
    }
}

/// Why the requested study can't be used.
#[derive(Debug, thiserror::Error)]
pub enum StudyError {
    /// The command line is wrong.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// Its file can't be read.
    #[error(transparent)]
    Catalogue(#[from] CatalogueError),
    /// A setting of it is not valid.
    #[error(transparent)]
    File(#[from] FileError),
    /// The name of a replacing payload is not valid.
    #[error(transparent)]
    Name(#[from] IdError),
    /// A replacing payload, given by its folder, can't be opened.
    #[error(transparent)]
    Payload(#[from] StockError),
    /// It has no `[fast]` section.
    #[error(
        "{name}: --fast: the study has no section [fast]: add one, for example with \"load.interval\" = \
         \"500ms\", or run it without --fast"
    )]
    NotFast {
        /// Name of the study.
        name: String,
    },
    /// Its text is not TOML.
    #[error("the study: {0}")]
    Text(#[from] toml::de::Error),
    /// It can't be written with the replaced values.
    #[error("the study with --set: {0}")]
    Written(#[from] toml::ser::Error),
}

impl Meaning for StudyError {
    fn is_refusal(&self) -> bool {
        matches!(self, StudyError::Refused(_))
    }
}

fn apply(
    name: &str,
    text: &str,
    settings: &[String],
    own_pace: &BTreeMap<String, String>,
) -> Result<(Study, StudySource), StudyError> {
    let study = Study::parse(name, text)?;
    if settings.is_empty() {
        return Ok((study, StudySource::of_file(name.to_owned(), text.to_owned())));
    }
    let mut whole: Table = toml::from_str(text)?;
    if !own_pace.is_empty() {
        let own_pace = own_pace.iter().map(|(key, own)| (key.clone(), Value::String(own.clone())));
        whole.insert("own_pace".to_owned(), Value::Table(own_pace.collect()));
    }
    let file = format!("{name} with --set");
    let (text, parsed) = with(&whole, &file, settings)?;
    match parsed {
        Ok(study) => Ok((study, StudySource { file, text, is_changed: true })),
        Err(error) => Err(blamed(&whole, &file, settings, &error).into()),
    }
}

/// The text of a study with these settings, and the study.
fn with(
    whole: &Table,
    file: &str,
    settings: &[String],
) -> Result<(String, Result<Study, FileError>), StudyError> {
    let mut table = whole.clone();
    let mut narrowed = Vec::new();
    for setting in settings {
        if setting.strip_suffix('=').map(str::trim) == Some(CELLS) {
            table.remove(CELLS);
            continue;
        }
        // An axis without a value is removed.
        if let Some(key) = setting.strip_suffix('=').map(str::trim)
            && let axis = key.strip_prefix("axes.").unwrap_or(key)
            && names_axis(axis)
        {
            remove(&mut table, &["axes".to_owned(), axis.to_owned()]);
            continue;
        }
        let (key, values) = split(setting, "--set")?;
        let axis = key.strip_prefix("axes.").unwrap_or(key);
        let (path, value) = if key.starts_with("axes.") || names_axis(axis) {
            let named = |value: &&str| axis_value(axis, value);
            narrowed.push((setting, axis));
            (vec!["axes", axis], Value::Array(values.iter().map(named).collect::<Result<_, StudyError>>()?))
        } else {
            (key.split('.').collect(), scalar(values[0]))
        };
        put(&mut table, &path, value).map_err(|why| Refused(format!("--set {setting}: {why}")))?;
        for replaced in replaced_by(&path) {
            remove(&mut table, &replaced);
        }
    }
    for (setting, axis) in narrowed {
        narrow_cells(&mut table, axis).map_err(|why| Refused(format!("--set {setting}: {why}")))?;
    }
    let text = toml::to_string(&table)?;
    let study = Study::parse(file, &text).map_err(FileError::without_line);
    Ok((text, study))
}

/// Removes combinations from `cells` whose values an axis no longer has.
fn narrow_cells(table: &mut Table, axis: &str) -> Result<(), String> {
    let Some(Value::Array(values)) = table.get("axes").and_then(|axes| axes.get(axis)) else { return Ok(()) };
    let values = values.iter().map(plain).map(|value| plain_value(axis, &value).unwrap_or(value));
    let values: Vec<String> = values.collect();
    let Some(Value::Array(cells)) = table.get_mut(CELLS) else { return Ok(()) };
    // Patterns match values that are not known yet.
    if cells.is_empty() || values.iter().any(|value| value.contains('*') || value == "all") {
        return Ok(());
    }
    cells.retain_mut(|line| match line.as_str().map(str::parse::<Selection>) {
        Some(Ok(selection)) => {
            let left = selection.within(axis, &values);
            left.inspect(|left| *line = Value::String(left.to_string())).is_some()
        }
        // The study's check reports what is wrong with it.
        _ => true,
    });
    if cells.is_empty() {
        let values = values.join(", ");
        return Err(format!(
            "the study runs only the combinations under `cells`, and none has {values}: remove `cells` with --set {CELLS}="
        ));
    }
    Ok(())
}

/// The setting that the study can't have, with what is wrong with it.
fn blamed(whole: &Table, file: &str, settings: &[String], error: &FileError) -> Refused {
    let says_it = |setting: &&String| {
        let alone = with(whole, file, std::slice::from_ref(setting)).map(|(_, study)| study);
        alone.is_ok_and(|study| study.is_err_and(|alone| alone == *error))
    };
    let Some(setting) = settings.iter().find(says_it) else { return Refused(error.to_string()) };
    let FileError { problem, hint, .. } = error;
    let problem = in_words(problem);
    Refused(match section_of(whole, file, setting) {
        Some(meant) => format!("--set {setting}: there is no key of that name; did you mean `{meant}`?"),
        None => format!("--set {setting}: {problem}{hint}"),
    })
}

/// A problem in the user's words, whatever types the program has for it.
fn in_words(problem: &str) -> String {
    const NUMBERS: [(&str, &str); 5] = [
        ("u32", "a whole number, 0 or more"),
        ("u64", "a whole number, 0 or more"),
        ("usize", "a whole number, 0 or more"),
        ("f64", "a number"),
        ("a boolean", "true or false"),
    ];
    let Some((what, wanted)) = problem.rsplit_once("expected ") else { return problem.to_owned() };
    let said = NUMBERS.iter().find(|(ty, _)| *ty == wanted).map_or(wanted, |(_, said)| said);
    format!("{what}expected {said}")
}

/// The key with its section, if the section was left out.
fn section_of(whole: &Table, file: &str, setting: &str) -> Option<String> {
    const SECTIONS: [&str; 5] = ["load", "trials", "codec_trials", "hosts", "limits"];
    let (key, _) = setting.split_once('=').filter(|(key, _)| !key.contains('.') && !names_axis(key))?;
    let is_known = |section: &&str| {
        let meant = with(whole, file, &[format!("{section}.{setting}")]);
        meant.is_ok_and(|(_, study)| study.map_or_else(|error| !error.is_unknown_key, |_| true))
    };
    Some(format!("{}.{key}", SECTIONS.iter().copied().find(is_known)?))
}

/// Whether a key of `--set` is the name of an axis rather than a path.
fn names_axis(key: &str) -> bool {
    let of_protocol = |(protocol, _): (&str, &str)| wiredyno_transport_registry::of_protocol(protocol).is_some();
    AXES.contains(&key) || CODECS_BY.contains(&key) || option_of_axis(key).is_some_and(of_protocol)
}

/// The paths of the values that a value at a path replaces: codecs and formats replace each other, and an option is an axis or has one
/// value for the whole study.
fn replaced_by(path: &[&str]) -> Vec<Vec<String>> {
    let owned = |path: &[&str]| path.iter().map(|key| (*key).to_owned()).collect::<Vec<_>>();
    match *path {
        ["axes", "codec"] => CODECS_BY.iter().map(|by| owned(&["axes", by])).collect(),
        ["axes", "format"] => vec![owned(&["axes", "codec"])],
        ["axes", axis] => {
            let option = option_of_axis(axis);
            option.iter().map(|(protocol, option)| owned(&["transport", protocol, option])).collect()
        }
        ["transport", protocol, option] => vec![owned(&["axes", &format!("{protocol}.{option}")])],
        _ => Vec::new(),
    }
}

fn remove(table: &mut Table, path: &[String]) {
    match path {
        [] => {}
        [key] => drop(table.remove(key)),
        [first, rest @ ..] => {
            if let Some(Value::Table(inner)) = table.get_mut(first) {
                remove(inner, rest);
            }
        }
    }
}

/// A value of an axis; a payload may be named by its folder.
fn axis_value(axis: &str, value: &str) -> Result<Value, StudyError> {
    if axis != "payload" || !value.contains('/') {
        return Ok(scalar(value));
    }
    Ok(Value::String(stock::payload(&value.parse()?)?.id().to_string()))
}

/// The cells to keep.
///
/// # Errors
/// When there is no such axis, or it does not have the value.
pub fn only(filters: &[String]) -> Result<Vec<Only>, Refused> {
    filters
        .iter()
        .map(|filter| {
            let (axis, values) = split(filter, "--only")?;
            if !is_axis(axis) {
                let known = AXES.join(", ");
                return Err(Refused(format!(
                    "--only {filter}: there is no axis `{axis}`; write one of {known}"
                )));
            }
            let values = values.iter().map(|value| plain_value(axis, value)).collect::<Result<_, _>>();
            let values = values.map_err(|error| Refused(format!("--only {filter}: {error}")))?;
            Ok(Only { axis: axis.to_owned(), values })
        })
        .collect()
}

fn split<'a>(setting: &'a str, option: &str) -> Result<(&'a str, Vec<&'a str>), Refused> {
    match setting.split_once('=') {
        Some((key, values)) if !key.is_empty() && !values.is_empty() => {
            Ok((key.trim(), values.split(',').map(str::trim).collect()))
        }
        _ => Err(Refused(format!(
            "{option} {setting}: write a name, an equals sign and a value, for example {option} codec=json/serde-json"
        ))),
    }
}

/// A word as TOML would read it: a number, true or false, otherwise text.
fn scalar(word: &str) -> Value {
    if let Ok(number) = word.parse::<i64>() {
        return Value::Integer(number);
    }
    if let Ok(number) = word.parse::<f64>() {
        return Value::Float(number);
    }
    match word {
        "true" => Value::Boolean(true),
        "false" => Value::Boolean(false),
        text => Value::String(text.to_owned()),
    }
}

fn put(table: &mut Table, path: &[&str], value: Value) -> Result<(), String> {
    match path {
        [] => Ok(()),
        [key] => {
            table.insert((*key).to_owned(), value);
            Ok(())
        }
        [first, rest @ ..] => {
            let inner = table.entry(*first).or_insert_with(|| Value::Table(Table::new()));
            match inner {
                Value::Table(inner) => put(inner, rest, value),
                _ => Err(format!("`{first}` is a value, not a section")),
            }
        }
    }
}

#[cfg(test)]
mod lines;

#[cfg(test)]
mod tests;
