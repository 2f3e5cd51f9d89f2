//! `wiredyno report`: the report of a run, written again.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::ValueEnum;
use wiredyno_orchestrate::runner::Interrupt;
use wiredyno_store::{RunFolder, StoreError};

use crate::output::{out, outln};
use crate::{exit, run, runner};

/// Arguments of `report`.
#[derive(clap::Args)]
pub struct Arguments {
    /// The run folder
    run: PathBuf,
    /// What to write: html goes to report.html in the run folder, md and json to standard output
    #[arg(long, value_enum, default_value_t = Format::Html)]
    format: Format,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    Html,
    Md,
    Json,
}

/// Writes the report.
pub fn main(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let (folder, summary) = match RunFolder::open(&arguments.run) {
        // One that was cut off has trials alone.
        Err(StoreError::NoRun { .. }) if RunFolder::reopen(&arguments.run).is_ok() => {
            let finished = {
                let sandbox = runner::enter_sandbox()?;
                run::begun(&arguments.run, sandbox, &Interrupt::default())?.so_far()?
            };
            (finished.folder, finished.summary)
        }
        folder => {
            let folder = folder?;
            let summary = folder.read_summary()?;
            (folder, summary)
        }
    };
    match arguments.format {
        Format::Html => {
            let path = folder.report("report.html");
            let html = wiredyno_report::render(&summary, wiredyno_report::Format::Html)?;
            folder.put(&path, html.as_bytes())?;
            outln!("report: {}", path.display());
        }
        Format::Md => out!("{}", wiredyno_report::render(&summary, wiredyno_report::Format::Markdown)?),
        Format::Json => out!("{}", wiredyno_report::render(&summary, wiredyno_report::Format::Json)?),
    }
    Ok(exit::DONE)
}
