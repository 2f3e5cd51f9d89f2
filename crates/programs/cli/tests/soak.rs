//! A long trial of each protocol over loopback: memory of all Wiredyno processes stays flat while messages flow, and each message is
//! accounted for.
//!
//! `make soak PROTOCOL=mqtt:qos1 MINUTES=10` runs one protocol (or one of its modes) for that long; `make test-full` runs each for a minute, at
//! [`PER_S`] messages a second. Resident sets of runners and of the program are read every second from /proc.
//!
//! Limits: brokers are not checked. Overload makes clients hold more, so the rate is one that a busy machine keeps up with.

#![allow(clippy::unwrap_used)]

mod stand;

use std::collections::BTreeMap;
use std::fs;
use std::process::Stdio;
use std::time::Duration;

use libtest_mimic::{Arguments, Failed, Trial};
use stand::{Desk, TINY};
use wiredyno_contract::{Capability, TransportDescription};
use wiredyno_store::RunFolder;

/// Messages a second, unless `WIREDYNO_SOAK_RATE` sets another rate.
const PER_S: u64 = 2_000;

/// How much a process may grow over the last third of a trial of any length: chunks of rows that wait for acknowledgements
/// come and go. A process that kept 55 bytes per message would grow by as much in the last third of a minute. Before that CoAP's server
/// fills its memory of message ids, which are 65,536 (RFC 7252, section 4.4): at the usual rate for 33 seconds.
const FLAT_BYTES: u64 = 2 << 20;

/// Samples at the end that are ignored: a runner that writes its records briefly takes more.
const ENDING: usize = 3;

/// Most memory that the program may take, for any number of messages.
const PROGRAM_BYTES: u64 = 300 << 20;

/// A runner that neither publishes nor subscribes.
const SERVING: &str = "broker's role";

fn main() {
    let wanted = std::env::var("WIREDYNO_SOAK_PROTOCOL").ok().filter(|wanted| !wanted.is_empty());
    let full = wanted.is_some() || std::env::var_os("WIREDYNO_TEST_FULL").is_some();
    let number = |name, default| {
        let text = std::env::var(name).ok().filter(|text| !text.is_empty());
        text.map_or(default, |text| {
            text.parse().unwrap_or_else(|_| panic!("{name}: `{text}` is not a whole number"))
        })
    };
    let (minutes, per_s) = (number("WIREDYNO_SOAK_MINUTES", 1), number("WIREDYNO_SOAK_RATE", PER_S));
    let mut tests = Vec::new();
    for protocol in wiredyno_transport_registry::REGISTRY.iter() {
        let modes = modes(&protocol.describe());
        let all = wanted
            .as_deref()
            .is_none_or(|wanted| wanted == "all" || wanted == modes[0].0.split([':', '/']).next().unwrap());
        let asked = modes.iter().filter(|(mode, _)| wanted.as_deref() == Some(mode.as_str()));
        // For a whole protocol, the mode with the strongest guarantee.
        let asked: Vec<_> = if all {
            modes.iter().rev().max_by_key(|(_, reliable)| *reliable).into_iter().collect()
        } else {
            asked.collect()
        };
        for (mode, reliable) in asked.into_iter().cloned() {
            let lack = wiredyno_needs::lack(protocol.needed(false));
            let lack = lack.map(|lack| format!("{mode} ({})", lack.reason));
            let slow = (!full).then(|| format!("{mode} (slow: WIREDYNO_TEST_FULL=1)"));
            let reason = lack.or(slow);
            let (name, ignored) = (reason.clone().unwrap_or_else(|| mode.clone()), reason.is_some());
            let test = move || soak(&mode, reliable, minutes, per_s).map_err(Failed::from);
            tests.push(Trial::test(name, test).with_ignored_flag(ignored));
        }
    }
    if tests.is_empty() {
        eprintln!(
            "no protocol or mode `{}` here: `wiredyno list transports` names them",
            wanted.unwrap_or_default()
        );
        std::process::exit(1);
    }
    // One at a time: they test memory at a rate that is kept up.
    let arguments = Arguments { test_threads: Some(1), ..Arguments::from_args() };
    libtest_mimic::run(&arguments, tests).exit();
}

/// The modes of a protocol, and whether each loses nothing.
fn modes(transport: &TransportDescription) -> Vec<(String, bool)> {
    let modes = transport.modes(&wiredyno_transport_registry::descriptions()).into_iter();
    modes
        .map(|mode| (mode.to_string(), transport.has(mode.setting.as_deref(), Capability::Reliable)))
        .collect()
}

/// One trial; if a process grew in it, another of twice the length decides. Messages queued while a busy machine stalled make a
/// process larger once; anything kept per message does so again.
fn soak(mode: &str, reliable: bool, minutes: u64, per_s: u64) -> Result<(), String> {
    let Err(grown) = trial(mode, reliable, minutes, per_s)?.judged() else { return Ok(()) };
    println!("{grown}; once more, for twice as long");
    trial(mode, reliable, 2 * minutes, per_s)?.judged()
}

