//! Our unaligned PER beside asn1c's C at -O3 and beside rasn, over the same messages.
//!
//! `cargo bench --profile release -p wiredyno-testkit --bench asn1` prints, for each payload and phase, nanoseconds per call
//! and the ratio foreign time / our time: the median over rounds with its 95 % bootstrap interval. In each round every side
//! makes the same number of calls, one after the other, so that drift hits all alike (`WIREDYNO_BENCH_REPEATS` rounds, 11
//! unless told otherwise; `WIREDYNO_BENCH_CALLS` calls, 200,000). asn1c's C runs its own loop in its own process
//! (`oracles/asn1c/loop.c` says what is inside its clock: a buffer that is used again, objects freed). Ours and rasn
//! run in the loops of every codec trial, with the reused buffer. Both sides verify what they produced.
//!
//! Limits: times hold for a quiet machine. Without asn1c its rows are left out, and that is said.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use wiredyno_codecs::{Bound, Buffer, Payload, Phase};
use wiredyno_schema::Definition;
use wiredyno_schema::idl::{Asn1, Idl as _};
use wiredyno_stats::{Bootstrap, Quantile, Sample, Statistic};

/// What goes wrong in a bench is told and ends it.
type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

const PAYLOADS: &[&str] = &["cam", "denm-management", "denm"];
const OURS: &str = "asn1-uper/wiredyno";
const RASN: &str = "asn1-uper/rasn";

/// The phases, and how the C program names them.
const PHASES: [(Phase, &str); 2] = [(Phase::Encode, "encode"), (Phase::Decode, "decode")];

fn main() -> ExitCode {
    match measure() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench asn1: {error}");
            ExitCode::FAILURE
        }
    }
}

fn setting(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

fn measure() -> Outcome<()> {
    let (rounds, calls) = (setting("WIREDYNO_BENCH_REPEATS", 11), setting("WIREDYNO_BENCH_CALLS", 200_000));
    println!("{rounds} rounds of {calls} calls; ratio: foreign time / our time, 95 % interval");
    println!(
        "{:<16} {:<7} {:<6} {:>9} {:>9} {:>7} {:>16}",
        "payload", "phase", "beside", "ours ns", "theirs ns", "ratio", "interval"
    );
    for name in PAYLOADS {
        let payload = wiredyno_payloads::find(&name.parse()?)?;
        let folder = tempfile::tempdir()?;
        let program = match asn1c(&payload, folder.path()) {
            Ok(program) => Some(program),
            Err(reason) => {
                println!("{name}: no rows of asn1c: {reason}");
                None
            }
        };
        let (mut ours, mut rasn) = (loaded(&payload, OURS)?, loaded(&payload, RASN)?);
        if (0..ours.sample_count()).any(|at| ours.encoded_sample(at) != rasn.encoded_sample(at)) {
            return Err(format!("{name}: rasn writes other bytes").into());
        }
        let messages = folder.path().join("messages");
        let lines: Vec<String> =
            (0..ours.sample_count()).filter_map(|at| ours.encoded_sample(at)).map(hex::encode).collect();
        std::fs::write(&messages, lines.join("\n") + "\n")?;
        let mut rows = Rows::default();
        // The first round warms up.
        for round in 0..=rounds {
            let times = [
                timed(ours.as_mut(), calls)?,
                timed(rasn.as_mut(), calls)?,
                program.as_ref().map_or(Ok([f64::NAN; 2]), |program| foreign(program, &messages, calls))?,
            ];
            if round > 0 {
                rows.0.push(times);
            }
        }
        rows.print(name, program.is_some())?;
    }
    Ok(())
}

fn loaded(payload: &Payload, codec: &str) -> Outcome<Box<dyn Bound>> {
    let mut bound = payload.bind(&codec.parse()?)?;
    let samples: Vec<_> = payload.samples(None)?.collect::<Result<_, _>>()?;
    bound.load(&mut samples.into_iter())?;
    bound.verify_round_trips()?;
    Ok(bound)
}

/// Nanoseconds per call of each phase.
fn timed(bound: &mut dyn Bound, calls: u64) -> Outcome<[f64; 2]> {
    let mut times = [0.0; 2];
    for (time, (phase, _)) in times.iter_mut().zip(PHASES) {
        let batch = bound.run_batch(phase, calls, 0, Buffer::Reused)?.batch;
        *time = batch.elapsed_ns as f64 / batch.iterations as f64;
    }
    Ok(times)
}

fn foreign(program: &Path, messages: &Path, calls: u64) -> Outcome<[f64; 2]> {
    let output = Command::new(program).arg(messages).arg(calls.to_string()).output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    let report: serde_json::Value = serde_json::from_slice(&output.stdout)?;
    let time = |name: &str| report[format!("{name}_ns")].as_f64().ok_or("asn1c's program gave no time");
    Ok([time(PHASES[0].1)?, time(PHASES[1].1)?])
}

/// Builds asn1c's C for the payload.
fn asn1c(payload: &Payload, folder: &Path) -> Outcome<PathBuf> {
    let definition = Definition::from_source(payload.entry().proto, payload.entry().name)?;
    let module = Asn1.lower(&definition)?.text;
    let root = module.split_once("Module DEFINITIONS").map(|(root, _)| root.to_owned()).ok_or("no module")?;
    std::fs::write(folder.join("module.asn1"), module)?;
    let build = Path::new(env!("CARGO_MANIFEST_DIR")).join("oracles/asn1c/build");
    let output = Command::new(build).arg(folder).arg(root).output()?;
    match output.status.success() {
        true => Ok(folder.join("loop")),
        false => Err(String::from_utf8_lossy(&output.stderr).trim().to_owned().into()),
    }
}

/// Per round, of ours, rasn and asn1c, the time of each phase.
#[derive(Default)]
struct Rows(Vec<[[f64; 2]; 3]>);

impl Rows {
    fn print(&self, payload: &str, with_c: bool) -> Outcome<()> {
        for (phase, (_, phase_name)) in PHASES.iter().enumerate() {
            let median =
                |values: Vec<f64>| Sample::new(values).map(|sample| sample.quantile(Quantile::MEDIAN));
            let ours = median(self.0.iter().map(|round| round[0][phase]).collect())?;
            for (side, name) in [(2, "asn1c"), (1, "rasn")] {
                if side == 2 && !with_c {
                    continue;
                }
                let theirs = median(self.0.iter().map(|round| round[side][phase]).collect())?;
                let ratios = self.0.iter().map(|round| round[side][phase] / round[0][phase]);
                let ratios = Sample::new(ratios.collect::<Vec<f64>>())?;
                let interval = match Bootstrap::seeded(1).values(&ratios, Statistic::MEDIAN) {
                    Ok(interval) => format!("[{:.2}, {:.2}]", interval.low, interval.high),
                    Err(reason) => reason.to_string(),
                };
                println!(
                    "{payload:<16} {phase_name:<7} {name:<6} {ours:>9.1} {theirs:>9.1} {:>7.2} {interval:>16}",
                    ratios.quantile(Quantile::MEDIAN)
                );
            }
        }
        Ok(())
    }
}
