//! Loads and options of transports through a study on the command line, over loopback: Poisson arrivals, closed loops,
//! CoAP's variants.

use crate::stand::{self, Desk, array, assert_accounted, mode, number};
use wiredyno_model::trial::{Delivery, MessageRecord};
use wiredyno_store::{MessageTrial, RunFolder};

const MODES: &str = "mode=tcp,mqtt:qos0,coap:non,coap:con";

/// Runs the small study once per cell with these settings; its valid trials, of five messages each.
fn trials(desk: &Desk, run: &str, settings: &[&str]) -> Vec<MessageTrial> {
    let trials = all_trials(desk, run, settings);
    assert_accounted(&desk.summary(run), 1);
    trials
}

/// The same with any number of messages.
fn all_trials(desk: &Desk, run: &str, settings: &[&str]) -> Vec<MessageTrial> {
    let mut arguments = vec!["run", "tiny.toml", "--out", run, "--set", "trials.repeats=1"];
    arguments.extend(["--set", "codec=protobuf/prost", "--set", "codec_trials.enabled=false"]);
    arguments.extend(settings.iter().flat_map(|setting| ["--set", *setting]));
    desk.wiredyno(&arguments).well();
    let trials = RunFolder::open(&desk.file(run)).unwrap().read_trials().unwrap().messages;
    trials.into_iter().filter(|trial| trial.record.is_complete()).collect()
}

fn intended_gaps_ns(messages: &[MessageRecord]) -> Vec<i64> {
    messages.windows(2).map(|pair| pair[1].intended_send_ns - pair[0].intended_send_ns).collect()
}

#[test]
fn a_poisson_load_sends_at_times_that_the_seed_draws_alike_for_all_cells() {
    let desk = Desk::for_runs();
    let gaps = |run: &str, seed: &str| {
        let trials = trials(&desk, run, &[MODES, "load.arrivals=poisson", seed]);
        assert_eq!(trials.len(), 4);
        let gaps: Vec<Vec<i64>> = trials.iter().map(|trial| intended_gaps_ns(&trial.messages)).collect();
        assert!(gaps.iter().all(|of_cell| *of_cell == gaps[0]), "{gaps:?}");
        gaps[0].clone()
    };
    let first = gaps("first", "trials.seed=1");
    assert_eq!(first.len(), 4);
    assert!(first.iter().all(|gap| *gap >= 0) && first.iter().any(|gap| *gap != first[0]), "{first:?}");
    assert_eq!(gaps("again", "trials.seed=1"), first);
    assert_ne!(gaps("other", "trials.seed=2"), first);
}

#[test]
fn a_closed_loop_sends_when_the_message_before_was_received() {
    let desk = Desk::for_runs();
    let trials = trials(&desk, "r", &[MODES, "load.kind=closed", "load.interval=1ms"]);
    assert_eq!(trials.len(), 4);
    for MessageTrial { record, messages } in &trials {
        assert_eq!((record.delivery.delivered, record.schedule.rate_error), (5, 0.0), "{}", record.cell);
        for pair in messages.windows(2) {
            let pause_ns = pair[1].intended_send_ns - pair[0].decoded_ns.unwrap();
            assert!(pause_ns >= 1_000_000, "{}: {pause_ns} ns after the receipt", record.cell);
        }
    }
}

