//! How many trials a study has, and how many run at once.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wiredyno_contract::{Ratio, Span};

use crate::place::{Place, Refusal};

/// How trials are carried out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Trials {
    /// Valid trials required per cell. With fewer than five, reports say "no interval". With `until`, the minimum.
    pub repeats: u32,
    /// Trials that may run side by side.
    pub lanes: Lanes,
    /// The seed of schedule, link and load.
    pub seed: u64,
    /// How often an invalid trial is repeated before its cell continues without it.
    pub retries: u32,
    /// More trials for each cell until a figure is known well enough; absent for `repeats` and no more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<Until>,
    /// Whether the size of clients is measured: `implementation_size`. Needs a runner with each client alone, and one without any.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub weigh: bool,
}

/// More trials of a cell until the 95 % interval of a metric's mean is narrow enough, with a limit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Until {
    /// The metric, by its name in `summary.json`. Cells that don't have it stop after `repeats`.
    pub metric: String,
    /// Half the interval divided by the mean, at most; above 0 and below 1.
    pub within: Ratio,
    /// No cell gets more valid trials than this.
    pub at_most: u32,
}

impl Default for Trials {
    fn default() -> Self {
        Trials { repeats: 5, lanes: Lanes::Auto, seed: 1, retries: 2, until: None, weigh: false }
    }
}

/// How many lanes: `"auto"` or a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "WrittenLanes", into = "WrittenLanes")]
#[schemars(with = "WrittenLanes")]
pub enum Lanes {
    /// As many as the CPU carries with room to spare.
    Auto,
    /// Exactly this many, from 1.
    Fixed(u32),
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "lanes is \"auto\" or a number")]
enum WrittenLanes {
    Number(u32),
    Word(String),
}

impl TryFrom<WrittenLanes> for Lanes {
    type Error = &'static str;
    fn try_from(written: WrittenLanes) -> Result<Self, Self::Error> {
        match written {
            WrittenLanes::Number(lanes) => Ok(Lanes::Fixed(lanes)),
            WrittenLanes::Word(word) if word == "auto" => Ok(Lanes::Auto),
            WrittenLanes::Word(_) => Err("lanes is \"auto\" or a number"),
        }
    }
}

impl From<Lanes> for WrittenLanes {
    fn from(lanes: Lanes) -> Self {
        match lanes {
            Lanes::Auto => WrittenLanes::Word("auto".to_owned()),
            Lanes::Fixed(lanes) => WrittenLanes::Number(lanes),
        }
    }
}

/// How codec trials are carried out: each measures the four phases of one codec on one payload.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CodecTrials {
    /// Whether the study has codec trials at all.
    pub enabled: bool,
    /// The least time of one batch; batches are calibrated to it.
    pub batch_time: Span,
    /// Batches timed per phase; the figure is their median.
    pub batches: u32,
    /// Samples of the payload that the loops cycle through.
    pub samples: u32,
    /// Whether each codec is measured in a runner of its own, so that figures of whole processes are that codec's alone. Otherwise one
    /// runner of a payload has all codecs of the study.
    pub alone: bool,
    /// Whether an empty call is timed, too: what the loop itself costs in the runner's language.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub empty: bool,
}

impl Default for CodecTrials {
    fn default() -> Self {
        CodecTrials {
            enabled: true,
            batch_time: Span::from_ms(2),
            batches: 30,
            samples: 100,
            alone: false,
            empty: false,
        }
    }
}

impl Until {
    /// Checks that the rule can be followed; places are relative to its table.
    pub(super) fn check(&self, repeats: u32) -> Result<(), Refusal> {
        let Until { at_most, within, .. } = self;
        if repeats < 5 {
            let problem = format!(
                "trials.until needs repeats = 5 or more, not {repeats}: fewer trials have no interval"
            );
            return Err(Refusal::at(Place::default(), problem));
        }
        if *at_most < repeats {
            let problem =
                format!("at_most = {at_most} is less than repeats = {repeats}: write a larger number");
            return Err(Refusal::at(Place::of(["at_most"]), problem));
        }
        let within = within.get();
        if within <= 0.0 || within >= 1.0 {
            let problem = format!(
                "within = {within} is out of range: write a ratio above 0 and below 1, such as \"5%\""
            );
            return Err(Refusal::at(Place::of(["within"]), problem));
        }
        Ok(())
    }
}
