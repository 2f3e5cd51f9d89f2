//! A run's progress, for programs: the lines of `wiredyno run --progress json`, one JSON object each.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::live::LiveTrial;
use crate::outcome::Outcome;

/// One line, a JSON object whose `type` names the variant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ProgressLine {
    /// Runners are compiled or prepared.
    Building {
        /// What is being compiled, in words.
        text: String,
    },
    /// The plan; comes once, before the first trial.
    Plan {
        /// The cells, codec trials first.
        cells: Vec<PlannedCell>,
        /// Most lanes that run at once.
        lanes: u32,
        /// Estimated number of trials.
        total: u64,
        /// Their estimated duration, in nanoseconds.
        estimate_ns: u64,
    },
    /// A trial begins.
    Started(TrialStart),
    /// What the running message trials did in the last second, provisionally.
    Live {
        /// One entry for each.
        trials: Vec<LiveTrial>,
    },
    /// A trial has ended, or had ended before the run was resumed.
    Trial(TrialEnd),
    /// Cells whose figures are not known well enough yet get another trial each.
    Round {
        /// Trials beyond those announced before.
        trials: u64,
    },
    /// The process of a lane's link has died, or an agent is not there: its trial is repeated.
    LaneGone {
        /// The lane's number, from 0.
        lane: u32,
        /// How it ended, in words.
        reason: String,
    },
}

/// What a trial measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TrialKind {
    /// A codec alone, without messages.
    Codec,
    /// Messages over a protocol.
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
    /// Valid trials that the study requires.
    pub wanted: u32,
}

/// A trial that begins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TrialStart {
    /// The name of its cell.
    pub name: String,
    /// What it measures.
    pub kind: TrialKind,
    /// Number of the repeat, from 0.
    pub repeat: u32,
    /// Earlier attempts of this repeat, all invalid.
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
    /// Number of the repeat, from 0.
    pub repeat: u32,
    /// Earlier attempts of this repeat, all invalid.
    pub attempt: u32,
    /// Its outcome: only `complete` trials enter figures.
    pub outcome: Outcome,
    /// The first reason why it is not complete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Whether it will be repeated.
    pub again: bool,
    /// Whether it ended before the run was resumed.
    pub before: bool,
    /// Median latency of its delivered messages, in nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_ns: Option<i64>,
    /// Codec trials: the median batch of encoding, in nanoseconds a call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encode_ns: Option<f64>,
    /// Codec trials: the median batch of decoding, in nanoseconds a call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decode_ns: Option<f64>,
    /// Measured messages sent; 0 for codec trials.
    pub sent: u64,
    /// Measured messages delivered, duplicates not counted.
    pub delivered: u64,
    /// Measured messages that did not arrive before the end of the drain.
    pub lost: u64,
    /// What the roles used, publisher first.
    pub roles: Vec<RoleFigures>,
    /// Trials ended so far, in the whole run.
    pub done: u64,
    /// Trials in all, as known now.
    pub total: u64,
    /// Estimated time left, in nanoseconds.
    pub left_ns: u64,
}

/// What a role used in a trial.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RoleFigures {
    /// Publisher, subscriber or broker.
    pub role: crate::outcome::Role,
    /// CPU time without the stand's own work, in nanoseconds.
    pub cpu_ns: u64,
    /// Peak of the resident set, in bytes.
    pub memory_bytes: u64,
}
