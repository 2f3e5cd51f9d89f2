//! `wiredyno serve`, `submit`, `status` and `fetch`: what the program `wiredyno-server` does, which stands beside this one.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

use anyhow::{Context, bail};

use crate::runner;

/// The program that is started in place of this one.
const SERVER: &str = "wiredyno-server";

/// Arguments of these commands, which the server's program reads.
#[derive(clap::Args)]
pub struct Arguments {
    /// What `--help` shows
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

/// Becomes the server's program.
pub fn main(command: &str, arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let program = runner::program()?.with_file_name(SERVER);
    if !program.is_file() {
        bail!(
            "{} does not exist: `make server` builds it; it belongs beside the program `wiredyno`",
            program.display()
        );
    }
    let failed = Command::new(&program).arg(command).args(&arguments.arguments).exec();
    Err(failed).with_context(|| program.display().to_string())
}
