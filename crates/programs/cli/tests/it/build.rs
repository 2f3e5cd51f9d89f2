//! `wiredyno build` without compiling: refusals, with what to do. Compiling is tested in `runners`.

use crate::stand::{CACHE, Desk, TINY, array, number, payload, programs, said, script};

/// Whether the test's own cache contains nothing, or only what programs reported about themselves.
fn noted_alone(desk: &Desk) -> bool {
    let Ok(entries) = std::fs::read_dir(desk.file("cache/wiredyno")) else { return true };
    entries.map(|entry| entry.unwrap().file_name()).all(|name| name == "answers")
}

#[test]
fn what_can_not_be_built_is_refused_with_file_and_line() {
    let desk = Desk::new();
    std::fs::create_dir(desk.file("empty")).unwrap();
    payload(&desk, "wrong", "uint32 x = 1;", "{\"x\":1}\n{\"z\":1}\n");
    std::fs::create_dir_all(desk.file("unread").join("message.proto")).unwrap();
    let call = |arguments: &[&str]| said(desk.command(arguments).env(CACHE, desk.file("cache")));
    for (code, arguments, part) in [
        (2, &["build", "nowhere"][..], "no payload `nowhere`; `wiredyno list payloads` shows them"),
        (1, &["build", "./nowhere"], "there is no folder ./nowhere: name a payload's folder"),
        (1, &["build", "./empty"], "./empty has no message.proto"),
        (1, &["build", "wrong"], "wrong/samples.jsonl:2"),
        (1, &["build", "./unread"], "unread/message.proto: Is a directory"),
        (2, &["build", "person", "--codec", "json/serde"], "did you mean `json/serde-json`?"),
        (1, &["build", "--remove", "wrong"], "nothing is built for `wrong`"),
    ] {
        let error = call(arguments).refused(code);
        assert!(error.contains(part), "{part} is not in {error}");
        let last = part.rsplit(": ").next().unwrap_or(part);
        assert_eq!(error.matches(last).count(), 1, "said twice: {error}");
    }
    for arguments in [
        &["build"][..],
        &["build", "wrong", "--list"],
        &["build", "--limit", "1"],
        &["build", "--codec", "all"],
    ] {
        assert_eq!(call(arguments).code, Some(2), "{arguments:?}");
    }
    assert!(call(&["build", "--list"]).well().starts_with("0 runners, 0 MB, in "));
    assert!(noted_alone(&desk), "what was refused left something behind");
    assert!(call(&["build", "--gc", "--limit", "0"]).well().starts_with("0 runners deleted"));
}

#[test]
fn a_folder_of_a_bundled_name_and_other_content_is_refused_by_every_command() {
    let desk = Desk::new();
    payload(&desk, "person", "uint32 x = 1;", "{\"x\":1}\n");
    for (command, name) in
        [("build", "person"), ("build", "./person"), ("size", "person"), ("size", "./person")]
    {
        let error = desk.wiredyno(&[command, name]).refused(1);
        assert!(error.contains("is a payload of the program, and"), "{error}");
        assert!(error.contains("has another message.proto and samples.jsonl: rename the folder"), "{error}");
    }
    for name in ["person", "./person"] {
        let set = format!("payload={name}");
        for arguments in [
            &["encode", "--payload", name, "--codec", "json/serde-json"][..],
            &["measure", "--payload", name, "--codec", "json/serde-json"],
            &["show", "payload", name],
            &["list", "codecs", "--payload", name],
            &["run", "tiny.toml", "--dry-run", "--set", &set],
        ] {
            let error = desk.wiredyno(arguments).refused(1);
            assert!(error.contains("rename the folder"), "{arguments:?}: {error}");
        }
    }
}

#[test]
fn without_cargo_or_a_c_compiler_the_user_is_told_what_to_install_by_every_command_that_compiles() {
    let desk = Desk::new();
    payload(&desk, "trips", "uint32 x = 1;", "{\"x\":1}\n");
    let programs = programs(&desk, &[]);
    let asked = |arguments: &[&str]| {
        let mut command = desk.command(arguments);
        said(command.env("PATH", &programs).env(CACHE, desk.file("cache")))
    };
    let refused = |arguments: &[&str]| asked(arguments).refused(1);
    let pair = ["--payload", "trips", "--codec", "json/serde-json"];
    for arguments in [
        &["build", "trips"][..],
        &[&["encode"], &pair[..]].concat(),
        &[&["measure"], &pair[..]].concat(),
        &["run", "tiny.toml", "--out", "r"],
    ] {
        let error = refused(arguments);
        assert!(error.contains("`cargo` is needed"), "{arguments:?}: {error}");
        assert!(error.contains("install Rust from https://rustup.rs"), "{arguments:?}: {error}");
    }
    // Errors that need no compiler come first.
    std::fs::create_dir_all(desk.file("taken/by-another")).unwrap();
    let error = asked(&["run", "tiny.toml", "--out", "taken"]).refused(2);
    assert!(error.contains("taken exists already") && !error.contains("cargo"), "{error}");
    let build = || refused(&["build", "trips"]);
    script(&programs.join("cargo"), "echo cargo 1.63.0");
    assert!(build().contains("sudo apt-get install gcc"), "{}", build());
    script(&programs.join("cc"), "");
    assert!(build().contains("this is cargo 1.63.0"), "{}", build());
    assert!(!desk.file("r").exists(), "a run without runners left a folder");
}

