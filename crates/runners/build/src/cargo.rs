//! Cargo, as it is run for a build: found, started, followed, ended.
//!
//! Its progress comes from its own progress bar, which it also draws on a standard error that is not a terminal when
//! `CARGO_TERM_PROGRESS_WHEN=always` is set (The Cargo Book, Environment Variables and Configuration, `term.progress`).
//!
//! One file because starting cargo and understanding its output depend on the same version of cargo.

use std::collections::BTreeMap;
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

use serde::Deserialize;

/// The oldest usable cargo, from the project's manifest.
const OLDEST: &str = env!("CARGO_PKG_RUST_VERSION");

/// How often a wait checks whether it was cancelled.
const LOOK_AROUND: Duration = Duration::from_millis(100);

/// The user's variables that would change what is built, or where.
const NOT_HANDED_ON: [&str; 21] = [
    "CARGO_BUILD_RUSTC",
    "CARGO_BUILD_RUSTC_WORKSPACE_WRAPPER",
    "CARGO_BUILD_RUSTC_WRAPPER",
    "CARGO_BUILD_RUSTFLAGS",
    "CARGO_BUILD_TARGET",
    "CARGO_TARGET_DIR",
    "CARGO_ENCODED_RUSTFLAGS",
    "CARGO_INCREMENTAL",
    "RUSTC",
    "RUSTC_BOOTSTRAP",
    "RUSTC_WORKSPACE_WRAPPER",
    "RUSTC_WRAPPER",
    "RUSTFLAGS",
    // Of compilers of C and C++, which also look for headers and libraries in these folders.
    "COMPILER_PATH",
    "CPATH",
    "CPLUS_INCLUDE_PATH",
    "CRATE_CC_NO_DEFAULTS",
    "CXXSTDLIB",
    "C_INCLUDE_PATH",
    "GCC_EXEC_PREFIX",
    "LIBRARY_PATH",
];

/// Those that the crate `cc` reads, also for one target (`CFLAGS_x86_64-unknown-linux-gnu`), and for what runs on the host or on the target
/// (`HOST_CFLAGS`, `TARGET_CFLAGS`).
const OF_CC: [&str; 7] = ["AR", "ARFLAGS", "CC", "CFLAGS", "CXX", "CXXFLAGS", "RANLIB"];

/// Whether a variable would change how C or C++ is compiled.
fn is_of_cc(name: &str) -> bool {
    let own = name.strip_prefix("HOST_").or_else(|| name.strip_prefix("TARGET_")).unwrap_or(name);
    OF_CC
        .iter()
        .any(|known| own.strip_prefix(known).is_some_and(|rest| rest.is_empty() || rest.starts_with('_')))
}

/// How the names of variables that change the compilation of everything begin.
const PROFILE: &str = "CARGO_PROFILE_";

/// Why cargo produced no program.
#[derive(Debug, thiserror::Error)]
pub enum CargoError {
    /// A required program is missing.
    #[error("`{program}` is needed to build runners and is not on the path: {install}")]
    Missing {
        /// The program that is missing.
        program: &'static str,
        /// How to install it, for the error message.
        install: &'static str,
    },
    /// Cargo is older than the project needs.
    #[error(
        "this is {found}, and {OLDEST} or newer is needed: get it from https://rustup.rs, or `rustup update`"
    )]
    TooOld {
        /// The version that it printed.
        found: String,
    },
    /// Cargo can't be run.
    #[error("{what}: {reason}")]
    Io {
        /// The action that failed, for the error message.
        what: String,
        /// The error that the system reported.
        reason: io::Error,
    },
    /// Cargo ran and failed.
    #[error("cargo could not build what is needed: {advice}\n{said}\nits whole output is in {log}")]
    Failed {
        /// What to do about it.
        advice: &'static str,
        /// The relevant part of its output.
        said: String,
        /// The file with its whole output.
        log: PathBuf,
        /// The crates whose code the compiler refuses, each with its first error; empty where something else failed, too.
        refused: Vec<(String, String)>,
    },
    /// The user cancelled.
    #[error("interrupted")]
    Interrupted,
}

/// The progress of a build.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BuildStep {
    /// Another build of this user is running; this one begins when it has ended.
    Waiting,
    /// Cargo compiles.
    Compiling {
        /// How many crates are done.
        done: u64,
        /// How many there are in all.
        total: u64,
        /// The crates in progress, as cargo names them.
        now: String,
    },
    /// Other output of cargo, such as what it downloads.
    Said(String),
}

