//! The commands that need no run: encode, decode, measure, list, show, help, and refusals.

use crate::coding::with_size;
use crate::plans::refused_study;
use std::collections::BTreeSet;

use crate::stand::{self, CACHE, Desk, TINY, array, number, provide_codecs, said, wiredyno};
use serde_json::Value;

pub const KINDS: [&str; 9] = [
    "codecs",
    "compressions",
    "protocols",
    "brokers",
    "runners",
    "payloads",
    "languages",
    "links",
    "studies",
];

pub fn list(kind: &str) -> Vec<Value> {
    array(&wiredyno(&["list", kind, "--json"]).json()).to_vec()
}

pub fn id(entry: &Value) -> &str {
    entry["id"].as_str().unwrap()
}

#[test]
fn unknown_names_are_refused_with_the_nearest_known_one() {
    provide_codecs("person");
    let cases: [(&[&str], &str); 18] = [
        (&["encode", "--payload", "persn", "--codec", "json/serde-json"], "`person`"),
        (&["encode", "--payload", "person", "--codec", "protobuf/prosst"], "`protobuf/prost`"),
        (&["decode", "--payload", "smal", "--codec", "json/serde-json", "--hex"], "`small`"),
        (&["measure", "--payload", "person", "--codec", "json/serde"], "`json/serde-json`"),
        (&["show", "payload", "persn"], "`person`"),
        (&["show", "link", "ltee"], "`lte`"),
        (&["show", "study", "dmo"], "`demo`"),
        (&["run", "dmo"], "`demo`"),
        (&["pack", "dmo", "-o", "pack"], "`demo`"),
        (&["size", "persn"], "`person`"),
        (&["build", "persn"], "`person`"),
        (&["schema", "expressiveness", "persn"], "`person`"),
        (&["list", "codecs", "--payload", "persn"], "`person`"),
        (&["link", "exec", "--link", "ltee", "--", "true"], "`lte`"),
        (&["doctor", "--install", "mosquito"], "`mosquitto`"),
        (&["run", "formats", "--dry-run", "--set", "payload=persn"], "`person`"),
        (&["run", "demo", "--dry-run", "--set", "link=ltee"], "`lte`"),
        (&["show", "payload", "persn", "--json"], "`person`"),
    ];
    for (arguments, near) in cases {
        let error = wiredyno(arguments).refused(2);
        assert!(error.starts_with("wiredyno: ") && error.contains(near), "{arguments:?}: {error}");
        assert!(!error.contains("codec runner"), "names what the user did not ask for: {error}");
    }
    let error = wiredyno(&["encode", "--payload", "opaque", "--codec", "raw/wiredyno"]).refused(2);
    assert!(error.contains("`opaque@1024`"), "{error}");
    let error =
        wiredyno(&["encode", "--payload", "person", "--codec", "protobuf/prost", "--sample", "9"]).refused(2);
    assert!(error.contains("no sample 9"), "{error}");
    let error = wiredyno(&["encode", "--payload", "person", "--codec", "raw/wiredyno"]).refused(1);
    assert!(error.contains("raw/wiredyno") && error.contains("person"), "{error}");
}

#[test]
fn every_list_is_an_array_of_objects_with_ids_of_their_own() {
    for kind in KINDS {
        let entries = list(kind);
        let mut ids: Vec<&str> = entries.iter().map(id).collect();
        let all = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert!(all > 0 && ids.len() == all, "{kind}: {ids:?}");
        assert!(ids.iter().all(|id| !id.is_empty()), "{kind}: {ids:?}");
        let text = wiredyno(&["list", kind]).well();
        assert!(ids.iter().all(|id| text.contains(id)), "{kind}: {text}");
    }
    let everything = wiredyno(&["list", "--json"]).json();
    assert!(KINDS.iter().all(|kind| array(&everything).iter().any(|entry| entry["kind"] == *kind)));
}

#[test]
fn codecs_are_listed_by_family_a_line_each_and_whole_with_long() {
    let codecs = list("codecs");
    let text = said(stand::program().args(["list", "codecs"]).env("COLUMNS", "100")).well();
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    assert!(text.starts_with("text\n  json/jackson "), "{text}");
    let families = text.lines().filter(|line| !line.is_empty() && !line.starts_with(' ')).count();
    assert_eq!(text.lines().filter(|line| line.starts_with("  ")).count(), codecs.len(), "{text}");
    assert!(families >= 3, "{text}");
    let long = wiredyno(&["list", "codecs", "--long"]).well();
    for codec in &codecs {
        assert!(long.contains(codec["about"].as_str().unwrap()), "{long}");
    }
}