#[test]
fn options_of_a_transport_come_from_the_study_and_are_recorded() {
    let desk = Desk::for_runs();
    let settings =
        ["transport.coap.method=put", "transport.coap.ack_timeout=1500ms", "transport.coap.supersede=true"];
    let trials = trials(&desk, "r", &[&["mode=coap:con,coap:con-block,tcp"], &settings[..]].concat());
    assert!(trials.iter().all(|trial| trial.record.delivery.delivered == 5));
    let summary = desk.summary("r");
    let recorded = &summary["study"]["transport"]["coap"];
    assert_eq!((&recorded["method"], &recorded["ack_timeout"]), (&"put".into(), &"1500ms".into()));
    assert_eq!(
        (&recorded["supersede"], &recorded["max_retransmit"]),
        (&true.into(), &4.into()),
        "defaults too"
    );
    assert!(summary["study"]["transport"]["tcp"].is_null(), "{}", summary["study"]);
    let study = std::fs::read_to_string(desk.file("r/study.toml")).unwrap();
    assert!(study.contains("[transport.coap]") && study.contains("ack_timeout = \"1500ms\""), "{study}");
    let described =
        array(&summary["transports_described"]).iter().find(|t| t["id"] == "coap/wiredyno").unwrap();
    for setting in array(&described["settings"]) {
        assert!(array(&setting["capabilities"]).contains(&"may-supersede".into()), "{setting}");
    }
    // The recorded study can be run again.
    desk.wiredyno(&["run", "r/study.toml", "--dry-run"]).well();
}

#[test]
fn options_that_are_an_axis_are_crossed_with_the_modes_of_their_protocol() {
    let desk = Desk::for_runs();
    let axes = ["mode=coap:con-block,tcp", "payload=opaque@1000", "coap.block_size=64,1024"];
    let settings = [&axes[..], &["codec=raw/wiredyno", "transport.coap.method=put"]].concat();
    let trials = trials(&desk, "r", &settings);
    let mut sent: Vec<String> = trials.iter().map(|trial| trial.record.cell.sending()).collect();
    sent.sort_unstable();
    assert_eq!(sent, ["coap:con-block block_size=1024", "coap:con-block block_size=64", "tcp"]);
    assert!(trials.iter().all(|trial| trial.record.delivery.delivered == 5));
    let summary = desk.summary("r");
    let [small, large, tcp] = array(&summary["cells"]) else { panic!("{summary}") };
    assert_eq!(small["axes"]["options"]["coap.block_size"], 64);
    assert_eq!(
        (mode(large), mode(tcp), &tcp["axes"]["options"]),
        ("coap:con-block", "tcp", &serde_json::Value::Null)
    );
    let study = &summary["study"];
    assert_eq!(study["axes"]["coap.block_size"], serde_json::json!([64, 1024]));
    assert_eq!(study["transport"]["coap"]["method"], "put");
    assert!(
        study["transport"]["coap"]["block_size"].is_null(),
        "what varies has no value for the whole study: {study}"
    );
    let effects = array(&summary["effects"]);
    let asked = effects.iter().find(|effect| effect["axis"] == "coap.block_size").unwrap();
    assert_eq!((&asked["value"], &asked["instead_of"]), (&"1024".into(), &"64".into()));
    let report = desk.wiredyno(&["report", "r", "--format", "md"]).well();
    assert!(report.contains("coap:con-block block\\_size=64"), "{report}");
    assert!(report.contains("block\\_size=1024 instead of block\\_size=64"), "{report}");
    // The recorded study can be run again, even in part.
    let again = ["run", "r/study.toml", "--dry-run", "--only", "coap.block_size=64"];
    let text = desk.wiredyno(&again).well();
    assert!(text.contains("block_size=64") && !text.contains("block_size=1024"), "{text}");
    let compared = desk.wiredyno(&["compare", "r", "--per", "coap.block_size=64,1024"]).err;
    assert_eq!(compared, "");
}

#[test]
fn an_axis_that_is_no_option_is_refused_with_file_line_and_the_nearest_one() {
    let desk = Desk::for_runs();
    let line = 1 + stand::TINY.lines().position(|line| line.starts_with("mode =")).unwrap();
    for (axis, part) in [
        ("\"coap.blocksize\" = [64]", "coap has no option `blocksize`; did you mean `block_size`?"),
        ("\"coap.block_size\" = [63]", "`block_size` is 63: write one of 16, 32"),
        ("\"kafka.linger\" = [\"5ms\"]", "the study has no mode of it"),
    ] {
        let text = stand::TINY.replace("mode = [", &format!("{axis}\nmode = [\"coap:con\", "));
        std::fs::write(desk.file("wrong.toml"), &text).unwrap();
        let error = desk.wiredyno(&["run", "wrong.toml", "--dry-run"]).refused(1);
        assert!(error.contains(&format!("wrong.toml:{line}: ")) && error.contains(part), "{error}");
    }
    let only = ["run", "tiny.toml", "--dry-run", "--only", "coap.block_size=64"];
    let error = desk.wiredyno(&only).refused(2);
    assert!(error.contains("the study has no such axis, only payload"), "{error}");
}

