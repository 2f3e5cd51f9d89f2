//! The same cell against itself, live: how often do a study's trials show a difference that does not exist?
//!
//! `make bench-aa`, or `cargo bench -p wiredyno-running --bench aa`. Runs [`TRIALS`] codec trials and as
//! many message trials of one tiny cell each over loopback, alternating, as a study does. It compares disjoint sets of five of them 100 times,
//! uncorrected at the 5 % level. At most [`MOST_FALSE_DIFFERENCES`] may differ; more end the bench with an error. The sets are made in two ways:
//! drawn by [`SEED`] from the whole recording, and alternately from ten trials in a row, like two cells of an interleaved study.
//!
//! The values of all trials go to a JSON file, `target/aa.json` or the path in `WIREDYNO_BENCH_RECORD`; a
//! recording of it is kept in `crates/results/stats/tests/recorded_aa.json`, where a test compares it again. As in a study,
//! a trial past its limits is invalid: it is repeated and does not count; no other trials are excluded. Limits: it
//! takes nine minutes on a quiet machine and more on a busy one, where most message trials are invalid; whether
//! existing differences are found is tested in `crates/results/stats`, not here.

#[path = "../stand/mod.rs"]
mod stand;

use std::path::PathBuf;
use std::process::ExitCode;

use serde::Serialize;
use wiredyno_bench::{Done, MachineState};
use wiredyno_conducting::codec_trial::CodecConductor;
use wiredyno_contract::{Batch, Buffer, Phase};
use wiredyno_model::Study;
use wiredyno_model::trial::{CodecTrialRecord, MessageRecord};
use wiredyno_planning::plan::PlannedCodecTrial;
use wiredyno_running::environment;
use wiredyno_stats::proportion::Proportion;
use wiredyno_stats::{
    FalseDifferences, Level, Quantile, Sample, Statistic, disjoint_pairs, false_differences,
    interleaved_pairs,
};

use stand::Stand;

/// Fixed before the first run of the bench.
const SEED: u64 = 20_261_121;
/// Trials in each of the two sets of a comparison.
const PER_SET: usize = 5;
/// How often each quantity is compared.
const COMPARISONS: usize = 100;
/// Trials of each kind, so that no trial is used twice.
const TRIALS: u32 = (2 * PER_SET * COMPARISONS) as u32;
/// At 5 %, 100 independent comparisons exceed it with probability 0.004 (`FalseDifferences`).
const MOST_FALSE_DIFFERENCES: u64 = 11;

/// The cell: small, so that thousands of trials take minutes. Its limits are a study's, except for utilisation: the
/// kernel counts that in ticks of 10 ms, of which a trial of 20 ms has four.
const STUDY: &str = r#"
name = "aa"
why = "How often does a cell differ from itself?"
[axes]
payload = ["person"]
codec = ["protobuf/prost"]
mode = ["tcp"]
link = ["loopback"]
[load]
kind = "open"
interval = "500us"
messages = 40
warmup = 10
deadline = "1s"
drain = "1s"
[trials]
seed = 20261121
[codec_trials]
batch_time = "200us"
batches = 10
samples = 20
[limits]
utilisation = 1.0
"#;

