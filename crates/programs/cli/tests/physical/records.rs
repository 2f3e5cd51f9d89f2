//! Records from a database that a run starts.

use crate::processes::{Mark, in_time};
use crate::stand::{Desk, Said, array, number};

/// The same messages from memory and from a database: all arrive with the same bytes, and no server is left.
pub fn read_and_ended() {
    let desk = Desk::for_runs();
    let (mark, set) = (Mark::new(), ["link=loopback", "payload=small", "codec=protobuf/prost", "mode=tcp"]);
    let more = [
        "trials.repeats=1",
        "codec_trials.enabled=false",
        "load.messages=2500",
        "load.kind=closed",
        "load.interval=0ms",
    ];
    let settings = set.iter().chain(&more).chain(&["records=memory,postgresql"]);
    let settings = settings.flat_map(|setting| ["--set", *setting]);
    let arguments: Vec<&str> = ["run", "tiny.toml", "--out", "r"].into_iter().chain(settings).collect();
    let mut command = desk.command(&arguments);
    mark.put_on(&mut command);
    let said: Said = command.output().unwrap().into();
    said.well();
    let summary = desk.summary("r");
    let cells = array(&summary["cells"]);
    let records: Vec<&str> = cells.iter().map(|cell| cell["axes"]["records"].as_str().unwrap()).collect();
    assert_eq!(records, ["memory", "postgresql"], "{summary}");
    for cell in cells {
        // More than the payload's samples, so that the table wraps around.
        assert_eq!(number(&cell["delivery"], "delivered"), 2_500, "{cell}");
        assert_eq!(number(&cell["delivery"], "corrupted"), 0, "{cell}");
    }
    let body = |cell: &serde_json::Value| cell["metrics"]["body"]["mean"].as_f64().unwrap();
    assert_eq!(body(&cells[0]), body(&cells[1]), "the same values");
    assert!(
        summary["notes"].to_string().contains("Records were read from PostgreSQL 1"),
        "{}",
        summary["notes"]
    );
    assert!(in_time(|| mark.programs().is_empty()), "left: {:?}", mark.programs());
}
