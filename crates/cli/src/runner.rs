//! The hidden subcommand `runner`, and the way other subcommands start one.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use wiredyno_link::sandbox::Sandbox;
use wiredyno_model::PayloadId;
use wiredyno_orchestrate::runner::{Interrupt, RunnerProcess};
use wiredyno_orchestrate::runners::Runners;
use wiredyno_runner_wire::Description;

use crate::{exit, own};

/// Speaks the contract until `stop` or the end of the input.
pub fn serve() -> anyhow::Result<ExitCode> {
    let input = std::io::BufReader::new(std::io::stdin());
    wiredyno_runner::run(wiredyno_payloads::PAYLOADS, input, std::io::stdout())?;
    Ok(exit::DONE)
}

/// This program's file, which is also its runner and lane worker.
pub fn program() -> anyhow::Result<PathBuf> {
    std::env::current_exe().context("this program's own file can't be found")
}

/// The programs that run these payloads.
pub fn runners<'a>(payloads: impl IntoIterator<Item = &'a PayloadId>) -> anyhow::Result<Runners> {
    Ok(Runners::of(program()?).and(own::apart(payloads)?))
}

/// A runner of a payload outside any run; it ends with this program, whose pipe it reads.
pub fn start(role: &'static str, payload: &PayloadId) -> anyhow::Result<RunnerProcess> {
    let command = runners([payload])?.command_for(payload);
    Ok(RunnerProcess::start(role, command, &Interrupt::default())?)
}

/// What there is: what this program has, and the payloads of the user's own that are built.
pub fn describe() -> anyhow::Result<Description> {
    let command = runners([])?.command();
    let mut process = RunnerProcess::start("runner", command, &Interrupt::default())?;
    let mut description = process.describe()?;
    process.stop();
    description.payloads.extend(own::described()?);
    Ok(description)
}

/// The sandbox that runs and links live in; must be entered before threads exist.
pub fn enter_sandbox() -> anyhow::Result<Sandbox> {
    Sandbox::enter().context("the sandbox of the run")
}
