//! What `wiredyno run` prints beside progress: the plan, what will be judged, what was found.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use wiredyno_claims::for_study;
use wiredyno_model::summary::Summary;
use wiredyno_planning::stock::Stock;
use wiredyno_report::Format;
use wiredyno_running::preview::preview;
use wiredyno_running::run::PreparedRun;
use wiredyno_store::RunFolder;

use super::dry_run::{claims_of, dry_run, to_decide};
use super::{Arguments, ProgressFormat};
use crate::output::{errln, out, outln};
use crate::{failure, terminal};

/// Prints what would be run.
pub(super) fn tell_plan(prepared: &PreparedRun, stock: &Stock, arguments: &Arguments) -> anyhow::Result<()> {
    let missing = prepared.needs().missing(stock)?;
    if arguments.json {
        outln!("{}", serde_json::to_string_pretty(&preview(prepared, stock, &missing)?)?);
    } else {
        dry_run(prepared, stock, &missing)?;
    }
    Ok(())
}

/// Says how many of a publication's claims the run will decide.
pub(super) fn tell_claims(prepared: &PreparedRun, arguments: &Arguments) -> anyhow::Result<()> {
    if arguments.progress == ProgressFormat::Text
        && !terminal::is_quiet()
        && let Some(published) = for_study(&prepared.study().name).transpose()?
    {
        let told = to_decide(&published, &claims_of(&published, prepared.study(), &prepared.plan));
        errln!("{told}; --dry-run lists them");
    }
    Ok(())
}

/// Prints what a run found, and where its report is.
pub(super) fn tell_results(summary: &Summary, report: &Path, arguments: &Arguments) -> anyhow::Result<()> {
    let for_programs = arguments.progress == ProgressFormat::Json;
    if arguments.json {
        out!("{}", wiredyno_report::render(summary, Format::Json)?);
    } else if !for_programs {
        out!("{}", wiredyno_report::terminal(summary, terminal::width()));
    }
    let results = &summary.thresholds;
    if let Some(file) = &arguments.junit {
        let text = wiredyno_report::junit(&summary.study.name, results)?;
        std::fs::write(file, text).with_context(|| file.display().to_string())?;
    }
    if !results.is_empty() && !arguments.json && !for_programs {
        let answer = wiredyno_report::thresholds(&summary.study.name, results);
        out!("\n{}", answer.to_terminal(terminal::width()));
    }
    let said = format!("report: {}", report.display());
    if arguments.json || for_programs {
        errln!("{said}");
    } else {
        outln!("\n{said}")
    }
    Ok(())
}

/// Prints what ended a run early, then how to continue it.
pub(super) fn broken(error: &anyhow::Error, folder: &Path, arguments: &Arguments) -> ExitCode {
    let code = failure::told(error);
    tell_how_to_go_on(folder, arguments);
    code
}

/// The last line of an incomplete run; nothing if it has not begun or no trial is missing.
pub(super) fn tell_how_to_go_on(folder: &Path, arguments: &Arguments) {
    if RunFolder::reopen(folder).is_ok() {
        let named = [("--agents", &arguments.agents), ("--fleet", &arguments.fleet)];
        let named =
            named.iter().find_map(|(option, file)| Some(format!(" {option} {}", file.as_ref()?.display())));
        let agents = named.unwrap_or_default();
        errln!("to continue: wiredyno run --resume {}{agents}", folder.display());
    }
}
