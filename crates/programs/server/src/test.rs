//! A test: a study that somebody ordered, on its way through the queue.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::watch::WatchState;

/// Where a test is on its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// It waits for its turn, or for another attempt.
    Submitted,
    /// Its trials run.
    Processing,
    /// It has a result. Trials that failed or were overloaded are results.
    Done,
    /// Its run could not be carried out.
    Failed,
    /// Somebody did not want it any more.
    Cancelled,
}

impl State {
    /// All of them.
    pub const ALL: [State; 5] =
        [State::Submitted, State::Processing, State::Done, State::Failed, State::Cancelled];

    /// The word in files.
    pub const fn name(self) -> &'static str {
        match self {
            State::Submitted => "submitted",
            State::Processing => "processing",
            State::Done => "done",
            State::Failed => "failed",
            State::Cancelled => "cancelled",
        }
    }

    /// The state of that word.
    pub fn of(word: &str) -> Option<State> {
        State::ALL.into_iter().find(|state| state.name() == word)
    }

    /// Whether nothing will become of it any more.
    pub const fn is_over(self) -> bool {
        matches!(self, State::Done | State::Failed | State::Cancelled)
    }
}

/// What is to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A study is run.
    Study,
    /// The machine is asked what it can tell apart.
    SelfTest,
}

/// A test in lists.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Test {
    /// Its number.
    pub id: i64,
    /// What is done.
    pub kind: Kind,
    /// The name of its study.
    pub name: String,
    /// The question of its study.
    pub why: String,
    /// Where it is on its way.
    pub state: State,
    /// Who submitted it, where the server knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Those with a higher one come first.
    #[schemars(range(min = -100, max = 100))]
    pub priority: i32,
    /// When it was submitted, in milliseconds of Unix time.
    pub submitted_ms: i64,
    /// When its first attempt began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_ms: Option<i64>,
    /// When it was over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_ms: Option<i64>,
    /// Attempts that failed.
    pub failures: u32,
    /// Attempts that are made at most.
    pub most_attempts: u32,
    /// When the next attempt is made, after one that failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_at_ms: Option<i64>,
    /// Why the last attempt failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The id of its run, once that has begun.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// The test that this one does again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub again_of: Option<i64>,
    /// Whether packets are kept.
    pub capture: bool,
    /// Its place in the queue, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<u32>,
    /// How many cells it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cells: Option<u64>,
    /// How long it takes about, in nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimate_ns: Option<u64>,
    /// How far it is, while it is processed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress: Option<Progress>,
}

/// How far a test is.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
pub struct Progress {
    /// Trials ended.
    pub done: u64,
    /// Trials in all, as known now.
    pub total: u64,
    /// How long the rest will take about, in nanoseconds.
    pub left_ns: u64,
}

/// What a test is made of.
#[derive(Debug, Clone)]
pub struct Order {
    /// What is to be done.
    pub kind: Kind,
    /// The name of the study.
    pub name: String,
    /// Its question.
    pub why: String,
    /// Its text.
    pub study: String,
    /// Cells kept, as `--only` takes them.
    pub only: Vec<String>,
    /// A broker that runs already.
    pub broker: Option<String>,
    /// Whether packets are kept.
    pub capture: bool,
    /// Those with a higher one come first.
    pub priority: i32,
    /// Who submits it.
    pub by: Option<String>,
    /// The test that this one does again.
    pub again_of: Option<i64>,
    /// How many cells it has.
    pub cells: Option<u64>,
    /// How long it takes about, in nanoseconds.
    pub estimate_ns: Option<u64>,
}

/// An attempt at a test.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Attempt {
    /// From 1.
    pub number: u32,
    /// When it began.
    pub started_ms: i64,
    /// When it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_ms: Option<i64>,
    /// The exit code of `wiredyno run`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// What came of it, where that was no result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A test with all that is known of it.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct WatchedTest {
    /// As in lists.
    #[serde(flatten)]
    pub test: Test,
    /// The text of its study.
    pub study: String,
    /// Cells kept.
    pub only: Vec<String>,
    /// The event up to which this is told.
    pub last_event: String,
    /// The last lines of its log.
    pub lines: Vec<String>,
    /// Its attempts.
    pub attempts_made: Vec<Attempt>,
    /// What its trials do, or did in the last attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub watch: Option<WatchState>,
}