/// How to install what cargo, or a program that it calls, needs.
const INSTALL_CARGO: &str = "install Rust from https://rustup.rs";
const INSTALL_CC: &str = "sudo apt-get install gcc";

/// The inputs of one build.
pub(crate) struct Job<'a> {
    pub workspace: &'a Path,
    pub target: &'a Path,
    /// Names of the programs to build.
    pub programs: &'a [String],
    /// For temporary files of compilers, which leave them behind when they are killed.
    pub scratch: &'a Path,
    /// The file for its whole output.
    pub log: &'a Path,
}

/// Fails on a machine that lacks something required.
///
/// # Errors
/// When something is missing, with how to install it.
pub(crate) fn check() -> Result<(), CargoError> {
    for (program, install) in [("cargo", INSTALL_CARGO), ("cc", INSTALL_CC)] {
        let path = std::env::var_os("PATH").unwrap_or_default();
        if !std::env::split_paths(&path).any(|folder| folder.join(program).is_file()) {
            return Err(CargoError::Missing { program, install });
        }
    }
    let output = Command::new("cargo").arg("--version").output().map_err(failed("cargo --version"))?;
    let found = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    match found.split(' ').nth(1).map(numbers) {
        Some(version) if output.status.success() && version >= numbers(OLDEST) => Ok(()),
        _ => Err(CargoError::TooOld { found }),
    }
}

/// `1.88.0-nightly` as numbers; a part that is not a number counts as 0.
fn numbers(version: &str) -> Vec<u64> {
    version.split(['.', '-']).map(|part| part.parse().unwrap_or(0)).collect()
}

fn failed(what: &str) -> impl FnOnce(io::Error) -> CargoError {
    let what = what.to_owned();
    move |reason| CargoError::Io { what, reason }
}

