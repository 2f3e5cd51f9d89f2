//! `wiredyno recommend`: recommends a codec and mode from a run.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::anyhow;
use wiredyno_answers::Conclusion;
use wiredyno_answers::recommend::{self, Kind, Need, Weight};
use wiredyno_model::Selection;
use wiredyno_store::RunFolder;

use crate::output::{How, print_answer};
use crate::{exit, failure};

#[derive(clap::Args)]
pub struct Arguments {
    /// The folder of the run to choose from
    run: PathBuf,
    /// A limit not to exceed, for example lost=0 (without a need about lost messages, lost=1% is assumed) or wire_per_message=1kB; metrics are
    /// means; append .median, .p99 or .max for others
    #[arg(long, value_name = "FIGURE=LIMIT,...", value_delimiter = ',')]
    need: Vec<String>,
    /// A value that a figure must stay below, for example latency.p99=200ms
    #[arg(long, value_name = "FIGURE=LIMIT,...", value_delimiter = ',')]
    below: Vec<String>,
    /// A value that a figure must stay above
    #[arg(long, value_name = "FIGURE=LIMIT,...", value_delimiter = ',')]
    above: Vec<String>,
    /// What counts, and how much: bytes, cpu, time, memory, or any metric [default: bytes=1,time=1; over loopback body=1,time=1; the
    /// rate if the study searches for the highest]
    #[arg(long, value_name = "METRIC=WEIGHT,...")]
    weigh: Option<String>,
    /// Only under these conditions, for example 'payload=small; loss=0'
    #[arg(long = "where", value_name = "AXIS=VALUE,...", default_value = "")]
    cells: Selection,
    #[command(flatten)]
    how: How,
}

/// Prints a recommendation; the exit code says whether there is a clear choice.
pub fn main(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let summary = RunFolder::open(&arguments.run)?.read_summary()?;
    arguments.cells.check(&summary.study.axes.names()).map_err(failure::wrong)?;
    let at_most = arguments.need.iter().map(|text| Need::parse("--need", text, Kind::AtMost));
    let below = arguments.below.iter().map(|text| Need::parse("--below", text, Kind::Below));
    let above = arguments.above.iter().map(|text| Need::parse("--above", text, Kind::Above));
    let needs = at_most.chain(below).chain(above).collect::<Result<Vec<_>, _>>().map_err(failure::wrong)?;
    let messages = !summary.cells.is_empty();
    let needs = Need::with_default(needs, messages).map_err(failure::wrong)?;
    let weigh = arguments.weigh.as_deref().unwrap_or_else(|| recommend::usual(&summary));
    let weights = Weight::parse(weigh, messages).map_err(failure::wrong)?;
    let found = recommend::recommend(&summary, &arguments.cells, &needs, &weights);
    let found = found.map_err(|told| failure::wrong(anyhow!(told)))?;
    print_answer(&wiredyno_report::recommendation(&found), &found, arguments.how.shape())?;
    Ok(match (&found.choice, found.conclusion) {
        (Some(_), _) => exit::DONE,
        (None, Conclusion::Difference) => ExitCode::from(exit::DIFFERENCE),
        (None, Conclusion::NotDecided) => ExitCode::from(exit::NOT_DECIDED),
        (None, _) => ExitCode::from(exit::CANT_TELL),
    })
}