#[test]
fn without_options_in_the_study_the_defaults_are_recorded() {
    let desk = Desk::for_runs();
    trials(&desk, "r", &["mode=coap:non"]);
    let summary = desk.summary("r");
    assert_eq!(summary["study"]["transport"]["coap"]["ack_timeout"], "2s");
    let cell = &array(&summary["cells"])[0];
    assert_eq!((mode(cell), number(&cell["delivery"], "superseded")), ("coap:non", 0));
}

#[test]
fn an_option_that_only_another_client_of_the_protocol_has_is_told_at_planning() {
    let desk = Desk::for_runs();
    for (bytes, told) in [(512, true), (1_344, false)] {
        let options = format!("\n[transport.dds]\nfragment_size = {bytes}\n");
        let text = stand::TINY.replace("mode = [", "mode = [\"dds:reliable\", ") + &options;
        std::fs::write(desk.file("few.toml"), text).unwrap();
        let plan = desk.wiredyno(&["run", "few.toml", "--dry-run"]).well();
        let why = "`dds/rustdds` of the runner `rust` has no option `fragment_size`";
        assert_eq!(plan.contains(why), told, "{plan}");
    }
}

#[test]
fn options_that_do_not_exist_are_refused_with_file_line_and_the_nearest_one() {
    let desk = Desk::for_runs();
    for (table, line, part) in [
        ("\n[transport.coap]\ndeduplicat = false\n", 2, "did you mean `deduplicate`?"),
        ("\n[transport.coap]\nmethod = \"get\"\n", 2, "write one of \"post\", \"put\""),
        ("\n[transport.coap]\n# first waits\nack_timeout = 2\n", 3, "write a span of time from \"1ms\""),
        ("\n[transport.caop]\n", 1, "did you mean `coap`?"),
        ("\n[transport.tcp]\nnodelay = true\n", 2, "leave it out"),
    ] {
        let text = format!("{}{table}", stand::TINY);
        std::fs::write(desk.file("wrong.toml"), &text).unwrap();
        let line = stand::TINY.lines().count() + 1 + line;
        let error = desk.wiredyno(&["run", "wrong.toml", "--dry-run"]).refused(1);
        assert!(error.contains(&format!("wrong.toml:{line}: ")) && error.contains(part), "{error}");
    }
    let set = ["run", "tiny.toml", "--dry-run", "--set", "transport.coap.supersed=true"];
    let error = desk.wiredyno(&set).refused(2);
    assert!(error.contains("with --set") && error.contains("did you mean `supersede`?"), "{error}");
}

