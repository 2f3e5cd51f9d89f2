//! What becomes of trials that are not complete, through a study on the command line, over loopback.

#![allow(clippy::unwrap_used, reason = "tests may panic, their functions beside #[test] too")]

mod stand;

use std::net::TcpListener;

use serde_json::Value;
use stand::{Desk, array, number};
use wiredyno_store::RunFolder;

/// One cell of the small study, once, with these settings.
fn run(desk: &Desk, settings: &[&str]) -> (Value, stand::Said) {
    let mut arguments = vec!["run", "tiny.toml", "--out", "r"];
    let shared = ["codec=json/serde-json", "trials.repeats=1", "codec_trials.enabled=false"];
    arguments.extend(shared.iter().chain(settings).flat_map(|setting| match setting.strip_prefix("--") {
        Some(_) => vec![*setting],
        None => vec!["--set", *setting],
    }));
    let said = desk.wiredyno(&arguments);
    let summary = desk.summary("r");
    (array(&summary["cells"])[0].clone(), said)
}

#[test]
fn a_rate_that_no_publisher_can_keep_is_a_result_and_is_not_repeated() {
    let desk = Desk::for_runs();
    // A million messages a second, each encoded to JSON and handed to the kernel: no CPU does that.
    let load = ["mode=udp", "load.messages=50000", "load.interval=1us", "load.drain=1s", "load.warmup=1"];
    let judged = ["limits.schedule_lag_p99=5ms", "limits.utilisation=90%"];
    let (cell, said) = run(&desk, &[&load[..], &judged].concat());
    let outcomes = &cell["outcomes"];
    // Where the machine is busy with other work beside, waking up late is the stand's own fault.
    let spoilt = number(outcomes, "invalid");
    assert_eq!(number(outcomes, "overloaded") + u64::from(spoilt == number(&cell, "trials")), 1, "{cell}");
    if spoilt == 0 {
        assert_eq!((number(&cell, "trials"), number(&cell, "valid_trials")), (1, 0));
        assert!(cell["overloaded"].to_string().contains("could not keep the rate"), "{cell}");
        assert!(cell["metrics"].get("latency").is_none(), "no figure: {cell}");
        let under = &cell["under_overload"];
        assert_eq!(number(&under["delivery"], "sent"), 50_000);
        let rate = under["metrics"]["send_rate"]["mean"].as_f64().unwrap();
        assert!(rate > 0.0 && rate < 1e6, "{rate}");
        let out = said.well();
        assert!(out.contains("overloaded") && !out.contains("will be repeated"), "{out}");
    }
    let trials = RunFolder::open(&desk.file("r")).unwrap().read_trials().unwrap();
    let record = &trials.messages[0].record;
    assert!(record.schedule.busy_p99_ns > 0 && record.sending_ns > 0 && record.measured_ns > 0);
}

#[test]
fn a_closed_loop_at_full_speed_is_complete() {
    let desk = Desk::for_runs();
    let load = ["mode=tcp", "load.kind=closed", "load.messages=2000", "load.interval=0ms"];
    let (cell, said) = run(&desk, &[&load[..], &["limits.schedule_lag_p99=5ms"]].concat());
    said.well();
    assert_eq!(number(&cell["outcomes"], "overloaded") + number(&cell["outcomes"], "failed"), 0, "{cell}");
}

#[test]
fn a_broker_that_hangs_up_makes_trials_fail_and_the_run_goes_on() {
    let desk = Desk::for_runs();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    // Takes every connection and closes it.
    std::thread::spawn(move || listener.incoming().for_each(drop));
    let broker = format!("--broker=mqtt={address}");
    let (cell, said) = run(&desk, &["mode=mqtt:qos1", &broker]);
    assert_eq!(
        (number(&cell, "trials"), number(&cell["outcomes"], "failed")),
        (1, 1),
        "not repeated: {cell}"
    );
    assert!(array(&cell["invalid"]).is_empty() && !array(&cell["failed"]).is_empty(), "{cell}");
    assert_eq!(said.code, Some(3), "there is nothing to show: {}", said.err);
    assert!(said.out.contains("failed"), "{}", said.out);
}
