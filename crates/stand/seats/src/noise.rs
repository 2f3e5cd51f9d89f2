//! How noisy the machine is: the resolution of its clock, how late it wakes a thread, how much else it does.
//!
//! Checked before a run and, except for the clock, before each trial. Nothing here changes the machine. Limits: a check
//! of some milliseconds sees only what happens then, not what happens during the trial; utilisation and steal of the trial
//! itself are read at its start and end ([`crate::machine`]).

use std::collections::BTreeSet;
use std::fs;

use nix::time::{ClockId, ClockNanosleepFlags, clock_nanosleep};
use wiredyno_contract::Span;
use wiredyno_model::trial::Machine;

use crate::machine::monotonic_ns;

const WAKINGS: usize = 100;
/// Time between wakings before each trial: a check takes 20 ms.
const BETWEEN_TRIALS: Span = Span { ns: 200_000 };
/// How long the check before each trial takes, in nanoseconds.
pub const LOOK_NS: u64 = WAKINGS as u64 * BETWEEN_TRIALS.ns;

/// The state in which a trial begins; `lanes_in_use` trials are then in flight.
pub fn before_trial(lanes_in_use: u32) -> Machine {
    Machine {
        lanes_in_use,
        scheduling_lateness_p99_ns: waking_lateness_p99_ns(BETWEEN_TRIALS),
        load_1min: load_1min(),
        ..Machine::default()
    }
}

/// How late a thread wakes from sleeping until a moment `step` ahead: the 99th percentile of a hundred, which is
/// the second largest. It includes the timer slack of ordinary threads, 50 us by default (prctl(2)).
pub fn waking_lateness_p99_ns(step: Span) -> u64 {
    let mut late: Vec<u64> = (0..WAKINGS).map(|_| waking_lateness_ns(step)).collect();
    late.sort_unstable();
    late[WAKINGS * 99 / 100 - 1]
}

fn waking_lateness_ns(step: Span) -> u64 {
    let until_ns = monotonic_ns() + i64::try_from(step.ns).unwrap_or(i64::MAX / 2);
    let until = nix::sys::time::TimeSpec::new(until_ns / 1_000_000_000, until_ns % 1_000_000_000);
    let absolute = ClockNanosleepFlags::TIMER_ABSTIME;
    // A signal wakes it early; it resumes with the same target.
    while let Err(nix::errno::Errno::EINTR) = clock_nanosleep(ClockId::CLOCK_MONOTONIC, absolute, &until) {}
    u64::try_from(monotonic_ns() - until_ns).unwrap_or(0)
}

/// The smallest step seen between two readings of CLOCK_MONOTONIC.
pub fn timer_resolution_ns() -> u64 {
    let steps = (0..10_000).map(|_| {
        let (first, second) = (monotonic_ns(), monotonic_ns());
        (second - first).unsigned_abs()
    });
    steps.filter(|&step| step > 0).min().unwrap_or(u64::MAX)
}

/// Load average of the last minute (proc(5)); 0 if the kernel does not report it.
pub fn load_1min() -> f64 {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split_whitespace().next().and_then(|load| load.parse().ok()).unwrap_or(0.0)
}

/// CPUs of the machine, whose tasks the load average counts, including those that this program may not use (sysconf(3)).
pub fn cpus_online() -> u32 {
    let online = nix::unistd::sysconf(nix::unistd::SysconfVar::_NPROCESSORS_ONLN).ok().flatten();
    online.and_then(|cpus| u32::try_from(cpus).ok()).unwrap_or_else(cpus).max(1)
}

/// The number of CPUs that this program may use.
pub fn cpus() -> u32 {
    std::thread::available_parallelism().map_or(1, |cpus| u32::try_from(cpus.get()).unwrap_or(u32::MAX))
}

/// The frequency governors of all CPUs, each once; "unknown" if the kernel does not report them.
pub fn governor() -> String {
    let folders = fs::read_dir("/sys/devices/system/cpu").into_iter().flatten().flatten();
    let read = |folder: fs::DirEntry| fs::read_to_string(folder.path().join("cpufreq/scaling_governor")).ok();
    let governors: BTreeSet<String> = folders.filter_map(read).map(|text| text.trim().to_owned()).collect();
    if governors.is_empty() {
        return "unknown".to_owned();
    }
    governors.into_iter().collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_finds_a_clock_and_a_machine() {
        assert!((1..1_000_000).contains(&timer_resolution_ns()));
        assert!(load_1min() >= 0.0 && (1..=cpus_online()).contains(&cpus()) && !governor().is_empty());
        let machine = before_trial(3);
        assert_eq!(machine.lanes_in_use, 3);
        // No thread wakes early, and none at exactly the requested nanosecond.
        assert!(machine.scheduling_lateness_p99_ns > 0);
    }
}
