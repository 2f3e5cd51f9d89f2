//! Runners in other languages as users meet them: Python's through every command and a study, Java's clients, and folders that do not match
//! their declarations. One file because the same studies are run with the runner of each language.

use std::fs;

use crate::stand::{self, Desk, array, installed, number, postgresql, provide_codecs, wiredyno};
use serde_json::Value;
use wiredyno_store::RunFolder;
use wiredyno_transport_stand::{Broker, folder};

/// Whether Python's runner can be started here: not without the language, or a network for its libraries.
pub fn python_is_here() -> bool {
    is_here("python", "json/python-json")
}

/// The same for Java's.
pub fn java_is_here() -> bool {
    is_here("java", "json/jackson")
}

fn is_here(runner: &str, codec: &str) -> bool {
    let desk = Desk::new();
    let tried = desk.wiredyno(&["encode", "--payload", "person", "--codec", codec]);
    let missing = tried.err.contains("can't be prepared") || tried.err.contains("needs ");
    if missing {
        eprintln!("ignored, because the runner `{runner}` can't be had here: {}", tried.err);
    }
    !missing
}

#[test]
fn a_codec_of_python_is_used_like_any_other() {
    if !python_is_here() {
        return;
    }
    provide_codecs("person");
    let encode = |codec: &str| wiredyno(&["encode", "--payload", "person", "--codec", codec, "--hex"]).well();
    for (python, rust) in [
        ("json/orjson", "json/serde-json"),
        ("avro/fastavro", "avro/apache-avro"),
        ("protobuf/upb-python", "protobuf/prost"),
    ] {
        assert_eq!(encode(python), encode(rust), "{python}");
    }
    let desk = Desk::new();
    fs::write(desk.file("body"), encode("avro/fastavro")).unwrap();
    let decode = ["decode", "--payload", "person", "--codec", "avro/fastavro", "--hex", "body"];
    assert!(desk.wiredyno(&decode).well().contains("Andreson"));
    let compressed = ["--payload", "person", "--codec", "json/orjson", "--compression", "zstd:3"];
    let refused = wiredyno(&[&["encode"], &compressed[..]].concat()).refused(2);
    assert!(refused.contains("the runner `python` compresses nothing"), "{refused}");
    let refused = wiredyno(&["build", "person", "--codec", "json/orjson"]).refused(2);
    assert!(refused.contains("runner `python`, which compiles nothing"), "{refused}");
    let refused = wiredyno(&["build", "person", "--codec", "*/orjson*"]).refused(2);
    assert!(refused.contains("runner `python`, which compiles nothing"), "{refused}");
}

/// A study with trials of a few milliseconds.
const LANGUAGES: [&str; 12] = [
    "--set",
    "payload=person",
    "--set",
    "runner=rust,python,c++",
    "--set",
    "format=json,protobuf",
    "--set",
    "trials.repeats=5",
    "--set",
    "codec_trials.batches=3",
    "--set",
    "codec_trials.batch_time=100us",
];

/// The first codecs of these formats in C++.
const CPP: [&str; 2] = ["json/nlohmann", "protobuf/libprotobuf"];

/// Whether they can be compiled here.
fn cpp_is_here() -> bool {
    let codecs = CPP.iter().filter_map(|id| wiredyno_codec_registry::find(&id.parse().unwrap()));
    let lack = wiredyno_needs::lack(codecs.flat_map(|codec| codec.needs));
    if let Some(lack) = &lack {
        eprintln!("ignored, because C++ can't be compiled here: {lack}");
    }
    lack.is_none()
}

