//! The machine's properties at the start of a run, as far as they affect the numbers.

use std::fs;

use wiredyno_contract::Span;
use wiredyno_model::summary::Environment;
use wiredyno_seats::noise;

/// The length of the sleep whose lateness is measured.
const SLEEP: Span = Span::from_ms(1);

/// Reads the machine's properties, and takes the commit from which the program was built. What the kernel does not report is "unknown".
pub fn read(rights: Vec<String>, commit: &str) -> Environment {
    let cpuinfo = text("/proc/cpuinfo");
    Environment {
        cpu: field(&cpuinfo, "model name").unwrap_or_else(unknown),
        cpus: noise::cpus(),
        cpus_online: noise::cpus_online(),
        memory_bytes: memory_bytes(&text("/proc/meminfo")),
        kernel: format!("Linux {}", text("/proc/sys/kernel/osrelease").trim()),
        os: os_name(&text("/etc/os-release")),
        governor: noise::governor(),
        hypervisor: hypervisor(&cpuinfo),
        load_1min: noise::load_1min(),
        timer_resolution_ns: noise::timer_resolution_ns(),
        sleep_lateness_p99_ns: noise::waking_lateness_p99_ns(SLEEP),
        rights,
        compiler: env!("WIREDYNO_COMPILER").to_owned(),
        commit: commit.to_owned(),
        builds: Vec::new(),
        agents: Vec::new(),
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

fn hypervisor(cpuinfo: &str) -> String {
    let flags = field(cpuinfo, "flags").unwrap_or_default();
    if !flags.split(' ').any(|flag| flag == "hypervisor") {
        return "none".to_owned();
    }
    let vendor = text("/sys/class/dmi/id/sys_vendor");
    if vendor.trim().is_empty() { "present, name unknown".to_owned() } else { vendor.trim().to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machine_is_described() {
        let environment = read(vec![], "0fb381f8");
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
