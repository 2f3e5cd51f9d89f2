//! `wiredyno build` where nothing is compiled: what is refused before, with what to do. What is compiled is
//! in `physical`.

#![allow(clippy::unwrap_used)]

mod stand;

use stand::{Desk, said};

fn payload(desk: &Desk, name: &str, samples: &str) {
    std::fs::create_dir(desk.file(name)).unwrap();
    let proto = "syntax = \"proto3\"; message A { uint32 x = 1; }";
    std::fs::write(desk.file(name).join("message.proto"), proto).unwrap();
    std::fs::write(desk.file(name).join("samples.jsonl"), samples).unwrap();
}

#[test]
fn what_can_not_be_built_is_refused_with_file_and_line() {
    let desk = Desk::new();
    std::fs::create_dir(desk.file("empty")).unwrap();
    payload(&desk, "person", "{\"x\":1}\n");
    payload(&desk, "wrong", "{\"x\":1}\n{\"z\":1}\n");
    std::fs::create_dir_all(desk.file("unread").join("message.proto")).unwrap();
    for (arguments, part) in [
        (&["build", "nowhere"][..], "there is no folder nowhere: name a payload's folder"),
        (&["build", "empty"], "empty has no message.proto"),
        (&["build", "person"], "a payload that the program has: give the folder another name"),
        (&["build", "wrong"], "wrong/samples.jsonl:2"),
        (&["build", "unread"], "unread/message.proto: Is a directory"),
        (&["build", "--remove", "wrong"], "nothing is built of the name `wrong`"),
    ] {
        let error = desk.wiredyno(arguments).refused(1);
        assert!(error.contains(part), "{part} is not in {error}");
        let last = part.rsplit(": ").next().unwrap_or(part);
        assert_eq!(error.matches(last).count(), 1, "said twice: {error}");
    }
    assert_eq!(desk.wiredyno(&["build"]).code, Some(2));
    assert_eq!(desk.wiredyno(&["build", "wrong", "--list"]).code, Some(2));
    assert!(desk.wiredyno(&["build", "--list"]).well().starts_with("0 payloads in "));
}

#[test]
fn a_folder_that_is_not_built_is_named_with_the_command_that_builds_it() {
    let desk = Desk::new();
    payload(&desk, "trips", "{\"x\":1}\n");
    for arguments in [
        &["encode", "--payload", "trips", "--codec", "json/serde-json"][..],
        &["measure", "--payload", "./trips", "--codec", "json/serde-json"],
        &["show", "payload", "trips"],
        &["list", "codecs", "--payload", "./trips"],
        &["run", "tiny.toml", "--set", "payload=trips"],
        &["run", "tiny.toml", "--set", "payload=person,./trips", "--dry-run"],
    ] {
        let error = desk.wiredyno(arguments).refused(1);
        assert!(error.contains("run `wiredyno build ./trips` first"), "{arguments:?}: {error}");
    }
}

#[test]
fn without_cargo_or_a_c_compiler_the_user_is_told_what_to_install() {
    let desk = Desk::new();
    payload(&desk, "trips", "{\"x\":1}\n");
    let programs = desk.file("programs");
    std::fs::create_dir(&programs).unwrap();
    let build = || said(desk.command(&["build", "trips"]).env("PATH", &programs)).refused(1);
    assert!(build().contains("`cargo` is needed") && build().contains("https://rustup.rs"), "{}", build());
    let cargo = programs.join("cargo");
    std::fs::write(&cargo, "#!/bin/sh\necho cargo 1.63.0\n").unwrap();
    std::fs::set_permissions(&cargo, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    assert!(build().contains("sudo apt-get install gcc"), "{}", build());
    std::fs::write(programs.join("cc"), "").unwrap();
    assert!(build().contains("this is cargo 1.63.0"), "{}", build());
}