#[test]
fn every_subscriber_of_a_topic_gets_what_its_publishers_send() {
    let desk = Desk::for_runs();
    let modes = "mode=tcp,udp,mqtt:qos1,mqtt:qos2";
    let of_clients = ["load.publishers=3", "load.subscribers=6", "load.messages=12"];
    let all = all_trials(&desk, "all", &[&[modes][..], &of_clients].concat());
    assert_eq!(all.len(), 4);
    let topics =
        all_trials(&desk, "topics", &[&["mode=mqtt:qos1", "load.topics=3"][..], &of_clients].concat());
    for (trial, fan_out) in all.iter().map(|trial| (trial, 6)).chain(topics.iter().map(|trial| (trial, 2))) {
        let record = &trial.record;
        assert_eq!((record.fan_out, record.delivery.sent), (fan_out, 12 * u64::from(fan_out)));
        assert_eq!(trial.messages.len() as u64, record.delivery.sent, "{}", record.cell);
        if record.cell.mode.protocol != "udp" {
            let told = (record.delivery.delivered, record.delivery.duplicated, record.delivery.corrupted);
            assert_eq!(told, (record.delivery.sent, Some(0), 0), "{}", record.cell);
        }
    }
    let axes = ["load.kind=closed", "load.interval=0ms", "mode=tcp,mqtt:qos1"];
    let closed = all_trials(&desk, "closed", &[&axes[..], &["publishers=1,2", "subscribers=2"]].concat());
    assert_eq!(closed.len(), 4);
    let cells: Vec<String> = closed.iter().map(|trial| trial.record.cell.to_string()).collect();
    assert!(
        cells.iter().any(|cell| cell.contains("mqtt:qos1 loopback 2 publishers 2 subscribers")),
        "{cells:?}"
    );
}

/// Each message once, with the number, topic and time that it would have on one runner.
#[test]
fn runners_share_the_messages_of_one_load() {
    let desk = Desk::for_runs();
    let of_clients = ["load.publishers=6", "load.subscribers=3", "load.messages=11", "load.arrivals=poisson"];
    let run = |name: &str, more: &[&str]| {
        let trials = all_trials(&desk, name, &[&["mode=tcp,mqtt:qos1"], &of_clients[..], more].concat());
        assert_eq!(trials.len(), 2);
        trials
    };
    let (one, three) = (run("one", &[]), run("three", &["load.publisher_runners=3"]));
    for (one, three) in one.iter().zip(&three) {
        let Delivery { sent, delivered, duplicated, corrupted, .. } = three.record.delivery;
        assert_eq!((sent, delivered, duplicated, corrupted), (33, 33, Some(0), 0), "{}", three.record.cell);
        let told = |trial: &MessageTrial| {
            let begun_ns = trial.messages.iter().map(|message| message.intended_send_ns).min().unwrap();
            let told = |message: &MessageRecord| {
                (message.sequence, message.intended_send_ns - begun_ns, message.body_bytes)
            };
            let mut told: Vec<_> = trial.messages.iter().map(told).collect();
            told.sort_unstable();
            told
        };
        assert_eq!(told(one), told(three), "{}", three.record.cell);
        let used = &three.record.roles.publisher;
        assert!(used.peak_memory_bytes > 2 * one.record.roles.publisher.peak_memory_bytes, "three processes");
    }
    let batch = ["load.kind=batch", "load.interval=0s", "load.arrivals=constant", "load.publisher_runners=2"];
    for trial in run("batch", &batch) {
        assert_eq!((trial.record.delivery.sent, trial.record.delivery.delivered), (33, 33));
    }
    for (settings, part) in [
        (&["load.publisher_runners=2"][..], "1 publisher on 2 runners"),
        (&["load.publisher_runners=65"], "publisher_runners is 65: write a number from 1 to 64"),
        (&["load.samples=0"], "samples is 0: write a number from 1 to 10000000"),
        (
            &["load.publisher_runners=2", "load.publishers=2", "load.kind=closed"],
            "in a closed loop one runner",
        ),
    ] {
        let settings = settings.iter().flat_map(|setting| ["--set", *setting]);
        let plan: Vec<&str> = ["run", "tiny.toml", "--dry-run"].into_iter().chain(settings).collect();
        let refused = desk.wiredyno(&plan).refused(2);
        assert!(refused.contains(part), "{refused}");
    }
}

