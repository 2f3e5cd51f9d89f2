//! Finds the processes of one test, wherever they are: by a mark in the environment, which children inherit, or by their parents.

#![allow(dead_code, reason = "each test program uses its part")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use nix::unistd::Pid;

/// A name that no other process has in its environment.
pub struct Mark(String);

impl Mark {
    /// A mark that no earlier test has used.
    pub fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        Mark(format!("WIREDYNO_TEST_MARK={}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed)))
    }

    /// Marks a command and all of its descendants.
    pub fn put_on(&self, command: &mut Command) {
        if let Some((name, value)) = self.0.split_once('=') {
            command.env(name, value);
        }
    }

    fn folders(&self) -> Vec<PathBuf> {
        let marked = |folder: &PathBuf| {
            std::fs::read(folder.join("environ"))
                .is_ok_and(|text| text.split(|byte| *byte == 0).any(|entry| entry == self.0.as_bytes()))
        };
        let all = std::fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path());
        all.filter(marked).collect()
    }

    /// Names of the programs with the mark.
    pub fn programs(&self) -> Vec<String> {
        let name = |folder: PathBuf| std::fs::read_to_string(folder.join("comm")).ok();
        self.folders().into_iter().filter_map(name).map(|name| name.trim().to_owned()).collect()
    }

    /// The processes with the mark.
    pub fn marked(&self) -> Vec<Marked> {
        self.folders().into_iter().filter_map(|folder| Marked::read(&folder)).collect()
    }

    /// Network namespaces of processes with the mark, without this test's own.
    pub fn hosts(&self) -> BTreeSet<PathBuf> {
        let mut hosts: BTreeSet<PathBuf> = self
            .folders()
            .iter()
            .filter_map(|folder| std::fs::read_link(folder.join("ns/net")).ok())
            .collect();
        hosts.remove(&std::fs::read_link("/proc/self/ns/net").unwrap());
        hosts
    }
}

/// A process with the mark.
#[derive(Debug)]
pub struct Marked {
    pub id: i32,
    pub name: String,
    pub arguments: Vec<String>,
    /// Whether it started its own session.
    pub leads_session: bool,
}

impl Marked {
    /// `None` if it has ended meanwhile.
    fn read(folder: &Path) -> Option<Self> {
        let text = |name: &str| std::fs::read_to_string(folder.join(name)).ok();
        let id = folder.file_name()?.to_str()?.parse().ok()?;
        let arguments = text("cmdline")?.split_terminator('\0').map(str::to_owned).collect();
        // proc_pid_stat(5): state, parent, group, session after the name in brackets.
        let stat = text("stat")?;
        let session = stat.rsplit_once(')')?.1.split_whitespace().nth(3)?.parse().ok();
        let name = text("comm")?.trim().to_owned();
        Some(Marked { id, name, arguments, leads_session: session == Some(id) })
    }
}

/// Which of the network namespaces still contain a process.
pub fn inhabited(hosts: &BTreeSet<PathBuf>) -> bool {
    let all = std::fs::read_dir("/proc").unwrap().flatten();
    all.filter_map(|entry| std::fs::read_link(entry.path().join("ns/net")).ok())
        .any(|host| hosts.contains(&host))
}

/// A process and all that it has started, by the parents in `/proc`.
pub fn tree(root: Pid) -> Vec<Pid> {
    let mut all = vec![root];
    let parent = |pid: Pid| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok().map(Pid::from_raw)
    };
    let pids = || {
        let entries = std::fs::read_dir("/proc").unwrap().flatten();
        entries.filter_map(|entry| entry.file_name().to_string_lossy().parse().ok().map(Pid::from_raw))
    };
    loop {
        let more: Vec<Pid> = pids()
            .filter(|pid| !all.contains(pid) && parent(*pid).is_some_and(|parent| all.contains(&parent)))
            .collect();
        if more.is_empty() {
            return all;
        }
        all.extend(more);
    }
}

/// Whether a process has ended and only waits for its parent.
pub fn is_dead(pid: Pid) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_none_or(|(_, rest)| rest.starts_with('Z'))
}

/// The words of the command line of a process; none if it has ended.
pub fn arguments(pid: Pid) -> Vec<String> {
    let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&line).split_terminator('\0').map(str::to_owned).collect()
}

/// The name of a process; empty if it has ended.
pub fn name(pid: Pid) -> String {
    std::fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default().trim().to_owned()
}

/// Waits for a condition, four minutes at most.
pub fn in_time(condition: impl Fn() -> bool) -> bool {
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_secs(240) {
        if condition() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    false
}
