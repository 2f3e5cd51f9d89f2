//! Records from a database that a run starts.

use crate::processes::{Mark, in_time};
use crate::stand::{Desk, Said, array, number};

/// The same messages from memory and from a database: all arrive with the same bytes, and no server is left.
pub fn read_and_ended() {
    let desk = Desk::for_runs();
    // The definition of `small`, with a set of one sample and texts of different lengths beyond it.
    let folder = desk.file("payloads/rows");
    std::fs::create_dir_all(&folder).unwrap();
    let small =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../payloads/small/message.proto");
    std::fs::copy(small, folder.join("message.proto")).unwrap();
    let rules = "seed = 1\nsamples = 1\ndistinct = 9_000\n[[field]]\npath = \"text\"\nlength = [20, 900]\n";
    std::fs::write(folder.join("generator.toml"), rules).unwrap();
    let (mark, set) = (Mark::new(), ["link=loopback", "payload=rows", "codec=protobuf/prost", "mode=tcp"]);
    let more = [
        "trials.repeats=1",
        "codec_trials.enabled=false",
        "load.messages=2500",
        "load.samples=2000",
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
        // More than there are records, so that the table wraps around.
        assert_eq!(number(&cell["delivery"], "delivered"), 2_500, "{cell}");
        assert_eq!(number(&cell["delivery"], "corrupted"), 0, "{cell}");
    }
    let body = |cell: &serde_json::Value| cell["metrics"]["body"]["mean"].as_f64().unwrap();
    assert_eq!(body(&cells[0]), body(&cells[1]), "the same values");
    assert!(
        (440.0..490.0).contains(&body(&cells[0])),
        "the mean of 2,000 lengths from 20 to 900: {}",
        body(&cells[0])
    );
    assert!(
        summary["notes"].to_string().contains("Records were read from PostgreSQL 1"),
        "{}",
        summary["notes"]
    );
    assert!(in_time(|| mark.programs().is_empty()), "left: {:?}", mark.programs());
}
