//! One codec trial: a fresh runner process measures the four phases of one codec on one payload. Never beside lanes.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use wiredyno_link::sandbox::Sandbox;
use wiredyno_model::trial::{CodecTrialRecord, Invalid, MeasuredPhase, Phase};
use wiredyno_model::{CodecTrials, Limits};
use wiredyno_runner_wire::{Operation, Outcome};

use crate::machine::CpuTicks;
use crate::noise;
use crate::plan::PlannedCodecTrial;
use crate::runner::{Interrupt, PATIENCE, RunnerError, RunnerProcess};
use crate::summarise::LOOPS;
use crate::verdict::{self, Stand};

/// Carries out a codec trial; `None` means that the run was interrupted.
#[allow(clippy::too_many_arguments, reason = "a trial needs all of them, and each has a type of its own")]
pub fn conduct(
    number: u32,
    planned: &PlannedCodecTrial,
    settings: &CodecTrials,
    limits: &Limits,
    stand: Stand,
    program: &Path,
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
        phases: Vec::new(),
        machine: noise::before_trial(1),
    };
    let mut command = Command::new(program);
    command.arg("runner");
    sandbox.prepare(&mut command);
    let before = CpuTicks::now().ok();
    match measure(&mut record, settings, command, interrupt) {
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

fn measure(
    record: &mut CodecTrialRecord,
    settings: &CodecTrials,
    command: Command,
    interrupt: &Interrupt,
) -> Result<(), RunnerError> {
    let mut runner = RunnerProcess::start("codec runner", command, interrupt)?;
    let cell = &record.cell;
    let load = Operation::Load {
        payload: cell.payload.clone(),
        codec: cell.codec.clone(),
        samples: Some(settings.samples),
    };
    match runner.ask(load, PATIENCE)? {
        Outcome::Loaded { body_bytes, .. } => record.body_bytes = body_bytes,
        other => return Err(runner.unexpected("load", &other)),
    }
    // Calibration and the allocation pass take about as long as the timing; leave room for slow machines.
    let timing = settings.batch_time.to_std() * settings.batches;
    let limit = PATIENCE + timing * 10 + Duration::from_secs(10);
    let mut digests: Vec<(Phase, String)> = Vec::new();
    for (_, phase, reuse_buffer) in LOOPS {
        let operation = Operation::Measure {
            phase,
            batch_time_ns: settings.batch_time.ns,
            batches: settings.batches,
            reuse_buffer,
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
                record.phases.push(MeasuredPhase { reuse_buffer, measurement });
            }
            other => return Err(runner.unexpected("measure", &other)),
        }
    }
    runner.stop();
    Ok(())
}
