//! `wiredyno report`: the report of a run, written again, or its figures for other programs.

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
    /// What to write: html goes to report.html in the run folder, the others to standard output; csv is a row for each cell and
    /// metric, with the unit
    #[arg(long, value_enum, default_value_t = Format::Html)]
    format: Format,
    /// Where to write it instead
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    Html,
    Md,
    Json,
    Csv,
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
    let format = match arguments.format {
        Format::Html => wiredyno_report::Format::Html,
        Format::Md => wiredyno_report::Format::Markdown,
        Format::Json => wiredyno_report::Format::Json,
        Format::Csv => wiredyno_report::Format::Csv,
    };
    let text = wiredyno_report::render(&summary, format)?;
    let in_folder = matches!(arguments.format, Format::Html).then(|| folder.report("report.html"));
    match arguments.output.clone().or(in_folder) {
        Some(path) => {
            folder.put(&path, text.as_bytes())?;
            outln!("report: {}", path.display());
        }
        None => out!("{text}"),
    }
    Ok(exit::DONE)
}
