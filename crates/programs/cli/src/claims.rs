//! `wiredyno claims`: compares runs with published claims.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, anyhow, bail};
use serde_json::{Value, json};
use wiredyno_claims::{Judgement, Published, Verdict, against, bundled, for_study, judge, unjudged};
use wiredyno_model::summary::Summary;
use wiredyno_store::RunFolder;

use crate::output::outln;
use crate::{exit, failure};

#[derive(clap::Args)]
pub struct Arguments {
    /// The run folder; with --all, one for each study that was run
    #[arg(required = true)]
    run: Vec<PathBuf>,
    /// Print every claim of every known publication, one per line; claims that none of these runs covers are not
    /// measured
    #[arg(long, conflicts_with = "published")]
    all: bool,
    /// Print one JSON object: the publication, the counts, each claim with its verdict and comparisons; with --all, a list of them
    #[arg(long)]
    json: bool,
    /// Use this file of published figures instead of the one for the run's study
    #[arg(long, value_name = "FILE")]
    published: Option<PathBuf>,
}

/// Prints the verdicts, which do not affect the exit code.
pub fn main(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let mut runs: Vec<(&Path, Summary)> = Vec::new();
    for path in &arguments.run {
        runs.push((path, RunFolder::open(path)?.read_summary()?));
    }
    if arguments.all {
        return all(&runs, arguments.json);
    }
    let [(_, summary)] = runs.as_slice() else {
        let told = format!(
            "{} runs are named: with --all each is compared with the publication of its study",
            runs.len()
        );
        return Err(failure::wrong(anyhow!(told)));
    };
    let published = match &arguments.published {
        Some(file) => {
            let name = file.display().to_string();
            let text = std::fs::read_to_string(file).with_context(|| name.clone())?;
            let published = Published::parse(&name, &text)?;
            against(&published, &summary.study, &name, &text)?;
            published
        }
        None => match for_study(&summary.study.name) {
            Some(published) => published?,
            None => bail!("{}", unknown(&summary.study.name)),
        },
    };
    let judgements = judge(&published, summary);
    if arguments.json {
        let value = as_json(Some(&summary.run.id), &published, &judgements);
        outln!("{}", serde_json::to_string_pretty(&value)?);
    } else {
        print(&published, &judgements);
    }
    Ok(exit::DONE)
}

fn unknown(study: &str) -> String {
    format!(
        "no publication is known for the study `{study}`: run one of {}, or name a file with --published",
        known().join(", ")
    )
}

/// A publication's claims for one study, with their verdicts.
struct Judged<'a> {
    published: Published,
    summary: Option<&'a Summary>,
    judgements: Vec<Judgement>,
}

/// Judges every publication by the run of its study, if there is one.
fn all(runs: &[(&Path, Summary)], for_programs: bool) -> anyhow::Result<ExitCode> {
    for (place, (path, summary)) in runs.iter().enumerate() {
        let study = &summary.study.name;
        if for_study(study).is_none() {
            bail!("{}: {}", path.display(), unknown(study));
        }
        if let Some((other, _)) = runs[..place].iter().find(|(_, other)| other.study.name == *study) {
            bail!(
                "{} and {} are both runs of the study `{study}`: name one of them",
                other.display(),
                path.display()
            );
        }
    }
    let mut judged = Vec::new();
    for (name, text) in bundled() {
        let published = Published::parse(name, text)?;
        let summary =
            runs.iter().map(|(_, summary)| summary).find(|summary| summary.study.name == published.study);
        let judgements = summary.map_or_else(|| unjudged(&published), |summary| judge(&published, summary));
        judged.push(Judged { published, summary, judgements });
    }
    // Studies of one publication are adjacent.
    judged
        .sort_by(|a, b| (a.published.year, &a.published.title).cmp(&(b.published.year, &b.published.title)));
    if for_programs {
        let of = |judged: &Judged<'_>| {
            as_json(judged.summary.map(|summary| &summary.run.id), &judged.published, &judged.judgements)
        };
        outln!("{}", serde_json::to_string_pretty(&judged.iter().map(of).collect::<Vec<_>>())?);
    } else {
        print_all(&judged);
    }
    Ok(exit::DONE)
}

