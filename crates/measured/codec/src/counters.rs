//! CPU time and instructions of the measuring thread, read together with the wall clock.
//!
//! CPU time is CLOCK_THREAD_CPUTIME_ID: user and system, this thread only. Instructions are those retired in user
//! mode, from the kernel's performance counters (`perf_event_open(2)`); many machines and most virtual ones do not
//! allow or have them, and then the reason is reported.

use std::cell::{Cell, OnceCell};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

use wiredyno_contract::Missing;

/// The counters' values at one moment.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Counters {
    cpu_ns: Option<u64>,
    instructions: Option<u64>,
}

/// The differences between two readings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Passed {
    pub cpu_ns: Option<u64>,
    pub instructions: Option<u64>,
}

thread_local! {
    static INSTRUCTIONS: OnceCell<Result<OwnedFd, String>> = const { OnceCell::new() };
    /// The counter's descriptor, -1 for none: checked by the loops.
    static DESCRIPTOR: Cell<i32> = const { Cell::new(-1) };
}

impl Counters {
    #[inline]
    pub fn read() -> Counters {
        Counters { instructions: instructions(), cpu_ns: thread_cpu_ns() }
    }

    /// The differences to an earlier reading.
    pub fn since(&self, before: &Counters) -> Passed {
        let passed = |now: Option<u64>, then: Option<u64>| Some(now?.saturating_sub(then?));
        Passed {
            cpu_ns: passed(self.cpu_ns, before.cpu_ns),
            instructions: passed(self.instructions, before.instructions),
        }
    }
}

fn thread_cpu_ns() -> Option<u64> {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the place for the answer is valid.
    let done = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    let (seconds, rest) = (u64::try_from(time.tv_sec).ok()?, u64::try_from(time.tv_nsec).ok()?);
    (done == 0).then_some(seconds * 1_000_000_000 + rest)
}

fn instructions() -> Option<u64> {
    let descriptor = DESCRIPTOR.get();
    if descriptor < 0 {
        return None;
    }
    let mut value = [0u8; 8];
    // SAFETY: the buffer has the stated length. A counter that was scheduled out gives 0 bytes.
    let got = unsafe { libc::read(descriptor, value.as_mut_ptr().cast(), value.len()) };
    (got == 8).then(|| u64::from_ne_bytes(value))
}

/// Opens the counters of this thread, once; returns what is unavailable.
pub(crate) fn open() -> Vec<Missing> {
    let mut missing = Vec::new();
    if thread_cpu_ns().is_none() {
        let why = "the system has no CPU clock per thread, so whether batches waited for a CPU is unknown"
            .to_owned();
        missing.push(Missing { what: "cpu".to_owned(), why });
    }
    INSTRUCTIONS.with(|counter| match counter.get_or_init(instruction_counter) {
        Ok(descriptor) => DESCRIPTOR.set(descriptor.as_raw_fd()),
        Err(why) => missing.push(Missing { what: "instructions".to_owned(), why: why.clone() }),
    });
    missing
}

/// `struct perf_event_attr` in its first published size, from linux/perf_event.h.
#[cfg(target_os = "linux")]
#[repr(C)]
#[derive(Default)]
struct PerfEventAttributes {
    kind: u32,
    size: u32,
    config: u64,
    sample_period: u64,
    sample_type: u64,
    read_format: u64,
    flags: u64,
    wakeup_events: u32,
    bp_type: u32,
    bp_addr: u64,
}

/// Values of linux/perf_event.h: PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, the flags' bits, and
/// PERF_FLAG_FD_CLOEXEC.
#[cfg(target_os = "linux")]
mod perf {
    pub const TYPE_HARDWARE: u32 = 0;
    pub const INSTRUCTIONS: u64 = 1;
    pub const PINNED: u64 = 1 << 2;
    pub const EXCLUDE_KERNEL: u64 = 1 << 5;
    pub const EXCLUDE_HYPERVISOR: u64 = 1 << 6;
    pub const CLOSE_ON_EXEC: libc::c_ulong = 1 << 3;
}

#[cfg(target_os = "linux")]
fn instruction_counter() -> Result<OwnedFd, String> {
    let attributes = PerfEventAttributes {
        kind: perf::TYPE_HARDWARE,
        size: size_of::<PerfEventAttributes>() as u32,
        config: perf::INSTRUCTIONS,
        // Pinned: it counts all the time or not at all, never a part that must be scaled.
        flags: perf::PINNED | perf::EXCLUDE_KERNEL | perf::EXCLUDE_HYPERVISOR,
        ..PerfEventAttributes::default()
    };
    // SAFETY: the attributes have the size that they state; this thread on any CPU, no group.
    let descriptor = unsafe {
        libc::syscall(libc::SYS_perf_event_open, &raw const attributes, 0, -1, -1, perf::CLOSE_ON_EXEC)
    };
    if descriptor < 0 {
        return Err(refusal(&std::io::Error::last_os_error()));
    }
    // SAFETY: a new descriptor of ours.
    Ok(unsafe { OwnedFd::from_raw_fd(descriptor as i32) })
}

#[cfg(not(target_os = "linux"))]
fn instruction_counter() -> Result<OwnedFd, String> {
    Err("instructions are counted on Linux only".to_owned())
}

/// The meaning of the kernel's error.
#[cfg(target_os = "linux")]
fn refusal(error: &std::io::Error) -> String {
    match error.raw_os_error() {
        Some(libc::EPERM | libc::EACCES) => {
            "not permitted: the kernel allows it with sysctl kernel.perf_event_paranoid=2 or less, and a \
             container needs the system call perf_event_open"
                .to_owned()
        }
        Some(libc::ENOENT | libc::EOPNOTSUPP | libc::ENODEV | libc::ENOSYS) => {
            format!("this machine has no instruction counter, as is common in virtual machines ({error})")
        }
        _ => format!("the kernel provides no instruction counter: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpu_time_passes_with_work_and_what_is_missing_has_a_reason() {
        let missing = open();
        let before = Counters::read();
        let mut sum = 0u64;
        for n in 0..2_000_000u64 {
            sum = std::hint::black_box(sum ^ n);
        }
        let passed = Counters::read().since(&before);
        assert!(passed.cpu_ns.is_some_and(|ns| ns > 0), "{passed:?}");
        match passed.instructions {
            Some(count) => assert!(count >= 2_000_000 && missing.is_empty(), "{count} {missing:?}"),
            None => assert!(missing.iter().any(|m| m.what == "instructions" && !m.why.is_empty())),
        }
    }
}
