//! What a plan says, and refuses, before anything runs.

use crate::coding::composed_codecs;
use crate::commands::id;
use crate::stand::{CACHE, Desk, TINY, array, number, said, wiredyno};
use std::collections::BTreeSet;

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
    // Patterns are of codecs in Rust, unless a study names another language.
    for codec in composed_codecs().into_iter().filter(|codec| codec["language"].is_null()) {
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

pub(crate) fn refused_study(text: &str) -> String {
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
fn bodies_that_repeat_within_what_a_compressor_sees_are_told() {
    let plan = |codec: &str, compression: &str, batch_bytes: &str| {
        let settings = [
            "payload=kafka-record@1176".to_owned(),
            format!("codec={codec}"),
            "mode=kafka:acks-1".to_owned(),
            "link=loopback".to_owned(),
            "load.messages=2000".to_owned(),
            "load.samples=100".to_owned(),
            format!("transport.kafka.compression={compression}"),
            format!("transport.kafka.batch_bytes={batch_bytes}"),
        ];
        let settings: Vec<&str> = settings.iter().flat_map(|one| ["--set", one.as_str()]).collect();
        let broker = ["run", "tiny.toml", "--dry-run", "--broker", "kafka=kafka://127.0.0.1:9"];
        Desk::new().wiredyno(&[&broker[..], &settings].concat()).well()
    };
    // A hundred samples of some 1,200 bytes in JSON and 170 in Protobuf.
    let told = plan("json/serde-json", "zstd", "1000000");
    assert!(told.contains("100 distinct contents of about 1"), "{told}");
    assert!(told.contains("come round within the 1000000 bytes that zstd sees of a batch"), "{told}");
    assert!(plan("protobuf/prost", "lz4", "1000000").contains("within the 65536 bytes that lz4 sees"));
    for (compression, batch_bytes) in [("none", "1000000"), ("zstd", "100000"), ("lz4", "1000000")] {
        let told = plan("json/serde-json", compression, batch_bytes);
        assert!(!told.contains("come round"), "{compression} {batch_bytes}: {told}");
    }
}
