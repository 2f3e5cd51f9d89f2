//! The commands that need no run: encode, decode, measure, list, show, help, and refusals.

use std::collections::{BTreeMap, BTreeSet};

use crate::stand::{
    self, CACHE, Desk, SOME_CODECS, TINY, array, fed, number, provide_codecs, said, wiredyno,
};
use serde_json::Value;

const KINDS: [&str; 9] = [
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

fn list(kind: &str) -> Vec<Value> {
    array(&wiredyno(&["list", kind, "--json"]).json()).to_vec()
}

/// The codecs that are compiled together.
fn composed_codecs() -> Vec<Value> {
    list("codecs").into_iter().filter(|codec| codec["runner"] == "rust").collect()
}

fn id(entry: &Value) -> &str {
    entry["id"].as_str().unwrap()
}

/// `opaque@SIZE`, with a size that can be encoded.
fn with_size(payload: &str) -> String {
    payload.replace("@SIZE", "@100")
}

#[test]
fn encode_prints_the_published_bytes_of_person() {
    provide_codecs("person");
    // Appendix A of Myastovskiy, "Evaluating the Performance of Serialization Protocols in Apache Kafka" (2024).
    let published = [
        (
            "messagepack/rmp-serde",
            "84aa66697273745f6e616d65a5416c696365a96c6173745f6e616d65a8416e647265736f6ea36167651eac\
             70686f6e655f6e756d626572ac3132332d3435362d37383930",
        ),
        ("protobuf/prost", "0a05416c6963651208416e647265736f6e181e220c3132332d3435362d37383930"),
        ("avro/apache-avro", "0a416c69636510416e647265736f6e3c183132332d3435362d37383930"),
    ];
    for (codec, bytes) in published {
        let printed = wiredyno(&["encode", "--payload", "person", "--codec", codec, "--hex"]).well();
        assert_eq!(printed, format!("{bytes}\n"), "{codec}");
    }
}

#[test]
fn encode_without_hex_writes_the_bytes_and_nothing_else() {
    provide_codecs("person");
    let bytes = wiredyno(&["encode", "--payload", "person", "--codec", "json/serde-json"]).well();
    let value = r#"{"first_name":"Alice","last_name":"Andreson","age":30,"phone_number":"123-456-7890"}"#;
    assert_eq!(bytes, value);
}

#[test]
fn every_codec_carries_every_payload_there_and_back_through_pipes() {
    let codecs = composed_codecs();
    let full = std::env::var_os("WIREDYNO_TEST_FULL").is_some();
    // The first codec's value of a sample, which all others must reproduce.
    let mut values: BTreeMap<(String, String), String> = BTreeMap::new();
    for payload in &list("payloads") {
        let name = with_size(id(payload));
        let bare = id(payload).replace("@SIZE", "");
        // Each pair starts three processes per sample, so only the full form tests all of them. What is
        // left out here is covered by the conformance suite for each definition and codec.
        match bare.as_str() {
            "person" => provide_codecs("person"),
            "small" | "current-status" => {}
            name if full => provide_codecs(name),
            _ => continue,
        }
        let last = (payload["samples"].as_u64().unwrap_or(1) - 1).min(3).to_string();
        let samples: BTreeSet<&str> = BTreeSet::from(["0", &last]);
        for codec in &codecs {
            let asked = if bare == "person" { &SOME_CODECS[..] } else { &["json/serde-json"] };
            if !full && !asked.contains(&id(codec)) {
                continue;
            }
            if array(&codec["not_carried"]).iter().any(|not| not["payload"] == bare) {
                continue;
            }
            let pair = ["--payload", &name, "--codec", id(codec), "--hex"];
            for sample in &samples {
                let at = || format!("{name} {} sample {sample}", id(codec));
                let body = wiredyno(&[&["encode", "--sample", sample], &pair[..]].concat()).well();
                let line = fed(&[&["decode", "-"], &pair[..]].concat(), &body).well();
                assert_eq!(line.lines().count(), 1, "{}", at());
                let again = fed(&[&["encode", "--value", "-"], &pair[..]].concat(), &line).well();
                if array(&codec["capabilities"]).iter().any(|label| label == "canonical") {
                    assert_eq!(again, body, "{}", at());
                } else {
                    assert_eq!(fed(&[&["decode", "-"], &pair[..]].concat(), &again).well(), line, "{}", at());
                }
                let key = (name.clone(), (*sample).to_owned());
                let value = values.entry(key).or_insert_with(|| line.clone());
                assert_eq!(*value, line, "{}", at());
            }
        }
    }
    assert!(values.len() >= if full { 20 } else { 5 }, "{:?}", values.keys());
}

#[test]
fn every_compression_carries_a_message_there_and_back() {
    let pair = ["--payload", "current-status", "--codec", "json/serde-json", "--hex"];
    let plain = wiredyno(&[&["encode"], &pair[..]].concat()).well();
    let value = fed(&[&["decode", "-"], &pair[..]].concat(), &plain).well();
    let compressions = list("compressions");
    assert!(compressions.len() >= 6);
    for compression in &compressions {
        let with = ["--compression", id(compression)];
        let body = wiredyno(&[&["encode"], &pair[..], &with[..]].concat()).well();
        if id(compression) == "none" {
            assert_eq!(body, plain);
        } else {
            // A textual telemetry message of 12 kB: every method takes at least half of it.
            assert!(body.len() * 2 < plain.len(), "{}: {} of {}", id(compression), body.len(), plain.len());
        }
        let back = fed(&[&["decode", "-"], &pair[..], &with[..]].concat(), &body).well();
        assert_eq!(back, value, "{}", id(compression));
    }
    let refused = |code: i32, compression: &str, hint: &str| {
        let with =
            ["encode", "--payload", "person", "--codec", "cbor/ciborium", "--compression", compression];
        let error = wiredyno(&with).refused(code);
        assert!(error.contains(hint), "{error}");
    };
    refused(2, "zsdt:3", "`zstd`");
    refused(2, "gzip:77", "1 to 9");
    refused(1, "zstd:3:dictionary", "samples other than those measured");
}

#[test]
fn a_value_comes_from_standard_input_or_a_file() {
    provide_codecs("person");
    let desk = Desk::new();
    let value = r#"{"first_name": "Al", "age": 7}"#;
    let encode = ["encode", "--payload", "person", "--codec", "protobuf/prost", "--hex", "--value"];
    let piped = fed(&[&encode[..], &["-"]].concat(), value).well();
    assert_eq!(piped, "0a02416c1807\n");
    std::fs::write(desk.file("al.json"), value).unwrap();
    assert_eq!(desk.wiredyno(&[&encode[..], &["al.json"]].concat()).well(), piped);
}

#[test]
fn a_wrong_value_is_refused_with_file_line_and_column() {
    provide_codecs("person");
    let desk = Desk::new();
    let encode = ["encode", "--payload", "person", "--codec", "protobuf/prost", "--hex", "--value"];
    std::fs::write(desk.file("v.json"), "{\"first_name\": \"Al\",\n \"nope\": 3}").unwrap();
    let error = desk.wiredyno(&[&encode[..], &["v.json"]].concat()).refused(1);
    assert!(error.starts_with("wiredyno: v.json:2: unrecognized field name 'nope', column 7; "), "{error}");
    let error = fed(&[&encode[..], &["-"]].concat(), r#"{"age": "old"}"#).refused(1);
    assert!(error.starts_with("wiredyno: standard input:1: "), "{error}");
    let error = desk.wiredyno(&[&encode[..], &["none.json"]].concat()).refused(1);
    assert!(error.starts_with("wiredyno: none.json: No such file"), "{error}");
}

#[test]
fn bytes_that_are_no_message_are_refused() {
    provide_codecs("person");
    let decode = ["decode", "--payload", "person", "--codec", "protobuf/prost", "--hex"];
    let error = fed(&decode, "0g").refused(1);
    assert!(error.contains("standard input: ") && error.contains("0-9 and a-f"), "{error}");
    let error = fed(&decode, "0a0").refused(1);
    assert!(error.contains("pairs of the digits"), "{error}");
    let error = fed(&decode, "0aff").refused(1);
    assert!(error.starts_with("wiredyno: protobuf/prost can't decode these bytes: "), "{error}");
    // Copied bytes often have white space between digits.
    assert!(fed(&decode, "0a 02\n41 6c\n").well().contains(r#""first_name":"Al""#));
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
fn measure_prints_the_phases_with_cpu_heap_and_stack() {
    let measure = ["measure", "--payload", "small", "--codec", "protobuf/prost"];
    let text = wiredyno(&measure).well();
    for phase in ["build", "encode", "encode_fresh", "decode", "read"] {
        let row = text.lines().find(|line| line.split_whitespace().next() == Some(phase));
        let words: Vec<&str> = row.unwrap().split_whitespace().skip(1).collect();
        assert_eq!(words.len(), 8, "{text}");
        // Instructions are a dash if the kernel does not allow counting them, and a line says why.
        for (place, word) in words.iter().enumerate() {
            let figure = word.parse::<f64>().is_ok_and(f64::is_finite);
            assert!(figure || (place == 3 && text.contains("No instructions: ")), "{text}");
        }
    }
    assert!(text.contains("12.0 bytes mean"), "{text}");
    let record = wiredyno(&[&measure[..], &["--json"]].concat()).json();
    assert_eq!(record["cell"]["codec"], "protobuf/prost");
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
    assert!(text.starts_with("text\n  json/orjson "), "{text}");
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
fn patterns_on_axes_are_resolved_when_a_run_is_planned() {
    let plan = |codec: &str, payload: &str| {
        let set = [format!("codec={codec}"), format!("payload={payload}")];
        wiredyno(&["run", "formats", "--dry-run", "--json", "--set", &set[0], "--set", &set[1]])
    };
    let planned = plan("messagepack/*,json/serde-json", "person,*@16").json();
    let pairs: BTreeSet<String> = array(&planned["codec_trials"])
        .iter()
        .map(|trial| {
            format!(
                "{} {}",
                trial["cell"]["payload"].as_str().unwrap(),
                trial["cell"]["codec"].as_str().unwrap()
            )
        })
        .collect();
    assert!(pairs.contains("opaque@16 messagepack/rmp-serde:positional"), "{pairs:?}");
    assert!(pairs.contains("person json/serde-json"), "{pairs:?}");
    assert!(pairs.iter().all(|pair| pair.contains("messagepack/") || pair.contains("json/")), "{pairs:?}");
    let error = plan("messagepck/*", "person").refused(2);
    assert!(error.contains("matches no codec") && error.contains("did you mean `messagepack/*`?"), "{error}");
    assert!(plan("all", "x*").refused(2).contains("matches no payload"));
}

#[test]
fn the_study_of_formats_takes_every_codec_and_less_than_half_an_hour() {
    let planned = wiredyno(&["run", "formats", "--dry-run", "--json"]).json();
    assert!(planned["estimate_ns"].as_u64().unwrap() < 30 * 60 * 1_000_000_000, "{}", planned["estimate_ns"]);
    let trials = array(&planned["codec_trials"]);
    for codec in composed_codecs() {
        let left_out = array(&planned["not_run"])
            .iter()
            .any(|not| not["what"].as_str().unwrap().ends_with(&format!(" {}", id(&codec))));
        let measured = trials.iter().any(|trial| trial["cell"]["codec"] == codec["id"]);
        assert!(measured || left_out, "{}", id(&codec));
    }
    assert!(array(&planned["trials"]).is_empty());
    let text = wiredyno(&["run", "formats", "--dry-run"]).well();
    assert!(text.contains("pairs of") && text.contains("7 payloads"), "{text}");
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
        "measure", "link", "doctor",
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
fn a_file_that_a_run_could_not_write_behind_its_last_trial_is_refused_before_the_first() {
    let desk = Desk::new();
    let run = |file: &str| desk.wiredyno(&["run", "tiny.toml", "--out", "r", "--junit", file]).refused(2);
    assert!(run("gone/x.xml").contains("gone/x.xml can't be written: there is no folder gone"));
    assert!(run(".").contains(". is a folder: name a file") && !desk.file("r").exists());
    std::fs::write(desk.file("one.json"), "{\"a\":1}").unwrap();
    let error = desk.wiredyno(&["size", "one.json", "--samples", "one.json"]).refused(1);
    assert!(error.contains("--samples needs a payload"), "{error}");
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
fn a_link_can_be_named_by_its_path() {
    let desk = Desk::new();
    let text = wiredyno(&["show", "link", "lan"]).well();
    std::fs::write(desk.file("my.toml"), text).unwrap();
    let run =
        |link: &str| desk.wiredyno(&["run", "tiny.toml", "--dry-run", "--set", &format!("link={link}")]);
    assert!(run("./my.toml").well().contains("./my.toml"));
    std::fs::write(desk.file("other.toml"), TINY.replace("[load]", "link = [\"./my.toml\"]\n[load]"))
        .unwrap();
    assert!(desk.wiredyno(&["run", "other.toml", "--dry-run"]).well().contains("./my.toml"));
    assert!(run("./none.toml").refused(1).contains("./none.toml"));
    assert!(run("none/my").refused(2).contains("a path such as ./my.toml"));
}

#[test]
fn plans_refuse_what_can_not_work() {
    let desk = Desk::new();
    let run = |options: &[&str]| desk.wiredyno(&[&["run", "tiny.toml", "--dry-run"], options].concat());
    // 307 kB do not fit into a datagram: those cells are left out with the limit as reason, the others stay.
    let big = [
        "--set",
        "payload=opaque@307000",
        "--set",
        "codec=raw/wiredyno",
        "--set",
        "mode=udp,tcp,quic:datagram",
    ];
    let text = run(&big).well();
    assert!(
        text.contains("udp carries bodies of up to 65507 bytes, but `opaque@307000` has up to 307000"),
        "{text}"
    );
    assert!(text.contains("quic:datagram carries bodies of up to 1162 bytes"), "{text}");
    assert!(text.starts_with("1 cell"), "{text}");
    let wider =
        [&big[..], &["--set", "payload=opaque@1400", "--set", "transport.quic.initial_mtu=1472"]].concat();
    assert!(!run(&wider).well().contains("carries bodies"), "1,434 bytes fit into packets of 1,472");
    std::fs::write(desk.file("file"), "").unwrap();
    std::fs::create_dir_all(desk.file("full/x")).unwrap();
    let outs: [(&str, &str); 3] =
        [("file/r", "is not a folder"), ("full", "full"), ("/dev/null/r", "/dev/null is not a folder")];
    for (out, wanted) in outs {
        let error = run(&["--out", out]).refused(2);
        assert!(error.contains(wanted), "{out}: {error}");
    }
    let error = run(&["--set", "trials.repeats=3000000"]).refused(2);
    assert!(error.contains("a run may have at most 200000"), "{error}");
    assert!(run(&["--set", "trials.lanes=100000"]).refused(2).contains("lanes are too many"));
    let error = refused_study(&TINY.replace("\"tiny\"", "\"../../x\""));
    assert!(error.contains("\"../../x\" can't be part of a folder's name"), "{error}");
}

#[test]
fn a_run_that_may_take_so_long_makes_fewer_repeats_and_then_fewer_cells() {
    let desk = Desk::for_runs();
    let dry_run = |more: &[&str]| {
        desk.wiredyno(&[&["run", "tiny.toml", "--dry-run", "--set", "trials.repeats=100"], more].concat())
    };
    let whole = dry_run(&["--json"]).json();
    assert_eq!(array(&whole["trials"]).len(), 1_000);
    let estimate_ns = number(&whole, "estimate_ns");
    let half = format!("{}ms", estimate_ns / 2_000_000);
    let within = dry_run(&["--json", "--max-time", &half]).json();
    let trials = array(&within["trials"]).len();
    assert!((400..=500).contains(&trials) && trials.is_multiple_of(10), "{trials}");
    assert!(number(&within, "estimate_ns") <= estimate_ns / 2);
    // A hundredth fits one repeat of all cells; half of that leaves some out.
    let least = dry_run(&["--max-time", &format!("{}ms", estimate_ns / 200_000_000)]);
    let said = format!("{}{}", least.out, least.err);
    assert!(said.contains("1 of 100 repeats are run, and ") && said.contains("cells are left out"), "{said}");
    assert!(dry_run(&["--max-time", "1ms"]).refused(2).contains("not even one trial fits"));
    assert_eq!(dry_run(&["--json", "--max-time", "100h"]).json()["trials"], whole["trials"]);
}

#[test]
fn the_time_that_a_run_may_take_is_that_of_compiling_too() {
    let (desk, cache) = (Desk::new(), Desk::new());
    let dry_run = |more: &[&str]| {
        let arguments = [&["run", "tiny.toml", "--dry-run", "--set", "trials.repeats=100"], more].concat();
        said(desk.command(&arguments).env(CACHE, cache.file("cache")))
    };
    let whole = dry_run(&["--json"]).json();
    let (trials_ns, compiling_ns) = (number(&whole, "estimate_ns"), number(&whole, "compile_estimate_ns"));
    assert!(compiling_ns > 0, "a cache of its own has no runner");
    let within = dry_run(&["--json", "--max-time", &format!("{}ms", trials_ns / 1_000_000)]).json();
    let together = number(&within, "estimate_ns") + number(&within, "compile_estimate_ns");
    assert!(together <= trials_ns && array(&within["trials"]).len() < 1_000, "{together} of {trials_ns}");
    let most = format!("{}ms", (trials_ns + compiling_ns) / 1_000_000 + 1);
    assert_eq!(dry_run(&["--json", "--max-time", &most]).json()["trials"], whole["trials"]);
    let error = dry_run(&["--max-time", "100ms"]).refused(2);
    assert!(error.contains("not even one trial fits") && error.contains("`wiredyno build STUDY`"), "{error}");
}

#[test]
fn a_run_without_any_figure_ends_with_code_three_and_says_what_to_do() {
    let desk = Desk::new();
    let run = ["run", "tiny.toml", "--out", "r", "--set", "codec=raw/wiredyno"];
    let said = desk.wiredyno(&run);
    assert_eq!(said.code, Some(3), "{}{}", said.out, said.err);
    let told = said.err.lines().find(|line| line.contains("the run has no figure")).unwrap();
    assert!(told.contains("nothing of it can be run here: ") && told.contains("string or bytes"), "{told}");
}

#[test]
fn a_plan_says_how_messages_go_also_where_the_study_does_not() {
    let desk = Desk::new();
    let plan = |set: &[&str]| {
        let mut arguments = vec!["run", "tiny.toml", "--dry-run", "--set", "codec=json/serde-json"];
        arguments.extend(set.iter().flat_map(|setting| ["--set", setting]));
        desk.wiredyno(&arguments).well()
    };
    let text = plan(&["mode=tcp", "link=lte"]);
    assert!(text.contains("\nmessages: there and back, two hops\n"), "{text}");
    let text = plan(&["mode=tcp", "link=lte", "hosts.subscriber=cloud"]);
    assert!(text.contains("\nmessages: one way, two hops\n"), "{text}");
    let text = plan(&["mode=tcp,dds:reliable", "link=lte"]);
    let of = |mode: &str| text.lines().find(|line| line.contains(mode)).unwrap_or_default().to_owned();
    assert!(of(" tcp ").ends_with("; there and back, two hops"), "{text}");
    assert!(of("dds:reliable").ends_with("; one way, one hop"), "{text}");
}

fn refused_study(text: &str) -> String {
    let desk = Desk::new();
    std::fs::write(desk.file("mine.toml"), text).unwrap();
    let error = desk.wiredyno(&["run", "mine.toml", "--out", "r"]).refused(1);
    assert!(!desk.file("r").exists(), "a refused study left a run folder");
    error
}

#[test]
fn unknown_keys_in_a_study_are_refused_with_file_line_and_the_nearest_key() {
    let line = |needle: &str| TINY.lines().position(|line| line.starts_with(needle)).unwrap() + 1;
    for (known, wrong) in [("repeats", "repeat"), ("messages", "mesages"), ("codec ", "codecs ")] {
        let error = refused_study(&TINY.replacen(&format!("\n{known}"), &format!("\n{wrong}"), 1));
        let place = format!("wiredyno: mine.toml:{}: ", line(known));
        assert!(error.starts_with(&place), "{place}: {error}");
        assert!(error.contains(&format!("did you mean `{}`?", known.trim())), "{error}");
    }
}

#[test]
fn what_a_study_names_and_nobody_has_is_refused() {
    let error = refused_study(&TINY.replace("protobuf/prost", "protobuf/pros"));
    assert!(error.contains("did you mean `protobuf/prost`?"), "{error}");
    let error = refused_study(&TINY.replace(r#"["person"]"#, r#"["persons"]"#));
    assert!(error.contains("did you mean `person`?"), "{error}");
    let error = refused_study(&TINY.replace("mqtt:qos2", "mqtt:qos3"));
    assert!(error.contains("`mqtt:qos0`, `mqtt:qos1`, `mqtt:qos2`"), "{error}");
    let error = refused_study(&TINY.replace("mqtt:qos0", "mqt:qos0"));
    assert!(error.contains("did you mean `mqtt`?"), "{error}");
    let error = refused_study(&TINY.replace("[load]", "link = [\"lta\"]\n[load]"));
    assert!(error.contains("did you mean `lte`?"), "{error}");
    let error = refused_study(&TINY.replace("\"20ms\"", "\"10 parsecs\""));
    assert!(error.starts_with("wiredyno: mine.toml:"), "{error}");
}

#[test]
fn options_that_name_nothing_of_the_study_are_refused() {
    let desk = Desk::new();
    let run = |options: &[&str]| desk.wiredyno(&[&["run", "tiny.toml", "--out", "r"], options].concat());
    let cases: [(&[&str], &str); 10] = [
        (&["--only", "color=red"], "payload, codec, compression, mode, broker, security, link, loss"),
        (&["--only", "mode=mqtt:qos7"], "udp, tcp, mqtt:qos0"),
        (&["--only", "mode"], "--only codec=json/serde-json"),
        (&["--set", "color=red"], "--set color=red: unknown field `color`"),
        (&["--set", "trials.repeat=1"], "did you mean `repeats`?"),
        (&["--set", "codec=json/serde"], "did you mean `json/serde-json`?"),
        (&["--broker", "mqtt"], "mqtt=127.0.0.1:1883"),
        (&["--broker", "amqp=127.0.0.1:5672"], "there is no protocol `amqp`, only amqp-0-9-1"),
        (&["--broker", "amqp-1-0=127.0.0.1:5672"], "no mode of the study"),
        (&["--broker", "mqtt=127.0.0.1:1883", "--set", "link=lte"], "an emulated link cannot reach"),
    ];
    for (options, said) in cases {
        let error = run(options).refused(2);
        assert!(error.contains(said), "{options:?}: {error}");
        assert!(!desk.file("r").exists(), "{options:?}");
    }
    assert!(desk.wiredyno(&["report", "r"]).refused(1).contains("holds no run"));
    assert!(desk.wiredyno(&["run", "none.toml"]).refused(1).contains("none.toml: No such file"));
}

#[test]
fn a_dry_run_says_how_many_and_how_long_and_touches_nothing() {
    let desk = Desk::new();
    // In its own cache, so that a runner is always missing.
    let cache = Desk::new();
    let dry_run = |more: &[&str]| {
        let arguments = [&["run", "tiny.toml", "--dry-run"], more].concat();
        said(desk.command(&arguments).env(CACHE, cache.file("cache"))).well()
    };
    let text = dry_run(&[]);
    assert!(
        text.starts_with("10 cells, 20 message trials in up to 1 lane; 4 codec trials; about "),
        "{text}"
    );
    // The line of the plan, the line of what is compiled first, the path of messages, and one line per cell.
    assert_eq!(text.lines().count(), 13, "{text}");
    let text = dry_run(&["--only", "mode=udp,tcp", "--only", "codec=protobuf/prost"]);
    assert!(text.starts_with("2 cells, 4 message trials"), "{text}");
    let text = dry_run(&["--set", "payload=small,person", "--set", "trials.repeats=3", "--set", "mode=udp"]);
    assert!(text.starts_with("4 cells, 12 message trials in up to 1 lane; 12 codec trials"), "{text}");
    // Without messages there are no lanes.
    let codecs =
        "name = \"codecs\"\nwhy = \"?\"\n[axes]\npayload = [\"person\"]\ncodec = [\"json/serde-json\"]\n";
    let other = Desk::new();
    std::fs::write(other.file("codecs.toml"), codecs).unwrap();
    let text = other.wiredyno(&["run", "codecs.toml", "--dry-run", "--set", "trials.repeats=3"]).well();
    assert!(text.starts_with("3 codec trials; about "), "{text}");
    let alike = ["--set", "payload=opaque@0", "--set", "codec=raw/wiredyno", "--set", "mode=udp"];
    let text = dry_run(&alike);
    assert!(text.contains("; only counted: every message is like the first, 20 ms later"), "{text}");
    let text = dry_run(&[&alike[..], &["--set", "load.kind=closed"]].concat());
    assert!(!text.contains("only counted"), "{text}");
    let files: Vec<_> = std::fs::read_dir(desk.path()).unwrap().map(|f| f.unwrap().file_name()).collect();
    assert_eq!(files, ["tiny.toml"]);
    // Only the versions of rustc and brokers may be cached.
    let kept = std::fs::read_dir(cache.file("cache/wiredyno")).into_iter().flatten();
    let kept: Vec<_> = kept.map(|entry| entry.unwrap().file_name()).collect();
    assert!(kept.iter().all(|name| name == "answers"), "{kept:?}");
}

#[test]
fn the_same_seed_gives_the_same_schedule_and_another_one_another() {
    let desk = Desk::new();
    let plan = |seed: &str| {
        let set = format!("trials.seed={seed}");
        desk.wiredyno(&["run", "tiny.toml", "--dry-run", "--json", "--set", &set]).json()
    };
    let (one, other) = (plan("1"), plan("2"));
    assert_eq!(one, plan("1"));
    assert_eq!(array(&one["trials"]).len(), 20);
    assert_eq!(one["cells"], other["cells"]);
    assert_ne!(one["trials"], other["trials"]);
}

#[test]
fn a_study_with_a_codec_that_cannot_carry_a_payload_goes_on_without_it_and_says_so() {
    let desk = Desk::new();
    let set = ["--set", "codec=raw/wiredyno,json/serde-json"];
    let text = desk.wiredyno(&[&["run", "tiny.toml", "--dry-run"], &set[..]].concat()).well();
    assert!(text.starts_with("5 cells, "), "{text}");
    assert!(text.contains("not run: person raw/wiredyno: "), "{text}");
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
