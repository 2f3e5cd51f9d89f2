//! Runners that are compiled when a command needs them: cached, rebuilt, listed, deleted, refused.
//!
//! Definitions have two fields and one codec or two: with compiled libraries, a runner takes some seconds, and the second
//! run of a test compiles little. Refusals of `wiredyno build` are in `build`.
//!
//! One file because it follows runners from their compilation to their deletion.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::SystemTime;

use crate::stand::{
    CACHE, Desk, HOME, Said, array, assert_accounted, copy_runners, kept, payload, programs, said, script,
};
use serde_json::{Value, json};

const JSON: [&str; 2] = ["--codec", "json/serde-json"];

/// Deletes what an earlier test run has built for a payload.
fn remove(desk: &Desk, payload: &str) {
    let _ = desk.wiredyno(&["build", "--remove", payload]);
    assert!(kept(Path::new(HOME), payload).is_empty());
}

#[test]
fn a_run_builds_what_is_missing_before_its_first_trial_and_a_second_run_builds_nothing() {
    let desk = Desk::new();
    payload(&desk, "run-builds", "uint32 id = 1; string what = 2;", "{\"id\":1,\"what\":\"a\"}\n");
    remove(&desk, "run-builds");
    let run = |out| {
        let set = ["--set", "payload=./run-builds", "--set", "mode=tcp,udp", "--set", "trials.repeats=1"];
        [&["run", "tiny.toml", "--out", out], &set[..]].concat()
    };
    let planned = |out| desk.wiredyno(&[&run(out)[..], &["--dry-run", "--json"]].concat()).json();
    assert_eq!(array(&planned("r")["to_compile"]).len(), 1);
    let begun = SystemTime::now();
    desk.wiredyno(&run("r")).well();
    let summary = desk.summary("r");
    assert_accounted(&summary, 1);
    let [folder] = &kept(Path::new(HOME), "run-builds")[..] else { panic!("not one runner") };
    let build = &summary["environment"]["builds"][0];
    assert_eq!(build["build"], folder.file_name().unwrap().to_str().unwrap());
    assert_eq!(build["codecs"], json!(["json/serde-json", "protobuf/prost"]));
    let built = std::fs::metadata(folder.join("runner")).unwrap().modified().unwrap();
    let first_trial = std::fs::metadata(desk.file("r/study.toml")).unwrap().modified().unwrap();
    assert!(begun <= built && built <= first_trial);
    assert_eq!(planned("s")["to_compile"], json!([]));
    let programs = programs(&desk, &[]);
    said(desk.command(&run("s")).env("PATH", &programs)).well();
    assert_eq!(desk.summary("s")["environment"]["builds"][0], *build);
}

/// Runners would be compiled for an undeclared CPU, and figures would depend on flags that no result records.
#[test]
fn flags_for_rustc_from_outside_change_no_runner() {
    let desk = Desk::new();
    payload(&desk, "flags", "uint32 id = 1; string flags = 2;", "{\"id\":1}\n");
    remove(&desk, "flags");
    let [target] = &said(Command::new("rustc").arg("-vV"))
        .well()
        .lines()
        .filter_map(|line| line.strip_prefix("host: "))
        .map(|host| host.to_uppercase().replace('-', "_"))
        .collect::<Vec<_>>()[..]
    else {
        panic!("no host")
    };
    let mut build = desk.command(&[&["build", "./flags"], &JSON[..]].concat());
    for name in [
        "RUSTFLAGS",
        "CARGO_ENCODED_RUSTFLAGS",
        "CARGO_BUILD_RUSTFLAGS",
        &format!("CARGO_TARGET_{target}_RUSTFLAGS"),
    ] {
        build.env(name, "--no-such-flag");
    }
    said(&mut build).well();
}