#[test]
fn codecs_that_carry_a_payload_are_told_from_those_that_do_not_with_the_reason() {
    let listed = wiredyno(&["list", "codecs", "--payload", "person", "--json"]).json();
    let raw = array(&listed).iter().find(|entry| id(entry) == "raw/wiredyno").unwrap();
    assert_eq!(raw["carries"], false);
    let why = raw["why_not"].as_str().unwrap();
    assert!(array(&listed).iter().any(|entry| entry["carries"] == true && entry["why_not"].is_null()));
    let text = wiredyno(&["list", "codecs", "--payload", "person", "--long"]).well();
    let (carry, cannot) = text.split_once("can't carry person").unwrap();
    assert!(carry.starts_with("carry person: text\n") && !carry.contains("raw/wiredyno"), "{text}");
    assert!(cannot.contains("raw/wiredyno") && cannot.contains(why), "{text}");
    // A size does not change what can be carried.
    wiredyno(&["list", "codecs", "--payload", "opaque"]).well();
    assert!(wiredyno(&["list", "links", "--payload", "person"]).refused(2).contains("list codecs"));
}

#[test]
fn options_of_transports_are_listed_with_default_kind_and_meaning() {
    let protocols = list("protocols");
    let coap = protocols.iter().find(|entry| id(entry) == "coap").unwrap();
    let named = |name: &str| array(&coap["options"]).iter().find(|option| option["name"] == name).unwrap();
    assert_eq!(named("max_retransmit")["default"], 4);
    assert_eq!(named("ack_timeout")["kind"]["is"], "span");
    let text = wiredyno(&["list", "transports"]).well();
    assert_eq!(text, wiredyno(&["list", "protocols"]).well());
    assert!(text.contains("[transport.coap]"), "{text}");
    for option in array(&coap["options"]) {
        let name = option["name"].as_str().unwrap();
        let line = text.lines().find(|line| line.trim_start().starts_with(&format!("{name} = "))).unwrap();
        assert!(line.ends_with(option["about"].as_str().unwrap()), "{line}");
    }
}

#[test]
fn show_prints_what_every_list_names() {
    for (kind, plural) in [("payload", "payloads"), ("link", "links"), ("study", "studies")] {
        for entry in list(plural) {
            let mark = match kind {
                "payload" => "message ",
                "link" => "[up]",
                _ => "[axes]",
            };
            let text = wiredyno(&["show", kind, &with_size(id(&entry))]).well();
            assert!(text.contains(mark), "{kind} {}: {text}", id(&entry));
        }
    }
    for (kind, id) in [("link", "lte"), ("study", "demo")] {
        let shown = wiredyno(&["show", kind, id, "--json"]).json();
        assert_eq!((&shown["kind"], &shown["id"]), (&kind.into(), &id.into()), "{shown}");
        assert_eq!(shown["text"].as_str().unwrap(), wiredyno(&["show", kind, id]).well());
    }
}

#[test]
fn a_payload_is_shown_with_its_sizes_and_nothing_is_compiled_for_that() {
    let cache = Desk::new();
    let show = |more: &[&str]| {
        let arguments = [&["show", "payload", "person"], more].concat();
        said(stand::program().args(arguments).env(CACHE, cache.file("cache")))
    };
    let person = show(&[]).well();
    let avro = person.lines().find(|line| line.starts_with("avro/apache-avro")).unwrap();
    assert_eq!(avro.split_whitespace().collect::<Vec<_>>(), ["avro/apache-avro", "29.0", "29", "29"]);
    assert!(person.contains("`wiredyno measure --payload person --codec CODEC`"), "{person}");
    let shown = show(&["--json"]).json();
    let avro = array(&shown["sizes"]).iter().find(|size| size["codec"] == "avro/apache-avro").unwrap();
    assert_eq!((number(avro, "min_bytes"), number(avro, "max_bytes")), (29, 29));
    assert!(shown["not_carried"].to_string().contains("raw/wiredyno"), "{shown}");
    assert!(!cache.file("cache/wiredyno/runners").exists(), "something was compiled");
}

