//! What does a coordinator cost with 10, 100, 300 and 1,000 agents, and what does merging what they sent?
//!
//! `make bench-agents`. Agents are threads of one other process of this machine, each with a connection and a socket for datagrams of its own: they speak
//! the whole protocol (invitation, certificate, lease, clocks) and run no role. For each number a new process is the coordinator. Measured are: how
//! long it takes until all agents are connected, and the coordinator's CPU time for that, with the leases of those that are there already; its CPU time while it renews leases and measures clocks;
//! the growth of its resident set; one look at all members with what is known of their clocks; and how long it takes until all agents have ended.
//! Then a new process merges what that many publishers sent, each with 100 clients of ten messages: one file each, as agents hand them over.
//! `WIREDYNO_BENCH_REPEATS` sets how often, three times without it; `ROWS="100"` keeps some numbers.
//!
//! Limits: agents and coordinator share the machine's CPUs, so times to start and to end are those of both together; CPU and memory are the
//! coordinator's alone. All agents have one address, of which a coordinator lets 16 at a time be strangers: from many machines they join faster.

#![allow(clippy::unwrap_used, reason = "a bench ends at the first thing that is wrong")]

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufWriter, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::resource::{Resource, UsageWho, getrlimit, getrusage, setrlimit};
use nix::sys::time::TimeValLike;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use wiredyno_agents::agent::{self, Ended, Terms};
use wiredyno_agents::{Coordinator, Invitation, MemberState};
use wiredyno_bench::{Done, MachineState, Table, Value, keeps, repeats, words};
use wiredyno_contract::bulk::{SentRow, merge_sent, read_sent, write_sent};
use wiredyno_seats::allowed::Allowed;

const COUNTS: [usize; 4] = [10, 100, 300, 1_000];
/// Clients of one agent whose records are merged, and messages of each.
const CLIENTS: usize = 100;
const MESSAGES: usize = 10;
/// What a process of this program is to be: `coordinator` with so many agents, `agents`, or `merger` of so many records.
const PART: &str = "WIREDYNO_BENCH_PART";
const COUNT: &str = "WIREDYNO_BENCH_COUNT";
/// How long leases are renewed before the CPU time of that is taken, and for how long it is.
const SETTLES: Duration = Duration::from_secs(5);
const STEADY: Duration = Duration::from_secs(20);
/// More than joining takes with any number.
const LIMIT: Duration = Duration::from_secs(600);
const PROGRAM: &str = "1";

/// What a coordinator measured of itself.
#[derive(Serialize, Deserialize)]
struct Measured {
    all_there_s: f64,
    join_cpu_s: f64,
    /// CPU time in a second of renewing leases.
    steady_cpu: f64,
    resident_bytes: f64,
    members_s: f64,
    ended_s: f64,
}

/// What merging the records of all took.
#[derive(Serialize, Deserialize)]
struct Merged {
    s: f64,
    cpu_s: f64,
    resident_bytes: f64,
}

fn main() -> Done<()> {
    let count = || -> Done<usize> { Ok(std::env::var(COUNT)?.parse()?) };
    match std::env::var(PART).as_deref() {
        Ok("agents") => return agents(),
        Ok("coordinator") => return say(&coordinator(count()?)?),
        Ok("merger") => return say(&merger(count()?)?),
        _ => {}
    }
    println!("{}", MachineState::look()?);
    let words = words();
    let mut table = Table::default();
    for _ in 0..repeats(3)? {
        for count in COUNTS.into_iter().filter(|count| keeps(&words, &count.to_string())) {
            let of: Measured = measured("coordinator", count)?;
            let merged: Merged = measured("merger", count)?;
            let each = count as f64;
            let mut add = |what: &str, unit: &'static str, value: f64| {
                table.add(Value::new(format!("{count} agents: {what}"), unit, value));
            };
            add("until all are there", "s", of.all_there_s);
            add("CPU to let one in", "ms", of.join_cpu_s * 1e3 / each);
            add("CPU of one for a second of its lease", "us/s", of.steady_cpu * 1e6 / each);
            add("CPU of all", "% of one", of.steady_cpu * 100.0);
            add("resident set of one", "kB", of.resident_bytes / 1e3 / each);
            add("a look at all members", "ms", of.members_s * 1e3);
            add("until all have ended", "s", of.ended_s);
            add("merging what they sent", "s", merged.s);
            add("CPU to merge one record", "ns", merged.cpu_s * 1e9 / (each * (CLIENTS * MESSAGES) as f64));
            add("resident set of merging", "MB", merged.resident_bytes / 1e6);
        }
    }
    print!("{table}");
    Ok(())
}

/// This program again, as a part.
fn part(name: &str) -> Done<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.env(PART, name);
    Ok(command)
}

/// What a part measured of itself, for its parent.
fn say(measured: &impl Serialize) -> Done<()> {
    println!("{}", serde_json::to_string(measured)?);
    Ok(())
}