#[test]
fn a_study_compares_languages_format_by_format() {
    if !python_is_here() || !cpp_is_here() {
        return;
    }
    let desk = Desk::for_runs();
    let limits = stand::any_machine();
    let limits: Vec<&str> = limits.iter().map(String::as_str).collect();
    desk.wiredyno(&[&["run", "languages", "--out", "r"], &LANGUAGES[..], &limits].concat()).well();
    let summary = desk.summary("r");
    let codecs: Vec<&Value> = array(&summary["study"]["axes"]["codec"]).iter().collect();
    let expected =
        [["json/serde-json", "json/python-json", CPP[0]], ["protobuf/prost", "protobuf/upb-python", CPP[1]]];
    assert_eq!(codecs, expected.concat());
    for codec in array(&summary["codecs"]) {
        let parts = ["build", "encode", "decode", "read", "total", "empty"];
        assert!(parts.iter().all(|part| codec["metrics"][part]["mean"].is_f64()), "{codec}");
    }
    let languages: Vec<&str> =
        array(&summary["environment"]["builds"]).iter().filter_map(|b| b["language"].as_str()).collect();
    assert!(matches!(languages[..], [one] if one.starts_with("Python 3.")), "{languages:?}");
    let report = desk.wiredyno(&["report", "r", "--format", "md"]).well();
    let section =
        report.split("\n## ").find(|section| section.starts_with("What does the language change?")).unwrap();
    for part in [
        "| person | protobuf |",
        "c++ / rust",
        "python / rust",
        "**The harness**: a call that does nothing takes",
    ] {
        assert!(section.contains(part), "{part} in {section}");
    }
}

/// The suites of conformance give no time to settle; this does, so that what follows is measured too.
#[test]
fn loops_of_java_settle_and_have_times_and_allocations() {
    if !java_is_here() {
        return;
    }
    let desk = Desk::for_runs();
    let mut asked: Vec<String> = ["run", "languages", "--out", "r"].map(str::to_owned).to_vec();
    for set in [
        "payload=person",
        "codec=json/jackson,protobuf/protobuf-java",
        "trials.repeats=1",
        "codec_trials.batches=3",
    ] {
        asked.extend(["--set".to_owned(), set.to_owned()]);
    }
    asked.extend(stand::any_machine());
    desk.wiredyno(&asked).well();
    let summary = desk.summary("r");
    assert_eq!(array(&summary["codecs"]).len(), 2);
    for codec in array(&summary["codecs"]) {
        assert_eq!(codec["outcomes"]["failed"], 0, "{codec}");
        for part in ["build", "encode", "decode", "read"] {
            // A busy machine may keep one from settling: then it has neither.
            let has = |metric: &str| codec["metrics"][metric]["mean"].is_f64();
            assert_eq!(has(part), has(&format!("{part}_allocated")), "{part} of {codec}");
        }
    }
}

#[test]
fn messages_of_python_go_over_a_broker_to_several_subscribers() {
    if python_is_here() {
        to_several_subscribers("json/orjson,protobuf/upb-python", "mqtt:qos1");
    }
}

#[test]
fn messages_of_java_go_over_a_broker_to_several_subscribers() {
    if java_is_here() {
        to_several_subscribers("protobuf/protobuf-java", "mqtt:qos1,mqtt5:qos2");
    }
}

/// A runner's publishers and subscribers over a real broker: everything arrives at each subscriber. There are two cells.
fn to_several_subscribers(codecs: &str, modes: &str) {
    if installed("mosquitto").is_err() {
        return;
    }
    let desk = Desk::for_runs();
    let load = ["load.kind=closed", "load.messages=20", "load.warmup=2", "trials.repeats=1"];
    let load = load.iter().chain(&["subscribers=3", "publishers=2", "topics=1"]);
    let (codecs, modes) = (format!("codec={codecs}"), format!("mode={modes}"));
    let axes = ["payload=person", &codecs, &modes, "broker=mosquitto"];
    let more = ["link=loopback", "compression=none", "codec_trials.enabled=false"];
    let settings = axes.iter().chain(&more).chain(load).flat_map(|setting| ["--set", setting]);
    let arguments: Vec<&str> = ["run", "tiny.toml", "--out", "r"].into_iter().chain(settings).collect();
    desk.wiredyno(&arguments).well();
    let summary = desk.summary("r");
    let cells = array(&summary["cells"]);
    assert_eq!(cells.len(), 2, "{summary}");
    for cell in cells {
        assert_eq!(number(&cell["delivery"], "delivered"), 60, "{cell}");
        assert_eq!(number(&cell["delivery"], "duplicated"), 0, "{cell}");
    }
}

