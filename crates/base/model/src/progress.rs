//! How far a run is, for programs: the lines of `wiredyno run --progress json`, one JSON object each.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::outcome::Outcome;

/// One line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ProgressLine {
    /// Runners are compiled or made ready.
    Building {
        /// What is compiled now.
        text: String,
    },
    /// The plan is made; comes once, before the first trial.
    Plan {
        /// The cells, codec trials first.
        cells: Vec<PlannedCell>,
        /// Lanes at most.
        lanes: u32,
        /// Trials to come, about.
        total: u64,
        /// How long they will take about, in nanoseconds.
        estimate_ns: u64,
    },
    /// A trial begins.
    Started(TrialStart),
    /// A trial has ended, or had before the run was gone on with.
    Trial(TrialEnd),
    /// Cells whose figures are not known well enough yet get another trial each.
    Round {
        /// Trials to come beyond those told of before.
        trials: u64,
    },
    /// The process of a lane's link is gone: it is laid again, and the trial on it is made anew.
    LaneGone {
        /// The lane.
        lane: u32,
        /// Why it is gone.
        reason: String,
    },
}

/// What a trial measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TrialKind {
    /// A codec alone.
    Codec,
    /// Messages that are sent.
    Message,
}

/// A cell with what is planned for it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlannedCell {
    /// Its name, as reports write it.
    pub name: String,
    /// What its trials measure.
    pub kind: TrialKind,
    /// Its values on the axes.
    pub axes: Value,
    /// Valid trials wanted.
    pub wanted: u32,
}

/// A trial that begins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TrialStart {
    /// The name of its cell.
    pub name: String,
    /// What it measures.
    pub kind: TrialKind,
    /// Which repeat, from 0.
    pub repeat: u32,
    /// How many attempts of the repeat were invalid before.
    pub attempt: u32,
    /// The lane, from 0; absent for codec trials.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lane: Option<u32>,
}

/// A trial that has ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TrialEnd {
    /// The name of its cell.
    pub name: String,
    /// What it measured.
    pub kind: TrialKind,
    /// Its number in the run.
    pub number: u32,
    /// Which repeat, from 0.
    pub repeat: u32,
    /// How many attempts of the repeat were invalid before.
    pub attempt: u32,
    /// What became of it.
    pub outcome: Outcome,
    /// The first reason where it is not complete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Whether it will be repeated.
    pub again: bool,
    /// Whether it was made before the run was gone on with.
    pub before: bool,
    /// Median latency of its delivered messages, in nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_ns: Option<i64>,
    /// Median batch of encoding, in nanoseconds a call; of codec trials.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encode_ns: Option<f64>,
    /// The same of decoding.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decode_ns: Option<f64>,
    /// Messages sent.
    pub sent: u64,
    /// Messages delivered.
    pub delivered: u64,
    /// Messages lost.
    pub lost: u64,
    /// What the roles used, publisher first.
    pub roles: Vec<RoleFigures>,
    /// Trials ended.
    pub done: u64,
    /// Trials in all, as known now.
    pub total: u64,
    /// How long the rest will take about, in nanoseconds.
    pub left_ns: u64,
}

/// What a role used in a trial.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RoleFigures {
    /// The role.
    pub role: crate::outcome::Role,
    /// CPU time, in nanoseconds.
    pub cpu_ns: u64,
    /// Peak of the resident set.
    pub memory_bytes: u64,
}
