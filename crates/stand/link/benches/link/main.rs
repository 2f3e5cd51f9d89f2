//! Measures the link: what it adds to a round trip, how close it comes to the requested delay, rate and loss, and its capacity;
//! compared with loopback, a veth pair, iperf3 and the models of TCP and of bursty loss.
//!
//! `cargo bench -p wiredyno-link --bench link [-- ROW...]` prints a table. Every value is measured several times
//! (`WIREDYNO_BENCH_REPEATS`, 5 by default) with rows interleaved, so that drift affects all alike, and shown with its mean and
//! 95 % t interval. Arguments keep the rows whose names contain one of them. Limits: times hold for a quiet machine; sender, link
//! and receiver share its CPUs.
//!
//! Reno compared with PFTK, and why it is faster. Rows are measured with Linux's recovery and with a plain one (SACK, DSACK,
//! RACK, tail loss probes and F-RTO off on both hosts), with the kernel's counts of loss indications and timeouts, and with the
//! model's prediction from these counts. Five repeats on a quiet machine, 40 ms:
//! - Goodput divided by the model's: Linux 1.2, 1.3, 1.7, 2.1, 2.0 at 0.1, 1, 5, 10, 25 % loss; plain 1.2, 1.2, 1.3, 1.5,
//!   1.3. (With the model's approximate form, used here before, Linux at 25 % would be 5.1.)
//! - So Linux's recovery accounts for most of the gap above 5 %: of its indications 0 % are timeouts at 5 %, 4 % at 10 %
//!   and 28 % at 25 %, where the model has 50, 69 and 93 %; plain Reno has 9, 38 and 75 %.
//! - The rest is consistent with the model's assumption that a round is lost from its first loss on. Here losses are independent:
//!   segments after a loss mostly arrive and are acknowledged, so timeouts are rarer than `Q` even for plain Reno, and one
//!   recovery serves several losses: 15 to 40 % fewer indications than lost segments from 1 % on, in both.
//! - Given both counts, the model agrees at 0.1 and 1 %, and is too fast above: for Linux by 16, 31 and 68 % at
//!   5, 10 and 25 %, for plain by 32, 36 and 58 %. Measurement does not explain that remainder; lost retransmissions
//!   inside a recovery cost time that the model lacks, and a backed-off timeout counts here as an indication.
//!
//! Lateness: echoing threads have real-time priority, below the link's, where that is allowed; otherwise they would measure the
//! scheduler. On a quiet machine 70 ms there and back is off by 252 us in the mean and 307 us at p99. Of that mean, 57 us each
//! way are packets that leave later than planned, and 125 us are the round trip over an unshaped link. One other job running for
//! seconds raised one repeat's mean to 2 ms. Halving the error would need workers that spin instead of sleeping, thus a CPU each,
//! which two CPUs can't provide.
//! Rejected: locking memory (without the right, its limit makes allocations fail), pinning to a CPU (which may be the busy one).

mod goodput;
mod measurements;
mod paths;

use std::process::ExitCode;

use wiredyno_bench::{Done, MachineState, Table, keeps, repeats, words};
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

fn measure(words: &[String]) -> Done<()> {
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
    let benches: Vec<_> = measurements::all().into_iter().filter(|bench| keeps(words, bench.name)).collect();
    for repeat in 0..repeats {
        for bench in &benches {
            match (bench.run)(&measurements::Place { lane: &lane, sandbox: &sandbox, repeat }) {
                Ok(values) => values.into_iter().for_each(|value| table.add(value)),
                Err(error) => table.note(format!("{}: {error}", bench.name)),
            }
        }
    }
    println!("{table}");
    Ok(())
}