#[test]
fn subscribers_of_python_share_the_messages_of_a_kafka_group() {
    if python_is_here() {
        share_a_kafka_group("json/orjson");
    }
}

#[test]
fn subscribers_of_java_share_the_messages_of_a_kafka_group() {
    if java_is_here() {
        share_a_kafka_group("json/jackson");
    }
}

/// A runner's subscribers over Kafka, without a group and as members of one: all messages at each, and each at one of them.
fn share_a_kafka_group(codec: &str) {
    if ["java", "mvn"].iter().any(|program| installed(program).is_err()) {
        return;
    }
    let desk = Desk::for_runs();
    let broker = Broker::start(&folder("kafka"), 1).unwrap();
    let at = format!("kafka=kafka://{}", broker.address());
    let load =
        ["load.kind=closed", "load.interval=0ms", "load.messages=40", "load.warmup=3", "trials.repeats=1"];
    let codec = format!("codec={codec}");
    let axes = ["payload=person", &codec, "mode=kafka:acks-all", "link=loopback", "compression=none"];
    let groups = ["kafka.group=none,own,shared", "subscribers=3", "publishers=2"];
    let options =
        ["transport.kafka.partitions=4", "transport.kafka.key=sequence", "transport.kafka.linger=0ms"];
    let more = ["transport.kafka.commit=record", "codec_trials.enabled=false"];
    let settings = axes.iter().chain(&load).chain(&groups).chain(&options).chain(&more);
    let settings = settings.flat_map(|setting| ["--set", *setting]);
    let arguments: Vec<&str> =
        ["run", "tiny.toml", "--out", "r", "--broker", &at].into_iter().chain(settings).collect();
    desk.wiredyno(&arguments).well();
    let summary = desk.summary("r");
    assert_eq!(array(&summary["cells"]).len(), 3, "{summary}");
    let trials = RunFolder::open(&desk.file("r")).unwrap().read_trials().unwrap().messages;
    for trial in trials {
        let (record, delivery) = (&trial.record, trial.record.delivery);
        let shared = record.cell.to_string().contains("group=shared");
        let all = if shared { 40 } else { 120 };
        assert_eq!(
            (delivery.sent, delivery.delivered, delivery.duplicated),
            (all, all, Some(0)),
            "{}",
            record.cell
        );
        assert_eq!(record.fan_out, if shared { 1 } else { 3 }, "{}", record.cell);
        let taken = record.memberships.iter().flat_map(|one| &one.partitions).map(|used| used.messages);
        // The broker is not ours to warm, so that these and three warm-up messages are all that there are.
        assert_eq!(taken.sum::<u64>(), all + if shared { 3 } else { 9 }, "{}", record.cell);
        assert_eq!(record.memberships.len(), 3, "{}", record.cell);
        for member in &record.memberships {
            assert!(
                member.partitions.iter().all(|used| used.committed == used.next || used.next.is_none()),
                "{member:?}"
            );
            assert_eq!(member.failed_commits, 0, "{member:?}");
        }
    }
}

