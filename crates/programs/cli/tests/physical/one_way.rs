//! One-way topology: the subscriber runs on `cloud` with the broker, so that messages cross the link once.

use serde_json::Value;

use crate::stand::{Desk, array, assert_accounted, mode, number};

const BODY_BYTES: u64 = 1_000;
const MESSAGES: u64 = 5;

/// Bytes of the measured phase in one direction.
fn bytes(cell: &Value, direction: &str) -> u64 {
    number(&cell["wire"][direction], "bytes")
}

/// The same study with the subscriber on either host: one way, bodies only go up and what comes down are
/// acknowledgements; there and back, bodies come down as well. No times are compared.
pub fn bodies_cross_once() {
    let desk = Desk::for_runs();
    let set = ["link=lan", "payload=opaque@1000", "codec=raw/wiredyno", "trials.repeats=1"];
    let modes = "mode=tcp,mqtt:qos1,coap:non,coap:con,coap:con-block";
    let run = |out: &str, host: &str| {
        let host = format!("hosts.subscriber={host}");
        let settings = set.iter().copied().chain([modes, &host, "codec_trials.enabled=false"]);
        let arguments = ["run", "tiny.toml", "--out", out].into_iter();
        let arguments: Vec<&str> = arguments.chain(settings.flat_map(|setting| ["--set", setting])).collect();
        desk.wiredyno(&arguments).well();
        let summary = desk.summary(out);
        assert_accounted(&summary, 1);
        assert_eq!(summary["study"]["hosts"]["subscriber"], host["hosts.subscriber=".len()..]);
        summary
    };
    let (one_way, round_trip) = (run("one-way", "cloud"), run("round-trip", "edge"));
    let bodies = MESSAGES * BODY_BYTES;
    for (once, twice) in array(&one_way["cells"]).iter().zip(array(&round_trip["cells"])) {
        assert_eq!(mode(once), mode(twice));
        for cell in [once, twice] {
            assert_eq!(number(&cell["delivery"], "delivered"), MESSAGES, "{cell}");
            assert!(bytes(cell, "up") > bodies, "{cell}");
        }
        assert!(bytes(once, "down") < bodies / 2, "{once}");
        assert!(bytes(twice, "down") > bodies, "{twice}");
        // One body per message is subtracted, not two: the rest is overhead in both.
        let overhead = once["metrics"]["overhead_per_message"]["mean"].as_f64().unwrap();
        assert!(overhead > 0.0 && overhead < BODY_BYTES as f64, "{once}");
    }
}

/// The overhead around a body in its frames, computed by hand; and what clients add to a program, which is independent of the network.
pub fn headers_and_weights() {
    let desk = Desk::for_runs();
    let set =
        ["link=lan", "payload=opaque@1000", "codec=raw/wiredyno", "trials.repeats=1", "trials.weigh=true"];
    let more = ["mode=tcp,mqtt:qos1,coap:con", "codec_trials.enabled=false"];
    let settings = set.iter().chain(&more).flat_map(|setting| ["--set", *setting]);
    let arguments: Vec<&str> = ["run", "tiny.toml", "--out", "r"].into_iter().chain(settings).collect();
    desk.wiredyno(&arguments).well();
    let summary = desk.summary("r");
    let figure = |of: &str, name: &str| {
        let cell = array(&summary["cells"]).iter().find(|cell| mode(cell) == of).unwrap();
        cell["metrics"][name]["mean"].as_f64().unwrap_or_else(|| panic!("{cell}"))
    };
    // The relay's length.
    assert_eq!(figure("tcp", "header_length"), 4.0);
    // Fixed header with two bytes of length, topic `wiredyno/N` after its length, packet id.
    assert_eq!(figure("mqtt:qos1", "header_length"), 3.0 + 12.0 + 2.0);
    // Fixed header, token, options, payload marker: of both hops, which have different options.
    let coap = figure("coap:con", "header_length");
    assert!((4.0 + 1.0..60.0).contains(&coap), "{coap}");
    let sizes = ["tcp", "coap:con", "mqtt:qos1"].map(|of| figure(of, "implementation_size"));
    assert!(sizes.iter().all(|bytes| *bytes > 1_000.0), "{sizes:?}");
    assert!(sizes[0] < sizes[2], "a relay of ours is less than a client with a runtime: {sizes:?}");
}

/// On a lossy link one way, NON loses as much as one leg, as the report's model predicts.
pub fn the_model_has_one_leg() {
    let desk = Desk::for_runs();
    let set = ["link=lan", "loss=0.05", "payload=small", "codec=protobuf/prost", "trials.repeats=1"];
    let more = ["mode=coap:non,coap:con", "hosts.subscriber=cloud", "load.drain=1s"];
    let quick = ["transport.coap.ack_timeout=20ms", "codec_trials.enabled=false"];
    let settings = set.iter().chain(&more).chain(&quick).flat_map(|setting| ["--set", *setting]);
    let arguments: Vec<&str> = ["run", "tiny.toml", "--out", "r"].into_iter().chain(settings).collect();
    desk.wiredyno(&arguments).well();
    assert_accounted(&desk.summary("r"), 1);
    let report = desk.wiredyno(&["report", "r", "--format", "md"]).well();
    // 1 - (1 - 0.05) and 0.05^5.
    assert!(report.contains("independent loss on 1 leg predicts 5 %"), "{report}");
    let con = "each sent up to 5 times, independent loss on 1 leg predicts 1 message in 3,200,000";
    assert!(report.contains(con) && report.contains("coap:non lost ("), "{report}");
}