/// The folder is read every time a command names it.
#[test]
fn new_samples_need_no_new_build_and_a_new_definition_is_built_by_itself() {
    let desk = Desk::new();
    let two = "uint32 id = 1; string what = 2;";
    payload(&desk, "changes", two, "{\"id\":1,\"what\":\"first\"}\n");
    let encode = [&["encode", "--payload", "./changes"], &JSON[..]].concat();
    assert_eq!(desk.wiredyno(&encode).well(), r#"{"id":1,"what":"first"}"#);
    let measure = [&["measure", "--json", "--payload", "./changes"], &JSON[..]].concat();
    let body_bytes = |command: &mut Command| said(command).json()["body_bytes"].clone();
    assert_eq!(body_bytes(&mut desk.command(&measure)), json!([23]));

    payload(&desk, "changes", two, "{\"id\":2,\"what\":\"second\"}\n{\"id\":30}\n");
    let programs = programs(&desk, &[]);
    let without_cargo = |arguments: &[&str]| {
        let mut command = desk.command(arguments);
        command.env("PATH", &programs);
        command
    };
    assert_eq!(said(&mut without_cargo(&encode)).well(), r#"{"id":2,"what":"second"}"#);
    assert_eq!(body_bytes(&mut without_cargo(&measure)), json!([24, 19]));

    let three = format!("{two} bool late = 3;");
    payload(&desk, "changes", &three, "{\"id\":3,\"what\":\"x\",\"late\":true}\n");
    assert_eq!(desk.wiredyno(&encode).well(), r#"{"id":3,"what":"x","late":true}"#);
    // Both are cached: switching back compiles nothing.
    payload(&desk, "changes", two, "{\"id\":4,\"what\":\"y\"}\n");
    assert_eq!(said(&mut without_cargo(&encode)).well(), r#"{"id":4,"what":"y"}"#);
}

#[test]
fn build_notes_names_lists_collects_and_removes_runners() {
    let desk = Desk::new();
    payload(&desk, "kept", "uint32 id = 1; string kept = 2;", "{\"id\":1}\n");
    let encode = |name| [&["encode", "--payload", name], &JSON[..]].concat();
    desk.wiredyno(&encode("./kept")).well();
    // The test's own cache, because everything in it is deleted.
    let cache = desk.file("cache");
    copy_runners("kept", &cache);
    let call = |arguments: &[&str]| said(desk.command(arguments).env(CACHE, &cache)).well();
    let listed = call(&["build", "--list"]);
    let line = listed.lines().next().unwrap();
    assert!(line.contains("  kept  json/serde-json  transports: none  "), "{listed}");
    assert!(line.contains(" MB  used ") && line.ends_with(" ago"), "{listed}");
    assert!(listed.lines().nth(1).unwrap().starts_with("1 runner, "), "{listed}");

    let built = call(&[&["build", "./kept"], &JSON[..]].concat());
    assert!(built.starts_with("kept: already built; 1 of 1 codec carry it\n"), "{built}");
    let elsewhere = Desk::new();
    let from_elsewhere = |arguments: &[&str]| said(elsewhere.command(arguments).env(CACHE, &cache));
    assert_eq!(from_elsewhere(&encode("kept")).well(), r#"{"id":1,"kept":""}"#);
    assert!(from_elsewhere(&["list", "payloads"]).well().contains("\nkept "));
    payload(&elsewhere, "kept", "uint32 id = 1; string kept = 2;", "{\"id\":2}\n");
    let renamed = from_elsewhere(&[&["build", "./kept"], &JSON[..]].concat()).well();
    assert!(renamed.contains("`kept` was ") && renamed.contains("from now on"), "{renamed}");

    assert!(call(&["build", "--gc"]).starts_with("0 runners deleted"));
    let deleted = call(&["build", "--gc", "--limit", "0"]);
    assert!(deleted.starts_with("deleted: ") && deleted.contains("\n1 runner deleted, "), "{deleted}");
    assert!(kept(&cache, "kept").is_empty());
    copy_runners("kept", &cache);
    assert_eq!(call(&["build", "--remove", "kept"]), "1 runner of `kept` deleted\n");
    assert!(kept(&cache, "kept").is_empty());
    let error = from_elsewhere(&["build", "--remove", "kept"]).refused(1);
    assert!(error.contains("nothing is built for `kept`"), "{error}");
}

#[test]
fn two_builds_at_once_both_succeed_and_one_waits_for_the_other() {
    let desk = Desk::new();
    payload(&desk, "twice", "uint32 id = 1; string twice = 2;", "{\"id\":1}\n");
    remove(&desk, "twice");
    let spawn = |codec| {
        let mut command = desk.command(&["encode", "--hex", "--payload", "./twice", "--codec", codec]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let (first, second) = (spawn("json/serde-json"), spawn("protobuf/prost"));
    let [first, second] = [first, second].map(|child| Said::from(child.wait_with_output().unwrap()));
    let told = format!("{}{}", first.err, second.err);
    // Both waited if a build of another test was running.
    assert!(told.contains("waiting for another build to finish"), "{told}");
    assert_eq!(
        first.well(),
        format!("{}\n", "{\"id\":1,\"twice\":\"\"}".bytes().map(|b| format!("{b:02x}")).collect::<String>())
    );
    assert_eq!(second.well(), "0801\n");
    assert_eq!(kept(Path::new(HOME), "twice").len(), 2);
}

#[test]
fn what_another_build_has_made_meanwhile_is_not_compiled_again() {
    let desk = Desk::new();
    payload(&desk, "once", "uint32 id = 1; string once = 2;", "{\"id\":1}\n");
    remove(&desk, "once");
    // A cargo that records what it is called for.
    let real = std::env::split_paths(&std::env::var_os("PATH").unwrap())
        .map(|folder| folder.join("cargo"))
        .find(|cargo| cargo.is_file())
        .unwrap();
    let asked = desk.file("asked");
    let programs = desk.file("programs");
    std::fs::create_dir(&programs).unwrap();
    script(
        &programs.join("cargo"),
        &format!("echo \"$1\" >> {}\nexec {} \"$@\"", asked.display(), real.display()),
    );
    let path = std::env::join_paths(
        std::iter::once(programs).chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())),
    );
    let path = path.unwrap();
    let spawn = || {
        let mut command = desk.command(&[&["build", "./once"], &JSON[..]].concat());
        command.env("PATH", &path).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let both = [spawn(), spawn()];
    for child in both {
        Said::from(child.wait_with_output().unwrap()).well();
    }
    let asked = std::fs::read_to_string(asked).unwrap();
    assert_eq!(asked.lines().filter(|line| *line == "build").count(), 1, "{asked}");
    // Unless `--force` is given; the same key in the same place.
    let [folder] = &kept(Path::new(HOME), "once")[..] else { panic!("not one runner") };
    let inode = || std::os::unix::fs::MetadataExt::ino(&std::fs::metadata(folder.join("runner")).unwrap());
    let before = inode();
    let again = [&["build", "./once", "--force"], &JSON[..]].concat();
    assert!(desk.wiredyno(&again).well().starts_with("once: built in "));
    assert_ne!(inode(), before);
    assert_eq!(kept(Path::new(HOME), "once").len(), 1);
}

/// Cargo without its downloads: the same program with an empty home.
#[test]
fn without_libraries_and_network_the_user_is_told_what_the_first_build_needs() {
    let desk = Desk::new();
    payload(&desk, "far", "uint32 id = 1; string far = 2;", "{\"id\":1}\n");
    std::fs::create_dir(desk.file("home")).unwrap();
    let build = [&["build", "./far"], &JSON[..]].concat();
    let refused = |variables: &[(&str, &str)]| {
        let mut command = desk.command(&build);
        command.env(CACHE, desk.file("cache")).env("CARGO_HOME", desk.file("home"));
        command.env_remove("CARGO_NET_OFFLINE").envs(variables.iter().copied());
        let error = said(&mut command).refused(1);
        let left = std::fs::read_dir(desk.file("cache/wiredyno/runners")).unwrap().count();
        assert_eq!(left, 0, "something is left");
        error
    };
    let error = refused(&[("CARGO_NET_OFFLINE", "true")]);
    assert!(error.contains("it was told to stay offline, and libraries are missing"), "{error}");
    // Nothing listens on the discard port.
    let error = refused(&[("CARGO_HTTP_PROXY", "http://127.0.0.1:9"), ("CARGO_NET_RETRY", "0")]);
    assert!(
        error.contains("it could not download the libraries; the first build needs the network"),
        "{error}"
    );
}

#[test]
fn a_runner_of_which_a_part_is_missing_is_built_again() {
    let desk = Desk::new();
    payload(&desk, "cut-short", "uint32 id = 1; string cut = 2;", "{\"id\":1}\n");
    let encode = || desk.wiredyno(&[&["encode", "--payload", "./cut-short"], &JSON[..]].concat()).well();
    let value = encode();
    let record = || -> PathBuf { kept(Path::new(HOME), "cut-short")[0].join("runner.json") };
    let path = record();
    let text = std::fs::read(&path).unwrap();
    std::fs::write(&path, &text[..text.len() / 2]).unwrap();
    assert!(kept(Path::new(HOME), "cut-short").is_empty());
    assert_eq!(encode(), value);
    assert_eq!(record(), path);
    std::fs::remove_file(path.with_file_name("runner")).unwrap();
    assert_eq!(encode(), value);
    assert!(path.with_file_name("runner").is_file());
}

/// The description that the runner in a folder gives of itself.
fn description(folder: &Path) -> Value {
    let mut command = Command::new(folder.join("runner"));
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), b"{\"id\":1,\"op\":\"describe\"}\n").unwrap();
    serde_json::from_slice(&child.wait_with_output().unwrap().stdout).unwrap()
}

/// A program that answers only the first request, with this text.
fn answers(reply: &Value) -> String {
    format!("read request\ncat <<'REPLY'\n{reply}\nREPLY\nread request")
}

/// Records the length of a runner's replacement, which would otherwise look truncated.
fn measured(folder: &Path) {
    let record = folder.join("runner.json");
    let mut composed: Value = serde_json::from_slice(&std::fs::read(&record).unwrap()).unwrap();
    composed["bytes"] = std::fs::metadata(folder.join("runner")).unwrap().len().into();
    std::fs::write(record, composed.to_string()).unwrap();
}

/// A desk with the payload `foreign`, whose runner in its own cache can be replaced: the desk, the cache, the runner's
/// folder.
fn replaceable() -> (Desk, PathBuf, PathBuf) {
    let desk = Desk::new();
    payload(&desk, "foreign", "uint32 id = 1; string foreign = 2;", "{\"id\":1}\n");
    let set = ["--set", "payload=./foreign", "--set", "mode=udp", "--set", "codec=json/serde-json"];
    let once = ["--set", "trials.repeats=1"];
    desk.wiredyno(&[&["run", "tiny.toml", "--out", "home"], &set[..], &once[..]].concat()).well();
    let cache = desk.file("cache");
    copy_runners("foreign", &cache);
    let [folder] = &kept(&cache, "foreign")[..] else { panic!("not one runner") };
    let folder = folder.clone();
    (desk, cache, folder)
}

#[test]
fn a_runner_that_is_not_what_it_was_built_as_is_refused_and_never_measured_with() {
    let (desk, cache, folder) = replaceable();
    let real = description(&folder);
    let with = |path: &str, value: Value| {
        let mut reply = real.clone();
        *reply.pointer_mut(path).unwrap() = value;
        answers(&reply)
    };
    let cases = [
        ("exit 0".to_owned(), "the runner ended before it answered"),
        ("echo out of luck >&2; exit 3".to_owned(), "out of luck"),
        (answers(&json!("hello")), "the runner broke the contract"),
        (with("/ok/contract", json!(1)), "it speaks contract 1, this program speaks 2"),
        (with("/ok/definition", json!("0")), "compiled for a different definition"),
        (with("/ok/codecs", json!([])), "it does not have `json/serde-json` as declared"),
        (with("/ok/codecs/0/version", json!("0.1.0")), "it does not have `json/serde-json` as declared"),
        (with("/ok/codecs/0/version", json!("")), "states no library version"),
    ];
    let pair = [&["--payload", "./foreign"], &JSON[..]].concat();
    let set = ["--set", "payload=./foreign", "--set", "mode=udp", "--set", "codec=json/serde-json"];
    let commands = [
        [&["encode"], &pair[..]].concat(),
        [&["measure"], &pair[..]].concat(),
        [&["run", "tiny.toml", "--out", "r"], &set[..]].concat(),
    ];
    let refused = |arguments: &[&str], part: &str| {
        let error = said(desk.command(arguments).env(CACHE, &cache)).refused(1);
        assert!(error.contains("differs from what was built, so it is not used for measuring"), "{error}");
        assert!(error.contains("`wiredyno build --remove "), "{error}");
        assert!(error.contains(part), "{part} is not in {error}");
        assert!(!desk.file("r").exists(), "a run folder is left");
    };
    for (text, part) in &cases {
        script(&folder.join("runner"), text);
        measured(&folder);
        commands.iter().for_each(|arguments| refused(arguments, part));
    }
    std::fs::write(folder.join("runner"), "no program").unwrap();
    measured(&folder);
    commands.iter().for_each(|arguments| refused(arguments, "could not be started"));
}

/// A silent runner is waited for as long as a slow one.
#[test]
fn a_runner_that_answers_nothing_is_given_up() {
    if std::env::var_os("WIREDYNO_TEST_FULL").is_none() {
        return;
    }
    let (desk, cache, folder) = replaceable();
    script(&folder.join("runner"), "read request; read request");
    measured(&folder);
    let encode = [&["encode", "--payload", "./foreign"], &JSON[..]].concat();
    let error = said(desk.command(&encode).env(CACHE, &cache)).refused(1);
    assert!(error.contains("did not answer `describe` within 60 s"), "{error}");
}

/// A cargo that fails to compile prost's code and compiles everything else.
fn cargo_without_prost(path: &str) -> String {
    let cargo =
        path.split(':').map(|folder| format!("{folder}/cargo")).find(|file| Path::new(file).is_file());
    format!(
        "made=$(grep -o 'made/[0-9a-f]*/protobuf-prost\"' Cargo.toml 2>/dev/null | cut -d/ -f2)\n\
         [ \"$1\" = build ] && [ -n \"$made\" ] || exec {} \"$@\"\n\
         echo \"error[E0308]: mismatched types\n --> made/$made/protobuf-prost/src/lib.rs:1:1\n\
         error: could not compile \\`made-protobuf-prost-$made\\` (lib) due to 1 previous error\" >&2; exit 101",
        cargo.unwrap()
    )
}

/// One codec's code does not compile, and for another no code can be generated: faked cargo and protoc report this for correct code.
#[test]
fn a_codec_that_can_not_be_compiled_is_left_out_by_name_everywhere_and_the_others_are_built() {
    let desk = Desk::new();
    payload(&desk, "partly", "uint32 id = 1; string partly = 2;", "{\"id\":1,\"partly\":\"a\"}\n");
    remove(&desk, "partly");
    let path = std::env::var("PATH").unwrap();
    let cargo = cargo_without_prost(&path);
    let need = wiredyno_codec_registry::find(&"protobuf/upb".parse().unwrap()).unwrap().needs;
    let version = need.iter().find(|need| need.name == "protoc").unwrap().version.word();
    let protoc = format!(
        "[ \"$1\" = --version ] && echo libprotoc {version} && exit\necho 'not this one' >&2; exit 1"
    );
    let programs = programs(&desk, &[("cargo", &cargo), ("protoc", &protoc)]);
    std::fs::remove_file(programs.join("rustc")).unwrap();
    let failing = |arguments: &[&str]| {
        let mut command = desk.command(arguments);
        let path = format!("{}:{path}", programs.display());
        said(command.env("PATH", path).env("WIREDYNO_PROTOC", programs.join("protoc")))
    };
    let (prost, upb) = (
        "protobuf/prost: the code generated for it does not compile",
        "protobuf/upb: no code can be generated for it: protoc refuses",
    );
    let codecs = ["--codec", "json/serde-json,protobuf/prost,protobuf/upb"];
    let built = failing(&[&["build", "partly"], &codecs[..]].concat()).well();
    assert!(built.contains("1 of 3 codecs carry it"), "{built}");
    for part in
        [prost, upb, "error[E0308]: mismatched types", "not this one", "`wiredyno build --force` tries again"]
    {
        assert!(built.contains(part), "no {part:?} in {built}");
    }
    let built = failing(&[&["build", "partly"], &codecs[..]].concat()).well();
    assert!(built.contains("already built; 1 of 3 codecs carry it"), "{built}");

    let sizes = failing(&["size", "partly", "--json"]).json();
    let of = |key: &str| {
        array(&sizes[key]).iter().map(|one| one["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    for codec in ["protobuf/prost", "protobuf/upb"] {
        assert!(of("refused").contains(&codec.to_owned()), "{sizes}");
        assert!(!of("codecs").contains(&codec.to_owned()), "{sizes}");
        let measure = ["measure", "--payload", "partly", "--codec", codec];
        assert!(failing(&measure).refused(1).contains("can't carry partly: "));
    }
    let planned =
        ["run", "tiny.toml", "--dry-run", "--json", "--set", "payload=./partly", "--set", "mode=tcp"];
    let planned = failing(&planned).json();
    for composition in array(&planned["to_compile"]) {
        assert_eq!(composition["codecs"], json!(["json/serde-json"]), "{planned}");
    }
    assert!(planned["not_run"].to_string().contains("does not compile"), "{planned}");

    // It is back after a build with `--force`.
    let built = desk.wiredyno(&["build", "partly", "--force", "--codec", "protobuf/prost"]).well();
    assert!(built.contains("1 of 1 codec carry it"), "{built}");
    let sizes = desk.wiredyno(&["size", "partly", "--json"]).json();
    assert!(array(&sizes["codecs"]).iter().any(|one| one["id"] == "protobuf/prost"), "{sizes}");
}

#[test]
fn a_run_goes_on_without_the_codec_that_does_not_compile() {
    let desk = Desk::new();
    payload(&desk, "without-one", "uint32 id = 1; string without_one = 2;", "{\"id\":1}\n");
    remove(&desk, "without-one");
    let path = std::env::var("PATH").unwrap();
    let cargo = cargo_without_prost(&path);
    let programs = programs(&desk, &[("cargo", &cargo)]);
    std::fs::remove_file(programs.join("rustc")).unwrap();
    let run = ["--set", "payload=./without-one", "--set", "mode=tcp", "--set", "trials.repeats=1"];
    let mut command = desk.command(&[&["run", "tiny.toml", "--out", "r"], &run[..]].concat());
    said(command.env("PATH", format!("{}:{path}", programs.display()))).well();
    let summary = desk.summary("r");
    assert!(summary["not_run"].to_string().contains("does not compile"), "{}", summary["not_run"]);
    let text = summary.to_string();
    assert!(text.contains("json/serde-json"), "{text}");
    remove(&desk, "without-one");
}
