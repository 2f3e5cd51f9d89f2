//! The requested study: found, with `axis=value,...` replacing its own (`--set`), or reduced to such cells
//! (`--only`); and the study that runs in its place.

mod settings;

use crate::source::StudySource;
use std::collections::BTreeMap;

use toml::{Table, Value};
use wiredyno_contract::{IdError, LinkId};
use wiredyno_link::sandbox::Rights;
use wiredyno_model::selection::{is_axis, plain_value};
use wiredyno_model::{AXES, FileError, Study};

use crate::catalogue::{self, CatalogueError, Found, Kind};
use crate::meaning::Meaning;
use crate::plan::Only;
use crate::stock::StockError;

use self::settings::{blamed, names_axis, split, with};

/// The key of the combinations that a study runs, if it does not run all.
const CELLS: &str = "cells";

/// The key of those that decide its claims.
const DECISIVE: &str = "decisive";

/// The axes that stand for codecs in a study as written.
const CODECS_BY: [&str; 2] = ["format", "runner"];

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

/// How a study is cut down before `settings` are applied.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Reduced {
    /// `--fast`: the settings under its `[fast]` are applied, and the values that they replace are kept in the study as its own pace.
    pub fast: bool,
    /// `--decisive`: only the cells under its `decisive` are run.
    pub decisive: bool,
}

/// The same for a study that is to be cut down.
///
/// # Errors
/// As [`find`], and when the study does not say how.
pub fn find_reduced(
    id: &str,
    settings: &[String],
    reduced: Reduced,
) -> Result<(Study, StudySource), StudyError> {
    let all = |setting: &&String| {
        setting.split_once('=').is_some_and(|(key, value)| key.trim() == CELLS && value.is_empty())
    };
    if let (true, Some(setting)) = (reduced.decisive, settings.iter().find(all)) {
        let refused =
            format!("--decisive runs some cells of the study and --set {setting} all of them: leave out one");
        return Err(Refused(refused).into());
    }
    let found = found(id)?;
    let text = if reduced.decisive { decisive(&found.name, &found.text)? } else { found.text };
    let (study, source) = match reduced.fast {
        true => faster(&found.name, &text, settings)?,
        false => apply(&found.name, &text, settings, &BTreeMap::new())?,
    };
    let is_changed = source.is_changed || reduced.decisive;
    Ok((study, StudySource { is_changed, ..source }))
}

/// The text of a study that runs only its decisive cells.
fn decisive(name: &str, text: &str) -> Result<String, StudyError> {
    if Study::parse(name, text)?.decisive.is_empty() {
        return Err(StudyError::NotDecisive { name: name.to_owned() });
    }
    let mut table: Table = toml::from_str(text)?;
    if let Some(cells) = table.remove(DECISIVE) {
        table.insert(CELLS.to_owned(), cells);
    }
    Ok(toml::to_string(&table)?)
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
    let needs_link = study.axes.link.iter().any(LinkId::is_emulated) && !study.axes.mode.is_empty();
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
    /// It does not name its decisive cells.
    #[error(
        "{name}: --decisive: the study does not say which cells decide its claims: add decisive = [\"payload=small; link=lte\", ...], \
         or run it without --decisive"
    )]
    NotDecisive {
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

#[cfg(test)]
mod lines;

#[cfg(test)]
mod tests;
