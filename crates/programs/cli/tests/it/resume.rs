//! Interrupted runs that are resumed, over loopback. `WIREDYNO_TEST_FULL` interrupts more often.

use std::collections::BTreeSet;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::stand::{Desk, array, number};
use serde_json::Value;
use wiredyno_store::{RunFolder, RunTrials};

/// Four cells of three repeats, with trials of about half a second, after codec trials of milliseconds.
const ARGUMENTS: [&str; 12] = [
    "run",
    "tiny.toml",
    "--out",
    "r",
    "--set",
    "mode=tcp,udp",
    "--set",
    "trials.repeats=3",
    "--set",
    "load.messages=20",
    "--set",
    "trials.seed=7",
];

/// Limit for anything that a test waits for.
const LIMIT: Duration = Duration::from_secs(480);

fn in_time(mut holds: impl FnMut() -> bool) -> bool {
    let begun = Instant::now();
    while !holds() {
        if begun.elapsed() > LIMIT {
            return false;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    true
}

/// Names of the parts that a run has written.
fn parts(desk: &Desk) -> BTreeSet<String> {
    let entries = std::fs::read_dir(desk.file("r/trials")).into_iter().flatten().flatten();
    entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| !name.starts_with('.'))
        .collect()
}

fn start(mut command: Command) -> Child {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// Starts a command and kills it (SIGKILL) once a number of parts are written.
fn cut_off(desk: &Desk, arguments: &[&str], wanted: usize) {
    let mut child = start(desk.command(arguments));
    let there = in_time(|| parts(desk).len() >= wanted || child.try_wait().unwrap().is_some());
    assert!(there, "{:?}", parts(desk));
    child.kill().unwrap();
    child.wait().unwrap();
    // Its child processes notice and end too; the last one releases the folder.
    let given_back = in_time(|| RunFolder::reopen(&desk.file("r")).is_ok_and(|folder| folder.hold().is_ok()));
    assert!(given_back, "somebody still writes the folder");
}

fn trials(desk: &Desk) -> RunTrials {
    RunFolder::open(&desk.file("r")).unwrap().read_trials().unwrap()
}

/// What identifies a trial, and which planned one it was.
fn told(trials: &RunTrials) -> Vec<(u32, String, u32, u32, i64)> {
    let messages = trials.messages.iter().map(|trial| &trial.record);
    let messages = messages.map(|r| (r.trial, r.cell.to_string(), r.repeat, r.attempt, r.started_unix_ns));
    let codecs = trials.codecs.iter();
    let codecs =
        codecs.map(|r| (r.trial, format!("{} {}", r.cell.payload, r.cell.codec), r.repeat, r.attempt, 0));
    messages.chain(codecs).collect()
}

/// Every planned trial was made once, not counting invalid ones, and every number was used once.
fn assert_whole(desk: &Desk) {
    let summary = desk.summary("r");
    assert_eq!(summary["run"]["complete"], true);
    let cells = array(&summary["cells"]);
    assert_eq!(cells.len(), 4);
    for cell in cells {
        assert_eq!(number(cell, "valid_trials"), 3, "{cell}");
    }
    let all = told(&trials(desk));
    let numbers: BTreeSet<u32> = all.iter().map(|(number, ..)| *number).collect();
    assert_eq!(numbers.len(), all.len(), "{all:?}");
    let attempts: BTreeSet<(&String, u32, u32)> =
        all.iter().map(|(_, cell, repeat, attempt, _)| (cell, *repeat, *attempt)).collect();
    assert_eq!(attempts.len(), all.len(), "an attempt was made twice: {all:?}");
    assert!(!desk.file("r/trials").exists());
}

#[test]
fn a_run_that_is_killed_again_and_again_loses_nothing_and_makes_nothing_twice() {
    let desk = Desk::for_runs();
    cut_off(&desk, &ARGUMENTS, 2);
    let cut = desk.wiredyno(&["report", "r", "--format", "json"]).json();
    assert_eq!((&cut["run"]["complete"], array(&cut["cells"]).len()), (&false.into(), 4));
    let times = if std::env::var_os("WIREDYNO_TEST_FULL").is_some() { 8 } else { 2 };
    let mut known: Vec<(String, Vec<u8>)> = Vec::new();
    for _ in 0..times {
        let read = |name: String| (name.clone(), std::fs::read(desk.file("r/trials").join(&name)).unwrap());
        let now: Vec<_> = parts(&desk).into_iter().map(read).collect();
        for part in &known {
            assert!(now.contains(part), "{} was lost or written again", part.0);
        }
        known = now;
        // The last part written may be of a codec trial or a message trial, or the very last.
        cut_off(&desk, &["run", "--resume", "r"], known.len() + 2);
    }
    let said = desk.wiredyno(&["run", "--resume", "r"]);
    assert_eq!(said.code, Some(0), "{}{}", said.out, said.err);
    assert_whole(&desk);
    let notes = desk.summary("r")["notes"].to_string();
    assert!(notes.contains("interrupted and resumed"), "{notes}");
    assert!(desk.file("r/report.html").is_file());
}

#[test]
fn only_what_was_cut_off_can_be_gone_on_with() {
    let desk = Desk::for_runs();
    std::fs::create_dir(desk.file("empty")).unwrap();
    let resumed = |folder: &str| desk.wiredyno(&["run", "--resume", folder]).refused(1);
    assert!(resumed("empty").contains("holds no interrupted run: there is no request.json"));
    assert!(resumed("nowhere").contains("name the folder that `wiredyno run` made"));
    let usage = desk.wiredyno(&["run", "tiny.toml", "--resume", "r"]).refused(2);
    assert!(usage.contains("cannot be used with"), "{usage}");

    let mut running = start(desk.command(&ARGUMENTS));
    assert!(in_time(|| !parts(&desk).is_empty()));
    let refused = resumed("r");
    assert!(refused.contains("is being written by another `wiredyno run`"), "{refused}");
    running.kill().unwrap();
    running.wait().unwrap();
    assert!(in_time(|| RunFolder::reopen(&desk.file("r")).is_ok_and(|folder| folder.hold().is_ok())));

    let study = std::fs::read_to_string(desk.file("r/study.toml")).unwrap();
    std::fs::write(desk.file("r/study.toml"), study.replace("messages = 20", "messages = 21")).unwrap();
    let refused = resumed("r");
    assert!(
        refused.contains("r can't continue")
            && refused.contains("`load.messages` of the study: 20 then, 21 now"),
        "{refused}"
    );
    std::fs::write(desk.file("r/study.toml"), study).unwrap();

    let request = desk.file("r/request.json");
    let text = std::fs::read_to_string(&request).unwrap();
    let mut changed: Value = serde_json::from_str(&text).unwrap();
    changed["inputs"]["link lte"] = "0123".into();
    std::fs::write(&request, changed.to_string()).unwrap();
    assert!(resumed("r").contains("link lte: 0123 then, nothing now"));
    std::fs::write(&request, text).unwrap();

    desk.wiredyno(&["run", "--resume", "r"]).well();
    assert_whole(&desk);
    assert!(resumed("r").contains("already has all its trials"));
}
