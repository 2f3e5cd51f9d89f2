//! What the tests of the program share: calling it, and a study of a few seconds.

#![allow(dead_code, reason = "each test program uses its part")]
#![allow(clippy::unwrap_used, reason = "a failing set-up is a failing test")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// The program.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_wiredyno");

/// Where the program keeps the runners that it builds: for tests a place with none, whatever this user has built.
pub const CACHE: &str = "XDG_CACHE_HOME";
const NO_CACHE: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/no-cache");

/// Codec trials of milliseconds, five messages a trial, and no limit that a busy machine could pass: nothing is
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
utilisation = "off"
steal = "off"
"#;

/// A working directory of one test, with `tiny.toml` in it.
pub struct Desk {
    folder: TempDir,
}

impl Desk {
    /// A fresh one.
    pub fn new() -> Self {
        let folder = TempDir::new().unwrap();
        std::fs::write(folder.path().join("tiny.toml"), TINY).unwrap();
        Desk { folder }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// A file on it.
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The program with arguments, started here.
    pub fn command<S: AsRef<std::ffi::OsStr>>(&self, arguments: &[S]) -> Command {
        let mut command = Command::new(PROGRAM);
        command.args(arguments).current_dir(self.path()).stdin(Stdio::null()).env(CACHE, NO_CACHE);
        command
    }

    /// Runs it to its end.
    pub fn wiredyno<S: AsRef<std::ffi::OsStr>>(&self, arguments: &[S]) -> Said {
        said(&mut self.command(arguments))
    }

    /// The summary of a run folder here.
    pub fn summary(&self, run: &str) -> Value {
        serde_json::from_slice(&std::fs::read(self.file(run).join("summary.json")).unwrap()).unwrap()
    }
}

/// What a program said and how it ended.
#[derive(Debug)]
pub struct Said {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Said {
    /// Its standard output, where it ended well.
    #[track_caller]
    pub fn well(self) -> String {
        assert_eq!(self.code, Some(0), "{}{}", self.out, self.err);
        self.out
    }

    /// Its standard error, where it ended with a code and said nothing else.
    #[track_caller]
    pub fn refused(self, code: i32) -> String {
        assert_eq!((self.code, self.out.as_str()), (Some(code), ""), "{}", self.err);
        self.err
    }

    /// Its standard output as JSON.
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

/// Runs the program with arguments.
pub fn wiredyno(arguments: &[&str]) -> Said {
    said(Command::new(PROGRAM).args(arguments).stdin(Stdio::null()).env(CACHE, NO_CACHE))
}

/// Runs the program with arguments and a text on its standard input.
pub fn fed(arguments: &[&str], input: &str) -> Said {
    let mut command = Command::new(PROGRAM);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.env(CACHE, NO_CACHE);
    let mut child = command.spawn().unwrap();
    // A program that refuses its arguments may be gone before it reads.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap().into()
}

/// Whether a program is on the path.
pub fn installed(program: &str) -> Result<(), String> {
    let found = std::env::var_os("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|folder| folder.join(program).is_file()));
    found.then_some(()).ok_or_else(|| format!("{program} is not installed"))
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

/// What holds for every cell of every finished run: as many valid trials as wanted, all messages accounted for.
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
