//! Values put in place of a study's own: `--set axis=value,...`, in the text of the study, so that errors keep their lines.

use toml::{Table, Value};
use wiredyno_model::selection::{Selection, plain_value};
use wiredyno_model::{AXES, FileError, Study, option_of_axis};

use super::{CELLS, CODECS_BY, DECISIVE, Refused, StudyError, plain};
use crate::stock::{self};

/// The text of a study with these settings, and the study.
pub(super) fn with(
    whole: &Table,
    file: &str,
    settings: &[String],
) -> Result<(String, Result<Study, FileError>), StudyError> {
    let mut table = whole.clone();
    // Which cells decide is said of the study as written.
    table.remove(DECISIVE);
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
        if [CELLS, DECISIVE].contains(&key) {
            let told = format!(
                "--set {setting}: combinations are written in the study's file; --set {CELLS}= removes them"
            );
            return Err(Refused(told).into());
        }
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
pub(super) fn blamed(whole: &Table, file: &str, settings: &[String], error: &FileError) -> Refused {
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
pub(super) fn names_axis(key: &str) -> bool {
    let of_protocol =
        |(protocol, _): (&str, &str)| wiredyno_transport_registry::of_protocol(protocol).is_some();
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

pub(super) fn split<'a>(setting: &'a str, option: &str) -> Result<(&'a str, Vec<&'a str>), Refused> {
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