fn print_all(judged: &[Judged<'_>]) {
    for Judged { published, summary, judgements } in judged {
        outln!("{} ({})", published.title, published.reference());
        match summary {
            Some(summary) => {
                outln!("study {}, run {}: {}", published.study, summary.run.id, machine(summary))
            }
            None => outln!("study {}: no run was named", published.study),
        }
        for judgement in judgements {
            outln!("  {:<7} {:<38} {}", judgement.id, judgement.verdict.words(), judgement.says);
            outln!("        {}", judgement.why);
        }
        outln!("");
    }
    let studies = judged.iter().map(|judged| judged.published.study.as_str());
    outln!(
        "{:<38}{}",
        "claims and parts of claims",
        studies.map(|study| format!("{study:>26}")).collect::<String>()
    );
    for verdict in Verdict::ALL {
        let counts = judged.iter().map(|judged| format!("{:>26}", count(&judged.judgements, verdict)));
        outln!("{:<38}{}", verdict.words(), counts.collect::<String>());
    }
}

/// The machine of a run, and whether `--fast` changed the study's pace.
fn machine(summary: &Summary) -> String {
    let at = &summary.environment;
    let pace = if summary.study.own_pace.is_empty() { "" } else { ", --fast" };
    let memory_gb = at.memory_bytes as f64 / 1e9;
    format!(
        "{}, {} CPUs, {memory_gb:.0} GB, {}, wiredyno {}{pace}",
        at.cpu, at.cpus, at.kernel, summary.run.version
    )
}

/// The names of studies whose publication is bundled.
fn known() -> Vec<&'static str> {
    let name =
        |(name, _): (&'static str, _)| name.rsplit('/').next().and_then(|name| name.strip_suffix(".toml"));
    bundled().filter_map(name).collect()
}

fn count<'a>(judgements: impl IntoIterator<Item = &'a Judgement>, verdict: Verdict) -> usize {
    judgements.into_iter().filter(|judgement| judgement.verdict == verdict).count()
}

/// The word for a verdict in JSON.
fn word(verdict: Verdict) -> String {
    json!(verdict).as_str().unwrap_or_default().to_owned()
}

fn as_json(run: Option<&String>, published: &Published, judgements: &[Judgement]) -> Value {
    let counts: serde_json::Map<String, Value> =
        Verdict::ALL.into_iter().map(|verdict| (word(verdict), json!(count(judgements, verdict)))).collect();
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
        outln!("");
        outln!("{:<11} {}", judgement.id, judgement.verdict.words());
        outln!("            {} [{}]", judgement.says, judgement.place);
        outln!("            {}", judgement.why);
        let codecs = judgement.codecs.iter().map(ToString::to_string);
        let compared: Vec<String> = codecs.chain(judgement.modes.iter().map(ToString::to_string)).collect();
        if !compared.is_empty() {
            outln!("            compared: {}", compared.join(", "));
        }
        for other in judgement.differing_choices() {
            outln!("            with {}: {}", other.with, other.standing.word());
        }
        for other in &judgement.under {
            outln!("            under {}: {}", other.with, other.standing.word());
        }
        if let Some(quantity) = &judgement.quantity {
            outln!("            the study measured: {quantity}");
        }
        if let Some(held) = &judgement.held {
            outln!("            and held fixed: {held}");
        }
        if let Some(hedge) = &judgement.hedge {
            outln!("            its words, taken as: {hedge}");
        }
        if let Some(note) = &judgement.note {
            outln!("            note: {note}");
        }
    }
    outln!("");
    outln!("Known causes of differences:");
    for cause in &published.causes {
        outln!("- {cause}");
    }
    outln!("");
    let counts = Verdict::ALL.map(|verdict| (verdict, count(judgements, verdict)));
    let there = counts.into_iter().filter(|(_, count)| *count > 0);
    let counts: Vec<String> =
        there.map(|(verdict, count)| format!("{count} {}", verdict.said_of(count))).collect();
    outln!("{} claims and parts of claims: {}", judgements.len(), counts.join(", "));
}
