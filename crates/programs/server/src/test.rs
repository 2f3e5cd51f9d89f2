//! A test: a submitted study on its way through the queue.

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wiredyno_store::RunFolder;

use crate::progress::Progress;
use crate::watch::{Current, WatchState};

/// The state of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Waiting for its turn, or for another attempt.
    Submitted,
    /// Running: compiling its runners or making trials.
    Processing,
    /// Ended with a figure at least. Overloaded trials have figures too.
    Done,
    /// Ended without a figure: its run could not be carried out, or none of its trials could be measured.
    Failed,
    /// Cancelled by a user.
    Cancelled,
}

impl State {
    /// All states, in the order of a test's life.
    pub const ALL: [State; 5] =
        [State::Submitted, State::Processing, State::Done, State::Failed, State::Cancelled];

    /// The word in the API and the database.
    pub const fn name(self) -> &'static str {
        match self {
            State::Submitted => "submitted",
            State::Processing => "processing",
            State::Done => "done",
            State::Failed => "failed",
            State::Cancelled => "cancelled",
        }
    }

    /// The state with this name.
    pub fn of(word: &str) -> Option<State> {
        State::ALL.into_iter().find(|state| state.name() == word)
    }

    /// Whether the state is final.
    pub const fn is_over(self) -> bool {
        matches!(self, State::Done | State::Failed | State::Cancelled)
    }
}

/// What a test does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Runs a study.
    Study,
    /// Measures which differences the machine can detect.
    SelfTest,
}

/// A test, as lists show it.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Test {
    /// The test's number, from 1.
    pub id: i64,
    /// What the test does.
    pub kind: Kind,
    /// The `name` of its study.
    pub name: String,
    /// The `why` of its study: the question that it answers.
    pub why: String,
    /// Its state in the queue.
    pub state: State,
    /// The user who submitted it, if the server knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Tests with a higher priority run first.
    #[schemars(range(min = -100, max = 100))]
    pub priority: i32,
    /// When it was submitted, in milliseconds of Unix time.
    pub submitted_ms: i64,
    /// When its first attempt began, in milliseconds of Unix time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_ms: Option<i64>,
    /// When it ended, in milliseconds of Unix time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_ms: Option<i64>,
    /// How many attempts have failed.
    pub failures: u32,
    /// Most attempts before the test fails.
    pub most_attempts: u32,
    /// When the next attempt is due after a failed one, in milliseconds of Unix time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_at_ms: Option<i64>,
    /// Why the last attempt failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The id of its run; absent before the first attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// The number of the test that this one repeats.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub again_of: Option<i64>,
    /// Whether the packets of its trials are captured.
    pub capture: bool,
    /// The fleet whose agents its hosts are, if it asks for one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fleet: Option<String>,
    /// Its place in the queue, from 1; absent unless waiting.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<u32>,
    /// How many cells it has, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cells: Option<u64>,
    /// Estimated duration, in nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimate_ns: Option<u64>,
    /// Its progress; absent unless running.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress: Option<Progress>,
    /// What it does before its trials, such as what it compiles; absent unless it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doing: Option<String>,
    /// Whether its run has results to open.
    #[serde(default)]
    pub opens: bool,
}

impl Test {
    /// Adds what neither the database nor the test knows: how far it is now, and whether its run below the server's folder has results.
    pub fn complete(&mut self, data: &Path, current: Option<&Current>) {
        let current = current.filter(|current| current.test == self.id);
        self.progress = current.map(|current| current.watch.state.progress);
        self.doing = current.and_then(|current| current.watch.doing());
        let run = self.run.as_ref().filter(|_| self.kind == Kind::Study && self.state.is_over());
        self.opens = run.is_some_and(|run| RunFolder::open(&data.join("runs").join(run)).is_ok());
    }
}

/// The order from which a test is created.
#[derive(Debug, Clone)]
pub struct Order {
    /// What the test shall do.
    pub kind: Kind,
    /// The `name` of the study.
    pub name: String,
    /// The `why` of the study.
    pub why: String,
    /// The text of the study; empty for a self-test.
    pub study: String,
    /// Cells to keep, as `--only` takes them; all when empty.
    pub only: Vec<String>,
    /// An external broker to use, as `--broker` takes it.
    pub broker: Option<String>,
    /// The name of the fleet whose agents its hosts are, if it asks for one.
    pub fleet: Option<String>,
    /// Whether to capture the packets of its trials.
    pub capture: bool,
    /// Tests with a higher priority run first.
    pub priority: i32,
    /// The user who submits it, if known.
    pub by: Option<String>,
    /// The number of the test that this one repeats.
    pub again_of: Option<i64>,
    /// How many cells it has, if known.
    pub cells: Option<u64>,
    /// Estimated duration, in nanoseconds.
    pub estimate_ns: Option<u64>,
}

/// An attempt at a test.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Attempt {
    /// Number of the attempt, from 1.
    pub number: u32,
    /// When it began, in milliseconds of Unix time.
    pub started_ms: i64,
    /// When it ended, in milliseconds of Unix time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_ms: Option<i64>,
    /// The exit code of `wiredyno run`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// Why it has no result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A test with everything known about it.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct WatchedTest {
    /// The test, as lists show it.
    #[serde(flatten)]
    pub test: Test,
    /// The text of its study, as TOML.
    pub study: String,
    /// Cells to keep, as `--only` takes them; all when empty.
    pub only: Vec<String>,
    /// The number of the last event that this answer includes.
    pub last_event: String,
    /// The last lines of its log, 500 at most.
    pub lines: Vec<String>,
    /// The attempts so far, the oldest first.
    pub attempts_made: Vec<Attempt>,
    /// The state of its trials, now or in the last attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub watch: Option<WatchState>,
}
