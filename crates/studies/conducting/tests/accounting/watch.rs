//! Independent readings while a trial runs: /proc of every process of the trial, `ss` on both hosts. They
//! share no code with what they check.

use std::net::SocketAddrV4;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use wiredyno_link::clock::monotonic_ns;
use wiredyno_link::host::Host;
use wiredyno_link::lane::Lane;
use wiredyno_link::sandbox::Sandbox;

/// The time between two readings; the quiet times at both ends of a measured phase are several times as long.
const EVERY: Duration = Duration::from_millis(5);
/// The time between two readings of the sockets, which take a process each.
const SOCKETS_EVERY: Duration = Duration::from_millis(40);
/// A reading of processes and sockets at one time.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Reading {
    /// The time by CLOCK_MONOTONIC, before and after reading.
    pub from_ns: u64,
    pub to_ns: u64,
    pub processes: Vec<ProcessReading>,
    /// Absent if the sockets were not read.
    pub sockets: Option<Vec<SocketReading>>,
}

/// A process as /proc shows it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ProcessReading {
    pub pid: u32,
    /// User and system time of proc(5), in ticks.
    pub ticks: u64,
    /// The peak resident set, VmHWM of proc(5).
    pub peak_bytes: u64,
}

/// A TCP socket as `ss` shows it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SocketReading {
    pub local: SocketAddrV4,
    pub peer: SocketAddrV4,
    /// The counter tcpi_total_retrans of the kernel.
    pub retransmitted: u64,
}

/// Reads until it is ended.
pub struct Watch {
    over: Arc<AtomicBool>,
    reader: std::thread::JoinHandle<Vec<Reading>>,
}

impl Watch {
    pub fn begin(sandbox: &Sandbox, lane: &Lane) -> Self {
        let over = Arc::new(AtomicBool::new(false));
        let (told, worker, sandbox) = (over.clone(), lane.process_id(), sandbox.clone());
        let hosts = Host::ALL.map(|host| lane.host(host));
        let reader = std::thread::spawn(move || {
            let mut readings = Vec::new();
            let mut looked = None;
            while !told.load(Ordering::Relaxed) {
                let from_ns = monotonic_ns();
                let look = looked.is_none_or(|at: Instant| at.elapsed() >= SOCKETS_EVERY);
                let sockets = look.then(|| {
                    looked = Some(Instant::now());
                    let of = |host: &wiredyno_link::host::HostHandle| {
                        let mut ss = Command::new("ss");
                        host.enter(&mut ss);
                        sandbox.prepare(&mut ss);
                        sockets(&mut ss)
                    };
                    hosts.iter().flat_map(of).collect()
                });
                let processes = processes(worker);
                readings.push(Reading { from_ns, to_ns: monotonic_ns(), processes, sockets });
                std::thread::sleep(EVERY);
            }
            readings
        });
        Self { over, reader }
    }

    /// Ends the thread and returns its readings.
    pub fn end(self) -> Vec<Reading> {
        self.over.store(true, Ordering::Relaxed);
        self.reader.join().unwrap()
    }
}

/// The children of this process except the link's: server, subscriber, publisher, in the order in which the
/// conductor starts them.
fn processes(worker: u32) -> Vec<ProcessReading> {
    let own = std::process::id();
    let pids = std::fs::read_dir("/proc").unwrap().flatten();
    let mut all: Vec<ProcessReading> = pids
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|pid| *pid != worker)
        .filter_map(|pid| process(pid, own))
        .collect();
    all.sort_by_key(|process| process.pid);
    all
}

/// Parses fields 4, 14 and 15 of /proc/PID/stat: parent, utime, stime; the second field ends with the last parenthesis.
fn process(pid: u32, parent: u32) -> Option<ProcessReading> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let fields: Vec<&str> = stat.rsplit(')').next()?.split_whitespace().collect();
    let number = |at: usize| fields.get(at - 3).and_then(|field| field.parse::<u64>().ok());
    if number(4)? != u64::from(parent) {
        return None;
    }
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let peak = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kib: u64 = peak.split_whitespace().nth(1)?.parse().ok()?;
    Some(ProcessReading { pid, ticks: number(14)? + number(15)?, peak_bytes: kib * 1024 })
}

/// Parses `ss`, which prints one line per socket with -O; `retrans:now/total` appears once there was a retransmission.
fn sockets(ss: &mut Command) -> Vec<SocketReading> {
    let Ok(output) = ss.args(["--tcp", "--info", "--numeric", "--oneline", "--no-header"]).output() else {
        return Vec::new();
    };
    let socket = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let total = words.iter().find_map(|word| word.strip_prefix("retrans:")?.split_once('/'));
        Some(SocketReading {
            local: words.get(3)?.parse().ok()?,
            peer: words.get(4)?.parse().ok()?,
            retransmitted: total.map_or(Some(0), |(_, total)| total.parse().ok())?,
        })
    };
    String::from_utf8_lossy(&output.stdout).lines().filter_map(socket).collect()
}