#[test]
fn help_names_every_command_and_the_exit_codes() {
    let help = wiredyno(&["--help"]).well();
    let commands = [
        "run", "report", "claims", "list", "show", "new", "schema", "size", "build", "encode", "decode",
        "measure", "link", "agents", "agent", "fleet", "doctor",
    ];
    for command in commands {
        assert!(
            help.lines().any(|line| line.split_whitespace().next() == Some(command)),
            "{command}: {help}"
        );
    }
    for code in ["0    done", "1    ", "2    ", "3    ", "130  interrupted"] {
        assert!(help.contains(&format!("\n  {code}")), "{code}: {help}");
    }
    // Commands that only the program itself calls are not shown to users.
    let near = wiredyno(&["lane-work"]).refused(2);
    assert!(!help.contains("lane-worker") && !near.contains("lane-worker"), "{help}{near}");
    for command in commands {
        let help = wiredyno(&[command, "--help"]).well();
        assert!(help.contains("Usage: wiredyno "), "{command}: {help}");
    }
    let link = wiredyno(&["link", "--help"]).well();
    assert!(link.contains("\n  exec ") && link.contains("\n  check "), "{link}");
}

#[test]
fn a_wrong_command_line_ends_with_code_two() {
    for arguments in [&["rnu"][..], &["run"], &["list", "codex"], &["encode", "--payload", "person"], &[]] {
        let error = wiredyno(arguments).refused(2);
        assert!(error.contains("Usage: ") || error.contains("--help"), "{arguments:?}: {error}");
    }
    let both =
        ["encode", "--payload", "person", "--codec", "json/serde-json", "--sample", "0", "--value", "-"];
    wiredyno(&both).refused(2);
}

#[test]
fn an_unknown_option_is_no_value_unless_a_command_may_follow() {
    for arguments in [&["list", "--jsn"][..], &["claims", "r", "--nope"], &["show", "link", "lte", "--md"]] {
        let error = wiredyno(arguments).refused(2);
        assert!(error.contains("unexpected argument") && !error.contains("as a value"), "{error}");
    }
    assert!(wiredyno(&["list", "--jsn"]).refused(2).contains("'--json'"));
}

#[test]
fn what_is_wrong_is_said_once_and_what_stands_there_is_called_what_it_is() {
    let error = wiredyno(&["run", "/etc"]).refused(1);
    assert_eq!(error, "wiredyno: /etc is a folder, not a study: name a file\n");
    assert!(wiredyno(&["new", "x", "--from", "/etc"]).refused(1).contains("/etc is a folder; --from takes"));
    assert_eq!(wiredyno(&["size", "gone.jsonl"]).refused(1), "wiredyno: gone.jsonl: there is no such file\n");
    let error = wiredyno(&["build", "gone.jsonl"]).refused(2);
    assert!(error.contains("there is no file gone.jsonl either"), "{error}");
    let error = wiredyno(&["report", "."]).refused(1);
    assert!(error.contains(". holds no run") && !error.contains("wiredyno report"), "{error}");
    let error = wiredyno(&["size", "/dev/null"]).refused(1);
    assert!(error.contains("not a regular file: `wiredyno size -`"), "{error}");
    // No suggestion is made for names this different.
    let error = wiredyno(&["size", "nope"]).refused(2);
    assert!(error.contains("no payload `nope`") && !error.contains("opaque"), "{error}");
    assert!(wiredyno(&["run", "nope"]).refused(2).contains("there is no study `nope`"));
    assert!(wiredyno(&["new", "a@7", "--from", "a.avsc"]).refused(2).contains("takes no size"));
}

#[test]
fn a_quantity_without_its_unit_and_a_setting_that_can_not_be_are_told_with_what_to_write() {
    let error = refused_study(&TINY.replace("\"20ms\"", "20"));
    assert!(error.contains("`20` is not a span of time") && error.contains("\"200ms\""), "{error}");
    let desk = Desk::new();
    for (setting, wanted) in [
        (
            "load.interval=200",
            "--set load.interval=200: `200` is not a span of time: write a number with its unit",
        ),
        ("interval=20ms", "--set interval=20ms: there is no key of that name; did you mean `load.interval`?"),
        ("trials.repeats=-1", "--set trials.repeats=-1: invalid value"),
        ("trials.repeats=abc", "expected a whole number, 0 or more"),
        ("mode=nope", "there is no protocol `nope`"),
    ] {
        let error = desk.wiredyno(&["run", "tiny.toml", "--out", "r", "--set", setting]).refused(2);
        assert!(error.contains(wanted) && !error.contains("after --set"), "{setting}: {error}");
        assert!(!error.contains(".toml:"), "a line of a text that nobody sees: {error}");
    }
}

