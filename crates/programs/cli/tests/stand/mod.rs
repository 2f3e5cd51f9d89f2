//! What the tests of the program share: calling it, and a study of a few seconds.

#![allow(dead_code, reason = "each test program uses its part")]
#![allow(clippy::unwrap_used, reason = "a failing set-up is a failing test")]

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Mutex, Once, PoisonError};
#[allow(unused_imports, reason = "not every program of tests asks for one")]
pub use wiredyno_listed::installed;

use serde_json::Value;
use tempfile::TempDir;

/// Path of the program `wiredyno`.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_wiredyno");

/// The environment variable with the parent of the program's cache.
pub const CACHE: &str = "XDG_CACHE_HOME";
/// The tests' own value of it, independent of what the user has built, and kept, so that a second run compiles nothing.
pub const HOME: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../target/test-cache");

/// Codec trials of milliseconds, five messages per trial, and no limits that a busy machine could violate: nothing is
/// asserted about time.
pub const TINY: &str = r#"
name = "tiny"
why = "Does the whole path work?"

[axes]
payload = ["person"]
codec = ["json/serde-json", "protobuf/prost"]
mode = ["udp", "tcp", "mqtt:qos0", "mqtt:qos1", "mqtt:qos2"]

[load]
kind = "open"
interval = "20ms"
messages = 5
warmup = 1
deadline = "5s"
drain = "5s"

[trials]
repeats = 2
retries = 9

[codec_trials]
batch_time = "100us"
batches = 5

[limits]
timer_resolution = "off"
scheduling_lateness_p99 = "off"
load_per_cpu = "off"
link_floor = "off"
schedule_lag_p99 = "off"
rate_error = "off"
link_lateness_p99 = "off"
run_delay = "off"
utilisation = "off"
steal = "off"
disturbed_batches = "off"
"#;

/// Options that switch off all limits on the machine's quiet, like the small study's.
pub fn any_machine() -> Vec<String> {
    let limits = TINY.split_once("[limits]\n").map(|(_, limits)| limits.lines()).into_iter().flatten();
    limits
        .flat_map(|line| ["--set".to_owned(), format!("limits.{}", line.replace(" = \"off\"", "=off"))])
        .collect()
}

/// A working directory of one test, with `tiny.toml` in it.
pub struct Desk {
    folder: TempDir,
}

impl Desk {
    /// An empty desk with the study.
    pub fn new() -> Self {
        let folder = TempDir::new().unwrap();
        std::fs::write(folder.path().join("tiny.toml"), TINY).unwrap();
        Desk { folder }
    }

    /// A desk for runs: the runners that most of them need are built.
    pub fn for_runs() -> Self {
        provide();
        Desk::new()
    }

    /// Path of the desk's folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Path of a file on the desk.
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The program with arguments, in the desk's folder.
    pub fn command<S: AsRef<std::ffi::OsStr>>(&self, arguments: &[S]) -> Command {
        let mut command = program();
        command.args(arguments).current_dir(self.path());
        command
    }

    /// Runs the program with arguments in the desk's folder.
    pub fn wiredyno<S: AsRef<std::ffi::OsStr>>(&self, arguments: &[S]) -> Said {
        said(&mut self.command(arguments))
    }

    /// The summary of a run folder on the desk.
    pub fn summary(&self, run: &str) -> Value {
        serde_json::from_slice(&std::fs::read(self.file(run).join("summary.json")).unwrap()).unwrap()
    }
}

/// The output and exit code of a program.
#[derive(Debug)]
pub struct Said {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Said {
    /// Its standard output; panics unless it ended with 0.
    #[track_caller]
    pub fn well(self) -> String {
        assert_eq!(self.code, Some(0), "{}{}", self.out, self.err);
        self.out
    }

    /// Its standard error; panics unless it ended with this code and printed nothing else.
    #[track_caller]
    pub fn refused(self, code: i32) -> String {
        assert_eq!((self.code, self.out.as_str()), (Some(code), ""), "{}", self.err);
        self.err
    }

    /// Its standard output, parsed as JSON.
    #[track_caller]
    pub fn json(self) -> Value {
        let text = self.well();
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error} in {text}"))
    }
}

