//! Runs over emulated links.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use wiredyno_model::trial::TrialRecord;
use wiredyno_store::RunFolder;

use crate::stand::{Desk, Said, array, assert_accounted, mode, number, said};

pub fn reliable_modes_deliver() {
    let desk = Desk::for_runs();
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
            // TCP, below all of these, retransmits what the link loses.
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

/// The probe's row is in the summary and in the trials, its packets are counted separately, and a floor that no link meets
/// makes trials invalid.
pub fn floor_is_probed() {
    let desk = Desk::for_runs();
    let set = ["--set", "link=lan,lte", "--set", "mode=udp", "--set", "codec=protobuf/prost"];
    let once = ["--set", "trials.repeats=1"];
    desk.wiredyno(&[&["run", "tiny.toml", "--out", "r"], &set[..], &once[..]].concat()).well();
    for cell in array(&desk.summary("r")["cells"]) {
        let of = |name: &str| cell["metrics"][name]["mean"].as_f64().unwrap();
        // Exact at both ends: the delay is the model's, and nothing arrives early.
        assert!(of("link_excess") > 0.0 && of("link_round_trip") > of("link_excess"), "{cell}");
        if cell["axes"]["link"] == "lte" {
            assert!(
                of("link_round_trip") - of("link_excess") > 30e6,
                "half of LTE's round trip at least: {cell}"
            );
        }
        for direction in ["up", "down"] {
            let echoes = &cell["wire_probe"][direction];
            // 64 bytes of ICMP, 20 of IPv4, 14 of Ethernet.
            assert_eq!(number(echoes, "bytes"), 98 * number(echoes, "packets"), "{cell}");
            assert!(number(echoes, "packets") >= 5, "{cell}");
            assert!(number(&cell["wire_warmup"][direction], "packets") >= 1, "{cell}");
            // Five messages, one datagram each.
            assert_eq!(number(&cell["wire"][direction], "packets"), 5, "{cell}");
        }
    }
    let trials = RunFolder::open(&desk.file("r")).unwrap().read_trials().unwrap();
    let near = |trial: &&TrialRecord| trial.cell.link.to_string() == "lan";
    let records = || trials.messages.iter().map(|trial| &trial.record);
    assert!(
        records().filter(near).all(|trial| trial.machine.lanes_in_use == 1),
        "trials over a near link run alone"
    );
    let last_near = records().filter(near).map(|trial| trial.trial).max();
    assert!(
        last_near < records().filter(|trial| !near(trial)).map(|trial| trial.trial).min(),
        "and before the others"
    );
    for trial in &trials.messages {
        let probe = trial.record.link.unwrap().probe.unwrap();
        assert!(probe.least_ns.unwrap() >= probe.model_least_ns && probe.answered >= 1, "{probe:?}");
        assert_eq!(probe.model_least_ns, probe.model_most_ns, "these links have no jitter");
    }
    let tight = ["--set", "limits.link_floor=0ns", "--set", "trials.retries=0"];
    let said =
        desk.wiredyno(&[&["run", "tiny.toml", "--out", "t"], &set[..], &once[..], &tight[..]].concat());
    assert_eq!(said.code, Some(3), "{}", said.err);
    for cell in array(&desk.summary("t")["cells"]) {
        let why = cell["invalid"][0].as_str().unwrap();
        assert!(why.contains(" the trial, the link missed its floor: an echo took"), "{cell}");
    }
}

pub fn captures() {
    let desk = Desk::for_runs();
    let set = ["--set", "link=lan", "--set", "mode=udp,mqtt:qos1", "--set", "trials.repeats=1"];
    desk.wiredyno(&[&["run", "tiny.toml", "--out", "r", "--capture"], &set[..]].concat()).well();
    assert_accounted(&desk.summary("r"), 1);
    let mut files: Vec<_> =
        std::fs::read_dir(desk.file("r/captures")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let trials = array(&desk.summary("r")["cells"]).iter().map(|cell| number(cell, "trials")).sum::<u64>();
    assert_eq!(files.len() as u64, trials, "one file a message trial: {files:?}");
    let named = |mode: &str, port: &str| {
        let of_mode = files.iter().filter(|file| file.to_string_lossy().contains(mode));
        for file in of_mode.clone() {
            // Wireshark dissects them correctly and shows their content.
            let mut tshark = Command::new("tshark");
            tshark.arg("-r").arg(file).args(["-Y", port, "-T", "fields", "-e", "frame.number"]);
            assert!(said(&mut tshark).well().lines().count() >= 2 * 5, "{}: {port}", file.display());
            let bytes = std::fs::read(file).unwrap();
            let comment = format!(" {mode} lan\nrun r, trial ").replace("-qos1", ":qos1");
            assert!(
                bytes.windows(comment.len()).any(|part| part == comment.as_bytes()),
                "{}: no {comment:?}",
                file.display()
            );
        }
        of_mode.count()
    };
    assert_eq!(named("udp", "udp.port == 18830") + named("mqtt-qos1", "mqtt"), files.len());
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

/// Bytes of all frames of a capture, and how many frames match a filter, with these further arguments.
fn frames(file: &Path, filter: &str, more: &[&str]) -> (u64, usize) {
    let lines = |arguments: &[&str]| {
        let mut tshark = Command::new("tshark");
        tshark.arg("-r").arg(file).args(["-T", "fields", "-e", "frame.len"]).args(arguments);
        said(&mut tshark).well()
    };
    let bytes = lines(&[]).lines().map(|line| line.parse::<u64>().unwrap()).sum();
    (bytes, lines(&[&["-Y", filter], more].concat()).lines().count())
}

pub fn encrypted_captures() {
    let desk = Desk::for_runs();
    let set = ["--set", "link=lan", "--set", "mode=mqtt:qos1,tcp", "--set", "security=tls,mtls"];
    let once = ["--set", "codec=json/serde-json", "--set", "trials.repeats=1"];
    let keys = ["--capture", "--keylog"];
    desk.wiredyno(&[&["run", "tiny.toml", "--out", "r"], &set[..], &once[..], &keys[..]].concat()).well();
    assert_accounted(&desk.summary("r"), 1);
    let trials = RunFolder::open(&desk.file("r")).unwrap().read_trials().unwrap().messages;
    assert!(trials.len() >= 4);
    for trial in trials {
        let of_trial = |path: &PathBuf| {
            let name = path.file_name().unwrap().to_string_lossy();
            name.starts_with(&format!("{:05}-", trial.record.trial)) && name.ends_with(".pcapng")
        };
        let mut files =
            std::fs::read_dir(desk.file("r/captures")).unwrap().map(|entry| entry.unwrap().path());
        let file = files.find(of_trial).unwrap();
        let wire = trial.record.wire.unwrap();
        let phases = [wire.probe, wire.setup, wire.warmup, wire.measure, wire.teardown];
        let counted: u64 = phases.iter().map(|wire| wire.up.bytes + wire.down.bytes).sum();
        // A broker listens on the port where tshark expects MQTT with TLS; the relay's port is unassigned.
        let as_tls = ["-d", "tcp.port==18830,tls"];
        let keys = format!("tls.keylog_file:{}", file.with_extension("keys").display());
        let with_keys = [&as_tls[..], &["-o", &keys]].concat();
        // A decrypted record contains data of the protocol above.
        let filter = if trial.record.cell.mode.protocol == "mqtt" {
            "mqtt.msgtype == 3"
        } else {
            "tls.app_data && data"
        };
        let (bytes, readable) = frames(&file, filter, &with_keys);
        assert_eq!(bytes, counted, "{}", trial.record.cell);
        if trial.record.cell.mode.protocol == "mqtt" {
            assert!(readable >= 2 * 5, "{}: {readable}", trial.record.cell);
            assert_eq!(frames(&file, filter, &as_tls).1, 0, "without keys nothing can be read");
        }
    }
    // Without --keylog there are no keys.
    let only = ["--set", "mode=tcp", "--set", "security=tls", "--capture"];
    desk.wiredyno(&[&["run", "tiny.toml", "--out", "s", "--set", "link=lan"], &once[..], &only[..]].concat())
        .well();
    let names = std::fs::read_dir(desk.file("s/captures")).unwrap().map(|entry| entry.unwrap().path());
    assert!(names.into_iter().all(|path| path.extension().is_some_and(|ending| ending == "pcapng")));
}

pub fn one_cell_of_the_demo() {
    let desk = Desk::for_runs();
    let plan = desk.wiredyno(&["run", "demo", "--dry-run", "--json"]).json();
    let cells = array(&plan["cells"]).len();
    assert!(cells >= 16 && array(&plan["trials"]).len() == 5 * cells && number(&plan, "lanes") > 1, "{plan}");
    let only = ["--set", "payload=small", "--only", "codec=protobuf/prost", "--only", "mode=mqtt:qos2"];
    let quick = [
        "--only=loss=5%",
        "--set=load.messages=10",
        "--set=trials.repeats=1",
        "--set=codec_trials.batches=5",
    ];
    let said = desk.wiredyno(&[&["run", "demo", "--out", "r"], &only[..], &quick[..]].concat());
    let summary = summary_of_run(&desk, &said);
    assert_eq!(array(&summary["cells"]).len(), 1);
    assert_eq!(array(&summary["codecs"]).len(), 1);
}

/// On a crowded machine any trial may be invalid: that is what the limits are for. The
/// program ends with 3 if that leaves no valid trial of a cell or a codec, else with 0.
fn summary_of_run(desk: &Desk, said: &Said) -> Value {
    assert!(matches!(said.code, Some(0 | 3)), "{}{}", said.out, said.err);
    let summary = desk.summary("r");
    let rows = [&summary["cells"], &summary["codecs"]].map(array);
    let empty: Vec<_> = rows.into_iter().flatten().filter(|row| number(row, "valid_trials") == 0).collect();
    assert_eq!(said.code, Some(if empty.is_empty() { 0 } else { 3 }), "without a valid trial: {empty:?}");
    summary
}

pub fn demo() {
    let desk = Desk::for_runs();
    let begin = std::time::Instant::now();
    let said = desk.wiredyno(&["run", "demo", "--out", "r"]);
    println!("the demo took {:.0?}", begin.elapsed());
    let summary = summary_of_run(&desk, &said);
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
    let desk = Desk::for_runs();
    desk.wiredyno(&["run", "tiny.toml", "--out", "r"]).well();
    let script = "import json, sys, jsonschema\n\
                  schema, summary = json.load(open(sys.argv[1])), json.load(open('r/summary.json'))\n\
                  validator = jsonschema.Draft202012Validator(schema)\n\
                  print(*(f'{e.json_path}: {e.message}' for e in validator.iter_errors(summary)), sep='\\n')\n\
                  summary['cells'][0]['delivery']['sent'] = 'ten'\n\
                  print('a text is not a number:', not validator.is_valid(summary))";
    let schema = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/summary.schema.json");
    let text = said(crate::python().args(["-c", script, schema]).current_dir(desk.path())).well();
    assert_eq!(text.trim(), "a text is not a number: True");
}

pub fn parquet_in_python() {
    let desk = Desk::for_runs();
    desk.wiredyno(&["run", "tiny.toml", "--out", "r"]).well();
    let script = "import pyarrow.parquet as p\n\
                  trials, messages, samples = (p.read_table(f'r/{n}.parquet') for n in ('trials', 'messages', 'samples'))\n\
                  kinds = trials.column('kind').to_pylist()\n\
                  print(len(kinds) >= 24, messages.num_rows == 5 * kinds.count('message'), samples.num_rows > 0,\n\
                        'link_probe_least_ns' in trials.column_names)";
    let text = said(crate::python().args(["-c", script]).current_dir(desk.path())).well();
    assert_eq!(text.trim(), "True True True True");
}