/// Python's publisher sends the same messages from memory and from a database: all arrive with the same bytes.
#[test]
fn messages_of_python_are_read_from_a_database() {
    if !python_is_here() || installed("mosquitto").is_err() || postgresql().is_err() {
        return;
    }
    let desk = Desk::for_runs();
    let codecs = ["json/orjson", "protobuf/upb-python"];
    let axes = ["payload=kafka-record@1176", "mode=mqtt:qos1", "broker=mosquitto", "link=loopback"];
    // More than the payload's samples, so that the table wraps around.
    let load = ["load.kind=closed", "load.interval=0ms", "load.messages=250", "trials.repeats=1"];
    let more = ["codec=json/orjson,protobuf/upb-python", "records=memory,postgresql"];
    let settings = axes.iter().chain(&load).chain(&more).chain(&["codec_trials.enabled=false"]);
    let settings = settings.flat_map(|setting| ["--set", *setting]);
    let arguments: Vec<&str> = ["run", "tiny.toml", "--out", "r"].into_iter().chain(settings).collect();
    desk.wiredyno(&arguments).well();
    let summary = desk.summary("r");
    let cells = array(&summary["cells"]);
    assert_eq!(cells.len(), 4, "{summary}");
    for cell in cells {
        assert_eq!(number(&cell["delivery"], "delivered"), 250, "{cell}");
        assert_eq!(number(&cell["delivery"], "corrupted"), 0, "{cell}");
    }
    for codec in codecs {
        let own = cells.iter().filter(|cell| cell["axes"]["codec"] == codec);
        let bodies: Vec<f64> = own.map(|cell| cell["metrics"]["body"]["mean"].as_f64().unwrap()).collect();
        assert!(matches!(bodies[..], [memory, database] if memory == database), "{codec}: {bodies:?}");
    }
}

#[test]
fn messages_of_a_protocol_that_a_language_has_no_client_of_are_told_as_not_run() {
    let desk = Desk::new();
    let set =
        ["--set", "codec=json/serde-json,json/orjson", "--set", "mode=tcp", "--set", "compression=none"];
    let planned = desk.wiredyno(&[&["run", "tiny.toml", "--dry-run", "--json"], &set[..]].concat()).json();
    assert!(array(&planned["cells"]).iter().all(|cell| cell["codec"] == "json/serde-json"));
    let told = |not: &Value| {
        not["what"].as_str().unwrap().starts_with("person json/orjson tcp")
            && not["why"].as_str().unwrap().contains("the runner `python` has no client of tcp")
    };
    assert!(array(&planned["not_run"]).iter().any(told), "{planned}");
}

