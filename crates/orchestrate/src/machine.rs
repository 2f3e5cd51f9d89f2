//! What the machine and single processes use, from the kernel's own counters.

use std::fs;
use std::io;

use nix::unistd::Pid;
use wiredyno_model::trial::RoleUse;

/// Counters of `/proc/stat`, in clock ticks over all CPUs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CpuTicks {
    /// All ticks, idle ones included.
    pub total: u64,
    /// Neither idle nor waiting for I/O, nor stolen.
    pub busy: u64,
    /// Given to other machines by the hypervisor.
    pub steal: u64,
}

/// Shares of the CPU time between two readings, 0..1.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct CpuShare {
    /// In use here.
    pub utilisation: f64,
    /// Given to other machines.
    pub steal: f64,
}

impl CpuTicks {
    /// Reads the counters now.
    ///
    /// # Errors
    /// When `/proc/stat` can't be read or has another form.
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

/// CPU time of all threads of a process so far, in nanoseconds.
///
/// # Errors
/// When there is no such process.
pub fn process_cpu_ns(pid: u32) -> io::Result<u64> {
    let pid = Pid::from_raw(i32::try_from(pid).map_err(io::Error::other)?);
    let clock = nix::time::clock_getcpuclockid(pid)?;
    let time = nix::time::clock_gettime(clock)?;
    Ok(time.tv_sec().unsigned_abs() * 1_000_000_000 + time.tv_nsec().unsigned_abs())
}

/// Largest resident set size of a process so far, in bytes (`VmHWM` of proc(5), which counts in KiB).
///
/// # Errors
/// When there is no such process.
pub fn process_peak_memory_bytes(pid: u32) -> io::Result<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|rest| rest.split_whitespace().next()).and_then(|word| word.parse::<u64>().ok());
    kib.map(|kib| kib * 1024).ok_or_else(|| io::Error::other("the process has no VmHWM: it has ended"))
}

/// What a process has used between a CPU reading and now.
///
/// # Errors
/// When the process has ended.
pub fn role_use(pid: u32, cpu_before_ns: u64) -> io::Result<RoleUse> {
    Ok(RoleUse {
        cpu_ns: process_cpu_ns(pid)?.saturating_sub(cpu_before_ns),
        stand_cpu_ns: 0,
        peak_memory_bytes: process_peak_memory_bytes(pid)?,
    })
}

/// CLOCK_MONOTONIC in nanoseconds.
pub fn monotonic_ns() -> i64 {
    let now = nix::time::clock_gettime(nix::time::ClockId::CLOCK_MONOTONIC);
    now.map_or(0, |time| time.tv_sec() * 1_000_000_000 + time.tv_nsec())
}

/// Unix time in nanoseconds.
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
    }

    #[test]
    fn this_process_has_used_cpu_and_memory() {
        let me = std::process::id();
        assert!(process_cpu_ns(me).unwrap() > 0);
        assert!(process_peak_memory_bytes(me).unwrap() > 100_000);
    }
}
