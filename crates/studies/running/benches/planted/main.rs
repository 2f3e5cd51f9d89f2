//! Message trials of equal cells, and of one whose messages are made to cost a tenth more CPU time: how often does a study show a
//! difference that does not exist, and how often the one that does?
//!
//! `make bench-planted`, or `cargo bench -p wiredyno-running --bench planted`. Runs the control `cost` of `wiredyno doctor
//! --self-test` with [`TRIALS`] repeats of its three cells, over links in four lanes side by side. Disjoint sets of five repeats of
//! two equal cells each are compared by the paired t test at the 5 % level without correction. Sets of as many repeats as the pilot chose,
//! of the cells with and without the added cost, are compared in the same way.
//!
//! The values go to a JSON file, `target/planted.json` or the path in `WIREDYNO_BENCH_RECORD`. As in a study, a trial past its limits is invalid: it is
//! repeated and does not count; a repeat counts where all three cells have a valid trial.

#[path = "../stand/mod.rs"]
mod stand;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;

use serde::Serialize;
use wiredyno_bench::{Done, MachineState, repeats};
use wiredyno_conducting::observe::message_value;
use wiredyno_link::lane::{WORKER_COMMAND, worker_main};
use wiredyno_link::sandbox::Sandbox;
use wiredyno_running::environment;
use wiredyno_running::self_test::{Control, Part, SelfTest};
use wiredyno_seats::interrupt::Interrupt;
use wiredyno_stats::{Level, Sample, t_test};

/// Repeats of each cell, so that two equal cells make as many pairs.
const TRIALS: u32 = 1_000;
/// Repeats in each comparison of equal cells.
const PER_SET: usize = 5;

/// The metrics: the mean of each trial, or its only value.
const METRICS: [&str; 5] =
    ["publisher_cpu_per_message", "subscriber_cpu_per_delivery", "latency", "encode_time", "schedule_lag"];

fn main() -> ExitCode {
    // Lanes are children of this program.
    if std::env::args().nth(1).is_some_and(|argument| argument == WORKER_COMMAND) {
        return ExitCode::from(u8::try_from(worker_main()).unwrap_or(1));
    }
    match measure() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench planted: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The contents of a recording.
#[derive(Serialize)]
struct Recording {
    how: &'static str,
    machine: String,
    state: String,
    planted_ns: u64,
    /// Repeats that the pilot chose.
    chosen: u32,
    trials: usize,
    /// Each with the values of both equal cells and of the cell that is made to cost more, repeat by repeat.
    quantities: Vec<Quantity>,
}

/// A recording's description of itself.
const HOW: &str = "recorded by `make bench-planted`: the control `cost` of `wiredyno doctor --self-test` in four lanes; trials past the \
                   study's limits were repeated and do not count, nothing else was excluded";

#[derive(Serialize)]
struct Quantity {
    metric: &'static str,
    base: Vec<f64>,
    same: Vec<f64>,
    more: Vec<f64>,
}

fn measure() -> Done<()> {
    let (sandbox, interrupt) = (Sandbox::enter()?, Interrupt::default());
    let state = MachineState::look()?.to_string();
    println!("{state}");
    let test = SelfTest::new()?;
    let pilot = Part { lanes: "4".to_owned(), ..Part::pilot(Control::Cost) };
    let finished = stand::carried_out(test.request(&pilot, &sandbox, &interrupt)?)?;
    let chosen = pilot.after_pilot(5, &finished.folder.read_trials()?, &finished.summary.study)?;
    let part = Part { repeats: repeats(TRIALS)?, ..chosen.clone() };
    println!(
        "planted: {} ns a message; a study needs {} repeats to find it",
        part.planted_ns, chosen.repeats
    );
    let finished = stand::carried_out(test.request(&part, &sandbox, &interrupt)?)?;
    let trials = finished.folder.read_trials()?;
    let hosts = &finished.summary.study.hosts;
    let mut repeats: BTreeMap<u32, BTreeMap<String, &wiredyno_store::MessageTrial>> = BTreeMap::new();
    for trial in trials.messages.iter().filter(|trial| trial.record.is_complete()) {
        repeats.entry(trial.record.repeat).or_default().insert(trial.record.cell.payload.name.clone(), trial);
    }
    let names = ["self-test-base", "self-test-same", "self-test-more"];
    repeats.retain(|_, cells| names.iter().all(|name| cells.contains_key(*name)));
    let quantity = |metric: &'static str| {
        let of = |name: &str| {
            let of_cell = repeats.values().filter_map(|cells| cells.get(name));
            of_cell.filter_map(|trial| message_value(metric, trial, hosts)).map(rounded).collect()
        };
        let [base, same, more] = names.map(of);
        Quantity { metric, base, same, more }
    };
    let machine = environment::read(Vec::new(), "");
    let recording = Recording {
        how: HOW,
        machine: format!(
            "{} x {}, {}, governor {}",
            machine.cpus, machine.cpu, machine.kernel, machine.governor
        ),
        state,
        planted_ns: part.planted_ns,
        chosen: chosen.repeats,
        trials: repeats.len(),
        quantities: METRICS.map(quantity).into(),
    };
    let path = std::env::var_os("WIREDYNO_BENCH_RECORD").map_or_else(default_path, PathBuf::from);
    std::fs::write(&path, serde_json::to_vec(&recording)?).map_err(|e| format!("{}: {e}", path.display()))?;
    println!(
        "values of {} repeats: {}; {} trials were invalid or of repeats without a valid trial in each cell",
        recording.trials,
        path.display(),
        trials.messages.len() - 3 * recording.trials
    );
    println!("{:<30} {:>12} {:>18} {:>18}", "", "mean", "equal cells differ", "planted is found");
    for quantity in &recording.quantities {
        let equal = found(&quantity.base, &quantity.same, PER_SET)?;
        let planted = found(&quantity.base, &quantity.more, recording.chosen as usize)?;
        let mean = Sample::new(quantity.base.clone())?.mean();
        println!("{:<30} {mean:>12.1} {equal:>18} {planted:>18}", quantity.metric);
    }
    Ok(())
}

fn default_path() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../target/planted.json"))
}

/// A hundredth of a nanosecond is far below any difference between trials.
fn rounded(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

/// In how many sets of this many consecutive repeats the logarithms of both cells differ at the 5 % level.
fn found(base: &[f64], other: &[f64], per_set: usize) -> Done<String> {
    let logarithms: Vec<f64> = base.iter().zip(other).map(|(base, other)| other.ln() - base.ln()).collect();
    let (mut sets, mut differ) = (0, 0);
    for set in logarithms.chunks_exact(per_set) {
        let test = t_test::paired(&Sample::new(set.to_vec())?, Level::P95)?;
        sets += 1;
        differ += u32::from(test.p_value < Level::P95.error_rate());
    }
    Ok(format!("{differ} of {sets}"))
}
