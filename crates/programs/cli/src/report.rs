//! `wiredyno report`: rewrites the report of a run, or exports its figures.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::ValueEnum;
use wiredyno_model::summary::Summary;
use wiredyno_store::RunFolder;

use crate::output::{errln, out, outln};
use crate::{exit, run, runner};

#[derive(clap::Args)]
pub struct Arguments {
    /// The folder of the run to report
    run: PathBuf,
    /// What to write: html goes to report.html in the run folder, the others to standard output; csv has a row for each cell
    /// and metric, with its unit
    #[arg(long, value_enum, default_value_t = Format::Html)]
    format: Format,
    /// Write to this file instead
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

/// Writes the report to a file or standard output.
pub fn main(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let (folder, summary) = read(&arguments.run)?;
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

/// The summary of a run. An interrupted run has trials that its last summary lacks, or no summary: it is computed from the trials.
fn read(path: &Path) -> anyhow::Result<(RunFolder, Summary)> {
    let written = || {
        let folder = RunFolder::open(path)?;
        let summary = folder.read_summary()?;
        Ok((folder, summary))
    };
    if RunFolder::reopen(path).is_err() {
        return written();
    }
    let sandbox = runner::enter_sandbox()?;
    match run::to_read(path, sandbox).and_then(|run| Ok(run.so_far()?)) {
        Ok(finished) => Ok((finished.folder, finished.summary)),
        // The run is still in progress, or something that the study names is missing.
        Err(error) => match written() {
            Ok(found) => {
                errln!(
                    "showing its last summary, because no new one can be computed from its trials: {error:#}"
                );
                Ok(found)
            }
            Err(_) => Err(error),
        },
    }
}
