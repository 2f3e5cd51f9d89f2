//! One codec trial: a fresh runner process measures the phases of one codec on one payload, and of the compression
//! behind it; one more tells the first calls. Never beside lanes.

use std::time::Duration;

use wiredyno_link::sandbox::Sandbox;
use wiredyno_model::trial::{CodecTrialRecord, Invalid, Phase};
use wiredyno_model::{CodecCell, CodecTrials, Limits};
use wiredyno_runner_wire::{Operation, Outcome};

use crate::machine::CpuTicks;
use crate::noise;
use crate::plan::PlannedCodecTrial;
use crate::runner::{Interrupt, PATIENCE, RunnerError, RunnerProcess};
use crate::runners::Runners;
use crate::summarise;
use crate::verdict::{self, Stand};

/// Carries out a codec trial; `None` means that the run was interrupted.
#[allow(clippy::too_many_arguments, reason = "a trial needs all of them, and each has a type of its own")]
pub fn conduct(
    number: u32,
    planned: &PlannedCodecTrial,
    settings: &CodecTrials,
    limits: &Limits,
    stand: Stand,
    runners: &Runners,
    sandbox: &Sandbox,
    interrupt: &Interrupt,
) -> Option<CodecTrialRecord> {
    let mut record = CodecTrialRecord {
        trial: number,
        cell: planned.cell.clone(),
        repeat: planned.repeat,
        attempt: planned.attempt,
        invalid: Vec::new(),
        body_bytes: Vec::new(),
        uncompressed_bytes: Vec::new(),
        dictionary: None,
        first_calls: None,
        phases: Vec::new(),
        machine: noise::before_trial(1),
    };
    let start = |role| {
        let mut command = runners.command_for(&planned.cell.payload);
        sandbox.prepare(&mut command);
        RunnerProcess::start(role, command, interrupt)
    };
    let before = CpuTicks::now().ok();
    let measured = start("codec runner").and_then(|fresh| first_calls(&mut record, fresh));
    let measured = measured
        .and_then(|()| start("codec runner"))
        .and_then(|runner| measure(&mut record, settings, runner));
    match measured {
        Err(RunnerError::Interrupted) => return None,
        Err(error) => record.invalid.push(Invalid::Failed { error: error.to_string() }),
        Ok(()) => {}
    }
    if let (Some(before), Ok(now)) = (before, CpuTicks::now()) {
        let share = now.since(&before);
        record.machine.utilisation = share.utilisation;
        record.machine.steal = share.steal;
    }
    record.invalid.extend(verdict::of_machine(&record.machine, limits, stand));
    Some(record)
}

/// The first calls, in a process that has done nothing else.
fn first_calls(record: &mut CodecTrialRecord, mut runner: RunnerProcess) -> Result<(), RunnerError> {
    let CodecCell { payload, codec, .. } = record.cell.clone();
    match runner.ask(Operation::CallFirst { payload, codec }, PATIENCE)? {
        Outcome::CalledFirst { calls } => record.first_calls = Some(calls),
        other => return Err(runner.unexpected("call-first", &other)),
    }
    runner.stop();
    Ok(())
}

/// All loops, in a process of their own.
fn measure(
    record: &mut CodecTrialRecord,
    settings: &CodecTrials,
    mut runner: RunnerProcess,
) -> Result<(), RunnerError> {
    let cell = &record.cell;
    let load = Operation::Load {
        payload: cell.payload.clone(),
        codec: cell.codec.clone(),
        compression: cell.compression.clone(),
        samples: Some(settings.samples),
    };
    match runner.ask(load, PATIENCE)? {
        Outcome::Loaded { body_bytes, uncompressed_bytes, dictionary, .. } => {
            record.body_bytes = body_bytes;
            record.uncompressed_bytes = uncompressed_bytes;
            record.dictionary = dictionary;
        }
        other => return Err(runner.unexpected("load", &other)),
    }
    // Calibration and the allocation pass take about as long as the timing; leave room for slow machines.
    let timing = settings.batch_time.to_std() * settings.batches;
    let limit = PATIENCE + timing * 10 + Duration::from_secs(10);
    let mut digests: Vec<(Phase, String)> = Vec::new();
    let compressed = !record.cell.compression.is_none();
    for (_, phase, buffer) in summarise::loops(compressed) {
        let operation = Operation::Measure {
            phase,
            batch_time_ns: settings.batch_time.ns,
            batches: settings.batches,
            buffer,
        };
        match runner.ask(operation, limit)? {
            Outcome::Measured { measurement, digest } => {
                let differs = digests.iter().any(|(known, other)| *known == phase && *other != digest);
                if differs {
                    let error = format!(
                        "`{}` produced other bytes with a fresh buffer than with one used again",
                        record.cell
                    );
                    record.invalid.push(Invalid::Failed { error });
                }
                digests.push((phase, digest));
                record.phases.push(measurement);
            }
            other => return Err(runner.unexpected("measure", &other)),
        }
    }
    runner.stop();
    Ok(())
}
