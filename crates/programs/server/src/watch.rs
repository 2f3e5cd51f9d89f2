//! The live state of a test's trials, from the lines that its run prints: cells, running figures, the machine. One file because it is mainly the
//! types of that state, which every line changes.

use std::collections::{HashMap, VecDeque};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use wiredyno_model::Outcome;
use wiredyno_model::live::{LiveSeries, LiveTrial};
use wiredyno_model::progress::{PlannedCell, ProgressLine, TrialEnd, TrialKind, TrialStart};

use crate::clock::now_ms;
use crate::progress::Progress;

/// Lines of the log kept for pages opened later.
const LINES: usize = 500;
/// Samples of the machine that are kept, one per second.
const SAMPLES: usize = 120;
/// Trials of a cell that are listed; further ones are only counted.
const TRIALS_TOLD: usize = 200;

/// The phase of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Reading its study and compiling missing runners.
    Compiling,
    /// Making trials.
    Trials,
    /// Ended, with or without a result.
    Ended,
}

/// The live state of a test's trials.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct WatchState {
    /// The phase of the run.
    pub phase: Phase,
    /// What is being compiled now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub building: Option<String>,
    /// Most lanes that run trials at once.
    pub lanes: u32,
    /// Duration of its trials as estimated at the start, in nanoseconds.
    pub estimate_ns: u64,
    /// The progress of the run.
    pub progress: Progress,
    /// Its cells, codec trials first.
    pub cells: Vec<CellState>,
    /// The trials that are running now.
    pub running: Vec<RunningTrial>,
    /// The machine in the last two minutes.
    pub machine: VecDeque<MachineSample>,
}

/// A cell and its trials so far.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct CellState {
    /// Its name, as reports write it.
    pub name: String,
    /// What its trials measure.
    pub kind: TrialKind,
    /// Its values on the axes.
    pub axes: Value,
    /// How many valid trials are wanted.
    pub wanted: u32,
    /// How many trials have ended, invalid ones included.
    pub made: u32,
    /// How many of these have figures: complete and overloaded ones.
    #[serde(default)]
    pub measured: u32,
    /// Why the first trial without figures has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unmeasured_reason: Option<String>,
    /// The first 200 of them, in the order in which they ended.
    pub trials: Vec<TrialState>,
    /// Median of the median latencies of its complete trials, in nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_ns: Option<f64>,
    /// The same for encoding; codec trials only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encode_ns: Option<f64>,
    /// The same for decoding; codec trials only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decode_ns: Option<f64>,
    /// Messages sent in trials that were not invalid.
    pub sent: u64,
    /// How many of these were delivered.
    pub delivered: u64,
    /// How many of these were lost.
    pub lost: u64,
    /// The values that medians are computed from.
    #[serde(skip)]
    seen: Seen,
}

#[derive(Debug, Clone, Default)]
struct Seen {
    latency_ns: Vec<f64>,
    encode_ns: Vec<f64>,
    decode_ns: Vec<f64>,
}

/// A trial that has ended.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct TrialState {
    /// The trial's number in the run.
    pub number: u32,
    /// The number of its repeat, from 0.
    pub repeat: u32,
    /// How many earlier attempts at the repeat were invalid.
    pub attempt: u32,
    /// The outcome of the trial.
    pub outcome: Outcome,
    /// The first reason, if it is not complete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A trial that is running.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct RunningTrial {
    /// The trial, as the run announced it.
    #[serde(flatten)]
    pub trial: TrialStart,
    /// When it began, in milliseconds of Unix time.
    pub since_ms: i64,
    /// What it did until now, second by second, provisionally; absent before the first second, and for codec trials.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub live: Option<LiveSeries>,
}

/// The machine in one second.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
pub struct MachineSample {
    /// Time of the sample, in milliseconds of Unix time.
    pub at_ms: i64,
    /// Share of the time of all CPUs that was used, 0..1.
    pub cpu: f64,
    /// Memory in use, in bytes.
    pub memory_bytes: u64,
}

/// The running test.
pub struct Current {
    /// The test's number.
    pub test: i64,
    /// The state of its trials.
    pub watch: Watch,
}

/// What is known of a running test.
#[derive(Debug, Clone)]
pub struct Watch {
    /// The state of its trials.
    pub state: WatchState,
    /// The last lines of its log, [`LINES`] at most.
    pub lines: VecDeque<String>,
    by_name: HashMap<(TrialKind, String), usize>,
}

impl Default for Watch {
    fn default() -> Self {
        let state = WatchState {
            phase: Phase::Compiling,
            building: None,
            lanes: 1,
            estimate_ns: 0,
            progress: Progress { done: 0, total: 0, left_ns: 0 },
            cells: Vec::new(),
            running: Vec::new(),
            machine: VecDeque::new(),
        };
        Watch { state, lines: VecDeque::new(), by_name: HashMap::new() }
    }
}

