//! Commands by which runners are made: started, waited for, ended.

use std::io::{Read, Seek};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use wiredyno_contract::Span;

use crate::environment::{SetUpError, at};

/// How often a wait looks whether it is still wanted.
const LOOK_AROUND: Duration = Duration::from_millis(50);

/// So much of what a failed command said is told, from its end.
const TOLD_BYTES: usize = 1_500;

/// What all commands of one making share.
pub(crate) struct Task<'a> {
    /// The runner.
    pub runner: &'a str,
    /// What to do where a command fails.
    pub missing: &'a str,
    /// The longest that one may take.
    pub limit: Span,
    /// Where they put temporary files; the system's place where nothing is said.
    pub temporary: Option<&'a Path>,
    /// Sees to it that what is started ends with this program.
    pub prepare: &'a dyn Fn(&mut Command),
    /// Whether the user wants it to end.
    pub interrupted: &'a dyn Fn() -> bool,
}

impl Task<'_> {
    /// Runs a command to its end.
    ///
    /// # Errors
    /// When it fails, takes too long, or the user wants it to end; then nothing that it started is left.
    pub(crate) fn run(&self, words: &[String]) -> Result<(), SetUpError> {
        let failed = |said: String| SetUpError::Command {
            runner: self.runner.to_owned(),
            command: words.join(" "),
            said,
            missing: self.missing.to_owned(),
        };
        let mut said = tempfile::tempfile().map_err(at(&std::env::temp_dir()))?;
        let output = || said.try_clone().map(Stdio::from);
        let mut command = Command::new(words.first().map_or("", String::as_str));
        command.args(words.iter().skip(1)).stdin(Stdio::null());
        command.stdout(output().map_err(at(&std::env::temp_dir()))?);
        command.stderr(output().map_err(at(&std::env::temp_dir()))?);
        command.envs(self.temporary.map(|folder| ("TMPDIR", folder)));
        (self.prepare)(&mut command);
        // A group of its own, so that what it starts itself can be ended with it.
        command.process_group(0);
        let begun = Instant::now();
        let mut child = command.spawn().map_err(|error| failed(format!(": {error}")))?;
        let status = loop {
            if (self.interrupted)() {
                end(&mut child);
                return Err(SetUpError::Interrupted);
            }
            if begun.elapsed() > Duration::from_nanos(self.limit.ns) {
                end(&mut child);
                return Err(failed(format!(
                    " took longer than {}, which `limit` allows: was it waiting for something?",
                    self.limit
                )));
            }
            match child.try_wait() {
                Ok(Some(status)) => break status,
                Ok(None) => std::thread::sleep(LOOK_AROUND),
                Err(error) => return Err(failed(format!(": {error}"))),
            }
        };
        if status.success() {
            return Ok(());
        }
        let mut text = Vec::new();
        // Without it the failure is told all the same.
        let _ = said.rewind().and_then(|()| said.read_to_end(&mut text));
        let from = text.len().saturating_sub(TOLD_BYTES);
        Err(failed(format!(" ended with {status}:\n{}", String::from_utf8_lossy(&text[from..]).trim())))
    }
}

/// Ends a command with all that it started, and waits for that.
fn end(child: &mut Child) {
    // It may have ended this moment.
    let _ = killpg(Pid::from_raw(child.id() as i32), Signal::SIGKILL);
    let _ = child.wait();
}
