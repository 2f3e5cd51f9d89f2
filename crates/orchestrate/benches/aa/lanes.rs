//! Message trials over links, in ten lanes side by side, as most studies make them.

use tempfile::TempDir;
use wiredyno_bench::Done;
use wiredyno_link::sandbox::Sandbox;
use wiredyno_model::Study;
use wiredyno_orchestrate::observe::message_value;
use wiredyno_orchestrate::run::{PreparedRun, RunRequest, StudySource};
use wiredyno_orchestrate::runner::Interrupt;
use wiredyno_orchestrate::runners::Injected;
use wiredyno_orchestrate::stock::Stock;

use crate::{ATTEMPTS, Quantity, TRIALS};

/// Of each trial the mean, but for what there is one of.
const METRICS: [(&str, &str, &str); 4] = [
    ("in ten lanes: latency", "ns", "latency"),
    ("in ten lanes: transit time", "ns", "transit_time"),
    ("in ten lanes: encode time", "ns", "encode_time"),
    ("in ten lanes: publisher's CPU", "ns", "publisher_cpu_per_message"),
];

/// One cell; the link is fast and near, so that what lanes do to each other is not hidden behind its draws.
fn text() -> String {
    format!(
        r#"
name = "aa-lanes"
why = "How often does a cell differ from itself, in ten lanes?"
[axes]
payload = ["person"]
codec = ["protobuf/prost"]
mode = ["tcp"]
link = ["lan"]
[load]
kind = "open"
interval = "10ms"
messages = 40
warmup = 10
deadline = "1s"
drain = "1s"
[trials]
seed = 20261121
repeats = {TRIALS}
lanes = 10
retries = {ATTEMPTS}
[codec_trials]
enabled = false
"#
    )
}

/// All of its trials in the order in which they began, and how many invalid ones were repeated.
pub fn record(sandbox: &Sandbox, interrupt: &Interrupt) -> Done<(Vec<Quantity>, u32)> {
    let (desk, text) = (TempDir::with_prefix("wiredyno-aa-")?, text());
    let file = "aa-lanes.toml".to_owned();
    let prepared = PreparedRun::new(RunRequest {
        study: Study::parse(&file, &text)?,
        source: StudySource::of_file(file, text),
        only: Vec::new(),
        folder: desk.path().join("run"),
        external: Default::default(),
        written: Default::default(),
        resumes: false,
        injected: Injected::default(),
        sandbox: sandbox.clone(),
        interrupt: interrupt.clone(),
        commit: "",
    })?;
    if let Some(left_out) = prepared.plan.left_out.first() {
        return Err(left_out.reason.to_string().into());
    }
    // This program is also the lane worker.
    let runners = prepared.provide(&Stock::of_user()?, std::env::current_exe()?, None, &mut |_| {})?;
    let finished = prepared.carry_out(&runners, &|_| {})?;
    let trials = finished.folder.read_trials()?;
    let hosts = &finished.summary.study.hosts;
    let mut complete: Vec<_> = trials.messages.iter().filter(|trial| trial.record.is_complete()).collect();
    complete.sort_by_key(|trial| trial.record.trial);
    let invalid = u32::try_from(trials.messages.len() - complete.len())?;
    let quantities = METRICS.map(|(name, unit, metric)| {
        let values = complete.iter().filter_map(|trial| message_value(metric, trial, hosts));
        Quantity { name, unit, values: values.map(crate::rounded).collect() }
    });
    Ok((quantities.into(), invalid))
}
