//! A load from twenty agents, each with a clock of its own.

use std::process::Child;

use wiredyno_store::RunFolder;

use crate::agents;
use crate::stand::{Desk, array, number};

const AGENTS: i64 = 20;
const MESSAGES: u64 = 4_000;

/// Forty publishers on twenty machines whose clocks are up to twenty hours apart: what the summary says is what the rows of all of them say together, exactly.
pub fn merged_without_loss() {
    let desk = Desk::for_runs();
    let names: Vec<String> = (1..=AGENTS).map(|number| format!("\"machine-{number}\"")).collect();
    agents::hosts(&desk, &format!("edge = [{}]\n", names.join(", ")));
    let all: Vec<Child> = (1..=AGENTS)
        .map(|number| {
            let name = format!("machine-{number}");
            agents::agent(&desk, number as usize, &name, number * 3_600).spawn().unwrap()
        })
        .collect();
    let messages = format!("load.messages={MESSAGES}");
    let settings = [
        "link=real",
        "mode=tcp",
        "codec=protobuf/prost",
        "way=one-way",
        "codec_trials.enabled=false",
        "trials.repeats=1",
        "load.interval=1ms",
        "load.publishers=40",
        &messages,
    ];
    let said = desk.wiredyno(&agents::run(&settings));
    all.into_iter().for_each(agents::well);
    said.well();
    let summary = desk.summary("r");
    let cell = &array(&summary["cells"])[0];
    let trials = RunFolder::open(&desk.file("r")).unwrap().read_trials().unwrap().messages;
    let trial = trials.iter().find(|trial| trial.record.invalid.is_empty()).unwrap();
    let told: Vec<&str> = trial.record.agents.iter().map(|load| load.agent.as_str()).collect();
    assert_eq!(told.len(), AGENTS as usize, "each says how busy its machine was: {told:?}");
    let mut sequences: Vec<u64> = trial.messages.iter().map(|message| message.sequence).collect();
    sequences.sort_unstable();
    assert!(sequences.iter().copied().eq(0..MESSAGES), "each message has one row");
    assert_eq!(number(&cell["delivery"], "delivered"), MESSAGES);
    let mut latencies_ns: Vec<i64> = trial
        .messages
        .iter()
        .map(|message| message.received_ns.unwrap() - message.intended_send_ns)
        .collect();
    latencies_ns.sort_unstable();
    let mean_ns = latencies_ns.iter().map(|&ns| i128::from(ns)).sum::<i128>() as f64 / MESSAGES as f64;
    let told_ns = cell["metrics"]["latency"]["mean"].as_f64().unwrap();
    eprintln!(
        "mean of the rows {mean_ns} ns, of the summary {told_ns} ns, bound {} ns",
        cell["clock_bound_ns"]
    );
    assert!((told_ns - mean_ns).abs() <= 1e-9 * mean_ns.abs(), "{told_ns} {mean_ns}");
}
