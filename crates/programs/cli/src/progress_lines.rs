//! Live progress of a run for programs, as JSON lines on standard output.

use std::io::ErrorKind;
use std::sync::{Mutex, PoisonError};

use wiredyno_build::BuildStep;
use wiredyno_contract::{Batch, Phase};
use wiredyno_model::progress::{PlannedCell, ProgressLine, RoleFigures, TrialEnd, TrialKind, TrialStart};
use wiredyno_model::trial::{CodecTrialRecord, TrialRecord};
use wiredyno_model::{Outcome, Study};
use wiredyno_planning::plan::Plan;
use wiredyno_running::run::Event;
use wiredyno_seats::interrupt::Interrupt;
use wiredyno_store::RunRecords;

use crate::output::{errln, written};
use crate::progress::State;

/// Prints the events of a run.
pub struct ProgressLines {
    out: Out,
    wanted: u32,
    told: Mutex<Told>,
}

/// The state that lines are computed from.
struct Told {
    state: State,
    lanes: u32,
    estimate_ns: u64,
}

impl ProgressLines {
    /// For a study whose run has not begun.
    pub fn of(study: &Study, interrupt: &Interrupt) -> Self {
        let told = Told { state: State::new(), lanes: 1, estimate_ns: 0 };
        ProgressLines { out: Out(interrupt.clone()), wanted: study.trials.repeats, told: Mutex::new(told) }
    }

    /// Prints a step of a build.
    pub fn building(step: BuildStep, interrupt: &Interrupt) {
        let text = match step {
            BuildStep::Waiting => "waiting for another build to finish".to_owned(),
            BuildStep::Compiling { done, total, now } => format!("{done} of {total} compiled: {now}"),
            BuildStep::Said(line) => line,
        };
        Out(interrupt.clone()).tell(&ProgressLine::Building { text });
    }

    /// Prints what a run waits for before it begins.
    pub fn waiting(text: String, interrupt: &Interrupt) {
        Out(interrupt.clone()).tell(&ProgressLine::Building { text });
    }

    /// Prints an event as one line, or several for the plan of a resumed run.
    pub fn show(&self, event: &Event<'_>) {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.state.count(event);
        let state = &told.state;
        match event {
            Event::Planned { lanes, estimate_ns, .. } => {
                (told.lanes, told.estimate_ns) = (*lanes, *estimate_ns);
            }
            Event::Plan { plan, before } => {
                let Told { lanes, estimate_ns, .. } = *told;
                let (cells, total) = (self.cells(plan), state.total);
                self.out.tell(&ProgressLine::Plan { cells, lanes, total, estimate_ns });
                told_before(&self.out, before, state);
            }
            Event::Round { trials } => self.out.tell(&ProgressLine::Round { trials: *trials as u64 }),
            Event::CodecTrialStarted(planned) => self.out.tell(&ProgressLine::Started(TrialStart {
                name: planned.cell.to_string(),
                kind: TrialKind::Codec,
                repeat: planned.repeat,
                attempt: planned.attempt,
                lane: None,
            })),
            Event::TrialStarted { planned, lane } => self.out.tell(&ProgressLine::Started(TrialStart {
                name: planned.cell.to_string(),
                kind: TrialKind::Message,
                repeat: planned.repeat,
                attempt: planned.attempt,
                lane: Some(*lane),
            })),
            Event::Live { trials } => self.out.tell(&ProgressLine::Live { trials: trials.to_vec() }),
            Event::CodecTrial { record, again } => {
                self.out.tell(&ProgressLine::Trial(TrialEnd { again: *again, ..codec_trial(record, state) }));
            }
            Event::Trial { record, median_latency_ns, again } => {
                let end = message_trial(record, state);
                self.out.tell(&ProgressLine::Trial(TrialEnd {
                    again: *again,
                    latency_ns: *median_latency_ns,
                    ..end
                }));
            }
            Event::LaneGone { lane, reason } => {
                self.out.tell(&ProgressLine::LaneGone { lane: *lane, reason: (*reason).to_owned() });
            }
        }
    }

