//! A runner in a compiled language, which consists of one folder: built, listed, used, packed and deleted like Rust's.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::stand::{CACHE, Desk, Said, array, said};

/// A desk with the suites' own runner in C as a folder, and its own cache.
struct Place {
    desk: Desk,
}

impl Place {
    fn new() -> Place {
        let desk = Desk::new();
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testing/testkit/runners/compiled");
        let to = desk.file("runners/compiled");
        fs::create_dir_all(&to).unwrap();
        // Its probes are not part of it.
        for file in fs::read_dir(from).unwrap().map(Result::unwrap).filter(|file| file.path().is_file()) {
            fs::copy(file.path(), to.join(file.file_name())).unwrap();
        }
        Place { desk }
    }

    fn wiredyno(&self, arguments: &[&str]) -> Said {
        said(self.desk.command(arguments).env(CACHE, self.desk.file("cache")))
    }

    /// Folders of cached runners, complete or not.
    fn kept(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.desk.file("cache/wiredyno/runners")).into_iter().flatten();
        let mut kept: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
        kept.sort();
        kept
    }
}

const CODEC: [&str; 2] = ["--codec", "raw/compiled"];

#[test]
fn a_compiled_runner_is_built_once_for_each_definition_listed_and_deleted() {
    let place = Place::new();
    let build = |payload: &'static str| place.wiredyno(&[&["build", payload][..], &CODEC].concat()).well();
    let told = build("opaque@1024");
    assert!(told.contains("opaque: built in ") && told.contains("1 of 1 codec carry it"), "{told}");
    let first = place.kept();
    assert!(first.len() == 1 && first[0].join("runner/runner").is_file(), "{first:?}");
    // With any size: the definition is the same.
    assert!(build("opaque@16").contains("opaque: already built"));
    assert_eq!(place.kept(), first);
    assert!(build("opaque-text@16").contains("opaque-text: built in "));
    let both = place.kept();
    assert_eq!(both.len(), 2);

    let listed = place.wiredyno(&["build", "--list"]).well();
    let of = |payload: &str| {
        listed.lines().any(|line| line.contains(&format!("{payload}  raw/compiled  by `compiled`")))
    };
    assert!(of("opaque") && of("opaque-text"), "{listed}");
    assert!(listed.contains("2 runners") && listed.contains("environment of `compiled`"), "{listed}");
    assert!(!listed.contains("other than those here"), "{listed}");

    // Its sources have changed: another environment and another runner.
    let path = place.desk.file("runners/compiled/codec.c");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text + "/* another one */\n").unwrap();
    let listed = place.wiredyno(&["build", "--list"]).well();
    assert_eq!(listed.matches("from sources or tools other than those here").count(), 2, "{listed}");
    assert!(build("opaque@1024").contains("opaque: built in "));
    assert_eq!(place.kept().len(), 3);
    let deleted = place.wiredyno(&["build", "--gc", "--limit", "0"]).well();
    assert!(deleted.contains("3 runners deleted"), "{deleted}");
    assert_eq!(deleted.matches("deleted: environment of `compiled`").count(), 1, "{deleted}");
    assert_eq!(place.kept(), [] as [PathBuf; 0]);
}

#[test]
fn a_compiled_runner_encodes_measures_and_refuses_what_it_can_not_carry() {
    let place = Place::new();
    let of = |command: &str, more: &[&str]| {
        place.wiredyno(&[&[command, "--payload", "opaque@16"][..], &CODEC, more].concat())
    };
    let body = of("encode", &["--hex"]).well();
    assert_eq!(body.trim().len(), 32, "{body}");
    fs::write(place.desk.file("body"), &body).unwrap();
    let value = of("decode", &["--hex", "body"]).well();
    assert!(value.contains("\"data\""), "{value}");
    let measured = of("measure", &[]).well();
    assert!(measured.contains("raw/compiled"), "{measured}");
    let refused = place.wiredyno(&[&["encode", "--payload", "person"][..], &CODEC].concat()).refused(1);
    assert!(refused.contains("`Person` is more than one string or bytes field"), "{refused}");
}

#[test]
fn a_build_that_fails_says_what_the_compiler_said_and_leaves_nothing() {
    let place = Place::new();
    fs::write(place.desk.file("runners/compiled/codec.c"), "#error no such thing\n").unwrap();
    let told = place.wiredyno(&[&["build", "opaque@16"][..], &CODEC].concat()).refused(1);
    let whole = ["`compiled`", "no such thing", "sudo apt-get install gcc"];
    assert!(whole.iter().all(|part| told.contains(part)), "{told}");
    assert_eq!(place.kept(), [] as [PathBuf; 0]);
}

const STUDY: &str = "name = 'compiled'\nwhy = 'Does a compiled runner go into a pack?'\naxes.payload = ['opaque@16']\n\
    axes.codec = ['raw/compiled']\n[trials]\nrepeats = 1\n[codec_trials]\nbatches = 2\nbatch_time = '100us'\n";

/// Without a compiler, without the runner's folder, and with another cache.
#[test]
fn a_compiled_runner_goes_into_a_pack() {
    let place = Place::new();
    fs::write(place.desk.file("compiled.toml"), STUDY).unwrap();
    let planned = place.wiredyno(&["run", "compiled.toml", "--dry-run"]).well();
    assert!(planned.contains("first, the runner `compiled` has to be built for opaque@16"), "{planned}");
    let told = place.wiredyno(&["pack", "compiled.toml", "-o", "pack"]).well();
    assert!(told.contains("compiled with 1 runner"), "{told}");
    let planned = place.wiredyno(&["run", "compiled.toml", "--dry-run"]).well();
    assert!(!planned.contains("has to be built"), "{planned}");
    for gone in ["runners", "cache"] {
        fs::remove_dir_all(place.desk.file(gone)).unwrap();
    }
    let elsewhere = |arguments: &[&str]| {
        let mut command = Command::new(place.desk.file("pack/bin/wiredyno"));
        command.args(arguments).env_clear().env("PATH", "/nowhere").env("HOME", place.desk.file("home"));
        said(command.current_dir(place.desk.path()))
    };
    elsewhere(&["run", "compiled", "--out", "r"]).well();
    let summary = place.desk.summary("r");
    assert!(array(&summary["codecs"]).iter().all(|codec| codec["outcomes"]["complete"] == 1), "{summary}");
    assert!(!place.desk.file("home/.cache/wiredyno/runners").exists());
    let program = fs::read_dir(place.desk.file("pack/runners")).unwrap().next().unwrap().unwrap().path();
    let path = program.join("runner/definition.h");
    let mut bytes = fs::read(&path).unwrap();
    bytes[0] ^= 1;
    fs::write(&path, bytes).unwrap();
    let refused = elsewhere(&["run", "compiled", "--out", "again"]).refused(1);
    assert!(refused.contains("differs from what was packed: unpack it again"), "{refused}");
}
