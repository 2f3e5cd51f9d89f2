//! Agents on a machine whose clock runs fast, wanders or is set again and again: what every trial says of it is true.
//!
//! The clock is a library that all of that machine's processes load (`ld.so.preload` in a mount namespace of its own) and that adds a known function of time to
//! CLOCK_MONOTONIC; a time namespace adds an hour more.

use std::process::{Command, Stdio};

use nix::time::{ClockId, clock_gettime};
use wiredyno_store::RunFolder;

use crate::agents;
use crate::stand::{Desk, PROGRAM};

const AHEAD_S: i64 = 3_600;

/// How a clock gets ahead, as a number that the library is compiled with.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Drift {
    /// 100 ppm fast.
    Steady = 0,
    /// Its speed goes from -30 to 30 ppm and back in 160 s: by 0.75 ppm in a second.
    Wandering = 1,
    /// 20 ppm fast, and set 5 ms forward every 19 s.
    Steps = 2,
}

/// The library. Its argument `since` is the time since the origin in nanoseconds, as is that of [`Drift::shift_ns`].
const LIBRARY: &str = r"
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static long long shift(long long since) {
    if (since < 0) return 0;
    switch (DRIFT) {
    case 0: return since / 10000;
    case 1: {
        long long half = 80000000000LL, along = since % (2 * half);
        double sign = along < half ? -1 : 1, s = (along % half) / 1e9;
        return (long long)(sign * (30e3 * s - 30e3 * s * s / 80));
    }
    default: return since / 50000 + since / 19000000000LL * 5000000;
    }
}

int clock_gettime(clockid_t clock, struct timespec *to) {
    long failed = syscall(SYS_clock_gettime, clock, to);
    if (failed || clock != CLOCK_MONOTONIC) return (int)failed;
    long long now = to->tv_sec * 1000000000LL + to->tv_nsec;
    now += shift(now - ORIGIN_NS);
    to->tv_sec = now / 1000000000;
    to->tv_nsec = now % 1000000000;
    return 0;
}
";

impl Drift {
    /// The function of the library.
    fn shift_ns(self, since_ns: i64) -> i64 {
        match self {
            _ if since_ns < 0 => 0,
            Drift::Steady => since_ns / 10_000,
            Drift::Wandering => {
                let half_ns = 80_000_000_000;
                let sign = if since_ns % (2 * half_ns) < half_ns { -1.0 } else { 1.0 };
                let along_s = (since_ns % half_ns) as f64 / 1e9;
                (sign * (30e3 * along_s - 30e3 * along_s * along_s / 80.0)) as i64
            }
            Drift::Steps => since_ns / 50_000 + since_ns / 19_000_000_000 * 5_000_000,
        }
    }

    fn library(self, desk: &Desk, origin_ns: i64) {
        std::fs::write(desk.file("clock.c"), LIBRARY).unwrap();
        let defined = [format!("-DDRIFT={}", self as i64), format!("-DORIGIN_NS={origin_ns}LL")];
        let mut compiler = Command::new("cc");
        compiler.args(["-shared", "-fPIC", "-O2", "-o", "clock.so", "clock.c"]).args(defined);
        assert!(compiler.current_dir(desk.path()).status().unwrap().success());
    }
}

/// Nanoseconds of this machine's CLOCK_MONOTONIC.
fn now_ns() -> i64 {
    let now = clock_gettime(ClockId::CLOCK_MONOTONIC).unwrap();
    now.tv_sec() * 1_000_000_000 + now.tv_nsec()
}

/// Trials with such a clock: what broke those attempts that did, and the bound of each complete one in nanoseconds.
fn trials(drift: Drift, repeats: usize) -> (Vec<String>, Vec<u64>) {
    let desk = Desk::for_runs();
    agents::hosts(&desk, "edge = \"vehicle\"\n");
    let origin_ns = now_ns();
    drift.library(&desk, origin_ns + AHEAD_S * 1_000_000_000);
    let invitation = "invited/agent-1.invitation";
    let machine = format!(
        "cp -a /etc etc && echo {library} > etc/ld.so.preload && mount --bind etc /etc && exec {PROGRAM} agent {invitation} --name vehicle",
        library = desk.file("clock.so").display(),
    );
    let script = format!(
        "{} exec unshare --mount --time --monotonic {AHEAD_S} --fork sh -c '{machine}'",
        agents::there(invitation)
    );
    let mut agent = Command::new("sh");
    agent.args(["-c", &script]).current_dir(desk.path()).stdout(Stdio::null()).stderr(Stdio::piped());
    let agent = agent.spawn().unwrap();
    let repeats = format!("trials.repeats={repeats}");
    let settings = [
        "link=real",
        "mode=tcp",
        "codec=protobuf/prost",
        "way=one-way",
        "codec_trials.enabled=false",
        &repeats,
        "load.messages=100",
    ];
    let said = desk.wiredyno(&agents::run(&settings));
    agents::well(agent);
    said.well();
    let trials = RunFolder::open(&desk.file("r")).unwrap().read_trials().unwrap().messages;
    let (mut bounds_ns, mut broken) = (Vec::new(), Vec::new());
    for trial in &trials {
        if !trial.record.is_complete() {
            broken.push(trial.record.failed.clone().unwrap_or_else(|| format!("{:?}", trial.record.invalid)));
            continue;
        }
        let clocks = trial.record.clocks.unwrap();
        assert_eq!((clocks.subscriber.ahead_ns, clocks.subscriber.bound_ns), (0, 0), "it is our own");
        let its = clocks.publisher;
        // When messages began, which is the moment of the line, and when they ended.
        let begun_ns = trial.messages.iter().map(|message| message.intended_send_ns).min().unwrap();
        let ended_ns = trial.messages.iter().filter_map(|message| message.received_ns).max().unwrap();
        for at_ns in [begun_ns, begun_ns.midpoint(ended_ns), ended_ns] {
            let told_ns = its.ahead_ns + (at_ns - begun_ns) * its.drift_ppb / 1_000_000_000;
            let true_ns = AHEAD_S * 1_000_000_000 + drift.shift_ns(at_ns - origin_ns);
            let wrong_ns = told_ns.abs_diff(true_ns);
            // The first message is due some milliseconds after the line's moment at most: 100 ppm of ten.
            assert!(wrong_ns <= its.bound_ns + 1_000, "{drift:?}: {wrong_ns} ns at {at_ns}: {its:?}");
        }
        bounds_ns.push(its.bound_ns);
    }
    (broken, bounds_ns)
}

pub fn clock_that_drifts() {
    is_true(Drift::Steady, 10);
}

pub fn clock_that_wanders() {
    is_true(Drift::Wandering, 10);
}

/// An attempt during which the clock is set has no figure, and says why; so may the next one be.
pub fn clock_that_is_set() {
    is_true(Drift::Steps, 20);
}

/// The true offset is within the bound in every complete trial, ten at least, and nothing but a clock that is set breaks any.
fn is_true(drift: Drift, repeats: usize) {
    let (broken, mut bounds_ns) = trials(drift, repeats);
    bounds_ns.sort_unstable();
    eprintln!("{drift:?}: bounds in ns {bounds_ns:?}, broke: {broken:?}");
    assert!(bounds_ns.len() >= 10, "{broken:?}");
    assert!(*bounds_ns.last().unwrap() < 100_000_000, "{bounds_ns:?}");
    assert!(broken.iter().all(|why| drift == Drift::Steps && why.contains("it was set")), "{broken:?}");
}