#[test]
fn code_that_does_not_compile_is_told_as_the_bug_that_it_is_and_leaves_no_half_made_runner() {
    let desk = Desk::new();
    payload(&desk, "trips", "uint32 x = 1;", "{\"x\":1}\n");
    // In cargo's own words.
    let cargo = "case $1 in --version) echo cargo 1.95.0;; *) echo 'error[E0308]: mismatched types' >&2\n\
        echo 'error: could not compile `made-types-0123456789abcdef` (lib) due to 1 previous error' >&2; exit 101;; esac";
    let programs = programs(&desk, &[("cargo", cargo), ("cc", "")]);
    let left = desk.file("cache/wiredyno/runners/.making-of-one-that-was-killed");
    std::fs::create_dir_all(&left).unwrap();
    let mut command = desk.command(&["build", "trips", "--codec", "json/serde-json"]);
    let error = said(command.env("PATH", &programs).env(CACHE, desk.file("cache"))).refused(1);
    assert!(error.contains("which is a bug: please report it with message.proto:"), "{error}");
    assert!(error.contains("error[E0308]: mismatched types"), "{error}");
    assert!(error.contains("its whole output is in "), "{error}");
    assert_eq!(std::fs::read_dir(desk.file("cache/wiredyno/runners")).unwrap().count(), 0);
}

#[test]
fn what_is_known_without_a_runner_starts_none_and_compiles_nothing() {
    let desk = Desk::new();
    payload(&desk, "trips", "uint32 x = 1;", "{\"x\":1}\n");
    let called = desk.file("called");
    let cargo = format!("echo cargo \"$@\" >> {}", called.display());
    let programs = programs(&desk, &[("cargo", &cargo), ("cc", "")]);
    for arguments in [
        &["list"][..],
        &["list", "payloads"],
        &["list", "codecs", "--payload", "./trips"],
        &["show", "study", "demo"],
        &["show", "payload", "trips"],
        &["size", "trips"],
        &["run", "demo", "--dry-run"],
        &["run", "tiny.toml", "--dry-run", "--json", "--set", "payload=person,./trips"],
        &["build", "--list"],
    ] {
        let mut command = desk.command(arguments);
        said(command.env("PATH", &programs).env(CACHE, desk.file("cache"))).well();
        assert!(noted_alone(&desk), "{arguments:?} wrote into the cache");
        assert!(!called.exists(), "{arguments:?}: {}", std::fs::read_to_string(&called).unwrap());
    }
}

#[test]
fn a_dry_run_says_what_would_be_compiled_and_how_long() {
    let desk = Desk::new();
    let dry_run = |more: &[&str]| {
        let arguments = [&["run", "tiny.toml", "--dry-run"], more].concat();
        said(desk.command(&arguments).env(CACHE, desk.file("cache")))
    };
    let text = dry_run(&[]).well();
    let line = text.lines().find(|line| line.starts_with("first, 1 runner to compile, about ")).unwrap();
    assert!(line.ends_with(" s: person with 2 codecs"), "{line}");
    let plan = dry_run(&["--json", "--set", "payload=person,small"]).json();
    let to_compile = array(&plan["to_compile"]);
    assert_eq!(to_compile.iter().map(|one| &one["payload"]).collect::<Vec<_>>(), ["person", "small"]);
    for one in to_compile {
        assert_eq!(one["codecs"], serde_json::json!(["json/serde-json", "protobuf/prost"]));
        // Less than a second if the definition's crates are already compiled.
        assert!(number(one, "estimate_ns") > 10_000_000, "{one}");
    }
    // What both share is compiled once.
    let each: u64 = to_compile.iter().map(|one| number(one, "estimate_ns")).sum();
    assert!((1..=each).contains(&number(&plan, "compile_estimate_ns")), "{plan}");
    // If each codec is measured in a runner of its own, all of these are compiled.
    std::fs::write(desk.file("tiny.toml"), TINY.replace("[codec_trials]", "[codec_trials]\nalone = true"))
        .unwrap();
    let plan = dry_run(&["--json"]).json();
    let codecs: Vec<usize> =
        array(&plan["to_compile"]).iter().map(|one| array(&one["codecs"]).len()).collect();
    assert_eq!(codecs, [2, 1, 1]);
}