fn main() -> ExitCode {
    match measure() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => {
            eprintln!(
                "bench aa: more than {MOST_FALSE_DIFFERENCES} of {COMPARISONS} comparisons differ falsely"
            );
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("bench aa: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The contents of a recording.
#[derive(Serialize)]
struct Recording {
    how: String,
    machine: String,
    state: String,
    study: &'static str,
    trials: u32,
    invalid_trials: u32,
    seed: u64,
    quantities: Vec<Quantity>,
}

/// One quantity of the cell.
#[derive(Serialize)]
struct Quantity {
    name: &'static str,
    unit: &'static str,
    /// One value per trial, in the order of the trials.
    values: Vec<f64>,
}

fn measure() -> Done<bool> {
    let study = Study::parse("aa.toml", STUDY)?;
    let stand = Stand::new(&study)?;
    let state = MachineState::look()?.to_string();
    println!("{state}");
    println!("{TRIALS} codec trials and {TRIALS} message trials, in turns; seed {SEED}");
    let recording = record(&stand, &study, state)?;
    let path = std::env::var_os("WIREDYNO_BENCH_RECORD").map_or_else(default_path, PathBuf::from);
    std::fs::write(&path, serde_json::to_vec(&recording)?).map_err(|e| format!("{}: {e}", path.display()))?;
    println!(
        "values of all trials: {}; {} invalid ones were repeated",
        path.display(),
        recording.invalid_trials
    );
    println!(
        "{:<36} {:>10} {:>8} {:>6} {:>6} {:>20}",
        "", "mean", "unit", "by t", "rank", "by t, 95 % interval"
    );
    let mut within = true;
    for quantity in &recording.quantities {
        let values = Sample::new(quantity.values.clone())?;
        let drawn = disjoint_pairs(&values, PER_SET, COMPARISONS, SEED);
        let turns = interleaved_pairs(&values, PER_SET, COMPARISONS);
        for (how, pairs) in [("drawn", drawn), ("in turns", turns)] {
            let found = false_differences(&pairs, Level::P95)?;
            within &= found.by_t <= MOST_FALSE_DIFFERENCES && found.comparisons == COMPARISONS as u64;
            print_row(quantity, how, values.mean(), &found)?;
        }
    }
    Ok(within)
}

fn default_path() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../target/aa.json"))
}

fn print_row(quantity: &Quantity, how: &str, mean: f64, found: &FalseDifferences) -> Done<()> {
    let interval = Proportion::new(found.by_t, found.comparisons)?.clopper_pearson(Level::P95);
    let (low, high) = (interval.low * 100.0, interval.high * 100.0);
    let FalseDifferences { by_t, by_rank, .. } = found;
    let name = format!("{}, {how}", quantity.name);
    println!(
        "{name:<36} {mean:>10.1} {:>8} {by_t:>6} {by_rank:>6} {:>20}",
        quantity.unit,
        format!("{low:.1} .. {high:.1} %")
    );
    Ok(())
}

/// The quantities of the cell: from codec trials and from message trials.
const QUANTITIES: [&str; 5] = [
    "codec trial: encode, mean",
    "codec trial: decode, median",
    "latency, mean",
    "latency, median",
    "latency, p99",
];

/// All trials, codec and message trials alternating, each repeated until it is valid.
fn record(stand: &Stand, study: &Study, state: String) -> Done<Recording> {
    let mut quantities = QUANTITIES.map(|name| Quantity { name, unit: "ns", values: Vec::new() });
    let mut invalid_trials = 0;
    for repeat in 0..TRIALS {
        let codec = valid(&mut invalid_trials, || {
            let record = codec_trial(stand, study, repeat)?;
            Ok(record.is_complete().then_some(record))
        })?;
        let message = valid(&mut invalid_trials, || {
            let trial = stand.trial(study, repeat)?;
            Ok(trial.record.is_complete().then_some(trial))
        })?;
        let latencies = latencies(&message.messages)?;
        let values = [
            per_call(&codec, Phase::Encode)?.mean(),
            Statistic::MEDIAN.of(&per_call(&codec, Phase::Decode)?),
            latencies.mean(),
            Statistic::MEDIAN.of(&latencies),
            Statistic::Quantile(Quantile::P99).of(&latencies),
        ];
        for (quantity, value) in quantities.iter_mut().zip(values) {
            quantity.values.push(rounded(value));
        }
        if (repeat + 1) % 100 == 0 {
            println!("{} of {TRIALS}, {invalid_trials} invalid ones repeated", repeat + 1);
        }
    }
    let machine = environment::read(Vec::new(), "");
    let (cpus, cpu, kernel, governor) = (machine.cpus, machine.cpu, machine.kernel, machine.governor);
    Ok(Recording {
        how: HOW.to_owned(),
        machine: format!("{cpus} x {cpu}, {kernel}, governor {governor}"),
        state,
        study: STUDY,
        trials: TRIALS,
        invalid_trials,
        seed: SEED,
        quantities: quantities.into(),
    })
}

/// A recording's description of itself.
const HOW: &str = "recorded by `make bench-aa`; one value per trial, in the order of the trials, codec and message \
                   trials in turns; trials past the study's limits were repeated and do not count, nothing else was excluded";

/// A hundredth of a nanosecond is far below any difference between trials.
fn rounded(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

/// Attempts at one trial before the machine is considered too busy for this bench.
const ATTEMPTS: u32 = 200;

/// Repeats an attempt until its trial is valid, and counts the invalid ones.
fn valid<T>(invalid_trials: &mut u32, mut attempt: impl FnMut() -> Done<Option<T>>) -> Done<T> {
    for _ in 0..ATTEMPTS {
        if let Some(trial) = attempt()? {
            return Ok(trial);
        }
        *invalid_trials += 1;
    }
    Err(format!("{ATTEMPTS} trials in a row were invalid: run this on a quieter machine").into())
}

fn codec_trial(stand: &Stand, study: &Study, repeat: u32) -> Done<CodecTrialRecord> {
    let cells = study.axes.cells(&|_, _| true);
    let cell = cells.first().ok_or("the study has no cell")?;
    let cell = cell.codec_cell();
    let conductor = CodecConductor {
        settings: &study.codec_trials,
        limits: &study.limits,
        stand: stand.machine,
        runners: &stand.runners,
        sandbox: &stand.sandbox,
        interrupt: &stand.interrupt,
    };
    let conducted = conductor.conduct(repeat, &PlannedCodecTrial { cell, repeat, attempt: 0 });
    let record = conducted.ok_or("interrupted")?.record;
    match &record.failed {
        Some(reason) => Err(reason.clone().into()),
        None => Ok(record),
    }
}

/// Nanoseconds per call of each batch, with a reused buffer.
fn per_call(record: &CodecTrialRecord, phase: Phase) -> Done<Sample> {
    let measured = record.phases.iter().find(|m| m.phase == phase && m.buffer == Buffer::Reused);
    let batches = &measured.ok_or("a codec trial without that phase")?.batches;
    Ok(Sample::new(batches.iter().map(Batch::ns_per_call).collect::<Vec<_>>())?)
}

/// From the intended send to the receipt, as studies count it.
fn latencies(messages: &[MessageRecord]) -> Done<Sample> {
    let latencies = messages.iter().filter_map(|m| Some((m.received_ns? - m.intended_send_ns) as f64));
    Ok(Sample::new(latencies.collect::<Vec<_>>())?)
}
