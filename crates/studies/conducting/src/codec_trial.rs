//! One codec trial: a fresh runner process measures the phases of one codec on one payload, and of the compression
//! after it; another measures the first calls, two more the memory of whole processes. Never beside lanes.

use std::time::Duration;

use wiredyno_contract::{Failure, Operation, PayloadSource, Phase, Success};
use wiredyno_link::sandbox::Sandbox;
use wiredyno_model::metric::{self, Loop};
use wiredyno_model::trial::{CodecTrialRecord, Invalid, ProcessMemory, ZeroBytes};
use wiredyno_model::{CodecCell, CodecTrials, Limits};
use wiredyno_planning::plan::PlannedCodecTrial;
use wiredyno_seats::interrupt::Interrupt;
use wiredyno_seats::machine::CpuTicks;
use wiredyno_seats::noise;
use wiredyno_seats::runner::{PATIENCE, Runner};
use wiredyno_seats::runner_error::RunnerError;
use wiredyno_seats::runners::Runners;

use crate::validity::{self, Stand};

/// What all codec trials of a run have in common.
pub struct CodecConductor<'a> {
    /// How long to measure, in how many batches and samples.
    pub settings: &'a CodecTrials,
    /// The limits beyond which a trial is invalid.
    pub limits: &'a Limits,
    /// The machine's state before the first trial.
    pub stand: Stand,
    /// The runner programs of the run.
    pub runners: &'a Runners,
    /// The sandbox in which runners are started.
    pub sandbox: &'a Sandbox,
    /// Set when the run is to end.
    pub interrupt: &'a Interrupt,
}

/// A codec trial that was executed.
pub struct ConductedCodecTrial {
    /// What is kept of the trial.
    pub record: CodecTrialRecord,
    /// The runner's own refusal, if it failed because of that: the record has it with the runner's role in front.
    pub refusal: Option<Failure>,
}

impl CodecConductor<'_> {
    /// Executes a codec trial; `None` means that the run was interrupted.
    pub fn conduct(&self, number: u32, planned: &PlannedCodecTrial) -> Option<ConductedCodecTrial> {
        let CodecConductor { settings, limits, stand, runners, sandbox, interrupt } = *self;
        let mut record = CodecTrialRecord {
            trial: number,
            cell: planned.cell.clone(),
            repeat: planned.repeat,
            attempt: planned.attempt,
            invalid: Vec::new(),
            failed: None,
            body_bytes: Vec::new(),
            uncompressed_bytes: Vec::new(),
            dictionary: None,
            first_calls: None,
            process_memory: None,
            zero_bytes: Vec::new(),
            phases: Vec::new(),
            machine: noise::before_trial(1),
        };
        let CodecCell { payload, codec, compression } = &planned.cell;
        let start = |role| {
            let mut command = runners.command_of(payload, codec)?;
            sandbox.prepare(&mut command);
            Runner::spawn(role, command, interrupt)
        };
        let source = runners.source(payload, compression);
        let before = CpuTicks::now().ok();
        let measured = source.and_then(|source| {
            first_calls(&mut record, &source, start("codec runner")?)?;
            process_memory(&mut record, &source, settings.samples, || start("codec runner"))?;
            let burden_per_mille = runners.burden_per_mille(payload);
            measure(&mut record, &source, settings, burden_per_mille, start("codec runner")?)
        });
        let mut refusal = None;
        match measured {
            Err(RunnerError::Interrupted) => return None,
            Err(error) => match &error {
                // The runner answered: the fault is the codec's.
                RunnerError::Refused { failure, .. } => {
                    record.failed = Some(error.to_string());
                    refusal = Some(failure.clone());
                }
                _ => record.invalid.push(Invalid::NotCarriedOut { error: error.to_string() }),
            },
            Ok(()) => {}
        }
        if let (Some(before), Ok(now)) = (before, CpuTicks::now()) {
            let share = now.since(&before);
            record.machine.utilisation = share.utilisation;
            record.machine.steal = share.steal;
        }
        let reasons = validity::of_codec_trial(&record, limits, stand);
        record.invalid.extend(reasons);
        Some(ConductedCodecTrial { record, refusal })
    }
}

/// The first calls, in a process that has done nothing else.
fn first_calls(
    record: &mut CodecTrialRecord,
    source: &PayloadSource,
    mut runner: Runner,
) -> Result<(), RunnerError> {
    let (payload, codec) = (source.clone(), record.cell.codec.clone());
    match runner.ask(Operation::CallFirst { payload, codec }, PATIENCE)? {
        Success::CalledFirst { calls } => record.first_calls = Some(calls),
        other => return Err(runner.unexpected("call-first", &other)),
    }
    runner.stop();
    Ok(())
}

