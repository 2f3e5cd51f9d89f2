//! The hidden subcommand `runner`, and the way other subcommands start one.

use std::path::PathBuf;
use std::process::{Command, ExitCode};

use anyhow::Context;
use wiredyno_link::sandbox::Sandbox;
use wiredyno_orchestrate::runner::{Interrupt, RunnerProcess};

use crate::exit;

/// Speaks the contract until `stop` or the end of the input.
pub fn serve() -> anyhow::Result<ExitCode> {
    wiredyno_runner::run(std::io::BufReader::new(std::io::stdin()), std::io::stdout())?;
    Ok(exit::DONE)
}

/// This program's file, which is also its runner and lane worker.
pub fn program() -> anyhow::Result<PathBuf> {
    std::env::current_exe().context("this program's own file can't be found")
}

/// A runner outside any run; it ends with this program, whose pipe it reads.
pub fn start(role: &'static str) -> anyhow::Result<RunnerProcess> {
    let mut command = Command::new(program()?);
    command.arg("runner");
    Ok(RunnerProcess::start(role, command, &Interrupt::default())?)
}

/// The sandbox that runs and links live in; must be entered before threads exist.
pub fn enter_sandbox() -> anyhow::Result<Sandbox> {
    Sandbox::enter().context("the sandbox of the run")
}
