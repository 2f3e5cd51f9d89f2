//! Options of transports on the wire.

use serde_json::Value;

use crate::stand::{Desk, array, assert_accounted, number};

/// A body of 1,000 bytes is 16 requests in blocks of 64 bytes and one in a block of 1,024, each acknowledged.
pub fn blocks_as_an_axis() {
    let desk = Desk::for_runs();
    let axes = ["link=lan", "payload=opaque@1000", "codec=raw/wiredyno", "mode=coap:con-block,tcp"];
    let more = [
        "coap.block_size=64,1024",
        "hosts.subscriber=cloud",
        "trials.repeats=1",
        "codec_trials.enabled=false",
    ];
    let settings = axes.iter().chain(&more).flat_map(|setting| ["--set", *setting]);
    let arguments: Vec<&str> = ["run", "tiny.toml", "--out", "r"].into_iter().chain(settings).collect();
    desk.wiredyno(&arguments).well();
    let summary = desk.summary("r");
    assert_accounted(&summary, 1);
    let [small, large, _tcp] = array(&summary["cells"]) else { panic!("{summary}") };
    let packets = |cell: &Value| ["up", "down"].map(|direction| number(&cell["wire"][direction], "packets"));
    assert_eq!((packets(small), packets(large)), ([5 * 16; 2], [5; 2]));
}