/// The most bytes of bodies that are sent to a process to be decoded, in total.
const MOST_DECODED_BYTES: usize = 4 << 20;

/// The memory of whole processes: one that only encodes, one that first decodes nothing (the idle state) and then what the other
/// encoded; absent if the kernel does not report it. Also counts the zeros in what was encoded.
fn process_memory(
    record: &mut CodecTrialRecord,
    source: &PayloadSource,
    samples: u32,
    start: impl Fn() -> Result<Runner, RunnerError>,
) -> Result<(), RunnerError> {
    let (payload, codec) = (source, &record.cell.codec);
    let encode =
        |give| Operation::EncodeSamples { payload: payload.clone(), codec: codec.clone(), samples, give };
    let decode = |bodies| Operation::DecodeSamples { payload: payload.clone(), codec: codec.clone(), bodies };
    let mut runner = start()?;
    runner.ask(encode(false), PATIENCE)?;
    let encoding = runner.seat().peak_memory_bytes().ok();
    // Only now, because transferring the bytes takes memory too.
    let mut bodies = match runner.ask(encode(true), PATIENCE)? {
        Success::EncodedSamples { bodies } => bodies,
        other => return Err(runner.unexpected("encode-samples", &other)),
    };
    runner.stop();
    let zero_bytes = bodies.iter().map(|body| zeros(body)).collect();
    let mut left = 2 * MOST_DECODED_BYTES;
    let within =
        bodies.iter().take_while(|body| left.checked_sub(body.len()).map(|rest| left = rest).is_some());
    let within = within.count();
    bodies.truncate(within.max(1));

    let mut runner = start()?;
    runner.done(decode(Vec::new()), PATIENCE)?;
    let idle = runner.seat().peak_memory_bytes().ok();
    runner.done(decode(bodies), PATIENCE)?;
    let decoding = runner.seat().peak_memory_bytes().ok();
    runner.stop();
    record.process_memory = idle.zip(encoding).zip(decoding).map(|((idle, encode), decode)| ProcessMemory {
        idle_bytes: idle,
        encode_bytes: encode,
        decode_bytes: decode,
    });
    record.zero_bytes = zero_bytes;
    Ok(())
}

/// The zeros of a body in hexadecimal.
fn zeros(body: &str) -> ZeroBytes {
    let bytes = body.as_bytes().chunks_exact(2);
    let counted = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    let all = counted(bytes.len());
    ZeroBytes { zero: counted(bytes.filter(|byte| *byte == b"00").count()), all }
}

/// All loops, in their own process.
fn measure(
    record: &mut CodecTrialRecord,
    source: &PayloadSource,
    settings: &CodecTrials,
    burden_per_mille: u32,
    mut runner: Runner,
) -> Result<(), RunnerError> {
    let cell = &record.cell;
    let load = Operation::Load {
        payload: source.clone(),
        codec: cell.codec.clone(),
        compression: cell.compression.clone(),
        samples: Some(settings.samples),
    };
    match runner.ask(load, PATIENCE)? {
        Success::Loaded { body_bytes, uncompressed_bytes, dictionary, .. } => {
            record.body_bytes = body_bytes;
            record.uncompressed_bytes = uncompressed_bytes;
            record.dictionary = dictionary;
        }
        other => return Err(runner.unexpected("load", &other)),
    }
    // Calibration and the allocation pass take about as long as the timing; leave time for slow machines.
    let timing = settings.batch_time.to_std() * settings.batches;
    let limit = PATIENCE + timing * 10 + Duration::from_secs(10);
    let mut digests: Vec<(Phase, String)> = Vec::new();
    let compressed = !record.cell.compression.is_none();
    for Loop { phase, buffer, .. } in metric::loops(compressed, settings.empty) {
        let operation = Operation::Measure {
            phase,
            batch_time_ns: settings.batch_time.ns,
            batches: settings.batches,
            buffer,
            burden_per_mille: if phase == Phase::Encode { burden_per_mille } else { 0 },
            settle_ns: None,
        };
        match runner.ask(operation, limit)? {
            Success::Measured { measurement, digest } => {
                let differs = digests.iter().any(|(known, other)| *known == phase && *other != digest);
                if differs {
                    let error = format!(
                        "`{}` produced different bytes with a fresh buffer than with a reused one",
                        record.cell
                    );
                    record.failed = Some(error);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_are_counted_by_whole_bytes() {
        // Two zero digits of neighbouring bytes are not a zero.
        let counted = zeros("100001");
        assert_eq!(counted, ZeroBytes { zero: 1, all: 3 });
        assert!((counted.share() - 1.0 / 3.0).abs() < 1e-12);
        assert_eq!(zeros("").share(), 0.0);
    }
}
