//! What the comparisons share: runners, values, tools, and tests that are ignored with a reason.

use std::ffi::{OsStr, OsString};
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use libtest_mimic::Trial;
use prost_reflect::DynamicMessage;
use wiredyno_process::scratch::Scratch;
pub use wiredyno_testkit::Subject;
use wiredyno_testkit::payloads;
pub use wiredyno_testkit::payloads::seed;

static SUBJECTS: OnceLock<Vec<Subject>> = OnceLock::new();

/// The runners whose bytes are compared, whatever their language.
pub fn set(subjects: Vec<Subject>) {
    assert!(SUBJECTS.set(subjects).is_ok(), "the runners are set once");
}

/// Every runner over every payload that was composed.
pub fn subjects() -> &'static [Subject] {
    SUBJECTS.get().unwrap()
}

/// The subjects with a codec that carries their payload.
pub fn carrying(codec: &str) -> impl Iterator<Item = &'static Subject> {
    subjects().iter().filter(move |subject| subject.carried().any(|known| known == codec))
}

/// The subjects over one payload that have a codec.
pub fn over(payload: &str, codec: &str) -> Vec<&'static Subject> {
    let found: Vec<_> = carrying(codec).filter(|subject| subject.payload.id().name == payload).collect();
    assert!(!found.is_empty(), "no runner has {codec} over {payload}");
    found
}

/// Seeded random values per payload; `WIREDYNO_TEST_FULL` takes more, as many as fit into 10 GB for two tests at once.
pub fn random_values() -> usize {
    if wiredyno_testkit::full() { 200 } else { 50 }
}

/// The payload's own first samples, or as many invented values from [`seed`].
pub fn values(subject: &Subject, invented: bool) -> Vec<DynamicMessage> {
    match invented {
        true => payloads::invented(&subject.payload, random_values()),
        false => payloads::samples(&subject.payload, random_values()),
    }
}

/// Samples and random values of a payload together.
pub fn all_values(subject: &Subject) -> Vec<DynamicMessage> {
    [values(subject, false), values(subject, true)].concat()
}

/// The Python that `make test` set up, or the one on the path.
pub fn python() -> OsString {
    std::env::var_os("WIREDYNO_PYTHON").unwrap_or_else(|| "python3".into())
}

/// Runs a script of this folder, with Python, on lines; it must end well and print how many lines it has read.
pub fn reads_all(script: &str, lines: &[String]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/oracles").join(script);
    let folder = folder();
    let mut command = self::script(python(), &path, &folder);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    // A reader that stops early reports why on stderr; its status counts.
    let _ = input.write_all(lines.join("\n").as_bytes());
    drop(input);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "see above for the first value that differs");
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), lines.len().to_string());
}

/// A folder for a test's files, deleted when dropped; a killed test's folder is deleted by the next program of ours.
pub fn folder() -> Scratch {
    Scratch::new("oracle-").unwrap()
}

/// A test's script, whose temporary files are in the test's folder.
pub fn script(program: impl AsRef<OsStr>, script: &Path, folder: &Scratch) -> Command {
    let mut command = Command::new(program);
    command.arg(script).env("TMPDIR", folder.path());
    command
}

/// Whether a program runs and succeeds.
pub fn runs(program: impl AsRef<OsStr>, arguments: &[&str]) -> bool {
    let command = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    command.is_ok_and(|status| status.success())
}

/// A test that needs a tool: ignored, with the reason in its name, if `missing` gives one.
pub fn test(name: &str, missing: Option<&str>, run: fn()) -> Trial {
    let name = missing.map_or_else(|| name.to_owned(), |reason| format!("{name} [{reason}]"));
    let trial = Trial::test(name, move || {
        run();
        Ok(())
    });
    trial.with_ignored_flag(missing.is_some())
}