    fn cells(&self, plan: &Plan) -> Vec<PlannedCell> {
        let wanted = self.wanted;
        let mut cells: Vec<PlannedCell> = Vec::new();
        let mut codecs: Vec<_> = plan.codec_trials.iter().map(|trial| &trial.cell).collect();
        codecs.sort();
        codecs.dedup();
        cells.extend(codecs.into_iter().map(|cell| PlannedCell {
            name: cell.to_string(),
            kind: TrialKind::Codec,
            axes: serde_json::to_value(cell).unwrap_or_default(),
            wanted,
        }));
        cells.extend(plan.cells.iter().map(|cell| PlannedCell {
            name: cell.to_string(),
            kind: TrialKind::Message,
            axes: serde_json::to_value(cell).unwrap_or_default(),
            wanted,
        }));
        cells
    }
}

/// Standard output. A reader that has gone interrupts the run: it would end the program before what it has started elsewhere is taken back.
struct Out(Interrupt);

impl Out {
    fn tell(&self, line: &ProgressLine) {
        let Ok(line) = serde_json::to_string(line) else { return };
        if let Err(error) = written(format_args!("{line}\n"))
            && !self.0.is_set()
        {
            self.0.set();
            if error.kind() != ErrorKind::BrokenPipe {
                errln!("wiredyno: standard output: {error}");
            }
        }
    }
}

/// The earlier trials of a resumed run, without latencies, which are in the summary.
fn told_before(out: &Out, before: &RunRecords, state: &State) {
    for record in &before.codecs {
        out.tell(&ProgressLine::Trial(TrialEnd { before: true, ..codec_trial(record, state) }));
    }
    for record in &before.messages {
        out.tell(&ProgressLine::Trial(TrialEnd { before: true, ..message_trial(record, state) }));
    }
}

fn codec_trial(record: &CodecTrialRecord, state: &State) -> TrialEnd {
    let median = |phase: Phase| {
        let measured = record.phases.iter().find(|m| m.phase == phase)?;
        let mut calls: Vec<f64> = measured.batches.iter().map(Batch::ns_per_call).collect();
        calls.sort_by(f64::total_cmp);
        calls.get(calls.len() / 2).copied()
    };
    TrialEnd {
        kind: TrialKind::Codec,
        encode_ns: median(Phase::Encode),
        decode_ns: median(Phase::Decode),
        ..trial(
            (record.cell.to_string(), record.trial, record.repeat, record.attempt),
            (record.outcome(), record.reasons()),
            state,
        )
    }
}

fn message_trial(record: &TrialRecord, state: &State) -> TrialEnd {
    let roles = record.roles.known().map(|(role, used)| RoleFigures {
        role,
        cpu_ns: used.users_cpu_ns(),
        memory_bytes: used.peak_memory_bytes,
    });
    TrialEnd {
        sent: record.delivery.sent,
        delivered: record.delivery.delivered,
        lost: record.delivery.lost,
        roles: roles.collect(),
        ..trial(
            (record.cell.to_string(), record.trial, record.repeat, record.attempt),
            (record.outcome(), record.reasons()),
            state,
        )
    }
}

fn trial(
    (name, number, repeat, attempt): (String, u32, u32, u32),
    (outcome, reasons): (Outcome, Vec<String>),
    state: &State,
) -> TrialEnd {
    TrialEnd {
        name,
        kind: TrialKind::Message,
        number,
        repeat,
        attempt,
        outcome,
        reason: reasons.into_iter().next(),
        again: false,
        before: false,
        latency_ns: None,
        encode_ns: None,
        decode_ns: None,
        sent: 0,
        delivered: 0,
        lost: 0,
        roles: Vec::new(),
        done: state.done,
        total: state.total,
        left_ns: u64::try_from(state.left().as_nanos()).unwrap_or(u64::MAX),
    }
}