impl Watch {
    /// Applies a progress line of the run.
    pub fn take(&mut self, line: &ProgressLine) {
        match line {
            ProgressLine::Building { text } => self.state.building = Some(text.clone()),
            ProgressLine::Plan { cells, lanes, total, estimate_ns } => {
                self.state.phase = Phase::Trials;
                self.state.building = None;
                (self.state.lanes, self.state.estimate_ns) = (*lanes, *estimate_ns);
                self.state.progress = Progress { done: 0, total: *total, left_ns: *estimate_ns };
                self.state.cells = cells.iter().map(CellState::of).collect();
                self.state.running.clear();
                let names = cells.iter().map(|cell| (cell.kind, cell.name.clone()));
                self.by_name = names.zip(0..).collect();
            }
            ProgressLine::Round { trials } => self.state.progress.total += trials,
            ProgressLine::Started(trial) => {
                let since_ms = now_ms();
                self.state.running.push(RunningTrial { trial: trial.clone(), since_ms, live: None });
            }
            ProgressLine::Live { trials } => trials.iter().for_each(|trial| self.live(trial)),
            ProgressLine::Trial(trial) => self.ended(trial),
            ProgressLine::LaneGone { lane, reason } => self.line(format!("lane {lane}: {reason}")),
        }
    }

    /// A trial that has ended meanwhile is not shown.
    fn live(&mut self, now: &LiveTrial) {
        let is_it = |running: &&mut RunningTrial| {
            let of = &running.trial;
            (of.kind, &of.name, of.repeat, of.attempt)
                == (TrialKind::Message, &now.name, now.repeat, now.attempt)
        };
        if let Some(running) = self.state.running.iter_mut().find(is_it) {
            running.live.get_or_insert_default().add(now.second.clone(), now.so_far);
        }
    }

    fn ended(&mut self, trial: &TrialEnd) {
        if !trial.before {
            self.state.progress = Progress { done: trial.done, total: trial.total, left_ns: trial.left_ns };
        }
        self.state.running.retain(|running| {
            let of = &running.trial;
            (of.kind, &of.name, of.repeat) != (trial.kind, &trial.name, trial.repeat)
        });
        let cell = self.by_name.get(&(trial.kind, trial.name.clone())).copied();
        if let Some(cell) = cell.and_then(|cell| self.state.cells.get_mut(cell)) {
            cell.take(trial);
        }
    }

    /// What the run does before its trials.
    pub fn doing(&self) -> Option<String> {
        let reading = || "reading the study".to_owned();
        (self.state.phase == Phase::Compiling).then(|| self.state.building.clone().unwrap_or_else(reading))
    }

    /// Appends a line of the log.
    pub fn line(&mut self, line: String) {
        self.lines.push_back(line);
        if self.lines.len() > LINES {
            self.lines.pop_front();
        }
    }

    /// Appends a sample of the machine.
    pub fn machine(&mut self, sample: MachineSample) {
        self.state.machine.push_back(sample);
        if self.state.machine.len() > SAMPLES {
            self.state.machine.pop_front();
        }
    }

    /// Notes that the run is over.
    pub fn end(&mut self) {
        self.state.phase = Phase::Ended;
        self.state.building = None;
        self.state.running.clear();
        self.state.progress.left_ns = 0;
    }
}

impl WatchState {
    /// Why a run that ended has no figure at all; `None` if it has one.
    pub fn nothing_measured(&self) -> Option<String> {
        if self.cells.is_empty() {
            return Some(
                "nothing to measure: none of its combinations can be run here; the lines of its output say what is missing".to_owned(),
            );
        }
        if self.cells.iter().any(|cell| cell.measured > 0) {
            return None;
        }
        let made: u32 = self.cells.iter().map(|cell| cell.made).sum();
        let reason = self.cells.iter().find_map(|cell| cell.unmeasured_reason.as_deref());
        let reason = reason.map_or_else(String::new, |reason| format!(", the first because {reason}"));
        Some(format!("no figure: none of its {made} trials could be measured{reason}"))
    }
}

impl CellState {
    fn of(cell: &PlannedCell) -> Self {
        CellState {
            name: cell.name.clone(),
            kind: cell.kind,
            axes: cell.axes.clone(),
            wanted: cell.wanted,
            made: 0,
            measured: 0,
            unmeasured_reason: None,
            trials: Vec::new(),
            latency_ns: None,
            encode_ns: None,
            decode_ns: None,
            sent: 0,
            delivered: 0,
            lost: 0,
            seen: Seen::default(),
        }
    }

