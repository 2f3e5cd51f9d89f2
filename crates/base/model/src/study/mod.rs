//! A study: the TOML file that names axes and their values, and how its trials are carried out.

mod check;
mod hosts;
mod options;
mod resolve;
mod trials;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wiredyno_contract::{BrokerId, OptionTable};

use crate::axis::{Axes, Cell, CodecCell, NothingMatches, Pattern};
use crate::limits::Limits;
use crate::load::Load;
use crate::place::{Place, Refusal};
use crate::security::SecuritySettings;
use crate::selection::Selection;
use crate::threshold::Threshold;
use crate::toml_text::{FileError, TomlText, parse_toml};

pub use self::hosts::{Host, Hosts, Lifetime};
pub use self::trials::{CodecTrials, Lanes, Trials, Until};

/// A study as written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Study {
    /// Its id: the file's name without `.toml`.
    pub name: String,
    /// The question it answers, in one sentence.
    pub why: String,
    /// How to read its results, in prose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub analysis: Option<String>,
    /// The study to run instead where no link can be emulated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub without_link: Option<String>,
    /// The cells that are run: those that any of these selects, as in `payload=small; link=lte`; all combinations of the axes' values when
    /// left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cells: Vec<String>,
    /// The cells that decide its published claims, selected likewise: `--decisive` runs these alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub decisive: Vec<String>,
    /// What `--fast` sets, by the keys that `--set` takes: `"load.interval" = "500ms"`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub fast: BTreeMap<String, String>,
    /// The values that `--fast` replaced, by the same keys, in a study that is run with it. Empty for a key that had been left out.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub own_pace: BTreeMap<String, String>,
    /// What varies: each axis with its values.
    #[serde(deserialize_with = "crate::axis::read_axes")]
    pub axes: Axes,
    /// Where the roles run: `edge` or `cloud`, for each role.
    #[serde(default)]
    pub hosts: Hosts,
    /// Settings of every secured connection.
    #[serde(default, skip_serializing_if = "SecuritySettings::is_default")]
    pub security: SecuritySettings,
    /// How messages are issued. Needed when the axes name modes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load: Option<Load>,
    /// How trials are carried out.
    #[serde(default)]
    pub trials: Trials,
    /// How codec trials are carried out.
    #[serde(default)]
    pub codec_trials: CodecTrials,
    /// Limits beyond which a trial is invalid or overloaded.
    #[serde(default)]
    pub limits: Limits,
    /// Options of transports, by protocol; `wiredyno list protocols` shows what is available.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub transport: BTreeMap<String, OptionTable>,
    /// Bounds that figures must keep: they decide the exit code of `run`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub threshold: Vec<Threshold>,
}

impl Study {
    /// Reads a study; `file` is its name in errors.
    ///
    /// # Errors
    /// With file, line and what to do, when the text is not a valid study.
    pub fn parse(file: &str, text: &str) -> Result<Study, FileError> {
        let study: Study = parse_toml(file, text)?;
        study.check().map_err(|refusal| TomlText { file, text }.refuse(refusal))?;
        Ok(study)
    }

    /// The selections in `cells`; empty for all cells. A line that its check refused is left out.
    fn selections(&self) -> Vec<Selection> {
        self.cells.iter().filter_map(|written| written.parse().ok()).collect()
    }

    /// The cells of its axes that are run; `serves` as in [`Axes::cells`].
    pub fn cells(&self, serves: &dyn Fn(&BrokerId, &str) -> bool) -> Vec<Cell> {
        let selections = self.selections();
        let mut cells = self.axes.cells(serves);
        let meant = |cell: &Cell| selections.iter().any(|selection| selection.means(|axis| cell.value(axis)));
        cells.retain(|cell| selections.is_empty() || meant(cell));
        cells
    }

    /// The same for codec trials; an axis of messages, on which they have no value, excludes none of them.
    pub fn codec_cells(&self) -> Vec<CodecCell> {
        let selections = self.selections();
        let mut cells = self.axes.codec_cells();
        let meant = |cell: &CodecCell| {
            selections.iter().any(|selection| selection.means_where_known(|axis| cell.value(axis)))
        };
        cells.retain(|cell| selections.is_empty() || meant(cell));
        cells
    }
}

fn nothing_matches(pattern: &Pattern, kind: &'static str, hint: String) -> Refusal {
    let problem = NothingMatches { pattern: pattern.as_str().to_owned(), kind, hint }.to_string();
    Refusal::at(Place::of_axis(kind).word(pattern.as_str()), problem)
}

fn empty_or_doubled<T: PartialEq + std::fmt::Display>(values: &[T], axis: &str) -> Result<(), Refusal> {
    let refuse = |problem: String| Err(Refusal::at(Place::of_axis(axis), problem));
    if values.is_empty() {
        return refuse(format!("the axis `{axis}` has no value: name at least one"));
    }
    for (position, value) in values.iter().enumerate() {
        if values[..position].contains(value) {
            return refuse(format!("the axis `{axis}` names `{value}` twice: remove one"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
