//! What a study would do here, without running it.

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::{ApiError, ApiResult};
use crate::helper::Helper;
use crate::study::{self, FILE, is_plain_only};

/// A study to plan without running it.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlanRequest {
    /// The text of the study, as TOML.
    pub study: String,
    /// Keep only these cells, as with `--only`: `codec=json/serde-json`.
    #[serde(default)]
    pub only: Vec<String>,
    /// The fleet whose agents its hosts would be: one of `fleets`.
    #[serde(default)]
    pub fleet: Option<String>,
}

/// What a study would do on this machine.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Planned {
    /// The study's `name`.
    pub name: String,
    /// The study's `why`: the question that it answers.
    pub why: String,
    /// The cells of its message trials.
    pub cells: Vec<NamedCell>,
    /// How many cells have codec trials.
    pub codec_cells: u64,
    /// How many message trials it makes.
    pub trials: u64,
    /// How many codec trials it makes.
    pub codec_trials: u64,
    /// Most lanes that run trials at once.
    pub lanes: u32,
    /// Estimated duration of the trials, in nanoseconds.
    pub estimate_ns: u64,
    /// Runners that are compiled first.
    pub compile: Vec<Compiled>,
    /// Estimated duration of compiling, in nanoseconds.
    pub compile_estimate_ns: u64,
    /// Runners whose environment is set up first, which needs a network.
    pub to_make_ready: Vec<String>,
    /// What can't be run, and why.
    pub not_run: Vec<NotRun>,
    /// Cells whose messages can only be counted, and why.
    pub counted_only: Vec<NotRun>,
}

/// A cell with its name.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct NamedCell {
    /// Its name, as reports write it.
    pub name: String,
    /// Its values on the axes.
    pub axes: Value,
}

/// A runner to compile.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Compiled {
    /// The payload's id.
    pub payload: String,
    /// The ids of its codecs.
    pub codecs: Vec<String>,
    /// Estimated duration of compiling, in nanoseconds.
    pub estimate_ns: u64,
}

/// Something that can't be run or measured in full.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct NotRun {
    /// What is not run, such as the name of a cell.
    pub what: String,
    /// Why, and what to install if that helps.
    pub why: String,
    /// The command that installs what is missing, if one is known; the first if there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub install: Option<String>,
}

/// The output of `wiredyno run --dry-run --json`.
#[derive(Deserialize)]
struct Preview {
    to_make_ready: Vec<String>,
    to_compile: Vec<Compiled>,
    compile_estimate_ns: u64,
    cells: Vec<wiredyno_model::Cell>,
    counted_only: Vec<CountedOnly>,
    lanes: u32,
    estimate_ns: u64,
    codec_trials: Vec<PlannedTrial>,
    trials: Vec<Value>,
    not_run: Vec<NotRun>,
}

#[derive(Deserialize)]
struct CountedOnly {
    cell: wiredyno_model::Cell,
    why: String,
}

#[derive(Deserialize)]
struct PlannedTrial {
    cell: wiredyno_model::CodecCell,
}

/// Plans a study, with `scratch` for temporary files; `broker` is an external broker to use, `fleet` the file of a fleet.
///
/// # Errors
/// With the line, if the study is invalid or can't be run.
pub async fn plan(
    helper: &Helper,
    scratch: &Path,
    request: &PlanRequest,
    broker: Option<&str>,
    fleet: Option<&Path>,
) -> ApiResult<Planned> {
    let study = study::read(&request.study)?;
    if let Some(bad) = request.only.iter().find(|only| !is_plain_only(only)) {
        return Err(ApiError::bad(format!(
            "only: `{}`: write codec=json/serde-json",
            crate::runs::shown(bad)
        )));
    }
    let desk = tempfile::Builder::new().prefix("plan-").tempdir_in(scratch).map_err(ApiError::internal)?;
    let file = desk.path().join(FILE);
    std::fs::write(&file, &request.study).map_err(ApiError::internal)?;
    let folder = desk.path().join("run").display().to_string();
    let mut arguments: Vec<String> = ["run", "--dry-run", "--json"].map(str::to_owned).to_vec();
    arguments.extend(["--out".to_owned(), folder, file.display().to_string()]);
    for only in &request.only {
        arguments.extend(["--only".to_owned(), only.clone()]);
    }
    if let Some(broker) = broker {
        arguments.extend(["--broker".to_owned(), broker.to_owned()]);
    }
    if let Some(fleet) = fleet {
        arguments.extend(["--fleet".to_owned(), fleet.display().to_string()]);
    }
    let output = helper.ask(&arguments).await?.about("study", &[FILE])?;
    let preview: Preview = serde_json::from_str(&output).map_err(ApiError::internal)?;
    let mut codecs: Vec<_> = preview.codec_trials.iter().map(|trial| &trial.cell).collect();
    codecs.sort();
    codecs.dedup();
    let cells = preview.cells.iter().map(|cell| {
        let axes = serde_json::to_value(cell).map_err(ApiError::internal)?;
        Ok(NamedCell { name: cell.to_string(), axes })
    });
    let counted = preview.counted_only.into_iter();
    Ok(Planned {
        name: study.name,
        why: study.why,
        codec_cells: codecs.len() as u64,
        trials: preview.trials.len() as u64,
        codec_trials: preview.codec_trials.len() as u64,
        lanes: preview.lanes,
        estimate_ns: preview.estimate_ns,
        compile: preview.to_compile,
        compile_estimate_ns: preview.compile_estimate_ns,
        to_make_ready: preview.to_make_ready,
        not_run: preview.not_run,
        counted_only: counted
            .map(|one| NotRun { what: one.cell.to_string(), why: one.why, install: None })
            .collect(),
        cells: cells.collect::<ApiResult<_>>()?,
    })
}