    fn take(&mut self, trial: &TrialEnd) {
        self.made += 1;
        match trial.outcome {
            Outcome::Complete | Outcome::Overloaded => self.measured += 1,
            Outcome::Invalid | Outcome::Failed if self.unmeasured_reason.is_none() => {
                self.unmeasured_reason.clone_from(&trial.reason);
            }
            Outcome::Invalid | Outcome::Failed => {}
        }
        if self.trials.len() < TRIALS_TOLD {
            self.trials.push(TrialState {
                number: trial.number,
                repeat: trial.repeat,
                attempt: trial.attempt,
                outcome: trial.outcome,
                reason: trial.reason.clone(),
            });
        }
        if trial.outcome != Outcome::Invalid {
            self.sent += trial.sent;
            self.delivered += trial.delivered;
            self.lost += trial.lost;
        }
        if trial.outcome == Outcome::Complete {
            let seen = &mut self.seen;
            seen.latency_ns.extend(trial.latency_ns.map(|ns| ns as f64));
            seen.encode_ns.extend(trial.encode_ns);
            seen.decode_ns.extend(trial.decode_ns);
            self.latency_ns = median(&mut seen.latency_ns);
            self.encode_ns = median(&mut seen.encode_ns);
            self.decode_ns = median(&mut seen.decode_ns);
        }
    }
}

/// The median of some values, which it sorts; `None` without values.
fn median(values: &mut [f64]) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let (below, above) = (values.get(values.len().checked_sub(1)? / 2)?, values.get(values.len() / 2)?);
    Some((below + above) / 2.0)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use wiredyno_model::live::{LiveSecond, LiveTotal};

    use super::*;

    fn read(line: &str) -> ProgressLine {
        serde_json::from_str(line).unwrap()
    }

    fn ended(repeat: u32, outcome: &str, latency_ns: i64) -> ProgressLine {
        read(&format!(
            r#"{{"type":"trial","name":"c","kind":"message","number":{repeat},"repeat":{repeat},"attempt":0,"outcome":"{outcome}",
            "again":false,"before":false,"latency_ns":{latency_ns},"sent":10,"delivered":9,"lost":1,"roles":[],"done":1,"total":3,"left_ns":7}}"#
        ))
    }

    #[test]
    fn trials_enter_the_figures_of_their_cell_and_invalid_ones_do_not() {
        let mut watch = Watch::default();
        let plan = r#"{"type":"plan","cells":[{"name":"c","kind":"message","axes":{},"wanted":3}],"lanes":2,"total":3,"estimate_ns":9}"#;
        watch.take(&read(plan));
        watch
            .take(&read(r#"{"type":"started","name":"c","kind":"message","repeat":0,"attempt":0,"lane":1}"#));
        assert_eq!((watch.state.phase, watch.state.running.len()), (Phase::Trials, 1));
        for (repeat, outcome, latency) in [(0, "complete", 10), (1, "complete", 20), (2, "invalid", 900)] {
            watch.take(&ended(repeat, outcome, latency));
        }
        let cell = &watch.state.cells[0];
        assert_eq!((cell.latency_ns, cell.sent, cell.lost, cell.made), (Some(15.0), 20, 2, 3));
        assert_eq!((cell.measured, watch.state.nothing_measured()), (2, None));
        assert!(watch.state.running.is_empty());
        assert_eq!(watch.state.progress.left_ns, 7);
    }

    #[test]
    fn the_seconds_of_a_running_trial_are_there_for_who_comes_later_and_go_with_it() {
        let mut watch = Watch::default();
        watch.take(&read(r#"{"type":"plan","cells":[{"name":"c","kind":"message","axes":{},"wanted":3}],"lanes":1,"total":3,"estimate_ns":9}"#));
        watch
            .take(&read(r#"{"type":"started","name":"c","kind":"message","repeat":0,"attempt":0,"lane":0}"#));
        let second = |attempt: u32, sent: u64| {
            let second = LiveSecond { at_ms: 1, sent: Some(sent), ..LiveSecond::default() };
            let so_far = LiveTotal { sent: Some(sent), ..LiveTotal::default() };
            let trial = LiveTrial { name: "c".into(), repeat: 0, attempt, second, so_far };
            ProgressLine::Live { trials: vec![trial] }
        };
        (1..=2).for_each(|sent| watch.take(&second(0, sent)));
        watch.take(&second(1, 9));
        let live = watch.state.running[0].live.as_ref().unwrap();
        assert_eq!((live.seconds.len(), live.seconds[0].sent, live.so_far.sent), (2, Some(1), Some(2)));
        watch.take(&ended(0, "complete", 10));
        watch.take(&second(0, 3));
        assert!(watch.state.running.is_empty());
    }

    #[test]
    fn a_run_without_a_figure_says_why() {
        let mut watch = Watch::default();
        assert!(watch.state.nothing_measured().unwrap().starts_with("nothing to measure"));
        let plan = r#"{"type":"plan","cells":[{"name":"c","kind":"message","axes":{},"wanted":3}],"lanes":2,"total":3,"estimate_ns":9}"#;
        watch.take(&read(plan));
        watch.take(&ended(0, "invalid", 900));
        watch.take(&ended(1, "failed", 900));
        assert!(watch.state.nothing_measured().unwrap().contains("none of its 2 trials"));
        watch.take(&ended(2, "overloaded", 900));
        assert_eq!(watch.state.nothing_measured(), None);
    }
}
