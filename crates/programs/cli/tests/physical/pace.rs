//! A study's `[fast]` form compared with its own pace.

use serde_json::Value;

use crate::stand::{Desk, array, mode, number};

/// Latencies within this factor count as equal: a fifth of the difference between these modes.
const MARGIN: f64 = 1.1;

/// A message every ten seconds, and one a tenth of a second after the previous one returned: on part of the vehicle-to-cloud study's cells,
/// both give the same latencies within the margin, in the same order.
pub fn fast_and_own_pace_agree() {
    let desk = Desk::for_runs();
    let part = [
        "payload=small",
        "codec=raw/wiredyno",
        "link=lte-rig",
        "loss=0",
        "mode=mqtt:qos0,mqtt:qos2,coap:con",
    ];
    let more = ["broker=mosquitto", "load.messages=8", "trials.repeats=5"];
    let run = |out: &str, pace: &[&str]| {
        let arguments = ["run", "scania-v2c", "--out", out].into_iter().chain(pace.iter().copied());
        let settings = part.iter().chain(&more).flat_map(|setting| ["--set", *setting]);
        desk.wiredyno(&arguments.chain(settings).collect::<Vec<_>>()).well();
        let mut latencies: Vec<(String, f64)> = array(&desk.summary(out)["cells"])
            .iter()
            .map(|cell: &Value| {
                assert_eq!(number(&cell["delivery"], "lost"), 0, "{cell}");
                (mode(cell).to_owned(), cell["metrics"]["latency"]["mean"].as_f64().unwrap())
            })
            .collect();
        latencies.sort_by(|a, b| a.1.total_cmp(&b.1));
        latencies
    };
    let fast = run("fast", &["--fast", "--set", "trials.until.at_most=5"]);
    let own = run("own", &[]);
    println!("fast {fast:?}\nown pace {own:?}");
    assert_eq!(fast.len(), 3);
    for (name, latency) in &own {
        let (_, other) = fast.iter().find(|(fast, _)| fast == name).unwrap();
        let ratio = latency / other;
        assert!(
            (1.0 / MARGIN..MARGIN).contains(&ratio),
            "{name}: {latency} ns at the study's pace, {other} ns fast"
        );
    }
    // QoS 2 takes twice as long as the others, which are close to each other.
    assert_eq!(fast.last().map(|(name, _)| name), own.last().map(|(name, _)| name));
}
