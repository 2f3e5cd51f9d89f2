//! Runs over emulated links.

use std::process::Command;

use crate::stand::{Desk, array, assert_accounted, mode, number, said};

pub fn reliable_modes_deliver() {
    let desk = Desk::new();
    let set = ["--set", "link=lan,lte", "--set", "loss=0,0.05", "--set", "codec=protobuf/prost"];
    let text = desk.wiredyno(&[&["run", "tiny.toml", "--out", "r"], &set[..]].concat()).well();
    for condition in ["person, lan, no loss", "person, lte, 5 % loss"] {
        let named = text.contains(condition) || text.contains(&condition.replace("no loss", "0 % loss"));
        assert!(named, "{condition}: {text}");
    }
    let summary = desk.summary("r");
    assert_eq!(array(&summary["cells"]).len(), 20);
    assert_accounted(&summary, 2);
    for cell in array(&summary["cells"]) {
        let of = |name| number(&cell["delivery"], name);
        if mode(cell) != "udp" || cell["axes"]["loss"] == 0.0 {
            // TCP below all of these repeats what the link loses.
            assert_eq!((of("lost"), of("delivered")), (0, of("sent")), "{cell}");
        }
        assert_eq!(of("duplicated"), 0, "{cell}");
        for direction in ["up", "down"] {
            let bytes = number(&cell["wire"][direction], "bytes");
            // The body alone is 33 bytes; Ethernet, IP and UDP add 14 + 20 + 8.
            assert!(bytes >= 5 * (33 + 42), "{direction}: {cell}");
        }
    }
}

pub fn captures() {
    let desk = Desk::new();
    let set = ["--set", "link=lan", "--set", "mode=udp,mqtt:qos1", "--set", "trials.repeats=1"];
    desk.wiredyno(&[&["run", "tiny.toml", "--out", "r", "--capture"], &set[..]].concat()).well();
    assert_accounted(&desk.summary("r"), 1);
    let mut files: Vec<_> =
        std::fs::read_dir(desk.file("r/captures")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let trials = array(&desk.summary("r")["cells"]).iter().map(|cell| number(cell, "trials")).sum::<u64>();
    assert_eq!(files.len() as u64, trials, "one file a message trial: {files:?}");
    for file in files {
        let mut tshark = Command::new("tshark");
        tshark.arg("-r").arg(&file).args(["-T", "fields", "-e", "frame.len", "-e", "ip.src"]);
        let text = said(&mut tshark).well();
        assert!(text.lines().count() >= 2 * 5, "{}: {text}", file.display());
        for line in text.lines() {
            let (length, source) = line.split_once('\t').unwrap();
            assert!(length.parse::<u64>().unwrap() > 42, "{line}");
            assert!(["10.77.0.1", "10.77.0.2"].contains(&source), "{line}");
        }
    }
}

pub fn one_cell_of_the_demo() {
    let desk = Desk::new();
    let plan = desk.wiredyno(&["run", "demo", "--dry-run", "--json"]).json();
    let cells = array(&plan["cells"]).len();
    assert!(cells >= 32 && array(&plan["trials"]).len() == 5 * cells && number(&plan, "lanes") > 1, "{plan}");
    let only = ["--only", "payload=small", "--only", "codec=protobuf/prost", "--only", "mode=mqtt:qos2"];
    let quick = ["--only", "loss=5%", "--set", "trials.repeats=1", "--set", "codec_trials.batches=5"];
    let said = desk.wiredyno(&[&["run", "demo", "--out", "r"], &only[..], &quick[..]].concat());
    // On a crowded machine a trial may be invalid: that is what its limits are for.
    assert!(matches!(said.code, Some(0 | 3)), "{}{}", said.out, said.err);
    let summary = desk.summary("r");
    let cell = &array(&summary["cells"])[0];
    assert_eq!(array(&summary["cells"]).len(), 1);
    assert_eq!(number(cell, "valid_trials"), u64::from(said.code == Some(0)), "{cell}");
}

pub fn demo() {
    let desk = Desk::new();
    let begin = std::time::Instant::now();
    let said = desk.wiredyno(&["run", "demo", "--out", "r"]);
    println!("the demo took {:.0?}", begin.elapsed());
    assert!(matches!(said.code, Some(0 | 3)), "{}{}", said.out, said.err);
    let summary = desk.summary("r");
    for cell in array(&summary["cells"]) {
        let of = |name| number(&cell["delivery"], name);
        if mode(cell) == "tcp" || mode(cell).starts_with("mqtt") {
            assert_eq!((of("lost"), of("delivered")), (0, of("sent")), "{cell}");
        }
        if mode(cell) == "mqtt:qos2" {
            assert_eq!(of("duplicated"), 0, "{cell}");
        }
    }
}

pub fn summary_against_schema() {
    let desk = Desk::new();
    desk.wiredyno(&["run", "tiny.toml", "--out", "r"]).well();
    let script = "import json, sys, jsonschema\n\
                  schema, summary = json.load(open(sys.argv[1])), json.load(open('r/summary.json'))\n\
                  validator = jsonschema.Draft202012Validator(schema)\n\
                  print(*(f'{e.json_path}: {e.message}' for e in validator.iter_errors(summary)), sep='\\n')\n\
                  summary['cells'][0]['delivery']['sent'] = 'ten'\n\
                  print('a text is no number:', not validator.is_valid(summary))";
    let schema = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/summary.schema.json");
    let text = said(crate::python().args(["-c", script, schema]).current_dir(desk.path())).well();
    assert_eq!(text.trim(), "a text is no number: True");
}

pub fn parquet_in_python() {
    let desk = Desk::new();
    desk.wiredyno(&["run", "tiny.toml", "--out", "r"]).well();
    let script = "import json, pyarrow.parquet as p\n\
                  trials, messages, samples = (p.read_table(f'r/{n}.parquet') for n in ('trials', 'messages', 'samples'))\n\
                  records = [json.loads(r) for r in trials.column('record').to_pylist()]\n\
                  print(trials.num_rows == len(records) >= 24, messages.num_rows == 5 * (len(records) - 4), samples.num_rows > 0)";
    let text = said(crate::python().args(["-c", script]).current_dir(desk.path())).well();
    assert_eq!(text.trim(), "True True True");
}
