//! The link, measured: what it adds to a round trip, how near it comes to the delay, rate and loss that it was
//! told, and what it carries; beside loopback, a veth pair, iperf3 and the models of TCP and of bursty loss.
//!
//! `cargo bench -p wiredyno-link --bench link [-- ROW...]` prints a table: every value is measured so many times
//! (`WIREDYNO_BENCH_REPEATS`, 5 unless told otherwise), rows interleaved, so that drift hits all alike, with the
//! mean and its 95 % t interval. Row names that contain one of the words given are kept. Limits: times hold for
//! a quiet machine; sender, link and receiver share its CPUs.

mod goodput;
mod paths;
mod rows;

use std::process::ExitCode;

use wiredyno_bench::{MachineState, Outcome, Table, keeps, repeats, words};
use wiredyno_link::lane::{Lane, WORKER_COMMAND, worker_main};
use wiredyno_link::sandbox::Sandbox;

fn main() -> ExitCode {
    let words = words();
    if words.first().is_some_and(|word| word == WORKER_COMMAND) {
        return ExitCode::from(u8::try_from(worker_main()).unwrap_or(1));
    }
    match measure(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench link: {error}");
            ExitCode::FAILURE
        }
    }
}

fn measure(words: &[String]) -> Outcome<()> {
    let sandbox = Sandbox::enter()?;
    let lane = Lane::spawn(&std::env::current_exe()?, 0, &sandbox)?;
    let repeats = u64::from(repeats(5)?);
    println!("{}", MachineState::look()?);
    println!(
        "real-time priority: {}; {} CPUs; {repeats} repeats",
        if lane.realtime() { "yes" } else { "no" },
        std::thread::available_parallelism().map_or(1, usize::from)
    );
    let mut table = Table::default();
    let benches: Vec<_> = rows::all().into_iter().filter(|bench| keeps(words, bench.name)).collect();
    for repeat in 0..repeats {
        for bench in &benches {
            match (bench.run)(&rows::Place { lane: &lane, sandbox: &sandbox, repeat }) {
                Ok(values) => values.into_iter().for_each(|value| table.add(value)),
                Err(error) => table.note(format!("{}: {error}", bench.name)),
            }
        }
    }
    println!("{table}");
    Ok(())
}