impl From<Output> for Said {
    fn from(output: Output) -> Self {
        Said {
            code: output.status.code(),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// Runs a command to its end.
pub fn said(command: &mut Command) -> Said {
    command.output().unwrap().into()
}

/// The program, with the tests' cache.
pub fn program() -> Command {
    let mut command = Command::new(PROGRAM);
    command.stdin(Stdio::null()).env(CACHE, HOME);
    command
}

/// Runs the program with arguments.
pub fn wiredyno(arguments: &[&str]) -> Said {
    said(program().args(arguments))
}

/// Runs the program with arguments and a text on its standard input.
pub fn fed(arguments: &[&str], input: &str) -> Said {
    fed_to(program().args(arguments), input)
}

/// Runs a command with a text on its standard input.
pub fn fed_to(command: &mut Command, input: &str) -> Said {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A program that refuses its arguments may be gone before it reads.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap().into()
}

/// Builds at once what most tests need and is missing: otherwise each would build its own part.
pub fn provide() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let desk = Desk::new();
        let study = TINY
            .replace(r#"["person"]"#, r#"["person", "small", "opaque@1000"]"#)
            .replace(
                r#"["json/serde-json", "protobuf/prost"]"#,
                r#"["raw/wiredyno", "json/serde-json", "protobuf/prost", "avro/apache-avro", "flatbuffers/planus"]"#,
            )
            .replace(r#""mqtt:qos0", "mqtt:qos1", "mqtt:qos2""#, r#""mqtt:qos0", "coap:non""#)
            .replace("messages = 5", "messages = 1")
            .replace("repeats = 2", "repeats = 1")
            .replace("[codec_trials]", "[codec_trials]\nenabled = false");
        std::fs::write(desk.file("all.toml"), study).unwrap();
        let planned = desk.wiredyno(&["run", "all.toml", "--dry-run", "--json"]).json();
        if !array(&planned["to_compile"]).is_empty() {
            desk.wiredyno(&["run", "all.toml", "--out", "r"]).well();
        }
    });
}

/// The codecs that tests name, one of each kind of format. The conformance suite covers all others.
pub const SOME_CODECS: [&str; 10] = [
    "asn1-uper/wiredyno",
    "avro/apache-avro",
    "capnproto/capnp",
    "cbor/ciborium",
    "exi/wiredyno:default",
    "flatbuffers/planus",
    "json/serde-json",
    "messagepack/rmp-serde",
    "netstrings/wiredyno",
    "protobuf/prost",
];

/// Whether `WIREDYNO_TEST_FULL` is set.
pub fn full() -> bool {
    std::env::var_os("WIREDYNO_TEST_FULL").is_some()
}

/// Builds a payload's runner with [`SOME_CODECS`], or with all codecs in the full form, if it is missing: otherwise each codec would be built by
/// itself.
pub fn provide_codecs(payload: &str) {
    static ASKED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let mut asked = ASKED.lock().unwrap_or_else(PoisonError::into_inner);
    if asked.insert(payload.to_owned()) {
        let some = ["build", payload, "--codec", &SOME_CODECS.join(",")];
        wiredyno(if full() { &some[..2] } else { &some }).well();
    }
}

/// A payload's folder with its own definition, so that no other test builds or deletes its runner.
pub fn payload(desk: &Desk, name: &str, fields: &str, samples: &str) {
    std::fs::create_dir_all(desk.file(name)).unwrap();
    let proto = format!("syntax = \"proto3\"; message A {{ {fields} }}");
    std::fs::write(desk.file(name).join("message.proto"), proto).unwrap();
    std::fs::write(desk.file(name).join("samples.jsonl"), samples).unwrap();
}

/// A folder for `PATH` with this machine's compiler and these scripts, without cargo.
pub fn programs(desk: &Desk, scripts: &[(&str, &str)]) -> PathBuf {
    let folder = desk.file("programs");
    std::fs::create_dir_all(&folder).unwrap();
    // Runners are cached for the installed compiler.
    let version = said(Command::new("rustc").arg("--version")).well();
    script(&folder.join("rustc"), &format!("echo '{}'", version.trim()));
    scripts.iter().for_each(|(name, text)| script(&folder.join(name), text));
    folder
}

/// Writes an executable script, replacing the file instead of overwriting it.
pub fn script(path: &Path, text: &str) {
    // Not in place: the file may be a running program.
    let _ = std::fs::remove_file(path);
    std::fs::write(path, format!("#!/bin/sh\n{text}\n")).unwrap();
    std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
}

/// The folders of the cached runners of a payload, except those from other sources than the program's.
pub fn kept(cache: &Path, payload: &str) -> Vec<PathBuf> {
    let listed = said(program().args(["build", "--list"]).env(CACHE, cache)).well();
    let is_of =
        |line: &&str| line.split_whitespace().nth(1) == Some(payload) && !line.contains("from sources other");
    let keys: Vec<&str> =
        listed.lines().filter(is_of).filter_map(|line| line.split_whitespace().next()).collect();
    let Ok(entries) = std::fs::read_dir(cache.join("wiredyno/runners")) else { return Vec::new() };
    let has_key = |folder: &PathBuf| {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        keys.iter().any(|key| name.starts_with(key))
    };
    entries.map(|entry| entry.unwrap().path()).filter(has_key).collect()
}

/// Copies the runners of a payload into a test's own cache.
pub fn copy_runners(payload: &str, cache: &Path) {
    for folder in kept(Path::new(HOME), payload) {
        let copy = cache.join("wiredyno/runners").join(folder.file_name().unwrap());
        // A runner in another language is a folder.
        if folder.join("runner").is_dir() {
            continue;
        }
        std::fs::create_dir_all(&copy).unwrap();
        for file in ["runner", "runner.json"] {
            std::fs::copy(folder.join(file), copy.join(file)).unwrap();
        }
    }
}

/// Whether PostgreSQL is installed, as in Debian's package.
pub fn postgresql() -> Result<(), String> {
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let here = versions.map(|version| version.path().join("bin/postgres")).any(|program| program.exists());
    here.then_some(()).ok_or_else(|| "postgresql is not installed".to_owned())
}

/// The entries of a JSON array.
#[track_caller]
pub fn array(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("no array: {value}"))
}

/// A number in a JSON object.
#[track_caller]
pub fn number(value: &Value, name: &str) -> u64 {
    value[name].as_u64().unwrap_or_else(|| panic!("no `{name}` in {value}"))
}

/// Asserts what holds for every cell of every finished run: as many valid trials as wanted, all messages accounted for.
#[track_caller]
pub fn assert_accounted(summary: &Value, trials: u64) {
    assert!(!array(&summary["cells"]).is_empty(), "{summary}");
    for cell in array(&summary["cells"]) {
        let delivery = &cell["delivery"];
        assert_eq!(number(cell, "valid_trials"), trials, "{cell}");
        assert!(number(cell, "trials") >= trials, "{cell}");
        let of = |name| number(delivery, name);
        assert_eq!(of("sent"), 5 * trials, "{cell}");
        assert_eq!(of("sent"), of("delivered") + of("lost") + of("superseded"), "{cell}");
        assert_eq!(of("corrupted"), 0, "{cell}");
    }
}

/// The mode of a cell.
pub fn mode(cell: &Value) -> &str {
    cell["axes"]["mode"].as_str().unwrap()
}