#[test]
fn an_option_that_one_client_has_is_an_axis_and_its_values_are_run_where_they_are_taken() {
    let desk = shell("exit 1");
    let transport = r#"
[[transport]]
id = "mqtt/shell"
library = "echo"
version = "{version}"
format = "mqtt"
received_at = "never"
sent_at = "never"
capabilities = ["topics"]
settings = [{ name = "qos0", about = "at most once", capabilities = [] }]
options = [{ name = "mood", kind = { is = "choice", of = ["calm", "wild"] }, default = "calm", about = "how it echoes" }]
"#;
    let file = desk.file("runners/shell/runner.toml");
    fs::write(&file, fs::read_to_string(&file).unwrap() + transport).unwrap();
    let plan = |set: &[&str]| {
        let set = set.iter().flat_map(|set| ["--set", set]);
        let asked =
            ["run", "tiny.toml", "--dry-run", "--json", "--set", "mode=mqtt:qos0"].into_iter().chain(set);
        desk.wiredyno(&asked.collect::<Vec<_>>())
    };
    let planned = plan(&["codec=json/serde-json,json/shell", "mqtt.mood=calm,wild"]).json();
    let moods = |codec: &str| {
        let of = array(&planned["cells"]).iter().filter(|cell| cell["codec"] == codec);
        of.map(|cell| cell["options"]["mqtt.mood"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(
        (moods("json/shell"), moods("json/serde-json")),
        (vec!["calm".into(), "wild".into()], vec!["calm".into()])
    );
    let told = |not: &Value| {
        not["what"].as_str().unwrap().contains("json/serde-json mqtt:qos0 mood=wild")
            && not["why"].as_str().unwrap().contains("of the runner `rust` has no option `mood`")
    };
    assert!(array(&planned["not_run"]).iter().any(told), "{planned}");
    let refused = plan(&["codec=json/serde-json", "mqtt.mood=calm"]).refused(2);
    assert!(refused.contains("mqtt has no option `mood`"), "{refused}");
    let refused = plan(&["codec=json/shell", "mqtt.mood=mild"]).refused(2);
    assert!(refused.contains("`mood` is \"mild\": write one of \"calm\", \"wild\""), "{refused}");
}

/// A runner whose program is this shell script, in the folder `runners/` of a desk.
fn shell(lines: &str) -> Desk {
    let desk = Desk::new();
    let folder = desk.file("runners/shell");
    fs::create_dir_all(&folder).unwrap();
    let toml = r#"
language = "Shell"
about = "Nothing of use"
start = ["sh", "{folder}/run.sh"]
[version]
ask = ["sh", "-c", "echo 1.0"]
least = "1.0"
install = "sudo apt-get install dash"
[[codec]]
id = "json/shell"
library = "echo"
version = "{version}"
about = "One message, whatever is asked"
capabilities = ["self-describing"]
"#;
    fs::write(folder.join("runner.toml"), toml).unwrap();
    fs::write(folder.join("run.sh"), lines).unwrap();
    desk
}

fn refused(desk: &Desk) -> String {
    desk.wiredyno(&["encode", "--payload", "person", "--codec", "json/shell"]).refused(1)
}

/// An answer to `describe` with these codecs.
fn described(codecs: &str) -> String {
    let answer = format!(
        r#"{{"id":1,"ok":{{"outcome":"description","contract":2,"runner":{{"name":"shell","language":"Shell 1.0","version":"1"}},"codecs":[{codecs}],"compressions":[],"transports":[],"definition":null,"not_carried":[]}}}}"#
    );
    format!("read line; echo '{answer}'; read line\n")
}

#[test]
fn a_runner_that_is_not_what_it_says_is_told_with_its_folder_and_never_measured() {
    for (lines, parts) in [
        (
            "echo no library >&2; exit 3\n".to_owned(),
            ["ended before it answered", "exit status: 3", "no library"],
        ),
        ("echo hello; cat\n".to_owned(), ["broke the contract", "hello", "runners/shell"]),
        (described(""), ["does not have `json/shell`, which is declared", "runners/shell", "runner.toml"]),
        (
            described(
                r#"{"id":"json/shell","library":"echo","version":"2.0","about":"One message, whatever is asked","capabilities":["self-describing"]}"#,
            ),
            ["it says `json/shell` is", "2.0", "runners/shell"],
        ),
        (
            described(
                r#"{"id":"json/shell","library":"echo","version":"1.0","about":"One message, whatever is asked","capabilities":["self-describing"]}"#,
            )
            .replace(r#""not_carried""#, r#""reads_records":true,"not_carried""#),
            ["its `reads_records` is true", "false is declared", "runners/shell"],
        ),
    ] {
        let told = refused(&shell(&lines));
        assert!(parts.iter().all(|part| told.contains(part)), "{told}");
    }
}

/// Answers in the order in which `encode` and `decode` ask: input is returned unchanged, so that its format is Protobuf.
const ECHO: &str = r#"
while read -r line; do
    id=$(expr "$line" : '{"id":\([0-9]*\)')
    bytes=$(echo "$line" | sed 's/.*"\(value\|body\)":"\([0-9a-f]*\)".*/\2/')
    case $line in
    *'"op":"describe"'*) said='"outcome":"description","contract":2,"runner":{"name":"shell","language":"Shell 1.0","version":"1"},"codecs":[{"id":"protobuf/shell","library":"echo","version":"1.0","about":"One message, whatever is asked","capabilities":["self-describing"]}],"compressions":[],"transports":[],"definition":null,"not_carried":[]' ;;
    *'"op":"load"'*) said='"outcome":"loaded","samples":1,"body_bytes":[1]' ;;
    *'"op":"encode"'*) said="\"outcome\":\"encoded\",\"body\":\"$bytes\"" ;;
    *'"op":"decode"'*) said="\"outcome\":\"decoded\",\"value\":\"$bytes\"" ;;
    *'"op":"stop"'*) exit 0 ;;
    *) echo "{\"id\":$id,\"failed\":{\"error\":\"this runner only echoes\"}}"; continue ;;
    esac
    echo "{\"id\":$id,\"ok\":{$said}}"