#[test]
fn doctor_tells_what_is_here_and_how_to_get_what_is_missing() {
    let findings = wiredyno(&["doctor", "--json"]).json();
    assert!(array(&findings).len() > 5);
    for finding in array(&findings) {
        assert!(!id(finding).is_empty() && finding["here"].is_boolean(), "{finding}");
        assert!(!finding["detail"].as_str().unwrap().is_empty(), "{finding}");
    }
    // The needs of each client and codec are met, or the output says how to install them.
    for transport in wiredyno_transport_registry::REGISTRY {
        let client = format!("client {}", transport.describe().id);
        let found = array(&findings).iter().find(|finding| id(finding) == client);
        let found = found.unwrap_or_else(|| panic!("{client} is missing in {findings}"));
        assert_eq!(found["here"], wiredyno_needs::lack(transport.needs).is_none(), "{found}");
    }
    for codec in wiredyno_codec_registry::REGISTRY.iter().filter(|codec| !codec.needs.is_empty()) {
        let codec = format!("codec {}", codec.id);
        assert!(
            array(&findings).iter().any(|finding| id(finding) == codec),
            "{codec} is missing in {findings}"
        );
    }
    let text = wiredyno(&["doctor"]).well();
    assert!(array(&findings).iter().all(|finding| text.contains(id(finding))), "{text}");
}

#[test]
fn doctor_and_plan_say_the_same_of_a_library_and_a_program_that_are_missing() {
    let desk = Desk::new();
    let without = |arguments: &[&str]| {
        let mut command = desk.command(arguments);
        said(command.env("PKG_CONFIG", "/nowhere/pkg-config").env("WIREDYNO_PROTOC", "/nowhere/protoc"))
    };
    let findings = without(&["doctor", "--json"]).json();
    let missing = |what: &str| {
        let found = array(&findings).iter().find(|finding| id(finding) == what).unwrap();
        assert_eq!(found["here"], false, "{found}");
        found["detail"].as_str().unwrap().to_owned()
    };
    let set = ["--set", "mode=tcp,dds/cyclonedds:reliable", "--set", "codec=json/serde-json,protobuf/upb"];
    let plan = without(&[&["run", "tiny.toml", "--dry-run", "--json"], &set[..]].concat()).json();
    let not_run = plan["not_run"].to_string();
    let (client, codec) = (missing("client dds/cyclonedds"), missing("codec protobuf/upb"));
    assert!(client.contains("sudo apt-get install pkg-config cyclonedds-dev"), "{client}");
    assert!(codec.contains("WIREDYNO_PROTOC"), "{codec}");
    assert!(not_run.contains(&client) && not_run.contains(&codec), "{not_run}");
    let install = |lack: &str| {
        let one = array(&plan["not_run"]).iter().find(|one| one["why"].as_str().unwrap().contains(lack));
        one.unwrap()["install"].clone()
    };
    assert_eq!(install(&client), "sudo apt-get install pkg-config cyclonedds-dev cyclonedds-tools");
    assert_eq!(install(&codec), Value::Null, "what takes more than a command is told in words alone");
    assert!(missing("client kafka/rdkafka").contains("librdkafka-dev"));
    assert!(missing("client coap/wiredyno with encryption").contains("libssl-dev"));
}

