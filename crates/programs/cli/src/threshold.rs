//! `wiredyno threshold`: checks a run against its study's thresholds or a stored run.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, anyhow};
use wiredyno_answers::threshold::{self, Judgement};
use wiredyno_model::metric::Range;
use wiredyno_model::summary::{Summary, ThresholdVerdict};
use wiredyno_model::threshold::WrittenFactor;
use wiredyno_model::{Figure, Selection, Threshold};
use wiredyno_store::RunFolder;

use crate::output::{How, print_answer};
use crate::{exit, failure};

#[derive(clap::Args)]
pub struct Arguments {
    /// The run to judge; when left out, print how many repeats thresholds against the base need
    #[arg(required_unless_present = "baseline")]
    run: Option<PathBuf>,
    /// A stored run, the base, than which figures must not be worse
    #[arg(long, value_name = "FOLDER")]
    baseline: Option<PathBuf>,
    /// Figures that must not be worse than in the base [default: those of the study's thresholds, or body]
    #[arg(long, value_name = "FIGURE,...", value_delimiter = ',', requires = "baseline")]
    metric: Vec<String>,
    /// How much worse they may be; for shares, such as lost, in percentage points [default: 5%, for shares 1%]
    #[arg(long, value_name = "SHARE", requires = "baseline")]
    worse_by: Option<String>,
    /// Judge only these cells, for example 'mode=mqtt:*; loss=0'
    #[arg(long = "where", value_name = "AXIS=VALUE,...", requires = "baseline")]
    cells: Option<String>,
    /// Write the results as JUnit XML
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    #[command(flatten)]
    how: How,
}

/// Judges a run, or prints the repeats that are needed.
pub fn main(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let of = |path: &Path| -> anyhow::Result<Summary> { Ok(RunFolder::open(path)?.read_summary()?) };
    let base = arguments.baseline.as_deref().map(of).transpose()?;
    let Some(run) = &arguments.run else {
        let base = base.context("name a run, or a base with --baseline")?;
        let thresholds = asked(arguments, &base)?;
        let planned = threshold::plan(&base, &thresholds).map_err(anyhow::Error::msg)?;
        print_answer(&wiredyno_report::planned(&base.run.id, &planned), &planned, arguments.how.shape())?;
        let is_known = !planned.is_empty() && planned.iter().all(|one| one.repeats.is_some());
        return Ok(if is_known { exit::DONE } else { ExitCode::from(exit::CANT_TELL) });
    };
    let summary = of(run)?;
    let thresholds = asked(arguments, &summary)?;
    if thresholds.is_empty() {
        let told =
            format!("the study `{}` has no thresholds: name a base with --baseline", summary.study.name);
        return Err(failure::wrong(anyhow!(told)));
    }
    let mut stored: BTreeMap<String, Summary> = BTreeMap::new();
    if let (Some(base), Some(folder)) = (base, &arguments.baseline) {
        stored.insert(folder.display().to_string(), base);
    }
    let mut read = |folder: &str| match stored.get(folder) {
        Some(base) => Ok(base.clone()),
        None => of(Path::new(folder)).map_err(|error| format!("{error:#}")),
    };
    let results = threshold::judge_by(&thresholds, &summary, &mut read).map_err(anyhow::Error::msg)?;
    if let Some(file) = &arguments.junit {
        let text = wiredyno_report::junit(&summary.study.name, &results)?;
        std::fs::write(file, text).with_context(|| file.display().to_string())?;
    }
    let verdict = threshold::overall(&results);
    let answer = wiredyno_report::thresholds(&summary.study.name, &results);
    print_answer(&answer, &Judgement { verdict, results }, arguments.how.shape())?;
    Ok(code(verdict))
}

/// The exit code of an overall verdict.
pub fn code(verdict: ThresholdVerdict) -> ExitCode {
    match verdict {
        ThresholdVerdict::Pass => exit::DONE,
        ThresholdVerdict::NotDecided => ExitCode::from(exit::NOT_DECIDED),
        ThresholdVerdict::CantTell => ExitCode::from(exit::CANT_TELL),
        ThresholdVerdict::Fail => ExitCode::from(exit::DIFFERENCE),
    }
}

/// The study's thresholds, with the base in place of the runs that they name, and those of the options; with a base, at least one.
fn asked(arguments: &Arguments, summary: &Summary) -> anyhow::Result<Vec<Threshold>> {
    let base = arguments.baseline.as_ref().map(|folder| folder.display().to_string());
    let mut thresholds = summary.study.threshold.clone();
    if let Some(base) = &base {
        let named = thresholds.iter_mut().filter(|threshold| threshold.than.is_some());
        named.for_each(|threshold| threshold.than = Some(base.clone()));
    }
    if let Some(cells) = &arguments.cells {
        let cells: Selection = cells.parse().map_err(failure::wrong)?;
        cells.check(&summary.study.axes.names()).map_err(failure::wrong)?;
    }
    let has_base = thresholds.iter().any(|threshold| threshold.than.is_some());
    let metrics = match (arguments.metric.is_empty(), has_base) {
        (true, false) => vec!["body".to_owned()],
        (true, true) => Vec::new(),
        (false, _) => arguments.metric.clone(),
    };
    // If the study has thresholds of its own, options without a metric would change none of them.
    if metrics.is_empty() && (arguments.worse_by.is_some() || arguments.cells.is_some()) {
        let told = "the study's own thresholds against a base are judged as they stand: name what --worse-by and --where are about with \
                    --metric, for example --metric latency";
        return Err(failure::wrong(anyhow!(told)));
    }
    let usual = |metric: &str| {
        let is_share = metric
            .parse::<Figure>()
            .ok()
            .and_then(|figure| figure.info())
            .is_some_and(|info| info.range == Range::Share);
        if is_share { "1%" } else { "5%" }.to_owned()
    };
    let own = metrics.into_iter().map(|metric| Threshold {
        worse_by: Some(WrittenFactor::Text(arguments.worse_by.clone().unwrap_or_else(|| usual(&metric)))),
        metric,
        cells: arguments.cells.clone(),
        below: None,
        above: None,
        than: base.clone(),
        base: None,
    });
    thresholds.extend(own.filter(|_| base.is_some()));
    for threshold in &thresholds {
        threshold.read().map_err(|refusal| failure::wrong(anyhow!("{}", refusal.problem)))?;
    }
    Ok(thresholds)
}