done
"#;

#[test]
fn a_few_lines_of_shell_in_a_folder_are_a_runner() {
    let desk = shell(ECHO);
    let path = desk.file("runners/shell/runner.toml");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("json/shell", "protobuf/shell")).unwrap();
    assert!(desk.wiredyno(&["list", "runners"]).well().contains("Nothing of use; 1 codec; Shell 1.0"));
    let codec = ["--payload", "person", "--codec", "protobuf/shell"];
    fs::write(desk.file("ada.json"), r#"{"first_name":"Ada"}"#).unwrap();
    let encode = [&["encode"], &codec[..], &["--hex", "--value", "ada.json"]].concat();
    let body = desk.wiredyno(&encode).well();
    assert_eq!(body, "0a03416461\n");
    fs::write(desk.file("body"), &body).unwrap();
    let decoded = desk.wiredyno(&[&["decode"], &codec[..], &["--hex", "body"]].concat()).well();
    assert!(decoded.contains(r#""first_name":"Ada""#), "{decoded}");
    // An operation that it can't do is a failed trial with its own message, not an error of the stand.
    let measured = desk.wiredyno(&[&["measure"], &codec[..]].concat()).refused(1);
    assert!(measured.contains("this runner only echoes"), "{measured}");
}

/// `make demo` relies on this.
#[test]
fn a_checkout_is_a_working_directory_like_any_other() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../..");
    let listed = stand::said(stand::program().args(["list", "runners"]).current_dir(root)).well();
    let names: Vec<&str> = listed.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert!(names.contains(&"rust") && names.contains(&"python"), "{listed}");
    stand::said(stand::program().args(["run", "demo", "--dry-run"]).current_dir(root)).well();
}

#[test]
fn a_runner_that_hangs_is_ended_after_a_minute() {
    if std::env::var_os("WIREDYNO_TEST_FULL").is_none() {
        return;
    }
    let told = refused(&shell("exec sleep 1000\n"));
    assert!(told.contains("did not answer `describe` within 60 s"), "{told}");
}

#[test]
fn a_broken_folder_or_a_language_that_is_missing_says_what_to_do() {
    let desk = shell("exit 0\n");
    let path = desk.file("runners/shell/runner.toml");
    let text = fs::read_to_string(&path).unwrap();
    let with = |from: &str, to: &str| {
        fs::write(&path, text.replace(from, to)).unwrap();
        refused(&desk)
    };
    let told = with("[\"sh\", \"-c\", \"echo 1.0\"]", "[\"no-such-shell\"]");
    assert!(told.contains("needs `no-such-shell`: sudo apt-get install dash"), "{told}");
    let told = with("least = \"1.0\"", "least = \"4\"");
    assert!(told.contains("needs Shell 4 or newer, this is 1.0: sudo apt-get install dash"), "{told}");
    let told = with("library = ", "libary = ");
    assert!(told.contains("runners/shell/runner.toml") && told.contains("did you mean `library`?"), "{told}");
    let told = with("json/shell", "json/serde-json");
    assert!(told.contains("belongs to one runner"), "{told}");
}

#[test]
fn a_study_that_asks_for_what_no_runner_has_names_the_line() {
    let desk = Desk::new();
    let set = |values: &[&str]| {
        let sets = values.iter().flat_map(|value| ["--set", value]);
        let arguments: Vec<&str> = ["run", "languages", "--dry-run"].into_iter().chain(sets).collect();
        desk.wiredyno(&arguments).refused(2)
    };
    let two = "runner=rust,python";
    assert!(set(&["format=exi", two]).contains("the runner `python` has no codec of the format `exi`"));
    assert!(set(&["format=jsn"]).contains("there is no format `jsn`; did you mean `json`?"));
    assert!(set(&["runner=rust,pyton"]).contains("there is no runner `pyton`; did you mean `python`?"));
}