/// A trial that accounts for every message, with its memory samples.
fn trial(mode: &str, reliable: bool, minutes: u64, per_s: u64) -> Result<Seen, String> {
    let desk = Desk::new();
    let messages = minutes * 60 * per_s;
    let study = TINY
        .replace(r#"["person"]"#, r#"["opaque@100"]"#)
        .replace(r#"["json/serde-json", "protobuf/prost"]"#, r#"["raw/wiredyno"]"#)
        .replace(r#"["udp", "tcp", "mqtt:qos0", "mqtt:qos1", "mqtt:qos2"]"#, &format!(r#"["{mode}"]"#))
        .replace("interval = \"20ms\"", &format!("rate = \"{per_s}/s\""))
        .replace("messages = 5", &format!("messages = {messages}"))
        .replace("drain = \"5s\"", "drain = \"60s\"")
        .replace("repeats = 2", "repeats = 1\nlanes = 1")
        .replace("[codec_trials]", "[codec_trials]\nenabled = false");
    fs::write(desk.file("soak.toml"), study).unwrap();
    let mut command = desk.command(&["run", "soak.toml", "--out", "r"]);
    let mut run = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut seen = Seen::default();
    while run.try_wait().unwrap().is_none() {
        seen.look(run.id());
        std::thread::sleep(Duration::from_secs(1));
    }
    let output = run.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(format!("the run ended with {}: {said}", output.status));
    }
    let folder = RunFolder::open(&desk.file("r")).unwrap();
    let records = folder.read_records().unwrap().messages;
    let record = records.last().ok_or("no trial")?;
    if let Some(failed) = &record.failed {
        return Err(failed.clone());
    }
    let delivery = &record.delivery;
    println!("{mode}: {delivery:?}");
    if delivery.sent != messages || delivery.delivered + delivery.lost + delivery.superseded != messages {
        return Err(format!("{messages} messages were meant, and the account is {delivery:?}"));
    }
    if reliable && (delivery.delivered != messages || delivery.corrupted > 0) {
        return Err(format!("the mode loses none, and the account is {delivery:?}"));
    }
    Ok(seen)
}

/// Resident sets of processes, second by second.
#[derive(Default)]
struct Seen {
    runners: BTreeMap<u32, (String, Vec<u64>)>,
    program_peak_bytes: u64,
}

impl Seen {
    fn look(&mut self, root: u32) {
        let mut waiting = vec![root];
        while let Some(pid) = waiting.pop() {
            let Ok(threads) = fs::read_dir(format!("/proc/{pid}/task")) else { continue };
            let mut names = Vec::new();
            for thread in threads.flatten() {
                let of_thread = |file| fs::read_to_string(thread.path().join(file)).unwrap_or_default();
                names.push(of_thread("comm").trim().to_owned());
                waiting
                    .extend(of_thread("children").split_whitespace().filter_map(|id| id.parse::<u32>().ok()));
            }
            let Ok(exe) = fs::read_link(format!("/proc/{pid}/exe")) else { continue };
            if exe.ends_with("runner") {
                let role =
                    ["publisher", "records"].into_iter().find(|role| names.iter().any(|name| name == role));
                let role = match role {
                    Some("publisher") => "publisher",
                    Some(_) => "subscriber",
                    None => SERVING,
                };
                let (name, bytes) = self.runners.entry(pid).or_default();
                // A runner has no role while it loads and after it has finished.
                if name.is_empty() || *name != role && role != SERVING {
                    (*name, *bytes) = (role.to_owned(), Vec::new());
                }
                bytes.extend(status_bytes(pid, "VmRSS:"));
            } else if exe.ends_with("wiredyno") {
                self.program_peak_bytes =
                    self.program_peak_bytes.max(status_bytes(pid, "VmHWM:").unwrap_or(0));
            }
        }
    }

    fn judged(&self) -> Result<(), String> {
        let mut roles = 0;
        for (role, bytes) in self.runners.values().filter(|(_, bytes)| bytes.len() >= 30) {
            roles += 1;
            let (bytes, _) = bytes.split_at(bytes.len() - ENDING);
            let (first, last) = bytes.split_at(bytes.len() * 2 / 3);
            let before = first.iter().max().unwrap();
            let after = last.iter().max().unwrap();
            println!("{role}: {before} bytes at most in two thirds, {after} in the last");
            if *after > before + FLAT_BYTES {
                let steps: Vec<_> = bytes.iter().step_by((bytes.len() / 12).max(1)).collect();
                return Err(format!("the {role} grew from {before} to {after} bytes: {steps:?}"));
            }
        }
        println!("program: {} bytes at most", self.program_peak_bytes);
        if roles < 2 {
            return Err(format!("only {roles} runners were seen for half a minute"));
        }
        match self.program_peak_bytes {
            bytes if bytes > PROGRAM_BYTES => Err(format!("the program took {bytes} bytes")),
            _ => Ok(()),
        }
    }
}

fn status_bytes(pid: u32, name: &str) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? << 10)
}
