//! Live progress of a run: trial k of n, time left, the last trial on one line.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use wiredyno_contract::{Batch, Phase};
use wiredyno_model::Outcome;
use wiredyno_model::trial::{CodecTrialRecord, TrialRecord};
use wiredyno_running::run::Event;

use crate::in_words::{count, short_time, words};
use crate::live_words;
use crate::output::errln;
use crate::terminal;

/// How often a line is printed without a terminal.
const PLAIN_EVERY: Duration = Duration::from_secs(5);

/// Shows the events of a run on standard error.
pub struct TrialsBar {
    bar: ProgressBar,
    plain: bool,
    state: Mutex<State>,
}

/// Counts of trials, and what the remaining time is estimated from.
pub struct State {
    begun: Instant,
    last_line: Option<Instant>,
    /// Trials that have ended, repeated ones included.
    pub done: u64,
    /// Trials in all, as far as known.
    pub total: u64,
    estimate: Duration,
}

impl TrialsBar {
    /// The display of a run that has not begun.
    pub fn new() -> Self {
        let (plain, quiet) = (!terminal::has_bar(), terminal::is_quiet());
        let bar = if quiet || plain { ProgressBar::hidden() } else { ProgressBar::no_length() };
        if let Ok(style) =
            ProgressStyle::with_template("{bar:30} trial {pos} of {len}, {prefix}\n  {wide_msg}")
        {
            bar.set_style(style);
        }
        TrialsBar { bar, plain: plain && !quiet, state: Mutex::new(State::new()) }
    }

    /// Updates the bar, or prints a line at most every [`PLAIN_EVERY`].
    pub fn show(&self, event: &Event<'_>) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.count(event);
        let line = match event {
            Event::Live { trials } => {
                if let Some(line) = live_words::line(trials) {
                    self.bar.set_prefix(format!("{} left", words(state.left())));
                    self.bar.set_message(line);
                }
                return;
            }
            Event::Plan { .. } | Event::CodecTrialStarted(_) | Event::TrialStarted { .. } => return,
            Event::Planned { codec_trials, trials, lanes, .. } => {
                let codecs = count(*codec_trials, "codec trial");
                let messages = format!(
                    "{} in up to {}",
                    count(*trials, "message trial"),
                    count(*lanes as usize, "lane")
                );
                let all = [(codecs, *codec_trials), (messages, *trials)];
                let planned: Vec<String> =
                    all.into_iter().filter(|(_, trials)| *trials > 0).map(|(words, _)| words).collect();
                format!("{}, about {}", planned.join(", then "), words(state.estimate))
            }
            Event::Round { trials } => {
                format!("{} more, where figures are not precise enough yet", count(*trials, "trial"))
            }
            Event::CodecTrial { record, again } => codec_line(record, *again),
            Event::LaneGone { lane, reason } => {
                format!("lane {lane}: its trial is repeated: {reason}")
            }
            Event::Trial { record, median_latency_ns, again } => {
                trial_line(record, *median_latency_ns, *again)
            }
        };
        self.bar.set_length(state.total);
        self.bar.set_position(state.done);
        self.bar.set_prefix(format!("{} left", words(state.left())));
        self.bar.set_message(line.clone());
        let due =
            state.last_line.is_none_or(|last| last.elapsed() >= PLAIN_EVERY) || state.done == state.total;
        if self.plain && due {
            errln!("trial {} of {}, {} left: {line}", state.done, state.total, words(state.left()));
            state.last_line = Some(Instant::now());
        }
    }

    /// Removes the bar.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl State {
    /// The state of a run that has not begun.
    pub fn new() -> Self {
        State { begun: Instant::now(), last_line: None, done: 0, total: 0, estimate: Duration::ZERO }
    }

    /// Updates the counts from an event.
    pub fn count(&mut self, event: &Event<'_>) {
        match event {
            Event::Planned { codec_trials, trials, estimate_ns, .. } => {
                self.begun = Instant::now();
                self.total = (codec_trials + trials) as u64;
                self.estimate = Duration::from_nanos(*estimate_ns);
            }
            Event::Round { trials } => self.total += *trials as u64,
            Event::CodecTrial { again, .. } | Event::Trial { again, .. } => {
                self.done += 1;
                self.total += u64::from(*again);
            }
            Event::Plan { .. }
            | Event::CodecTrialStarted(_)
            | Event::TrialStarted { .. }
            | Event::Live { .. }
            | Event::LaneGone { .. } => {}
        }
    }

    /// The remaining time: at first from the estimate, increasingly from the pace as trials end.
    pub fn left(&self) -> Duration {
        let elapsed = self.begun.elapsed();
        let share = if self.total == 0 { 1.0 } else { self.done as f64 / self.total as f64 };
        let planned = self.estimate.as_secs_f64() * (1.0 - share);
        let paced = if share > 0.0 { elapsed.as_secs_f64() * (1.0 - share) / share } else { planned };
        Duration::from_secs_f64((share * paced + (1.0 - share) * planned).max(0.0))
    }
}

fn codec_line(record: &CodecTrialRecord, again: bool) -> String {
    if let Some(line) = not_complete(&record.cell.to_string(), record.outcome(), record.reasons(), again) {
        return line;
    }
    let of = |phase: Phase| {
        let measured = record.phases.iter().find(|m| m.phase == phase)?;
        let per_operation = measured.batches.iter().map(Batch::ns_per_call);
        per_operation.min_by(f64::total_cmp)
    };
    match (of(Phase::Encode), of(Phase::Decode)) {
        (Some(encode), Some(decode)) => {
            format!("{}: encode {}, decode {}", record.cell, short_time(encode), short_time(decode))
        }
        _ => record.cell.to_string(),
    }
}

/// The line of a trial that is not complete, with the first reason; `None` if it is.
fn not_complete(cell: &str, outcome: Outcome, reasons: Vec<String>, again: bool) -> Option<String> {
    let reason = reasons.first()?;
    let next = if again { ", will be repeated" } else { "" };
    Some(format!("{cell}: {}{next}: {reason}", outcome.name()))
}

fn trial_line(record: &TrialRecord, median_latency_ns: Option<i64>, again: bool) -> String {
    if let Some(line) = not_complete(&record.cell.to_string(), record.outcome(), record.reasons(), again) {
        return line;
    }
    let delivery = record.delivery;
    let latency = match median_latency_ns {
        Some(ns) => format!("{:.1} ms median", ns as f64 / 1e6),
        None if delivery.delivered > 0 => "no latency".to_owned(),
        None => "nothing arrived".to_owned(),
    };
    format!("{}: {latency}, {} of {} delivered", record.cell, delivery.delivered, delivery.sent)
}