#[test]
fn clients_that_can_not_be_had_are_refused_or_not_run_with_the_reason() {
    let desk = Desk::for_runs();
    let plan = |settings: &[&str]| {
        let settings = settings.iter().flat_map(|setting| ["--set", *setting]);
        desk.command(&["run", "tiny.toml", "--dry-run"].into_iter().chain(settings).collect::<Vec<_>>())
    };
    let uneven = stand::said(&mut plan(&["load.publishers=2", "load.topics=2", "mode=mqtt:qos1"])).refused(2);
    assert!(
        uneven.contains("2 topics and 1 subscriber:") && uneven.contains("write a multiple of 2"),
        "{uneven}"
    );
    let many = stand::said(&mut plan(&["load.subscribers=1001", "mode=mqtt:qos1"])).refused(2);
    assert!(many.contains("subscribers is 1001: write a number from 1 to 1000"), "{many}");
    let settings = ["load.publishers=2", "load.subscribers=2", "load.topics=2", "mode=tcp,mqtt:qos1"];
    let planned = stand::said(&mut plan(&settings)).well();
    assert!(planned.contains("tcp has no topics"), "{planned}");
    let mut limited = std::process::Command::new("prlimit");
    limited.arg("--nofile=500:500").arg(stand::PROGRAM).current_dir(desk.path());
    limited.args([
        "run",
        "tiny.toml",
        "--dry-run",
        "--set",
        "mode=mqtt:qos1",
        "--set",
        "load.subscribers=100",
    ]);
    let limited = stand::said(&mut limited).refused(1);
    assert!(
        limited.contains("872 file descriptors, but a process may have only 500")
            && limited.contains("ulimit -Hn"),
        "{limited}"
    );
}

/// The example of docs/PAYLOADS.md.
#[test]
fn sizes_follow_the_distribution_of_a_payloads_profiles() {
    let desk = Desk::for_runs();
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let docs = std::fs::read_to_string(root.join("docs/PAYLOADS.md")).unwrap();
    let example = docs.split_once("### Sizes by a distribution").unwrap().1.lines();
    let example: Vec<_> = example
        .skip_while(|line| !line.starts_with("    "))
        .take_while(|line| !line.starts_with('#'))
        .collect();
    let folder = desk.file("payloads/mixed");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("generator.toml"), example.join("\n")).unwrap();
    for file in ["message.proto", "README.md"] {
        std::fs::copy(root.join("payloads/opaque").join(file), folder.join(file)).unwrap();
    }
    let settings =
        ["payload=mixed", "codec=raw/wiredyno", "mode=tcp", "load.messages=400", "load.interval=1ms"];
    let trials = all_trials(&desk, "r", &settings);
    let sizes: Vec<u32> = trials[0].messages.iter().map(|message| message.body_bytes).collect();
    assert_eq!(sizes.len(), 400);
    let small = sizes.iter().filter(|size| **size == 100).count();
    assert!(sizes.iter().all(|size| *size == 100 || (1000..=10_000).contains(size)), "{sizes:?}");
    // 360 expected; the seed is fixed.
    assert!((330..=385).contains(&small), "{small}");
}

#[test]
fn a_batch_ends_by_count_or_by_duration() {
    let desk = Desk::for_runs();
    let batch = ["load.kind=batch", "load.interval=0s", "mode=tcp,mqtt:qos1", "load.messages=1000000"];
    let trials = all_trials(&desk, "r", &[&batch[..], &["load.duration=100ms"]].concat());
    assert_eq!(trials.len(), 2);
    for MessageTrial { record, messages } in &trials {
        let sent = record.delivery.sent;
        assert!((1..1_000_000).contains(&sent) && messages.len() as u64 == sent, "{} {sent}", record.cell);
        assert_eq!(record.delivery.delivered, sent, "{}", record.cell);
        let begun_ns = messages[0].build_start_ns;
        let late = messages.iter().filter(|message| message.build_start_ns - begun_ns > 100_000_000);
        // One that was about to be sent when time ran out, and the last, which is always sent.
        assert!(late.count() <= 2, "{}", record.cell);
    }
    let mut open = desk.command(&["run", "tiny.toml", "--dry-run", "--set", "load.duration=1s"]);
    let refused = stand::said(&mut open).refused(2);
    assert!(refused.contains("only a batch or a search has a duration"), "{refused}");
}