fn measured<M: DeserializeOwned>(name: &str, count: usize) -> Done<M> {
    let output = part(name)?.env(COUNT, count.to_string()).stderr(Stdio::inherit()).output()?;
    if !output.status.success() {
        return Err(format!("the {name} of {count} agents ended with {}", output.status).into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// As many descriptors as the system allows: each agent has three.
fn raise_descriptors() -> Done<()> {
    let (_, hard) = getrlimit(Resource::RLIMIT_NOFILE)?;
    Ok(setrlimit(Resource::RLIMIT_NOFILE, hard, hard)?)
}

fn cpu_s() -> Done<f64> {
    let usage = getrusage(UsageWho::RUSAGE_SELF)?;
    let us = usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
    Ok(us as f64 / 1e6)
}

fn resident_bytes() -> Done<f64> {
    status_bytes("VmRSS:")
}

fn peak_bytes() -> Done<f64> {
    status_bytes("VmHWM:")
}

fn status_bytes(of: &str) -> Done<f64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix(of)).ok_or("no such line in status")?;
    Ok(line.trim().trim_end_matches(" kB").parse::<f64>()? * 1024.0)
}

fn coordinator(count: usize) -> Done<Measured> {
    raise_descriptors()?;
    let coordinator = Coordinator::listen("127.0.0.1:0".parse()?, PROGRAM)?;
    let resident_before = resident_bytes()?;
    let (begun, cpu_before) = (Instant::now(), cpu_s()?);
    let mut agents = part("agents")?.stdin(Stdio::piped()).stdout(Stdio::null()).spawn()?;
    let mut input = agents.stdin.take().ok_or("no input")?;
    for _ in 0..count {
        writeln!(input, "{}", coordinator.invite("127.0.0.1", LIMIT)?)?;
    }
    drop(input);
    let present = || coordinator.presences().iter().filter(|one| one.state == MemberState::Present).count();
    let mut version = 0;
    while present() < count {
        if begun.elapsed() > LIMIT {
            agents.kill()?;
            agents.wait()?;
            return Err(format!("{} of {count} agents are there after {LIMIT:?}", present()).into());
        }
        version = coordinator.wait(version, Duration::from_secs(1));
    }
    let (all_there_s, join_cpu_s) = (begun.elapsed().as_secs_f64(), cpu_s()? - cpu_before);
    std::thread::sleep(SETTLES);
    let (settled, cpu_before) = (Instant::now(), cpu_s()?);
    std::thread::sleep(STEADY);
    let steady_cpu = (cpu_s()? - cpu_before) / settled.elapsed().as_secs_f64();
    let resident_bytes = resident_bytes()? - resident_before;
    let looked = Instant::now();
    let known = coordinator.members().len();
    let members_s = looked.elapsed().as_secs_f64();
    if known != count || present() != count {
        return Err(format!("{} of {count} agents have stayed", present()).into());
    }
    let ends = Instant::now();
    drop(coordinator);
    let status = agents.wait()?;
    if !status.success() {
        return Err("an agent was not told that the run is over".into());
    }
    let ended_s = ends.elapsed().as_secs_f64();
    Ok(Measured { all_there_s, join_cpu_s, steady_cpu, resident_bytes, members_s, ended_s })
}

/// Merges the files of this many publishers, which sent at the same rate, in turn.
fn merger(count: usize) -> Done<Merged> {
    raise_descriptors()?;
    let folder = tempfile::tempdir()?;
    let path = |number: usize| folder.path().join(number.to_string());
    let each = CLIENTS * MESSAGES;
    for number in 0..count {
        let rows: Vec<SentRow> = (0..each).map(|row| sent((row * count + number) as u64)).collect();
        write_sent(&mut File::create(path(number))?, &rows)?;
    }
    let resident_before = resident_bytes()?;
    let (begun, cpu_before) = (Instant::now(), cpu_s()?);
    let files = (0..count).map(|number| File::open(path(number))).collect::<Result<Vec<_>, _>>()?;
    let merged = folder.path().join("merged");
    merge_sent(files, |_, row| row, &mut BufWriter::new(File::create(&merged)?))?;
    let (s, cpu_s) = (begun.elapsed().as_secs_f64(), cpu_s()? - cpu_before);
    let resident_bytes = peak_bytes()? - resident_before;
    let rows = read_sent(&mut File::open(&merged)?)?;
    if rows.len() != each * count || !rows.is_sorted_by_key(|row| row.sequence) {
        return Err("what was merged is not all that was sent, in order".into());
    }
    Ok(Merged { s, cpu_s, resident_bytes })
}

fn sent(sequence: u64) -> SentRow {
    let at_ns = sequence as i64 * 1_000;
    SentRow {
        sequence,
        digest: u128::from(sequence),
        body_bytes: 100,
        intended_send_ns: at_ns,
        build_start_ns: at_ns,
        built_ns: at_ns,
        encoded_ns: at_ns,
        handed_over_ns: at_ns,
        sent_ns: at_ns,
        acked_ns: at_ns,
    }
}

/// One agent for each line of standard input.
fn agents() -> Done<()> {
    raise_descriptors()?;
    let mut threads = Vec::new();
    for (number, line) in std::io::stdin().lock().lines().enumerate() {
        let invitation: Invitation = line?.parse()?;
        let thread = std::thread::Builder::new().stack_size(512 << 10).spawn(move || {
            let terms = terms(number);
            matches!(agent::run(&invitation, &terms, &|| true, &mut |_| ()), Ok(Ended::RunOver))
        });
        threads.push(thread?);
    }
    let all = threads.len();
    let well = threads.into_iter().filter_map(|thread| thread.join().ok()).filter(|is_well| *is_well).count();
    if well < all {
        return Err(format!("{well} of {all} agents ended because the run was over").into());
    }
    Ok(())
}

fn terms(number: usize) -> Terms {
    let environment = serde_json::json!({
        "cpu": "a", "cpus": 2, "memory_bytes": 1, "kernel": "Linux", "os": "Debian", "governor": "unknown", "hypervisor": "none",
        "load_1min": 0.0, "timer_resolution_ns": 1, "sleep_lateness_p99_ns": 1, "rights": [], "compiler": "rustc", "commit": "unknown"
    });
    Terms {
        name: format!("agent-{number}"),
        labels: BTreeMap::new(),
        program: PROGRAM.to_owned(),
        environment: serde_json::from_value(environment).unwrap(),
        patience: LIMIT,
        sandbox: None,
        allowed: Allowed::default(),
        limits: Default::default(),
    }
}
