//! CPU and memory of the machine, from the kernel's own counters. Single processes are in [`wiredyno_process`].

use std::fs;
use std::io;

pub use wiredyno_process::clock::monotonic_ns;

/// A clock tick of `/proc/stat`: USER_HZ is 100 on all architectures for which Linux reports it today (time(7)).
pub const TICK_NS: u64 = 10_000_000;

/// Counters of `/proc/stat`, in clock ticks over all CPUs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CpuTicks {
    /// All ticks, idle ones included.
    pub total: u64,
    /// Ticks neither idle, nor waiting for I/O, nor stolen.
    pub busy: u64,
    /// Ticks that the hypervisor gave to other machines.
    pub steal: u64,
}

/// Shares of the CPU time between two readings, 0..1.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct CpuShare {
    /// Share in use on this machine.
    pub utilisation: f64,
    /// Share given to other machines by the hypervisor.
    pub steal: f64,
}

impl CpuTicks {
    /// Reads the counters now.
    ///
    /// # Errors
    /// When `/proc/stat` can't be read or has an unknown form.
    pub fn now() -> io::Result<Self> {
        let text = fs::read_to_string("/proc/stat")?;
        Self::parse(&text).ok_or_else(|| io::Error::other("/proc/stat has no line `cpu` of the known form"))
    }

    /// proc(5): user nice system idle iowait irq softirq steal guest guest_nice; guest time is part of user.
    fn parse(text: &str) -> Option<Self> {
        let line = text.lines().find(|line| line.starts_with("cpu "))?;
        let ticks: Vec<u64> = line.split_whitespace().skip(1).map_while(|word| word.parse().ok()).collect();
        let [user, nice, system, idle, iowait, irq, softirq, steal, ..] = ticks[..] else {
            return None;
        };
        let busy = user + nice + system + irq + softirq;
        Some(CpuTicks { total: busy + idle + iowait + steal, busy, steal })
    }

    /// CPU time in use on all CPUs since an earlier reading.
    pub fn in_use_since_ns(&self, earlier: &CpuTicks) -> u64 {
        self.busy.saturating_sub(earlier.busy) * TICK_NS
    }

    /// The shares since an earlier reading; zero when no tick has passed.
    pub fn since(&self, earlier: &CpuTicks) -> CpuShare {
        let total = self.total.saturating_sub(earlier.total);
        if total == 0 {
            return CpuShare::default();
        }
        let share = |now: u64, then: u64| now.saturating_sub(then) as f64 / total as f64;
        CpuShare { utilisation: share(self.busy, earlier.busy), steal: share(self.steal, earlier.steal) }
    }
}

/// The kernel's boot id, the same in all namespaces of a machine; empty where it is not told.
pub fn boot_id() -> String {
    let text = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    text.trim().to_owned()
}

/// Memory available without swapping (`MemAvailable` of proc(5)), in bytes; 0 if the kernel does not report it.
pub fn available_memory_bytes() -> u64 {
    let text = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    let kib = line.and_then(|rest| rest.split_whitespace().next()).and_then(|word| word.parse::<u64>().ok());
    kib.unwrap_or_default() * 1024
}

/// The wall clock: Unix time in nanoseconds.
pub fn unix_ns() -> i64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.map_or(0, |span| i64::try_from(span.as_nanos()).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_leave_out_idle_and_count_steal_apart() {
        let before = CpuTicks::parse("cpu  10 0 10 100 0 0 0 0 0 0\ncpu0 1\n").unwrap();
        let after = CpuTicks::parse("cpu  30 0 20 150 10 0 0 10 5 0\n").unwrap();
        let share = after.since(&before);
        assert_eq!(share, CpuShare { utilisation: 0.3, steal: 0.1 });
        assert_eq!(before.since(&before), CpuShare::default());
        assert_eq!(after.in_use_since_ns(&before), 30 * TICK_NS);
    }
}
