//! `wiredyno claims`: what a run says to what was published.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, bail};
use serde_json::json;
use wiredyno_claims::{Judgement, Published, Verdict, bundled, for_study, judge};
use wiredyno_store::RunFolder;

use crate::exit;
use crate::output::outln;

/// Arguments of `claims`.
#[derive(clap::Args)]
pub struct Arguments {
    /// The run folder
    run: PathBuf,
    /// Print one JSON object: the publication, the counts, each claim with its verdict and comparisons
    #[arg(long)]
    json: bool,
    /// A file of published figures, in place of the one that belongs to the run's study
    #[arg(long, value_name = "FILE")]
    published: Option<PathBuf>,
}

/// Prints the verdicts. They do not bear on the exit code.
pub fn main(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let summary = RunFolder::open(&arguments.run)?.read_summary()?;
    let published = match &arguments.published {
        Some(file) => {
            let name = file.display().to_string();
            let text = std::fs::read_to_string(file).with_context(|| name.clone())?;
            Published::parse(&name, &text)?
        }
        None => match for_study(&summary.study.name) {
            Some(published) => published?,
            None => bail!(
                "nothing is known to be published on the study `{}`: run one of {}, or name a file with --published",
                summary.study.name,
                known().join(", ")
            ),
        },
    };
    let judgements = judge(&published, &summary);
    if arguments.json {
        outln!("{}", serde_json::to_string_pretty(&as_json(&summary.run.id, &published, &judgements))?);
    } else {
        print(&published, &judgements);
    }
    Ok(exit::DONE)
}

/// The studies whose publication is bundled.
fn known() -> Vec<&'static str> {
    let name =
        |(name, _): (&'static str, _)| name.rsplit('/').next().and_then(|name| name.strip_suffix(".toml"));
    bundled().filter_map(name).collect()
}

fn count(judgements: &[Judgement], verdict: Verdict) -> usize {
    judgements.iter().filter(|judgement| judgement.verdict == verdict).count()
}

fn as_json(run: &str, published: &Published, judgements: &[Judgement]) -> serde_json::Value {
    let counts: serde_json::Map<String, serde_json::Value> = Verdict::ALL
        .into_iter()
        .map(|verdict| (verdict.word().replace(' ', "-"), json!(count(judgements, verdict))))
        .collect();
    json!({
        "run": run,
        "study": published.study,
        "title": published.title,
        "reference": published.reference(),
        "counts": counts,
        "claims": judgements,
        "causes": published.causes,
    })
}

fn print(published: &Published, judgements: &[Judgement]) {
    outln!("{} ({})", published.title, published.reference());
    for judgement in judgements {
        let label = if judgement.other_implementations && judgement.verdict != Verdict::NotComparable {
            " (other implementations)"
        } else {
            ""
        };
        outln!("");
        outln!("{:<11} {}{label}", judgement.id, judgement.verdict.word());
        outln!("            {} [{}]", judgement.says, judgement.place);
        outln!("            {}", judgement.why);
        let codecs: Vec<String> = judgement.codecs.iter().map(ToString::to_string).collect();
        if !codecs.is_empty() {
            outln!("            compared: {}", codecs.join(", "));
        }
        for other in &judgement.with_others {
            outln!("            with {}: {}", other.codec, other.verdict.word());
        }
        if let Some(note) = &judgement.note {
            outln!("            note: {note}");
        }
    }
    outln!("");
    outln!("Known causes of difference:");
    for cause in &published.causes {
        outln!("- {cause}");
    }
    outln!("");
    let counts = Verdict::ALL.map(|verdict| format!("{} {}", count(judgements, verdict), verdict.word()));
    outln!("{} claims: {}", judgements.len(), counts.join(", "));
}
