//! The machine as it was when a run began, as far as it bears on the numbers.

use std::fs;
use std::time::{Duration, Instant};

use wiredyno_model::summary::Environment;

use crate::machine::monotonic_ns;

/// Reads the machine's properties. What the kernel does not tell is "unknown".
pub fn read(rights: Vec<String>) -> Environment {
    let cpuinfo = text("/proc/cpuinfo");
    Environment {
        cpu: field(&cpuinfo, "model name").unwrap_or_else(unknown),
        cpus: std::thread::available_parallelism().map_or(1, |cpus| u32::try_from(cpus.get()).unwrap_or(1)),
        memory_bytes: memory_bytes(&text("/proc/meminfo")),
        kernel: format!("Linux {}", text("/proc/sys/kernel/osrelease").trim()),
        os: os_name(&text("/etc/os-release")),
        governor: governor(),
        hypervisor: hypervisor(&cpuinfo),
        load_1min: text("/proc/loadavg")
            .split_whitespace()
            .next()
            .and_then(|l| l.parse().ok())
            .unwrap_or(0.0),
        timer_resolution_ns: timer_resolution_ns(),
        sleep_lateness_p99_ns: sleep_lateness_p99_ns(),
        rights,
        compiler: env!("WIREDYNO_COMPILER").to_owned(),
        commit: env!("WIREDYNO_COMMIT").to_owned(),
    }
}

fn unknown() -> String {
    "unknown".to_owned()
}

fn text(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

fn field(text: &str, name: &str) -> Option<String> {
    let line = text.lines().find(|line| line.starts_with(name))?;
    line.split_once(':').map(|(_, value)| value.trim().to_owned())
}

fn memory_bytes(meminfo: &str) -> u64 {
    let kib =
        field(meminfo, "MemTotal").and_then(|value| value.split_whitespace().next()?.parse::<u64>().ok());
    kib.unwrap_or(0) * 1024
}

fn os_name(os_release: &str) -> String {
    let line = os_release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="));
    line.map_or_else(unknown, |name| name.trim_matches('"').to_owned())
}

fn governor() -> String {
    let read = fs::read_to_string("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
    read.map_or_else(|_| unknown(), |governor| governor.trim().to_owned())
}

fn hypervisor(cpuinfo: &str) -> String {
    let flags = field(cpuinfo, "flags").unwrap_or_default();
    if !flags.split(' ').any(|flag| flag == "hypervisor") {
        return "none".to_owned();
    }
    let vendor = text("/sys/class/dmi/id/sys_vendor");
    if vendor.trim().is_empty() { "present, name unknown".to_owned() } else { vendor.trim().to_owned() }
}

/// Smallest step seen between two readings of the clock.
fn timer_resolution_ns() -> u64 {
    let mut smallest = u64::MAX;
    for _ in 0..10_000 {
        let (first, second) = (monotonic_ns(), monotonic_ns());
        let step = (second - first).unsigned_abs();
        if step > 0 {
            smallest = smallest.min(step);
        }
    }
    smallest
}

/// How late a sleep of 1 ms ends: 99th percentile of a hundred.
fn sleep_lateness_p99_ns() -> u64 {
    let mut late: Vec<u64> = (0..100)
        .map(|_| {
            let start = Instant::now();
            std::thread::sleep(Duration::from_millis(1));
            let over = start.elapsed().saturating_sub(Duration::from_millis(1));
            u64::try_from(over.as_nanos()).unwrap_or(u64::MAX)
        })
        .collect();
    late.sort_unstable();
    late[98]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machine_is_described() {
        let environment = read(vec![]);
        assert!(environment.cpus >= 1);
        assert!(environment.memory_bytes > 0);
        assert!(environment.kernel.len() > "Linux ".len());
        assert!((1..1_000_000).contains(&environment.timer_resolution_ns));
    }

    #[test]
    fn names_are_taken_from_the_usual_files() {
        assert_eq!(os_name("NAME=\"x\"\nPRETTY_NAME=\"Debian 12\"\n"), "Debian 12");
        assert_eq!(memory_bytes("MemTotal:       24 kB\n"), 24 * 1024);
        assert_eq!(hypervisor("flags\t\t: fpu vme\n"), "none");
    }
}
