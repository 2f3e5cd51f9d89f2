//! `wiredyno compare`: two runs, or two values of an axis in one run.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, anyhow, bail};
use wiredyno_answers::Conclusion;
use wiredyno_answers::compare::{self, Wanted};
use wiredyno_contract::Factor;
use wiredyno_model::selection::{is_axis, plain_value};
use wiredyno_model::{AXES, Figure, Selection, Statistic};
use wiredyno_store::RunFolder;

use crate::output::{How, print_answer};
use crate::{exit, failure};

#[derive(clap::Args)]
pub struct Arguments {
    /// The base run, and the run to compare with it
    #[arg(num_args = 1..=2, required = true, value_name = "RUN")]
    runs: Vec<PathBuf>,
    /// Compare values of an axis in one run: each with the first. Join axes that vary together with a plus
    /// sign: codec+mode=json/serde-json+mqtt:qos1,protobuf/prost+coap:con
    #[arg(long, value_name = "AXIS=VALUE,VALUE,...")]
    per: Option<String>,
    /// Compare only these cells, for example 'mode=mqtt:*; loss=0'
    #[arg(long = "where", value_name = "AXIS=VALUE,...", default_value = "")]
    cells: Selection,
    /// Compare these metrics [default: those of the report's first screen]
    #[arg(long, value_name = "METRIC,...", value_delimiter = ',')]
    metric: Vec<Figure>,
    /// Ignore differences smaller than this in the exit code, for example 2%
    #[arg(long, value_name = "SHARE", default_value = "0")]
    least: Factor,
    /// Compare even what is not comparable, with a note that says so
    #[arg(long)]
    anyway: bool,
    /// Exit with 10 only if something is worse
    #[arg(long)]
    worse_only: bool,
    #[command(flatten)]
    how: How,
}

/// Prints the comparison; the exit code says whether something differs.
pub fn main(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let metrics = arguments.metric.iter().map(|figure| match figure.statistic {
        Statistic::Mean => Ok(figure.metric.clone()),
        _ => {
            let told =
                anyhow!("--metric {figure}: only means over trials can be compared; write {}", figure.metric);
            Err(failure::wrong(told))
        }
    });
    let wanted = Wanted {
        metrics: metrics.collect::<anyhow::Result<_>>()?,
        cells: arguments.cells.clone(),
        anyway: arguments.anyway,
        least: arguments.least.get(),
    };
    let comparison = match (&arguments.runs[..], &arguments.per) {
        ([run], Some(per)) => {
            let (axis, values) = axis_values(per).map_err(failure::wrong)?;
            let summary = RunFolder::open(run)?.read_summary()?;
            wanted.cells.check(&summary.study.axes.names()).map_err(failure::wrong)?;
            compare::along(&summary, &axis, &values, &wanted).map_err(|told| failure::wrong(anyhow!(told)))?
        }
        ([base, new], None) => {
            let base = RunFolder::open(base)?.read_summary()?;
            let new = RunFolder::open(new)?.read_summary()?;
            let axes = [base.study.axes.names(), new.study.axes.names()].concat();
            wanted.cells.check(&axes).map_err(failure::wrong)?;
            compare::runs(&base, &new, &wanted)
        }
        ([_], None) => {
            let told = "name a second run, or what to compare in this one, for example --per codec=a,b";
            return Err(failure::wrong(anyhow!(told)));
        }
        _ => {
            let told = "--per compares values in one run: leave it out, or name one run";
            return Err(failure::wrong(anyhow!(told)));
        }
    };
    let comparison = if arguments.worse_only { comparison.of_the_worse() } else { comparison };
    print_answer(&wiredyno_report::comparison(&comparison), &comparison, arguments.how.shape())?;
    Ok(code(comparison.conclusion))
}

fn code(conclusion: Conclusion) -> ExitCode {
    match conclusion {
        Conclusion::NoDifference => exit::DONE,
        Conclusion::NotDecided => ExitCode::from(exit::NOT_DECIDED),
        Conclusion::CantTell => ExitCode::from(exit::CANT_TELL),
        Conclusion::Difference => ExitCode::from(exit::DIFFERENCE),
    }
}

/// Splits `--per` into the axis (or several, joined with plus signs) and its values in plain form.
fn axis_values(per: &str) -> anyhow::Result<(String, Vec<String>)> {
    let (axis, values) = per
        .split_once('=')
        .with_context(|| format!("--per {per}: write an axis and its values, as in codec=a,b"))?;
    let axes: Vec<&str> = axis.split('+').map(str::trim).collect();
    if let Some(axis) = axes.iter().find(|axis| **axis == "payload" || !is_axis(axis)) {
        bail!(
            "--per {per}: there is no axis `{axis}` to compare along; write one of {}",
            AXES[1..].join(", ")
        );
    }
    let plain = |text: &str| -> anyhow::Result<String> {
        let parts: Vec<&str> = if axes.len() == 1 { vec![text] } else { text.split('+').collect() };
        if parts.len() != axes.len() {
            bail!("--per {per}: `{text}` has {} of the {} values of a bundle", parts.len(), axes.len());
        }
        let parts = axes.iter().zip(parts).map(|(axis, part)| plain_value(axis, part.trim()));
        Ok(parts.collect::<Result<Vec<_>, _>>()?.join("+"))
    };
    let values = values.split(',').map(|value| plain(value.trim()));
    Ok((axes.join("+"), values.collect::<anyhow::Result<_>>()?))
}
