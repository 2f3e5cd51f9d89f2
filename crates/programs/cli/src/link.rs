//! `wiredyno link`: the emulated link on its own.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::Subcommand;
use wiredyno_contract::{BitRate, Ratio, Span};
use wiredyno_link::check::{CheckReport, Floor, RoundTrips};
use wiredyno_link::exec::ExecRequest;
use wiredyno_link::model::Seeds;
use wiredyno_link::spec::{LinkSpec, LossSpec, RateSpec};
use wiredyno_planning::catalogue::{Kind, find};

use crate::output::outln;
use crate::{exit, failure, runner};

/// The subcommands of `wiredyno link`.
#[derive(Subcommand)]
pub enum Command {
    /// Run a command on `edge`, across the link from `cloud`, whose address is in WIREDYNO_CLOUD
    Exec(ExecArguments),
    /// Check whether this machine can emulate a link, or why not and how to allow it, and measure its floor
    Check(CheckArguments),
}

#[derive(clap::Args)]
pub struct ExecArguments {
    /// A link from `wiredyno list links`, or a file; the options below replace its values in both directions
    #[arg(long, value_name = "ID|FILE")]
    link: Option<String>,
    /// Delay of each direction, for example 35ms
    #[arg(long)]
    delay: Option<Span>,
    /// Standard deviation of the delay, drawn per packet
    #[arg(long)]
    jitter: Option<Span>,
    /// Loss of each direction, for example 1%
    #[arg(long)]
    loss: Option<Ratio>,
    /// Mean length of a burst of losses, in packets; makes losses bursty (Gilbert model)
    #[arg(long, value_name = "PACKETS", requires = "loss")]
    loss_burst: Option<f64>,
    /// Rate of each direction, for example 10mbit
    #[arg(long)]
    rate: Option<BitRate>,
    /// Seed of loss, jitter and conditions
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// A command to run on `cloud` with `sh -c`; started first, stopped last
    #[arg(long, value_name = "COMMAND")]
    cloud_cmd: Option<String>,
    /// Write every packet to a pcapng file
    #[arg(long, value_name = "FILE")]
    capture: Option<PathBuf>,
    /// The command to run on `edge`
    #[arg(last = true, required = true)]
    command: Vec<OsString>,
}

#[derive(clap::Args)]
pub struct CheckArguments {
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
}

/// Runs the chosen subcommand.
pub fn main(command: Command) -> anyhow::Result<ExitCode> {
    match command {
        Command::Exec(arguments) => exec(arguments),
        Command::Check(arguments) => check(&arguments),
    }
}

fn exec(arguments: ExecArguments) -> anyhow::Result<ExitCode> {
    let program = runner::program()?;
    let mut link = match &arguments.link {
        None => LinkSpec::unshaped(),
        Some(id) => {
            let found = failure::named(find(Kind::Link, id))?;
            let path = found.path.clone().unwrap_or_else(|| PathBuf::from(&found.name));
            LinkSpec::parse(&found.text, &path)?
        }
    };
    for direction in [&mut link.up, &mut link.down] {
        direction.delay = arguments.delay.unwrap_or(direction.delay);
        direction.jitter = arguments.jitter.unwrap_or(direction.jitter);
        if let Some(share) = arguments.loss {
            direction.loss = loss(share, arguments.loss_burst).map_err(failure::wrong)?;
        }
        if let Some(rate) = arguments.rate {
            direction.rate = RateSpec::Constant { rate };
        }
    }
    let request = ExecRequest {
        program,
        link,
        seeds: Seeds { packets: arguments.seed, conditions: arguments.seed },
        capture: arguments.capture,
        cloud_command: arguments.cloud_cmd,
        command: arguments.command,
    };
    let sandbox = runner::enter_sandbox()?;
    Ok(exit::code(wiredyno_link::exec::exec(&sandbox, &request)?))
}

fn loss(share: Ratio, burst: Option<f64>) -> anyhow::Result<LossSpec> {
    match burst {
        None => Ok(LossSpec::Independent { share }),
        Some(mean) => LossSpec::in_bursts(share, mean).with_context(|| {
            format!("bursts of {mean} packets can't produce that loss: write at least 1, or more for a larger loss")
        }),
    }
}

fn check(arguments: &CheckArguments) -> anyhow::Result<ExitCode> {
    let program = runner::program()?;
    let sandbox = runner::enter_sandbox()?;
    let report = wiredyno_link::check::check(&sandbox, &program)?;
    if arguments.json {
        outln!("{}", serde_json::to_string_pretty(&report)?);
    } else {
        print(&report);
    }
    let possible = report.rights.network_namespaces.is_ok();
    Ok(if possible { exit::DONE } else { ExitCode::from(exit::FAILED) })
}

fn print(report: &CheckReport) {
    let rights = &report.rights;
    let line = |what: &str, right: &Result<(), wiredyno_link::sandbox::Missing>| match right {
        Ok(()) => outln!("yes  {what}"),
        Err(missing) => outln!("no   {what}: {}\n     {}", missing.what, missing.remedy),
    };
    line("an emulated link (network namespaces, TUN)", &rights.network_namespaces);
    line("all processes die with the run (PID namespace)", &rights.pid_namespace);
    line("real-time priority for the link", &rights.realtime);
    if rights.user_namespace {
        outln!("     in a user namespace: no root needed");
    }
    if let Some(floor) = &report.floor {
        print_floor(floor);
    }
    for note in &report.notes {
        outln!("note: {note}");
    }
}

fn print_floor(floor: &Floor) {
    let row = |what: &str, trips: &RoundTrips| {
        outln!(
            "{what:<44} median {:>8.1} µs   p99 {:>8.1} µs   n {}",
            trips.median_ns as f64 / 1e3,
            trips.p99_ns as f64 / 1e3,
            trips.count
        );
    };
    outln!("\nmeasured floor (UDP echo of 100 bytes, one at a time):");
    row("round trip over loopback", &floor.loopback);
    row("round trip over an unshaped link", &floor.link);
    row("excess over 10 ms on a link of 5 ms each way", &floor.shaped_excess);
    outln!(
        "{:<44} median {:>8.1} µs   p99 {:>8.1} µs",
        "lateness of packets on a shaped link",
        floor.lateness.median_ns as f64 / 1e3,
        floor.lateness.p99_ns as f64 / 1e3
    );
}
