//! What `run` reports of trials while they run, compared with their records: those of Rust, Python and Java, over a broker.

use wiredyno_model::live::LiveTrial;
use wiredyno_model::progress::ProgressLine;
use wiredyno_store::{MessageTrial, RunFolder};

use crate::languages::{java_is_here, python_is_here};
use crate::stand::{Desk, installed};

/// Three seconds of messages, few enough that all are matched.
const SETTINGS: [&str; 9] = [
    "payload=person",
    "mode=mqtt:qos1",
    "broker=mosquitto",
    "link=loopback",
    "load.messages=600",
    "load.interval=5ms",
    "load.warmup=5",
    "trials.repeats=1",
    "codec_trials.enabled=false",
];

fn told(desk: &Desk, run: &str, codec: &str, more: &[&str]) -> Vec<LiveTrial> {
    let codec = format!("codec={codec}");
    let settings = SETTINGS.into_iter().chain([codec.as_str()]).flat_map(|setting| ["--set", setting]);
    let arguments = ["run", "tiny.toml", "--out", run, "--progress", "json"].into_iter();
    let arguments: Vec<&str> = arguments.chain(settings).chain(more.iter().copied()).collect();
    let lines = desk.wiredyno(&arguments).well();
    let read = lines.lines().map(|line| serde_json::from_str(line).unwrap());
    read.filter_map(|line| match line {
        ProgressLine::Live { trials } => Some(trials),
        _ => None,
    })
    .flatten()
    .collect()
}

fn compare(desk: &Desk, run: &str, live: &[LiveTrial]) {
    let trials = RunFolder::open(&desk.file(run)).unwrap().read_trials().unwrap().messages;
    let MessageTrial { record, messages } = trials.last().unwrap();
    let name = record.cell.to_string();
    let own: Vec<&LiveTrial> =
        live.iter().filter(|one| one.name == name && one.attempt == record.attempt).collect();
    assert!(own.len() >= 3, "{name}: one second after the other: {live:?}");
    let so_far = own.last().unwrap().so_far;
    let delivery = record.delivery;
    assert_eq!(so_far.sent, Some(delivery.sent), "{name}");
    assert_eq!(so_far.received, Some(delivery.delivered + delivery.duplicated.unwrap_or_default()), "{name}");
    assert_eq!((so_far.judged, so_far.missing), (delivery.sent, delivery.lost), "{name}");
    let timed = messages.iter().filter_map(|one| Some(one.received_ns? - one.intended_send_ns));
    let mut latencies: Vec<i64> = timed.collect();
    latencies.sort_unstable();
    assert_eq!(so_far.timed, latencies.len() as u64, "{name}");
    let (median, shown) = (latencies[latencies.len().div_ceil(2) - 1] as f64, so_far.p50_ns.unwrap() as f64);
    assert!((shown - median).abs() <= median / 1_024.0 + 1.0, "{name}: {shown} of {median}");
    assert_eq!(own.last().unwrap().second.roles.len(), 3, "{name}: publisher, subscriber and broker");
    assert!(so_far.up_bytes.is_none(), "{name}: there is no link");
}

#[test]
fn what_is_told_of_a_running_trial_is_what_its_record_says_afterwards() {
    if installed("mosquitto").is_err() {
        return;
    }
    let desk = Desk::for_runs();
    let live = told(&desk, "rust", "protobuf/prost", &[]);
    compare(&desk, "rust", &live);
    assert!(told(&desk, "quiet", "protobuf/prost", &["--no-live"]).is_empty());
    if python_is_here() {
        let live = told(&desk, "python", "json/python-json", &[]);
        compare(&desk, "python", &live);
    }
    if java_is_here() {
        let live = told(&desk, "java", "json/jackson", &[]);
        compare(&desk, "java", &live);
    }
}
