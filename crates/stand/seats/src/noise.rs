//! How noisy the machine is: what its clock resolves, how late it wakes a thread, how much else it has to do.
//!
//! Looked at before a run and, but for the clock, before each trial. Nothing here changes the machine. Limits: a look
//! of some milliseconds sees what goes on then, not what comes during the trial; utilisation and steal of the trial
//! itself are read at its ends ([`crate::machine`]).

use std::collections::BTreeSet;
use std::fs;

use nix::time::{ClockId, ClockNanosleepFlags, clock_nanosleep};
use wiredyno_contract::Span;
use wiredyno_model::trial::Machine;

use crate::machine::monotonic_ns;

/// Wakings of one look.
const WAKINGS: usize = 100;
/// From waking to waking before each trial: a look takes 20 ms.
const BETWEEN_TRIALS: Span = Span { ns: 200_000 };
/// How long the look before each trial takes, in nanoseconds.
pub const LOOK_NS: u64 = WAKINGS as u64 * BETWEEN_TRIALS.ns;

/// What a trial finds when it begins; `lanes_in_use` trials are in flight then.
pub fn before_trial(lanes_in_use: u32) -> Machine {
    Machine {
        lanes_in_use,
        scheduling_lateness_p99_ns: waking_lateness_p99_ns(BETWEEN_TRIALS),
        load_1min: load_1min(),
        ..Machine::default()
    }
}

/// How late a thread wakes that sleeps until a moment `step` ahead: 99th percentile of a hundred, which is
/// the second largest. The slack of ordinary threads' timers, 50 us unless told otherwise (prctl(2)), is inside.
pub fn waking_lateness_p99_ns(step: Span) -> u64 {
    let mut late: Vec<u64> = (0..WAKINGS).map(|_| waking_lateness_ns(step)).collect();
    late.sort_unstable();
    late[WAKINGS * 99 / 100 - 1]
}

fn waking_lateness_ns(step: Span) -> u64 {
    let until_ns = monotonic_ns() + i64::try_from(step.ns).unwrap_or(i64::MAX / 2);
    let until = nix::sys::time::TimeSpec::new(until_ns / 1_000_000_000, until_ns % 1_000_000_000);
    let absolute = ClockNanosleepFlags::TIMER_ABSTIME;
    // A signal wakes it early; it goes on to the same moment.
    while let Err(nix::errno::Errno::EINTR) = clock_nanosleep(ClockId::CLOCK_MONOTONIC, absolute, &until) {}
    u64::try_from(monotonic_ns() - until_ns).unwrap_or(0)
}

/// Smallest step seen between two readings of CLOCK_MONOTONIC.
pub fn timer_resolution_ns() -> u64 {
    let steps = (0..10_000).map(|_| {
        let (first, second) = (monotonic_ns(), monotonic_ns());
        (second - first).unsigned_abs()
    });
    steps.filter(|&step| step > 0).min().unwrap_or(u64::MAX)
}

/// Load average of the last minute (proc(5)); 0 where the kernel does not tell.
pub fn load_1min() -> f64 {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split_whitespace().next().and_then(|load| load.parse().ok()).unwrap_or(0.0)
}

/// CPUs of the machine, of whose tasks the load average is, also those that this program may not use (sysconf(3)).
pub fn cpus_online() -> u32 {
    let online = nix::unistd::sysconf(nix::unistd::SysconfVar::_NPROCESSORS_ONLN).ok().flatten();
    online.and_then(|cpus| u32::try_from(cpus).ok()).unwrap_or_else(cpus).max(1)
}

/// CPUs that this program may use.
pub fn cpus() -> u32 {
    std::thread::available_parallelism().map_or(1, |cpus| u32::try_from(cpus.get()).unwrap_or(u32::MAX))
}

/// The frequency governors of all CPUs, each once; "unknown" where the kernel does not tell.
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
        // No thread is woken before its time, and none at the very nanosecond.
        assert!(machine.scheduling_lateness_p99_ns > 0);
    }
}