/// What `doctor` reports about a client's messages matches what a plan does with a cell that uses it.
#[test]
fn doctor_and_plan_say_the_same_of_every_protocol() {
    let desk = Desk::new();
    let protocols = list("protocols");
    let modes: Vec<&str> = protocols.iter().map(|entry| entry["modes"][0].as_str().unwrap()).collect();
    let mode = format!("mode={}", modes.join(","));
    let set =
        ["--set", mode.as_str(), "--set", "codec=json/serde-json", "--set", "codec_trials.enabled=false"];
    let plan = [&["run", "tiny.toml", "--dry-run", "--json"], &set[..]].concat();
    // On this machine, and where no library and almost no program is found.
    for without in [&[][..], &[("PKG_CONFIG", "/nowhere/pkg-config"), ("PATH", "/nowhere")]] {
        let say = |arguments: &[&str]| {
            let mut command = desk.command(arguments);
            // Cached versions of brokers do not matter.
            said(command.envs(without.iter().copied()).env(CACHE, desk.file("cache"))).json()
        };
        let (findings, plan) = (say(&["doctor", "--json"]), say(&plan));
        let mut missing = 0;
        for (protocol, mode) in protocols.iter().zip(&modes) {
            let what = format!("messages over {}", id(protocol));
            let found = array(&findings).iter().find(|finding| id(finding) == what).unwrap();
            let planned = array(&plan["cells"]).iter().any(|cell| cell["mode"] == **mode);
            assert_eq!(found["here"], planned, "{found}\n{}", plan["not_run"]);
            if !planned {
                let reason = found["detail"].as_str().unwrap();
                let not_run = array(&plan["not_run"]).iter().find(|not| not["why"] == reason);
                assert!(not_run.unwrap()["what"].as_str().unwrap().contains(mode), "{found}");
                missing += 1;
            }
        }
        assert!(without.is_empty() || missing > 2, "{findings}");
    }
}

#[test]
fn completions_and_manual_pages_come_from_the_command_line_itself() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = wiredyno(&["completions", shell]).well();
        assert!(script.contains("recommend") && script.contains("dry-run"), "{shell}");
    }
    // The completions for bash are a script that bash can parse.
    let script = wiredyno(&["completions", "bash"]).well();
    let desk = Desk::new();
    std::fs::write(desk.file("completions"), script).unwrap();
    said(std::process::Command::new("bash").arg("-n").arg(desk.file("completions"))).well();
    desk.wiredyno(&["man", "--out", "pages"]).well();
    let pages: BTreeSet<String> = std::fs::read_dir(desk.file("pages"))
        .unwrap()
        .map(|page| page.unwrap().file_name().into_string().unwrap())
        .collect();
    for page in ["wiredyno.1", "wiredyno-run.1", "wiredyno-schema-translate.1"] {
        assert!(pages.contains(page), "{pages:?}");
    }
    assert!(!pages.iter().any(|page| page.contains("lane")), "{pages:?}");
    assert!(wiredyno(&["man"]).well().contains("recommend"));
}

#[test]
fn a_pipe_gets_whole_lines_without_colour_unless_it_asks_for_it() {
    let run = |arguments: &[&str], environment: &[(&str, &str)]| {
        let mut command = stand::program();
        command.args(arguments).env_remove("NO_COLOR").env_remove("COLUMNS");
        said(command.envs(environment.iter().copied()))
    };
    assert!(!run(&["list", "codecs"], &[]).well().contains('\u{2026}'));
    assert!(run(&["list", "codecs"], &[("COLUMNS", "60")]).well().contains('\u{2026}'));
    let escape = '\u{1b}';
    let doctor = |arguments: &[&str], environment: &[(&str, &str)]| {
        run(&[&["doctor"], arguments].concat(), environment).well().contains(escape)
    };
    assert!(!doctor(&[], &[]) && doctor(&["--color", "always"], &[("NO_COLOR", "1")]));
    assert!(!doctor(&["--color", "never"], &[("CLICOLOR_FORCE", "1")]));
    assert!(!doctor(&[], &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]));
    let refused = run(&["show", "study", "nowhere", "--color", "always"], &[]).refused(2);
    assert!(refused.contains(escape), "{refused}");
}

#[test]
fn a_list_is_narrowed_by_words_of_ids() {
    let avro = wiredyno(&["list", "codecs", "avro", "--json"]).json();
    let ids: Vec<&str> = array(&avro).iter().map(id).collect();
    assert!(ids.len() > 1 && ids.iter().all(|id| id.contains("avro")), "{ids:?}");
    let one = wiredyno(&["list", "codecs", "apache", "avro", "--json"]).json();
    assert!(array(&one).len() < ids.len() && !array(&one).is_empty(), "{one}");
    let nothing = wiredyno(&["list", "codecs", "avrow"]).refused(1);
    assert!(nothing.contains("avrow") && nothing.contains("leave it out"), "{nothing}");
}
