//! How busy the machine was before a bench began.

use std::fmt;
use std::fs;
use std::io;
use std::time::Duration;

/// How long the CPUs are observed: some scheduling slices, and short compared with any bench.
const LOOK: Duration = Duration::from_secs(1);

/// Above this share of busy or stolen CPU time, figures are called disturbed: on two CPUs a
/// tenth is one process in five of its slices.
const QUIET: f64 = 0.1;

/// What the kernel reports about the machine before the bench runs.
#[derive(Debug, Clone, PartialEq)]
pub struct MachineState {
    /// CPUs that this process may use.
    pub cpus: usize,
    /// Mean number of runnable or waiting tasks over the last 1, 5 and 15 minutes, as /proc/loadavg writes them.
    pub load: String,
    /// Share of the CPU time in use during a second, 0..1.
    pub busy: f64,
    /// Share that the hypervisor gave to other guests in that second, 0..1.
    pub steal: f64,
}

impl MachineState {
    /// Observes the machine for a second.
    ///
    /// # Errors
    /// When /proc can't be read.
    pub fn look() -> io::Result<Self> {
        let before = ticks()?;
        std::thread::sleep(LOOK);
        let after = ticks()?;
        let (busy, steal) = shares(&before, &after);
        let load =
            fs::read_to_string("/proc/loadavg")?.split_whitespace().take(3).collect::<Vec<_>>().join(" ");
        Ok(Self { cpus: std::thread::available_parallelism().map_or(1, usize::from), load, busy, steal })
    }

    /// Whether no other significant work ran.
    pub fn is_quiet(&self) -> bool {
        self.busy <= QUIET && self.steal <= QUIET
    }
}

impl fmt::Display for MachineState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { cpus, load, busy, steal } = self;
        let verdict = if self.is_quiet() { "quiet" } else { "NOT quiet: the figures are disturbed" };
        let (busy, steal) = (busy * 100.0, steal * 100.0);
        write!(
            f,
            "before the start: {cpus} CPUs, load {load}, busy {busy:.0} %, steal {steal:.0} %: {verdict}"
        )
    }
}

/// The line `cpu` of /proc/stat in clock ticks, proc(5): user nice system idle iowait irq softirq steal.
fn ticks() -> io::Result<[u64; 8]> {
    parse(&fs::read_to_string("/proc/stat")?)
        .ok_or_else(|| io::Error::other("/proc/stat has no line `cpu` of the known form"))
}

fn parse(text: &str) -> Option<[u64; 8]> {
    let line = text.lines().find(|line| line.starts_with("cpu "))?;
    let ticks: Vec<u64> = line.split_whitespace().skip(1).map_while(|word| word.parse().ok()).collect();
    ticks.first_chunk().copied()
}

/// Shares in use and stolen between two readings.
fn shares(before: &[u64; 8], after: &[u64; 8]) -> (f64, f64) {
    let passed = |index: usize| after[index].saturating_sub(before[index]) as f64;
    let total: f64 = (0..8).map(passed).sum();
    if total == 0.0 {
        return (0.0, 0.0);
    }
    let (idle, steal) = (passed(3) + passed(4), passed(7));
    ((total - idle - steal) / total, steal / total)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn shares_leave_out_idle_and_count_steal_apart() {
        let before = parse("cpu  10 0 10 100 0 0 0 0 0 0\ncpu0 1\n").unwrap();
        let after = parse("cpu  30 0 20 150 10 0 0 10 5 0\n").unwrap();
        assert_eq!(shares(&before, &after), (0.3, 0.1));
        assert_eq!(shares(&before, &before), (0.0, 0.0));
        assert_eq!(parse("cpu  1 2 3\n"), None);
    }

    #[test]
    fn a_busy_machine_is_said_to_disturb() {
        let state = MachineState { cpus: 2, load: "0.10 0.20 0.30".into(), busy: 0.05, steal: 0.0 };
        assert!(state.to_string().ends_with("busy 5 %, steal 0 %: quiet"), "{state}");
        let busy = MachineState { busy: 0.6, ..state };
        assert!(busy.to_string().contains("disturbed"), "{busy}");
    }
}
