//! What the publisher's open loop can sustain: schedule lag and rate at high rates, without a link.
//!
//! `make bench-load`, or `cargo bench -p wiredyno-running --bench load [-- ROW...]`. Publisher, relay and
//! subscriber are processes on loopback, the codec is `raw`, bodies have 100 bytes. Each row is a mode at a
//! rate; a trial sends for three seconds, `WIREDYNO_BENCH_REPEATS` (5) trials a row, rows interleaved. Values
//! are those that a run records and judges: 99th percentile and median of the lag (from intended send to the
//! start of building), rate error (actual against intended span from first to last send), lost messages.
//!
//! Limits: three processes that hardly sleep share the CPUs with everything else that runs; on two CPUs the subscriber
//! takes turns with the relay or the publisher. MQTT's broker is the first installed one. No trial is
//! excluded: what a study would call invalid counts.
//!
//! Where the time of a message goes at 50,000/s over `udp` (two CPUs of a virtual machine, otherwise nearly idle): the
//! send call takes 1.6 us (median) to 12 us (p90; probably when the relay has to be woken), and the publisher spins
//! for the rest of the 20 us. The lag's median is 53 ns, its 99th percentile 3 us.
//!
//! Where lag comes from on a busy machine: a publisher that spins never sleeps, so as soon as it shares its CPU
//! it waits for others until the scheduler's next tick, 4 ms at 250 Hz; this explains a 99th percentile of 3 to 4 ms.
//! Attempted remedy, with a bare spinning loop and one competitor on one CPU: a slice of 0.1 ms by
//! sched_setattr(2) changes nothing (p99 3.96 ms with and without), as slices are cut at ticks. Real-time priority
//! was rejected: it would starve what it measures, on the CPUs that they share, and Linux withdraws it
//! from a thread that never sleeps, for up to 50 ms of each second. So the publisher needs a free CPU; a trial
//! without one is invalid because of its lag.

#[path = "../stand/mod.rs"]
mod stand;

use std::process::ExitCode;

use wiredyno_bench::{Done, MachineState, Table, Value, keeps, repeats, words};
use wiredyno_model::Study;
use wiredyno_model::trial::TrialRecord;

use stand::Stand;

/// How long a trial sends.
const SECONDS: u32 = 3;

/// The target: `(lag p99 in us, rate error in per cent)`.
type Aim = Option<(f64, f64)>;

/// Mode, messages a second, and the target if there is one. The rates after the first are those that these modes sustain
/// on two CPUs with room to spare.
const ROWS: [(&str, u32, Aim); 5] = [
    ("udp", 50_000, Some((200.0, 0.1))),
    ("udp", 10_000, None),
    ("tcp", 20_000, None),
    ("mqtt:qos0", 10_000, None),
    ("mqtt:qos1", 5_000, None),
];

fn main() -> ExitCode {
    match measure() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench load: {error}");
            ExitCode::FAILURE
        }
    }
}

fn measure() -> Done<()> {
    // All rows have one payload and codec.
    let stand = Stand::new(&study(ROWS[0].0, ROWS[0].1)?)?;
    let (repeats, words) = (repeats(5)?, words());
    println!("{}", MachineState::look()?);
    println!("{repeats} repeats of {SECONDS} s each, 100 bytes, raw/wiredyno, loopback");
    let mut table = Table::default();
    for repeat in 0..repeats {
        for (mode, per_s, aim) in ROWS {
            let name = format!("{mode} at {per_s}/s");
            if !keeps(&words, &name) {
                continue;
            }
            match study(mode, per_s).and_then(|study| stand.trial(&study, repeat)) {
                Ok(trial) => {
                    values(&name, f64::from(per_s), aim, &trial.record).into_iter().for_each(|v| table.add(v))
                }
                Err(error) => table.note(format!("{name}: {error}")),
            }
        }
    }
    println!("{table}");
    Ok(())
}

fn study(mode: &str, per_s: u32) -> Done<Study> {
    let (interval_ns, messages) = (1_000_000_000 / per_s, per_s * SECONDS);
    let text = format!(
        r#"
name = "load"
why = "What can the publisher keep up?"
[axes]
payload = ["opaque@100"]
codec = ["raw/wiredyno"]
mode = ["{mode}"]
link = ["loopback"]
[load]
kind = "open"
interval = "{interval_ns}ns"
messages = {messages}
warmup = 1000
deadline = "1s"
drain = "2s"
[trials]
seed = 1
"#
    );
    Ok(Study::parse("load.toml", &text)?)
}

fn values(name: &str, per_s: f64, aim: Aim, record: &TrialRecord) -> Vec<Value> {
    let (schedule, delivery) = (&record.schedule, &record.delivery);
    let us = |ns: i64| ns as f64 / 1e3;
    let row = |what: &str| format!("{name}: {what}");
    let mut lag = Value::new(row("lag p99"), "us", us(schedule.lag_p99_ns));
    let mut error = Value::new(row("rate error"), "%", schedule.rate_error * 100.0);
    if let Some((lag_us, error_percent)) = aim {
        lag = lag.aim("aim: at most", lag_us);
        error = error.aim("aim: at most", error_percent);
    }
    let sent = delivery.sent.max(1) as f64;
    vec![
        lag,
        error,
        Value::new(row("lag median"), "us", us(schedule.lag_p50_ns)),
        Value::new(row("lag largest"), "us", us(schedule.lag_max_ns)),
        Value::new(row("lost"), "%", delivery.lost as f64 / sent * 100.0),
        Value::new(row("publisher's CPU"), "us/message", record.roles.publisher.cpu_ns as f64 / sent / 1e3)
            .aim("of the interval", 1e6 / per_s),
    ]
}
