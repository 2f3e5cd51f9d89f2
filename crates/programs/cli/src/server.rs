//! `wiredyno serve`, `submit`, `status` and `fetch`: handed over to the program `wiredyno-server` in the same folder.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

use anyhow::{Context, bail};

use crate::runner;

/// The program that replaces this one.
const SERVER: &str = "wiredyno-server";

/// The arguments, which the server's program parses.
#[derive(clap::Args)]
pub struct Arguments {
    /// Passed on to wiredyno-server; `--help` lists them
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

/// Replaces this process with the server's program.
pub fn main(command: &str, arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let program = runner::program()?.with_file_name(SERVER);
    if !program.is_file() {
        bail!(
            "{} does not exist: `make server` builds it; it belongs in the folder of the program `wiredyno`",
            program.display()
        );
    }
    let failed = Command::new(&program).arg(command).args(&arguments.arguments).exec();
    Err(failed).with_context(|| program.display().to_string())
}
