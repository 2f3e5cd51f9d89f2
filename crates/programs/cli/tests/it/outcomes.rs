//! Outcomes of trials that are not complete, from a study on the command line, over loopback.

use std::collections::BTreeMap;
use std::net::TcpListener;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::stand::{self, Desk, array, number};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;
use wiredyno_store::RunFolder;

/// Runs one cell of the small study, once, with these settings.
fn arguments<'a>(settings: &[&'a str]) -> Vec<&'a str> {
    let mut arguments = vec!["run", "tiny.toml", "--out", "r"];
    let shared = ["codec=json/serde-json", "trials.repeats=1", "codec_trials.enabled=false"];
    arguments.extend(shared.iter().chain(settings).flat_map(|setting| match setting.strip_prefix("--") {
        Some(_) => vec![*setting],
        None => vec!["--set", *setting],
    }));
    arguments
}

/// That cell, and the program's output.
fn run(desk: &Desk, settings: &[&str]) -> (Value, stand::Said) {
    let said = desk.wiredyno(&arguments(settings));
    let summary = desk.summary("r");
    (array(&summary["cells"])[0].clone(), said)
}

/// A process and its descendants: ids and program names.
fn family(root: u32) -> BTreeMap<u32, String> {
    let mut parents = BTreeMap::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Ok(pid) = entry.file_name().to_string_lossy().parse::<u32>() else { continue };
        // `pid (name) state parent ...`; the name may hold anything (proc(5)).
        let Ok(stat) = std::fs::read_to_string(entry.path().join("stat")) else { continue };
        let (Some((_, name)), Some((_, rest))) = (stat.split_once('('), stat.rsplit_once(") ")) else {
            continue;
        };
        let name = name.rsplit_once(')').map_or(name, |(name, _)| name);
        let parent = rest.split(' ').nth(1).and_then(|field| field.parse::<u32>().ok());
        parents.insert(pid, (parent.unwrap_or_default(), name.to_owned()));
    }
    let is_of_it = |mut pid: u32| loop {
        match parents.get(&pid) {
            _ if pid == root => return true,
            None => return false,
            Some((parent, _)) => pid = *parent,
        }
    };
    parents.iter().filter(|(pid, _)| is_of_it(**pid)).map(|(pid, (_, name))| (*pid, name.clone())).collect()
}

/// Bytes that a process has read so far, by its accounting; 0 if it has none.
fn read_bytes(pid: u32) -> u64 {
    let io = std::fs::read_to_string(format!("/proc/{pid}/io")).unwrap_or_default();
    io.lines().find_map(|line| line.strip_prefix("rchar: ")?.parse().ok()).unwrap_or_default()
}

/// Polls until there is a result, for some minutes at most.
fn in_time<T>(mut look: impl FnMut() -> Option<T>) -> Option<T> {
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(240) {
        if let Some(found) = look() {
            return Some(found);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    None
}

#[test]
fn a_rate_that_no_publisher_can_keep_is_a_result_and_is_not_repeated() {
    let desk = Desk::for_runs();
    // A million messages a second, each encoded to JSON and handed to the kernel: no CPU does that.
    let load = ["mode=udp", "load.messages=50000", "load.interval=1us", "load.drain=1s", "load.warmup=1"];
    let judged = ["limits.schedule_lag_p99=5ms", "limits.utilisation=90%"];
    let (cell, said) = run(&desk, &[&load[..], &judged].concat());
    let outcomes = &cell["outcomes"];
    // If the machine is busy with other work, waking up late is the stand's fault.
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
        assert_eq!(said.code, Some(3), "a run without any figure: {}", said.err);
        assert!(said.err.contains("the run has no figure") && said.err.contains("send less"), "{}", said.err);
        assert!(said.out.contains("overloaded") && !said.out.contains("will be repeated"), "{}", said.out);
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
    // Accepts every connection and closes it.
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

/// Path of mosquitto, which `make test` installs.
#[test]
fn a_broker_that_is_killed_in_the_middle_of_a_trial_makes_it_fail_and_nothing_is_left() {
    let installed =
        ["/usr/sbin/mosquitto", "/usr/local/sbin/mosquitto"].iter().any(|path| Path::new(path).exists());
    if !installed && stand::installed("mosquitto").is_err() {
        return;
    }
    let desk = Desk::for_runs();
    std::fs::create_dir(desk.file("tmp")).unwrap();
    // Ten seconds of messages after one of warm-up.
    let load = ["mode=mqtt:qos1", "load.messages=1000", "load.interval=10ms", "load.warmup=1"];
    let mut command = desk.command(&arguments(&load));
    command.env("TMPDIR", desk.file("tmp")).stdout(Stdio::piped()).stderr(Stdio::piped());
    let program = command.spawn().unwrap();
    // A broker's libraries, its configuration and the warm-up are under 40,000 bytes, 700 messages of 84 bytes more.
    let mut first = None;
    let broker = in_time(|| {
        let (pid, _) = family(program.id()).into_iter().find(|(_, name)| name == "mosquitto")?;
        let read = read_bytes(pid);
        (read - *first.get_or_insert(read) > 700 * 84).then_some(pid)
    });
    let broker = broker.expect("no broker came to read messages");
    let of_the_run = family(program.id());
    kill(Pid::from_raw(i32::try_from(broker).unwrap()), Signal::SIGKILL).unwrap();
    let said: stand::Said = program.wait_with_output().unwrap().into();
    assert_eq!(said.code, Some(3), "there is nothing to show: {}{}", said.out, said.err);
    let summary = desk.summary("r");
    let cell = &array(&summary["cells"])[0];
    let outcomes = &cell["outcomes"];
    assert_eq!((number(cell, "trials"), number(outcomes, "failed")), (1, 1), "not repeated: {cell}");
    let reason = cell["failed"].to_string();
    assert!(
        reason.contains("the broker `mosquitto` ended in the middle of the trial (signal: 9"),
        "{reason}"
    );
    assert!(said.out.contains("failed"), "{}", said.out);
    assert!(desk.file("r/report.html").is_file());
    let alive = |pid: &u32| family(*pid).contains_key(pid) && of_the_run.get(pid) == family(*pid).get(pid);
    let gone = in_time(|| (!of_the_run.keys().any(alive)).then_some(()));
    assert!(
        gone.is_some(),
        "left: {:?}",
        of_the_run.iter().filter(|(pid, _)| alive(pid)).collect::<Vec<_>>()
    );
    let left: Vec<_> = std::fs::read_dir(desk.file("tmp")).unwrap().flatten().collect();
    assert!(left.is_empty(), "left: {left:?}");
}