/// Builds the programs; returns their paths by name. `prepare` makes sure that cargo ends with this program.
///
/// # Errors
/// When cargo fails or `interrupted` returns true; then no process that was started here is left.
pub(crate) fn build(
    job: &Job<'_>,
    prepare: &dyn Fn(&mut Command),
    interrupted: &dyn Fn() -> bool,
    tell: &mut dyn FnMut(BuildStep),
) -> Result<BTreeMap<String, PathBuf>, CargoError> {
    let mut log = std::fs::File::create(job.log).map_err(failed(&job.log.display().to_string()))?;
    let mut child = spawn(job, prepare)?;
    let (sender, lines) = channel();
    let streams = child.stdout.take().zip(child.stderr.take());
    let (stdout, stderr) =
        streams.ok_or_else(|| failed("cargo")(io::Error::other("its pipes are missing")))?;
    let of_stdout = sender.clone();
    std::thread::spawn(move || pass_on(stdout, &of_stdout, Line::Out));
    std::thread::spawn(move || pass_on(stderr, &sender, Line::Err));
    let mut programs = BTreeMap::new();
    let mut said = Vec::new();
    loop {
        if interrupted() {
            end(&mut child);
            return Err(CargoError::Interrupted);
        }
        match lines.recv_timeout(LOOK_AROUND) {
            Ok(Line::Out(line)) => programs.extend(executable(&line)),
            Ok(Line::Err(line)) => match step(&line) {
                Some(compiling) => tell(compiling),
                None => {
                    writeln!(log, "{line}").map_err(failed(&job.log.display().to_string()))?;
                    tell(BuildStep::Said(line.trim().to_owned()));
                    said.push(line);
                }
            },
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    let status = child.wait().map_err(failed("cargo"))?;
    match status.success() && job.programs.iter().all(|program| programs.contains_key(program)) {
        true => Ok(programs),
        // Ctrl-C reaches cargo as well, possibly first.
        false if interrupted() => Err(CargoError::Interrupted),
        false => {
            let refused = refused(&said);
            let (advice, said) = explain(&said);
            Err(CargoError::Failed { advice, said, log: job.log.to_owned(), refused })
        }
    }
}

fn spawn(job: &Job<'_>, prepare: &dyn Fn(&mut Command)) -> Result<Child, CargoError> {
    let mut command = Command::new("cargo");
    // With the whole workspace, so that libraries have the same features whatever is built.
    command.args(["build", "--release", "--workspace", "--keep-going"]);
    for program in job.programs {
        command.args(["--bin", program]);
    }
    command
        .arg("--message-format=json-render-diagnostics")
        .arg("--target-dir")
        .arg(job.target)
        .current_dir(job.workspace)
        .env("TMPDIR", job.scratch)
        .env("CARGO_TERM_COLOR", "never")
        .env("CARGO_TERM_PROGRESS_WHEN", "always")
        .env("CARGO_TERM_PROGRESS_WIDTH", "120")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let profiles = std::env::vars_os().map(|(name, _)| name);
    let changes = |name: &std::ffi::OsString| {
        let name = name.to_string_lossy();
        name.starts_with(PROFILE) || is_of_cc(&name)
    };
    for name in profiles.filter(changes) {
        command.env_remove(name);
    }
    for name in NOT_HANDED_ON {
        command.env_remove(name);
    }
    // Takes precedence over flags in cargo's configuration files and in variables for one target, and is empty (The Cargo Book,
    // Configuration, `build.rustflags`): runners are compiled for the same CPU as a plain build.
    command.env("CARGO_ENCODED_RUSTFLAGS", "");
    // The terminal's signals reach only this program, which passes them on.
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    prepare(&mut command);
    command.spawn().map_err(failed("cargo"))
}

/// Ends cargo and the compilers that it started, which are in its process group.
fn end(child: &mut Child) {
    let group = nix::unistd::Pid::from_raw(child.id() as i32);
    // Either the group exists, or it has ended by itself.
    let _ = nix::sys::signal::killpg(group, nix::sys::signal::Signal::SIGKILL);
    let _ = child.wait();
}

/// A line of standard output or standard error.
enum Line {
    Out(String),
    Err(String),
}

/// Passes lines on; a progress bar ends its lines with a carriage return.
fn pass_on(stream: impl Read, to: &Sender<Line>, line: fn(String) -> Line) {
    let mut stream = BufReader::new(stream);
    let mut text = Vec::new();
    let mut chunk = [0; 8192];
    while let Ok(count @ 1..) = stream.read(&mut chunk) {
        for &byte in &chunk[..count] {
            if byte != b'\n' && byte != b'\r' {
                text.push(byte);
                continue;
            }
            let clean = without_escapes(&String::from_utf8_lossy(&text));
            text.clear();
            if !clean.trim().is_empty() && to.send(line(clean)).is_err() {
                return;
            }
        }
    }
}

/// A text without terminal control sequences (ECMA-48: `ESC [`, parameters, a final byte from `@` to `~`).
fn without_escapes(text: &str) -> String {
    let mut parts = text.split("\x1b[");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |mut clean, part| {
        let end = part.find(|c: char| ('@'..='~').contains(&c)).map_or(part.len(), |at| at + 1);
        clean.push_str(&part[end..]);
        clean
    })
}

/// Parses cargo's progress bar: `    Building [====>     ] 12/345: serde, prost(build)`.
fn step(line: &str) -> Option<BuildStep> {
    let rest = line.trim_start().strip_prefix("Building [")?;
    let (_, rest) = rest.split_once(']')?;
    let (count, now) = rest.split_once(':').unwrap_or((rest, ""));
    let (done, total) = count.trim().split_once('/')?;
    let now = now.trim().to_owned();
    Some(BuildStep::Compiling { done: done.parse().ok()?, total: total.parse().ok()?, now })
}

/// The name and path of the program in a line of cargo's JSON, if it is about a binary.
fn executable(line: &str) -> Option<(String, PathBuf)> {
    #[derive(Deserialize)]
    struct Artifact {
        executable: Option<PathBuf>,
        target: Target,
    }
    #[derive(Deserialize)]
    struct Target {
        name: String,
    }
    let artifact = serde_json::from_str::<Artifact>(line).ok()?;
    Some((artifact.target.name, artifact.executable?))
}

/// How the line begins in which cargo names a crate that was not compiled.
const NOT_COMPILED: &str = "error: could not compile `";

/// The same for a crate whose build script failed, which compiles C and C++.
const NOT_BUILT: &str = "error: failed to run custom build command for `made-";

/// The crates that the compiler refused, each with the first line of its first error. Empty where a compiler was killed or the disk is full:
/// then the cause is not their code.
fn refused(said: &[String]) -> Vec<(String, String)> {
    if said.iter().any(|line| line.contains("(signal: ") || line.contains("No space left on device")) {
        return Vec::new();
    }
    let name = |line: &String| match line.strip_prefix(NOT_BUILT) {
        // Cargo names version and folder too.
        Some(rest) => rest.split([' ', '`']).next().map(|name| format!("made-{name}")),
        None => line.strip_prefix(NOT_COMPILED)?.split('`').next().map(str::to_owned),
    };
    let names = said.iter().filter_map(name);
    let mut refused: Vec<(String, String)> = Vec::new();
    for name in names {
        if !refused.iter().any(|(known, _)| *known == name) {
            let error = foreign_error(said, &name).unwrap_or_else(|| first_error(said, &name));
            refused.push((name, error));
        }
    }
    refused
}

/// The first error of a build script after the line that names its crate: of a compiler of C or C++, or its own.
fn foreign_error(said: &[String], name: &str) -> Option<String> {
    let from = said.iter().position(|line| {
        line.starts_with(NOT_BUILT)
            && line.split('`').nth(1).is_some_and(|rest| rest.split(' ').next() == Some(name))
    })?;
    let after = || said[from + 1..].iter();
    let own = after().find(|line| line.contains(" error: ") || line.contains(" fatal error: "));
    own.or_else(|| {
        after().find(|line| line.starts_with("Error: ") || line.trim_start().starts_with("Error: "))
    })
    .map(|line| line.trim().to_owned())
}

/// The first line of the first error located in the folder of a generated crate, `made-<codec>-<definition>`.
fn first_error(said: &[String], name: &str) -> String {
    let folder = name.strip_prefix("made-").and_then(|rest| rest.rsplit_once('-'));
    let folder = folder.map(|(codec, short)| format!("/{short}/{codec}/src/")).unwrap_or_default();
    let mut error = "";
    for line in said {
        if line.starts_with("error") && !line.starts_with(NOT_COMPILED) {
            error = line;
        } else if !error.is_empty() && line.trim_start().starts_with("--> ") && line.contains(&folder) {
            return error.to_owned();
        }
    }
    said.iter().find(|line| line.starts_with("error")).cloned().unwrap_or_default()
}

/// What to do about a failure, and the lines that describe it.
fn explain(said: &[String]) -> (&'static str, String) {
    const LINES: usize = 12;
    let has = |needles: &[&str]| said.iter().any(|line| needles.iter().any(|needle| line.contains(needle)));
    let tail = |lines: &[String]| lines[lines.len().saturating_sub(LINES)..].join("\n");
    let advice = if has(&["offline mode", "--offline was specified"]) {
        "it was told to stay offline, and libraries are missing: unset CARGO_NET_OFFLINE (or `net.offline` in cargo's \
         configuration) for the first build; later ones need no network:"
    } else if has(&[
        "failed to download",
        "Could not resolve",
        "failed to fetch",
        "download of",
        "spurious network",
    ]) {
        "it could not download the libraries; the first build needs the network (or a proxy in `HTTPS_PROXY`), later ones don't:"
    } else if has(&["No space left on device"]) {
        "the disk is full; `wiredyno build --gc --limit 0` deletes runners that are not in use:"
    } else if has(&["linker `cc` not found", "failed to find tool \"cc\""]) {
        "a C compiler is missing, sudo apt-get install gcc:"
    } else if has(&["could not compile `made-", "could not compile `runner-"]) {
        "the code generated from the definition does not compile, which is a bug: please report it with message.proto:"
    } else {
        "its last output:"
    };
    let errors = said.iter().position(|line| line.starts_with("error"));
    let told = match errors {
        Some(at) => said[at..].iter().take(LINES).cloned().collect::<Vec<_>>().join("\n"),
        None => tail(said),
    };
    (advice, told)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_of_cargo_is_understood_also_with_control_sequences() {
        let clean =
            without_escapes("\x1b[K\x1b[1m    Building\x1b[0m [===>    ] 12/345: serde, prost(build)\x1b[K");
        let now = "serde, prost(build)".to_owned();
        assert_eq!(step(&clean), Some(BuildStep::Compiling { done: 12, total: 345, now }));
        assert_eq!(step("   Compiling serde v1.0.0"), None);
        assert_eq!(without_escapes("plain"), "plain");
        assert_eq!(without_escapes("cut \x1b[12"), "cut ");
    }

    #[test]
    fn only_artifacts_of_binaries_name_a_program() {
        let line =
            r#"{"reason":"compiler-artifact","target":{"name":"runner-1"},"executable":"/x/runner-1"}"#;
        assert_eq!(executable(line), Some(("runner-1".into(), "/x/runner-1".into())));
        let library = r#"{"reason":"compiler-artifact","target":{"name":"serde"},"executable":null}"#;
        assert_eq!(executable(library), None);
        assert_eq!(executable(r#"{"reason":"build-finished","success":true}"#), None);
    }

    #[test]
    fn versions_are_compared_as_numbers() {
        assert!(numbers("1.100.0") > numbers("1.88"));
        assert!(numbers("1.63.0") < numbers("1.88"));
        assert!(numbers("1.88.0-nightly") >= numbers("1.88"));
    }

    #[test]
    fn each_crate_that_is_refused_has_its_own_first_error() {
        let said = "error[E0425]: cannot find value `a`\n  --> made/0123/json-serde-json/src/objects.rs:3:1\n\
            error[E0308]: mismatched types\n  --> made/0123/protobuf-upb/src/message_proto.rs:9:2\n\
            error: could not compile `made-protobuf-upb-0123` (lib) due to 1 previous error\n\
            error: could not compile `made-json-serde-json-0123` (lib) due to 1 previous error";
        let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
        let found = refused(&lines(said));
        let wanted = [
            ("made-protobuf-upb-0123", "error[E0308]: mismatched types"),
            ("made-json-serde-json-0123", "error[E0425]: cannot find value `a`"),
        ];
        assert_eq!(found, wanted.map(|(name, error)| (name.to_owned(), error.to_owned())));
        let killed =
            format!("{said}\n  process didn't exit successfully: `rustc` (signal: 9, SIGKILL: kill)");
        assert_eq!(refused(&lines(&killed)), []);
    }

    #[test]
    fn failures_say_what_to_do_and_show_what_matters() {
        let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
        let (advice, _) = explain(&lines("error: failed to download `x`\n  Could not resolve host"));
        assert!(advice.contains("network"), "{advice}");
        let (advice, said) =
            explain(&lines("a\nerror[E0308]: mismatched\nerror: could not compile `made-types-0`"));
        assert!(advice.contains("report"), "{advice}");
        assert!(said.starts_with("error[E0308]"), "{said}");
    }

    #[test]
    fn variables_of_c_compilers_are_not_handed_on_and_others_are() {
        for name in [
            "CC",
            "CXX",
            "CFLAGS",
            "CXXFLAGS",
            "HOST_CFLAGS",
            "TARGET_CXX",
            "AR",
            "CXX_x86_64_unknown_linux_gnu",
        ] {
            assert!(is_of_cc(name), "{name}");
        }
        for name in ["CARGO_HOME", "ARCH", "CCACHE_DIR", "PATH", "HOSTNAME", "TARGET", "PKG_CONFIG_PATH"] {
            assert!(!is_of_cc(name), "{name}");
        }
        for name in ["CPATH", "LIBRARY_PATH", "CPLUS_INCLUDE_PATH"] {
            assert!(NOT_HANDED_ON.contains(&name), "{name}");
        }
    }

    #[test]
    fn a_codec_whose_c_plus_plus_does_not_compile_is_refused_with_the_compilers_words() {
        let said = "error: failed to run custom build command for `made-json-rapidjson-0123456789abcdef v0.1.0 (/w/made/x/json-rapidjson)`\n\n\
                    Caused by:\n  process didn't exit successfully: `/t/build-script-build` (exit status: 1)\n  --- stderr\n\
                    \x20 src/domain.hpp:7:3: error: 'nothing' does not name a type\n  Error: the compiler failed";
        let said: Vec<String> = said.lines().map(str::to_owned).collect();
        let expected = (
            "made-json-rapidjson-0123456789abcdef",
            "src/domain.hpp:7:3: error: 'nothing' does not name a type",
        );
        assert_eq!(refused(&said), [(expected.0.to_owned(), expected.1.to_owned())]);
        // Without a compiler's error, the script's own.
        let own: Vec<String> = said.iter().filter(|line| !line.contains(": error: ")).cloned().collect();
        assert_eq!(refused(&own)[0].1, "Error: the compiler failed");
    }
}
